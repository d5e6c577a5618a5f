-- ARGV: 1 pool, 2 asked since
return oldest_in(ARGV[1], stale_since(ARGV[2]))

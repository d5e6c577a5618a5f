-- ARGV: 1 ticket, 2 now
-- Only an open ticket is in the set, and there it moves forward only.
redis.call('ZADD', ASKED, 'XX', 'GT', ARGV[2], ARGV[1])

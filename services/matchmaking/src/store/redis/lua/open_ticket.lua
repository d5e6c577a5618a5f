-- ARGV: 1 player
return show(redis.call('HGET', OPEN, ARGV[1]))

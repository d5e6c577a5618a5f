-- ARGV: 1 player
return show(redis.call('HGET', NEWEST, ARGV[1]))

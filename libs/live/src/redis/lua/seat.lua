#!lua
-- KEYS: 1 a player's games. ARGV: 1 game, 2 life in ms
redis.call('SADD', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])

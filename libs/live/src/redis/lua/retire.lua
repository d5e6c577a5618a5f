#!lua flags=allow-oom
-- Removes a game whose time has come; not while the index may still name it.
-- KEYS: 1 game, 2 log, 3 deadlines, 4 outbox, 5 retiring, 6 open, 7 public, 8 unindexed. ARGV: 1 game, 2 now
local due = redis.call('ZSCORE', KEYS[5], ARGV[1])
if not due or tonumber(due) >= tonumber(ARGV[2]) or redis.call('ZSCORE', KEYS[8], ARGV[1]) then
    return 0
end
local known = redis.call('HMGET', KEYS[1], 'deadline', 'outbox', 'public')
redis.call('ZREM', KEYS[3], known[1] or '')
redis.call('ZREM', KEYS[4], known[2] or '')
redis.call('ZREM', KEYS[7], known[3] or '')
redis.call('ZREM', KEYS[5], ARGV[1])
redis.call('ZREM', KEYS[6], ARGV[1])
redis.call('DEL', KEYS[1], KEYS[2])
return 1

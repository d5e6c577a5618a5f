#!lua flags=allow-oom
-- An entry of the outbox was taken. KEYS: 1 game, 2 outbox, 3 retiring.
-- ARGV: 1 version, 2 entry without its attempts, 3 game, 4 when it may retire
local known = redis.call('HMGET', KEYS[1], 'version', 'outbox')
local entry = known[2] or ''
if string.sub(entry, 1, #ARGV[2]) ~= ARGV[2] then
    return 0
end
redis.call('ZREM', KEYS[2], entry)
redis.call('HSET', KEYS[1], 'outbox', '')
if known[1] == ARGV[1] then
    redis.call('ZADD', KEYS[3], ARGV[4], ARGV[3])
end
return 1

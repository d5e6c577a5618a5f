#!lua flags=allow-oom
-- An entry of the outbox failed. KEYS: 1 game, 2 outbox. ARGV: 1 entry without its attempts, 2 when to try again ('+inf': parked),
-- 3 attempts from now on
local entry = redis.call('HGET', KEYS[1], 'outbox') or ''
if string.sub(entry, 1, #ARGV[1]) ~= ARGV[1] then
    return 0
end
local again = ARGV[1] .. ARGV[3]
redis.call('ZREM', KEYS[2], entry)
redis.call('ZADD', KEYS[2], ARGV[2], again)
redis.call('HSET', KEYS[1], 'outbox', again)
return 1

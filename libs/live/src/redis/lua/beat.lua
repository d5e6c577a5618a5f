#!lua
-- Keeps one shard's heartbeat; the beat that ends a gap makes the outage, so exactly one does.
-- KEYS: 1 heartbeat, 2 outages. ARGV: 1 now, 2 the longest gap that is none, 3 the end of the last outage the caller
-- knows, 4 outages that ended before are forgotten. Returns {the outage this beat made or '', outages after the known...}
local last, made = redis.call('GET', KEYS[1]), ''
if last and tonumber(ARGV[1]) - tonumber(last) > tonumber(ARGV[2]) then
    made = last .. '-' .. ARGV[1]
    redis.call('ZADD', KEYS[2], ARGV[1], made)
    redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', '(' .. ARGV[4])
end
-- A clock that was set back must not undo a beat.
if not last or tonumber(last) < tonumber(ARGV[1]) then
    redis.call('SET', KEYS[1], ARGV[1])
end
return {made, unpack(redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[3], '+inf'))}

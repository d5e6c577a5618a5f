#!lua
-- Keeps one shard's heartbeat; the beat that ends a gap makes the outage, so exactly one does.
-- KEYS: 1 heartbeat, 2 outages. ARGV: 1 when the caller asked, 2 the longest gap that is none, 3 the end of the last
-- outage the caller knows, 4 outages that ended before are forgotten. Returns {the outage this beat made or '', outages
-- after the known...}
-- A beat counts when it is carried out: one that was repeated, or lay unread while the server stood still, must not hide
-- the time in which nobody could play.
local time = redis.call('TIME')
local now = math.max(tonumber(ARGV[1]), time[1] * 1000 + math.floor(time[2] / 1000))
local at = string.format('%.0f', now)
local last, made = redis.call('GET', KEYS[1]), ''
if last and now - tonumber(last) > tonumber(ARGV[2]) then
    made = last .. '-' .. at
    redis.call('ZADD', KEYS[2], at, made)
    redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', '(' .. ARGV[4])
end
-- A clock that was set back must not undo a beat.
if not last or tonumber(last) < now then
    redis.call('SET', KEYS[1], at)
end
return {made, unpack(redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[3], '+inf'))}

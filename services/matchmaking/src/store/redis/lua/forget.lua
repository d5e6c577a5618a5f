-- ARGV: 1 closed before, 2 how many at most
-- Returns how many were forgotten.
local ids = redis.call('ZRANGEBYSCORE', REPORTED, '-inf', '(' .. ARGV[1], 'LIMIT', 0, ARGV[2])
for _, id in ipairs(ids) do
    local player = facts_of(id)
    if redis.call('HGET', NEWEST, player) == id then redis.call('HDEL', NEWEST, player) end
    redis.call('HDEL', TICKETS, id)
    redis.call('HDEL', STATES, id)
    redis.call('ZREM', REPORTED, id)
end
return #ids

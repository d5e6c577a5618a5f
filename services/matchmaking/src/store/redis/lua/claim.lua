-- ARGV: 1 now, 2 until, 3 how many at most
-- Returns {game, formed, pool, {tickets}} for each.
local fours = {}
for _, game in ipairs(redis.call('ZRANGEBYSCORE', CLAIMS, '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])) do
    local formed, pool, ids = string.match(redis.call('HGET', FOURS, game), '^%S+ (%S+) (%S+) (.+)$')
    redis.call('HSET', FOURS, game, table.concat({ARGV[2], formed, pool, ids}, ' '))
    redis.call('ZADD', CLAIMS, ARGV[2], game)
    local tickets = {}
    for id in string.gmatch(ids, '%S+') do tickets[#tickets + 1] = show(id) end
    fours[#fours + 1] = {game, formed, pool, tickets}
end
return fours

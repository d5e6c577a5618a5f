-- ARGV: 1 pool, 2 asked since, 3 now, 4 where to begin ('' at the front), 5 how many at most
-- Returns where to go on, or '' at the end, and {ticket, rating, opened} for each of these that is not held back.
local part, rest = part_of_pool(ARGV[1], ARGV[4], ARGV[5])
local now, waiting = tonumber(ARGV[3]), {}
each_asked(part, ARGV[2], function(_, opened, id, rating)
    local held_until = string.match(redis.call('HGET', STATES, id), '^waiting (%S+)$')
    if tonumber(held_until) <= now then waiting[#waiting + 1] = {id, rating, opened} end
end)
return {rest, waiting}

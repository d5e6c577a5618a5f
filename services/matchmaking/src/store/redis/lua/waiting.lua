-- ARGV: 1 pool, 2 asked since, 3 now
-- Returns {ticket, rating, opened} for each that is not held back, oldest first.
local stale, now = stale_since(ARGV[2]), tonumber(ARGV[3])
local line, waiting = line_of(ARGV[1]), {}
-- Many at once, but no more than fit on Lua's stack.
for from = 1, #line, 1000 do
    local tickets, ids = {}, {}
    for i = from, math.min(from + 999, #line) do
        local opened, id, rating = string.match(line[i], '^%S+ (%S+) (%S+) (%S+)$')
        tickets[#tickets + 1], ids[#ids + 1] = {id, rating, opened}, id
    end
    local states = redis.call('HMGET', STATES, unpack(ids))
    for i, ticket in ipairs(tickets) do
        local held_until = string.match(states[i], '^waiting (%S+)$')
        if not stale[ticket[1]] and tonumber(held_until) <= now then
            waiting[#waiting + 1] = ticket
        end
    end
end
return waiting

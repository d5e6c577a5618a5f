-- ARGV: 1 pool, 2 asked since, 3 now
-- Returns {ticket, rating, opened} for each that is not held back, oldest first.
local stale, now = stale_since(ARGV[2]), tonumber(ARGV[3])
local waiting = {}
for _, place in ipairs(line_of(ARGV[1])) do
    local id = string.match(place, '(%S+)$')
    local held_until = string.match(redis.call('HGET', STATES, id), '^waiting (%S+)$')
    if not stale[id] and tonumber(held_until) <= now then
        local _, _, opened, rating = facts_of(id)
        waiting[#waiting + 1] = {id, rating, opened}
    end
end
return waiting

-- ARGV: 1 asked since
-- Returns {pool, waiting, when the oldest was opened} for each pool in which somebody waits.
local stale = stale_since(ARGV[1])
local pools, last = {}, nil
for _, place in ipairs(redis.call('ZRANGE', WAITING, 0, -1)) do
    local pool, opened, id = string.match(place, '^(%S+) (%S+) (%S+)$')
    if not stale[id] then
        if not last or last[1] ~= pool then
            last = {pool, 0, opened}
            pools[#pools + 1] = last
        end
        last[2] = last[2] + 1
    end
end
return pools

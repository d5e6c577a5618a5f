-- ARGV: 1 asked since
-- Returns {pool, waiting, when the oldest was opened} for each pool in which somebody waits.
local stale, count = stale_since(ARGV[1])
local gone = {}
for id in pairs(stale) do
    if string.match(redis.call('HGET', STATES, id), '^waiting ') then
        local _, pool = facts_of(id)
        gone[pool] = (gone[pool] or 0) + 1
    end
end
local pools, from = {}, '-'
while true do
    local place = redis.call('ZRANGEBYLEX', WAITING, from, '+', 'LIMIT', 0, 1)[1]
    if not place then return pools end
    local pool = string.match(place, '^%S+')
    local oldest = oldest_in(pool, stale, count)
    if oldest then
        pools[#pools + 1] = {pool, #line_of(pool) - (gone[pool] or 0), oldest}
    end
    from = '[' .. pool .. '!'
end

-- ARGV: 1 asked before, 2 now
-- Returns whose they were.
local players = {}
for id in pairs(stale_since(ARGV[1])) do
    if string.match(redis.call('HGET', STATES, id), '^waiting ') then
        local player = facts_of(id)
        redis.call('ZREM', WAITING, place_in_line(id))
        close(id, player, ARGV[2], 'cancelled expired ' .. ARGV[2])
        players[#players + 1] = player
    end
end
return players

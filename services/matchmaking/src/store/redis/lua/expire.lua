-- ARGV: 1 asked before, 2 now, 3 how many to leave out at the front, 4 how many at most
-- Returns how many were looked at, and whose the expired ones were; the others of these are bound to games.
local ids = redis.call('ZRANGEBYSCORE', ASKED, '-inf', '(' .. ARGV[1], 'LIMIT', ARGV[3], ARGV[4])
local players = {}
for _, id in ipairs(ids) do
    if string.match(redis.call('HGET', STATES, id), '^waiting ') then
        local player = facts_of(id)
        redis.call('ZREM', WAITING, place_in_line(id))
        close(id, player, ARGV[2], 'cancelled expired ' .. ARGV[2])
        players[#players + 1] = player
    end
end
return {#ids, players}

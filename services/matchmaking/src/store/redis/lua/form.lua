-- ARGV: 1 game, 2 formed, 3 claimed until, 4 pool, 5 and on: ticket and seat of each
-- Returns 1 if the four is bound, by this call or by one before whose answer was lost; 0 if not all of them wait.
local game, ids = ARGV[1], {}
for i = 5, #ARGV, 2 do ids[#ids + 1] = ARGV[i] end
local four = table.concat({ARGV[3], ARGV[2], ARGV[4], unpack(ids)}, ' ')
local known = redis.call('HGET', FOURS, game)
if known then return known == four and 1 or 0 end
for _, id in ipairs(ids) do
    local state = redis.call('HGET', STATES, id)
    if not state or not string.match(state, '^waiting ') then return 0 end
end
for i = 5, #ARGV, 2 do
    local id = ARGV[i]
    redis.call('ZREM', WAITING, place_in_line(id))
    redis.call('HSET', STATES, id, 'forming ' .. game .. ' ' .. ARGV[i + 1])
end
redis.call('HSET', FOURS, game, four)
redis.call('ZADD', CLAIMS, ARGV[3], game)
return 1

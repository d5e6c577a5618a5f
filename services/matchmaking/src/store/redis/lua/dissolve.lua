-- ARGV: 1 game, 2 claimed until, 3 reason, 4 now, 5 hold until, 6 and on: tickets to cancel
-- Returns 1, or 0 if the four is complete, dissolved, or claimed by another.
local game = ARGV[1]
local claimed, ids = string.match(redis.call('HGET', FOURS, game) or '', '^(%S+) %S+ %S+ (.+)$')
if claimed ~= ARGV[2] then return 0 end
redis.call('HDEL', FOURS, game)
redis.call('ZREM', CLAIMS, game)
local cancelled = {}
for i = 6, #ARGV do cancelled[ARGV[i]] = true end
for id in string.gmatch(ids, '%S+') do
    local player = facts_of(id)
    if cancelled[id] then
        close(id, player, ARGV[4], table.concat({'cancelled', ARGV[3], ARGV[4]}, ' '))
    else
        redis.call('HSET', STATES, id, 'waiting ' .. ARGV[5])
        redis.call('ZADD', WAITING, 0, place_in_line(id))
        tell(player)
    end
end
return 1

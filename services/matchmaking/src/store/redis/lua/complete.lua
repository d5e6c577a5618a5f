-- ARGV: 1 game, 2 now
-- Returns 1, or 0 if the four is complete or dissolved already.
local game = ARGV[1]
local four = redis.call('HGET', FOURS, game)
if not four then return 0 end
redis.call('HDEL', FOURS, game)
redis.call('ZREM', CLAIMS, game)
for id in string.gmatch(string.match(four, '^%S+ %S+ %S+ (.+)$'), '%S+') do
    local seat = string.match(redis.call('HGET', STATES, id), '(%S+)$')
    local player = facts_of(id)
    close(id, player, ARGV[2], table.concat({'matched', game, seat, ARGV[2]}, ' '))
end
return 1

-- ARGV: 1 game, 2 claimed until, 3 until
local four = redis.call('HGET', FOURS, ARGV[1])
local claimed, rest = string.match(four or '', '^(%S+) (.+)$')
if claimed == ARGV[2] and tonumber(ARGV[3]) < tonumber(claimed) then
    redis.call('HSET', FOURS, ARGV[1], ARGV[3] .. ' ' .. rest)
    redis.call('ZADD', CLAIMS, ARGV[3], ARGV[1])
end

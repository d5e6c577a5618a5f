-- A gateway says until when it has a socket of a player, ARGV: gateway, milliseconds from now; 0: no longer. Answers how
-- many other gateways have one.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZREM', KEYS[1], ARGV[1])
local others = redis.call('ZCARD', KEYS[1])
local lease = tonumber(ARGV[2])
if lease > 0 then
  redis.call('ZADD', KEYS[1], now + lease, ARGV[1])
  redis.call('PEXPIRE', KEYS[1], lease)
end
return others

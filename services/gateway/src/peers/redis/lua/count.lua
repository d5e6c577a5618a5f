-- Counts one request (GCRA). ARGV: microseconds between two requests, how many at once. Answers how many milliseconds to
-- wait, 0 if the request passes. The key holds when all requests so far would be used up at the even pace.
local period, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local used_up = math.max(tonumber(redis.call('GET', KEYS[1])) or 0, now) + period
local wait = used_up - period * burst - now
if wait > 0 then
  return math.ceil(wait / 1000)
end
redis.call('SET', KEYS[1], string.format('%.0f', used_up), 'PX', math.ceil((used_up - now) / 1000))
return 0

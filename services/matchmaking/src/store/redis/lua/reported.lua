-- ARGV: 1 ticket
local closed = redis.call('ZSCORE', UNREPORTED, ARGV[1])
if closed then
    redis.call('ZREM', UNREPORTED, ARGV[1])
    redis.call('ZADD', REPORTED, closed, ARGV[1])
end

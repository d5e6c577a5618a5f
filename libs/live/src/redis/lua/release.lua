#!lua flags=allow-oom
-- Gives all leases of a holder back. KEYS: 1 leases, 2 holders. ARGV: 1 holder
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
    if string.match(all[i + 1], '^%-?%d+ (.*)$') == ARGV[1] then
        redis.call('HDEL', KEYS[1], all[i])
    end
end
redis.call('ZREM', KEYS[2], ARGV[1])

#!lua flags=allow-oom
-- Takes or renews a holder's fair share. A holder keeps what it has up to its even share and fills up with free shards;
-- so a newcomer gets its share as the others renew theirs.
-- KEYS: 1 leases (shard: 'until holder'), 2 holders. ARGV: 1 now, 2 until, 3 holder, 4 shards, 5 life of both in ms
local now, leases = tonumber(ARGV[1]), {}
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[1])
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[3])
local even = math.ceil(tonumber(ARGV[4]) / redis.call('ZCARD', KEYS[2]))
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
    local till, holder = string.match(all[i + 1], '^(%-?%d+) (.*)$')
    if holder == ARGV[3] or tonumber(till) <= now then
        redis.call('HDEL', KEYS[1], all[i])
    end
    if tonumber(till) > now then
        leases[all[i]] = holder
    end
end
local share = {}
local function take(wanted)
    for shard = 0, tonumber(ARGV[4]) - 1 do
        local name = tostring(shard)
        if #share < even and leases[name] == wanted then
            share[#share + 1] = name
            redis.call('HSET', KEYS[1], name, ARGV[2] .. ' ' .. ARGV[3])
        end
    end
end
take(ARGV[3])
take(nil)
redis.call('PEXPIRE', KEYS[1], ARGV[5])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
return share

#!lua flags=allow-oom
-- The index follows a game: says whether what was written to it is the newest, and if so that nothing is owed any more.
-- KEYS: 1 game, 2 unindexed. ARGV: 1 version that was written ('' if none yet), 2 game
-- Returns {0} if settled, {1} if there is no such game, {2, version, status, invite, players, leaving} if this is newer.
local known = redis.call('HMGET', KEYS[1], 'indexed', 'status', 'invite', 'players', 'leaving')
if not known[1] then
    redis.call('ZREM', KEYS[2], ARGV[2])
    if redis.call('EXISTS', KEYS[1]) == 0 then
        return {1}
    end
    return {0}
end
if known[1] ~= ARGV[1] then
    return {2, known[1], known[2], known[3], known[4], known[5] or ''}
end
redis.call('HSET', KEYS[1], 'leaving', '')
redis.call('ZREM', KEYS[2], ARGV[2])
return {0}

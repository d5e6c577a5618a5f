#!lua
-- One step of one game, whole or not at all; and the news of it, which goes out after it is stored.
-- KEYS: 1 game, 2 log, 3 deadlines, 4 outbox, 5 retiring, 6 open, 7 public, 8 unindexed, 9 wake-ups
-- ARGV: 1 expected version and 2 event ('' for a new game), 3 version and 4 event after it, 5 status, 6 invite code,
--       7 players, 8 member of public (or ''), 9 deadline (or '') and 10 its time, 11 when to report (or ''),
--       12 game, 13 created, 14 now, 15 head of the wake-up, 16 and on: entries of the log
-- Returns {0} if the log ends elsewhere, {1} if stored, {2, version, status, invite, players, leaving} if stored and
-- the index has to follow.
local game, log = KEYS[1], KEYS[2]
local old = redis.call('HMGET', game, 'version', 'event', 'status', 'invite', 'players', 'public', 'deadline', 'outbox',
    'leaving')
if (old[1] or '') ~= ARGV[1] or (old[2] or '') ~= ARGV[2] then
    return {0}
end
if redis.call('LLEN', log) ~= (tonumber(old[1]) or 0) then
    return redis.error_reply('BROKEN the log of ' .. ARGV[12] .. ' does not end where its game says')
end

redis.call('HSET', game, 'version', ARGV[3], 'event', ARGV[4], 'status', ARGV[5], 'invite', ARGV[6], 'players', ARGV[7],
    'public', ARGV[8], 'deadline', ARGV[9], 'created', ARGV[13])
local news = {ARGV[15]}
for i = 16, #ARGV do
    redis.call('RPUSH', log, ARGV[i])
    news[#news + 1] = struct.pack('>I4', #ARGV[i])
    news[#news + 1] = ARGV[i]
end

local function replace(key, before, after, score)
    if before and before ~= '' and before ~= after then
        redis.call('ZREM', key, before)
    end
    if after ~= '' then
        redis.call('ZADD', key, score, after)
    end
end
replace(KEYS[3], old[7], ARGV[9], ARGV[10])
replace(KEYS[7], old[6], ARGV[8], '0')
if ARGV[11] ~= '' then
    local entry = ARGV[12] .. ':' .. ARGV[3] .. ':0'
    replace(KEYS[4], old[8], entry, ARGV[11])
    redis.call('HSET', game, 'outbox', entry)
end
if old[1] then
    redis.call('ZREM', KEYS[5], ARGV[12])
end
if old[3] ~= ARGV[5] then
    if ARGV[5] == '1' or ARGV[5] == '2' then
        redis.call('ZADD', KEYS[6], ARGV[5], ARGV[12])
    else
        redis.call('ZREM', KEYS[6], ARGV[12])
    end
end

local reply = {1}
if (old[3] or '') ~= ARGV[5] or (old[4] or '') ~= ARGV[6] or (old[5] or '') ~= ARGV[7] then
    -- What the index may still say of the game, until somebody has put it right.
    local leaving, known = {}, {}
    for _, words in ipairs({old[9] or '', old[5] or ''}) do
        for word in string.gmatch(words, '[^,]+') do
            if not known[word] then
                known[word] = true
                leaving[#leaving + 1] = word
            end
        end
    end
    local words = table.concat(leaving, ',')
    redis.call('HSET', game, 'indexed', ARGV[3], 'leaving', words)
    redis.call('ZADD', KEYS[8], ARGV[14], ARGV[12])
    reply = {2, ARGV[3], ARGV[5], ARGV[6], ARGV[7], words}
end
redis.call('SPUBLISH', KEYS[9], table.concat(news))
return reply

-- What all scripts share. All keys are named in every call, so that a cluster that is moving their slot knows whether
-- it has them; what they hold is in docs/decisions/live-state-in-redis.md.
-- Instants are kept as the texts they came as: Lua would round them.
local TICKETS, STATES, OPEN, NEWEST, ASKED, WAITING, FOURS, CLAIMS, UNREPORTED, REPORTED = unpack(KEYS)
local NEWS = string.match(TICKETS, '^(.*):') .. ':news'

-- A ticket is written once: `player pool opened rating guest provisional name`.
local function facts_of(id)
    local facts = redis.call('HGET', TICKETS, id)
    return string.match(facts, '^(%S+) (%S+) (%S+) (%S+)')
end

local function tell(player)
    redis.call('SPUBLISH', NEWS, player)
end

-- The front of a pool's line is first in the order of letters: `opened` has leading zeros.
local function place_in_line(id)
    local _, pool, opened, rating = facts_of(id)
    return table.concat({pool, opened, id, rating}, ' ')
end

local function close(id, player, now, state)
    redis.call('HSET', STATES, id, state)
    redis.call('HDEL', OPEN, player)
    redis.call('ZREM', ASKED, id)
    redis.call('ZADD', UNREPORTED, now, id)
    tell(player)
end

-- What is told of a ticket: facts, state, when it was asked after; nothing if there is none.
local function show(id)
    local facts = id and redis.call('HGET', TICKETS, id)
    if not facts then return {} end
    return {id, facts, redis.call('HGET', STATES, id), redis.call('ZSCORE', ASKED, id) or ''}
end

local function line_of(pool, count)
    return redis.call('ZRANGEBYLEX', WAITING, '[' .. pool .. ' ', '(' .. pool .. '!', 'LIMIT', 0, count or -1)
end

-- Open tickets that nobody asked after since then, and how many: few, since they are about to expire.
local function stale_since(since)
    local ids, stale = redis.call('ZRANGEBYSCORE', ASKED, '-inf', '(' .. since), {}
    for _, id in ipairs(ids) do stale[id] = true end
    return stale, #ids
end

-- When the oldest ticket of a pool was opened that is not stale, or false.
local function oldest_in(pool, stale, count)
    for _, place in ipairs(line_of(pool, count + 1)) do
        local opened, id = string.match(place, '^%S+ (%S+) (%S+)')
        if not stale[id] then return opened end
    end
    return false
end


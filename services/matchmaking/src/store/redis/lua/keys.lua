-- What all scripts share. All keys are named in every call, so that a cluster that is moving their slot knows whether
-- it has them; the table of keys stands in the documentation of the store.
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

-- The front of the line is first in the order of letters: `opened` has leading zeros.
local function place_in_line(id, pool, opened)
    return pool .. ' ' .. opened .. ' ' .. id
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

local function line_of(pool)
    return redis.call('ZRANGEBYLEX', WAITING, '[' .. pool .. ' ', '(' .. pool .. '!')
end

-- Open tickets that nobody asked after since then: few, since they are about to expire.
local function stale_since(since)
    local stale = {}
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', ASKED, '-inf', '(' .. since)) do stale[id] = true end
    return stale
end


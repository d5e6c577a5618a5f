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

-- A part of the line: so many places at most of a range in the order of letters, and where the next part begins, or ''.
local function part_of_line(from, to, count)
    local part = redis.call('ZRANGEBYLEX', WAITING, from, to, 'LIMIT', 0, count)
    local more = #part == tonumber(count)
    return part, more and '(' .. part[#part] or ''
end

-- The same within a pool, from its front if `from` is ''.
local function part_of_pool(pool, from, count)
    return part_of_line(from ~= '' and from or '[' .. pool .. ' ', '(' .. pool .. '!', count)
end

-- Calls back with pool, opened, ticket and rating of each place whose ticket somebody asked after since then.
local function each_asked(part, since, see)
    for _, place in ipairs(part) do
        local pool, opened, id, rating = string.match(place, '^(%S+) (%S+) (%S+) (%S+)$')
        if tonumber(redis.call('ZSCORE', ASKED, id)) >= tonumber(since) then see(pool, opened, id, rating) end
    end
end


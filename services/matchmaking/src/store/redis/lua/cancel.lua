-- ARGV: 1 ticket, 2 player, 3 now
-- Returns {'cancelled'}, {'already'}, {'unknown'} or {'matched', game}.
local id, player = ARGV[1], ARGV[2]
local state = redis.call('HGET', STATES, id)
if not state then return {'unknown'} end
if facts_of(id) ~= player then return {'unknown'} end
local status, game = string.match(state, '^(%S+) (%S+)')
if status == 'cancelled' then return {'already'} end
if status ~= 'waiting' then return {'matched', game} end
redis.call('ZREM', WAITING, place_in_line(id))
close(id, player, ARGV[3], 'cancelled player ' .. ARGV[3])
return {'cancelled'}

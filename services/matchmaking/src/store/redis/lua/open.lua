-- ARGV: 1 ticket, 2 player, 3 asked, 4 facts
-- Returns {'opened'}, {'known', what is told of it} or {'waiting', the player's other ticket}.
local id, player = ARGV[1], ARGV[2]
local known = show(id)
if #known > 0 then return {'known', unpack(known)} end
local other = redis.call('HGET', OPEN, player)
if other then return {'waiting', other} end
redis.call('HSET', TICKETS, id, ARGV[4])
redis.call('HSET', STATES, id, 'waiting 0')
redis.call('HSET', OPEN, player, id)
redis.call('HSET', NEWEST, player, id)
redis.call('ZADD', ASKED, ARGV[3], id)
redis.call('ZADD', WAITING, 0, place_in_line(id))
tell(player)
return {'opened'}

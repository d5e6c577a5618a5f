-- ARGV: 1 ticket, 2 player, 3 pool, 4 opened, 5 asked, 6 facts
-- Returns {'opened'}, {'known', what is told of it} or {'waiting', the player's other ticket}.
local id, player = ARGV[1], ARGV[2]
local known = show(id)
if #known > 0 then return {'known', unpack(known)} end
local other = redis.call('HGET', OPEN, player)
if other then return {'waiting', other} end
redis.call('HSET', TICKETS, id, ARGV[6])
redis.call('HSET', STATES, id, 'waiting 0')
redis.call('HSET', OPEN, player, id)
redis.call('HSET', NEWEST, player, id)
redis.call('ZADD', ASKED, ARGV[5], id)
redis.call('ZADD', WAITING, 0, place_in_line(id, ARGV[3], ARGV[4]))
tell(player)
return {'opened'}

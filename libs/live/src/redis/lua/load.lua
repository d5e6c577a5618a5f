#!lua flags=no-writes
-- Head and events of one moment. KEYS: 1 game, 2 log. ARGV: 1 events to leave out. Returns nil or {version, event, entries}.
local head = redis.call('HMGET', KEYS[1], 'version', 'event')
if not head[1] then
    return false
end
return {head[1], head[2], redis.call('LRANGE', KEYS[2], ARGV[1], -1)}

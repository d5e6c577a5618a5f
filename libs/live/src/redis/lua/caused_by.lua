#!lua flags=no-writes
-- The last version that a command caused. An entry begins with the 16 bytes of its command. KEYS: 1 log. ARGV: 1 command.
local last = redis.call('LLEN', KEYS[1]) - 1
while last >= 0 do
    local first = math.max(0, last - 63)
    local entries = redis.call('LRANGE', KEYS[1], first, last)
    for i = #entries, 1, -1 do
        if string.sub(entries[i], 1, 16) == ARGV[1] then
            return first + i
        end
    end
    last = first - 1
end
return false

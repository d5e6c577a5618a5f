-- ARGV: 1 index of the last
local tickets = {}
for _, id in ipairs(redis.call('ZRANGE', UNREPORTED, 0, ARGV[1])) do tickets[#tickets + 1] = show(id) end
return tickets

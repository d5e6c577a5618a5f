-- ARGV: 1 pool, 2 asked since
local stale = stale_since(ARGV[2])
for _, place in ipairs(line_of(ARGV[1])) do
    local opened, id = string.match(place, '^%S+ (%S+) (%S+)$')
    if not stale[id] then return opened end
end
return false

-- ARGV: 1 asked since, 2 where to begin, 3 how many at most
-- Returns where to go on, or '' at the end, and {pool, waiting, when the oldest was opened} for each pool among these.
local part, rest = part_of_line(ARGV[2], '+', ARGV[3])
local pools = {}
each_asked(part, ARGV[1], function(pool, opened)
    local last = pools[#pools]
    if last and last[1] == pool then
        last[2] = last[2] + 1
    else
        pools[#pools + 1] = {pool, 1, opened}
    end
end)
return {rest, pools}

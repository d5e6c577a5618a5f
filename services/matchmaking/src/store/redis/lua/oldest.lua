-- ARGV: 1 pool, 2 asked since, 3 where to begin ('' at the front), 4 how many at most
-- Returns {where to go on, or '' at the end, when the oldest of these was opened, or nothing}.
local part, rest = part_of_pool(ARGV[1], ARGV[3], ARGV[4])
local oldest
each_asked(part, ARGV[2], function(_, opened) oldest = oldest or opened end)
return {rest, oldest}

#!lua flags=allow-oom
-- Frees an invite code if it still means this game. KEYS: 1 invite code. ARGV: 1 game
if redis.call('GET', KEYS[1]) == ARGV[1] then
    redis.call('DEL', KEYS[1])
end

-- ARGV: 1 ticket
return show(ARGV[1])

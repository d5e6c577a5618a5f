//! The scripts: one for each step.

redis_link::scripts! {
    OPEN = "open", concat!(include_str!("lua/keys.lua"), include_str!("lua/open.lua"));
    TICKET = "ticket", concat!(include_str!("lua/keys.lua"), include_str!("lua/ticket.lua"));
    OPEN_TICKET = "open_ticket", concat!(include_str!("lua/keys.lua"), include_str!("lua/open_ticket.lua"));
    NEWEST = "newest", concat!(include_str!("lua/keys.lua"), include_str!("lua/newest.lua"));
    CANCEL = "cancel", concat!(include_str!("lua/keys.lua"), include_str!("lua/cancel.lua"));
    ASKED = "asked", concat!(include_str!("lua/keys.lua"), include_str!("lua/asked.lua"));
    POOLS = "pools", concat!(include_str!("lua/keys.lua"), include_str!("lua/pools.lua"));
    WAITING = "waiting", concat!(include_str!("lua/keys.lua"), include_str!("lua/waiting.lua"));
    OLDEST = "oldest", concat!(include_str!("lua/keys.lua"), include_str!("lua/oldest.lua"));
    FORM = "form", concat!(include_str!("lua/keys.lua"), include_str!("lua/form.lua"));
    CLAIM = "claim", concat!(include_str!("lua/keys.lua"), include_str!("lua/claim.lua"));
    RELEASE = "release", concat!(include_str!("lua/keys.lua"), include_str!("lua/release.lua"));
    COMPLETE = "complete", concat!(include_str!("lua/keys.lua"), include_str!("lua/complete.lua"));
    DISSOLVE = "dissolve", concat!(include_str!("lua/keys.lua"), include_str!("lua/dissolve.lua"));
    EXPIRE = "expire", concat!(include_str!("lua/keys.lua"), include_str!("lua/expire.lua"));
    UNREPORTED = "unreported", concat!(include_str!("lua/keys.lua"), include_str!("lua/unreported.lua"));
    REPORTED = "reported", concat!(include_str!("lua/keys.lua"), include_str!("lua/reported.lua"));
    FORGET = "forget", concat!(include_str!("lua/keys.lua"), include_str!("lua/forget.lua"));
}

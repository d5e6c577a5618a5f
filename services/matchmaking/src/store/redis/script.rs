//! The scripts: one for each step.

use std::sync::LazyLock;

use redis::Script;

macro_rules! scripts {
    ($($name:ident = $file:literal;)*) => {$(
        pub(super) static $name: LazyLock<Script> = LazyLock::new(|| {
            Script::new(concat!(include_str!("lua/keys.lua"), include_str!(concat!("lua/", $file, ".lua"))))
        });
    )*};
}

scripts! {
    OPEN = "open";
    TICKET = "ticket";
    OPEN_TICKET = "open_ticket";
    NEWEST = "newest";
    CANCEL = "cancel";
    ASKED = "asked";
    POOLS = "pools";
    WAITING = "waiting";
    OLDEST = "oldest";
    FORM = "form";
    CLAIM = "claim";
    RELEASE = "release";
    COMPLETE = "complete";
    DISSOLVE = "dissolve";
    EXPIRE = "expire";
    UNREPORTED = "unreported";
    REPORTED = "reported";
    FORGET = "forget";
}

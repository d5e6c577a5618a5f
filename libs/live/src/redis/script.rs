//! The scripts: one for each step that must be whole.

use std::sync::LazyLock;

use redis::Script;

macro_rules! scripts {
    ($($name:ident = $file:literal;)*) => {$(
        pub(super) static $name: LazyLock<Loaded> = LazyLock::new(|| Loaded::new(include_str!(concat!("lua/", $file, ".lua"))));
    )*
        /// All of them, for a server that may know none.
        pub(super) fn all() -> impl Iterator<Item = &'static str> {
            [$(&$name),*].into_iter().map(|script: &'static LazyLock<Loaded>| script.source)
        }
    };
}

/// A script and its hash.
pub(super) struct Loaded {
    pub(super) source: &'static str,
    pub(super) hash: String,
}

impl Loaded {
    fn new(source: &'static str) -> Self {
        Self { source, hash: Script::new(source).get_hash().to_owned() }
    }
}

scripts! {
    APPEND = "append";
    LOAD = "load";
    CAUSED_BY = "caused_by";
    SETTLE = "settle";
    SEAT = "seat";
    UNINVITE = "uninvite";
    REPORTED = "reported";
    REPORT_FAILED = "report_failed";
    RETIRE = "retire";
    BEAT = "beat";
    LEASE = "lease";
    RELEASE = "release";
}

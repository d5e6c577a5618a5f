//! The scripts: one for each step that must be whole.

redis_link::scripts! {
    APPEND = "append", include_str!("lua/append.lua");
    LOAD = "load", include_str!("lua/load.lua");
    CAUSED_BY = "caused_by", include_str!("lua/caused_by.lua");
    SETTLE = "settle", include_str!("lua/settle.lua");
    SEAT = "seat", include_str!("lua/seat.lua");
    UNINVITE = "uninvite", include_str!("lua/uninvite.lua");
    REPORTED = "reported", include_str!("lua/reported.lua");
    REPORT_FAILED = "report_failed", include_str!("lua/report_failed.lua");
    RETIRE = "retire", include_str!("lua/retire.lua");
    BEAT = "beat", include_str!("lua/beat.lua");
    LEASE = "lease", include_str!("lua/lease.lua");
    RELEASE = "release", include_str!("lua/release.lua");
}

//! docs/decisions/live-state-in-redis.md lists all scripts and keys of all services. Those of live state are held against it
//! by the tests of libs/live, while they are in use.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const RECORD: &str = include_str!("../../docs/decisions/live-state-in-redis.md");

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// What stands in backquotes in a column of an owner's rows, in tables that have this header.
fn listed(header: &str, owner: &str) -> BTreeSet<String> {
    let table = RECORD.split_once(header).unwrap_or_else(|| panic!("no table begins with {header}")).1;
    let rows = table.lines().skip(1).take_while(|line| line.starts_with('|'));
    let of_owner = rows.filter_map(|row| row.strip_prefix(&format!("| {owner} | ")));
    let names = of_owner.filter_map(|row| row.split(" | ").next());
    names.flat_map(|names| names.split(", ")).map(|name| name.trim_matches('`').to_owned()).collect()
}

fn keys(owner: &str) -> BTreeSet<String> {
    listed("| owner | key |", owner)
}

#[test]
fn every_script_is_listed_and_no_other() {
    for (owner, folder) in [
        ("live", "libs/live/src/redis/lua"),
        ("matchmaking", "services/matchmaking/src/store/redis/lua"),
        ("gateway", "services/gateway/src/peers/redis/lua"),
    ] {
        let files = fs::read_dir(root().join(folder)).unwrap().map(|file| file.unwrap().file_name());
        let names = files.map(|name| name.to_str().unwrap().strip_suffix(".lua").unwrap().to_owned());
        let scripts: BTreeSet<String> = names.filter(|name| name != "keys").collect();
        assert_eq!(listed("| owner | script |", owner), scripts, "{owner}");
    }
}

#[test]
fn every_key_of_matchmaking_is_listed_and_no_other() {
    let code = fs::read_to_string(root().join("services/matchmaking/src/store/redis.rs")).unwrap();
    let names = code.split_once("const KEYS: ").unwrap().1.split_once(';').unwrap().1.split_once(';').unwrap().0;
    let names = names.split('"').skip(1).step_by(2).map(|name| format!("{{matchmaking}}:{name}"));
    assert_eq!(keys("matchmaking"), names.collect());
}

#[test]
fn every_key_of_gateways_is_listed_and_no_other() {
    let code = fs::read_to_string(root().join("services/gateway/src/peers/redis.rs")).unwrap();
    let names = code.split("format!(\"{TAG}:").skip(1).map(|rest| rest.split_once('"').unwrap().0);
    let names = names.map(|name| format!("{{gateway}}:{}", name.replace('{', "<").replace('}', ">")));
    assert_eq!(keys("gateway"), names.collect());
}

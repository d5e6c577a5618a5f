//! Imports go one way: services → {live, runtime} → {proto, redis-link} → {rules, timekeeping, ratings}. No service imports
//! another; the standalone process and the tests import what they like. Dev-dependencies are free.

use std::collections::BTreeMap;

use cargo_metadata::{DependencyKind, MetadataCommand};

const PURE: u8 = 0;
const PROTO: u8 = 1;
const SHARED: u8 = 2;
const SERVICE: u8 = 3;
const TOP: u8 = 4;

fn layer(manifest: &str, name: &str) -> Option<u8> {
    let inside = |folder: &str| manifest.ends_with(&format!("/{folder}/{name}/Cargo.toml"));
    match name {
        "rules" | "timekeeping" | "ratings" if inside("libs") => Some(PURE),
        "proto" | "redis-link" if inside("libs") => Some(PROTO),
        "live" | "runtime" if inside("libs") => Some(SHARED),
        "standalone" if inside("services") => Some(TOP),
        _ if inside("services") => Some(SERVICE),
        _ if inside("tests") => Some(TOP),
        _ => None,
    }
}

#[test]
fn imports_go_one_way() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    let metadata = MetadataCommand::new().manifest_path(manifest).no_deps().exec().unwrap();
    let layers: BTreeMap<&str, u8> = metadata
        .packages
        .iter()
        .map(|package| {
            let layer = layer(package.manifest_path.as_str(), &package.name);
            (package.name.as_str(), layer.unwrap_or_else(|| panic!("{} has no place in the layers", package.name)))
        })
        .collect();
    assert!(layers.len() >= 12, "the workspace was not read: {layers:?}");
    let mut wrong = Vec::new();
    for package in &metadata.packages {
        let own = layers[package.name.as_str()];
        for dependency in package.dependencies.iter().filter(|edge| edge.kind == DependencyKind::Normal) {
            if let Some(other) = layers.get(dependency.name.as_str())
                && own < TOP
                && *other >= own
            {
                wrong.push(format!("{} must not import {}", package.name, dependency.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

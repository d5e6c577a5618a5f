//! Generates the gRPC code from `proto/` without an installed protoc.

use std::path::PathBuf;

use prost::Message as _;

const FILES: [&str; 5] = [
    "fourkingdoms/types/v1/types.proto",
    "fourkingdoms/game/v1/game.proto",
    "fourkingdoms/matchmaking/v1/matchmaking.proto",
    "fourkingdoms/rating/v1/rating.proto",
    "fourkingdoms/clock/v1/clock.proto",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let variable = |name: &'static str| std::env::var_os(name).ok_or(name);
    // Not `env!`: the compiled script may be reused for another checkout.
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("../../proto");
    println!("cargo:rerun-if-changed={}", root.display());
    let descriptors = protox::compile(FILES, [&root])?;
    let out = PathBuf::from(variable("OUT_DIR")?);
    std::fs::write(out.join("descriptors.bin"), descriptors.encode_to_vec())?;
    tonic_prost_build::configure().compile_fds(descriptors)?;
    Ok(())
}

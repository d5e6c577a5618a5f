//! A file added to the web client is embedded at the next build.

fn main() {
    println!("cargo:rerun-if-changed=../../clients/web/app");
    println!("cargo:rerun-if-changed=migrations");
}

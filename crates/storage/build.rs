//! Migrations are compiled in, so a new one must cause a build.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}

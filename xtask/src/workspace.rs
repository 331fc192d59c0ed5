//! Where things are in the repository.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cargo_metadata::{Metadata, MetadataCommand};

/// The root of the repository.
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// What cargo knows of the workspace; `dependencies` adds the graph of all packages.
pub fn metadata(dependencies: bool) -> Result<Metadata> {
    let mut command = MetadataCommand::new();
    command.manifest_path(root().join("Cargo.toml"));
    if !dependencies {
        command.no_deps();
    }
    command.exec().context("cargo cannot read the workspace")
}

/// A program of the workspace, built by cargo in `profile` (`debug` or `release`).
pub fn binary(profile: &str, name: &str) -> Result<PathBuf> {
    let target = metadata(false)?.target_directory.into_std_path_buf();
    Ok(target.join(profile).join(name))
}

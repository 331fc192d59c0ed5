//! Looking at the system without changing it.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::table::{Detect, Requirement};
use crate::command::{find, output, succeeds};

/// Where shared libraries are, besides the directory of the architecture in each.
const LIBRARIES: [&str; 5] = ["/usr/lib", "/lib", "/usr/lib64", "/lib64", "/usr/local/lib"];

/// What is looked at.
pub struct System {
    libraries: Vec<PathBuf>,
}

impl System {
    /// The system this runs on.
    pub fn new() -> Self {
        let triplet = format!("{}-linux-gnu", std::env::consts::ARCH);
        let libraries = LIBRARIES
            .iter()
            .flat_map(|directory| [Path::new(directory).join(&triplet), directory.into()])
            .filter(|directory| directory.is_dir())
            .collect();
        Self { libraries }
    }

    /// Whether a requirement is there.
    pub fn has(&self, requirement: &Requirement) -> bool {
        match &requirement.detect {
            Detect::Program(name) => find(name).is_some(),
            Detect::PkgConfig(module) => {
                succeeds(Command::new("pkg-config").args(["--exists", module]))
            }
            Detect::Library(names) => names.iter().any(|name| {
                self.libraries
                    .iter()
                    .any(|directory| directory.join(name).exists())
            }),
            Detect::Font(pattern) => output(Command::new("fc-list").arg(pattern))
                .is_ok_and(|fonts| !fonts.trim().is_empty()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::Group;
    use super::*;

    fn has(detect: Detect) -> bool {
        System::new().has(&Requirement {
            group: Group::Build,
            purpose: "-",
            detect,
            package: "-",
        })
    }

    #[test]
    fn what_is_there_is_seen_and_what_is_not_is_not() {
        assert!(has(Detect::Program("sh")));
        assert!(!has(Detect::Program("no-such-program-anywhere")));
        assert!(has(Detect::Library(&["libnothing.so.9", "libc.so.6"])));
        assert!(!has(Detect::Library(&["libnothing.so.9"])));
        assert!(!has(Detect::PkgConfig("no-such-module")));
        assert!(!has(Detect::Font(":family=No Such Font")));
    }
}

//! Known hosts: what OpenSSH reads, and one rule more.
//!
//! The threat is somebody between the user and the host. So a host that is known under any key is
//! never asked about again: another key is refused, **also when it has another type**, and whatever
//! `StrictHostKeyChecking` says. A revoked key is refused wherever else it is listed. Only a host
//! that is listed under no key at all is unknown, and unknown hosts are asked about with their
//! fingerprint.

mod entry;
mod learn;
mod verdict;

use std::path::{Path, PathBuf};

use russh::keys::ssh_key::{HashAlg, PublicKey};

use crate::limits;
pub(crate) use entry::{Entry, Marker};
pub use learn::{hash_name, learn};
pub use verdict::{ChangedKey, KnownKey, Verdict};

/// The entries of some known-hosts files.
#[derive(Clone, Debug, Default)]
pub struct KnownHosts {
    pub(crate) entries: Vec<Entry>,
}

impl KnownHosts {
    /// Reads files in order. Files that do not exist are empty; lines without meaning are skipped.
    /// Blocks: call it on a thread for files.
    pub fn load<P: AsRef<Path>>(files: &[P]) -> Self {
        let mut entries = Vec::new();
        for file in files {
            let path = file.as_ref();
            if let Some(text) = crate::config::read_limited(path, limits::FILE_BYTES) {
                entries.extend(Entry::parse_file(path, &text));
            }
        }
        Self { entries }
    }

    /// The entries of one text, as if it were the file `path`.
    pub fn parse(path: &Path, text: &str) -> Self {
        Self {
            entries: Entry::parse_file(path, text).collect(),
        }
    }

    /// Files and lines whose names match a host, whatever they say about it.
    pub fn find(&self, name: &str) -> Vec<(PathBuf, usize)> {
        self.matching(name)
            .map(|entry| (entry.file.to_path_buf(), entry.line))
            .collect()
    }

    /// Key types under which a host is known (`ssh-ed25519`, `ssh-rsa`, ...), in the order of the
    /// files, each once.
    pub fn key_types(&self, name: &str) -> Vec<String> {
        let mut types = Vec::new();
        for entry in self
            .matching(name)
            .filter(|entry| entry.marker == Marker::None)
        {
            if !types.contains(&entry.key_type) {
                types.push(entry.key_type.clone());
            }
        }
        types
    }

    /// Whether an authority for certificates is trusted for a host.
    pub fn has_authority(&self, name: &str) -> bool {
        self.matching(name)
            .any(|entry| entry.marker == Marker::CertAuthority)
    }

    pub(crate) fn matching<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Entry> {
        let name = name.to_ascii_lowercase();
        self.entries.iter().filter(move |entry| entry.names(&name))
    }
}

/// The fingerprint as `ssh-keygen -l` prints it: `SHA256:...`.
pub fn fingerprint(key: &PublicKey) -> String {
    key.fingerprint(HashAlg::Sha256).to_string()
}

/// The picture of `ssh-keygen -lv`.
pub fn randomart(key: &PublicKey) -> String {
    let (name, bits) = describe(key);
    key.fingerprint(HashAlg::Sha256)
        .to_randomart(&format!("[{name} {bits}]"))
}

/// The name of a key's type for people, and its size in bits.
pub fn describe(key: &PublicKey) -> (&'static str, usize) {
    use russh::keys::ssh_key::EcdsaCurve;
    use russh::keys::ssh_key::public::KeyData;
    match key.key_data() {
        KeyData::Ed25519(_) => ("ED25519", 256),
        KeyData::SkEd25519(_) => ("ED25519-SK", 256),
        KeyData::SkEcdsaSha2NistP256(_) => ("ECDSA-SK", 256),
        KeyData::Ecdsa(key) => match key.curve() {
            EcdsaCurve::NistP256 => ("ECDSA", 256),
            EcdsaCurve::NistP384 => ("ECDSA", 384),
            EcdsaCurve::NistP521 => ("ECDSA", 521),
        },
        KeyData::Rsa(key) => {
            let modulus = key.n().as_positive_bytes().unwrap_or_default();
            let top = modulus
                .first()
                .map_or(0, |byte| byte.leading_zeros() as usize);
            ("RSA", (modulus.len() * 8).saturating_sub(top))
        }
        _ => ("KEY", 0),
    }
}

/// The command that removes what is known about a host from a file.
pub fn removal_command(name: &str, file: &Path) -> String {
    format!(
        "ssh-keygen -f {} -R {}",
        crate::shell::quote(&file.to_string_lossy()),
        crate::shell::quote(name)
    )
}

#[cfg(test)]
mod tests;

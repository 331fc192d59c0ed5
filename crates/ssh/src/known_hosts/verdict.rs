//! What is to be thought of a key that a host shows.

use std::fmt;
use std::path::PathBuf;

use data_encoding::BASE64_NOPAD;
use ring::digest;
use russh::keys::ssh_key::certificate::CertType;
use russh::keys::ssh_key::{Certificate, HashAlg, PublicKey};

use super::{Entry, KnownHosts, Marker, fingerprint, removal_command};

/// What the files say about a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is the host's.
    Known,
    /// The host is listed nowhere.
    Unknown,
    /// The host is known under other keys.
    Changed(Box<ChangedKey>),
    /// The key, or the authority that signed it, is revoked.
    Revoked {
        /// File of the entry.
        file: PathBuf,
        /// Line of the entry, from 1.
        line: usize,
    },
    /// The host showed a certificate of a trusted authority that does not hold.
    BadCertificate(String),
}

/// A key under which a host is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownKey {
    /// File of the entry.
    pub file: PathBuf,
    /// Line of the entry, from 1.
    pub line: usize,
    /// Type of the key, as in the file.
    pub key_type: String,
    /// `SHA256:...`
    pub fingerprint: String,
}

/// A host shows a key that is not one of those it is known under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedKey {
    /// The host, as in the file.
    pub name: String,
    /// Type of the key that the host shows.
    pub offered_type: String,
    /// Its fingerprint.
    pub offered: String,
    /// What it is known under.
    pub known: Vec<KnownKey>,
}

impl ChangedKey {
    /// The commands that remove the old entries, one for each file; to be run only by somebody who
    /// knows why the key changed.
    pub fn removal_commands(&self) -> Vec<String> {
        let mut commands = Vec::new();
        for key in &self.known {
            let command = removal_command(&self.name, &key.file);
            if !commands.contains(&command) {
                commands.push(command);
            }
        }
        commands
    }
}

impl fmt::Display for ChangedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the host key of {} has changed: it shows {} {}, but is known under",
            self.name, self.offered_type, self.offered
        )?;
        for (index, key) in self.known.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let KnownKey {
                file,
                line,
                key_type,
                fingerprint,
            } = key;
            write!(
                f,
                "{comma} {key_type} {fingerprint} ({}:{line})",
                file.display()
            )?;
        }
        f.write_str(". Somebody could be listening in. If the change is known to be right, run: ")?;
        f.write_str(&self.removal_commands().join("; "))
    }
}

impl KnownHosts {
    /// Judges the key of a host. `name` is the name in the file (`host` or `[host]:port`), `bare`
    /// the host without a port: a key that stands there for it is accepted for every port, as
    /// OpenSSH does, and nothing else is concluded from it.
    pub fn judge(&self, name: &str, bare: &str, key: &PublicKey) -> Verdict {
        let Ok(wire) = key.to_bytes() else {
            return Verdict::BadCertificate("the key cannot be read".to_owned());
        };
        if let Some(revoked) = self.revoked(name, bare, &wire) {
            return revoked;
        }
        let known: Vec<&Entry> = self
            .matching(name)
            .filter(|entry| entry.marker == Marker::None)
            .collect();
        let same = |entry: &Entry| entry.marker == Marker::None && entry.key == wire;
        if known.iter().any(|entry| same(entry)) {
            return Verdict::Known;
        }
        if known.is_empty() {
            return match self.matching(bare).any(same) {
                true => Verdict::Known,
                false => Verdict::Unknown,
            };
        }
        Verdict::Changed(Box::new(ChangedKey {
            name: name.to_owned(),
            offered_type: key.algorithm().as_str().to_owned(),
            offered: fingerprint(key),
            known: known.into_iter().map(known_key).collect(),
        }))
    }

    /// Judges the certificate of a host. Without a trusted authority behind it the key inside is
    /// judged like any other.
    pub fn judge_certificate(&self, name: &str, bare: &str, certificate: &Certificate) -> Verdict {
        let authority = PublicKey::new(certificate.signature_key().clone(), "");
        let inner = PublicKey::new(certificate.public_key().clone(), "");
        let Ok(wire) = authority.to_bytes() else {
            return Verdict::BadCertificate("the authority's key cannot be read".to_owned());
        };
        let trusted = self
            .matching(name)
            .any(|entry| entry.marker == Marker::CertAuthority && entry.key == wire);
        if !trusted {
            return self.judge(name, bare, &inner);
        }
        let inner_wire = inner.to_bytes().unwrap_or_default();
        for key in [&wire, &inner_wire] {
            if let Some(revoked) = self.revoked(name, bare, key) {
                return revoked;
            }
        }
        let bad = |reason: &str| Verdict::BadCertificate(reason.to_owned());
        if certificate.cert_type() != CertType::Host {
            return bad("it is a certificate of a user, not of a host");
        }
        if !certificate.critical_options().is_empty() {
            return bad("it has critical options that are not known");
        }
        // A list without names would be a certificate for every host.
        let names = certificate.valid_principals();
        if !names
            .iter()
            .any(|principal| principal.eq_ignore_ascii_case(bare))
        {
            return Verdict::BadCertificate(format!("it is not for {bare}"));
        }
        match certificate.validate(&[authority.fingerprint(HashAlg::Sha256)]) {
            Ok(()) => Verdict::Known,
            Err(_) => bad("it is expired, not valid yet, or its signature is wrong"),
        }
    }

    fn revoked(&self, name: &str, bare: &str, wire: &[u8]) -> Option<Verdict> {
        self.matching(name)
            .chain(self.matching(bare))
            .find(|entry| entry.marker == Marker::Revoked && entry.key == wire)
            .map(|entry| Verdict::Revoked {
                file: entry.file.to_path_buf(),
                line: entry.line,
            })
    }
}

fn known_key(entry: &Entry) -> KnownKey {
    let hash = digest::digest(&digest::SHA256, &entry.key);
    KnownKey {
        file: entry.file.to_path_buf(),
        line: entry.line,
        key_type: entry.key_type.clone(),
        fingerprint: format!("SHA256:{}", BASE64_NOPAD.encode(hash.as_ref())),
    }
}

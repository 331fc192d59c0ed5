//! One line of a known-hosts file.

use std::path::Path;
use std::sync::Arc;

use data_encoding::{BASE64, BASE64_NOPAD};
use ring::hmac;

use crate::config::host_matches;

/// The marker at the beginning of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    /// The key of a host.
    None,
    /// The key of an authority that signs certificates of hosts.
    CertAuthority,
    /// A key that must not be accepted.
    Revoked,
}

/// Whom a line is about.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Names {
    /// Patterns, perhaps negated.
    Patterns(Vec<String>),
    /// HMAC-SHA1 of one name.
    Hashed { salt: Vec<u8>, hash: Vec<u8> },
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub file: Arc<Path>,
    /// From 1.
    pub line: usize,
    pub marker: Marker,
    names: Names,
    /// As it stands in the file, for example `ssh-ed25519`.
    pub key_type: String,
    /// The key as it goes over the wire.
    pub key: Vec<u8>,
}

impl Entry {
    /// The lines of a file that mean something.
    pub(crate) fn parse_file(path: &Path, text: &str) -> impl Iterator<Item = Entry> {
        let file: Arc<Path> = path.into();
        text.lines()
            .enumerate()
            .filter_map(move |(index, line)| Entry::parse(&file, index + 1, line))
            .collect::<Vec<_>>()
            .into_iter()
    }

    fn parse(file: &Arc<Path>, line: usize, text: &str) -> Option<Self> {
        let mut words = text
            .split([' ', '\t'])
            .map(|word| word.trim_end_matches('\r'))
            .filter(|word| !word.is_empty());
        let mut word = words.next()?;
        if word.starts_with('#') {
            return None;
        }
        let marker = match word.strip_prefix('@') {
            None => Marker::None,
            Some("cert-authority") => Marker::CertAuthority,
            Some("revoked") => Marker::Revoked,
            Some(_) => return None,
        };
        if marker != Marker::None {
            word = words.next()?;
        }
        let names = Names::parse(word)?;
        let key_type = words.next()?.to_owned();
        let key = decode(words.next()?)?;
        // The type inside the key counts; a line that contradicts itself means nothing.
        if inner_type(&key)? != key_type {
            return None;
        }
        Some(Self {
            file: Arc::clone(file),
            line,
            marker,
            names,
            key_type,
            key,
        })
    }

    /// Whether the line is about a host; `name` in lower case.
    pub(crate) fn names(&self, name: &str) -> bool {
        match &self.names {
            Names::Patterns(patterns) => host_matches(patterns.iter().map(String::as_str), name),
            Names::Hashed { salt, hash } => {
                let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, salt);
                hmac::verify(&key, name.as_bytes(), hash).is_ok()
            }
        }
    }
}

impl Names {
    fn parse(word: &str) -> Option<Self> {
        let Some(hashed) = word.strip_prefix("|1|") else {
            let patterns = word.split(',').filter(|pattern| !pattern.is_empty());
            return Some(Self::Patterns(patterns.map(str::to_owned).collect()));
        };
        let (salt, hash) = hashed.split_once('|')?;
        Some(Self::Hashed {
            salt: decode(salt)?,
            hash: decode(hash)?,
        })
    }
}

fn decode(text: &str) -> Option<Vec<u8>> {
    BASE64
        .decode(text.as_bytes())
        .or_else(|_| BASE64_NOPAD.decode(text.trim_end_matches('=').as_bytes()))
        .ok()
}

/// The type that a key names itself: a length of four bytes and so many letters.
fn inner_type(key: &[u8]) -> Option<&str> {
    let (length, rest) = key.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
    std::str::from_utf8(rest.get(..length)?).ok()
}

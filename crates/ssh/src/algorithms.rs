//! Which algorithms are offered: the lists of the configuration, cut to what the library has, with
//! the key types known for the host first.

use std::borrow::Cow;

use russh::keys::ssh_key::{Algorithm, EcdsaCurve, HashAlg};
use russh::{Preferred, cipher, compression, kex, mac};

use crate::config::{AlgorithmLists, wildcard};

const CIPHERS: &[&str] = &[
    "chacha20-poly1305@openssh.com",
    "aes128-gcm@openssh.com",
    "aes256-gcm@openssh.com",
    "aes128-ctr",
    "aes192-ctr",
    "aes256-ctr",
];
const MACS: &[&str] = &[
    "hmac-sha2-256-etm@openssh.com",
    "hmac-sha2-512-etm@openssh.com",
    "hmac-sha2-256",
    "hmac-sha2-512",
];
const KEX: &[&str] = &[
    "mlkem768x25519-sha256",
    "curve25519-sha256",
    "curve25519-sha256@libssh.org",
    "ecdh-sha2-nistp256",
    "ecdh-sha2-nistp384",
    "ecdh-sha2-nistp521",
    "diffie-hellman-group-exchange-sha256",
    "diffie-hellman-group16-sha512",
    "diffie-hellman-group18-sha512",
    "diffie-hellman-group14-sha256",
];
const HOST_KEYS: &[&str] = &[
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "rsa-sha2-512",
    "rsa-sha2-256",
];
/// Extensions that stand among the key exchange methods.
const KEX_EXTENSIONS: [kex::Name; 4] = [
    kex::EXTENSION_SUPPORT_AS_CLIENT,
    kex::EXTENSION_SUPPORT_AS_SERVER,
    kex::EXTENSION_OPENSSH_STRICT_KEX_AS_CLIENT,
    kex::EXTENSION_OPENSSH_STRICT_KEX_AS_SERVER,
];

/// Why nothing can be offered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("none of the configured {what} is supported: {list}")]
pub struct NoAlgorithm {
    what: &'static str,
    list: String,
}

/// A list of the configuration against the defaults: `+` adds, `-` takes away, `^` puts first.
fn chosen(list: Option<&str>, defaults: &[&str]) -> Vec<String> {
    let defaults = || defaults.iter().map(|name| (*name).to_owned());
    let names = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
    let Some(list) = list.map(str::trim).filter(|list| !list.is_empty()) else {
        return defaults().collect();
    };
    let mut result = match list.split_at_checked(1) {
        Some(("+", added)) => defaults().chain(names(added)).collect(),
        Some(("^", first)) => names(first).into_iter().chain(defaults()).collect(),
        Some(("-", removed)) => {
            let removed = names(removed);
            defaults()
                .filter(|name| !removed.iter().any(|pattern| wildcard(pattern, name)))
                .collect()
        }
        _ => names(list),
    };
    let mut seen = std::collections::HashSet::new();
    result.retain(|name: &String| seen.insert(name.clone()));
    result
}

/// The library's names of a list; an empty result is an error unless the list was a default.
fn supported<T, F>(
    what: &'static str,
    list: Option<&str>,
    defaults: &[&str],
    name: F,
) -> Result<Vec<T>, NoAlgorithm>
where
    F: Fn(&str) -> Option<T>,
{
    let chosen = chosen(list, defaults);
    let found: Vec<T> = chosen.iter().filter_map(|text| name(text)).collect();
    if found.is_empty() {
        let list = chosen.join(",");
        return Err(NoAlgorithm { what, list });
    }
    Ok(found)
}

/// What is offered to a host. `known_types` are the types under which it is known; certificates are
/// asked for when `authority` says that one is trusted for it.
///
/// # Errors
/// The configuration allows nothing that the library has.
pub(crate) fn preferred(
    lists: &AlgorithmLists,
    compress: bool,
    known_types: &[String],
    authority: bool,
) -> Result<Preferred, NoAlgorithm> {
    let real = |name: &str| !["none", "clear"].contains(&name);
    let ciphers = supported("ciphers", lists.ciphers.as_deref(), CIPHERS, |name| {
        cipher::Name::try_from(name).ok().filter(|_| real(name))
    })?;
    let macs = supported("MACs", lists.macs.as_deref(), MACS, |name| {
        mac::Name::try_from(name).ok().filter(|_| real(name))
    })?;
    let kex_list = lists.kex.as_deref().map(with_post_quantum);
    let mut kex = supported("key exchange methods", kex_list.as_deref(), KEX, |name| {
        kex::Name::try_from(name)
            .ok()
            .filter(|kex| real(name) && !KEX_EXTENSIONS.contains(kex))
    })?;
    kex.extend(KEX_EXTENSIONS);
    let list = lists.host_key.as_deref();
    let mut keys = supported("host key types", list, HOST_KEYS, host_key)?;
    // Stable: the order of the configuration stays among the known and among the others.
    keys.sort_by_key(|key| position(known_types, key));
    let certificates = match authority {
        true => certificates(list, &keys),
        false => Vec::new(),
    };
    let compression = match compress {
        true => vec![
            compression::ZLIB_LEGACY,
            compression::ZLIB,
            compression::NONE,
        ],
        false => vec![
            compression::NONE,
            compression::ZLIB_LEGACY,
            compression::ZLIB,
        ],
    };
    Ok(Preferred {
        kex: Cow::Owned(kex),
        key: Cow::Owned(keys),
        host_key_certificates: Cow::Owned(certificates),
        cipher: Cow::Owned(ciphers),
        mac: Cow::Owned(macs),
        compression: Cow::Owned(compression),
    })
}

/// A list that allows OpenSSH's older post-quantum exchange, which the library does not have, allows
/// the newer one in its place.
fn with_post_quantum(list: &str) -> String {
    let plain = !list.starts_with(['+', '-', '^']);
    if plain && list.contains("sntrup761x25519") && !list.contains("mlkem768x25519") {
        return format!("mlkem768x25519-sha256,{list}");
    }
    list.to_owned()
}

fn position(known_types: &[String], key: &Algorithm) -> usize {
    let file_type = match key {
        Algorithm::Rsa { .. } => "ssh-rsa",
        other => other.as_str(),
    };
    known_types
        .iter()
        .position(|known| known == file_type)
        .unwrap_or(known_types.len())
}

fn host_key(name: &str) -> Option<Algorithm> {
    match name {
        "ssh-ed25519" => Some(Algorithm::Ed25519),
        "ecdsa-sha2-nistp256" => Some(ecdsa(EcdsaCurve::NistP256)),
        "ecdsa-sha2-nistp384" => Some(ecdsa(EcdsaCurve::NistP384)),
        "ecdsa-sha2-nistp521" => Some(ecdsa(EcdsaCurve::NistP521)),
        "rsa-sha2-512" => Some(rsa(HashAlg::Sha512)),
        "rsa-sha2-256" => Some(rsa(HashAlg::Sha256)),
        _ => None,
    }
}

fn ecdsa(curve: EcdsaCurve) -> Algorithm {
    Algorithm::Ecdsa { curve }
}

fn rsa(hash: HashAlg) -> Algorithm {
    Algorithm::Rsa { hash: Some(hash) }
}

/// The keys whose certificates the list allows; all of them when it names no certificate at all.
fn certificates(list: Option<&str>, keys: &[Algorithm]) -> Vec<Algorithm> {
    const SUFFIX: &str = "-cert-v01@openssh.com";
    let named = list.filter(|list| list.contains(SUFFIX) && !list.starts_with('-'));
    keys.iter()
        .filter(|key| {
            let certificate = format!("{}{SUFFIX}", key.as_str());
            named.is_none_or(|list| list.split(',').any(|name| name.ends_with(&certificate)))
        })
        .cloned()
        .collect()
}

/// Whether `PubkeyAcceptedAlgorithms` allows an algorithm by its name on the wire.
pub(crate) fn public_key_allowed(lists: &AlgorithmLists, name: &str) -> bool {
    let Some(list) = lists.public_key.as_deref() else {
        return true;
    };
    match list.split_at_checked(1) {
        Some(("+" | "^", _)) => true,
        Some(("-", removed)) => !removed.split(',').any(|pattern| wildcard(pattern, name)),
        _ => list.split(',').any(|pattern| wildcard(pattern, name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(known: &[&str]) -> Vec<String> {
        let known: Vec<_> = known.iter().map(|k| (*k).to_owned()).collect();
        let preferred = preferred(&AlgorithmLists::default(), false, &known, true).unwrap();
        assert_eq!(preferred.key, preferred.host_key_certificates);
        preferred
            .key
            .iter()
            .map(|key| key.as_str().to_owned())
            .collect()
    }

    #[test]
    fn known_types_come_first() {
        assert_eq!(keys(&[])[0], "ssh-ed25519");
        assert_eq!(
            keys(&["ssh-rsa"])[..3],
            ["rsa-sha2-512", "rsa-sha2-256", "ssh-ed25519"]
        );
        assert_eq!(
            keys(&["ecdsa-sha2-nistp521", "ssh-ed25519"])[..2],
            ["ecdsa-sha2-nistp521", "ssh-ed25519"]
        );
        assert_eq!(keys(&["ssh-dss"]).len(), HOST_KEYS.len());
    }

    #[test]
    fn lists_with_signs() {
        let defaults = ["a", "b", "c"];
        assert_eq!(chosen(None, &defaults), defaults);
        assert_eq!(chosen(Some("+d,a"), &defaults), ["a", "b", "c", "d"]);
        assert_eq!(chosen(Some("^c"), &defaults), ["c", "a", "b"]);
        assert_eq!(chosen(Some("-b*"), &defaults), ["a", "c"]);
        assert_eq!(chosen(Some("x,y"), &defaults), ["x", "y"]);
    }

    #[test]
    fn nothing_weak_sneaks_in_and_nothing_at_all_is_an_error() {
        let lists = |ciphers: &str| AlgorithmLists {
            ciphers: Some(ciphers.to_owned()),
            ..AlgorithmLists::default()
        };
        assert!(preferred(&lists("none,clear"), false, &[], false).is_err());
        let error = preferred(&lists("unheard-of"), false, &[], false).unwrap_err();
        assert!(error.to_string().contains("unheard-of"));
        let preferred = preferred(&lists("aes256-ctr,none"), true, &[], false).unwrap();
        assert_eq!(preferred.cipher.len(), 1);
        assert_eq!(preferred.compression[0], compression::ZLIB_LEGACY);
        assert!(preferred.host_key_certificates.is_empty());
        assert!(
            preferred
                .kex
                .contains(&kex::EXTENSION_OPENSSH_STRICT_KEX_AS_CLIENT)
        );
    }

    #[test]
    fn accepted_public_keys() {
        let lists = |list: &str| AlgorithmLists {
            public_key: Some(list.to_owned()),
            ..AlgorithmLists::default()
        };
        assert!(public_key_allowed(
            &AlgorithmLists::default(),
            "ssh-ed25519"
        ));
        assert!(public_key_allowed(&lists("ssh-*"), "ssh-ed25519"));
        assert!(!public_key_allowed(&lists("ssh-ed25519"), "rsa-sha2-512"));
        assert!(!public_key_allowed(&lists("-rsa-*"), "rsa-sha2-512"));
        assert!(public_key_allowed(&lists("+x"), "rsa-sha2-512"));
    }
}

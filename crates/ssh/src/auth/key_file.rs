//! Key and certificate files.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use russh::keys::ssh_key::{Certificate, PrivateKey, PublicKey};
use russh::keys::{self, decode_secret_key};
use zeroize::Zeroizing;

use crate::limits;
use crate::prompt::Secret;

/// An identity file: a private key, perhaps locked, or only the public half of one in the agent.
pub(crate) struct KeyFile {
    pub path: PathBuf,
    /// `None` while it is hidden in an encrypted file without a `.pub` beside it.
    pub public: Option<PublicKey>,
    /// The file as it stands; `None` for a public half alone.
    text: Option<Zeroizing<String>>,
    /// Held for a look or a change only.
    unlocked: Mutex<Option<Arc<PrivateKey>>>,
}

/// Why a file is no use.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// It does not exist.
    Missing,
    /// In words for the user.
    Because(String),
}

/// Why a key stays locked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Locked {
    /// The passphrase is wrong or missing.
    Passphrase,
    /// In words for the user.
    Because(String),
}

impl KeyFile {
    /// Reads an identity file. Blocks.
    pub(crate) fn load(path: &Path) -> Result<Self, Unusable> {
        let text = read(path)?;
        let public_beside = || read_public(&with_suffix(path, ".pub"));
        if !text.contains("PRIVATE KEY") && !text.starts_with("PuTTY-User-Key-File-") {
            // `IdentityFile x.pub`: the key itself is in the agent.
            let public = keys::load_public_key(path)
                .map_err(|error| because(path, &format!("it cannot be read: {error}")))?;
            return Ok(Self::new(path, Some(public), None, None));
        }
        check_mode(path)?;
        if let Ok(key) = PrivateKey::from_openssh(text.as_bytes()) {
            let public = Some(key.public_key().clone());
            let unlocked = (!key.is_encrypted()).then(|| Arc::new(key));
            return Ok(Self::new(path, public, Some(text), unlocked));
        }
        match decode_secret_key(&text, None) {
            Ok(key) => {
                let public = Some(key.public_key().clone());
                Ok(Self::new(path, public, Some(text), Some(Arc::new(key))))
            }
            // Whether it is locked or broken shows when a passphrase is tried.
            Err(error) => match text.contains("ENCRYPTED") || text.contains("Encryption: aes") {
                true => Ok(Self::new(path, public_beside(), Some(text), None)),
                false => Err(because(path, &format!("it cannot be read: {error}"))),
            },
        }
    }

    fn new(
        path: &Path,
        public: Option<PublicKey>,
        text: Option<Zeroizing<String>>,
        unlocked: Option<Arc<PrivateKey>>,
    ) -> Self {
        Self {
            path: path.to_owned(),
            public,
            text,
            unlocked: Mutex::new(unlocked),
        }
    }

    /// It has a private half that can sign.
    pub(crate) fn can_sign(&self) -> bool {
        // The private half of a security key stays in the device; the agent has to talk to it.
        let security_key = self
            .public
            .as_ref()
            .is_some_and(|key| key.algorithm().as_str().starts_with("sk-"));
        self.text.is_some() && !security_key
    }

    pub(crate) fn unlocked(&self) -> Option<Arc<PrivateKey>> {
        self.unlocked.lock().clone()
    }

    /// Unlocks the key. Takes long on purpose of the file format: call it on a thread.
    pub(crate) fn unlock(&self, passphrase: &Secret) -> Result<Arc<PrivateKey>, Locked> {
        let text = self
            .text
            .as_ref()
            .ok_or(Locked::Because("it has no private half".to_owned()))?;
        let key = decode_secret_key(text, Some(passphrase.expose())).map_err(|error| {
            tracing::debug!(%error, "a key stays locked");
            Locked::Passphrase
        })?;
        let key = Arc::new(key);
        *self.unlocked.lock() = Some(Arc::clone(&key));
        Ok(key)
    }

    /// The name for people.
    pub(crate) fn label(&self) -> String {
        label(&self.path)
    }
}

/// The file name.
pub(crate) fn label(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}

/// A certificate file, for example `id_ed25519-cert.pub`. Blocks.
pub(crate) fn load_certificate(path: &Path) -> Result<Certificate, Unusable> {
    let text = read(path)?;
    Certificate::from_openssh(text.trim())
        .map_err(|error| because(path, &format!("it is no certificate: {error}")))
}

/// `path` with something after its name.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn read_public(path: &Path) -> Option<PublicKey> {
    path.exists()
        .then(|| keys::load_public_key(path).ok())
        .flatten()
}

fn read(path: &Path) -> Result<Zeroizing<String>, Unusable> {
    let open = || -> std::io::Result<Zeroizing<String>> {
        let mut text = Zeroizing::new(String::new());
        let mut file = std::fs::File::open(path)?.take(limits::KEY_FILE_BYTES);
        file.read_to_string(&mut text)?;
        Ok(text)
    };
    open().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Unusable::Missing,
        _ => because(path, &error.to_string()),
    })
}

/// OpenSSH uses no private key of the user that others can read.
#[cfg(unix)]
fn check_mode(path: &Path) -> Result<(), Unusable> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(path).map_err(|error| because(path, &error.to_string()))?;
    let mine = metadata.uid() == rustix::process::getuid().as_raw();
    match mine && metadata.mode() & 0o077 != 0 {
        true => Err(because(
            path,
            "others can read it, so it is not used; run chmod 600 on it",
        )),
        false => Ok(()),
    }
}

#[cfg(not(unix))]
fn check_mode(_: &Path) -> Result<(), Unusable> {
    Ok(())
}

fn because(path: &Path, reason: &str) -> Unusable {
    Unusable::Because(format!("{}: {reason}", label(path)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    use super::*;

    fn keygen(dir: &Path, args: &[&str]) {
        let status = Command::new("ssh-keygen")
            .arg("-q")
            .args(args)
            .current_dir(dir)
            .status();
        assert!(status.unwrap().success());
    }

    #[test]
    fn every_format_is_read_and_unlocked() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        for (name, kind, format, passphrase) in [
            ("ed", "ed25519", "RFC4716", ""),
            ("ed-locked", "ed25519", "RFC4716", "secret"),
            ("ec-locked", "ecdsa", "RFC4716", "secret"),
            ("rsa-locked", "rsa", "RFC4716", "secret"),
            ("rsa-pem", "rsa", "PEM", ""),
            ("rsa-pem-locked", "rsa", "PEM", "secret"),
            ("rsa-pkcs8-locked", "rsa", "PKCS8", "secret"),
            ("ec-pkcs8", "ecdsa", "PKCS8", ""),
        ] {
            keygen(
                dir.path(),
                &["-t", kind, "-m", format, "-N", passphrase, "-f", name],
            );
            let file =
                KeyFile::load(&path(name)).unwrap_or_else(|error| panic!("{name} {error:?}"));
            let public = read_public(&path(&format!("{name}.pub"))).unwrap();
            assert_eq!(
                file.public.as_ref().unwrap().key_data(),
                public.key_data(),
                "{name}"
            );
            assert_eq!(file.unlocked().is_some(), passphrase.is_empty(), "{name}");
            if !passphrase.is_empty() {
                assert_eq!(
                    file.unlock(&Secret::new("wrong".into())).unwrap_err(),
                    Locked::Passphrase
                );
                let key = file.unlock(&Secret::new("secret".into())).unwrap();
                assert_eq!(key.public_key().key_data(), public.key_data(), "{name}");
                assert!(file.unlocked().is_some());
            }
        }
        // Without the `.pub` an old format hides its public half; a new one does not.
        std::fs::remove_file(path("rsa-pem-locked.pub")).unwrap();
        std::fs::remove_file(path("ed-locked.pub")).unwrap();
        assert!(
            KeyFile::load(&path("rsa-pem-locked"))
                .unwrap()
                .public
                .is_none()
        );
        assert!(KeyFile::load(&path("ed-locked")).unwrap().public.is_some());
        // A public half alone stands for a key of the agent.
        assert!(!KeyFile::load(&path("ed.pub")).unwrap().can_sign());
        assert_eq!(KeyFile::load(&path("none")).err(), Some(Unusable::Missing));
        std::fs::set_permissions(path("ed"), std::fs::Permissions::from_mode(0o644)).unwrap();
        let Some(Unusable::Because(reason)) = KeyFile::load(&path("ed")).err() else {
            panic!()
        };
        assert!(reason.contains("chmod 600"), "{reason}");
    }
}

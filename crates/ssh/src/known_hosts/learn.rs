//! Writing down the key of a host.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use data_encoding::BASE64;
use ring::hmac;
use russh::keys::ssh_key::PublicKey;

/// Bytes of a salt; OpenSSH takes the length of the hash.
const SALT: usize = 20;

/// Appends `name` with its key to a file.
///
/// The whole line goes out in one write to a file opened for appending, so that lines of several
/// programs never mix; the file keeps its mode, owner and links. A file that is missing is made with
/// mode 600, its directory with 700. Blocks: call it on a thread for files.
///
/// # Errors
/// The file cannot be written, or the system gives no random bytes.
pub fn learn(file: &Path, name: &str, key: &PublicKey, hash: bool) -> io::Result<()> {
    if let Some(directory) = file.parent().filter(|directory| !directory.exists()) {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(directory)?;
    }
    let mut options = OpenOptions::new();
    options.append(true).read(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(file)?;
    let name = name.to_ascii_lowercase();
    let name = if hash { hash_name(&name)? } else { name };
    let wire = key.to_bytes().map_err(io::Error::other)?;
    let before = if ends_with_newline(&mut file)? {
        ""
    } else {
        "\n"
    };
    let line = format!(
        "{before}{name} {} {}\n",
        key.algorithm().as_str(),
        BASE64.encode(&wire)
    );
    file.write_all(line.as_bytes())?;
    file.sync_data()
}

/// `|1|salt|hash` for a host name with a new salt.
///
/// # Errors
/// The system gives no random bytes.
pub fn hash_name(name: &str) -> io::Result<String> {
    let mut salt = [0; SALT];
    getrandom::fill(&mut salt).map_err(io::Error::other)?;
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &salt);
    let hash = hmac::sign(&key, name.to_ascii_lowercase().as_bytes());
    Ok(format!(
        "|1|{}|{}",
        BASE64.encode(&salt),
        BASE64.encode(hash.as_ref())
    ))
}

/// An empty file counts as ending with one.
fn ends_with_newline(file: &mut std::fs::File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

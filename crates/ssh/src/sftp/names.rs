//! Names of files: which are safe, and which stand for an unfinished one.

use super::SftpError;

/// Bytes of a name that are kept in the name of a part; file systems allow 255.
const KEPT: usize = 160;

/// A name from a server that stays in its folder.
///
/// # Errors
/// It does not.
pub(super) fn safe(name: &str) -> Result<&str, SftpError> {
    let leads_away = name.is_empty()
        || name == "."
        || name == ".."
        || name.contains(['/', '\0'])
        || (cfg!(windows) && name.contains(['\\', ':']));
    match leads_away {
        true => Err(SftpError::UnsafeName(name.chars().take(KEPT).collect())),
        false => Ok(name),
    }
}

/// The name of the unfinished copy of a source with this size and time; another source has another
/// one, so that what is continued fits together.
pub(super) fn part(name: &str, size: u64, modified: u64) -> String {
    let mut end = name.len().min(KEPT);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    let kept = name.get(..end).unwrap_or_default();
    format!(".{kept}.{size:x}-{modified:x}.nebula-part")
}

/// `name (2).ext` and so on.
pub(super) fn numbered(name: &str, number: usize) -> String {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => format!("{stem} ({number}).{extension}"),
        _ => format!("{name} ({number})"),
    }
}

/// `folder/name` on a host.
pub(super) fn join(folder: &str, name: &str) -> String {
    match folder.ends_with('/') {
        true => format!("{folder}{name}"),
        false => format!("{folder}/{name}"),
    }
}

/// The last part of a path of a host.
pub(super) fn last(path: &str) -> &str {
    path.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names() {
        assert_eq!(numbered("a.txt", 2), "a (2).txt");
        assert_eq!(numbered(".profile", 2), ".profile (2)");
        assert_eq!(join("/a", "b"), "/a/b");
        assert_eq!(join("/", "b"), "/b");
        assert_eq!(last("/a/b/"), "b");
        for bad in ["", ".", "..", "a/b", "../x", "/etc", "a\0"] {
            assert!(safe(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn a_safe_name_stays_in_its_folder(name in ".{0,12}|\\.{1,3}|[./a]{0,6}") {
            if let Ok(name) = safe(&name) {
                let folder = std::path::Path::new("/folder");
                let inside = folder.join(name);
                prop_assert_eq!(inside.parent(), Some(folder));
            }
        }

        #[test]
        fn a_part_fits_into_a_name(name in ".{0,300}", size: u64, modified: u64) {
            prop_assert!(part(&name, size, modified).len() <= 255);
        }
    }
}

//! What an OSC string says: a shell mark, a directory, something for the emulator, or nothing.
//!
//! Pure functions over one bounded string. Other forms (9, 99 and 777 notifications, 9;4 progress,
//! 1337 user variables) join [`Osc`] as further variants.

use std::borrow::Cow;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::OnceLock;

use percent_encoding::percent_decode;

use crate::Mark;

/// Longest command line taken from a `C` mark, after decoding.
const MAX_COMMAND_LINE: usize = 4 * 1024;
/// Longest directory taken from OSC 7 and 9;9, after decoding.
const MAX_DIRECTORY: usize = 4 * 1024;
/// Longest field of a colour request; a longer one can only be noise.
const MAX_COLOR_FIELD: usize = 32;
/// Longest colour request as a whole.
const MAX_COLOR_REQUEST: usize = 8 * 1024;

/// The meaning of an OSC string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Osc {
    /// OSC 133.
    Mark(Mark),
    /// OSC 7 or 9;9 of this host.
    Directory(PathBuf),
    /// The emulator's own: titles, colours, links, cursor, clipboard.
    Emulator,
    /// Unknown, malformed, or about another host.
    Ignored,
}

/// Reads an OSC string, given without `ESC ]` and terminator.
pub(crate) fn parse(payload: &[u8]) -> Osc {
    // Control characters inside a string mean nothing; the emulator's parser skips them as well.
    let payload = match payload.iter().any(|byte| *byte < 0x20) {
        true => Cow::Owned(
            payload
                .iter()
                .copied()
                .filter(|byte| *byte >= 0x20)
                .collect(),
        ),
        false => Cow::Borrowed(payload),
    };
    let (number, rest) = split_field(&payload);
    match number {
        b"133" => mark(rest).map_or(Osc::Ignored, Osc::Mark),
        b"7" => directory_url(rest).map_or(Osc::Ignored, Osc::Directory),
        b"9" => directory_conemu(rest).map_or(Osc::Ignored, Osc::Directory),
        b"0" | b"2" | b"8" | b"22" => Osc::Emulator,
        // The parser shifts by the length of a field without a limit, and formats malformed
        // requests field by field: neither is left to the program's choice.
        b"4" | b"10" | b"11" | b"12" | b"50" | b"104" | b"110" | b"111" | b"112" => {
            let fields = payload.split(|byte| *byte == b';');
            let fits = payload.len() <= MAX_COLOR_REQUEST
                && fields
                    .into_iter()
                    .all(|field| field.len() <= MAX_COLOR_FIELD);
            if fits { Osc::Emulator } else { Osc::Ignored }
        }
        b"52" if memchr::memchr(b';', rest).is_some() => Osc::Emulator,
        _ => Osc::Ignored,
    }
}

fn split_field(bytes: &[u8]) -> (&[u8], &[u8]) {
    let at = memchr::memchr(b';', bytes).unwrap_or(bytes.len());
    let (field, rest) = bytes.split_at_checked(at).unwrap_or((bytes, &[]));
    (field, rest.get(1..).unwrap_or_default())
}

fn mark(rest: &[u8]) -> Option<Mark> {
    let (letter, rest) = split_field(rest);
    match letter {
        b"A" => Some(Mark::PromptStart),
        b"B" => Some(Mark::CommandLineStart),
        b"C" => {
            let encoded = rest
                .split(|byte| *byte == b';')
                .find_map(|f| f.strip_prefix(b"cmdline_url="));
            Some(Mark::CommandStart {
                command_line: encoded.and_then(command_line),
            })
        }
        b"D" => {
            let (code, _) = split_field(rest);
            let code = std::str::from_utf8(code)
                .ok()
                .and_then(|code| code.parse().ok());
            Some(Mark::CommandEnd { exit_code: code })
        }
        _ => None,
    }
}

fn command_line(encoded: &[u8]) -> Option<String> {
    let decoded = percent_decode(encoded).decode_utf8_lossy();
    let mut line = String::new();
    for c in decoded
        .chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
    {
        if line.len().saturating_add(c.len_utf8()) > MAX_COMMAND_LINE {
            break;
        }
        line.push(c);
    }
    (!line.is_empty()).then_some(line)
}

/// `file://HOST/PATH`, percent-encoded, or kitty's `kitty-shell-cwd://HOST/PATH`, which is not.
fn directory_url(url: &[u8]) -> Option<PathBuf> {
    let (rest, encoded) = match url.strip_prefix(b"file://") {
        Some(rest) => (rest, true),
        None => (url.strip_prefix(b"kitty-shell-cwd://")?, false),
    };
    let (host, path) = rest.split_at_checked(memchr::memchr(b'/', rest)?)?;
    if !is_this_host(host) {
        return None;
    }
    match encoded {
        true => absolute(percent_decode(path).collect()),
        false => absolute(path.to_vec()),
    }
}

/// `9;PATH`, the path possibly in double quotes.
fn directory_conemu(rest: &[u8]) -> Option<PathBuf> {
    let path = rest.strip_prefix(b"9;")?;
    let quoted = path
        .strip_prefix(b"\"")
        .and_then(|path| path.strip_suffix(b"\""));
    absolute(quoted.unwrap_or(path).to_vec())
}

fn absolute(path: Vec<u8>) -> Option<PathBuf> {
    if path.len() > MAX_DIRECTORY || path.contains(&0) {
        return None;
    }
    let path = PathBuf::from(OsString::from_vec(path));
    path.is_absolute().then_some(path)
}

/// True for no host, `localhost` and this host's name, with or without its domain.
fn is_this_host(host: &[u8]) -> bool {
    static NAME: OnceLock<String> = OnceLock::new();
    let name = NAME.get_or_init(|| {
        rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .to_ascii_lowercase()
    });
    let host = String::from_utf8_lossy(host).to_ascii_lowercase();
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let same_label = short(&host) == short(name) && (!host.contains('.') || !name.contains('.'));
    host.is_empty() || host == "localhost" || host == *name || same_label
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn shell_marks() {
        for (payload, mark) in [
            ("133;A", Mark::PromptStart),
            ("133;A;k=s;aid=3", Mark::PromptStart),
            ("133;B", Mark::CommandLineStart),
            ("133;C", Mark::CommandStart { command_line: None }),
            ("133;D", Mark::CommandEnd { exit_code: None }),
            ("133;D;", Mark::CommandEnd { exit_code: None }),
            ("133;D;0", Mark::CommandEnd { exit_code: Some(0) }),
            (
                "133;D;130;aid=1",
                Mark::CommandEnd {
                    exit_code: Some(130),
                },
            ),
            ("133;D;zero", Mark::CommandEnd { exit_code: None }),
            (
                "133;C;cmdline_url=echo%20%22a%3Bb%22%20%C3%A9%0Als",
                Mark::CommandStart {
                    command_line: Some("echo \"a;b\" é\nls".to_owned()),
                },
            ),
            ("1\u{1}33;A\n", Mark::PromptStart),
        ] {
            assert_eq!(parse(payload.as_bytes()), Osc::Mark(mark), "{payload}");
        }
        for payload in ["133", "133;", "133;Z", "133;AA", "1337;SetUserVar=a=b"] {
            assert_eq!(parse(payload.as_bytes()), Osc::Ignored, "{payload}");
        }
    }

    #[test]
    fn command_lines_are_cut_at_a_character() {
        let payload = format!("133;C;cmdline_url=a{}", "%E4%B8%AD".repeat(3000));
        let Osc::Mark(Mark::CommandStart {
            command_line: Some(line),
        }) = parse(payload.as_bytes())
        else {
            panic!("no command line");
        };
        assert_eq!(line.len(), 4096);
        assert!(line.starts_with('a') && line.ends_with('中'));
    }

    #[test]
    fn directories_of_this_host() {
        let name = rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .into_owned();
        for payload in [
            "7;file:///tmp/a%20b".to_owned(),
            "7;file://localhost/tmp/a%20b".to_owned(),
            format!("7;file://{name}/tmp/a%20b"),
            format!("7;kitty-shell-cwd://{name}/tmp/a b"),
            "9;9;/tmp/a b".to_owned(),
            "9;9;\"/tmp/a b\"".to_owned(),
        ] {
            let expected = Osc::Directory(Path::new("/tmp/a b").to_owned());
            assert_eq!(parse(payload.as_bytes()), expected, "{payload}");
        }
        let long = format!("7;file:///{}", "x".repeat(5000));
        for payload in [
            "7;file://elsewhere.example/tmp",
            "7;file://",
            "7;file://host",
            "7;http:///tmp",
            "7;/tmp",
            "7;file:///a%00b",
            "9;9;relative",
            "9;hello",
            &long,
        ] {
            assert_eq!(parse(payload.as_bytes()), Osc::Ignored, "{payload}");
        }
    }

    #[test]
    fn color_requests_are_bounded_before_the_parser_sees_them() {
        assert_eq!(parse(b"4;1;#ff0000"), Osc::Emulator);
        assert_eq!(parse(b"10;?"), Osc::Emulator);
        let wide = format!("4;1;#{}", "0".repeat(60));
        assert_eq!(parse(wide.as_bytes()), Osc::Ignored);
        let long = "4;1;#ff0000;".repeat(2000);
        assert_eq!(parse(long.as_bytes()), Osc::Ignored);
    }

    #[test]
    fn a_clipboard_request_has_two_fields() {
        assert_eq!(parse(b"52;c;aGk="), Osc::Emulator);
        assert_eq!(parse(b"52;c"), Osc::Ignored);
    }
}

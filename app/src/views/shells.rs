//! The shells a new tab can be opened with: those of `/etc/shells` that exist, each name once.

use std::path::Path;

use gpui::SharedString;

/// Reads the list. Touches the disk: not for the thread that draws.
pub fn installed() -> Vec<SharedString> {
    let text = std::fs::read_to_string("/etc/shells").unwrap_or_default();
    names(&text, |path| path.exists())
}

fn names(text: &str, exists: impl Fn(&Path) -> bool) -> Vec<SharedString> {
    let mut names: Vec<SharedString> = Vec::new();
    for line in text.lines().map(str::trim) {
        let path = Path::new(line);
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        let known = workspace::is_shell_name(name) && path.is_absolute() && exists(path);
        if known && !names.iter().any(|other| other.as_ref() == name) {
            names.push(name.to_owned().into());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_doubles_and_strangers_are_left_out() {
        let text = "# shells\n/bin/sh\n/bin/bash\n/usr/bin/bash\n/usr/bin/screen\n/opt/gone/zsh\n";
        let found = names(text, |path| !path.starts_with("/opt"));
        assert_eq!(found, ["sh", "bash"]);
    }
}

//! Tokens (`%h`), `~` and `${VARIABLE}` in values of the configuration.

use std::path::{Path, PathBuf};

use ring::digest;

use super::HostConfig;

/// What the tokens of one host stand for.
pub(crate) struct Tokens<'a> {
    pub config: &'a HostConfig,
    pub home: &'a Path,
    pub local_user: &'a str,
    pub local_host: &'a str,
}

impl Tokens<'_> {
    /// Expands `%` tokens; an unknown token stays as it is.
    pub(crate) fn expand(&self, text: &str) -> String {
        let config = self.config;
        let mut out = String::with_capacity(text.len());
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            match chars.next() {
                Some('%') => out.push('%'),
                Some('h') => out.push_str(&config.host_name),
                Some('n') => out.push_str(&config.alias),
                Some('p') => out.push_str(&config.port.to_string()),
                Some('r') => out.push_str(&config.user),
                Some('u') => out.push_str(self.local_user),
                Some('l') => out.push_str(self.local_host),
                Some('L') => out.push_str(self.local_host.split('.').next().unwrap_or_default()),
                Some('d') => out.push_str(&self.home.to_string_lossy()),
                Some('i') => out.push_str(&user_id()),
                Some('k') => out.push_str(config.host_key_alias.as_ref().unwrap_or(&config.alias)),
                Some('j') => out.push_str(&self.jump()),
                Some('C') => out.push_str(&self.connection_hash()),
                Some(other) => out.extend(['%', other]),
                None => out.push('%'),
            }
        }
        out
    }

    /// A path: tokens, `${VARIABLE}` and a leading `~/`.
    pub(crate) fn path(&self, text: &str) -> PathBuf {
        let expanded = self.expand(&environment(text));
        match expanded.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None if expanded == "~" => self.home.to_owned(),
            None => PathBuf::from(expanded),
        }
    }

    fn jump(&self) -> String {
        match &self.config.route {
            super::Route::Jump(hops) => hops
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(","),
            _ => String::new(),
        }
    }

    /// `%C`: SHA-1 of `%l%h%p%r%j`.
    fn connection_hash(&self) -> String {
        let config = self.config;
        let text = format!(
            "{}{}{}{}{}",
            self.local_host,
            config.host_name,
            config.port,
            config.user,
            self.jump()
        );
        let hash = digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, text.as_bytes());
        data_encoding::HEXLOWER.encode(hash.as_ref())
    }
}

/// Replaces `${NAME}`; a variable that is not set leaves the text as it is.
pub(crate) fn environment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, tail)) = after.split_once('}') else {
            break;
        };
        out.push_str(before);
        match std::env::var(name) {
            Ok(value) => out.push_str(&value),
            Err(_) => {
                out.push_str("${");
                out.push_str(name);
                out.push('}');
            }
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// The user of this machine.
pub(crate) fn local_user() -> String {
    ["USER", "LOGNAME", "USERNAME"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
        .unwrap_or_else(passwd_user)
}

#[cfg(unix)]
fn passwd_user() -> String {
    let id = user_id();
    let passwd = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    passwd
        .lines()
        .find_map(|line| {
            let mut fields = line.split(':');
            let name = fields.next()?;
            (fields.nth(1)? == id).then(|| name.to_owned())
        })
        .unwrap_or(id)
}

#[cfg(not(unix))]
fn passwd_user() -> String {
    "user".to_owned()
}

#[cfg(unix)]
fn user_id() -> String {
    rustix::process::getuid().as_raw().to_string()
}

#[cfg(not(unix))]
fn user_id() -> String {
    String::new()
}

/// The name of this machine.
pub(crate) fn local_host() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .or_else(|_| std::fs::read_to_string("/etc/hostname"))
        .map(|name| name.trim().to_owned())
        .unwrap_or_else(|_| std::env::var("COMPUTERNAME").unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_home() {
        let mut config = HostConfig::new("alias", "me");
        config.host_name = "real.example".into();
        config.port = 2222;
        let tokens = Tokens {
            config: &config,
            home: Path::new("/home/x"),
            local_user: "x",
            local_host: "box.lan",
        };
        assert_eq!(
            tokens.expand("%n %h %p %r %u %l %L %d %k %% %q %"),
            "alias real.example 2222 me x box.lan box /home/x alias % %q %"
        );
        assert_eq!(
            tokens.path("~/.ssh/%h"),
            Path::new("/home/x/.ssh/real.example")
        );
        assert_eq!(tokens.path("/a/~b"), Path::new("/a/~b"));
        assert_eq!(tokens.expand("%C").len(), 40);
        assert_eq!(
            environment("a${NO_SUCH_VARIABLE_HERE}b${"),
            "a${NO_SUCH_VARIABLE_HERE}b${"
        );
    }
}

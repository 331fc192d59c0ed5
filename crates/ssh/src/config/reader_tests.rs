//! The own reader, by itself and beside `ssh -G`.

use std::path::Path;

use super::super::{Route, StrictHostKeyChecking};
use super::*;

fn read(text: &str, host: &str) -> HostConfig {
    let dir = tempfile::tempdir().unwrap();
    read_in(dir.path(), text, host)
}

fn read_in(dir: &Path, text: &str, host: &str) -> HostConfig {
    let file = dir.join("config");
    std::fs::write(&file, text).unwrap();
    Reader {
        home: Path::new("/home/me"),
        local_user: "me",
        destination: &host.parse().unwrap(),
    }
    .read(&[file])
}

#[test]
fn lines_and_arguments() {
    assert_eq!(split("  Host = a b "), Some(("host".into(), "a b")));
    assert_eq!(split("Port=22"), Some(("port".into(), "22")));
    assert_eq!(split("\tUser\tx"), Some(("user".into(), "x")));
    assert_eq!(split("# Host"), None);
    assert_eq!(
        arguments("a \"b c\" 'd e'f \\\"g # h"),
        ["a", "b c", "d ef", "\"g"]
    );
}

#[test]
fn options_before_the_first_host_count_for_all_and_come_first() {
    let text = "Port 2201\nHost a\n Port 2202\n User first\nHost *\n User second\n";
    let config = read(text, "a");
    assert_eq!((config.port, config.user.as_str()), (2201, "first"));
    assert_eq!(read(text, "b").user, "second");
}

#[test]
fn patterns_negation_and_match() {
    let text = "Host *.lan !secret.lan\n\tPort=1\nMatch host secret.lan,x user me\n Port 2\n\
                Match exec \"true\"\n Port 3\nMatch !host z\n HashKnownHosts yes\n";
    assert_eq!(read(text, "a.lan").port, 1);
    assert_eq!(read(text, "secret.lan").port, 2);
    assert_eq!(read(text, "you@secret.lan").port, 22);
    let config = read(text, "z");
    assert_eq!(config.port, 22);
    assert!(!config.hash_known_hosts);
    assert_eq!(
        config.ignored,
        ["match exec is not understood and never holds"]
    );
    assert!(read(text, "y").hash_known_hosts);
}

#[test]
fn what_was_typed_comes_before_what_is_written() {
    let config = read("User other\nPort 1\nHostName real-%h\n", "typed@h:5");
    assert_eq!((config.user.as_str(), config.port), ("typed", 5));
    assert_eq!(config.host_name, "real-h");
    assert_eq!(config.known_hosts_name(), "[real-h]:5");
}

#[test]
fn includes_see_the_block_they_stand_in() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("d")).unwrap();
    std::fs::write(dir.path().join("d/1.conf"), "User one\n").unwrap();
    std::fs::write(
        dir.path().join("d/2.conf"),
        "User two\nHost other\nPort 9\n",
    )
    .unwrap();
    // A file that includes itself ends.
    std::fs::write(
        dir.path().join("d/3.conf"),
        "Include d/3.conf\nCompression yes\n",
    )
    .unwrap();
    let text = "Host a\n Include d/*.conf\n HostName inner\nHost b\n HostName outer\n";
    let config = read_in(dir.path(), text, "a");
    assert_eq!((config.user.as_str(), config.port), ("one", 22));
    assert!(config.compression);
    assert_eq!(config.host_name, "inner");
    assert_eq!(read_in(dir.path(), text, "b").user, "me");
}

#[test]
fn everything_is_set_and_what_is_not_honoured_is_reported_once() {
    let text = "IdentityFile ~/.ssh/a\nIdentityFile \"~/.ssh/b c\"\nIdentitiesOnly yes\n\
        CertificateFile /c\nForwardAgent yes\nProxyJump u@j1:1,j2\nProxyCommand never\n\
        UserKnownHostsFile /k1 /k2\nStrictHostKeyChecking accept-new\nHostKeyAlias other\n\
        ServerAliveInterval 1m\nServerAliveCountMax 4\nConnectTimeout 7\nLocalForward 1 a:2\n\
        RemoteForward 3 b:4\nDynamicForward 5\nSendEnv LANG LC_*\nSendEnv -LANG\nSetEnv A=1 \"B=x y\"\n\
        RemoteCommand echo \"a b\"\nRequestTTY force\nX11Forwarding yes\nX11Forwarding yes\nPort x\n\
        PreferredAuthentications publickey,password\n";
    let config = read(text, "h");
    assert_eq!(
        config.identity_files,
        [Path::new("/home/me/.ssh/a"), Path::new("/home/me/.ssh/b c")]
    );
    assert!(config.identities_only);
    let Route::Jump(hops) = &config.route else {
        panic!()
    };
    assert_eq!(
        hops.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["u@j1:1", "j2"]
    );
    assert_eq!(
        config.strict_host_key_checking,
        StrictHostKeyChecking::AcceptNew
    );
    assert_eq!(config.known_hosts_name(), "other");
    assert_eq!(config.server_alive_interval.unwrap().as_secs(), 60);
    assert_eq!(config.connect_timeout.unwrap().as_secs(), 7);
    assert_eq!(
        config.local_forwards.len() + config.remote_forwards.len(),
        2
    );
    assert_eq!(config.send_env, ["LC_*"]);
    assert_eq!(
        config.set_env,
        [("A".into(), "1".into()), ("B".into(), "x y".into())]
    );
    assert_eq!(config.remote_command.as_deref(), Some("echo \"a b\""));
    assert_eq!(config.preferred_authentications, ["publickey", "password"]);
    let ignored = config.ignored.join("\n");
    assert_eq!(ignored.matches("x11forwarding").count(), 1, "{ignored}");
    assert!(ignored.contains("port has a value without meaning"));
}

#[test]
fn no_text_makes_it_fail() {
    for text in [
        "Host",
        "=",
        "Host \"",
        "Match",
        "Match host",
        "Include",
        "LocalForward",
        "\u{0}\u{1}",
        "Port = = 3",
    ] {
        read(text, "h");
    }
}

//! The rules, by themselves and beside the real `ssh-keygen`.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use russh::keys::ssh_key::PublicKey;

use super::*;

const ED: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ";
const ED_2: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILIG2T/B0l0gaqj3puu510tu9N1OkQ4znY3LYuEm5zCF";
const EC: &str = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBJwHUv+XKZOg8eTqTdQnOJ37jDTu+VnGm4dm1cSSOqTx4nWGEbNL8FBaKNWpUxbwMSrC1u4NWpFqxWzZlMcCbQs=";

fn key(text: &str) -> PublicKey {
    PublicKey::from_openssh(text).unwrap()
}

fn hosts(text: &str) -> KnownHosts {
    KnownHosts::parse(Path::new("/k"), text)
}

fn judge(text: &str, name: &str, shown: &str) -> Verdict {
    let bare = name
        .strip_prefix('[')
        .and_then(|rest| rest.split(']').next())
        .unwrap_or(name);
    hosts(text).judge(name, bare, &key(shown))
}

fn keygen(dir: &Path, args: &[&str]) -> String {
    let out = Command::new("ssh-keygen")
        .args(args)
        .current_dir(dir)
        .output()
        .unwrap();
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn known_unknown_and_changed() {
    let text = format!("a {ED}\n");
    assert_eq!(judge(&text, "a", ED), Verdict::Known);
    assert_eq!(judge(&text, "A", ED), Verdict::Known);
    assert_eq!(judge(&text, "b", ED), Verdict::Unknown);
    for other in [ED_2, EC] {
        let Verdict::Changed(changed) = judge(&text, "a", other) else {
            panic!()
        };
        assert_eq!((changed.known[0].line, changed.known.len()), (1, 1));
        let said = changed.to_string();
        assert!(
            said.contains(&fingerprint(&key(ED))) && said.contains(&fingerprint(&key(other))),
            "{said}"
        );
        assert!(
            said.contains("/k:1") && said.contains("ssh-keygen -f /k -R a"),
            "{said}"
        );
    }
}

#[test]
fn several_keys_wildcards_negation_comments_and_tabs() {
    let text = format!(
        "# a comment\n\n*.lan,!bad.lan\t{} \t a comment with blanks\n  *.lan {EC}\r\nx,y {ED_2}\n\
         nonsense\n@unknown a {ED}\na ssh-rsa !!!!\nb ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIJdD\n",
        ED.replace(' ', "\t")
    );
    assert_eq!(judge(&text, "one.lan", ED), Verdict::Known);
    assert_eq!(judge(&text, "one.lan", EC), Verdict::Known);
    assert!(matches!(judge(&text, "one.lan", ED_2), Verdict::Changed(_)));
    assert!(matches!(judge(&text, "bad.lan", ED), Verdict::Changed(_)));
    assert_eq!(judge(&text, "y", ED_2), Verdict::Known);
    assert_eq!(judge(&text, "a", ED), Verdict::Unknown);
    assert_eq!(
        hosts(&text).key_types("one.lan"),
        ["ssh-ed25519", "ecdsa-sha2-nistp256"]
    );
}

#[test]
fn ports() {
    let text = format!("[a]:2222 {ED}\nb {ED}\n[c]:* {ED}\n");
    assert_eq!(judge(&text, "[a]:2222", ED), Verdict::Known);
    assert_eq!(judge(&text, "a", ED), Verdict::Unknown);
    assert_eq!(judge(&text, "[a]:2223", ED), Verdict::Unknown);
    // The same key under the bare name counts for every port; another one there says nothing.
    assert_eq!(judge(&text, "[b]:2222", ED), Verdict::Known);
    assert_eq!(judge(&text, "[b]:2222", ED_2), Verdict::Unknown);
    assert_eq!(judge(&text, "[c]:9", ED), Verdict::Known);
}

#[test]
fn revoked_wins() {
    let text = format!("a {ED}\n@revoked * {ED}\n");
    let Verdict::Revoked { line, .. } = judge(&text, "a", ED) else {
        panic!()
    };
    assert_eq!(line, 2);
    assert!(matches!(
        judge(&text, "[a]:2222", ED),
        Verdict::Revoked { .. }
    ));
    // A revoked key alone makes no host known.
    assert_eq!(judge(&text, "other", ED_2), Verdict::Unknown);
    assert!(hosts(&text).key_types("other").is_empty());
    // An authority alone makes no host known either.
    let text = format!("@cert-authority *.lan {ED}\n");
    assert_eq!(judge(&text, "a.lan", ED), Verdict::Unknown);
    assert!(hosts(&text).has_authority("a.lan") && !hosts(&text).has_authority("a"));
}

#[test]
fn certificates_of_hosts() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    for name in ["ca", "other", "host"] {
        keygen(path, &["-q", "-t", "ed25519", "-N", "", "-f", name]);
    }
    let text = |name: &str| std::fs::read_to_string(path.join(name)).unwrap();
    let sign = |args: &[&str]| {
        keygen(
            path,
            &[&["-q", "-s", "ca", "-I", "id"], args, &["host.pub"]].concat(),
        );
        Certificate::from_openssh(text("host-cert.pub").trim()).unwrap()
    };
    use russh::keys::ssh_key::Certificate;
    let trusting = hosts(&format!("@cert-authority *.lan {}", text("ca.pub")));
    let judge = |known: &KnownHosts, certificate: &Certificate| {
        known.judge_certificate("[a.lan]:2222", "a.lan", certificate)
    };
    // The pattern has no port, so it must match the name with the port to count.
    let wide = hosts(&format!(
        "@cert-authority *.lan,[*.lan]:* {}",
        text("ca.pub")
    ));
    let good = sign(&["-h", "-n", "a.lan"]);
    assert_eq!(judge(&wide, &good), Verdict::Known);
    assert_eq!(
        trusting.judge_certificate("a.lan", "a.lan", &good),
        Verdict::Known
    );
    assert_eq!(judge(&trusting, &good), Verdict::Unknown);
    for bad in [
        sign(&["-n", "a.lan"]),
        sign(&["-h", "-n", "b.lan"]),
        sign(&["-h"]),
        sign(&["-h", "-n", "a.lan", "-V", "20200101:20200102"]),
    ] {
        assert!(matches!(judge(&wide, &bad), Verdict::BadCertificate(_)));
    }
    // A stranger's authority: the key inside is judged.
    let stranger = hosts(&format!(
        "@cert-authority *,[*]:* {}\n[a.lan]:2222 {}",
        text("other.pub"),
        text("host.pub")
    ));
    assert_eq!(judge(&stranger, &good), Verdict::Known);
    let revoked = hosts(&format!(
        "@cert-authority [*]:* {0}\n@revoked * {0}",
        text("ca.pub")
    ));
    assert!(matches!(judge(&revoked, &good), Verdict::Revoked { .. }));
}

#[test]
fn what_is_learned_is_found_by_ssh_keygen_and_the_other_way_round() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("sub/known_hosts");
    learn(&file, "[Plain.lan]:2222", &key(ED), false).unwrap();
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(
        file.parent()
            .unwrap()
            .metadata()
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o700
    );
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    learn(&file, "hashed.lan", &key(EC), true).unwrap();
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains("hashed.lan"));
    for name in ["[plain.lan]:2222", "hashed.lan"] {
        let found = keygen(dir.path(), &["-F", name, "-f", "sub/known_hosts"]);
        assert!(found.contains("found: line"), "{name}: {found}");
    }
    // `ssh-keygen -H` hashes all names.
    std::fs::write(&file, format!("one,two {ED}\n[three]:3 {EC}")).unwrap();
    keygen(dir.path(), &["-H", "-f", "sub/known_hosts"]);
    let known = KnownHosts::load(&[&file]);
    assert_eq!(known.judge("two", "two", &key(ED)), Verdict::Known);
    assert!(matches!(
        known.judge("[three]:3", "three", &key(ED)),
        Verdict::Changed(_)
    ));
    assert_eq!(known.find("one").len(), 1);
    // A last line without its end stays whole.
    std::fs::write(&file, format!("one {ED}")).unwrap();
    learn(&file, "two", &key(EC), false).unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 2);
    // The removal command does what it says.
    let command = removal_command("two", &file);
    assert!(
        Command::new("sh")
            .args(["-c", &command])
            .output()
            .unwrap()
            .status
            .success()
    );
    assert!(KnownHosts::load(&[&file]).find("two").is_empty());
}

#[test]
fn appends_of_many_at_once_never_mix() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("known_hosts");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let file = &file;
            scope.spawn(move || {
                for host in 0..25 {
                    learn(file, &format!("h{thread}-{host}"), &key(ED), false).unwrap();
                }
            });
        }
    });
    let known = KnownHosts::load(&[&file]);
    assert!((0..4).all(|t| (0..25).all(|h| known.find(&format!("h{t}-{h}")).len() == 1)));
}

#[test]
fn fingerprints_and_pictures_are_those_of_ssh_keygen() {
    let dir = tempfile::tempdir().unwrap();
    for (kind, bits) in [("ed25519", "256"), ("ecdsa", "521"), ("rsa", "2048")] {
        let name = format!("{kind}{bits}");
        keygen(
            dir.path(),
            &[
                "-q", "-t", kind, "-b", bits, "-N", "", "-C", "c", "-f", &name,
            ],
        );
        let public = std::fs::read_to_string(dir.path().join(format!("{name}.pub"))).unwrap();
        let public = key(&public);
        let shown = keygen(dir.path(), &["-lv", "-f", &name]);
        assert!(shown.contains(&fingerprint(&public)), "{shown}");
        let picture = shown.split_once('\n').unwrap().1.trim();
        assert_eq!(randomart(&public).trim(), picture);
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_fail(text in "(.|\n){0,200}") {
        let known = hosts(&text);
        known.judge("a", "a", &key(ED));
    }

    #[test]
    fn a_hashed_name_matches_itself_only(name in "[a-z0-9.:\\[\\]-]{1,30}", other in "[a-z0-9.]{1,30}") {
        let known = hosts(&format!("{} {ED}", hash_name(&name).unwrap()));
        prop_assert_eq!(known.judge(&name, &name, &key(ED)), Verdict::Known);
        prop_assert_eq!(known.find(&other).is_empty(), other != name);
    }

    /// Whatever else is in the file: a host with any plain key never reads as unknown.
    #[test]
    fn a_known_host_is_never_unknown(lines in proptest::collection::vec(0_usize..6, 0..6)) {
        let pool = [
            format!("a {ED}"), format!("* {EC}"), format!("!a,* {ED}"),
            format!("@cert-authority * {ED}"), format!("@revoked * {EC}"), "a nonsense".to_owned(),
        ];
        let text: Vec<_> = lines.iter().map(|i| pool[*i].as_str()).collect();
        let has_key = lines.iter().any(|i| *i < 2);
        let verdict = judge(&text.join("\n"), "a", ED_2);
        prop_assert_eq!(matches!(verdict, Verdict::Changed(_)), has_key);
        prop_assert_eq!(verdict == Verdict::Unknown, !has_key);
    }
}

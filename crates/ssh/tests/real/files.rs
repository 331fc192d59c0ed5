//! Files of a host (checks 34, 35).

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ssh::{Conflict, ConflictAsker, ConflictChoice, ConflictPolicy, EntryKind, Sftp, SftpError};

use crate::client::{Answers, Client, Pane, wait};
use crate::server::{Server, run};

const OVERWRITE: ConflictPolicy = ConflictPolicy::Always(ConflictChoice::Overwrite);

struct Setup {
    server: Server,
    client: Client,
    pane: Pane,
}

impl Setup {
    fn new() -> Self {
        Self::with("")
    }

    fn with(config: &str) -> Self {
        let server = Server::openssh(config);
        let client = Client::new("");
        let pane = client.open(&server, &Answers::password());
        pane.ready();
        Self {
            server,
            client,
            pane,
        }
    }

    fn sftp(&self) -> Sftp {
        self.pane.session.sftp().unwrap()
    }

    /// A folder of the user on the server.
    fn remote(&self, name: &str) -> String {
        let path = self.server.home().join(name);
        fs::create_dir_all(&path).unwrap();
        run("chown", &["-R", "1500:1500", path.to_str().unwrap()]);
        path.to_str().unwrap().to_owned()
    }

    fn local(&self, name: &str) -> std::path::PathBuf {
        let path = self.client.dir.path().join(name);
        fs::create_dir_all(&path).unwrap();
        path
    }
}

/// Bytes that look like nothing that repeats.
fn noise(length: usize, mut seed: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        bytes.extend(seed.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

fn no_parts(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        assert!(
            !entry.file_name().to_string_lossy().ends_with("part"),
            "{entry:?}"
        );
    }
}

#[test]
fn browsing() {
    let setup = Setup::new();
    let (sftp, there) = (setup.sftp(), setup.remote("there"));
    assert_eq!(
        sftp.canonical(".").wait().unwrap(),
        setup.server.home().to_str().unwrap()
    );
    sftp.make_folder(&format!("{there}/sub")).wait().unwrap();
    fs::write(format!("{there}/file"), "12345").unwrap();
    std::os::unix::fs::symlink("file", format!("{there}/link")).unwrap();
    let entries = sftp.list(&there).wait().unwrap();
    let shown: Vec<_> = entries.iter().map(|e| (e.name.as_str(), e.kind)).collect();
    assert_eq!(
        shown,
        [
            ("sub", EntryKind::Folder),
            ("file", EntryKind::File),
            ("link", EntryKind::Link)
        ]
    );
    assert_eq!(entries[1].size, 5);
    assert!(entries[1].modified.unwrap().elapsed().unwrap() < Duration::from_secs(60));
    run("chown", &["1500", &format!("{there}/file")]);
    sftp.rename(&format!("{there}/file"), &format!("{there}/other"))
        .wait()
        .unwrap();
    sftp.remove(&format!("{there}/other"), EntryKind::File)
        .wait()
        .unwrap();
    sftp.remove(&format!("{there}/sub"), EntryKind::Folder)
        .wait()
        .unwrap();
    assert_eq!(sftp.list(&there).wait().unwrap().len(), 1);
    assert!(matches!(
        sftp.list("/no/such").wait(),
        Err(SftpError::NotFound(_))
    ));
    assert!(matches!(
        sftp.list("/root").wait(),
        Err(SftpError::Denied(_))
    ));
}

#[test]
fn a_file_both_ways_with_its_time_and_mode() {
    let setup = Setup::new();
    let (sftp, there, here) = (setup.sftp(), setup.remote("there"), setup.local("here"));
    for (name, length) in [
        ("empty", 0),
        ("small", 5),
        ("odd", 300_001),
        ("large", 20_000_000),
    ] {
        let bytes = noise(length, 7);
        let path = here.join(name);
        fs::write(&path, &bytes).unwrap();
        run(
            "touch",
            &["-d", "2020-01-02 03:04:05", path.to_str().unwrap()],
        );
        run("chmod", &["700", path.to_str().unwrap()]);
        let transfer = sftp.upload(path.clone(), &there, OVERWRITE);
        assert_eq!(transfer.wait().unwrap().files, 1);
        let progress = transfer.progress();
        assert_eq!(
            (progress.bytes, progress.bytes_done, progress.files_done),
            (length as u64, length as u64, 1)
        );
        let remote = format!("{there}/{name}");
        assert_eq!(fs::read(&remote).unwrap(), bytes, "{name}");
        assert_eq!(
            run("stat", &["-c", "%a %Y", &remote]),
            run("stat", &["-c", "%a %Y", path.to_str().unwrap()])
        );
        let back = setup.local("back");
        sftp.download(&remote, back.clone(), OVERWRITE)
            .wait()
            .unwrap();
        assert_eq!(fs::read(back.join(name)).unwrap(), bytes, "{name}");
        no_parts(&back);
    }
    no_parts(Path::new(&there));
    // A file whose size the host does not tell.
    sftp.download("/proc/version", here.clone(), OVERWRITE)
        .wait()
        .unwrap();
    assert_eq!(
        fs::read(here.join("version")).unwrap(),
        fs::read("/proc/version").unwrap()
    );
}

#[test]
fn a_folder_of_ten_thousand_files() {
    let setup = Setup::new();
    let (sftp, there, here) = (setup.sftp(), setup.remote("there"), setup.local("here"));
    let root = here.join("many");
    for n in 0..10_000 {
        let folder = root.join(format!("d{}/e{}", n % 10, n % 7));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("f{n}")), format!("content {n}")).unwrap();
    }
    let begun = Instant::now();
    assert_eq!(
        sftp.upload(root.clone(), &there, OVERWRITE)
            .wait()
            .unwrap()
            .files,
        10_000
    );
    let back = setup.local("back");
    assert_eq!(
        sftp.download(&format!("{there}/many"), back.clone(), OVERWRITE)
            .wait()
            .unwrap()
            .files,
        10_000
    );
    eprintln!("10,000 files there and back: {:?}", begun.elapsed());
    let different = run(
        "diff",
        &[
            "-r",
            root.to_str().unwrap(),
            back.join("many").to_str().unwrap(),
        ],
    );
    assert_eq!(different, "");
    // The shell of the pane goes on meanwhile and after.
    setup.pane.run("true");
}

/// Waits until something was moved, and stops the transfer somewhere in the middle.
fn interrupt(server: &mut Server, transfer: &ssh::Transfer) {
    wait("some bytes", || transfer.progress().bytes_done > 3_000_000);
    server.stop();
    assert!(transfer.wait().is_err());
    server.start();
}

#[test]
fn an_interrupted_transfer_goes_on_where_it_ended() {
    let mut setup = Setup::new();
    let (there, here) = (setup.remote("there"), setup.local("here"));
    let bytes = noise(200_000_000, 11);
    fs::write(here.join("big"), &bytes).unwrap();
    let transfer = setup.sftp().upload(here.join("big"), &there, OVERWRITE);
    setup.pane.forget_stages();
    interrupt(&mut setup.server, &transfer);
    assert!(
        !Path::new(&there).join("big").exists(),
        "nobody sees half a file"
    );
    setup.pane.ready();
    let summary = setup
        .sftp()
        .upload(here.join("big"), &there, OVERWRITE)
        .wait()
        .unwrap();
    assert!(summary.resumed > 0, "{summary:?}");
    assert!(fs::read(Path::new(&there).join("big")).unwrap() == bytes);
    no_parts(Path::new(&there));
    // And back.
    let back = setup.local("back");
    let remote = format!("{there}/big");
    let transfer = setup.sftp().download(&remote, back.clone(), OVERWRITE);
    setup.pane.forget_stages();
    interrupt(&mut setup.server, &transfer);
    assert!(!back.join("big").exists());
    setup.pane.ready();
    let summary = setup
        .sftp()
        .download(&remote, back.clone(), OVERWRITE)
        .wait()
        .unwrap();
    assert!(summary.resumed > 0, "{summary:?}");
    assert!(fs::read(back.join("big")).unwrap() == bytes);
    no_parts(&back);
}

#[test]
fn cancelling() {
    let setup = Setup::new();
    let (there, here) = (setup.remote("there"), setup.local("here"));
    fs::write(here.join("big"), noise(300_000_000, 5)).unwrap();
    let transfer = setup.sftp().upload(here.join("big"), &there, OVERWRITE);
    wait("some bytes", || transfer.progress().bytes_done > 0);
    let asked = Instant::now();
    transfer.cancel();
    assert_eq!(transfer.wait(), Err(SftpError::Cancelled));
    assert!(asked.elapsed() < Duration::from_millis(200));
    assert!(!Path::new(&there).join("big").exists());
    // The channel is still good.
    assert!(setup.sftp().list(&there).wait().is_ok());
}

#[derive(Default)]
struct Asked(Mutex<Vec<String>>);

impl ConflictAsker for Asked {
    fn conflict(&self, conflict: Conflict) {
        let mut asked = self.0.lock().unwrap();
        asked.push(conflict.path.clone());
        assert_eq!((conflict.existing_size, conflict.incoming_size), (3, 4));
        match asked.len() {
            1 => conflict.choose(ConflictChoice::KeepBoth, false),
            _ => conflict.choose(ConflictChoice::Skip, true),
        }
    }
}

#[test]
fn conflicts() {
    let setup = Setup::new();
    let (sftp, there, here) = (setup.sftp(), setup.remote("there"), setup.local("here"));
    fs::write(here.join("a.txt"), "here").unwrap();
    let remote = format!("{there}/a.txt");
    let fresh = || {
        fs::write(&remote, "old").unwrap();
        run("chown", &["1500", &remote]);
    };
    let upload = |choice| {
        sftp.upload(here.join("a.txt"), &there, ConflictPolicy::Always(choice))
            .wait()
            .unwrap()
    };
    fresh();
    assert_eq!(upload(ConflictChoice::Skip).skipped, 1);
    assert_eq!(fs::read_to_string(&remote).unwrap(), "old");
    upload(ConflictChoice::KeepBoth);
    assert_eq!(
        fs::read_to_string(format!("{there}/a (2).txt")).unwrap(),
        "here"
    );
    upload(ConflictChoice::Overwrite);
    assert_eq!(fs::read_to_string(&remote).unwrap(), "here");
    // Here, and asked: the second decision counts for all that follow.
    let folder = setup.local("folder");
    for n in 0..4 {
        fs::write(folder.join(n.to_string()), "four").unwrap();
    }
    sftp.upload(folder, &there, OVERWRITE).wait().unwrap();
    let target = setup.local("target");
    fs::create_dir(target.join("folder")).unwrap();
    for n in 0..4 {
        fs::write(target.join("folder").join(n.to_string()), "old").unwrap();
    }
    let asked = Arc::new(Asked::default());
    let policy = ConflictPolicy::Ask(Arc::clone(&asked) as _);
    let summary = sftp
        .download(&format!("{there}/folder"), target.clone(), policy)
        .wait()
        .unwrap();
    assert_eq!(summary.files, 1);
    assert_eq!(summary.skipped, 3);
    assert!(asked.0.lock().unwrap().len() >= 2);
    assert_eq!(fs::read_dir(target.join("folder")).unwrap().count(), 5);
}

#[test]
fn without_sftp_it_is_said() {
    let setup = Setup::with("Subsystem sftp /bin/false");
    let error = setup.sftp().list("/").wait().unwrap_err();
    assert!(matches!(error, SftpError::Unavailable(_)), "{error}");
}

//! Servers of the tests.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The user on every server; its password is [`PASSWORD`].
pub const USER: &str = "tester";
/// Searched for in logs, so it looks like nothing else.
pub const PASSWORD: &str = "Pw-d41d8cd98f00b204";
/// One-time codes that the PAM of a server accepts after the password, each once.
pub const CODES: [&str; 3] = ["10000001", "20000002", "30000003"];
const USER_ID: u32 = 1500;

/// A running server. Everything it started ends with it: it is the first process of a process
/// namespace.
pub struct Server {
    pub dir: TempDir,
    pub port: u16,
    child: Option<Child>,
    command: Vec<String>,
}

/// A port that was free a moment ago.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

pub fn run(program: &str, args: &[&str]) -> String {
    let out = Command::new(program)
        .args(args)
        .output()
        .unwrap_or_else(|e| panic!("{program}: {e}"));
    assert!(
        out.status.success(),
        "{program} {args:?}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// Makes a key pair; gives the public half.
pub fn keygen(path: &Path, kind: &str, passphrase: &str) -> String {
    let path = path.to_str().unwrap();
    run(
        "ssh-keygen",
        &["-q", "-t", kind, "-N", passphrase, "-C", "test", "-f", path],
    );
    fs::read_to_string(format!("{path}.pub")).unwrap()
}

impl Server {
    /// OpenSSH with an ed25519 host key. `config` comes first, and the first value counts.
    pub fn openssh(config: &str) -> Self {
        Self::openssh_with(config, &["ed25519"])
    }

    pub fn openssh_with(config: &str, host_keys: &[&str]) -> Self {
        let dir = Self::directory();
        let path = dir.path();
        for kind in host_keys {
            keygen(&path.join(format!("host_{kind}")), kind, "");
        }
        let port = free_port();
        let keys: String = host_keys
            .iter()
            .map(|kind| format!("HostKey {}\n", path.join(format!("host_{kind}")).display()))
            .collect();
        let sftp = if config.contains("Subsystem") {
            ""
        } else {
            "Subsystem sftp internal-sftp"
        };
        let text = format!(
            "{config}\nPort {port}\nListenAddress 127.0.0.1\nListenAddress ::1\n{keys}PidFile none\n\
             AuthorizedKeysFile {0}/authorized_keys\nStrictModes no\nUsePAM no\nPasswordAuthentication yes\n\
             KbdInteractiveAuthentication no\nMaxStartups 200\nLogLevel VERBOSE\nPrintMotd no\nPrintLastLog no\n\
             AcceptEnv NEBULA_*\n{sftp}\n",
            path.display()
        );
        fs::write(path.join("sshd_config"), text).unwrap();
        fs::create_dir_all("/run/sshd").unwrap();
        let config = path.join("sshd_config").display().to_string();
        let log = path.join("log").display().to_string();
        let command = ["/usr/sbin/sshd", "-D", "-f", &config, "-E", &log].map(str::to_owned);
        let mut server = Self {
            dir,
            port,
            child: None,
            command: command.to_vec(),
        };
        server.start();
        server
    }

    /// Dropbear with an ed25519 host key.
    pub fn dropbear() -> Self {
        let dir = Self::directory();
        let path = dir.path().display().to_string();
        run(
            "dropbearkey",
            &["-t", "ed25519", "-f", &format!("{path}/host")],
        );
        let port = free_port();
        let command = [
            "/usr/sbin/dropbear".to_owned(),
            "-F".into(),
            "-E".into(),
            "-p".into(),
            format!("127.0.0.1:{port}"),
            "-r".into(),
            format!("{path}/host"),
            "-P".into(),
            format!("{path}/pid"),
        ];
        let mut server = Self {
            dir,
            port,
            child: None,
            command: command.to_vec(),
        };
        // Dropbear looks for keys in the home of the user.
        fs::create_dir_all(server.home().join(".ssh")).unwrap();
        server.start();
        server
    }

    /// A directory with the files that say who the user is.
    fn directory() -> TempDir {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        let home = path.join("home");
        fs::create_dir(&home).unwrap();
        std::os::unix::fs::chown(&home, Some(USER_ID), Some(USER_ID)).unwrap();
        let entry = format!(
            "{USER}:x:{USER_ID}:{USER_ID}::{}:/bin/bash\n",
            home.display()
        );
        fs::write(
            path.join("passwd"),
            fs::read_to_string("/etc/passwd").unwrap() + &entry,
        )
        .unwrap();
        let hash = run("openssl", &["passwd", "-6", PASSWORD]);
        let entry = format!("{USER}:{}:19000:0:99999:7:::\n", hash.trim());
        fs::write(
            path.join("shadow"),
            fs::read_to_string("/etc/shadow").unwrap() + &entry,
        )
        .unwrap();
        let codes = format!(
            "AAAAAAAAAAAAAAAAAAAAAAAAAA\n\" DISALLOW_REUSE\n{}\n",
            CODES.join("\n")
        );
        fs::write(path.join("codes"), codes).unwrap();
        fs::set_permissions(path.join("codes"), fs::Permissions::from_mode(0o600)).unwrap();
        let pam = format!(
            "auth required pam_unix.so\nauth required pam_google_authenticator.so \
             secret={}/codes user=root no_strict_owner\naccount required pam_unix.so\n",
            path.display()
        );
        fs::write(path.join("pam"), pam).unwrap();
        fs::write(path.join("authorized_keys"), "").unwrap();
        dir
    }

    pub fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap_or_default()
    }

    /// Lets a key in.
    pub fn authorize(&self, public: &str) {
        for file in [
            self.path("authorized_keys"),
            self.home().join(".ssh/authorized_keys"),
        ] {
            if file.parent().unwrap().exists() {
                let text = fs::read_to_string(&file).unwrap_or_default() + public;
                fs::write(&file, text).unwrap();
            }
        }
        let ssh = self.home().join(".ssh");
        if ssh.exists() {
            run(
                "chown",
                &["-R", &USER_ID.to_string(), ssh.to_str().unwrap()],
            );
        }
    }

    pub fn host_key(&self, kind: &str) -> String {
        fs::read_to_string(self.path(&format!("host_{kind}.pub"))).unwrap()
    }

    pub fn start(&mut self) {
        let d = self.dir.path().display();
        let script = format!(
            "mount --make-rprivate / && mount --bind {d}/passwd /etc/passwd && \
             mount --bind {d}/shadow /etc/shadow && mount --bind {d}/pam /etc/pam.d/sshd && exec \"$@\""
        );
        let child = Command::new("unshare")
            .args([
                "--mount",
                "--pid",
                "--fork",
                "--kill-child",
                "--mount-proc",
                "sh",
                "-c",
                &script,
                "sh",
            ])
            .args(&self.command)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        self.child = Some(child);
        let deadline = Instant::now() + Duration::from_secs(10);
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(
                Instant::now() < deadline,
                "the server did not start: {}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Ends the server and all of its sessions.
    pub fn stop(&mut self) {
        if self.child.is_none() {
            return;
        }
        let pids = self.pids();
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        // The first process of a namespace takes the others with it, a moment later.
        let alive = |pid: &i32| Path::new(&format!("/proc/{pid}")).exists();
        let deadline = Instant::now() + Duration::from_secs(10);
        while pids.iter().any(alive) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Every process of the server, in its namespace.
    pub fn pids(&self) -> Vec<i32> {
        let unshare = self.child.as_ref().unwrap().id();
        let children = fs::read_to_string(format!("/proc/{unshare}/task/{unshare}/children"))
            .unwrap_or_default();
        let Some(first) = children.split_whitespace().next() else {
            return Vec::new();
        };
        let namespace = |pid: &str| fs::read_link(format!("/proc/{pid}/ns/pid")).ok();
        let own = namespace(first);
        let all = fs::read_dir("/proc").unwrap().flatten();
        all.filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| name.parse::<i32>().is_ok() && namespace(name) == own)
            .map(|name| name.parse().unwrap())
            .collect()
    }

    /// Sends a signal to every process of the server.
    pub fn signal(&self, signal: &str) {
        for pid in self.pids() {
            let _ended_meanwhile = Command::new("kill")
                .args([signal, &pid.to_string()])
                .status();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
        if std::thread::panicking() {
            eprintln!("log of the server:\n{}", self.log());
        }
    }
}

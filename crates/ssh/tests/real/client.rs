//! The crate as a pane would use it.

use std::fmt::Write;
use std::fs;
use std::sync::Arc;
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use ssh::prompt::{Answer, Prompt, PromptKind, Prompter, Secret};
use ssh::stage::Stage;
use ssh::{
    ConfigSource, OpenSsh, Options, ReadOutcome, Session, SessionObserver, SessionRequest, Ssh,
};
use tempfile::TempDir;

use crate::server::{PASSWORD, Server, USER};

/// Long enough for a busy machine, short enough to notice.
pub const LONG: Duration = Duration::from_secs(30);

/// A machine with a home of its own.
pub struct Client {
    pub dir: TempDir,
    pub ssh: Ssh,
}

impl Client {
    /// `config` is the `ssh_config`, expanded by `ssh -G`; unknown hosts are learned.
    pub fn new(config: &str) -> Self {
        Self::with(config, |_| {})
    }

    pub fn with(config: &str, change: impl FnOnce(&mut Options)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let text = format!(
            "{config}\nHost *\n UserKnownHostsFile {0}/known_hosts\n GlobalKnownHostsFile none\n \
             StrictHostKeyChecking accept-new\n IdentityFile {0}/none\n",
            dir.path().display()
        );
        fs::write(dir.path().join("config"), text).unwrap();
        let mut options = Options {
            config: ConfigSource {
                openssh: OpenSsh::Program("ssh".into()),
                file: Some(dir.path().join("config")),
                home: Some(dir.path().to_owned()),
            },
            agent_socket: None,
            ..Options::default()
        };
        change(&mut options);
        Self {
            dir,
            ssh: Ssh::start(options).unwrap(),
        }
    }

    pub fn known_hosts(&self) -> String {
        fs::read_to_string(self.dir.path().join("known_hosts")).unwrap_or_default()
    }

    pub fn learn(&self, line: &str) {
        fs::write(self.dir.path().join("known_hosts"), line).unwrap();
    }

    pub fn open(&self, server: &Server, answers: &Arc<Answers>) -> Pane {
        self.open_request(request(server), answers)
    }

    pub fn open_request(&self, request: SessionRequest, answers: &Arc<Answers>) -> Pane {
        let stages = Arc::new(Stages::default());
        let session = self
            .ssh
            .open(request, Arc::clone(answers) as _, Arc::clone(&stages) as _);
        let output = Arc::new((Mutex::new((Vec::new(), false)), Condvar::new()));
        let mut reader = session.take_reader().unwrap();
        let to = Arc::clone(&output);
        thread::spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            loop {
                let outcome = reader.read_timeout(&mut buffer, None);
                let mut state = to.0.lock().unwrap();
                match outcome {
                    ReadOutcome::Bytes(count) => state.0.extend_from_slice(&buffer[..count]),
                    _ => state.1 = true,
                }
                to.1.notify_all();
                if state.1 {
                    break;
                }
            }
        });
        Pane {
            session,
            stages,
            output,
        }
    }
}

pub fn request(server: &Server) -> SessionRequest {
    SessionRequest::new(format!("{USER}@127.0.0.1:{}", server.port).parse().unwrap())
}

type Rule = dyn Fn(&PromptKind, usize) -> Option<Answer> + Send + Sync;

/// Answers questions by a rule, and keeps what was asked.
pub struct Answers {
    rule: Box<Rule>,
    asked: Mutex<Vec<PromptKind>>,
    /// Questions without an answer stay open here.
    open: Mutex<Vec<Prompt>>,
}

impl Answers {
    /// `rule` gets the question and how many came before it; `None` leaves it open.
    pub fn new(
        rule: impl Fn(&PromptKind, usize) -> Option<Answer> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            rule: Box::new(rule),
            asked: Mutex::default(),
            open: Mutex::default(),
        })
    }

    pub fn password() -> Arc<Self> {
        Self::new(|_, _| Some(secret(PASSWORD)))
    }

    /// Every question is a surprise.
    pub fn none() -> Arc<Self> {
        Self::new(|kind, _| panic!("asked: {kind:?}"))
    }

    pub fn leave_open() -> Arc<Self> {
        Self::new(|_, _| None)
    }

    pub fn asked(&self) -> Vec<PromptKind> {
        self.asked.lock().unwrap().clone()
    }

    pub fn wait_asked(&self) {
        wait("a question", || !self.open.lock().unwrap().is_empty());
    }

    pub fn stale(&self) -> bool {
        self.open.lock().unwrap().iter().all(Prompt::is_stale)
    }
}

pub fn secret(text: &str) -> Answer {
    Answer::Secret {
        secret: Secret::new(text.to_owned()),
        remember: false,
    }
}

impl Prompter for Answers {
    fn prompt(&self, prompt: Prompt) {
        let before = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(prompt.kind.clone());
            asked.len() - 1
        };
        match (self.rule)(&prompt.kind, before) {
            Some(answer) => prompt.answer(answer),
            None => self.open.lock().unwrap().push(prompt),
        }
    }
}

#[derive(Default)]
pub struct Stages {
    seen: Mutex<Vec<Stage>>,
    changed: Condvar,
}

impl SessionObserver for Stages {
    fn stage(&self, stage: &Stage) {
        self.seen.lock().unwrap().push(stage.clone());
        self.changed.notify_all();
    }
}

/// What came out, and whether that was all; wakes who waits for more.
type Seen = (Mutex<(Vec<u8>, bool)>, Condvar);

/// A session with what came out of it.
pub struct Pane {
    pub session: Session,
    pub stages: Arc<Stages>,
    output: Arc<Seen>,
}

impl Pane {
    pub fn wait_stage(&self, what: &str, wanted: impl Fn(&Stage) -> bool) -> Stage {
        let deadline = Instant::now() + LONG;
        let mut seen = self.stages.seen.lock().unwrap();
        loop {
            if let Some(stage) = seen.iter().find(|stage| wanted(stage)) {
                return stage.clone();
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "no {what}: {:?}\n{}",
                seen,
                self.session.log().join("\n")
            );
            seen = self.stages.changed.wait_timeout(seen, left).unwrap().0;
        }
    }

    /// Forgets the stages so far.
    pub fn forget_stages(&self) {
        self.stages.seen.lock().unwrap().clear();
    }

    pub fn stage_names(&self) -> Vec<&'static str> {
        self.stages
            .seen
            .lock()
            .unwrap()
            .iter()
            .map(Stage::as_str)
            .collect()
    }

    pub fn ready(&self) -> &Self {
        let stage = self.wait_stage("ready", |stage| {
            matches!(stage, Stage::Ready | Stage::Failed { .. })
        });
        assert_eq!(stage, Stage::Ready, "{}", self.session.log().join("\n"));
        self
    }

    /// The stage that failed, and why.
    pub fn failed(&self) -> (&'static str, String) {
        match self.wait_stage("failure", |stage| {
            matches!(stage, Stage::Failed { .. } | Stage::Ready)
        }) {
            Stage::Failed { stage, reason } => (stage.as_str(), reason),
            other => panic!("{other:?} {}", self.text()),
        }
    }

    pub fn closed(&self) -> ssh::stage::Exit {
        match self.wait_stage("end", |stage| matches!(stage, Stage::Closed { .. })) {
            Stage::Closed { exit } => exit,
            other => panic!("{other:?}"),
        }
    }

    pub fn type_line(&self, line: &str) {
        self.session
            .write(format!("{line}\n").into_bytes())
            .unwrap();
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.output.0.lock().unwrap().0).into_owned()
    }

    pub fn expect(&self, wanted: &str) -> String {
        self.expect_within(wanted, LONG)
    }

    pub fn expect_within(&self, wanted: &str, limit: Duration) -> String {
        let deadline = Instant::now() + limit;
        let mut state = self.output.0.lock().unwrap();
        loop {
            let text = String::from_utf8_lossy(&state.0).into_owned();
            if text.contains(wanted) {
                return text;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let mut message = String::new();
            write!(
                message,
                "no {wanted:?} in {text:?}\n{}",
                self.session.log().join("\n")
            )
            .unwrap();
            assert!(!left.is_zero(), "{message}");
            state = self.output.1.wait_timeout(state, left).unwrap().0;
        }
    }

    /// Runs a command whose output ends with a mark that its own echo does not contain.
    pub fn run(&self, command: &str) -> String {
        static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let n = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let from = self.output.0.lock().unwrap().0.len();
        self.type_line(&format!("{command}; printf 'do%s-%s\\n' ne {n}x"));
        let text = self.expect(&format!("done-{n}x"));
        text.get(from..).unwrap_or(&text).to_owned()
    }
}

/// Waits for something that happens elsewhere.
pub fn wait(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + LONG;
    while !done() {
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

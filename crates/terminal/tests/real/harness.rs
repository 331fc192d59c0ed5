//! A pane for tests: a terminal, and what it told its sink.

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use terminal::{
    EventSink, ExitStatus, PtyCommand, ReadFormat, ReadRequest, ReadSource, SpawnError, Terminal,
    TerminalEvent, TerminalOptions, TerminalRead,
};

/// Longer than any machine needs.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Pane {
    pub terminal: Terminal,
    sink: Arc<Sink>,
}

#[derive(Default)]
struct Sink {
    seen: Mutex<Seen>,
    changed: Condvar,
}

#[derive(Default)]
struct Seen {
    events: Vec<TerminalEvent>,
    redraws: usize,
}

impl EventSink for Sink {
    fn event(&self, event: TerminalEvent) {
        self.seen.lock().events.push(event);
        self.changed.notify_all();
    }

    fn redraw(&self) {
        self.seen.lock().redraws += 1;
        self.changed.notify_all();
    }
}

impl Pane {
    pub fn try_start(command: PtyCommand) -> Result<Self, SpawnError> {
        let sink = Arc::new(Sink::default());
        let events: Arc<dyn EventSink> = Arc::<Sink>::clone(&sink);
        let terminal = Terminal::spawn(command, TerminalOptions::default(), events)?;
        Ok(Self { terminal, sink })
    }

    pub fn start(command: PtyCommand) -> Self {
        Self::try_start(command).unwrap()
    }

    pub fn start_with(command: PtyCommand, options: TerminalOptions) -> Self {
        let sink = Arc::new(Sink::default());
        let events: Arc<dyn EventSink> = Arc::<Sink>::clone(&sink);
        Self {
            terminal: Terminal::spawn(command, options, events).unwrap(),
            sink,
        }
    }

    pub fn events(&self) -> Vec<TerminalEvent> {
        self.sink.seen.lock().events.clone()
    }

    pub fn redraws(&self) -> usize {
        self.sink.seen.lock().redraws
    }

    /// Waits until something is true; looks again whenever the sink was called, and now and then.
    pub fn wait(&self, condition: impl Fn() -> bool) {
        let until = Instant::now() + PATIENCE;
        while !condition() {
            assert!(
                Instant::now() < until,
                "waited in vain; the screen shows:\n{}",
                self.text()
            );
            let mut seen = self.sink.seen.lock();
            self.sink
                .changed
                .wait_for(&mut seen, Duration::from_millis(20));
        }
    }

    pub fn wait_for_text(&self, text: &str) {
        self.wait(|| self.text().contains(text));
    }

    pub fn exit(&self) -> ExitStatus {
        let status = || match self.events().last() {
            Some(TerminalEvent::Exited(status)) => Some(*status),
            _ => None,
        };
        self.wait(|| status().is_some());
        status().unwrap()
    }

    pub fn read(&self, source: ReadSource) -> TerminalRead {
        let request = ReadRequest {
            lines: 2000,
            source,
            format: ReadFormat::Text,
        };
        self.terminal.read(&request).unwrap()
    }

    pub fn text(&self) -> String {
        self.read(ReadSource::Recent).text
    }
}

/// A command for `/bin/sh`.
pub fn shell(script: &str) -> PtyCommand {
    PtyCommand {
        args: vec!["-c".into(), script.into()],
        ..PtyCommand::new("/bin/sh")
    }
}

pub fn wait(condition: impl Fn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < until, "waited in vain");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub fn signal(pid: u32, signal: i32) {
    let status = Command::new("kill")
        .args([format!("-{signal}"), pid.to_string()])
        .status();
    assert!(status.unwrap().success());
}

/// True for a process that exists and is no zombie.
pub fn alive(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        !stat
            .rsplit_once(')')
            .unwrap()
            .1
            .trim_start()
            .starts_with('Z')
    })
}

/// Open descriptors of this process.
pub fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

//! The driver of a session: feeds the state machine with what happens and does what it says.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::shell::{self, Ended, OpenFailure, Shell, ShellRequest};
use super::{Orders, Persist, SessionObserver, SessionRequest, Shared, TerminalSize, command};
use crate::client::{Context, Ssh};
use crate::connect::{ConnectError, OpenError, Plan, Requester, plan};
use crate::limits;
use crate::pool::{self, Lease};
use crate::progress::{Phase, Progress, ProgressSender};
use crate::prompt::Prompter;
use crate::stage::{self, Effect, Event, Stage, State};

/// Ending a shell in tmux may take this long.
const GOODBYE: Duration = Duration::from_secs(5);

/// What the work of a stage came to.
enum Done {
    Resolved(Box<Result<Plan, ConnectError>>),
    Established(Result<Lease, ConnectError>),
    Opened(Box<Result<(Shell, Lease), ConnectError>>),
    Ended(Ended),
}

type Work = Pin<Box<dyn Future<Output = Done> + Send>>;

/// The clock of a stage.
#[derive(Clone, Copy)]
enum Clock {
    Stopped,
    Running(Instant),
    Paused(Duration),
}

pub(super) struct Driver {
    context: Arc<Context>,
    /// The thread runs as long as a session does.
    _alive: Arc<watch::Sender<()>>,
    request: SessionRequest,
    shared: Arc<Shared>,
    observer: Arc<dyn SessionObserver>,
    requester: Requester,
    state: State,
    plan: Option<Arc<Plan>>,
    lease: Option<Lease>,
    size: watch::Sender<TerminalSize>,
    directory: Option<String>,
    work: Option<Work>,
    clock: Clock,
    retry_at: Option<Instant>,
    ready_since: Option<Instant>,
    failure: Option<ConnectError>,
    /// The shell was reached at least once.
    was_ready: bool,
    over: bool,
}

impl Driver {
    pub(super) fn new(
        ssh: &Ssh,
        request: SessionRequest,
        shared: Arc<Shared>,
        prompter: Arc<dyn Prompter>,
        observer: Arc<dyn SessionObserver>,
    ) -> Self {
        let (progress, _) = ProgressSender::new();
        let requester = Requester {
            prompter,
            log: shared.log.clone(),
            progress,
        };
        Self {
            context: Arc::clone(&ssh.context),
            _alive: Arc::clone(&ssh.alive),
            size: watch::Sender::new(request.size),
            directory: request.directory.clone(),
            state: State::new(request.reconnect).0,
            request,
            shared,
            observer,
            requester,
            plan: None,
            lease: None,
            work: None,
            clock: Clock::Stopped,
            retry_at: None,
            ready_since: None,
            failure: None,
            was_ready: false,
            over: false,
        }
    }

    pub(super) async fn run(mut self) {
        let (_, effects) = State::new(self.request.reconnect);
        self.observer.stage(&self.state.stage);
        self.perform(effects);
        let mut progress = self.requester.progress.subscribe();
        let mut seen = *progress.borrow_and_update();
        while !self.over {
            let shared = Arc::clone(&self.shared);
            let (deadline, retry_at) = (self.deadline(), self.retry_at);
            tokio::select! {
                biased;
                () = shared.ordered.notified() => self.obey(),
                moved = progress.changed() => if moved.is_ok() {
                    let now = *progress.borrow_and_update();
                    self.progressed(seen, now);
                    seen = now;
                },
                done = working(&mut self.work) => {
                    // What was told before the end of the work happened before it.
                    let now = *progress.borrow_and_update();
                    self.progressed(seen, now);
                    seen = now;
                    self.work = None;
                    self.done(done);
                }
                () = until(deadline) => self.feed(Event::TimedOut),
                () = until(retry_at) => {
                    self.retry_at = None;
                    self.feed(Event::RetryDue);
                }
            }
        }
    }

    fn deadline(&self) -> Option<Instant> {
        match self.clock {
            Clock::Running(deadline) => Some(deadline),
            Clock::Stopped | Clock::Paused(_) => None,
        }
    }

    /// Does what the handles want.
    fn obey(&mut self) {
        let orders = std::mem::take(&mut *self.shared.orders.lock());
        let Orders {
            cancel,
            close,
            retry,
            size,
            directory,
        } = orders;
        if let Some(size) = size {
            self.size
                .send_if_modified(|now| std::mem::replace(now, size) != size);
        }
        if directory.is_some() {
            self.directory = directory;
        }
        if cancel {
            self.feed(Event::Cancel);
        }
        if retry {
            self.retry_at = None;
            self.feed(Event::RetryDue);
            self.feed(Event::Retry);
        }
        if close {
            self.end_persistent();
            self.feed(Event::Close);
        }
    }

    fn progressed(&mut self, before: Progress, now: Progress) {
        if before.step != now.step {
            self.feed(match now.phase {
                Phase::Connecting => Event::Connecting,
                Phase::Authenticating => Event::Authenticating,
            });
        }
        match (now.prompts > 0, self.state.prompting) {
            (true, false) => self.feed(Event::PromptOpened),
            (false, true) => self.feed(Event::PromptClosed),
            _ => {}
        }
    }

    fn done(&mut self, done: Done) {
        match done {
            Done::Resolved(result) => match *result {
                Ok(plan) => {
                    for line in &plan.config.ignored {
                        self.shared.log.push(line);
                    }
                    let connect_timeout = plan.config.connect_timeout;
                    self.plan = Some(Arc::new(plan));
                    self.feed(Event::Resolved { connect_timeout });
                }
                Err(error) => self.fail(error),
            },
            Done::Established(Ok(lease)) => {
                self.adopt(lease);
                self.feed(Event::Established);
            }
            Done::Established(Err(error)) => self.fail(error),
            Done::Opened(result) => match *result {
                Ok((shell, lease)) => {
                    self.adopt(lease);
                    self.feed(Event::Opened);
                    let (shared, size) = (Arc::clone(&self.shared), self.size.subscribe());
                    self.work = Some(Box::pin(async move {
                        Done::Ended(shell.run(&shared, size).await)
                    }));
                    self.was_ready = true;
                    self.ready_since = Some(Instant::now());
                }
                Err(error) => self.fail(error),
            },
            Done::Ended(Ended::Exited(exit)) => self.feed(Event::Exited(exit)),
            Done::Ended(Ended::Lost(reason)) => {
                if let Some(lease) = &self.lease {
                    lease.evict();
                }
                self.failure = Some(ConnectError::Lost(reason.clone()));
                self.feed(Event::Lost { reason });
            }
        }
    }

    /// Uses a connection, with the forwards that were added to the one before.
    fn adopt(&mut self, lease: Lease) {
        let connection = lease.connection();
        let mut status = self.shared.status.lock();
        status.connection = Arc::downgrade(connection);
        let added = status.added.clone();
        drop(status);
        for spec in added {
            connection.forwards.add(&self.context, connection, spec);
        }
        self.lease = Some(lease);
    }

    fn fail(&mut self, error: ConnectError) {
        let (reason, again) = (error.to_string(), error.is_transient());
        self.shared.log.push(&reason);
        self.failure = Some(error);
        self.feed(Event::Failed { reason, again });
    }

    fn feed(&mut self, event: Event) {
        let before = self.state.stage.clone();
        let (state, effects) = stage::step(self.state.clone(), event);
        self.state = state;
        if self.state.stage != before {
            let failed = matches!(self.state.stage, Stage::Failed { .. });
            let failure = self.failure.take().filter(|_| failed);
            self.shared.set_stage(self.state.stage.clone(), failure);
        }
        self.perform(effects);
        if self.state.stage != before {
            self.observer.stage(&self.state.stage);
        }
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Resolve => self.resolve(),
                Effect::Establish => self.establish(),
                Effect::OpenShell => self.open_shell(),
                Effect::StartTimer(limit) => self.clock = Clock::Running(Instant::now() + limit),
                Effect::PauseTimer => {
                    if let Clock::Running(deadline) = self.clock {
                        self.clock =
                            Clock::Paused(deadline.saturating_duration_since(Instant::now()));
                    }
                }
                Effect::ResumeTimer => {
                    if let Clock::Paused(left) = self.clock {
                        self.clock = Clock::Running(Instant::now() + left);
                    }
                }
                Effect::StopTimer => self.clock = Clock::Stopped,
                Effect::Abort => {
                    self.work = None;
                    self.lease = None;
                    self.retry_at = None;
                }
                Effect::ShowLoss(reason) => self.show_loss(&reason),
                Effect::WaitRetry(pause) => self.retry_at = Some(Instant::now() + pause),
                Effect::End => {
                    self.shared.output.end();
                    self.over = true;
                }
            }
        }
    }

    fn resolve(&mut self) {
        let context = Arc::clone(&self.context);
        let (destination, overrides) = (
            self.request.destination.clone(),
            self.request.overrides.clone(),
        );
        self.work = Some(Box::pin(async move {
            Done::Resolved(Box::new(
                plan(&context.options, &destination, &overrides).await,
            ))
        }));
    }

    fn establish(&mut self) {
        let Some(plan) = self.plan.clone() else {
            return;
        };
        let (context, requester) = (Arc::clone(&self.context), self.requester.clone());
        self.work = Some(Box::pin(async move {
            Done::Established(pool::acquire(&context, &plan, &requester).await)
        }));
    }

    fn open_shell(&mut self) {
        let (Some(plan), Some(lease)) = (self.plan.clone(), self.lease.take()) else {
            return;
        };
        let command = self
            .request
            .command
            .as_deref()
            .or(plan.config.remote_command.as_deref());
        let request = ShellRequest {
            term: self.request.term.clone(),
            size: *self.size.borrow(),
            env: self.request.env.clone(),
            command: command::command(command, &self.request.persist, self.directory.as_deref()),
        };
        let (context, requester) = (Arc::clone(&self.context), self.requester.clone());
        if self.was_ready {
            self.shared.output.announce(RESUME.to_owned());
        }
        self.work = Some(Box::pin(async move {
            Done::Opened(Box::new(
                open(&context, &plan, &requester, lease, &request).await,
            ))
        }));
    }

    /// Tells the pane. Modes that the lost program had set are taken back, so that the mouse and
    /// the keyboard mean what they mean to a shell; its picture stays until the next one comes.
    fn show_loss(&mut self, reason: &str) {
        let lasted = self
            .ready_since
            .take()
            .map(|since| since.elapsed())
            .unwrap_or_default();
        let reason = crate::text::plain(reason, limits::LOG_LINE_BYTES);
        let line = format!("connection lost after {}: {reason}", lasting(lasted));
        self.shared.log.push(&line);
        self.shared
            .output
            .announce(format!("{QUIET}\r\n\x1b[7m {line} \x1b[0m\r\n"));
    }

    /// A shell in tmux outlives its connection, but not its pane.
    fn end_persistent(&mut self) {
        let (Some(lease), Some(line)) = (self.lease.clone(), command::end(&self.request.persist))
        else {
            return;
        };
        if self.request.persist == Persist::No || self.state.stage != Stage::Ready {
            return;
        }
        tokio::spawn(async move {
            let ending = async {
                if let Ok((channel, _slot)) = lease.connection().open_session().await {
                    shell::run_once(channel, &line).await;
                }
            };
            if tokio::time::timeout(GOODBYE, ending).await.is_err() {
                tracing::debug!("a shell in tmux was not ended in time");
            }
        });
    }
}

/// Mouse, focus, bracketed paste, application keys and colours off, cursor on.
const QUIET: &str = "\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l\x1b[?2004l\x1b[?1l\x1b>\x1b[?25h\x1b[0m";
/// Off the alternate screen, and no margins.
const RESUME: &str = "\x1b[?1049l\x1b[!p";

/// Opens the shell. A pooled connection that turned out dead is replaced once; where the server
/// allows no more sessions beside the others, another connection is taken or made.
async fn open(
    context: &Arc<Context>,
    plan: &Plan,
    requester: &Requester,
    mut lease: Lease,
    request: &ShellRequest,
) -> Result<(Shell, Lease), ConnectError> {
    let mut replaced = false;
    for _ in 0..limits::SESSION_TRIES {
        let error = match shell::open(lease.clone(), request).await {
            Ok(shell) => return Ok((shell, lease)),
            Err(OpenFailure::Shell(error)) => return Err(error),
            Err(OpenFailure::Channel(error)) => error,
        };
        match error {
            OpenError::Lost(reason) if replaced || !lease.reused => {
                return Err(ConnectError::Lost(reason));
            }
            OpenError::Lost(_) => {
                replaced = true;
                lease.evict();
            }
            OpenError::Refused { others: 0, .. } => {
                return Err(ConnectError::Shell(error.to_string()));
            }
            OpenError::Refused { .. } => {}
        }
        requester
            .log
            .push(format!("{error}; another connection is taken"));
        lease = pool::acquire(context, plan, requester).await?;
    }
    Err(ConnectError::Shell(
        "the server allows no more sessions".to_owned(),
    ))
}

async fn working(work: &mut Option<Work>) -> Done {
    match work {
        Some(work) => work.await,
        None => std::future::pending().await,
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => std::future::pending().await,
    }
}

/// `2 h 13 m`, `4 m 10 s`, `7 s`.
fn lasting(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} m {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} m", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_as_people_do() {
        let said = |seconds| lasting(Duration::from_secs(seconds));
        assert_eq!(said(7), "7 s");
        assert_eq!(said(250), "4 m 10 s");
        assert_eq!(said(2 * 3600 + 13 * 60 + 5), "2 h 13 m");
    }
}

//! The front door: the SSH thread and what is asked of it.
//!
//! tokio runs on one thread named `ssh`, and on its short-lived workers for files and key
//! derivation. Nothing of it shows: callers hold handles whose methods return at once, or block only
//! where they say so.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::sync::watch;

use crate::config::ConfigSource;
use crate::connect::ProxyRules;
use crate::limits;
use crate::pool::Pool;
use crate::prompt::{Prompter, SecretStore};
use crate::session::{Session, SessionObserver, SessionRequest};

/// Threads for files, names and key derivation at most.
const WORKERS: usize = 16;

/// When keys are exchanged anew.
#[derive(Clone, Debug)]
pub struct Rekey {
    /// After so many bytes in one direction; 64 KiB to 1 GiB.
    pub bytes: usize,
    /// After this time.
    pub time: Duration,
}

impl Default for Rekey {
    fn default() -> Self {
        Self {
            bytes: 1 << 30,
            time: Duration::from_secs(3600),
        }
    }
}

/// Settings of the SSH thread.
#[derive(Clone)]
pub struct Options {
    /// Where configuration comes from.
    pub config: ConfigSource,
    /// Proxies of the settings.
    pub proxies: ProxyRules,
    /// The user's agent: `SSH_AUTH_SOCK` unless changed.
    pub agent_socket: Option<PathBuf>,
    /// The system's keychain.
    pub secrets: Option<Arc<dyn SecretStore>>,
    /// When keys are exchanged anew.
    pub rekey: Rekey,
    /// A connection that nobody uses is closed after this time.
    pub idle: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            config: ConfigSource::default(),
            proxies: ProxyRules::default(),
            agent_socket: std::env::var_os("SSH_AUTH_SOCK").map(PathBuf::from),
            secrets: None,
            rekey: Rekey::default(),
            idle: limits::IDLE,
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("config", &self.config)
            .field("agent_socket", &self.agent_socket)
            .field("rekey", &self.rekey)
            .field("idle", &self.idle)
            .finish_non_exhaustive()
    }
}

/// What everything on the thread shares.
pub(crate) struct Context {
    pub options: Options,
    pub pool: Pool,
    pub runtime: Handle,
}

/// The SSH thread. Clones are the same one; it ends with the last of them and of its sessions.
#[derive(Clone)]
pub struct Ssh {
    pub(crate) context: Arc<Context>,
    /// The thread runs until nobody holds this any more.
    pub(crate) alive: Arc<watch::Sender<()>>,
}

impl fmt::Debug for Ssh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ssh").finish_non_exhaustive()
    }
}

impl Ssh {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system gives no thread or no event queue.
    pub fn start(options: Options) -> io::Result<Self> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(WORKERS)
            .thread_keep_alive(Duration::from_secs(5))
            .thread_name("ssh-worker")
            .build()?;
        let context = Arc::new(Context {
            options,
            pool: Pool::default(),
            runtime: runtime.handle().clone(),
        });
        let (alive, mut dead) = watch::channel(());
        thread::Builder::new()
            .name("ssh".to_owned())
            .spawn(move || {
                runtime.block_on(async move { while dead.changed().await.is_ok() {} });
                // A name that is being looked up cannot be stopped; it is not waited for.
                runtime.shutdown_background();
            })?;
        Ok(Self {
            context,
            alive: Arc::new(alive),
        })
    }

    /// Opens a session. Returns at once; the observer hears of its stages on the SSH thread.
    pub fn open(
        &self,
        request: SessionRequest,
        prompter: Arc<dyn Prompter>,
        observer: Arc<dyn SessionObserver>,
    ) -> Session {
        Session::start(self, request, prompter, observer)
    }

    /// Connections that stand, used or not.
    pub fn connections(&self) -> usize {
        self.context.pool.len()
    }
}

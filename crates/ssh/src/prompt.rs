//! Questions to the user, and secrets.
//!
//! The crate asks through a [`Prompter`]; who draws the question answers it when the user did, or
//! drops it, which counts as giving up. Every secret is kept in memory that is wiped when it is
//! dropped, and none has a readable `Debug`.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::oneshot;
use zeroize::Zeroizing;

use crate::limits;
use crate::progress::ProgressSender;

/// A text nobody may see; wiped when dropped.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes a text over; the caller's copy is this one.
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// The text, for the place that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Puts questions to the user.
pub trait Prompter: Send + Sync + 'static {
    /// Takes a question over. Called on the SSH thread: must not block.
    fn prompt(&self, prompt: Prompt);
}

/// A question that waits for its answer at most [`limits::PROMPT`]; dropping it gives up.
#[derive(Debug)]
pub struct Prompt {
    /// The host that the question is about, as `user@host:port`.
    pub destination: String,
    /// What is asked.
    pub kind: PromptKind,
    reply: oneshot::Sender<Answer>,
}

impl Prompt {
    /// Answers the question. An answer that does not fit the question counts as giving up.
    pub fn answer(self, answer: Answer) {
        if self.reply.send(answer).is_err() {
            tracing::debug!("a question was answered after its time");
        }
    }

    /// Nobody waits for the answer any more; the question can be taken off the screen.
    pub fn is_stale(&self) -> bool {
        self.reply.is_closed()
    }
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptKind {
    /// Whether an unknown host is the right one; answered by [`Answer::Yes`] or [`Answer::No`].
    HostKey(HostKeyQuestion),
    /// A password; answered by [`Answer::Secret`].
    Password {
        /// Number of the try, from 1.
        attempt: usize,
    },
    /// The passphrase of a key; answered by [`Answer::Secret`].
    Passphrase {
        /// The key file.
        key: PathBuf,
        /// Number of the try, from 1.
        attempt: usize,
    },
    /// Questions of the server; answered by [`Answer::Answers`], one for each. Texts are the
    /// server's, made harmless.
    Interactive {
        /// Title, often empty.
        name: String,
        /// Instruction, often empty; may have several lines.
        instruction: String,
        /// The questions, perhaps none.
        questions: Vec<Question>,
    },
    /// Whether an unlocked key goes to the agent; answered by [`Answer::Yes`] or [`Answer::No`].
    AddToAgent {
        /// The key file.
        key: PathBuf,
    },
}

/// An unknown host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostKeyQuestion {
    /// Name under which the key would be learned.
    pub name: String,
    /// Type of the key for people, for example `ED25519`.
    pub key_type: String,
    /// `SHA256:...`
    pub fingerprint: String,
    /// The picture of the fingerprint, several lines.
    pub randomart: String,
    /// Where it would be learned.
    pub file: Option<PathBuf>,
}

/// One question of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The text.
    pub text: String,
    /// The answer may be seen while it is typed.
    pub echo: bool,
}

/// The user's answer.
#[derive(Debug)]
pub enum Answer {
    /// Yes.
    Yes,
    /// No.
    No,
    /// A password or passphrase.
    Secret {
        /// The text.
        secret: Secret,
        /// Keep it in the system's keychain (passphrases only).
        remember: bool,
    },
    /// Answers to the questions of a server.
    Answers(Vec<Secret>),
}

/// The system's keychain, or nothing. Called on threads that may block.
pub trait SecretStore: Send + Sync + 'static {
    /// The passphrase of a key file, when it is kept.
    fn passphrase(&self, key: &std::path::Path) -> Option<Secret>;
    /// Keeps the passphrase of a key file; the user said so.
    fn remember(&self, key: &std::path::Path, passphrase: &Secret);
    /// A kept passphrase turned out wrong.
    fn forget(&self, key: &std::path::Path);
}

/// Asks on behalf of one connection attempt.
#[derive(Clone)]
pub(crate) struct Asker {
    pub prompter: Arc<dyn Prompter>,
    pub destination: String,
    pub progress: ProgressSender,
}

impl Asker {
    /// The answer, or `None` when the user gave up or the time ran out. The clock of the stage
    /// stands still meanwhile.
    pub(crate) async fn ask(&self, kind: PromptKind) -> Option<Answer> {
        let (reply, answer) = oneshot::channel();
        let _asking = self.progress.prompting();
        self.prompter.prompt(Prompt {
            destination: self.destination.clone(),
            kind,
            reply,
        });
        tokio::time::timeout(limits::PROMPT, answer)
            .await
            .ok()?
            .ok()
    }
}

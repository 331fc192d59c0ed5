//! Proving who the user is.
//!
//! In order: `none` (which says what the server accepts), keys of the agent, certificates, key
//! files, keyboard-interactive, password. `PreferredAuthentications` changes the order of the
//! methods. A partial success goes on with what the server wants next. Keys burn the server's
//! tries, so those that the configuration names come first, and a server that ends the connection
//! for too many tries is reached again, a few times, with the keys not yet tried.
//!
//! Secrets come from the user or the keychain, go to the library, and are wiped; no log line and no
//! error carries one.

mod agent;
mod candidates;
mod failure;
mod key_file;
mod signer;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use russh::client::{AuthResult, Handle, KeyboardInteractiveAuthResponse};
use russh::{MethodKind, MethodSet};

use crate::config::HostConfig;
use crate::connect::Client;
use crate::log::ConnectionLog;
use crate::prompt::{Answer, Asker, PromptKind, Question, Secret, SecretStore};
use crate::{limits, text};
pub(crate) use agent::socket_path;
use candidates::Candidate;
pub use failure::{AuthError, AuthFailure};

/// What one method came to.
enum Outcome {
    /// The user is in.
    Done,
    /// One step is done, others are wanted.
    Partial(MethodSet),
    /// Refused; what the server still accepts.
    Refused(MethodSet),
}

impl From<AuthResult> for Outcome {
    fn from(result: AuthResult) -> Self {
        match result {
            AuthResult::Success => Self::Done,
            AuthResult::Failure {
                remaining_methods,
                partial_success: true,
            } => Self::Partial(remaining_methods),
            AuthResult::Failure {
                remaining_methods, ..
            } => Self::Refused(remaining_methods),
        }
    }
}

/// One authentication, over as many connections as it takes.
pub(crate) struct Authenticator {
    pub config: Arc<HostConfig>,
    pub asker: Asker,
    pub secrets: Option<Arc<dyn SecretStore>>,
    pub log: ConnectionLog,
    /// `SSH_AUTH_SOCK`.
    pub agent_socket: Option<PathBuf>,
    state: Tried,
}

/// What was tried so far.
#[derive(Default)]
struct Tried {
    /// Keys and certificates, by fingerprint.
    keys: HashSet<String>,
    /// Keys tried on this connection.
    on_connection: usize,
    /// Keys that may be tried on one connection.
    budget: usize,
    /// Further connections that may be made for keys.
    rounds: usize,
    failure: AuthFailure,
}

impl Authenticator {
    pub(crate) fn new(
        config: Arc<HostConfig>,
        asker: Asker,
        secrets: Option<Arc<dyn SecretStore>>,
        log: ConnectionLog,
        agent_socket: Option<PathBuf>,
    ) -> Self {
        let state = Tried {
            budget: limits::KEY_TRIES,
            rounds: limits::KEY_ROUNDS,
            ..Tried::default()
        };
        Self {
            config,
            asker,
            secrets,
            log,
            agent_socket,
            state,
        }
    }

    /// Authenticates on a fresh connection. After [`AuthError::MoreKeys`] call it again with the
    /// next one.
    ///
    /// # Errors
    /// Nothing that could be offered was accepted, the user gave up, or the connection was lost.
    pub(crate) async fn run(&mut self, handle: &mut Handle<Client>) -> Result<(), AuthError> {
        self.state.on_connection = 0;
        let user = self.config.user.clone();
        let mut outcome = Outcome::from(handle.authenticate_none(user).await?);
        let mut used: HashSet<String> = HashSet::new();
        for _ in 0..limits::AUTH_STEPS {
            let left = match outcome {
                Outcome::Done => return Ok(()),
                Outcome::Partial(left) | Outcome::Refused(left) => left,
            };
            self.check(handle, &left)?;
            self.note(&left);
            outcome = self.step(handle, left, &mut used).await?;
            if let Outcome::Refused(_) = outcome {
                break;
            }
        }
        match outcome {
            Outcome::Done => Ok(()),
            _ => Err(AuthError::Failed(Box::new(self.state.failure.clone()))),
        }
    }

    /// Every method that the server accepts, until one says more than no.
    async fn step(
        &mut self,
        handle: &mut Handle<Client>,
        mut left: MethodSet,
        used: &mut HashSet<String>,
    ) -> Result<Outcome, AuthError> {
        for method in self.order() {
            if !left.contains(&method) {
                continue;
            }
            let outcome = match method {
                MethodKind::PublicKey => self.public_key(handle, &left, used).await?,
                MethodKind::KeyboardInteractive => self.interactive(handle, &left).await?,
                MethodKind::Password => self.password(handle, &left).await?,
                _ => continue,
            };
            match outcome {
                Outcome::Refused(now) => left = now,
                more => return Ok(more),
            }
        }
        Ok(Outcome::Refused(left))
    }

    /// Methods in the order of the configuration, without those it switches off.
    fn order(&self) -> Vec<MethodKind> {
        let off = self.config.switched_off;
        let usual = ["publickey", "keyboard-interactive", "password"];
        let preferred = &self.config.preferred_authentications;
        let names: Vec<&str> = match preferred.is_empty() {
            true => usual.to_vec(),
            false => preferred.iter().map(|name| name.trim()).collect(),
        };
        names
            .into_iter()
            .filter_map(|name| match name {
                "publickey" if !off.public_key => Some(MethodKind::PublicKey),
                "keyboard-interactive" if !off.keyboard_interactive => {
                    Some(MethodKind::KeyboardInteractive)
                }
                "password" if !off.password => Some(MethodKind::Password),
                _ => None,
            })
            .collect()
    }

    async fn public_key(
        &mut self,
        handle: &mut Handle<Client>,
        left: &MethodSet,
        used: &mut HashSet<String>,
    ) -> Result<Outcome, AuthError> {
        let mut offer = candidates::collect(self, handle).await;
        let mut left = left.clone();
        let candidates = std::mem::take(&mut offer.candidates);
        for mut candidate in candidates {
            if self.state.on_connection >= self.state.budget {
                if self.state.rounds > 0 {
                    self.state.rounds -= 1;
                    self.log.push("more keys are tried on another connection");
                    return Err(AuthError::MoreKeys);
                }
                self.log.push(
                    "the other keys are not tried, to leave the server's tries for other methods",
                );
                break;
            }
            if !self.ready(&mut candidate).await {
                continue;
            }
            let id = candidate.id();
            if used.contains(&id) || !self.state.keys.insert(id.clone()) {
                continue;
            }
            let Some(result) = signer::offer(self, handle, &candidate, &mut offer.agent).await?
            else {
                continue;
            };
            self.state.on_connection += 1;
            match Outcome::from(result) {
                Outcome::Done => {
                    self.log.push(format!("{} was accepted", candidate.label));
                    signer::add_to_agent(self, &candidate, &mut offer.agent).await;
                    return Ok(Outcome::Done);
                }
                Outcome::Partial(now) => {
                    self.log.push(format!(
                        "{} was accepted; the server wants more",
                        candidate.label
                    ));
                    // On a later connection this key has to open the door again.
                    self.state.keys.remove(&id);
                    used.insert(id);
                    return Ok(Outcome::Partial(now));
                }
                Outcome::Refused(now) => {
                    self.log.push(format!("{} was refused", candidate.label));
                    self.state
                        .failure
                        .keys_refused
                        .push(candidate.label.clone());
                    self.check(handle, &now)?;
                    left = now;
                }
            }
        }
        Ok(Outcome::Refused(left))
    }

    /// A key whose public half is hidden in an encrypted file has to be unlocked to be offered.
    async fn ready(&mut self, candidate: &mut Candidate) -> bool {
        if candidate.identity.is_some() {
            return true;
        }
        let unlocked = signer::unlock(self, candidate).await;
        unlocked.is_ok() && candidate.identity.is_some()
    }

    async fn interactive(
        &mut self,
        handle: &mut Handle<Client>,
        left: &MethodSet,
    ) -> Result<Outcome, AuthError> {
        let mut left = left.clone();
        for _ in 0..limits::INTERACTIVE_TRIES {
            let user = self.config.user.clone();
            let mut response = handle
                .authenticate_keyboard_interactive_start(user, None)
                .await?;
            for _ in 0..limits::INTERACTIVE_ROUNDS {
                let KeyboardInteractiveAuthResponse::InfoRequest {
                    name,
                    instructions,
                    prompts,
                } = response
                else {
                    break;
                };
                let answers = self.answers(name, instructions, prompts).await?;
                response = handle
                    .authenticate_keyboard_interactive_respond(answers)
                    .await?;
            }
            match response {
                KeyboardInteractiveAuthResponse::Success => return Ok(Outcome::Done),
                KeyboardInteractiveAuthResponse::Failure {
                    remaining_methods,
                    partial_success: true,
                } => return Ok(Outcome::Partial(remaining_methods)),
                KeyboardInteractiveAuthResponse::Failure {
                    remaining_methods, ..
                } => {
                    self.state.failure.interactive_refused += 1;
                    self.log.push("the answers were refused");
                    self.check(handle, &remaining_methods)?;
                    left = remaining_methods;
                }
                KeyboardInteractiveAuthResponse::InfoRequest { .. } => {
                    return Err(AuthError::Closed("the server asks without end".to_owned()));
                }
            }
            if !left.contains(&MethodKind::KeyboardInteractive) {
                break;
            }
        }
        Ok(Outcome::Refused(left))
    }

    /// Puts the questions of a server to the user. Without a question there is nothing to answer.
    async fn answers(
        &self,
        name: String,
        instruction: String,
        prompts: Vec<russh::client::Prompt>,
    ) -> Result<Vec<String>, AuthError> {
        if prompts.is_empty() {
            return Ok(Vec::new());
        }
        let count = prompts.len();
        let questions = prompts.into_iter().map(|prompt| Question {
            text: text::plain(&prompt.prompt, limits::LOG_LINE_BYTES),
            echo: prompt.echo,
        });
        let kind = PromptKind::Interactive {
            name: text::plain(&name, limits::LOG_LINE_BYTES),
            instruction: text::plain_lines(&instruction, limits::BANNER_BYTES),
            questions: questions.collect(),
        };
        match self.asker.ask(kind).await {
            Some(Answer::Answers(answers)) if answers.len() == count => {
                // The library takes plain strings; ours are wiped here.
                Ok(answers
                    .iter()
                    .map(|answer| answer.expose().to_owned())
                    .collect())
            }
            _ => Err(AuthError::GivenUp),
        }
    }

    async fn password(
        &mut self,
        handle: &mut Handle<Client>,
        left: &MethodSet,
    ) -> Result<Outcome, AuthError> {
        let mut left = left.clone();
        for attempt in 1..=self.config.password_prompts.min(limits::PASSWORD_TRIES) {
            let password: Secret = match self.asker.ask(PromptKind::Password { attempt }).await {
                Some(Answer::Secret { secret, .. }) => secret,
                _ => return Err(AuthError::GivenUp),
            };
            let user = self.config.user.clone();
            let result = handle
                .authenticate_password(user, password.expose())
                .await?;
            drop(password);
            match Outcome::from(result) {
                Outcome::Refused(now) => {
                    self.state.failure.passwords_refused += 1;
                    self.log.push("the password was refused");
                    self.check(handle, &now)?;
                    left = now;
                }
                more => return Ok(more),
            }
            if !left.contains(&MethodKind::Password) {
                break;
            }
        }
        Ok(Outcome::Refused(left))
    }

    /// An empty list of methods is how the library says that the connection is gone.
    fn check(&mut self, handle: &Handle<Client>, left: &MethodSet) -> Result<(), AuthError> {
        if !left.is_empty() || !handle.is_closed() {
            return Ok(());
        }
        let state = &mut self.state;
        if state.on_connection > 0 && state.rounds > 0 {
            // The server allows as many tries as were made; one fewer leaves one for a password.
            state.rounds -= 1;
            state.budget = state.on_connection.saturating_sub(1).max(1);
            self.log
                .push("the server ended the connection after too many keys");
            return Err(AuthError::MoreKeys);
        }
        Err(AuthError::Ended(Box::new(state.failure.clone())))
    }

    fn note(&mut self, left: &MethodSet) {
        let accepts: Vec<String> = left.iter().map(String::from).collect();
        self.log
            .push(format!("the server accepts {}", accepts.join(", ")));
        self.state.failure.accepts = accepts;
    }
}

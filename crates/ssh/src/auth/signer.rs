//! Signing: by the agent, or with a key file that is unlocked when the server wants it.

use std::path::Path;
use std::sync::Arc;

use russh::Signer;
use russh::client::{AuthResult, Handle};
use russh::keys::agent::{AgentIdentity, Constraint};
use russh::keys::signature::Signer as _;
use russh::keys::ssh_encoding::Encode;
use russh::keys::ssh_key::private::KeypairData;
use russh::keys::ssh_key::{Algorithm, HashAlg, PrivateKey, Signature};

use super::agent::Agent;
use super::candidates::{Candidate, Holder};
use super::key_file::{KeyFile, Locked};
use super::{AuthError, Authenticator};
use crate::algorithms::public_key_allowed;
use crate::config::AddKeys;
use crate::connect::Client;
use crate::limits;
use crate::prompt::{Answer, PromptKind, Secret};

/// Why nothing was signed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SignError {
    #[error("the connection was lost")]
    Lost,
    #[error("{0}")]
    Because(String),
}

impl From<russh::SendError> for SignError {
    fn from(_: russh::SendError) -> Self {
        Self::Lost
    }
}

/// Offers a candidate. `None`: it could not be offered or signed for, and no try was burnt.
///
/// # Errors
/// The connection was lost.
pub(crate) async fn offer(
    auth: &mut Authenticator,
    handle: &mut Handle<Client>,
    candidate: &Candidate,
    agent: &mut Option<Agent>,
) -> Result<Option<AuthResult>, AuthError> {
    let Some(identity) = candidate.identity.clone() else {
        return Ok(None);
    };
    let algorithm = identity.public_key().algorithm();
    let hash = match algorithm.is_rsa() {
        true => rsa_hash(handle).await?,
        false => None,
    };
    if !public_key_allowed(&auth.config.algorithms, &wire_name(&identity, hash)) {
        auth.log.push(format!(
            "{} is not allowed by PubkeyAcceptedAlgorithms",
            candidate.label
        ));
        return Ok(None);
    }
    let user = auth.config.user.clone();
    auth.log.push(format!("{} is offered", candidate.label));
    let mut signer = match (&candidate.holder, agent) {
        (Holder::Agent(held), Some(agent)) => KeySigner::Agent(agent, held.clone()),
        (Holder::Agent(_), None) => return Ok(None),
        (Holder::File(file), _) => KeySigner::File(auth, Arc::clone(file)),
    };
    let result = match identity {
        AgentIdentity::PublicKey { key, .. } => {
            handle
                .authenticate_publickey_with(user, key, hash, &mut signer)
                .await
        }
        AgentIdentity::Certificate { certificate, .. } => {
            handle
                .authenticate_certificate_with(user, certificate, hash, &mut signer)
                .await
        }
    };
    drop(signer);
    match result {
        Ok(result) => Ok(Some(result)),
        Err(SignError::Lost) => Err(AuthError::Closed("the connection was lost".to_owned())),
        Err(SignError::Because(reason)) => {
            let reason = format!("{}: {reason}", candidate.label);
            auth.log.push(&reason);
            auth.state.failure.not_offered.push(reason);
            Ok(None)
        }
    }
}

/// The strongest hash that the server takes with RSA; SHA-512 when it does not say.
async fn rsa_hash(handle: &Handle<Client>) -> Result<Option<HashAlg>, AuthError> {
    let supported = handle.best_supported_rsa_hash().await?;
    Ok(supported.flatten().or(Some(HashAlg::Sha512)))
}

fn wire_name(identity: &AgentIdentity, hash: Option<HashAlg>) -> String {
    let algorithm = match identity.public_key().algorithm() {
        Algorithm::Rsa { .. } => Algorithm::Rsa { hash },
        other => other,
    };
    match identity {
        AgentIdentity::PublicKey { .. } => algorithm.as_str().to_owned(),
        AgentIdentity::Certificate { .. } => algorithm.to_certificate_type(),
    }
}

enum KeySigner<'a> {
    Agent(&'a mut Agent, Box<AgentIdentity>),
    File(&'a mut Authenticator, Arc<KeyFile>),
}

impl Signer for KeySigner<'_> {
    type Error = SignError;

    async fn auth_sign(
        &mut self,
        _: &AgentIdentity,
        hash: Option<HashAlg>,
        mut to_sign: Vec<u8>,
    ) -> Result<Vec<u8>, SignError> {
        match self {
            Self::Agent(agent, held) => {
                let signing = agent.sign_request(held, hash, to_sign);
                match tokio::time::timeout(limits::AGENT, signing).await {
                    Ok(Ok(signed)) => Ok(signed),
                    Ok(Err(error)) => Err(SignError::Because(format!(
                        "the agent did not sign: {error}"
                    ))),
                    Err(_) => Err(SignError::Because(
                        "the agent did not sign in time".to_owned(),
                    )),
                }
            }
            Self::File(auth, file) => {
                let key = unlocked(auth, file).await.map_err(SignError::Because)?;
                let signature = sign(&key, hash, &to_sign)
                    .map_err(|error| SignError::Because(error.to_string()))?;
                signature
                    .encode_prefixed(&mut to_sign)
                    .map_err(|error| SignError::Because(error.to_string()))?;
                Ok(to_sign)
            }
        }
    }
}

fn sign(
    key: &PrivateKey,
    hash: Option<HashAlg>,
    data: &[u8],
) -> Result<Signature, russh::keys::signature::Error> {
    match key.key_data() {
        KeypairData::Rsa(rsa) => (rsa, hash.or(Some(HashAlg::Sha512))).try_sign(data),
        other => other.try_sign(data),
    }
}

/// Unlocks the file of a candidate whose public half is not known yet.
pub(crate) async fn unlock(auth: &mut Authenticator, candidate: &mut Candidate) -> Result<(), ()> {
    let Holder::File(file) = &candidate.holder else {
        return Ok(());
    };
    let file = Arc::clone(file);
    match unlocked(auth, &file).await {
        Ok(key) => {
            candidate.identity = Some(key.public_key().clone().into());
            Ok(())
        }
        Err(reason) => {
            let reason = format!("{}: {reason}", candidate.label);
            auth.log.push(&reason);
            auth.state.failure.not_offered.push(reason);
            Err(())
        }
    }
}

/// The private key of a file: as it is, with the passphrase of the keychain, or with the user's.
async fn unlocked(
    auth: &mut Authenticator,
    file: &Arc<KeyFile>,
) -> Result<Arc<PrivateKey>, String> {
    if let Some(key) = file.unlocked() {
        return Ok(key);
    }
    if let Some(secrets) = auth.secrets.clone() {
        let path = file.path.clone();
        let store = Arc::clone(&secrets);
        let kept = blocking(move || store.passphrase(&path)).await.flatten();
        if let Some(passphrase) = kept {
            match try_unlock(file, passphrase).await {
                Ok(key) => return Ok(key),
                Err(_) => {
                    let path = file.path.clone();
                    blocking(move || secrets.forget(&path)).await;
                }
            }
        }
    }
    for attempt in 1..=limits::PASSPHRASE_TRIES {
        let kind = PromptKind::Passphrase {
            key: file.path.clone(),
            attempt,
        };
        let Some(Answer::Secret { secret, remember }) = auth.asker.ask(kind).await else {
            return Err("no passphrase was given".to_owned());
        };
        match try_unlock(file, secret.clone()).await {
            Ok(key) => {
                if let (true, Some(store)) = (remember, auth.secrets.clone()) {
                    let path = file.path.clone();
                    blocking(move || store.remember(&path, &secret)).await;
                }
                return Ok(key);
            }
            Err(Locked::Passphrase) => {}
            Err(Locked::Because(reason)) => return Err(reason),
        }
    }
    Err("the passphrase was wrong".to_owned())
}

async fn try_unlock(file: &Arc<KeyFile>, passphrase: Secret) -> Result<Arc<PrivateKey>, Locked> {
    let file = Arc::clone(file);
    blocking(move || file.unlock(&passphrase))
        .await
        .unwrap_or(Err(Locked::Passphrase))
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}

/// `AddKeysToAgent`: a file that was used goes to the agent, when that is wanted.
pub(crate) async fn add_to_agent(
    auth: &mut Authenticator,
    candidate: &Candidate,
    agent: &mut Option<Agent>,
) {
    let (Holder::File(file), Some(agent)) = (&candidate.holder, agent) else {
        return;
    };
    let Some(key) = file.unlocked() else {
        return;
    };
    let constraints: &[Constraint] = match auth.config.add_keys_to_agent {
        AddKeys::No => return,
        AddKeys::Ask => {
            if !asked(auth, &file.path).await {
                return;
            }
            &[]
        }
        AddKeys::Yes => &[],
        AddKeys::Confirm => &[Constraint::Confirm],
    };
    match tokio::time::timeout(limits::RESOLVE, agent.add_identity(&key, constraints)).await {
        Ok(Ok(())) => auth
            .log
            .push(format!("{} was added to the agent", candidate.label)),
        _ => auth
            .log
            .push(format!("the agent did not take {}", candidate.label)),
    }
}

async fn asked(auth: &Authenticator, key: &Path) -> bool {
    let kind = PromptKind::AddToAgent {
        key: key.to_owned(),
    };
    matches!(auth.asker.ask(kind).await, Some(Answer::Yes))
}

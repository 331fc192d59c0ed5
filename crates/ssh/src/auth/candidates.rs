//! Which keys are offered, and in which order.

use std::path::PathBuf;
use std::sync::Arc;

use russh::client::Handle;
use russh::keys::agent::AgentIdentity;
use russh::keys::ssh_key::{Certificate, HashAlg, PublicKey};

use super::Authenticator;
use super::agent::{self, Agent};
use super::key_file::{self, KeyFile, Unusable};
use crate::connect::Client;
use crate::{limits, text};

/// Who signs.
#[derive(Clone)]
pub(crate) enum Holder {
    /// The agent, with this key.
    Agent(Box<AgentIdentity>),
    /// This file.
    File(Arc<KeyFile>),
}

/// One key or certificate that can be offered.
#[derive(Clone)]
pub(crate) struct Candidate {
    /// `None` while its file has to be unlocked first.
    pub identity: Option<AgentIdentity>,
    pub holder: Holder,
    /// The name for people.
    pub label: String,
}

impl Candidate {
    /// What makes it the same as another one.
    pub(crate) fn id(&self) -> String {
        match &self.identity {
            Some(AgentIdentity::PublicKey { key, .. }) => fingerprint(key),
            Some(AgentIdentity::Certificate { certificate, .. }) => format!(
                "certificate {} {} {}",
                certificate.serial(),
                certificate.key_id(),
                fingerprint(&inner(certificate))
            ),
            None => self.label.clone(),
        }
    }
}

fn fingerprint(key: &PublicKey) -> String {
    key.fingerprint(HashAlg::Sha256).to_string()
}

fn inner(certificate: &Certificate) -> PublicKey {
    PublicKey::new(certificate.public_key().clone(), "")
}

/// What is offered, and the agent that signs for a part of it.
pub(crate) struct Offer {
    pub candidates: Vec<Candidate>,
    pub agent: Option<Agent>,
}

/// Files of the configuration.
struct Files {
    keys: Vec<Arc<KeyFile>>,
    certificates: Vec<(PathBuf, Certificate)>,
    unusable: Vec<String>,
}

/// Keys of the agent that the configuration names, the agent's others unless `IdentitiesOnly`,
/// certificates, files.
pub(crate) async fn collect(auth: &mut Authenticator, handle: &Handle<Client>) -> Offer {
    let path = agent::socket_path(&auth.config.identity_agent, auth.agent_socket.as_deref());
    let mut agent = match agent::connect(path.as_deref()).await {
        Ok(agent) => Some(agent),
        Err(reason) => {
            auth.log.push(reason);
            None
        }
    };
    let mut held = Vec::new();
    if let Some(agent) = &mut agent {
        // Needed for keys that may be used for some hosts only; an agent that does not know the
        // request has no such keys.
        if let Some(binding) = handle.agent_session_binding()
            && let Err(error) = agent.bind_session(binding, false).await
        {
            tracing::debug!(%error, "the agent does not bind sessions");
        }
        match agent::identities(agent).await {
            Ok(identities) => held = identities,
            Err(reason) => auth.log.push(reason),
        }
    }
    let config = Arc::clone(&auth.config);
    let files = tokio::task::spawn_blocking(move || {
        read_files(&config.identity_files, &config.certificate_files)
    })
    .await
    .unwrap_or(Files {
        keys: Vec::new(),
        certificates: Vec::new(),
        unusable: Vec::new(),
    });
    for reason in &files.unusable {
        auth.log.push(reason);
        if !auth.state.failure.not_offered.contains(reason) {
            auth.state.failure.not_offered.push(reason.clone());
        }
    }
    let candidates = ordered(&held, &files, auth.config.identities_only);
    Offer { candidates, agent }
}

fn read_files(identities: &[PathBuf], certificates: &[PathBuf]) -> Files {
    let mut files = Files {
        keys: Vec::new(),
        certificates: Vec::new(),
        unusable: Vec::new(),
    };
    let mut certificate_files = certificates.to_vec();
    for path in identities {
        certificate_files.push(key_file::with_suffix(path, "-cert.pub"));
        match KeyFile::load(path) {
            Ok(file) => files.keys.push(Arc::new(file)),
            Err(Unusable::Missing) => {}
            Err(Unusable::Because(reason)) => files.unusable.push(reason),
        }
    }
    for path in certificate_files {
        match key_file::load_certificate(&path) {
            Ok(certificate) => files.certificates.push((path, certificate)),
            Err(Unusable::Missing) => {}
            Err(Unusable::Because(reason)) => files.unusable.push(reason),
        }
    }
    files
}

fn ordered(held: &[AgentIdentity], files: &Files, only_named: bool) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let named = |identity: &AgentIdentity| {
        let key = identity.public_key();
        files.keys.iter().position(|file| {
            file.public
                .as_ref()
                .is_some_and(|p| p.key_data() == key.key_data())
        })
    };
    let mut of_agent: Vec<(Option<usize>, &AgentIdentity)> = held
        .iter()
        .map(|identity| (named(identity), identity))
        .collect();
    of_agent.sort_by_key(|(position, _)| position.unwrap_or(usize::MAX));
    for (position, identity) in of_agent {
        if position.is_some() || !only_named {
            candidates.push(Candidate {
                identity: Some(identity.clone()),
                label: agent_label(identity, position.and_then(|at| files.keys.get(at))),
                holder: Holder::Agent(Box::new(identity.clone())),
            });
        }
    }
    for (path, certificate) in &files.certificates {
        let signs = |key: &PublicKey| key.key_data() == certificate.public_key();
        let in_agent = held.iter().find(
            |identity| matches!(identity, AgentIdentity::PublicKey { key, .. } if signs(key)),
        );
        let in_file = || {
            let mut keys = files.keys.iter();
            keys.find(|file| file.can_sign() && file.public.as_ref().is_some_and(signs))
        };
        let holder = match in_agent {
            Some(identity) => Some(Holder::Agent(Box::new(identity.clone()))),
            None => in_file().map(|file| Holder::File(Arc::clone(file))),
        };
        if let Some(holder) = holder {
            candidates.push(Candidate {
                identity: Some(certificate.clone().into()),
                holder,
                label: key_file::label(path),
            });
        }
    }
    for file in files.keys.iter().filter(|file| file.can_sign()) {
        candidates.push(Candidate {
            identity: file.public.clone().map(AgentIdentity::from),
            label: file.label(),
            holder: Holder::File(Arc::clone(file)),
        });
    }
    candidates
}

fn agent_label(identity: &AgentIdentity, file: Option<&Arc<KeyFile>>) -> String {
    if let Some(file) = file {
        return file.label();
    }
    match identity.comment() {
        "" => format!(
            "a key of the agent ({})",
            fingerprint(&identity.public_key())
        ),
        comment => format!(
            "{} of the agent",
            text::plain(comment, limits::LOG_LINE_BYTES / 4)
        ),
    }
}

//! The user's agent.

use std::path::{Path, PathBuf};
use std::time::Duration;

use russh::keys::agent::AgentIdentity;
use russh::keys::agent::client::{AgentClient, AgentStream};

use crate::config::AgentSocket;

/// Reaching an agent on this machine and getting its list.
const ANSWER: Duration = Duration::from_secs(5);

pub(crate) type Agent = AgentClient<Box<dyn AgentStream + Send + Unpin + 'static>>;

/// The socket of the configuration, or that of the environment.
pub(crate) fn socket_path(configured: &AgentSocket, environment: Option<&Path>) -> Option<PathBuf> {
    match configured {
        AgentSocket::None => None,
        AgentSocket::Path(path) => Some(path.clone()),
        AgentSocket::Environment => environment.map(Path::to_owned),
    }
}

/// Reaches an agent.
///
/// # Errors
/// There is none, in words for the connection log.
#[cfg(unix)]
pub(crate) async fn connect(path: Option<&Path>) -> Result<Agent, String> {
    let path = path.ok_or("there is no agent")?;
    let connecting = AgentClient::connect_uds(path);
    match tokio::time::timeout(ANSWER, connecting).await {
        Ok(Ok(agent)) => Ok(agent.dynamic()),
        Ok(Err(error)) => Err(format!("the agent cannot be reached: {error}")),
        Err(_) => Err("the agent does not answer".to_owned()),
    }
}

/// Reaches an agent: a named pipe, else OpenSSH's, else Pageant.
///
/// # Errors
/// There is none, in words for the connection log.
#[cfg(windows)]
pub(crate) async fn connect(path: Option<&Path>) -> Result<Agent, String> {
    let pipe = path.unwrap_or(Path::new(r"\\.\pipe\openssh-ssh-agent"));
    let connecting = async {
        match AgentClient::connect_named_pipe(pipe).await {
            Ok(agent) => Ok(agent.dynamic()),
            Err(error) => match AgentClient::connect_pageant().await {
                Ok(agent) => Ok(agent.dynamic()),
                Err(_) => Err(format!("the agent cannot be reached: {error}")),
            },
        }
    };
    tokio::time::timeout(ANSWER, connecting)
        .await
        .unwrap_or_else(|_| Err("the agent does not answer".to_owned()))
}

/// What the agent holds, at most [`crate::limits::AGENT_KEYS`].
///
/// # Errors
/// It does not answer, in words for the connection log.
pub(crate) async fn identities(agent: &mut Agent) -> Result<Vec<AgentIdentity>, String> {
    match tokio::time::timeout(ANSWER, agent.request_identities()).await {
        Ok(Ok(mut identities)) => {
            identities.truncate(crate::limits::AGENT_KEYS);
            Ok(identities)
        }
        Ok(Err(error)) => Err(format!("the agent gives no list of keys: {error}")),
        Err(_) => Err("the agent does not answer".to_owned()),
    }
}

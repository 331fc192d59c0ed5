//! Judging the key that a host shows, and asking about an unknown one.

use std::path::PathBuf;
use std::sync::Arc;

use russh::keys::PublicKeyOrCertificate;
use russh::keys::ssh_key::PublicKey;

use super::ConnectError;
use crate::config::{HostConfig, StrictHostKeyChecking};
use crate::known_hosts::{self, KnownHosts, Verdict};
use crate::log::ConnectionLog;
use crate::prompt::{Answer, Asker, HostKeyQuestion, PromptKind};

/// The files that count for a host, the user's first.
pub(crate) fn files(config: &HostConfig) -> Vec<PathBuf> {
    let user = config.user_known_hosts.iter();
    user.chain(&config.global_known_hosts).cloned().collect()
}

/// Accepts a host key, or says why not.
///
/// # Errors
/// The key is not to be trusted.
pub(crate) async fn judge(
    config: &Arc<HostConfig>,
    shown: &PublicKeyOrCertificate,
    asker: &Asker,
    log: &ConnectionLog,
) -> Result<(), ConnectError> {
    let host = Arc::clone(config);
    let known = tokio::task::spawn_blocking(move || KnownHosts::load(&files(&host)))
        .await
        .unwrap_or_default();
    let name = config.known_hosts_name();
    let bare = config
        .host_key_alias
        .as_ref()
        .unwrap_or(&config.host_name)
        .to_ascii_lowercase();
    let verdict = match shown.certificate() {
        Some(certificate) => known.judge_certificate(&name, &bare, certificate),
        None => known.judge(&name, &bare, &shown.public_key()),
    };
    match verdict {
        Verdict::Known => {
            log.push(format!("the host key of {name} is known"));
            Ok(())
        }
        Verdict::Unknown => unknown(config, &name, &shown.public_key(), asker, log).await,
        Verdict::Changed(changed) => Err(ConnectError::HostChanged(changed)),
        Verdict::Revoked { file, line } => Err(ConnectError::HostRevoked { file, line }),
        Verdict::BadCertificate(reason) => Err(ConnectError::HostCertificate(reason)),
    }
}

async fn unknown(
    config: &Arc<HostConfig>,
    name: &str,
    key: &PublicKey,
    asker: &Asker,
    log: &ConnectionLog,
) -> Result<(), ConnectError> {
    let file = config.user_known_hosts.first().cloned();
    let fingerprint = known_hosts::fingerprint(key);
    match config.strict_host_key_checking {
        StrictHostKeyChecking::Yes => {
            return Err(ConnectError::HostUnknown {
                name: name.to_owned(),
                fingerprint,
            });
        }
        StrictHostKeyChecking::Ask => {
            let question = HostKeyQuestion {
                name: name.to_owned(),
                key_type: known_hosts::describe(key).0.to_owned(),
                fingerprint,
                randomart: known_hosts::randomart(key),
                file: file.clone(),
            };
            match asker.ask(PromptKind::HostKey(question)).await {
                Some(Answer::Yes) => {}
                _ => return Err(ConnectError::HostDeclined),
            }
        }
        StrictHostKeyChecking::AcceptNew | StrictHostKeyChecking::No => {}
    }
    let Some(file) = file else {
        log.push("the host key is not kept: the configuration names no file for it");
        return Ok(());
    };
    let (name, key, hash) = (name.to_owned(), key.clone(), config.hash_known_hosts);
    let shown = file.display().to_string();
    let learned =
        tokio::task::spawn_blocking(move || known_hosts::learn(&file, &name, &key, hash)).await;
    match learned {
        Ok(Ok(())) => log.push(format!("the host key was written to {shown}")),
        Ok(Err(error)) => log.push(format!(
            "the host key could not be written to {shown}: {error}"
        )),
        Err(_) => log.push(format!("the host key could not be written to {shown}")),
    }
    Ok(())
}

//! Which hosts, proxies and commands lie between here and a host.

use std::path::PathBuf;
use std::sync::Arc;

use super::ConnectError;
use super::proxy::{Proxy, ProxyChoice};
use crate::client::Options;
use crate::config::{ForwardAgent, HostConfig, Route};
use crate::{Destination, limits};

/// What a saved host or a request says beyond the configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostOverrides {
    /// Keys instead of those of the configuration.
    pub identity_files: Vec<PathBuf>,
    /// The way through other hosts instead of that of the configuration.
    pub jump: Option<Vec<Destination>>,
    /// The proxy for this host.
    pub proxy: ProxyChoice,
    /// Whether the host may use the agent.
    pub forward_agent: Option<bool>,
}

impl HostOverrides {
    fn apply(&self, config: &mut HostConfig) {
        if !self.identity_files.is_empty() {
            config.identity_files.clone_from(&self.identity_files);
        }
        if let Some(hops) = &self.jump {
            config.route = match hops.is_empty() {
                true => Route::Direct,
                false => Route::Jump(hops.clone()),
            };
        }
        match self.forward_agent {
            Some(true) if config.forward_agent == ForwardAgent::No => {
                config.forward_agent = ForwardAgent::Yes;
            }
            Some(false) => config.forward_agent = ForwardAgent::No,
            _ => {}
        }
    }
}

/// A host and the way to it.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub config: Arc<HostConfig>,
    pub via: Via,
}

/// How the stream to a host is opened.
#[derive(Clone, Debug)]
pub(crate) enum Via {
    Direct,
    Proxy(Proxy),
    Command(String),
    Jump(Box<Plan>),
}

impl Plan {
    /// `user@host:port` for people; the port only when it is another than 22.
    pub(crate) fn label(&self) -> String {
        let config = &self.config;
        Destination {
            user: Some(config.user.clone()),
            host: config.host_name.clone(),
            port: Some(config.port).filter(|port| *port != 22),
        }
        .to_string()
    }

    /// Two plans with the same identity can share a connection: the same user on the same host by
    /// the same way, with the same keys and the same rules.
    pub(crate) fn identity(&self) -> String {
        let config = &self.config;
        let via = match &self.via {
            Via::Direct => "direct".to_owned(),
            Via::Proxy(proxy) => format!("proxy {proxy:?}"),
            Via::Command(command) => format!("command {command}"),
            Via::Jump(plan) => format!("jump ({})", plan.identity()),
        };
        let who = (
            &config.user,
            &config.host_name,
            config.port,
            &config.identity_files,
            &config.certificate_files,
            &config.identity_agent,
            config.identities_only,
        );
        let rules = (
            &config.user_known_hosts,
            &config.global_known_hosts,
            &config.host_key_alias,
            config.strict_host_key_checking,
            &config.algorithms,
            config.compression,
            &config.forward_agent,
            config.server_alive_interval,
        );
        format!("{who:?} {rules:?} {via}")
    }
}

/// Expands the configuration of a host and of every hop before it.
///
/// # Errors
/// The configuration is not valid, or the chain of jump hosts is too long.
pub(crate) async fn plan(
    options: &Options,
    destination: &Destination,
    overrides: &HostOverrides,
) -> Result<Plan, ConnectError> {
    let mut config = options.config.resolve(destination).await?;
    overrides.apply(&mut config);
    with_route(options, config, &overrides.proxy, 0).await
}

async fn with_route(
    options: &Options,
    config: HostConfig,
    proxy: &ProxyChoice,
    depth: usize,
) -> Result<Plan, ConnectError> {
    let via = match &config.route {
        Route::Direct => match options.proxies.choose(proxy, &config.host_name) {
            Some(proxy) => Via::Proxy(proxy.clone()),
            None => Via::Direct,
        },
        Route::Command(command) => Via::Command(command.clone()),
        Route::Jump(hops) => Box::pin(jump(options, hops, depth)).await?,
    };
    Ok(Plan {
        config: Arc::new(config),
        via,
    })
}

/// The hops one after the other; only the first one's own route counts, as with `ssh -J`.
async fn jump(options: &Options, hops: &[Destination], depth: usize) -> Result<Via, ConnectError> {
    if depth.saturating_add(hops.len()) > limits::JUMPS {
        let message = format!("more than {} jump hosts lie before it", limits::JUMPS);
        return Err(ConnectError::Plan(message));
    }
    let mut via: Option<Via> = None;
    for hop in hops {
        let config = options.config.resolve(hop).await?;
        let plan = match via.take() {
            None => with_route(options, config, &ProxyChoice::Inherit, depth + hops.len()).await?,
            Some(via) => Plan {
                config: Arc::new(config),
                via,
            },
        };
        via = Some(Via::Jump(Box::new(plan)));
    }
    Ok(via.unwrap_or(Via::Direct))
}

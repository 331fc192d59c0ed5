//! Files of a host.

use std::sync::{Arc, Weak};

use crate::client::Context;
use crate::connect::Connection;

/// Files of a host.
#[derive(Clone)]
pub struct Sftp {
    context: Arc<Context>,
    connection: Weak<Connection>,
}

impl Sftp {
    pub(crate) fn new(context: &Arc<Context>, connection: &Arc<Connection>) -> Self {
        Self { context: Arc::clone(context), connection: Arc::downgrade(connection) }
    }
}

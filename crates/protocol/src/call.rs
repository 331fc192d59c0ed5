//! Methods and decoded calls.

use std::str::FromStr;

use serde::Serialize;
use serde_json::Value;

use crate::check;
use crate::error::ApiError;
use crate::params::layout::*;
use crate::params::pane::*;
use crate::params::{AgentsListParams, Check, NoParams, SubscribeParams};

/// Whether a method changes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodClass {
    /// It only looks; a pane token with scope `read` may call it.
    Query,
    /// It changes something.
    Action,
}

/// One table says what a method is called, what class it has and which parameters it takes.
macro_rules! methods {
    ($($variant:ident($params:ty) = $name:literal, $class:ident;)*) => {
        /// A method of the control API that this build carries out.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Method {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        impl Method {
            /// Every method of this build, by name.
            pub const ROUTED: &[Self] = &[$(Self::$variant,)*];

            /// Name on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Whether it changes something.
            pub fn class(self) -> MethodClass {
                match self { $(Self::$variant => MethodClass::$class,)* }
            }

            /// Schema of its parameters.
            pub(crate) fn params_schema(self, schemas: &mut schemars::SchemaGenerator) -> schemars::Schema {
                match self { $(Self::$variant => schemas.subschema_for::<$params>(),)* }
            }
        }

        /// A request whose parameters were read and found good.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum Call {
            $(#[doc = concat!("`", $name, "`")] $variant($params),)*
        }

        impl Call {
            /// Reads and checks the parameters of a method.
            ///
            /// # Errors
            /// `invalid_params` with details `field` and `reason`.
            pub fn decode(method: Method, params: Value) -> Result<Self, ApiError> {
                match method {
                    $(Method::$variant => {
                        let params: $params = check::decode(params)?;
                        params.check()?;
                        Ok(Self::$variant(params))
                    })*
                }
            }

            /// The method that is called.
            pub fn method(&self) -> Method {
                match self { $(Self::$variant(_) => Method::$variant,)* }
            }
        }
    };
}

methods! {
    AgentsList(AgentsListParams) = "agents.list", Query;
    EventsSubscribe(SubscribeParams) = "events.subscribe", Query;
    PaneClose(PaneCloseParams) = "pane.close", Action;
    PanePaste(PanePasteParams) = "pane.paste", Action;
    PaneProcs(PaneProcsParams) = "pane.procs", Query;
    PanePrompt(PanePromptParams) = "pane.prompt", Action;
    PaneRead(PaneReadParams) = "pane.read", Query;
    PaneResize(PaneResizeParams) = "pane.resize", Action;
    PaneSendKey(PaneSendKeyParams) = "pane.send_key", Action;
    PaneSplit(PaneSplitParams) = "pane.split", Action;
    PaneWait(PaneWaitParams) = "pane.wait", Query;
    PaneZoom(PaneZoomParams) = "pane.zoom", Action;
    RuntimeDescribe(NoParams) = "runtime.describe", Query;
    RuntimeIdentify(NoParams) = "runtime.identify", Query;
    RuntimeSnapshot(NoParams) = "runtime.snapshot", Query;
    TabClose(TabCloseParams) = "tab.close", Action;
    TabMove(TabMoveParams) = "tab.move", Action;
    TabNew(TabNewParams) = "tab.new", Action;
    TabRename(TabRenameParams) = "tab.rename", Action;
    WindowClose(WindowCloseParams) = "window.close", Action;
    WindowCreate(WindowCreateParams) = "window.create", Action;
    WindowFocus(WindowFocusParams) = "window.focus", Action;
}

impl FromStr for Method {
    type Err = ApiError;

    /// # Errors
    /// `method_not_found`.
    fn from_str(name: &str) -> Result<Self, ApiError> {
        Self::ROUTED
            .iter()
            .copied()
            .find(|method| method.as_str() == name)
            .ok_or_else(|| ApiError::method_not_found(name))
    }
}

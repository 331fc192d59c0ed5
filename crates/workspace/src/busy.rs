//! What stands in the way of closing something.

use std::fmt;

use protocol::{ApiError, ErrorCode};
use serde_json::json;

use crate::ids::PaneId;
use crate::pane::Pane;
use crate::workspace::Workspace;

/// A pane in which something runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BusyPane {
    /// The pane.
    pub pane: PaneId,
    /// What runs there.
    pub program: String,
}

/// Closing would end these; nothing was closed (control-api.md 9.4). Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Busy {
    /// The panes, in layout order.
    pub panes: Vec<BusyPane>,
}

impl fmt::Display for Busy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self
            .panes
            .iter()
            .map(|busy| format!("{} in pane {}", busy.program, busy.pane))
            .collect();
        write!(f, "closing would end {}", names.join(", "))
    }
}

impl std::error::Error for Busy {}

impl From<Busy> for ApiError {
    fn from(busy: Busy) -> Self {
        let panes: Vec<_> = busy
            .panes
            .iter()
            .map(|busy| json!({"pane_id": busy.pane.0, "program": busy.program}))
            .collect();
        Self::new(
            ErrorCode::ConfirmationRequired,
            format!("{busy}; use force to close anyway"),
            json!({ "busy": panes }),
        )
    }
}

impl Workspace {
    /// Which of these panes closing would end something in.
    pub(crate) fn busy_among(&self, panes: &[PaneId]) -> Result<(), Busy> {
        let panes: Vec<BusyPane> = panes
            .iter()
            .filter_map(|pane| self.panes.get(pane))
            .filter(|pane| pane.is_busy())
            .map(|pane: &Pane| BusyPane {
                pane: pane.id(),
                program: pane.busy_program(),
            })
            .collect();
        if panes.is_empty() {
            Ok(())
        } else {
            Err(Busy { panes })
        }
    }

    /// Which panes of the whole window are busy.
    pub fn busy(&self) -> Result<(), Busy> {
        let panes: Vec<PaneId> = self
            .tabs
            .as_slice()
            .iter()
            .flat_map(|tab| tab.panes())
            .collect();
        self.busy_among(&panes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_names_every_pane_and_program() {
        let busy = Busy {
            panes: vec![
                BusyPane {
                    pane: PaneId(3),
                    program: "cargo".to_owned(),
                },
                BusyPane {
                    pane: PaneId(5),
                    program: "vim".to_owned(),
                },
            ],
        };
        let error = ApiError::from(busy);
        assert_eq!(error.code, ErrorCode::ConfirmationRequired);
        assert_eq!(
            error.details,
            json!({"busy": [{"pane_id": 3, "program": "cargo"}, {"pane_id": 5, "program": "vim"}]})
        );
        assert!(error.message.contains("cargo in pane 3"));
    }
}

//! Questions about the workspace (control-api.md 9.3, 9.7, 9.8 and 9.10).
//!
//! What takes time, such as reading a long scrollback or the processes of the whole system, is
//! handed over as a job that runs elsewhere; it gets a handle of the terminal and no access to the
//! model.

use protocol::{
    AgentsListParams, ApiError, CallerPane, ErrorCode, PaneProcess, PaneProcsParams, PaneRead,
    PaneReadParams, PaneRef, PaneWaitParams, ProcsResult, ReadFormat, ReadSource,
};
use runtime::{Identity, Origin, Outcome, WaitSpec};
use serde_json::Value;
use terminal::{ReadError, ReadRequest, Terminal};

use super::{Answer, cells};
use crate::ids::{PaneId, WINDOW_ID};
use crate::processes;
use crate::project::agent_panes;
use crate::workspace::Workspace;

impl Workspace {
    pub(super) fn identify(&self, origin: Origin) -> Outcome {
        let caller = match origin {
            Origin::Owner => None,
            Origin::Pane(pane) => self.place_of(PaneId(pane.pane_id)),
        };
        let focused = self
            .tabs
            .focused_pane()
            .and_then(|pane| self.place_of(pane));
        Outcome::Identity(Identity { caller, focused })
    }

    fn place_of(&self, pane: PaneId) -> Option<CallerPane> {
        let tab_index = self.tabs.index_of_pane(pane)?;
        Some(CallerPane {
            window_id: WINDOW_ID,
            tab_index,
            pane_id: pane.0,
        })
    }

    pub(super) fn agents_list(&mut self, params: &AgentsListParams) -> Answer {
        self.resolve_window(params.window_id)?;
        let snapshot = self.publish();
        let agents = agent_panes(&snapshot);
        Ok(Outcome::Agents {
            revision: snapshot.revision,
            agents,
        })
    }

    pub(super) fn pane_wait(&mut self, params: &PaneWaitParams) -> Answer {
        self.resolve_window(params.window_id)?;
        let spec = WaitSpec {
            target: PaneRef {
                window_id: WINDOW_ID,
                pane_id: params.pane_id,
            },
            states: params.state_set()?,
            after_seq: params.baseline(),
            pin: params.occupant_seq,
        };
        // The first look of a wait is at what is published, so that has to be what is known.
        self.publish();
        Ok(Outcome::Waiting(self.hub.wait(spec)))
    }

    pub(super) fn pane_read(&mut self, params: &PaneReadParams) -> Answer {
        let id = self.resolve_pane(params.window_id, params.pane_id)?;
        let revision = self.publish().revision;
        let pane = self.panes.get(&id).ok_or_else(|| ApiError::no_pane(id.0))?;
        let exit_reason = pane.ending().map(|ending| ending.sentence().to_owned());
        let frame = PaneRead {
            window_id: WINDOW_ID,
            pane_id: id.0,
            text: String::new(),
            requested_lines: params.lines(),
            returned_lines: 0,
            history_available: 0,
            truncated: false,
            task_state: pane.state(),
            exited: pane.is_over(),
            exit_reason,
            source: Some(params.source()),
            format: Some(params.format()),
            revision: Some(revision),
            command: None,
            exit_code: None,
            screen: None,
            screen_seq: None,
        };
        let request = ReadRequest {
            lines: usize::try_from(params.lines()).unwrap_or(usize::MAX),
            source: terminal_source(params.source()),
            format: terminal_format(params.format()),
        };
        let terminal = pane.terminal().cloned();
        let with_screen = params.screen();
        Ok(Outcome::Job(Box::new(move || {
            let read = match terminal {
                Some(terminal) => fill(frame, &terminal, &request, with_screen)?,
                // It was never started; what it has to say is how that went.
                None => frame,
            };
            to_value(&read)
        })))
    }

    pub(super) fn pane_procs(&mut self, params: &PaneProcsParams) -> Answer {
        let (id, _, terminal) = self.resolve_living(params.window_id, params.pane_id)?;
        let root = terminal.root_pid();
        Ok(Outcome::Job(Box::new(move || {
            let (root, found) = root
                .and_then(|root| Some((root, processes::tree(root)?)))
                .ok_or_else(|| query_failed("the processes of this pane cannot be read"))?;
            to_value(&ProcsResult {
                window_id: WINDOW_ID,
                pane_id: id.0,
                root_pid: root,
                processes: found.into_iter().map(process_view).collect(),
            })
        })))
    }
}

fn fill(
    mut read: PaneRead,
    terminal: &Terminal,
    request: &ReadRequest,
    with_screen: bool,
) -> Result<PaneRead, ApiError> {
    let unavailable = |error: ReadError| match error {
        ReadError::OutputUnavailable { reason } => {
            ApiError::with_reason(ErrorCode::OutputUnavailable, error.to_string(), reason)
        }
    };
    let found = if with_screen {
        let (found, cells) = terminal.read_with_cells(request).map_err(unavailable)?;
        read.screen = Some(cells::screen(&cells));
        read.screen_seq = Some(cells.sequence);
        found
    } else {
        terminal.read(request).map_err(unavailable)?
    };
    read.text = found.text;
    read.returned_lines = u32::try_from(found.returned_lines).unwrap_or(u32::MAX);
    read.history_available = u64::try_from(found.history_available).unwrap_or(u64::MAX);
    read.truncated = found.truncated;
    read.command = found.command;
    read.exit_code = found.exit_code;
    Ok(read)
}

fn terminal_source(source: ReadSource) -> terminal::ReadSource {
    match source {
        ReadSource::Recent => terminal::ReadSource::Recent,
        ReadSource::Screen => terminal::ReadSource::Screen,
        ReadSource::LastCommand => terminal::ReadSource::LastCommand,
    }
}

fn terminal_format(format: ReadFormat) -> terminal::ReadFormat {
    match format {
        ReadFormat::Text => terminal::ReadFormat::Text,
        ReadFormat::Ansi => terminal::ReadFormat::Ansi,
    }
}

fn process_view(process: processes::Process) -> PaneProcess {
    PaneProcess {
        pid: process.pid,
        parent_pid: process.parent,
        executable: process.executable,
        display_name: process.name,
        depth: process.depth,
        agent_kind: None,
    }
}

fn query_failed(reason: &str) -> ApiError {
    ApiError::with_reason(ErrorCode::ProcessQueryFailed, reason, reason)
}

fn to_value(result: &impl serde::Serialize) -> Result<Value, ApiError> {
    serde_json::to_value(result).map_err(|_| ApiError::serialization_failed())
}

//! From arguments to what is to be done: a call of the control API, or one of the few commands that
//! are more than one call.

use std::env;
use std::path::Path;
use std::process::ExitCode;

use control::client::ENDPOINT_VARIABLE;
use protocol::{
    AgentsListParams, Call, KeyModifiers, NoParams, PaneCloseParams, PanePasteParams,
    PaneProcsParams, PanePromptParams, PaneReadParams, PaneResizeParams, PaneSendKeyParams,
    PaneSplitParams, PaneWaitParams, PaneZoomParams, SplitDirection, SubscribeParams,
    TabCloseParams, TabMoveParams, TabNewParams, TabRenameParams, WaitCondition, WaitState,
    WindowCloseParams, WindowCreateParams, WindowFocusParams,
};

use super::args::{
    ClosePane, CloseTab, CloseWindow, CtlCommand, Direction, Launch, MoveTab, NewTab, PaneTarget,
    Paste, Prompt, Read, RenameTab, ResizePane, SendKey, Split, Submission, Subscribe, Wait,
    ZoomPane,
};
use super::environment;
use super::output::{self, Failure};
use super::pasted::pasted;
use super::resources::{AgentVerb, PaneVerb, PasteFrom, TabVerb, WindowVerb};

/// Time limit of a command in milliseconds.
const USUAL_LIMIT: u64 = 30_000;

/// Time limit of the resource verbs that wait, in milliseconds.
const PATIENT_LIMIT: u64 = 600_000;

/// What a command line asks for.
#[derive(Debug)]
pub(super) enum Task {
    /// One request, one response.
    Call(Box<Call>),
    /// A prompt whose output is the snapshot that ended its wait.
    PromptAndWait(PanePromptParams),
    /// Rows of panes.
    PaneList { window: Option<u64> },
    /// A stream of events.
    Subscribe(SubscribeParams),
    /// The schema of this build.
    Schema,
    /// The environment of this pane.
    Env,
}

/// A task with its time limit.
#[derive(Debug)]
pub(super) struct Plan {
    pub task: Task,
    /// Milliseconds: of the server for commands that wait, of the answer for all others.
    pub limit_ms: u64,
}

/// Why there is no plan.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The command line is incomplete.
    Usage(String),
    /// Something it names cannot be used.
    Failure(Failure),
}

impl Refusal {
    /// Reports it where it belongs.
    pub fn report(self, pretty: bool) -> ExitCode {
        match self {
            Self::Usage(message) => output::usage(&message),
            Self::Failure(failure) => output::failure(failure, pretty),
        }
    }
}

/// What the planner knows about its surroundings.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Surroundings {
    /// The pane that a missing `--pane` means.
    pub pane: Option<u64>,
    /// `--timeout-ms`.
    pub timeout_ms: Option<u64>,
}

impl Surroundings {
    /// The calling pane stands in for a missing `--pane` only when the server is the one that
    /// started it; the same number means another pane elsewhere.
    pub fn of_process(port_file: Option<&Path>, timeout_ms: Option<u64>) -> Self {
        let own_server = port_file.is_none() && env::var_os(ENDPOINT_VARIABLE).is_some();
        let pane = if own_server {
            environment::pane()
        } else {
            None
        };
        Self { pane, timeout_ms }
    }

    fn target(&self, target: &PaneTarget) -> Result<(Option<u64>, u64), Refusal> {
        let pane = target.pane.or(self.pane).ok_or_else(|| {
            Refusal::Usage("--pane is required here; `nebula ctl pane list` shows the ids".into())
        })?;
        Ok((target.window.window, pane))
    }

    fn plan(&self, task: Task, usual: u64) -> Plan {
        Plan {
            task,
            limit_ms: self.timeout_ms.unwrap_or(usual),
        }
    }

    fn call(&self, call: Call) -> Plan {
        self.plan(Task::Call(Box::new(call)), USUAL_LIMIT)
    }
}

/// Plans a command.
pub(super) fn plan(command: CtlCommand, here: &Surroundings) -> Result<Plan, Refusal> {
    Ok(match command {
        CtlCommand::Describe => here.call(Call::RuntimeDescribe(NoParams {})),
        CtlCommand::Snapshot => here.call(Call::RuntimeSnapshot(NoParams {})),
        CtlCommand::Identify => here.call(Call::RuntimeIdentify(NoParams {})),
        CtlCommand::Agents(target) | CtlCommand::Agent(AgentVerb::List(target)) => {
            here.call(Call::AgentsList(AgentsListParams {
                window_id: target.window,
            }))
        }
        CtlCommand::Subscribe(args) => here.plan(Task::Subscribe(subscribe(&args)), USUAL_LIMIT),
        CtlCommand::NewWindow(launch) => {
            let (cwd, shell) = launched(launch);
            here.call(Call::WindowCreate(WindowCreateParams { cwd, shell }))
        }
        CtlCommand::Focus(target) => here.call(Call::WindowFocus(WindowFocusParams {
            window_id: target.window.window,
            pane_id: target.pane,
        })),
        CtlCommand::NewTab(NewTab { window, launch }) => {
            let (cwd, shell) = launched(launch);
            let window_id = window.window;
            here.call(Call::TabNew(TabNewParams {
                window_id,
                cwd,
                shell,
            }))
        }
        CtlCommand::Split(args) => here.call(split(&args)),
        CtlCommand::Prompt(Prompt {
            target,
            text,
            submission,
        }) => prompt(here, &target, text, &submission, USUAL_LIMIT)?,
        CtlCommand::Read(args) | CtlCommand::Pane(PaneVerb::Read(args)) => read(here, &args)?,
        CtlCommand::Wait(args) => wait(here, &args, USUAL_LIMIT)?,
        CtlCommand::Paste(Paste {
            target,
            text,
            no_submit,
        }) => paste(here, &target, text, no_submit)?,
        CtlCommand::SendKey(args) => send_key(here, &args)?,
        CtlCommand::Procs(target) => {
            let (window_id, pane_id) = here.target(&target)?;
            here.call(Call::PaneProcs(PaneProcsParams { window_id, pane_id }))
        }
        CtlCommand::CloseWindow(args) | CtlCommand::Window(WindowVerb::Close(args)) => {
            here.call(close_window(&args))
        }
        CtlCommand::CloseTab(args) | CtlCommand::Tab(TabVerb::Close(args)) => {
            here.call(close_tab(&args))
        }
        CtlCommand::RenameTab(args) | CtlCommand::Tab(TabVerb::Rename(args)) => {
            here.call(rename_tab(args))
        }
        CtlCommand::MoveTab(args) | CtlCommand::Tab(TabVerb::Move(args)) => {
            here.call(move_tab(&args))
        }
        CtlCommand::ClosePane(args) | CtlCommand::Pane(PaneVerb::Close(args)) => {
            close_pane(here, &args)?
        }
        CtlCommand::ZoomPane(args) | CtlCommand::Pane(PaneVerb::Zoom(args)) => zoom(here, &args)?,
        CtlCommand::ResizePane(args) | CtlCommand::Pane(PaneVerb::Resize(args)) => {
            resize(here, &args)?
        }
        CtlCommand::Pane(PaneVerb::List(target)) => here.plan(
            Task::PaneList {
                window: target.window,
            },
            USUAL_LIMIT,
        ),
        CtlCommand::Pane(PaneVerb::Send(args)) => {
            let text = args.words.join(" ");
            prompt(here, &args.target, text, &args.submission, PATIENT_LIMIT)?
        }
        CtlCommand::Pane(PaneVerb::Paste(PasteFrom {
            target,
            text,
            no_submit,
        })) => {
            let text = pasted(text).map_err(Refusal::Failure)?;
            paste(here, &target, text, no_submit)?
        }
        CtlCommand::Pane(PaneVerb::Wait(args)) => wait(here, &args, PATIENT_LIMIT)?,
        CtlCommand::Schema => here.plan(Task::Schema, USUAL_LIMIT),
        CtlCommand::Env => here.plan(Task::Env, USUAL_LIMIT),
    })
}

/// A flag that is sent only when it is set: an absent member works with every server.
fn set(flag: bool) -> Option<bool> {
    flag.then_some(true)
}

fn subscribe(args: &Subscribe) -> SubscribeParams {
    SubscribeParams {
        since_revision: args.since,
        replay: set(args.replay),
        heartbeat_ms: args.heartbeat_ms,
    }
}

/// The server's current directory is another one, so a relative directory is completed here.
fn launched(launch: Launch) -> (Option<String>, Option<String>) {
    let cwd = launch.cwd.map(|cwd| {
        let absolute = std::path::absolute(&cwd).ok();
        absolute
            .and_then(|path| path.to_str().map(str::to_owned))
            .unwrap_or(cwd)
    });
    (cwd, launch.shell)
}

fn split(args: &Split) -> Call {
    Call::PaneSplit(PaneSplitParams {
        window_id: args.target.window.window,
        pane_id: args.target.pane,
        direction: match args.direction {
            Direction::Right => SplitDirection::LeftRight,
            Direction::Down => SplitDirection::TopBottom,
        },
    })
}

/// One state is sent as `state`, which every server knows; more are `states`.
fn states(states: &[WaitState]) -> (Option<WaitState>, Option<Vec<WaitState>>) {
    match states {
        [state] => (Some(*state), None),
        states => (None, Some(states.to_vec())),
    }
}

fn prompt(
    here: &Surroundings,
    target: &PaneTarget,
    text: String,
    submission: &Submission,
    usual: u64,
) -> Result<Plan, Refusal> {
    let (window_id, pane_id) = here.target(target)?;
    let submit = submission.no_submit.then_some(false);
    let mut params = PanePromptParams {
        window_id,
        pane_id,
        text,
        submit,
        wait: None,
    };
    if submission.wait.is_empty() {
        return Ok(here.plan(Task::Call(Box::new(Call::PanePrompt(params))), usual));
    }
    let (state, states) = states(&submission.wait);
    let timeout_ms = Some(here.timeout_ms.unwrap_or(usual));
    params.wait = Some(WaitCondition {
        state,
        states,
        timeout_ms,
    });
    Ok(here.plan(Task::PromptAndWait(params), usual))
}

fn read(here: &Surroundings, args: &Read) -> Result<Plan, Refusal> {
    let (window_id, pane_id) = here.target(&args.target)?;
    Ok(here.call(Call::PaneRead(PaneReadParams {
        window_id,
        pane_id,
        lines: args.lines,
        screen: None,
        source: args.source,
        format: args.format,
    })))
}

fn wait(here: &Surroundings, args: &Wait, usual: u64) -> Result<Plan, Refusal> {
    let (window_id, pane_id) = here.target(&args.target)?;
    let (state, states) = states(&args.state);
    let call = Call::PaneWait(PaneWaitParams {
        window_id,
        pane_id,
        state,
        states,
        timeout_ms: Some(here.timeout_ms.unwrap_or(usual)),
        after_seq: args.after_seq,
        occupant_seq: None,
    });
    Ok(here.plan(Task::Call(Box::new(call)), usual))
}

fn paste(
    here: &Surroundings,
    target: &PaneTarget,
    text: String,
    no_submit: bool,
) -> Result<Plan, Refusal> {
    let (window_id, pane_id) = here.target(target)?;
    let submit = no_submit.then_some(false);
    Ok(here.call(Call::PanePaste(PanePasteParams {
        window_id,
        pane_id,
        text,
        submit,
    })))
}

fn send_key(here: &Surroundings, args: &SendKey) -> Result<Plan, Refusal> {
    let (window_id, pane_id) = here.target(&args.target)?;
    let modified = args.shift || args.alt || args.control;
    let modifiers = modified.then_some(KeyModifiers {
        shift: set(args.shift),
        alt: set(args.alt),
        control: set(args.control),
    });
    Ok(here.call(Call::PaneSendKey(PaneSendKeyParams {
        window_id,
        pane_id,
        key: args.key,
        modifiers,
        repeat: args.repeat,
    })))
}

fn close_window(args: &CloseWindow) -> Call {
    let window_id = args.window.window;
    Call::WindowClose(WindowCloseParams {
        window_id,
        force: set(args.force),
    })
}

fn close_tab(args: &CloseTab) -> Call {
    Call::TabClose(TabCloseParams {
        window_id: args.tab.window.window,
        tab_index: args.tab.index,
        force: set(args.force),
    })
}

fn rename_tab(args: RenameTab) -> Call {
    Call::TabRename(TabRenameParams {
        window_id: args.tab.window.window,
        tab_index: args.tab.index,
        name: args.name,
    })
}

fn move_tab(args: &MoveTab) -> Call {
    Call::TabMove(TabMoveParams {
        window_id: args.tab.window.window,
        tab_index: args.tab.index,
        to_index: args.to,
    })
}

fn close_pane(here: &Surroundings, args: &ClosePane) -> Result<Plan, Refusal> {
    let (window_id, pane_id) = here.target(&args.target)?;
    let force = set(args.force);
    Ok(here.call(Call::PaneClose(PaneCloseParams {
        window_id,
        pane_id,
        force,
    })))
}

fn zoom(here: &Surroundings, args: &ZoomPane) -> Result<Plan, Refusal> {
    let (window_id, pane_id) = here.target(&args.target)?;
    let zoomed = args.zoomed;
    Ok(here.call(Call::PaneZoom(PaneZoomParams {
        window_id,
        pane_id,
        zoomed,
    })))
}

fn resize(here: &Surroundings, args: &ResizePane) -> Result<Plan, Refusal> {
    let (window_id, pane_id) = here.target(&args.target)?;
    let ratio = args.ratio;
    Ok(here.call(Call::PaneResize(PaneResizeParams {
        window_id,
        pane_id,
        ratio,
    })))
}

#[cfg(test)]
mod tests;

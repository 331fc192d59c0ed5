//! Arguments of `nebula ctl`: the flat commands, one per method of the control API.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use protocol::{Key, ReadFormat, ReadSource, WaitState};

use super::resources::{AgentVerb, PaneVerb, TabVerb, WindowVerb};

/// Arguments of `nebula ctl`.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub struct CtlArgs {
    /// Indent the output of one-shot commands
    #[arg(long, global = true)]
    pub pretty: bool,
    /// Time limit in milliseconds, 1 to 86400000; 30000 unless the command says otherwise
    #[arg(long, global = true, value_name = "N",
          value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    pub timeout_ms: Option<u64>,
    /// Discovery file of the workspace to talk to
    #[arg(long, global = true, value_name = "PATH")]
    pub port_file: Option<PathBuf>,
    #[command(subcommand)]
    pub(super) command: CtlCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum CtlCommand {
    /// What the server can do
    Describe,
    /// Windows, tabs, panes and their states
    Snapshot,
    /// Which pane is calling, and which has the focus
    Identify,
    /// Panes that run a recognised agent
    Agents(WindowTarget),
    /// Print snapshots as they change, one per line
    Subscribe(Subscribe),
    /// Open a window
    NewWindow(Launch),
    /// Reveal a window, and focus a pane
    Focus(FocusTarget),
    /// Open a tab
    NewTab(NewTab),
    /// Split a pane
    Split(Split),
    /// Write text and Enter into a pane
    Prompt(Prompt),
    /// Read the text of a pane
    Read(Read),
    /// Wait until a pane reaches a state
    Wait(Wait),
    /// Paste text into a pane whose program takes bracketed paste
    Paste(Paste),
    /// Press a key in a pane
    SendKey(SendKey),
    /// Processes of a pane
    Procs(PaneTarget),
    /// Close a window
    CloseWindow(CloseWindow),
    /// Close a tab
    CloseTab(CloseTab),
    /// Name a tab
    RenameTab(RenameTab),
    /// Move a tab
    MoveTab(MoveTab),
    /// Close a pane
    ClosePane(ClosePane),
    /// Zoom a pane, or end its zoom
    ZoomPane(ZoomPane),
    /// Set the share of a pane in its split
    ResizePane(ResizePane),
    /// The JSON Schema of the control API; needs no server
    Schema,
    /// The environment of this pane; needs no server
    Env,
    /// Commands for windows
    #[command(subcommand)]
    Window(WindowVerb),
    /// Commands for tabs
    #[command(subcommand)]
    Tab(TabVerb),
    /// Commands for panes
    #[command(subcommand)]
    Pane(PaneVerb),
    /// Commands for agents
    #[command(subcommand)]
    Agent(AgentVerb),
}

#[derive(Debug, Args)]
pub(super) struct WindowTarget {
    /// Window id; may be left out while there is one window
    #[arg(long, value_name = "N")]
    pub window: Option<u64>,
}

/// A pane that a method requires.
#[derive(Debug, Args)]
pub(super) struct PaneTarget {
    #[command(flatten)]
    pub window: WindowTarget,
    /// Pane id; inside a pane it defaults to that pane
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub pane: Option<u64>,
}

/// A pane that a method replaces by the focused one.
#[derive(Debug, Args)]
pub(super) struct FocusTarget {
    #[command(flatten)]
    pub window: WindowTarget,
    /// Pane id
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub pane: Option<u64>,
}

#[derive(Debug, Args)]
pub(super) struct TabTarget {
    #[command(flatten)]
    pub window: WindowTarget,
    /// Tab index, from 0
    #[arg(long = "tab", value_name = "I")]
    pub index: usize,
}

#[derive(Debug, Args)]
pub(super) struct Subscribe {
    /// Revision that is known already
    #[arg(long, value_name = "REV")]
    pub since: Option<u64>,
    /// Replay the revisions since then
    #[arg(long)]
    pub replay: bool,
    /// Ask for a sign of life at least this often, 1000 to 60000
    #[arg(long, value_name = "N")]
    pub heartbeat_ms: Option<u32>,
}

#[derive(Debug, Args)]
pub(super) struct Launch {
    /// Directory to start in
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<String>,
    /// Shell: an id of the `shell` setting, such as bash or zsh
    #[arg(long, value_name = "ID")]
    pub shell: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct NewTab {
    #[command(flatten)]
    pub window: WindowTarget,
    #[command(flatten)]
    pub launch: Launch,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Direction {
    /// The new pane stands to the right
    Right,
    /// The new pane stands below
    Down,
}

#[derive(Debug, Args)]
pub(super) struct Split {
    #[command(flatten)]
    pub target: FocusTarget,
    /// Where the new pane goes
    #[arg(long, value_enum, default_value_t = Direction::Right)]
    pub direction: Direction,
}

#[derive(Debug, Args)]
pub(super) struct Prompt {
    #[command(flatten)]
    pub target: PaneTarget,
    /// Text to write
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub text: String,
    #[command(flatten)]
    pub submission: Submission,
}

/// What follows a written prompt.
#[derive(Debug, Args)]
pub(super) struct Submission {
    /// Leave the text at the prompt, without Enter
    #[arg(long, conflicts_with = "wait")]
    pub no_submit: bool,
    /// Wait until the pane reaches one of these states, and print the snapshot of that moment
    #[arg(long, value_name = "STATE", value_parser = state(), value_delimiter = ',')]
    pub wait: Vec<WaitState>,
}

#[derive(Debug, Args)]
pub(super) struct Read {
    #[command(flatten)]
    pub target: PaneTarget,
    /// Terminal rows, 1 to 2000; 120 by default
    #[arg(long, value_name = "N")]
    pub lines: Option<u32>,
    /// What to read
    #[arg(long, value_name = "SOURCE", value_parser = source())]
    pub source: Option<ReadSource>,
    /// How to write it
    #[arg(long, value_name = "FORMAT", value_parser = format())]
    pub format: Option<ReadFormat>,
}

#[derive(Debug, Args)]
pub(super) struct Wait {
    #[command(flatten)]
    pub target: PaneTarget,
    /// State to wait for, or several with commas between
    #[arg(long, value_name = "STATE", value_parser = state(), value_delimiter = ',',
          default_value = "settled")]
    pub state: Vec<WaitState>,
    /// Accept only states with a later `state_change_seq`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub after_seq: Option<u64>,
}

#[derive(Debug, Args)]
pub(super) struct Paste {
    #[command(flatten)]
    pub target: PaneTarget,
    /// Text to paste
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub text: String,
    /// Do not press Enter afterwards
    #[arg(long)]
    pub no_submit: bool,
}

#[derive(Debug, Args)]
pub(super) struct SendKey {
    #[command(flatten)]
    pub target: PaneTarget,
    /// Key: escape enter tab backspace space up down left right home end insert delete page-up
    /// page-down f1..f12, or a letter with --control
    #[arg(long, value_name = "K", value_parser = key)]
    pub key: Key,
    /// Hold Shift
    #[arg(long)]
    pub shift: bool,
    /// Hold Alt
    #[arg(long)]
    pub alt: bool,
    /// Hold Control
    #[arg(long)]
    pub control: bool,
    /// How often, 1 to 64
    #[arg(long, value_name = "N")]
    pub repeat: Option<u32>,
}

#[derive(Debug, Args)]
pub(super) struct CloseWindow {
    #[command(flatten)]
    pub window: WindowTarget,
    /// Close even while something runs
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub(super) struct CloseTab {
    #[command(flatten)]
    pub tab: TabTarget,
    /// Close even while something runs
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub(super) struct RenameTab {
    #[command(flatten)]
    pub tab: TabTarget,
    /// New name; empty for the generated title
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub name: String,
}

#[derive(Debug, Args)]
pub(super) struct MoveTab {
    #[command(flatten)]
    pub tab: TabTarget,
    /// New index, from 0
    #[arg(long, value_name = "J")]
    pub to: usize,
}

#[derive(Debug, Args)]
pub(super) struct ClosePane {
    #[command(flatten)]
    pub target: PaneTarget,
    /// Close even while something runs
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub(super) struct ZoomPane {
    #[command(flatten)]
    pub target: PaneTarget,
    /// Whether the pane should be zoomed
    #[arg(long, action = clap::ArgAction::Set)]
    pub zoomed: bool,
}

#[derive(Debug, Args)]
pub(super) struct ResizePane {
    #[command(flatten)]
    pub target: PaneTarget,
    /// Share of the pane in its split, 0.05 to 0.95
    #[arg(long, value_name = "R")]
    pub ratio: f64,
}

/// Reads the names of a protocol type, with dashes as the command line writes them; the spelling of
/// the wire is taken, too.
fn names<T: Clone + Send + Sync + 'static>(
    known: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let values = known.iter().map(|(name, _)| match *name {
        "waiting-input" => PossibleValue::new(name).alias("waiting_input"),
        "last-command" => PossibleValue::new(name).alias("last_command"),
        _ => PossibleValue::new(name),
    });
    PossibleValuesParser::new(values).try_map(|text| {
        let wanted = text.replace('_', "-");
        let found = known.iter().find(|(name, _)| *name == wanted);
        found.map(|(_, value)| value.clone()).ok_or("unknown name")
    })
}

fn state() -> impl TypedValueParser<Value = WaitState> {
    names(&[
        ("idle", WaitState::Idle),
        ("running", WaitState::Running),
        ("waiting-input", WaitState::WaitingInput),
        ("attention", WaitState::Attention),
        ("finished", WaitState::Finished),
        ("failed", WaitState::Failed),
        ("settled", WaitState::Settled),
    ])
}

fn source() -> impl TypedValueParser<Value = ReadSource> {
    names(&[
        ("recent", ReadSource::Recent),
        ("screen", ReadSource::Screen),
        ("last-command", ReadSource::LastCommand),
    ])
}

fn format() -> impl TypedValueParser<Value = ReadFormat> {
    names(&[("text", ReadFormat::Text), ("ansi", ReadFormat::Ansi)])
}

fn key(text: &str) -> Result<Key, String> {
    let key = text.replace('-', "_").parse();
    key.map_err(|_| "must be a named key, f1 to f12, or a letter a to z".to_owned())
}

//! Resource verbs of `nebula ctl`: the same methods, named by what they act on.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::args::{
    ClosePane, CloseTab, CloseWindow, MoveTab, PaneTarget, Read, RenameTab, ResizePane, Submission,
    Wait, WindowTarget, ZoomPane,
};

#[derive(Debug, Subcommand)]
pub(super) enum WindowVerb {
    /// Close a window
    Close(CloseWindow),
}

#[derive(Debug, Subcommand)]
pub(super) enum TabVerb {
    /// Close a tab
    Close(CloseTab),
    /// Name a tab
    Rename(RenameTab),
    /// Move a tab
    Move(MoveTab),
}

#[derive(Debug, Subcommand)]
pub(super) enum PaneVerb {
    /// All panes, one row each
    List(WindowTarget),
    /// Close a pane
    Close(ClosePane),
    /// Zoom a pane, or end its zoom
    Zoom(ZoomPane),
    /// Set the share of a pane in its split
    Resize(ResizePane),
    /// Read the text of a pane
    Read(Read),
    /// Write words and Enter into a pane; waits up to ten minutes with --wait
    Send(Send),
    /// Paste text into a pane whose program takes bracketed paste
    Paste(PasteFrom),
    /// Wait until a pane reaches a state, up to ten minutes
    Wait(Wait),
}

#[derive(Debug, Subcommand)]
pub(super) enum AgentVerb {
    /// Panes that run a recognised agent
    List(WindowTarget),
}

#[derive(Debug, Args)]
pub(super) struct Send {
    #[command(flatten)]
    pub target: PaneTarget,
    #[command(flatten)]
    pub submission: Submission,
    /// Words to write, joined by one space; put `--` before words that start with a dash
    #[arg(required = true, value_name = "WORDS")]
    pub words: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct PasteFrom {
    #[command(flatten)]
    pub target: PaneTarget,
    #[command(flatten)]
    pub text: PasteSource,
    /// Do not press Enter afterwards
    #[arg(long)]
    pub no_submit: bool,
}

/// Where the pasted text comes from; exactly one.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(super) struct PasteSource {
    /// Words, joined by one space; put `--` before words that start with a dash
    #[arg(value_name = "WORDS")]
    pub words: Vec<String>,
    /// Read the text from standard input
    #[arg(long)]
    pub stdin: bool,
    /// Read the text from a file
    #[arg(long, value_name = "F")]
    pub from_file: Option<PathBuf>,
}

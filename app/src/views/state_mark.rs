//! A pane's state as people see it: a shape, a colour and a word, never one of them alone.

use gpui::{App, Hsla, IntoElement, SharedString, Styled as _};
use gpui_component::{Icon, IconName, Sizable as _};
use protocol::TaskState;
use rust_i18n::t;

use super::theme::ActiveTheme;

/// All states, the most urgent first: the order of the sidebar.
pub const BY_URGENCY: [TaskState; 6] = [
    TaskState::Attention,
    TaskState::WaitingInput,
    TaskState::Failed,
    TaskState::Running,
    TaskState::Finished,
    TaskState::Idle,
];

/// 0 for the most urgent state.
pub fn urgency(state: TaskState) -> usize {
    BY_URGENCY
        .iter()
        .position(|other| *other == state)
        .unwrap_or(BY_URGENCY.len())
}

/// The word for a state.
pub fn word(state: TaskState) -> SharedString {
    t!(format!("state.{}", state.as_str())).into_owned().into()
}

/// The heading of the panes in a state.
pub fn heading(state: TaskState) -> SharedString {
    t!(format!("group.{}", state.as_str())).into_owned().into()
}

/// The colour of a state.
pub fn colour(state: TaskState, cx: &App) -> Hsla {
    let chrome = cx.global::<ActiveTheme>().chrome;
    let colour = match state {
        TaskState::Attention | TaskState::WaitingInput => chrome.warning,
        TaskState::Failed => chrome.danger,
        TaskState::Running => chrome.info,
        TaskState::Finished => chrome.success,
        TaskState::Idle => chrome.muted,
    };
    colour.into()
}

/// The shape of a state, in its colour.
pub fn icon(state: TaskState, cx: &App) -> impl IntoElement + use<> {
    let shape = match state {
        TaskState::Attention => IconName::TriangleAlert,
        TaskState::WaitingInput => IconName::Bell,
        TaskState::Failed => IconName::CircleX,
        TaskState::Running => IconName::Play,
        TaskState::Finished => IconName::CircleCheck,
        TaskState::Idle => IconName::SquareTerminal,
    };
    Icon::new(shape).xsmall().text_color(colour(state, cx))
}

//! The status bar: where the focused pane is, and how the whole workspace does.

use gpui::{
    AnyElement, Context, InteractiveElement as _, IntoElement, ParentElement as _, Render,
    StatefulInteractiveElement as _, Styled as _, Window, div,
};
use gpui_component::status_bar::StatusBar;
use gpui_component::{Icon, IconName, Sizable as _, h_flex};
use protocol::TaskState;
use rust_i18n::t;

use super::content::StatusLine;
use super::state_mark;

/// Height of the bar, in logical pixels.
pub const HEIGHT: f32 = 26.0;

/// See the module.
#[derive(Default)]
pub struct Status {
    line: StatusLine,
}

impl Status {
    /// Shows this line.
    pub fn show(&mut self, line: StatusLine, cx: &mut Context<Self>) {
        if self.line != line {
            self.line = line;
            cx.notify();
        }
    }
}

impl Render for Status {
    fn render(&mut self, _: &mut Window, cx: &mut Context<Self>) -> impl IntoElement {
        let line = &self.line;
        let mut bar =
            StatusBar::new().left(item("host", IconName::SquareTerminal, t!("status.host")));
        if let Some(directory) = &line.directory {
            bar = bar.left(item("directory", IconName::Folder, directory.clone()));
        }
        if let Some(branch) = &line.branch {
            bar = bar.left(item("branch", IconName::Network, branch.clone()));
        }
        for (state, count) in &line.counts {
            let text = match state {
                TaskState::Attention | TaskState::WaitingInput => t!("count.needs", count = count),
                TaskState::Failed => t!("count.failed", count = count),
                TaskState::Running | TaskState::Finished | TaskState::Idle => {
                    t!("count.running", count = count)
                }
            };
            let mark = state_mark::icon(*state, cx);
            bar = bar.right(h_flex().gap_1().child(mark).child(text.into_owned()));
        }
        bar = bar.right(t!("status.encoding").into_owned());
        if let Some((columns, lines)) = line.size {
            bar = bar.right(t!("status.size", columns = columns, lines = lines).into_owned());
        }
        div()
            .id("status")
            .role(gpui::Role::Status)
            .size_full()
            .child(bar.size_full())
    }
}

fn item(id: &'static str, icon: IconName, text: impl Into<String>) -> AnyElement {
    h_flex()
        .id(id)
        .gap_1()
        .min_w_0()
        .child(Icon::new(icon).xsmall())
        .child(div().truncate().child(text.into()))
        .into_any_element()
}

//! Pastes that take a while: how far they are, and a way to stop them (terminal.md 1.3).
//!
//! A paste that a program has not taken after a second is shown until it has. Closing what is shown lets the paste go
//! on; cancelling stops it. One pane is one note, however often something is pasted into it.

use std::time::Duration;

use gpui::{
    AppContext as _, Context, ElementId, Entity, IntoElement, ParentElement as _, Render,
    Styled as _, Task, Window, div,
};
use gpui_component::button::Button;
use gpui_component::notification::{Notification, NotificationType};
use gpui_component::progress::Progress;
use gpui_component::{WindowExt as _, v_flex};
use rust_i18n::t;
use terminal::BulkWrite;
use workspace::PaneId;

use super::WorkspaceView;

/// What is through before this is not worth a word.
const SHOWN_AFTER: Duration = Duration::from_secs(1);

/// How often the shown number is brought up to date; a write tells nobody how far it is.
const UPDATED_EVERY: Duration = Duration::from_millis(250);

/// A paste under way, and what looks after it.
pub struct LongPaste {
    progress: Entity<PasteProgress>,
    shown: bool,
    _watch: Task<()>,
}

/// What is being pasted into one pane, as the note shows it.
struct PasteProgress {
    writes: Vec<BulkWrite>,
    percent: u8,
}

impl PasteProgress {
    fn is_finished(&self) -> bool {
        self.writes.iter().all(BulkWrite::is_finished)
    }

    fn look(&mut self, cx: &mut Context<Self>) {
        let now = percent(self.writes.iter().map(BulkWrite::progress));
        if self.percent != now {
            self.percent = now;
            cx.notify();
        }
    }
}

impl Render for PasteProgress {
    fn render(&mut self, _: &mut Window, _: &mut Context<Self>) -> impl IntoElement {
        let text = t!("paste.progress", percent = self.percent).into_owned();
        v_flex()
            .gap_2()
            .pr_3()
            .child(div().text_sm().child(text.clone()))
            .child(
                Progress::new("paste")
                    .value(self.percent.into())
                    .accessibility_label(text),
            )
    }
}

impl WorkspaceView {
    /// Follows a paste until it is through.
    pub(super) fn follow_paste(
        &mut self,
        pane: PaneId,
        write: BulkWrite,
        window: &mut Window,
        cx: &mut Context<Self>,
    ) {
        if let Some(paste) = self.pastes.get_mut(&pane) {
            // A note that was closed comes back: there is something new to stop.
            paste.shown = false;
            paste
                .progress
                .update(cx, |progress, _| progress.writes.push(write));
            return;
        }
        let watch = cx.spawn_in(window, async move |view, cx| {
            let mut pause = SHOWN_AFTER;
            loop {
                cx.background_executor().timer(pause).await;
                pause = UPDATED_EVERY;
                let goes_on =
                    view.update_in(cx, |view, window, cx| view.look_at_paste(pane, window, cx));
                match goes_on {
                    Ok(true) => {}
                    // Through, or the window is closed and nobody looks.
                    Ok(false) | Err(_) => return,
                }
            }
        });
        let progress = cx.new(|_| PasteProgress {
            writes: vec![write],
            percent: 0,
        });
        let paste = LongPaste {
            progress,
            shown: false,
            _watch: watch,
        };
        self.pastes.insert(pane, paste);
    }

    /// Shows how far a paste is. False once there is nothing left to show.
    fn look_at_paste(&mut self, pane: PaneId, window: &mut Window, cx: &mut Context<Self>) -> bool {
        let title = self.workspace(cx).pane(pane).map(|pane| pane.title());
        let (Some(title), Some(paste)) = (title, self.pastes.get_mut(&pane)) else {
            self.forget_paste(pane, window, cx);
            return false;
        };
        if paste.progress.read(cx).is_finished() {
            self.forget_paste(pane, window, cx);
            return false;
        }
        paste.progress.update(cx, PasteProgress::look);
        if !paste.shown {
            paste.shown = true;
            let (progress, view) = (paste.progress.clone(), cx.weak_entity());
            let note = Notification::new()
                .id1::<LongPaste>(key(pane))
                .with_type(NotificationType::Info)
                .title(t!("paste.title", pane = title).into_owned())
                .content(move |_, _, _| progress.clone().into_any_element())
                .action(move |_, _, _| {
                    let view = view.clone();
                    Button::new("cancel-paste")
                        .label(t!("confirm.cancel").into_owned())
                        .on_click(move |_, window, cx| {
                            if let Some(view) = view.upgrade() {
                                view.update(cx, |view, cx| view.cancel_paste(pane, window, cx));
                            }
                        })
                });
            window.push_notification(note, cx);
        }
        true
    }

    fn cancel_paste(&mut self, pane: PaneId, window: &mut Window, cx: &mut Context<Self>) {
        if let Some(paste) = self.pastes.get(&pane) {
            let writes = &paste.progress.read(cx).writes;
            writes.iter().for_each(BulkWrite::cancel);
        }
        // The end of a bracket may wait for the program for ever; there is nothing more to tell about it.
        self.forget_paste(pane, window, cx);
        self.give_keys(window, cx);
    }

    fn forget_paste(&mut self, pane: PaneId, window: &mut Window, cx: &mut Context<Self>) {
        self.pastes.remove(&pane);
        window.remove_notification1::<LongPaste>(key(pane), cx);
    }
}

fn key(pane: PaneId) -> ElementId {
    ("paste", pane.0).into()
}

/// How much of several writes is done, rounded down: 100 is said of what is through only.
fn percent(writes: impl Iterator<Item = (usize, usize)>) -> u8 {
    let (mut written, mut total) = (0_u128, 0_u128);
    for (some, all) in writes {
        written += some as u128;
        total += all as u128;
    }
    let percent = (written * 100).checked_div(total).unwrap_or(100);
    u8::try_from(percent).unwrap_or(100).min(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_pastes_have_one_number() {
        let percent = |writes: &[(usize, usize)]| percent(writes.iter().copied());
        assert_eq!(percent(&[(0, 20_000_000)]), 0);
        assert_eq!(percent(&[(19_999_999, 20_000_000)]), 99);
        assert_eq!(percent(&[(20_000_000, 20_000_000)]), 100);
        assert_eq!(percent(&[(100, 100), (0, 300)]), 25);
        assert_eq!(percent(&[(usize::MAX, usize::MAX)]), 100);
        assert_eq!(percent(&[]), 100);
    }
}

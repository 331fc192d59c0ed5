//! The blinking of the cursor: only while wanted, and at most two frames a second.

use std::time::Duration;

use gpui::{Context, Task};

use super::PaneView;

const HALF: Duration = Duration::from_millis(530);

/// Whether the cursor blinks, and in which half it is.
#[derive(Default)]
pub struct Blink {
    off: bool,
    /// Swallows the next change, so that a cursor that just moved stays visible.
    fresh: bool,
    timer: Option<Task<()>>,
}

impl Blink {
    /// Whether the cursor is to be drawn.
    pub fn is_on(&self) -> bool {
        !self.off
    }

    /// The cursor did something: it is visible for a whole half from now.
    pub fn restart(&mut self) {
        self.off = false;
        self.fresh = true;
    }

    /// Starts or ends the blinking; without it no timer runs.
    pub fn set_wanted(&mut self, wanted: bool, cx: &mut Context<PaneView>) {
        if wanted == self.timer.is_some() {
            return;
        }
        self.off = false;
        self.timer = wanted.then(|| {
            cx.spawn(async move |view, cx| {
                loop {
                    cx.background_executor().timer(HALF).await;
                    let alive = view.update(cx, |view, cx| {
                        let blink = &mut view.blink;
                        if std::mem::take(&mut blink.fresh) {
                            return;
                        }
                        blink.off = !blink.off;
                        cx.notify();
                    });
                    if alive.is_err() {
                        return;
                    }
                }
            })
        });
    }
}

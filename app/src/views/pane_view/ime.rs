//! Typed and composed text, as the platform's input method delivers it.
//!
//! The terminal has no text of its own to edit: what is in composition stands at the cursor until it is committed,
//! then it is sent once.

use std::ops::Range;

use gpui::{
    Bounds, Context, EntityInputHandler, Pixels, Point, SharedString, UTF16Selection, Window,
};

use super::PaneView;

/// What is in composition.
#[derive(Default)]
pub struct Composition {
    text: SharedString,
}

impl Composition {
    /// Whether nothing is.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// What is drawn at the cursor.
    pub fn text(&self) -> SharedString {
        self.text.clone()
    }

    /// Its length in the measure of input methods.
    fn range(&self) -> Option<Range<usize>> {
        (!self.is_empty()).then(|| 0..self.text.encode_utf16().count())
    }

    /// The input method composed further, or back.
    fn compose(&mut self, text: &str) {
        self.text = text.to_owned().into();
    }

    /// It is given up; returns whether there was any.
    fn abandon(&mut self) -> bool {
        !std::mem::take(&mut self.text).is_empty()
    }
}

impl EntityInputHandler for PaneView {
    fn text_for_range(
        &mut self,
        _: Range<usize>,
        _: &mut Option<Range<usize>>,
        _: &mut Window,
        _: &mut Context<Self>,
    ) -> Option<String> {
        None
    }

    fn selected_text_range(
        &mut self,
        _: bool,
        _: &mut Window,
        _: &mut Context<Self>,
    ) -> Option<UTF16Selection> {
        Some(UTF16Selection {
            range: 0..0,
            reversed: false,
        })
    }

    fn marked_text_range(&self, _: &mut Window, _: &mut Context<Self>) -> Option<Range<usize>> {
        self.composition.range()
    }

    fn unmark_text(&mut self, _: &mut Window, cx: &mut Context<Self>) {
        // Left standing by an input method that goes away, it is not what the user meant to send.
        if self.composition.abandon() {
            cx.notify();
        }
    }

    fn replace_text_in_range(
        &mut self,
        _: Option<Range<usize>>,
        text: &str,
        _: &mut Window,
        cx: &mut Context<Self>,
    ) {
        if self.composition.abandon() {
            cx.notify();
        }
        self.send(text.as_bytes().to_vec(), cx);
    }

    fn replace_and_mark_text_in_range(
        &mut self,
        _: Option<Range<usize>>,
        text: &str,
        _: Option<Range<usize>>,
        _: &mut Window,
        cx: &mut Context<Self>,
    ) {
        self.composition.compose(text);
        cx.notify();
    }

    fn bounds_for_range(
        &mut self,
        _: Range<usize>,
        _: Bounds<Pixels>,
        _: &mut Window,
        _: &mut Context<Self>,
    ) -> Option<Bounds<Pixels>> {
        let layout = self.layout?;
        let cursor = self.frame.cursor?;
        Some(layout.grid.cells(cursor.column, cursor.line, 1))
    }

    fn character_index_for_point(
        &mut self,
        _: Point<Pixels>,
        _: &mut Window,
        _: &mut Context<Self>,
    ) -> Option<usize> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_composition_is_measured_as_input_methods_count() {
        let mut composition = Composition::default();
        assert_eq!(composition.range(), None);
        composition.compose("ni");
        composition.compose("你𠮷");
        assert_eq!(composition.range(), Some(0..3));
        assert_eq!(composition.text(), "你𠮷");
    }

    #[test]
    fn what_is_committed_or_given_up_is_no_longer_in_composition() {
        let mut composition = Composition::default();
        assert!(!composition.abandon());
        composition.compose("ni");
        assert!(composition.abandon());
        assert!(composition.is_empty());
        // Composing back to nothing is the end of it, too.
        composition.compose("n");
        composition.compose("");
        assert_eq!(composition.range(), None);
    }
}

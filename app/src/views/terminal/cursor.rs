//! The cursor in its shapes, and the text that is being composed at it.

use gpui::{Hsla, SharedString, TextRun, UnderlineStyle, Window, fill, outline, point, px};
use terminal::CursorShape;

use super::glyphs::GlyphCache;
use super::painter::Grid;
use crate::views::fonts::Face;
use crate::views::theme::palette::Colours;

/// A cursor that is to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caret {
    /// Row on the screen, from 0.
    pub row: usize,
    /// Column, from 0.
    pub column: usize,
    /// 1, or 2 on a wide character.
    pub cells: usize,
    /// What it looks like while its pane has the focus.
    pub shape: CursorShape,
    /// Whether its pane has the focus; without, every shape is a hollow block.
    pub focused: bool,
}

impl Caret {
    /// The cell whose text a filled block covers.
    pub fn covers(&self) -> Option<(usize, usize)> {
        let filled = self.focused && self.shape == CursorShape::Block;
        filled.then_some((self.row, self.column))
    }

    /// Paints a filled block; comes before the text, which then stands on it.
    pub fn paint_under(&self, grid: &Grid, colours: &Colours<'_>, window: &mut Window) {
        if self.covers().is_some() {
            let area = grid.cells(self.column, self.row, self.cells);
            window.paint_quad(fill(area, Hsla::from(colours.cursor())));
        }
    }

    /// Paints every other shape, over the text.
    pub fn paint_over(&self, grid: &Grid, colours: &Colours<'_>, window: &mut Window) {
        let colour = Hsla::from(colours.cursor());
        let (left, top) = (grid.left(self.column), grid.top(self.row));
        let right = grid.left(self.column + self.cells);
        let bottom = top + grid.metrics.height;
        let thick = (grid.metrics.width / 5).max(1);
        if !self.focused || self.shape == CursorShape::HollowBlock {
            if self.shape != CursorShape::Hidden {
                let area = grid.rectangle(left, top, right, bottom);
                window.paint_quad(outline(area, colour, gpui::BorderStyle::Solid));
            }
            return;
        }
        let area = match self.shape {
            CursorShape::Beam => grid.rectangle(left, top, left + thick, bottom),
            CursorShape::Underline => grid.rectangle(left, bottom - thick, right, bottom),
            CursorShape::Block | CursorShape::HollowBlock | CursorShape::Hidden => return,
        };
        window.paint_quad(fill(area, colour));
    }
}

/// Paints text in composition over a grid of so many columns, from the cursor on, with its own underline.
pub fn paint_preedit(
    text: &SharedString,
    (row, column, columns): (usize, usize, usize),
    grid: &Grid,
    colours: &Colours<'_>,
    glyphs: &GlyphCache,
    window: &mut Window,
    cx: &mut gpui::App,
) {
    if text.is_empty() {
        return;
    }
    let colour = Hsla::from(colours.foreground());
    let run = TextRun {
        len: text.len(),
        font: glyphs.choice().font(Face::default()),
        color: colour,
        background_color: None,
        underline: Some(UnderlineStyle {
            color: Some(colour),
            thickness: px(1.0),
            wavy: false,
        }),
        strikethrough: None,
    };
    let size = px(glyphs.choice().size);
    let line = window
        .text_system()
        .shape_line(text.clone(), size, &[run], None);
    let mut area = grid.cells(column, row, 1);
    area.size.width = line.width();
    // At the end of a row there is no room to the right, and what is being composed must be seen.
    let (left, right) = (
        grid.cells(0, row, 1).left(),
        grid.cells(columns, row, 1).left(),
    );
    area.origin.x = area.left().min(right - line.width()).max(left);
    window.paint_quad(fill(area, Hsla::from(colours.selection())));
    let origin = point(area.origin.x, area.origin.y);
    let painted = line.paint(
        origin,
        area.size.height,
        gpui::TextAlign::Left,
        None,
        window,
        cx,
    );
    if let Err(error) = painted {
        tracing::debug!(%error, "text in composition was not painted");
    }
}

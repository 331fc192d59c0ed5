//! Paints one frame of a terminal: grounds, symbols, glyphs and their decorations, in that order.
//!
//! All positions are computed in device pixels from column and row, so that a ground, a line and a glyph of the same
//! cell always agree, at every scale. Grounds of equal colour are merged into one rectangle along a row.

use gpui::{
    Bounds, Hsla, Path, PathBuilder, Pixels, Point, UnderlineStyle, Window, fill, point, size,
};
use terminal::{Cell, Flags, Frame};

use super::decorations;
use super::glyphs::GlyphCache;
use super::symbols::{self, Part};
use crate::views::fonts::{CellMetrics, Face};
use crate::views::theme::colour::Rgb;
use crate::views::theme::palette::{Colours, Role};

/// The grid's place on the screen.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// Top left corner of the first cell, in device pixels.
    pub origin: (i32, i32),
    /// Measures of a cell.
    pub metrics: CellMetrics,
}

impl Grid {
    /// The left edge of a column, in device pixels.
    pub fn left(&self, column: usize) -> i32 {
        self.origin.0
            + self
                .metrics
                .width
                .saturating_mul(i32::try_from(column).unwrap_or(i32::MAX))
    }

    /// The top edge of a row, in device pixels.
    pub fn top(&self, row: usize) -> i32 {
        self.origin.1
            + self
                .metrics
                .height
                .saturating_mul(i32::try_from(row).unwrap_or(i32::MAX))
    }

    /// A rectangle given in device pixels, in the window's own measure.
    pub fn rectangle(&self, left: i32, top: i32, right: i32, bottom: i32) -> Bounds<Pixels> {
        let logical = |value| self.metrics.logical(value);
        Bounds::new(
            point(logical(left), logical(top)),
            size(logical(right - left), logical(bottom - top)),
        )
    }

    /// The cells from `column` on, `cells` wide, of one row.
    pub fn cells(&self, column: usize, row: usize, cells: usize) -> Bounds<Pixels> {
        let (left, top) = (self.left(column), self.top(row));
        self.rectangle(
            left,
            top,
            self.left(column + cells),
            top + self.metrics.height,
        )
    }

    fn point(&self, x: f32, y: f32) -> Point<Pixels> {
        point(
            gpui::px(x / self.metrics.scale),
            gpui::px(y / self.metrics.scale),
        )
    }
}

/// The colours of one cell after inverse, dim, hidden and selection.
#[derive(Clone, Copy, PartialEq)]
struct Ink {
    /// Glyph and lines.
    text: Rgb,
    /// Behind them; `None` where the grid's own ground shows.
    ground: Option<Rgb>,
}

/// One row, with what holds for all of its cells.
#[derive(Clone, Copy)]
struct Row<'a> {
    number: usize,
    cells: &'a [Cell],
    selected: (usize, usize),
}

/// What is needed to paint a frame.
pub struct Painter<'a> {
    /// Where.
    pub grid: Grid,
    /// What.
    pub frame: &'a Frame,
    /// In which colours.
    pub colours: Colours<'a>,
    /// With which glyphs.
    pub glyphs: &'a mut GlyphCache,
    /// The cell under a block cursor, whose text takes the cursor's own colour.
    pub covered: Option<(usize, usize)>,
}

impl<'a> Painter<'a> {
    /// Paints the grounds of all cells that differ from the grid's own.
    pub fn paint_grounds(&self, window: &mut Window) {
        for row in rows(self.frame) {
            self.paint_row_grounds(row, window);
        }
    }

    /// Paints symbols, glyphs and their decorations.
    pub fn paint_text(&mut self, window: &mut Window) {
        for row in rows(self.frame) {
            self.paint_row(row, window);
        }
    }

    fn ink(&self, row: Row<'_>, column: usize, cell: &Cell) -> Ink {
        let colours = &self.colours;
        let flags = cell.flags;
        let inverse = flags.contains(Flags::INVERSE);
        let (text_of, ground_of) = if inverse {
            (cell.bg, cell.fg)
        } else {
            (cell.fg, cell.bg)
        };
        let mut text = colours.resolve(text_of, Role::Text);
        let mut ground = colours.resolve(ground_of, Role::Ground);
        if flags.contains(Flags::DIM) {
            text = colours.dim(text);
        }
        let (start, end) = row.selected;
        if (start..end).contains(&column) {
            ground = colours.selection();
            text = text.readable_on(ground, 3.0);
        }
        if flags.contains(Flags::HIDDEN) {
            text = ground;
        }
        if self.covered == Some((row.number, column)) {
            text = colours.cursor_text();
        }
        Ink {
            text,
            ground: (ground != colours.background()).then_some(ground),
        }
    }

    fn paint_row_grounds(&self, row: Row<'_>, window: &mut Window) {
        let mut run: Option<(usize, Rgb)> = None;
        for column in 0..=row.cells.len() {
            let cell = row.cells.get(column);
            let ground = cell.and_then(|cell| self.ink(row, column, cell).ground);
            if run.map(|(_, colour)| colour) == ground {
                continue;
            }
            if let Some((start, colour)) = run {
                let area = self.grid.cells(start, row.number, column - start);
                paint_ground(area, colour, window);
            }
            run = ground.map(|colour| (column, colour));
        }
    }

    fn paint_row(&mut self, row: Row<'_>, window: &mut Window) {
        let lines = Flags::ALL_UNDERLINES | Flags::STRIKEOUT;
        let spacers = Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER;
        for (column, cell) in row.cells.iter().enumerate() {
            let blank = matches!(cell.c, ' ' | '\0' | '\t') && cell.zerowidth.is_none();
            if cell.flags.intersects(spacers) || blank && !cell.flags.intersects(lines) {
                continue;
            }
            let ink = self.ink(row, column, cell);
            let cells = 1 + u8::from(cell.flags.contains(Flags::WIDE_CHAR));
            if cell.flags.intersects(lines) {
                let own = cell.underline_color;
                let under = own.map_or(ink.text, |own| self.colours.resolve(own, Role::Text));
                let place = (row.number, column, usize::from(cells));
                decorations::paint(&self.grid, place, cell.flags, (ink.text, under), window);
            }
            if blank || cell.flags.contains(Flags::HIDDEN) {
                continue;
            }
            let place = (row.number, column);
            if symbols::is_symbol(cell.c) {
                self.paint_symbol(place, cell.c, ink.text.into(), window);
            } else {
                self.paint_glyphs(place, cell, cells, ink.text.into(), window);
            }
        }
    }

    fn paint_glyphs(
        &mut self,
        (row, column): (usize, usize),
        cell: &Cell,
        cells: u8,
        colour: Hsla,
        window: &mut Window,
    ) {
        let face = Face {
            bold: cell.flags.contains(Flags::BOLD),
            italic: cell.flags.contains(Flags::ITALIC),
        };
        let glyphs = match cell.zerowidth.as_deref() {
            None => self.glyphs.character(cell.c, face, cells, window),
            Some(marks) => {
                let text = std::iter::once(cell.c)
                    .chain(marks.iter().copied())
                    .collect();
                self.glyphs.cluster(text, face, cells, window)
            }
        };
        let metrics = self.grid.metrics;
        let base = point(
            metrics.logical(self.grid.left(column)),
            metrics.logical(self.grid.top(row) + metrics.baseline),
        );
        for glyph in glyphs.iter() {
            let place = base + point(glyph.x, glyph.y);
            let painted = if glyph.emoji {
                window.paint_emoji(place, glyph.font, glyph.id, glyph.size)
            } else {
                window.paint_glyph(place, glyph.font, glyph.id, glyph.size, colour)
            };
            // A glyph that cannot be rasterised leaves its cell blank; there is nothing better to show.
            if let Err(error) = painted {
                tracing::debug!(%error, "a glyph was not painted");
            }
        }
    }

    fn paint_symbol(
        &self,
        (row, column): (usize, usize),
        c: char,
        colour: Hsla,
        window: &mut Window,
    ) {
        let metrics = self.grid.metrics;
        let cell = symbols::CellBox {
            width: metrics.width,
            height: metrics.height,
        };
        let (left, top) = (self.grid.left(column), self.grid.top(row));
        for part in symbols::symbol(c, cell).unwrap_or_default() {
            match part {
                Part::Block(b) => {
                    let (right, bottom) = (left + b.right, top + b.bottom);
                    let area = self
                        .grid
                        .rectangle(left + b.left, top + b.top, right, bottom);
                    window.paint_quad(fill(area, colour.opacity(b.opacity)));
                }
                Part::Polygon(points) => {
                    let at = |(x, y): (f32, f32)| self.grid.point(left as f32 + x, top as f32 + y);
                    if let Some(path) = polygon(points.into_iter().map(at)) {
                        window.paint_path(path, colour);
                    }
                }
            }
        }
    }
}

/// Fills an area of whole device pixels with an opaque colour.
///
/// Drawn as one thick line: GPUI's program for quads reads the whole quad for each of its pixels, which is most of a
/// frame where pixels are drawn in software.
pub fn paint_ground(area: Bounds<Pixels>, colour: Rgb, window: &mut Window) {
    let line = UnderlineStyle {
        thickness: area.size.height,
        color: Some(Hsla::from(colour)),
        wavy: false,
    };
    window.paint_underline(area.origin, area.size.width, &line);
}

fn rows(frame: &Frame) -> impl Iterator<Item = Row<'_>> {
    // Spans come from top to bottom, at most one for each line.
    let mut spans = frame.selection.iter().peekable();
    (0..frame.lines).map(move |number| {
        while spans.next_if(|span| span.line < number).is_some() {}
        let span = spans.peek().filter(|span| span.line == number);
        let selected = span.map_or((0, 0), |span| (span.start, span.end));
        Row {
            number,
            cells: frame.row(number),
            selected,
        }
    })
}

fn polygon(points: impl Iterator<Item = Point<Pixels>>) -> Option<Path<Pixels>> {
    let points: Vec<_> = points.collect();
    let mut builder = PathBuilder::fill();
    builder.add_polygon(&points, true);
    builder.build().ok()
}

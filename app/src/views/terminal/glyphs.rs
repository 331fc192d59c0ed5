//! Glyphs of single cells, shaped once and then looked up.
//!
//! Every cell of the grid is placed by its column, never by the advance of the text before it; so what has to be
//! shaped is one grapheme, and the answer never depends on its neighbours. A screen of known characters costs no
//! shaping at all, whichever rows changed. Glyphs of fallback fonts are centred in their cells, and made smaller when
//! they would not fit, so that they never shift the grid.

use std::collections::HashMap;
use std::rc::Rc;

use gpui::{FontId, GlyphId, Hsla, Pixels, SharedString, TextRun, Window, px};

use crate::views::fonts::{CellMetrics, Face, FontChoice};

/// Entries kept before the table starts anew; a screen of 400 x 120 distinct characters still fits.
const CAPACITY: usize = 50_000;

/// How much wider than its cells a glyph may be before it is made smaller.
const TOLERANCE: f32 = 1.08;

/// A glyph with its place relative to the cell's left edge and the baseline.
#[derive(Clone, Copy, Debug)]
pub struct Glyph {
    /// The face it comes from.
    pub font: FontId,
    /// Its number in that face.
    pub id: GlyphId,
    /// The size to draw it at.
    pub size: Pixels,
    /// Right of the cell's left edge.
    pub x: Pixels,
    /// Below the baseline.
    pub y: Pixels,
    /// Whether it brings its own colours.
    pub emoji: bool,
}

/// The glyphs of one grapheme; usually one, more for combining marks.
pub type Glyphs = Rc<[Glyph]>;

#[derive(PartialEq, Eq, Hash)]
struct Key {
    text: SharedString,
    face: Face,
    cells: u8,
}

/// The table, for one font choice at one scale.
pub struct GlyphCache {
    choice: FontChoice,
    metrics: CellMetrics,
    ascii: Vec<Option<Glyphs>>,
    single: HashMap<(char, Face, u8), Glyphs>,
    clusters: HashMap<Key, Glyphs>,
}

impl GlyphCache {
    /// An empty table.
    pub fn new(choice: FontChoice, metrics: CellMetrics) -> Self {
        Self {
            choice,
            metrics,
            ascii: vec![None; 4 * 128],
            single: HashMap::new(),
            clusters: HashMap::new(),
        }
    }

    /// The measures the table was made for.
    pub fn metrics(&self) -> CellMetrics {
        self.metrics
    }

    /// The font the table was made for.
    pub fn choice(&self) -> &FontChoice {
        &self.choice
    }

    /// The glyphs of one character that takes `cells` (1 or 2) cells.
    pub fn character(&mut self, c: char, face: Face, cells: u8, window: &Window) -> Glyphs {
        let slot = usize::try_from(u32::from(c))
            .ok()
            .filter(|code| *code < 128 && cells == 1);
        if let Some(slot) = slot.map(|code| code + 128 * face.index()) {
            if let Some(Some(glyphs)) = self.ascii.get(slot) {
                return glyphs.clone();
            }
            let glyphs = self.shape(c.to_string().into(), face, cells, window);
            if let Some(place) = self.ascii.get_mut(slot) {
                *place = Some(glyphs.clone());
            }
            return glyphs;
        }
        if let Some(glyphs) = self.single.get(&(c, face, cells)) {
            return glyphs.clone();
        }
        let glyphs = self.shape(c.to_string().into(), face, cells, window);
        if self.single.len() >= CAPACITY {
            self.single.clear();
        }
        self.single.insert((c, face, cells), glyphs.clone());
        glyphs
    }

    /// The glyphs of a character with combining marks or joiners.
    pub fn cluster(&mut self, text: String, face: Face, cells: u8, window: &Window) -> Glyphs {
        let key = Key {
            text: text.into(),
            face,
            cells,
        };
        if let Some(glyphs) = self.clusters.get(&key) {
            return glyphs.clone();
        }
        let glyphs = self.shape(key.text.clone(), face, cells, window);
        if self.clusters.len() >= CAPACITY {
            self.clusters.clear();
        }
        self.clusters.insert(key, glyphs.clone());
        glyphs
    }

    fn shape(&self, text: SharedString, face: Face, cells: u8, window: &Window) -> Glyphs {
        let font = self.choice.font(face);
        let own = window.text_system().resolve_font(&font);
        let room = f32::from(self.metrics.logical(self.metrics.width)) * f32::from(cells);
        let run = TextRun {
            len: text.len(),
            font,
            color: Hsla::default(),
            background_color: None,
            underline: None,
            strikethrough: None,
        };
        let size = px(self.choice.size);
        let shape = |size| {
            let runs = std::slice::from_ref(&run);
            window
                .text_system()
                .shape_line(text.clone(), size, runs, None)
        };

        let mut line = shape(size);
        let mut drawn_size = size;
        let foreign = line.runs.iter().any(|run| run.font_id != own);
        let width = f32::from(line.width());
        if foreign && width > room * TOLERANCE {
            drawn_size = px((f32::from(size) * room / width).max(1.0));
            line = shape(drawn_size);
        }
        let shift = if foreign {
            px((room - f32::from(line.width())) / 2.0)
        } else {
            px(0.0)
        };
        let glyphs = line.runs.iter().flat_map(|run| {
            run.glyphs.iter().map(|glyph| Glyph {
                font: run.font_id,
                id: glyph.id,
                size: drawn_size,
                x: glyph.position.x + shift,
                y: glyph.position.y,
                emoji: glyph.is_emoji,
            })
        });
        glyphs.collect()
    }
}

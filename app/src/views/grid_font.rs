//! The font of every grid of the program, and its glyphs: one table that all panes share.

use std::cell::RefCell;
use std::rc::Rc;

use gpui::{App, Global, Window};

use super::fonts::{CellMetrics, FontChoice, SIZES};
use super::terminal::glyphs::GlyphCache;

/// The choice in force.
pub struct GridFont {
    /// What the settings say.
    settings: FontChoice,
    /// The size of this run, when the user changed it with the keys.
    size: Option<f32>,
    cache: Option<Rc<RefCell<GlyphCache>>>,
}

impl Global for GridFont {}

impl GridFont {
    /// Puts what the settings say into force. Returns whether anything changed.
    pub fn set(choice: FontChoice, cx: &mut App) -> bool {
        if let Some(font) = cx.try_global::<Self>()
            && font.settings == choice
        {
            return false;
        }
        // A new size in the settings is meant to be seen: it ends what the keys did.
        cx.set_global(Self {
            settings: choice,
            size: None,
            cache: None,
        });
        true
    }

    /// Makes the font larger (positive) or smaller by whole pixels, within the allowed sizes.
    pub fn step(by: f32, cx: &mut App) {
        let font = cx.global_mut::<Self>();
        let size = font.size.unwrap_or(font.settings.size) + by;
        font.size = Some(size.clamp(*SIZES.start(), *SIZES.end()));
    }

    /// Brings back the size of the settings.
    pub fn reset(cx: &mut App) {
        cx.global_mut::<Self>().size = None;
    }

    fn choice(&self) -> FontChoice {
        let mut choice = self.settings.clone();
        choice.size = self
            .size
            .unwrap_or(choice.size)
            .clamp(*SIZES.start(), *SIZES.end());
        choice
    }

    /// The glyphs for this window; made anew when font, size or scale have changed.
    pub fn glyphs(window: &Window, cx: &mut App) -> Rc<RefCell<GlyphCache>> {
        let font = cx.global::<Self>();
        let choice = font.choice();
        if let Some(cache) = &font.cache {
            let fits = {
                let cache = cache.borrow();
                let scale = cache.metrics().scale;
                *cache.choice() == choice && scale.total_cmp(&window.scale_factor()).is_eq()
            };
            if fits {
                return cache.clone();
            }
        }
        let metrics = CellMetrics::measure(&choice, window, cx);
        let cache = Rc::new(RefCell::new(GlyphCache::new(choice, metrics)));
        cx.global_mut::<Self>().cache = Some(cache.clone());
        cache
    }
}

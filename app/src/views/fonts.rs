//! The fonts of the grid: the bundled JetBrains Mono, the fallbacks behind it, and the size of one cell.

use std::borrow::Cow;

use gpui::{
    App, Font, FontFallbacks, FontFeatures, FontStyle, FontWeight, Pixels, SharedString, Window, px,
};

/// The family that comes with the program, so that every machine looks right.
pub const BUNDLED_FAMILY: &str = "JetBrains Mono";

/// The setting that means the bundled family.
const AUTO: &str = "auto";

/// Smallest and largest font size, in pixels; those of the setting `ui.font_size`.
pub const SIZES: std::ops::RangeInclusive<f32> = 6.0..=72.0;

/// Families asked for what the chosen one lacks, in this order; absent ones are skipped.
const FALLBACKS: [&str; 9] = [
    BUNDLED_FAMILY,
    "Noto Sans Mono CJK SC",
    "Noto Sans CJK SC",
    "PingFang SC",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
    "Symbols Nerd Font Mono",
    "DejaVu Sans Mono",
    "Noto Sans Symbols 2",
];

/// Registers the bundled faces with the text system.
pub fn load(cx: &App) -> anyhow::Result<()> {
    cx.text_system().add_fonts(vec![
        Cow::Borrowed(include_bytes!(
            "../../../assets/fonts/jetbrains-mono/JetBrainsMono-Regular.ttf"
        )),
        Cow::Borrowed(include_bytes!(
            "../../../assets/fonts/jetbrains-mono/JetBrainsMono-Bold.ttf"
        )),
        Cow::Borrowed(include_bytes!(
            "../../../assets/fonts/jetbrains-mono/JetBrainsMono-Italic.ttf"
        )),
        Cow::Borrowed(include_bytes!(
            "../../../assets/fonts/jetbrains-mono/JetBrainsMono-BoldItalic.ttf"
        )),
    ])
}

/// The family a setting means: the bundled one for `auto` and for a family that is not installed.
pub fn family(setting: &str, cx: &App) -> SharedString {
    if setting != AUTO && is_installed(setting, cx) {
        setting.to_owned().into()
    } else {
        SharedString::from(BUNDLED_FAMILY)
    }
}

/// Whether the text system has a family of this name.
pub fn is_installed(family: &str, cx: &App) -> bool {
    family == AUTO
        || cx
            .text_system()
            .all_font_names()
            .iter()
            .any(|name| name == family)
}

/// Which of the four faces of a family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Face {
    /// Heavy strokes.
    pub bold: bool,
    /// Slanted.
    pub italic: bool,
}

impl Face {
    /// A number from 0 to 3, for tables.
    pub fn index(self) -> usize {
        usize::from(self.bold) | usize::from(self.italic) << 1
    }
}

/// What the settings say about the font of the grid.
#[derive(Clone, Debug, PartialEq)]
pub struct FontChoice {
    /// Family, see [`family`].
    pub family: SharedString,
    /// Size in logical pixels.
    pub size: f32,
    /// Row height as a multiple of the size.
    pub line_height: f32,
}

impl FontChoice {
    /// The font of one face, with its fallbacks.
    pub fn font(&self, face: Face) -> Font {
        let family = self.family.clone();
        let fallbacks = FALLBACKS
            .iter()
            .filter(|name| family != **name)
            .map(ToString::to_string);
        Font {
            fallbacks: Some(FontFallbacks::from_fonts(fallbacks.collect())),
            family,
            features: FontFeatures::disable_ligatures(),
            weight: if face.bold {
                FontWeight::BOLD
            } else {
                FontWeight::NORMAL
            },
            style: if face.italic {
                FontStyle::Italic
            } else {
                FontStyle::Normal
            },
        }
    }
}

/// The grid's measures in device pixels, which is where cells join without seams.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellMetrics {
    /// Width of a cell.
    pub width: i32,
    /// Height of a cell.
    pub height: i32,
    /// Distance of the baseline from the top of the cell.
    pub baseline: i32,
    /// Device pixels of one logical pixel.
    pub scale: f32,
}

impl CellMetrics {
    /// Measures `choice` for the screen that `window` is on.
    pub fn measure(choice: &FontChoice, window: &Window, cx: &App) -> Self {
        let scale = window.scale_factor().max(0.1);
        let size = px(choice.size);
        let text = cx.text_system();
        let font = text.resolve_font(&choice.font(Face::default()));
        let advance = text
            .advance(font, size, '0')
            .map_or(size * 0.6, |advance| advance.width);
        let ascent = f32::from(text.ascent(font, size));
        let descent = f32::from(text.descent(font, size)).abs();
        let device = |value: f32| (value * scale).round() as i32;
        let height = device(choice.size * choice.line_height).max(1);
        let slack = height as f32 / scale - ascent - descent;
        Self {
            width: device(f32::from(advance)).max(1),
            height,
            baseline: device(slack / 2.0 + ascent).clamp(1, height),
            scale,
        }
    }

    /// Logical pixels of a number of device pixels.
    pub fn logical(&self, device: i32) -> Pixels {
        px(device as f32 / self.scale)
    }
}

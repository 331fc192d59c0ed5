//! The terminal's colours in force: what `Color` in a cell means on the screen.
//!
//! Named and indexed colours come from the theme; as text they are moved towards black or white until they stand at
//! least 4.5:1 on the theme's ground (the first 16 only, and not the one that *is* the ground's own shade, which
//! programs use as text on other grounds). True colours are what the program says.

use terminal::{Color, NamedColor};

use super::colour::Rgb;
use super::{Appearance, TerminalColours};

/// Readable text by WCAG 2.2, level AA.
const READABLE: f32 = 4.5;

/// How far dim text moves towards the ground.
const DIM: f32 = 0.4;

/// Whether a colour is wanted for strokes or for the ground behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Glyphs, lines.
    Text,
    /// Behind glyphs.
    Ground,
}

/// Resolved colours of one theme.
#[derive(Clone, Debug)]
pub struct Palette {
    text: Vec<Rgb>,
    ground: Vec<Rgb>,
    /// Text without a colour of its own.
    pub foreground: Rgb,
    /// The ground of the grid.
    pub background: Rgb,
    /// The cursor.
    pub cursor: Rgb,
    /// Text under a block cursor.
    pub cursor_text: Rgb,
    /// The ground of selected text.
    pub selection: Rgb,
}

impl Palette {
    /// Resolves the colours of a theme.
    pub fn new(appearance: Appearance, colours: &TerminalColours) -> Self {
        let ground: Vec<Rgb> = colours
            .normal
            .iter()
            .chain(&colours.bright)
            .copied()
            .chain((16..=255).map(indexed))
            .collect();
        let own_shade: &[usize] = match appearance {
            Appearance::Dark => &[0],
            Appearance::Light => &[7, 15],
        };
        let text = ground
            .iter()
            .enumerate()
            .map(|(index, colour)| {
                if index < 16 && !own_shade.contains(&index) {
                    colour.readable_on(colours.background, READABLE)
                } else {
                    *colour
                }
            })
            .collect();
        Self {
            text,
            ground,
            foreground: colours.foreground,
            background: colours.background,
            cursor: colours.cursor,
            cursor_text: colours.cursor_text,
            selection: colours.selection,
        }
    }

    /// The colour a cell means.
    pub fn resolve(&self, colour: Color, role: Role) -> Rgb {
        let table = match role {
            Role::Text => &self.text,
            Role::Ground => &self.ground,
        };
        let entry = |index: usize| table.get(index).copied().unwrap_or(self.foreground);
        let dim = |index: usize| entry(index).mix(self.background, DIM);
        match colour {
            Color::Spec(rgb) => Rgb::new(rgb.r, rgb.g, rgb.b),
            Color::Indexed(index) => entry(usize::from(index)),
            Color::Named(name) => match name {
                NamedColor::Foreground | NamedColor::BrightForeground => self.foreground,
                NamedColor::Background => self.background,
                NamedColor::Cursor => self.cursor,
                NamedColor::DimForeground => self.foreground.mix(self.background, DIM),
                NamedColor::DimBlack => dim(0),
                NamedColor::DimRed => dim(1),
                NamedColor::DimGreen => dim(2),
                NamedColor::DimYellow => dim(3),
                NamedColor::DimBlue => dim(4),
                NamedColor::DimMagenta => dim(5),
                NamedColor::DimCyan => dim(6),
                NamedColor::DimWhite => dim(7),
                name => entry(name as usize),
            },
        }
    }

    /// Every colour as programs may ask for it: 0 to 255, then the named ones.
    pub fn answers(&self) -> Vec<terminal::Rgb> {
        let plain = |colour: Rgb| terminal::Rgb {
            r: colour.r,
            g: colour.g,
            b: colour.b,
        };
        let named = [self.foreground, self.background, self.cursor];
        self.ground
            .iter()
            .copied()
            .chain(named)
            .map(plain)
            .collect()
    }
}

/// The colours of one terminal: the theme's, unless its program changed them (OSC 4, 10, 11, 12).
#[derive(Clone, Copy)]
pub struct Colours<'a> {
    /// The theme's.
    pub theme: &'a Palette,
    /// The program's.
    pub changed: &'a terminal::Palette,
}

impl Colours<'_> {
    /// The colour a cell means.
    pub fn resolve(&self, colour: Color, role: Role) -> Rgb {
        let index = match colour {
            Color::Named(name) => name as usize,
            Color::Indexed(index) => usize::from(index),
            Color::Spec(_) => return self.theme.resolve(colour, role),
        };
        self.changed(index)
            .unwrap_or_else(|| self.theme.resolve(colour, role))
    }

    /// Text without a colour of its own.
    pub fn foreground(&self) -> Rgb {
        self.changed(NamedColor::Foreground as usize)
            .unwrap_or(self.theme.foreground)
    }

    /// The ground of the grid.
    pub fn background(&self) -> Rgb {
        self.changed(NamedColor::Background as usize)
            .unwrap_or(self.theme.background)
    }

    /// The cursor.
    pub fn cursor(&self) -> Rgb {
        self.changed(NamedColor::Cursor as usize)
            .unwrap_or(self.theme.cursor)
    }

    /// Text under a block cursor.
    pub fn cursor_text(&self) -> Rgb {
        self.theme.cursor_text.readable_on(self.cursor(), READABLE)
    }

    /// The ground of selected text.
    pub fn selection(&self) -> Rgb {
        self.theme.selection
    }

    /// `colour` as dim text (SGR 2).
    pub fn dim(&self, colour: Rgb) -> Rgb {
        colour.mix(self.background(), DIM)
    }

    fn changed(&self, index: usize) -> Option<Rgb> {
        if self.changed.is_empty() {
            return None;
        }
        self.changed
            .get(index)
            .map(|colour| Rgb::new(colour.r, colour.g, colour.b))
    }
}

/// Entries 16 to 255 of the usual palette: a 6x6x6 cube and a ramp of greys.
fn indexed(index: u16) -> Rgb {
    let level = |value: u16| -> u8 {
        match value {
            0 => 0,
            value => u8::try_from(55 + value * 40).unwrap_or(u8::MAX),
        }
    };
    if index < 232 {
        let cube = index.saturating_sub(16);
        Rgb::new(level(cube / 36), level(cube / 6 % 6), level(cube % 6))
    } else {
        let grey = u8::try_from(8 + (index - 232) * 10).unwrap_or(u8::MAX);
        Rgb::new(grey, grey, grey)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::theme::bundled;

    #[test]
    fn the_cube_and_the_greys_are_those_of_xterm() {
        assert_eq!(indexed(16), Rgb::new(0, 0, 0));
        assert_eq!(indexed(21), Rgb::new(0, 0, 255));
        assert_eq!(indexed(67), Rgb::new(95, 135, 175));
        assert_eq!(indexed(231), Rgb::new(255, 255, 255));
        assert_eq!(indexed(232), Rgb::new(8, 8, 8));
        assert_eq!(indexed(255), Rgb::new(238, 238, 238));
    }

    #[test]
    fn terminal_text_is_readable_in_every_theme() {
        for theme in bundled() {
            let palette = Palette::new(theme.appearance, &theme.terminal);
            let name = &theme.name;
            let plain = palette.foreground.contrast(palette.background);
            assert!(plain >= READABLE, "{name}: text is {plain:.2}:1");
            let selected = palette.foreground.contrast(palette.selection);
            assert!(
                selected >= READABLE,
                "{name}: selected text is {selected:.2}:1"
            );
            for index in (1..7).chain(8..15) {
                let colour = palette.resolve(Color::Indexed(index), Role::Text);
                let ratio = colour.contrast(palette.background);
                assert!(ratio >= READABLE, "{name}: colour {index} is {ratio:.2}:1");
            }
        }
    }
}

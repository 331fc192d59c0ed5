//! The colours answered to colour queries.

use alacritty_terminal::term::color::Colors;

use crate::{NamedColor, Rgb};

/// A theme's colours, by index: 0..=255, then [`NamedColor`] values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Theme(Vec<Rgb>);

/// xterm's first sixteen colours.
const ANSI: [(u8, u8, u8); 16] = [
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
    (127, 127, 127),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (92, 92, 255),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 255),
];

impl Theme {
    pub(crate) fn new(colors: Vec<Rgb>) -> Self {
        Self(colors)
    }

    /// The colour at an index: the program's, else the theme's, else xterm's.
    pub(crate) fn resolve(&self, index: usize, changed: &Colors) -> Rgb {
        // The library's table has no checked access; every index a query can name is inside.
        let in_table = index < alacritty_terminal::term::color::COUNT;
        #[allow(
            clippy::indexing_slicing,
            reason = "the index was compared with the length"
        )]
        let changed = if in_table { changed[index] } else { None };
        changed
            .or_else(|| self.0.get(index).copied())
            .unwrap_or_else(|| xterm(index))
    }
}

/// xterm's colour at an index.
fn xterm(index: usize) -> Rgb {
    let rgb = |r, g, b| Rgb { r, g, b };
    if let Some((r, g, b)) = ANSI.get(index) {
        return rgb(*r, *g, *b);
    }
    match (index, u8::try_from(index)) {
        (16..232, Ok(index)) => {
            let level = |step: u8| if step == 0 { 0 } else { step * 40 + 55 };
            let cube = index - 16;
            rgb(level(cube / 36), level(cube / 6 % 6), level(cube % 6))
        }
        (232..256, Ok(index)) => {
            let gray = (index - 232) * 10 + 8;
            rgb(gray, gray, gray)
        }
        _ if index == NamedColor::Background as usize => rgb(0, 0, 0),
        _ => rgb(229, 229, 229),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cube_and_the_grays_are_xterms() {
        assert_eq!(xterm(16), Rgb { r: 0, g: 0, b: 0 });
        assert_eq!(
            xterm(231),
            Rgb {
                r: 255,
                g: 255,
                b: 255
            }
        );
        assert_eq!(
            xterm(208),
            Rgb {
                r: 255,
                g: 135,
                b: 0
            }
        );
        assert_eq!(xterm(232), Rgb { r: 8, g: 8, b: 8 });
        assert_eq!(
            xterm(255),
            Rgb {
                r: 238,
                g: 238,
                b: 238
            }
        );
    }

    #[test]
    fn the_program_goes_before_the_theme() {
        let theme = Theme::new(vec![Rgb { r: 1, g: 2, b: 3 }]);
        let mut changed = Colors::default();
        assert_eq!(theme.resolve(0, &changed), Rgb { r: 1, g: 2, b: 3 });
        changed[0usize] = Some(Rgb { r: 9, g: 9, b: 9 });
        assert_eq!(theme.resolve(0, &changed), Rgb { r: 9, g: 9, b: 9 });
        assert_eq!(theme.resolve(1, &changed), Rgb { r: 205, g: 0, b: 0 });
        assert_eq!(theme.resolve(usize::MAX, &changed), xterm(usize::MAX));
    }
}

//! Writes a cell's look as SGR (Select Graphic Rendition) sequences, ECMA-48 §8.3.117 and xterm's
//! colour extensions.

use std::fmt::Write;

use alacritty_terminal::term::cell::Cell;

use crate::{Color, Flags, NamedColor};

/// Back to the default look.
pub(crate) const RESET: &str = "\x1b[0m";

/// The look of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    fg: Color,
    bg: Color,
    underline_color: Option<Color>,
    flags: Flags,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            fg: Color::Named(NamedColor::Foreground),
            bg: Color::Named(NamedColor::Background),
            underline_color: None,
            flags: Flags::empty(),
        }
    }
}

/// Flags with an SGR number, and that number.
const ATTRIBUTES: [(Flags, &str); 11] = [
    (Flags::BOLD, ";1"),
    (Flags::DIM, ";2"),
    (Flags::ITALIC, ";3"),
    (Flags::UNDERLINE, ";4"),
    (Flags::DOUBLE_UNDERLINE, ";4:2"),
    (Flags::UNDERCURL, ";4:3"),
    (Flags::DOTTED_UNDERLINE, ";4:4"),
    (Flags::DASHED_UNDERLINE, ";4:5"),
    (Flags::INVERSE, ";7"),
    (Flags::HIDDEN, ";8"),
    (Flags::STRIKEOUT, ";9"),
];

impl Style {
    pub(crate) fn of(cell: &Cell) -> Self {
        let mut flags = Flags::empty();
        for (flag, _) in ATTRIBUTES {
            flags |= cell.flags & flag;
        }
        Self {
            fg: cell.fg,
            bg: cell.bg,
            underline_color: cell.underline_color(),
            flags,
        }
    }

    /// True when a blank cell of this style looks like no cell at all.
    pub(crate) fn is_invisible_on_blank(&self) -> bool {
        let seen = Flags::INVERSE | Flags::STRIKEOUT | Flags::ALL_UNDERLINES;
        self.bg == Color::Named(NamedColor::Background) && !self.flags.intersects(seen)
    }

    /// Appends what turns `self` into `next`, and becomes it.
    pub(crate) fn change_to(&mut self, next: Self, text: &mut String) {
        if *self == next {
            return;
        }
        *self = next;
        text.push_str("\x1b[0");
        for (flag, number) in ATTRIBUTES {
            if next.flags.contains(flag) {
                text.push_str(number);
            }
        }
        color(text, next.fg, 38);
        color(text, next.bg, 48);
        if let Some(underline) = next.underline_color {
            color(text, underline, 58);
        }
        text.push('m');
    }
}

/// Appends a colour; `base` is 38, 48 or 58. The default colours need nothing after a reset.
fn color(text: &mut String, color: Color, base: u8) {
    let written = match color {
        Color::Spec(rgb) => write!(text, ";{base};2;{};{};{}", rgb.r, rgb.g, rgb.b),
        Color::Indexed(index) => write!(text, ";{base};5;{index}"),
        Color::Named(named) => match (named as usize, base) {
            (index @ 0..8, 38 | 48) => write!(text, ";{}", usize::from(base) - 8 + index),
            (index @ 8..16, 38 | 48) => write!(text, ";{}", usize::from(base) + 44 + index),
            (index @ 0..16, _) => write!(text, ";{base};5;{index}"),
            _ => Ok(()),
        },
    };
    // Writing to a string does not fail.
    debug_assert!(written.is_ok());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rgb;

    fn sgr(style: Style) -> String {
        let mut text = String::new();
        Style::default().change_to(style, &mut text);
        text
    }

    #[test]
    fn colors_and_attributes() {
        let plain = Style::default();
        assert_eq!(sgr(plain), "");
        assert_eq!(
            sgr(Style {
                fg: Color::Named(NamedColor::Red),
                ..plain
            }),
            "\x1b[0;31m"
        );
        assert_eq!(
            sgr(Style {
                bg: Color::Named(NamedColor::BrightBlue),
                ..plain
            }),
            "\x1b[0;104m"
        );
        assert_eq!(
            sgr(Style {
                fg: Color::Indexed(208),
                ..plain
            }),
            "\x1b[0;38;5;208m"
        );
        let rgb = Color::Spec(Rgb { r: 1, g: 2, b: 3 });
        assert_eq!(sgr(Style { bg: rgb, ..plain }), "\x1b[0;48;2;1;2;3m");
        let curly = Style {
            underline_color: Some(rgb),
            flags: Flags::UNDERCURL,
            ..plain
        };
        assert_eq!(sgr(curly), "\x1b[0;4:3;58;2;1;2;3m");
        assert_eq!(
            sgr(Style {
                flags: Flags::BOLD | Flags::INVERSE,
                ..plain
            }),
            "\x1b[0;1;7m"
        );
    }
}

//! A colour as themes write it (`#rrggbb`), and the arithmetic of readable text.

use std::str::FromStr;

use gpui::Hsla;
use serde::{Deserialize, Deserializer};

/// A colour in sRGB, eight bits a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rgb {
    /// Red.
    pub r: u8,
    /// Green.
    pub g: u8,
    /// Blue.
    pub b: u8,
}

/// What is wrong with a colour in a theme file.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a colour; write it as #rrggbb")]
pub struct NotAColour(String);

impl Rgb {
    /// A colour from its channels.
    pub const fn new(r: u8, g: u8, b: u8) -> Self {
        Self { r, g, b }
    }

    /// Relative luminance by WCAG 2.2, 0 (black) to 1 (white).
    fn luminance(self) -> f32 {
        let channel = |value: u8| {
            let value = f32::from(value) / 255.0;
            if value <= 0.040_45 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * channel(self.r) + 0.7152 * channel(self.g) + 0.0722 * channel(self.b)
    }

    /// Contrast ratio by WCAG 2.2, 1 to 21; the order does not matter.
    pub fn contrast(self, other: Self) -> f32 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// `self` moved towards `other` by `share` (0 to 1).
    pub fn mix(self, other: Self, share: f32) -> Self {
        let channel = |a: u8, b: u8| {
            (f32::from(a) + (f32::from(b) - f32::from(a)) * share)
                .round()
                .clamp(0.0, 255.0) as u8
        };
        Self {
            r: channel(self.r, other.r),
            g: channel(self.g, other.g),
            b: channel(self.b, other.b),
        }
    }

    /// The colour nearest to `self`, on the way to black or white, that has at least `ratio` on `ground`.
    pub fn readable_on(self, ground: Self, ratio: f32) -> Self {
        if self.contrast(ground) >= ratio {
            return self;
        }
        let black = Self::new(0, 0, 0);
        let white = Self::new(255, 255, 255);
        let goal = if white.contrast(ground) >= black.contrast(ground) {
            white
        } else {
            black
        };
        (1..=32)
            .map(|step| self.mix(goal, step as f32 / 32.0))
            .find(|colour| colour.contrast(ground) >= ratio)
            .unwrap_or(goal)
    }

    /// `#rrggbb`.
    pub fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.r, self.g, self.b)
    }
}

impl From<Rgb> for Hsla {
    fn from(colour: Rgb) -> Self {
        let channel = |value: u8| f32::from(value) / 255.0;
        gpui::Rgba {
            r: channel(colour.r),
            g: channel(colour.g),
            b: channel(colour.b),
            a: 1.0,
        }
        .into()
    }
}

impl FromStr for Rgb {
    type Err = NotAColour;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || NotAColour(text.to_owned());
        let digits = text
            .strip_prefix('#')
            .filter(|digits| digits.len() == 6)
            .ok_or_else(wrong)?;
        let [_, r, g, b] = u32::from_str_radix(digits, 16)
            .map_err(|_| wrong())?
            .to_be_bytes();
        Ok(Self { r, g, b })
    }
}

impl<'de> Deserialize<'de> for Rgb {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_and_written() {
        assert_eq!("#0a1B2c".parse::<Rgb>().unwrap(), Rgb::new(10, 27, 44));
        assert_eq!(Rgb::new(10, 27, 44).hex(), "#0a1b2c");
        for wrong in [
            "", "#", "0a1b2c", "#0a1b2", "#0a1b2cd", "#zzzzzz", "#+a1b2c1",
        ] {
            assert!(wrong.parse::<Rgb>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn contrast_is_that_of_wcag() {
        let black = Rgb::new(0, 0, 0);
        let white = Rgb::new(255, 255, 255);
        assert!((black.contrast(white) - 21.0).abs() < 0.01);
        assert!((white.contrast(white) - 1.0).abs() < 0.01);
        // The grey that WCAG itself names as the border of AA on white.
        assert!((Rgb::new(0x76, 0x76, 0x76).contrast(white) - 4.54).abs() < 0.01);
    }

    #[test]
    fn unreadable_text_is_made_readable_and_readable_text_is_left_alone() {
        let white = Rgb::new(255, 255, 255);
        let yellow = Rgb::new(0xf9, 0xe2, 0xaf);
        assert!(yellow.readable_on(white, 4.5).contrast(white) >= 4.5);
        let blue = Rgb::new(0, 0, 200);
        assert_eq!(blue.readable_on(white, 4.5), blue);
    }
}

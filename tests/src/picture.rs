//! Comparing what was drawn with a stored picture.
//!
//! Two machines do not draw the same text to the last bit. So a picture is cut into blocks of 16×16
//! pixels, and a block is *different* when the mean of a colour channel, or how much the channel
//! varies inside the block, is off by more than rounding and antialiasing explain. Missing text, a
//! moved divider or another theme changes many blocks; another font rasteriser changes none.

use std::fs;
use std::path::PathBuf;

use image::{Rgb, RgbImage};

use crate::poll::{self, PATIENCE};

/// When set to `1`, what was drawn becomes the stored picture, and some of it documentation.
pub const WRITE: &str = "NEBULA_WRITE_PICTURES";

/// Edge of a block in pixels.
const BLOCK: u32 = 16;

/// How far a mean or a variation may be off, of 255.
const OFF: f64 = 14.0;

/// How many of 1000 blocks may differ.
const BLOCKS_PER_MILLE: usize = 4;

/// A rectangle that is not compared, because it shows something that differs in every run.
#[derive(Debug, Clone, Copy)]
pub struct Mask {
    /// Left edge.
    pub x: u32,
    /// Upper edge.
    pub y: u32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

/// Asserts that what `look` returns comes to look like `tests/pictures/<name>.png`.
///
/// The last picture goes to `tests/output/<name>.png` in any case. With [`WRITE`] the first one,
/// which should be one that stands still, becomes the stored picture.
///
/// # Panics
/// When there is no stored picture, or what is drawn does not become like it in [`PATIENCE`];
/// different blocks are then marked in `tests/output/<name>-difference.png`.
pub fn expect(name: &str, masks: &[Mask], mut look: impl FnMut() -> RgbImage) {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let drawn = root.join("output").join(format!("{name}.png"));
    let stored = root.join("pictures").join(format!("{name}.png"));
    let mut picture = || {
        let picture = masked(look(), masks);
        save(&picture, &drawn);
        picture
    };
    if is_writing() {
        save(&picture(), &stored);
        return;
    }
    let wanted = image::open(&stored)
        .unwrap_or_else(|error| panic!("{}: {error}; {WRITE}=1 stores one", stored.display()))
        .into_rgb8();
    let what = format!("{} to look like {}", drawn.display(), stored.display());
    let marked = root.join("output").join(format!("{name}-difference.png"));
    poll::until_ok(&what, PATIENCE, || {
        let picture = picture();
        compare(&wanted, &picture).inspect_err(|difference| {
            save(&difference.marked(&picture), &marked);
        })
    });
    // What is left of a look that came too early would only confuse.
    if let Err(error) = fs::remove_file(&marked)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        panic!("{}: {error}", marked.display());
    }
}

/// With [`WRITE`], a picture becomes `docs/images/<name>.png`, with nothing covered.
pub fn document(name: &str, picture: &RgbImage) {
    if is_writing() {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let path = root.join("../docs/images").join(format!("{name}.png"));
        save(picture, &path);
    }
}

fn is_writing() -> bool {
    std::env::var(WRITE).is_ok_and(|value| value == "1")
}

/// A picture without what the masks hide.
#[must_use]
pub fn masked(mut picture: RgbImage, masks: &[Mask]) -> RgbImage {
    masks.iter().for_each(|mask| cover(&mut picture, *mask));
    picture
}

/// How two pictures differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// They have different sizes.
    Size((u32, u32), (u32, u32)),
    /// Too many blocks look different; their corners and the number of all blocks.
    Blocks(Vec<(u32, u32)>, usize),
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Size(wanted, drawn) => write!(f, "size {drawn:?} instead of {wanted:?}"),
            Self::Blocks(blocks, all) => {
                write!(
                    f,
                    "{} of {all} blocks differ, the first at {:?}",
                    blocks.len(),
                    blocks[0]
                )
            }
        }
    }
}

impl Difference {
    fn marked(&self, picture: &RgbImage) -> RgbImage {
        let mut marked = picture.clone();
        if let Self::Blocks(blocks, _) = self {
            for (left, top) in blocks {
                for offset in 0..BLOCK {
                    for (x, y) in [
                        (left + offset, *top),
                        (left + offset, top + BLOCK - 1),
                        (*left, top + offset),
                        (left + BLOCK - 1, top + offset),
                    ] {
                        if let Some(pixel) = marked.get_pixel_mut_checked(x, y) {
                            *pixel = Rgb([255, 0, 0]);
                        }
                    }
                }
            }
        }
        marked
    }
}

/// Compares two pictures block by block.
///
/// # Errors
/// When the sizes differ or too many blocks do.
pub fn compare(wanted: &RgbImage, drawn: &RgbImage) -> Result<(), Difference> {
    if wanted.dimensions() != drawn.dimensions() {
        return Err(Difference::Size(wanted.dimensions(), drawn.dimensions()));
    }
    let corners = |length: u32| (0..length).step_by(BLOCK as usize);
    let mut all = 0;
    let mut different = Vec::new();
    for y in corners(wanted.height()) {
        for x in corners(wanted.width()) {
            all += 1;
            let (one, other) = (look(wanted, x, y), look(drawn, x, y));
            if one
                .iter()
                .zip(other)
                .any(|(one, other)| (one - other).abs() > OFF)
            {
                different.push((x, y));
            }
        }
    }
    if different.len() * 1000 > all * BLOCKS_PER_MILLE {
        return Err(Difference::Blocks(different, all));
    }
    Ok(())
}

/// Mean and mean deviation of each channel in one block.
fn look(picture: &RgbImage, left: u32, top: u32) -> [f64; 6] {
    let mut pixels = Vec::with_capacity((BLOCK * BLOCK) as usize);
    for y in top..(top + BLOCK).min(picture.height()) {
        for x in left..(left + BLOCK).min(picture.width()) {
            pixels.push(picture.get_pixel(x, y).0);
        }
    }
    let mut result = [0.0; 6];
    let count = pixels.len() as f64;
    for channel in 0..3 {
        let values = || pixels.iter().map(|pixel| f64::from(pixel[channel]));
        let mean = values().sum::<f64>() / count;
        result[channel] = mean;
        result[channel + 3] = values().map(|value| (value - mean).abs()).sum::<f64>() / count;
    }
    result
}

/// Paints a rectangle over.
fn cover(picture: &mut RgbImage, mask: Mask) {
    for y in mask.y..(mask.y + mask.height).min(picture.height()) {
        for x in mask.x..(mask.x + mask.width).min(picture.width()) {
            picture.put_pixel(x, y, Rgb([128, 128, 128]));
        }
    }
}

/// How many different colours a picture has: a black or unpainted window has few.
#[must_use]
pub fn colours(picture: &RgbImage) -> usize {
    picture
        .pixels()
        .collect::<std::collections::HashSet<_>>()
        .len()
}

/// The mean brightness, 0 black to 255 white.
#[must_use]
pub fn brightness(picture: &RgbImage) -> f64 {
    let sum: u64 = picture
        .pixels()
        .flat_map(|pixel| pixel.0)
        .map(u64::from)
        .sum();
    sum as f64 / (f64::from(picture.width()) * f64::from(picture.height()) * 3.0)
}

fn save(picture: &RgbImage, path: &std::path::Path) {
    fs::create_dir_all(path.parent().expect("a file is in a directory")).expect("directories");
    picture
        .save(path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Grey with `lines` rows of strokes that stand for text.
    fn page(lines: u32, stroke: u8) -> RgbImage {
        RgbImage::from_fn(320, 200, |x, y| {
            let text = y / 20 < lines && y % 20 < 12 && x % 7 < 2 && x < 240;
            Rgb([if text { stroke } else { 30 }; 3])
        })
    }

    #[test]
    fn the_same_picture_is_the_same() {
        assert_eq!(compare(&page(5, 220), &page(5, 220)), Ok(()));
    }

    #[test]
    fn slightly_different_antialiasing_is_the_same() {
        assert_eq!(compare(&page(5, 220), &page(5, 205)), Ok(()));
    }

    #[test]
    fn a_missing_line_of_text_is_seen() {
        assert!(matches!(
            compare(&page(5, 220), &page(4, 220)),
            Err(Difference::Blocks(..))
        ));
    }

    #[test]
    fn another_background_is_seen() {
        let mut light = page(5, 220);
        light
            .pixels_mut()
            .for_each(|pixel| pixel.0 = pixel.0.map(|value| 255 - value));
        assert!(compare(&page(5, 220), &light).is_err());
    }

    #[test]
    fn another_size_is_seen() {
        let small = RgbImage::new(319, 200);
        assert!(matches!(
            compare(&page(5, 220), &small),
            Err(Difference::Size(..))
        ));
    }

    #[test]
    fn a_mask_hides_what_differs() {
        let mask = Mask {
            x: 0,
            y: 80,
            width: 320,
            height: 20,
        };
        let (mut one, mut other) = (page(5, 220), page(4, 220));
        cover(&mut one, mask);
        cover(&mut other, mask);
        assert_eq!(compare(&one, &other), Ok(()));
    }
}

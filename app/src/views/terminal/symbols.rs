//! Characters that are drawn as geometry instead of glyphs, so that neighbouring cells join without a seam.
//!
//! Box drawing (U+2500..257F), block elements (U+2580..259F), braille (U+2800..28FF), powerline arrows
//! (U+E0B0..E0B3, U+E0B8..E0BF) and sextants (U+1FB00..1FB3B). Everything here works in whole device pixels of one
//! cell whose origin is its top left corner; nothing here knows a window. A shape never reaches outside its cell.

mod arcs;
mod blocks;
mod lines;
mod powerline;

/// The cell a symbol is drawn into, in device pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CellBox {
    /// Width, at least 1.
    pub width: i32,
    /// Height, at least 1.
    pub height: i32,
}

impl CellBox {
    /// How thick a light line is: the same for every symbol of a grid.
    pub fn stroke(self) -> i32 {
        ((self.width as f32 / 8.0).round() as i32).clamp(1, self.height.max(1))
    }
}

/// A rectangle in device pixels, right and bottom exclusive, with a share of the text colour's opacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Left edge.
    pub left: i32,
    /// Top edge.
    pub top: i32,
    /// Right edge, exclusive.
    pub right: i32,
    /// Bottom edge, exclusive.
    pub bottom: i32,
    /// 0 (nothing) to 1 (the text colour).
    pub opacity: f32,
}

/// One part of a symbol.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A filled rectangle on pixel borders.
    Block(Block),
    /// A filled polygon.
    Polygon(Vec<(f32, f32)>),
}

/// The parts of a symbol; empty when the symbol is empty (blank braille, say).
pub type Symbol = Vec<Part>;

pub(super) fn block(left: i32, top: i32, right: i32, bottom: i32) -> Part {
    Part::Block(Block {
        left,
        top,
        right,
        bottom,
        opacity: 1.0,
    })
}

/// Whether [`symbol`] draws this character; cheap, for every cell of every frame.
pub fn is_symbol(c: char) -> bool {
    matches!(
        u32::from(c),
        0x2500..=0x259f | 0x2800..=0x28ff | 0xe0b0..=0xe0b3 | 0xe0b8..=0xe0bf | 0x1_fb00..=0x1_fb3b
    )
}

/// The geometry of `c`, or `None` when a glyph must draw it.
pub fn symbol(c: char, cell: CellBox) -> Option<Symbol> {
    let code = u32::from(c);
    match code {
        0x256d..=0x2570 => Some(arcs::arc(code, cell)),
        0x2571..=0x2573 => Some(arcs::diagonal(code, cell)),
        0x2500..=0x257f => lines::lines(code, cell),
        0x2580..=0x259f => blocks::block_element(code, cell),
        0x2800..=0x28ff => Some(blocks::braille(code, cell)),
        0x1_fb00..=0x1_fb3b => Some(blocks::sextant(code, cell)),
        0xe0b0..=0xe0b3 | 0xe0b8..=0xe0bf => powerline::powerline(code, cell),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_symbol() -> impl Iterator<Item = char> {
        (0x2500..=0x1_fb3b)
            .filter_map(char::from_u32)
            .filter(|c| is_symbol(*c))
    }

    #[test]
    fn what_is_called_a_symbol_has_a_geometry() {
        for c in every_symbol() {
            let parts = symbol(
                c,
                CellBox {
                    width: 9,
                    height: 18,
                },
            );
            assert!(parts.is_some(), "U+{:04X}", u32::from(c));
            let blank = c == '\u{2800}';
            assert_eq!(
                parts.is_some_and(|parts| parts.is_empty()),
                blank,
                "U+{:04X}",
                u32::from(c)
            );
        }
    }

    #[test]
    fn shapes_stay_inside_their_cell_at_any_size() {
        let sizes = [
            (1, 1),
            (2, 3),
            (5, 11),
            (8, 17),
            (9, 18),
            (17, 37),
            (40, 80),
        ];
        for (width, height) in sizes {
            for c in every_symbol() {
                for part in symbol(c, CellBox { width, height }).unwrap_or_default() {
                    let inside = match &part {
                        Part::Block(b) => {
                            b.left >= 0
                                && b.top >= 0
                                && b.right <= width
                                && b.bottom <= height
                                && b.left <= b.right
                                && b.top <= b.bottom
                        }
                        Part::Polygon(points) => points.iter().all(|(x, y)| {
                            (-0.01..=width as f32 + 0.01).contains(x)
                                && (-0.01..=height as f32 + 0.01).contains(y)
                        }),
                    };
                    assert!(
                        inside,
                        "U+{:04X} at {width}x{height}: {part:?}",
                        u32::from(c)
                    );
                }
            }
        }
    }

    #[test]
    fn lines_reach_the_border_where_their_neighbour_begins() {
        let cell = CellBox {
            width: 9,
            height: 19,
        };
        let spans = |c: char| symbol(c, cell).unwrap_or_default();
        let reaches = |c: char, test: fn(&Block, CellBox) -> bool| {
            spans(c)
                .iter()
                .any(|part| matches!(part, Part::Block(block) if test(block, cell)))
        };
        for c in ['─', '┼', '├', '═', '╬', '╭', '┌', '╚'] {
            assert!(
                reaches(c, |b, cell| b.right == cell.width),
                "{c} reaches right"
            );
        }
        for c in ['│', '┼', '┬', '║', '╬', '╭', '╮', '┐'] {
            assert!(
                reaches(c, |b, cell| b.bottom == cell.height),
                "{c} reaches down"
            );
        }
    }
}

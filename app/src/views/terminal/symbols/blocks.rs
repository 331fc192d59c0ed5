//! Block elements, braille and sextants: all are rectangles on a grid within the cell.

use super::{Block, CellBox, Part, Symbol, block};

/// The border after `share` of `whole` parts of `extent`; neighbours compute the same pixel.
fn border(extent: i32, share: i32, whole: i32) -> i32 {
    (extent as f32 * share as f32 / whole as f32).round() as i32
}

pub(super) fn block_element(code: u32, cell: CellBox) -> Option<Symbol> {
    let CellBox { width, height } = cell;
    let eighths = |from: u32| i32::try_from(code.saturating_sub(from)).unwrap_or(0);
    Some(match code {
        0x2580 => vec![block(0, 0, width, border(height, 4, 8))],
        0x2581..=0x2588 => {
            let top = height - border(height, eighths(0x2580), 8).max(1);
            vec![block(0, top, width, height)]
        }
        0x2589..=0x258f => {
            vec![block(
                0,
                0,
                border(width, 8 - eighths(0x2588), 8).max(1),
                height,
            )]
        }
        0x2590 => vec![block(border(width, 4, 8).min(width - 1), 0, width, height)],
        0x2591..=0x2593 => vec![Part::Block(Block {
            left: 0,
            top: 0,
            right: width,
            bottom: height,
            opacity: (eighths(0x2590)) as f32 / 4.0,
        })],
        0x2594 => vec![block(0, 0, width, border(height, 1, 8).max(1))],
        0x2595 => vec![block(width - border(width, 1, 8).max(1), 0, width, height)],
        0x2596 => quadrants(0b0100, cell),
        0x2597 => quadrants(0b1000, cell),
        0x2598 => quadrants(0b0001, cell),
        0x2599 => quadrants(0b1101, cell),
        0x259a => quadrants(0b1001, cell),
        0x259b => quadrants(0b0111, cell),
        0x259c => quadrants(0b1011, cell),
        0x259d => quadrants(0b0010, cell),
        0x259e => quadrants(0b0110, cell),
        0x259f => quadrants(0b1110, cell),
        _ => return None,
    })
}

/// Quadrants by bit: upper left, upper right, lower left, lower right.
fn quadrants(bits: u32, cell: CellBox) -> Symbol {
    grid(bits, 2, 2, cell)
}

/// Sextants: bits row by row; the code points leave out blank, both halves and full.
pub(super) fn sextant(code: u32, cell: CellBox) -> Symbol {
    let index = code.saturating_sub(0x1_fb00) + 1;
    let bits = index + u32::from(index >= 0b010101) + u32::from(index + 1 >= 0b101010);
    grid(bits, 2, 3, cell)
}

fn grid(bits: u32, columns: i32, rows: i32, cell: CellBox) -> Symbol {
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
    places
        .enumerate()
        .filter(|(index, _)| bits & (1 << index) != 0)
        .map(|(_, (column, row))| {
            block(
                border(cell.width, column, columns),
                border(cell.height, row, rows),
                border(cell.width, column + 1, columns),
                border(cell.height, row + 1, rows),
            )
        })
        .collect()
}

/// Dots in two columns of four; Unicode numbers the first six downwards and then the bottom row.
pub(super) fn braille(code: u32, cell: CellBox) -> Symbol {
    const PLACES: [(i32, i32); 8] = [
        (0, 0),
        (0, 1),
        (0, 2),
        (1, 0),
        (1, 1),
        (1, 2),
        (0, 3),
        (1, 3),
    ];
    let bits = code & 0xff;
    let dot = (cell.width / 4).min(cell.height / 8).max(1);
    PLACES
        .iter()
        .enumerate()
        .filter(|(index, _)| bits & (1 << index) != 0)
        .map(|(_, (column, row))| {
            let centre_x = cell.width as f32 * (*column as f32 * 2.0 + 1.0) / 4.0;
            let centre_y = cell.height as f32 * (*row as f32 * 2.0 + 1.0) / 8.0;
            let left = ((centre_x - dot as f32 / 2.0).round() as i32).clamp(0, cell.width - dot);
            let top = ((centre_y - dot as f32 / 2.0).round() as i32).clamp(0, cell.height - dot);
            block(left, top, left + dot, top + dot)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_meet_and_cover_the_cell() {
        for height in 1..40 {
            let cell = CellBox { width: 9, height };
            let [Part::Block(upper)] = block_element(0x2580, cell).unwrap()[..] else {
                panic!()
            };
            let [Part::Block(lower)] = block_element(0x2584, cell).unwrap()[..] else {
                panic!()
            };
            assert!((upper.bottom - lower.top).abs() <= 1 && lower.bottom == height);
        }
    }

    #[test]
    fn sextants_skip_the_shapes_that_have_code_points_elsewhere() {
        let cell = CellBox {
            width: 8,
            height: 18,
        };
        assert_eq!(sextant(0x1_fb00, cell), grid(0b000001, 2, 3, cell));
        assert_eq!(sextant(0x1_fb13, cell), grid(0b010100, 2, 3, cell));
        assert_eq!(sextant(0x1_fb14, cell), grid(0b010110, 2, 3, cell));
        assert_eq!(sextant(0x1_fb27, cell), grid(0b101001, 2, 3, cell));
        assert_eq!(sextant(0x1_fb28, cell), grid(0b101011, 2, 3, cell));
        assert_eq!(sextant(0x1_fb3b, cell), grid(0b111110, 2, 3, cell));
    }
}

//! Rounded corners and diagonals. Their straight ends are pixel rectangles like those of the lines they join.

use super::{CellBox, Part, Symbol, block};

const STEPS: u32 = 12;

/// `╭ ╮ ╯ ╰`.
pub(super) fn arc(code: u32, cell: CellBox) -> Symbol {
    let stroke = cell.stroke().min(cell.width).min(cell.height);
    let left = (cell.width - stroke) / 2;
    let top = (cell.height - stroke) / 2;
    let to_right = matches!(code, 0x256d | 0x2570);
    let to_bottom = matches!(code, 0x256d | 0x256e);

    // The corner's centre line turns around `(turn_x, turn_y)` with the radius of the shorter way out of the cell.
    let middle = (
        left as f32 + stroke as f32 / 2.0,
        top as f32 + stroke as f32 / 2.0,
    );
    let room_x = if to_right {
        cell.width - left
    } else {
        left + stroke
    };
    let room_y = if to_bottom {
        cell.height - top
    } else {
        top + stroke
    };
    let radius = room_x.min(room_y) as f32 - stroke as f32 / 2.0;
    let (sign_x, sign_y) = (
        if to_right { 1.0 } else { -1.0 },
        if to_bottom { 1.0 } else { -1.0 },
    );
    let (turn_x, turn_y) = (middle.0 + sign_x * radius, middle.1 + sign_y * radius);

    let rim = |radius: f32, step: u32| {
        let angle = step as f32 / STEPS as f32 * std::f32::consts::FRAC_PI_2;
        (
            turn_x - sign_x * radius * angle.cos(),
            turn_y - sign_y * radius * angle.sin(),
        )
    };
    let outer = radius + stroke as f32 / 2.0;
    let inner = (radius - stroke as f32 / 2.0).max(0.0);
    let mut ring: Vec<_> = (0..=STEPS).map(|step| rim(outer, step)).collect();
    ring.extend((0..=STEPS).rev().map(|step| rim(inner, step)));
    let clamp = |(x, y): (f32, f32)| {
        (
            x.clamp(0.0, cell.width as f32),
            y.clamp(0.0, cell.height as f32),
        )
    };
    let mut parts = vec![Part::Polygon(ring.into_iter().map(clamp).collect())];

    let turn_x = turn_x.round() as i32;
    let turn_y = turn_y.round() as i32;
    // The straight rest, with at least the last pixel, so that the joint is exact.
    let (from, to) = if to_right {
        (turn_x.min(cell.width - 1), cell.width)
    } else {
        (0, turn_x.max(1))
    };
    parts.push(block(from.max(0), top, to.min(cell.width), top + stroke));
    let (from, to) = if to_bottom {
        (turn_y.min(cell.height - 1), cell.height)
    } else {
        (0, turn_y.max(1))
    };
    parts.push(block(left, from.max(0), left + stroke, to.min(cell.height)));
    parts
}

/// `╱ ╲ ╳`.
pub(super) fn diagonal(code: u32, cell: CellBox) -> Symbol {
    let (width, height) = (cell.width as f32, cell.height as f32);
    let stroke = cell.stroke() as f32;
    // A band whose horizontal thickness gives the stroke's thickness across the slope.
    let reach = (stroke * width.hypot(height) / height / 2.0).min(width / 2.0);
    let rise = (stroke * width.hypot(height) / width / 2.0).min(height / 2.0);
    let falling = vec![
        (0.0, 0.0),
        (reach, 0.0),
        (width, height - rise),
        (width, height),
        (width - reach, height),
        (0.0, rise),
    ];
    let rising: Vec<_> = falling.iter().map(|(x, y)| (width - x, *y)).collect();
    match code {
        0x2571 => vec![Part::Polygon(rising)],
        0x2572 => vec![Part::Polygon(falling)],
        _ => vec![Part::Polygon(rising), Part::Polygon(falling)],
    }
}

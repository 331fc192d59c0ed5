//! Powerline's arrows and slants, which prompts put between grounds of different colours.

use super::{CellBox, Part, Symbol};

pub(super) fn powerline(code: u32, cell: CellBox) -> Option<Symbol> {
    let (width, height) = (cell.width as f32, cell.height as f32);
    let middle = height / 2.0;
    let stroke = (cell.stroke() as f32).min(width / 2.0);
    let mirrored = |points: Vec<(f32, f32)>| {
        vec![Part::Polygon(
            points.into_iter().map(|(x, y)| (width - x, y)).collect(),
        )]
    };
    let arrow = vec![(0.0, 0.0), (width, middle), (0.0, height)];
    let chevron = vec![
        (0.0, 0.0),
        (stroke, 0.0),
        (width, middle),
        (stroke, height),
        (0.0, height),
        (width - stroke, middle),
    ];
    let lower_left = vec![(0.0, 0.0), (width, height), (0.0, height)];
    let upper_left = vec![(0.0, 0.0), (width, 0.0), (0.0, height)];
    let falling = vec![
        (0.0, 0.0),
        (stroke, 0.0),
        (width, height),
        (width - stroke, height),
    ];
    Some(match code {
        0xe0b0 => vec![Part::Polygon(arrow)],
        0xe0b1 => vec![Part::Polygon(chevron)],
        0xe0b2 => mirrored(arrow),
        0xe0b3 => mirrored(chevron),
        0xe0b8 => vec![Part::Polygon(lower_left)],
        0xe0b9 => vec![Part::Polygon(falling)],
        0xe0ba => mirrored(lower_left),
        0xe0bb => mirrored(falling),
        0xe0bc => vec![Part::Polygon(upper_left)],
        0xe0bd => mirrored(falling),
        0xe0be => mirrored(upper_left),
        0xe0bf => vec![Part::Polygon(falling)],
        _ => return None,
    })
}

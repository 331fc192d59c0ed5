//! Underlines of every kind and strikethrough, drawn cell by cell so that neighbours join.

use gpui::{Hsla, UnderlineStyle, Window, fill, point};
use terminal::Flags;

use super::painter::Grid;
use crate::views::theme::colour::Rgb;

/// Paints the lines of the cells at `(row, column, cells)` in `(strikethrough, underline)` colours.
pub fn paint(
    grid: &Grid,
    (row, column, cells): (usize, usize, usize),
    flags: Flags,
    (strike, under): (Rgb, Rgb),
    window: &mut Window,
) {
    let metrics = grid.metrics;
    let thick = (metrics.height / 14).max(1);
    let (left, right) = (grid.left(column), grid.left(column + cells));
    let top = grid.top(row);
    let bottom = top + metrics.height;
    // Below the baseline by one stroke, but always inside the cell.
    let line = (top + metrics.baseline + thick).min(bottom - thick);
    let (strike, under): (Hsla, Hsla) = (strike.into(), under.into());
    let mut bar = |left: i32, right: i32, y: i32, colour: Hsla| {
        window.paint_quad(fill(grid.rectangle(left, y, right, y + thick), colour));
    };

    if flags.contains(Flags::STRIKEOUT) {
        bar(
            left,
            right,
            top + metrics.baseline - metrics.baseline * 3 / 10,
            strike,
        );
    }
    if flags.contains(Flags::UNDERLINE) {
        bar(left, right, line, under);
    } else if flags.contains(Flags::DOUBLE_UNDERLINE) {
        let second = (line + 2 * thick).min(bottom - thick);
        bar(left, right, second - 2 * thick, under);
        bar(left, right, second, under);
    } else if flags.contains(Flags::DOTTED_UNDERLINE) {
        // The pattern is tied to the screen, not to the cell, so that it runs on across cells.
        let step = 2 * thick;
        let first = left + (step - left.rem_euclid(step)) % step;
        let mut x = first;
        while x < right {
            bar(x, (x + thick).min(right), line, under);
            x += step;
        }
    } else if flags.contains(Flags::DASHED_UNDERLINE) {
        let quarter = ((right - left) / 4).max(1);
        bar(left, left + quarter, line, under);
        bar(right - quarter, right, line, under);
    } else if flags.contains(Flags::UNDERCURL) {
        let style = UnderlineStyle {
            color: Some(under),
            thickness: metrics.logical(thick),
            wavy: true,
        };
        let origin = point(metrics.logical(left), metrics.logical(line - thick));
        window.paint_underline(origin, metrics.logical(right - left), &style);
    }
}

//! Straight box drawing: four arms that meet in the middle, each absent, light, heavy or double; and dashes.

use super::{CellBox, Part, Symbol, block};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Arm {
    None,
    Light,
    Heavy,
    Double,
}

/// Arms as left, up, right, down: `.` none, `1` light, `2` heavy, `3` double; blank where another rule draws.
const ARMS: [&[u8; 4]; 128] = [
    b"1.1.", b"2.2.", b".1.1", b".2.2", b"    ", b"    ", b"    ", b"    ", // 2500
    b"    ", b"    ", b"    ", b"    ", b"..11", b"..21", b"..12", b"..22", // 2508
    b"1..1", b"2..1", b"1..2", b"2..2", b".11.", b".12.", b".21.", b".22.", // 2510
    b"11..", b"21..", b"12..", b"22..", b".111", b".121", b".211", b".112", // 2518
    b".212", b".221", b".122", b".222", b"11.1", b"21.1", b"12.1", b"11.2", // 2520
    b"12.2", b"22.1", b"21.2", b"22.2", b"1.11", b"2.11", b"1.21", b"2.21", // 2528
    b"1.12", b"2.12", b"1.22", b"2.22", b"111.", b"211.", b"112.", b"212.", // 2530
    b"121.", b"221.", b"122.", b"222.", b"1111", b"2111", b"1121", b"2121", // 2538
    b"1211", b"1112", b"1212", b"2211", b"1221", b"2112", b"1122", b"2221", // 2540
    b"2122", b"2212", b"1222", b"2222", b"    ", b"    ", b"    ", b"    ", // 2548
    b"3.3.", b".3.3", b"..31", b"..13", b"..33", b"3..1", b"1..3", b"3..3", // 2550
    b".13.", b".31.", b".33.", b"31..", b"13..", b"33..", b".131", b".313", // 2558
    b".333", b"31.1", b"13.3", b"33.3", b"3.31", b"1.13", b"3.33", b"313.", // 2560
    b"131.", b"333.", b"3131", b"1313", b"3333", b"    ", b"    ", b"    ", // 2568
    b"    ", b"    ", b"    ", b"    ", b"1...", b".1..", b"..1.", b"...1", // 2570
    b"2...", b".2..", b"..2.", b"...2", b"1.2.", b".1.2", b"2.1.", b".2.1", // 2578
];

pub(super) fn lines(code: u32, cell: CellBox) -> Option<Symbol> {
    if let Some((count, heavy, vertical)) = dash(code) {
        return Some(dashes(count, heavy, vertical, cell));
    }
    let arms = ARMS.get(usize::try_from(code.checked_sub(0x2500)?).ok()?)?;
    let arm = |code: u8| match code {
        b'1' => Some(Arm::Light),
        b'2' => Some(Arm::Heavy),
        b'3' => Some(Arm::Double),
        b'.' => Some(Arm::None),
        _ => None,
    };
    let [left, up, right, down] = **arms;
    Some(junction(
        arm(left)?,
        arm(up)?,
        arm(right)?,
        arm(down)?,
        cell,
    ))
}

fn dash(code: u32) -> Option<(i32, bool, bool)> {
    Some(match code {
        0x2504 => (3, false, false),
        0x2505 => (3, true, false),
        0x2506 => (3, false, true),
        0x2507 => (3, true, true),
        0x2508 => (4, false, false),
        0x2509 => (4, true, false),
        0x250a => (4, false, true),
        0x250b => (4, true, true),
        0x254c => (2, false, false),
        0x254d => (2, true, false),
        0x254e => (2, false, true),
        0x254f => (2, true, true),
        _ => return None,
    })
}

/// Dashes with half a gap at either end, so that a run of cells repeats evenly.
fn dashes(count: i32, heavy: bool, vertical: bool, cell: CellBox) -> Symbol {
    let (along, across) = if vertical {
        (cell.height, cell.width)
    } else {
        (cell.width, cell.height)
    };
    let thick = (cell.stroke() * if heavy { 2 } else { 1 }).min(across);
    let near = (across - thick) / 2;
    let step = along as f32 / count as f32;
    let gap = (step / 3.0).round().max(1.0) as i32;
    (0..count)
        .map(|index| {
            let start = (index as f32 * step).round() as i32 + gap / 2;
            let end = (((index + 1) as f32 * step).round() as i32 - (gap - gap / 2)).max(start + 1);
            let (start, end) = (start.min(along - 1), end.min(along));
            if vertical {
                block(near, start, near + thick, end)
            } else {
                block(start, near, end, near + thick)
            }
        })
        .collect()
}

/// Where the edges of light, heavy and double lines lie across one direction of the cell.
struct Edges {
    light: (i32, i32),
    heavy: (i32, i32),
    double: (i32, i32),
}

impl Edges {
    fn new(extent: i32, light: i32) -> Self {
        let centred = |thick: i32| {
            let thick = thick.clamp(1, extent);
            let start = (extent - thick) / 2;
            (start, start + thick)
        };
        let inner = centred(light);
        Self {
            light: inner,
            heavy: centred(light * 2),
            double: ((inner.0 - light).max(0), (inner.1 + light).min(extent)),
        }
    }
}

/// How far an arm runs past the middle: to the far edge of the line it meets when it must close a corner, to the near
/// edge when the line it meets goes on straight.
fn meeting(before: Arm, after: Arm, opposite: bool, far: fn((i32, i32)) -> i32, at: &Edges) -> i32 {
    let near = |pair: (i32, i32)| pair.0 + pair.1 - far(pair);
    if before == Arm::Heavy || after == Arm::Heavy {
        far(at.heavy)
    } else if before != after || opposite {
        if before == Arm::Double || after == Arm::Double {
            far(at.double)
        } else {
            far(at.light)
        }
    } else if before == Arm::None {
        far(at.light)
    } else {
        near(at.light)
    }
}

fn junction(left: Arm, up: Arm, right: Arm, down: Arm, cell: CellBox) -> Symbol {
    let light = cell.stroke();
    let h = Edges::new(cell.height, light);
    let v = Edges::new(cell.width, light);
    let up_end = meeting(left, right, down == up, |pair| pair.1, &h);
    let down_start = meeting(left, right, up == down, |pair| pair.0, &h);
    let left_end = meeting(up, down, left == right, |pair| pair.1, &v);
    let right_start = meeting(up, down, right == left, |pair| pair.0, &v);
    let (width, height) = (cell.width, cell.height);

    let mut parts = Vec::with_capacity(4);
    let mut draw = |left: i32, top: i32, right: i32, bottom: i32| {
        if left < right && top < bottom {
            parts.push(block(left, top, right, bottom));
        }
    };
    match up {
        Arm::None => {}
        Arm::Light => draw(v.light.0, 0, v.light.1, up_end),
        Arm::Heavy => draw(v.heavy.0, 0, v.heavy.1, up_end),
        Arm::Double => {
            let end = |side: Arm| {
                if side == Arm::Double {
                    h.light.0
                } else {
                    up_end
                }
            };
            draw(v.double.0, 0, v.light.0, end(left));
            draw(v.light.1, 0, v.double.1, end(right));
        }
    }
    match down {
        Arm::None => {}
        Arm::Light => draw(v.light.0, down_start, v.light.1, height),
        Arm::Heavy => draw(v.heavy.0, down_start, v.heavy.1, height),
        Arm::Double => {
            let start = |side: Arm| {
                if side == Arm::Double {
                    h.light.1
                } else {
                    down_start
                }
            };
            draw(v.double.0, start(left), v.light.0, height);
            draw(v.light.1, start(right), v.double.1, height);
        }
    }
    match left {
        Arm::None => {}
        Arm::Light => draw(0, h.light.0, left_end, h.light.1),
        Arm::Heavy => draw(0, h.heavy.0, left_end, h.heavy.1),
        Arm::Double => {
            let end = |side: Arm| {
                if side == Arm::Double {
                    v.light.0
                } else {
                    left_end
                }
            };
            draw(0, h.double.0, end(up), h.light.0);
            draw(0, h.light.1, end(down), h.double.1);
        }
    }
    match right {
        Arm::None => {}
        Arm::Light => draw(right_start, h.light.0, width, h.light.1),
        Arm::Heavy => draw(right_start, h.heavy.0, width, h.heavy.1),
        Arm::Double => {
            let start = |side: Arm| {
                if side == Arm::Double {
                    v.light.1
                } else {
                    right_start
                }
            };
            draw(start(up), h.double.0, width, h.light.0);
            draw(start(down), h.light.1, width, h.double.1);
        }
    }
    if parts.is_empty() {
        // A cell so small that no line has room still shows that something is there.
        parts.push(Part::Block(super::Block {
            left: 0,
            top: 0,
            right: width,
            bottom: height,
            opacity: 0.5,
        }));
    }
    parts
}

//! Writes down what a terminal shows, in a form that a person can read and compare with a screen.

use std::collections::BTreeMap;

use terminal::{
    Cell, Color, Emulator, EmulatorEvent, Flags, Frame, LinkId, Modes, MouseEncoding,
    MouseTracking, NamedColor, ReadFormat, ReadRequest, ReadSource, Scroll,
};

/// Rows of the history that are written down.
const HISTORY_SHOWN: usize = 12;

/// The description without its comment lines. Lines and columns count from 1, as in the sequences
/// that programs send; lines of the history count down from -1, the newest one.
pub fn describe(emulator: &mut Emulator, events: &[EmulatorEvent]) -> String {
    let held = emulator.sync_deadline().is_some();
    emulator.end_sync();
    let mut frame = Frame::default();
    emulator.frame(&mut frame);

    let mut text = format!("size {}x{}\n", frame.columns, frame.lines);
    text += &match &frame.cursor {
        Some(cursor) => format!(
            "cursor line {} column {} {:?}{}\n",
            cursor.line + 1,
            cursor.column + 1,
            cursor.shape,
            if cursor.blinking { " blinking" } else { "" }
        ),
        None => "cursor hidden\n".to_owned(),
    };
    text += &format!("modes {}\n", modes(&frame.modes));
    if held {
        text += "a synchronized update is open\n";
    }
    for (index, rgb) in frame.palette.iter() {
        text.push_str(&format!(
            "palette {index} #{:02x}{:02x}{:02x}\n",
            rgb.r, rgb.g, rgb.b
        ));
    }

    let rows = rows(emulator, &frame);
    if frame.history > 0 {
        let shown = frame.history.min(HISTORY_SHOWN);
        text.push_str(&format!(
            "history {} rows, {shown} of them below\n",
            frame.history
        ));
    }
    text += "\nscreen\n";
    let blank = |cells: &Vec<Cell>| row_text(cells).is_empty();
    let last = rows.iter().rposition(|(_, cells)| !blank(cells));
    let mut continued = false;
    for (line, cells) in rows.iter().take(last.map_or(0, |last| last + 1)) {
        let gutter = if continued { '+' } else { '|' };
        text.push_str(&format!("{line:>4} {gutter}{}\n", row_text(cells)));
        continued = wraps(cells);
    }
    let mut links: BTreeMap<LinkId, usize> = BTreeMap::new();
    let mut styled = String::new();
    let mut wide = String::new();
    for (line, cells) in &rows {
        for (spans, section) in [
            (styles(cells, &mut links), &mut styled),
            (wide_columns(cells), &mut wide),
        ] {
            if !spans.is_empty() {
                section.push_str(&format!("{line:>4}  {spans}\n"));
            }
        }
    }
    for (title, section) in [("styles", styled), ("wide characters", wide)] {
        if !section.is_empty() {
            text.push_str(&format!("\n{title}\n{section}"));
        }
    }
    if !links.is_empty() {
        text += "\nlinks\n";
        let mut named: Vec<(usize, LinkId)> = links.iter().map(|(id, name)| (*name, *id)).collect();
        named.sort();
        for (name, id) in named {
            let address = emulator.link(id);
            text.push_str(&format!(
                "{name:>4}  {}\n",
                address.as_deref().unwrap_or("forgotten")
            ));
        }
    }
    text += &last_command(emulator);
    if !events.is_empty() {
        text += "\nevents\n";
        for event in events {
            text.push_str(&format!("      {}\n", describe_event(event)));
        }
    }
    text
}

/// The newest rows of the history and all of the screen, with their numbers.
fn rows(emulator: &mut Emulator, bottom: &Frame) -> Vec<(i64, Vec<Cell>)> {
    let mut rows = Vec::new();
    let mut frame = Frame::default();
    emulator.scroll(Scroll::Bottom);
    let shown = bottom.history.min(HISTORY_SHOWN);
    emulator.scroll(Scroll::Delta(i32::try_from(shown).unwrap_or(i32::MAX)));
    for above in (1..=shown).rev() {
        emulator.frame(&mut frame);
        let number = i64::try_from(above).unwrap_or(i64::MAX);
        rows.push((-number, frame.row(0).to_vec()));
        emulator.scroll(Scroll::Delta(-1));
    }
    emulator.scroll(Scroll::Bottom);
    rows.extend((1..).zip((0..bottom.lines).map(|line| bottom.row(line).to_vec())));
    rows
}

fn row_text(cells: &[Cell]) -> String {
    let spacers = Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER;
    let mut text = String::new();
    for cell in cells.iter().filter(|cell| !cell.flags.intersects(spacers)) {
        text.push(cell.c);
        text.extend(cell.zerowidth.iter().flatten());
    }
    text.truncate(text.trim_end_matches(' ').len());
    text
}

fn wraps(cells: &[Cell]) -> bool {
    cells
        .last()
        .is_some_and(|cell| cell.flags.contains(Flags::WRAPLINE))
}

/// Columns of the left halves of wide characters.
fn wide_columns(cells: &[Cell]) -> String {
    let columns = (1..)
        .zip(cells)
        .filter(|(_, cell)| cell.flags.contains(Flags::WIDE_CHAR));
    let columns: Vec<String> = columns
        .map(|(column, _): (usize, _)| column.to_string())
        .collect();
    columns.join(" ")
}

/// Runs of columns that look alike, those of the default look left out.
fn styles(cells: &[Cell], links: &mut BTreeMap<LinkId, usize>) -> String {
    let looks: Vec<String> = cells.iter().map(|cell| look(cell, links)).collect();
    let mut spans: Vec<String> = Vec::new();
    let mut from = 0;
    while let Some(look) = looks.get(from) {
        let length = looks
            .iter()
            .skip(from)
            .take_while(|other| *other == look)
            .count();
        if !look.is_empty() {
            spans.push(match length {
                1 => format!("{} {look}", from + 1),
                _ => format!("{}-{} {look}", from + 1, from + length),
            });
        }
        from += length;
    }
    spans.join(", ")
}

fn look(cell: &Cell, links: &mut BTreeMap<LinkId, usize>) -> String {
    let mut words: Vec<String> = Vec::new();
    for (flag, name) in [
        (Flags::BOLD, "bold"),
        (Flags::DIM, "dim"),
        (Flags::ITALIC, "italic"),
        (Flags::UNDERLINE, "underline"),
        (Flags::DOUBLE_UNDERLINE, "double underline"),
        (Flags::UNDERCURL, "curly underline"),
        (Flags::DOTTED_UNDERLINE, "dotted underline"),
        (Flags::DASHED_UNDERLINE, "dashed underline"),
        (Flags::INVERSE, "inverse"),
        (Flags::HIDDEN, "hidden"),
        (Flags::STRIKEOUT, "struck"),
    ] {
        if cell.flags.contains(flag) {
            words.push(name.to_owned());
        }
    }
    if cell.fg != Color::Named(NamedColor::Foreground) {
        words.push(color(cell.fg));
    }
    if cell.bg != Color::Named(NamedColor::Background) {
        words.push(format!("on {}", color(cell.bg)));
    }
    if let Some(underline) = cell.underline_color {
        words.push(format!("underlined in {}", color(underline)));
    }
    if let Some(link) = cell.link {
        let next = links.len() + 1;
        words.push(format!("link {}", links.entry(link).or_insert(next)));
    }
    words.join(" ")
}

fn color(color: Color) -> String {
    match color {
        Color::Spec(rgb) => format!("#{:02x}{:02x}{:02x}", rgb.r, rgb.g, rgb.b),
        Color::Indexed(index) => format!("colour {index}"),
        Color::Named(name) => format!("{name:?}").to_lowercase(),
    }
}

fn modes(modes: &Modes) -> String {
    let mut names: Vec<String> = Vec::new();
    for (set, name) in [
        (modes.alt_screen, "alternate screen"),
        (modes.app_cursor, "application cursor keys"),
        (modes.app_keypad, "application keypad"),
        (modes.newline, "newline"),
        (modes.bracketed_paste, "bracketed paste"),
        (modes.focus, "focus reports"),
        (!modes.alternate_scroll, "no alternate scroll"),
    ] {
        if set {
            names.push(name.to_owned());
        }
    }
    if modes.mouse != MouseTracking::Off {
        names.push(format!("mouse {:?}", modes.mouse).to_lowercase());
    }
    if modes.mouse_encoding != MouseEncoding::Legacy {
        names.push(format!("{:?} mouse", modes.mouse_encoding).to_lowercase());
    }
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    }
}

/// What the marks make of the output, when there are any.
fn last_command(emulator: &Emulator) -> String {
    let request = ReadRequest {
        lines: 2000,
        source: ReadSource::LastCommand,
        format: ReadFormat::Text,
    };
    let Ok(read) = emulator.read(&request) else {
        return String::new();
    };
    let mut text = "\nlast command\n".to_owned();
    let code = read
        .exit_code
        .map_or("unknown".to_owned(), |code| code.to_string());
    text.push_str(&format!(
        "      {:?}, exit code {code}\n",
        read.command.unwrap_or_default()
    ));
    for line in read.text.lines() {
        text.push_str(&format!("     |{line}\n"));
    }
    text
}

fn describe_event(event: &EmulatorEvent) -> String {
    match event {
        // A recording outlives the version that answered.
        EmulatorEvent::Reply(reply) => {
            let reply = reply.replace(
                concat!("nebula ", env!("CARGO_PKG_VERSION")),
                "nebula VERSION",
            );
            format!("reply {reply:?}")
        }
        EmulatorEvent::Mark(mark) => format!("mark {mark:?}"),
        EmulatorEvent::Directory(path) => format!("directory {path:?}"),
        EmulatorEvent::Title(title) => match title {
            Some(title) => format!("title {title:?}"),
            None => "title reset".to_owned(),
        },
        EmulatorEvent::Bell => "bell".to_owned(),
        EmulatorEvent::Clipboard(text) => format!("clipboard {text:?}"),
    }
}

use super::*;
use crate::{Emulator, GridSize, TerminalOptions};

fn emulator(columns: u16, lines: u16, history: usize) -> Emulator {
    Emulator::new(&TerminalOptions {
        size: GridSize::new(columns, lines),
        history_lines: history,
        ..TerminalOptions::default()
    })
}

fn ask(source: ReadSource, lines: usize) -> ReadRequest {
    ReadRequest {
        lines,
        source,
        format: ReadFormat::Text,
    }
}

fn recent(emulator: &Emulator, lines: usize) -> TerminalRead {
    emulator.read(&ask(ReadSource::Recent, lines)).unwrap()
}

fn numbered(count: usize) -> String {
    (1..=count).map(|n| format!("line {n}\r\n")).collect()
}

#[test]
fn blank_rows_at_the_bottom_count() {
    let mut emulator = emulator(20, 5, 100);
    emulator.advance(b"one\r\ntwo");
    let read = recent(&emulator, 5);
    assert_eq!(
        (read.text.as_str(), read.returned_lines),
        ("one\ntwo\n\n\n", 5)
    );
    assert!(!read.truncated);
    let read = recent(&emulator, 2);
    assert_eq!(
        (read.text.as_str(), read.returned_lines, read.truncated),
        ("\n", 2, true)
    );
    let read = recent(&emulator, 2000);
    assert_eq!((read.returned_lines, read.truncated), (5, false));
}

#[test]
fn history_is_read_from_the_bottom() {
    let mut emulator = emulator(20, 5, 100);
    emulator.advance(numbered(50).as_bytes());
    let read = recent(&emulator, 10);
    let expected: Vec<String> = (42..=50).map(|n| format!("line {n}")).collect();
    assert_eq!(read.text, format!("{}\n", expected.join("\n")));
    assert_eq!(
        (read.returned_lines, read.history_available, read.truncated),
        (10, 46, true)
    );
    let all = recent(&emulator, 51);
    assert!(all.text.starts_with("line 1\n"));
    assert!(!all.truncated);
}

#[test]
fn evicted_rows_do_not_count_as_older() {
    let mut emulator = emulator(20, 5, 10);
    emulator.advance(numbered(500).as_bytes());
    let read = recent(&emulator, 2000);
    assert_eq!(
        (read.returned_lines, read.history_available, read.truncated),
        (15, 10, false)
    );
    assert!(read.text.starts_with("line 487\n"));
}

#[test]
fn no_history_reads_the_screen_only() {
    let mut emulator = emulator(20, 3, 0);
    emulator.advance(numbered(50).as_bytes());
    let read = recent(&emulator, 100);
    assert_eq!(read.text, "line 49\nline 50\n");
    assert_eq!((read.returned_lines, read.history_available), (3, 0));
}

#[test]
fn wrapped_rows_are_joined() {
    let mut emulator = emulator(10, 6, 100);
    emulator.advance(b"0123456789abcdefghijXYZ\r\nend");
    let read = recent(&emulator, 6);
    assert_eq!(read.text, "0123456789abcdefghijXYZ\nend\n\n");
    assert_eq!(read.returned_lines, 6);
}

#[test]
fn blanks_are_trimmed_at_the_end_of_logical_lines_only() {
    let mut emulator = emulator(10, 6, 100);
    emulator.advance(b"ab      cd  ef   \r\nx \ty\r\n          \r\n");
    let read = recent(&emulator, 6);
    assert_eq!(read.text, "ab      cd  ef\nx       y\n\n\n");
    // The blanks of a line may fill more than one row.
    let mut emulator = self::emulator(10, 6, 100);
    emulator.advance(b"ab                       \r\nz");
    assert_eq!(recent(&emulator, 6).text, "ab\nz\n\n");
}

#[test]
fn wide_characters_and_marks_come_once() {
    let mut emulator = emulator(5, 4, 100);
    emulator.advance("中文字e\u{301}👍🏽".as_bytes());
    assert_eq!(recent(&emulator, 4).text, "中文字e\u{301}👍🏽\n");
}

#[test]
fn text_has_no_control_characters() {
    let mut emulator = emulator(40, 4, 100);
    emulator.advance(b"a\tb\x1b[31mred\x1b[0m\x07\x08\x7fx\xc2\x85y\x1b]0;t\x07");
    let read = recent(&emulator, 4);
    assert!(
        read.text.chars().all(|c| c == '\n' || !c.is_control()),
        "{:?}",
        read.text
    );
    assert!(read.text.starts_with("a       brexy"), "{:?}", read.text);
}

#[test]
fn ansi_reproduces_the_look() {
    let mut emulator = emulator(20, 3, 100);
    emulator.advance(b"\x1b[31mred\x1b[0m plain \x1b[1;48;5;20mbg  \x1b[0m\r\nnext");
    let request = ReadRequest {
        lines: 3,
        source: ReadSource::Recent,
        format: ReadFormat::Ansi,
    };
    let text = emulator.read(&request).unwrap().text;
    assert_eq!(
        text,
        "\x1b[0;31mred\x1b[0m plain \x1b[0;1;48;5;20mbg  \x1b[0m\x1b[0m\nnext\x1b[0m\n\x1b[0m"
    );
    // Fed back, it looks the same.
    let mut again = self::emulator(20, 3, 100);
    again.advance(text.replace('\n', "\r\n").as_bytes());
    assert_eq!(again.read(&request).unwrap().text, text);
}

#[test]
fn the_screen_is_read_wherever_the_view_is() {
    let mut emulator = emulator(20, 4, 100);
    emulator.advance(numbered(50).as_bytes());
    emulator.scroll(crate::Scroll::Delta(20));
    let screen = emulator.read(&ask(ReadSource::Screen, 120)).unwrap();
    assert_eq!(screen.text, "line 48\nline 49\nline 50\n");
    assert_eq!((screen.returned_lines, screen.truncated), (4, false));
    let part = emulator.read(&ask(ReadSource::Screen, 2)).unwrap();
    assert_eq!(
        (part.text.as_str(), part.returned_lines, part.truncated),
        ("line 50\n", 2, true)
    );
    let mut frame = crate::Frame::default();
    emulator.frame(&mut frame);
    assert_eq!(frame.display_offset, 20);
}

#[test]
fn more_than_a_mebibyte_drops_rows_from_the_top() {
    let mut emulator = emulator(1000, 10, 3000);
    // One logical line of 2 MiB, ending in a mark of its own.
    emulator.advance("é".repeat(1024 * 1024).as_bytes());
    emulator.advance(b"END");
    let read = recent(&emulator, 2000);
    assert!(read.text.len() <= MAX_BYTES && read.text.len() > MAX_BYTES - 2000);
    assert!(read.text.ends_with("éEND"));
    assert!(read.truncated);
    assert!(read.returned_lines < 2000);
}

#[test]
fn one_huge_row_keeps_its_end() {
    // No grid is wide enough for this, so the cut is tested by itself.
    let piece = format!("{}END", "é".repeat(MAX_BYTES));
    let kept = keep_end(piece);
    assert!(kept.len() <= MAX_BYTES && kept.len() >= MAX_BYTES - 1);
    assert!(kept.ends_with("éEND"));
    assert_eq!(keep_end("short".to_owned()), "short");
}

mod last_command {
    use super::*;

    const PROMPT: &[u8] = b"\x1b]133;A\x07$ \x1b]133;B\x07";

    fn run(emulator: &mut Emulator, line: &str, output: &[u8], code: i32) {
        emulator.advance(PROMPT);
        emulator.advance(line.as_bytes());
        emulator.advance(b"\r\n");
        emulator.advance(format!("\x1b]133;C;cmdline_url={line}\x07").as_bytes());
        emulator.advance(output);
        emulator.advance(format!("\x1b]133;D;{code}\x07").as_bytes());
    }

    fn last(emulator: &Emulator) -> TerminalRead {
        emulator.read(&ask(ReadSource::LastCommand, 120)).unwrap()
    }

    #[test]
    fn unavailable_without_marks() {
        let mut emulator = emulator(20, 5, 100);
        assert!(emulator.read(&ask(ReadSource::LastCommand, 120)).is_err());
        emulator.advance(PROMPT);
        assert!(emulator.read(&ask(ReadSource::LastCommand, 120)).is_err());
    }

    #[test]
    fn the_output_alone() {
        let mut emulator = emulator(20, 5, 100);
        run(&mut emulator, "printf", b"a\r\nb\r\n", 3);
        emulator.advance(PROMPT);
        let read = last(&emulator);
        assert_eq!((read.text.as_str(), read.returned_lines), ("a\nb", 2));
        assert_eq!(
            (read.command.as_deref(), read.exit_code),
            (Some("printf"), Some(3))
        );
        assert!(!read.truncated);
    }

    #[test]
    fn without_a_final_newline() {
        let mut emulator = emulator(20, 5, 100);
        run(&mut emulator, "printf", b"abc", 0);
        emulator.advance(PROMPT);
        assert_eq!(last(&emulator).text, "abc");
        assert_eq!(last(&emulator).returned_lines, 1);
    }

    #[test]
    fn empty_output() {
        let mut emulator = emulator(20, 5, 100);
        run(&mut emulator, "true", b"", 0);
        emulator.advance(PROMPT);
        let read = last(&emulator);
        assert_eq!(
            (read.text.as_str(), read.returned_lines, read.truncated),
            ("", 0, false)
        );
        assert_eq!(read.exit_code, Some(0));
    }

    #[test]
    fn while_it_runs() {
        let mut emulator = emulator(20, 5, 100);
        run(&mut emulator, "old", b"old\r\n", 0);
        emulator.advance(b"\x1b]133;C;cmdline_url=new\x07one\r\ntwo");
        let read = last(&emulator);
        assert_eq!(
            (read.text.as_str(), read.command.as_deref()),
            ("one\ntwo", Some("new"))
        );
        assert_eq!(read.exit_code, None);
    }

    #[test]
    fn a_prompt_ends_a_command_without_an_end_mark() {
        let mut emulator = emulator(20, 5, 100);
        emulator.advance(b"\x1b]133;C\x07one\r\n");
        emulator.advance(PROMPT);
        emulator.advance(b"more");
        assert_eq!(last(&emulator).text, "one");
    }

    #[test]
    fn marks_scroll_with_their_rows() {
        for history in [100, 1000, 5000] {
            for count in [3usize, 50, 90] {
                let mut emulator = emulator(20, 5, history);
                emulator.advance(numbered(2 * history).as_bytes());
                run(&mut emulator, "seq", numbered(count).as_bytes(), 0);
                emulator.advance(b"after\r\nafter\r\n");
                let read = last(&emulator);
                let expected: Vec<_> = (1..=count).map(|n| format!("line {n}")).collect();
                assert_eq!(read.text, expected.join("\n"), "{history} {count}");
                assert!(!read.truncated);
            }
        }
    }

    #[test]
    fn an_evicted_beginning_is_told() {
        let mut emulator = emulator(20, 5, 10);
        run(&mut emulator, "seq", numbered(100).as_bytes(), 0);
        let read = last(&emulator);
        assert!(read.truncated);
        assert!(read.text.ends_with("line 99\nline 100"), "{}", read.text);
        assert!(read.returned_lines <= 15);
    }

    #[test]
    fn lines_caps_from_the_bottom() {
        let mut emulator = emulator(20, 5, 100);
        run(&mut emulator, "seq", numbered(50).as_bytes(), 0);
        let read = emulator.read(&ask(ReadSource::LastCommand, 2)).unwrap();
        assert_eq!(
            (read.text.as_str(), read.truncated),
            ("line 49\nline 50", true)
        );
    }

    #[test]
    fn a_wrapped_output_survives_reflow() {
        let mut emulator = emulator(20, 5, 100);
        emulator.advance(b"a first line that is wrapped before the command\r\n");
        run(
            &mut emulator,
            "x",
            b"an output that is wrapped as well\r\nand more\r\n",
            0,
        );
        emulator.advance(PROMPT);
        for columns in [40, 10, 7, 80, 20] {
            emulator.resize(GridSize::new(columns, 5));
            let read = last(&emulator);
            assert_eq!(
                read.text, "an output that is wrapped as well\nand more",
                "{columns}"
            );
        }
        for lines in [1, 20, 3] {
            emulator.resize(GridSize::new(20, lines));
            let read = last(&emulator);
            assert_eq!(
                read.text, "an output that is wrapped as well\nand more",
                "{lines}"
            );
        }
    }

    #[test]
    fn a_reflow_under_the_alternate_screen() {
        let mut emulator = emulator(20, 5, 100);
        run(
            &mut emulator,
            "x",
            b"an output that is wrapped as well\r\nand more\r\n",
            0,
        );
        emulator.advance(PROMPT);
        emulator.advance(b"\x1b[?1049h");
        assert!(emulator.read(&ask(ReadSource::LastCommand, 120)).is_err());
        emulator.resize(GridSize::new(10, 8));
        emulator.advance(b"\x1b[?1049l");
        assert_eq!(
            last(&emulator).text,
            "an output that is wrapped as well\nand more"
        );
    }

    #[test]
    fn cleared_history_is_gone() {
        let mut emulator = emulator(20, 5, 100);
        run(&mut emulator, "seq", numbered(50).as_bytes(), 0);
        emulator.advance(b"\x1b[H\x1b[2J\x1b[3J");
        let read = last(&emulator);
        assert_eq!((read.text.as_str(), read.truncated), ("", true));
        emulator.advance(b"\x1bc");
        assert!(emulator.read(&ask(ReadSource::LastCommand, 120)).is_err());
    }

    #[test]
    fn a_scroll_region_below_the_top_moves_no_mark() {
        let mut emulator = emulator(20, 10, 1000);
        emulator.advance(numbered(3000).as_bytes());
        run(&mut emulator, "seq", b"one\r\ntwo\r\n", 0);
        // Full history, and a program that scrolls the two last lines only.
        emulator.advance(b"\r\n\r\n\r\n\r\n");
        emulator.advance(b"\x1b[9;10r\x1b[10H\n\n\n\n\n\x1b[r\x1b[9H\x1b[2M");
        assert_eq!(last(&emulator).text, "one\ntwo");
    }
}

//! Reading what a pane shows.

use nebula_tests::pane::{await_prompt, await_rest, await_text, run};
use nebula_tests::{Client, Instance, home, poll, snapshot};
use serde_json::{Value, json};

fn read_with(client: &mut Client, pane: u64, params: Value) -> Value {
    let mut params = params;
    params["pane_id"] = json!(pane);
    client.ok("pane.read", params)
}

fn text(read: &Value) -> &str {
    read["text"].as_str().expect("text is a string")
}

fn number(read: &Value, name: &str) -> u64 {
    read[name]
        .as_u64()
        .unwrap_or_else(|| panic!("{name} is an integer: {read}"))
}

/// Rows of the screen, as the kernel knows them.
fn rows(instance: &Instance, client: &mut Client, pane: u64) -> u64 {
    run(client, pane, "stty size > size");
    let size = instance.home().read_user("size").unwrap();
    size.split(' ').next().unwrap().parse().unwrap()
}

/// Check 45.
#[test]
fn lines_are_counted_from_the_bottom() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    client.refused(
        "pane.read",
        json!({"pane_id": pane, "lines": 2001}),
        "lines",
    );
    client.refused("pane.read", json!({"pane_id": pane, "lines": 0}), "lines");
    run(&mut client, pane, "clear; seq 2000");
    await_prompt(&mut client, pane);
    let read = read_with(&mut client, pane, json!({"lines": 10}));
    assert_eq!(
        (&read["window_id"], &read["pane_id"]),
        (&json!(1), &json!(pane))
    );
    assert_eq!(number(&read, "requested_lines"), 10);
    assert_eq!(number(&read, "returned_lines"), 10);
    assert_eq!(read["truncated"], true);
    assert!(number(&read, "history_available") > 0);
    assert_eq!(
        (&read["task_state"], &read["exited"]),
        (&json!("idle"), &json!(false))
    );
    let expected: Vec<String> = (1992..=2000)
        .map(|number| number.to_string())
        .chain(["$".to_owned()])
        .collect();
    assert_eq!(text(&read).trim_end().lines().collect::<Vec<_>>(), expected);

    let read = read_with(&mut client, pane, json!({}));
    assert_eq!(number(&read, "requested_lines"), 120, "the default");
    let read = read_with(&mut client, pane, json!({"lines": 2000}));
    assert_eq!(number(&read, "returned_lines"), 2000);
    assert!(
        text(&read).starts_with("2\n3\n") || text(&read).starts_with("1\n2\n"),
        "{:?}",
        &text(&read)[..20]
    );
}

/// Rule 9.7: blank rows count, and nothing more than what is there is returned.
#[test]
fn a_short_buffer_is_returned_whole() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let rows = rows(&instance, &mut client, pane);
    let read = read_with(&mut client, pane, json!({"lines": 2000}));
    assert_eq!(number(&read, "returned_lines"), rows);
    assert_eq!(number(&read, "history_available"), 0);
    assert_eq!(read["truncated"], false);
    let read = read_with(&mut client, pane, json!({"lines": 1}));
    assert_eq!(number(&read, "returned_lines"), 1);
    assert_eq!(
        text(&read).trim(),
        "",
        "the last row is blank, and it is the one"
    );
}

/// Rule 9.7: rows that were wrapped are one line, blanks at the end of a line are gone.
#[test]
fn wrapped_rows_are_joined() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let line: String = (0..60).map(|number| format!("word{number:03} ")).collect();
    run(
        &mut client,
        pane,
        "for n in $(seq 0 59); do printf 'word%03d ' $n; done; echo; echo 'end   '",
    );
    let read = await_text(&mut client, pane, "\nend");
    assert!(read.lines().any(|seen| seen == line.trim_end()), "{read}");
    assert!(read.lines().any(|seen| seen == "end"), "{read}");
    assert!(read.lines().all(|seen| seen == seen.trim_end()), "{read:?}");
}

/// Wide characters, combining marks and emoji come back as they were written.
#[test]
fn text_of_all_languages_is_read_back() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let lines = [
        "Grüße",
        "終端機",
        "e\u{301}te\u{301}",
        "한국어",
        "👍🏽 👩‍💻",
        "שלום",
        "▁▂▃█",
    ];
    instance.home().write("user/text", &lines.join("\n"));
    run(&mut client, pane, "cat text; echo");
    let read = await_text(&mut client, pane, "▁▂▃█");
    for line in lines {
        assert!(
            read.lines().any(|seen| seen == line),
            "{line:?} in {read:?}"
        );
    }
}

/// Check 46, as far as a server without a window can show it: reading moves nothing.
#[test]
fn reading_moves_nothing() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    run(&mut client, pane, "seq 500");
    let before = await_rest(&mut client);
    let first = read_with(&mut client, pane, json!({"lines": 300}));
    for lines in [1, 2000, 40] {
        for source in ["recent", "screen", "last_command"] {
            read_with(&mut client, pane, json!({"lines": lines, "source": source}));
        }
    }
    assert_eq!(read_with(&mut client, pane, json!({"lines": 300})), first);
    assert_eq!(client.ok("runtime.snapshot", json!({})), before);
}

/// Check 47.
#[test]
fn two_mebibytes_in_one_line_are_cut() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    run(
        &mut client,
        pane,
        "clear; head -c 2097149 /dev/zero | tr '\\0' x; echo END",
    );
    await_prompt(&mut client, pane);
    let read = read_with(&mut client, pane, json!({"lines": 2000}));
    assert!(text(&read).len() <= 1_048_576);
    assert_eq!(read["truncated"], true);
    let tail = text(&read)
        .trim_end()
        .strip_suffix("\n$")
        .expect("the prompt is last");
    assert!(
        tail.ends_with("xxxEND"),
        "{:?}",
        &tail[tail.len().saturating_sub(40)..]
    );
    assert!(!tail.contains('\n'), "one line");
}

/// Check 47 for cells that are larger than a byte: 2,000 rows of them are more than 1 MiB.
#[test]
fn a_mebibyte_is_the_most_that_is_returned() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    // Sixteen marks of three bytes each on every letter.
    let cell = format!("x{}", "\u{20d7}".repeat(16));
    instance.home().write("user/cells", &cell.repeat(40));
    run(
        &mut client,
        pane,
        "clear; for n in $(seq 2000); do cat cells; done; echo END",
    );
    await_prompt(&mut client, pane);
    let read = read_with(&mut client, pane, json!({"lines": 2000}));
    let text = text(&read);
    assert!(text.len() <= 1_048_576, "{}", text.len());
    assert!(
        text.len() > 500_000,
        "not cut more than needed: {}",
        text.len()
    );
    assert_eq!(read["truncated"], true);
    let returned = number(&read, "returned_lines");
    assert!(returned < 1000, "whole rows are dropped: {returned}");
    assert!(text.trim_end().ends_with("END\n$"));
}

/// Check 48.
#[test]
fn sources() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let rows = rows(&instance, &mut client, pane);
    run(&mut client, pane, "seq 300");
    await_prompt(&mut client, pane);
    let screen = read_with(
        &mut client,
        pane,
        json!({"lines": 2000, "source": "screen"}),
    );
    assert_eq!(screen["source"], "screen");
    assert_eq!(number(&screen, "returned_lines"), rows);
    assert!(text(&screen).lines().count() as u64 <= rows);
    assert!(text(&screen).trim_end().ends_with("\n300\n$"));
    assert!(!text(&screen).contains("\n100\n"));
    let capped = read_with(&mut client, pane, json!({"lines": 3, "source": "screen"}));
    assert_eq!(number(&capped, "returned_lines"), 3);

    run(&mut client, pane, r"printf 'a\nb\n'");
    let last = read_with(&mut client, pane, json!({"source": "last_command"}));
    assert_eq!(text(&last).trim_end(), "a\nb");
    assert_eq!(last["source"], "last_command");
    assert_eq!(last["command"], r"printf 'a\nb\n'");
    assert_eq!(last["exit_code"], 0);
    run(&mut client, pane, "(echo lost; exit 9)");
    let last = read_with(&mut client, pane, json!({"source": "last_command"}));
    assert_eq!(
        (text(&last).trim_end(), &last["exit_code"]),
        ("lost", &json!(9))
    );

    // While a command runs, what it printed so far.
    client.ok(
        "pane.prompt",
        json!({"pane_id": pane, "text": "echo so-far; sleep 60"}),
    );
    poll::until_ok("output of the running command", poll::PATIENCE, || {
        let last = read_with(&mut client, pane, json!({"source": "last_command"}));
        if text(&last).trim_end() == "so-far" {
            Ok(())
        } else {
            Err(last)
        }
    });
}

/// Check 48: without marks there is no last command.
#[test]
fn without_marks_there_is_no_last_command() {
    let settings = home::SETTINGS.to_owned() + "shell_integration = \"off\"\n";
    let instance = Instance::start_with(&settings);
    let (mut client, pane) = instance.ready();
    run(&mut client, pane, "echo some output");
    let params = json!({"pane_id": pane, "source": "last_command"});
    let error = client.error("pane.read", params, "output_unavailable");
    assert!(error["details"]["reason"].is_string(), "{error}");
    assert!(text(&read_with(&mut client, pane, json!({}))).contains("\nsome output"));
}

/// Check 49.
#[test]
fn colours_are_read_only_when_asked_for() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    run(
        &mut client,
        pane,
        r"printf '\033[31;1mred\033[0m plain \033[38;2;1;2;3mtrue\033[0m\n'",
    );
    let plain = read_with(&mut client, pane, json!({}));
    assert_eq!(plain["format"], "text");
    assert!(text(&plain).contains("\nred plain true"));
    assert!(
        !text(&plain).chars().any(|c| c.is_control() && c != '\n'),
        "{plain}"
    );

    let ansi = read_with(
        &mut client,
        pane,
        json!({"format": "ansi", "source": "last_command"}),
    );
    assert_eq!(ansi["format"], "ansi");
    let line = text(&ansi)
        .lines()
        .find(|line| line.contains("red"))
        .expect("the line");
    let before = &line[..line.find("red").unwrap()];
    assert!(before.contains("\u{1b}["), "{line:?}");
    assert!(
        line.contains("38;2;1;2;3") || line.contains("38:2"),
        "{line:?}"
    );
    assert!(
        line.ends_with("\u{1b}[0m") || line.ends_with("\u{1b}[m"),
        "{line:?}"
    );
    // Only SGR: every escape sequence is CSI, digits and separators, m.
    for sequence in text(&ansi).split('\u{1b}').skip(1) {
        let rest = sequence
            .strip_prefix('[')
            .unwrap_or_else(|| panic!("no CSI: {line:?}"));
        let end = rest
            .find(|c: char| !c.is_ascii_digit() && c != ';' && c != ':')
            .unwrap();
        assert!(rest[end..].starts_with('m'), "{line:?}");
    }
}

/// The alternate screen is read while it is shown, and its contents do not stay.
#[test]
fn the_alternate_screen_is_read_while_it_is_shown() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let text = r"printf '\033[?1049h\033[Hfull-%s' screen; read x; printf '\033[?1049l'";
    client.ok("pane.prompt", json!({"pane_id": pane, "text": text}));
    await_text(&mut client, pane, "full-screen");
    let read = read_with(&mut client, pane, json!({"lines": 2000}));
    assert_eq!(
        number(&read, "history_available"),
        0,
        "the alternate screen has no scrollback"
    );
    run(&mut client, pane, "done");
    let read = read_with(&mut client, pane, json!({"lines": 2000}));
    assert!(!self::text(&read).contains("full-screen"), "{read}");
}

/// A row of `screen` as text, and the sum of its widths.
fn row(read: &Value, row: usize) -> (String, u64) {
    let cells = read["screen"]["rows"][row]
        .as_array()
        .unwrap_or_else(|| panic!("no row {row}: {read}"));
    let text = cells.iter().map(|cell| cell[0].as_str().unwrap()).collect();
    let widths = cells.iter().map(|cell| cell[1].as_u64().unwrap()).sum();
    (text, widths)
}

/// Rules 9.7 and 9.13: `screen` adds the cells, whatever part of the text was asked for.
#[test]
fn the_cells_of_the_screen_are_read_on_demand() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let rows = rows(&instance, &mut client, pane);
    let without = read_with(&mut client, pane, json!({"screen": false}));
    assert!(without.get("screen").is_none() && without.get("screen_seq").is_none());

    // Scrolled by more than a screen first, so that a row of the screen is no row of the buffer.
    let paint = r"seq 300; printf '\033[H\033[2J\033[1;31mred\033[0m\033[2;1H\033[3;4;38;5;208;48;2;1;2;3mx\033[0m 中e\314\201\033]4;7;#0a0b0c\a\033[5;1H'; read x";
    client.ok("pane.prompt", json!({"pane_id": pane, "text": paint}));
    await_text(&mut client, pane, "x 中e\u{301}");
    for params in [
        json!({"screen": true}),
        json!({"screen": true, "lines": 1}),
        json!({"screen": true, "source": "screen", "format": "ansi"}),
        json!({"screen": true, "source": "last_command"}),
    ] {
        let read = read_with(&mut client, pane, params);
        let screen = &read["screen"];
        assert_eq!(screen["version"], 1);
        assert_eq!(screen["rows"].as_array().unwrap().len() as u64, rows);
        let columns = number(screen, "columns");
        for at in 0..usize::try_from(rows).unwrap() {
            assert_eq!(row(&read, at).1, columns, "row {at} of {read}");
        }
        assert_eq!(row(&read, 0).0.trim_end(), "red");
        assert_eq!(row(&read, 1).0.trim_end(), "x 中e\u{301}");
        assert_eq!(screen["rows"][0][0], json!(["r", 1, -2, -258, 1]));
        let coloured = json!(["x", 1, -209, 0x01_02_03, 4 | 8]);
        assert_eq!(screen["rows"][1][0], coloured);
        assert_eq!(screen["rows"][1][2], json!(["中", 2, -257, -258, 0]));
        assert_eq!(screen["cursor"], json!([4, 0, 1]));
        assert_eq!(screen["palette"], json!([[7, 0x0a_0b_0c]]));
        assert!(number(&read, "screen_seq") >= 1);
    }

    // The text of an answer is what it is without the cells.
    let text_only = read_with(&mut client, pane, json!({"lines": 3}));
    let both = read_with(&mut client, pane, json!({"lines": 3, "screen": true}));
    assert_eq!(text(&both), text(&text_only));
    assert_eq!(number(&both, "returned_lines"), 3);
}

/// Rule 9.13: `screen_seq` stands still with the screen and grows with it.
#[test]
fn the_sequence_of_the_screen_grows_with_its_content() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let first = read_with(&mut client, pane, json!({"screen": true}));
    let again = read_with(&mut client, pane, json!({"screen": true}));
    assert_eq!(first, again, "nothing happened in between");
    run(&mut client, pane, "echo more");
    await_prompt(&mut client, pane);
    let later = read_with(&mut client, pane, json!({"screen": true}));
    assert!(number(&later, "screen_seq") > number(&first, "screen_seq"));
    assert_ne!(later["screen"], first["screen"]);
}

/// The alternate screen is the screen while it is shown; a hidden cursor has its place.
#[test]
fn the_alternate_screen_has_cells() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let text = r"printf '\033[?1049h\033[2;3Hfull-%s\033[?25l' screen; read x; printf '\033[?1049l\033[?25h'";
    client.ok("pane.prompt", json!({"pane_id": pane, "text": text}));
    await_text(&mut client, pane, "full-screen");
    let read = read_with(&mut client, pane, json!({"screen": true}));
    assert_eq!(row(&read, 0).0.trim_end(), "");
    assert_eq!(row(&read, 1).0.trim_end(), "  full-screen");
    assert_eq!(read["screen"]["cursor"], json!([1, 13, 0]));
}

/// A held pane still shows what its process left.
#[test]
fn the_cells_of_a_held_pane_stay() {
    let instance = Instance::start_with(home::HELD);
    let (mut client, pane) = instance.ready();
    client.ok(
        "pane.prompt",
        json!({"pane_id": pane, "text": "clear; echo last-$((40+2)); exit 0"}),
    );
    let read = poll::until_ok("the end of the shell", poll::PATIENCE, || {
        let read = read_with(&mut client, pane, json!({"screen": true}));
        if read["exited"] == true {
            Ok(read)
        } else {
            Err(read)
        }
    });
    assert_eq!(row(&read, 0).0.trim_end(), "last-42", "{read}");
}

/// Output that is no text never reaches a reader as control characters.
#[test]
fn hostile_output_is_read_as_text() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    // The same noise in every run; half of it escape sequences that begin and never end well.
    let mut state: u32 = 7;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let mut noise = Vec::new();
    for _ in 0..40_000 {
        let byte = next();
        if byte < 40 {
            noise.extend_from_slice(&[0x1b, b"[]P_^(#c78"[usize::from(byte) % 10]]);
        }
        noise.push(next());
    }
    std::fs::write(instance.home().user().join("noise"), &noise).unwrap();
    run(&mut client, pane, "cat noise; printf '\\033\\\\\\033c'");
    // What the terminal was asked for it has answered, and the answers stand at the prompt.
    let interrupt = json!({"pane_id": pane, "key": "c", "modifiers": {"control": true}});
    client.ok("pane.send_key", interrupt);
    run(&mut client, pane, "clear");
    run(&mut client, pane, "echo still-$((40+2))");
    let read = await_text(&mut client, pane, "still-42");
    assert!(
        !read.chars().any(|c| c.is_control() && c != '\n'),
        "{read:?}"
    );
    // A title of that output has no control character in a snapshot either.
    let now = client.ok("runtime.snapshot", json!({}));
    let title = snapshot::pane(&now, pane)["title"].as_str().unwrap();
    assert!(!title.chars().any(char::is_control), "{title:?}");
}

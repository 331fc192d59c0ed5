//! The window under a real mouse.

use nebula_tests::pane::{
    await_prompt, await_rest, await_text, grid, read, run, show_input, start_program,
};
use nebula_tests::picture;
use nebula_tests::window::SIZE;
use nebula_tests::{Client, Window, poll, snapshot};
use serde_json::json;

/// Check 46.
#[test]
fn scrolling_and_reading_do_not_disturb_each_other() {
    let window = Window::open();
    let (mut client, pane) = window.ready();
    run(
        &mut client,
        pane,
        "for n in $(seq 500); do printf 'row %s %*s\\n' $n $((n * 7 % 50)) '##########'; done",
    );
    let at_the_end = window.look();
    let text = read(&mut client, pane);
    window.click(SIZE.0 * 3 / 4, SIZE.1 / 2, 4, 20);
    window.await_change("the view to move", &at_the_end);
    let scrolled = window.look();
    assert_eq!(
        read(&mut client, pane),
        text,
        "reading is anchored at the bottom"
    );
    for source in ["recent", "screen", "last_command"] {
        client.ok("pane.read", json!({"pane_id": pane, "source": source}));
    }
    let cells = client.ok("pane.read", json!({"pane_id": pane, "screen": true}));
    let rows = cells["screen"]["rows"].to_string();
    assert!(
        rows.contains(r#"["5",1,-257,-258,0],["0",1,-257,-258,0],["0",1,-257,-258,0]"#),
        "the cells are those at the bottom: {rows}"
    );
    assert_eq!(
        picture::compare(&scrolled, &window.look()),
        Ok(()),
        "reading moves no view"
    );
    window.click(SIZE.0 * 3 / 4, SIZE.1 / 2, 5, 60);
    window.await_same("the view to be back", &at_the_end);
}

/// The mouse selects, keys copy and paste.
#[test]
fn what_is_selected_can_be_pasted() {
    let window = Window::open();
    let (mut client, pane) = window.ready();
    // The same word in every row, so that a double click anywhere on the left of one hits it.
    run(
        &mut client,
        pane,
        "clear; for n in $(seq 60); do echo selected_word_$((40+2)); done; clear -x; for n in $(seq 60); do echo selected_word_42; done",
    );
    let place = (SIZE.0 / 3, SIZE.1 / 2);
    window.click(place.0, place.1, 1, 2);
    window.key("ctrl+shift+c");
    window.type_text("echo pasted-");
    window.key("ctrl+shift+v");
    window.key("Return");
    await_text(&mut client, pane, "\npasted-selected_word_42");
}

/// The divider between two panes is dragged with the mouse.
#[test]
fn a_divider_is_dragged() {
    let window = Window::open();
    let (mut client, first) = window.ready();
    let split = client.ok(
        "pane.split",
        json!({"pane_id": first, "direction": "left_right"}),
    );
    let second = split["action"]["pane_id"].as_u64().unwrap();
    await_prompt(&mut client, second);
    let ratio = |client: &mut Client| {
        snapshot::tabs(&snapshot::now(client))[0]["layout"]["ratio"]
            .as_f64()
            .unwrap()
    };
    // Its place depends on the width of the sidebar; a drag that misses it selects text.
    let middle = SIZE.1 / 2;
    let hit = (550..700).step_by(4).find(|x| {
        window.drag((*x, middle), (x - 100, middle));
        ratio(&mut client) != 0.5
    });
    let dragged = ratio(&mut client);
    assert!(hit.is_some() && dragged < 0.45, "{hit:?} {dragged}");
    for pane in [first, second] {
        run(&mut client, pane, "true");
    }
}

/// A place in the first pane: column and row, from 0. The sidebar is 224 wide and the title bar 34 high, the cells are
/// 8 by 18 and stand 6 from the edge.
fn cell(column: u32, row: u32) -> (u32, u32) {
    (224 + 6 + column * 8 + 2, 34 + 6 + row * 18 + 9)
}

/// Where the scrollbar is.
const BAR: u32 = SIZE.0 - 4;

/// Waits until this is the primary selection.
fn await_primary(window: &Window, wanted: &str) {
    poll::until_ok(
        &format!("{wanted:?} to be selected"),
        poll::PATIENCE,
        || {
            let selected = window.primary();
            if selected == wanted {
                Ok(())
            } else {
                Err(selected)
            }
        },
    );
}

/// A program that asked for it is told each button once, with its modifiers, and each notch of a wheel once.
#[test]
fn a_program_is_told_what_the_mouse_does() {
    let window = Window::open();
    let (mut client, pane) = window.ready();
    let (lines, columns) = grid(window.instance(), &mut client, pane);
    show_input(&mut client, pane, r"\033[?1002h\033[?1006h");
    let mut told = |what: &str, act: &dyn Fn()| {
        act();
        window.key("Return");
        await_text(&mut client, pane, &format!("\n{what}\n"));
    };
    let (x, y) = cell(20, 15);
    window.point((x, y));
    // The first line has no line break before it.
    window.key("Return");
    for (button, code) in [(1, 0), (2, 1), (3, 2), (8, 128), (9, 129)] {
        told(&format!("^[[<{code};21;16M^[[<{code};21;16m"), &|| {
            window.click(x, y, button, 1);
        });
    }
    for (button, code) in [(4, 64), (5, 65), (6, 66), (7, 67)] {
        told(&format!("^[[<{code};21;16M"), &|| {
            window.click(x, y, button, 1)
        });
    }
    for (modifier, code) in [("alt", 8), ("ctrl", 16)] {
        told(&format!("^[[<{code};21;16M^[[<{code};21;16m"), &|| {
            window.holding(modifier, || window.click(x, y, 1, 1));
        });
    }
    // A second button in the middle of a drag takes nothing away from the first.
    let drag = "^[[<0;21;16M^[[<32;25;16M^[[<2;25;16M^[[<2;25;16m^[[<32;30;16M^[[<0;30;16m";
    told(drag, &|| {
        window.point(cell(20, 15));
        window.press(1);
        window.point(cell(24, 15));
        window.press(3);
        window.release(3);
        window.point(cell(29, 15));
        window.release(1);
    });
    // A drag that leaves the window goes on at its edge.
    let drag = "^[[<0;1;1M^[[<32;96;32M^[[<0;96;32m";
    let drag = drag.replace("96;32", &format!("{columns};{lines}"));
    told(&drag, &|| {
        window.point(cell(0, 0));
        window.press(1);
        window.point((SIZE.0 + 50, SIZE.1 + 50));
        window.release(1);
    });
}

/// Rule 4.3: Shift keeps the mouse from the program.
#[test]
fn shift_selects_where_a_program_has_the_mouse() {
    let window = Window::open();
    let (mut client, pane) = window.ready();
    window
        .instance()
        .home()
        .write("user/words", "one two three\nfour five six\n");
    run(&mut client, pane, "clear");
    start_program(
        &mut client,
        pane,
        r"printf '\033[?1003h\033[?1006h'; clear; cat ~/words; sleep 600",
        "sleep",
    );
    await_text(&mut client, pane, "four five six");
    window.holding("shift", || window.drag(cell(4, 0), cell(13, 1)));
    await_primary(&window, "two three\nfour five six");
}

/// Rule 4.3: what a selection grows by.
#[test]
fn words_lines_and_blocks_are_selected() {
    let window = Window::open();
    let (mut client, pane) = window.ready();
    window
        .instance()
        .home()
        .write("user/words", "one two three\nfour five six\n");
    run(&mut client, pane, "clear; cat ~/words");
    let (x, y) = cell(5, 0);
    window.select((x, y), 2, "two");
    window.select((x, y + 18), 3, "four five six");
    for modifier in ["alt", "ctrl"] {
        window.drag(cell(0, 0), cell(4, 0));
        await_primary(&window, "one");
        window.holding(modifier, || window.drag(cell(4, 0), cell(7, 1)));
        await_primary(&window, "two\n fi");
    }
    // The end of a selection is moved with Shift.
    window.drag(cell(0, 0), cell(4, 0));
    await_primary(&window, "one");
    let (x, y) = cell(4, 1);
    window.holding("shift", || window.click(x, y, 1, 1));
    await_primary(&window, "one two three\nfour");
    // The middle button pastes it; several lines at a shell that takes them in brackets ask nothing.
    window.drag(cell(4, 0), cell(7, 0));
    await_primary(&window, "two");
    window.type_text("echo pasted-");
    window.click(x, y, 2, 1);
    window.key("Return");
    await_text(&mut client, pane, "\npasted-two");
}

/// Rule 4.3: a selection that is dragged over the edge goes on into the history.
#[test]
fn a_selection_scrolls_beyond_the_edge() {
    let window = Window::open();
    let (mut client, pane) = window.ready();
    run(&mut client, pane, "clear; seq 300");
    window.point(cell(3, 20));
    window.press(1);
    window.point(cell(3, 10));
    window.point((400, 5));
    // The button is still down, and the view moves on by itself.
    let mut seen = window.display().picture("root");
    for _ in 0..15 {
        seen = poll::until("the view to move on by itself", || {
            let now = window.display().picture("root");
            (now != seen).then_some(now)
        });
    }
    window.release(1);
    let lines = poll::until("a long selection", || {
        let text = window.primary();
        let lines: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
        (lines.len() > 35).then_some(lines)
    });
    assert!(
        lines.windows(2).all(|pair| pair[0] + 1 == pair[1]),
        "{lines:?}"
    );
}

/// A notch is three lines; on the alternate screen it is three cursor keys, unless the program has the mouse.
#[test]
fn the_wheel_goes_three_lines() {
    let window = Window::open();
    let (mut client, pane) = window.ready();
    run(&mut client, pane, "clear; seq 300");
    // What is selected tells what is on the screen: the line under the pointer.
    let (x, y) = cell(1, 5);
    let before: i64 = poll::until("a line", || {
        window.click(x, y, 1, 2);
        window.primary().trim().parse().ok()
    });
    window.click(x, y, 4, 1);
    window.select((x, y), 2, &(before - 3).to_string());
    // With Shift it is the same, where no program has the mouse.
    window.holding("shift", || window.click(x, y, 5, 1));
    window.select((x, y), 2, &before.to_string());

    show_input(&mut client, pane, r"\033[?1049h\033[?1007h");
    window.click(x, y, 4, 1);
    window.key("Return");
    await_text(&mut client, pane, "^[[A^[[A^[[A\n");
}

/// The thumb follows the pointer, from wherever it was taken.
#[test]
fn the_scrollbar_is_dragged() {
    let window = Window::open();
    let (mut client, pane) = window.ready();
    run(&mut client, pane, "clear; seq 300");
    await_rest(&mut client);
    let bottom = window.look();
    // Taking hold of its lower end moves nothing.
    let end = SIZE.1 - 30;
    window.drag((BAR, end), (BAR, end));
    assert_eq!(picture::compare(&bottom, &window.look()), Ok(()));
    window.drag((BAR, end), (BAR, 40));
    window.select(cell(0, 0), 2, "1");
    window.drag((BAR, 60), (BAR, SIZE.1));
    window.select(cell(0, 29), 2, "300");
}

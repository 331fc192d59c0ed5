//! What the window looks like: pictures, sizes, fonts, themes, settings.

use std::sync::Arc;

use nebula_tests::pane::{await_program, await_prompt, await_rest, await_text, grid, read, run};
use nebula_tests::picture::{self, Mask};
use nebula_tests::window::{AGES, SIZE};
use nebula_tests::{Home, Window, home, poll, snapshot};
use serde_json::json;

/// The text that is drawn in pictures: styles, colours, wide characters, boxes.
const SAMPLE: &str = "\
\u{1b}[1mbold\u{1b}[0m \u{1b}[2mdim\u{1b}[0m \u{1b}[3mitalic\u{1b}[0m \u{1b}[4munderline\u{1b}[0m \
\u{1b}[4:3mcurly\u{1b}[0m \u{1b}[7mreverse\u{1b}[0m \u{1b}[9mstruck\u{1b}[0m\r
\u{1b}[31mred \u{1b}[32mgreen \u{1b}[33myellow \u{1b}[34mblue \u{1b}[35mmagenta \u{1b}[36mcyan\u{1b}[0m\r
\u{1b}[41m 1 \u{1b}[42m 2 \u{1b}[43m 3 \u{1b}[44m 4 \u{1b}[45m 5 \u{1b}[46m 6 \u{1b}[0m \u{1b}[48;5;208m256\u{1b}[0m \
\u{1b}[38;2;120;200;80mtrue colour\u{1b}[0m\r
┌──────┬──────┐ ╭──────╮ ▁▂▃▄▅▆▇█ ░▒▓\r
│ left │ Größe│ │ round│ ▏▎▍▌▋▊▉█\r
└──────┴──────┘ ╰──────╯ ⠁⠃⠇⠏⠟⠿⡿⣿\r
";

/// Terminal.md 8.4: the window in both themes.
fn expect_picture(name: &str, theme: &str) -> f64 {
    let home = Arc::new(Home::with_settings(&home::themed(theme)));
    home.write("user/sample", SAMPLE);
    let window = Window::open_in(&home);
    let (mut client, pane) = window.ready();
    client.ok("tab.rename", json!({"tab_index": 0, "name": "sample"}));
    run(&mut client, pane, "clear; cat \"$HOME/sample\"");
    let split = client.ok(
        "pane.split",
        json!({"pane_id": pane, "direction": "left_right"}),
    );
    let right = split["action"]["pane_id"].as_u64().unwrap();
    await_prompt(&mut client, right);
    let split = client.ok(
        "pane.split",
        json!({"pane_id": right, "direction": "top_bottom"}),
    );
    let below = split["action"]["pane_id"].as_u64().unwrap();
    await_prompt(&mut client, below);
    run(&mut client, right, "ls --color=always -d /usr /etc/passwd");
    client.ok(
        "pane.prompt",
        json!({"pane_id": below, "text": "sleep 600"}),
    );
    await_program(&mut client, below, "sleep");
    await_rest(&mut client);
    let picture = window.picture();
    assert!(picture::colours(&picture) > 50, "something is drawn");
    picture::document(name, &picture);
    picture::expect(name, &AGES, || window.picture());
    picture::brightness(&picture)
}

#[test]
fn the_dark_window_looks_like_its_picture() {
    assert!(expect_picture("window-dark", "dark") < 90.0);
}

#[test]
fn the_light_window_looks_like_its_picture() {
    assert!(expect_picture("window-light", "light") > 165.0);
}

/// A theme is changed in the file while the window is open; a broken value changes nothing.
#[test]
fn settings_apply_while_the_window_is_open() {
    let window = Window::open_with(&home::themed("dark"));
    let (mut client, _) = window.ready();
    await_rest(&mut client);
    let dark = window.look();
    assert!(picture::brightness(&dark) < 90.0);
    let home = window.instance().home();
    home.write_settings(&home::themed("light"));
    poll::until_ok("the light theme", poll::PATIENCE, || {
        let brightness = picture::brightness(&window.picture());
        if brightness > 165.0 {
            Ok(())
        } else {
            Err(brightness)
        }
    });
    // The page of the settings tells what is wrong with the file, so a change of it shows that the broken one was read.
    window.key("ctrl+comma");
    snapshot::until(&mut client, "the settings", |now| {
        snapshot::tabs(now).len() == 2
    });
    let page = window.look();
    home.write_settings("[ui\ntheme = 7");
    window.await_change("the problem", &page);
    let told = window.look();
    let brightness = picture::brightness(&told);
    assert!(brightness > 165.0, "the light theme holds: {brightness}");
    home.write_settings(&home::themed("light"));
    window.await_same("the problem to be gone", &page);
    home.write_settings(&home::themed("dark"));
    window.key("ctrl+alt+shift+w");
    snapshot::until(&mut client, "the panes", |now| {
        snapshot::tabs(now).len() == 1
    });
    window.await_same("the dark theme", &dark);
}

/// A settings tab has no panes, so the methods that need one say so.
#[test]
fn a_settings_tab_has_no_panes() {
    let window = Window::open_with(&home::themed("dark"));
    let (mut client, pane) = window.ready();
    window.key("ctrl+comma");
    let after = snapshot::until(&mut client, "a settings tab", |now| {
        snapshot::tabs(now)
            .iter()
            .any(|tab| tab["kind"] == "settings")
    });
    let tab = &snapshot::tabs(&after)[1];
    assert_eq!(
        (&tab["kind"], &tab["active"]),
        (&json!("settings"), &json!(true))
    );
    assert_eq!((&tab["layout"], &tab["panes"]), (&json!(null), &json!([])));
    assert_eq!(tab["focused_pane_id"], json!(null));
    assert_eq!(after["windows"][0]["focused_pane_id"], json!(null));
    client.error(
        "pane.split",
        json!({"direction": "left_right"}),
        "invalid_state",
    );
    assert_eq!(
        client.ok("runtime.identify", json!({}))["focused"],
        json!(null)
    );
    // Panes of other tabs are there as before.
    run(&mut client, pane, "true");
    // The same key again shows the tab that is there.
    client.ok("window.focus", json!({"pane_id": pane}));
    window.key("ctrl+comma");
    let after = snapshot::until(&mut client, "the settings tab again", |now| {
        now["windows"][0]["active_tab"] == 1
    });
    assert_eq!(snapshot::tabs(&after).len(), 2);
    // The page ends with the path of the file, which is another one in every run.
    let path = Mask {
        x: 225,
        y: 566,
        width: SIZE.0 - 225,
        height: SIZE.1 - 566,
    };
    picture::expect("settings", &[path], || window.look());
    window.key("ctrl+shift+w");
    snapshot::until(&mut client, "the tab to be closed", |now| {
        snapshot::tabs(now).len() == 1
    });
}

/// "A window resized to 1×1 and back."
#[test]
fn a_window_survives_any_size() {
    let window = Window::open();
    let (mut client, pane) = window.ready();
    run(
        &mut client,
        pane,
        "for n in $(seq 200); do echo line-$n of text that is long enough to wrap; done",
    );
    let before = read(&mut client, pane);
    for (width, height) in [(1, 1), (2000, 1), (1, 1500), (300, 200), (1, 1), SIZE] {
        window.resize(width, height);
        run(&mut client, pane, "true");
    }
    poll::until_ok("the size from before", poll::PATIENCE, || {
        match window.size() {
            SIZE => Ok(()),
            (width, height) => Err(format!("{width}x{height}")),
        }
    });
    let after = read(&mut client, pane);
    let lines = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.starts_with("line-"))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(lines(&after), lines(&before), "no line is lost");
    window.type_text("echo alive-$((1+1))\n");
    await_text(&mut client, pane, "alive-2");
    assert!(
        picture::colours(&window.picture()) > 20,
        "it is drawn again"
    );
}

/// However many tabs there are, the one in front and the buttons beside them can be seen.
#[test]
fn many_tabs_leave_room_for_the_buttons() {
    let window = Window::open_with(&home::themed("dark"));
    let (mut client, _) = window.ready();
    client.ok(
        "tab.rename",
        json!({"tab_index": 0, "name": "一个很长的中文标题".repeat(8)}),
    );
    for _ in 1..20 {
        client.ok("tab.new", json!({}));
    }
    await_rest(&mut client);
    // The last tab is in front and in view, with the button for a new one behind it.
    let ages = AGES.map(|mask| Mask {
        height: 550,
        ..mask
    });
    picture::expect("tabs", &ages, || window.picture());
    window.click(PLUS.0, PLUS.1, 1, 1);
    snapshot::until(&mut client, "one more tab", |now| {
        snapshot::tabs(now).len() == 21
    });
    // A tab that comes to the front by key comes into view, where it can be clicked.
    window.key("alt+1");
    window.key("alt+2");
    snapshot::until(&mut client, "the second tab", |now| {
        now["windows"][0]["active_tab"] == 1
    });
    window.click(120, PLUS.1, 1, 1);
    snapshot::until(&mut client, "the first tab", |now| {
        now["windows"][0]["active_tab"] == 0
    });
}

/// The button for a new tab, when there are more tabs than fit.
const PLUS: (u32, u32) = (SIZE.0 - 57, 16);

/// Rule 6.2: what is drawn by cells has no seams, whatever the scale of the desktop.
#[test]
fn boxes_have_no_seams_at_any_scale() {
    for scale in [1.0, 1.25, 1.5, 2.0] {
        let home = Arc::new(Home::with_settings(&home::themed("dark")));
        let full = "\u{2588}".repeat(12);
        let colour = "\u{1b}[48;2;255;255;255m            \u{1b}[0m";
        // A frame of full blocks and grounds: any seam between two of its cells is a darker line in it.
        let text = format!("\u{1b}[38;2;255;255;255m{full}\r\n{full}\r\n{colour}\r\n{colour}\r\n");
        home.write("user/blocks", &text);
        let window = Window::open_scaled(&home, scale);
        let (mut client, pane) = window.ready();
        run(&mut client, pane, "clear; cat ~/blocks");
        await_rest(&mut client);
        let picture = window.picture();
        let white: Vec<(u32, u32)> = picture
            .enumerate_pixels()
            .filter(|(.., pixel)| pixel.0 == [255; 3])
            .map(|(x, y, _)| (x, y))
            .collect();
        let range = |of: fn(&(u32, u32)) -> u32| {
            let least = white.iter().map(of).min().expect("white pixels");
            let most = white.iter().map(of).max().expect("white pixels");
            usize::try_from(most - least + 1).unwrap()
        };
        let (width, height) = (range(|at| at.0), range(|at| at.1));
        assert_eq!(
            white.len(),
            width * height,
            "{scale}: {width}x{height} is not all white"
        );
        assert_eq!(
            (width % 12, height % 4),
            (0, 0),
            "{scale}: whole pixels a cell"
        );
    }
}

/// The kernel knows the size of the window.
#[test]
fn a_larger_window_has_more_rows_and_columns() {
    let window = Window::open();
    let (mut client, pane) = window.ready();
    let mut size = || grid(window.instance(), &mut client, pane);
    let (rows, columns) = size();
    window.resize(SIZE.0 - 200, SIZE.1 - 200);
    poll::until_ok("fewer rows and columns", poll::PATIENCE, || {
        let now = size();
        if now.0 < rows && now.1 < columns {
            Ok(())
        } else {
            Err(format!("{now:?}"))
        }
    });
    window.resize(SIZE.0, SIZE.1);
    poll::until_ok("as before", poll::PATIENCE, || {
        let now = size();
        if now == (rows, columns) {
            Ok(())
        } else {
            Err(format!("{now:?}"))
        }
    });
    // A larger font leaves fewer of them; the reset key brings them back.
    window.key("ctrl+equal");
    window.key("ctrl+equal");
    poll::until_ok("fewer rows with a larger font", poll::PATIENCE, || {
        let now = size();
        if now.0 < rows && now.1 < columns {
            Ok(())
        } else {
            Err(format!("{now:?}"))
        }
    });
    window.key("ctrl+0");
    poll::until_ok("as before", poll::PATIENCE, || {
        let now = size();
        if now == (rows, columns) {
            Ok(())
        } else {
            Err(format!("{now:?}"))
        }
    });
}

//! The window, used as a person uses it: keyboard, mouse, and looking.

use std::sync::Arc;

use image::RgbImage;
use nebula_tests::Starting;
use nebula_tests::pane::{await_prompt, await_rest, await_text, read, run};
use nebula_tests::picture::{self, Mask};
use nebula_tests::window::SIZE;
use nebula_tests::{Client, Home, Received, Window, home, poll, snapshot};
use serde_json::{Value, json};

/// Settings with a theme, so that pictures do not depend on a desktop.
fn themed(theme: &str) -> String {
    format!(
        "{}\n[ui]\ntheme = \"{theme}\"\nlanguage = \"en\"\n",
        home::SETTINGS
    )
}

fn ready(window: &Window) -> (Client, u64) {
    window.instance().ready()
}

fn now(client: &mut Client) -> Value {
    client.ok("runtime.snapshot", json!({}))
}

/// Waits until the snapshot is as wanted.
fn await_snapshot(client: &mut Client, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    poll::until_ok(what, poll::PATIENCE, || {
        let now = now(client);
        if wanted(&now) { Ok(now) } else { Err(now) }
    })
}

/// What is typed arrives, with every symbol of a keyboard.
#[test]
fn typing_reaches_the_shell() {
    let window = Window::open();
    let (mut client, pane) = ready(&window);
    window.type_text("echo typed-$((40+2)) > ~/trace\n");
    poll::until("the command to run", || {
        (window.instance().home().read_user("trace")? == "typed-42\n").then_some(())
    });
    let symbols = r##"!"#$%&()*+,-./:;<=>?@[\]^_`{|}~"##;
    window.type_text(&format!("echo '{symbols}'\n"));
    await_text(&mut client, pane, &format!("\n{symbols}"));
    // Editing keys.
    window.type_text("echo onw");
    window.key("BackSpace");
    window.key("BackSpace");
    window.type_text("ne-edited");
    window.key("Home");
    window.key("Right");
    window.key("Delete");
    window.type_text("c");
    window.key("Return");
    await_text(&mut client, pane, "\none-edited");
    // Typing sets the state like a prompt of a program does.
    let settled = client.ok("pane.wait", json!({"pane_id": pane}));
    assert_eq!(snapshot::state(&settled, pane), "idle");
    let sequence = snapshot::sequence(&settled, pane);
    window.type_text("sleep 600\n");
    client.ok(
        "pane.wait",
        json!({"pane_id": pane, "state": "running", "after_seq": sequence}),
    );
    window.key("ctrl+c");
    client.ok(
        "pane.wait",
        json!({"pane_id": pane, "state": "idle", "after_seq": sequence + 1}),
    );
}

/// A window is not a second implementation: the snapshot is the one of a headless server.
#[test]
fn a_window_is_a_workspace() {
    let window = Window::open();
    let (mut client, pane) = ready(&window);
    let now = now(&mut client);
    assert_eq!(now["detached_windows"], 0, "the window can be seen");
    assert_eq!(now["windows"][0]["id"], 1);
    assert_eq!(snapshot::pane_ids(&now), [pane]);
    assert_eq!(snapshot::pane(&now, pane)["cwd"], "/");
    let described = client.ok("runtime.describe", json!({}));
    assert_eq!(described["protocol"], "nebula.runtime");
    client.error("window.create", json!({}), "runtime_unavailable");
    window
        .instance()
        .ctl(&[
            "prompt",
            "--pane",
            &pane.to_string(),
            "--text",
            "true",
            "--wait",
            "settled",
        ])
        .result();
}

/// Panes by key.
#[test]
fn keys_split_focus_zoom_and_close() {
    let window = Window::open();
    let (mut client, first) = ready(&window);
    window.key("ctrl+shift+d");
    let split = await_snapshot(&mut client, "a second pane", |now| {
        snapshot::pane_ids(now).len() == 2
    });
    let layout = &snapshot::tabs(&split)[0]["layout"];
    assert_eq!(layout["direction"], "left_right");
    let second = layout["second"]["pane_id"].as_u64().unwrap();
    window.key("ctrl+shift+s");
    let split = await_snapshot(&mut client, "a third pane", |now| {
        snapshot::pane_ids(now).len() == 3
    });
    let layout = &snapshot::tabs(&split)[0]["layout"]["second"];
    assert_eq!(layout["direction"], "top_bottom");
    let third = layout["second"]["pane_id"].as_u64().unwrap();
    for pane in [second, third] {
        await_prompt(&mut client, pane);
    }

    let focused = |client: &mut Client, pane: u64| {
        await_snapshot(client, &format!("focus on pane {pane}"), |now| {
            now["windows"][0]["focused_pane_id"] == pane
        });
    };
    focused(&mut client, third);
    for (key, pane) in [
        ("ctrl+alt+Up", second),
        ("ctrl+alt+Left", first),
        ("ctrl+alt+Right", second),
        ("ctrl+alt+Down", third),
    ] {
        window.key(key);
        focused(&mut client, pane);
        window.type_text(&format!("echo pane-$((1000+{pane}))\n"));
        await_text(&mut client, pane, &format!("pane-{}", 1000 + pane));
    }

    window.key("ctrl+shift+Return");
    await_snapshot(&mut client, "the zoom", |now| {
        snapshot::tabs(now)[0]["zoomed_pane_id"] == third
    });
    window.key("ctrl+shift+Return");
    await_snapshot(&mut client, "no zoom", |now| {
        snapshot::tabs(now)[0]["zoomed_pane_id"].is_null()
    });

    client.ok("pane.wait", json!({"pane_id": third}));
    await_rest(&mut client);
    window.key("ctrl+shift+w");
    await_snapshot(&mut client, "two panes", |now| {
        snapshot::pane_ids(now) == [first, second]
    });
}

/// Tabs by key.
#[test]
fn keys_open_and_change_tabs() {
    let window = Window::open();
    let (mut client, _) = ready(&window);
    let active = |client: &mut Client, index: u64| {
        await_snapshot(client, &format!("tab {index}"), |now| {
            now["windows"][0]["active_tab"] == index
        })
    };
    window.key("ctrl+shift+t");
    active(&mut client, 1);
    window.key("ctrl+shift+t");
    let three = active(&mut client, 2);
    assert_eq!(snapshot::tabs(&three).len(), 3);
    for (key, index) in [
        ("ctrl+Tab", 0),
        ("ctrl+Tab", 1),
        ("ctrl+shift+Tab", 0),
        ("alt+3", 2),
        ("alt+1", 0),
        ("ctrl+shift+Next", 1),
    ] {
        window.key(key);
        active(&mut client, index);
    }
}

/// Rule 3.5 and "a second `nebula` reveals the first window and opens a tab".
#[test]
fn a_second_start_opens_a_tab_in_the_first_window() {
    let window = Window::open();
    let (mut client, first) = ready(&window);
    let second_start = |arguments: &[&str], directory: &str| {
        let mut command = window.second_start();
        command.args(arguments).current_dir(directory);
        let mut second = Starting::spawn(window.instance().home(), command);
        let status = second.wait();
        assert_eq!(status.code(), Some(0), "{}", second.stderr());
    };
    second_start(&["/usr/share"], "/");
    let after = now(&mut client);
    assert_eq!(snapshot::tabs(&after).len(), 2);
    assert_eq!(after["windows"][0]["active_tab"], 1);
    let pane = *snapshot::pane_ids(&after)
        .iter()
        .find(|pane| **pane != first)
        .unwrap();
    assert_eq!(snapshot::pane(&after, pane)["cwd"], "/usr/share");
    // Without a directory it is that of the caller; a relative one counts from there.
    for (arguments, directory, wanted) in [
        (&[][..], "/usr/lib", "/usr/lib"),
        (&["share"], "/usr", "/usr/share"),
    ] {
        second_start(arguments, directory);
        let after = now(&mut client);
        let newest = *snapshot::pane_ids(&after).iter().max().unwrap();
        assert_eq!(snapshot::pane(&after, newest)["cwd"], wanted);
    }
    // A headless start gives way here, too.
    let mut command = window.second_start();
    command.arg("--headless");
    let mut headless = Starting::spawn(window.instance().home(), command);
    assert_eq!(headless.wait().code(), Some(1));
    assert_eq!(snapshot::tabs(&now(&mut client)).len(), 4);
}

/// Rule 2.10: `ATTACH` reveals a window that was put away.
#[test]
fn attach_reveals_the_window() {
    let window = Window::open();
    let (_, _) = ready(&window);
    window.minimise();
    poll::until("the window to be away", || {
        (!window.is_visible()).then_some(())
    });
    let mut client = window.instance().client();
    let token = window.instance().endpoint().token.clone();
    client.send_bytes(format!("ATTACH {token}\n").as_bytes());
    assert_eq!(
        client.receive(poll::PATIENCE),
        Received::Line("OK".to_owned())
    );
    assert_eq!(client.receive(poll::PATIENCE), Received::Closed(0));
    poll::until("the window to be back", || {
        window.is_visible().then_some(())
    });

    window.minimise();
    poll::until("the window to be away", || {
        (!window.is_visible()).then_some(())
    });
    let mut command = window.second_start();
    command.arg("/usr");
    let mut second = Starting::spawn(window.instance().home(), command);
    assert_eq!(second.wait().code(), Some(0), "{}", second.stderr());
    poll::until("the window to be back", || {
        window.is_visible().then_some(())
    });
}

/// Closing something busy asks; the answer decides.
#[test]
fn closing_something_busy_asks() {
    let window = Window::open_with(&themed("dark"));
    let (mut client, first) = ready(&window);
    window.key("ctrl+shift+d");
    await_snapshot(&mut client, "a second pane", |now| {
        snapshot::pane_ids(now).len() == 2
    });
    let busy = *snapshot::pane_ids(&now(&mut client))
        .iter()
        .find(|pane| **pane != first)
        .unwrap();
    await_prompt(&mut client, busy);
    window.type_text("sleep 600\n");
    await_snapshot(&mut client, "sleep to run", |now| {
        snapshot::pane(now, busy)["running_program"] == "sleep"
    });
    let quiet = look(&window);
    window.key("ctrl+shift+w");
    poll::until("a question on the screen", || {
        picture::compare(&quiet, &look(&window))
            .is_err()
            .then_some(())
    });
    assert_eq!(
        snapshot::pane_ids(&now(&mut client)),
        [first, busy],
        "nothing is closed yet"
    );
    picture::expect("close-busy", &AGES, || window.picture());
    window.key("Escape");
    poll::until("the question to go", || {
        picture::compare(&quiet, &look(&window)).ok()
    });
    assert_eq!(snapshot::pane_ids(&now(&mut client)), [first, busy]);

    window.key("ctrl+shift+w");
    poll::until("a question on the screen", || {
        picture::compare(&quiet, &look(&window))
            .is_err()
            .then_some(())
    });
    window.key("Return");
    await_snapshot(&mut client, "the pane to be closed", |now| {
        snapshot::pane_ids(now) == [first]
    });
}

/// A settings tab has no panes, so the methods that need one say so.
#[test]
fn a_settings_tab_has_no_panes() {
    let window = Window::open_with(&themed("dark"));
    let (mut client, pane) = ready(&window);
    window.key("ctrl+comma");
    let after = await_snapshot(&mut client, "a settings tab", |now| {
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
    let after = await_snapshot(&mut client, "the settings tab again", |now| {
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
    picture::expect("settings", &[path], || look(&window));
    window.key("ctrl+shift+w");
    await_snapshot(&mut client, "the tab to be closed", |now| {
        snapshot::tabs(now).len() == 1
    });
}

/// "A window resized to 1×1 and back."
#[test]
fn a_window_survives_any_size() {
    let window = Window::open();
    let (mut client, pane) = ready(&window);
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

/// The kernel knows the size of the window.
#[test]
fn a_larger_window_has_more_rows_and_columns() {
    let window = Window::open();
    let (mut client, pane) = ready(&window);
    let mut size = || {
        run(&mut client, pane, "stty size > \"$HOME/size\"");
        let text = window.instance().home().read_user("size").unwrap();
        let numbers: Vec<u32> = text
            .split_whitespace()
            .map(|word| word.parse().unwrap())
            .collect();
        (numbers[0], numbers[1])
    };
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

/// Check 46.
#[test]
fn scrolling_and_reading_do_not_disturb_each_other() {
    let window = Window::open();
    let (mut client, pane) = ready(&window);
    run(
        &mut client,
        pane,
        "for n in $(seq 500); do printf 'row %s %*s\\n' $n $((n * 7 % 50)) '##########'; done",
    );
    let at_the_end = look(&window);
    let text = read(&mut client, pane);
    window.click(SIZE.0 * 3 / 4, SIZE.1 / 2, 4, 20);
    poll::until("the view to move", || {
        picture::compare(&at_the_end, &look(&window))
            .is_err()
            .then_some(())
    });
    let scrolled = look(&window);
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
        picture::compare(&scrolled, &look(&window)),
        Ok(()),
        "reading moves no view"
    );
    window.click(SIZE.0 * 3 / 4, SIZE.1 / 2, 5, 60);
    poll::until_ok("the view to be back", poll::PATIENCE, || {
        picture::compare(&at_the_end, &look(&window))
    });
}

/// The mouse selects, keys copy and paste.
#[test]
fn what_is_selected_can_be_pasted() {
    let window = Window::open();
    let (mut client, pane) = ready(&window);
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

/// Typing in one pane goes on while another one floods.
#[test]
fn a_flood_can_be_interrupted_by_key() {
    let window = Window::open();
    let (mut client, pane) = ready(&window);
    window.type_text("yes\n");
    await_text(&mut client, pane, "y\ny\ny");
    window.key("ctrl+c");
    client.ok("pane.wait", json!({"pane_id": pane}));
    window.type_text("echo calm-$((1+1))\n");
    await_text(&mut client, pane, "calm-2");
}

/// Full-screen programs under real keys.
#[test]
fn vim_under_real_keys() {
    let window = Window::open();
    let (mut client, pane) = ready(&window);
    window.type_text("vim -u NONE -N \"$HOME/letter\"\n");
    await_text(&mut client, pane, "[New]");
    window.type_text("ione two");
    window.key("Escape");
    window.type_text("0wcwthree");
    window.key("Escape");
    window.type_text(":wq\n");
    poll::until("the file to be written", || {
        (window.instance().home().read_user("letter")? == "one three\n").then_some(())
    });
    client.ok("pane.wait", json!({"pane_id": pane}));
}

/// A shell that ends closes its tab; the last one ends the program as `window.close` would.
#[test]
fn the_window_goes_with_its_last_shell() {
    let settings = format!("{}\n[ui]\nkeep_session = false\n", home::SETTINGS);
    let mut window = Window::open_with(&settings);
    let (_, _) = ready(&window);
    window.type_text("sleep 3; exit\n");
    let status = window.instance_mut().wait();
    assert_eq!(status.code(), Some(0), "{status}");
    assert!(!window.instance().home().port_file().exists());
}

/// The frame's button: an idle window ends the program in order.
#[test]
fn closing_the_window_ends_the_program() {
    let settings = format!("{}\n[ui]\nkeep_session = false\n", home::SETTINGS);
    let mut window = Window::open_with(&settings);
    let (_, _) = ready(&window);
    window.close();
    let status = window.instance_mut().wait();
    assert_eq!(status.code(), Some(0), "{status}");
    assert!(!window.instance().home().port_file().exists());
    window.instance().expect_nothing_left();
}

/// The frame's button over a busy pane asks, and `window.close` says what runs.
#[test]
fn closing_a_busy_window_asks() {
    let settings = format!("{}\n[ui]\nkeep_session = false\n", home::SETTINGS);
    let mut window = Window::open_with(&settings);
    let (mut client, pane) = ready(&window);
    window.type_text("sleep 600\n");
    await_snapshot(&mut client, "sleep to run", |now| {
        snapshot::pane(now, pane)["running_program"] == "sleep"
    });
    let error = client.error("window.close", json!({}), "confirmation_required");
    let busy = json!([{"pane_id": pane, "program": "sleep"}]);
    assert_eq!(error["details"]["busy"], busy);
    let quiet = look(&window);
    window.close();
    poll::until("a question on the screen", || {
        picture::compare(&quiet, &look(&window))
            .is_err()
            .then_some(())
    });
    assert_eq!(snapshot::state(&now(&mut client), pane), "running");
    window.key("Escape");
    poll::until("the question to go", || {
        picture::compare(&quiet, &look(&window)).ok()
    });
    window.close();
    poll::until("a question on the screen", || {
        picture::compare(&quiet, &look(&window))
            .is_err()
            .then_some(())
    });
    window.key("Return");
    let status = window.instance_mut().wait();
    assert_eq!(status.code(), Some(0), "{status}");
    window.instance().expect_nothing_left();
}

/// Rule 9.4: with `keep_session` the window is hidden, its panes live on, a start reveals it.
#[test]
fn a_kept_session_outlives_its_window() {
    let settings = format!("{}\n[ui]\nkeep_session = true\n", home::SETTINGS);
    let window = Window::open_with(&settings);
    let (mut client, pane) = ready(&window);
    client.ok("pane.prompt", json!({"pane_id": pane, "text": "sleep 600"}));
    for close in ["frame", "method"] {
        if close == "frame" {
            window.close();
        } else {
            client.ok("window.close", json!({}));
        }
        await_snapshot(
            &mut client,
            &format!("a hidden window after {close}"),
            |now| now["detached_windows"] == 1,
        );
        poll::until("the window to be away", || {
            (!window.is_visible()).then_some(())
        });
        assert_eq!(snapshot::state(&now(&mut client), pane), "running");
        client.ok("window.focus", json!({}));
        await_snapshot(&mut client, "a window again", |now| {
            now["detached_windows"] == 0
        });
        poll::until("the window to be back", || {
            window.is_visible().then_some(())
        });
    }
    client.ok("window.close", json!({}));
    poll::until("the window to be away", || {
        (!window.is_visible()).then_some(())
    });
    let mut command = window.second_start();
    command.arg("/usr");
    let mut second = Starting::spawn(window.instance().home(), command);
    assert_eq!(second.wait().code(), Some(0), "{}", second.stderr());
    poll::until("the window to be back", || {
        window.is_visible().then_some(())
    });
    assert_eq!(snapshot::tabs(&now(&mut client)).len(), 2);
}

/// The divider between two panes is dragged with the mouse.
#[test]
fn a_divider_is_dragged() {
    let window = Window::open();
    let (mut client, first) = ready(&window);
    let split = client.ok(
        "pane.split",
        json!({"pane_id": first, "direction": "left_right"}),
    );
    let second = split["action"]["pane_id"].as_u64().unwrap();
    await_prompt(&mut client, second);
    let ratio = |client: &mut Client| {
        snapshot::tabs(&now(client))[0]["layout"]["ratio"]
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

/// What the user unbinds is the program's again, and what is bound works.
#[test]
fn the_keymap_is_the_users() {
    let home = Arc::new(Home::new());
    home.write(
        "config/keymap.toml",
        "[keys]\nnew_tab = \"ctrl-alt-n\"\nopen_settings = []\nsplit_right = [\"alt-d\", \"f9\"]\n",
    );
    let window = Window::open_in(&home);
    let (mut client, first) = ready(&window);
    window.key("ctrl+comma");
    window.key("ctrl+shift+t");
    window.key("ctrl+alt+n");
    let after = await_snapshot(&mut client, "a new tab", |now| {
        snapshot::tabs(now).len() > 1
    });
    assert_eq!(snapshot::tabs(&after).len(), 2);
    assert!(
        snapshot::tabs(&after)
            .iter()
            .all(|tab| tab["kind"] == "shell")
    );
    window.key("F9");
    await_snapshot(&mut client, "a split", |now| {
        snapshot::pane_ids(now).len() == 3
    });
    window.key("alt+d");
    await_snapshot(&mut client, "another split", |now| {
        snapshot::pane_ids(now).len() == 4
    });
    run(&mut client, first, "true");
}

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

/// What differs between runs: the sidebar says how long ago a state began.
const AGES: [Mask; 1] = [Mask {
    x: 160,
    y: 60,
    width: 55,
    height: 180,
}];

/// What the window shows, without what changes by itself.
fn look(window: &Window) -> RgbImage {
    picture::masked(window.picture(), &AGES)
}

/// Terminal.md 8.4: the window in both themes.
fn expect_picture(name: &str, theme: &str) -> f64 {
    let home = Arc::new(Home::with_settings(&themed(theme)));
    home.write("user/sample", SAMPLE);
    let window = Window::open_in(&home);
    let (mut client, pane) = ready(&window);
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
    await_snapshot(&mut client, "sleep to run", |now| {
        snapshot::pane(now, below)["running_program"] == "sleep"
    });
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
    let window = Window::open_with(&themed("dark"));
    let (mut client, _) = ready(&window);
    await_rest(&mut client);
    let dark = look(&window);
    assert!(picture::brightness(&dark) < 90.0);
    let home = window.instance().home();
    home.write_settings(&themed("light"));
    poll::until_ok("the light theme", poll::PATIENCE, || {
        let brightness = picture::brightness(&window.picture());
        if brightness > 165.0 {
            Ok(())
        } else {
            Err(brightness)
        }
    });
    home.write_settings("[ui\ntheme = 7");
    // A change that is good shows that the broken one was read before it and did no harm.
    home.write_settings(&themed("dark"));
    poll::until_ok("the dark theme", poll::PATIENCE, || {
        picture::compare(&dark, &look(&window))
    });
}

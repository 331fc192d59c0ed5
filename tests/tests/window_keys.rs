//! The window under real keys.

use std::sync::Arc;

use nebula_tests::pane::{await_prompt, await_rest, await_text, run, show_input};
use nebula_tests::{Client, Home, Window, poll, snapshot};
use serde_json::json;

/// What is typed arrives, with every symbol of a keyboard.
#[test]
fn typing_reaches_the_shell() {
    let window = Window::open();
    let (mut client, pane) = window.ready();
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

/// Panes by key.
#[test]
fn keys_split_focus_zoom_and_close() {
    let window = Window::open();
    let (mut client, first) = window.ready();
    window.key("ctrl+shift+d");
    let split = snapshot::until(&mut client, "a second pane", |now| {
        snapshot::pane_ids(now).len() == 2
    });
    let layout = &snapshot::tabs(&split)[0]["layout"];
    assert_eq!(layout["direction"], "left_right");
    let second = layout["second"]["pane_id"].as_u64().unwrap();
    window.key("ctrl+shift+s");
    let split = snapshot::until(&mut client, "a third pane", |now| {
        snapshot::pane_ids(now).len() == 3
    });
    let layout = &snapshot::tabs(&split)[0]["layout"]["second"];
    assert_eq!(layout["direction"], "top_bottom");
    let third = layout["second"]["pane_id"].as_u64().unwrap();
    for pane in [second, third] {
        await_prompt(&mut client, pane);
    }

    let focused = |client: &mut Client, pane: u64| {
        snapshot::until(client, &format!("focus on pane {pane}"), |now| {
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
    snapshot::until(&mut client, "the zoom", |now| {
        snapshot::tabs(now)[0]["zoomed_pane_id"] == third
    });
    window.key("ctrl+shift+Return");
    snapshot::until(&mut client, "no zoom", |now| {
        snapshot::tabs(now)[0]["zoomed_pane_id"].is_null()
    });

    client.ok("pane.wait", json!({"pane_id": third}));
    await_rest(&mut client);
    window.key("ctrl+shift+w");
    snapshot::until(&mut client, "two panes", |now| {
        snapshot::pane_ids(now) == [first, second]
    });
}

/// Tabs by key.
#[test]
fn keys_open_and_change_tabs() {
    let window = Window::open();
    let (mut client, _) = window.ready();
    let active = |client: &mut Client, index: u64| {
        snapshot::until(client, &format!("tab {index}"), |now| {
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

/// What the user unbinds is the program's again, and what is bound works.
#[test]
fn the_keymap_is_the_users() {
    let home = Arc::new(Home::new());
    home.write(
        "config/keymap.toml",
        "[keys]\nnew_tab = \"ctrl-alt-n\"\nopen_settings = []\nsplit_right = [\"alt-d\", \"f9\"]\n",
    );
    let window = Window::open_in(&home);
    let (mut client, first) = window.ready();
    window.key("ctrl+comma");
    window.key("ctrl+shift+t");
    window.key("ctrl+alt+n");
    let after = snapshot::until(&mut client, "a new tab", |now| {
        snapshot::tabs(now).len() > 1
    });
    assert_eq!(snapshot::tabs(&after).len(), 2);
    assert!(
        snapshot::tabs(&after)
            .iter()
            .all(|tab| tab["kind"] == "shell")
    );
    window.key("F9");
    snapshot::until(&mut client, "a split", |now| {
        snapshot::pane_ids(now).len() == 3
    });
    window.key("alt+d");
    snapshot::until(&mut client, "another split", |now| {
        snapshot::pane_ids(now).len() == 4
    });
    run(&mut client, first, "true");
}

/// Typing in one pane goes on while another one floods.
#[test]
fn a_flood_can_be_interrupted_by_key() {
    let window = Window::open();
    let (mut client, pane) = window.ready();
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
    let (mut client, pane) = window.ready();
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

/// Keys that scroll here belong to the program where there is nothing to scroll.
#[test]
fn the_alternate_screen_gets_the_keys_that_scroll() {
    let window = Window::open();
    let (mut client, pane) = window.ready();
    show_input(&mut client, pane, r"\033[?1049h");
    for (key, bytes) in [
        ("shift+Prior", "^[[5;2~"),
        ("shift+Next", "^[[6;2~"),
        ("shift+Home", "^[[1;2H"),
        ("shift+End", "^[[1;2F"),
    ] {
        window.key(key);
        window.key("Return");
        await_text(&mut client, pane, bytes);
    }
}

/// What is typed while the first shell starts is typed into it.
#[test]
fn keys_that_come_early_wait_for_the_shell() {
    // Nothing is waited for but the window; how far the shell is by then differs from run to run.
    let window = Window::open();
    window.type_text("echo early-$((40+2))\n");
    let (mut client, pane) = window.ready();
    await_text(&mut client, pane, "\nearly-42");
}

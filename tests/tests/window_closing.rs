//! How a window and what is in it are closed, and what outlives that.

use nebula_tests::pane::{await_program, await_prompt, await_rest};
use nebula_tests::picture::{self};
use nebula_tests::process::{self, Signal};
use nebula_tests::window::AGES;
use nebula_tests::{Starting, Window, home, poll, snapshot};
use serde_json::json;

/// Closing something busy asks; the answer decides.
#[test]
fn closing_something_busy_asks() {
    let window = Window::open_with(&home::themed("dark"));
    let (mut client, first) = window.ready();
    window.key("ctrl+shift+d");
    snapshot::until(&mut client, "a second pane", |now| {
        snapshot::pane_ids(now).len() == 2
    });
    let busy = *snapshot::pane_ids(&snapshot::now(&mut client))
        .iter()
        .find(|pane| **pane != first)
        .unwrap();
    await_prompt(&mut client, busy);
    window.type_text("sleep 600\n");
    await_program(&mut client, busy, "sleep");
    let quiet = window.look();
    window.key("ctrl+shift+w");
    window.await_change("a question on the screen", &quiet);
    assert_eq!(
        snapshot::pane_ids(&snapshot::now(&mut client)),
        [first, busy],
        "nothing is closed yet"
    );
    picture::expect("close-busy", &AGES, || window.picture());
    window.key("Escape");
    window.await_same("the question to go", &quiet);
    assert_eq!(
        snapshot::pane_ids(&snapshot::now(&mut client)),
        [first, busy]
    );

    window.key("ctrl+shift+w");
    window.await_change("a question on the screen", &quiet);
    window.key("Return");
    snapshot::until(&mut client, "the pane to be closed", |now| {
        snapshot::pane_ids(now) == [first]
    });
}

/// A shell that ends closes its tab; the last one ends the program as `window.close` would.
#[test]
fn the_window_goes_with_its_last_shell() {
    let settings = format!("{}\n[ui]\nkeep_session = false\n", home::SETTINGS);
    let mut window = Window::open_with(&settings);
    let (_, _) = window.ready();
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
    let (_, _) = window.ready();
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
    let (mut client, pane) = window.ready();
    window.type_text("sleep 600\n");
    await_program(&mut client, pane, "sleep");
    let error = client.error("window.close", json!({}), "confirmation_required");
    let busy = json!([{"pane_id": pane, "program": "sleep"}]);
    assert_eq!(error["details"]["busy"], busy);
    let quiet = window.look();
    window.close();
    window.await_change("a question on the screen", &quiet);
    assert_eq!(
        snapshot::state(&snapshot::now(&mut client), pane),
        "running"
    );
    window.key("Escape");
    window.await_same("the question to go", &quiet);
    window.close();
    window.await_change("a question on the screen", &quiet);
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
    let (mut client, pane) = window.ready();
    client.ok("pane.prompt", json!({"pane_id": pane, "text": "sleep 600"}));
    for close in ["frame", "method"] {
        if close == "frame" {
            window.close();
        } else {
            client.ok("window.close", json!({}));
        }
        snapshot::until(
            &mut client,
            &format!("a hidden window after {close}"),
            |now| now["detached_windows"] == 1,
        );
        poll::until("the window to be away", || {
            (!window.is_visible()).then_some(())
        });
        assert_eq!(
            snapshot::state(&snapshot::now(&mut client), pane),
            "running"
        );
        client.ok("window.focus", json!({}));
        snapshot::until(&mut client, "a window again", |now| {
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
    assert_eq!(snapshot::tabs(&snapshot::now(&mut client)).len(), 2);
}

/// A signal ends a window at rest as it ends a server: with status 0, and the discovery file gone.
#[test]
fn a_signal_ends_a_window_in_order() {
    let mut window = Window::open();
    let (mut client, _) = window.ready();
    await_rest(&mut client);
    drop(client);
    let instance = window.instance_mut();
    process::signal(instance.pid(), Signal::TERM);
    let status = instance.wait();
    assert_eq!(status.code(), Some(0), "{status}");
    assert!(!instance.home().port_file().exists());
}

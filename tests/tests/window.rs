//! The window as part of a desktop: how it comes, is found again, and is a workspace like any other.

use nebula_tests::{Received, Starting, Window, poll, snapshot};
use serde_json::json;

/// A window is not a second implementation: the snapshot is the one of a headless server.
#[test]
fn a_window_is_a_workspace() {
    let window = Window::open();
    let (mut client, pane) = window.ready();
    let now = snapshot::now(&mut client);
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

/// Rule 3.5 and "a second `nebula` reveals the first window and opens a tab".
#[test]
fn a_second_start_opens_a_tab_in_the_first_window() {
    let window = Window::open();
    let (mut client, first) = window.ready();
    let second_start = |arguments: &[&str], directory: &str| {
        let mut command = window.second_start();
        command.args(arguments).current_dir(directory);
        let mut second = Starting::spawn(window.instance().home(), command);
        let status = second.wait();
        assert_eq!(status.code(), Some(0), "{}", second.stderr());
    };
    second_start(&["/usr/share"], "/");
    let after = snapshot::now(&mut client);
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
        let after = snapshot::now(&mut client);
        let newest = *snapshot::pane_ids(&after).iter().max().unwrap();
        assert_eq!(snapshot::pane(&after, newest)["cwd"], wanted);
    }
    // A headless start gives way here, too.
    let mut command = window.second_start();
    command.arg("--headless");
    let mut headless = Starting::spawn(window.instance().home(), command);
    assert_eq!(headless.wait().code(), Some(1));
    assert_eq!(snapshot::tabs(&snapshot::now(&mut client)).len(), 4);
}

/// Rule 2.10: `ATTACH` reveals a window that was put away.
#[test]
fn attach_reveals_the_window() {
    let window = Window::open();
    let (_, _) = window.ready();
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

/// Somebody who starts it in a terminal reads only what they can act on.
#[test]
fn a_good_start_says_nothing() {
    let window = Window::open();
    let (_, _) = window.ready();
    assert_eq!(window.instance().stderr(), "");
}

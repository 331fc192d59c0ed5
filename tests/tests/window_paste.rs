//! A paste that a program does not read is shown, goes on, and can be cancelled.

use nebula_tests::pane::{await_rest, await_text, start_program};
use nebula_tests::window::{AGES, SIZE};
use nebula_tests::{Window, home, picture, poll};
use serde_json::json;

/// Length of the paste: far more than what a terminal holds for a program, less than OSC 52 may set.
const LENGTH: usize = 600_000;

/// What the terminal and the writing of one piece hold at most when the paste is cancelled.
const ON_THE_WAY: usize = 200_000;

/// Where the note has its button.
const CANCEL: (u32, u32) = (SIZE.0 - 62, 85);

/// Reads nothing of its terminal until somebody opens the other end of `go`, and then counts the bytes of a line.
const DEAF: &str = "clear; stty -echo -icanon; printf '\\033[?25l'; rm -f ~/go; mkfifo ~/go; \
    cat ~/go; head -n 1 | wc -c > ~/got; stty sane";

/// Terminal.md 1.3.
#[test]
fn a_long_paste_is_shown_and_can_be_cancelled() {
    let window = Window::open_with(&home::themed("dark"));
    let (mut client, pane) = window.ready();
    let home = window.instance().home();
    // The clipboard is filled as a program in a pane does it.
    let fill = format!(
        "printf '\\033]52;c;%s\\a' \"$(head -c {LENGTH} /dev/zero | tr '\\0' x | base64 -w0)\"; echo filled-$((40+2))"
    );
    client.ok("pane.prompt", json!({"pane_id": pane, "text": fill}));
    await_text(&mut client, pane, "filled-42");
    for cancelled in [false, true] {
        start_program(&mut client, pane, DEAF, "cat");
        await_rest(&mut client);
        let before = window.look();
        window.key("ctrl+shift+v");
        window.await_change("the note", &before);
        if cancelled {
            picture::expect("window-long-paste", &AGES, || window.picture());
            poll::until_ok("the note to go", poll::PATIENCE, || {
                window.click(CANCEL.0, CANCEL.1, 1, 1);
                picture::compare(&before, &window.look())
            });
        }
        // The end of the line that is counted comes behind the paste.
        window.key("Return");
        home.write("user/go", "");
        client.ok("pane.wait", json!({"pane_id": pane}));
        let count: usize = home.read_user("got").unwrap().trim().parse().unwrap();
        if cancelled {
            assert!((1..ON_THE_WAY).contains(&count), "{count}");
        } else {
            assert_eq!(count, LENGTH + 1, "all of it, and the Return");
        }
    }
    await_rest(&mut client);
}

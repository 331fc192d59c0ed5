//! Every action of the keymap by each of its default keys, seen from outside.
//!
//! The keys are those of the documentation, which is made from the program's own table: an action that is added there and not
//! walked here fails the test.

use std::collections::BTreeMap;

use nebula_tests::pane::{await_prompt, await_rest, await_text, grid, run};
use nebula_tests::{Client, Window, binary, home, poll, snapshot};
use serde_json::Value;

/// Walks the keys: each press of an action takes the next of its keys.
struct Walk {
    window: Window,
    client: Client,
    first: u64,
    keys: BTreeMap<String, Vec<String>>,
}

impl Walk {
    fn start() -> Self {
        let window = Window::open_with(&home::themed("dark"));
        let (client, first) = window.ready();
        Self {
            window,
            client,
            first,
            keys: documented_keys(),
        }
    }

    fn press(&mut self, action: &str) {
        let keys = self.keys.get_mut(action);
        let keys = keys.unwrap_or_else(|| panic!("{action} is documented"));
        // An action that is used more often than it has keys goes on with the first.
        let key = keys.remove(0);
        self.window.key(key.trim_start_matches(PRESSED));
        keys.push(format!("{PRESSED}{}", key.trim_start_matches(PRESSED)));
    }

    /// Presses a key and waits for what it does.
    fn walk(&mut self, action: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        self.press(action);
        snapshot::until(&mut self.client, action, wanted)
    }

    /// Presses a key that changes the layout of the tab in front.
    fn rearrange(&mut self, action: &str) {
        let before = layout(&snapshot::now(&mut self.client)).clone();
        self.walk(action, |now| *layout(now) != before);
    }

    fn not_pressed(&self) -> Vec<(&String, &String)> {
        let keys = self.keys.iter();
        keys.flat_map(|(action, keys)| keys.iter().map(move |key| (action, key)))
            .filter(|(_, key)| !key.starts_with(PRESSED))
            .collect()
    }
}

/// Marks a key that was pressed.
const PRESSED: char = '*';

/// Actions and their default keys, in xdotool's notation.
fn documented_keys() -> BTreeMap<String, Vec<String>> {
    let path = binary::repository().join("docs/settings.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (_, table) = text.split_once("| Action |").unwrap();
    let rows = table.lines().filter_map(|line| {
        let (action, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
        let (keys, _) = rest.split_once(" | ")?;
        let keys = keys.split('`').filter(|key| !key.trim().is_empty());
        Some((action.to_owned(), keys.map(xdotool_key).collect()))
    });
    let keys: BTreeMap<_, Vec<_>> = rows.collect();
    assert!(keys.len() > 40, "{keys:?}");
    keys
}

fn xdotool_key(key: &str) -> String {
    let (mut rest, mut pressed) = (key, String::new());
    for modifier in ["ctrl", "alt", "shift"] {
        if let Some(after) = rest
            .strip_prefix(modifier)
            .and_then(|rest| rest.strip_prefix('-'))
        {
            rest = after;
            pressed += modifier;
            pressed.push('+');
        }
    }
    let name = match rest {
        "pageup" => "Prior",
        "pagedown" => "Next",
        "enter" => "Return",
        "tab" => "Tab",
        "left" => "Left",
        "right" => "Right",
        "up" => "Up",
        "down" => "Down",
        "home" => "Home",
        "end" => "End",
        "insert" => "Insert",
        "add" => "KP_Add",
        "subtract" => "KP_Subtract",
        "+" => "plus",
        "-" => "minus",
        "=" => "equal",
        "," => "comma",
        _ if rest.len() == 1 => rest,
        _ => panic!("{key}"),
    };
    pressed + name
}

fn tab_in_front(snapshot: &Value) -> &Value {
    let tabs = snapshot::tabs(snapshot);
    tabs.iter().find(|tab| tab["active"] == true).unwrap()
}

fn layout(snapshot: &Value) -> &Value {
    &tab_in_front(snapshot)["layout"]
}

fn focused(snapshot: &Value) -> u64 {
    snapshot["windows"][0]["focused_pane_id"]
        .as_u64()
        .unwrap_or(0)
}

fn active(index: u64) -> impl Fn(&Value) -> bool {
    move |now| now["windows"][0]["active_tab"] == index
}

#[test]
fn every_default_key_does_what_it_says() {
    let mut walk = Walk::start();
    panes(&mut walk);
    tabs(&mut walk);
    text(&mut walk);
    sizes(&mut walk);
    walk.press("quit");
    let status = walk.window.instance_mut().wait();
    assert_eq!(status.code(), Some(0), "{status}");
    assert_eq!(walk.not_pressed(), []);
}

fn panes(walk: &mut Walk) {
    let first = walk.first;
    let split = walk.walk("split_right", |now| snapshot::pane_ids(now).len() == 2);
    let second = focused(&split);
    let split = walk.walk("split_down", |now| snapshot::pane_ids(now).len() == 3);
    let third = focused(&split);
    for pane in [second, third] {
        await_prompt(&mut walk.client, pane);
    }
    for (action, pane) in [
        ("focus_up", second),
        ("focus_left", first),
        ("focus_right", second),
        ("focus_down", third),
    ] {
        walk.walk(action, |now| focused(now) == pane);
    }
    for action in [
        "resize_pane_left",
        "resize_pane_right",
        "resize_pane_up",
        "resize_pane_down",
        "move_pane_up",
        "move_pane_down",
        "move_pane_left",
        "move_pane_right",
    ] {
        walk.rearrange(action);
    }
    let focus = focused(&snapshot::now(&mut walk.client));
    walk.walk("zoom_pane", |now| {
        tab_in_front(now)["zoomed_pane_id"] == focus
    });
    walk.walk("zoom_pane", |now| {
        tab_in_front(now)["zoomed_pane_id"].is_null()
    });
    await_rest(&mut walk.client);
    walk.walk("close_pane", |now| snapshot::pane_ids(now).len() == 2);
}

fn tabs(walk: &mut Walk) {
    for count in 2..=9 {
        walk.walk("new_tab", |now| snapshot::tabs(now).len() == count);
    }
    for place in (1..=9).rev() {
        walk.walk(&format!("tab_{place}"), active(place - 1));
    }
    walk.walk("next_tab", active(1));
    walk.walk("next_tab", active(2));
    walk.walk("prev_tab", active(1));
    walk.walk("prev_tab", active(0));
    walk.press("rename_tab");
    walk.window.type_text("renamed\n");
    let place = |now: &Value| {
        snapshot::labels(now)
            .iter()
            .position(|label| *label == "renamed")
    };
    snapshot::until(&mut walk.client, "the name", |now| place(now) == Some(0));
    walk.walk("move_tab_right", |now| place(now) == Some(1));
    walk.walk("move_tab_left", |now| place(now) == Some(0));
    walk.walk("tab_9", active(8));
    await_rest(&mut walk.client);
    walk.walk("close_tab", |now| snapshot::tabs(now).len() == 8);
    walk.walk("open_settings", |now| {
        tab_in_front(now)["kind"] == "settings"
    });
    walk.walk("close_tab", |now| snapshot::tabs(now).len() == 8);
    walk.press("command_palette");
    // It is found by the name of an action, too.
    walk.window.type_text("new_tab\n");
    snapshot::until(&mut walk.client, "a ninth tab", |now| {
        snapshot::tabs(now).len() == 9
    });
}

fn text(walk: &mut Walk) {
    let pane = focused(&snapshot::now(&mut walk.client));
    await_prompt(&mut walk.client, pane);
    for number in 1..=2 {
        let fill = format!("clear; for n in $(seq 60); do echo word{number}_$((40+2)); done");
        run(&mut walk.client, pane, &fill);
        walk.window
            .select((250, 300), 2, &format!("word{number}_42"));
        walk.press("copy");
        walk.window.type_text("echo pasted-");
        walk.press("paste");
        walk.window.key("Return");
        let pasted = format!("\npasted-word{number}_42");
        await_text(&mut walk.client, pane, &pasted);
    }
    run(
        &mut walk.client,
        pane,
        "clear; seq 400 | while read n; do printf '%*s\\n' $((n % 37 + 1)) $n; done",
    );
    let bottom = walk.window.look();
    let mut before = bottom.clone();
    for action in ["scroll_page_up", "scroll_top", "scroll_page_down"] {
        walk.press(action);
        walk.window.await_change(action, &before);
        before = walk.window.look();
    }
    walk.press("scroll_bottom");
    walk.window.await_same("scroll_bottom", &bottom);
}

fn sizes(walk: &mut Walk) {
    let pane = focused(&snapshot::now(&mut walk.client));
    let mut size = (0, 0);
    let mut until =
        |walk: &mut Walk, action: &str, wanted: &dyn Fn((u32, u32), (u32, u32)) -> bool| {
            let before = size;
            walk.press(action);
            poll::until_ok(action, poll::PATIENCE, || {
                size = grid(walk.window.instance(), &mut walk.client, pane);
                if wanted(before, size) {
                    Ok(())
                } else {
                    Err(format!("{before:?} {size:?}"))
                }
            });
            size
        };
    // The first press finds out where it stands.
    let sidebar = until(walk, "toggle_sidebar", &|_, now| now.0 > 0);
    let shown = until(walk, "toggle_sidebar", &|before, now| now.1 != before.1);
    assert!(sidebar.1 > shown.1, "{sidebar:?} {shown:?}");
    // A pixel more may leave one of the two as it was.
    let cells = |size: (u32, u32)| size.0 * size.1;
    for _ in 0..3 {
        until(walk, "font_larger", &|before, now| {
            cells(now) < cells(before)
        });
    }
    for _ in 0..2 {
        until(walk, "font_smaller", &|before, now| {
            cells(now) > cells(before)
        });
    }
    let back = until(walk, "font_reset", &|before, now| {
        cells(now) > cells(before)
    });
    assert_eq!(back, shown);
}

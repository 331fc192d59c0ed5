//! Floods, deaths and crowds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use nebula_tests::pane::{await_prompt, read, run, start_program};
use nebula_tests::process::{self, Signal};
use nebula_tests::{Client, Ctl, Home, Instance, home, poll, snapshot};
use serde_json::json;

/// Far above what an answer takes and far below the length of the flood.
const SOON: Duration = Duration::from_secs(10);

/// "A pane that prints 100 MB while others work."
#[test]
fn a_flood_in_one_pane_leaves_the_others_alone() {
    let instance = Instance::start();
    let (mut client, flooding) = instance.ready();
    let split = client.ok("pane.split", json!({"direction": "left_right"}));
    let working = split["action"]["pane_id"].as_u64().unwrap();
    await_prompt(&mut client, working);
    let flood = "yes 'the quick brown fox jumps over the lazy dog 0123456789' | head -c 100000000; echo flood-is-$((20+3))";
    let start = client.ok("pane.prompt", json!({"pane_id": flooding, "text": flood}));
    let sequence = snapshot::sequence(&start["snapshot"], flooding);

    let mut rounds = 0;
    loop {
        let asked = Instant::now();
        let now = client.ok_within("runtime.snapshot", json!({}), SOON);
        client.ok_within("runtime.describe", json!({}), SOON);
        client.ok_within("pane.read", json!({"pane_id": flooding, "lines": 50}), SOON);
        let wait = json!({"pane_id": working, "text": format!("echo work-$(({rounds}+1000))"), "wait": {}});
        client.ok_within("pane.prompt", wait, SOON);
        assert!(read(&mut client, working).contains(&format!("work-{}", 1000 + rounds)));
        assert!(asked.elapsed() < SOON * 2);
        rounds += 1;
        if snapshot::sequence(&now, flooding) > sequence {
            break;
        }
    }
    assert!(rounds > 1, "the others worked while it was printed");
    client.ok(
        "pane.wait",
        json!({"pane_id": flooding, "after_seq": sequence}),
    );
    assert!(
        read(&mut client, flooding).contains("flood-is-23"),
        "the end of it is there"
    );
}

/// A program that does not read its input holds nobody up (terminal.md 1.3).
#[test]
fn a_program_that_does_not_read_holds_nobody_up() {
    let instance = Instance::start();
    let (mut client, deaf) = instance.ready();
    let split = client.ok("pane.split", json!({"direction": "left_right"}));
    let working = split["action"]["pane_id"].as_u64().unwrap();
    await_prompt(&mut client, working);
    start_program(&mut client, deaf, "stty raw -echo; sleep 600", "sleep");
    // 3.2 MB into a pane whose terminal takes a few KB. Whether the queue takes all of it or says
    // that it is full, the answer comes.
    let text = "x".repeat(32_768);
    for _ in 0..100 {
        let params = json!({"pane_id": deaf, "text": text, "submit": false});
        let answer = client.call_within("pane.prompt", params, SOON);
        if answer["ok"] == false {
            assert_eq!(answer["error"]["code"], "input_in_progress", "{answer}");
        }
    }
    run(&mut client, working, "echo work-$((1+1))");
    assert!(read(&mut client, working).contains("work-2"));
    client.ok_within("pane.close", json!({"pane_id": deaf, "force": true}), SOON);
}

/// Settings that cannot be watched are no reason not to serve.
#[test]
fn a_file_in_place_of_the_settings_directory_is_a_warning() {
    let home = Arc::new(Home::new());
    home.write("user/a-file", "");
    let mut command = home.nebula();
    command
        .arg("--headless")
        .env("NEBULA_CONFIG_DIR", home.user().join("a-file"));
    let instance = Instance::start_command(&home, command);
    let (mut client, pane) = instance.ready();
    run(&mut client, pane, "echo serving-$((1+1))");
    assert!(read(&mut client, pane).contains("serving-2"));
    let warned = instance.stderr();
    assert!(
        warned.contains("a-file") && warned.contains("seen at the next start only"),
        "{warned}"
    );
}

/// A window needs a display; without one it says so and leaves nothing behind.
#[test]
fn a_window_without_a_display_ends_with_one_line() {
    for display in [None, Some(":231")] {
        let home = Home::new();
        let mut command = home.nebula();
        command.envs(display.map(|name| ("DISPLAY", name)));
        let ended = Ctl::run(command);
        assert_eq!(ended.status, 1, "{ended:?}");
        assert_eq!(ended.stderr.lines().count(), 1, "{ended:?}");
        assert!(ended.stderr.contains("nebula --headless"), "{ended:?}");
        assert!(!home.port_file().exists());
    }
}

/// "kill -9 of a shell": its pane goes, the record says how, everything else stays.
#[test]
fn a_killed_shell_takes_only_its_pane_along() {
    let instance = Instance::start();
    let (mut client, first) = instance.ready();
    let split = client.ok("pane.split", json!({"direction": "left_right"}));
    let pane = split["action"]["pane_id"].as_u64().unwrap();
    await_prompt(&mut client, pane);
    client.ok(
        "pane.prompt",
        json!({"pane_id": pane, "text": "sleep 3; sleep 600"}),
    );
    client.ok(
        "pane.prompt",
        json!({"pane_id": first, "text": "sleep 3", "wait": {}}),
    );
    let shell = client.ok("pane.procs", json!({"pane_id": pane}))["root_pid"]
        .as_u64()
        .unwrap();
    process::signal(u32::try_from(shell).unwrap(), Signal::KILL);
    let record = poll::until("the record of the pane", || {
        snapshot::lifecycle(&client.ok("runtime.snapshot", json!({})), pane).cloned()
    });
    assert_eq!(
        (&record["event"], &record["signal"]),
        (&json!("exited"), &json!(9)),
        "{record}"
    );
    let now = client.ok("runtime.snapshot", json!({}));
    assert_eq!(snapshot::pane_ids(&now), [first]);
    run(&mut client, first, "echo alive-$((1+1))");
    assert!(read(&mut client, first).contains("alive-2"));
    // Nothing of it is left, not as a process and not as a zombie.
    poll::until_ok("its children to be gone", poll::PATIENCE, || {
        let left: Vec<_> = process::descendants(instance.pid())
            .into_iter()
            .filter(|process| process.state == 'Z' || process.name == "sleep")
            .collect();
        if left.is_empty() {
            Ok(())
        } else {
            Err(format!("{left:?}"))
        }
    });
}

/// Terminal.md 1.6: a held pane says in one sentence what ended it.
#[test]
fn a_held_pane_says_what_ended_it() {
    let instance = Instance::start_with(home::HELD);
    let (mut client, killed) = instance.ready();
    let [finished, failed] = [0, 1].map(|_| {
        let split = client.ok("pane.split", json!({"direction": "top_bottom"}));
        let pane = split["action"]["pane_id"].as_u64().unwrap();
        await_prompt(&mut client, pane);
        pane
    });
    client.ok(
        "pane.prompt",
        json!({"pane_id": finished, "text": "exit 0"}),
    );
    client.ok("pane.prompt", json!({"pane_id": failed, "text": "exit 42"}));
    let shell = client.ok("pane.procs", json!({"pane_id": killed}))["root_pid"]
        .as_u64()
        .unwrap();
    process::signal(u32::try_from(shell).unwrap(), Signal::KILL);
    client.ok(
        "pane.wait",
        json!({"pane_id": finished, "state": "finished"}),
    );
    client.ok("pane.wait", json!({"pane_id": failed, "state": "failed"}));
    client.ok("pane.wait", json!({"pane_id": killed, "state": "failed"}));
    for (pane, word) in [(failed, "42"), (killed, "9")] {
        let read = client.ok("pane.read", json!({"pane_id": pane}));
        assert_eq!(read["exited"], true);
        let reason = read["exit_reason"].as_str().unwrap();
        assert!(reason.contains(word), "{reason:?} names {word}");
    }
    let now = client.ok("runtime.snapshot", json!({}));
    assert_eq!(snapshot::pane_ids(&now).len(), 3, "they stay");
    // An exited pane is not busy.
    for pane in [failed, finished] {
        client.ok("pane.close", json!({"pane_id": pane}));
    }
}

/// Terminal.md 1.6: a shell that fails at once stays to say so, also without the setting.
#[test]
fn a_shell_that_fails_at_once_stays_to_say_so() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    instance.home().write("user/.bashrc", "exit 9\n");
    let pane = client.ok("tab.new", json!({}))["action"]["pane_id"]
        .as_u64()
        .unwrap();
    client.ok("pane.wait", json!({"pane_id": pane, "state": "failed"}));
    let read = client.ok("pane.read", json!({"pane_id": pane}));
    assert_eq!(read["exited"], true);
    assert!(
        read["exit_reason"].as_str().unwrap().contains('9'),
        "{read}"
    );
    client.ok("pane.close", json!({"pane_id": pane}));
}

/// Terminal.md 1.5: panes come and go, and nothing piles up.
#[test]
fn a_thousand_panes_leave_nothing_behind() {
    let instance = Instance::start();
    let (mut client, first) = instance.ready();
    let cycle = |client: &mut Client| {
        let tab = client.ok("tab.new", json!({}));
        let pane = tab["action"]["pane_id"].as_u64().unwrap();
        client.ok("pane.close", json!({"pane_id": pane, "force": true}));
    };
    for _ in 0..20 {
        cycle(&mut client);
    }
    let quiet = |bound: usize| {
        poll::until_ok(
            "descriptors and processes to be given back",
            poll::PATIENCE,
            || {
                let descriptors = process::descriptors(instance.pid());
                let children = process::descendants(instance.pid());
                if children.len() == 1 && descriptors <= bound {
                    Ok(descriptors)
                } else {
                    Err(format!(
                        "{descriptors} descriptors, {} children",
                        children.len()
                    ))
                }
            },
        )
    };
    let before = quiet(usize::MAX);
    for _ in 0..1000 {
        cycle(&mut client);
    }
    quiet(before);
    let now = client.ok("runtime.snapshot", json!({}));
    assert_eq!(snapshot::pane_ids(&now), [first]);
    assert_eq!(
        now["pane_lifecycles"].as_array().unwrap().len(),
        256,
        "the newest records are kept"
    );
    run(&mut client, first, "echo alive-$((1+1))");
    assert!(read(&mut client, first).contains("alive-2"));
}

/// Closing a pane ends its whole process group, also what does not want to end.
#[test]
fn a_closed_pane_takes_its_processes_along() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    let pane = client.ok("tab.new", json!({}))["action"]["pane_id"]
        .as_u64()
        .unwrap();
    await_prompt(&mut client, pane);
    run(
        &mut client,
        pane,
        "(trap '' HUP TERM; sleep 611) & sleep 612 | sleep 613 &",
    );
    client.ok(
        "pane.prompt",
        json!({"pane_id": pane, "text": "bash -c 'trap \"\" HUP INT TERM; sleep 614; sleep 615'"}),
    );
    let sleeping = || {
        instance
            .left_behind()
            .into_iter()
            .filter(|process| process.name == "sleep")
            .count()
    };
    poll::until("all of them to run", || (sleeping() >= 4).then_some(()));
    client.ok("pane.close", json!({"pane_id": pane, "force": true}));
    poll::until_ok("all of them to end", poll::PATIENCE, || match sleeping() {
        0 => Ok(()),
        left => Err(format!("{left} left")),
    });
}

/// Many panes work at the same time, each in its own terminal.
#[test]
fn sixteen_panes_work_at_once() {
    let instance = Instance::start();
    let (mut client, first) = instance.ready();
    let mut panes = vec![first];
    for _ in 1..16 {
        panes.push(
            client.ok("tab.new", json!({}))["action"]["pane_id"]
                .as_u64()
                .unwrap(),
        );
    }
    std::thread::scope(|scope| {
        for pane in &panes {
            let endpoint = instance.endpoint();
            scope.spawn(move || {
                let mut client = Client::connect(endpoint);
                await_prompt(&mut client, *pane);
                for round in 0..10 {
                    run(
                        &mut client,
                        *pane,
                        &format!("echo pane-$(({pane}*1000+{round}))"),
                    );
                    let text = read(&mut client, *pane);
                    assert!(
                        text.contains(&format!("pane-{}", pane * 1000 + round)),
                        "{text}"
                    );
                }
            });
        }
    });
    for pane in panes {
        let text = read(&mut client, pane);
        let lines = text
            .lines()
            .filter(|line| line.starts_with("pane-"))
            .count();
        assert_eq!(lines, 10, "nothing of another pane: {text}");
    }
}

/// An idle workspace rests: no revision, and almost no time on a processor.
#[test]
fn ten_idle_panes_rest() {
    let instance = Instance::start();
    let (mut client, first) = instance.ready();
    let mut panes = vec![first];
    for _ in 1..10 {
        panes.push(
            client.ok("tab.new", json!({}))["action"]["pane_id"]
                .as_u64()
                .unwrap(),
        );
    }
    for pane in &panes {
        await_prompt(&mut client, *pane);
    }
    let before = nebula_tests::pane::await_rest(&mut client);
    let mut stream = instance.client();
    stream.ok(
        "events.subscribe",
        json!({"since_revision": before["revision"]}),
    );
    stream.expect_quiet(Duration::from_secs(5));
}

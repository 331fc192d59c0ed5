//! Starting, feeding, resizing and ending processes.

use std::time::{Duration, Instant};

use crate::harness::{self, Pane, alive, descriptors, shell};
use terminal::{
    ExitStatus, Frame, GridSize, PtyCommand, ReadFormat, ReadRequest, ReadSource, Scroll,
    SpawnError, TerminalEvent, TerminalOptions, WriteError,
};

#[test]
fn output_exit_code_and_order() {
    let pane = Pane::start(shell(
        "printf 'hello\\nworld\\n'; printf '\\033]2;t\\007\\a'; exit 3",
    ));
    assert_eq!(
        pane.exit(),
        ExitStatus {
            code: Some(3),
            signal: None
        }
    );
    assert!(pane.text().starts_with("hello\nworld\n"));
    let events = pane.events();
    assert_eq!(
        events,
        [
            TerminalEvent::Title(Some("t".to_owned())),
            TerminalEvent::Bell,
            TerminalEvent::Exited(ExitStatus {
                code: Some(3),
                signal: None
            }),
        ]
    );
    assert!(pane.terminal.is_exited());
    assert_eq!(pane.terminal.root_pid(), None);
    assert_eq!(pane.terminal.foreground_group(), None);
    assert_eq!(pane.terminal.write(b"x".to_vec()), Err(WriteError::Closed));
}

#[test]
fn all_output_comes_before_the_exit() {
    for _ in 0..10 {
        let pane = Pane::start(shell("seq 1 20000; printf END"));
        pane.exit();
        assert!(pane.text().contains("20000\nEND"), "{}", pane.text());
    }
}

#[test]
fn a_grandchild_that_keeps_the_terminal_open_delays_nothing() {
    let started = Instant::now();
    let pane = Pane::start(shell("trap '' HUP; sleep 30 & echo started; exit 0"));
    assert_eq!(pane.exit().code, Some(0));
    assert!(started.elapsed() < Duration::from_secs(10));
    assert!(pane.text().contains("started"));
}

#[test]
fn a_killed_root_is_noticed_with_its_signal() {
    let pane = Pane::start(shell("echo ready; read x"));
    pane.wait_for_text("ready");
    let pid = pane.terminal.root_pid().unwrap();
    assert_eq!(pane.terminal.foreground_group(), Some(pid));
    let killed = Instant::now();
    harness::signal(pid, 9);
    assert_eq!(
        pane.exit(),
        ExitStatus {
            code: None,
            signal: Some(9)
        }
    );
    assert!(killed.elapsed() < Duration::from_secs(2));
}

#[test]
fn input_reaches_the_program() {
    let pane = Pane::start(shell("read line; echo \"got $line\""));
    pane.terminal.write(b"some words\r".to_vec()).unwrap();
    pane.exit();
    assert!(pane.text().contains("got some words"));
}

#[test]
fn environment_and_directory() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = shell("pwd -P; echo \"[$NEBULA_TEST] [$HOME]\"; tty");
    command.cwd = Some(directory.path().to_owned());
    command.env.push(("NEBULA_TEST".into(), "a value".into()));
    command.env_remove.push("HOME".into());
    let pane = Pane::start(command);
    pane.exit();
    let text = pane.text();
    assert!(
        text.contains(
            &directory
                .path()
                .canonicalize()
                .unwrap()
                .display()
                .to_string()
        )
    );
    assert!(text.contains("[a value] []"), "{text}");
    assert!(text.contains("/dev/"));
}

#[test]
fn starting_fails_with_a_reason() {
    let missing = Pane::try_start(PtyCommand::new("/nonexistent/shell"));
    assert!(matches!(missing, Err(SpawnError::Program { .. })));
    let mut command = shell("true");
    command.cwd = Some("/nonexistent".into());
    assert!(matches!(
        Pane::try_start(command),
        Err(SpawnError::Directory { .. })
    ));
}

#[test]
fn queries_are_answered() {
    // The program asks where the cursor is and reads the answer itself.
    let script = "stty raw -echo; printf '\\033[6n'; \
                  dd bs=1 count=6 2>/dev/null | od -An -c | tr -d ' \\n'; stty sane; echo";
    let pane = Pane::start(shell(script));
    pane.exit();
    assert!(pane.text().contains("033[1;1R"), "{}", pane.text());
}

#[test]
fn grid_and_kernel_agree_on_the_size() {
    let pane = Pane::start(shell(
        "trap 'stty size' WINCH; stty size; echo ready; while :; do read x; done",
    ));
    pane.wait_for_text("24 80");
    pane.wait_for_text("ready");
    for (columns, lines, told) in [(100, 30, "30 100"), (1, 1, "1 2"), (132, 50, "50 132")] {
        pane.terminal.resize(GridSize::new(columns, lines));
        if columns > 2 {
            pane.wait_for_text(told);
        }
        pane.wait(|| {
            let mut frame = Frame::default();
            pane.terminal.frame(&mut frame);
            format!("{} {}", frame.lines, frame.columns) == told
        });
    }
    pane.terminal.kill();
    pane.exit();
}

#[test]
fn a_silent_program_is_resized_to_the_last_size_asked_for() {
    let pane = Pane::start(shell("echo ready; read x; stty size"));
    pane.wait_for_text("ready");
    pane.terminal.frame(&mut Frame::default());
    let before = pane.redraws();
    for columns in 20..=120 {
        pane.terminal
            .resize(GridSize::new(columns, 1 + columns / 4));
    }
    assert_eq!(pane.terminal.size(), GridSize::new(120, 31));
    pane.wait(|| {
        let mut frame = Frame::default();
        pane.terminal.frame(&mut frame);
        (frame.columns, frame.lines) == (120, 31)
    });
    assert!(pane.redraws() > before);
    pane.terminal.write(b"\r".to_vec()).unwrap();
    pane.exit();
    assert!(pane.text().contains("31 120"), "{}", pane.text());
}

#[test]
fn resizing_a_long_history_keeps_nobody_waiting() {
    let options = TerminalOptions {
        history_lines: TerminalOptions::MAX_HISTORY_LINES,
        ..TerminalOptions::default()
    };
    let pane = Pane::start_with(
        shell("seq -f 'line %.0f' 1 110000; echo done; read x"),
        options,
    );
    pane.wait_for_text("done");
    let mut frame = Frame::default();
    pane.terminal.resize(GridSize::new(7, 30));
    let mut worst = Duration::ZERO;
    while frame.columns != 7 {
        let started = Instant::now();
        pane.terminal.frame(&mut frame);
        pane.terminal.modes();
        pane.terminal.scroll(Scroll::Bottom);
        pane.terminal.selection_text();
        worst = worst.max(started.elapsed());
        std::thread::yield_now();
    }
    // Generous, as the machine may be busy: the unoptimised reflow alone takes seconds.
    assert!(worst < Duration::from_secs(1), "{worst:?}");
    assert_eq!(frame.lines, 30);
    pane.terminal.kill();
    pane.exit();
}

#[test]
fn what_a_program_left_behind_is_still_resized() {
    let pane = Pane::start(shell("printf 'words that wrap'"));
    // Also a size asked for at the very end is not lost.
    pane.terminal.resize(GridSize::new(40, 5));
    pane.exit();
    for size in [
        GridSize::new(40, 5),
        GridSize::new(5, 5),
        GridSize::new(30, 3),
    ] {
        pane.terminal.resize(size);
        assert_eq!(pane.terminal.size(), size);
        pane.wait(|| {
            let mut frame = Frame::default();
            pane.terminal.frame(&mut frame);
            (frame.columns, frame.lines) == (usize::from(size.columns), usize::from(size.lines))
        });
        assert!(
            pane.text().starts_with("words that wrap"),
            "{}",
            pane.text()
        );
    }
}

#[test]
fn a_program_that_does_not_read_blocks_nobody() {
    let pane = Pane::start(shell("stty raw -echo; echo ready; exec sleep 1000"));
    pane.wait_for_text("ready");
    let mut refused = false;
    for _ in 0..64 {
        let started = Instant::now();
        refused |= pane.terminal.write(vec![b'x'; 64 * 1024]) == Err(WriteError::Full);
        assert!(started.elapsed() < Duration::from_secs(1));
    }
    assert!(refused);
    assert!(pane.terminal.bytes_pending() <= 1024 * 1024);
    pane.terminal.kill();
    pane.exit();
    assert_eq!(pane.terminal.bytes_pending(), 0);
}

#[test]
fn a_paste_of_twenty_megabytes_arrives_whole() {
    const SIZE: usize = 20 * 1024 * 1024;
    let script = format!("stty raw -echo; echo ready; head -c {SIZE} | cksum; stty sane");
    let pane = Pane::start(shell(&script));
    pane.wait_for_text("ready");
    let bulk = pane.terminal.write_bulk(vec![b'y'; SIZE]).unwrap();
    pane.terminal.write(b"after".to_vec()).unwrap();
    pane.wait(|| bulk.is_finished());
    assert_eq!(bulk.progress(), (SIZE, SIZE));
    pane.exit();
    assert!(pane.text().contains(&format!(" {SIZE}")), "{}", pane.text());
}

#[test]
fn a_cancelled_paste_ends_its_bracket() {
    let pane = Pane::start(shell(
        // It reads nothing until the paste was cancelled, so that most of it cannot have been written.
        "stty raw -echo; trap 'go=1' USR1; echo ready; while [ -z \"$go\" ]; do sleep 0.05; done; \
         tr -d z | head -c 12 | od -An -c | tr -d ' \\n'; stty sane; echo",
    ));
    pane.wait_for_text("ready");
    let paste = terminal::input::paste_bytes(&"z".repeat(50_000_000), true);
    let bulk = pane.terminal.write_bulk(paste).unwrap();
    assert!(matches!(
        pane.terminal.write_bulk(vec![0; 50_000_000]),
        Err(WriteError::Full)
    ));
    pane.wait(|| bulk.progress().0 > 0);
    bulk.cancel();
    harness::signal(pane.terminal.root_pid().unwrap(), 10);
    pane.wait(|| bulk.is_finished());
    assert_eq!(pane.terminal.bytes_pending(), 0);
    // `tr` gives nothing out before it has a good deal.
    pane.terminal.write(vec![b'A'; 256 * 1024]).unwrap();
    // All that is no pasted text: the bracket, begun and ended.
    pane.wait_for_text("033[200~033[201~\n");
    pane.terminal.kill();
    pane.exit();
}

#[test]
fn kill_ends_the_whole_session() {
    // A job in a process group of its own, and a shell, that ignore what can be ignored.
    let script = "trap '' HUP TERM; set -m; sh -c 'trap \"\" HUP TERM; echo job $$; \
                  while :; do sleep 1; done' & echo root $$; while :; do sleep 1; done";
    let pane = Pane::start(shell(script));
    pane.wait_for_text("job ");
    pane.wait_for_text("root ");
    let text = pane.text();
    let pid = |name: &str| -> u32 {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    let (root, job) = (pid("root"), pid("job"));
    let started = Instant::now();
    pane.terminal.kill();
    assert!(started.elapsed() < Duration::from_millis(100));
    assert_eq!(pane.exit().signal, Some(9));
    assert!(started.elapsed() >= Duration::from_millis(1900));
    pane.wait(|| !alive(root) && !alive(job));
}

#[test]
fn dropping_the_last_handle_kills() {
    let pane = Pane::start(shell("echo ready; exec sleep 1000"));
    pane.wait_for_text("ready");
    let pid = pane.terminal.root_pid().unwrap();
    let clone = pane.terminal.clone();
    drop(pane);
    assert!(alive(pid));
    drop(clone);
    harness::wait(|| !alive(pid));
}

#[test]
fn a_synchronized_update_ends_by_itself() {
    let pane = Pane::start(shell(
        "printf 'before\\n'; sleep 0.3; printf '\\033[?2026hheld'; exec sleep 1000",
    ));
    pane.wait_for_text("before");
    // The text is there at once, the frame follows when the time is up.
    pane.wait_for_text("held");
    pane.wait(|| {
        let mut frame = Frame::default();
        pane.terminal.frame(&mut frame);
        frame
            .row(1)
            .iter()
            .map(|cell| cell.c)
            .collect::<String>()
            .starts_with("held")
    });
    pane.terminal.kill();
    pane.exit();
}

#[test]
fn a_flood_leaves_room_for_others() {
    let pane = Pane::start(shell(
        "yes 'a line that is long enough to keep the parser busy'",
    ));
    pane.wait_for_text("a line");
    let mut worst = Duration::ZERO;
    let mut frame = Frame::default();
    for _ in 0..100 {
        let started = Instant::now();
        pane.terminal.frame(&mut frame);
        pane.read(ReadSource::Recent);
        worst = worst.max(started.elapsed());
    }
    // Generous: the machine may be busy. Starvation would be seconds.
    assert!(worst < Duration::from_secs(1), "{worst:?}");
    pane.terminal.kill();
    pane.exit();
}

#[test]
fn redraws_are_coalesced() {
    let pane = Pane::start(shell("seq 1 1000; exec sleep 1000"));
    pane.wait_for_text("1000");
    assert_eq!(pane.redraws(), 1);
    pane.terminal.frame(&mut Frame::default());
    pane.terminal.kill();
    pane.exit();
    assert_eq!(pane.redraws(), 2);
}

#[test]
fn nothing_is_left_of_many_panes() {
    let before = descriptors();
    let mut pids = Vec::new();
    for _ in 0..20 {
        let panes: Vec<_> = (0..10)
            .map(|_| Pane::start(shell("echo ready; read x")))
            .collect();
        for pane in &panes {
            pids.push(pane.terminal.root_pid().unwrap());
        }
        for pane in &panes {
            pane.terminal.kill();
        }
        for pane in &panes {
            pane.exit();
        }
    }
    assert_eq!(pids.len(), 200);
    harness::wait(|| !pids.iter().any(|pid| alive(*pid)));
    // Zombies would still have an entry.
    assert!(
        pids.iter()
            .all(|pid| !std::path::Path::new(&format!("/proc/{pid}")).exists())
    );
    // Other tests run beside this one in the same process, each with a handful of descriptors.
    harness::wait(|| descriptors() <= before + 60);
}

#[test]
fn last_command_over_a_real_terminal() {
    let script =
        "printf '\\033]133;C;cmdline_url=x\\007a\\nb\\n\\033]133;D;0\\007\\033]133;A\\007$ '";
    let pane = Pane::start(shell(script));
    pane.exit();
    let request = ReadRequest {
        lines: 120,
        source: ReadSource::LastCommand,
        format: ReadFormat::Text,
    };
    let read = pane.terminal.read(&request).unwrap();
    assert_eq!(read.text, "a\nb");
    assert_eq!(read.command.as_deref(), Some("x"));
}

#[test]
fn options_reach_the_grid() {
    let options = TerminalOptions {
        size: GridSize::new(40, 10),
        history_lines: 5,
        ..TerminalOptions::default()
    };
    let pane = Pane::start_with(shell("seq 1 100"), options);
    pane.exit();
    assert_eq!(pane.read(ReadSource::Recent).history_available, 5);
}

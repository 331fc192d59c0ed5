//! Shells and what people run in them.

use std::sync::Arc;
use std::time::Duration;

use nebula_tests::pane::{await_prompt, await_rest, await_text, read, run, start_program};
use nebula_tests::{Client, Home, Instance, home, poll, snapshot};
use serde_json::{Value, json};

fn settings(shell: &str) -> String {
    format!("[terminal]\nshell = \"{shell}\"\n")
}

/// A test that needs a program fails without it: one that did nothing would look like one that passed.
fn expect_installed(program: &str) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|directory| directory.join(program).is_file());
    assert!(
        found,
        "there is no {program} here; `cargo xtask setup` installs it"
    );
}

/// Runs a line and returns the output of the command alone.
fn output(client: &mut Client, pane: u64, line: &str) -> Value {
    let result = run(client, pane, line);
    assert_eq!(
        result["wait"]["submission"], "confirmed",
        "{line}: {}",
        result["wait"]
    );
    client.ok(
        "pane.read",
        json!({"pane_id": pane, "source": "last_command"}),
    )
}

/// What every integrated shell does: marks, exit codes, command lines, directories.
fn expect_integration(instance: &Instance, shell: &str, status: &str) {
    let (mut client, pane) = instance.ready();
    for (line, text, code) in [
        ("echo one", "one", 0),
        ("true", "", 0),
        ("false", "", 1),
        ("sh -c 'exit 42'", "", 42),
        ("no-such-command-anywhere 2>/dev/null", "", 127),
        (
            "echo 'ümläut' \"$HOME\" | tr a-z A-Z | head -c 3; echo",
            "ü",
            0,
        ),
    ] {
        let read = output(&mut client, pane, line);
        assert!(
            read["text"].as_str().unwrap().trim_end().starts_with(text),
            "{shell}: {read}"
        );
        assert_eq!(read["exit_code"], code, "{shell} {line}: {read}");
        assert_eq!(read["command"], line, "{shell}: {read}");
    }
    // The shell itself is not disturbed: the status of the last command is the user's.
    let read = output(&mut client, pane, &format!("false; echo status-{status}"));
    assert_eq!(
        read["text"].as_str().unwrap().trim_end(),
        "status-1",
        "{shell}"
    );
    output(&mut client, pane, "sh -c 'exit 5'");
    let read = output(&mut client, pane, &format!("echo status-{status}"));
    assert_eq!(
        read["text"].as_str().unwrap().trim_end(),
        "status-5",
        "{shell}"
    );

    let directory = instance.home().user().join("a b%c ü;'d");
    std::fs::create_dir(&directory).unwrap();
    for (line, wanted) in [
        ("cd /usr/share".to_owned(), "/usr/share".to_owned()),
        (
            "cd \"$HOME/a b%c ü;'d\"".to_owned(),
            directory
                .canonicalize()
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned(),
        ),
        ("cd".to_owned(), instance.home().user_path()),
    ] {
        run(&mut client, pane, &line);
        poll::until_ok(
            &format!("{shell}: the directory after {line}"),
            poll::PATIENCE,
            || {
                let now = client.ok("runtime.snapshot", json!({}));
                let cwd = snapshot::pane(&now, pane)["cwd"].clone();
                if cwd == wanted.as_str() {
                    Ok(())
                } else {
                    Err(cwd)
                }
            },
        );
    }
    let now = await_rest(&mut client);
    assert_eq!(snapshot::state(&now, pane), "idle");
}

#[test]
fn bash_is_integrated() {
    expect_integration(&Instance::start_with(&settings("bash")), "bash", "$?");
}

#[test]
fn zsh_is_integrated() {
    expect_installed("zsh");
    expect_integration(&Instance::start_with(&settings("zsh")), "zsh", "$?");
}

#[test]
fn fish_is_integrated() {
    expect_installed("fish");
    expect_integration(&Instance::start_with(&settings("fish")), "fish", "$status");
}

/// Terminal.md 3.1: the user's own settings of bash hold.
#[test]
fn bash_keeps_what_the_user_set_up() {
    let home = Arc::new(Home::new());
    home.write(
        "user/.bashrc",
        "PS1='$ '\nHISTFILE=\nset -u\nPROMPT_COMMAND=('echo first >> hooks' 'echo second >> hooks')\n\
         trap 'echo debug >> debugged' DEBUG\nexport MINE='my value'\nshopt -s extdebug\n",
    );
    let instance = Instance::start_in(&home);
    let (mut client, pane) = instance.ready();
    // A command is settled before the prompt and what belongs to it have run.
    run(&mut client, pane, "true");
    await_prompt(&mut client, pane);
    let hooks = || home.read_user("hooks").unwrap();
    let before = hooks();
    assert!(before.starts_with("first\nsecond\n"), "{before}");
    run(&mut client, pane, "true");
    await_prompt(&mut client, pane);
    assert_eq!(
        hooks(),
        before.clone() + "first\nsecond\n",
        "each once for a prompt"
    );
    assert!(home.read_user("debugged").unwrap().contains("debug"));
    // `set -u` is on and nothing of the integration trips over it.
    assert!(
        !read(&mut client, pane).contains("unbound"),
        "{}",
        read(&mut client, pane)
    );
    let read = output(&mut client, pane, "echo $- $MINE");
    let text = read["text"].as_str().unwrap();
    assert!(text.contains('u') && text.contains("my value"), "{text}");
    // A shell inside the shell is the user's own.
    run(
        &mut client,
        pane,
        "bash -ic 'echo inner-$MINE; alias' > inner 2>&1",
    );
    let inner = home.read_user("inner").unwrap();
    assert!(inner.contains("inner-my value"), "{inner}");
    assert!(!inner.to_lowercase().contains("nebula"), "{inner}");
}

/// Terminal.md 3.1: `ZDOTDIR` is the user's again.
#[test]
fn zsh_keeps_what_the_user_set_up() {
    expect_installed("zsh");
    let home = Arc::new(Home::with_settings(&settings("zsh")));
    home.write(
        "user/.zshrc",
        "PS1='%% '\nHISTFILE=\nsetopt nounset\nprecmd() { echo pre >> hooks }\npreexec() { echo exec >> hooks }\n",
    );
    home.write("user/.zshenv", "export FROM_ZSHENV=yes\n");
    let instance = Instance::start_in(&home);
    let (mut client, pane) = instance.ready();
    run(&mut client, pane, "true");
    await_prompt(&mut client, pane);
    let before = home.read_user("hooks").unwrap();
    run(&mut client, pane, "true");
    await_prompt(&mut client, pane);
    assert_eq!(home.read_user("hooks").unwrap(), before + "exec\npre\n");
    let read = output(&mut client, pane, "echo ${ZDOTDIR-unset} $FROM_ZSHENV");
    assert_eq!(read["text"].as_str().unwrap().trim_end(), "unset yes");
    run(
        &mut client,
        pane,
        "zsh -ic 'echo ${ZDOTDIR-unset} $PS1' > inner 2>&1",
    );
    assert_eq!(home.read_user("inner").unwrap().trim_end(), "unset %%");
}

/// A `ZDOTDIR` that the user has stays.
#[test]
fn zsh_finds_the_users_own_directory() {
    expect_installed("zsh");
    let home = Arc::new(Home::with_settings(&settings("zsh")));
    home.write(
        "user/zdot/.zshrc",
        "PS1='%% '\nHISTFILE=\nexport FROM=zdot\n",
    );
    let zdot = home.user().join("zdot");
    let mut command = home.nebula();
    command.arg("--headless").env("ZDOTDIR", &zdot);
    let instance = Instance::start_command(&home, command);
    let (mut client, pane) = instance.ready();
    let read = output(&mut client, pane, "echo $FROM $ZDOTDIR");
    let wanted = format!("zdot {}", zdot.display());
    assert_eq!(read["text"].as_str().unwrap().trim_end(), wanted);
}

/// Terminal.md 3.1: `XDG_DATA_DIRS` is the user's again.
#[test]
fn fish_keeps_what_the_user_set_up() {
    expect_installed("fish");
    for mine in [None, Some("/usr/local/share:/usr/share")] {
        let home = Arc::new(Home::with_settings(&settings("fish")));
        let mut command = home.nebula();
        command.arg("--headless");
        if let Some(mine) = mine {
            command.env("XDG_DATA_DIRS", mine);
        }
        let instance = Instance::start_command(&home, command);
        let (mut client, pane) = instance.ready();
        run(
            &mut client,
            pane,
            "sh -c 'printf %s \"${XDG_DATA_DIRS-unset}\"' > seen",
        );
        let seen = home.read_user("seen").unwrap();
        assert_eq!(seen, mine.unwrap_or("unset"));
    }
}

/// Rule 6.4.2: a shell without marks; the prompt settles by its time rule.
#[test]
fn a_shell_without_marks_settles() {
    let settings = home::SETTINGS.to_owned() + "shell_integration = \"off\"\n";
    let instance = Instance::start_with(&settings);
    let (mut client, pane) = instance.ready();
    for (line, least) in [("true", 0), ("sleep 1; echo slept > trace", 1)] {
        let before = snapshot::sequence(&client.ok("runtime.snapshot", json!({})), pane);
        let start = std::time::Instant::now();
        let result = run(&mut client, pane, line);
        assert_eq!(result["wait"]["state"], "idle", "{result}");
        assert!(start.elapsed() >= Duration::from_secs(least), "{line}");
        assert!(snapshot::sequence(&result["snapshot"], pane) > before + 1);
    }
    assert_eq!(instance.home().read_user("trace").unwrap(), "slept\n");
}

/// A shell that has no integration at all.
#[test]
fn a_plain_shell_works() {
    let home = Arc::new(Home::with_settings(&settings("/bin/sh")));
    let mut command = home.nebula();
    command.arg("--headless").env("PS1", "$ ");
    let instance = Instance::start_command(&home, command);
    let (mut client, pane) = instance.ready();
    let result = run(&mut client, pane, "echo plain-$((40+2))");
    assert_eq!(result["wait"]["state"], "idle");
    await_text(&mut client, pane, "plain-42");
}

fn type_text(client: &mut Client, pane: u64, text: &str, submit: bool) {
    client.ok(
        "pane.prompt",
        json!({"pane_id": pane, "text": text, "submit": submit}),
    );
}

fn key(client: &mut Client, pane: u64, key: &str) {
    client.ok("pane.send_key", json!({"pane_id": pane, "key": key}));
}

/// Rule 5.4: of a pipeline, a program that still runs is the foreground program.
#[test]
fn the_foreground_program_is_one_that_lives() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    start_program(&mut client, pane, "true | sleep 600", "sleep");
}

/// Terminal.md 8.5: vim.
#[test]
fn vim_edits_a_file() {
    expect_installed("vim");
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    start_program(
        &mut client,
        pane,
        "vim -u NONE -N --cmd 'set t_BE=' letter",
        "vim",
    );
    await_text(&mut client, pane, "[New]");
    key(&mut client, pane, "escape");
    type_text(&mut client, pane, "iGrüße", false);
    await_text(&mut client, pane, "Grüße");
    key(&mut client, pane, "enter");
    type_text(&mut client, pane, "second", false);
    key(&mut client, pane, "escape");
    type_text(&mut client, pane, ":wq", false);
    key(&mut client, pane, "enter");
    let settled = client.ok("pane.wait", json!({"pane_id": pane}));
    assert_eq!(snapshot::state(&settled, pane), "idle");
    assert_eq!(
        instance.home().read_user("letter").unwrap(),
        "Grüße\nsecond\n"
    );
    await_prompt(&mut client, pane);
    assert!(
        !read(&mut client, pane).contains("second"),
        "the screen from before is back"
    );
}

/// Terminal.md 8.5: less.
#[test]
fn less_scrolls_and_searches() {
    expect_installed("less");
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    run(&mut client, pane, "seq 5000 > numbers");
    start_program(&mut client, pane, "less numbers", "less");
    await_text(&mut client, pane, "1\n2\n3\n");
    type_text(&mut client, pane, "/^4321$", false);
    key(&mut client, pane, "enter");
    await_text(&mut client, pane, "4321\n4322");
    key(&mut client, pane, "end");
    await_text(&mut client, pane, "\n5000");
    type_text(&mut client, pane, "q", false);
    client.ok("pane.wait", json!({"pane_id": pane}));
    await_prompt(&mut client, pane);
}

/// Terminal.md 8.5: htop.
#[test]
fn htop_draws_and_ends() {
    expect_installed("htop");
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    start_program(&mut client, pane, "htop", "htop");
    await_text(&mut client, pane, "PID");
    let text = await_text(&mut client, pane, "F10");
    assert!(text.contains("Quit"), "{text}");
    key(&mut client, pane, "f10");
    client.ok("pane.wait", json!({"pane_id": pane}));
    await_prompt(&mut client, pane);
}

/// Terminal.md 8.5: tmux, with a shell inside that knows nothing of ours.
#[test]
fn tmux_runs_inside() {
    expect_installed("tmux");
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let start = "tmux -f /dev/null -S \"$HOME/tmux\" new-session bash";
    start_program(&mut client, pane, start, "tmux");
    await_text(&mut client, pane, "[0]");
    type_text(&mut client, pane, "echo inside-$((40+2))", true);
    await_text(&mut client, pane, "inside-42");
    type_text(&mut client, pane, "tmux split-window -h", true);
    await_text(&mut client, pane, "│");
    type_text(&mut client, pane, "tmux kill-server", true);
    let settled = client.ok("pane.wait", json!({"pane_id": pane}));
    assert_eq!(snapshot::state(&settled, pane), "idle");
    await_prompt(&mut client, pane);
    let last = output(&mut client, pane, "echo back");
    assert_eq!(last["text"].as_str().unwrap().trim_end(), "back");
}

/// Terminal.md 8.5: `yes` floods until it is interrupted, and a progress bar rewrites its line.
#[test]
fn yes_and_a_progress_bar() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    client.ok("pane.prompt", json!({"pane_id": pane, "text": "yes"}));
    await_text(&mut client, pane, "y\ny\ny\n");
    client.ok(
        "pane.send_key",
        json!({"pane_id": pane, "key": "c", "modifiers": {"control": true}}),
    );
    client.ok("pane.wait", json!({"pane_id": pane}));
    run(&mut client, pane, "clear");
    let bar = r"for n in $(seq 100); do printf '\r[%-20s] %3d%%' $(printf '#%.0s' $(seq $((n/5)))) $n; done; echo";
    let read = output(&mut client, pane, bar);
    assert_eq!(
        read["text"].as_str().unwrap().trim_end(),
        "[####################] 100%"
    );
}

//! `nebula ctl`: output, exit status, arguments.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use nebula_tests::pane::{await_prompt, await_text, run};
use nebula_tests::{Ctl, Home, Instance, binary, snapshot};
use serde_json::{Value, json};

/// Check 67.
#[test]
fn one_line_or_a_pretty_one() {
    let instance = Instance::start();
    instance.ready();
    let plain = instance.ctl(&["snapshot"]);
    assert_eq!(plain.stdout.matches('\n').count(), 1, "{}", plain.stdout);
    assert!(plain.stdout.ends_with('\n'));
    assert_eq!(plain.stderr, "");
    let snapshot = plain.result();
    for arguments in [["--pretty", "snapshot"], ["snapshot", "--pretty"]] {
        let pretty = instance.ctl(&arguments);
        assert!(pretty.stdout.matches('\n').count() > 5, "{}", pretty.stdout);
        assert_eq!(pretty.result(), snapshot);
    }
    let id = plain.envelope()["id"].as_str().unwrap().to_owned();
    let (process, number) = id.split_once('-').expect("<pid>-<n>");
    assert!(
        process.parse::<u32>().is_ok() && number.parse::<u32>().is_ok(),
        "{id}"
    );

    let missing = instance.ctl(&["read", "--pane", "99999"]);
    assert_eq!(
        missing.error("target_not_found")["details"]["pane_id"],
        99999
    );

    for arguments in [
        &["nonsense"][..],
        &[],
        &["--nonsense"],
        &["snapshot", "--nonsense"],
    ] {
        let wrong = instance.ctl(arguments);
        assert_eq!(wrong.status, 2, "{arguments:?}: {wrong:?}");
        assert_eq!(wrong.stdout, "", "{arguments:?}");
        assert_ne!(wrong.stderr, "", "{arguments:?}");
    }
}

/// Section 13.3: what is missing, malformed or contradictory is a usage error.
#[test]
fn usage_errors() {
    let home = Home::new();
    for arguments in [
        "read",
        "read --pane x",
        "read --pane -1",
        "read --pane 1 --lines many",
        "wait",
        "wait --pane 1 --state done",
        "wait --pane 1 --after-seq 0",
        "wait --pane 1 --after-seq x",
        "prompt --pane 1",
        "prompt --text x",
        "prompt --pane 1 --text x --wait later",
        "prompt --pane 1 --text x --no-submit --wait settled",
        "split --direction sideways",
        "rename-tab --tab 0",
        "move-tab --tab 0",
        "zoom-pane --pane 1",
        "zoom-pane --pane 1 --zoomed maybe",
        "resize-pane --pane 1",
        "resize-pane --pane 1 --ratio half",
        "send-key --pane 1",
        "close-pane",
        "close-tab",
        "subscribe --since x",
        "--timeout-ms 0 snapshot",
        "--timeout-ms 86400001 snapshot",
        "--timeout-ms x snapshot",
        "snapshot --port-file",
        "snapshot extra",
    ] {
        let words: Vec<&str> = arguments.split(' ').collect();
        let wrong = home.ctl(&words);
        assert_eq!(wrong.status, 2, "{arguments}: {wrong:?}");
        assert_eq!(wrong.stdout, "", "{arguments}");
        assert_ne!(wrong.stderr, "", "{arguments}");
    }
}

/// Section 13.3: every command does what its method does.
#[test]
fn every_flat_command_reaches_its_method() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    let id = pane.to_string();
    let id = id.as_str();
    let ctl = |line: &str| instance.ctl(&line.split(' ').collect::<Vec<_>>()).result();

    assert_eq!(ctl("describe")["protocol"], "nebula.runtime");
    assert_eq!(ctl("identify")["token"], "owner");
    assert_eq!(ctl("agents")["agents"], json!([]));
    assert_eq!(ctl("agents --window 1")["agents"], json!([]));
    assert_eq!(ctl(&format!("procs --pane {id}"))["pane_id"], pane);

    let right = ctl(&format!("split --pane {id}"))["action"]["pane_id"]
        .as_u64()
        .unwrap();
    let down = ctl(&format!("split --window 1 --pane {right} --direction down"));
    let down = down["action"]["pane_id"].as_u64().unwrap();
    let layout = ctl("snapshot")["windows"][0]["tabs"][0]["layout"].clone();
    assert_eq!(layout["direction"], "left_right");
    assert_eq!(layout["second"]["direction"], "top_bottom");
    let resized = ctl(&format!("resize-pane --pane {id} --ratio 0.3"));
    assert_eq!(resized["action"]["ratio"], 0.3);
    for zoomed in [true, false] {
        let result = ctl(&format!("zoom-pane --pane {id} --zoomed {zoomed}"));
        assert_eq!(result["action"]["zoomed"], zoomed);
    }
    assert_eq!(
        ctl(&format!("focus --pane {id}"))["action"]["pane_id"],
        pane
    );
    for pane in [right, down] {
        let closed = ctl(&format!("close-pane --pane {pane} --force"));
        assert_eq!(closed["action"]["pane_id"], pane);
    }

    let tab = ctl("new-tab --cwd /usr --shell bash");
    assert_eq!(tab["snapshot"]["windows"][0]["active_tab"], 1);
    assert_eq!(
        ctl("rename-tab --tab 1 --name renamed")["action"]["name"],
        "renamed"
    );
    assert_eq!(ctl("move-tab --tab 1 --to 0")["action"]["to_index"], 0);
    let now = ctl("snapshot");
    assert_eq!(snapshot::labels(&now)[0], "renamed");
    assert_eq!(ctl("close-tab --tab 0 --force")["action"]["tab_index"], 0);

    let text = "echo from-the-$((6*7))-cli";
    let prompted = instance
        .ctl(&["prompt", "--pane", id, "--text", text])
        .result();
    let sequence = snapshot::sequence(&prompted["snapshot"], pane).to_string();
    let settled = ctl(&format!("wait --pane {id} --after-seq {sequence}"));
    assert_eq!(snapshot::state(&settled, pane), "idle");
    ctl(&format!("wait --pane {id} --state idle"));
    let read = ctl(&format!("read --pane {id} --lines 50"));
    assert!(
        read["text"].as_str().unwrap().contains("from-the-42-cli"),
        "{read}"
    );
    assert_eq!(read["requested_lines"], 50);
    let read = ctl(&format!(
        "read --pane {id} --source last_command --format ansi"
    ));
    assert_eq!(
        (&read["source"], &read["format"]),
        (&json!("last_command"), &json!("ansi"))
    );

    let typed = ctl(&format!(
        "prompt --pane {id} --text unsubmitted --no-submit"
    ));
    assert_eq!(typed["action"]["submitted"], false);
    await_text(&mut client, pane, "$ unsubmitted");
    let key = ctl(&format!(
        "send-key --pane {id} --key u --control --repeat 2"
    ));
    assert_eq!(
        (&key["action"]["key"], &key["action"]["repeat"]),
        (&json!("u"), &json!(2))
    );
    await_prompt(&mut client, pane);

    let error = instance.ctl(&["new-window"]).error("runtime_unavailable");
    assert_eq!(error["details"]["reason"], "single_workspace_window");
    instance
        .ctl(&["paste", "--pane", "99", "--text", "x"])
        .error("target_not_found");
    run(&mut client, pane, "true");
    instance
        .ctl(&["close-window", "--window", "9"])
        .error("target_not_found");
}

/// Section 13.3: `prompt --wait`.
#[test]
fn prompt_with_wait_prints_what_wait_would() {
    let instance = Instance::start();
    let (_, pane) = instance.ready();
    let id = pane.to_string();
    let prompt = |text: &str, wait: &str, more: &[&str]| {
        let mut arguments = vec!["prompt", "--pane", &id, "--text", text, "--wait", wait];
        arguments.extend(more);
        instance.ctl(&arguments)
    };
    let result = prompt("true", "settled", &[]).result();
    assert!(result.get("windows").is_some(), "a snapshot: {result}");
    assert!(
        result.get("wait").is_none() && result.get("action").is_none(),
        "{result}"
    );
    prompt("true", "idle,waiting-input", &[]).result();
    let error = prompt("sleep 60", "settled", &["--timeout-ms", "400"]).error("timeout");
    assert_eq!(error["details"]["submitted"], true);
    let waiting = instance.ctl(&["--timeout-ms", "300", "wait", "--pane", &id]);
    let details = &waiting.error("timeout")["details"];
    assert_eq!(details["observed_state"], "running");
    assert_eq!(details["after_seq"], Value::Null);
}

/// Check 68.
#[test]
fn without_a_server() {
    let home = Home::new();
    for command in ["describe", "snapshot", "identify"] {
        let run = home.ctl(&[command]);
        run.error("runtime_unavailable");
        assert_eq!(run.envelope()["id"], "cli");
    }
    run_ok(&home, "schema");
    let env = run_ok(&home, "env");
    let env: Value = serde_json::from_str(&env).unwrap();
    assert_eq!(env["runtime"], "absent", "{env}");
    assert_eq!(env["pane_id"], Value::Null, "{env}");

    // A file that a crash left behind.
    fs::create_dir_all(home.data()).unwrap();
    home.write(
        "data/runtime.port",
        "1 0123456789abcdef0123456789abcdef 1\n",
    );
    fs::set_permissions(home.data(), fs::Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(home.port_file(), fs::Permissions::from_mode(0o600)).unwrap();
    let run = home.ctl(&["snapshot"]);
    assert_eq!(
        (run.status, &run.envelope()["id"]),
        (1, &json!("cli")),
        "{run:?}"
    );
    let subscribed = home.ctl(&["subscribe"]);
    assert_eq!(subscribed.status, 1, "{subscribed:?}");
    let env: Value = serde_json::from_str(&run_ok(&home, "env")).unwrap();
    assert_eq!(env["runtime"], "unreachable", "{env}");
}

fn run_ok(home: &Home, command: &str) -> String {
    let run = home.ctl(&[command]);
    assert_eq!(run.status, 0, "{run:?}");
    run.stdout
}

/// Section 13.4: `env` inside a pane.
#[test]
fn env_names_the_pane_and_no_token() {
    let instance = Instance::start();
    let (mut client, pane) = instance.ready();
    run(&mut client, pane, "\"$NEBULA_CLI\" ctl env > answer");
    let text = instance.home().read_user("answer").unwrap();
    let env: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(env["pane_id"], pane, "{env}");
    assert_eq!(env["remote"], false);
    let endpoint = json!({"source": "env", "port": instance.endpoint().port});
    assert_eq!(env["endpoint"], endpoint);
    assert_eq!(env["runtime"], "reachable");
    assert!(
        env["cli"].is_string() && env["hook_socket"].is_boolean(),
        "{env}"
    );
    let hexadecimal = |word: &str| word.len() == 32 && word.bytes().all(|b| b.is_ascii_hexdigit());
    assert!(
        !text.split(|c: char| !c.is_alphanumeric()).any(hexadecimal),
        "a token: {text}"
    );

    let outside: Value = serde_json::from_str(&instance.ctl(&["env"]).stdout).unwrap();
    assert_eq!(outside["pane_id"], Value::Null);
    assert_eq!(outside["runtime"], "reachable");
    assert_eq!(outside["endpoint"]["port"], instance.endpoint().port);
    assert_ne!(outside["endpoint"]["source"], "env");
}

/// Check 69 and section 14.
#[test]
fn the_schema_is_the_file_in_the_repository() {
    let printed = run_ok(&Home::new(), "schema");
    let path = binary::repository().join("docs/runtime-api-v1.schema.json");
    let file =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(
        printed == file,
        "`cargo xtask schema --write` updates {}",
        path.display()
    );
    assert!(printed.ends_with("}\n") && !printed.ends_with("\n\n"));
    let value: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(
        serde_json::to_string_pretty(&value).unwrap() + "\n",
        printed,
        "sorted, two spaces"
    );
}

/// Check 70.
#[test]
fn subscribe_ends_well_when_nobody_reads_on() {
    let instance = Instance::start();
    let (mut client, _) = instance.ready();
    let mut shell = instance.home().command(Path::new("bash"));
    let nebula = binary::nebula();
    shell
        .args([
            "-c",
            "\"$0\" ctl subscribe | head -n 1; exit ${PIPESTATUS[0]}",
        ])
        .arg(&nebula)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut child = shell.spawn().unwrap();
    // Nobody tells a program that its reader is gone before it writes the next time.
    let mut number = 0;
    let status = nebula_tests::poll::until("the pipeline to end", || {
        number += 1;
        client.ok(
            "tab.rename",
            json!({"tab_index": 0, "name": format!("{number}")}),
        );
        child.try_wait().unwrap()
    });
    assert_eq!(status.code(), Some(0), "{status}");
    let output = child.wait_with_output().unwrap();
    let line: Value = serde_json::from_slice(&output.stdout).expect("one line");
    assert_eq!(line["ok"], true, "the acknowledgement comes first");
    assert!(line["result"]["subscription_id"].is_u64());
}

/// Section 13.2: `subscribe` prints JSON Lines, also with `--pretty`, and ends with the server.
#[test]
fn subscribe_prints_lines_and_ends_with_the_server() {
    use std::io::{BufRead, BufReader};
    let mut instance = Instance::start();
    let (mut client, _) = instance.ready();
    let mut command = instance.home().nebula();
    command
        .args(["ctl", "--pretty", "subscribe"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["ok"], true);
    assert_eq!(next()["event"], "runtime.snapshot");
    let renamed = client.ok(
        "tab.rename",
        json!({"tab_index": 0, "name": "seen at once"}),
    );
    // It is flushed line by line: this one arrives while the stream goes on.
    let event = next();
    assert_eq!(event["revision"], renamed["snapshot"]["revision"]);
    nebula_tests::process::signal(instance.pid(), nebula_tests::process::Signal::TERM);
    instance.wait();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(0), "{status}");
}

/// Rule 3.6: `--port-file`, and a file that others can read.
#[test]
fn the_port_file_is_chosen_and_must_be_private() {
    let instance = Instance::start();
    let empty = Home::new();
    let file = instance.home().port_file();
    let file = file.to_str().unwrap();
    for arguments in [
        ["--port-file", file, "describe"],
        ["describe", "--port-file", file],
    ] {
        assert_eq!(empty.ctl(&arguments).result()["protocol"], "nebula.runtime");
    }
    // It wins over the variable.
    let mut command = empty.nebula();
    command
        .args(["ctl", "--port-file", file, "describe"])
        .env("NEBULA_RUNTIME_ENDPOINT", "1 zz");
    assert_eq!(Ctl::run(command).result()["protocol"], "nebula.runtime");
    assert_eq!(
        empty
            .ctl(&["--port-file", "/does/not/exist", "describe"])
            .status,
        1
    );

    for mode in [0o640, 0o604, 0o644] {
        fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
        let run = instance.ctl(&["describe"]);
        assert_eq!(run.status, 1, "mode {mode:o}: {run:?}");
        assert_eq!(run.envelope()["id"], "cli");
        assert!(!run.stdout.contains(&instance.endpoint().token));
    }
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(instance.ctl(&["describe"]).status, 0);
}

/// Section 13.2, rule 3: a server that answers nonsense or nothing.
#[test]
fn a_server_that_is_none_is_reported() {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    for (answer, code) in [
        (&b""[..], "runtime_no_response"),
        (b"garbage\n", "invalid_runtime_response"),
        (b"{\"ok\":true}\n", "invalid_runtime_response"),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 4096];
            assert!(stream.read(&mut request).unwrap() > 0);
            stream.write_all(answer).unwrap();
        });
        let home = Arc::new(Home::new());
        let mut command = home.nebula();
        let endpoint = format!("{port} 0123456789abcdef0123456789abcdef");
        command
            .args(["ctl", "snapshot"])
            .env("NEBULA_RUNTIME_ENDPOINT", endpoint);
        let run = Ctl::run(command);
        run.error(code);
        assert_eq!(run.envelope()["id"], "cli");
        server.join().unwrap();
    }
}

/// Section 11: an action whose connection fails after it was written may have been carried out.
#[test]
fn an_unknown_outcome_is_called_that() {
    use std::io::Read;
    use std::net::TcpListener;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        // Every connection gets its request read and is then dropped without an answer.
        for stream in listener.incoming() {
            let mut request = [0; 4096];
            let count = stream.unwrap().read(&mut request).unwrap();
            if String::from_utf8_lossy(&request[..count]).contains("tab.rename") {
                break;
            }
        }
    });
    let home = Home::new();
    let mut command = home.nebula();
    let endpoint = format!("{port} 0123456789abcdef0123456789abcdef");
    command
        .args(["ctl", "rename-tab", "--tab", "0", "--name", "x"])
        .env("NEBULA_RUNTIME_ENDPOINT", endpoint);
    Ctl::run(command).error("submission_outcome_unknown");
    server.join().unwrap();
}

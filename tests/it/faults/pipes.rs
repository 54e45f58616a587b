//! Inputs and outputs that are closed, half-closed, slow, full or unreadable.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use super::{after, first_move, public_folder};
use crate::harness::{Engine, has, output, piped, program, wait, wait_until};

const PROTOCOLS: [&str; 3] = ["gtp", "nboard", "cassio"];

#[test]
fn an_input_that_cannot_be_read_is_an_end() {
    for protocol in PROTOCOLS {
        // Closed, a folder, nothing.
        for input in ["exec <&-", "exec </", "exec </dev/null"] {
            let output = output(after(input, &[protocol]), b"").success();
            let expected = if protocol == "cassio" { "bye bye.\n" } else { "" };
            assert_eq!(output.stdout, expected, "{protocol} {input}");
        }
    }
    let output = output(after("exec <&- >&- 2>&-", &["gtp"]), b"");
    assert_eq!(output.status, Some(0));
}

#[test]
fn a_half_closed_connection_gets_its_answers() {
    for (protocol, input, expected) in [
        ("gtp", "genmove black\nname\n", "= Othellier 3\n\n"),
        ("cassio", "ENGINE-PROTOCOL init\n", "ready.\nbye bye.\n"),
    ] {
        let (mut own, theirs) = UnixStream::pair().unwrap();
        let mut command = program(&[protocol, "--level", "3"]);
        command.stdin(OwnedFd::from(theirs.try_clone().unwrap())).stdout(OwnedFd::from(theirs));
        let mut child = command.spawn().unwrap();
        // The command holds the other end, too.
        drop(command);
        own.write_all(input.as_bytes()).unwrap();
        own.shutdown(Shutdown::Write).unwrap();
        let mut text = String::new();
        own.read_to_string(&mut text).unwrap();
        assert!(text.ends_with(expected), "{text}");
        if protocol == "gtp" {
            first_move(&text);
        }
        assert_eq!(wait(&mut child, &protocol).code(), Some(0));
    }
}

#[test]
fn a_slow_input_is_put_together() {
    let mut engine = Engine::start(&["nboard"]);
    engine.send("nboard 2\nset depth 60\nhint 1");
    engine.read_to("search ");
    for byte in b"ping 12" {
        engine.send_bytes(&[*byte]);
        thread::sleep(Duration::from_millis(20));
    }
    // Half a line does nothing: the hint goes on.
    engine.read_to("nodestats ");
    assert!(!engine.has_ended());
    engine.send_bytes(b"\r\n");
    engine.read_to("pong 12");
    engine.send("ping 13");
    assert_eq!(engine.line(), "pong 13");
}

#[test]
fn a_full_output_ends_the_program() {
    for (arguments, input) in [
        (&["gtp"][..], "name\nname\n"),
        (&["nboard"], "nboard 2\nping 1\n"),
        (&["cassio"], "ENGINE-PROTOCOL init\n"),
        (&["json"], "{\"moves\":\"f5\",\"depth\":1}\n"),
        (&["perft", "4"], ""),
        (&["convert", "--to", "sgf", "-", "-"], "f5d6\n"),
        (&["analyze", "f5", "--depth", "1", "--json"], ""),
        (&["match", "--player", "random", "--player", "greedy"], ""),
        (&["completions", "bash"], ""),
        (&["--version"], ""),
        (&["match", "--help"], ""),
    ] {
        let output = output(after("exec >/dev/full", arguments), input.as_bytes());
        // The output is lost, which must not pass for success.
        assert_eq!(output.status, Some(1), "{arguments:?} {output:?}");
        assert_eq!(output.stderr.matches("No space left").count(), 1, "{arguments:?} {output:?}");
        assert!(!output.stderr.contains("panicked"), "{output:?}");
    }
}

#[test]
fn a_closed_output_is_an_error_but_in_sessions() {
    let folder = public_folder("closed");
    let one = folder.write("one.txt", "f5d6\n");
    let board = folder.write("board.obf", "X".repeat(64) + " X\n");
    for arguments in [
        &["convert", &one, "-", "--to", "ggf"][..],
        &["perft", "1"],
        &["analyze", "f5", "--depth", "1", "--json"],
        &["json"],
        &["book", "stats", &one],
        &["completions", "bash"],
        &["-solve", &board],
        &["--version"],
        &["match", "--help"],
    ] {
        for closing in ["exec >&-", "exec <&- >&-", "exec 1</dev/null"] {
            let closed = output(after(closing, arguments), b"");
            closed.refuses(1, "output is closed");
        }
        // Some programs open it so for those that they start.
        if arguments[0] != "book" {
            let lost = output(after("exec 1<>/dev/null", arguments), b"");
            assert_eq!(lost.status, Some(0), "{arguments:?} {lost:?}");
        }
    }
    for protocol in PROTOCOLS {
        output(after("exec >&-", &[protocol]), b"name\n").success();
    }
}

#[test]
fn who_copies_a_client_hears_that_the_engine_has_ended() {
    let path = |name| format!("{}/scripts/examples/{name}", env!("CARGO_MANIFEST_DIR"));
    for (program, arguments) in [
        ("python3", &[&*path("scores.py"), "f5", "false"][..]),
        ("python3", &[&path("scores.py"), "f5", "sh", "-c", "read line"]),
        ("node", &[&path("scores.mjs"), "false"]),
    ] {
        let mut command = Command::new(program);
        command.args(arguments);
        if !has(program, Command::new(program).arg("--version").output().is_ok()) {
            continue;
        }
        let told = output(piped(command), b"");
        assert!(told.status != Some(0) && told.elapsed.as_secs() < 60, "{told:?}");
        let texts = ["engine has ended", "BrokenPipe"];
        assert!(texts.iter().any(|text| told.stderr.contains(text)), "{told:?}");
    }
}

/// More lines than all buffers in between can hold.
const N_LINES: usize = 20_000;

#[test]
fn a_slow_reader_gets_everything_in_order() {
    let mut child = program(&["nboard"]).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let writer = thread::spawn(move || {
        for number in 0..N_LINES {
            input.write_all(format!("learn\nping {number}\n").as_bytes()).unwrap();
        }
        input.write_all(b"quit\n").unwrap();
    });
    // The engine is held up by its full output meanwhile.
    thread::sleep(Duration::from_millis(300));
    assert_eq!(child.try_wait().unwrap(), None);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for number in 0..N_LINES {
        if number % 4000 == 0 {
            thread::sleep(Duration::from_millis(30));
        }
        assert_eq!(lines.next().unwrap().unwrap(), "learned");
        assert_eq!(lines.next().unwrap().unwrap(), format!("pong {number}"));
    }
    assert!(lines.next().is_none());
    writer.join().unwrap();
    assert_eq!(wait(&mut child, &"nboard").code(), Some(0));
}

#[test]
fn an_output_closed_during_a_search_is_a_quiet_end() {
    for (protocol, input) in [
        ("gtp", "genmove black\nname\n"),
        ("nboard", "nboard 2\nset depth 60\nhint 2\n"),
        ("cassio", "ENGINE-PROTOCOL get-search-infos\n"),
    ] {
        let mut command = program(&[protocol, "--clock", "move:0.4", "--ponder"]);
        command.stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut input_pipe = child.stdin.take().unwrap();
        input_pipe.write_all(input.as_bytes()).unwrap();
        thread::sleep(Duration::from_millis(100));
        drop(child.stdout.take());
        // Send lines until the engine has noticed; then writing fails.
        let line = b"\nENGINE-PROTOCOL get-search-infos\n";
        wait_until(&format!("{protocol} ends"), || input_pipe.write_all(line).is_err());
        assert_eq!(wait(&mut child, &command).code(), Some(0), "{protocol}");
        let mut errors = String::new();
        child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert_eq!(errors, "", "{protocol}");
    }
}

//! Signals in the middle of a search or a match.

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use othellier::board::{Move, Position};
use rustix::process::Signal;

use super::public_folder;
use crate::harness::{Engine, output, program, program_with_signals, send, wait, words};

#[test]
fn a_thinking_engine_ends_when_it_is_told() {
    // Left alone, each would think for an hour and then wait for more.
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        for arguments in [
            &["gtp", "--no-book", "--clock", "move:3600", "--threads", "2"][..],
            &["gtp", "--no-book", "--level", "2", "--ponder"],
            &["nboard", "--no-book", "--level", "60"],
        ] {
            let mut engine = Engine::start_command(program_with_signals(arguments));
            if arguments.contains(&"--ponder") {
                engine.send("genmove black");
                engine.read_to("= D3");
                engine.send("set_level 60");
            } else if arguments[0] == "gtp" {
                engine.send("name\ngenmove black");
                engine.read_to("= Othellier");
            } else {
                engine.send("hint 1");
                engine.read_to("search ");
            }
            thread::sleep(Duration::from_millis(50));
            send(engine.id(), signal);
            assert_eq!(engine.wait().signal(), Some(signal.as_raw()), "{arguments:?}");
        }
    }
}

#[test]
fn a_broken_pipe_of_others_does_not_end_a_search() {
    let mut engine = Engine::start(&["gtp", "--no-book", "--clock", "move:0.3"]);
    engine.send("genmove black");
    thread::sleep(Duration::from_millis(100));
    send(engine.id(), Signal::PIPE);
    assert_eq!(engine.read_to("= ").len(), 4);
    assert_eq!(engine.end().1, Some(0));
}

#[test]
fn a_stopped_and_continued_engine_goes_on_and_its_clock_has_run() {
    for n_threads in ["1", "2"] {
        let line = format!("gtp --no-book --clock move:2 --hash 4 --threads {n_threads}");
        let mut engine = Engine::start(&words(&line));
        engine.send("genmove black");
        thread::sleep(Duration::from_millis(200));
        send(engine.id(), Signal::STOP);
        thread::sleep(Duration::from_millis(2200));
        let before = engine.processor_time();
        send(engine.id(), Signal::CONT);
        let reply = engine.read_to("= ");
        // The time of the move was over while the engine slept: it does not think on.
        let used = engine.processor_time() - before;
        assert!(used < Duration::from_secs(1), "{used:?}");
        let mv = Move::parse(&reply.as_bytes()[2..]).expect(&reply);
        assert!(Position::START.play(mv).is_some(), "{reply}");
        engine.line();
        assert_eq!(engine.ask("name"), "Othellier");
    }
    // Stopped in a search without a clock, it goes on where it was.
    let mut engine = Engine::start(&["nboard", "--no-book", "--threads", "2"]);
    engine.send("set depth 60\nhint 1");
    engine.read_to("search ");
    for number in 0..5 {
        send(engine.id(), Signal::STOP);
        thread::sleep(Duration::from_millis(30));
        send(engine.id(), Signal::CONT);
        thread::sleep(Duration::from_millis(30));
        assert!(!engine.has_ended());
        engine.send(&format!("ping {number}\nhint 1"));
        engine.read_to(&format!("pong {number}"));
        engine.read_to("search ");
    }
}

#[test]
fn a_command_that_is_interrupted_ends() {
    // It ends with status 130 and a message, or by the signal; left alone, it would go on for hours.
    for arguments in [
        &["perft", "14"][..],
        &["selfplay", "--nice", "0", "--positions", "1000000000", "--output"],
    ] {
        let folder = public_folder("interrupted");
        let path = folder.file("data.bin");
        let mut words = arguments.to_vec();
        if arguments[0] == "selfplay" {
            words.push(&path);
        }
        let mut command = program_with_signals(&words);
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(200));
        assert_eq!(child.try_wait().unwrap(), None, "{arguments:?}");
        send(child.id(), Signal::INT);
        wait(&mut child, &command);
    }
    // The program runs afterwards as before.
    output(program(&["--version"]), b"").success();
}

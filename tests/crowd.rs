//! Very many engines at once. They take the whole machine for a while, which would disturb tests that measure time, so this is a
//! test program of its own, which runs only with the long tests.

#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "tests play front ends")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use othellier::board::{Move, Position};

const OTHELLIER: &str = env!("CARGO_BIN_EXE_othellier");

/// Engines that run at once, and the time limit for their first moves: two idle cores need 34 s.
const N_ENGINES: usize = 200;
const CROWD_PATIENCE: Duration = Duration::from_secs(120);

#[test]
#[ignore = "long: takes the whole machine"]
fn two_hundred_engines_at_once_all_answer() {
    let start = Instant::now();
    let mut engines: Vec<Child> = (0..N_ENGINES)
        .map(|_| {
            Command::new(OTHELLIER)
                .args(["gtp", "--hash", "1", "--level", "4"])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for engine in &mut engines {
        engine.stdin.as_mut().unwrap().write_all(b"name\n").unwrap();
    }
    let mut outputs: Vec<_> = Vec::new();
    for engine in &mut engines {
        let mut lines = BufReader::new(engine.stdout.take().unwrap()).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "= Othellier 4");
        outputs.push(lines);
    }
    // All engines are still running.
    for engine in &mut engines {
        assert_eq!(engine.try_wait().unwrap(), None);
        engine.stdin.as_mut().unwrap().write_all(b"genmove black\nquit\n").unwrap();
    }
    for lines in outputs {
        let lines: Vec<String> = lines.map(Result::unwrap).collect();
        // An empty line, the move, an empty line, the answer to `quit`, an empty line.
        let mv = lines[1].strip_prefix("= ").and_then(|text| Move::parse(text.as_bytes()));
        assert!(mv.is_some_and(|mv| Position::START.play(mv).is_some()), "{lines:?}");
    }
    assert!(start.elapsed() < CROWD_PATIENCE, "{:?}", start.elapsed());
    for engine in &mut engines {
        assert!(engine.wait().unwrap().success());
    }
}

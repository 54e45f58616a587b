//! What ends the work on a book, a signal or a full disk, loses nothing.

use std::fs;
use std::io::{BufRead, BufReader};

use rustix::process::Signal;
use serde_json::Value;

use super::{QUICK, book, closing, n_positions};
use crate::faults::after;
use crate::harness::samples::random_games;
use crate::harness::{self, Folder, send, wait_until};

#[test]
fn a_signal_ends_the_work_with_a_sound_book() {
    let folder = Folder::new("book-signal");
    let file = folder.file("a.othb");
    let arguments = ["book", "build", &file, "--until", "30", "--json"];
    let mut command = harness::program_with_signals(&[&arguments[..], &QUICK].concat());
    let child = command.spawn().unwrap();
    let log = format!("{file}.log");
    wait_until("the journal begins", || fs::metadata(&log).is_ok_and(|log| log.len() >= 100));
    send(child.id(), Signal::INT);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let closing: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(closing["positions"].as_u64(), Some(n_positions(&file)));
}

#[test]
fn answers_that_are_missing_are_counted() {
    let folder = Folder::new("book-answer-signal");
    let task = r#"{"position":"---------------------------OX------XO--------------------------- X","depth":30}"#;
    let tasks = folder.write("tasks", format!("{}\n{task}\n", task.replace("30", "1")));
    let arguments = ["book", "answer", &tasks, "--hash", "1", "--concurrency", "1"];
    let mut child = harness::program_with_signals(&arguments).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    send(child.id(), Signal::INT);
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("stopped after 1 of 2 tasks"), "{error}");
    assert_eq!(output.status.code(), Some(130), "{output:?}");
}

#[test]
fn a_full_disk_keeps_what_was_found() {
    let folder = Folder::new("book-full");
    let file = folder.file("a.othb");
    closing(&["build", &file, "--positions", "20"], &QUICK);
    let mut n_before = 20;
    let build = [&["book", "build", &file, "--until", "30"], &QUICK[..]].concat();
    for blocks in [12, 24, 48] {
        let limit = format!("trap '' XFSZ; ulimit -f {blocks}");
        let stopped = harness::output(after(&limit, &build), b"");
        stopped.fails(1, "cannot write");
        // The one before left nothing to be cut off.
        assert!(!stopped.stderr.contains("unfinished change"), "{stopped:?}");
        let n = n_positions(&file);
        assert!(n > n_before, "{n} of {n_before}");
        n_before = n;
    }
    assert_eq!(book(&["check", &file], &[]).success().status, Some(0));
}

#[test]
fn a_full_disk_leaves_no_part_and_is_named() {
    let folder = Folder::new("book-full-part");
    let file = folder.file("a.othb");
    let games = folder.write("games.txt", random_games(1, 60));
    let exported = folder.file("b.jsonl");
    let mut is_there = false;
    let short = folder.write("short.txt", "f5d6\n");
    // What is shorter than a buffer gets to the disk only when it is finished.
    for (blocks, arguments, name) in [
        (12, &["book", "add", &file, &games][..], "a.othb"),
        (12, &["book", "export", &file, &exported], "b.jsonl"),
        (12, &["convert", &games, "--to", "sgf", "-o", &exported], "b.jsonl"),
        (0, &["convert", &short, "--to", "sgf", "-o", &exported], "b.jsonl"),
        (0, &["analyze", &short, "--depth", "1", "--ggf", &exported], "b.jsonl"),
    ] {
        let limit = format!("trap '' XFSZ; ulimit -f {blocks}");
        let stopped = harness::output(after(&limit, arguments), b"");
        stopped.fails(1, "cannot write");
        assert!(stopped.stderr.contains(name), "{stopped:?}");
        let names = folder.names();
        let is_cut = |name: &String| name.ends_with(".part") || name == "b.jsonl";
        assert!(!names.iter().any(is_cut), "{names:?}");
        if !std::mem::replace(&mut is_there, true) {
            closing(&["add", &file, &games], &[]);
        }
    }
}

//! Too little memory and too few threads.

use super::{after, first_move, public_folder, public_program, without_rights};
use crate::harness::{output, words};

/// Shell code that limits memory. With one arena, the C library takes no more than requested.
fn memory(megabytes: u64) -> String {
    format!("export MALLOC_ARENA_MAX=1\nulimit -v {}", megabytes << 10)
}

/// The size of the table used instead of a larger one, from the log.
fn smaller_table(log: &str) -> Option<u64> {
    let rest = log.split_once("no memory for a hash of 4096 MB; using ")?.1;
    rest.split_once(" MB")?.0.parse().ok()
}

#[test]
fn a_table_that_does_not_fit_becomes_smaller_and_the_log_says_so() {
    let folder = public_folder("memory");
    let log = folder.file("engine.log");
    for megabytes in [160_u64, 200, 240, 400, 1000, 3000] {
        let limit = memory(megabytes);
        for (protocol, input) in
            [("gtp", "genmove black\nquit\n"), ("nboard", "set depth 6\ngo\nquit\n")]
        {
            let arguments =
                [protocol, "--no-book", "--hash", "4096", "--level", "6", "--log-file", &log];
            drop(std::fs::remove_file(&log));
            // `success` looks at the error output, which front ends may read.
            let output = output(after(&limit, &arguments), input.as_bytes()).success();
            if protocol == "gtp" {
                first_move(&output.stdout);
            } else {
                assert!(output.last_line().starts_with("=== "), "{output:?}");
            }
            let text = folder.text("engine.log");
            let size = smaller_table(&text).unwrap_or_else(|| panic!("{megabytes} MB: {text}"));
            assert!(size < megabytes, "{size} of {megabytes}");
        }
    }
    // A large table that is set later becomes smaller too.
    drop(std::fs::remove_file(&log));
    let input = "genmove black\nset_hash 4096\nclear_board\ngenmove black\nquit\n";
    let arguments = ["gtp", "--no-book", "--level", "6", "--log-file", &log];
    let output = output(after(&memory(400), &arguments), input.as_bytes()).success();
    let moves = output.stdout.lines().filter(|line| line.len() == 4);
    for line in moves.clone() {
        first_move(line);
    }
    assert_eq!(moves.count(), 2, "{output:?}");
    assert!(smaller_table(&folder.text("engine.log")).is_some());
}

#[test]
fn commands_say_what_they_have_no_memory_for() {
    let start = othellier::board::Position::START.to_string();
    for what in [["solve", &start], ["analyze", "f5d6"]] {
        let arguments = [&what[..], &["--depth", "1", "--hash", "65536"]].concat();
        let output = output(after(&memory(1000), &arguments), b"");
        output.fails(1, "cannot allocate a table of 65536 MiB");
    }
}

#[test]
fn threads_that_the_system_refuses_are_done_without() {
    let folder = public_folder("threads");
    let log = folder.file("engine.log");
    let threads_used = || {
        let text = folder.text("engine.log");
        let used =
            text.split(" with ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
        used.unwrap_or_else(|| panic!("{text}"))
    };
    // The first search lasts long enough for all threads to take part.
    let input = b"set_level 20\ngenmove black\nset_level 12\ngenmove white\nquit\n";
    // Only some stacks of a thousand threads fit.
    let arguments = words("gtp --no-book --level 12 --hash 1 --threads 1024 --log-file");
    let arguments = [&arguments[..], &[&log]].concat();
    for megabytes in [300, 600, 1200] {
        drop(std::fs::remove_file(&log));
        let command = after(&memory(megabytes), &arguments);
        first_move(&output(command, input).success().stdout);
        let n: u32 = threads_used();
        assert!((1..megabytes / 16).contains(&u64::from(n)), "{n} threads in {megabytes} MB");
    }
    // The limit counts the main thread, the reader until it has read all, the engine, and as many helpers as fit. A
    // user other than root may have other threads, whose number is unknown; the next test covers that.
    if rustix::process::getuid().is_root() {
        let program = public_program(&folder);
        drop(std::fs::remove_file(&log));
        for limit in [3, 4, 6] {
            let arguments = [&[program.as_str()], &arguments[..]].concat();
            first_move(&output(without_rights(&arguments, Some(limit)), input).success().stdout);
            let n: u32 = threads_used();
            assert!([limit - 2, limit - 1].contains(&n), "{n} with a limit of {limit}");
            std::fs::remove_file(&log).unwrap();
        }
    }
}

#[test]
fn without_any_thread_there_is_an_error_and_no_panic() {
    let folder = public_folder("no-threads");
    let program = public_program(&folder);
    let data = folder.file("data.bin");
    let event = folder.file("event");
    for arguments in [
        &["gtp"][..],
        &["nboard"],
        &["selfplay", "--positions", "100", "--output", &data],
        &["match", "--player", "random", "--player", "greedy", "--out", &event],
    ] {
        let words = [&[program.as_str()], arguments].concat();
        let output = output(without_rights(&words, Some(1)), b"genmove black\n");
        assert_eq!(output.status, Some(1), "{arguments:?} {output:?}");
        assert!(output.stderr.starts_with("othellier: "), "{arguments:?} {output:?}");
        // A match has a thread that waits for signals before any other.
        let names_it = ["thread", "Ctrl-C"].iter().any(|word| output.stderr.contains(word));
        assert!(names_it, "{arguments:?} {output:?}");
        assert!(!output.stderr.contains("panicked"), "{arguments:?} {output:?}");
    }
}

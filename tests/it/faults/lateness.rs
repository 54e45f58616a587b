//! Late replies on a machine with too little processor time: none may be the program's fault.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, DirEntry};
use std::io::{self, BufRead, BufReader, Write};
use std::time::{Duration, Instant};

use crate::harness::program;
use crate::hunt::engines::Busy;

/// The time for a move.
const LIMIT: Duration = Duration::from_millis(200);

/// How long each thread of a process was ready to run while the system ran others.
fn waited(process: u32) -> HashMap<OsString, Duration> {
    let of_thread = |thread: io::Result<DirEntry>| {
        let thread = thread.ok()?;
        // The thread may just have ended.
        let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        let waited = Duration::from_nanos(text.split(' ').nth(1)?.parse().ok()?);
        Some((thread.file_name(), waited))
    };
    fs::read_dir(format!("/proc/{process}/task")).unwrap().filter_map(of_thread).collect()
}

/// The same for this thread, which reads the replies itself.
fn own_wait() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(text.split(' ').nth(1).unwrap().parse().unwrap())
}

/// A late reply must be the machine's fault alone: without the time in which the system ran others, every move keeps its time,
/// also while the table grows, and with threads that wait for each other.
#[test]
#[ignore = "takes the whole machine"]
fn only_the_machine_makes_a_move_late() {
    let _beside = Busy::new(12);
    for (hash, threads) in [("1", "1"), ("1024", "1"), ("256", "2")] {
        let arguments =
            ["gtp", "--clock", "move:0.2", "--no-book", "--hash", hash, "--threads", threads];
        let mut child = program(&arguments).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        for number in 0..60 {
            let color = if number % 2 == 0 { "black" } else { "white" };
            let (before, own_before) = (waited(child.id()), own_wait());
            let start = Instant::now();
            writeln!(input, "genmove {color}").unwrap();
            let mut reply = String::new();
            while !reply.ends_with("\n\n") {
                assert_ne!(output.read_line(&mut reply).unwrap(), 0, "{reply}");
            }
            let elapsed = start.elapsed();
            let known = |thread| before.get(thread).copied().unwrap_or_default();
            let mut waited: Duration =
                waited(child.id()).iter().map(|(thread, after)| *after - known(thread)).sum();
            waited += own_wait() - own_before;
            assert!(
                elapsed.saturating_sub(waited) <= LIMIT,
                "move {number} with {hash} MB and {threads} threads: {elapsed:?}, {waited:?} of it waiting"
            );
        }
        drop(input);
        assert!(child.wait().unwrap().success());
    }
}

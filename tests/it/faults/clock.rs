//! A wall clock that is set back repeatedly while the program runs.

use std::process::Command;
use std::time::Duration;

use super::{after, first_move, public_folder};
use crate::harness::{Folder, OTHELLIER, output, piped, words};

/// A library that sets the clock back for the program that loads it.
fn library(folder: &Folder) -> String {
    let library = folder.file("libclock.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/clock_set_back.rs");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let mut command = Command::new(rustc);
    command.args(["--edition", "2021", "--crate-type", "cdylib", "-O", "-o", &library, source]);
    let output = output(piped(command), b"");
    assert_eq!(output.status, Some(0), "{}", output.stderr);
    library
}

#[test]
fn a_clock_that_is_set_back_does_not_matter() {
    let folder = public_folder("clock");
    let log = folder.file("engine.log");
    let setting = format!("export LD_PRELOAD='{}'", library(&folder));
    let arguments = ["gtp", "--no-book", "--clock", "move:0.4", "--log-file", &log];
    let input = "genmove black\ngenmove white\ngenmove black\nquit\n";
    let played = output(after(&setting, &arguments), input.as_bytes()).success();
    first_move(&played.stdout);
    // Three moves of 0.4 s less what is kept back, or more on a busy machine. With the wall clock, a search would end
    // at once.
    assert!(played.elapsed > Duration::from_millis(700), "{:?}", played.elapsed);
    // The times in the log show that the wall clock did go back.
    let text = folder.text("engine.log");
    let times: Vec<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(times.len() > 10 && times.windows(2).all(|pair| pair[0] > pair[1]), "{times:?}");

    // The referee's clocks, and those of external engines, into which the library is loaded as well.
    let external =
        format!("name=external,proto=gtp,fraction=yes,cmd={OTHELLIER} gtp --hash 1 --no-book");
    let event = folder.file("event");
    let event_of =
        "match --player engine:hash=1,name=own --games 2 --clock 0.6+0.02 --margin 60000";
    let arguments = [&words(event_of)[..], &["--player", &external, "--out", &event]].concat();
    let played = output(after(&setting, &arguments), b"").success();
    assert!(played.last_line().ends_with("faults 0/0"), "{played:?}");
    let line = |name: &str| {
        let begin = format!("seconds: {name} ");
        let found = played.stdout.lines().find_map(|line| line.strip_prefix(begin.as_str()));
        found.and_then(|rest| rest.parse::<f64>().ok()).unwrap_or_else(|| panic!("{played:?}"))
    };
    for name in ["external", "own"] {
        // Two games of less than a second, and what a busy machine adds. Each reading of the wall clock would add ten
        // seconds, and there are two for each move.
        assert!((0.2..120.0).contains(&line(name)), "{played:?}");
    }
}

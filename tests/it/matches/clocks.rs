//! The clocks and levels that commands are sent.

use std::fs;

use super::{fake, run};
use crate::harness::{self, Folder};

/// What a command receives in an event with this clock and its own keys, and what the match prints on stderr.
fn told(protocol: &str, keys: &str, clock: &str) -> (String, String) {
    let folder = Folder::new("told");
    let out = folder.join("event");
    let spec = fake("tell").replace("proto=gtp", &format!("proto={protocol}{keys}"));
    let event = ["match", "--player", "random", "--player", &spec, "--games", "1"];
    let event = [&event[..], &["--clock", clock, "--out", out.to_str().unwrap()]].concat();
    let output = run(&event);
    assert_eq!(output.status, Some(0), "{}", output.stderr);
    (fs::read_to_string(out.join("stderr-fake.txt")).unwrap(), output.stderr)
}

#[test]
fn a_command_is_told_its_clock_or_its_level_or_nothing() {
    let words = ["set_level", "time_settings", "time_left", "set depth", "TI["];
    for (protocol, keys, clock, expected) in [
        ("gtp", "", "level:3", &["set_level 3\n"][..]),
        ("gtp", "", "depth:3", &["set_level 3\n"]),
        ("gtp", "", "30", &["time_settings 30 0 0\n", "time_left white 30 0\n"]),
        (
            "gtp",
            ",depth=4",
            "30",
            &["set_level 4\n", "time_settings 30 0 0\n", "time_left white 30 0\n"],
        ),
        ("gtp", ",clock=level:2", "30", &["set_level 2\n"]),
        ("gtp", "", "none", &[]),
        ("gtp", ",clock=none", "30", &[]),
        ("gtp", ",clock=none", "level:3", &[]),
        ("gtp", ",clock=none,depth=4", "30", &["set_level 4\n"]),
        ("nboard", "", "level:3", &["set depth 3\n"]),
        ("nboard", "", "30", &["set depth 60\n", "TI[0:30"]),
        ("nboard", "", "none", &[]),
        ("nboard", ",clock=none", "level:3", &[]),
        ("nboard", ",clock=none,depth=4", "30", &["set depth 4\n"]),
    ] {
        let (told, _) = told(protocol, keys, clock);
        let case = format!("{protocol}{keys} --clock {clock}: {told}");
        assert!(told.contains(if protocol == "gtp" { "genmove" } else { "go" }), "{case}");
        for word in expected {
            assert!(told.contains(word), "no {word} in {case}");
        }
        for word in words {
            let is_expected = expected.iter().any(|expected| expected.starts_with(word));
            assert_eq!(told.contains(word), is_expected, "{word} in {case}");
        }
    }
}

#[test]
fn a_level_that_overrules_a_commands_own_is_said_once() {
    for (keys, clock, expected) in [
        ("", "level:3", Some("own levels: fake (level:3); clock=none")),
        ("", "depth:3", Some("own levels: fake (depth:3); clock=none")),
        (",clock=level:2", "30", Some("own levels: fake (level:2); clock=none")),
        (",clock=none", "level:3", None),
        ("", "none", None),
        ("", "30", None),
    ] {
        for protocol in ["gtp", "nboard"] {
            let (_, said) = told(protocol, keys, clock);
            match expected {
                Some(text) => assert_eq!(said.matches(text).count(), 1, "{said}"),
                None => assert!(!said.contains("levels"), "{protocol}{keys} {clock}: {said}"),
            }
        }
    }
    let help = harness::run(&["match", "--help"], "").success().stdout;
    for word in ["set_level", "set depth", "none"] {
        assert!(help.contains(word), "no {word} in {help}");
    }
}

#[test]
fn players_without_a_protocol_play_by_their_own_settings_and_the_event_keeps_the_clock() {
    let folder = Folder::new("clock-none");
    let out = folder.join("event");
    let players = ["--player", "engine:level=2,hash=1", "--player", "greedy"];
    let event = ["match", "--games", "1", "--clock", "none", "--out", out.to_str().unwrap()];
    harness::run(&[&event[..], &players].concat(), "").success();
    let text = fs::read_to_string(out.join("event.toml")).unwrap();
    assert!(text.contains("clock = \"none\""), "{text}");
    harness::run(&["match", "--resume", out.to_str().unwrap()], "").success();
}

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
fn a_command_is_told_its_clock_or_its_level_or_nothing_and_an_overruled_level_is_said_once() {
    let words = ["set_level", "time_settings", "time_left", "set depth", "TI["];
    for (protocol, keys, clock, expected, level) in [
        ("gtp", "", "level:3", &["set_level 3\n"][..], "level:3"),
        ("gtp", "", "depth:3", &["set_level 3\n"], "depth:3"),
        ("gtp", "", "30", &["time_settings 30 0 0\n", "time_left white 30 0\n"], ""),
        (
            "gtp",
            ",depth=4",
            "30",
            &["set_level 4\n", "time_settings 30 0 0\n", "time_left white 30 0\n"],
            "",
        ),
        ("gtp", ",clock=level:2", "30", &["set_level 2\n"], "level:2"),
        ("gtp", "", "none", &[], ""),
        ("gtp", ",clock=none", "30", &[], ""),
        ("gtp", ",clock=none", "level:3", &[], ""),
        ("gtp", ",clock=none,depth=4", "30", &["set_level 4\n"], ""),
        ("nboard", "", "level:3", &["set depth 3\n"], "level:3"),
        ("nboard", "", "depth:3", &["set depth 3\n"], "depth:3"),
        ("nboard", "", "30", &["set depth 60\n", "TI[0:30"], ""),
        ("nboard", ",clock=level:2", "30", &["set depth 2\n"], "level:2"),
        ("nboard", "", "none", &[], ""),
        ("nboard", ",clock=none", "level:3", &[], ""),
        ("nboard", ",clock=none,depth=4", "30", &["set depth 4\n"], ""),
    ] {
        let (told, said) = told(protocol, keys, clock);
        let case = format!("{protocol}{keys} --clock {clock}: {told}");
        assert!(told.contains(if protocol == "gtp" { "genmove" } else { "go" }), "{case}");
        for word in expected {
            assert!(told.contains(word), "no {word} in {case}");
        }
        for word in words {
            let is_expected = expected.iter().any(|expected| expected.starts_with(word));
            assert_eq!(told.contains(word), is_expected, "{word} in {case}");
        }
        let own = format!("own levels: fake ({level}); clock=none");
        let n_said = (said.matches(&own).count(), said.matches("levels").count());
        assert_eq!(n_said, if level.is_empty() { (0, 0) } else { (1, 1) }, "{case}{said}");
    }
    let guide = include_str!("../../../docs/front-ends.md");
    for word in ["set_level", "set depth", "none"] {
        assert!(guide.contains(word), "no {word} in the guide to front ends");
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

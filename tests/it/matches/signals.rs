//! Every way in which a signal can end a match: all that it started must end as well.

use std::fs;
use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use super::endings::{MARGIN, endless, named, pondering};
use super::games;
use crate::harness::{self, Folder, program_with_signals, send, wait_until};

/// Sends a signal to a match of two players at the fake engine's first output; all must end.
#[track_caller]
fn end_by(signal: Signal, name: &str, players: [&str; 2], word: &str) {
    let folder = Folder::new(&format!("signal-{name}"));
    let out = folder.join("event");
    let mut event = vec!["match", "--games", "1", "--openings", "start", "--stall", "3600"];
    event.extend(["--margin", MARGIN, "--out", out.to_str().unwrap()]);
    event.extend(players.iter().flat_map(|player| ["--player", player]));
    let mut command = program_with_signals(&event);
    let mut child = command.spawn().unwrap();
    let errors = out.join(format!("stderr-{word}.txt"));
    wait_until(name, || fs::read(&errors).is_ok_and(|text| text.ends_with(b"\n")));
    // Wait until the other player ponders or thinks; whatever it does then, it must end.
    thread::sleep(Duration::from_millis(200));
    send(child.id(), signal);
    assert_eq!(harness::wait(&mut child, &command).code(), Some(1), "{name}");
    let said = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
    assert!(said.contains("stopped after 0 of 1 game"), "{name}: {said}");
    assert!(said.contains("--resume"), "{name}: {said}");
    assert_eq!(fs::read_to_string(out.join("games.jsonl")).unwrap(), "", "{name}");
}

#[test]
fn a_signal_ends_a_match_while_a_player_ponders() {
    for (kind, spec) in pondering() {
        for signal in [Signal::TERM, Signal::INT] {
            let name = format!("ponders-{kind}-{}", signal.as_raw());
            end_by(signal, &name, [&spec, &named("stall")], "stall");
        }
    }
}

#[test]
fn a_signal_ends_a_match_in_the_middle_of_a_move() {
    for (kind, spec) in endless() {
        for signal in [Signal::TERM, Signal::INT] {
            let name = format!("thinks-{kind}-{}", signal.as_raw());
            end_by(signal, &name, [&named("once"), &spec], "once");
        }
    }
}

/// Whether a process runs; one that has ended may remain as a zombie.
fn runs(id: &str) -> bool {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    text.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with(['Z', 'X']))
}

#[test]
fn no_end_of_a_match_leaves_engines_or_their_children_behind_or_loses_a_game() {
    for signals in [&[Signal::KILL][..], &[Signal::QUIT], &[Signal::INT, Signal::INT]] {
        let folder = Folder::new("family");
        let out = folder.file("event");
        let family = named("family");
        let event = ["match", "--games", "1", "--gauntlet", "--openings", "start", "--out", &out];
        let players = ["--player", "random", "--player", "greedy", "--player", &family];
        let mut command = program_with_signals(&[&event[..], &players].concat());
        // A core file may be left behind.
        let mut child = command.current_dir(folder.join("")).spawn().unwrap();
        let ids = folder.join("event/stderr-family.txt");
        wait_until("begun", || fs::read(&ids).is_ok_and(|text| text.ends_with(b"\n")));
        let ids = fs::read_to_string(&ids).unwrap();
        let ids: Vec<&str> = ids.split_whitespace().collect();
        assert!(ids.len() == 2 && ids.iter().all(|id| runs(id)), "{ids:?}");
        for &signal in signals {
            send(child.id(), signal);
            thread::sleep(Duration::from_millis(50));
        }
        harness::wait(&mut child, &command);
        wait_until(&format!("{ids:?} ended by {signals:?}"), || !ids.iter().any(|id| runs(id)));
        // The one before it was over.
        assert_eq!(games(&folder.join("event")).len(), 1, "{signals:?}");
    }
}

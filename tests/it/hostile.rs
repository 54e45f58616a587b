//! Untrusted input: properties that hold for any bytes, tested on seeds, on damaged seeds and on random bytes.
//!
//! `scripts/fuzz.sh` tries the same properties with a fuzzer, whose findings become seeds.

pub mod properties;
#[cfg(unix)]
mod screen;

use std::fs;
use std::path::Path;

use othellier::protocol::{Kind, cassio, nboard};
use proptest::prelude::*;

use crate::harness::run;
use properties::{PROPERTIES, check, judge};

/// The seeds of a property: a file each, with its name.
fn seeds(name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/seeds").join(name);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut seeds: Vec<(String, Vec<u8>)> = entries
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().to_string_lossy().into(), fs::read(entry.path()).unwrap()))
        .collect();
    seeds.sort();
    seeds
}

#[test]
fn seeds_hold() {
    for (name, _) in PROPERTIES {
        let seeds = seeds(name);
        assert!(seeds.len() >= 2, "{name} has {} seeds", seeds.len());
        for (file, bytes) in seeds {
            check(name, &bytes);
            assert!(bytes.len() <= 4096, "{name}/{file} is no small seed");
        }
    }
}

/// A seed of any property with some bytes changed and some parts moved.
fn damaged() -> impl Strategy<Value = (&'static str, Vec<u8>)> {
    let damage = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6);
    let cut = any::<(prop::sample::Index, prop::sample::Index)>();
    (any::<prop::sample::Index>(), any::<prop::sample::Index>(), damage, cut).prop_map(
        |(property, seed, damage, (from, to))| {
            let (name, _) = PROPERTIES[property.index(PROPERTIES.len())];
            let seeds = seeds(name);
            let (_, mut bytes) = seeds[seed.index(seeds.len())].clone();
            if !bytes.is_empty() {
                for (at, byte) in damage {
                    let at = at.index(bytes.len());
                    bytes[at] = byte;
                }
                let part = bytes[from.index(bytes.len())..].to_vec();
                let at = to.index(bytes.len());
                bytes.splice(at..at, part.into_iter().take(64));
            }
            (name, bytes)
        },
    )
}

/// Lines of a protocol's commands and other words, which `|` separates, in any order.
fn lines(commands: &[&'static str], others: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let words = commands.iter().copied().chain(others.split('|')).collect::<Vec<_>>();
    let line = prop::collection::vec(prop::sample::select(words), 1..5);
    let lines = prop::collection::vec(line, 0..20);
    lines.prop_map(|lines| {
        let lines: Vec<String> = lines.iter().map(|line| line.join(" ")).collect();
        lines.join("\n").into_bytes()
    })
}

const GTP: &str = "play|genmove|reg_genmove|undo|gg-undo|black|white|f5|d6|c3|pass|7|clear_board|boardsize|8|time_settings|\
    time_left|0|1|60|loadsgf|game.sgf|quit|printsgf|showboard|final_score|gogui-setup|gogui-play_sequence|\
    gogui-setup_player|ponder|on|lz-analyze|kata-analyze|interval|set_level|set_strength|set_elo|900|set_player|\
    greedy|classic|minimax:rounds=2|off|othellier-evaluation|othellier-best_moves|othellier-move_values|\
    foreseen_replies|clear_cache|gogui-rules_legal_moves|set_randomness|set_resign|# interrupt|";

const NBOARD: &str = "set|depth|game|contempt|1|2|7|f5|F5//1.5|d6/2.00|c3|d3|pa|PA||\
    (;GM[Othello]PC[x]PB[a]PW[b]TI[5:00]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[f5];)|\
    (;GM[Othello]TY[8]BO[8 *OO----------------------------------------------------------------- *];)|\
    (;GM[Othello]TY[8]BO[8 *OO------------------------------------------------------------- O];)";

const CASSIO: &str = "ENGINE-PROTOCOL||-64|64|0|1.5|5|100|73|---------------------------OX------XO---------------------------X|\
    XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXOOOO---X|\
    ---------------------------OX------XO---------------------------X -64 64 5 100";

const XBOARD: &str = "xboard|protover|2|new|variant|reversi|setboard|8/8/8/3pP3/3Pp3/8/8/8 b - - 0 1|go|playother|force|undo|remove|\
    usermove|d3|P@c3|c5|@@@@|hint|ping|1|post|nopost|level|0|5|st|sd|time|otim|hard|easy|name|?|result|quit|";

/// The same forms, from the program and its threads: bursts of lines that stop and follow searches, and end with `quit`, or in the
/// middle of a line.
fn check_program(kind: Kind, bytes: &[u8], quits: bool) {
    let quit = if kind == Kind::Cassio { "ENGINE-PROTOCOL quit" } else { "quit" };
    // The highest level takes half a minute.
    let text =
        String::from_utf8_lossy(bytes).replace("quit", "name").replace("level 60", "level 6");
    let end = if quits { format!("\n{quit}\n") } else { String::new() };
    let input = text + &end;
    let options = [&kind.to_string(), "--level", "2", "--hash", "1", "--threads", "2", "--ponder"];
    let output = run(&options, &input).success();
    let heard: Vec<&[u8]> = input.as_bytes().split(|&byte| byte == b'\n').collect();
    // What follows the last end of line is a line only if there is something.
    let heard = heard.strip_suffix(&[&b""[..]]).unwrap_or(&heard);
    judge(kind, heard, &output.stdout);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(12) })]

    #[test]
    fn the_program_keeps_to_the_forms(
        gtp in lines(&[], GTP), nboard in lines(&nboard::COMMANDS, NBOARD), cassio in lines(&cassio::COMMANDS, CASSIO),
        quits in any::<bool>(),
    ) {
        check_program(Kind::Gtp, &gtp, quits);
        // NBoard says nothing after the end of the input; Cassio's searches before a quit may never end.
        check_program(Kind::Nboard, &nboard, true);
        let cassio = String::from_utf8(cassio).unwrap().replace('\n', "\nENGINE-PROTOCOL ");
        check_program(Kind::Cassio, cassio.as_bytes(), false);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn damaged_seeds_hold((name, bytes) in damaged()) {
        check(name, &bytes);
    }

    #[test]
    fn any_bytes_hold(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for (_, property) in PROPERTIES {
            property(&bytes);
        }
    }

    #[test]
    fn gtp_answers_every_command(bytes in lines(&[], GTP)) {
        check("gtp", &bytes);
    }

    #[test]
    fn nboard_answers_every_ping(bytes in lines(&nboard::COMMANDS, NBOARD)) {
        check("nboard", &bytes);
    }

    #[test]
    fn xboard_answers_every_ping(bytes in lines(&[], XBOARD)) {
        check("xboard", &bytes);
    }

    #[test]
    fn cassio_keeps_to_its_forms(bytes in lines(&cassio::COMMANDS, CASSIO)) {
        check("cassio", &[b"ENGINE-PROTOCOL ", &bytes[..]].concat());
        let text = String::from_utf8(bytes).unwrap();
        check("cassio", text.replace('\n', "\nENGINE-PROTOCOL ").as_bytes());
    }
}

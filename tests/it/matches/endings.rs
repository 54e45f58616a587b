//! Every way in which a game can end, for every kind of player, also while it ponders: the match must end as well, and soon.

use std::collections::HashSet;
use std::path::Path;

use othellier::formats::transcript;
use serde_json::Value;

use super::{fake, games, run};
use crate::harness::{self, Folder, OTHELLIER};

/// Milliseconds by which clocks may be exceeded in tests that are not about time.
pub(super) const MARGIN: &str = "600000";

/// A player of each kind that ponders endlessly, or does the equivalent of its kind.
pub(super) fn pondering() -> [(&'static str, String); 5] {
    let command = |protocol: &str, keys: &str| {
        let command = format!("\"{OTHELLIER}\" {protocol} --hash 1 --ponder");
        format!("name=ponders,proto={protocol},ponder=on,clock=move:0.02,{keys}cmd={command}")
    };
    [
        ("engine", "engine:ponder=on,hash=1,time=0.02,name=ponders".into()),
        ("simple", "classic:ponder=on".into()),
        ("gtp", command("gtp", "")),
        ("nboard", command("nboard", "")),
        ("cassio", command("cassio", "depth=2,")),
    ]
}

/// A player of each kind that thinks endlessly about its first move.
pub(super) fn endless() -> [(&'static str, String); 5] {
    let command = |protocol: &str, keys: &str| {
        let command = format!("\"{OTHELLIER}\" {protocol} --hash 1 --level 60 --no-book");
        format!("name=thinks,proto={protocol},{keys}cmd={command}")
    };
    [
        ("engine", "engine:depth=60,hash=1,name=thinks".into()),
        ("simple", "classic:open=positional/60".into()),
        ("gtp", command("gtp", "clock=none,")),
        ("nboard", command("nboard", "clock=none,")),
        ("cassio", command("cassio", "depth=60,")),
    ]
}

/// A fake engine named after its behavior, limited only by the patience of the referee.
pub(super) fn named(fault: &str) -> String {
    fake(fault).replace("name=fake", &format!("name={fault},clock=none"))
}

/// How the last game of each opponent ended.
fn ends(directory: &Path) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let records = games(directory);
    let end = |record: &Value| match text(&record["end"]).as_str() {
        "fault" => {
            let fault = &record["fault"];
            format!("{} {}", text(&fault["player"]), text(&fault["cause"]))
        }
        "resigned" if record["result"] == 64 => format!("{} resigned", text(&record["white"])),
        end => end.into(),
    };
    records.iter().map(|record| (text(&record["white"]), end(record))).collect()
}

#[test]
fn a_match_of_a_player_that_ponders_ends_however_its_games_end() {
    for (kind, spec) in pondering() {
        let folder = Folder::new(&format!("endings-{kind}"));
        let out = folder.join("event");
        let opponents =
            ["leave", "resign", "illegal", "crash"].map(named).into_iter().chain(["random".into()]);
        let opponents = opponents.chain(["engine:level=1,hash=1,name=agrees".into()]);
        let opponents: Vec<String> = opponents.collect();
        let mut event = vec!["match", "--gauntlet", "--games", "1", "--openings", "start"];
        event.extend(["--clock", "none", "--margin", MARGIN, "--adjudicate", "1"]);
        event.extend(["--out", out.to_str().unwrap(), "--player", &spec]);
        event.extend(opponents.iter().flat_map(|opponent| ["--player", opponent]));
        let output = harness::run(&event, "");
        assert_eq!(output.status, Some(0), "{kind}: {output:?}");
        let ends = ends(&out);
        let end = |name: &str| {
            let end = ends.iter().find(|(white, _)| white == name);
            end.map_or("", |(_, end)| end.as_str())
        };
        for (name, expected) in [
            ("leave", "leave exit"),
            ("resign", "resign resigned"),
            ("illegal", "illegal illegal-move"),
            ("crash", "crash crash"),
            ("random", "played"),
        ] {
            assert_eq!(end(name), expected, "{kind} {ends:?}");
        }
        // GTP engines report no values, and other players may not agree in time.
        assert!(["adjudicated", "played"].contains(&end("agrees")), "{kind} {ends:?}");
        if kind == "engine" {
            assert_eq!(end("agrees"), "adjudicated", "{ends:?}");
        }
        assert_eq!(ends.len(), 6);
    }
}

#[test]
fn games_of_a_player_that_ponders_are_played_one_at_a_time() {
    let folder = Folder::new("endings-alone");
    let out = folder.file("event");
    let command = format!("\"{OTHELLIER}\" gtp --hash 1 --no-book");
    let spec = format!("name=one,proto=gtp,clock=level:1,ponder=on,cmd={command}");
    let event = ["match", "--player", &spec, "--player", "random", "--concurrency", "2"];
    let output = run(&[&event[..], &["--traffic", "--out", &out]].concat());
    output.fails(0, "one ponders, so games are played one at a time");
    // Two games at a time would take a process each.
    let traffic = folder.text("event/traffic-one.txt");
    let ids: HashSet<_> = traffic.lines().map(|line| line.split(' ').next()).collect();
    assert_eq!(ids.len(), 1, "{traffic}");
}

#[test]
fn games_that_stop_early_are_judged_by_a_search() {
    let folder = Folder::new("endings-judged");
    let out = folder.join("event");
    let event = ["match", "--player", "random", "--player", "greedy", "--openings", "start"];
    let judged = ["--games", "4", "--stop-at-empties", "40", "--judge-depth", "2"];
    let output =
        harness::run(&[&event[..], &judged, &["--out", out.to_str().unwrap()]].concat(), "");
    assert_eq!(output.status, Some(0), "{output:?}");
    // A game may be over earlier.
    let mut records = games(&out);
    records.retain(|record| record["end"] != "played");
    assert!(!records.is_empty());
    for record in &records {
        assert_eq!(record["end"], "adjudicated");
        assert_eq!(record["times"].as_array().unwrap().len(), 20);
        assert_eq!(record["result"].as_i64().unwrap() % 2, 0, "{record}");
    }
    let again = harness::run(&["match", "--resume", out.to_str().unwrap()], "");
    assert_eq!((again.status, again.stdout), (Some(0), output.stdout));
}

#[test]
fn a_stall_of_the_other_or_the_first_fault_ends_the_match_of_a_player_that_ponders() {
    for (kind, spec) in pondering() {
        let stalls = named("stall");
        let event = ["match", "--player", &spec, "--player", &stalls, "--openings", "start"];
        let event = [&event[..], &["--games", "2", "--stall", "1", "--margin", MARGIN]].concat();
        let folder = Folder::new(&format!("endings-stop-{kind}"));
        let out = folder.file("event");
        let stopped = run(&[&event[..], &["--stop-at-fault", "--out", &out]].concat());
        stopped.fails(1, "--resume");
        assert_eq!(games(&folder.join("event")).len(), 1, "{kind}");
        assert!(stopped.stdout.contains("fault: stall stall 1\n"), "{kind}: {stopped:?}");
    }
}

#[test]
fn a_player_that_finds_no_move_stalls_whatever_its_kind() {
    for (kind, spec) in endless() {
        // A simple player knows no clock: it moves when the patience of the referee ends.
        if kind == "simple" {
            continue;
        }
        let once = named("once");
        let event = ["match", "--player", &once, "--player", &spec, "--games", "1"];
        let output = run(&[&event[..], &["--openings", "start", "--stall", "2"]].concat());
        assert_eq!(output.status, Some(0), "{kind}: {}", output.stderr);
        assert!(output.stdout.contains("fault: thinks stall 1\n"), "{}", output.stdout);
    }
}

/// A match of this program's engine with itself over a protocol; the records of its games.
fn against_itself(protocol: &str, level: &str, options: &[&str]) -> (Folder, Vec<Value>) {
    let folder = Folder::new(&format!("endings-{protocol}-{}", options[0]));
    let out = folder.file("event");
    let command = format!("\"{OTHELLIER}\" {protocol} --level 1 --hash 1 --no-book");
    let other = format!("name=over-{protocol},clock={level},proto={protocol},cmd={command}");
    let event = ["match", "--player", "engine:depth=4,hash=1,name=here", "--player", &other];
    let output =
        harness::run(&[&event[..], options, &["--games", "2", "--out", &out]].concat(), "");
    assert_eq!(output.status, Some(0), "{output:?}");
    let records = games(&folder.join("event"));
    assert_eq!(records.len(), 2);
    (folder, records)
}

#[test]
fn records_say_what_the_engines_say_of_their_moves() {
    for protocol in ["gtp", "nboard"] {
        let (folder, records) = against_itself(protocol, "level:2", &["--traffic"]);
        for record in &records {
            let own = usize::from(record["white"] != "here");
            let column = |key: &str| {
                let rows = record[key].as_array().unwrap();
                let all = rows.iter().zip(record["times"].as_array().unwrap()).enumerate();
                // Moves of the opening and passes take no time; the plies of the two take turns after eight.
                let said = all.filter(|(_, (_, time))| time.as_f64() > Some(0.0));
                said.map(|(ply, (row, _))| (ply, row.clone())).collect::<Vec<_>>()
            };
            let said = |key: &str| column(key).iter().filter(|(_, row)| !row.is_null()).count();
            let n_moves = column("times").len();
            assert_eq!(said("scores"), n_moves, "{protocol} {own} {record}");
            assert!(said("nodes") > n_moves / 2, "{protocol} {record}");
            if protocol == "gtp" {
                assert_eq!((said("depths"), said("lines")), (n_moves, n_moves), "{record}");
            }
        }
        let traffic = folder.text(&format!("event/traffic-over-{protocol}.txt"));
        let go = if protocol == "gtp" { "> genmove" } else { "> go" };
        let first = traffic.lines().find(|line| line.contains(go)).unwrap();
        let words: Vec<&str> = first.split(' ').collect();
        assert!(words[0].parse::<u32>().is_ok() && words[1].parse::<f64>().is_ok(), "{first}");
        assert!(traffic.contains(" < ="), "{traffic}");
    }
    let players = ["match", "--player", "random", "--player", "greedy"];
    harness::run(&[&players[..], &["--traffic"]].concat(), "").fails(2, "--out");
}

#[test]
fn values_end_games_early() {
    for protocol in ["gtp", "nboard"] {
        let (_folder, records) = against_itself(protocol, "level:1", &["--resign", "1,2"]);
        let resigned = records.iter().filter(|record| record["end"] == "resigned");
        for record in resigned.clone() {
            let game = transcript::game(record["moves"].as_str().unwrap()).unwrap();
            let loser = game.position().side;
            let last = game.plies().iter().rposition(|ply| ply.before.side == loser).unwrap();
            assert!(record["scores"][last].as_f64().unwrap() <= -2.0, "{record}");
            assert_eq!(record["result"], -64 * loser.sign(), "{record}");
        }
        assert!(resigned.count() > 0, "{records:?}");
        let (_folder, records) = against_itself(protocol, "level:1", &["--draw", "2,64"]);
        for record in &records {
            assert_eq!((&record["end"], &record["result"]), (&"adjudicated".into(), &0.into()));
            // Eight plies of the opening, and two moves each.
            assert_eq!(record["times"].as_array().unwrap().len(), 12, "{record}");
        }
    }
    for refused in [["--draw", "3"], ["--resign", "0,5"], ["--resign", "2,65"]] {
        let players = ["match", "--player", "random", "--player", "greedy"];
        assert_eq!(harness::run(&[&players[..], &refused].concat(), "").status, Some(2));
    }
}

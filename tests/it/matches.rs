//! Matches: faults go to the right player with the right cause, and no event loses a game.

mod clocks;
mod endings;
mod options;
#[cfg(target_os = "linux")]
mod signals;

use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::samples::rows;
use crate::harness::{self, Folder, OTHELLIER, Output, fake_engine, wait_until, words};

fn run(arguments: &[&str]) -> Output {
    harness::run(arguments, "")
}

/// Runs the program with the words of a line as its arguments, and more.
fn run_words(line: &str, more: &[&str]) -> Output {
    run(&[&words(line), more].concat())
}

/// A fake engine's specification.
fn fake(fault: &str) -> String {
    format!("name=fake,proto=gtp,cmd={} {fault}", fake_engine())
}

const TWO_GAMES: &str = "match --openings start --games 2";

/// Plays two games of a fake engine against `random` and returns the closing lines and the records.
fn play_fake(fault: &str, extra: &[&str]) -> (String, Vec<serde_json::Value>) {
    let folder = Folder::new(&format!("fault-{}", fault.split(' ').next().unwrap()));
    let out = folder.join("event");
    let spec = fake(fault);
    // Short limits are only for engines that never answer.
    let stall = if ["stall", "half", "zeros", "deaf"].contains(&fault) { 1 } else { 600 };
    let event = format!("{TWO_GAMES} --stall {stall} --start-limit 600");
    let more = ["--player", &spec, "--player", "random", "--out", out.to_str().unwrap()];
    let output = run_words(&event, &[&more, extra].concat());
    assert_eq!(output.status, Some(0), "{fault}: {}", output.stderr);
    (output.stdout, games(&out))
}

fn games(directory: &Path) -> Vec<serde_json::Value> {
    rows(&fs::read_to_string(directory.join("games.jsonl")).unwrap())
}

#[test]
fn every_fault_is_recorded_against_its_player() {
    let cases = [
        ("illegal", "illegal-move"),
        ("crash", "crash"),
        ("status", "crash"),
        ("exit", "exit"),
        ("stall", "stall"),
        ("half", "stall"),
        ("zeros", "stall"),
        ("deaf", "stall"),
        ("refuse", "bad-reply"),
        ("nonsense", "bad-reply"),
        ("no-sign", "bad-reply"),
        ("binary", "bad-reply"),
        ("flood", "bad-reply"),
        ("child", "illegal-move"),
    ];
    let check = |&(fault, cause): &(&str, &str)| {
        let (lines, records) = play_fake(fault, &["--clock", "level:1"]);
        assert!(lines.contains(&format!("fault: fake {cause} 2\n")), "{fault}: {lines}");
        let last = lines.lines().last().unwrap();
        let begin = "result: fake vs random, games 2, +0 =0 -2, score 0.0%";
        assert!(last.starts_with(begin) && last.ends_with("faults 2/0"), "{last}");
        assert_eq!(records.len(), 2);
        for record in records {
            assert_eq!(record["fault"]["player"], "fake");
            let lost = if record["black"] == "fake" { -64 } else { 64 };
            assert_eq!(record["result"], lost, "{fault}");
        }
    };
    // Most of the time is waiting.
    std::thread::scope(|scope| {
        for cases in cases.chunks(4) {
            scope.spawn(move || cases.iter().for_each(check));
        }
    });
}

#[test]
fn a_late_answer_is_a_loss_on_time() {
    let (lines, records) = play_fake("late", &["--clock", "move:0.2"]);
    assert!(lines.contains("fault: fake time 2\n"), "{lines}");
    assert!(records[0]["fault"]["text"].as_str().unwrap().contains("exceeded its time by"));
}

#[test]
fn a_match_does_not_begin_with_an_engine_that_cannot_start() {
    let folder = Folder::new("no-start");
    let ghost = "name=ghost,proto=gtp,cmd=/nonexistent/engine".to_string();
    // Windows says it in other words.
    let no_file = if cfg!(windows) { "" } else { "No such file" };
    let no_ghost = format!("ghost cannot start: cannot start /nonexistent/engine: {no_file}");
    for (number, (spec, said)) in [
        (ghost, no_ghost.as_str()),
        (fake("broken-at-start"), "its error output ends with:\n    libfoo.so is missing\n"),
        (fake("exit-at-start"), "fake cannot start: the engine exited; last lines: > name"),
        (fake("hang-at-start"), "fake cannot start: no answer; last lines: > name"),
        (fake("zeros-at-start"), "fake cannot start: no answer"),
    ]
    .into_iter()
    .enumerate()
    {
        let out = folder.file(&format!("event-{number}"));
        let event = ["match", "--player", "random", "--player", &spec, "--start-limit", "1"];
        run(&[&event[..], &["--out", &out]].concat()).refuses(1, said);
        // The folder is free for the corrected command.
        assert!(!Path::new(&out).exists());
    }
}

#[test]
fn without_a_terminal_every_game_has_a_line() {
    let event = ["match", "--player", "random", "--player", "greedy", "--games", "4"];
    let lines = run(&event).stderr;
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), 5, "{lines:?}");
    assert!(lines[0].starts_with("game 1 of 4: Black random - White greedy "), "{lines:?}");
    assert!(lines[4].starts_with("after 4 games: random +"), "{lines:?}");
    assert_eq!(run(&[&event[..], &["--quiet"]].concat()).stderr, "");
    // A page that cannot be written is told before the games; one that does not fit, after the result.
    for (page, n_games, n_results) in [("no/such/page.html", 0, 0), ("/dev/full", 4, 1)] {
        let output = run(&[&event[..], &["--html", page]].concat());
        output.fails(1, "cannot write");
        assert_eq!(output.stderr.matches(" of 4: Black").count(), n_games);
        assert_eq!(output.stdout.matches("result: ").count(), n_results);
    }
}

#[test]
fn the_error_output_is_kept_and_the_traffic_described() {
    let folder = Folder::new("errors");
    let out = folder.join("event");
    let spec = fake("errors");
    let players = ["--player", &spec, "--player", "random", "--out", out.to_str().unwrap()];
    let output = run_words(&format!("{TWO_GAMES} --clock level:1"), &players);
    assert_eq!(output.status, Some(0));
    let kept = fs::read_to_string(out.join("stderr-fake.txt")).unwrap();
    assert_eq!(kept, "something is wrong\nsomething is wrong\n");
    let named = ["あ", "い"].map(|name| spec.replacen("name=fake", &format!("name={name}"), 1));
    let out = folder.join("named");
    let players = ["--player", &named[0], "--player", &named[1], "--out", out.to_str().unwrap()];
    run_words(&format!("{TWO_GAMES} --clock level:1"), &players);
    let files = fs::read_dir(&out).unwrap().map(|file| file.unwrap().file_name());
    let logs = files.filter(|name| name.to_string_lossy().starts_with("stderr-_-"));
    assert_eq!(logs.count(), 2);
    let (_, records) = play_fake("nonsense", &["--clock", "level:1"]);
    let text = records[0]["fault"]["text"].as_str().unwrap();
    assert!(text.contains("> genmove black") && text.contains("< = banana"), "{text}");
}

#[test]
fn an_engines_children_end_with_it() {
    let folder = Folder::new("child");
    let lock = folder.file("lock");
    let (lines, _) = play_fake(&format!("child {lock}"), &["--clock", "level:1"]);
    assert!(lines.contains("illegal-move"), "{lines}");
    // The lock of a killed process may stay for a moment.
    wait_until("no child is left", || fs::File::open(&lock).unwrap().try_lock().is_ok());
}

#[test]
fn a_match_with_a_broken_engine_succeeds_unless_its_first_fault_stops_it() {
    let faults = ["crash", "exit", "stall", "illegal", "refuse"];
    std::thread::scope(|scope| {
        for spec in faults.map(fake) {
            scope.spawn(move || {
                let event = ["match", "--player", &spec, "--player", "random", "--games", "2"];
                let limits = ["--clock", "none", "--stall", "1", "--start-limit", "1"];
                let event = [&event[..], &limits].concat();
                for (options, status, said) in [
                    (&[][..], 0, ""),
                    (&["--quiet"], 0, ""),
                    (&["--json"], 0, ""),
                    (&["--stop-at-fault"], 1, "stopped after 1 of 2 games"),
                    (&["--stop-at-fault", "--quiet"], 1, "stopped after 1 of 2 games"),
                ] {
                    let output = run(&[&event[..], options].concat());
                    output.fails(status, said);
                    assert!(!output.stdout.is_empty(), "{spec} {options:?}: {output:?}");
                }
            });
        }
    });
    let weights = "engine:weights=/nonexistent/weights";
    let output = run(&["match", "--player", weights, "--player", "random"]);
    assert_eq!((output.status, output.stdout.as_str()), (Some(2), ""), "{output:?}");
}

/// The games with one value of one line changed.
fn changed(
    games: &str,
    line: usize,
    key: &str,
    change: impl Fn(&serde_json::Value) -> serde_json::Value,
) -> String {
    let change = |(index, text)| {
        let mut record: serde_json::Value = serde_json::from_str(text).unwrap();
        if index == line {
            record[key] = change(&record[key]);
        }
        format!("{record}\n")
    };
    games.lines().enumerate().map(change).collect()
}

#[test]
fn one_process_plays_an_event_and_others_are_refused() {
    let folder = Folder::new("two-runners");
    let out = folder.file("event");
    let players = ["--player", "random", "--player", "greedy", "--games", "2"];
    let create = [&["match", "--out", &out][..], &players].concat();
    assert_eq!(run(&create).status, Some(0));
    let before = games(&folder.join("event"));
    let other = fs::File::open(folder.join("event/games.jsonl")).unwrap();
    other.lock().unwrap();
    for command in [&create[..], &["match", "--resume", &out]] {
        let output = run(command);
        assert_eq!(output.status, Some(1), "{output:?}");
        let words = "games.jsonl is being written by another process";
        assert!(output.stderr.contains(words), "{output:?}");
    }
    // Commands that only read are not refused.
    assert_eq!(run(&["report", &out]).status, Some(0));
    drop(other);
    // A kill may have cut what is written for people: it is made anew.
    let whole = folder.text("event/games.ggf");
    folder.write("event/games.ggf", &whole[..whole.len() / 2]);
    assert_eq!(run(&["match", "--resume", &out]).status, Some(0));
    assert_eq!(games(&folder.join("event")), before);
    assert_eq!(folder.text("event/games.ggf"), whole);
}

#[test]
fn damaged_results_are_named_and_kept() {
    let folder = Folder::new("damaged");
    let out = folder.join("event");
    let path = out.to_str().unwrap();
    let players = ["--player", "random", "--player", "greedy"];
    let output = run(&[&["match", "--games", "4", "--out", path][..], &players].concat());
    assert_eq!(output.status, Some(0));
    run(&[&["match", "--games", "4", "--out", path][..], &players].concat()).fails(1, "--resume");
    let results = out.join("games.jsonl");
    let whole = fs::read_to_string(&results).unwrap();
    for (damaged, word) in [
        (whole.replacen("\"id\":2", "\"id\":1", 1), "line 2"),
        (whole.replacen("\"result\"", "\"store\"", 1), "line 1"),
        (format!("hello\n{whole}"), "line 1"),
        (changed(&whole, 0, "result", |score| (score.as_i64().unwrap() + 2).into()), "its moves"),
        (changed(&whole, 1, "moves", |moves| moves.as_str().unwrap()[..40].into()), "each move"),
        (changed(&whole, 1, "black", |_| "nobody".into()), "line 2: game 2 is of other players"),
        (changed(&whole, 1, "white", |_| "greedy".into()), "line 2: game 2 is of other players"),
        (changed(&whole, 3, "id", |_| 9.into()), "line 4: game 9 is not in the schedule"),
        (changed(&whole, 3, "pair", |_| 1.into()), "line 4: game 4 has another opening"),
        (changed(&whole, 3, "end", |_| "resigned".into()), "its moves"),
        (
            changed(&whole, 0, "times", |times| vec![-5.0; times.as_array().unwrap().len()].into()),
            "a time",
        ),
    ] {
        fs::write(&results, &damaged).unwrap();
        for command in [&["match", "--resume", path][..], &["report", path]] {
            run(command).fails(1, word);
        }
        assert_eq!(fs::read_to_string(&results).unwrap(), damaged);
    }
    run(&["report", folder.to_str().unwrap()]).fails(1, "no event");
}

#[test]
fn shards_together_are_the_whole_event() {
    let folder = Folder::new("shards");
    let event = "match --player engine:depth=3,name=three --player minimax2 --games 20 --seed 3";
    let whole = folder.join("whole");
    let output = run_words(event, &["--out", whole.to_str().unwrap()]);
    let parts: Vec<PathBuf> = (1..=3).map(|k| folder.join(format!("part{k}"))).collect();
    for (k, part) in parts.iter().enumerate() {
        let shard = format!("{}/3", k + 1);
        let output = run_words(event, &["--shard", &shard, "--out", part.to_str().unwrap()]);
        assert_eq!(output.status, Some(0), "{}", output.stderr);
    }
    let paths: Vec<&str> = parts.iter().map(|part| part.to_str().unwrap()).collect();
    let report = run(&[&["report"][..], &paths].concat());
    assert_eq!(report.stdout.lines().last(), output.stdout.lines().last());
    // One sequential test over all shards, as over the whole.
    let (all, whole) = ([&["report"][..], &paths].concat(), whole.to_str().unwrap());
    let test = |folders: &[&str], more: &[&str]| run(&[folders, more].concat());
    for (bounds, decision) in [("--sprt=0,50", "sprt: "), ("--sprt=-300,-200", "sprt: accepted E1")]
    {
        let line = |output: &Output| {
            let line = output.stdout.lines().find(|line| line.starts_with(decision));
            line.unwrap_or_else(|| panic!("{output:?}")).to_owned()
        };
        let expected = line(&test(&["report", whole], &[bounds]));
        assert_eq!(line(&test(&all, &[bounds])), expected);
        let json = test(&all, &[bounds, "--json"]).stdout;
        assert_eq!(json.matches("\"sprt\":").count(), 1, "{json}");
    }
    let error = test(&all, &["--sprt"]);
    error.fails(1, "set --sprt=E0,E1");
    run(&["report", paths[0], paths[0]]).fails(1, "also in another folder");
}

/// Players rank in this order, the weakest first.
#[track_caller]
fn assert_ranked(options: &str, players: &str) {
    let text = run_words(&format!("match --rank {options} {players}"), &[]).stdout;
    let ranks = (1..).zip(text.lines()).map(|(rank, line)| {
        let rest = line.strip_prefix(&format!("rank {rank} "));
        rest.and_then(|rest| rest.split(' ').next()).expect(line)
    });
    assert!(ranks.eq(players.split(' ')), "{text}");
}

#[test]
fn ranking_and_quiet_print_nothing_else() {
    assert_ranked("--games 400", "random greedy minimax minimax2");
    let output = run_words("match --quiet --games 20 --player minimax2 --player random", &[]);
    let share: f64 = output.stdout.trim().parse().unwrap();
    assert!(share > 0.5);
}

#[test]
#[ignore = "long: hundreds of games"]
fn the_engine_ranks_among_the_simple_players() {
    let players =
        "random greedy:directions engine:strength=1 classic:ponder=off engine:strength=35";
    assert_ranked("--games 24 --clock unlimited", players);
}

#[test]
fn the_engines_of_a_finished_event_are_not_needed() {
    let folder = Folder::new("finished-event");
    let (out, engine) = (folder.file("event"), folder.file("engine.exe"));
    fs::copy(OTHELLIER, &engine).unwrap();
    let external = format!("proto=gtp,cmd=\"{engine}\" gtp --level 1");
    let event = ["match", "--games", "2", "--out", &out, "--player", "random", "--player"];
    let text = run(&[&event[..], &[&external]].concat()).success().stdout;
    fs::remove_file(engine).unwrap();
    assert_eq!(run(&["match", "--resume", &out]).success().stdout, text);
}

#[test]
fn a_sequential_test_ends_the_match() {
    let folder = Folder::new("sequential");
    let out = folder.file("event");
    let event = "match --player minimax2 --player random --games 2000 --sprt 0,50";
    let text = run_words(event, &["--out", &out]).success().stdout;
    assert!(text.starts_with("sprt: accepted E1"), "{text}");
    let games: u64 =
        text.split("games ").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
    assert!(games < 1000, "{text}");
    // What is decided is not played on.
    assert_eq!(run(&["match", "--resume", &out]).success().stdout, text);
}

#[test]
fn external_engines_play_over_every_protocol() {
    let player = |(name, protocol)| {
        format!("--player=name={name},proto={name},cmd=\"{OTHELLIER}\" {protocol} --hash 1")
    };
    let players = [("gtp", "gtp"), ("nboard", "nboard"), ("cassio", "cassio"), ("auto", "cassio")];
    let players = players.map(player);
    let output = run_words(
        "match --games 2 --clock depth:3 --json",
        &players.each_ref().map(|text| &**text),
    );
    let rows = rows(&output.stdout);
    assert_eq!(rows.len(), 4 + 6, "{}", output.stderr);
    assert!(rows[..4].iter().all(|row| row["faults"].as_object().unwrap().is_empty()), "{rows:?}");
    assert!(rows[4..].iter().all(|row| row["games"] == 2));
}

#[test]
#[ignore = "long: measures times"]
fn timed_games_over_gtp_and_nboard_have_no_faults() {
    let gtp = format!("name=gtp,proto=gtp,cmd=\"{OTHELLIER}\" gtp --hash 8");
    let nboard = format!("name=nboard,proto=nboard,cmd=\"{OTHELLIER}\" nboard --hash 8");
    for clock in ["1+0.01", "move:0.05", "byo:0.5/0.3/3"] {
        let play = || {
            run(&["match", "--player", &gtp, "--player", &nboard, "--games", "2", "--clock", clock])
        };
        // A busy machine may take the time of both players, so there are several tries.
        let mut outputs = (0..3).map(|_| play());
        let is_clean = |output: &Output| output.stdout.trim_end().ends_with("faults 0/0");
        assert!(outputs.any(|output| is_clean(&output)), "{clock}: {}", play().stdout);
    }
}

#[test]
fn mistakes_in_the_description_of_an_event_are_explained() {
    let two = "--player random --player greedy";
    for (arguments, code, word) in [
        ("--player random", 2, "two players"),
        ("--player random --player random", 2, "name"),
        ("--player random --player nobody", 2, "minimizer"),
        (&format!("{two} --openings /nonexistent"), 1, "/nonexistent"),
        (&format!("{two} --sprt 5,0"), 2, "E0 < E1"),
        (&format!("{two} --shard 3/2"), 2, "K/N"),
        (&format!("{two} --clock x"), 2, "move:SECONDS"),
        (&format!("--quiet {two} --player minimax"), 2, "--quiet"),
        ("--resume /nonexistent", 1, "no event"),
    ] {
        run_words(&format!("match {arguments}"), &[]).fails(code, word);
    }
}

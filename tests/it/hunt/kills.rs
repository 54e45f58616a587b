//! Kills at random moments: afterwards the files hold all finished work, and the work resumes to the same end.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Write, read_to_string};
use std::os::unix::process::ExitStatusExt;
use std::thread;
use std::time::Duration;

use rand::Rng;
use serde_json::Value;

use super::{Random, few, many};
use crate::harness::samples::{random_games, rows};
use crate::harness::{Folder, output, run, wait};

/// Searches that take almost no time.
const QUICK: &str = "--depth 2 --hash 1 --concurrency 2";

/// The output of a command that must succeed.
fn good(folder: &Folder, line: &str) -> String {
    let ran = output(folder.command(line), b"");
    assert_eq!(ran.status, Some(0), "{line}: {ran:?}");
    ran.stdout
}

/// Waits for up to half a second; milliseconds are as likely as tenths of a second.
fn wait_for_a_moment(random: &mut Random) {
    let longest = 1000 << random.below(10);
    thread::sleep(Duration::from_micros(random.below(longest) as u64));
}

/// Kills a command at a random moment; returns whether it was still running, and its error output. If it had ended before,
/// it must have succeeded. `meanwhile` is run just before the kill.
fn kill(
    random: &mut Random,
    folder: &Folder,
    line: &str,
    meanwhile: impl FnOnce(),
) -> (bool, String) {
    let mut command = folder.command(line);
    let mut child = command.spawn().unwrap();
    wait_for_a_moment(random);
    meanwhile();
    child.kill().unwrap();
    let status = wait(&mut child, &command);
    assert!(status.success() || status.signal().is_some(), "{line}: {status}");
    (!status.success(), read_to_string(child.stderr.take().unwrap()).unwrap())
}

// Books

/// Positions with whether their best move out of the book is known, and the number of their games.
fn held(folder: &Folder, book: &str) -> BTreeMap<String, (bool, u64)> {
    let contents = good(folder, &format!("book export {book} - --to jsonl"));
    let entries = contents.lines().map(|line| serde_json::from_str::<Value>(line).expect(line));
    let of = |entry: Value| {
        let games =
            entry["games"].as_array().map_or(0, |n| n.iter().filter_map(Value::as_u64).sum());
        // Other lines name the games.
        let position = entry["position"].as_str()?;
        Some((position.to_owned(), (entry["leaf"].is_object(), games)))
    };
    entries.filter_map(of).collect()
}

/// All that was on disk before a kill is there after it.
fn book(random: &mut Random) {
    let folder = Folder::new("hunt-book");
    good(&folder, &format!("book build a.othb --positions 10 {QUICK}"));
    for _ in 0..6 {
        folder.write("games.txt", random_games(random.generator.next_u64(), 20));
        let line = match random.below(5) {
            0 => format!("book build a.othb --until 30 {QUICK}"),
            1 => format!("book add a.othb games.txt --search {QUICK}"),
            2 => format!("book build a.othb --fix {QUICK}"),
            3 => "book add a.othb games.txt".into(),
            _ => "book compact a.othb".into(),
        };
        kill(random, &folder, &line, || {
            // Copy the journal first: what the file gets meanwhile was in the journal before.
            for end in [".log", ""] {
                let [from, to] = ["a", "b"].map(|name| folder.file(&format!("{name}.othb{end}")));
                drop(fs::copy(from, to));
            }
        });
        let (before, after) = (held(&folder, "b.othb"), held(&folder, "a.othb"));
        for (position, (has_leaf, n_games)) in before {
            let now = after.get(&position);
            let is_kept = now.is_some_and(|now| now.0 >= has_leaf && now.1 >= n_games);
            assert!(is_kept, "{line}: {position} has become {now:?}");
        }
        good(&folder, "book check a.othb");
        // A larger book makes the hunt slow.
        if after.len() > 3000 {
            return;
        }
    }
}

// Matches

/// An event that is killed and resumed has every game once, and those that it had or told of.
fn event(random: &mut Random) {
    let folder = Folder::new("hunt-event");
    let n_games = 2 * (1 + random.below(8));
    let player =
        random.word("greedy|minimax2|engine:level=1,hash=1|engine:level=3,hash=1,ponder=on");
    let mut line = format!("match --player {player} --player random --games {n_games} --out event");
    let games = || {
        let text = fs::read_to_string(folder.join("event/games.jsonl")).unwrap_or_default();
        // An incomplete last line does not count.
        text.split_inclusive('\n').filter(|game| game.ends_with('\n')).map(Into::into).collect()
    };
    let mut n_kills = 0;
    loop {
        let mut before: Vec<String> = Vec::new();
        // After so many kills, let it run to its end.
        let is_last = n_kills == 12;
        let (is_killed, said) = if is_last {
            (false, good(&folder, &line))
        } else {
            kill(random, &folder, &line, || before = games())
        };
        n_kills += usize::from(is_killed);
        let after: Vec<String> = games();
        // A game is on disk before its line, `game N of M: ...`, which a kill may cut.
        let told = said.lines().filter_map(|line| line.strip_prefix("game ")?.split(' ').next());
        let told = told.filter_map(|number| number.parse::<usize>().ok()).max();
        assert!(told <= Some(after.len()), "{line}: {} games, but\n{said}", after.len());
        assert!(after.starts_with(&before), "{line}: {before:?} became {after:?}");
        if !is_killed {
            break;
        }
        if folder.join("event/event.toml").exists() {
            good(&folder, "report event");
            line = "match --resume event".into();
        } else {
            // The match was killed before it had written its event.
            drop(fs::remove_dir_all(folder.join("event")));
        }
    }
    let all: Vec<String> = games();
    let ids = rows(&all.concat()).into_iter().map(|game| game["id"].as_u64().unwrap());
    let mut ids: Vec<u64> = ids.collect();
    ids.sort_unstable();
    assert_eq!(ids, (1..=n_games as u64).collect::<Vec<_>>(), "{line} after {n_kills} kills");
    assert!(good(&folder, "report event").contains(&format!("games {n_games}, ")));
}

// Training

/// Repeats `line` under kills; then the file `name` is the same as from an undisturbed run.
fn same(random: &mut Random, folder: &Folder, line: &str, name: &str) {
    good(folder, line);
    let whole = folder.read(name);
    fs::remove_file(folder.join(name)).unwrap();
    for _ in 0..5 {
        kill(random, folder, line, || {});
    }
    if !folder.join(name).exists() || line.starts_with("selfplay") {
        good(folder, line);
    }
    assert!(folder.read(name) == whole, "a kill changes what this makes: {line}");
}

fn selfplay(random: &mut Random) {
    let folder = Folder::new("hunt-selfplay");
    let (n, seed) = (1000 + random.below(30_000), random.below(1000));
    let threads = random.pick(&[1, 2]);
    let line = format!(
        "selfplay --output a.bin --depth 1 --exact 6 --positions {n} \
         --seed {seed} --concurrency {threads}"
    );
    same(random, &folder, &line, "a.bin");
}

fn training(random: &mut Random) {
    let folder = Folder::new("hunt-training");
    good(&folder, "selfplay --output a.bin --depth 1 --exact 6 --positions 2000");
    let epochs = 1 + random.below(4);
    let line = format!("train a.bin --epochs {epochs} --output w.bin");
    same(random, &folder, &line, "w.bin");
}

// Logs

/// What a log holds after a kill stays in it, and the last session can be replayed.
fn log(random: &mut Random) {
    let folder = Folder::new("hunt-log");
    let protocol = random.word("gtp|nboard");
    let moves =
        if protocol == "gtp" { "genmove b\ngenmove w\n" } else { "go\nmove f5\ngo\nmove d6\n" };
    let line = format!("{protocol} --log-file a.log --level 6 --hash 1");
    let text = || fs::read_to_string(folder.join("a.log")).unwrap_or_default();
    for _ in 0..1 + usize::from(random.is_long) {
        let before = text();
        let mut child = folder.command(&line).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        // The engine may end before it has read all.
        drop(input.write_all(moves.repeat(40).as_bytes()));
        wait_for_a_moment(random);
        child.kill().unwrap();
        child.wait().unwrap();
        let said = read_to_string(child.stdout.take().unwrap()).unwrap();
        let after = text();
        let Some(session) = after.strip_prefix(&before) else { panic!("lost: {before}\n{after}") };
        // A line is in the log before it goes out.
        assert!(session.matches(" < ").count() >= said.matches('\n').count(), "{said}\n{after}");
        // Without an input line, the log holds nothing to replay.
        if session.contains(" > ") {
            let replayed = run(&["replay", &folder.file("a.log")], "");
            assert_eq!(replayed.status, Some(0), "{replayed:?}\n{after}");
            assert!(replayed.last_line().ends_with("the same"), "{replayed:?}\n{after}");
        }
    }
}

fn trial(random: &mut Random) {
    match random.below(12) {
        0..=3 => book(random),
        4..=6 => event(random),
        7..=8 => selfplay(random),
        9 => training(random),
        _ => log(random),
    }
}

#[test]
fn a_few_kills_lose_nothing_that_was_finished() {
    few("kills", 3, trial);
}

#[test]
#[ignore = "long: hunts for OTHELLIER_HUNT_SECONDS"]
fn kills_lose_nothing_that_was_finished() {
    many("kills", trial);
}

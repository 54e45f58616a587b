//! Opening books by the command line: growing, sharing, exchanging and damage.

#[cfg(target_os = "linux")]
mod stopped;

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{self, Folder, run};

/// A search that takes almost no time.
const QUICK: [&str; 6] = ["--depth", "2", "--hash", "1", "--concurrency", "2"];

const GAMES: &str =
    "f5d6c3d3c4f4f6f3e6e7d7g6f8f7g5h6h4g4h3h5h7\nf5f6e6f4e3c5c4e7b5e2\ne6f4c3c4d3d6e3c2\n";

/// Runs `othellier book`; `options` follow the arguments.
#[track_caller]
fn book(arguments: &[&str], options: &[&str]) -> harness::Output {
    run(&[&["book"], arguments, options].concat(), "")
}

/// The closing line as JSON.
#[track_caller]
fn closing(arguments: &[&str], options: &[&str]) -> Value {
    let output = book(arguments, &[options, &["--json"]].concat());
    assert_eq!(output.status, Some(0), "{output:?}");
    serde_json::from_str(output.last_line()).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// The whole book as lines of JSON.
#[track_caller]
fn contents(file: &str) -> String {
    book(&["export", file, "-", "--to", "jsonl"], &[]).success().stdout
}

#[track_caller]
fn n_positions(file: &str) -> u64 {
    closing(&["check", file], &[])["positions"].as_u64().unwrap()
}

#[test]
fn a_book_grows_goes_on_and_is_found_in_order() {
    let folder = Folder::new("book-build");
    let file = folder.file("a.othb");
    let built = closing(&["build", &file, "--positions", "60"], &QUICK);
    assert_eq!((built["positions"].as_u64(), built["added"].as_u64()), (Some(60), Some(60)));
    let built = closing(&["build", &file, "--positions", "90"], &QUICK);
    assert_eq!((built["positions"].as_u64(), built["added"].as_u64()), (Some(90), Some(30)));
    assert_eq!(book(&["check", &file], &[]).success().last_line(), "check: 90 positions, 0 errors");
    let shown = book(&["show", &file, "f5"], &[]).success().stdout;
    assert!(shown.contains("move    score") && shown.contains("line: "), "{shown}");
    let shown = book(&["show", &file, "--json"], &[]).success().stdout;
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["moves"].as_array().unwrap().len(), 4, "{shown}");
    let stats = book(&["stats", &file], &[]).success().stdout;
    assert!(stats.starts_with("positions: 90\n"), "{stats}");
    // Under a narrow rule, a second run finds nothing left to do.
    let deviated = closing(&["build", &file, "--deviate", "1,2", "--until", "56"], &QUICK);
    let again = closing(&["build", &file, "--deviate", "1,2", "--until", "56"], &QUICK);
    assert_eq!((&deviated["positions"], again["added"].as_i64()), (&again["positions"], Some(0)));
    assert_eq!(closing(&["build", "--fix", &file], &QUICK)["added"].as_i64(), Some(0));
}

#[test]
fn what_values_rest_on_is_searched_again_deeper() {
    let folder = Folder::new("book-deepen");
    let file = folder.file("a.othb");
    closing(&["build", &file, "--positions", "60"], &QUICK);
    let todo = |depth: &str| {
        let todo = book(&["todo", &file, "--deepen", "--depth", depth], &[]);
        assert!(
            todo.stdout.lines().all(|line| line.contains(&format!("\"depth\":{depth}"))),
            "{todo:?}"
        );
        todo.stdout.lines().count()
    };
    let leaves = closing(&["stats", &file], &[])["leaves"].as_u64().unwrap();
    assert_eq!((todo("2"), todo("6") as u64), (0, leaves));
    let deep = |depth| ["--depth", depth, "--hash", "1"];
    let deepened = closing(&["build", "--deepen", &file], &deep("4"));
    assert_eq!((deepened["positions"].as_u64(), deepened["added"].as_i64()), (Some(60), Some(0)));
    assert_eq!((todo("4"), todo("6") as u64), (0, leaves));
    // What is deep enough is left alone.
    let before = contents(&file);
    closing(&["build", "--deepen", &file], &deep("3"));
    assert_eq!(contents(&file), before);
    let missing = book(&["build", "--deepen", &folder.file("none.othb")], &[]);
    assert!(missing.stderr.contains("there is no"), "{missing:?}");
}

#[test]
fn games_count_once_and_are_learnt() {
    let folder = Folder::new("book-games");
    let (file, games) = (folder.file("a.othb"), folder.write("games.txt", GAMES));
    let options = ["--until", "50"];
    let added = closing(&["add", &file, &games], &options);
    assert!(added["positions"].as_u64() > Some(15) && added["score"].is_null(), "{added}");
    let exported = book(&["export", &file, &folder.file("a.egbk3")], &[]);
    assert!(exported.stderr.contains("22 positions without a value"), "{exported:?}");
    let exported = book(&["export", &file, &folder.file("a.txt")], &[]);
    assert!(exported.stderr.contains("moves has no place for 3 positions"), "{exported:?}");
    // With the names of the games, which are known wherever the lines go.
    let (lines, copy) = (folder.file("a.jsonl"), folder.file("copy.othb"));
    book(&["export", &file, &lines], &[]).success();
    closing(&["import", &copy, &lines], &[]);
    let again = book(&["import", &copy, &lines], &[]);
    assert!(again.stderr.contains("books share games"), "{again:?}");
    let known = book(&["add", &copy, &games], &options);
    assert!(known.stderr.contains("3 games were in the book already"), "{known:?}");
    assert_eq!(contents(&copy), contents(&file));
    let before = contents(&file);
    let again = book(&["add", &file, &games], &options);
    assert!(again.stderr.contains("3 games were in the book already"), "{again:?}");
    assert_eq!(contents(&file), before);
    // A game that begins with h8 is left out, and said to be.
    let archive = folder.file("d.wtb");
    assert_eq!(run(&["convert", &games, &archive], "").status, Some(0));
    let mut bytes = fs::read(&archive).unwrap();
    bytes[16 + 8] = 88;
    fs::write(&archive, &bytes).unwrap();
    let again = book(&["add", &file, &archive], &options);
    assert!(again.stderr.contains("d.wtb: 1 illegal game left out"), "{again:?}");
    assert!(again.stderr.contains("2 games were in the book already"), "{again:?}");
    let players = ["--player", "random", "--player", "random", "--games", "2", "--openings"];
    let opened = run(&[&["match"], &players[..], &[&archive]].concat(), "");
    assert!(opened.stderr.contains("d.wtb: 1 illegal game left out"), "{opened:?}");
    for game in 1..3 {
        bytes[16 + 68 * game + 8] = 88;
    }
    fs::write(&archive, bytes).unwrap();
    let none = run(&["selfplay", "--near", &archive, "-o", &folder.file("o"), "--games", "1"], "");
    assert!(none.stderr.contains("d.wtb: only 3 illegal games"), "{none:?}");
    let learnt = closing(&["add", "--search", &file, &games], &[&options, &QUICK[..]].concat());
    assert_eq!((learnt["added"].as_i64(), learnt["score"].is_number()), (Some(0), true));
    let stats = closing(&["stats", &file], &[]);
    assert_eq!((stats["due"].as_u64(), stats["games"].as_u64()), (Some(0), Some(3)));
}

/// A game of ten moves after which Black has no discs left.
const LOST: &str = "f5d6c5f4d3d2e6f6c4b4\n";

/// The cells of the first two positions of that game.
const FIRST: [&str; 2] = [
    "---------------------------OX------XO---------------------------",
    "---------------------------XO------OOO--------------------------",
];

#[test]
fn a_game_that_nobody_searched_judges_nothing() {
    let folder = Folder::new("book-unsearched");
    let (file, games) = (folder.file("a.othb"), folder.write("lost.txt", LOST));
    let added = book(&["add", &file, &games], &[]).success();
    let unknown = book(&["memorize", &file], &[]);
    unknown.refuses(1, "the moves here have no scores; othellier book add --search");
    assert!(added.last_line().contains("score unsearched,"), "{added:?}");
    assert!(closing(&["add", &file, &games], &[])["score"].is_null());
    let decides_nothing = || {
        let checked = book(&["check", &file], &[]).success().stdout;
        assert!(checked.starts_with("unsearched: ") && checked.contains(" 0 errors"), "{checked}");
        let shown = book(&["show", &file], &[]).success().stdout;
        assert!(shown.contains("unsearched: ") && !shown.contains("-64"), "{shown}");
        let engine = ["--book", &file, "--depth", "2", "--hash", "1"];
        let gtp =
            run(&[&["gtp", "--resign", "20"], &engine[..]].concat(), "book_moves\ngenmove b\n");
        assert!(gtp.stdout.starts_with("= \n\n= ") && !gtp.stdout.contains("resign"), "{gtp:?}");
        let go = run(&[&["nboard", "--finish"], &engine[..]].concat(), "hint 2\ngo\n");
        let is_booked = go.stdout.lines().any(|line| line.starts_with("book "));
        assert!(!is_booked && !go.stdout.contains("-64"), "{go:?}");
    };
    decides_nothing();
    let checked = closing(&["check", &file, "--compare", &games], &[]);
    // All but the position of the move that wins all discs, and one whose moves cannot avoid it.
    let n_unsearched = checked["unsearched"].as_u64().unwrap();
    assert!((7..10).contains(&n_unsearched), "{checked}");
    assert_eq!(checked["games"]["missing"].as_u64(), Some(n_unsearched), "{checked}");
    // It stays so between the steps of shared work, whichever answers come first.
    let todo = book(&["todo", &file], &["--depth", "2"]).stdout;
    assert_eq!(todo.lines().count() as u64, n_unsearched, "{todo}");
    let tasks = folder.write("todo", &todo);
    let answers = book(&["answer", &tasks], &["--hash", "1"]).success();
    let answers: Vec<&str> = answers.stdout.lines().collect();
    let is_first = |line: &&str| FIRST.iter().any(|cells| line.contains(cells));
    let others = answers.iter().filter(|line| !is_first(line));
    let others: String = others.map(|line| format!("{line}\n")).collect();
    let others = folder.write("others", others);
    let absorbed = book(&["absorb", &file, &others], &[]).success();
    let n = n_unsearched - 2;
    let told = format!("absorb: {n} read, {n} new, 0 better, 0 known, 0 errors");
    assert_eq!(absorbed.last_line(), told);
    decides_nothing();
    // A task is no answer, and an interruption leaves some.
    let refused = book(&["absorb", &file, &tasks], &[]);
    refused.fails(1, "line 1: neither an answer nor a position of a book");
    let all = folder.write("all", answers.join("\n"));
    let absorbed = book(&["absorb", &file, &all], &[]).success();
    let told = format!("absorb: {n_unsearched} read, 2 new, 0 better, {n} known, 0 errors");
    assert_eq!(absorbed.last_line(), told);
    let fixed = closing(&["build", "--fix", &file], &QUICK);
    assert!(fixed["score"].is_number(), "{fixed}");
    assert_eq!(closing(&["check", &file], &[])["unsearched"].as_u64(), Some(0));
}

#[test]
fn a_dash_names_the_book_of_the_program() {
    let folder = Folder::new("book-dash");
    let stats = closing(&["stats", "-"], &[]);
    assert!(stats["positions"].as_u64() > Some(50_000), "{stats}");
    let shown = book(&["show", "-", "f5d6"], &[]).success();
    assert!(shown.last_line().starts_with("line: "), "{shown:?}");
    let merged = closing(&["merge", &folder.file("own.othb"), "-"], &[]);
    assert_eq!(merged["positions"], stats["positions"]);
    // Commands that write a book must have a file.
    let refused = book(&["build", "--fix", "-"], &[]);
    assert_eq!(refused.status, Some(1), "{refused:?}");
}

#[test]
fn games_are_compared_with_a_book() {
    let folder = Folder::new("book-compare");
    let (file, games) = (folder.file("a.othb"), folder.write("games.txt", GAMES));
    let options = ["--until", "50"];
    closing(&["add", &file, &games], &options);
    let compared = || {
        let compared = closing(&["check", &file, "--compare", &games], &[]);
        assert_eq!(compared["games"]["games"].as_u64(), Some(3));
        ["good", "bad", "missing"].map(|kind| compared["games"][kind].as_u64().unwrap())
    };
    // All positions are in the book, but none has a value.
    assert_eq!(compared(), [0, 0, 29]);
    closing(&["add", "--search", &file, &games], &[&options, &QUICK[..]].concat());
    // The last move of the long game may be unknown.
    let [good, bad, missing] = compared();
    assert!(good > bad && missing <= 1 && good + bad + missing == 29, "{good} {bad} {missing}");
    let told = book(&["check", &file, "--compare", &games], &[]).success().stdout;
    assert!(told.starts_with(&format!("games: 3, moves: {good} good, ")), "{told}");
    // A game that White lost stands beside the move.
    let game = folder.write("lost.txt", "e6f4e3f6g5d6e7f5c5\n");
    closing(&["add", "--search", &file, &game], &[&options, &QUICK[..]].concat());
    let shown = book(&["show", &file, "e6"], &[]).success().stdout;
    let is_told = |line: &str| line.starts_with("f4 ") && line.ends_with("  0-0-1");
    assert!(shown.lines().any(is_told), "{shown}");
    let shown = book(&["show", &file, "e6", "--json"], &[]).success().stdout;
    assert!(shown.contains("\"games\":[0,0,1]") && shown.contains("\"games\":[0,0,0]"), "{shown}");
}

#[test]
fn work_can_be_handed_out_and_taken_in_in_any_order() {
    let folder = Folder::new("book-shards");
    let file = folder.file("a.othb");
    closing(&["build", &file, "--positions", "40"], &QUICK);
    let before = folder.read("a.othb");
    let todo = |shard: &str| {
        let options = ["-n", "20", "--depth", "2", "--shard", shard];
        let output = book(&["todo", &file], &options);
        assert_eq!(output.status, Some(0), "{output:?}");
        output.stdout
    };
    let halves = [todo("1/2"), todo("2/2")];
    assert_eq!(halves.each_ref().map(|half| half.lines().count()), [10, 10]);
    assert_eq!(folder.read("a.othb"), before, "todo changes nothing");
    let mut answers = Vec::new();
    for (index, half) in halves.iter().enumerate() {
        let tasks = folder.write(&format!("todo-{index}"), half);
        let options = ["--hash", "1"];
        let answer = book(&["answer", &tasks], &options).success().stdout;
        assert_eq!(answer.lines().count(), 10);
        answers.push(folder.write(&format!("answers-{index}"), answer));
    }
    fs::copy(&file, folder.file("b.othb")).unwrap();
    let taken = closing(&["absorb", &file, &answers[0], &answers[1]], &[]);
    assert_eq!((taken["read"].as_u64(), taken["errors"].as_u64()), (Some(20), Some(0)), "{taken}");
    assert!(taken["new"].as_u64() > Some(0), "{taken}");
    let other = folder.file("b.othb");
    closing(&["absorb", &other, &answers[1]], &[]);
    closing(&["absorb", &other, &answers[0]], &[]);
    assert_eq!(contents(&file), contents(&other));
    let again = closing(&["absorb", &file, &answers[1], &answers[0]], &[]);
    assert_eq!((again["new"].as_u64(), again["known"].as_u64()), (Some(0), Some(20)));
    assert_eq!(contents(&file), contents(&other));
    // Answers of `analyze --batch` are taken too; lines that nobody can use are reported.
    let position = "---------------------------OX------XO--------------------------- X\n";
    let batch = run(&["analyze", "--batch", "--depth", "3"], position).success().stdout;
    let analyzed = folder.write("analyzed", batch);
    assert_eq!(closing(&["absorb", &file, &analyzed], &[])["read"].as_u64(), Some(1));
    let bad = folder.write("bad", "{\"position\":\"x\"}\n{\"id\":1,\"message\":\"no\"}\n");
    let refused = book(&["absorb", &file, &bad], &[]);
    assert_eq!((refused.status, refused.stderr.lines().count()), (Some(1), 2), "{refused:?}");
}

#[test]
fn books_are_exchanged_with_other_programs() {
    let folder = Folder::new("book-exchange");
    let file = folder.file("a.othb");
    closing(&["build", &file, "--positions", "70"], &QUICK);
    closing(&["build", "--fix", &file], &QUICK);
    let shown = |file: &str, form: &str| {
        let name = Path::new(file).file_name().unwrap().display();
        let out = folder.file(&format!("{form}-of-{name}"));
        let output = book(&["export", file, &out, "--to", form, "--force"], &[]);
        assert_eq!(output.status, Some(0), "{output:?}");
        fs::read(out).unwrap()
    };
    for (form, name) in
        [("edax", "b.dat"), ("egaroucid", "b.egbk3"), ("jsonl", "b.jsonl"), ("packed", "b.bin")]
    {
        let bytes = shown(&file, form);
        let foreign = folder.write(name, &bytes);
        let taken = folder.file(&format!("{form}.othb"));
        let back = closing(&["import", &taken, &foreign], &[]);
        assert_eq!(back["positions"].as_u64(), Some(70), "{form}: {back}");
        // The other formats keep whole discs only, so compare a second round trip with the first.
        if form == "jsonl" {
            assert_eq!(contents(&taken), contents(&file));
        } else {
            let twice = shown(&taken, form);
            let third = folder.file(&format!("{form}-2.othb"));
            let foreign = folder.write(name, &twice);
            closing(&["import", &third, &foreign], &[]);
            assert_eq!(contents(&third), contents(&taken), "{form}");
        }
    }
    let moves = shown(&file, "moves");
    assert!(String::from_utf8(moves).unwrap().lines().count() > 10);
    // Behind the start with its one move, for symmetry.
    let cut = book(&["export", &file, "-", "--to", "jsonl", "--plies", "1"], &[]).success();
    assert_eq!(cut.stdout.lines().count(), 2);
    // A line goes on behind a pass.
    let (passed, game) = (folder.file("p.othb"), folder.write("p.txt", "f5f6d3g5h5h4f7h6e7\n"));
    closing(&["add", "--search", &passed, &game], &QUICK);
    let moves = String::from_utf8(shown(&passed, "moves")).unwrap();
    assert_eq!(moves.find(' '), Some(18), "{moves}");
    let merged = folder.file("merged.othb");
    let merge = ["merge", &merged, &file, &folder.file("jsonl.othb")];
    closing(&merge, &[]);
    book(&merge, &[]).fails(1, "--force replaces it");
    let merged = closing(&merge, &["--force"]);
    assert_eq!(merged["positions"].as_u64(), Some(70));
    for (name, text) in [
        ("c.dat", "XADEKOOB\u{5}"),
        ("d.egbk3", "DICUORAGE\u{3}"),
        ("e.x", "?"),
        ("f.jsonl", "{\"position\":\"x\"}\n"),
    ] {
        let foreign = folder.write(name, text);
        let refused = book(&["import", &file, &foreign], &[]);
        assert_eq!(refused.status, Some(1), "{refused:?}");
    }
    assert_eq!(n_positions(&file), 70);
}

#[test]
fn pruning_keeps_the_value_of_the_root() {
    let folder = Folder::new("book-prune");
    let file = folder.file("a.othb");
    let built = closing(&["build", &file, "--positions", "80"], &QUICK);
    let n_left = |side: &[&str]| {
        let copy = folder.file("copy.othb");
        fs::copy(&file, &copy).unwrap();
        let pruned = closing(&[&["prune", &copy, "--loss", "4"], side].concat(), &[]);
        assert_eq!(pruned["score"], built["score"]);
        pruned["positions"].as_u64().unwrap()
    };
    // Of the side that is named only the best moves stay.
    let both = n_left(&[]);
    for side in ["black", "white"] {
        let n = n_left(&["--side", side]);
        assert!(n < both, "{side}: {n} of {both}");
    }
    let pruned = closing(&["prune", &file, "--loss", "1"], &[]);
    assert!(pruned["positions"].as_u64() < Some(80), "{pruned}");
    assert_eq!(pruned["score"], built["score"]);
    let cut = closing(&["prune", &file, "--until", "58"], &[]);
    assert!(cut["positions"].as_u64() <= Some(5));
    assert_eq!(cut["score"], built["score"]);
    assert_eq!(n_positions(&file), cut["positions"].as_u64().unwrap());
}

#[test]
fn what_is_no_book_is_left_as_it_is() {
    let folder = Folder::new("book-foreign");
    let games = folder.write("games.txt", GAMES);
    let foreign = folder.write("foreign.othb", "something else");
    let torn = folder.file("torn.othb");
    closing(&["add", &torn, &games], &[]);
    let whole = folder.read("torn.othb");
    fs::write(&torn, &whole[..whole.len() - 1]).unwrap();
    for file in [&foreign, &torn] {
        let before = fs::read(file).unwrap();
        for command in ["add", "import", "absorb"] {
            let refused = book(&[command, file, &games], &[]);
            assert_eq!(refused.status, Some(1), "{command}: {refused:?}");
        }
        let commands =
            [&["show", file][..], &["stats", file], &["check", file], &["build", "--fix", file]];
        for command in commands {
            assert_eq!(book(command, &[]).status, Some(1), "{command:?}");
        }
        assert_eq!(fs::read(file).unwrap(), before);
    }
    assert!(!folder.names().contains(&"foreign.othb.lock".into()), "{:?}", folder.names());
    // Cut off in the middle: what stands before is rescued.
    fs::write(&torn, &whole[..whole.len() - 200]).unwrap();
    let rescued = folder.file("rescued.othb");
    let checked = book(&["check", &torn, "--rescue", &rescued], &[]);
    assert_eq!(checked.status, Some(1));
    assert!(checked.stdout.contains("the file is cut off"), "{checked:?}");
    let line = book(&["check", &rescued], &[]).success().stdout;
    assert!(line.contains("check: ") && !line.contains("check: 0 positions"), "{line}");
    // One flipped bit: the damage is named, nothing is overwritten, the rest is salvaged.
    let mut damaged = whole;
    let at = damaged.len() - 100;
    damaged[at] ^= 1;
    fs::write(&torn, &damaged).unwrap();
    let refused = book(&["add", &torn, &games], &[]);
    assert!(refused.stderr.contains("damaged"), "{refused:?}");
    assert_eq!(folder.read("torn.othb"), damaged);
    let shown = book(&["show", &torn], &[]);
    assert_eq!(shown.status, Some(1), "{shown:?}");
    assert!(shown.stderr.contains("damaged") && !shown.stdout.contains("not in"), "{shown:?}");
    let saved = folder.file("saved.othb");
    let checked = book(&["check", &torn, "--salvage", &saved], &[]);
    assert_eq!(checked.status, Some(1));
    assert_eq!(book(&["check", &saved], &[]).success().status, Some(0));
}

#[test]
fn one_process_writes_at_a_time_and_others_read() {
    let folder = Folder::new("book-lock");
    let (file, games) = (folder.file("a.othb"), folder.write("games.txt", GAMES));
    closing(&["add", &file, &games], &[]);
    let lock = fs::File::open(folder.file("a.othb.lock")).unwrap();
    lock.lock().unwrap();
    let refused = book(&["compact", &file], &[]);
    assert!(refused.stderr.contains("is being written by another process"), "{refused:?}");
    book(&["show", &file], &[]).success();
    drop(lock);
    book(&["compact", &file], &[]).success();
}

#[test]
fn a_command_that_searches_nothing_says_why() {
    let folder = Folder::new("book-nothing");
    let file = folder.file("a.othb");
    let build = |positions: &str| book(&["build", &file, "--positions", positions], &QUICK);
    build("20").success();
    let again = build("10");
    assert_eq!(again.status, Some(0));
    let said =
        "othellier: nothing to search: the book has as many positions as --positions allows\n";
    assert_eq!(again.stderr, said);
}

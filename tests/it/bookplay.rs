//! Playing from opening books, through every interface of the engine.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::samples::rows;
use crate::harness::{Engine, Folder, Output, run};

/// The engine's depth: no deeper than the searches behind the book.
const SHALLOW: [&str; 4] = ["--depth", "1", "--hash", "1"];

/// A folder with a small book, and the book's path.
fn with_book(test: &str) -> (Folder, String) {
    let folder = Folder::new(&format!("bookplay-{test}"));
    let file = folder.file("a.othb");
    let effort = ["--depth", "2", "--hash", "1", "--concurrency", "1"];
    run(&[&["book", "build", &file, "--positions", "60"], &effort[..]].concat(), "").success();
    (folder, file)
}

/// Runs the engine with the book.
fn play(protocol: &str, file: &str, options: &[&str], input: &str) -> Output {
    let base = [&[protocol, "--book", file], &SHALLOW[..]].concat();
    run(&[&base, options].concat(), input).success()
}

/// The replies of a session in GTP, without their marks.
fn replies(output: &Output) -> Vec<String> {
    let replies = output.stdout.split("\n\n").filter(|reply| !reply.is_empty());
    replies.map(|reply| reply.trim_start_matches(['=', '?', ' ']).to_owned()).collect()
}

/// The number of moves that a log has from the book.
fn n_booked(log: &str) -> usize {
    fs::read_to_string(log).unwrap().matches(" * book ").count()
}

#[test]
fn gtp_plays_shows_and_switches_the_book() {
    let (folder, file) = with_book("gtp");
    let log = folder.file("engine.log");
    let commands = "book_info\nbook_moves\ngenmove black\nundo\nreg_genmove black\nset_book off\nbook_info\n\
                    genmove black\nundo\nset_book on\nset_book_variety 2\nbook_info\ngenmove black\nquit\n";
    let output = play("gtp", &file, &["--log-file", &log], commands);
    let replies = replies(&output);
    assert_eq!(replies[0], "on, 60 positions, variety 0");
    let rows: Vec<&str> = replies[1].lines().collect();
    let best = rows[0].split(' ').next().unwrap();
    // All first moves are the same by symmetry.
    assert_eq!(rows.len(), 4, "{rows:?}");
    assert_eq!(replies[2], best);
    assert_eq!(replies[6], "off, 60 positions, variety 0");
    assert_eq!(replies[11], "on, 60 positions, variety 2");
    assert_eq!(n_booked(&log), 2, "{output:?}");
    // Another process repeats the session: the log says which moves came from the book.
    let replayed = run(&["replay", &log], "");
    assert!(replayed.last_line().ends_with(", the same"), "{replayed:?}");
}

#[test]
fn nboard_marks_what_comes_from_the_book() {
    let (_folder, file) = with_book("nboard");
    let lines = |input: &str| -> Vec<String> {
        let output = play("nboard", &file, &["--finish"], input);
        output.stdout.lines().map(str::to_owned).collect()
    };
    let hint = lines("hint 2\n");
    assert_eq!((hint[0].as_str(), hint.last().unwrap().as_str()), ("status Analyzing", "status"));
    for row in &hint[1..3] {
        let words: Vec<&str> = row.split(' ').collect();
        assert_eq!((words[0], words.len()), ("book", 5), "{hint:?}");
        assert!(words[2].parse::<f64>().is_ok() && words[3].parse::<i32>().is_ok(), "{row}");
    }
    // A move has one row: at this depth, the search does not replace the book's rows of these two.
    let is_searched =
        |book: &String| hint.iter().any(|row| row.starts_with(&format!("search {}", &book[5..7])));
    assert!(!hint[1..3].iter().any(is_searched), "{hint:?}");
    let go = lines("go\n");
    let firsts: Vec<&str> = go.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(firsts, ["status", "book", "nodestats", "status", "==="], "{go:?}");
    assert_eq!(go[1][5..7], go[4][4..6]);
}

/// The games of a session in GTP that the engine plays against itself, `n_moves` each.
fn games_of_gtp(file: &str, options: &[&str], n_games: usize, n_moves: usize) -> Vec<String> {
    let moves = "genmove black\ngenmove white\n".repeat(n_moves / 2);
    let options = [options, &["--finish"]].concat();
    let output = play("gtp", file, &options, &format!("clear_board\n{moves}").repeat(n_games));
    replies(&output).chunks(n_moves + 1).map(|game| game[1..].concat()).collect()
}

fn n_distinct(games: &[String]) -> usize {
    games.iter().collect::<std::collections::BTreeSet<_>>().len()
}

#[test]
fn no_game_of_a_session_is_played_twice_with_a_variety() {
    let (folder, file) = with_book("variety");
    let log = folder.file("engine.log");
    let of = |variety: &str, seed: &str, more: &[&str]| {
        let options = ["--book-variety", variety, "--seed", seed];
        games_of_gtp(&file, &[&options, more].concat(), 20, 40)
    };
    let varied = of("1", "1", &["--log-file", &log]);
    assert_eq!(n_distinct(&varied), 20, "{varied:?}");
    assert_eq!(varied, of("1", "1", &[]));
    assert_ne!(varied, of("1", "2", &[]));
    assert_eq!(n_distinct(&of("0", "1", &[])), 1);
    // A replay remembers the games before as the session did.
    let replayed = run(&["replay", &log], "");
    assert!(replayed.last_line().ends_with(", the same"), "{replayed:?}");
}

#[test]
fn a_move_taken_back_is_not_a_game() {
    let (_folder, file) = with_book("taken-back");
    let line = "genmove black\ngenmove white\n".repeat(12);
    let again = "undo\ngenmove white\n".repeat(6);
    let output =
        play("gtp", &file, &["--book-variety", "1", "--seed", "1"], &format!("{line}{again}"));
    let replies = replies(&output);
    assert!(replies[24..].chunks(2).all(|reply| reply[1] == replies[23]), "{replies:?}");
}

#[test]
fn every_front_end_gets_new_games() {
    let (folder, file) = with_book("new-games");
    // The front end sends each move back, and the next game from its start.
    let start = "---------------------------OX------XO--------------------------- *";
    let game = format!("set game (;GM[Othello]PC[x]PB[b]PW[w]RE[?]TY[8]BO[8 {start}];)");
    let options = ["nboard", "--book", &file, "--book-variety", "1", "--seed", "1"];
    let mut engine = Engine::start(&[&options, &SHALLOW[..]].concat());
    let mut games = Vec::new();
    for _ in 0..12 {
        engine.send(&game);
        let mut moves = String::new();
        for _ in 0..40 {
            engine.send("go");
            let answer = engine.read_to("=== ");
            let mv = answer[4..].split('/').next().unwrap().trim().to_owned();
            engine.send(&format!("move {mv}"));
            moves += &mv;
        }
        games.push(moves);
    }
    engine.send("quit");
    assert_eq!(n_distinct(&games), 12, "{games:?}");
    // A match, also with several games at a time.
    let varied = format!("engine:nodes=1500,hash=1,book={file},book-variety=1,name=varied");
    let plain = "engine:nodes=1500,hash=1,name=plain";
    for concurrency in ["1", "2"] {
        let out = folder.file(&format!("out-{concurrency}"));
        let base =
            ["match", "--player", &varied, "--player", plain, "--games", "24", "--clock", "none"];
        let rest = ["--openings", "start", "--concurrency", concurrency, "--out", &out];
        // A warning of games that repeat is no failure.
        assert_eq!(run(&[&base[..], &rest[..]].concat(), "").status, Some(0));
        let text = fs::read_to_string(Path::new(&out).join("games.jsonl")).unwrap();
        let moves = |record: &Value| record["moves"].as_str().unwrap().to_owned();
        let games: Vec<String> = rows(&text).iter().map(moves).collect();
        // Two games at a time may have gone the same way before one of them ended.
        let least = if concurrency == "1" { 24 } else { 20 };
        assert!(games.len() == 24 && n_distinct(&games) >= least, "{concurrency}: {games:?}");
    }
}

#[test]
fn only_moves_at_full_strength_come_from_the_book() {
    let (folder, file) = with_book("strength");
    let cases: [(&str, &[&str], &str, usize); 6] = [
        ("full", &[], "genmove black\n", 1),
        ("none", &["--no-book"], "genmove black\n", 0),
        ("weak", &["--strength", "30"], "genmove black\n", 0),
        ("deep", &["--depth", "9"], "genmove black\n", 0),
        ("analysis", &[], "othellier-best_moves\nreg_genmove black\n", 0),
        ("player", &["--player", "greedy"], "genmove black\n", 0),
    ];
    for (name, options, input, expected) in cases {
        let log = folder.file(&format!("{name}.log"));
        play("gtp", &file, &[options, &["--log-file", &log]].concat(), input);
        assert_eq!(n_booked(&log), expected, "{name}");
    }
    // Every request of Cassio names its own depth.
    let input = "ENGINE-PROTOCOL init\nENGINE-PROTOCOL midgame-search \
                 ---------------------------OX------XO---------------------------X -64.00 64.00 1 100\n";
    let log = folder.file("cassio.log");
    let cassio = play("cassio", &file, &["--log-file", &log], input);
    assert_eq!(n_booked(&log), 0, "{cassio:?}");
}

#[test]
fn matches_and_games_at_the_terminal_take_books() {
    let (_folder, file) = with_book("match");
    let with = format!("engine:depth=1,hash=1,book={file},book-variety=3,name=with");
    let players = ["--player", &with, "--player", "engine:depth=1,hash=1,name=without"];
    let options = ["match", "--games", "2", "--openings", "start", "--clock", "none"];
    let output = run(&[&options, &players[..]].concat(), "").success();
    assert!(output.stdout.contains("result: "), "{output:?}");
    let output = run(&["play", "--plain", "--black", &with, "--white", "random"], "");
    assert_eq!(output.status, Some(0), "{output:?}");
    // The engine searches the rest of its moves.
    let n_booked = output.stdout.lines().filter(|line| line.ends_with("from the book")).count();
    assert!((1..20).contains(&n_booked), "{output:?}");
    assert!(output.stdout.lines().all(|line| !line.contains(" 0 nodes")), "{output:?}");
    // A player's own settings override the engine's, but `--no-book` overrides all.
    let own = format!("engine:depth=1,book={file}");
    let none = format!("{own},book-variety=0");
    // Of both options the last one counts.
    let cases: [(&[&str], &str); 7] = [
        (&["--book", &file, "--no-book"], "none"),
        (&["--no-book", "--book", &file], "on, 60 positions, variety 0"),
        (&["--player", &own], "on, 60 positions, variety 0"),
        (&["--player", &own, "--no-book"], "none"),
        (&["--player", "engine:book-variety=3", "--book", &file], "on, 60 positions, variety 3"),
        (&["--player", &own, "--book-variety", "2"], "on, 60 positions, variety 2"),
        (&["--player", &none, "--book-variety", "2"], "on, 60 positions, variety 0"),
    ];
    for (options, answer) in cases {
        let output = run(&[&["gtp"], options].concat(), "book_info\n").success();
        assert_eq!(replies(&output), [answer], "{options:?}");
    }
}

#[test]
fn files_that_cannot_be_used_are_refused_at_once() {
    let (folder, file) = with_book("refused");
    let gone = folder.file("gone.othb");
    let torn = folder.write("torn.othb", &folder.read("a.othb")[..4100]);
    let text = folder.write("text.othb", "not a book\n");
    let edax = folder.file("b.dat");
    run(&["book", "export", &file, &edax], "");
    let rules = "always white f5f4\n\nprefer black f5f5\n";
    // As editors of Windows save it.
    let rules = [vec![0xff, 0xfe], rules.bytes().flat_map(|byte| [byte, 0]).collect()].concat();
    let rules = folder.write("rules.txt", rules);
    for (option, path, reason) in [
        ("book", &gone, "cannot read"),
        ("book", &torn, "cut off"),
        ("book", &text, "not a book of this program"),
        ("book", &edax, "book import"),
        ("weights", &text, ""),
        ("repertoire", &rules, "line 3: move 2 of the game is illegal"),
        ("repertoire", &gone, "cannot read"),
    ] {
        let is_told = |output: &Output, status| {
            let told = output.stderr.contains(reason) && output.stderr.contains(path.as_str());
            assert!(told && output.status == Some(status), "{option} {output:?}");
        };
        for protocol in ["gtp", "nboard", "cassio"] {
            let output = run(&[protocol, &format!("--{option}"), path], "quit\n");
            is_told(&output, 1);
            assert!(output.is_silent(), "{output:?}");
        }
        let player = format!("engine:{option}={path}");
        is_told(&run(&["match", "--player", &player, "--player", "random"], ""), 2);
        if option == "book" {
            let input = format!("set_book {path}\nbook_info\n");
            let answers = replies(&run(&["gtp", "--book", &file], input).success());
            let refused =
                answers[0].starts_with("cannot open book: ") && answers[0].contains(reason);
            assert!(refused && answers[1].starts_with("on, 60 positions"), "{answers:?}");
        }
    }
    // A book that is to learn, and stays as it is.
    for command in ["gtp", "nboard", "play --plain", "match --player random --player greedy"] {
        let command: Vec<&str> = command.split(' ').chain(["--learn", &text]).collect();
        let output = run(&command, "");
        output.fails(1, "text.othb");
        assert!(output.is_silent(), "{output:?}");
    }
    assert_eq!(folder.read("text.othb"), b"not a book\n");
}

#[test]
fn the_packed_form_is_a_book_to_play_from() {
    let (folder, file) = with_book("packed");
    let packed = folder.file("book.bin");
    run(&["book", "export", &file, &packed], "");
    assert!(Path::new(&packed).exists());
    let best = |file: &str| replies(&play("gtp", file, &[], "genmove black\nbook_info\n"));
    assert_eq!(best(&file), best(&packed));
}

/// A game of nine moves after which White has no discs left.
const SHORT: &str = "e6f4e3f6g5d6e7f5c5";

/// The moves of a game as commands.
fn commands(moves: &str, colors: [&str; 2]) -> String {
    let places = (0..moves.len()).step_by(2).map(|at| &moves[at..at + 2]);
    places.zip(colors.into_iter().cycle()).map(|(mv, color)| format!("{color}{mv}\n")).collect()
}

/// The games counted at a book's start position: won, drawn and lost by Black.
fn games_of(file: &str) -> Vec<u64> {
    let lines = run(&["book", "export", file, "-", "--to", "jsonl"], "").success().stdout;
    let is_start = |entry: &&Value| entry["position"].as_str().unwrap().matches('-').count() == 60;
    serde_json::from_value(rows(&lines).iter().find(is_start).unwrap()["games"].clone()).unwrap()
}

#[test]
fn games_are_learned_by_every_way_of_playing_them() {
    let folder = Folder::new("bookplay-learn");
    let file = folder.file("a.othb");
    let learn = ["--learn", &file, "--learn-depth", "1"];
    // Twice the same game, once turned, then one that is broken off.
    let turned = "f5d6c5f6e7f4g5e6e3";
    let [first, second, third] = [SHORT, turned, "f5d6c3"]
        .map(|moves| format!("clear_board\n{}", commands(moves, ["play b ", "play w "])));
    let log = folder.file("engine.log");
    let input = format!("book_info\n{first}book_info\n{second}{third}book_info\n");
    let options = ["gtp", "--log-file", &log];
    let output = run(&[&options, &learn[..]].concat(), input).success();
    let infos: Vec<String> =
        replies(&output).into_iter().filter(|reply| reply.contains("positions")).collect();
    // A new book takes over the embedded one.
    let n_positions = |info: &String| {
        let words: Vec<&str> = info.split(' ').collect();
        assert_eq!((words[0], &words[2..]), ("on,", &["positions,", "variety", "0"][..]), "{info}");
        words[1].parse::<u32>().unwrap()
    };
    let [own, first, second] = [0, 1, 2].map(|at| n_positions(&infos[at]));
    assert!(own >= 50_000 && (own..own + 9).contains(&first) && second == first, "{infos:?}");
    assert_eq!(games_of(&file), [1, 0, 0]);
    // The log is repeated without the book learning again.
    let before = folder.read("a.othb.log");
    run(&["replay", &log], "");
    assert_eq!(folder.read("a.othb.log"), before);
    // NBoard answers `learn` whether or not the game is finished.
    let moves = commands("d3c5e6", ["move ", "move "]);
    let input = format!("{moves}learn\nlearn\n");
    let output = run(&[&["nboard", "--finish"], &learn[..]].concat(), input).success();
    assert_eq!(output.stdout.matches("learned\n").count(), 2, "{output:?}");
    assert_eq!(games_of(&file), [1, 0, 0]);
    let others = [
        ("edax", "play f5d6c5f4d3d2e6f6c4b4\n".to_owned()),
        ("xboard", {
            let start = "setboard 8/8/8/3pP3/3Pp3/8/8/8 b - - 0 1\n".to_owned();
            start
                + &commands("e6f6d3d6f5d2f7g6e7e8", ["usermove "; 2])
                + "result 1-0 {White wins}\n"
        }),
    ];
    for ((protocol, input), expected) in others.into_iter().zip([2, 3]) {
        run(&[&[protocol, "--finish"], &learn[..]].concat(), input).success();
        assert_eq!(games_of(&file).iter().sum::<u64>(), expected, "{protocol}");
    }
    let random = ["--black", "random", "--white", "random"];
    run(&[&["play", "--plain"], &random[..], &learn[..]].concat(), "").success();
    assert_eq!(games_of(&file).iter().sum::<u64>(), 4);
    let checked = run(&["book", "check", &file], "").success();
    assert!(checked.last_line().ends_with(" 0 errors"), "{checked:?}");
}

#[test]
fn only_games_that_are_played_here_are_learned() {
    let folder = Folder::new("bookplay-elsewhere");
    let file = folder.file("a.othb");
    let learn = ["--learn", &file, "--learn-depth", "1"];
    let moves = folder.write("game.txt", SHORT);
    let game = folder.file("game.sgf");
    run(&["convert", &moves, "-o", &game], "").success();
    let sequence = commands(SHORT, ["b ", "w "]).replace('\n', " ");
    let elsewhere = format!(
        "gogui-play_sequence {sequence}b a1\nclear_board\ngogui-play_sequence {sequence}\nloadsgf {game}\n"
    );
    let gtp = |input: &str| run(&[&["gtp", "--no-book"], &learn[..]].concat(), input).success();
    let answers = replies(&gtp(&elsewhere));
    assert_eq!(answers, ["illegal move", "", "", "white"]);
    let terminal = ["play", "--plain", "--black", "human", "--white", "human"];
    run(&[&terminal[..], &learn].concat(), format!("load {game}\nquit\n"));
    let held = run(&["book", "stats", &file], "").success();
    assert!(held.stdout.contains("games: 0\n"), "{held:?}");
    gtp(&commands(SHORT, ["play b ", "play w "]));
    assert_eq!(games_of(&file), [1, 0, 0]);
}

#[test]
fn engines_learn_in_one_book_at_the_same_time() {
    let folder = Folder::new("bookplay-together");
    let file = folder.file("a.othb");
    let options = ["gtp", "--no-book", "--learn", &file, "--learn-depth", "1"];
    let mut engines = [Engine::start(&options), Engine::start(&options)];
    let other = "f5d6c5f4d3d2e6f6c4b4";
    for (engine, moves) in engines.iter_mut().zip([SHORT, other]) {
        engine.send(commands(moves, ["play b ", "play w "]).trim_end());
        engine.send("1 name");
        engine.read_to("=1");
    }
    engines.iter_mut().for_each(|engine| engine.send("quit"));
    assert_eq!(games_of(&file).iter().sum::<u64>(), 2);
}

#[test]
fn a_match_is_learned_with_its_lessons() {
    let folder = Folder::new("bookplay-match-learn");
    let file = folder.file("a.othb");
    // The game is so short that few positions are to be searched; Black finds the last move.
    let opening = folder.write("openings.txt", "e6f4e3f6g5d6e7f5\n");
    let quick = "engine:depth=2,hash=1";
    let players = ["--player", quick, "--player", &format!("{quick},name=B")];
    let options = ["match", "--games", "2", "--openings", &opening, "--clock", "none"];
    let learn = ["--learn", &file, "--learn-depth", "2"];
    let output = run(&[&options, &players[..], &learn].concat(), "").success();
    assert!(output.stdout.contains("result: "), "{output:?}");
    let fixed = run(&["book", "check", &file], "").success();
    assert!(fixed.last_line().ends_with(" 0 errors"), "{fixed:?}");
    assert_eq!(games_of(&file), [1, 0, 0]);
    let fix = ["book", "build", &file, "--fix", "--depth", "2", "--hash", "1", "--json"];
    let fixed = run(&fix, "").success();
    let fixed = &rows(fixed.last_line())[0];
    assert_eq!((&fixed["positions"], &fixed["added"]), (&9.into(), &0.into()));
    let shown = run(&["gtp", "--book", &file], "book_moves\n").success();
    assert_eq!(shown.stdout.lines().filter(|line| line.contains('@')).count(), 4, "{shown:?}");
}

#[test]
fn in_a_sandbox_no_command_opens_a_book() {
    let (_folder, file) = with_book("sandbox");
    let refused = "cannot open book: files are closed (--sandbox)";
    for path in [&file, "/no/such/file"] {
        let input = format!("set_book {path}\nbook_info\n");
        let output = run(&["gtp", "--sandbox", "--no-book"], input).success();
        assert_eq!(replies(&output), [refused, "none"], "{path}");
    }
    // A book named on the command line is allowed.
    let output = run(&["gtp", "--sandbox", "--book", &file], "book_info\n").success();
    assert_eq!(replies(&output), ["on, 60 positions, variety 0"]);
}

/// A position as text, with the discs of both sides by their squares.
fn position(black: &str, white: &str, side: char) -> String {
    let mut cells = ['-'; 64];
    for (squares, disc) in [(black, 'X'), (white, 'O')] {
        for square in squares.as_bytes().chunks(2) {
            cells[usize::from(square[0] - b'a') + 8 * usize::from(square[1] - b'1')] = disc;
        }
    }
    format!("{} {side}", cells.iter().collect::<String>())
}

#[test]
fn contempt_decides_about_proven_draws() {
    let folder = Folder::new("bookplay-contempt");
    let file = folder.file("a.othb");
    let entry = |board: String, mv: &str, score: f64, depth: u32, selectivity: u32| {
        let search = format!("\"depth\":{depth},\"confidence\":{selectivity}");
        format!("{{\"position\":\"{board}\",\"move\":\"{mv}\",\"score\":{score},{search}}}\n")
    };
    // Parallel is a proven draw, Perpendicular most likely a disc worse for White, and Diagonal much worse.
    let lines = [
        format!("{{\"position\":\"{}\"}}\n", position("e4d5e5f5", "d4", 'O')),
        entry(position("d5e5f5", "d4e4f4", 'X'), "d3", 0.0, 58, 100),
        entry(position("e4e5f5", "d4d5d6", 'X'), "c3", 1.0, 20, 73),
        entry(position("e4d5f5", "d4e5f6", 'X'), "f7", 6.0, 20, 73),
    ];
    let lines = folder.write("a.jsonl", lines.concat());
    let output = run(&["book", "import", &file, &lines], "");
    assert_eq!(output.status, Some(0), "{output:?}");
    let played = |contempt: &str| {
        let input = format!("set contempt {contempt}\nset depth 1\nmove F5\ngo\n");
        let output = play("nboard", &file, &["--finish"], &input);
        let by_nboard = output.last_line()[4..6].to_owned();
        let within = contempt.parse::<i64>().unwrap().clamp(-64, 64);
        let input = format!("set_contempt {within}\nplay b f5\ngenmove w\n");
        assert_eq!(replies(&play("gtp", &file, &[], &input))[2], by_nboard);
        by_nboard
    };
    assert_eq!(["100", "2", "0", "-1", "-100"].map(played), ["D6", "D6", "F4", "F4", "F4"]);
}

#[test]
fn a_repertoire_counts_with_and_without_a_book() {
    let (folder, file) = with_book("repertoire");
    let rules = folder.write("rules.txt", "always white Parallel\navoid black f5f4e3\n");
    // The rules also hold for turned openings, and with a book by whose values another reply may be better.
    let games = "play b d3\ngenmove w\nclear_board\nplay b f5\ngenmove w\nclear_board\nplay b c4\nplay w c5\nbook_moves\nquit\n";
    let repertoire = ["--repertoire", &rules];
    for options in [&["--no-book"][..], &["--book", &file], &["--no-book", "--strength", "20"]] {
        let output = run(&[&["gtp"], options, &SHALLOW[2..], &repertoire].concat(), games);
        let replies = replies(&output.success());
        assert_eq!([&replies[1], &replies[4]], ["E3", "F4"], "{options:?}");
    }
    // A preferred move is played if it loses two discs at most; an avoided one is not played.
    let best = |rules: &str, options: &[&str]| {
        let rules = folder.write("other.txt", rules);
        let options = [&["gtp", "--repertoire", &rules], options, &SHALLOW[2..]].concat();
        replies(&run(&options, "play b f5\nplay w d6\ngenmove b\nquit\n").success()).remove(2)
    };
    // A search values C5, C3 and C4 about alike and C7 far below; the book values C4 and C3 alike.
    let book = ["--book", &file, "--depth", "1"];
    let search = ["--no-book", "--depth", "1"];
    for (options, others) in [(&search[..], ["C3", "C4"]), (&book, ["C4", "C3"])] {
        let plain = best("", options);
        let other = others.into_iter().find(|other| *other != plain).unwrap();
        assert_eq!(best(&format!("prefer black f5d6{other}"), options), other, "{options:?}");
        // The book does not know this one, so a search decides.
        assert_eq!(best("prefer black f5d6c7", options), best("", &search), "{options:?}");
        assert_ne!(best(&format!("avoid black f5d6{plain}"), options), plain, "{options:?}");
    }
    // The log is repeated with the same rules.
    let log = folder.file("engine.log");
    let options = ["--book", &file, "--log-file", &log];
    run(&[&["gtp"], &options[..], &SHALLOW, &repertoire].concat(), games).success();
    let replayed = run(&["replay", &log], "");
    assert!(replayed.last_line().ends_with(", the same"), "{replayed:?}");
}

#[test]
fn players_of_a_match_have_repertoires_of_their_own() {
    let folder = Folder::new("bookplay-match-repertoire");
    let parallel = folder.write("parallel.txt", "always both f5f4");
    let diagonal = folder.write("diagonal.txt", "always both f5f6");
    let player =
        |name: &str, file: &str| format!("engine:depth=1,hash=1,repertoire={file},name={name}");
    let (first, second) = (player("A", &parallel), player("B", &diagonal));
    let out = folder.file("out");
    let players = ["match", "--player", &first, "--player", &second, "--out", &out];
    let options = ["--games", "2", "--openings", "start", "--clock", "none"];
    run(&[&players[..], &options].concat(), "").success();
    let games = folder.file("out/games.ggf");
    let output = run(&["convert", &games, "--to", "transcript", "-"], "");
    // All first moves are the same by symmetry. In the first game B is White.
    let openings: Vec<&str> = output.stdout.lines().map(|moves| &moves[..4]).collect();
    assert_eq!(openings, ["d3c3", "d3e3"], "{output:?}");
}

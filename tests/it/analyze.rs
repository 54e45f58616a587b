//! `othellier analyze`: tables, rows of JSON, pages, batches of positions.

use std::thread;
use std::time::Duration;

use othellier::formats::obf;
use serde_json::{Value, json};

use crate::harness::samples::{self, PASS, START, rows, timeless};
use crate::harness::{Engine, Folder, OTHELLIER, run, shared};
use crate::play::Tmux;

/// A side passes once.
const GAME: &str = "f5d6c3d3c4f4f6f3e6c6c5e7f7g5c7d7d8f8g6h5e8c8d2b8e3e2f1b6g3f2e1b4b3c1d1g1g4h2b5a4a3a2a5a6\
    h7h6h4c2g8h8h3g7a7a8b7g2h1b1b2a1";

#[test]
fn a_move_list_is_judged_in_a_table() {
    let output = run(&["analyze", "f5d6c3d3c4b3b2", "--depth", "8", "--no-book"], "").success();
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(lines.len(), 1 + 1 + 7 + 1 + 2, "{}", output.stdout);
    assert_eq!(lines[0], "opening: Aubrey, Tanaka (f5d6c3d3c4b3)");
    let words: Vec<&str> = lines[2].split_whitespace().collect();
    assert_eq!(words[..3], ["1", "black", "f5"]);
    assert_eq!(words[4..6], ["0.00", "best"], "a better move: {}", lines[2]);
    assert!(lines[8].contains("black  b2") && lines[8].contains("blunder ??"), "{}", lines[8]);
    let legend = "8@100%: 8 plies deep at 100% confidence; ";
    assert!(lines[9].trim_start().starts_with(legend), "{}", lines[9]);
    for sign in ["?!", "?", "??"] {
        let is_shown = output.stdout.contains(&format!(" {sign} "));
        assert_eq!(lines[9].contains(&format!("; {sign}: loses ")), is_shown, "{}", output.stdout);
    }
    assert!(lines[10].starts_with("black: ") && lines[11].starts_with("white: "));
}

#[test]
fn a_book_says_where_a_game_left_it() {
    let folder = Folder::new("analyze-book");
    let file = folder.file("a.othb");
    let quick = ["--depth", "2", "--hash", "1", "--concurrency", "1"];
    run(&[&["book", "build", &file, "--positions", "40"], &quick[..]].concat(), "").success();
    let shown = run(&["gtp", "--book", &file], "play b e6\nplay w f4\nbook_moves\n").success();
    // The book's moves after e6 f4, the best first.
    let known: Vec<&str> = shown.stdout.split("= ").nth(3).unwrap().lines().collect();
    let best = known[0].split(' ').next().unwrap().to_lowercase();
    let is_known = |mv: &&&str| known.iter().any(|row| row.to_lowercase().starts_with(**mv));
    let other = ["c3", "d3", "e3", "f3", "g3"].iter().find(|mv| !is_known(mv)).unwrap();
    let game = format!("e6f4{other}");
    let options = ["--depth", "3", "--book", &file];
    let analyze = |more: &[&str]| run(&[&["analyze", &game], &options[..], more].concat(), "");
    let table = analyze(&[]).success().stdout;
    let left =
        format!("The game left the book at ply 3: it went on with {other}, the book has {best} (");
    assert!(table.contains(&left), "{known:?}: {table}");
    let lines: Vec<&str> = table.lines().collect();
    let at = lines.iter().position(|line| line.contains("-- the book ends here --")).unwrap();
    assert!(lines[at + 1].trim_start().starts_with("3 "), "{table}");
    let rows = rows(&analyze(&["--json"]).success().stdout);
    let in_book: Vec<_> = rows.iter().map(|row| row["in_book"].as_bool().unwrap()).collect();
    assert_eq!(in_book, [true, true, false]);
    // Where the book searched deeper, its values judge.
    for row in rows.iter().filter(|row| row["in_book"] == true) {
        let judged = [&row["best_score"], &row["depth"]];
        assert_eq!(judged, [&row["book_score"], &row["book_depth"]], "{row}");
    }
    // Of moves that are equal by symmetry, `book` is the one that was played.
    assert_eq!((&rows[0]["book"], &rows[2]["book"]), (&"e6".into(), &best.as_str().into()));
    assert!(rows[2]["book_score"].is_number() && rows[2]["book_depth"].is_u64());
    let page = folder.file("game.html");
    analyze(&["--html", &page]).success();
    let page = String::from_utf8(folder.read("game.html")).unwrap();
    assert!(page.contains(&left) && page.contains("\"exit\":3,"), "{left}");
    assert!(page.contains(&format!("\"book\":[\"{best}\",")));
    // Without a book, nothing mentions one; positions take no book.
    let plain = run(&["analyze", &game, "--depth", "3", "--book", &file, "--no-book"], "");
    assert!(!plain.success().stdout.contains("book"));
    run(&["analyze", "--batch", "--book", &file], START).fails(2, "--book applies");
    run(&["analyze", &game, "--book", "/no/such/book"], "").fails(1, "/no/such/book");
    let games = folder.write("games.txt", format!("{game}\n{game}\n"));
    let batch = run(&[&["analyze", "--batch", &games], &options[..]].concat(), "").success();
    assert_eq!(batch.stdout.matches("\"in_book\":false").count(), 2);
}

#[test]
fn games_of_every_format_are_found_by_their_number() {
    let ggf = format!(
        "(;GM[Othello]PB[a]PW[b]BO[8 {START}]B[F5];)(;GM[Othello]PB[c]PW[d]BO[8 {START}]B[E6]W[F4];)"
    );
    let sgf = "(;GM[2];B[fe])(;GM[2]PB[c];B[ef];W[fd])";
    let folder = Folder::new("analyze-formats");
    for (name, text) in
        [("a.ggf", ggf.as_str()), ("a.sgf", sgf), ("a.txt", "f5\n\ne6f4\n"), ("b", &ggf)]
    {
        let file = &folder.write(name, text);
        let output = run(&["analyze", file, "--game", "2", "--depth", "1", "--json"], "").success();
        let rows = rows(&output.stdout);
        assert_eq!(rows.len(), 2, "{name}");
        assert_eq!((&rows[0]["game"], &rows[0]["move"]), (&2.into(), &"e6".into()), "{name}");
        run(&["analyze", file, "--game", "3", "--depth", "1"], "")
            .refuses(1, "there is no game 3, only 2");
        let output = run(&["analyze", "--batch", file, "--depth", "1"], "").success();
        let games: Vec<u64> =
            self::rows(&output.stdout).iter().map(|row| row["game"].as_u64().unwrap()).collect();
        assert_eq!(games, [1, 2, 2], "{name}");
    }
    if let Some(year) = shared("games/wthor/WTH_1977.wtb") {
        let year = year.to_str().unwrap();
        let output = run(&["analyze", year, "--game", "3", "--depth", "1"], "").success();
        assert!(output.stdout.contains("black (") && output.stdout.contains("white ("));
    }
}

#[test]
fn pages_are_written_once() {
    let folder = Folder::new("analyze-page");
    let page = folder.file("page.html");
    let arguments = ["analyze", "f5d6c3d3c4", "--depth", "2", "--html", &page];
    run(&arguments, "").success();
    let text = folder.text("page.html");
    assert!(text.starts_with("<!DOCTYPE html>") && text.ends_with("</html>\n"));
    assert!(text.contains("opening Tiger") && text.matches("{\"better\":").count() == 5);
    run(&arguments, "").fails(1, "--force");
    run(&[&arguments[..], &["--force"]].concat(), "").success();
}

#[test]
fn bad_games_are_refused() {
    let folder = Folder::new("analyze-bad");
    for (name, text, words) in [
        ("illegal.txt", "f5f5", "game 1 (line 1): move 2 of the game is illegal: F5"),
        ("empty.txt", "", "there is no game 1, only 0 (read as transcript)"),
    ] {
        run(&["analyze", &folder.write(name, text), "--depth", "1"], "").refuses(1, words);
    }
    let output = run(&["analyze", "/nonexistent.ggf"], "");
    assert_eq!(output.status, Some(1));
    for arguments in
        [&["analyze"][..], &["analyze", "f5", "--time", "0"], &["analyze", "f5", "--lines", "3"]]
    {
        assert_eq!(run(arguments, "").status, Some(2), "{arguments:?}");
    }
}

// A position per line in, JSON per line out

#[test]
fn every_position_has_its_answer() {
    let over = format!("{} O", "X".repeat(64));
    let input =
        format!("{START}\n\n% comment\n{PASS}\nnonsense\n{over}\n{}\n", START.replace(' ', ""));
    let output = run(&["analyze", "--batch", "--depth", "6"], &input);
    assert_eq!((output.status, output.stderr.as_str()), (Some(1), ""));
    let rows = rows(&output.stdout);
    let lines: Vec<u64> = rows.iter().map(|row| row["id"].as_u64().unwrap()).collect();
    assert_eq!(lines, [1, 4, 5, 6, 7]);
    let [start, pass, nonsense, over, again] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!(start["position"], START);
    assert_eq!(
        json!([start["depth"], start["exact"], start["confidence"]]),
        json!([6, false, 100])
    );
    let moves = start["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 4);
    assert_eq!((&moves[0]["move"], &moves[0]["score"]), (&start["move"], &start["score"]));
    assert!(start["nodes"].as_u64().unwrap() > 0 && start["time"].is_number());
    assert_eq!(start["pv"][0], start["move"]);
    assert_eq!((&pass["move"], pass["moves"].as_array().unwrap().len()), (&"pa".into(), 1));
    assert!(nonsense["message"].as_str().unwrap().contains("'n' is not a cell"), "{nonsense}");
    assert_eq!(json!([over["move"], over["score"], over["exact"]]), json!([null, -64, true]));
    assert_eq!(again["position"], START);
    let line = &["analyze", "--batch", "--depth", "6", "--lines", "1"];
    let one = self::rows(&run(line, &START[..64]).success().stdout).remove(0);
    assert_eq!((one["moves"].as_array().unwrap().len(), &one["assumed"]), (1, &"black".into()));
    assert!(start["assumed"].is_null() && again["assumed"].is_null());
    let marked = self::rows(&run(line, format!("\u{feff}{START}")).success().stdout).remove(0);
    assert!(marked["assumed"].is_null(), "{marked}");
    run(&["analyze", "--batch", "--format", "ggf"], "").refuses(2, "required");
}

#[test]
fn positions_are_known_in_every_file() {
    let folder = Folder::new("analyze-positions");
    for (name, text, n_rows) in [
        ("a.txt", format!("{START}\n{PASS}\n"), 2),
        ("a.obf", format!("{START}\n{PASS}\n"), 2),
        ("b.txt", format!("{START}; F5:+0;\n"), 1),
        ("c.txt", format!("(;GM[Othello]BO[8 {}];)\n", START.replace('X', "*")), 1),
        ("d.txt", String::new(), 0),
        ("d.obf", "% note\n".into(), 0),
    ] {
        let path = folder.write(name, &text);
        for command in ["analyze --batch", "analyze --batch -", "solve --json"] {
            let words = if command.ends_with('-') { vec![] } else { vec![path.as_str()] };
            let words = [command.split(' ').collect(), words, vec!["--depth", "1"]].concat();
            let output = run(&words, &text);
            let expected = (n_rows, Some(i32::from(n_rows == 0)), n_rows == 0);
            let n_found = output.stdout.matches("\"position\":").count();
            let is_told = output.stderr.contains(": no ");
            assert_eq!((n_found, output.status, is_told), expected, "{command} {name} {output:?}");
        }
    }
}

#[test]
fn answers_come_before_the_next_question() {
    for concurrency in ["1", "4"] {
        let mut engine =
            Engine::start(&["analyze", "--batch", "--depth", "2", "--concurrency", concurrency]);
        for number in 1..=3 {
            engine.send(START);
            assert_eq!(rows(&engine.line())[0]["id"], number);
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(engine.end(), (Vec::new(), Some(0)));
    }
}

#[test]
fn lines_do_not_depend_on_the_number_of_searches_at_a_time() {
    let folder = Folder::new("analyze-concurrency");
    let games = &folder.write("games.txt", samples::games(10));
    // Searches of different length, so that they end in another order.
    let positions = samples::positions(5);
    for (arguments, input, status) in
        [(&["--batch"][..], positions.as_str(), 1), (&["--batch", games], "", 1)]
    {
        let analyze = |concurrency| {
            let more = ["--depth", "6", "--hash", "1", "--concurrency", concurrency];
            let output = run(&[&["analyze"], arguments, &more].concat(), input);
            assert_eq!(output.status, Some(status));
            (timeless(&output.stdout), output.stderr)
        };
        let one = analyze("1");
        assert!(one.0.len() >= 20, "{one:?}");
        assert_eq!(one, analyze("3"));
    }
}

#[test]
fn time_limits_a_game() {
    let output = run(&["analyze", GAME, "--time", "0.02", "--json"], "").success();
    assert_eq!(rows(&output.stdout).len(), 61);
    // This takes 1.2 s, or more on a busy machine; without the option it would take 24 s.
    assert!(output.elapsed < Duration::from_secs(20), "{:?}", output.elapsed);
}

#[test]
fn a_terminal_shows_moves_at_once_and_an_interruption_leaves_them() {
    let folder = Folder::new("analyze-interrupted");
    let page = folder.file("page.html");
    let command = format!(
        "'{OTHELLIER}' analyze {GAME} --depth 60 --html '{page}'; echo \"ended with $?\"; sleep 1000"
    );
    let Some(tmux) = Tmux::start("interrupted", (100, 50), &command) else { return };
    let rows = tmux.wait_for("  60  white");
    assert!(rows.find("  61  black") < rows.find("  60  white"), "{rows}");
    tmux.keys(&["C-c"]);
    let screen = tmux.wait_for("ended with 130");
    assert!(screen.contains("interrupted: plies ") && screen.contains("white: "), "{screen}");
    assert!(folder.text("page.html").contains(" · judged from ply "));
}

#[test]
fn a_drawn_board_is_a_position() {
    let rows = "--------\n".repeat(3) + "---OX---\n---XO---\n" + &"--------\n".repeat(3);
    for command in ["analyze", "solve"] {
        let output = run(&[command, "-", "--depth", "1", "--json"], format!("{rows}X to move\n"));
        assert!(output.success().stdout.contains(START));
        run(&[command, "-"], &rows)
            .refuses(1, "the side to move is missing (X or O); expected 8 rows");
    }
}

#[test]
fn a_position_is_analyzed_move_by_move() {
    let text = run(&["analyze", "--depth", "2", "--lines", "2", START], "").success().stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..2], ["black to move", "move    score   depth  line"], "{text}");
    assert!(lines.len() == 4 && lines[2].contains("2@100%"), "{text}");
    let json = run(&["analyze", "--depth", "2", "--json", START], "").success().stdout;
    let row: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(row["position"], START);
    assert_eq!(row["moves"].as_array().unwrap().len(), 4);
    let over = "X".repeat(64);
    let text = run(&["analyze", &over], "").success().stdout;
    assert_eq!(text, "the game is over: +64 for black\n");
}

#[test]
fn a_misspelled_game_is_no_missing_file() {
    let output = run(&["analyze", "f5d6c9"], "");
    assert_eq!(output.status, Some(1));
    let expected = "othellier: no file 'f5d6c9', and no game: no move at 'c9'\n";
    assert_eq!(output.stderr, expected);
}

/// Three games of a collection: with names, values and times of its own; with an error; of another result.
fn collection(folder: &Folder) -> String {
    let game = |names: &str, moves: &str| format!("(;GM[Othello]{names}BO[8 {START}]{moves};)\n");
    let games = [
        game("PB[Ann]PW[Bob <b>]RE[-64:r]", "B[F5/9.00/1.50]W[D6//2]B[C3]W[D3]B[C4]"),
        game("PB[Cid]PW[Ann]", "B[F5]W[D6]B[C3]W[D3]B[C4]W[B3]B[B2]"),
    ];
    folder.write("games.ggf", games.concat())
}

#[test]
fn analyzed_games_are_written_for_front_ends() {
    let folder = Folder::new("analyze-annotated");
    let games = &collection(&folder);
    let [ggf, sgf, obf, pages] =
        ["out.ggf", "out.sgf", "out.obf", "pages"].map(|name| folder.file(name));
    let files = ["--ggf", &ggf, "--sgf", &sgf, "--obf", &obf, "--html", &pages];
    let analyze = |more: &[&str]| {
        let options = ["--depth", "4", "--no-book"];
        run(&[&["analyze", "--batch", games], &options[..], &files[..], more].concat(), "")
    };
    let output = analyze(&[]);
    assert_eq!((output.status, output.stdout.as_str()), (Some(0), "analyze: 2 games, 0 errors\n"));
    let said = "othellier: sgf has no place for times of moves: left out of 1 game\n";
    assert_eq!(output.stderr, said);
    let text = folder.text("out.ggf");
    assert_eq!(text.lines().count(), 2);
    assert!(text.contains("/1.50]W[D6/") && !text.contains("F5/9.00"), "{text}");
    let text = folder.text("out.sgf");
    assert!(text.contains(";B[bb]V[-") && text.contains("]BM[2]C[blunder, loses "), "{text}");
    assert!(text.contains("C[black: 1 inaccuracy, "), "{text}");
    // What was written is read again, with the values.
    let again = folder.file("again.ggf");
    let output = run(&["convert", &sgf, &again], "");
    assert!(output.stderr.contains(": left out: what BM, DO say\n"), "{}", output.stderr);
    assert!(output.stderr.contains("ggf has no place for comments: left out of 2 games\n"));
    assert_eq!(
        folder.text("again.ggf").replace("-64.00:r", "-64:r"),
        folder.text("out.ggf").replace("/1.50]", "]").replace("/2.00]", "]")
    );
    let index = folder.text("pages/index.html");
    for words in
        ["game-1.html\">1</a>", "<bdi>Bob &lt;b&gt;</bdi>", "\u{2212}64", "unfinished", "2 games"]
    {
        assert!(index.contains(words), "{words}: {index}");
    }
    let page = folder.text("pages/game-2.html");
    assert!(page.contains("<bdi>Cid</bdi>") && page.contains("\"game\":2,"), "{page}");
    assert!(page.contains("href=\"page.css\"") && page.contains("src=\"page.js\""), "{page}");
    assert!(folder.text("pages/page.js").contains("\nconst GAMES = [1, 2];\n"));
    // The worst moves lead to the pages that lie beside theirs.
    let summary = folder.file("pages/summary.html");
    run(&["analyze", "--summary", games, "--depth", "2", "--html", &summary], "").success();
    assert!(folder.text("pages/summary.html").contains("<a href=\"game-2.html#ply=7\">2</a>"));
    let problems = folder.text("out.obf");
    let problem = obf::read_line(problems.as_bytes()).unwrap().unwrap();
    assert!(problems.ends_with("; % game 2, ply 7: b2\n") && problem.has_all_moves(), "{problems}");
    analyze(&["--json"]).fails(1, "--force");
    assert_eq!(analyze(&["--json", "--force"]).stdout.lines().count(), 12);
    for (file, n_rows) in [("no/such/folder/page", 0), ("/dev/full", 3)] {
        for kind in ["--ggf", "--sgf", "--html"] {
            let output = run(&["analyze", "f5d6c3", "--depth", "1", "--json", kind, file], "");
            assert_eq!((output.status, output.stdout.lines().count()), (Some(1), n_rows));
            assert_eq!(output.stderr.matches("cannot write").count(), 1, "{output:?}");
        }
    }
    // One game of the file.
    let [one, page] = ["one.sgf", "one.html"].map(|name| folder.file(name));
    let options = ["analyze", games, "--game", "2", "--depth", "4", "--sgf", &one, "--html", &page];
    assert!(run(&options, "").success().stdout.contains("blunder ??"));
    assert_eq!(folder.text("one.sgf").matches("(;GM[2]").count(), 1);
    assert!(folder.text("one.html").contains("<bdi>Cid</bdi>"));
}

#[test]
fn errors_are_listed_with_their_positions() {
    let folder = Folder::new("analyze-errors");
    let games = &collection(&folder);
    let options = ["--depth", "4", "--min-loss", "4.5", "--no-book"];
    let rows =
        rows(&run(&[&["analyze", "--batch", games][..], &options].concat(), "").success().stdout);
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!((&rows[0]["game"], &rows[0]["move"]), (&2.into(), &"b2".into()));
    let position = rows[0]["position"].as_str().unwrap();
    let table =
        run(&[&["analyze", games, "--game", "2"][..], &options].concat(), "").success().stdout;
    assert!(table.contains(&format!("      {position}\n")), "{table}");
    assert_eq!(table.lines().filter(|line| line.contains("black  ")).count(), 1, "{table}");
    // A move that loses just as much is listed.
    let all = run(&["analyze", "--batch", games, "--depth", "1", "--min-loss", "0"], "").success();
    assert_eq!(all.stdout.lines().count(), 12, "{all:?}");
    for refused in
        [&["analyze", START, "--min-loss", "1"][..], &["analyze", games, "--min-loss", "-1"]]
    {
        let output = run(refused, "");
        assert!(output.status != Some(0) && output.stdout.is_empty(), "{output:?}");
    }
}

#[test]
fn games_are_summarized() {
    let folder = Folder::new("analyze-summary");
    let (games, page) = (&collection(&folder), &folder.file("page.html"));
    let options = ["--depth", "4", "--no-book"];
    let analyze = |words: &[&str]| run(&[&["analyze"], words, &options].concat(), "");
    let summed = analyze(&["--summary", games, "--json", "--html", page]).success().stdout;
    let summary: Value = serde_json::from_str(&summed).unwrap();
    let told = |table: &str, key: &str| -> Vec<Value> {
        summary[table].as_array().unwrap().iter().map(|row| row[key].clone()).collect()
    };
    assert_eq!(told("players", "name"), ["Ann", "Bob <b>", "Cid"]);
    assert_eq!(told("players", "games"), [2, 1, 1]);
    assert_eq!(told("players", "moves"), [6, 2, 4]);
    assert_eq!(told("players", "time_used"), [Value::from(1.5), 2.0.into(), Value::Null]);
    assert_eq!(told("openings", "name"), ["Aubrey, Tanaka", "Tiger"]);
    assert_eq!(json!([told("worst", "move")[0], told("worst", "game")[0]]), json!(["b2", 2]));
    assert_eq!(told("moves", "games"), [2, 2, 2, 2, 2, 1, 1]);
    let page = folder.text("page.html");
    assert!(
        page.contains("<bdi>Bob &lt;b&gt;</bdi>") && page.matches("class=\"chart\"").count() == 2
    );
    assert!(page.contains("<title>Bob &lt;b&gt;: ") && !page.contains("Bob <b>"));
    assert!(page.contains("<h2>Worst moves</h2>") && page.contains("<title>games.ggf · Othello"));
    assert!(page.contains("<svg class=\"position\""));
    // An opening that was given counts for nobody.
    let given =
        format!("(;GM[Othello]PB[A]PW[???]BO[8 {START}]B[F5]W[D6]B[C3]W[D3//1]B[C4//1]W[F4//1];)");
    let given = analyze(&["--summary", &folder.write("given.ggf", given), "--json"]).success();
    let given: Value = serde_json::from_str(&given.stdout).unwrap();
    let moves = json!([given["players"][0]["moves"], given["players"][1]]);
    assert_eq!(moves, json!([1, null]), "those without a name are no player");
    // Rows that are there already say the same.
    let rows = &folder.write("rows.jsonl", analyze(&["--batch", games]).success().stdout);
    let [from, to] = [rows, games].map(|path| json!(path).to_string());
    let again = analyze(&["--summary", rows, "--json"]).success().stdout;
    assert_eq!(again.replace(&from, &to), summed);
    // Outputs of several files have games of the same number.
    let twice = folder.write("twice.jsonl", folder.text("rows.jsonl").repeat(2));
    assert_eq!(analyze(&["--summary", &twice]).success().last_line(), "summary: 4 games");
    let text = analyze(&["--summary", rows, games]).success();
    assert_eq!(text.last_line(), "summary: 4 games");
    let bad = analyze(&["--summary", &folder.write("bad.txt", "f5d6\nf5f5\n")]);
    bad.fails(1, "game 2 (line 2): move 2 of the game is illegal");
    assert_eq!(bad.last_line(), "summary: 1 games");
    // What is missing is told, wherever it was left out.
    let all = folder.text("rows.jsonl");
    let without = |gone: std::ops::Range<usize>| -> String {
        let lines = all.lines().enumerate().filter(|(at, _)| !gone.contains(at));
        lines.map(|(_, line)| format!("{line}\n")).collect()
    };
    let shards = ["1/2", "2/2"].map(|k| analyze(&["--batch", games, "--shard", k]).stdout);
    let cut = shards[0].split_once('\n').unwrap().1;
    let two = format!("{}{}", shards[1], shards[0]);
    for (rows, told) in [
        (without(1..4), "rows of 3 moves"),
        (without(4..8), "rows of "),
        (without(0..5), "all rows of 1 game"),
        (shards[0].clone(), "1 of 2 shards"),
        (cut.into(), "rows of this part"),
    ] {
        let part = analyze(&["--summary", &folder.write("part.jsonl", rows)]);
        part.fails(1, told);
    }
    analyze(&["--summary", &folder.write("two.jsonl", two)]).success();
    analyze(&["--summary", &folder.write("a.jsonl", "{\"a\":1}")]).refuses(1, "no row of analyze");
    analyze(&["--batch", rows, games]).refuses(2, "several files need --summary");
    analyze(&["--summary", games, "--shard", "1/2"]).fails(2, "--shard");
}

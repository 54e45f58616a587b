//! Tests of transcripts.

use super::*;
use crate::board::{Color, Move};
use crate::formats::tests::{PASS, moves, replayed};

fn read_ok(text: &str) -> Record {
    read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn moves_in_every_spelling() {
    let spread = PASS.as_bytes().chunks(8).map(|row| str::from_utf8(row).unwrap());
    let spread = spread.collect::<Vec<_>>().join("\n");
    let white = Position::START.with_side(Color::White).to_string();
    for (texts, start, expected) in [
        ("f5d6c3|F5D6C3|f5 d6 c3| f5,d6, C3\r\n|f5\td6\n\nc3,", None, "f5d6c3"),
        ("", None, ""),
        ("papassPS--@@b1", None, "papapapapab1"),
        ("E8PPF7PPH8G8PP", None, "e8paf7pah8g8pa"),
        (PASS, Some(PASS), ""),
        (&format!("{PASS} e7|{PASS}e7"), Some(PASS), "e7"),
        (&format!("\n{spread},PA E7"), Some(PASS), "pae7"),
        // The b of a move is also a cell.
        (&format!("{white}b3 b4"), Some(&white), "b3b4"),
    ] {
        for text in texts.split('|') {
            let record = read_ok(text);
            assert_eq!(moves(&record), expected, "{text}");
            let start = start.map(|start| Position::parse(start.as_bytes()).unwrap());
            assert_eq!(record.start, start.unwrap_or(Position::START), "{text}");
        }
    }
    for pass in Move::PASSES {
        assert_eq!(moves(&read_ok(&format!("{pass} b1 ({pass})"))), "pab1pa");
    }
}

#[test]
fn passes_may_be_implied() {
    let implied = read_ok("f5f6d3g5h5h4f7h6e7").replay().unwrap();
    let explicit = read_ok("f5f6d3g5h5h4f7h6pae7").replay().unwrap();
    assert_eq!(implied.plies(), explicit.plies());
    assert_eq!(write(&explicit), "f5f6d3g5h5h4f7h6e7");
    assert_eq!(write(&read_ok(&format!("{PASS} pae7")).replay().unwrap()), format!("{PASS} e7"));
    assert_eq!(write(&Game::new(read_ok(PASS).start)), PASS);
    assert_eq!(replayed(read_ok("f5f6d3g5h5h4f7h6")), PASS);
}

#[test]
fn what_is_no_transcript() {
    for (text, error) in [
        ("f5d6x1c3", "no move at 'x1c3'"),
        ("f5d", "no move at 'd'"),
        ("f\0", "no move at 'f\\u0000'"),
        (&PASS[1..], "bad position: a board has 64 cells, found 63"),
        (&PASS[..30], "bad position: a board has 64 cells, found 30"),
    ] {
        assert_eq!(read(text.as_bytes()).unwrap_err().to_string(), error);
    }
}

/// The games of a file as their moves, or the errors, each with the line where it begins.
fn games(text: &str) -> Vec<(usize, String)> {
    let read = Games::new(text.as_bytes());
    let shown = |(line, record): (usize, Result<Record, TranscriptError>)| {
        let text = match record.map(|record| record.replay()) {
            Ok(Ok(game)) => write(&game),
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        (line, text)
    };
    read.map(shown).collect()
}

#[track_caller]
fn check_games(text: &str, expected: &[(usize, &str)]) {
    let found = games(text);
    let found: Vec<_> = found.iter().map(|(line, text)| (*line, text.as_str())).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn a_line_is_a_game_unless_it_goes_on_with_the_one_before() {
    let heads = "[Black \"a\"]\n\nf5 d6\nc3\nd3\n[Black \"b\"]\nf5\n";
    let with_start = format!("{PASS} e7");
    let rows = "-------- -------- -------- ---O*--- ---*O--- -------- -------- --------";
    let cells = Position::START.cells();
    let (white, full) = (format!("{cells} O d6"), format!("{} X", "X".repeat(64)));
    for (text, games) in [
        ("f5d6c3\nf5d6c4\n", &[(1, "f5d6c3"), (2, "f5d6c4")][..]),
        ("f5\nf5\n", &[(1, "f5"), (2, "f5")]),
        // What goes on, and is no game from the start.
        ("f5 d6 c3\nd3 c4\n", &[(1, "f5d6c3d3c4")]),
        ("f5 d6 c3\n\nd3 c4\n", &[(1, "f5d6c3d3c4")]),
        ("f5 d6 c3\n\nd3 a1\n", &[(1, "f5d6c3"), (3, "move 2 of the game is illegal: A1")]),
        ("1\nf5\n2\nd6\n3.\nc3\n", &[(2, "f5d6c3")]),
        // One move a line: d3 and c4 would also begin a game.
        ("f5\nd6\nc3\nd3\nc4\n", &[(1, "f5d6c3d3c4")]),
        ("1. f5 d6 2. c3\n\n2... d3 3. c4", &[(1, "f5d6c3d3c4")]),
        ("1. f5 d6\n1. f5 f6\n", &[(1, "f5d6"), (2, "f5f6")]),
        ("1 f5d6c3\n2 f5f6e6\n", &[(1, "f5d6c3"), (2, "f5f6e6")]),
        (heads, &[(3, "f5d6c3d3"), (7, "f5")]),
        (&format!("{PASS}\ne7\n"), &[(1, &with_start)]),
        // The rest of a broken list is no game of its own.
        ("f5\na1\nd3\nc4\n", &[(1, "move 2 of the game is illegal: A1")]),
        ("f5\nd9\n", &[(1, "no move at 'd9'")]),
        (
            "f5d6c9\nf5f6e9\nf5\nd3c5",
            &[(1, "no move at 'c9'"), (2, "no move at 'e9'"), (3, "f5"), (4, "d3c5")],
        ),
        ("f5d6C2X-21\nf5f6B2X-2", &[(1, "no move at 'X-21'"), (2, "no move at 'X-2'")]),
        ("f5d6\nf5d6x9\nf5f6", &[(1, "f5d6"), (2, "no move at 'x9'"), (3, "f5f6")]),
        // Boards as servers print them.
        (&format!("[8 {rows} *] f5d6"), &[(1, "f5d6")]),
        (&format!("8 {rows} * f5d6"), &[(1, "f5d6")]),
        (
            &format!("[8 {rows} 1] f5d6"),
            &[(
                1,
                "bad position: '1' is no side to move: expected X, B or * for Black, O or W for White",
            )],
        ),
        (&format!("{rows} f5d6"), &[(1, "f5d6")]),
        (&format!("{rows} black to move: f5d6"), &[(1, "f5d6")]),
        (&format!("{}f5d6", rows.replace(' ', "")), &[(1, "f5d6")]),
        (&format!("{cells} White d6"), &[(1, &white)]),
        // Rows of one symbol are no boards, unless a side to move follows.
        (&format!("{}\nf5d6\n", "-".repeat(64)), &[(2, "f5d6")]),
        (&format!("{}\nf5d6\n", "x".repeat(99)), &[(2, "f5d6")]),
        (&format!("{}\nf5d6\n", "_".repeat(20)), &[(2, "f5d6")]),
        (&full, &[(1, &full)]),
        (&format!("{}XO", cells.repeat(2)), &[(1, "bad position: a board has 64 cells, found 67")]),
    ] {
        check_games(text, games);
    }
}

#[test]
fn remarks_are_left_out_and_misspelled_moves_are_not() {
    for (text, expected) in [
        ("12,Rose,Tamenori,\"f5d6c3\",-4", "f5d6c3"),
        ("a Tiger: 1.f5 d6 2.c3 d3 was played here", "f5d6c3d3"),
        ("b4 is bad; f5d6c3 is good", "f5d6c3"),
        ("f5!? d6 (or f6) {0.5} c3 36-28", "f5d6c3"),
        ("(f5 d6 c3)", "f5d6c3"),
        ("f5 d6 -- adjourned", "f5d6"),
        ("B:f5 W:d6 X c3 O d3", "f5d6c3d3"),
        ("１．ｆ５　ｄ６\u{a0}２．ｃ３", "f5d6c3"),
        ("f5 d6 hello c3 d3", "no move at 'hello c3 d3'"),
        ("f5d6 c3d3k8", "no move at 'k8'"),
        ("f5d6c3 (c4 (why) d3)", "f5d6c3"),
        ("f5d6 [c4 {d3 (e3)} <f4> f3] c3", "f5d6c3"),
        ("f5 d6 { a :( smile, c4 } c3", "f5d6c3"),
        ("f5 d6 (3. e3 {a :) smile} f4) c3", "f5d6c3"),
        ("f5 d6 (pass) (f5 (pass) c4)", "move 3 of the game is illegal: PA"),
        // Over several lines, of which some look like headings or games.
        ("f5 d6 {a comment over\nc4 lines d3} c3\nd3 c4", "f5d6c3d3c4"),
        ("f5 d6\n(1... f6 2. e6\n2. d3)\nc3 d3", "f5d6c3d3"),
        (
            "[White \"a (b\"]\n\n{ f5 }\n\n1. f5 {d6\n\nf5d6c3d3} d6\n(1... f6)\n2. c3 ; d3 (c4\nd3 c4",
            "f5d6c3d3c4",
        ),
        ("f5 d6 c3; d3 was better", "f5d6c3"),
        ("f5 d6 ; c4 d3\n; e6 is good\nc3", "f5d6c3"),
        ("f5 d6 c3 // d3\n// c4\nd3 c4", "f5d6c3d3c4"),
        // Separators, columns, and what a server prints.
        ("f5; d6; c3; d3", "f5d6c3d3"),
        ("f5 d6; c3 d3 (-2); c4", "f5d6c3d3c4"),
        ("f5//1.5 d6//2", "f5d6"),
        // Misspelled moves end no game, and names are no moves.
        ("f5 d6 c9", "no move at 'c9'"),
        ("f5 d6 c4 dd3", "no move at 'dd3'"),
        ("f5 d6 c4 dd3 adjourned", "no move at 'dd3 adjourned'"),
        ("f5;d6;c9", "no move at 'c9'"),
        ("f5 d6 c", "no move at 'c'"),
        ("f5 d6 c3 a good move", "f5d6c3"),
        ("Rose;f5d6c3;R3", "f5d6c3"),
        ("[{\"m\":\"f5\",\"t\":1000},{\"m\":\"d6\",\"t\":9},{\"m\":\"c3\"}]", "f5d6c3"),
        ("Alice Smith: f5, Bob Jones: d6, Alice Smith: c3", "f5d6c3"),
        ("1. P@f5 P@d6 2. P@c3 P@d3 34-30", "f5d6c3d3"),
        ("Heath - C4 | F5d6C3", "f5d6c3"),
        ("Heath C4 Rose F5d6C3", "f5d6c3"),
        ("Heath - C4 | F5d6C9", "no move at 'C9'"),
        ("Heath - C4 | F5d6C3 a1", "move 4 of the game is illegal: A1"),
        ("Heath - C4 | F5d6C3 hello d3", "no move at 'hello d3'"),
        ("a1 f5 d6", "move 1 of the game is illegal: A1"),
    ] {
        let found: Vec<String> = games(text).into_iter().map(|game| game.1).collect();
        assert_eq!(found, [expected], "{text}");
    }
    // Brackets around everything hold the games; one that is closed by chance hides none.
    check_games("{\"a\": [\n\"f5d6\",\n\"f5f6\"\n]}", &[(2, "f5d6"), (3, "f5f6")]);
    let error = "no move at '(c4 d3'";
    check_games("f5d6 (c4 d3\nf5d6c3d3\nf5d6 ok)", &[(1, error), (2, "f5d6c3d3"), (3, "f5d6")]);
    let table = "Heath - C4 | F5d6C3\nRose - C4 | F5d6C4\n";
    check_games(table, &[(1, "f5d6c3"), (2, "f5d6c4")]);
    check_games("f5 d6\nThen c3 d3\n", &[(1, "f5d6c3d3")]);
    check_games("f5 d6\nc9\n", &[(1, "f5d6"), (2, "no move at 'c9'")]);
}

#[test]
fn what_is_no_move_is_left_out_and_counted() {
    for (text, n_games, left_out) in [
        (
            "Game 1\n=====\n\nf5d6 (adjourned)\n\n# a comment\n--------------------\nf5\n\u{1a}",
            2,
            "3 lines without moves, 1 remark beside moves; line 1: 'Game 1'",
        ),
        ("1. f5 d6 33-31\n", 1, ""),
        ("f5 d6 and on\n", 1, "1 remark beside moves; line 1: 'and on'"),
        ("<html>\n", 0, "1 line without moves; line 1: '<html>'"),
        ("f5\n{a\nb}\nd6 (c4\nc5) c3\n", 1, "2 remarks beside moves; line 2: '{a\\nb}'"),
    ] {
        let mut games = Games::new(text.as_bytes());
        assert_eq!(games.by_ref().count(), n_games);
        assert_eq!(games.left_out().to_string(), left_out);
    }
}

/// A game of XBoard, in which White begins.
const FEN: &str = "[SetUp \"1\"]\n[FEN \"8/8/8/3Pp3/3pP3/2pP4/8/8 w - - 0 1\"]\n1. c4 e3 *";

#[test]
fn tags_of_pgn_say_what_they_say() {
    let read = |text: &str| {
        let mut games = Games::new(text.as_bytes());
        let record = games.next().unwrap().1;
        (record, games.left_out().to_string())
    };
    let headers = |text: &str| read(text).0.unwrap().headers;
    let text = "[Event \"Club\"] [Black \"A \\\"B\\\"\"]\n[White \"?\"][BlackElo \"1500\"] [Round \"3\"]\n\
        [Date \"2026.11.27\"]\n[TimeControl \"300+5\"]\n[Termination \"abandoned\"]\n\n1. f5 *\n";
    let Headers { names, ratings, event, date, clocks, .. } = headers(text);
    assert_eq!(
        (names, ratings),
        (["A \"B\"".into(), String::new()], ["1500".into(), String::new()])
    );
    assert_eq!((event.as_str(), date.as_str()), ("Club", "2026.11.27"));
    assert_eq!(clocks.map(|clock| clock.unwrap().to_string()), ["5:00/0:05", "5:00/0:05"]);
    assert_eq!(read(text).1, "what Round, Termination say");
    for (result, score, words) in [
        ("36-28", Some(8.0), ""),
        ("1-0", None, "W+"),
        ("0-1", None, "B+"),
        ("1/2-1/2", Some(0.0), ""),
        ("*", None, ""),
        ("adjourned", None, "adjourned"),
    ] {
        for text in [format!("[Result \"{result}\"]\nf5d6"), format!("f5d6 {result}")] {
            let (record, left_out) = read(&text);
            let found = record.unwrap().headers.result;
            if left_out.is_empty() {
                assert_eq!((found.score, &*found.text), (score, words), "{text}");
            }
        }
    }
    // Where White begins, its discs come first.
    let record = read(&format!("[White \"W\"]\n[Result \"36-28\"]\n{FEN}")).0.unwrap();
    assert_eq!((record.headers.names[1].as_str(), record.headers.result.score), ("W", Some(-8.0)));
    let first = record.replay().unwrap().plies()[0];
    assert_eq!((first.before.side, first.mv.to_string()), (Color::White, "c4".into()));
    let record = read("[Variant \"reversi\"]\n1. c4").0.unwrap();
    assert_eq!(record.start, crate::formats::fen::start());
    check_games("[FEN \"8/8 w\"]\n1. c4\n", &[(2, "no position in [FEN \"8/8 w\"]")]);
}

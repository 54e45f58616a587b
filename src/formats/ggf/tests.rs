//! Tests of GGF: what front ends send, quirk by quirk.

use super::*;
use crate::formats::tests::{PASS, moves, replayed};

const BOARD: &str = "BO[8 ---------------------------O*------*O--------------------------- *]";

fn game(tags: &str) -> String {
    format!("(;GM[Othello]{tags};)")
}

fn read_ok(text: &str) -> Record {
    read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The moves and names of a game with these tags, or the error.
fn outcome(text: &[u8]) -> String {
    match read(text) {
        Ok(record) => format!("{} {:?}", moves(&record), record.headers.names),
        Err(error) => error.to_string(),
    }
}

/// In the form `move/value/seconds`.
fn noted(mv: Move, value: Option<f64>, time: Option<Duration>) -> String {
    let text = |number: Option<f64>| number.map_or(String::new(), |number| number.to_string());
    format!("{mv}/{}/{}", text(value), text(time.map(|time| time.as_secs_f64())))
}

#[test]
fn what_programs_send() {
    // Tags; side to move, names, place, date, result and clocks; items with their notes.
    for (tags, headers, items) in [
        // NBoard.
        (
            &*format!("PC[NBoard]DT[2026-11-21 22:18:22 GMT]PB[]PW[]RE[?]TI[5:00]TY[8]{BOARD}"),
            r#"Black ["", ""] NBoard 2026-11-21 22:18:22 GMT None "?" 5:00 5:00"#,
            "",
        ),
        (
            &format!("PB[root]PW[Ntest4]{BOARD}B[D3//8.107]W[C5/0.46]"),
            r#"Black ["root", "Ntest4"]   None """#,
            "d3//8.107 c5/0.46/",
        ),
        // Novello and Reversi Arena.
        (
            "PC[x]TI[5:00]TY[8r9]BO[8 -------- -------- ---O---- ---***-- ---OO--- --*-**-- -------- -------- O]W[C3/-0.21/0.023]",
            r#"White ["", ""] x  None "" 5:00 5:00"#,
            "c3/-0.21/0.023",
        ),
        (
            &format!("DT[2026.11.21_22:26:39.UTC]PB[a]TI[15:0]TY[8]{BOARD}B[f5]"),
            r#"Black ["a", ""]  2026.11.21_22:26:39.UTC None "" 15:00 15:00"#,
            "f5//",
        ),
        // As in the compliance case N22.
        (
            &format!(
                "DT[yesterday?!]PB[./mEdax]PW[x y]RB[1,9]KM[?]CO[so [what]KB[7 d]RE[+10.00]TI[15:00//2:00]{BOARD}KW[9 d]B[F5/1,25/2,4]W[d6 -1,5 0,25]"
            ),
            r#"Black ["./mEdax", "x y"]  yesterday?! Some(10.0) "+10.00" 15:00 15:00"#,
            "f5/1.25/2.4 d6/-1.5/0.25",
        ),
        (
            &format!("RE[-12,00:r]TB[1:00]TI[5:00/2]TW[soon]{BOARD}"),
            r#"Black ["", ""]   Some(-12.0) "-12,00:r" 1:00 5:00/0:02"#,
            "",
        ),
    ] {
        let record = read_ok(&game(tags));
        let Headers { names, place, date, result, clocks, .. } = &record.headers;
        let side = record.start.side;
        let mut found =
            format!("{side:?} {names:?} {place} {date} {:?} {:?}", result.score, result.text);
        for clock in clocks.iter().flatten() {
            found += &format!(" {clock}");
        }
        assert_eq!(found, headers, "{tags}");
        let notes = record.items.iter().map(|item| noted(item.mv, item.note.value, item.note.time));
        assert_eq!(notes.collect::<Vec<_>>().join(" "), items, "{tags}");
        assert!(record.replay().is_ok());
    }
}

#[test]
fn passes_are_explicit_or_implied() {
    let board = format!("BO[8 {PASS}]");
    let position = Position::parse(PASS.as_bytes()).unwrap();
    let passed = position.play(Move::Pass).unwrap().to_string();
    let outcome = |items: &str| replayed(read_ok(&game(items)));
    // As in the compliance cases N9 and N10: the last item decides whose turn it is.
    for pass in ["PA", "pa", "pass", "--", "@@@@", "", "PA//0.00", "/-3.00/", "PASS -1.00"] {
        assert_eq!(outcome(&format!("{board}B[{pass}]")), passed, "{pass}");
    }
    assert_eq!(outcome(&board), PASS);
    let implied = outcome(&format!("{board}W[E7]B[D7]"));
    assert_eq!(outcome(&format!("{board}B[PA]W[E7]B[D7]")), implied);
    let illegal = "move 1 of the game is illegal: B E7";
    assert_eq!(outcome(&format!("{board}B[E7]")), illegal);
    let illegal = "move 3 of the game is illegal: B PA";
    assert_eq!(outcome(&format!("{BOARD}B[F5]W[D6]B[PA]")), illegal);
}

#[test]
fn no_game() {
    const OTHER: &str = "is not supported: only standard Othello on 8x8 squares";
    let check = |text: &str, error: &str| assert_eq!(outcome(text.as_bytes()), error, "{text}");
    check("", "no game found: it begins with '(;'");
    check("garbage", "no game found: it begins with '(;'");
    for open in
        ["(;", "(;GM[Othello", "(;GM[Othello]", "(;GM[Othello];", "(;GM[Othello](;GM[Othello];)"]
    {
        check(open, "the game does not end with ';)'");
    }
    check(&game(BOARD).replace(";)", ")"), "the game does not end with ';)'");
    check(&format!("(;{BOARD};)"), "the tag GM[Othello] is missing");
    check(&format!("(;GM[Chess]{BOARD};)"), "'Chess' is not Othello");
    check(&game(""), "the tag BO with the start position is missing");
    check(&game("BO[8 --- *]"), "bad start position: a board has 64 cells, found 4");
    check(&game("BO[10 --- *]"), &format!("'BO[10 --- *]' {OTHER}"));
    for (item, bad) in [("B[F9/1.00]", "F9/1.00"), ("B[F5W[D6]", "F5W[D6"), ("B[F5][D6]", "[D6];)")]
    {
        check(&game(&format!("{BOARD}{item}")), &format!("'{bad}' is not a move"));
    }
    for ty in ["10", "88r30", "s8a"] {
        check(&game(&format!("TY[{ty}]{BOARD}")), &format!("'{ty}' {OTHER}"));
    }
}

#[test]
fn several_games_and_other_types() {
    let [first, second] = ["F5", "E6"].map(|mv| game(&format!("TY[s8r20]{BOARD}B[{mv}]")));
    for text in
        [format!("2 {first}{second}"), format!("1 {first}\n1 {second}\n"), format!(" {first}")]
    {
        assert_eq!(moves(&read_ok(&text)), "f5");
    }
    for ty in ["8", "8r9", "s8", "s8k", "8k", "", "standard"] {
        assert_eq!(moves(&read_ok(&game(&format!("TY[{ty}]{BOARD}B[f5]")))), "f5");
    }
    let spread = "\r\n(;GM [othello]\n BO[8\n ........ ........ ........ ...ox...\n...X0... ........ ________ -------- b]\t; B[f5] W[d6]\n ; )";
    assert_eq!((moves(&read_ok(spread)), read_ok(spread).start), ("f5d6".into(), Position::START));
}

#[test]
fn brackets_in_names_lose_no_move() {
    let with_name = |name: &str| game(&format!("PB[{name}]PW[w]{BOARD}B[F5]"));
    for name in ["a]b", "[a]", "]", "x[y]z", "a;)b", "a];)b", "\\]", "]]", "(;", "B[f]"] {
        assert_eq!(outcome(with_name(name).as_bytes()), format!("f5 {:?}", [name, "w"]));
    }
    // Here the name cannot be told from tags.
    let long = "n]".repeat(500_000);
    for name in ["a]b[c", "a]B[c", "a]PW[c", "a]BO[8 -", "a]=[c", "[", &long] {
        assert!(outcome(with_name(name).as_bytes()).starts_with("f5 "), "{name}");
    }
    // As in the compliance case N34.
    let text = [b"(;GM[Othello]PB[a\xff\0b]", BOARD.as_bytes(), b"B[F5];)"].concat();
    assert_eq!(outcome(&text), "f5 [\"a\u{fffd}\\0b\", \"\"]");
}

#[test]
fn move_items() {
    for (texts, expected) in [
        // As in the compliance cases N18 and N19.
        ("d6 -1.00 0.0|d6/-1.00/0.0| D6 / -1,0 /0 |D6/-1\t0,00", "d6/-1/0"),
        ("D6|d6/NaN/NaN|d6/inf/inf|d6/1e999/1e300|d6/?/-3|d6/x/1e18", "d6//"),
        ("d6//2.4", "d6//2.4"),
        ("E6//3.5740000000000003", "e6//3.574"),
        ("d6/1.5/", "d6/1.5/"),
        ("d6/1.5/1:05/more", "d6/1.5/65"),
        ("PA|--", "pa//"),
        ("pa/0.00", "pa/0/"),
        ("| |/|//1|d9|d66|move d6|d6-1|\0", ""),
    ] {
        for text in texts.split('|') {
            let found = parse_move_item(text.as_bytes())
                .map_or(String::new(), |(mv, value, time)| noted(mv, value, time));
            assert_eq!(found, expected, "{text}");
        }
    }
}

#[test]
fn clocks() {
    for (text, seconds, written) in [
        ("5:00", [300.0, 0.0, 120.0], "5:00"),
        ("15:00//2:00", [900.0, 0.0, 120.0], "15:00"),
        ("15:00//1:00", [900.0, 0.0, 60.0], "15:00//1:00"),
        ("01:00:00/00:02/00:00", [3600.0, 2.0, 0.0], "1:00:00/0:02/0:00"),
        ("1.02:03:04", [93_784.0, 0.0, 120.0], "1.02:03:04"),
        ("2.5", [2.5, 0.0, 120.0], "0:02.5"),
        (" 0:01 / 0,25 ", [1.0, 0.25, 120.0], "0:01/0:00.25"),
        ("90", [90.0, 0.0, 120.0], "1:30"),
        ("5:00/x/y", [300.0, 0.0, 120.0], "5:00"),
    ] {
        let clock = GgfClock::parse(text.as_bytes()).unwrap();
        let found = [clock.initial, clock.increment, clock.grace].map(|time| time.as_secs_f64());
        assert_eq!((found, &*clock.to_string()), (seconds, written), "{text}");
        assert_eq!(GgfClock::parse(written.as_bytes()), Some(clock));
    }
    for bad in "|/1:00|x|-5|-0:05|5:-3|:30|5:|1:2:3:4|1.:5|9e9:00|1e12|inf".split('|') {
        assert_eq!(GgfClock::parse(bad.as_bytes()), None, "{bad}");
    }
}

#[test]
fn written_form() {
    let record = read_ok(&game(&format!("{BOARD}B[f5//2.4496]W[d6/0/1.1]B[c3/-1.5]W[d3//0.0016]")));
    let clock = GgfClock::parse(b"5:00");
    let headers = Headers {
        names: ["a]b\n".into(), "w".into()],
        place: "othellier".into(),
        clocks: [clock, clock],
        ..Headers::default()
    };
    assert_eq!(
        write(&record.replay().unwrap(), &headers),
        "(;GM[Othello]PC[othellier]DT[]PB[a)b]PW[w]RE[?]TI[5:00]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[F5//2.45]W[D6/0.00/1.10]B[C3/-1.50]W[D3//0.002];)"
    );
    let headers = Headers { clocks: [clock, None], ..Headers::default() };
    assert!(write(&Game::default(), &headers).contains("RE[?]TB[5:00]TY[8]"));
}

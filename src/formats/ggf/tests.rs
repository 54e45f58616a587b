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

#[test]
fn what_nboard_sends() {
    let record = read_ok(
        "(;GM[Othello]PC[NBoard]DT[2026-11-21 22:18:22 GMT]PB[]PW[]RE[?]TI[5:00]TY[8]BO[8 ---------------------------O*------*O--------------------------- *];)",
    );
    assert_eq!((record.start, record.items.len()), (Position::START, 0));
    assert_eq!(
        (&*record.headers.place, &*record.headers.date),
        ("NBoard", "2026-11-21 22:18:22 GMT")
    );
    assert_eq!(record.headers.result, Outcome { score: None, text: "?".into() });
    assert_eq!(record.headers.clocks.map(|clock| clock.unwrap().to_string()), ["5:00", "5:00"]);

    let record = read_ok(&game(&format!("PB[root]PW[Ntest4]{BOARD}B[D3//8.107]W[C5/0.46]")));
    assert_eq!(moves(&record), "d3c5");
    assert_eq!(record.items[0].note.time, Some(Duration::from_millis(8107)));
    assert_eq!(record.items[1].note, Note { value: Some(0.46), time: None });
    assert_eq!(record.headers.names, ["root", "Ntest4"]);
}

#[test]
fn what_novello_and_reversi_arena_send() {
    let record = read_ok(
        "(;GM[Othello]PC[x]TI[5:00]TY[8r9]BO[8 -------- -------- ---O---- ---***-- ---OO--- --*-**-- -------- -------- O]W[C3/-0.21/0.023];)",
    );
    assert_eq!(record.start.side, Color::White);
    assert_eq!(
        record.items[0].note,
        Note { value: Some(-0.21), time: Some(Duration::from_millis(23)) }
    );
    assert!(record.replay().is_ok());
    let record =
        read_ok(&game(&format!("DT[2026.11.21_22:26:39.UTC]PB[a]TI[15:0]TY[8]{BOARD}B[f5]")));
    assert_eq!(record.headers.clocks[1].unwrap().initial, Duration::from_secs(900));
}

#[test]
fn passes_are_explicit_or_implied() {
    let board = format!("BO[8 {PASS}]");
    let start = Position::parse(PASS.as_bytes()).unwrap();
    let passed = start.play(Move::Pass).unwrap();
    // As in the compliance cases N9 and N10: the last item decides whose turn it is.
    for pass in ["PA", "pa", "pass", "--", "@@@@", "", "PA//0.00", "/-3.00/", "PASS -1.00"] {
        let record = read_ok(&game(&format!("{board}B[{pass}]")));
        assert_eq!(replayed(record), passed.to_string(), "{pass}");
    }
    assert_eq!(replayed(read_ok(&game(&board))), PASS);
    let explicit = replayed(read_ok(&game(&format!("{board}B[PA]W[E7]B[D7]"))));
    let implied = replayed(read_ok(&game(&format!("{board}W[E7]B[D7]"))));
    assert_eq!(explicit, implied);
    let illegal = replayed(read_ok(&game(&format!("{board}B[E7]"))));
    assert_eq!(illegal, "move 1 of the game is illegal: B E7");
    let illegal = replayed(read_ok(&game(&format!("{BOARD}B[F5]W[D6]B[PA]"))));
    assert_eq!(illegal, "move 3 of the game is illegal: B PA");
}

#[test]
fn no_game() {
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
    check(&game(&format!("{BOARD}B[F9/1.00]")), "'F9/1.00' is not a move");
    check(&game(&format!("{BOARD}B[F5W[D6]")), "'F5W[D6' is not a move");
    check(&game(&format!("{BOARD}B[F5][D6]")), "'[D6];)' is not a move");
    let unsupported = "is not supported: only standard Othello on 8x8 squares";
    check(&game(&format!("TY[10]{BOARD}")), &format!("'10' {unsupported}"));
    check(&game(&format!("TY[88r30]{BOARD}")), &format!("'88r30' {unsupported}"));
    check(&game(&format!("TY[s8a]{BOARD}")), &format!("'s8a' {unsupported}"));
    check(&game("BO[10 --- *]"), &format!("'BO[10 --- *]' {unsupported}"));
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
    assert_eq!(moves(&read_ok(spread)), "f5d6");
    assert_eq!(read_ok(spread).start, Position::START);
}

#[test]
fn odd_headers_and_locales() {
    // As in the compliance case N22.
    let record = read_ok(&game(&format!(
        "DT[yesterday?!]PB[./mEdax]PW[x y]RB[1,9]KM[?]CO[so [what]KB[7 d]RE[+10.00]TI[15:00//2:00]{BOARD}KW[9 d]B[F5/1,25/2,4]W[d6 -1,5 0,25]"
    )));
    assert_eq!(record.headers.names, ["./mEdax", "x y"]);
    assert_eq!(record.headers.result.score, Some(10.0));
    let note =
        |value, millis| Note { value: Some(value), time: Some(Duration::from_millis(millis)) };
    assert_eq!(
        record.items.iter().map(|item| item.note).collect::<Vec<_>>(),
        [note(1.25, 2400), note(-1.5, 250)]
    );
    let record = read_ok(&game(&format!("RE[-12,00:r]{BOARD}")));
    assert_eq!(record.headers.result, Outcome { score: Some(-12.0), text: "-12,00:r".into() });
    assert_eq!(record.headers.clocks, [None, None]);
    let record = read_ok(&game(&format!("TB[1:00]TI[5:00/2]TW[soon]{BOARD}")));
    assert_eq!(
        record.headers.clocks.map(|clock| clock.unwrap().to_string()),
        ["1:00", "5:00/0:02"]
    );
}

#[test]
fn brackets_in_names_lose_no_move() {
    for name in ["a]b", "[a]", "]", "x[y]z", "a;)b", "a];)b", "\\]", "]]", "(;", "B[f]"] {
        let text = game(&format!("PB[{name}]PW[w]{BOARD}B[F5]"));
        assert_eq!(outcome(text.as_bytes()), format!("f5 {:?}", [name, "w"]));
    }
    // Here the name cannot be told from tags.
    for name in ["a]b[c", "a]B[c", "a]PW[c", "a]BO[8 -", "a]=[c", "["] {
        let text = game(&format!("PB[{name}]PW[w]{BOARD}B[F5]"));
        assert!(outcome(text.as_bytes()).starts_with("f5 "), "{name}");
    }
    // As in the compliance case N34.
    let text = [b"(;GM[Othello]PB[a\xff\0b]", BOARD.as_bytes(), b"B[F5];)"].concat();
    assert_eq!(outcome(&text), "f5 [\"a\u{fffd}\\0b\", \"\"]");
    let name = "n]".repeat(500_000);
    assert_eq!(moves(&read_ok(&game(&format!("PB[{name}]{BOARD}B[F5]")))), "f5");
}

#[test]
fn move_items() {
    let check = |text: &str, expected: Option<(&str, Option<f64>, Option<u64>)>| {
        let found = parse_move_item(text.as_bytes());
        let expected = expected.map(|(mv, value, millis)| {
            (Move::parse(mv.as_bytes()).unwrap(), value, millis.map(Duration::from_millis))
        });
        assert_eq!(found, expected, "{text}");
    };
    // As in the compliance cases N18 and N19.
    for text in ["d6 -1.00 0.0", "d6/-1.00/0.0", " D6 / -1,0 /0 ", "D6/-1\t0,00"] {
        check(text, Some(("d6", Some(-1.0), Some(0))));
    }
    check("D6", Some(("d6", None, None)));
    check("d6//2.4", Some(("d6", None, Some(2400))));
    check("E6//3.5740000000000003", Some(("e6", None, Some(3574))));
    check("d6/1.5/", Some(("d6", Some(1.5), None)));
    check("d6/1.5/1:05/more", Some(("d6", Some(1.5), Some(65_000))));
    check("PA", Some(("pa", None, None)));
    check("pa/0.00", Some(("pa", Some(0.0), None)));
    check("--", Some(("pa", None, None)));
    for nonsense in ["NaN/NaN", "inf/inf", "1e999/1e300", "?/-3", "x/1e18"] {
        check(&format!("d6/{nonsense}"), Some(("d6", None, None)));
    }
    for bad in ["", " ", "/", "//1", "d9", "d66", "move d6", "d6-1", "\0"] {
        check(bad, None);
    }
}

#[test]
fn clocks() {
    let check = |text: &str, seconds: Option<[f64; 3]>, written: &str| {
        let clock = GgfClock::parse(text.as_bytes());
        let found = clock
            .map(|clock| [clock.initial, clock.increment, clock.grace].map(|t| t.as_secs_f64()));
        assert_eq!(found, seconds, "{text}");
        assert_eq!(clock.map(|clock| clock.to_string()).unwrap_or_default(), written);
        if let Some(clock) = clock {
            assert_eq!(GgfClock::parse(written.as_bytes()), Some(clock));
        }
    };
    check("5:00", Some([300.0, 0.0, 120.0]), "5:00");
    check("15:00//2:00", Some([900.0, 0.0, 120.0]), "15:00");
    check("15:00//1:00", Some([900.0, 0.0, 60.0]), "15:00//1:00");
    check("01:00:00/00:02/00:00", Some([3600.0, 2.0, 0.0]), "1:00:00/0:02/0:00");
    check("1.02:03:04", Some([93_784.0, 0.0, 120.0]), "1.02:03:04");
    check("2.5", Some([2.5, 0.0, 120.0]), "0:02.5");
    check(" 0:01 / 0,25 ", Some([1.0, 0.25, 120.0]), "0:01/0:00.25");
    check("90", Some([90.0, 0.0, 120.0]), "1:30");
    check("5:00/x/y", Some([300.0, 0.0, 120.0]), "5:00");
    let bad = [
        "", "/1:00", "x", "-5", "-0:05", "5:-3", ":30", "5:", "1:2:3:4", "1.:5", "9e9:00", "1e12",
        "inf",
    ];
    for bad in bad {
        check(bad, None, "");
    }
}

#[test]
fn written_form() {
    let record = read_ok(&game(&format!("{BOARD}B[f5//2.45]W[d6/0/1.1]B[c3/-1.5]W[d3]")));
    let clock = GgfClock::parse(b"5:00");
    let headers = Headers {
        names: ["a]b\n".into(), "w".into()],
        place: "othellier".into(),
        clocks: [clock, clock],
        ..Headers::default()
    };
    let text = write(&record.replay().unwrap(), &headers);
    assert_eq!(
        text,
        "(;GM[Othello]PC[othellier]DT[]PB[a)b]PW[w]RE[?]TI[5:00]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[F5//2.45]W[D6/0.00/1.10]B[C3/-1.50]W[D3];)"
    );
    let headers = Headers { clocks: [clock, None], ..Headers::default() };
    assert!(write(&Game::default(), &headers).contains("RE[?]TB[5:00]TY[8]"));
}

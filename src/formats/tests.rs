//! Tests across the formats: round trips of random games, and untrusted input.

use std::time::Duration;

use proptest::prelude::*;
use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};

use super::{Headers, Item, Outcome, Record, ReplayError, ggf, sgf, transcript};
use crate::board::{Color, Move, Position, Square};
use crate::game::{Game, Note};

/// Black must pass, White can play c5 or e7.
pub(super) const PASS: &str = "-------------------X-------XX--O---XXXOO-----X-O-----X---------- X";

/// The final position, or what is wrong with the record.
pub(super) fn replayed(record: Record) -> String {
    match record.replay() {
        Ok(game) => game.position().to_string(),
        Err(error) => error.to_string(),
    }
}

/// The moves of a record, passes included.
pub(super) fn moves(record: &Record) -> String {
    record.items.iter().map(|item| item.mv.to_string()).collect()
}

/// Up to `n_plies` random legal plies with values and times of two decimals.
pub(super) fn random_game(start: Position, seed: u64, n_plies: usize) -> Game {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut below = |bound: usize| (random.next_u64() % bound as u64) as usize;
    let mut game = Game::new(start);
    for _ in 0..n_plies {
        if game.is_over() {
            break;
        }
        let choices: Vec<Square> = game.position().board.moves().collect();
        let mv = match choices.len() {
            0 => Move::Pass,
            n => Move::Place(choices[below(n)]),
        };
        let value = (below(3) != 0).then(|| (below(12_801) as f64 - 6400.0) / 100.0);
        let time = (below(3) != 0).then(|| Duration::from_millis(10 * below(100_000) as u64));
        assert!(game.play(mv, Note { value, time }));
    }
    game
}

fn summary(game: &Game, with_notes: bool) -> (Position, Position, Vec<(Position, Move, Note)>) {
    let note = |note| if with_notes { note } else { Note::default() };
    let plies = game.plies().iter().map(|ply| (ply.before, ply.mv, note(ply.note))).collect();
    (game.start(), game.position(), plies)
}

fn check_round_trips(mut game: Game) {
    let headers = Headers {
        names: ["A. Bérnoulli".into(), String::new()],
        place: "Bâle".into(),
        date: "1697.05.01".into(),
        ..Headers::default()
    };
    let text = ggf::write(&game, &headers);
    let record = ggf::read(text.as_bytes()).unwrap();
    assert_eq!(summary(&record.replay().unwrap(), true), summary(&game, true), "{text}");
    let result = game.result().map(f64::from);
    assert_eq!((&record.headers.names, record.headers.result.score), (&headers.names, result));
    assert_eq!(ggf::write(&game, &record.headers), text);

    // SGF and transcripts leave passes out.
    while game.plies().last().is_some_and(|ply| ply.mv == Move::Pass) {
        game.undo();
    }
    let text = sgf::write(&game, &headers);
    let record = sgf::read(text.as_bytes(), None).unwrap();
    assert_eq!(summary(&record.replay().unwrap(), false), summary(&game, false), "{text}");
    assert_eq!(sgf::write(&game, &record.headers), text);

    let text = transcript::write(&game);
    let record = transcript::read(text.as_bytes()).unwrap();
    assert_eq!(summary(&record.replay().unwrap(), false), summary(&game, false), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_games_survive_every_format(seed: u64, opening in 0..60usize, n_plies in 0..130usize) {
        check_round_trips(random_game(Position::START, seed, n_plies));
        let start = random_game(Position::START, !seed, opening).position();
        check_round_trips(random_game(start, seed, n_plies));
    }

    #[test]
    fn sparse_starts_survive_every_format(black: u64, other: u64, mask: u64, white_moves: bool) {
        let side = if white_moves { Color::White } else { Color::Black };
        let start = Position::new(black & mask & !other, !black & mask & !other, side);
        check_round_trips(random_game(start, mask, 10));
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
        read_all(&bytes);
    }

    #[test]
    fn damaged_games_never_panic(seed: u64, damage: Vec<(u16, u8)>, cut: u16) {
        let game = random_game(Position::START, seed, 70);
        let texts = [
            ggf::write(&game, &Headers::default()),
            sgf::write(&game, &Headers::default()),
            transcript::write(&Game::new(game.position())),
        ];
        for text in texts {
            let mut bytes = text.into_bytes();
            for &(at, byte) in &damage {
                let at = usize::from(at) % bytes.len();
                bytes[at] = byte;
            }
            read_all(&bytes);
            read_all(&bytes[..usize::from(cut) % bytes.len()]);
        }
    }
}

fn read_all(bytes: &[u8]) {
    transcript::Games::new(bytes).for_each(drop);
    let _ = ggf::parse_move_item(bytes);
    let _ = ggf::GgfClock::parse(bytes).map(|clock| clock.to_string());
    let _ = ggf::read(bytes).map(|record| record.replay()).map_err(|error| error.to_string());
    let _ = sgf::read(bytes, None).map(|record| record.replay()).map_err(|error| error.to_string());
    let _ =
        transcript::read(bytes).map(|record| record.replay()).map_err(|error| error.to_string());
}

#[test]
fn long_runs_are_read_in_linear_time() {
    const PIECES: [&str; 24] = [
        "{[<(\n",
        "(f5)\n(d6\n)",
        "(",
        "(;",
        ";",
        " ",
        "; ",
        ")",
        "]",
        "[",
        "a",
        "a ",
        "PB[",
        "PB[a]",
        "XY[]",
        "GM[Othello]",
        "B[PA]",
        "B[F5/",
        "AB[aa]",
        "AB[",
        "\\",
        "9",
        "-",
        "\u{ff}\0",
    ];
    for piece in PIECES {
        // The square of this would take long.
        let run = piece.repeat(250_000 / piece.len());
        for head in ["", "(;", "(;GM[Othello]BO[8 ", "(;GM[2]AB[", "(;GM[Othello]PB["] {
            read_all(format!("{head}{run}").as_bytes());
        }
    }
}

#[test]
fn illegal_items_are_named() {
    let item = |color, square: &[u8]| Item {
        color,
        mv: Move::parse(square).unwrap(),
        note: Note::default(),
    };
    let check = |items: &[Item], error: Option<(usize, &str)>| {
        let record =
            Record { start: Position::START, items: items.into(), headers: Headers::default() };
        let found = record.replay().map(|_| ());
        let error = error.map(|(index, text)| ReplayError { index, text: text.into() });
        assert_eq!(found, error.map_or(Ok(()), Err));
    };
    let (black, white) = (Some(Color::Black), Some(Color::White));
    check(&[item(black, b"f5"), item(white, b"d6")], None);
    check(&[item(black, b"f5"), item(white, b"f5")], Some((1, "W F5")));
    check(&[item(white, b"f4")], Some((0, "W F4")));
    check(&[item(black, b"pa")], Some((0, "B PA")));
    check(&[item(None, b"a1")], Some((0, "A1")));
    let error = ReplayError { index: 1, text: "W F5".into() };
    assert_eq!(error.to_string(), "move 2 of the game is illegal: W F5");
}

#[test]
fn numbers_of_every_locale() {
    let check = |text: &str, value| assert_eq!(super::number(text.as_bytes()), value, "{text}");
    check(" -1.00 ", Some(-1.0));
    check("+10.00", Some(10.0));
    check("1,25", Some(1.25));
    check("−0,5", Some(-0.5));
    check("1.234,5", Some(1234.5));
    check("1,234.5", Some(1234.5));
    check("3.5740000000000003", Some(3.574_000_000_000_000_3));
    for bad in ["", "-", ".", "NaN", "nan", "inf", "-infinity", "1e999", "1 2", "0x10", "1-", "\0"]
    {
        check(bad, None);
    }
    assert_eq!(super::number(b"\xff1"), None);
}

#[test]
fn error_texts_are_short_and_printable() {
    assert_eq!(super::excerpt(b"a\nb\xff\0"), "a\\nb\u{fffd}\\u0000");
    assert_eq!(super::excerpt("é".repeat(1_000_000).as_bytes()), "é".repeat(40) + "...");
}

#[test]
fn results_cross_formats() {
    fn check_game(game: &Game, text: &str, score: Option<f64>, ggf: &str, sgf: &str) {
        let result = Outcome { score, text: text.into() };
        let headers = Headers { result, ..Headers::default() };
        assert!(ggf::write(game, &headers).contains(&format!("RE[{ggf}]")), "{text}");
        assert!(sgf::write(game, &headers).contains(&format!("PW[]{sgf}")), "{text}");
    }
    let check = |text: &str, score, ggf: &str, sgf: &str| {
        check_game(&Game::default(), text, score, ggf, sgf);
    };
    check("", None, "?", ")");
    check("?", None, "?", "RE[?]");
    check("-12:r", Some(-12.0), "-12:r", "RE[W+Resign]");
    check("B+18", Some(18.0), "+18.00", "RE[B+18]");
    check("B+Resign", None, "+64.00:r", "RE[B+Resign]");
    check("", Some(0.0), "+0.00", "RE[Draw]");
    let won = transcript::read(b"e6f4e3f6g5d6e7f5c5").unwrap().replay().unwrap();
    let check = |text: &str, score, ggf: &str, sgf: &str| check_game(&won, text, score, ggf, sgf);
    check("", None, "+64.00", "RE[B+64]");
    // The board counts, unless a player has forfeited the game.
    check("5:00/0", Some(5.0), "+64.00", "RE[B+64]");
    check("0:s", Some(0.0), "+64.00", "RE[B+64]");
    check("-64:t", Some(-64.0), "-64:t", "RE[W+Time]");
    check("+2:l", Some(2.0), "+2:l", "RE[B+Forfeit]");
    check("W+T", None, "-64.00:t", "RE[W+Time]");
}

//! Tests across the formats: round trips of random games, and untrusted input.

use std::time::Duration;

use proptest::prelude::*;
use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

use super::{Headers, Item, Outcome, Record, ggf, sgf, transcript};
use crate::board::{Color, Move, Position, Square};
use crate::game::{Game, Note};
use crate::support::random::draw;

/// Black must pass, White can play c5 or e7.
pub(super) const PASS: &str = "-------------------X-------XX--O---XXXOO-----X-O-----X---------- X";

/// The final position, or what is wrong with the record.
pub(super) fn replayed(record: Record) -> String {
    record.replay().map_or_else(|error| error.to_string(), |game| game.position().to_string())
}

/// The moves of a record, passes included.
pub(super) fn moves(record: &Record) -> String {
    record.items.iter().map(|item| item.mv.to_string()).collect()
}

/// Up to `n_plies` random legal plies with values and times of two decimals.
pub(super) fn random_game(start: Position, seed: u64, n_plies: usize) -> Game {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut below = |bound: usize| draw(&mut random, bound as u64) as usize;
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
    let check = |text: &str, record: &Record, game: &Game, with_notes| {
        let again = record.clone().replay().unwrap();
        assert_eq!(summary(&again, with_notes), summary(game, with_notes), "{text}");
    };
    let text = ggf::write(&game, &headers);
    let record = ggf::read(text.as_bytes()).unwrap();
    check(&text, &record, &game, true);
    let result = game.result().map(f64::from);
    assert_eq!((&record.headers.names, record.headers.result.score), (&headers.names, result));
    assert_eq!(ggf::write(&game, &record.headers), text);

    // SGF and transcripts leave passes out.
    while game.plies().last().is_some_and(|ply| ply.mv == Move::Pass) {
        game.undo();
    }
    let text = sgf::write(&game, &headers);
    let record = sgf::read(text.as_bytes(), None).unwrap();
    check(&text, &record, &game, false);
    assert_eq!(sgf::write(&game, &record.headers), text);
    let text = transcript::write(&game);
    check(&text, &transcript::read(text.as_bytes()).unwrap(), &game, false);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_games_survive_every_format(
        seed: u64, opening in 0..60usize, n_plies in 0..130usize, black: u64, other: u64, mask: u64, white_moves: bool,
    ) {
        check_round_trips(random_game(Position::START, seed, n_plies));
        let start = random_game(Position::START, !seed, opening).position();
        check_round_trips(random_game(start, seed, n_plies));
        let side = if white_moves { Color::White } else { Color::Black };
        let sparse = Position::new(black & mask & !other, !black & mask & !other, side);
        check_round_trips(random_game(sparse, mask, 10));
    }
}

fn read_all(bytes: &[u8]) {
    transcript::Games::new(bytes).for_each(drop);
    let _ = ggf::parse_move_item(bytes);
    let _ = ggf::GgfClock::parse(bytes).map(|clock| clock.to_string());
    let _ = ggf::read(bytes).map(replayed).map_err(|error| error.to_string());
    let _ = sgf::read(bytes, None).map(replayed).map_err(|error| error.to_string());
    let _ = transcript::read(bytes).map(replayed).map_err(|error| error.to_string());
}

#[test]
fn long_runs_are_read_in_linear_time() {
    const PIECES: &str = "{[<(\n|(f5)\n(d6\n)|(|(;|;| |; |)|]|[|a|a |PB[|PB[a]|XY[]|GM[Othello]|B[PA]|B[F5/|AB[aa]|AB[|\\|9|-|ÿ\0";
    for piece in PIECES.split('|') {
        // The square of this would take long.
        let run = piece.repeat(250_000 / piece.len());
        for head in ["", "(;", "(;GM[Othello]BO[8 ", "(;GM[2]AB[", "(;GM[Othello]PB["] {
            read_all(format!("{head}{run}").as_bytes());
        }
    }
}

#[test]
fn illegal_items_are_named() {
    for (text, index, item) in [
        ("Bf5 Wd6", 0, ""),
        ("Bf5 Wf5", 2, "W F5"),
        ("Wf4", 1, "W F4"),
        ("Bpa", 1, "B PA"),
        ("?a1", 1, "A1"),
    ] {
        let item_of = |text: &str| Item {
            color: match text.as_bytes()[0] {
                b'B' => Some(Color::Black),
                b'W' => Some(Color::White),
                _ => None,
            },
            mv: Move::parse(&text.as_bytes()[1..]).unwrap(),
            note: Note::default(),
        };
        let items = text.split(' ').map(item_of).collect();
        let record = Record { start: Position::START, items, headers: Headers::default() };
        let error = record.replay().err().map(|error| error.to_string());
        let expected = format!("move {index} of the game is illegal: {item}");
        assert_eq!(error, (index > 0).then_some(expected), "{text}");
    }
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
    let won = transcript::read(b"e6f4e3f6g5d6e7f5c5").unwrap().replay().unwrap();
    let open = &Game::default();
    for (game, text, score, ggf, sgf) in [
        (open, "", None, "?", ")"),
        (open, "?", None, "?", "RE[?]"),
        (open, "-12:r", Some(-12.0), "-12:r", "RE[W+Resign]"),
        (open, "B+18", Some(18.0), "+18.00", "RE[B+18]"),
        (open, "B+Resign", None, "+64.00:r", "RE[B+Resign]"),
        (open, "", Some(0.0), "+0.00", "RE[Draw]"),
        (&won, "", None, "+64.00", "RE[B+64]"),
        // The board counts, unless a player has forfeited the game.
        (&won, "5:00/0", Some(5.0), "+64.00", "RE[B+64]"),
        (&won, "0:s", Some(0.0), "+64.00", "RE[B+64]"),
        (&won, "-64:t", Some(-64.0), "-64:t", "RE[W+Time]"),
        (&won, "+2:l", Some(2.0), "+2:l", "RE[B+Forfeit]"),
        (&won, "W+T", None, "-64.00:t", "RE[W+Time]"),
    ] {
        let result = Outcome { score, text: text.into() };
        let headers = Headers { result, ..Headers::default() };
        assert!(ggf::write(game, &headers).contains(&format!("RE[{ggf}]")), "{text}");
        assert!(sgf::write(game, &headers).contains(&format!("PW[]{sgf}")), "{text}");
    }
}

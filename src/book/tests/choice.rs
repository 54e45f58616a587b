//! Properties of the choice of a move to play.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{random_book, searched};
use crate::board::symmetry::{N_SYMMETRIES, canonical, transform_board};
use crate::board::{Board, Color, Move, Position, Square};
use crate::book::choice::{BookLine, Variety};
use crate::book::repertoire::RepertoireRules;
use crate::book::sections::Sections;
use crate::book::{After, Book, Entry, turned};
use crate::game::{Game, Note, seed_of};
use crate::score::{DISC, Score};
use crate::search::Selectivity;

/// The position after f5, with the values of d6, f4 and f6 there in 1/128 disc, and the plies and the confidence of the searches.
fn fan(moves: &[(&str, i16, u8, u32)]) -> (Board, Book) {
    let after = |board: Board, square: &str| {
        let square = Square::parse(square.as_bytes()).unwrap();
        board.after(square, board.flips(square))
    };
    let board = after(Board::START, "f5");
    let child = |&(square, value, depth, percent): &(&str, i16, u8, u32)| {
        let mut entry = Entry::new(after(board, square));
        entry.leaf = Some(searched(entry.board.moves().next().unwrap(), -value, depth, percent));
        entry
    };
    let sections = Sections::new(moves.iter().map(child).chain([Entry::new(board)]));
    (board, Book::of(sections.clone()))
}

fn within(discs: Score, seed: u64) -> Variety {
    Variety::new(discs * DISC, seed_of(1, seed), 0)
}

/// The line that is chosen without rules.
fn choose(book: &Book, board: Board, variety: Variety) -> Option<BookLine> {
    book.choose(board, variety, RepertoireRules::default(), |_| true)
}

/// The moves chosen by many seeds after which some moves lead to nothing new, and how often.
fn chosen(board: Board, book: &Book, discs: Score, n: u64, old: &[&str]) -> Vec<(String, u64)> {
    let old = old.iter().fold(0, |set, text| set | bit(text));
    let mut counts = BTreeMap::new();
    for seed in 0..n {
        let line = choose(book, board, Variety { old, ..within(discs, seed) }).unwrap();
        *counts.entry(line.mv().to_string()).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}

/// The moves chosen by many seeds.
fn moves(board: Board, book: &Book, discs: Score, old: &[&str]) -> Vec<String> {
    chosen(board, book, discs, 100, old).into_iter().map(|(mv, _)| mv).collect()
}

fn bit(text: &str) -> u64 {
    Square::parse(text.as_bytes()).unwrap().bit()
}

/// The book of [`fan`] with a fact for its root: the move and its value.
fn with_fact(board: Board, book: &Book, mv: &str, score: i16) -> Book {
    let played = After::play(board, Square::parse(mv.as_bytes()).unwrap());
    Book::of(book.sections().unwrap().map(|mut entry| {
        if entry.board == canonical(board) {
            let mut moves = entry.board.moves();
            let square = moves.find(|&square| After::play(entry.board, square) == played).unwrap();
            entry.leaf = Some(searched(square, score, 20, 73));
        }
        Some(entry)
    }))
}

#[test]
fn better_moves_come_more_often_and_bad_ones_never() {
    let (board, book) = fan(&[("d6", 0, 20, 73), ("f4", -256, 20, 73), ("f6", -64, 20, 73)]);
    let counts = chosen(board, &book, 1, 4000, &[]);
    assert_eq!(counts.iter().map(|(mv, _)| mv.as_str()).collect::<Vec<_>>(), ["d6", "f6"]);
    // Of 1 : e^-1, give or take five standard deviations.
    assert!(counts[0].1.abs_diff(2924) < 140, "{counts:?}");
    assert_eq!(moves(board, &book, 0, &[]), ["d6"]);
    // Moves after which nothing is new come last, but one that loses too much is not played, even if it is new.
    assert_eq!(moves(board, &book, 1, &["d6"]), ["f6"]);
    assert_eq!(moves(board, &book, 1, &["d6", "f6"]), ["d6", "f6"]);
    // Successive games share the moves out.
    let (board, book) = fan(&[("d6", 0, 20, 73), ("f4", 0, 20, 73), ("f6", 0, 20, 73)]);
    let counts = chosen(board, &book, 1, 30, &[]);
    assert!(counts.len() == 3 && counts.iter().all(|(_, n)| n.abs_diff(10) < 2), "{counts:?}");
    // Proven results are not given away, but two wins are as good as each other, and so are losses.
    for (best, other, others, expected) in [
        (256, 0, (20, 73), &["d6"][..]),
        (0, -128, (20, 73), &["d6"]),
        (256, 128, (60, 100), &["d6", "f4", "f6"]),
        (-128, -256, (60, 100), &["d6", "f4", "f6"]),
    ] {
        let values =
            [("d6", best, 60, 100), ("f4", other, others.0, others.1), ("f6", other, 60, 100)];
        let (board, book) = fan(&values);
        assert_eq!(moves(board, &book, 64, &[]), expected, "{best}");
    }
}

#[test]
fn games_of_a_series_part_where_the_book_lets_them() {
    let book = Book::embedded();
    let total = 6 * DISC;
    for (own, base) in [(Color::Black, 1), (Color::White, 1), (Color::Black, 2), (Color::White, 2)]
    {
        let line = |number| {
            let start = Variety::new(total, seed_of(base, number), 0);
            let mut game = Game::default();
            loop {
                let Position { board, side } = game.position();
                let is_own = side == own;
                let variety =
                    if is_own { book.varied(&game, own, start) } else { Variety::default() };
                let Some(choice) = choose(&book, board, variety) else { break };
                assert!(game.play(choice.mv(), Note::default()));
            }
            game.plies().iter().map(|ply| ply.mv.to_string()).collect::<String>()
        };
        let mut lines: Vec<String> = (0..50).map(line).collect();
        lines.sort();
        lines.dedup();
        assert!(lines.len() >= 49, "{own:?}, {base}: {} of 50", lines.len());
    }
}

#[test]
fn what_nobody_has_searched_may_be_better() {
    let (board, book) = fan(&[("d6", 0, 20, 73), ("f4", -256, 20, 73)]);
    assert_eq!(book.moves(board).len(), 2);
    assert!(book.lines(board).is_empty());
    assert_eq!(choose(&book, board, Variety::default()), None);
}

#[test]
fn rules_come_before_values_and_variety() {
    let played = |values: &[(&str, i16, u8, u32)], variety, exclude: &str, prefer: &str| {
        let (board, book) = fan(values);
        let set = |text: &str| if text.is_empty() { 0 } else { bit(text) };
        let rules = RepertoireRules { exclude: set(exclude), prefer: set(prefer) };
        book.choose(board, variety, rules, |_| true).map(|line| line.mv().to_string())
    };
    let d6 = ("d6", 0, 20, 73);
    let values = [d6, ("f4", -256, 20, 73), ("f6", -257, 20, 73)];
    for variety in (0..20).map(|seed| within(1, seed)).chain([Variety::default()]) {
        assert_eq!(played(&values, variety, "", "f4"), Some("f4".into()));
        assert_eq!(played(&values, variety, "", "f6"), Some("d6".into()));
        assert_ne!(played(&values, variety, "d6", ""), Some("d6".into()));
        // The only unknown move is excluded anyway.
        assert_eq!(played(&values[..2], variety, "f6", ""), Some("d6".into()));
        assert_eq!(played(&values[..2], variety, "d6", ""), None);
    }
    // A proven draw is not given away.
    let drawn = [("d6", 0, 60, 100), ("f4", -1, 20, 73), ("f6", -256, 60, 100)];
    for other in ["f4", "f6"] {
        assert_eq!(played(&drawn, Variety::default(), "", other), Some("d6".into()));
    }
}

#[test]
fn a_proven_draw_counts_what_contempt_says() {
    let played = |values: &[(&str, i16, u8, u32)], discs: Score| {
        let (board, book) = fan(values);
        let variety = Variety { draw: discs * DISC, ..Variety::default() };
        let line = choose(&book, board, variety).unwrap();
        let mut game = Game::new(Position { board, side: Color::White });
        assert!(game.play(line.mv(), Note::default()));
        assert_eq!(book.varied(&game, Color::White, variety).left, 0);
        line.mv().to_string()
    };
    for ([d6, f4, f6], expected) in [
        // The value, the depth and the confidence; what is played with a contempt of -100, -4, -2, 0, 2, 4 and 100 discs.
        ([(0, 60, 100), (-384, 20, 73), (-640, 20, 73)], "f4 f4 d6 d6 d6 d6 d6"),
        ([(0, 60, 100), (384, 20, 73), (-640, 20, 73)], "f4 f4 f4 f4 f4 d6 d6"),
        // A win is better still, and a loss is worse.
        ([(0, 60, 100), (256, 60, 100), (-256, 60, 100)], "f4 f4 f4 f4 f4 f4 f4"),
        ([(0, 60, 100), (-256, 60, 100), (-512, 60, 100)], "d6 d6 d6 d6 d6 d6 d6"),
        // A draw that is not proven keeps its value.
        ([(0, 20, 73), (-128, 20, 73), (-640, 60, 100)], "d6 d6 d6 d6 d6 d6 d6"),
    ] {
        let of = |mv, (score, depth, percent)| (mv, score, depth, percent);
        let values = [of("d6", d6), of("f4", f4), of("f6", f6)];
        let found = [-100, -4, -2, 0, 2, 4, 100].map(|contempt| played(&values, contempt));
        assert_eq!(found.join(" "), expected);
    }
}

#[test]
fn a_preferred_move_that_is_not_known_is_left_to_a_search() {
    let (board, book) = fan(&[("d6", 0, 20, 73)]);
    let book = with_fact(board, &book, "f4", -640);
    for (prefer, expected) in [("f6", None), ("f4", Some("d6".to_owned()))] {
        let rules = RepertoireRules { prefer: bit(prefer), exclude: 0 };
        let line = book.choose(board, Variety::default(), rules, |_| true);
        assert_eq!(line.map(|line| line.mv().to_string()), expected);
    }
}

#[test]
fn a_best_move_that_has_fallen_far_is_not_trusted() {
    let (board, book) = fan(&[("d6", 0, 20, 73)]);
    for (before, n_lines) in [(100, 1), (DISC as i16, 1), (DISC as i16 + 1, 0), (640, 0)] {
        assert_eq!(with_fact(board, &book, "d6", before).lines(board).len(), n_lines, "{before}");
    }
}

#[test]
fn the_record_counts_as_deep_as_its_line() {
    let (board, book) = fan(&[("d6", 0, 20, 73), ("f4", -256, 20, 73), ("f6", -64, 59, 73)]);
    let lines = book.lines(board);
    let says = |line: &BookLine, depth, percent| {
        line.is_at_least_as_deep_as(depth, Selectivity::from_percent(percent), board.n_empties())
    };
    assert_eq!((lines[0].depth, lines[0].pv.len()), (21, 2));
    assert!(says(&lines[0], 21, 100) && !says(&lines[0], 22, 73));
    // 59 empty squares, and the leaf was searched through 58 of them.
    assert!(lines[1].depth >= board.n_empties());
    let (n, lines) = (board.n_empties(), [(73, true), (100, false)]);
    let book = fan(&[("d6", 0, 58, 73), ("f4", 0, 58, 73), ("f6", 0, 58, 73)]).1;
    for (percent, is_enough) in lines {
        assert_eq!(says(&book.lines(board)[0], n, percent), is_enough, "{percent}");
    }
    // The best line decides whether the book is left, and no line is played that is not enough.
    let deep = |line: &BookLine| line.depth > 15;
    let (board, book) = fan(&[("d6", 64, 9, 73), ("f4", 0, 20, 73), ("f6", 0, 20, 73)]);
    assert_eq!(book.choose(board, within(64, 1), RepertoireRules::default(), deep), None);
    let (board, book) = fan(&[("d6", 64, 20, 73), ("f4", 0, 9, 73), ("f6", 0, 20, 73)]);
    let is_deep = |seed| {
        deep(&book.choose(board, within(64, seed), RepertoireRules::default(), deep).unwrap())
    };
    assert!((0..50).all(is_deep));
    // Of equal moves the deepest decides, whichever square comes first.
    for (shallow, other) in [("f4", "d6"), ("d6", "f4")] {
        let (board, book) = fan(&[(shallow, 0, 9, 73), (other, 0, 20, 73), ("f6", -999, 20, 73)]);
        assert!(book.choose(board, within(0, 1), RepertoireRules::default(), deep).is_some());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_game_loses_no_more_than_its_variety(seed in any::<u64>(), n_games in 2usize..12, halves in 0..8) {
        let book = Book::of(random_book(seed, n_games, 14));
        let total = halves * DISC / 2;
        let mut game = Game::default();
        loop {
            let position = game.position();
            let variety = book.varied(&game, position.side, Variety::new(total, seed, 0));
            prop_assert!((0..=total).contains(&variety.left));
            let choice = choose(&book, position.board, variety);
            prop_assert_eq!(&choice, &choose(&book, position.board, variety));
            let Some(choice) = choice else { break };
            if total == 0 {
                prop_assert_eq!(&choice, &book.lines(position.board)[0]);
            }
            // The line can be played to its end.
            let mut line = game.clone();
            for &mv in &choice.pv {
                prop_assert!(line.play(mv, Note::default()), "{:?}", choice);
            }
            prop_assert!(game.play(choice.mv(), Note::default()));
            if game.position().board.legal_moves() == 0 && !game.play(Move::Pass, Note::default()) {
                break;
            }
        }
        for color in [Color::Black, Color::White] {
            prop_assert!(book.varied(&game, color, Variety::new(total, seed, 0)).left >= 0);
        }
    }

    #[test]
    fn lines_turn_with_the_board(seed in any::<u64>(), n_games in 1usize..8) {
        check_turned_lines(&random_book(seed, n_games, 10));
    }
}

fn check_turned_lines(sections: &Sections) {
    let book = Book::of(sections.clone());
    assert_eq!(book.len(), sections.len());
    for entry in sections.iter() {
        let plain = book.lines(entry.board);
        for k in 0..N_SYMMETRIES {
            let sorted = |lines: &[BookLine], turn: &dyn Fn(Square) -> Square| {
                let of = |line: &BookLine| {
                    (turn(line.known.square).index(), line.score(), line.known.lines)
                };
                let mut all: Vec<_> = lines.iter().map(of).collect();
                all.sort_unstable();
                all
            };
            let found = sorted(&book.lines(transform_board(entry.board, k)), &|square| square);
            assert_eq!(found, sorted(&plain, &|square| turned(square, k)), "{}", entry.board);
        }
    }
}

#[test]
fn of_equal_moves_the_settled_one_comes_first_however_the_board_is_turned() {
    // Two moves have one value here, and only one of them is settled.
    check_turned_lines(&random_book(2_340_931_909_058_364_167, 5, 10));
}

//! Properties of the choice of a move to play.

use proptest::prelude::*;

use super::random_book;
use crate::board::symmetry::{N_SYMMETRIES, transform_board};
use crate::board::{Board, Color, Move, Position, Square};
use crate::book::choice::{BookLine, Variety};
use crate::book::pack::pack;
use crate::book::repertoire::RepertoireRules;
use crate::book::sections::Sections;
use crate::book::{After, Book, Entry, Leaf, Origin, turned};
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
        entry.leaf = Some(Leaf {
            square: entry.board.moves().next().unwrap(),
            score: -value,
            depth,
            selectivity: Selectivity::from_percent(percent),
            origin: Origin::Search,
        });
        entry
    };
    let sections = Sections::new(moves.iter().map(child).chain([Entry::new(board)]));
    (board, Book::of(sections.clone()))
}

fn within(discs: Score, seed: u64) -> Variety {
    Variety::new(discs * DISC, seed_of(1, seed), 0)
}

/// The moves chosen by many seeds, and how often.
fn chosen(board: Board, book: &Book, discs: Score, n: u64) -> Vec<(String, u64)> {
    let mut counts: Vec<(String, u64)> = Vec::new();
    for seed in 0..n {
        let mv = book
            .choose(board, within(discs, seed), RepertoireRules::default(), |_| true)
            .unwrap()
            .mv()
            .to_string();
        match counts.iter_mut().find(|(known, _)| *known == mv) {
            Some((_, count)) => *count += 1,
            None => counts.push((mv, 1)),
        }
    }
    counts.sort();
    counts
}

#[test]
fn better_moves_come_more_often_and_bad_ones_never() {
    let (board, book) = fan(&[("d6", 0, 20, 73), ("f4", -256, 20, 73), ("f6", -64, 20, 73)]);
    let counts = chosen(board, &book, 1, 4000);
    assert_eq!(counts.iter().map(|(mv, _)| mv.as_str()).collect::<Vec<_>>(), ["d6", "f6"]);
    // Of 1 : e^-1, give or take five standard deviations.
    assert!(counts[0].1.abs_diff(2924) < 140, "{counts:?}");
    assert_eq!(chosen(board, &book, 0, 50), [("d6".to_string(), 50)]);
}

#[test]
fn successive_games_share_the_moves_out() {
    let (board, book) = fan(&[("d6", 0, 20, 73), ("f4", 0, 20, 73), ("f6", 0, 20, 73)]);
    let counts = chosen(board, &book, 1, 30);
    assert!(counts.len() == 3 && counts.iter().all(|(_, n)| n.abs_diff(10) < 2), "{counts:?}");
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
                let Some(choice) =
                    book.choose(board, variety, RepertoireRules::default(), |_| true)
                else {
                    break;
                };
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
fn moves_after_which_nothing_is_new_come_last() {
    let (board, book) = fan(&[("d6", 0, 20, 73), ("f4", -64, 20, 73), ("f6", -256, 20, 73)]);
    let played = |old: &[&str]| {
        let bits = old.iter().map(|text| Square::parse(text.as_bytes()).unwrap().bit());
        let old = bits.fold(0, |set, bit| set | bit);
        let choose = |seed| {
            let variety = Variety { old, ..within(1, seed) };
            book.choose(board, variety, RepertoireRules::default(), |_| true)
                .unwrap()
                .mv()
                .to_string()
        };
        let mut moves: Vec<String> = (0..50).map(choose).collect();
        moves.sort();
        moves.dedup();
        moves
    };
    assert_eq!(played(&[]), ["d6", "f4"]);
    assert_eq!(played(&["d6"]), ["f4"]);
    // A move that loses more than the variety is not played, even if it is new.
    assert_eq!(played(&["d6", "f4"]), ["d6", "f4"]);
}

#[test]
fn proven_results_are_not_given_away() {
    for (best, other) in [(256, 0), (0, -128)] {
        let (board, book) =
            fan(&[("d6", best, 60, 100), ("f4", other, 20, 73), ("f6", other, 60, 100)]);
        assert_eq!(chosen(board, &book, 64, 100), [("d6".to_string(), 100)], "{best}");
    }
    // Two wins are as good as each other, and so are losses.
    for (best, other) in [(256, 128), (-128, -256)] {
        let (board, book) =
            fan(&[("d6", best, 60, 100), ("f4", other, 60, 100), ("f6", other, 60, 100)]);
        assert_eq!(chosen(board, &book, 64, 300).len(), 3, "{best}");
    }
}

#[test]
fn the_packed_form_is_unpacked_at_the_first_look() {
    let sections = random_book(7, 6, 12);
    let bytes: &'static [u8] = pack(&sections).0.leak();
    let (lazy, eager) = (Book::packed(bytes), Book::unpack(bytes).unwrap());
    for entry in sections.iter() {
        assert_eq!(lazy.lines(entry.board), eager.lines(entry.board));
    }
    assert!(!lazy.is_empty() && lazy.len() == eager.len());
    assert_eq!(lazy.sections(), eager.sections());
    assert!(Book::packed(b"not a book").is_empty());
}

#[test]
fn what_nobody_has_searched_may_be_better() {
    let (board, book) = fan(&[("d6", 0, 20, 73), ("f4", -256, 20, 73)]);
    assert_eq!(book.moves(board).len(), 2);
    assert!(book.lines(board).is_empty());
    assert_eq!(book.choose(board, Variety::default(), RepertoireRules::default(), |_| true), None);
}

#[test]
fn rules_come_before_values_and_variety() {
    let bit = |text: &str| Square::parse(text.as_bytes()).unwrap().bit();
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
        let line = book.choose(board, variety, RepertoireRules::default(), |_| true).unwrap();
        let mut game = Game::new(Position { board, side: Color::White });
        assert!(game.play(line.mv(), Note::default()));
        assert_eq!(book.varied(&game, Color::White, variety).left, 0);
        line.mv().to_string()
    };
    let unproven = [("d6", 0, 60, 100), ("f4", -384, 20, 73), ("f6", -640, 20, 73)];
    assert_eq!(
        [-100, -4, -2, 0, 100].map(|c| played(&unproven, c)),
        ["f4", "f4", "d6", "d6", "d6"]
    );
    let unproven = [("d6", 0, 60, 100), ("f4", 384, 20, 73), ("f6", -640, 20, 73)];
    assert_eq!([-100, 0, 2, 4, 100].map(|c| played(&unproven, c)), ["f4", "f4", "f4", "d6", "d6"]);
    // A win is better still, and a loss is worse.
    let won = [("d6", 0, 60, 100), ("f4", 256, 60, 100), ("f6", -256, 60, 100)];
    assert_eq!([-100, 0, 100].map(|c| played(&won, c)), ["f4"; 3]);
    let lost = [("d6", 0, 60, 100), ("f4", -256, 60, 100), ("f6", -512, 60, 100)];
    assert_eq!([-100, 0, 100].map(|c| played(&lost, c)), ["d6"; 3]);
    // A draw that is not proven keeps its value.
    let even = [("d6", 0, 20, 73), ("f4", -128, 20, 73), ("f6", -640, 60, 100)];
    assert_eq!([-100, 0, 100].map(|c| played(&even, c)), ["d6"; 3]);
}

fn with_leaf(book: &Book, board: Board, leaf: Leaf) -> Book {
    let change = |entry: Entry| match entry.board == board {
        true => Entry { leaf: Some(leaf), ..entry },
        false => entry,
    };
    Book::of(book.sections().unwrap().map(|entry| Some(change(entry))))
}

#[test]
fn a_preferred_move_that_is_not_known_is_left_to_a_search() {
    let (board, book) = fan(&[("d6", 0, 20, 73)]);
    let entry = book.find(board).unwrap();
    let to_f4 = |square: &Square| {
        let played = Square::parse(b"f4").unwrap();
        After::play(entry.board, *square) == After::play(board, played)
    };
    let leaf = Leaf {
        square: entry.board.moves().find(to_f4).unwrap(),
        score: -640,
        depth: 20,
        selectivity: Selectivity::BOLD,
        origin: Origin::Search,
    };
    let book = with_leaf(&book, entry.board, leaf);
    let played = |prefer: &[u8]| {
        let rules = RepertoireRules { prefer: Square::parse(prefer).unwrap().bit(), exclude: 0 };
        book.choose(board, Variety::default(), rules, |_| true).map(|line| line.mv().to_string())
    };
    assert_eq!(played(b"f6"), None);
    assert_eq!(played(b"f4"), Some("d6".into()));
}

#[test]
fn a_best_move_that_has_fallen_far_is_not_trusted() {
    let (board, book) = fan(&[("d6", 0, 20, 73)]);
    let played = Square::parse(b"d6").unwrap();
    for (before, n_lines) in [(100, 1), (DISC as i16, 1), (DISC as i16 + 1, 0), (640, 0)] {
        let entry = book.find(board).unwrap();
        let to_d6 =
            |square: &Square| After::play(entry.board, *square) == After::play(board, played);
        let leaf = Leaf {
            square: entry.board.moves().find(to_d6).unwrap(),
            score: before,
            depth: 20,
            selectivity: Selectivity::BOLD,
            origin: Origin::Search,
        };
        let book = with_leaf(&book, entry.board, leaf);
        assert_eq!(book.lines(board).len(), n_lines, "{before}");
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
            let choice = book.choose(position.board, variety, RepertoireRules::default(), |_| true);
            prop_assert_eq!(&choice, &book.choose(position.board, variety, RepertoireRules::default(), |_| true));
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
        let sections = random_book(seed, n_games, 10);
        let book = Book::of(sections.clone());
        prop_assert_eq!(book.len(), sections.len());
        for entry in sections.iter() {
            let shown = |k: usize| {
                let lines = book.lines(transform_board(entry.board, k));
                let mut shown: Vec<_> =
                    lines.iter().map(|line| (line.known.square.index(), line.score(), line.known.lines)).collect();
                shown.sort_unstable();
                shown
            };
            let plain = book.lines(entry.board);
            for k in 0..N_SYMMETRIES {
                let mut expected: Vec<_> = plain
                    .iter()
                    .map(|line| (turned(line.known.square, k).index(), line.score(), line.known.lines))
                    .collect();
                expected.sort_unstable();
                prop_assert_eq!(shown(k), expected);
            }
        }
    }
}

#[test]
fn of_equal_moves_the_settled_one_comes_first_however_the_board_is_turned() {
    // Two moves have one value here, and only one of them is settled.
    let sections = random_book(2_340_931_909_058_364_167, 5, 10);
    let book = Book::of(sections.clone());
    for entry in sections.iter() {
        let lines = book.lines(entry.board).len();
        let turned = |k| book.lines(transform_board(entry.board, k)).len();
        assert!((0..N_SYMMETRIES).all(|k| turned(k) == lines), "{}", entry.board);
    }
}

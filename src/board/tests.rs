//! Tests of the rules.

use std::collections::HashSet;

use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};

use super::bitboard::Squares;
use super::parse::ParseError;
use super::perft::perft;
use super::{
    Board, Color, Move, Position, Square, flip, hash, last_flip, mobility, stability, symmetry,
};
use crate::support::random::draw;

/// The boards of a random game with its passes and its end.
pub(crate) fn random_game(seed: u64) -> Vec<Board> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut boards = vec![Board::START];
    while let Some(board) = boards.last().copied().filter(|board| !board.is_over()) {
        boards.push(play_on(board, &mut random));
    }
    boards
}

/// Boards of random games, also with few discs, passes and wipe-outs.
pub(crate) fn random_boards(n_games: u64) -> impl Iterator<Item = Board> {
    (0..n_games).flat_map(random_game)
}

/// The board after a random move or a pass.
pub(crate) fn play_on(board: Board, random: &mut Xoshiro256PlusPlus) -> Board {
    let moves: Vec<Square> = board.moves().collect();
    match moves.len() as u64 {
        0 => board.passed(),
        n => board.play(Move::Place(moves[draw(random, n) as usize])).unwrap(),
    }
}

/// The rules as one would explain them: walk from the square in each direction.
fn slow_flips(square: Square, board: Board) -> u64 {
    let mut turned = 0;
    for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)] {
        let (mut x, mut y) = (square.column() as i8 + dx, square.row() as i8 + dy);
        let mut run = 0;
        while let Some(here) = Square::at(x as u8, y as u8) {
            if board.opponent & here.bit() != 0 {
                run |= here.bit();
            } else {
                if board.player & here.bit() != 0 {
                    turned |= run;
                }
                break;
            }
            x += dx;
            y += dy;
        }
    }
    turned
}

#[test]
fn perft_from_the_start() {
    let known = [1, 4, 12, 56, 244, 1396, 8200, 55092, 390_216, 3_005_288, 24_571_284];
    for (depth, &leaves) in known.iter().enumerate() {
        assert_eq!(perft(Board::START, depth as u32), leaves, "depth {depth}");
    }
}

#[test]
fn perft_counts_passes_and_ends() {
    for (position, counts) in [
        // Black has only a8 and takes the last white disc: the game is over after one ply.
        ("-------- -------- -------- -------- -------- X------- O------- -------- X", [1, 1, 1, 1]),
        // Black must pass; White then has two moves.
        ("-------------------X-------XX--O---XXXOO-----X-O-----X---------- X", [1, 1, 2, 8]),
    ] {
        let board = Position::parse(position.as_bytes()).unwrap().board;
        assert_eq!([0, 1, 2, 3].map(|depth| perft(board, depth)), counts);
    }
}

#[test]
fn every_flip_and_mobility_variant_agrees_with_the_slow_rule() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    let arbitrary = (0..20_000).map(|_| {
        let player = random.next_u64() & random.next_u64();
        Board { player, opponent: random.next_u64() & !player }
    });
    for board in random_boards(300).chain(arbitrary) {
        let mut legal = 0;
        for square in Squares(board.empties()) {
            let expected = slow_flips(square, board);
            assert_eq!(flip::portable::flips(square, board.player, board.opponent), expected);
            assert_eq!(flip::mirrored::flips(square, board.player, board.opponent), expected);
            #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
            assert_eq!(flip::avx2::flips(square, board.player, board.opponent), expected);
            #[cfg(all(
                target_arch = "x86_64",
                target_feature = "avx512f",
                target_feature = "avx512cd",
                target_feature = "avx512vl"
            ))]
            assert_eq!(flip::avx512::flips(square, board.player, board.opponent), expected);
            assert_eq!(board.flips(square), expected);
            legal |= if expected != 0 { square.bit() } else { 0 };
        }
        assert_eq!(board.legal_moves(), legal);
        assert_eq!(mobility::portable::legal_moves(board.player, board.opponent), legal);
    }
}

#[test]
fn the_last_flips_are_counted_right() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(13);
    for square in Square::all() {
        for _ in 0..500 {
            let player = random.next_u64() & !square.bit();
            let board = Board { player, opponent: !player & !square.bit() };
            let expected = slow_flips(square, board).count_ones();
            assert_eq!(last_flip::count(square, board.player), expected, "{square} {board}");
        }
    }
}

#[test]
fn symmetries_keep_the_rules() {
    for board in random_boards(20) {
        let canonical = symmetry::canonical(board);
        for k in 0..symmetry::N_SYMMETRIES {
            let image = symmetry::transform_board(board, k);
            assert_eq!(image.legal_moves(), symmetry::transform(board.legal_moves(), k));
            assert_eq!(
                stability::stable_discs(image.player, image.opponent),
                symmetry::transform(stability::stable_discs(board.player, board.opponent), k)
            );
            assert_eq!(symmetry::canonical(image), canonical);
        }
    }
    assert_eq!(
        symmetry::transpose(Square::parse(b"b1").unwrap().bit()),
        Square::parse(b"a2").unwrap().bit()
    );
    assert_eq!(symmetry::mirror_columns(1), 1 << 7);
}

#[test]
fn stable_discs_are_never_turned() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut n_stable = 0;
    for start in random_boards(60) {
        let stable = stability::stable_discs(start.player, start.opponent);
        assert_eq!(stable & !start.player, 0);
        n_stable += stable.count_ones();
        for _ in 0..3 {
            let (mut board, mut own_turn) = (start, true);
            while !board.is_over() {
                board = play_on(board, &mut random);
                own_turn = !own_turn;
                let own = if own_turn { board.player } else { board.opponent };
                assert_eq!(stable & !own, 0, "{start}");
            }
        }
    }
    assert!(n_stable > 10_000, "{n_stable}");
}

#[test]
fn full_lines_are_found() {
    for board in random_boards(40) {
        let discs = board.player | board.opponent;
        for (lines, steps) in
            stability::full_lines(discs).iter().zip([(1, 0), (0, 1), (-1, 1), (1, 1)])
        {
            for square in Square::all() {
                let full = [1, -1].iter().all(|sign| {
                    let (mut x, mut y) = (square.column() as i8, square.row() as i8);
                    while let Some(here) = Square::at(x as u8, y as u8) {
                        if discs & here.bit() == 0 {
                            return false;
                        }
                        x += steps.0 * sign;
                        y += steps.1 * sign;
                    }
                    true
                });
                assert_eq!(lines & square.bit() != 0, full, "{square} {steps:?} {board}");
            }
        }
    }
}

#[test]
fn hashes_differ() {
    let boards: HashSet<Board> = random_boards(200).collect();
    let hashes: HashSet<u64> = boards.iter().map(|&board| hash::hash(board)).collect();
    assert_eq!(hashes.len(), boards.len());
}

#[test]
fn text_forms() {
    let text = "---------------------------OX------XO--------------------------- X";
    assert_eq!(Position::START.to_string(), text);
    for board in random_boards(3) {
        for side in [Color::Black, Color::White] {
            let position = Position { board, side };
            assert_eq!(Position::parse(position.to_string().as_bytes()), Ok(position));
        }
    }
    assert!(Position::parse(&text.as_bytes()[1..]).is_err());
    assert!(Position::parse(b"").is_err());
    assert!(Position::parse(text.replace('X', "?").as_bytes()).is_err());
    assert_eq!(Position::parse_any(format!("{text} \n").as_bytes()), Ok(Position::START));
    for (after, error) in [("?", ParseError::Cell('?')), ("XO", ParseError::CellCount(66))] {
        assert_eq!(Position::parse_any(format!("{text} {after}").as_bytes()), Err(error));
    }
    let cells = &text[..64];
    for number in ["0", "1", "-3", "+2.5", ", 7", "0; D3:+2"] {
        let error = Position::parse_any(format!("{cells} {number}").as_bytes()).unwrap_err();
        assert!(error.to_string().contains("expected X, B or * for Black"), "{number}: {error}");
    }
    assert_eq!(Position::parse(format!("{cells} 0").as_bytes()), Err(ParseError::Side));
    for moves in ["1. f5", "1f5", "1) f5"] {
        assert!(Position::parse_prefix(format!("{cells} {moves}").as_bytes()).is_ok(), "{moves}");
    }
    assert_eq!(
        Square::parse(b"f5").map(|square| format!("{square} {square:#}")),
        Some("f5 F5".into())
    );
    for bad in [&b"i1"[..], b"a9", b"a0", b"a", b"a11", b"`1"] {
        assert_eq!(Square::parse(bad), None);
    }
    assert_eq!(Move::parse(b"PASS"), Some(Move::Pass));
}

#[test]
fn empties_go_to_the_winner() {
    let board = Board { player: 0b111, opponent: 0b1000 };
    assert_eq!((board.final_score(), board.passed().final_score()), (62, -62));
    assert_eq!(Board { player: 1, opponent: 2 }.final_score(), 0);
}

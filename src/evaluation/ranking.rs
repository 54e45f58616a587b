//! A small model that ranks moves near the end of the game.
//!
//! Where a game is solved, mobility orders moves well and costs little. The whole evaluation orders them better, but costs more
//! than that saves. This sum over twelve pattern instances, corners of two rows and edges, is nearly as good and stays in the cache.
//! It is learnt from solved positions, apart from the evaluation; a search's outcome does not depend on it, only its time.

use std::ops::RangeInclusive;

use super::patterns::{Shape, build, sum};
use crate::board::bitboard::NO_SQUARE;
use crate::board::{Board, Square};

/// Number of shapes.
pub const N_SHAPES: usize = 2;

/// Number of instances, the shapes' images.
pub const N_INSTANCES: usize = 12;

/// A register of AVX2; the last lanes are not used.
const N_LANES: usize = 16;

const SQUARES: [&str; N_SHAPES] = ["a1b1c1d1a2b2c2d2", "a1b1c1d1e1f1g1h1"];

const BUILT: ([Shape; N_SHAPES], [[u16; N_LANES]; 64]) =
    build::<N_SHAPES, N_LANES, N_INSTANCES>(&SQUARES, &SQUARES, 0);

/// The shapes, of the same size.
pub const SHAPES: [Shape; N_SHAPES] = BUILT.0;

/// Contents of a shape.
pub const N_CONTENTS: usize = SHAPES[0].n_contents();

/// Numbers of empty squares that the model is learnt for; for others it is less good.
pub const RANKED_EMPTIES: RangeInclusive<u32> = 10..=13;

/// Bytes of the model: a 16-bit number in 1/128 disc, little-endian, for each of the contents, shape by shape, for even numbers of
/// empty squares and then for odd ones.
pub const N_BYTES: usize = 2 * 2 * N_SHAPES * N_CONTENTS;

/// The embedded model.
pub static RANKING: Ranking = Ranking::from_bytes(include_bytes!("ranking.bin"));

/// One number for each instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(32))]
pub struct Contents(pub [u16; N_LANES]);

/// By square, what a disc of the side to move adds to each number; zeros for [`NO_SQUARE`].
static POWERS: [Contents; NO_SQUARE + 1] = {
    let mut powers = [Contents([0; N_LANES]); NO_SQUARE + 1];
    let mut square = 0;
    while square < 64 {
        powers[square] = Contents(BUILT.1[square]);
        square += 1;
    }
    powers
};

#[inline(always)]
fn added(set: u64) -> [u16; N_LANES] {
    sum(set, |square| &POWERS[square].0)
}

impl Contents {
    /// The contents of a board, seen by the side to move.
    #[inline(always)]
    pub fn new(board: Board) -> Contents {
        let (own, other) = (added(board.player), added(board.opponent));
        Contents(std::array::from_fn(|lane| own[lane] + 2 * other[lane]))
    }

    /// The contents, seen by the next side to move, after its opponent has placed a disc on `square` and turned `flips`.
    #[inline(always)]
    #[must_use]
    pub fn after(&self, square: Square, flips: u64) -> Contents {
        // Turned discs were 1 and become 2.
        let turned = added(flips);
        let placed = &POWERS[square.index()].0;
        Contents(std::array::from_fn(|lane| self.0[lane] + turned[lane] + 2 * placed[lane]))
    }
}

/// Room for the contents of a shape, a power of two so that an index can be masked instead of checked.
const TABLE: usize = N_CONTENTS.next_power_of_two();

/// The weights of the model.
#[derive(Debug)]
pub struct Ranking([[[i16; TABLE]; N_SHAPES]; 2]);

impl Ranking {
    /// The model of these bytes.
    pub const fn from_bytes(bytes: &[u8; N_BYTES]) -> Ranking {
        let mut tables = [[[0; TABLE]; N_SHAPES]; 2];
        let mut index = 0;
        while index < N_BYTES / 2 {
            let weight = i16::from_le_bytes([bytes[2 * index], bytes[2 * index + 1]]);
            let (table, contents) = (index / N_CONTENTS, index % N_CONTENTS);
            tables[table / N_SHAPES][table % N_SHAPES][contents] = weight;
            index += 1;
        }
        Ranking(tables)
    }

    /// The value of a position for the side to move, in 1/128 disc up to a constant: only for comparing positions after
    /// the moves of the same position.
    #[inline(always)]
    pub fn value(&self, contents: &Contents, n_empties: u32) -> i32 {
        let tables = &self.0[n_empties as usize % 2];
        let mut value = 0;
        for (shape, table) in SHAPES.iter().zip(tables) {
            for &contents in &contents.0[shape.first_lane..shape.first_lane + shape.n_lanes] {
                value += i32::from(table[usize::from(contents) % TABLE]);
            }
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::symmetry::transform_board;
    use crate::board::tests::random_game;

    #[test]
    fn contents_follow_the_moves() {
        for board in random_game(1) {
            let before = Contents::new(board.passed());
            for square in board.moves() {
                let flips = board.flips(square);
                let after = Contents::new(board.after(square, flips));
                assert_eq!(before.after(square, flips), after);
                assert!(after.0.iter().all(|&number| usize::from(number) < N_CONTENTS));
            }
        }
        assert!(SHAPES.iter().all(|shape| shape.n_contents() == N_CONTENTS));
    }

    #[test]
    fn symmetric_boards_have_the_same_value() {
        let value = |board: Board| RANKING.value(&Contents::new(board), board.n_empties());
        let boards = random_game(1);
        assert!(boards.iter().any(|&board| value(board) != value(boards[0])));
        for board in boards {
            assert!((1..8).all(|k| value(transform_board(board, k)) == value(board)), "{board:?}");
        }
    }

    #[test]
    fn corners_are_worth_having() {
        let corner =
            |player, opponent| RANKING.value(&Contents::new(Board { player, opponent }), 12);
        assert!(corner(1, 0) > corner(0, 1) + 128);
    }
}

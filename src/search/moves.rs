//! The moves of a node, and picking the best ranked one.

use super::ordering::TABLE_MOVE;
use crate::board::bitboard::Squares;
use crate::board::{Board, Square};

/// A legal move with the discs that it flips and its rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub square: Square,
    pub flips: u64,
    /// Higher is tried earlier.
    pub rank: i32,
}

/// An upper bound on legal moves. Games from the start are not known to exceed 33, but boards that are set up may.
const MAX_MOVES: usize = 64;

/// The moves of a node. Picking is lazy: most nodes are cut off after the first move.
pub(super) struct MoveList {
    moves: [Candidate; MAX_MOVES],
    length: usize,
    picked: usize,
}

impl MoveList {
    #[inline(always)]
    pub fn new(board: Board, moves: u64) -> MoveList {
        let none = Candidate { square: Square::lowest(1), flips: 0, rank: 0 };
        let mut list = MoveList { moves: [none; MAX_MOVES], length: 0, picked: 0 };
        for square in Squares(moves) {
            list.moves[list.length] = Candidate { square, flips: board.flips(square), rank: 0 };
            list.length += 1;
        }
        list
    }

    pub fn as_slice(&self) -> &[Candidate] {
        &self.moves[..self.length]
    }

    pub fn left_mut(&mut self) -> &mut [Candidate] {
        &mut self.moves[self.picked..self.length]
    }

    /// `false` if the move is not among those left.
    #[inline(always)]
    pub fn prefer(&mut self, square: Option<Square>) -> bool {
        let preferred =
            self.left_mut().iter_mut().find(|candidate| Some(candidate.square) == square);
        preferred.map(|candidate| candidate.rank = TABLE_MOVE).is_some()
    }

    pub const fn n_picked(&self) -> usize {
        self.picked
    }

    pub const fn n_left(&self) -> usize {
        self.length - self.picked
    }

    /// The best first.
    pub fn rest(&mut self) -> Vec<Candidate> {
        std::iter::from_fn(|| self.pick()).collect()
    }

    #[inline(always)]
    pub fn pick(&mut self) -> Option<Candidate> {
        let rest = &mut self.moves[self.picked..self.length];
        let mut best = (0, rest.first()?.rank);
        for (at, candidate) in rest.iter().enumerate().skip(1) {
            if candidate.rank > best.1 {
                best = (at, candidate.rank);
            }
        }
        rest.swap(0, best.0);
        self.picked += 1;
        Some(rest[0])
    }
}

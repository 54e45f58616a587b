//! The order in which moves are tried: the better the first one, the smaller the tree.

use crate::board::bitboard::{CORNERS, Squares, neighbors};
use crate::board::{Board, Square};

/// A move with what playing it needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub square: Square,
    pub flips: u64,
    /// Higher is tried earlier.
    pub rank: i32,
}

/// No position has more legal moves. From the start no more than 33 are known to be reached at a time, but boards are set up too.
const MAX_MOVES: usize = 64;

/// The moves of a node. Picking is lazy: most nodes are cut off after the first move.
pub(super) struct Candidates {
    moves: [Candidate; MAX_MOVES],
    length: usize,
    picked: usize,
}

impl Candidates {
    /// All moves of a board, unranked.
    #[inline(always)]
    pub fn new(board: Board, moves: u64) -> Candidates {
        let none = Candidate { square: Square::lowest(1), flips: 0, rank: 0 };
        let mut list = Candidates { moves: [none; MAX_MOVES], length: 0, picked: 0 };
        for square in Squares(moves) {
            list.moves[list.length] = Candidate { square, flips: board.flips(square), rank: 0 };
            list.length += 1;
        }
        list
    }

    pub fn as_slice(&self) -> &[Candidate] {
        &self.moves[..self.length]
    }

    /// The moves not yet picked.
    pub fn left_mut(&mut self) -> &mut [Candidate] {
        &mut self.moves[self.picked..self.length]
    }

    /// Puts a move before all others; `false` if it is not among those left.
    #[inline(always)]
    pub fn prefer(&mut self, square: Option<Square>) -> bool {
        let preferred =
            self.left_mut().iter_mut().find(|candidate| Some(candidate.square) == square);
        preferred.map(|candidate| candidate.rank = TABLE_MOVE).is_some()
    }

    /// The number of moves picked.
    pub const fn n_picked(&self) -> usize {
        self.picked
    }

    /// The number of moves not yet picked.
    pub const fn n_left(&self) -> usize {
        self.length - self.picked
    }

    /// The moves not yet picked, the best first.
    pub fn rest(&mut self) -> Vec<Candidate> {
        std::iter::from_fn(|| self.pick()).collect()
    }

    /// The best of the moves not yet picked.
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

/// Rank of the table's move, above all others.
const TABLE_MOVE: i32 = 1 << 30;
/// Rank of a move that leaves the opponent without discs.
pub(super) const WIPE_OUT: i32 = 1 << 29;

/// Ranks by square alone, from inside experience: corners first, squares beside empty corners last.
#[rustfmt::skip]
pub(super) static SQUARE_RANK: [i8; 64] = [
    18,  4, 16, 12, 12, 16,  4, 18,
     4,  0,  6,  8,  8,  6,  0,  4,
    16,  6, 14, 10, 10, 14,  6, 16,
    12,  8, 10,  0,  0, 10,  8, 12,
    12,  8, 10,  0,  0, 10,  8, 12,
    16,  6, 14, 10, 10, 14,  6, 16,
     4,  0,  6,  8,  8,  6,  0,  4,
    18,  4, 16, 12, 12, 16,  4, 18,
];

/// Legal moves with corners counted twice, for a corner is worth more than any other move.
#[inline(always)]
pub(super) const fn weighted_mobility(moves: u64) -> i32 {
    (moves.count_ones() + (moves & CORNERS).count_ones()) as i32
}

/// The squares of a side's possible future moves.
#[inline(always)]
pub(super) const fn potential_mobility(board: Board) -> i32 {
    let squares = neighbors(board.opponent) & board.empties();
    (squares.count_ones() + (squares & CORNERS).count_ones()) as i32
}

/// Ranks without evaluation, for nodes near the leaves and in the endgame: few replies first.
#[inline(always)]
pub(super) fn rank_by_mobility(
    board: Board,
    candidates: &mut [Candidate],
    table_moves: [Option<Square>; 2],
    odd_region: u64,
) {
    for candidate in &mut *candidates {
        let square = candidate.square;
        if candidate.flips == board.opponent {
            candidate.rank = WIPE_OUT;
            continue;
        }
        let child = board.after(square, candidate.flips);
        candidate.rank = (32 - weighted_mobility(child.legal_moves())) * 64
            + (32 - potential_mobility(child)) * 4
            + i32::from(SQUARE_RANK[square.index()]);
        if odd_region & square.bit() != 0 {
            candidate.rank += 8;
        }
    }
    promote(candidates, table_moves);
}

/// Ranks the moves of the table above all others.
#[inline(always)]
pub(super) fn promote(candidates: &mut [Candidate], table_moves: [Option<Square>; 2]) {
    for (rank, table_move) in table_moves.into_iter().enumerate() {
        let Some(table_move) = table_move else { continue };
        for candidate in &mut *candidates {
            if candidate.square == table_move {
                candidate.rank = candidate.rank.max(TABLE_MOVE - rank as i32);
            }
        }
    }
}

/// The union of the quadrants with an odd number of empty squares: to play the last move there is an advantage (parity).
#[inline(always)]
pub(super) fn odd_region(empties: u64) -> u64 {
    crate::board::bitboard::QUADRANTS
        .iter()
        .filter(|&&quadrant| (empties & quadrant).count_ones() & 1 != 0)
        .fold(0, |region, quadrant| region | quadrant)
}

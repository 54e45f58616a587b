//! Sets of squares as 64-bit words: constants, neighborhoods and iteration.

use super::square::Square;

/// Columns a and h.
pub const SIDE_COLUMNS: u64 = 0x8181_8181_8181_8181;
/// The four squares that never are empty in a game.
pub const CENTER: u64 = 0x0000_0018_1800_0000;
/// The four corners.
pub const CORNERS: u64 = 0x8100_0000_0000_0081;
/// The four squares diagonally beside the corners (b2, g2, b7, g7).
pub const X_SQUARES: u64 = 0x0042_0000_0000_4200;
/// The eight edge squares beside the corners (b1, a2 ...).
pub const C_SQUARES: u64 = 0x4281_0000_0000_8142;
/// The four quadrants of 4x4 squares: upper left, upper right, lower left, lower right.
pub const QUADRANTS: [u64; 4] =
    [0x0000_0000_0F0F_0F0F, 0x0000_0000_F0F0_F0F0, 0x0F0F_0F0F_0000_0000, 0xF0F0_F0F0_0000_0000];

/// The squares of a set, lowest index first.
#[derive(Clone, Copy, Debug)]
pub struct Squares(pub u64);

impl Iterator for Squares {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        let square = Square::lowest(self.0);
        self.0 &= self.0 - 1;
        Some(square)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = self.0.count_ones() as usize;
        (n, Some(n))
    }
}

/// The index that [`visit_padded`] passes in place of a missing square.
pub const NO_SQUARE: usize = 64;

/// Calls `visit` with the index of each square of a set, lowest first, then with [`NO_SQUARE`] until there were four
/// calls. Most moves turn one to four discs, and processors do not foresee how many: four calls in any case are quicker
/// than a loop whose end is mispredicted.
#[inline(always)]
pub fn visit_padded(mut set: u64, mut visit: impl FnMut(usize)) {
    let mut next = || {
        visit(set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        set != 0
    };
    for _ in 0..3 {
        next();
    }
    while next() {}
}

/// The set together with all squares that touch it in the eight directions.
#[inline(always)]
pub const fn grown(set: u64) -> u64 {
    let inner = !SIDE_COLUMNS;
    let right_open = set & (inner | 0x0101_0101_0101_0101);
    let left_open = set & (inner | 0x8080_8080_8080_8080);
    let row = set | right_open << 1 | left_open >> 1;
    row | row << 8 | row >> 8
}

/// The squares that touch the set but are not in it.
#[inline(always)]
pub const fn neighbors(set: u64) -> u64 {
    grown(set) & !set
}

/// The squares that touch a square.
#[inline(always)]
pub fn neighbors_of(square: Square) -> u64 {
    NEIGHBORS[square.index()]
}

/// The quadrant of a square, one of [`QUADRANTS`].
#[inline(always)]
pub fn quadrant(square: Square) -> u64 {
    QUADRANT_OF[square.index()]
}

static NEIGHBORS: [u64; 64] = {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = neighbors(1 << square);
        square += 1;
    }
    table
};

static QUADRANT_OF: [u64; 64] = {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = QUADRANTS[square >> 2 & 1 | square >> 4 & 2];
        square += 1;
    }
    table
};

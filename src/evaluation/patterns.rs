//! Patterns: sets of squares whose contents, read as a number in base 3, select a weight.
//!
//! A shape and its images under the eight symmetries share one table (Buro, "From Simple Features to Sophisticated Evaluation
//! Functions", 1998). A square counts 0 if it is empty, 1 if the side to move has it, 2 if the opponent has. The shapes are the
//! classic ones (edges, corners, rows, diagonals) with some triangular ones at the corner.

use crate::board::bitboard::{NO_SQUARE, neighbors, visit_padded};
use crate::board::symmetry::{N_SYMMETRIES, transform};
use crate::board::{Board, Square, mobility};

/// The most squares in a shape.
const MAX_SQUARES: usize = 10;

/// A shape: its squares, in the order in which files number its contents, lowest digit first.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    squares: [u8; MAX_SQUARES],
    /// For each square the place of its digit in the contents that a search computes.
    digits: [u8; MAX_SQUARES],
    /// Number of squares.
    pub n_squares: usize,
    /// Lane of its first instance.
    pub first_lane: usize,
    /// Number of its images.
    pub n_lanes: usize,
    /// Where its weights begin within a stage's.
    pub offset: usize,
}

impl Shape {
    /// Number of contents: 3 to the number of squares.
    pub const fn n_contents(&self) -> usize {
        3usize.pow(self.n_squares as u32)
    }

    /// By contents, the contents with each digit moved to its place in `places`.
    fn moved(&self, places: &[u8; MAX_SQUARES]) -> Vec<usize> {
        let powers = places.map(|place| 3usize.pow(place.into()));
        let mut digits = [0; MAX_SQUARES];
        let mut moved = 0;
        let mut all = vec![0; self.n_contents()];
        for contents in &mut all {
            *contents = moved;
            // Count up in base 3, and update `moved` digit by digit.
            for (digit, power) in digits[..self.n_squares].iter_mut().zip(powers) {
                if *digit < 2 {
                    *digit += 1;
                    moved += power;
                    break;
                }
                *digit = 0;
                moved -= 2 * power;
            }
        }
        all
    }

    /// Gives each of the contents the number of its free weight, from `first` on; symmetric contents share one. The numbers follow
    /// the order of the contents in files. Returns the first number that is left.
    pub fn number_free(&self, numbers: &mut [u32], first: usize) -> usize {
        // For each of the contents, the least of its images under the symmetries of the shape.
        let mut least: Vec<usize> = (0..self.n_contents()).collect();
        for places in (1..N_SYMMETRIES).filter_map(|k| self.permutation(k)) {
            for (least, image) in least.iter_mut().zip(self.moved(&places)) {
                *least = (*least).min(image);
            }
        }
        let searched = self.moved(&self.digits);
        let mut next = first;
        for (contents, least) in least.into_iter().enumerate() {
            if least == contents {
                numbers[searched[contents]] = next as u32;
                next += 1;
            } else {
                numbers[searched[contents]] = numbers[searched[least]];
            }
        }
        next
    }

    /// How many free weights its contents have, as [`Shape::number_free`] would count them: the number of contents that
    /// a symmetry leaves unchanged, averaged over the symmetries (Burnside's lemma).
    pub fn n_free(&self) -> usize {
        let symmetries: Vec<_> = (0..N_SYMMETRIES).filter_map(|k| self.permutation(k)).collect();
        let fixed = |places: &[u8; MAX_SQUARES]| {
            let mut seen = [false; MAX_SQUARES];
            let mut fixed = 1;
            for mut place in 0..self.n_squares {
                fixed *= if seen[place] { 1 } else { 3 };
                while !seen[place] {
                    seen[place] = true;
                    place = usize::from(places[place]);
                }
            }
            fixed
        };
        symmetries.iter().map(fixed).sum::<usize>() / symmetries.len()
    }

    /// Its squares, numbered from 0 to 63 row by row, padded with zeros.
    pub(super) const fn padded_squares(&self) -> [u8; MAX_SQUARES] {
        self.squares
    }

    /// The shape of the first squares alone, which must be those of the lowest digits; it has the same instances.
    pub const fn first_squares(&self, n_squares: usize) -> Shape {
        let mut place = 0;
        while place < n_squares {
            assert!((self.digits[place] as usize) < n_squares);
            place += 1;
        }
        Shape { n_squares, ..*self }
    }

    /// Where symmetry `k` moves each digit, if it maps the shape to itself.
    fn permutation(&self, k: usize) -> Option<[u8; MAX_SQUARES]> {
        let squares = &self.squares[..self.n_squares];
        let mut places = [0; MAX_SQUARES];
        for (place, &square) in squares.iter().enumerate() {
            let target = transform(1 << square, k).trailing_zeros() as u8;
            places[place] = squares.iter().position(|&square| square == target)? as u8;
        }
        Some(places)
    }
}

/// Number of shapes.
pub const N_SHAPES: usize = 14;

/// The shapes with their squares. The largest come last: see [`N_WEIGHTS`].
const SQUARES: [&str; N_SHAPES] = [
    "a4b3c2d1",
    "a5b4c3d2e1",
    "a6b5c4d3e2f1",
    "a7b6c5d4e3f2g1",
    "a8b7c6d5e4f3g2h1",
    "a4b4c4d4e4f4g4h4",
    "a3b3c3d3e3f3g3h3",
    "a2b2c2d2e2f2g2h2",
    "a1b1c1a2b2c2a3b3c3",
    "a1b1c1d1e1f1g1h1b2g2",
    "c1d1e1f1c2d2e2f2a1h1",
    "a1b1c1d1a2b2c2a3b3a4",
    "a1b2c3d4b1c2d3a2b3c4",
    "a1b1c1d1a2b2c2d2e1e2",
];

/// The same squares in the order of the digits of the contents that a search computes, lowest first. Those that differ
/// most between positions of one search come first, so that the weights of such positions lie in few cache lines. Where
/// the network has rows for the first squares of a shape, both orders begin with the same set of squares.
const DIGITS: [&str; N_SHAPES] = [
    "d1a4c2b3",
    "e1a5d2b4c3",
    "e2a6f1b5d3c4",
    "b6f2e3g1a7c5d4",
    "f3g2b7d5a8h1e4c6",
    "b4a4g4h4c4f4e4d4",
    "g3b3c3f3h3a3d3e3",
    "c2b2f2d2e2g2h2a2",
    "c2c1b3a3b2b1a2a1c3",
    "c1d1e1f1b1a1h1g1b2g2",
    "c2f2e2f1d2d1e1c1h1a1",
    "d1c1c2a4b2a2b1a1b3a3",
    "c2d4b3c4a2b2b1a1d3c3",
    "b2a2c2c1d2d1a1b1e1e2",
];

/// Lanes of the index vectors: two registers of AVX-512. The last ones are not used.
pub const N_LANES: usize = 64;

/// Number of instances, the shapes' images.
pub const N_INSTANCES: usize = 58;

/// One number for each instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Lanes(pub [u16; N_LANES]);

/// The counts that have weights besides the patterns: legal moves of the side to move and of its opponent, empty squares next
/// to the opponent's discs and to the mover's.
pub const N_COUNTS: usize = 4;

/// Values of a count.
pub const N_COUNT_VALUES: usize = 64;

/// Where the weights of the patterns begin within a stage's, after those of the counts.
const PATTERNS_OFFSET: usize = N_COUNTS * N_COUNT_VALUES;

/// Weights of a stage: the counts, the shapes. The last shape is among the largest, and after its weights there is room up to the
/// largest number of 16 bits: so any 16-bit index from the offset of any shape lies within, and the compiler needs no check.
pub const N_WEIGHTS: usize = SHAPES[N_SHAPES - 1].offset + (1 << 16);

/// The shapes.
pub const SHAPES: [Shape; N_SHAPES] = BUILT.0;

/// By square, what a disc of the side to move adds to the number of each instance; zeros for [`NO_SQUARE`].
pub static POWERS: [Lanes; NO_SQUARE + 1] = {
    let mut powers = [Lanes([0; N_LANES]); NO_SQUARE + 1];
    let mut square = 0;
    while square < 64 {
        powers[square] = Lanes(BUILT.1[square]);
        square += 1;
    }
    powers
};

const BUILT: ([Shape; N_SHAPES], [[u16; N_LANES]; 64]) =
    build::<N_SHAPES, N_LANES, N_INSTANCES>(&SQUARES, &DIGITS, PATTERNS_OFFSET);

const fn square_at(text: &str, place: usize) -> u8 {
    let text = text.as_bytes();
    (text[2 * place + 1] - b'1') * 8 + (text[2 * place] - b'a')
}

/// Shapes from their squares in the order of files and in that of the digits, the weights of the first one at `offset`; and by
/// square what a disc of the side to move adds to the number of each instance.
pub(super) const fn build<const SHAPES: usize, const LANES: usize, const INSTANCES: usize>(
    squares: &[&str; SHAPES],
    digits: &[&str; SHAPES],
    mut offset: usize,
) -> ([Shape; SHAPES], [[u16; LANES]; 64]) {
    let none = Shape {
        squares: [0; MAX_SQUARES],
        digits: [0; MAX_SQUARES],
        n_squares: 0,
        first_lane: 0,
        n_lanes: 0,
        offset: 0,
    };
    let mut shapes = [none; SHAPES];
    let mut powers = [[0; LANES]; 64];
    let mut lane = 0;
    let mut index = 0;
    while index < SHAPES {
        let shape = &mut shapes[index];
        shape.n_squares = squares[index].len() / 2;
        shape.first_lane = lane;
        shape.offset = offset;
        let mut place = 0;
        while place < shape.n_squares {
            shape.squares[place] = square_at(squares[index], place);
            let mut digit = 0;
            while square_at(digits[index], digit) != shape.squares[place] {
                digit += 1;
            }
            shape.digits[place] = digit as u8;
            place += 1;
        }
        let mut seen = [0; N_SYMMETRIES];
        let mut k = 0;
        while k < N_SYMMETRIES {
            let mut set = 0;
            let mut place = 0;
            while place < shape.n_squares {
                set |= transform(1 << shape.squares[place], k);
                place += 1;
            }
            let mut is_new = true;
            let mut earlier = 0;
            while earlier < k {
                is_new &= seen[earlier] != set;
                earlier += 1;
            }
            seen[k] = set;
            if is_new {
                let mut place = 0;
                while place < shape.n_squares {
                    let square = transform(1 << shape.squares[place], k).trailing_zeros();
                    powers[square as usize][lane] = 3u16.pow(shape.digits[place] as u32);
                    place += 1;
                }
                lane += 1;
            }
            k += 1;
        }
        shape.n_lanes = lane - shape.first_lane;
        offset += shape.n_contents();
        index += 1;
    }
    assert!(lane == INSTANCES);
    (shapes, powers)
}

/// How many weights of a stage are free.
pub fn n_free_weights() -> usize {
    PATTERNS_OFFSET + SHAPES.iter().map(Shape::n_free).sum::<usize>()
}

/// For each weight of a stage the number of its free weight, which symmetric contents share; and the number of free
/// weights. The room after the last shape has number 0.
pub fn free_weights() -> (Vec<u32>, usize) {
    let mut numbers: Vec<u32> = (0..PATTERNS_OFFSET as u32).collect();
    let mut n_free = numbers.len();
    numbers.resize(N_WEIGHTS, 0);
    for shape in &SHAPES {
        n_free = shape.number_free(&mut numbers[shape.offset..], n_free);
    }
    (numbers, n_free)
}

/// The number of each instance, for the side to move and as its opponent would see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// Seen by the side to move.
    pub player: Lanes,
    /// Seen by the opponent.
    pub opponent: Lanes,
}

// The loops below run over whole vectors: compilers turn each into a few instructions of the widest registers there are.
impl Features {
    /// The features of a board.
    pub fn new(board: Board) -> Features {
        let player = added(board.player);
        let opponent = added(board.opponent);
        let join = |own: &[u16; N_LANES], other: &[u16; N_LANES]| {
            Lanes(std::array::from_fn(|lane| own[lane] + 2 * other[lane]))
        };
        Features { player: join(&player, &opponent), opponent: join(&opponent, &player) }
    }

    /// The features after the side to move places a disc on `square` and turns `flips`.
    #[inline(always)]
    #[must_use]
    pub fn after(&self, square: Square, flips: u64) -> Features {
        let turned = added(flips);
        let placed = &POWERS[square.index()].0;
        let mut after = Features { player: Lanes([0; N_LANES]), opponent: Lanes([0; N_LANES]) };
        for lane in 0..N_LANES {
            let turned = turned[lane];
            let placed = placed[lane];
            after.player.0[lane] = self.opponent.0[lane] + turned + 2 * placed;
            after.opponent.0[lane] = self.player.0[lane] + placed - turned;
        }
        after
    }

    /// The features after a pass.
    #[inline(always)]
    #[must_use]
    pub const fn passed(&self) -> Features {
        Features { player: self.opponent, opponent: self.player }
    }
}

#[inline(always)]
fn added(set: u64) -> [u16; N_LANES] {
    sum(set, |square| &POWERS[square].0)
}

/// The sum of the rows of a set's squares; the row of [`NO_SQUARE`] holds zeros.
#[inline(always)]
pub(super) fn sum<const LANES: usize>(
    set: u64,
    row: impl Fn(usize) -> &'static [u16; LANES],
) -> [u16; LANES] {
    let mut sum = [0; LANES];
    visit_padded(set, |square| {
        for (sum, added) in sum.iter_mut().zip(row(square)) {
            *sum += added;
        }
    });
    sum
}

/// The counts of a board, each below [`N_COUNT_VALUES`].
#[inline(always)]
pub fn counts(board: Board) -> [usize; N_COUNTS] {
    let Board { player, opponent } = board;
    let empties = board.empties();
    let count = |set: u64| (set.count_ones() as usize) & (N_COUNT_VALUES - 1);
    [
        count(mobility::legal_moves(player, opponent)),
        count(mobility::legal_moves(opponent, player)),
        count(empties & neighbors(opponent)),
        count(empties & neighbors(player)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::symmetry::transform_board;
    use crate::board::tests::random_boards;

    /// The numbers square by square, as the definition says.
    fn slow(board: Board) -> Vec<u16> {
        let mut lanes = vec![0; N_LANES];
        for shape in SHAPES {
            let mut seen = Vec::new();
            let mut lane = shape.first_lane;
            for k in 0..8 {
                let squares: Vec<u64> = shape.squares[..shape.n_squares]
                    .iter()
                    .map(|&square| transform(1 << square, k))
                    .collect();
                let set: u64 = squares.iter().sum();
                if seen.contains(&set) {
                    continue;
                }
                seen.push(set);
                for (bit, &place) in squares.iter().zip(&shape.digits) {
                    let digit = u16::from(board.player & bit != 0)
                        + 2 * u16::from(board.opponent & bit != 0);
                    lanes[lane] += digit * 3u16.pow(place.into());
                }
                lane += 1;
            }
            assert_eq!(lane, shape.first_lane + shape.n_lanes);
        }
        lanes
    }

    #[test]
    fn numbers_follow_the_definition_and_the_moves() {
        for board in random_boards(4) {
            let features = Features::new(board);
            assert_eq!(features.player.0.to_vec(), slow(board));
            assert_eq!(features.opponent.0.to_vec(), slow(board.passed()));
            assert_eq!(features.passed(), Features::new(board.passed()));
            for square in board.moves() {
                let flips = board.flips(square);
                let after = Features::new(board.after(square, flips));
                assert_eq!(features.after(square, flips), after);
            }
        }
    }

    #[test]
    fn symmetric_boards_have_the_same_weights() {
        let (numbers, n_free) = free_weights();
        assert_eq!(numbers.iter().max(), Some(&(n_free as u32 - 1)));
        assert_eq!(n_free_weights(), n_free);
        for board in random_boards(2).step_by(5) {
            let bag = |board: Board| {
                let features = Features::new(board);
                let mut all = Vec::new();
                for shape in SHAPES {
                    for lane in shape.first_lane..shape.first_lane + shape.n_lanes {
                        let contents = usize::from(features.player.0[lane]);
                        all.push(numbers[shape.offset + contents]);
                    }
                }
                all.sort_unstable();
                all
            };
            for k in 1..8 {
                assert_eq!(bag(transform_board(board, k)), bag(board));
            }
        }
    }

    #[test]
    fn every_square_is_seen_often() {
        let n_seen = |powers: &Lanes| powers.0.iter().filter(|&&power| power != 0).count();
        for powers in &POWERS[..NO_SQUARE] {
            assert!((5..=10).contains(&n_seen(powers)), "{powers:?}");
        }
        assert_eq!(n_seen(&POWERS[NO_SQUARE]), 0);
    }

    #[test]
    fn any_index_lies_within_a_stage() {
        for (index, shape) in SHAPES.iter().enumerate() {
            assert!(shape.offset + usize::from(u16::MAX) < N_WEIGHTS);
            let next = SHAPES.get(index + 1).map_or(N_WEIGHTS, |next| next.offset);
            assert!(shape.offset + shape.n_contents() <= next);
        }
    }
}

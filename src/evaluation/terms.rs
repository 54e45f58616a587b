//! The classic terms: mobility, potential mobility, square values and stable discs, weighted by stage.
//!
//! The choice of terms follows pyReversi's `positional` evaluation. The weights are a least-squares fit of the final
//! result to the terms over human games, so that the value is in discs. The stages are fitted from the last to the
//! first, each drawn towards the weights of the following stage where games say little.

use super::{ErrorModel, Evaluator};
use crate::board::bitboard::{CORNERS, neighbors};
use crate::board::stability::stable_discs;
use crate::board::{Board, Square, mobility};
use crate::score::{DISC, MAX, Score};

/// Number of terms.
pub const N_TERMS: usize = 15;

/// Number of stages: one for every four discs.
pub const N_STAGES: usize = 15;

/// The classes of squares that are alike under the eight symmetries, with the squares diagonally and directly beside a corner
/// counted only while that corner is empty.
const SQUARE_CLASSES: [u64; 9] = [
    CORNERS,
    0x4281_0000_0000_8142, // b1
    0x2400_8100_0081_0024, // c1
    0x1800_0081_8100_0018, // d1
    0x0042_0000_0000_4200, // b2
    0x0024_4200_0042_2400, // c2
    0x0018_0042_4200_1800, // d2
    0x0000_2400_0024_0000, // c3
    0x0000_183C_3C18_0000, // d3 and the center
];

/// The evaluation by terms; it has no state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terms;

/// The terms of a position for the side to move, each the difference to the opponent's, but the last two: whether the number
/// of empty squares is odd, and the constant 1.
#[inline(always)]
pub fn terms(board: Board) -> [i32; N_TERMS] {
    let Board { player, opponent } = board;
    let difference = |own: u64, other: u64| own.count_ones() as i32 - other.count_ones() as i32;
    let empties = board.empties();
    let empty_corners = empties & CORNERS;
    // Columns a-b and g-h of rows 1-2 and 7-8 around each empty corner.
    let near = neighbors(empty_corners);
    let mut terms = [0; N_TERMS];
    terms[0] = difference(
        mobility::legal_moves(player, opponent),
        mobility::legal_moves(opponent, player),
    );
    terms[1] = difference(empties & neighbors(opponent), empties & neighbors(player));
    terms[2] = difference(stable_discs(player, opponent), stable_discs(opponent, player));
    for (class, squares) in SQUARE_CLASSES.iter().enumerate() {
        let squares = if class == 1 || class == 4 { squares & near } else { *squares };
        terms[3 + class] = difference(player & squares, opponent & squares);
    }
    terms[12] = difference(player, opponent);
    terms[13] = (board.n_empties() & 1) as i32;
    terms[14] = 1;
    terms
}

/// The stage of a position: 0 from the start, 14 at the end.
#[inline(always)]
pub const fn stage(board: Board) -> usize {
    let n_discs = 64 - board.n_empties() as usize;
    let stage = n_discs.saturating_sub(4) / 4;
    if stage < N_STAGES { stage } else { N_STAGES - 1 }
}

impl Evaluator for Terms {
    type Features = ();

    #[inline(always)]
    fn features(&self, _: Board) {}

    #[inline(always)]
    fn after(&self, (): &(), _: Square, _: u64) {}

    #[inline(always)]
    fn passed(&self, (): &()) {}

    #[inline(always)]
    fn evaluate(&self, board: Board, (): &()) -> Score {
        if board.is_over() {
            return board.final_score() * DISC;
        }
        let weights = &WEIGHTS[stage(board)];
        let sum: i32 = terms(board).iter().zip(weights).map(|(term, weight)| term * weight).sum();
        // A disc short of the extremes: only a proven result is a wipe-out.
        (sum / (WEIGHT_SCALE / DISC)).clamp(-(MAX - DISC), MAX - DISC)
    }

    /// From 2,500 positions of human games with 12 to 56 empty squares, searched to depth 8 or 11.
    fn error_model(&self) -> ErrorModel {
        ErrorModel { base: 1.952, empties: -0.0268, shallow: -0.0814, growth: 0.3626 }
    }
}

/// One disc in the unit of the weights.
const WEIGHT_SCALE: i32 = 1024;

/// Weights by stage in 1/1024 disc, in the order of [`terms`]. The constant is 0.9 to 1.5 discs above the fit, so that searches of
/// odd and of even depth agree on average: the fit to games does not know that the mover picks the best move.
static WEIGHTS: [[i32; N_TERMS]; N_STAGES] = [
    [442, -162, 3029, 4373, -726, 2063, -264, -6991, -1199, 637, 494, 543, -1026, 881, 453],
    [748, 64, 3031, 4375, -717, 2087, -169, -7022, -1209, 170, 927, 372, -1141, 1587, -1053],
    [964, 644, 3051, 4396, -646, 2447, 121, -7126, -1488, -242, 1198, 167, -1107, 3682, -4176],
    [1187, 826, 3089, 4450, -585, 2988, 406, -7106, -1916, -998, 1275, 104, -1258, 3813, -4790],
    [1417, 742, 3017, 4437, -895, 2705, 544, -6873, -1542, -1197, 1222, 172, -1299, 2897, -4364],
    [1525, 643, 2728, 4284, -1342, 2412, 705, -6457, -1168, -1121, 1119, 293, -1278, 2587, -4055],
    [1618, 532, 2297, 3838, -1477, 2110, 787, -5856, -920, -949, 1051, 402, -1208, 2481, -3762],
    [1741, 404, 1997, 3184, -1448, 1772, 778, -5187, -683, -713, 998, 506, -1141, 2404, -3430],
    [1921, 236, 1789, 2702, -1455, 1422, 696, -4509, -433, -460, 908, 566, -1061, 2369, -3084],
    [2215, 7, 1592, 2612, -1579, 1047, 567, -3741, -195, -202, 700, 601, -942, 2324, -2672],
    [2635, -302, 1422, 2495, -1730, 660, 422, -3026, 17, 56, 451, 658, -807, 2295, -2153],
    [3142, -708, 1294, 2235, -1776, 221, 203, -2447, 135, 256, 259, 695, -632, 2297, -1510],
    [3649, -1142, 1206, 1812, -1689, -256, -50, -1947, 143, 334, 103, 625, -411, 2413, -835],
    [4017, -1487, 1166, 1094, -1511, -591, -263, -1258, 8, 193, -55, 403, -171, 2518, -131],
    [4176, -1632, 1198, 438, -1160, -605, -309, -417, -89, 15, -131, 191, -89, 2658, 486],
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;

    fn evaluate(cells: &str) -> Score {
        Terms.evaluate(Position::parse(cells.as_bytes()).unwrap().board, &())
    }

    #[test]
    fn symmetric_positions_are_worth_the_same() {
        let cells = "--------O--XO---OOXXXO---OXXXXX--OOXXXX--OXXXX---OXXX-----XX---- O";
        let board = Position::parse(cells.as_bytes()).unwrap().board;
        for k in 0..8 {
            let image = crate::board::symmetry::transform_board(board, k);
            assert_eq!(Terms.evaluate(image, &()), Terms.evaluate(board, &()));
        }
    }

    #[test]
    fn corners_are_good_and_x_squares_beside_empty_corners_bad() {
        let base = "--------------------------XXX---O-OOO-----XXX--------------------";
        let with = |square: usize| {
            let mut cells: Vec<u8> = base.bytes().take(64).collect();
            cells[square] = b'X';
            evaluate(&format!("{} X", String::from_utf8(cells).unwrap()))
        };
        let plain = evaluate(&format!("{} X", &base[..64]));
        assert!(with(0) > plain && with(9) < plain, "{} {} {plain}", with(0), with(9));
    }

    #[test]
    fn every_square_has_one_class() {
        let mut seen = 0;
        for class in SQUARE_CLASSES {
            assert_eq!(seen & class, 0);
            seen |= class;
        }
        assert_eq!(seen, u64::MAX);
    }
}

//! pyReversi's evaluations: static values of a position for the player, counted in whole points.
//!
//! | name | value for the player | window at the root |
//! |---|---|---|
//! | `anti` | the opponent's discs less the own: plays to lose | all |
//! | `discs` | the own discs less the opponent's | all |
//! | `least-loss` | like `discs` | up to 1: any win is as good as another, among losses the smallest |
//! | `positional` | S less the opponent's S, S = -discs + 2 legal moves + square values + 3 unturnable discs | all |
//! | `win-loss` | like `discs`, but all losses -1 | -2 to 1: any win, then a draw, then any loss |
//!
//! A finished game has no value of its own: empty squares count for nobody. A side without discs is worth -999 in `discs`,
//! `anti` and `least-loss`, also where it has lost them on purpose, and -1000 in `positional`.

use crate::board::bitboard::{C_SQUARES, CORNERS, SIDE_COLUMNS, X_SQUARES};
use crate::board::mobility::legal_moves;
use crate::players::Unit;

/// No value is beyond it, with the usual coefficients.
const INFINITE: i32 = 1000;

/// The value of a wipe-out where discs are counted.
const WIPE_OUT: i32 = 999;

pub const MAX_COEFFICIENT: i32 = 1000;

/// The coefficients of `positional`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coefficients {
    pub discs: i32,
    pub moves: i32,
    pub squares: i32,
    pub unturnable: i32,
}

impl Default for Coefficients {
    fn default() -> Coefficients {
        Coefficients { discs: -1, moves: 2, squares: 1, unturnable: 3 }
    }
}

impl Coefficients {
    /// More than any value, and at least the usual bound: a wipe-out must be worth more than all terms together.
    fn infinite(self) -> i32 {
        // 176 is the sum of all square values without their signs.
        let most = 64 * (self.discs.abs() + self.moves.abs() + self.unturnable.abs())
            + 176 * self.squares.abs();
        INFINITE.max(most + 1)
    }

    /// S of the side that owns `own`.
    fn sum(self, own: u64, other: u64) -> i32 {
        let n = |set: u64| set.count_ones() as i32;
        // Terms with the coefficient 0 are not computed: the last one is expensive.
        let term = |coefficient: i32, count: &dyn Fn() -> i32| {
            if coefficient == 0 { 0 } else { coefficient * count() }
        };
        self.discs * n(own)
            + term(self.moves, &|| n(legal_moves(own, other)))
            + term(self.squares, &|| square_values(own))
            + term(self.unturnable, &|| n(unturnable(own, other)))
    }
}

/// How a position is valued; `random`, which values nothing, is not among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluation {
    Anti,
    Discs,
    /// Content with any win.
    LeastLoss,
    Positional(Coefficients),
    WinLoss,
}

impl Evaluation {
    /// The window of the root, (alpha, beta).
    pub fn window(self) -> (i32, i32) {
        match self {
            Evaluation::Anti | Evaluation::Discs => (-INFINITE, INFINITE),
            Evaluation::LeastLoss => (-INFINITE, 1),
            Evaluation::Positional(coefficients) => {
                let infinite = coefficients.infinite();
                (-infinite, infinite)
            }
            Evaluation::WinLoss => (-2, 1),
        }
    }

    pub const fn unit(self) -> Unit {
        match self {
            Evaluation::Discs | Evaluation::LeastLoss => Unit::Discs,
            Evaluation::Anti | Evaluation::Positional(_) | Evaluation::WinLoss => Unit::Points,
        }
    }

    /// The value for the player who owns `own`, whoever is to move.
    pub fn value(self, own: u64, other: u64) -> i32 {
        let difference = own.count_ones() as i32 - other.count_ones() as i32;
        match self {
            Evaluation::WinLoss => difference.max(-1),
            Evaluation::Positional(coefficients) => {
                if own == 0 {
                    -coefficients.infinite()
                } else if other == 0 {
                    coefficients.infinite()
                } else {
                    coefficients.sum(own, other) - coefficients.sum(other, own)
                }
            }
            Evaluation::Anti | Evaluation::Discs | Evaluation::LeastLoss => {
                if own == 0 {
                    -WIPE_OUT
                } else if other == 0 {
                    WIPE_OUT
                } else if self == Evaluation::Anti {
                    -difference
                } else {
                    difference
                }
            }
        }
    }
}

/// The edges without the corners and C squares.
const EDGES: u64 = 0x3C00_8181_8181_003C;
/// The squares of the second ring between the X squares.
const SECOND_RING: u64 = 0x003C_4242_4242_3C00;

/// The sum of the values of the squares of a set; the middle sixteen are worth nothing.
pub fn square_values(set: u64) -> i32 {
    let n = |squares: u64| (set & squares).count_ones() as i32;
    20 * n(CORNERS) - 3 * n(C_SQUARES) - 6 * n(X_SQUARES) - n(EDGES) - 2 * n(SECOND_RING)
}

/// The discs of `own` that no single move could turn as the board is. A disc is turnable if on one of its four lines, past
/// discs of its own color both ways, one end is an empty square and the other an empty square or a disc of the opponent.
pub fn unturnable(own: u64, other: u64) -> u64 {
    let empty = !(own | other);
    let not_a = !0x0101_0101_0101_0101;
    let not_h = !0x8080_8080_8080_8080;
    debug_assert!(!not_a | !not_h == SIDE_COLUMNS);
    let turnable = turnable_on(own, other, empty, |set| set << 8, |set| set >> 8)
        | turnable_on(own, other, empty, |set| set << 1 & not_a, |set| set >> 1 & not_h)
        | turnable_on(own, other, empty, |set| set << 9 & not_a, |set| set >> 9 & not_h)
        | turnable_on(own, other, empty, |set| set << 7 & not_h, |set| set >> 7 & not_a);
    own & !turnable
}

/// The discs of `own` that could be turned along a line with the given two steps.
fn turnable_on(
    own: u64,
    other: u64,
    empty: u64,
    forth: impl Fn(u64) -> u64,
    back: impl Fn(u64) -> u64,
) -> u64 {
    // The own discs from which a walk against the step ends on one of `ends`: at most six more discs lie between on a line of eight.
    let walk = |ends: u64, step: &dyn Fn(u64) -> u64| {
        let mut reached = own & step(ends);
        for _ in 0..6 {
            reached |= own & step(reached);
        }
        reached
    };
    let (empty_before, empty_behind) = (walk(empty, &forth), walk(empty, &back));
    let (other_before, other_behind) = (walk(other, &forth), walk(other, &back));
    empty_before & (empty_behind | other_behind) | empty_behind & other_before
}

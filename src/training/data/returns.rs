//! Targets from what followed in the game.
//!
//! A shallow search errs, and its error depends on the parity of its depth. The searches of later positions on the same line see
//! further, so the target of a position is a mean of its own value and of those of its successors, with weights that fall by
//! lambda from each to the next: the return of TD(lambda) (Sutton, "Learning to Predict by the Methods of Temporal Differences",
//! 1988). With lambda 0 it is the position's own value, with 1 the last value of the line.

use crate::board::Board;
use crate::score::Score;
use crate::training::record::{PROVEN, Record};

/// Replaces the values of consecutive positions by their returns, but for proven ones and those from which no move leads to the next.
pub(super) fn replace_by_returns(records: &mut [Record], lambda: f64) {
    for index in (0..records.len().saturating_sub(1)).rev() {
        let (record, next) = (records[index], records[index + 1]);
        let Some(sign) = relation(record.board, next.board) else { continue };
        if !record.is(PROVEN) {
            let value = f64::from(record.score);
            let after = f64::from(sign * next.score);
            records[index].score = ((1.0 - lambda) * value + lambda * after).round() as Score;
        }
    }
}

/// What turns a value of the next position into one here: 1 after a pass of the opponent, otherwise -1; `None` if no move leads there.
const fn relation(board: Board, next: Board) -> Option<Score> {
    // The side that moves keeps all its discs, the other does not.
    if next.n_empties() + 1 != board.n_empties() {
        None
    } else if board.player & !next.opponent == 0 {
        Some(-1)
    } else if board.player & !next.player == 0 {
        Some(1)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::players::simple::random::draw_square;
    use crate::score::{DISC, discs};
    use crate::support::random::draw;
    use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

    /// The positions of a random game with random values, and the sides to move, 1 for the side that began.
    fn random_game(seed: u64) -> (Vec<Record>, Vec<Score>) {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (mut board, mut side) = (Board::START, 1);
        let (mut records, mut sides) = (Vec::new(), Vec::new());
        while !board.is_over() {
            if board.legal_moves() == 0 {
                (board, side) = (board.passed(), -side);
            }
            let score = draw(&mut random, 40) as Score * DISC - 20 * DISC;
            records.push(Record { board, score, result: 0, flags: 0 });
            sides.push(side);
            let square = draw_square(&mut random, board.legal_moves());
            (board, side) = (board.after(square, board.flips(square)), -side);
        }
        (records, sides)
    }

    #[test]
    fn returns_are_means_of_what_followed() {
        let mut n_passes = 0;
        for seed in 0..20 {
            let (records, sides) = random_game(seed);
            n_passes += sides.windows(2).filter(|pair| pair[0] == pair[1]).count();
            for lambda in [0.0, 0.6, 1.0] {
                let mut replaced = records.clone();
                replace_by_returns(&mut replaced, lambda);
                for (index, record) in replaced.iter().enumerate() {
                    let (mut expected, mut weight) = (0.0, 1.0);
                    for (after, side) in records.iter().zip(&sides).skip(index) {
                        let value = discs(after.score * side * sides[index]);
                        let last = after.board == records[records.len() - 1].board;
                        expected += value * if last { weight } else { weight * (1.0 - lambda) };
                        weight *= lambda;
                    }
                    let difference = discs(record.score) - expected;
                    assert!(difference.abs() < 0.05, "{seed} {lambda} {index}: {difference}");
                }
            }
        }
        assert!(n_passes > 0);
    }

    #[test]
    fn proven_values_and_ends_of_lines_stay() {
        let (mut records, _) = random_game(3);
        for record in &mut records[20..] {
            record.flags = PROVEN;
        }
        // No move leads from here to there.
        records.remove(10);
        let before = records.clone();
        replace_by_returns(&mut records, 1.0);
        assert_eq!(records[19..], before[19..]);
        assert_eq!(records[9], before[9]);
        assert_eq!(records[8].score, -records[9].score);
    }
}

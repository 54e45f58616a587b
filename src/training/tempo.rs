//! The tempo: what having the move is worth beyond what the weights say of it.
//!
//! If an evaluation is off by a constant for the side to move, searches of even depths, which end with the move of the side that
//! began, are off by as much, and searches of odd depths by the opposite. The tempo is that constant by stage, found from searches of
//! consecutive depths; weights to which it has been added agree with themselves.

use super::probcut::Values;
use crate::evaluation::patterns::{N_COUNT_VALUES, n_free_weights};
use crate::evaluation::stages::{N_KNOTS, N_PARITY_KNOTS, N_STAGES, stage};
use crate::score::DISC;

/// In discs by stage.
pub type Tempo = [f64; N_STAGES];

/// Smooth over this many stages to both sides: samples are noisy. Over no more: where positions of the training have exact values, the
/// tempo steps from nearly a disc to nothing.
const REACH: usize = 1;

/// The tempo that makes the values of consecutive depths agree. Stages that no search ended in have that of the next later one.
pub fn measure(all: &[Values]) -> Tempo {
    let mut sums = [(0.0, 0.0); N_STAGES];
    for values in all {
        // Shallow searches show less of it: of the embedded weights 0.7 discs up to 3 plies, 1.0 from 5 plies on.
        let least_depth = values.by_depth.len() as u32 / 2;
        for (depth, three) in (1..).zip(values.by_depth.windows(3)) {
            if depth < least_depth {
                continue;
            }
            // The mean of the depths around has no trend; the tempo is in it once, and once in the depth between.
            let difference = (three[0] + three[2]) / 2.0 - three[1];
            let sum = &mut sums[stage(values.n_empties.saturating_sub(depth))];
            sum.0 += if depth.is_multiple_of(2) { difference } else { -difference } / 2.0;
            sum.1 += 1.0;
        }
    }
    let mut tempo = [0.0; N_STAGES];
    let mut later = 0.0;
    for stage in (0..N_STAGES).rev() {
        let around = &sums[stage.saturating_sub(REACH)..(stage + REACH + 1).min(N_STAGES)];
        let (sum, n) = around.iter().fold((0.0, 0.0), |all, part| (all.0 + part.0, all.1 + part.1));
        if n > 0.0 {
            later = sum / n;
        }
        tempo[stage] = later;
    }
    tempo
}

/// The values that weights with this tempo would have.
pub fn correct(all: &mut [Values], tempo: &Tempo) {
    for values in all {
        for (depth, value) in (0..).zip(&mut values.by_depth) {
            let tempo = tempo[stage(values.n_empties.saturating_sub(depth))];
            *value += if depth.is_multiple_of(2) { tempo } else { -tempo };
        }
    }
}

/// Adds a tempo to the numbers of a weights file: to the weights of the first count, one of which every position has.
pub fn add(numbers: &mut [i16], tempo: &Tempo) {
    for (knot, weights) in numbers.chunks_mut(n_free_weights()).take(N_KNOTS).enumerate() {
        let (parity, place) = (knot / N_PARITY_KNOTS, knot % N_PARITY_KNOTS);
        let tempo = tempo[(4 * place + parity).min(N_STAGES - 1)];
        for weight in &mut weights[..N_COUNT_VALUES] {
            *weight = weight.saturating_add((tempo * f64::from(DISC)).round() as i16);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::evaluation::weights::File;
    use crate::evaluation::{EMBEDDED, Evaluation};

    #[test]
    fn a_constant_for_the_side_to_move_is_found_and_taken_out() {
        // It grows from 1 disc at the start to 4 at the end; the true values rise by half a disc a ply.
        let missing = |stage: usize| 1.0 + stage as f64 / 20.0;
        let mut all: Vec<Values> = (10..=60)
            .map(|n_empties| {
                let value = |depth: u32| {
                    let missing = missing(stage(n_empties - depth));
                    let tempo = if depth.is_multiple_of(2) { -missing } else { missing };
                    f64::from(n_empties) + f64::from(depth) / 2.0 + tempo
                };
                Values { n_empties, by_depth: (0..9).map(value).collect(), solution: None }
            })
            .collect();
        let tempo = measure(&all);
        for (stage, found) in tempo.iter().enumerate().take(50).skip(5) {
            assert!((found - missing(stage)).abs() < 0.1, "{stage}: {found}");
        }
        correct(&mut all, &tempo);
        assert!(measure(&all).iter().all(|rest| rest.abs() < 0.2), "{:?}", measure(&all));
    }

    #[test]
    fn weights_with_a_tempo_are_worth_that_much_more() {
        let mut file = File::unpack(EMBEDDED).unwrap();
        let before = Evaluation::new(&file).unwrap();
        add(&mut file.numbers, &std::array::from_fn(|stage| stage as f64 / 16.0));
        let after = Evaluation::new(&file).unwrap();
        let mut board = Board::START;
        while let Some(square) = board.moves().next() {
            let [before, after] =
                [&before, &after].map(|evaluation| evaluation.static_value(board));
            let tempo = stage(board.n_empties()) as i32 * DISC / 16;
            // No value is larger than that.
            if before.max(after).abs() < 60 * DISC {
                assert!((after - before - tempo).abs() <= 1, "{board:?} {before} {after}");
            }
            board = board.after(square, board.flips(square));
        }
    }
}

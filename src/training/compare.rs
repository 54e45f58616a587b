//! Compares two evaluations on the same positions.

use std::path::Path;

use anyhow::{Context, ensure};

use super::data::read_records;
use super::fit::Loss;
use crate::board::{Board, Move};
use crate::evaluation::Evaluation;
use crate::formats::obf;
use crate::score;

#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// The game is not over.
    pub board: Board,
    /// The best listed score, or the result of the game.
    pub score: Option<i32>,
    /// The listed scores of its moves.
    pub moves: Vec<(Move, i32)>,
}

/// Reads test positions (OBF), a self-play file or a WTHOR file (`.wtb`).
pub fn read(path: &Path) -> anyhow::Result<Vec<Scored>> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    // Unlike text, self-play records and WTHOR headers contain zero bytes.
    const LOOKED_AT: usize = 1024;
    let is_text = !bytes.iter().take(LOOKED_AT).any(|&byte| byte == 0);
    let mut positions = Vec::new();
    if is_text {
        for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            let problem = obf::read_line(line)
                .with_context(|| format!("{} line {}", path.display(), index + 1))?;
            positions.extend(problem.map(|problem| Scored {
                board: problem.position.board,
                score: problem.best_score(),
                moves: problem.scores,
            }));
        }
    } else {
        let records = read_records(path)?;
        positions.extend(records.iter().map(|record| Scored {
            board: record.board,
            score: Some(record.result.into()),
            moves: Vec::new(),
        }));
    }
    positions.retain(|position| !position.board.is_over());
    ensure!(!positions.is_empty(), "{}: no positions found", path.display());
    Ok(positions)
}

/// An evaluation's value of a position in discs for the side to move.
pub fn judge(evaluation: &Evaluation, board: Board) -> f64 {
    score::discs(evaluation.static_value(board))
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Values of the first minus values of the second.
    pub difference: Loss,
    /// Their correlation coefficient; none if one of them is constant.
    pub correlation: Option<f64>,
    /// Errors of each against the known scores.
    pub errors: [Loss; 2],
    /// Pairs of moves of a position that differ in score.
    pub n_pairs: u64,
    /// Those that each puts in the right order.
    pub n_ordered: [u64; 2],
}

/// Pairs of moves of a position with different scores, and those of them that an evaluation puts in the right order.
fn order(evaluation: &Evaluation, position: &Scored) -> (u64, u64) {
    let value =
        |&(mv, score): &(Move, i32)| Some((-judge(evaluation, position.board.play(mv)?), score));
    let moves: Vec<(f64, i32)> = position.moves.iter().filter_map(value).collect();
    let pairs =
        moves.iter().enumerate().flat_map(|(at, a)| moves[..at].iter().map(move |b| (a, b)));
    let differing = pairs.filter(|(a, b)| a.1 != b.1);
    let right = differing.clone().filter(|(a, b)| (a.0 > b.0) == (a.1 > b.1) && a.0 != b.0);
    (differing.count() as u64, right.count() as u64)
}

pub fn compare(evaluations: [&Evaluation; 2], positions: &[Scored]) -> Comparison {
    let mut comparison = Comparison::default();
    let n = positions.len().max(1) as f64;
    let values = evaluations.map(|evaluation| {
        positions.iter().map(|position| judge(evaluation, position.board)).collect::<Vec<f64>>()
    });
    for (index, position) in positions.iter().enumerate() {
        comparison.difference.add(values[0][index] - values[1][index]);
        if let Some(score) = position.score {
            for (values, errors) in values.iter().zip(&mut comparison.errors) {
                errors.add(values[index] - f64::from(score));
            }
        }
        for (evaluation, n_ordered) in evaluations.iter().zip(&mut comparison.n_ordered) {
            let (n_pairs, n_right) = order(evaluation, position);
            *n_ordered += n_right;
            comparison.n_pairs += n_pairs;
        }
    }
    comparison.n_pairs /= 2;
    let means = values.each_ref().map(|values| values.iter().sum::<f64>() / n);
    let covariance = |a: usize, b: usize| -> f64 {
        let pairs = values[a].iter().zip(&values[b]);
        pairs.map(|(x, y)| (x - means[a]) * (y - means[b])).sum::<f64>() / n
    };
    let spread = (covariance(0, 0) * covariance(1, 1)).sqrt();
    comparison.correlation = (spread > 0.0).then(|| covariance(0, 1) / spread);
    comparison
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::Evaluation;

    #[test]
    fn an_evaluation_agrees_with_itself() {
        let boards = crate::board::tests::random_game(1).into_iter().take(50).enumerate();
        let scored =
            |(n, board)| Scored { board, score: (n % 2 == 0).then_some(2), moves: Vec::new() };
        let positions: Vec<Scored> = boards.map(scored).collect();
        let same = compare([Evaluation::embedded(), Evaluation::embedded()], &positions);
        assert_eq!((same.difference.mae(), same.difference.n), (0.0, positions.len() as u64));
        assert!((same.correlation.unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(same.errors[0], same.errors[1]);
        assert_eq!(same.errors[0].n, positions.len().div_ceil(2) as u64);
        let first = compare([Evaluation::embedded(), Evaluation::embedded()], &positions[..1]);
        let error = (judge(Evaluation::embedded(), Board::START) - 2.0).abs();
        assert_eq!((first.errors[0].mae(), first.correlation), (error, None));
    }

    #[test]
    fn moves_are_put_in_the_order_of_their_values() {
        let mv = |text: &str| Move::parse(text.as_bytes()).unwrap();
        let board = Board::START.play(mv("f5")).unwrap();
        let mut moves: Vec<(Move, i32)> = vec![(mv("d6"), 0), (mv("f4"), 0), (mv("f6"), 0)];
        let value = |mv| -judge(Evaluation::embedded(), board.play(mv).unwrap());
        moves.sort_by(|a, b| value(a.0).total_cmp(&value(b.0)));
        let order = |scores: [i32; 3]| {
            let moves = moves.iter().zip(scores).map(|((mv, _), score)| (*mv, score)).collect();
            order(Evaluation::embedded(), &Scored { board, score: None, moves })
        };
        assert_eq!(
            [order([1, 2, 3]), order([3, 2, 1]), order([2, 2, 3])],
            [(3, 3), (3, 0), (2, 2)]
        );
    }
}

//! Ends games early with the result of a search, for trials of midgame ideas that need no endgame.

use anyhow::Context;

use crate::board::Position;
use crate::engine::level;
use crate::evaluation::Evaluation;
use crate::score::DISC;
use crate::search::{Search, Stop, Threads};
use crate::transposition::Table;

/// Size of the judge's transposition table in MiB.
const HASH: usize = 32;

pub(super) struct Judge {
    /// The most empty squares of a position that is judged.
    at_empties: u32,
    /// In plies.
    depth: u32,
    evaluation: &'static Evaluation,
    table: Table,
    threads: Threads,
}

impl Judge {
    /// A judge of games with `at_empties` empty squares or fewer, 1 to 59, by searches of `depth` plies.
    pub fn new(at_empties: u32, depth: u32) -> anyhow::Result<Judge> {
        let table = Table::try_new(HASH).context("no memory for the judge's table")?;
        let (evaluation, threads) = (Evaluation::embedded(), Threads::new(1));
        Ok(Judge { at_empties, depth, evaluation, table, threads })
    }

    pub fn ends(&self, position: Position) -> bool {
        position.board.n_empties() <= self.at_empties
    }

    /// The result for Black in discs, even like all results, and always the same for a position.
    pub fn judge(&mut self, position: Position, stop: &Stop) -> i32 {
        self.table.clear();
        let Judge { evaluation, table, threads, .. } = self;
        let limits = level::limits(self.depth);
        let outcome =
            Search { evaluation, table, threads }.run(position.board, &limits, stop, &mut |_| {});
        let score = outcome.best().map_or(0, |line| line.score);
        let discs = (f64::from(score) / f64::from(2 * DISC)).round() as i32 * 2;
        discs.clamp(-64, 64) * position.side.sign()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Color;
    use crate::formats::transcript;

    #[test]
    fn a_position_gets_the_same_result_for_either_side() {
        let game = transcript::read(b"f5d6c3d3c4f4f6").unwrap().replay().unwrap();
        let mut judge = Judge::new(53, 4).unwrap();
        let position = game.position();
        assert!(judge.ends(position) && !judge.ends(Position::START));
        let result = judge.judge(position, &Stop::new());
        assert!(result.abs() < 20 && result % 2 == 0);
        let other = Position { side: Color::Black, ..position };
        assert_eq!(judge.judge(other, &Stop::new()), -result);
    }
}

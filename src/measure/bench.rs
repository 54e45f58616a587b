//! The benchmark for comparing builds and versions: the same nodes in every run and build variant.

use std::time::Duration;

use crate::board::Position;
use crate::evaluation::Evaluation;
use crate::search::{Limits, Search, Selectivity, Stop, Threads};
use crate::support::time::Instant;
use crate::transposition::Table;

/// Midgame positions, 54 to 26 empty squares, from self-play.
const MIDGAME: [&str; 10] = [
    "------------------X--------XOO-----OX-----OXX----O-------------- X",
    "------------------OOO----OOOXX-----XOX----XO-O------------------ X",
    "---------OXX-----XXXO----OXXXXX----XOX------O------------------- O",
    "----------O--------OX------XXOO----XXOO----XOXX----OOOX------O-- X",
    "----O-------O-----XXOOO---XXXXOO--XXOOOO--X--OXX---------------- O",
    "---XXX----OXX---O-XOXX---OXXOX---OOOOO--OOOOO------------------- X",
    "-----------------O-OOXX---OOOXXX--OOXOOO--OXXXXX--XXXX-----X-O-- O",
    "-OOOOO----XXO------XXOOO--XXXOO--OXXXOO---XXXO-----XXO-------O-- X",
    "-XXXXXX-X-XXOX--XXXOXX--XOOOOX--XOOOOX--X-OOXX--X--------------- O",
    "OXXOOX---OXOOO--OOOXOO--OOXOXX---OOOX----OOXX----OXXX-----XXX--- X",
];

/// Endgame positions, 16 to 20 empty squares, from the same source.
const ENDGAME: [&str; 8] = [
    "--OOOO----OOOO---OOOOOOO-OOOXOXO-OOXXOXO-OXXOXOO-XXXXXXO-OOOOO-- X",
    "--XXXX--O-XOX-XO-OOXOXXOXOOOOOXOXOOXOXOOX-OOOOXOX---OOOO-----O-O O",
    "OOOOOOO-XOOXXO--XOOOXXXXXOXXOOXXXOXXOOX-XOOOOO--XOO-----O------- X",
    "---XXXX---OOOX--X-OOXO--XXOXOOO-XXXOOOOOXXOXOXO--OOOXX-O-XXXXX-- X",
    "-OOOOOO---OOXO--XXOXOOXXXXXOXOX-XXOOOXX-XXXOXXX--XOOX---X--O---- O",
    "-------O---O-OOX--OOOOXX-OXXXXOXOXOXXXXXXXXXXXXX--OXOXXX-OOOOO-- O",
    "--------O-O--O--OOOOOO-OOOOXXXXOOOXXXOXOOOOOOOOOO-XXXX-O-XXXX--- X",
    "-OOOOOO---OXXO--O-XOOXO-OOOXOXX-OXOOOXO-OOOOXXO--OXXXX----X--X-- X",
];

/// In plies.
const DEPTH: u32 = 16;

/// Size of the transposition table in MiB; each position gets a new table.
const HASH_MEGABYTES: usize = 16;

/// The totals of one half of the benchmark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Tree nodes.
    pub nodes: u64,
    /// Positions searched only to order moves.
    pub ordering_nodes: u64,
    /// Time in the searches.
    pub elapsed: Duration,
}

impl Work {
    /// Tree nodes per second.
    pub fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// Searches the midgame positions to a fixed depth with forward pruning; `None` without memory for the table.
pub fn midgame(evaluation: &Evaluation) -> Option<Work> {
    let selectivity = Selectivity::from_percent(73);
    run(evaluation, &MIDGAME, Limits::plies(DEPTH, selectivity))
}

/// Solves the endgame positions exactly; `None` without memory for the table.
pub fn endgame(evaluation: &Evaluation) -> Option<Work> {
    run(evaluation, &ENDGAME, Limits::default())
}

fn run(evaluation: &Evaluation, positions: &[&str], limits: Limits) -> Option<Work> {
    let mut work = Work::default();
    let (threads, stop) = (Threads::new(1), Stop::new());
    for text in positions {
        let position = Position::parse(text.as_bytes()).ok()?;
        let table = Table::try_new(HASH_MEGABYTES)?;
        let search = Search { evaluation, table: &table, threads: &threads };
        let start = Instant::now();
        let outcome = search.run(position.board, &limits, &stop, &mut |_| {});
        work.elapsed += start.elapsed();
        work.nodes += outcome.nodes;
        work.ordering_nodes += outcome.ordering_nodes;
    }
    Some(work)
}

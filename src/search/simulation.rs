//! What a recorded search would take with more threads than the machine has cores.
//!
//! Virtual workers go through a [`Recording`] by the rules of `search::parallel`: what a node needs before it is opened, who is sent
//! where, what an owner does while it waits, who sees a cut-off. Time is counted in tree nodes, all of equal length. The same
//! recording and rules give the same result every time.
//!
//! What one thread has not searched nobody can know. It is assumed that
//!
//! * a move that one thread did not search, because the one before it cut off, does not cut off and takes as long as another one
//!   that did not: the next recorded one of the same depth, kind of node and place among the moves (those that are reduced count
//!   as one place);
//! * the search of a move is the same, whatever else is being searched. In truth several threads find less in the table, and at
//!   nodes of the principal variation compare moves with an older alpha: nodes that are not simulated.
//!
//! To open a node takes no time. `benches/README.md` compares the results with those of threads.

mod workers;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::midgame::EARLY_MOVES;
use super::parallel::SPLIT_DEPTH;
use super::recording::{OpenNode, Recording};

use workers::Workers;

/// What is simulated.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Threads, at least 1.
    pub n_workers: usize,
    /// From this depth on, nodes are opened; the other recorded ones only while a worker is idle.
    pub split_depth: u32,
    /// Nodes until workers see a cut-off around them, or that another is idle.
    pub notice: u64,
    /// Nodes until a worker that was sent somewhere begins there.
    pub message: u64,
}

impl Rules {
    /// As the search does it. Two threads that pass a message to and fro, with a core each, need 0.6 microseconds a way: 10 nodes of
    /// the midgame, 30 of the endgame.
    pub const fn new(n_workers: usize) -> Rules {
        Rules { n_workers, split_depth: SPLIT_DEPTH, notice: 30, message: 30 }
    }
}

/// What a simulation comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// Nodes that one thread searches in the time of the search.
    pub time: u64,
    /// Nodes that all workers searched.
    pub n_nodes: u64,
}

/// A recording with the moves that were not searched.
#[derive(Debug)]
pub struct Model {
    recording: Recording,
    /// The assumed tasks of moves that were not searched, by node.
    assumed: Vec<Vec<usize>>,
}

impl Model {
    /// Adds what is assumed.
    pub fn new(recording: Recording) -> Model {
        let mut known: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for node in &recording.nodes {
            let n_failed = node.moves.len() - usize::from(node.is_cut);
            for (place, &task) in (node.n_before..).zip(&node.moves[..n_failed]) {
                known.entry(kind(node, place)).or_default().push(task);
            }
        }
        known.values_mut().for_each(|tasks| tasks.sort_unstable());
        let assume = |node: &OpenNode| {
            let n_searched = node.n_before + node.moves.len();
            let places = n_searched..n_searched + node.n_left;
            let last = node.moves.last().copied().unwrap_or(0);
            let alike = |(index, place)| {
                let tasks = known.get(&kind(node, place))?;
                let next = tasks.partition_point(|&task| task < last);
                Some(tasks[(next + index) % tasks.len()])
            };
            places.enumerate().filter_map(alike).collect()
        };
        let assumed = recording.nodes.iter().map(assume).collect();
        Model { recording, assumed }
    }

    /// Simulates the search.
    pub fn run(&self, rules: Rules) -> Course {
        Workers::new(self, rules).run()
    }

    /// The task of a move of an open node.
    fn task(&self, node: usize, index: usize) -> Option<usize> {
        let moves = &self.recording.nodes[node].moves;
        let assumed = || self.assumed[node].get(index - moves.len());
        moves.get(index).or_else(assumed).copied()
    }

    fn n_moves(&self, node: usize) -> usize {
        self.recording.nodes[node].moves.len() + self.assumed[node].len()
    }
}

/// Moves that take about as long.
fn kind(node: &OpenNode, place: usize) -> (u32, bool, usize) {
    (node.depth, node.is_in_variation, place.min(EARLY_MOVES))
}

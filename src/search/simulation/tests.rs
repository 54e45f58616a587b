//! Tests of the simulation on small trees made by hand, and on a recorded search.

use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

use super::*;
use crate::board::Board;
use crate::evaluation::{Evaluation, terms::Terms};
use crate::search::recording::{Step, Task};
use crate::search::tests::{nodes, plies, random_board};
use crate::search::{Horizon, Selectivity, Setup, StopToken, Threads, search};
use crate::transposition::Table;

/// A tree to be recorded: what a task consists of.
enum Tree {
    Alone(u64),
    Open(Node),
}

struct Node {
    depth: u32,
    moves: Vec<Vec<Tree>>,
    is_cut: bool,
    n_left: usize,
}

/// A node that is opened in any case, without a cut-off.
fn node(moves: Vec<Vec<Tree>>) -> Tree {
    Tree::Open(Node { depth: 20, moves, is_cut: false, n_left: 0 })
}

fn add(recording: &mut Recording, trees: Vec<Tree>) -> usize {
    let task = recording.tasks.len();
    recording.tasks.push(Task::default());
    for tree in trees {
        let step = match tree {
            Tree::Alone(n) => Step::Alone(n),
            Tree::Open(Node { depth, moves, is_cut, n_left }) => {
                let number = recording.nodes.len();
                let n_before = 1;
                recording.nodes.push(OpenNode {
                    depth,
                    n_before,
                    is_cut,
                    n_left,
                    ..OpenNode::default()
                });
                for trees in moves {
                    let task = add(recording, trees);
                    recording.nodes[number].moves.push(task);
                }
                Step::Open(number)
            }
        };
        recording.tasks[task].steps.push(step);
    }
    task
}

fn model(trees: Vec<Tree>) -> Model {
    let mut recording = Recording::default();
    add(&mut recording, trees);
    Model::new(recording)
}

/// With no time lost.
fn at_once(n_workers: usize) -> Rules {
    Rules { split_depth: 8, notice: 0, message: 0, ..Rules::new(n_workers) }
}

fn leaf(n: u64) -> Vec<Tree> {
    vec![Tree::Alone(n)]
}

/// All moves of all nodes are as large.
fn perfect(height: u32, leaf_size: u64) -> Vec<Tree> {
    if height == 0 {
        return leaf(leaf_size);
    }
    vec![node((0..2).map(|_| perfect(height - 1, leaf_size)).collect())]
}

#[test]
fn independent_leaves_are_shared_evenly() {
    let of_one_node = model(vec![node((0..128).map(|_| leaf(1000)).collect())]);
    let of_many = model(perfect(12, 1000));
    for n_workers in [1, 2, 4, 8, 16, 32, 64, 128] {
        let expected = Course { time: 128_000 / n_workers as u64, n_nodes: 128_000 };
        assert_eq!(of_one_node.run(at_once(n_workers)), expected, "{n_workers}");
        // In the end there are fewer leaves left than workers.
        let course = of_many.run(at_once(n_workers));
        let least = 4_096_000 / n_workers as u64;
        assert!((least..=least + 2000).contains(&course.time), "{n_workers}: {course:?}");
        assert_eq!(course.n_nodes, 4_096_000);
    }
}

#[test]
fn a_chain_gains_nothing() {
    let mut trees = leaf(100);
    for _ in 0..5 {
        trees = vec![Tree::Alone(100), node(vec![trees])];
    }
    let model = model(trees);
    for n_workers in [1, 2, 128] {
        assert_eq!(model.run(at_once(n_workers)), Course { time: 600, n_nodes: 600 });
    }
}

#[test]
fn what_comes_before_a_node_and_after_it_is_done_alone() {
    let leaves = (0..4).map(|_| leaf(100)).collect();
    let model = model(vec![Tree::Alone(50), node(leaves), Tree::Alone(30)]);
    assert_eq!(model.run(at_once(1)), Course { time: 480, n_nodes: 480 });
    assert_eq!(model.run(at_once(2)), Course { time: 280, n_nodes: 480 });
    assert_eq!(model.run(at_once(9)), Course { time: 180, n_nodes: 480 });
}

#[test]
fn a_cut_off_ends_the_search_of_the_other_moves() {
    let moves = vec![leaf(1000), leaf(300)];
    let tree = Tree::Open(Node { depth: 20, moves, is_cut: true, n_left: 2 });
    let model = model(vec![tree, Tree::Alone(10)]);
    assert_eq!(model.run(at_once(1)), Course { time: 1310, n_nodes: 1310 });
    // The second move cuts off, whoever was first.
    assert_eq!(model.run(at_once(2)), Course { time: 310, n_nodes: 610 });
    let late = Rules { notice: 50, ..at_once(2) };
    assert_eq!(model.run(late), Course { time: 360, n_nodes: 660 });
}

#[test]
fn moves_that_were_not_searched_are_like_others() {
    // Two nodes of one depth: at the first, a move of 500 nodes in second place and one of 70 in third.
    let full = node(vec![leaf(500), leaf(70)]);
    let moves = vec![leaf(200)];
    let cut = Tree::Open(Node { depth: 20, moves, is_cut: true, n_left: 1 });
    let model = model(vec![full, cut]);
    assert_eq!(model.run(at_once(1)), Course { time: 770, n_nodes: 770 });
    // The second worker searches the move of 70 nodes both times.
    assert_eq!(model.run(at_once(2)), Course { time: 700, n_nodes: 840 });
}

#[test]
fn a_cut_off_reaches_owners_and_helpers_below() {
    // The first move is a tree of its own, in which four workers are when the second one cuts off.
    let moves = vec![perfect(3, 1000), leaf(500)];
    let model = model(vec![Tree::Open(Node { depth: 20, moves, is_cut: true, n_left: 0 })]);
    assert_eq!(model.run(at_once(1)), Course { time: 8500, n_nodes: 8500 });
    assert_eq!(model.run(at_once(5)), Course { time: 500, n_nodes: 2500 });
}

#[test]
fn an_owner_helps_while_it_waits() {
    // The owner is done with its move while the helper is in a node with four moves.
    let moves = vec![leaf(100), perfect(2, 100)];
    let model = model(vec![node(moves)]);
    assert_eq!(model.run(at_once(1)), Course { time: 500, n_nodes: 500 });
    assert_eq!(model.run(at_once(2)), Course { time: 300, n_nodes: 500 });
}

#[test]
fn low_nodes_are_opened_for_idle_workers_only() {
    let low = |moves| Tree::Open(Node { depth: 6, moves, is_cut: false, n_left: 0 });
    let model = model(vec![low(vec![vec![low(vec![leaf(100), leaf(100)])], leaf(200)])]);
    // The second worker takes a move of the outer node; no one is left for the inner one.
    assert_eq!(model.run(at_once(2)), Course { time: 200, n_nodes: 400 });
    assert_eq!(model.run(at_once(3)), Course { time: 200, n_nodes: 400 });
}

#[test]
fn messages_take_their_time() {
    let model = model(vec![node(vec![leaf(100), leaf(100)])]);
    // One to the helper, one back.
    let rules = Rules { message: 7, ..at_once(2) };
    assert_eq!(model.run(rules), Course { time: 114, n_nodes: 200 });
    // Too late for a move.
    let rules = Rules { message: 101, ..at_once(2) };
    assert_eq!(model.run(rules), Course { time: 200, n_nodes: 200 });
}

fn count(board: Board, horizon: Horizon, threads: &Threads) -> u64 {
    let (table, stop) = (Table::try_new(4).unwrap(), StopToken::never());
    let setup =
        Setup { evaluation: &Evaluation::Terms(Terms), table: &table, threads, stop: &stop };
    search(board, &horizon.into(), setup, &mut |_| {}).nodes
}

#[test]
fn a_recording_is_of_the_same_search() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(21);
    let bold = Horizon::plies(13, Selectivity::from_percent(73));
    for (n_empties, horizon) in [(40, bold), (30, plies(9)), (18, Horizon::default())] {
        let board = random_board(&mut random, n_empties);
        let n_nodes = count(board, horizon, &Threads::new(1));
        let threads = Threads::recording();
        assert_eq!(count(board, horizon, &threads), n_nodes);
        let recording = threads.take_recording();
        assert_eq!(recording.n_nodes(), n_nodes);
        assert!(recording.nodes.iter().any(|node| node.is_cut) && recording.tasks.len() > 100);
        assert!(threads.take_recording().tasks.is_empty());
        let model = Model::new(recording);
        assert_eq!(model.run(Rules::new(1)), Course { time: n_nodes, n_nodes });
        let course = model.run(Rules::new(4));
        assert_eq!(course, model.run(Rules::new(4)));
        assert!((n_nodes / 4..n_nodes).contains(&course.time), "{course:?} of {n_nodes}");
    }
}

#[test]
fn a_search_that_was_stopped_leaves_no_recording() {
    let threads = Threads::recording();
    let table = Table::try_new(4).unwrap();
    let stop = StopToken::never();
    let setup = Setup {
        evaluation: &Evaluation::Terms(Terms),
        table: &table,
        threads: &threads,
        stop: &stop,
    };
    assert!(search(Board::START, &nodes(10_000), setup, &mut |_| {}).interrupted);
    assert!(threads.take_recording().tasks.is_empty());
}

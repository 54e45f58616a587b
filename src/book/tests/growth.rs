//! Properties of growth: costs, what is wanted, what is cut.

use std::collections::HashMap;

use proptest::prelude::*;

use super::{random_book, searched, with_leaf};
use crate::board::symmetry::canonical;
use crate::board::{Board, Color};
use crate::book::growth::{Reach, Rule, cut, due, is_due, walk, wanted};
use crate::book::sections::Sections;
use crate::book::{After, Entry, n_discs};
use crate::score::{DISC, Score, discs};

const ROOT: (Board, Color) = (Board::START, Color::Black);

/// The least costs with Black as the owner, by relaxing all edges until nothing changes.
fn relaxed(sections: &Sections, [own, other]: [f64; 2]) -> HashMap<Board, f64> {
    let mut costs = HashMap::from([(canonical(Board::START), (0.0, Color::Black))]);
    loop {
        let mut is_changed = false;
        for entry in sections.iter() {
            let Some(&(cost, mover)) = costs.get(&entry.board) else { continue };
            for after in entry.board.moves().map(|square| After::play(entry.board, square)) {
                let Some(child) = after.board() else { continue };
                let Some(next) = sections.find(child) else { continue };
                // Nobody can say yet what such a move loses.
                let judged = entry.value.zip(after.value(|_| next.value));
                let loss = judged
                    .map_or(0, |(best, value)| Score::from(best.score) - Score::from(value.score));
                let price = if mover == Color::Black { own } else { other };
                let next = cost + 1.0 + price * discs(loss);
                let stays = matches!(after, After::Same(_));
                let mover = if stays { mover } else { mover.opposite() };
                let known = costs.entry(child).or_insert((f64::INFINITY, mover));
                if next < known.0 {
                    *known = (next, mover);
                    is_changed = true;
                }
            }
        }
        if !is_changed {
            return costs.into_iter().map(|(board, (cost, _))| (board, cost)).collect();
        }
    }
}

/// How the positions of a book are reached.
fn ways(sections: &Sections, rule: &Rule) -> HashMap<Board, Reach> {
    let mut ways = HashMap::new();
    walk(sections, ROOT, rule, &mut |entry, reach, _| {
        assert!(ways.insert(entry.board, reach).is_none(), "{} is visited twice", entry.board);
    });
    ways
}

/// Whether the values of all moves that were cut off are settled.
fn is_settled(sections: &Sections, rest: &Sections) -> bool {
    rest.iter().all(|entry| {
        let old = sections.find(entry.board).unwrap();
        let is_lost = old.leaf.is_some() && entry.leaf.is_none();
        !is_lost && old.value.is_some() == entry.value.is_some()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn costs_are_the_least_of_all_ways(seed: u64) {
        let sections = random_book(seed, 30, 12);
        let prices = [4.0, 1.0];
        let rule = Rule { side: Some(Color::Black), ..Rule::cheapest(prices) };
        let ways = ways(&sections, &rule);
        let costs = relaxed(&sections, prices);
        for entry in sections.iter() {
            let cost = ways.get(&entry.board).map(|reach| reach.cost[Color::Black.index()]);
            prop_assert_eq!(cost, costs.get(&entry.board).copied(), "{}", entry.board);
        }
    }

    #[test]
    fn tasks_are_due_or_new_and_leave_out_what_stays(seed: u64) {
        let sections = random_book(seed, 30, 12);
        let tasks = wanted(&sections, ROOT, &Rule::cheapest([4.0, 1.0]), 50, usize::MAX).tasks;
        prop_assert!(tasks.is_sorted_by(|a, b| a.cost <= b.cost));
        for most in [0, 1, 7] {
            let few = wanted(&sections, ROOT, &Rule::cheapest([4.0, 1.0]), 50, most);
            prop_assert_eq!((&few.tasks[..], few.n_all), (&tasks[..most.min(tasks.len())], tasks.len()));
        }
        for task in &tasks {
            prop_assert!(task.board.legal_moves() & !task.exclude != 0);
            match sections.find(task.board) {
                Some(entry) => prop_assert!(is_due(&entry, &sections)),
                None => prop_assert!((50..60).contains(&task.board.n_empties())),
            }
        }
        prop_assert!(due(&sections).iter().all(|task| sections.find(task.board).is_some()));
    }

    #[test]
    fn cutting_keeps_the_values_of_what_is_left(seed: u64, plies in 0u32..12) {
        let sections = random_book(seed, 30, 12);
        let rest = cut(&sections, |entry| n_discs(entry.board) <= 4 + plies);
        let is_settled = is_settled(&sections, &rest);
        for entry in rest.iter().filter(|_| is_settled) {
            let before = sections.find(entry.board).and_then(|entry| entry.value);
            prop_assert_eq!(entry.value.map(|value| value.score), before.map(|value| value.score));
        }
        prop_assert_eq!(rest.len(), sections.by_discs()[..=plies as usize].iter().map(Vec::len).sum::<usize>());
    }

    #[test]
    fn pruning_keeps_the_value_of_the_root(seed: u64, most in 0i32..6) {
        let sections = random_book(seed, 30, 12);
        let rule = Rule::both(most * DISC, f64::INFINITY);
        let ways = ways(&sections, &rule);
        let rest = cut(&sections, |entry| ways.contains_key(&entry.board));
        let value = |book: &Sections| {
            book.find(canonical(Board::START)).and_then(|entry| entry.value).map(|value| value.score)
        };
        let is_known = value(&sections).is_some() && is_settled(&sections, &rest);
        prop_assert!(!is_known || value(&rest) == value(&sections));
    }
}

#[test]
fn an_empty_book_wants_its_root() {
    // A root that was added and not searched is wanted as well, and what was added behind it.
    let square = Board::START.moves().next().unwrap();
    let child = Board::START.after(square, Board::START.flips(square));
    let entries = [Entry::new(Board::START), Entry::new(child)];
    for n in 0..=2 {
        let sections = Sections::new(entries[..n].iter().copied());
        let tasks = wanted(&sections, ROOT, &Rule::cheapest([4.0, 1.0]), 24, usize::MAX).tasks;
        assert_eq!(tasks.len(), n.max(1));
        assert_eq!((tasks[0].board, tasks[0].exclude), (canonical(Board::START), 0));
    }
}

#[test]
fn what_is_cut_off_is_no_surer_than_it_was() {
    let first = |entry: Entry| entry.board.moves().next().unwrap();
    let after = |entry: Entry| Entry::new(After::play(entry.board, first(entry)).board().unwrap());
    let start = Entry::new(Board::START);
    let child = after(start);
    let mut grandchild = after(child);
    grandchild.leaf = Some(searched(first(grandchild), -3 * DISC as i16, 58, 100));
    let other = child.board.moves().last().unwrap();
    for (square, discs, is_known) in [(other, 0, true), (first(child), 20, false)] {
        // The best move is solved, and the others are only searched, or have a bound far above it.
        let child = Entry { leaf: Some(searched(square, discs * DISC as i16, 20, 73)), ..child };
        let rest =
            cut(&Sections::new([start, child, grandchild]), |entry| entry.board == start.board);
        let leaf = rest.find(start.board).unwrap().leaf;
        assert_eq!(
            leaf.map(|leaf| (leaf.score, leaf.is_proven(60))),
            is_known.then_some((-384, false))
        );
    }
}

#[test]
fn what_is_cut_off_judges_no_position_that_nobody_searched() {
    let start = Entry::new(Board::START);
    let after_first = |board: Board| {
        let square = board.moves().next().unwrap();
        Entry::new(board.after(square, board.flips(square)))
    };
    let child = after_first(Board::START);
    let grandchild = with_leaf(after_first(child.board).board, 100);
    let sections = Sections::new([start, child, grandchild]);
    assert_eq!(sections.iter().filter(|entry| entry.value.is_some()).count(), 1);
    let rest = cut(&sections, |entry| n_discs(entry.board) < 6);
    assert_eq!((rest.len(), rest.iter().filter(|entry| entry.value.is_some()).count()), (2, 0));
}

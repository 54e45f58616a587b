//! Which positions of a book to search next.
//!
//! Books grow by drop-out expansion (Lincke, "Strategies for the Automatic Construction of Opening Books", 2000): the cost
//! of a position is the minimum, over all ways to it, of the number of plies plus a price for every disc lost on the way.
//! The cheapest move out of the book is searched next. Each position has two costs, one with Black as the owner of the book
//! and one with White, because an owner plays good moves but must know answers to worse ones (as in Österlund's Texel).
//! Costs are propagated from one section to the next, values in the opposite direction.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::entry::{After, Entry, Leaf, Origin, n_discs};
use super::sections::{FIRST_DISCS, Sections};
use super::values::{self, Link, derive};
use crate::board::symmetry::canonical;
use crate::board::{Board, Color, Square};
use crate::score::{DISC, INFINITE, Score, discs};
use crate::search::Selectivity;

/// Once a leaf's child is in the book, its score bounds the unsearched moves. They need a search only if this bound is at most
/// so far below the value, in 1/128 disc.
const MARGIN: Score = 2 * DISC;

/// More than any move can lose, which is twice the best result.
const ANYTHING: Score = 2 * INFINITE;

/// What a way through the book costs, and which losses are allowed on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// Cost of a ply.
    pub per_ply: f64,
    /// Cost of a disc that the owner loses, and of one that the opponent loses.
    pub per_disc: [f64; 2],
    /// The most that the owner and the opponent may lose with one move, in 1/128 disc.
    pub most: [Score; 2],
    /// The highest allowed cost of a way.
    pub most_cost: f64,
    /// The most that a move's value may differ from that of the root, in 1/128 disc.
    pub span: Score,
    /// The owner of the book; `None` for the cheaper of both colors.
    pub side: Option<Color>,
}

impl Rule {
    /// Drop-out expansion with prices in plies for a disc of the owner and of the opponent.
    pub const fn cheapest(per_disc: [f64; 2]) -> Rule {
        Rule {
            per_ply: 1.0,
            per_disc,
            most: [ANYTHING; 2],
            most_cost: f64::INFINITY,
            span: ANYTHING,
            side: None,
        }
    }

    /// Deviation as in Edax: one side loses at most `relative` with a move and the other nothing, all within `absolute` of the
    /// value of the root. The cost of a way is what it loses, in discs.
    pub const fn deviation(relative: Score, absolute: Score) -> Rule {
        Rule {
            per_ply: 0.0,
            per_disc: [1.0, 1.0],
            most: [relative, 0],
            most_cost: f64::INFINITY,
            span: absolute,
            side: None,
        }
    }

    /// Each side loses at most `most` with a move, in 1/128 disc, and both together at most `sum` discs.
    pub const fn both(most: Score, sum: f64) -> Rule {
        Rule { most: [most, most], most_cost: sum, ..Rule::deviation(most, ANYTHING) }
    }

    fn owners(&self) -> impl Iterator<Item = Color> {
        [Color::Black, Color::White]
            .into_iter()
            .filter(|color| self.side.is_none_or(|side| side == *color))
    }
}

/// How a position is reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// The color to move.
    pub mover: Color,
    /// The least cost by owner, infinite if there is no allowed way.
    pub cost: [f64; 2],
    /// The value of the root for the side to move.
    root: Score,
}

impl Reach {
    /// The lower of the two costs.
    pub fn least(&self) -> f64 {
        self.cost[0].min(self.cost[1])
    }

    /// How the position after a move of this `value` is reached, with `best` the value of the best move, if the rule allows the move.
    fn step(&self, rule: &Rule, best: Score, value: Score, after: After) -> Option<Reach> {
        let loss = (best - value).max(0);
        if (value - self.root).abs() > rule.span {
            return None;
        }
        let mut cost = [f64::INFINITY; 2];
        for owner in rule.owners() {
            let role = usize::from(owner != self.mover);
            if loss <= rule.most[role] {
                let price = rule.per_ply + rule.per_disc[role] * discs(loss);
                cost[owner.index()] = self.cost[owner.index()] + price;
            }
        }
        cost = cost.map(|cost| if cost <= rule.most_cost { cost } else { f64::INFINITY });
        let (mover, root) = match after {
            After::Same(_) => (self.mover, self.root),
            After::Other(_) | After::End(_) => (self.mover.opposite(), -self.root),
        };
        let next = Reach { mover, cost, root };
        next.least().is_finite().then_some(next)
    }

    /// The cheaper of two ways.
    fn or(self, other: Reach) -> Reach {
        let cost = [0, 1].map(|owner| self.cost[owner].min(other.cost[owner]));
        Reach { cost, ..self }
    }
}

/// A position to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Task {
    /// The position, the least of its images.
    pub board: Board,
    /// Moves that are not searched, because they stay in the book.
    pub exclude: u64,
    /// What it costs to get there.
    pub cost: f64,
}

/// Visits the positions that can be reached from a root under a rule, those with few discs first, with how they are reached and their
/// links. Values must be derived; a move without a known loss counts as losing nothing. Takes memory for two sections.
pub fn walk(
    sections: &Sections,
    root: (Board, Color),
    rule: &Rule,
    visit: &mut dyn FnMut(&Entry, Reach, &[Link]),
) {
    let (board, mover) = (canonical(root.0), root.1);
    let value = sections.find(board).and_then(|entry| entry.value);
    let root = value.map_or(0, |value| value.score.into());
    let start = Reach { mover, cost: [0.0; 2], root };
    let place = |rows: &[Entry], board: Board| rows.binary_search_by_key(&board, |row| row.board);
    let all = sections.by_discs();
    let first = index(board);
    let is_root = |entry: &Entry| (entry.board == board).then_some(start);
    let mut reached: Vec<Option<Reach>> = all[first].iter().map(is_root).collect();
    for (index, rows) in all.iter().enumerate().skip(first) {
        let next_rows = all.get(index + 1).map_or(&[][..], Vec::as_slice);
        let mut next: Vec<Option<Reach>> = vec![None; next_rows.len()];
        for (entry, reach) in rows.iter().zip(&reached) {
            let &Some(reach) = reach else { continue };
            let links = sections.links(entry.board);
            for after in entry.board.moves().map(|square| After::play(entry.board, square)) {
                let at = after.board().and_then(|child| place(next_rows, child).ok());
                let Some(at) = at else { continue };
                // Without both values the loss is unknown and counts as nothing.
                let judged = entry.value.zip(after.value(|_| next_rows[at].value));
                let (best, value) = judged.map_or((reach.root, reach.root), |(best, value)| {
                    (best.score.into(), value.score.into())
                });
                if let Some(step) = reach.step(rule, best, value, after) {
                    next[at] = Some(next[at].map_or(step, |known| known.or(step)));
                }
            }
            visit(entry, reach, &links);
        }
        if next.iter().all(Option::is_none) {
            return;
        }
        reached = next;
    }
}

/// The cheapest positions to search, and how many there are.
#[derive(Debug, Default)]
pub struct Wanted {
    /// The cheapest first; at equal costs those with fewer discs.
    pub tasks: Vec<Task>,
    /// Number of positions wanted, including those that are not among `tasks`.
    pub n_all: usize,
}

/// The positions to search next under a rule, from a root with its color to move: at most `most`. Values must be derived.
/// Positions that are not in the book yet have at least `least_empties` empty squares.
pub fn wanted(
    sections: &Sections,
    root: (Board, Color),
    rule: &Rule,
    least_empties: u32,
    most: usize,
) -> Wanted {
    let mut cheapest = Cheapest::new(sections, most);
    let board = canonical(root.0);
    if sections.find(board).is_none()
        && board.legal_moves() != 0
        && board.n_empties() >= least_empties
    {
        cheapest.found.push((board, 0.0));
    }
    let mut n_discs_before = 0;
    walk(sections, root, rule, &mut |entry, reach, links| {
        // All ways to a position found in a section are known at the end of this section.
        if n_discs(entry.board) > n_discs_before {
            cheapest.settle();
            n_discs_before = n_discs(entry.board);
        }
        let found = &mut cheapest.found;
        let derived = derive(entry.board, entry.leaf, links);
        if needs_search(entry, derived.linked) {
            found.push((entry.board, reach.least()));
        }
        let Some(best) = entry.value else { return };
        let Some(leaf) = entry.leaf.filter(|_| derived.leads_out) else { return };
        let after = After::play(entry.board, leaf.square);
        if !leaf.is_proven(entry.board.n_empties())
            && let Some(child) = after.board()
            && child.n_empties() >= least_empties
            && sections.find(child).is_none()
            && let Some(next) = reach.step(rule, best.score.into(), leaf.score.into(), after)
        {
            found.push((child, next.least()));
        }
    });
    cheapest.finish()
}

/// At most `most` positions that a root can reach, whose leaf leads out and for `is_shallow` is not deep enough. Values must be derived.
pub fn shallow(
    sections: &Sections,
    root: (Board, Color),
    rule: &Rule,
    is_shallow: &dyn Fn(Board, Leaf) -> bool,
    most: usize,
) -> Wanted {
    let mut cheapest = Cheapest::new(sections, most);
    walk(sections, root, rule, &mut |entry, reach, links| {
        let leads_out = derive(entry.board, entry.leaf, links).leads_out;
        if leads_out && entry.leaf.is_some_and(|leaf| is_shallow(entry.board, leaf)) {
            cheapest.found.push((entry.board, reach.least()));
        }
    });
    cheapest.finish()
}

struct Cheapest<'a> {
    sections: &'a Sections,
    most: usize,
    heap: BinaryHeap<Ranked>,
    /// Positions found since the last [`Cheapest::settle`], with a cost for each way to them.
    found: Vec<(Board, f64)>,
    n_all: usize,
}

impl<'a> Cheapest<'a> {
    fn new(sections: &'a Sections, most: usize) -> Cheapest<'a> {
        Cheapest { sections, most, heap: BinaryHeap::new(), found: Vec::new(), n_all: 0 }
    }

    fn finish(mut self) -> Wanted {
        self.settle();
        let tasks = self.heap.into_sorted_vec().into_iter().map(|ranked| ranked.0);
        Wanted { tasks: tasks.collect(), n_all: self.n_all }
    }

    /// Makes tasks of the positions found, each at its lowest cost.
    fn settle(&mut self) {
        self.found.sort_by(|a, b| (a.0.cmp(&b.0)).then(a.1.total_cmp(&b.1)));
        self.found.dedup_by_key(|found| found.0);
        for (board, cost) in self.found.drain(..) {
            let task = Task { board, exclude: linked(self.sections, board), cost };
            if task.has_moves() {
                self.n_all += 1;
                self.heap.push(Ranked(task));
                if self.heap.len() > self.most {
                    self.heap.pop();
                }
            }
        }
    }
}

/// A task, ordered by cost, then by number of discs.
struct Ranked(Task);

impl Ord for Ranked {
    fn cmp(&self, other: &Ranked) -> Ordering {
        let rank = |task: &Task| (n_discs(task.board), task.board);
        let (own, other) = (&self.0, &other.0);
        own.cost.total_cmp(&other.cost).then_with(|| rank(own).cmp(&rank(other)))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Ranked) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Ranked) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}

impl Task {
    fn has_moves(&self) -> bool {
        self.board.legal_moves() & !self.exclude != 0
    }
}

/// All positions of a book that need a search (see [`is_due`]), those with few discs first.
pub fn due(sections: &Sections) -> Vec<Task> {
    let due = sections.iter().filter(|entry| is_due(entry, sections));
    let task = |entry: &Entry| Task {
        board: entry.board,
        exclude: linked(sections, entry.board),
        cost: 0.0,
    };
    due.map(task).filter(Task::has_moves).collect()
}

/// Whether a search of the moves that lead out may change the value: nothing is known of them, or only a bound near the value.
pub fn is_due(entry: &Entry, sections: &Sections) -> bool {
    needs_search(entry, linked(sections, entry.board))
}

/// As [`is_due`], given the moves that stay in the book.
pub fn needs_search(entry: &Entry, linked: u64) -> bool {
    let has_others = entry.board.legal_moves() & !linked != 0;
    has_others
        && match (entry.leaf, entry.value) {
            (Some(leaf), Some(value)) => {
                leaf.square.bit() & linked != 0
                    && Score::from(leaf.score) >= Score::from(value.score) - MARGIN
            }
            // Without a leaf there is a value only if no other move can be worth more.
            (_, value) => value.is_none(),
        }
}

/// The moves of a board that stay in a book, or end the game.
fn linked(sections: &Sections, board: Board) -> u64 {
    values::linked(&sections.links(board))
}

fn index(board: Board) -> usize {
    (n_discs(board).max(FIRST_DISCS) - FIRST_DISCS) as usize
}

/// The book without the positions that `keep` refuses. In each position that stays, the best move to a removed one becomes
/// the leaf with its value, if it is better than the old leaf; if its value is not settled, the position counts as not searched.
pub fn cut(sections: &Sections, keep: impl Fn(&Entry) -> bool) -> Sections {
    let is_kept = |board: Board| sections.find(board).filter(|entry| keep(entry)).is_some();
    sections.map(|entry| {
        if !keep(&entry) {
            return None;
        }
        let links = sections.links(entry.board);
        let gone =
            links.iter().filter(|link| link.after.board().is_some_and(|child| !is_kept(child)));
        let best = gone.max_by_key(|link| (link.value.score, std::cmp::Reverse(link.bit)));
        let Some(best) = best.filter(|_| entry.value.is_some()) else { return Some(entry) };
        let own = entry.leaf.filter(|leaf| links.iter().all(|link| link.bit != leaf.square.bit()));
        if own.is_some_and(|own| own.score >= best.value.score) {
            return Some(entry);
        }
        if !best.value.is_settled() {
            return Some(Entry { leaf: None, ..entry });
        }
        let n_empties = entry.board.n_empties() as u8;
        let (depth, selectivity) = if best.value.is_proven() {
            (n_empties, Selectivity::FULL)
        } else {
            // One line may be solved; that proves nothing of the others.
            let (depth, selectivity) = depth_behind(sections, best.after);
            (depth.min(n_empties - 1), selectivity)
        };
        let leaf = Leaf {
            square: Square::lowest(best.bit),
            score: best.value.score,
            depth,
            selectivity,
            origin: Origin::Search,
        };
        Some(Entry { leaf: Some(leaf), ..entry })
    })
}

/// Depth in plies and confidence of the search behind a value, found by following the best moves to their leaf.
fn depth_behind(sections: &Sections, after: After) -> (u8, Selectivity) {
    let mut plies = 1u8;
    let mut after = after;
    loop {
        let full = Selectivity::FULL;
        let Some(entry) = after.board().and_then(|board| sections.find(board)) else {
            return (plies, full);
        };
        let score = entry.value.map(|value| value.score);
        let links = sections.links(entry.board);
        match links.iter().find(|link| Some(link.value.score) == score) {
            Some(link) => after = link.after,
            None => {
                return entry.leaf.map_or((plies, full), |leaf| {
                    (plies.saturating_add(leaf.depth).min(60), leaf.selectivity)
                });
            }
        }
        plies += 1;
    }
}

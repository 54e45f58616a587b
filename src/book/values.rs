//! The values of positions: they follow from facts, and from the values of the positions that moves lead to.

use super::entry::{After, Entry, Leaf, Value};
use crate::board::{Board, Square};

/// A legal move of a position that stays in the book, or ends the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The bit of the square, on the board that was asked about.
    pub bit: u64,
    /// Where it leads.
    pub after: After,
    /// Its value for the mover.
    pub value: Value,
    /// Lines behind it.
    pub lines: u32,
}

/// The squares of links, as a set.
pub fn linked(links: &[Link]) -> u64 {
    links.iter().fold(0, |all, link| all | link.bit)
}

/// A position with the better of its old fact and a new one (`leaf` gets the set of links), and with value and lines derived again.
pub fn renewed(old: Entry, links: &[Link], leaf: impl FnOnce(u64) -> Option<Leaf>) -> Entry {
    let linked = linked(links);
    let leaf = better(old.board, old.leaf, leaf(linked), linked);
    let Derived { value, lines, .. } = derive(old.board, leaf, links);
    Entry { leaf, value, lines, ..old }
}

/// The moves that end the game or lead to a position with a value; `find` looks up a position by the least of its images.
pub fn links(board: Board, find: impl Fn(Board) -> Option<Entry>) -> Vec<Link> {
    let link = |square| {
        let after = After::play(board, square);
        let child = after.board().and_then(&find);
        let value = after.value(|_| child.and_then(|child| child.value))?;
        Some(Link {
            bit: Square::bit(square),
            after,
            value,
            lines: child.map_or(1, |child| child.lines),
        })
    };
    board.moves().filter_map(link).collect()
}

/// What follows for a position from its leaf and its links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Derived {
    /// The value, unless nobody has searched the moves that lead out.
    pub value: Option<Value>,
    /// Number of ways out of the book.
    pub lines: u32,
    /// The moves that are links.
    pub linked: u64,
    /// Whether the leaf still leads out of the book.
    pub leads_out: bool,
}

/// Derives the value of a position.
pub fn derive(board: Board, leaf: Option<Leaf>, links: &[Link]) -> Derived {
    let n_empties = board.n_empties();
    let linked = linked(links);
    let mut value = links.iter().map(|link| link.value).reduce(Value::or);
    let mut lines = links.iter().fold(0u32, |sum, link| sum.saturating_add(link.lines));
    let leads_out = leaf.is_some_and(|leaf| leaf.square.bit() & linked == 0);
    let has_others = board.legal_moves() & !linked != 0;
    match leaf {
        Some(leaf) if leads_out => {
            let own = leaf.value(n_empties);
            value = Some(value.map_or(own, |value| value.or(own)));
            lines = lines.saturating_add(1);
        }
        // Once a leaf's child is in the book, its score is only an upper bound for the unsearched moves.
        Some(leaf) => {
            if let Some(value) = value.as_mut().filter(|_| has_others) {
                value.upper = value.upper.max(leaf.value(n_empties).upper);
            }
        }
        // Nobody has searched the other moves, so the links say nothing about the best move, unless one wins all discs.
        None if has_others => value = value.filter(|value| value.lower == 64),
        None => {}
    }
    // The bounds of what is not proven are only likely, and prove nothing together with others.
    let is_sure = links.iter().all(|link| link.value.is_proven())
        && (!has_others || leaf.is_some_and(|leaf| leaf.value(n_empties).is_proven()));
    if let Some(value) = value.as_mut().filter(|value| value.is_proven() && value.upper < 64) {
        value.upper += i8::from(!is_sure);
    }
    Derived { value, lines, linked, leads_out }
}

/// The better of two facts.
pub fn better(board: Board, a: Option<Leaf>, b: Option<Leaf>, linked: u64) -> Option<Leaf> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.is_better(a, linked, board.n_empties()) { b } else { a }),
        (a, b) => a.or(b),
    }
}

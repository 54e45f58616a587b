//! The moves that a player has played in the games of a session, and how it chooses other ones.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::board::symmetry::canonical;
use crate::board::{Board, Square};
use crate::book::choice::Variety;
use crate::score::Score;
use crate::search::{Bound, Line};

/// Once this many positions are remembered, all are forgotten: they cover some thousand games and take a few MiB.
const MAX_POSITIONS: usize = 1 << 16;

/// Whether a move can lead to a new game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Novelty {
    /// It leads only to games that were played before.
    Old,
    /// It may lead to a new game: the moves after it have not been compared.
    Unknown,
    /// It leads to a new game.
    #[default]
    New,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Known {
    n_games: u16,
    novelty: Novelty,
}

/// The positions, up to symmetry, that a player has moved into. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct PlayedPositions(Arc<Mutex<HashMap<Board, Known>>>);

impl PlayedPositions {
    fn lock(&self) -> MutexGuard<'_, HashMap<Board, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn played(&self, board: Board) -> Played {
        let mut played = Played([Known::default(); 64]);
        let positions = self.lock();
        for square in board.moves() {
            if let Some(known) = positions.get(&reached(board, square)) {
                played.0[square.index()] = *known;
            }
        }
        played
    }

    pub(super) fn add(&self, reached: Board) {
        let mut positions = self.lock();
        if positions.len() >= MAX_POSITIONS {
            positions.clear();
        }
        let new = Known { n_games: 0, novelty: Novelty::Unknown };
        let known = positions.entry(reached).or_insert(new);
        known.n_games = known.n_games.saturating_add(1);
    }

    pub(super) fn set_novelty(&self, reached: Board, novelty: Novelty) {
        if let Some(known) = self.lock().get_mut(&reached) {
            known.novelty = novelty;
        }
    }

    pub(super) fn take_back(&self, reached: Board) {
        let mut positions = self.lock();
        if let Some(known) = positions.get_mut(&reached) {
            known.n_games -= 1;
            if known.n_games == 0 {
                positions.remove(&reached);
            }
        }
    }

    #[cfg(test)]
    pub(super) fn novelty(&self, reached: Board) -> Option<Novelty> {
        self.lock().get(&reached).map(|known| known.novelty)
    }
}

/// Up to symmetry.
pub(super) fn reached(board: Board, square: Square) -> Board {
    canonical(board.after(square, board.flips(square)))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Picked {
    pub index: usize,
    /// In 1/128 disc, against the best line.
    pub lost: Score,
    /// The best novelty among the other lines within the variety.
    pub others: Novelty,
}

impl Default for Picked {
    fn default() -> Picked {
        Picked { index: 0, lost: 0, others: Novelty::Unknown }
    }
}

/// The moves that earlier games played on a board, by square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played([Known; 64]);

impl Played {
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|known| known.n_games == 0)
    }

    /// Among the lines of a search, the best first, within what the variety has left. A move with a better novelty comes first; among
    /// equal ones, a move that loses x discs is played e^(2x/D) times less often than the best, D being the whole variety in discs. After
    /// a search to the end, no move gives away a proven score, or a win or draw that the search has found.
    pub(super) fn choose(&self, lines: &[Line], variety: &Variety, n_empties: u32) -> Picked {
        let none = Picked { index: 0, lost: 0, others: Novelty::Old };
        let Some(best) = lines.first() else { return none };
        let most = if best.is_proven() { 0 } else { variety.left };
        let loss = |line: &Line| best.score - line.score;
        let keeps_result =
            |line: &Line| best.depth < n_empties || line.score.signum() >= best.score.signum();
        let is_near =
            |line: &Line| line.bound == Bound::Exact && loss(line) <= most && keeps_result(line);
        let weight = |line: &Line| {
            let cost = 2.0 * f64::from(loss(line)) / f64::from(variety.total);
            (f64::from(self.of(line).n_games) + 1.0) * cost.exp()
        };
        let near = || lines.iter().enumerate().filter(|(_, line)| is_near(line));
        let chosen = near().min_by(|(_, a), (_, b)| {
            let novelty = |line| Reverse(self.of(line).novelty);
            novelty(a).cmp(&novelty(b)).then(weight(a).total_cmp(&weight(b)))
        });
        let Some((index, line)) = chosen else { return none };
        let others = near().filter(|(other, _)| *other != index);
        let others = others.map(|(_, other)| self.of(other).novelty).max();
        Picked { index, lost: loss(line), others: others.unwrap_or(Novelty::Old) }
    }

    fn of(&self, line: &Line) -> Known {
        line.mv.square().map_or_else(Known::default, |square| self.0[square.index()])
    }

    #[cfg(test)]
    pub(super) fn n_games(&self, square: Square) -> u16 {
        self.0[square.index()].n_games
    }

    pub(super) fn old(&self) -> u64 {
        let squares = self.0.iter().zip(0u32..);
        let old = squares.filter(|(known, _)| known.novelty == Novelty::Old);
        old.fold(0, |set, (_, index)| set | 1 << index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Move;
    use crate::score::DISC;

    fn mv(text: &str) -> Move {
        Move::parse(text.as_bytes()).unwrap()
    }

    /// The lines of a search of 9 plies, with scores in 1/128 disc.
    fn searched(lines: &[(&str, Score)]) -> Vec<Line> {
        lines.iter().map(|&(at, score)| Line::new(mv(at), score, Bound::Exact, 9)).collect()
    }

    /// Moves played before, each with its number of games and its novelty.
    fn played(moves: &[(&str, u16, Novelty)]) -> Played {
        let mut played = Played([Known::default(); 64]);
        for &(at, n_games, novelty) in moves {
            played.0[mv(at).square().unwrap().index()] = Known { n_games, novelty };
        }
        played
    }

    /// The move that is chosen, with its loss and what the others lead to.
    fn chosen(played: Played, lines: &[Line], n_empties: u32) -> (String, Score, Novelty) {
        let Picked { index, lost, others } =
            played.choose(lines, &Variety::new(DISC, 1, 0), n_empties);
        (lines[index].mv.to_string(), lost, others)
    }

    #[test]
    fn new_games_come_before_cheap_ones() {
        use Novelty::{New, Old, Unknown};
        let lines = [("d6", 0), ("f4", -100), ("f6", -129)];
        for (known, expected) in [
            (vec![("d6", 1, Unknown)], ("f4", 100, Unknown)),
            // What loses more than the variety is out of question.
            (vec![("d6", 1, Old), ("f4", 1, Old)], ("d6", 0, Old)),
            (vec![("d6", 2, Old), ("f4", 1, Unknown)], ("f4", 100, Old)),
            (vec![("d6", 9, New), ("f4", 1, Unknown)], ("d6", 0, Unknown)),
            // By e^(2x/D), 4.8 times less often.
            (vec![("d6", 3, New)], ("d6", 0, New)),
            (vec![("d6", 4, New)], ("f4", 100, New)),
        ] {
            let (at, lost, others) = expected;
            let found = chosen(played(&known), &searched(&lines), 40);
            assert_eq!(found, (at.into(), lost, others), "{known:?}");
        }
    }

    #[test]
    fn a_search_to_the_end_gives_nothing_away() {
        let found = played(&[("d6", 1, Novelty::Unknown)]);
        let pick = |best: Score, other: Score, exact: bool, n_empties: u32| {
            let mut lines = searched(&[("d6", best), ("f4", other)]);
            lines.iter_mut().for_each(|line| line.exact = exact);
            chosen(found, &lines, n_empties).0
        };
        assert_eq!(pick(64, -64, false, 10), "f4");
        assert_eq!(pick(64, -64, false, 9), "d6", "a win");
        assert_eq!(pick(0, -64, false, 9), "d6", "a draw");
        assert_eq!(pick(-64, -128, false, 9), "f4");
        assert_eq!(pick(-64, -128, true, 9), "d6", "proven");
        assert_eq!(pick(256, 256, true, 9), "f4");
    }

    #[test]
    fn the_positions_are_bounded() {
        let positions = PlayedPositions::default();
        for index in 0..MAX_POSITIONS as u64 + 10 {
            positions.add(Board { player: index << 1, opponent: 1 });
        }
        assert_eq!(positions.lock().len(), 10);
    }
}

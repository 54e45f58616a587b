//! Choosing a move to play from a book.

use std::cmp::Reverse;

use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};

use super::repertoire::{MOST_LOSS, Wishes};
use super::{Book, BookMove, Value};
use crate::board::{Board, Color, Move, hash};
use crate::game::Game;
use crate::score::{DISC, INFINITE, Score};
use crate::search::{Bound, Line, Selectivity};

/// If the best move has lost more than this since it was found to be the best, another one may be better; in 1/128 disc.
const STALE: Score = DISC;

/// What moves are worth to the side that chooses among them, in 1/128 disc.
struct Worth {
    draw: Score,
}

impl Worth {
    /// Among some moves, of which a proven draw counts `draw`, yet less than each proven win and more than each proven loss.
    fn new<'a>(moves: impl Iterator<Item = &'a BookMove>, draw: Score) -> Worth {
        let proven = moves.filter(|known| known.value.is_proven());
        let (mut low, mut high) = (-INFINITE, INFINITE);
        for score in proven.map(|known| Score::from(known.value.score)) {
            if score < 0 {
                low = low.max(score + 1);
            } else if score > 0 {
                high = high.min(score - 1);
            }
        }
        Worth { draw: draw.clamp(low, high) }
    }

    fn of(&self, known: &BookMove) -> Score {
        let Value { score, lower, upper } = known.value;
        if (lower, upper) == (0, 0) { self.draw } else { score.into() }
    }
}

/// Those of some lines, the best first, that lose at most so much, in 1/128 disc, and give no proven win or draw away.
fn near(lines: &[BookLine], most: Score, worth: &Worth) -> Vec<BookLine> {
    let Some(best) = lines.first() else { return Vec::new() };
    let value = best.known.value;
    let least = value.is_proven().then_some(value.lower.signum()).filter(|sign| *sign >= 0);
    let is_near = |line: &&BookLine| {
        let own = line.known.value;
        let keeps = |least: i8| own.is_proven() && own.lower.signum() >= least;
        worth.of(&best.known) - worth.of(&line.known) <= most && least.is_none_or(keeps)
    };
    lines.iter().filter(is_near).cloned().collect()
}

/// How far a choice may stray from the best moves, and what decides it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variety {
    /// What a side may lose by its choices in a game, in 1/128 disc; 0 for always the best move.
    pub total: Score,
    /// What is left of it.
    pub left: Score,
    /// With the position it decides the choice.
    pub seed: u64,
    /// What a proven draw counts for the side that chooses, in 1/128 disc.
    pub draw: Score,
}

/// A move of a book with what follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookLine {
    /// The move.
    pub known: BookMove,
    /// The move and the best replies to the way out of the book, the last move and passes included.
    pub pv: Vec<Move>,
    /// Plies to the end of the search behind the value, from the position before the move on.
    pub depth: u32,
    /// Confidence of that search.
    pub selectivity: Selectivity,
}

impl BookLine {
    /// The move to play.
    pub const fn mv(&self) -> Move {
        Move::Place(self.known.square)
    }

    /// The value in 1/128 disc for the side to move.
    pub const fn score(&self) -> Score {
        self.known.value.score as Score
    }

    /// The same as a search reports it.
    pub fn to_line(&self) -> Line {
        Line {
            mv: self.mv(),
            score: self.score(),
            bound: Bound::Exact,
            depth: self.depth,
            selectivity: self.selectivity,
            exact: self.known.value.is_proven(),
            pv: self.pv.clone(),
        }
    }

    /// Whether it says at least as much as a search of `depth` plies with this confidence, from a position with `n_empties`
    /// empty squares. The confidence counts between searches to the end.
    pub const fn says(&self, depth: u32, selectivity: Selectivity, n_empties: u32) -> bool {
        let is_as_sure = self.depth < n_empties || self.selectivity.level() >= selectivity.level();
        self.known.value.is_proven() || self.depth > depth || self.depth == depth && is_as_sure
    }
}

impl Book {
    /// The moves that the book knows for a board, the best first as in [`Book::moves`], each with what follows it. None if other moves
    /// may be better than all of these: nobody has searched them, or the best move has lost more than a disc since they were found worse.
    pub fn lines(&self, board: Board) -> Vec<BookLine> {
        self.lines_but(board, 0)
    }

    /// The same if some squares are not to be played on.
    pub fn lines_but(&self, board: Board, exclude: u64) -> Vec<BookLine> {
        let allowed = board.legal_moves() & !exclude;
        let mut moves = self.moves(board);
        moves.retain(|known| known.square.bit() & allowed != 0);
        let Some(best) = moves.first() else { return Vec::new() };
        let covers_all = moves.len() == allowed.count_ones() as usize;
        // A leaf that has become a link says what the moves left out are worth at most.
        let bound =
            self.find(board).and_then(|entry| entry.leaf).map(|leaf| Score::from(leaf.score));
        let is_near = |bound| bound <= Score::from(best.value.score) + STALE;
        let leads_out = moves.iter().any(|known| known.is_leaf);
        if !covers_all && !leads_out && !bound.is_some_and(is_near) {
            return Vec::new();
        }
        moves.into_iter().map(|known| self.line(board, known)).collect()
    }

    /// A move of the book with the best replies.
    pub(super) fn line(&self, board: Board, known: BookMove) -> BookLine {
        let (mut board, mut next) = (board, Some(known));
        let (mut pv, mut depth, mut selectivity) = (Vec::new(), 0, Selectivity::FULL);
        while let Some(BookMove { square, is_leaf, .. }) = next {
            pv.push(Move::Place(square));
            if is_leaf {
                if let Some(leaf) = self.find(board).and_then(|entry| entry.leaf) {
                    depth += u32::from(leaf.depth);
                    selectivity = leaf.selectivity;
                }
                break;
            }
            depth += 1;
            board = board.after(square, board.flips(square));
            if crate::game::must_pass(board) {
                pv.push(Move::Pass);
                board = board.passed();
            }
            next = self.moves(board).first().copied();
        }
        BookLine { known, pv, depth, selectivity }
    }

    /// Chooses among the moves that the book knows for a board and nobody wishes to leave out: those that lose no more than is left, and
    /// give no proven win or draw away. The better ones and those with more lines behind them come more often. Preferred ones that
    /// lose little are chosen before all others. `None` if the best one is not `enough`, nothing is known, or not whether a preferred
    /// move loses little.
    ///
    /// What a proven draw counts decides among known moves only; it reaches no value of the positions before. The budget for a whole game is the "slack" of Zebra, by Gunnar Andersson.
    pub fn choose(
        &self,
        board: Board,
        variety: Variety,
        wishes: Wishes,
        enough: impl Fn(&BookLine) -> bool,
    ) -> Option<BookLine> {
        let mut lines = self.lines_but(board, wishes.exclude);
        let worth = Worth::new(lines.iter().map(|line| &line.known), variety.draw);
        lines.sort_by_key(|line| Reverse(worth.of(&line.known)));
        lines.first().filter(|best| enough(best))?;
        if wishes.prefer != 0 {
            let known = lines.iter().fold(0, |set, line| set | line.known.square.bit());
            let mut preferred = near(&lines, MOST_LOSS, &worth);
            preferred.retain(|line| line.known.square.bit() & wishes.prefer != 0 && enough(line));
            if !preferred.is_empty() {
                lines = preferred;
            } else if wishes.prefer & !known != 0 {
                return None;
            }
        }
        if variety.left <= 0 {
            return lines.into_iter().next();
        }
        let mut lines = near(&lines, variety.left, &worth);
        lines.retain(&enough);
        let best = worth.of(&lines.first()?.known);
        let weights: Vec<f64> = lines
            .iter()
            .map(|line| {
                let loss = f64::from(best - worth.of(&line.known));
                let richness = 1.0 + (1.0 + f64::from(line.known.lines)).log2();
                (-2.0 * loss / f64::from(variety.total.max(1))).exp() * richness
            })
            .collect();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(variety.seed ^ hash::hash(board));
        // 53 bits are what a float holds.
        let draw = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let mut left = draw * weights.iter().sum::<f64>();
        let chosen = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        lines.into_iter().nth(chosen.unwrap_or(0))
    }

    /// What a side has lost in a game by moves that the book knows, against the best one of each position, in 1/128 disc, if a proven
    /// draw counts `draw` for it.
    pub fn lost(&self, game: &Game, color: Color, draw: Score) -> Score {
        let own = game.plies().iter().filter(|ply| ply.before.side == color);
        own.filter_map(|ply| {
            let moves = self.moves(ply.before.board);
            let worth = Worth::new(moves.iter(), draw);
            let played = moves.iter().find(|known| Move::Place(known.square) == ply.mv)?;
            Some(moves.iter().map(|known| worth.of(known)).max()? - worth.of(played))
        })
        .sum()
    }
}

//! Choosing a move to play from a book.

use std::cmp::Reverse;

use super::repertoire::{MAX_LOSS, RepertoireRules};
use super::{Book, BookMove, Value};
use crate::board::{Board, Color, Move};
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
    /// A proven draw counts `draw`, but less than each proven win and more than each proven loss among `moves`.
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

/// Whether a move loses at most so much against the best one, in 1/128 disc, and gives no proven win or draw away.
fn is_near(known: &BookMove, best: &BookMove, most: Score, worth: &Worth) -> bool {
    let (own, value) = (known.value, best.value);
    let least = value.is_proven().then_some(value.lower.signum()).filter(|sign| *sign >= 0);
    let keeps = |least: i8| own.is_proven() && own.lower.signum() >= least;
    worth.of(best) - worth.of(known) <= most && least.is_none_or(keeps)
}

/// How far a choice may stray from the best moves, and what decides it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Variety {
    /// What a side may lose by its choices in a game, in 1/128 disc; 0 for always the best move.
    pub total: Score,
    /// What is left of it.
    pub left: Score,
    /// The number from 0 to 1 that decides the choice: each move has a share of this range.
    pub at: f64,
    /// What a proven draw counts for the side that chooses, in 1/128 disc.
    pub draw: Score,
    /// Squares to play on only if there is no other choice: games that continue with them have all been played already.
    pub old: u64,
}

impl Variety {
    /// At the start of a game.
    pub fn new(total: Score, seed: u64, draw: Score) -> Variety {
        // 53 bits are what a float holds.
        let at = (seed >> 11) as f64 / (1u64 << 53) as f64;
        Variety { total, left: total, at, draw, old: 0 }
    }

    /// The probabilities of moves sorted best first: higher for better moves and more lines behind them, 0 for moves that lose too much.
    fn shares(&self, moves: &[BookMove], worth: &Worth) -> Vec<f64> {
        let Some(best) = moves.first() else { return Vec::new() };
        let share = |known: &BookMove| {
            if !is_near(known, best, self.left, worth) {
                return 0.0;
            }
            let loss = f64::from(worth.of(best) - worth.of(known));
            let richness = 1.0 + (1.0 + f64::from(known.lines)).log2();
            (-2.0 * loss / f64::from(self.total.max(1))).exp() * richness
        };
        let mut shares: Vec<f64> = moves.iter().map(share).collect();
        let sum: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= sum);
        shares
    }

    /// The variety after a move: `moves[index]`, of moves sorted best first, or `None` for a move that the book does not know.
    /// The position of `at` within the move's share becomes the next `at`, so that games with different seeds soon diverge.
    fn played(self, moves: &[BookMove], index: Option<usize>, worth: &Worth) -> Variety {
        let Some(index) = index else { return self };
        let left = self.left - (worth.of(&moves[0]) - worth.of(&moves[index]));
        let shares = self.shares(moves, worth);
        let before: f64 = shares[..index].iter().sum();
        let at = if shares[index] > 0.0 { (self.at - before) / shares[index] } else { self.at };
        Variety { left, at: at.rem_euclid(1.0), ..self }
    }
}

/// A move of a book with what follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookLine {
    /// The move.
    pub known: BookMove,
    /// The move and the best continuation, up to and including the move that leads out of the book, with passes.
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

    /// Converts it to the form in which a search reports a line.
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

    /// Whether it is worth at least as much as a search of `depth` plies with this confidence, from a position with `n_empties`
    /// empty squares. Confidence is compared only between searches to the end.
    pub const fn is_at_least_as_deep_as(
        &self,
        depth: u32,
        selectivity: Selectivity,
        n_empties: u32,
    ) -> bool {
        let is_as_sure = self.depth < n_empties || self.selectivity.level() >= selectivity.level();
        self.known.value.is_proven() || self.depth > depth || self.depth == depth && is_as_sure
    }
}

impl Book {
    /// The moves that the book knows for a board, the best first as in [`Book::moves`], each with the line behind it. Empty if other moves
    /// may be better than all of these: nobody has searched them, or the best move has lost more than a disc since they were found worse.
    /// Also empty if the value of the best move, or of the choice among all, is not settled (see [`Value::is_settled`]).
    pub fn lines(&self, board: Board) -> Vec<BookLine> {
        self.lines_but(board, 0)
    }

    /// As [`Book::lines`] without the moves on the squares of `exclude`.
    pub fn lines_but(&self, board: Board, exclude: u64) -> Vec<BookLine> {
        let allowed = board.legal_moves() & !exclude;
        let mut moves = self.moves(board);
        moves.retain(|known| known.square.bit() & allowed != 0);
        let Some(&best) = moves.first() else { return Vec::new() };
        let covers_all = moves.len() == allowed.count_ones() as usize;
        // Once a leaf's child is in the book, its score is an upper bound for the moves left out.
        let bound =
            self.find(board).and_then(|entry| entry.leaf).map(|leaf| Score::from(leaf.score));
        let is_near = |bound| bound <= Score::from(best.value.score) + STALE;
        let leads_out = moves.iter().any(|known| known.is_leaf);
        let wins_all = best.value.lower == 64;
        if !covers_all && !leads_out && !wins_all && !bound.is_some_and(is_near) {
            return Vec::new();
        }
        let choice = moves.iter().fold(best.value, |choice, known| choice.or(known.value));
        if !best.value.is_settled() || !choice.is_settled() {
            return Vec::new();
        }
        moves.retain(|known| known.value.is_settled());
        let mut lines: Vec<_> = moves.into_iter().map(|known| self.line(board, known)).collect();
        // Of equal moves the deeper one: whether the book is played from must not depend on how the board is turned.
        let rank = |line: &BookLine| {
            (line.known.value.score, line.known.lines, line.depth, line.selectivity)
        };
        lines.sort_by_key(|line| Reverse(rank(line)));
        lines
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

    /// Chooses among the moves that the book knows and the rules do not exclude: those that lose no more than `variety.left`
    /// and give no proven win or draw away. Better moves and moves with more lines behind them are chosen more often. Preferred
    /// moves that lose little come before all others, and those in `variety.old` after all others. `None` if nothing is known,
    /// the best line is not `enough`, or a preferred move is unknown and no known one qualifies.
    ///
    /// The worth of a proven draw decides only this choice; it changes no value of the positions before. The budget for a whole
    /// game is the "slack" of Zebra, by Gunnar Andersson.
    pub fn choose(
        &self,
        board: Board,
        variety: Variety,
        rules: RepertoireRules,
        enough: impl Fn(&BookLine) -> bool,
    ) -> Option<BookLine> {
        let mut lines = self.lines_but(board, rules.exclude);
        let worth = Worth::new(lines.iter().map(|line| &line.known), variety.draw);
        lines.sort_by_key(|line| Reverse(worth.of(&line.known)));
        lines.first().filter(|best| enough(best))?;
        if rules.prefer != 0 {
            let known = lines.iter().fold(0, |set, line| set | line.known.square.bit());
            let best = lines[0].known;
            let mut preferred = lines.clone();
            preferred.retain(|line| {
                is_near(&line.known, &best, MAX_LOSS, &worth)
                    && line.known.square.bit() & rules.prefer != 0
                    && enough(line)
            });
            if !preferred.is_empty() {
                lines = preferred;
            } else if rules.prefer & !known != 0 {
                return None;
            }
        }
        if variety.left <= 0 {
            return lines.into_iter().next();
        }
        let best = lines.first()?.known;
        lines.retain(|line| enough(line) && is_near(&line.known, &best, variety.left, &worth));
        let is_old = |line: &BookLine| line.known.square.bit() & variety.old != 0;
        if !lines.iter().all(is_old) {
            lines.retain(|line| !is_old(line));
        }
        let moves: Vec<BookMove> = lines.iter().map(|line| line.known).collect();
        let mut left = variety.at;
        let chosen = variety.shares(&moves, &worth).iter().position(|share| {
            left -= share;
            left < 0.0
        });
        // Sums of shares are not exact.
        lines.into_iter().nth(chosen.unwrap_or(moves.len().saturating_sub(1)))
    }

    /// The variety that is left for a side after its moves in a game that it began with `variety`.
    pub fn varied(&self, game: &Game, color: Color, mut variety: Variety) -> Variety {
        for ply in game.plies().iter().filter(|ply| ply.before.side == color) {
            let board = ply.before.board;
            if self.find(board).and_then(|entry| entry.settled()).is_none() {
                continue;
            }
            let mut moves = self.moves(board);
            let worth = Worth::new(moves.iter(), variety.draw);
            moves.sort_by_key(|known| Reverse(worth.of(known)));
            let index = moves.iter().position(|known| Move::Place(known.square) == ply.mv);
            variety = variety.played(&moves, index, &worth);
        }
        variety
    }
}

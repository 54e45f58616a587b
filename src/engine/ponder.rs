//! Thinking on the opponent's time.
//!
//! Each round searches the replies to all of the opponent's moves a ply deeper, the opponent's best move first, after pyReversi's
//! table of predictions. A ponder hit is played at once if the prediction meets the plan of the move; else the search
//! starts from what pondering left in the transposition table.

use std::time::{Duration, Instant};

use super::job::{Effort, Event, OnEvent, Prediction};
use super::thinker::Thinker;
use crate::board::{Board, Move};
use crate::search::{Limits, Lines, Outcome, Selectivity, Stop};

/// Pondering ends after this long even if nobody stops it: an opponent that thinks longer has gone.
const MAX_TIME: Duration = Duration::from_secs(30 * 60);

/// Once fewer plies than this remain between the depth of a round and the end of the game, replies are solved at once.
const SOLVE_JUMP: u32 = 10;

/// The engine's replies to the moves of the opponent, who is to move.
pub(super) struct Replies {
    /// The moves with the positions after them; the opponent's best comes first.
    moves: Vec<(Move, Board)>,
    found: Vec<Prediction>,
}

impl Replies {
    /// The replies on a board, starting from the predictions `known` so far: an input line that changes nothing ends pondering
    /// too, and the predictions found by then stay valid.
    pub fn new(board: Board, mut known: Vec<Prediction>) -> Replies {
        let moves = successors(board);
        known.retain(|reply| moves.contains(&(reply.to, reply.board)));
        Replies { moves, found: known }
    }

    /// Searches until stopped or until every reply meets the effort's limits. The opponent's best move comes first in the result.
    pub fn deepen(
        mut self,
        thinker: &mut Thinker,
        effort: &Effort,
        stop: &Stop,
        report: OnEvent<'_>,
    ) -> Vec<Prediction> {
        let start = Instant::now();
        thinker.age();
        for round in 1..=60 {
            let mut is_done = true;
            for (rank, &(to, board)) in self.moves.iter().enumerate() {
                let known = self.found.iter_mut().find(|reply| reply.to == to);
                let (asked, planned) = (effort.limits, thinker.limits(board, effort));
                let is_exhausted = |reply: &Prediction| {
                    is_solved(&reply.outcome)
                        || (planned.time.is_none() && reaches_depth(reply, &asked))
                };
                if known.as_deref().is_some_and(is_exhausted) {
                    continue;
                }
                is_done = false;
                // The likeliest move gets a ply more than the others.
                let depth = round + u32::from(rank == 0);
                let enough = depth.min(asked.depth);
                if known.as_ref().is_some_and(|reply| depth_of(reply) >= enough) {
                    continue;
                }
                let limits = round_limits(&asked, &planned, depth, board.n_empties());
                let begin = Instant::now();
                let outcome = thinker.search(board, &limits, stop, &mut |_| {});
                let spent = begin.elapsed();
                match known {
                    // An unfinished search may know less than the round before: its time does not count.
                    Some(reply) if reach(&outcome) < reach(&reply.outcome) => {}
                    Some(reply) => {
                        reply.outcome = outcome;
                        reply.spent += spent;
                    }
                    None if outcome.interrupted => {}
                    None => self.found.push(Prediction { to, board, outcome, spent }),
                }
                if thinker.was_stopped || start.elapsed() > MAX_TIME {
                    return finish(self.found);
                }
            }
            self.found.sort_by_key(value);
            let rank = |to| self.found.iter().position(|reply| reply.to == to);
            self.moves.sort_by_key(|&(to, _)| rank(to));
            report(Event::Predicted(self.found.clone()));
            if is_done {
                break;
            }
        }
        finish(self.found)
    }
}

fn finish(mut table: Vec<Prediction>) -> Vec<Prediction> {
    table.sort_by_key(value);
    for reply in &table {
        log::debug!("foreseen: {}", describe(reply));
    }
    table
}

/// For us: the lowest is the opponent's best.
fn value(reply: &Prediction) -> i32 {
    reply.outcome.best().map_or(0, |line| line.score)
}

/// The opponent's moves, each with the position after it, if we have a reply there. If not, the opponent moves again, and
/// that position is pondered once it arises.
fn successors(board: Board) -> Vec<(Move, Board)> {
    board
        .moves()
        .map(|square| (Move::Place(square), board.after(square, board.flips(square))))
        .filter(|(_, board)| board.legal_moves() != 0)
        .collect()
}

/// The limits for a reply in the round of `depth` plies: no deeper than `asked`, and without the time limit of the plan.
fn round_limits(asked: &Limits, planned: &Limits, depth: u32, n_empties: u32) -> Limits {
    let may_solve = n_empties <= asked.exact_from || asked.depth >= n_empties;
    let solves = may_solve && depth + SOLVE_JUMP > n_empties;
    Limits {
        depth: if solves { n_empties } else { depth.min(asked.depth) },
        exact_from: if solves { n_empties } else { 0 },
        selective_end_from: asked.selective_end_from,
        time: None,
        lines: Lines::Best(1),
        exclude: 0,
        ..*planned
    }
}

/// The depth to which all moves were compared: a search that was cut short has done so only to the depth before.
fn depth_of(reply: &Prediction) -> u32 {
    let depth = reply.outcome.best().map_or(0, |line| line.depth);
    depth.saturating_sub(u32::from(reply.outcome.interrupted))
}

fn is_solved(outcome: &Outcome) -> bool {
    outcome.best().is_none_or(|line| line.is_proven())
}

fn reaches_depth(reply: &Prediction, goal: &Limits) -> bool {
    let n_empties = reply.board.n_empties();
    let depth = goal.depth.min(n_empties);
    // Where the goal is to solve, only a solution meets it.
    n_empties > goal.exact_from && !goal.until_proven && depth_of(reply) >= depth
}

/// Depth and selectivity of a search, to compare how much it knows.
fn reach(outcome: &Outcome) -> (u32, Selectivity) {
    outcome.best().map_or((0, Selectivity::FULL), |line| (line.depth, line.selectivity))
}

/// Whether a prediction is as good as what a search with the effort's limits `asked` and its `planned` ones would find.
pub(super) fn meets(reply: &Prediction, asked: &Limits, planned: &Limits) -> bool {
    if planned.lines != Lines::Best(1) || asked.selectivity > selectivity(&reply.outcome) {
        return false;
    }
    is_solved(&reply.outcome)
        || reaches_depth(reply, asked)
        || planned.time.is_some_and(|time_limit| reply.spent >= time_limit.soft)
}

fn selectivity(outcome: &Outcome) -> Selectivity {
    outcome.best().map_or(Selectivity::FULL, |line| line.selectivity)
}

/// A prediction in a line: opponent's move, reply, depth, value, time.
pub(super) fn describe(reply: &Prediction) -> String {
    let Some(line) = reply.outcome.best() else { return format!("{:#}", reply.to) };
    format!(
        "{:#} -> {:#} depth {} value {} time {:.3}",
        reply.to,
        line.mv,
        line.depth,
        crate::score::text(line.score, line.is_proven()),
        reply.spent.as_secs_f64()
    )
}

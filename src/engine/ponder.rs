//! Thinking on the opponent's time.
//!
//! First comes a table of replies to all of the opponent's moves, as in pyReversi's predictions, but a shallow one. Then most of the work
//! goes to the move that the opponent is expected to play: its position is searched a ply deeper, and the reply to its best move, most
//! of whose tree is in the transposition table by then. The rest goes to moves that are nearly as good. A ponder hit is played at once
//! if the prediction meets the plan of the move; else the search starts from what pondering left in the table.

use std::time::{Duration, Instant};

use super::job::{Effort, Event, OnEvent, Prediction};
use super::thinker::Thinker;
use crate::board::{Board, Move};
use crate::score::{DISC, Score};
use crate::search::{Limits, Lines, Outcome, Selectivity, Stop};

/// Pondering ends after this long even if nobody stops it: an opponent that thinks longer has gone.
const MAX_TIME: Duration = Duration::from_secs(30 * 60);

/// To this depth all replies are searched before the expected one is searched deeper.
const BROAD_DEPTH: u32 = 10;

/// Moves that are worth less for the opponent by more than this wait until nothing else is left to do.
const NEAR: Score = 2 * DISC;

/// After the table, one node in so many goes to replies other than the expected one.
const OTHERS_SHARE: u64 = 5;

/// Once fewer plies than this remain between the depth of a search and the end of the game, a reply is solved at once, if the plan of
/// the next move would.
const SOLVE_JUMP: u32 = 10;

/// The replies on a board where the opponent is to move, its best move first; starting from the predictions `known` so far: an input
/// line that changes nothing ends pondering too, and the predictions found by then stay valid. Ends by the stop, or once every reply
/// meets the effort's limits.
pub(super) fn replies(
    board: Board,
    known: &[Prediction],
    thinker: &mut Thinker,
    effort: &Effort,
    stop: &Stop,
    report: OnEvent<'_>,
) -> Vec<Prediction> {
    let mut moves = successors(board);
    for mv in &mut moves {
        let is_its = |reply: &&Prediction| (reply.to, reply.board) == (mv.to, mv.board);
        mv.reply = known.iter().find(is_its).cloned();
        mv.tried = mv.reply.as_ref().map_or(0, depth_of);
    }
    let (start, is_over) = (Instant::now(), false);
    thinker.age();
    let mut replies = Replies { thinker, effort, stop, start, is_over, before: board, moves };
    replies.deepen(report);
    let found = replies.found();
    for reply in &found {
        log::debug!("foreseen: {}", describe(reply));
    }
    found
}

/// A move of the opponent.
struct Candidate {
    to: Move,
    /// The position after it.
    board: Board,
    /// The depth to which the reply was to be searched, whether or not a limit ended that.
    tried: u32,
    /// What is known of the reply.
    reply: Option<Prediction>,
}

impl Candidate {
    /// What the reply is worth for us; the most if it is not known.
    fn value(&self) -> Score {
        self.reply.as_ref().map_or(Score::MAX, value)
    }
}

struct Replies<'a> {
    thinker: &'a mut Thinker,
    effort: &'a Effort,
    stop: &'a Stop,
    start: Instant,
    /// Whether it has to end.
    is_over: bool,
    /// The position before the opponent's move.
    before: Board,
    /// The expected one comes first.
    moves: Vec<Candidate>,
}

impl Replies<'_> {
    fn deepen(&mut self, report: OnEvent<'_>) {
        if self.moves.is_empty() {
            return;
        }
        // Step 1. The table: all replies a ply deeper in each round, that to the likeliest move another ply.
        for round in 1..=BROAD_DEPTH {
            for at in 0..self.moves.len() {
                self.search(at, round + u32::from(at == 0), Duration::ZERO);
                if self.is_over {
                    return;
                }
            }
            self.moves.sort_by_key(Candidate::value);
            report(Event::Predicted(self.found()));
        }
        // Step 2. The expected move and, with a small part of the nodes, those nearly as good.
        let (mut followed, mut others) = (0, 0);
        while !self.is_over {
            let other = self.next_other();
            let is_due = others * (OTHERS_SHARE - 1) < followed;
            match other {
                Some(at) if is_due || self.is_exhausted(0) => {
                    others += self.search(at, self.moves[at].tried + 1, Duration::ZERO);
                }
                _ if self.is_exhausted(0) => return,
                _ => followed += self.follow(),
            }
            report(Event::Predicted(self.found()));
        }
    }

    /// Searches the position before the opponent's move a ply deeper, and the reply to its best move; returns the nodes.
    fn follow(&mut self) -> u64 {
        let (depth, begin) = (self.moves[0].tried + 1, Instant::now());
        let asked = Limits { depth: self.effort.limits.depth + 1, ..self.effort.limits };
        let planned = self.thinker.limits(self.before, self.effort);
        let limits = round_limits(&asked, &planned, depth + 1, self.before.n_empties());
        let outcome = self.thinker.search(self.before, &limits, self.stop, &mut |_| {});
        self.end_in_time();
        if self.is_over {
            return outcome.nodes;
        }
        // After a move that lets the opponent move again, the position is pondered once it arises.
        let best = outcome.best().map(|line| line.mv);
        let best = self.moves.iter().position(|mv| Some(mv.to) == best);
        self.moves[..=best.unwrap_or(0)].rotate_right(1);
        outcome.nodes + self.search(0, depth, begin.elapsed())
    }

    /// Searches the reply to a move, unless it is known to this depth; returns the nodes. The time spent for it `before` counts.
    fn search(&mut self, at: usize, depth: u32, before: Duration) -> u64 {
        let asked = &self.effort.limits;
        self.moves[at].tried = self.moves[at].tried.max(depth);
        let Candidate { to, board, ref reply, .. } = self.moves[at];
        let is_enough = |reply: &Prediction| depth_of(reply) >= depth.min(asked.depth);
        if self.is_exhausted(at) || reply.as_ref().is_some_and(is_enough) {
            return 0;
        }
        let planned = self.thinker.limits(board, self.effort);
        let limits = round_limits(asked, &planned, depth, board.n_empties());
        let begin = Instant::now();
        let outcome = self.thinker.search(board, &limits, self.stop, &mut |_| {});
        let (nodes, spent) = (outcome.nodes, before + begin.elapsed());
        match &mut self.moves[at].reply {
            // An unfinished search may know less than the one before: its time does not count.
            Some(reply) if reach(&outcome) < reach(&reply.outcome) => {}
            Some(reply) => {
                reply.outcome = outcome;
                reply.spent += spent;
            }
            None if outcome.interrupted => {}
            none => *none = Some(Prediction { to, board, outcome, spent }),
        }
        self.end_in_time();
        nodes
    }

    fn end_in_time(&mut self) {
        self.is_over |= self.thinker.was_stopped || self.start.elapsed() > MAX_TIME;
    }

    /// The move other than the expected one whose reply is searched next: of those near the best, or of all once the expected one is
    /// done, the one that was searched least.
    fn next_other(&self) -> Option<usize> {
        let value = |at: usize| self.moves[at].value();
        let is_last = self.is_exhausted(0);
        let most = value(0).saturating_add(NEAR);
        (1..self.moves.len())
            .filter(|&at| !self.is_exhausted(at))
            .filter(|&at| {
                is_last || value(at) <= most && self.moves[at].tried < self.moves[0].tried
            })
            .min_by_key(|&at| (value(at) > most, self.moves[at].tried))
    }

    /// Whether nothing is left to search after a move.
    fn is_exhausted(&self, at: usize) -> bool {
        let Candidate { tried, reply, .. } = &self.moves[at];
        let is_done = |reply: &Prediction| {
            is_solved(&reply.outcome) || reaches_depth(reply, &self.effort.limits)
        };
        *tried > 60 || reply.as_ref().is_some_and(is_done)
    }

    /// The predictions so far: the expected move first, then by what they are worth for the opponent.
    fn found(&self) -> Vec<Prediction> {
        let expected = self.moves.first().map(|mv| mv.to);
        let mut found: Vec<_> = self.moves.iter().filter_map(|mv| mv.reply.clone()).collect();
        found.sort_by_key(|reply| (Some(reply.to) != expected, value(reply)));
        found
    }
}

/// For us: the lowest is the opponent's best.
fn value(reply: &Prediction) -> i32 {
    reply.outcome.best().map_or(0, |line| line.score)
}

/// The opponent's moves, each with the position after it, if we have a reply there. If not, the opponent moves again, and
/// that position is pondered once it arises.
fn successors(board: Board) -> Vec<Candidate> {
    let after = |square| {
        let after = board.after(square, board.flips(square));
        Candidate { to: Move::Place(square), board: after, tried: 0, reply: None }
    };
    board.moves().map(after).filter(|mv| mv.board.legal_moves() != 0).collect()
}

/// The limits for a search of `depth` plies: no deeper than `asked`, and without the time limit of the plan. It solves if the plan does,
/// or if nothing else is left.
fn round_limits(asked: &Limits, planned: &Limits, depth: u32, n_empties: u32) -> Limits {
    let may_solve = n_empties <= asked.exact_from || asked.depth >= n_empties;
    let would_solve = n_empties <= planned.exact_from && depth + SOLVE_JUMP > n_empties;
    let solves = may_solve && (would_solve || depth > n_empties);
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

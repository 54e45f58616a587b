//! Thinking on the opponent's time.
//!
//! First comes a table of replies to all of the opponent's moves, as in pyReversi's predictions, but a shallow one, searched beside the
//! transposition table so that it replaces nothing there. Then most of the work goes to the move that the opponent is expected to play,
//! the one that the search for the own move has left in the table: the reply is searched by the plan of the own next move. So a ponder
//! hit goes on with the iteration that pondering was in; it is played at once if the prediction meets the plan.
//!
//! An opponent that thinks longer is searched for in turns of twice the nodes each: the reply to the expected move, the position before
//! it, which tells whether another move is to be expected, and replies to moves that are nearly as good.

use std::time::Duration;

use super::job::{Effort, Event, OnEvent, Prediction};
use super::thinker::Thinker;
use crate::board::{Board, Move};
use crate::score::{DISC, Score};
use crate::search::{Limits, Lines, Outcome, Selectivity, Stop};

/// Pondering ends after this long even if nobody stops it: an opponent that thinks longer has gone.
const MAX_TIME: Duration = Duration::from_secs(30 * 60);

/// To these depths all replies are searched before the expected one is searched deeper.
const BROAD_DEPTHS: [u32; 2] = [4, 10];

/// Nodes for the reply to the expected move in the first turn: about as many as in half a second.
const FIRST_TURN: u64 = 1 << 22;

/// One node to so many of a turn finds out which move to expect next.
const EXPECT_SHARE: u64 = 4;

/// Moves that are worth less for the opponent by more than this wait until nothing else is left to do.
const NEAR: Score = 2 * DISC;

/// One node to so many for the expected move goes to replies to other moves; each begins with as small a part of the first turn.
const OTHERS_SHARE: u64 = 4;

/// A prediction that has taken this many times the time of the move needs no more, even where that time cannot be saved.
const AMPLE: u32 = 4;

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
        mv.is_done = mv.reply.as_ref().is_some_and(|reply| is_solved(&reply.outcome));
    }
    let stop = &stop.child();
    stop.set_after(MAX_TIME);
    thinker.age();
    let before = Candidate::new(Move::Pass, board);
    let mut replies = Replies { thinker, effort, stop, is_over: false, before, moves };
    replies.deepen(report);
    let found = replies.found();
    for reply in &found {
        log::debug!("foreseen: {}", describe(reply));
    }
    found
}

/// A move of the opponent, and what is known of the position after it.
struct Candidate {
    to: Move,
    board: Board,
    /// The nodes that the last search by the plan of the move was given.
    budget: u64,
    /// Whether that search went as far as the plan does.
    is_done: bool,
    reply: Option<Prediction>,
}

impl Candidate {
    const fn new(to: Move, board: Board) -> Candidate {
        Candidate { to, board, budget: 0, is_done: false, reply: None }
    }

    /// What the reply is worth for us; the most if it is not known.
    fn value(&self) -> Score {
        self.reply.as_ref().map_or(Score::MAX, value)
    }

    /// Takes over what a search has found, if it knows at least as much as those before.
    fn learn(&mut self, outcome: Outcome) {
        let Candidate { to, board, .. } = *self;
        let spent = outcome.elapsed;
        match &mut self.reply {
            // The time of a search that was interrupted early does not count.
            Some(reply) if reach(&outcome) < reach(&reply.outcome) => {}
            Some(reply) => {
                reply.outcome = outcome;
                reply.spent += spent;
            }
            None if outcome.interrupted => {}
            none => *none = Some(Prediction { to, board, outcome, spent }),
        }
    }
}

struct Replies<'a> {
    thinker: &'a mut Thinker,
    effort: &'a Effort,
    stop: &'a Stop,
    /// Whether it has to end.
    is_over: bool,
    /// The position before the opponent's move.
    before: Candidate,
    /// The expected one comes first.
    moves: Vec<Candidate>,
}

impl Replies<'_> {
    fn deepen(&mut self, report: OnEvent<'_>) {
        if self.moves.is_empty() {
            return;
        }
        // Step 1. The table: all replies, deeper in each round.
        let expected = self.thinker.known_move(self.before.board);
        for depth in BROAD_DEPTHS {
            for at in 0..self.moves.len() {
                self.glance(at, depth);
                if self.is_over {
                    return;
                }
            }
            self.moves.sort_by_key(Candidate::value);
            self.expect(expected);
            report(Event::Predicted(self.found()));
        }
        // Step 2. The expected move and, with a small part of the nodes, those nearly as good.
        let (mut turn, mut followed, mut others) = (FIRST_TURN, 0, 0);
        while !self.is_over {
            let before = followed + others;
            followed += self.search(Some(0), turn);
            report(Event::Predicted(self.found()));
            while let Some(at) = self.next_other()
                && !self.is_over
            {
                let budget = (2 * self.moves[at].budget).max(FIRST_TURN / OTHERS_SHARE);
                if !self.moves[0].is_done && (others + budget) * OTHERS_SHARE > followed {
                    break;
                }
                others += self.search(Some(at), budget);
                report(Event::Predicted(self.found()));
            }
            if !self.is_over {
                followed += self.search(None, turn / EXPECT_SHARE);
                let found = self.before.reply.as_ref().and_then(|found| found.outcome.best());
                self.expect(found.map(|line| line.mv));
            }
            if followed + others == before {
                return;
            }
            turn *= 2;
        }
    }

    /// Puts the move that the opponent is expected to play first.
    fn expect(&mut self, expected: Option<Move>) {
        // After a move that lets the opponent move again, the position is pondered once it arises.
        if let Some(at) = self.moves.iter().position(|mv| Some(mv.to) == expected) {
            self.moves[..=at].rotate_right(1);
        }
    }

    /// Searches a reply this deep, unless it is known.
    fn glance(&mut self, at: usize, depth: u32) {
        let Candidate { board, ref reply, .. } = self.moves[at];
        let planned = self.thinker.limits(board, self.effort);
        let depth = depth.min(planned.depth);
        if reply.as_ref().is_none_or(|reply| depth_of(reply) < depth) {
            let limits = untimed(&Limits { depth, exact_from: 0, ..planned });
            let outcome = self.thinker.search_afresh(board, &limits, self.stop, &mut |_| {});
            self.learn(Some(at), outcome);
        }
    }

    /// Searches the position after a move, or before it, by the plan for it and within so many nodes, unless that has been done;
    /// returns the nodes.
    fn search(&mut self, at: Option<usize>, nodes: u64) -> u64 {
        let Candidate { board, is_done, .. } = *self.candidate(at);
        if is_done {
            return 0;
        }
        let mut limits = untimed(&self.thinker.limits(board, self.effort));
        limits.depth += u32::from(at.is_none());
        let most = limits.nodes.unwrap_or(u64::MAX);
        limits.nodes = Some(nodes.min(most));
        let outcome = self.thinker.search(board, &limits, self.stop, &mut |_| {});
        let searched = outcome.nodes;
        let candidate = self.candidate(at);
        candidate.budget = nodes;
        candidate.is_done = !outcome.interrupted || searched >= most;
        self.learn(at, outcome);
        searched
    }

    fn learn(&mut self, at: Option<usize>, outcome: Outcome) {
        self.candidate(at).learn(outcome);
        self.is_over |= self.thinker.was_stopped;
    }

    fn candidate(&mut self, at: Option<usize>) -> &mut Candidate {
        at.map_or(&mut self.before, |at| &mut self.moves[at])
    }

    /// The move other than the expected one whose reply is searched next: of those near the best, or of all once the expected one is
    /// done, the one that was searched least.
    fn next_other(&self) -> Option<usize> {
        let value = |at: usize| self.moves[at].value();
        let Candidate { is_done, budget, .. } = self.moves[0];
        let most = value(0).saturating_add(NEAR);
        (1..self.moves.len())
            .filter(|&at| !self.moves[at].is_done)
            .filter(|&at| is_done || value(at) <= most && self.moves[at].budget < budget)
            .min_by_key(|&at| (value(at) > most, self.moves[at].budget))
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
        Candidate::new(Move::Place(square), after)
    };
    board.moves().map(after).filter(|mv| mv.board.legal_moves() != 0).collect()
}

/// These limits for the best move, without those of time.
fn untimed(limits: &Limits) -> Limits {
    Limits { time: None, lines: Lines::Best(1), exclude: 0, ..*limits }
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

/// How much a search knows, to compare: depth and selectivity, whether its score is proven, whether it compared all moves.
fn reach(outcome: &Outcome) -> (u32, Selectivity, bool, bool) {
    let (depth, selectivity) =
        outcome.best().map_or((0, Selectivity::FULL), |line| (line.depth, line.selectivity));
    (depth, selectivity, is_solved(outcome), !outcome.interrupted)
}

/// Whether a prediction is as good as what a search with the effort's limits `asked` and its `planned` ones would find.
pub(super) fn meets(reply: &Prediction, asked: &Limits, planned: &Limits) -> bool {
    if planned.lines != Lines::Best(1) || asked.selectivity > selectivity(&reply.outcome) {
        return false;
    }
    is_solved(&reply.outcome)
        || reaches_depth(reply, asked)
        || planned.time.is_some_and(|time_limit| {
            // A time that cannot be saved for later is used up, as long as it adds to what is known.
            let times = if time_limit.can_be_saved() { 1 } else { AMPLE };
            reply.spent >= time_limit.soft * times
        })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Bound, Line};

    #[test]
    fn only_a_search_that_knows_as_much_replaces_another() {
        let found = |depth, exact, interrupted| Outcome {
            lines: vec![Line { exact, ..Line::new(Move::Pass, 0, Bound::Exact, depth) }],
            interrupted,
            ..Outcome::default()
        };
        let mut reply = Candidate::new(Move::Pass, Board::START);
        for (depth, exact, interrupted, is_kept) in [
            (9, false, false, true),
            (9, false, true, false),
            (8, true, false, false),
            (10, true, false, true),
            (10, false, false, false),
            (10, true, true, false),
            (10, true, false, true),
        ] {
            let outcome = found(depth, exact, interrupted);
            reply.learn(outcome.clone());
            let kept = &reply.reply.as_ref().unwrap().outcome;
            let is_same = reach(kept) == reach(&outcome);
            assert_eq!(is_same, is_kept, "{depth} {exact} {interrupted}");
        }
    }
}

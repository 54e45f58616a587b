//! What the engine can be asked to do, and what it answers.

use std::time::Duration;

use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};

use crate::board::{Board, Move, Square, hash};
use crate::book::choice::Variety;
use crate::book::repertoire::{MAX_LOSS, RepertoireRules};
use crate::clock::Clock;
use crate::game::must_pass;
use crate::score::Score;
use crate::search::{Limits, Line, Lines, Outcome, Report};

use super::choice::{Answer, Choice, Searched};
use super::fault::Fault;
use super::played::{Picked, Played};
use super::speed_model::SpeedModel;
use super::strength::Strength;

/// The number of a job, unique in its engine.
pub type JobId = u64;

/// How far a search goes, and how much time and how many nodes it may take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effort {
    /// The limits. Their time applies only without a clock.
    pub limits: Limits,
    /// The clock to obey.
    pub clock: Clock,
    /// The time to keep back for communication with the controller.
    pub overhead: Duration,
}

impl Effort {
    /// The approximate time of a move with `n_empties` empty squares; `None` without a time limit.
    pub fn expected_time(&self, n_empties: u32) -> Option<Duration> {
        self.planned(n_empties, &SpeedModel::default()).time.map(|time_limit| time_limit.soft)
    }
}

/// Without a clock.
impl From<Limits> for Effort {
    fn from(limits: Limits) -> Effort {
        Effort { limits, ..Effort::default() }
    }
}

/// A search for a move.
#[derive(Clone, Copy, Debug)]
pub struct Think {
    /// The position.
    pub board: Board,
    /// How much it may take.
    pub effort: Effort,
    /// How to pick among the lines that the search returns.
    pub pick: Pick,
    /// How to choose among the book's moves, if the engine has a book that knows more than the search would find; `None`
    /// ignores the book.
    pub variety: Option<Variety>,
    /// The repertoire's rules for the position. Moves that it prefers count in the book, and with [`Pick::Prefer`].
    pub rules: RepertoireRules,
}

impl Think {
    /// A search for the best move.
    pub fn new(board: Board, effort: impl Into<Effort>) -> Think {
        Think {
            board,
            effort: effort.into(),
            pick: Pick::Best,
            variety: None,
            rules: RepertoireRules::default(),
        }
    }

    /// The same search by a player of this strength: the strength sets the depth and the moves to pick from. The budget stays
    /// the same, and the book is not used. Full strength changes nothing. Position and seed decide the pick.
    #[must_use]
    pub fn as_strong(mut self, strength: Strength, seed: u64) -> Think {
        if !strength.is_full() {
            self.effort.limits = strength.limits(self.effort.limits, self.board, seed);
            self.effort.limits.lines = strength.lines();
            self.pick = Pick::AsStrong(strength, seed);
            self.variety = None;
        }
        self
    }
}

/// How to pick a move among several. The same position and seed always pick the same.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "one exists at a time")]
pub enum Pick {
    /// The best.
    Best,
    /// Any line with equal probability, drawn by the seed.
    Evenly(u64),
    /// As a player of this strength would, drawn by the seed. The search has a transposition table of its own.
    AsStrong(Strength, u64),
    /// A move that the repertoire prefers, if it loses little.
    Prefer(RepertoireRules),
    /// Other moves than in earlier games, as far as the variety allows.
    Vary(Variety, Played),
}

impl Pick {
    /// The lines that the search must return for this pick; `asked` are those of the search's limits.
    pub(super) const fn lines(self, asked: Lines) -> Lines {
        match self {
            Pick::Best | Pick::Evenly(_) | Pick::AsStrong(..) => asked,
            Pick::Prefer(_) => Lines::Within(MAX_LOSS),
            Pick::Vary(variety, _) => Lines::Within(variety.left),
        }
    }

    /// The line to play.
    pub(super) fn choose(self, board: Board, lines: &[Line]) -> Picked {
        let index = match self {
            Pick::Best => 0,
            Pick::Evenly(seed) => {
                let mut random = Xoshiro256PlusPlus::seed_from_u64(seed ^ hash::hash(board));
                (random.next_u64() % lines.len().max(1) as u64) as usize
            }
            Pick::AsStrong(strength, seed) => strength.choose(board, lines, seed),
            Pick::Prefer(rules) => rules.pick(lines),
            Pick::Vary(variety, played) => {
                return played.choose(lines, &variety, board.n_empties());
            }
        };
        Picked { index, ..Picked::default() }
    }
}

/// A job for the worker.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a few jobs at a time")]
pub enum Job {
    /// Search for a move.
    Think(Think),
    /// Search the replies to the opponent's moves, until stopped or until every reply meets the effort of the own next move.
    Ponder {
        /// The position with the opponent to move.
        board: Board,
        /// The effort of the own next move.
        effort: Effort,
    },
    /// Clear the transposition table and the predictions, so that games repeat.
    Forget,
    /// Value positions one by one, in the order given.
    Survey {
        /// The positions.
        boards: Vec<Board>,
        /// The effort for each.
        effort: Effort,
    },
}

impl Job {
    /// Any legal move without a value, or an empty result of the job's kind.
    pub(super) fn fallback(&self) -> Done {
        match self {
            Job::Think(think) => Done::Chosen(Box::new(quick_choice(think.board, 0))),
            Job::Ponder { .. } => Done::Pondered(Vec::new()),
            Job::Survey { .. } => Done::Surveyed,
            Job::Forget => Done::Forgotten,
        }
    }
}

/// A move without a value, found without a search: the one that leaves the opponent the fewest replies.
pub(super) fn quick_choice(board: Board, exclude: u64) -> Choice {
    let allowed = board.moves().filter(|square| square.bit() & exclude == 0);
    let replies =
        |square: &Square| board.after(*square, board.flips(*square)).legal_moves().count_ones();
    let mv = allowed.min_by_key(replies).map(Move::Place);
    let mv = mv.or_else(|| must_pass(board).then_some(Move::Pass));
    let searched = Searched::new(1, 0);
    mv.map_or_else(Choice::default, |mv| Choice { searched, ..Answer::Move(mv).into() })
}

/// A reply to a move of the opponent, found while pondering.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The opponent's move.
    pub to: Move,
    /// The position after it.
    pub board: Board,
    /// The outcome of the search there.
    pub outcome: Outcome,
    /// Search time behind the outcome.
    pub spent: Duration,
}

/// Who hears what a running job reports.
pub type OnEvent<'a> = &'a mut dyn FnMut(Event);

/// What a running job reports.
#[derive(Clone, Debug)]
pub enum Event {
    /// The search has finished an iteration, or a line of one.
    Report(Report),
    /// Position `index` of a survey has been valued.
    Valued {
        /// Index into the survey's positions.
        index: usize,
        /// The score for the side to move there.
        score: Score,
    },
    /// The table of predictions has grown; the opponent's best move first.
    Predicted(Vec<Prediction>),
}

/// The end of a job.
#[derive(Clone, Debug)]
pub struct Ended {
    /// What came of it.
    pub done: Done,
    /// Whether its stop ended it: one that is set later did not.
    pub was_stopped: bool,
}

/// What came of a job.
#[derive(Clone, Debug)]
pub enum Done {
    /// Of [`Job::Think`], or of another choice of a move.
    Chosen(Box<Choice>),
    /// Of the choice of a player that failed.
    Failed(Fault),
    /// Of [`Job::Ponder`]: the replies found.
    Pondered(Vec<Prediction>),
    /// Of [`Job::Survey`]; the values have been reported.
    Surveyed,
    /// Of [`Job::Forget`].
    Forgotten,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_picks_repeat_by_seed_and_differ_between_seeds() {
        let lines = vec![Line::new(Move::Pass, 0, crate::search::Bound::Exact, 1); 4];
        let picks =
            || (0..50).map(|seed| Pick::Evenly(seed).choose(Board::START, &lines).index).collect();
        let first: Vec<_> = picks();
        assert_eq!(first, picks());
        assert!((0..4).all(|choice| first.contains(&choice)));
    }
}

//! What the engine can be asked to do, and what it answers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rand::{Rng, SeedableRng, rngs::Xoshiro256PlusPlus};

use crate::board::{Board, Move, hash};
use crate::book::choice::{BookLine, Variety};
use crate::book::repertoire::{MAX_LOSS, RepertoireRules};
use crate::clock::Clock;
use crate::score::{DISC, MAX, Score};
use crate::search::{Bound, Limits, Line, Lines, Outcome, Report, Stop};

use super::played::{Picked, Played, Prospect};
use super::speed_model::SpeedModel;
use super::strength::Strength;
use super::time::{Task, plan};

/// Numbers the jobs of an engine.
pub type JobId = u64;

/// How far a search goes and how much it may take.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// Its limits; their time counts where no clock runs.
    pub limits: Limits,
    /// The clock to obey, and the time to keep back for the way to the controller and back.
    pub clock: Option<(Clock, Duration)>,
}

impl Effort {
    /// What to search with `n_empties` empty squares on a machine: the limits, narrowed by the plan of the clock.
    pub(super) fn task(&self, n_empties: u32, speed_model: &SpeedModel) -> Task {
        let (clock, overhead) = self.clock.unwrap_or_default();
        Task::within_plan(
            self.limits,
            plan(&clock, overhead, n_empties, speed_model, self.limits.parameters()),
        )
    }

    /// The limits of a search with `n_empties` empty squares on a machine, by the plan of the clock.
    pub fn planned(&self, n_empties: u32, speed_model: &SpeedModel) -> Limits {
        self.task(n_empties, speed_model).limits
    }

    /// About the time that a move with `n_empties` empty squares takes; `None` without a limit of time.
    pub fn expected_time(&self, n_empties: u32) -> Option<Duration> {
        self.planned(n_empties, &SpeedModel::default()).time.map(|time_limit| time_limit.soft)
    }
}

/// Without a clock.
impl From<Limits> for Effort {
    fn from(limits: Limits) -> Effort {
        Effort { limits, clock: None }
    }
}

/// A search for a move.
#[derive(Clone, Copy, Debug)]
pub struct Think {
    /// The position.
    pub board: Board,
    /// How much it may take.
    pub effort: Effort,
    /// How to pick among the moves of the limits' lines.
    pub pick: Pick,
    /// How to choose among the moves of the engine's book, if it has one that knows more than the search would; `None` to search in
    /// any case.
    pub variety: Option<Variety>,
    /// What a repertoire says of the position. A `pick` leaves preferences aside.
    pub rules: RepertoireRules,
    /// What earlier games played here: out of the book, other moves come first as far as the variety allows.
    pub played: Option<Played>,
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
            played: None,
        }
    }

    /// The same as a player of this strength does it: the strength says how far to search and which moves to pick from, within the
    /// same budget, without the book. Full strength changes nothing. Position and seed decide the pick.
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
    /// Evenly, by a seed.
    Evenly(u64),
    /// Like a player of a strength, by a seed, from a search that learns nothing from others.
    AsStrong(Strength, u64),
    /// As a repertoire says.
    Prefer(RepertoireRules),
    /// Other moves than in earlier games, as far as the variety allows.
    Vary(Variety, Played),
}

impl Pick {
    /// The lines to compare, where a search was asked for others.
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
    /// Think ahead on the opponent's time: search replies to its moves, with the effort of the own next move, until stopped or
    /// all is known.
    Ponder {
        /// The position with the opponent to move.
        board: Board,
        /// The effort of the own next move.
        effort: Effort,
    },
    /// Let somebody else choose or think ahead.
    Call(Call),
    /// Forget what earlier jobs found out, so that games repeat.
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
    /// What to answer when it broke down: any legal move, without a value.
    pub(super) fn fallback(&self) -> Result {
        match self {
            Job::Think(Think { board, .. })
            | Job::Call(Call { purpose: Purpose::Choose(board), .. }) => {
                let any = || board.moves().next().map_or(Move::Pass, Move::Place);
                let mv = (!board.is_over()).then(any);
                let outcome = Outcome {
                    lines: mv.map(|mv| Line::new(mv, MAX, Bound::AtMost, 1)).into_iter().collect(),
                    final_score: mv.is_none().then(|| board.final_score() * DISC),
                    interrupted: true,
                    ..Outcome::default()
                };
                Result::Thought(Box::new(Thought::new(outcome, Duration::ZERO)))
            }
            Job::Ponder { .. } | Job::Call(Call { purpose: Purpose::ThinkAhead, .. }) => {
                Result::Pondered(Vec::new())
            }
            Job::Survey { .. } => Result::Surveyed,
            Job::Forget => Result::Forgotten,
        }
    }
}

/// What a call does: looks at the stop, reports, and ends as a search for a move or as pondering does.
pub type Run = dyn Fn(&Stop, &mut dyn FnMut(Event)) -> Result + Send + Sync;

/// What a call is for, which decides its result if it breaks down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To choose a move in a position.
    Choose(Board),
    /// To use time in which no move is due: thinking ahead, learning.
    ThinkAhead,
}

/// A job that is no search of the engine, done in the worker's thread all the same: it stops, reports and ends like the others.
#[derive(Clone)]
pub struct Call {
    /// What it is for.
    pub purpose: Purpose,
    /// What to do.
    pub run: Arc<Run>,
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("purpose", &self.purpose).finish_non_exhaustive()
    }
}

/// A reply thought of in advance.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The opponent's move.
    pub to: Move,
    /// The position after it.
    pub board: Board,
    /// What was found for it.
    pub outcome: Outcome,
    /// Time spent on what was found.
    pub spent: Duration,
}

/// What a running job reports.
#[derive(Clone, Debug)]
pub enum Event {
    /// An iteration or a line of it is done.
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

/// The result of thinking.
#[derive(Clone, Debug)]
pub struct Thought {
    /// What the search found.
    pub outcome: Outcome,
    /// Index of the line to play.
    pub picked: usize,
    /// Whether the move was known from pondering and played at once.
    pub ponder_hit: bool,
    /// What a book says of the move, if it comes from one.
    pub booked: Option<BookLine>,
    /// What was given away to play another game than before, besides what the book counts, in 1/128 disc.
    pub lost: Score,
    /// What the other moves of the variety may lead to.
    pub others: Prospect,
    /// Time from taking up the job to its end.
    pub elapsed: Duration,
}

impl Thought {
    /// The best move of an outcome, of which nobody looked where the others lead.
    pub fn new(outcome: Outcome, elapsed: Duration) -> Thought {
        Thought {
            outcome,
            picked: 0,
            ponder_hit: false,
            booked: None,
            lost: 0,
            others: Prospect::Unknown,
            elapsed,
        }
    }

    /// A move from a book.
    pub(super) fn booked(booked: BookLine, others: Prospect, elapsed: Duration) -> Thought {
        let outcome = Outcome { lines: vec![booked.to_line()], elapsed, ..Outcome::default() };
        Thought { booked: Some(booked), others, ..Thought::new(outcome, elapsed) }
    }

    /// The line to play; `None` if the game is over.
    pub fn line(&self) -> Option<&Line> {
        self.outcome.lines.get(self.picked)
    }
}

/// How a job ended.
#[derive(Clone, Debug)]
pub enum Result {
    /// Of [`Job::Think`].
    Thought(Box<Thought>),
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
        let lines = vec![Line::new(Move::Pass, 0, Bound::Exact, 1); 4];
        let picks =
            || (0..50).map(|seed| Pick::Evenly(seed).choose(Board::START, &lines).index).collect();
        let first: Vec<_> = picks();
        assert_eq!(first, picks());
        assert!((0..4).all(|choice| first.contains(&choice)));
    }
}

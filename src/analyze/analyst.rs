//! The search behind an analysis.
//!
//! A game is analyzed from its end, so that the table already knows the continuations of earlier positions: near the end scores
//! are exact, and the time saved there goes to earlier moves.

use std::time::Duration;

use anyhow::Context;

use super::judged::{Booked, Judged};
use crate::board::{Board, Move, symmetry};
use crate::clock::{Clock, Control};
use crate::engine::{Effort, Pace, Searcher};
use crate::evaluation::Evaluation;
use crate::formats::obf::Problem;
use crate::game::Game;
use crate::score::{Score, discs};
use crate::search::{Bound, Limits, Line, Lines, Outcome, Stop};
use crate::support::text::counted;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Average time for a move; without it, only the depth limits a search.
    pub time: Option<Duration>,
    /// Depth in plies, 1 to 60, without forward pruning; without it, as deep as time allows with 73 % selectivity.
    pub depth: Option<u32>,
    pub n_threads: usize,
    /// In MiB.
    pub hash_megabytes: usize,
}

impl Settings {
    /// A searcher with these threads and this table.
    pub fn searcher(self, evaluation: &Evaluation) -> anyhow::Result<Searcher<'_>> {
        let searcher = Searcher::new(evaluation, self.n_threads, self.hash_megabytes);
        searcher.with_context(|| format!("cannot allocate a table of {} MiB", self.hash_megabytes))
    }

    /// What a single position gets.
    pub fn effort(self) -> Effort {
        self.within(&self.clock(1))
    }

    /// A sentence on the search effort.
    pub fn in_words(self) -> String {
        let time = self.time.map(|time| format!("{} s per move", time.as_secs_f64()));
        match (self.depth, time) {
            (None, time) => format!("Searched for {}.", time.unwrap_or_default()),
            (Some(depth), time) => {
                let time = time.map_or_else(String::new, |time| format!(", for at most {time}"));
                format!("Searched {} deep{time}.", counted(depth, "ply", "plies"))
            }
        }
    }

    fn within(self, clock: &Clock) -> Effort {
        Pace { depth: self.depth, ..Pace::OWN }.effort(*clock, Duration::ZERO)
    }

    /// A clock with the time for this many moves. Time that one move leaves is left to the others.
    fn clock(self, moves: u32) -> Clock {
        Clock::new(self.time.map_or(Control::Unlimited, |time| Control::Byoyomi {
            main: Duration::ZERO,
            period: time * moves,
            moves,
        }))
    }
}

/// All moves of a position take longer than the best one: by how much at most. Without a limit it was a minute a position late in the game.
const PROBLEM_MOVES: u32 = 8;

/// All moves can be searched to so many plies in a moment, whatever the settings ask for.
const QUICK_DEPTH: u32 = 14;

#[derive(Debug)]
pub struct Analyst<'a> {
    settings: Settings,
    searcher: Searcher<'a>,
}

impl<'a> Analyst<'a> {
    pub fn new(settings: Settings, evaluation: &'a Evaluation) -> anyhow::Result<Analyst<'a>> {
        Ok(Analyst { settings, searcher: settings.searcher(evaluation)? })
    }

    pub const fn time(&self) -> Option<Duration> {
        self.settings.time
    }

    /// Judges all plies of a game, the last one first; `on_ply` gets each of them at once. A stop leaves out those before.
    pub fn analyze(
        &mut self,
        game: &Game,
        stop: &Stop,
        on_ply: &mut dyn FnMut(&Judged),
    ) -> Vec<Judged> {
        self.searcher.clear();
        let n_plies = game.plies().len();
        let mut clock = self.settings.clock(n_plies as u32 + 1);
        let outcome = self.search(game.position().board, &clock, stop);
        clock.spend(outcome.elapsed);
        let mut following =
            outcome.best().cloned().unwrap_or_else(|| ended(outcome.final_score.unwrap_or(0)));
        let mut judged = Vec::with_capacity(n_plies);
        for (index, ply) in game.plies().iter().enumerate().rev() {
            let found = self.judge(ply.before.board, ply.mv, &following, &clock, stop);
            if stop.is_stopped() {
                break;
            }
            clock.spend(found.elapsed);
            let ply_judged = Judged {
                ply: index + 1,
                before: ply.before,
                mv: ply.mv,
                score: found.score,
                is_proven: found.is_proven,
                best: found.best.clone(),
                nodes: found.nodes,
                booked: Booked::Unasked,
            };
            following = found.best;
            on_ply(&ply_judged);
            judged.push(ply_judged);
        }
        judged.reverse();
        judged
    }

    /// The position before a move with the values of all its moves, the best one first, by a search as deep as that of the analysis
    /// or of [`PROBLEM_MOVES`] times the time for a move; `None` if the move loses less than this after all, or at a stop.
    pub fn problem(&mut self, judged: &Judged, least_loss: Score, stop: &Stop) -> Option<Problem> {
        let board = judged.before.board;
        let Line { depth, selectivity, exact, .. } = judged.best;
        let asked = self.planned(board, &self.settings.clock(1));
        let limits = if depth > asked.depth.max(QUICK_DEPTH) {
            // It comes from a book, or what follows is proven.
            asked
        } else {
            let exact_from = if exact { 60 } else { 0 };
            Limits { exact_from, ..Limits::plies(depth.max(1), selectivity) }
        };
        let limits = Limits { lines: Lines::Best(usize::MAX), ..limits };
        let time = self.settings.time.map(|time| time * PROBLEM_MOVES);
        let limits = time.map_or(limits, |time| limits.within(time));
        let lines = self.searcher.search(board, &limits, stop, &mut |_| {}).lines;
        if stop.is_stopped() {
            return None;
        }
        let played = lines.iter().find(|line| line.mv == judged.mv)?;
        let is_error = lines[0].score - played.score >= least_loss;
        let scores = lines.iter().map(|line| (line.mv, discs(line.score).round() as i32));
        is_error.then(|| Problem { position: judged.before, scores: scores.collect() })
    }

    /// Judges a move, knowing the best play after it.
    fn judge(
        &mut self,
        board: Board,
        mv: Move,
        following: &Line,
        clock: &Clock,
        stop: &Stop,
    ) -> Found {
        let played = preceded(mv, following);
        // Without a choice there is nothing to search.
        if board.legal_moves().count_ones() <= 1 {
            return Found::of(played.clone(), played, 0, Duration::ZERO);
        }
        self.searcher.age();
        let outcome = self.search(board, clock, stop);
        let (mut nodes, mut elapsed) = (outcome.nodes, outcome.elapsed);
        // There is a legal move, so there is a line.
        let mut best = outcome.best().cloned().unwrap_or_else(|| played.clone());
        // Moves that are equal by a symmetry of the board, such as the first ones of a game, are equally good.
        let image = |mv: Move| board.play(mv).map(symmetry::canonical);
        if best.mv == mv || image(best.mv) == image(mv) {
            let line = match played.is_proven() {
                true => played,
                false if best.mv == mv => best,
                false => Line { mv, pv: played.pv, ..best },
            };
            let best = line.clone().of_position(outcome.proven.upper);
            return Found::of(line, best, nodes, elapsed);
        }
        let mut line = played;
        if !line.is_proven()
            && let Some(after) = board.play(mv)
        {
            let reply = self.search_as_far(&best, after, clock, stop);
            nodes += reply.nodes;
            elapsed += reply.elapsed;
            if let Some(reply) = reply.best() {
                line = preceded(mv, reply);
            }
        }
        if line.score > best.score {
            best = line.clone().of_position(outcome.proven.upper);
        }
        Found::of(line, best, nodes, elapsed)
    }

    /// As far as the settings say and the clock allows, with the time plan of the engine's moves.
    fn search(&mut self, board: Board, clock: &Clock, stop: &Stop) -> Outcome {
        let limits = self.planned(board, clock);
        self.searcher.search(board, &limits, stop, &mut |_| {})
    }

    /// Searches the position after another move as deep as the best move was, so that their scores are comparable.
    fn search_as_far(&mut self, best: &Line, after: Board, clock: &Clock, stop: &Stop) -> Outcome {
        let limits = Limits {
            depth: best.depth.saturating_sub(1).max(1),
            selectivity: best.selectivity,
            exact_from: if best.exact { 60 } else { 0 },
            until_proven: false,
            ..self.planned(after, clock)
        };
        let limits = limits.time.map_or(limits, |time| limits.within(time.hard));
        self.searcher.search(after, &limits, stop, &mut |_| {})
    }

    fn planned(&self, board: Board, clock: &Clock) -> Limits {
        self.searcher.planned(board, &self.settings.within(clock))
    }
}

struct Found {
    score: Score,
    is_proven: bool,
    best: Line,
    nodes: u64,
    elapsed: Duration,
}

impl Found {
    fn of(played: Line, best: Line, nodes: u64, elapsed: Duration) -> Found {
        Found { score: played.score, is_proven: played.is_proven(), best, nodes, elapsed }
    }
}

fn ended(score: Score) -> Line {
    Line { exact: true, pv: Vec::new(), ..Line::new(Move::Pass, score, Bound::Exact, 0) }
}

fn preceded(mv: Move, following: &Line) -> Line {
    let mut pv = vec![mv];
    pv.extend_from_slice(&following.pv);
    // A pass does not count as a ply of depth.
    let depth = following.depth + u32::from(mv != Move::Pass);
    let (score, bound) = (-following.score, following.bound.of_other_side());
    Line { mv, score, bound, depth, pv, ..following.clone() }
}

//! The root of a search: iterative deepening, several lines, the choice when to stop.

mod schedule;
mod window;

use std::sync::atomic::Ordering::Relaxed;

use super::limits::Course;
use super::parallel;
use super::searcher::{Searcher, Shared};
use super::{Bound, Limits, Line, Lines, Outcome, Report, Setup};
use crate::board::{Board, Move, Square};
use crate::evaluation::Evaluator;
use crate::score::{self, DISC};

pub use schedule::SOLVE_JUMP;

/// A root move with what is known of it.
struct RootMove<F> {
    square: Square,
    child: Board,
    features: F,
    line: Line,
}

/// The moves of the root, the best first; `F` are the evaluation's features.
struct Root<F> {
    board: Board,
    moves: Vec<RootMove<F>>,
}

/// See [`super::search`].
pub(super) fn run<E: Evaluator>(
    evaluator: &E,
    board: Board,
    limits: &Limits,
    setup: Setup<'_>,
    on_report: &mut dyn FnMut(&Report),
) -> Outcome {
    let shared = Shared::new(setup, limits);
    if board.legal_moves() != 0 {
        return search_moves(evaluator, board, &shared, on_report);
    }
    let passed = board.passed();
    if passed.legal_moves() == 0 {
        let final_score = Some(board.final_score() * DISC);
        let elapsed = shared.start.elapsed();
        return Outcome { final_score, nodes: 1, elapsed, ..Outcome::default() };
    }
    // A forced pass: the opponent's search seen from here, with one line.
    let window = limits.lines.window().of_other_side();
    let limits = Limits { lines: Lines::Bounded(window), exclude: 0, ..*limits };
    let shared = Shared { limits: &limits, ..shared };
    let mut outcome = search_moves(evaluator, passed, &shared, &mut |report| {
        let mut report = report.clone();
        report.lines.iter_mut().for_each(prefix_pass);
        on_report(&report);
    });
    outcome.lines.iter_mut().for_each(prefix_pass);
    outcome
}

fn prefix_pass(line: &mut Line) {
    line.mv = Move::Pass;
    line.score = -line.score;
    line.bound = match line.bound {
        Bound::Exact => Bound::Exact,
        Bound::AtLeast => Bound::AtMost,
        Bound::AtMost => Bound::AtLeast,
    };
    line.pv.insert(0, Move::Pass);
}

fn search_moves<E: Evaluator>(
    evaluator: &E,
    board: Board,
    shared: &Shared<'_>,
    on_report: &mut dyn FnMut(&Report),
) -> Outcome {
    let mut root = Root::new(evaluator, board, shared.limits.exclude);
    if root.moves.is_empty() {
        return Outcome { elapsed: shared.start.elapsed(), ..Outcome::default() };
    }
    let (reached, pause) = parallel::with_helpers(evaluator, shared, |searcher| {
        let reached = root.deepen(searcher, on_report);
        searcher.publish_counts();
        (reached, searcher.pause())
    });
    let n_lines = root.n_lines(shared.limits.lines);
    Outcome {
        lines: root.moves.iter().take(n_lines).map(|mv| mv.line.clone()).collect(),
        final_score: None,
        nodes: shared.nodes.load(Relaxed),
        probes: shared.probes.load(Relaxed),
        elapsed: shared.start.elapsed(),
        pause,
        interrupted: !reached,
    }
}

impl<F> Root<F> {
    /// The legal moves of a board but for those excluded, ranked by the evaluation.
    fn new<E: Evaluator<Features = F>>(evaluator: &E, board: Board, exclude: u64) -> Root<F> {
        let features = evaluator.features(board);
        let mut moves: Vec<_> = board
            .moves()
            .filter(|square| square.bit() & exclude == 0)
            .map(|square| {
                let flips = board.flips(square);
                let child = board.after(square, flips);
                let features = evaluator.after(&features, square, flips);
                let score = if child.is_over() {
                    -child.final_score() * DISC
                } else {
                    -evaluator.evaluate(child, &features)
                };
                let line = Line::new(Move::Place(square), score, Bound::Exact, 1);
                RootMove { square, child, features, line }
            })
            .collect();
        moves.sort_by_key(|mv| -mv.line.score);
        Root { board, moves }
    }

    /// How many of the sorted moves belong to the result.
    fn n_lines(&self, lines: Lines) -> usize {
        match lines {
            Lines::Bounded(_) => 1,
            Lines::Best(n) => n.clamp(1, self.moves.len()),
            Lines::Within(margin) => {
                let best = self.moves.first().map_or(0, |mv| mv.line.score);
                let near = |mv: &&RootMove<F>| {
                    mv.line.bound != Bound::AtMost && mv.line.score >= best - margin
                };
                self.moves.iter().take_while(near).count().max(1)
            }
        }
    }

    /// Deepens until a limit is reached; `true` if that was the depth asked for.
    fn deepen<E: Evaluator<Features = F>>(
        &mut self,
        searcher: &mut Searcher<'_, E>,
        on_report: &mut dyn FnMut(&Report),
    ) -> bool {
        let shared = searcher.shared;
        let limits = shared.limits;
        let n_empties = self.board.n_empties();
        let mut course =
            Course { elapsed: shared.start.elapsed(), iterations_settled: 0, drop: 0.0 };
        let schedule = schedule::schedule(n_empties, &limits.horizon);
        for (done, (depth, selectivity)) in (1..).zip(schedule) {
            searcher.set_selectivity(selectivity);
            let before = (self.moves[0].square, self.moves[0].line.score);
            self.iterate(searcher, depth, on_report);
            if searcher.stopped {
                return false;
            }
            if self.is_settled(limits) {
                return true;
            }
            if limits.budget.iterations == Some(done) {
                return false;
            }
            let Some(pacing) = limits.budget.time else { continue };
            let best = &self.moves[0];
            course.elapsed = shared.start.elapsed();
            course.drop = if depth > 1 { score::discs(before.1 - best.line.score) } else { 0.0 };
            course.iterations_settled =
                if best.square == before.0 { course.iterations_settled + 1 } else { 0 };
            // A single legal move needs no thought, only a value.
            let forced = self.moves.len() == 1 && depth >= 4;
            let is_solving = depth == n_empties && n_empties <= limits.horizon.exact_from;
            if !is_solving && (forced || pacing.suffices(course)) {
                return false;
            }
        }
        true
    }

    /// Whether deeper search could not change the result any more.
    fn is_settled(&self, limits: &Limits) -> bool {
        self.moves.iter().take(self.n_lines(limits.lines)).all(|mv| mv.line.is_proven())
            && self.board.n_empties() <= self.moves[0].line.depth
            && self.moves[0].line.selectivity == limits.horizon.exact_selectivity
    }

    /// One iteration: the lines asked for, one after the other, each among the moves that are left.
    fn iterate<E: Evaluator<Features = F>>(
        &mut self,
        searcher: &mut Searcher<'_, E>,
        depth: u32,
        on_report: &mut dyn FnMut(&Report),
    ) {
        let limits = searcher.shared.limits;
        let (mut floor, ceiling) = limits.lines.window().bounds();
        let n_lines = match limits.lines {
            Lines::Bounded(_) => 1,
            Lines::Best(n) => n.clamp(1, self.moves.len()),
            Lines::Within(_) => self.moves.len(),
        };
        let before: Vec<Line> = if n_lines > 1 {
            self.moves.iter().map(|mv| mv.line.clone()).collect()
        } else {
            Vec::new()
        };
        for line in 0..n_lines {
            if line > 0
                && let Lines::Within(margin) = limits.lines
            {
                floor = floor.max(self.moves[0].line.score - margin.max(0) - 1);
            }
            self.aspire(searcher, line, depth, (floor, ceiling));
            if searcher.stopped {
                self.take_back(line.max(1), &before);
                return;
            }
            let is_last = line + 1 == n_lines || self.moves[line].line.bound == Bound::AtMost;
            // A later line may turn out better when windows and pruning differ.
            self.moves[..=line].sort_by_key(|mv| -mv.line.score);
            self.report(searcher, line + 1, is_last, on_report);
            if is_last {
                break;
            }
        }
    }

    /// Gives the moves from `first` on, which an iteration did not come to, the lines that they had `before` it: since then they
    /// have only been compared with better moves.
    fn take_back(&mut self, first: usize, before: &[Line]) {
        let rest = self.moves.get_mut(first..).unwrap_or_default();
        for mv in rest.iter_mut() {
            if let Some(line) = before.iter().find(|line| line.mv == mv.line.mv) {
                mv.line.clone_from(line);
            }
        }
        if !before.is_empty() {
            rest.sort_by_key(|mv| -mv.line.score);
        }
    }

    fn report<E: Evaluator<Features = F>>(
        &self,
        searcher: &mut Searcher<'_, E>,
        n_lines: usize,
        complete: bool,
        on_report: &mut dyn FnMut(&Report),
    ) {
        searcher.publish_counts();
        let shared = searcher.shared;
        on_report(&Report {
            lines: self.moves[..n_lines].iter().map(|mv| mv.line.clone()).collect(),
            complete,
            nodes: shared.nodes.load(Relaxed),
            probes: shared.probes.load(Relaxed),
            elapsed: shared.start.elapsed(),
        });
    }
}

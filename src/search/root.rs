//! The root of a search: iterative deepening, several lines, the choice when to stop.

use std::cmp::Reverse;
use std::sync::atomic::Ordering::Relaxed;

use super::limits::IterationStats;
use super::moves::Candidate;
use super::parallel;
use super::parallel::split::Node;
use super::parameters::Parameters;
use super::searcher::{Searcher, Shared};
use super::{Bound, Bounds, Limits, Line, Lines, OnReport, Outcome, Report, Selectivity, Window};
use crate::board::{Board, Move, Square};
use crate::evaluation::Evaluation;
use crate::evaluation::patterns::Features;
use crate::score::{self, DISC, INFINITE, Score};
use crate::transposition::{Draft, Table};

/// Before an exact solution iterative deepening stops this many plies short of the end of the game; the next search goes to the end.
pub const SOLVE_JUMP: u32 = Parameters::DEFAULT.solve_jump;

/// Confidences of the searches to the end before an exact one.
const LADDER: [u32; 2] = [73, 95];

/// The same for searches until the result is proven, which may well end before the exact one.
const LONG_LADDER: [u32; 4] = [73, 87, 95, 99];

struct RootMove {
    square: Square,
    child: Board,
    features: Features,
    line: Line,
    /// What exact lines of this search have proven, whatever the move's line says.
    proven: Bounds,
}

impl RootMove {
    fn learn(&mut self, line: Line) {
        if line.exact {
            self.proven.narrow(&line);
        }
        self.line = line;
    }
}

struct Root {
    board: Board,
    moves: Vec<RootMove>,
}

/// See [`Search::run`](super::Search::run).
pub(super) fn run(board: Board, shared: Shared<'_>, on_report: OnReport<'_>) -> Outcome {
    if board.legal_moves() != 0 {
        return search_moves(board, &shared, on_report);
    }
    let passed = board.passed();
    if passed.legal_moves() == 0 {
        let final_score = Some(board.final_score() * DISC);
        let proven = Bounds::of(board.final_score() * DISC);
        let elapsed = shared.start.elapsed();
        return Outcome { final_score, proven, nodes: 1, elapsed, ..Outcome::default() };
    }
    // A forced pass: search for the opponent with one line, and negate the result.
    let window = shared.limits.lines.window().of_other_side();
    let limits = Limits { lines: Lines::Bounded(window), exclude: 0, ..*shared.limits };
    let shared = Shared { limits: &limits, ..shared };
    let mut outcome = search_moves(passed, &shared, &mut |report| {
        let mut report = report.clone();
        report.lines.iter_mut().for_each(prefix_pass);
        on_report(&report);
    });
    outcome.lines.iter_mut().for_each(prefix_pass);
    Outcome { proven: outcome.proven.of_other_side(), ..outcome }
}

fn prefix_pass(line: &mut Line) {
    line.mv = Move::Pass;
    line.score = -line.score;
    line.bound = line.bound.of_other_side();
    line.pv.insert(0, Move::Pass);
}

fn search_moves(board: Board, shared: &Shared<'_>, on_report: OnReport<'_>) -> Outcome {
    let mut root = Root::new(shared.search.evaluation, board, shared.limits.exclude);
    if root.moves.is_empty() {
        return Outcome { elapsed: shared.start.elapsed(), ..Outcome::default() };
    }
    let (reached, pause) = parallel::with_helpers(shared, |searcher| {
        let reached = root.deepen(searcher, on_report);
        searcher.publish_counts();
        (reached, searcher.pause())
    });
    let n_lines = root.n_lines(shared.limits.lines);
    let proven = root.moves.iter().map(|mv| mv.proven).reduce(Bounds::of_better);
    let proven = proven.unwrap_or_default();
    let best = root.moves[0].line.clone().of_position(proven.upper);
    let others = root.moves.iter().take(n_lines).skip(1).map(|mv| mv.line.clone());
    Outcome {
        lines: std::iter::once(best).chain(others).collect(),
        proven,
        final_score: None,
        nodes: shared.nodes.load(Relaxed),
        ordering_nodes: shared.ordering_nodes.load(Relaxed),
        elapsed: shared.start.elapsed(),
        pause,
        interrupted: !reached,
    }
}

impl Root {
    /// The legal moves of a board but for those excluded, ranked by the evaluation.
    fn new(evaluation: &Evaluation, board: Board, exclude: u64) -> Root {
        let features = Features::new(board);
        let mut moves: Vec<_> = board
            .moves()
            .filter(|square| square.bit() & exclude == 0)
            .map(|square| {
                let flips = board.flips(square);
                let child = board.after(square, flips);
                let features = features.after(square, flips);
                let score = if child.is_over() {
                    -child.final_score() * DISC
                } else {
                    -evaluation.evaluate(child, &features)
                };
                let line = Line::new(Move::Place(square), score, Bound::Exact, 1);
                RootMove { square, child, features, line, proven: Bounds::default() }
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
                let near = |mv: &&RootMove| {
                    mv.line.bound != Bound::AtMost && mv.line.score >= best - margin
                };
                self.moves.iter().take_while(near).count().max(1)
            }
        }
    }

    /// `true` if it reached the depth asked for.
    fn deepen(&mut self, searcher: &mut Searcher<'_>, on_report: OnReport<'_>) -> bool {
        let shared = searcher.shared;
        let limits = shared.limits;
        let n_empties = self.board.n_empties();
        let schedule = schedule(n_empties, limits);
        let wants_best = matches!(limits.lines, Lines::Best(1) | Lines::Bounded(Window::FULL));
        let is_resumable = wants_best && limits.exclude == 0;
        // What an earlier search has found counts as the first iteration.
        let known = if is_resumable { self.resume(searcher.table, &schedule) } else { None };
        let first = known.unwrap_or(0);
        let mut stats = IterationStats {
            elapsed: shared.start.elapsed(),
            iterations_settled: first as u32,
            drop: 0.0,
        };
        for (done, (at, &(depth, selectivity))) in
            (1..).zip(schedule.iter().enumerate().skip(first))
        {
            searcher.set_selectivity(selectivity);
            let before = (self.moves[0].square, self.moves[0].line.score);
            if Some(at) == known {
                self.report(searcher, 1, true, on_report);
            } else {
                self.iterate(searcher, depth, on_report);
            }
            if searcher.stopped {
                return false;
            }
            if self.is_settled(limits) {
                return true;
            }
            if limits.iterations == Some(done) {
                return false;
            }
            let Some(time_limit) = limits.time else { continue };
            let best = &self.moves[0];
            stats.elapsed = shared.start.elapsed();
            stats.drop = if depth > 1 { score::discs(before.1 - best.line.score) } else { 0.0 };
            stats.iterations_settled =
                if best.square == before.0 { stats.iterations_settled + 1 } else { 0 };
            // A single legal move needs no thought, only a value.
            let forced = self.moves.len() == 1 && depth >= 4;
            let is_solving = depth == n_empties && n_empties <= limits.exact_from;
            if !is_solving && (forced || time_limit.should_stop(stats, limits.parameters())) {
                return false;
            }
        }
        true
    }

    /// Goes on where an earlier search of the position ended, if the table knows its result: begins with its line, and returns the last
    /// iteration of the schedule that need not be repeated. Repeating costs more than their time: wherever their windows differ from those of the
    /// last iteration, they replace deep entries of the table by shallow ones.
    fn resume(&mut self, table: &Table, schedule: &[(u32, Selectivity)]) -> Option<usize> {
        let found = table.probe(self.board).filter(|hit| hit.lower == hit.upper);
        let hit = found.filter(|_| self.moves.len() > 1)?;
        let is_known = |&&(depth, selectivity): &&(u32, Selectivity)| {
            hit.covers(Draft { depth: depth as u8, confidence: selectivity.level() })
        };
        let n_known = schedule.iter().take_while(is_known).count();
        let best = self.moves.iter().position(|mv| Some(mv.square) == hit.moves[0]);
        let (last, best) = (n_known.checked_sub(1)?, best?);
        self.moves[..=best].rotate_right(1);
        let RootMove { line, child, .. } = &mut self.moves[0];
        (line.depth, line.selectivity) = schedule[last];
        line.score = hit.lower;
        line.pv.extend(table.variation(*child));
        // The last one finds the variation, and what is proven.
        n_known.min(schedule.len() - 1).checked_sub(1)
    }

    /// Whether deeper search could not change the result any more.
    fn is_settled(&self, limits: &Limits) -> bool {
        self.moves.iter().take(self.n_lines(limits.lines)).all(|mv| mv.line.is_proven())
            && self.board.n_empties() <= self.moves[0].line.depth
            && self.moves[0].line.selectivity == limits.exact_selectivity
    }

    /// The lines asked for, one after the other, each among the moves that are left.
    fn iterate(&mut self, searcher: &mut Searcher<'_>, depth: u32, on_report: OnReport<'_>) {
        let limits = searcher.shared.limits;
        let (mut floor, ceiling) = limits.lines.window().bounds();
        let n_lines = match limits.lines {
            Lines::Bounded(_) => 1,
            Lines::Best(n) => n.clamp(1, self.moves.len()),
            Lines::Within(_) => self.moves.len(),
        };
        // Step 1. Keep the lines of the iteration before, in case this one is interrupted.
        let before: Vec<Line> = self.moves.iter().map(|mv| mv.line.clone()).collect();
        for line in 0..n_lines {
            // Step 2. Later lines within a margin need no values further below the best.
            if line > 0
                && let Lines::Within(margin) = limits.lines
            {
                floor = floor.max(self.moves[0].line.score - margin.max(0) - 1);
            }
            // Step 3. The best of the moves that are left.
            self.aspiration_search(searcher, line, depth, (floor, ceiling));
            // Step 4. What an interrupted line has not compared is as before.
            if searcher.stopped {
                self.take_back(line, &before);
                return;
            }
            let is_last = line + 1 == n_lines || self.moves[line].line.bound == Bound::AtMost;
            // Step 5. A later line may turn out better when windows and pruning differ.
            self.moves[..=line].sort_by_key(|mv| -mv.line.score);
            self.report(searcher, line + 1, is_last, on_report);
            if is_last {
                break;
            }
        }
    }

    /// Restores the lines `before` an iteration that was interrupted in its line `reached`: those of the moves that follow are only
    /// bounds from comparisons with better moves, and so is that of the best move if all have failed low so far.
    fn take_back(&mut self, reached: usize, before: &[Line]) {
        let has_best = reached == 0 && self.moves[0].line.bound != Bound::AtMost;
        for mv in &mut self.moves[reached + usize::from(has_best)..] {
            if let Some(line) = before.iter().find(|line| line.mv == mv.line.mv) {
                mv.line.clone_from(line);
            }
        }
        self.moves[reached.max(1)..].sort_by_key(|mv| -mv.line.score);
    }

    fn report(
        &self,
        searcher: &mut Searcher<'_>,
        n_lines: usize,
        complete: bool,
        on_report: OnReport<'_>,
    ) {
        searcher.publish_counts();
        let shared = searcher.shared;
        on_report(&Report {
            lines: self.moves[..n_lines].iter().map(|mv| mv.line.clone()).collect(),
            complete,
            nodes: shared.nodes.load(Relaxed),
            ordering_nodes: shared.ordering_nodes.load(Relaxed),
            elapsed: shared.start.elapsed(),
        });
    }

    /// Searches the moves from `first` on with a window around the expected value, widened as often as needed.
    fn aspiration_search(
        &mut self,
        searcher: &mut Searcher<'_>,
        first: usize,
        depth: u32,
        (floor, ceiling): (Score, Score),
    ) {
        let p = searcher.parameters();
        let exact = depth >= self.board.n_empties();
        // Without a value of an earlier iteration there is no window to aspire to.
        let expected = &self.moves[first].line;
        let is_known =
            expected.bound == Bound::Exact && expected.depth + p.iteration_step >= depth.min(4);
        let center = if exact { (expected.score + DISC) & !(2 * DISC - 1) } else { expected.score };
        let mut below = if exact { DISC } else { p.aspiration_window };
        let mut above = below;
        if !is_known {
            (below, above) = (2 * INFINITE, 2 * INFINITE);
        }
        loop {
            let alpha = (center - below).clamp(floor, ceiling - 1);
            let beta = (center + above).clamp(floor + 1, ceiling);
            let score = self.search_root(searcher, first, depth, (alpha, beta));
            if searcher.stopped {
                return;
            }
            if score <= alpha && alpha > floor {
                below = below * p.aspiration_growth + (center - below - score).max(0);
            } else if score >= beta && beta < ceiling {
                above = above * p.aspiration_growth + (score - center - above).max(0);
            } else {
                // The bounds on the way would replace the result of the iteration before, with which a later search goes on.
                self.store(searcher, first, depth, (alpha, beta), score);
                if score <= alpha {
                    // No move is above the floor: the one with the highest bound gives the bound of all.
                    let bounds = self.moves[first..].iter().enumerate();
                    let highest = bounds.max_by_key(|(index, mv)| (mv.line.score, Reverse(*index)));
                    let highest = highest.map_or(0, |(index, _)| index);
                    self.moves[first..=first + highest].rotate_right(1);
                }
                return;
            }
        }
    }

    /// Principal variation search over the root moves from `first` on; the best comes to `first`.
    fn search_root(
        &mut self,
        searcher: &mut Searcher<'_>,
        first: usize,
        depth: u32,
        (alpha, beta): (Score, Score),
    ) -> Score {
        let n_empties = self.board.n_empties();
        let depth = depth.min(n_empties);
        let selectivity = searcher.selectivity;
        let exact = depth == n_empties && selectivity == Selectivity::FULL;
        let target = Target { window: (alpha, beta), depth, selectivity, exact };
        searcher.nodes += 1;
        let mut best = -INFINITE;
        let mut low = alpha;
        for index in first..self.moves.len() {
            let is_first = index == first;
            if searcher.may_split_pv(depth, index - first) {
                return self.split_others(searcher, (first, index), target, best);
            }
            let mv = &self.moves[index];
            let score = searcher.pvs_child(mv.child, &mv.features, depth, (low, beta), 0, is_first);
            if searcher.stopped {
                return low;
            }
            best = best.max(score);
            let mv = &mut self.moves[index];
            // The first move gets a line even if its score is a bound; the others need only be no better.
            if score > low || is_first {
                low = low.max(score);
                mv.learn(target.line(mv.square, score, &searcher.pv_table[1]));
                self.moves[first..=index].rotate_right(1);
                if score >= beta {
                    break;
                }
            } else {
                mv.learn(target.refutation(mv.square, score));
            }
        }
        best
    }

    /// Continues [`Root::search_root`] at the move `next`, with other threads; `best` is the best score before it.
    fn split_others(
        &mut self,
        searcher: &mut Searcher<'_>,
        (first, next): (usize, usize),
        target: Target,
        best: Score,
    ) -> Score {
        let (alpha, beta) = target.window;
        let others = &mut self.moves[next..];
        let candidates = others
            .iter()
            .map(|mv| Candidate { square: mv.square, flips: self.board.flips(mv.square), rank: 0 })
            .collect();
        let node = Node {
            board: self.board,
            features: Features::new(self.board),
            depth: target.depth,
            window: (alpha.max(best), beta),
            selectivity: target.selectivity,
            pv_ply: Some(0),
        };
        let split = searcher.split_node(node, candidates, (next - first, best));
        // What was found before a stop counts.
        let mut better = Vec::new();
        for (index, mv) in others.iter_mut().enumerate() {
            let Some(result) = split.result(index) else { continue };
            mv.learn(if result.score > result.alpha {
                better.push((result.score, mv.square));
                target.line(mv.square, result.score, &result.variation)
            } else {
                target.refutation(mv.square, result.score)
            });
        }
        better.sort_by_key(|&(score, _)| score);
        for (_, square) in better {
            let index = self.moves.iter().position(|mv| mv.square == square).unwrap_or(first);
            self.moves[first..=index].rotate_right(1);
        }
        split.best().0
    }

    fn store(
        &self,
        searcher: &Searcher<'_>,
        first: usize,
        depth: u32,
        window: (Score, Score),
        score: Score,
    ) {
        // Later lines, and searches with excluded moves, know only the best of some moves.
        if first == 0 && searcher.shared.limits.exclude == 0 {
            let draft = searcher.draft(depth, self.board.n_empties());
            let best_move = Some(self.moves[0].square);
            searcher.table.store(self.board, draft, window, score, best_move);
        }
    }
}

#[derive(Clone, Copy)]
struct Target {
    window: (Score, Score),
    depth: u32,
    selectivity: Selectivity,
    exact: bool,
}

impl Target {
    /// For a move that is better than those before; `variation` is the principal variation after it.
    fn line(&self, square: Square, score: Score, variation: &[Move]) -> Line {
        let (alpha, beta) = self.window;
        let bound = if score >= beta {
            Bound::AtLeast
        } else if score <= alpha {
            Bound::AtMost
        } else {
            Bound::Exact
        };
        let mut line = Line { bound, ..self.refutation(square, score) };
        if bound != Bound::AtMost {
            line.pv.extend_from_slice(variation);
        }
        line
    }

    /// For a move that is no better than those before.
    fn refutation(&self, square: Square, score: Score) -> Line {
        let Target { depth, selectivity, exact, .. } = *self;
        let mv = Move::Place(square);
        Line { mv, score, bound: Bound::AtMost, depth, selectivity, exact, pv: vec![mv] }
    }
}

/// The iterations of a search with `n_empties` empty squares: depth, selectivity.
fn schedule(n_empties: u32, limits: &Limits) -> Vec<(u32, Selectivity)> {
    let p = limits.parameters();
    let solves = n_empties <= limits.exact_from;
    if !solves && limits.depth < n_empties {
        return depths(limits.depth, p.iteration_step)
            .map(|depth| (depth, limits.selectivity))
            .collect();
    }
    let jump = if solves {
        p.solve_jump
    } else if n_empties <= limits.selective_end_from {
        p.end_jump
    } else {
        1
    };
    // Before a solution the iterations only order moves.
    let lowest = Selectivity::from_percent(0);
    let mut steps: Vec<_> = depths(n_empties.saturating_sub(jump), p.iteration_step)
        .map(|depth| (depth, lowest))
        .collect();
    let (rungs, last): (&[u32], _) = match (solves, limits.until_proven) {
        (true, _) if n_empties < p.ladder_min_empties => (&[], limits.exact_selectivity),
        (true, _) => (&LADDER, limits.exact_selectivity),
        (false, true) => (&LONG_LADDER, limits.exact_selectivity),
        (false, false) => (&[], limits.selectivity),
    };
    let rungs = rungs.iter().map(|&percent| Selectivity::from_percent(percent));
    steps.extend(rungs.filter(|&rung| rung < last).map(|rung| (n_empties, rung)));
    steps.push((n_empties, last));
    steps
}

fn depths(last: u32, step: u32) -> impl Iterator<Item = u32> {
    (step - last % step..=last).step_by(step as usize)
}

//! Test positions with the values of all their moves, from deep searches.
//!
//! A position lies behind a random opening (see [`openings`](super::openings)), has at least two moves and is about even. The
//! value of each move is the mean of two consecutive depths, because values of even and of odd depths differ systematically.

use std::ops::{ControlFlow, RangeInclusive};
use std::path::Path;

use anyhow::{Context, ensure};

use super::openings::{Line, Openings};
use super::search_context::{self, SearchContext, look};
use super::selfplay::draws_of;
use crate::batch::{self, Order, Pool};
use crate::board::{Board, Color, Move, Position};
use crate::evaluation::Source;
use crate::files::growing::Growing;
use crate::formats::obf::{self, Problem};
use crate::score::{DISC, Score};
use crate::search::{Line as Searched, Selectivity, Stop};

/// The settings that, together with its number, determine a position.
#[derive(Debug)]
pub struct Settings {
    pub seed: u64,
    /// Plies before a position.
    pub plies: RangeInclusive<u32>,
    /// How far the value of a position may be from zero at [`GLANCE`] plies, in discs.
    pub within: f64,
    /// The lesser of the two depths, in plies.
    pub depth: u32,
    pub selectivity: Selectivity,
    /// Positions with at most this many empty squares are solved.
    pub exact: u32,
    /// Size of each thread's table in MiB.
    pub hash_megabytes: usize,
    pub evaluation: Source,
    /// Games of others to start from; may be empty.
    pub games: Vec<Line>,
}

/// Depth at which positions are chosen, in plies.
pub const GLANCE: u32 = 6;

/// Appends positions to a file until it holds `number`; goes on where an earlier run ended. `head` is the file's first line, which
/// says what the positions follow from. Calls `on_position` with the number of each; returns the number of new ones.
pub fn run(
    path: &Path,
    settings: &Settings,
    head: &str,
    number: u64,
    n_threads: usize,
    on_position: &mut (dyn FnMut(u64) + Send),
) -> anyhow::Result<u64> {
    let head = format!("% {head}\n");
    let mut held = Some(0);
    let mut file = Growing::open(path, |bytes| {
        held = n_held(bytes, head.as_bytes());
        match held {
            Some(_) => bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1),
            None => bytes.len(),
        }
    })?;
    let n_lines = held.with_context(|| {
        format!("{} holds something else, or positions made with other settings", path.display())
    })?;
    if n_lines == 0 {
        file.append(head.as_bytes())?;
    }
    let n_positions = n_lines.saturating_sub(1);
    let stop = Stop::new();
    let pool = Pool { n_threads, order: Order::ByNumber, stop: &stop };
    let init = || {
        let context = SearchContext::try_new(settings.hash_megabytes);
        context.with_context(|| format!("no memory for a table of {} MiB", settings.hash_megabytes))
    };
    let work = |context: &mut SearchContext, &number: &u64| {
        context.table.clear();
        problem(settings, number, context).map(Some)
    };
    let mut n_made = 0;
    batch::run(n_positions..number, pool, init, work, |unit, problem: Problem| {
        file.append((obf::write(&problem) + "\n").as_bytes())?;
        // Positions take long, so none shall wait in memory.
        file.sync()?;
        n_made += 1;
        on_position(unit);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(n_made)
}

/// Number of whole lines in a file; 0 if it ends within `head`, `None` if it begins otherwise.
fn n_held(bytes: &[u8], head: &[u8]) -> Option<u64> {
    if bytes.len() < head.len() {
        return head.starts_with(bytes).then_some(0);
    }
    let n_lines = bytes.iter().filter(|&&byte| byte == b'\n').count();
    bytes.starts_with(head).then_some(n_lines as u64)
}

/// After so many positions that are not even enough there is likely none.
const MAX_DRAWS: u32 = 10_000;

fn problem(settings: &Settings, index: u64, context: &SearchContext) -> anyhow::Result<Problem> {
    let mut random = draws_of(settings.seed, index);
    let openings = Openings { evaluation: &settings.evaluation, games: &settings.games };
    let within = (settings.within * f64::from(DISC)).round() as Score;
    let at_a_glance = search_context::to_depth(GLANCE, Selectivity::FULL, 0);
    let mut draws = 0;
    let board = loop {
        let (plies, discs) = (&settings.plies, settings.within);
        ensure!(
            draws < MAX_DRAWS,
            "none of {MAX_DRAWS} positions after {} to {} plies is within {discs} discs",
            plies.start(),
            plies.end()
        );
        draws += 1;
        let board = openings.draw(&settings.plies, &mut random, context);
        if board.legal_moves().count_ones() >= 2 {
            let outcome = look(&settings.evaluation, board, &at_a_glance, context);
            if outcome.best().is_some_and(|line| line.score.abs() <= within) {
                break board;
            }
        }
    };
    let [before, after] = [settings.depth, settings.depth + 1].map(|depth| {
        let limits = search_context::all_moves(depth, settings.selectivity, settings.exact);
        look(&settings.evaluation, board, &limits, context)
    });
    let scores = values(board, &before.lines, &after.lines)?;
    // The side to move is Black, as good as any.
    Ok(Problem { position: Position::new(board.player, board.opponent, Color::Black), scores })
}

/// The values of all moves in discs, the best first: means over both depths, or of the deeper search if it solved the position.
fn values(
    board: Board,
    before: &[Searched],
    after: &[Searched],
) -> anyhow::Result<Vec<(Move, i32)>> {
    let mut scores = Vec::new();
    for line in after {
        let earlier = before.iter().find(|earlier| earlier.mv == line.mv);
        let sum = match earlier {
            _ if line.is_proven() => 2 * line.score,
            Some(earlier) => earlier.score + line.score,
            None => continue,
        };
        let mean = f64::from(sum) / f64::from(2 * DISC);
        scores.push((line.mv, mean.round() as i32));
    }
    let n_moves = board.legal_moves().count_ones() as usize;
    ensure!(scores.len() == n_moves, "{} of {n_moves} moves have values", scores.len());
    scores.sort_by_key(|&(_, score)| std::cmp::Reverse(score));
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::Source;
    use crate::support::folder::Folder;

    fn settings(depth: u32, exact: u32, plies: RangeInclusive<u32>) -> Settings {
        Settings {
            seed: 1,
            plies,
            within: 12.0,
            depth,
            selectivity: Selectivity::FULL,
            exact,
            hash_megabytes: 1,
            evaluation: Source::Embedded,
            games: Vec::new(),
        }
    }

    #[test]
    fn values_are_means_of_two_depths() {
        let settings = settings(2, 0, 16..=20);
        let mut context = SearchContext::try_new(1).unwrap();
        for index in 0..8 {
            context.table.clear();
            let problem = problem(&settings, index, &context).unwrap();
            assert!(problem.has_all_moves() && problem.scores.len() >= 2);
            assert!((40..=44).contains(&problem.position.board.n_empties()));
            let values = [2, 3].map(|depth| {
                let limits = search_context::all_moves(depth, Selectivity::FULL, 0);
                let context = SearchContext::try_new(1).unwrap();
                look(&settings.evaluation, problem.position.board, &limits, &context).lines
            });
            for (mv, score) in problem.scores {
                let value =
                    |lines: &Vec<Searched>| lines.iter().find(|line| line.mv == mv).unwrap().score;
                let mean = f64::from(values.iter().map(value).sum::<Score>()) / f64::from(2 * DISC);
                assert!((mean - f64::from(score)).abs() <= 0.5, "{mv}: {score} for {mean}");
            }
        }
    }

    #[test]
    fn solved_positions_have_exact_values() {
        let settings = settings(1, 10, 50..=52);
        let context = SearchContext::try_new(1).unwrap();
        for index in 0..8 {
            let problem = problem(&settings, index, &context).unwrap();
            let glance = {
                let context = SearchContext::try_new(1).unwrap();
                let limits = search_context::to_depth(GLANCE, Selectivity::FULL, 0);
                look(&settings.evaluation, problem.position.board, &limits, &context)
            };
            // About even, whoever is ahead.
            assert!(glance.best().unwrap().score.abs() <= 14 * DISC, "{index}");
            for &(mv, score) in &problem.scores {
                let next = problem.position.board.play(mv).unwrap();
                let value = if next.is_over() {
                    next.final_score()
                } else {
                    let context = SearchContext::try_new(1).unwrap();
                    let solved =
                        look(&settings.evaluation, next, &search_context::to_the_end(), &context);
                    solved.best().unwrap().score / DISC
                };
                assert_eq!(score, -value);
            }
            assert!(problem.scores.is_sorted_by(|a, b| a.1 >= b.1));
        }
    }

    #[test]
    fn a_cut_file_goes_on_and_another_is_left_as_it_is() {
        let folder = Folder::new("problems");
        let path = folder.join("problems.obf");
        let settings = settings(1, 0, 12..=14);
        let make = |number, head: &str, n_threads| {
            run(&path, &settings, head, number, n_threads, &mut |_| ())
        };
        assert_eq!(make(9, "nine", 2).unwrap(), 9);
        let whole = std::fs::read(&path).unwrap();
        let is_problem = |line: &&[u8]| obf::read_line(line).unwrap().is_some();
        assert_eq!(whole.split(|&byte| byte == b'\n').filter(is_problem).count(), 9);
        std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
        assert!(make(9, "nine", 1).unwrap() < 9);
        assert_eq!(std::fs::read(&path).unwrap(), whole);
        assert_eq!(make(9, "nine", 1).unwrap(), 0);
        for text in [&whole[..], b"notes of mine\n", b"no"] {
            std::fs::write(&path, text).unwrap();
            assert!(make(9, "ten", 1).unwrap_err().to_string().contains("something else"));
            assert_eq!(std::fs::read(&path).unwrap(), text);
        }
    }
}

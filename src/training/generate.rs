//! Games with labels: for each of some numbers, a part of a game with the values of its positions and of positions beside it.
//!
//! What a search evaluates are not the positions of its line but mostly positions after errors. So a share of the positions are
//! leaves of small trees, and some lie one or two random moves off the line. Each game begins with a random opening (see
//! [`openings`](super::openings)) and is played for some plies only, with its first ply drawn so that all stages have about as
//! many positions.
//!
//! A label is the value of a search to a depth, or the mean of two consecutive depths, because values of even and of odd depths
//! differ systematically; positions near the end are solved. Results of games play no role.

use std::ops::{ControlFlow, RangeInclusive};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use rand::rngs::Xoshiro256PlusPlus;
use serde_json::Value;

use super::games::{self, Block, GAMES, Raw, Reader};
use super::look::{self, Place, look};
use super::openings::{Line, Openings, with_move};
use super::played::{Branch, Played, Step, rounded};
use super::selfplay::{Made, draws_of};
use crate::batch::shard::Shard;
use crate::batch::{self, Crew, Order};
use crate::board::{Board, Square};
use crate::evaluation::Evaluation;
use crate::files::growing::Growing;
use crate::players::random::draw_square;
use crate::score::{DISC, Score};
use crate::search::Selectivity;
use crate::support::draw::draw;

/// What games follow from, together with their numbers.
#[derive(Debug)]
pub struct Settings {
    /// Seed for all random choices.
    pub seed: u64,
    /// Plies played before the positions with a label; at most 58.
    pub plies: RangeInclusive<u32>,
    /// The longest line with labels in plies, at least 1.
    pub span: u32,
    /// Search depth in plies, at least 1.
    pub depth: u32,
    /// Whether a label is the mean of this depth and the next.
    pub is_mean: bool,
    /// Positions with at most this many empty squares are solved.
    pub exact: u32,
    /// Leaves of small trees, in percent of all positions.
    pub leaves: u32,
    /// Positions one or two random moves off the line, in percent of all positions; with the leaves less than 100.
    pub random: u32,
    /// The evaluation.
    pub evaluation: Evaluation,
    /// Games of others to start from; may be empty.
    pub games: Vec<Line>,
}

/// How far a run goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// Games to make, those of other shards and of earlier runs included; rounded up to whole blocks.
    pub games: u64,
    /// The games that belong to this file.
    pub shard: Shard,
    /// Ends the run before.
    pub time: Option<Duration>,
}

/// Size of each thread's table in MiB. Small, because it is cleared for each game.
const HASH_MEGABYTES: usize = 2;

/// Plies of the small trees.
const TREES: RangeInclusive<u64> = 2..=5;

/// Makes the games that a file does not have yet; `identity` describes the settings in its head. `on_progress` is called with what
/// was made so far after every block.
///
/// # Errors
/// If the file cannot be read or written, or holds something else.
pub fn run(
    path: &Path,
    settings: &Settings,
    identity: &Value,
    goal: Goal,
    n_threads: usize,
    on_progress: &mut (dyn FnMut(Made) + Send),
) -> anyhow::Result<Made> {
    let start = Instant::now();
    let mut held = Ok(None);
    let head = games::head(identity);
    let mut file = Growing::open(path, |bytes| {
        let (end, found) = whole(bytes, &head, goal.shard);
        held = found;
        end
    })?;
    let n_held = held.with_context(|| path.display().to_string())?;
    if n_held.is_none() {
        file.append(&head)?;
    }
    let n_blocks = goal.games.div_ceil(GAMES);
    let units = goal.shard.units().skip(n_held.unwrap_or(0)).take_while(|&unit| unit < n_blocks);
    let stop = AtomicBool::new(false);
    let crew = Crew { n_threads, order: Order::ByNumber, stop: &stop };
    let settle = || Place::try_new(HASH_MEGABYTES).context("no memory for a table");
    let work = |place: &mut Place, &number: &u64| {
        let numbers = number * GAMES..(number + 1) * GAMES;
        let games: Vec<Played> = numbers
            .map(|number| {
                place.table.clear();
                play(settings, number, place)
            })
            .collect();
        Ok(Some(Block { number, games }))
    };
    let mut made = Made::default();
    batch::run(units, crew, settle, work, |_, block: Block| {
        file.append(&block.to_bytes())?;
        made.games += block.games.len() as u64;
        made.positions += block.games.iter().map(|game| game.n_positions() as u64).sum::<u64>();
        made.elapsed = start.elapsed();
        on_progress(made);
        let is_late = goal.time.is_some_and(|time| made.elapsed >= time);
        Ok(if is_late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    file.sync()?;
    made.elapsed = start.elapsed();
    Ok(made)
}

/// How many of a file's bytes to keep, and the number of its blocks, `None` without a head. All bytes of a file that cannot go on
/// are kept.
fn whole(bytes: &[u8], head: &[u8], shard: Shard) -> (usize, anyhow::Result<Option<usize>>) {
    if head.starts_with(bytes) && bytes.len() < head.len() {
        return (0, Ok(None));
    }
    let count = || {
        ensure!(!games::is_games(bytes) || bytes.starts_with(head), "made with other settings");
        let mut reader = Reader::new(bytes)?;
        let mut n_blocks = 0;
        for unit in shard.units() {
            let Some(Raw { number, .. }) = reader.next_raw()? else { break };
            ensure!(number == unit, "block {number} belongs to another shard");
            n_blocks += 1;
        }
        Ok((reader.offset as usize, n_blocks))
    };
    match count() {
        Ok((end, n_blocks)) => (end, Ok(Some(n_blocks))),
        Err(error) => (bytes.len(), Err(error)),
    }
}

/// Plays game number `index`.
fn play(settings: &Settings, index: u64, place: &Place) -> Played {
    let mut random = draws_of(settings.seed, index);
    let (least, most) = (*settings.plies.start(), *settings.plies.end());
    // Where the line ends. Each ply is in as many lines, since those that would begin too early begin with the first ply.
    let end = least + 1 + draw(&mut random, u64::from(most - least + settings.span)) as u32;
    let length = end.saturating_sub(settings.span).max(least);
    let end = end.min(most + 1);
    let openings = Openings { evaluation: &settings.evaluation, games: &settings.games };
    let start = openings.draw(&(length..=length), &mut random, place);
    let mut played = Played { start, steps: Vec::new(), branches: Vec::new() };
    let mut board = Some(start);
    while let Some(here) = board.and_then(with_move)
        && 60 - here.n_empties() < end
    {
        let Some((score, mut square)) = label(settings, here, place) else { break };
        let is_solved = here.n_empties() <= settings.exact;
        // Best play alone would not contain the errors that searches encounter.
        if is_solved && draw(&mut random, 2) == 0 {
            square = draw_square(&mut random, here.legal_moves());
        }
        played.steps.push(Step { square, score: rounded(score) });
        let on_line = u64::from(100 - settings.leaves - settings.random);
        for (share, kind) in [(settings.leaves, Kind::Leaf), (settings.random, Kind::Random)] {
            let mut rest = u64::from(share);
            while draw(&mut random, on_line) < rest {
                rest = rest.saturating_sub(on_line);
                if let Some((end, squares)) = beside(settings, here, kind, &mut random)
                    && let Some((score, _)) = label(settings, end, place)
                {
                    let step = played.steps.len() - 1;
                    played.branches.push(Branch { step, squares, score });
                }
            }
        }
        board = Some(here.after(square, here.flips(square)));
    }
    played
}

/// Kinds of positions beside the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Leaf,
    Random,
}

/// A position beside a position of the line, and the moves to it; `None` if the game is over there, or nearly.
fn beside(
    settings: &Settings,
    board: Board,
    kind: Kind,
    random: &mut Xoshiro256PlusPlus,
) -> Option<(Board, Vec<Square>)> {
    let (end, squares) = match kind {
        Kind::Leaf => leaf(&settings.evaluation, board, random),
        Kind::Random => {
            let n = 1 + draw(random, 2);
            walk(board, n, random, |board, random| draw_square(random, board.legal_moves()))
        }
    }?;
    (60 - end.n_empties() <= *settings.plies.end()).then_some((end, squares))
}

/// A leaf of a small tree, half of the time after a random move.
///
/// The tree is the smallest that proves a value (Knuth and Moore 1975): all moves of one side, the best move of the other. The
/// best is the one that a look one ply ahead prefers.
fn leaf(
    evaluation: &Evaluation,
    board: Board,
    random: &mut Xoshiro256PlusPlus,
) -> Option<(Board, Vec<Square>)> {
    let n_before = draw(random, 2);
    let n = n_before + TREES.start() + draw(random, TREES.end() - TREES.start() + 1);
    let is_any_first = draw(random, 2) == 0;
    let mut ply = 0;
    walk(board, n, random, |board, random| {
        ply += 1;
        let is_before = ply <= n_before;
        if is_before || ((ply - n_before) % 2 == 1) == is_any_first {
            draw_square(random, board.legal_moves())
        } else {
            best_at_a_glance(evaluation, board)
        }
    })
}

/// Makes `n` moves; `None` if the game is over by then.
fn walk(
    mut board: Board,
    n: u64,
    random: &mut Xoshiro256PlusPlus,
    mut choose: impl FnMut(Board, &mut Xoshiro256PlusPlus) -> Square,
) -> Option<(Board, Vec<Square>)> {
    let mut squares = Vec::new();
    for _ in 0..n {
        let square = choose(board, random);
        squares.push(square);
        board = with_move(board.after(square, board.flips(square)))?;
    }
    Some((board, squares))
}

/// The move whose position the evaluation likes best.
fn best_at_a_glance(evaluation: &Evaluation, board: Board) -> Square {
    let value = |&square: &Square| {
        let next = board.after(square, board.flips(square));
        if next.is_over() { next.final_score() * DISC } else { evaluation.evaluate(next) }
    };
    board.moves().min_by_key(value).unwrap_or(Square::lowest(board.legal_moves()))
}

/// Value and best move of a position.
fn label(settings: &Settings, board: Board, place: &Place) -> Option<(Score, Square)> {
    let at = |depth| {
        let limits = look::to_depth(depth, Selectivity::FULL, settings.exact);
        look(&settings.evaluation, board, &limits, place)
    };
    let outcome = at(settings.depth);
    let line = outcome.best()?;
    if line.is_proven() || !settings.is_mean {
        return Some((line.score, line.mv.square()?));
    }
    let outcome = at(settings.depth + 1);
    let deeper = outcome.best()?;
    let score = if deeper.is_proven() { deeper.score } else { (line.score + deeper.score) / 2 };
    Some((score, deeper.mv.square()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::terms::Terms;
    use crate::search::Outcome;
    use serde_json::json;
    use std::path::PathBuf;

    fn settings() -> Settings {
        Settings {
            seed: 3,
            plies: 6..=50,
            span: 12,
            depth: 1,
            is_mean: false,
            exact: 11,
            leaves: 30,
            random: 10,
            evaluation: Evaluation::Terms(Terms),
            games: Vec::new(),
        }
    }

    fn searched(settings: &Settings, board: Board, depth: u32) -> Outcome {
        let limits = look::to_depth(depth, Selectivity::FULL, settings.exact);
        look(&settings.evaluation, board, &limits, &Place::try_new(1).unwrap())
    }

    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let name = format!("othellier-generate-{}-{name}", std::process::id());
            Scratch(std::env::temp_dir().join(name))
        }

        fn make(&self, goal: Goal, n_threads: usize) -> anyhow::Result<Made> {
            run(&self.0, &settings(), &identity(), goal, n_threads, &mut |_| {})
        }

        fn bytes(&self) -> Vec<u8> {
            std::fs::read(&self.0).unwrap()
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            drop(std::fs::remove_file(&self.0));
        }
    }

    fn identity() -> Value {
        json!({ "exact": 11 })
    }

    fn goal(games: u64, shard: &str) -> Goal {
        Goal { games, shard: shard.parse().unwrap(), time: None }
    }

    fn blocks(bytes: &[u8]) -> Vec<Block> {
        let mut reader = Reader::new(bytes).unwrap();
        std::iter::from_fn(|| reader.next_block().unwrap()).collect()
    }

    #[test]
    fn shares_and_stages_are_as_asked_for() {
        let (settings, place) = (settings(), Place::try_new(1).unwrap());
        let mut by_ply = [0_u32; 60];
        let (mut n_line, mut n_leaves, mut n_random) = (0.0, 0.0, 0.0);
        for index in 0..600 {
            let played = play(&settings, index, &place);
            assert!(played.steps.len() <= settings.span as usize);
            for &(board, _) in &played.positions().unwrap()[..played.steps.len()] {
                by_ply[60 - board.n_empties() as usize] += 1;
                n_line += 1.0;
            }
            for branch in &played.branches {
                let n = if branch.squares.len() < 3 { &mut n_random } else { &mut n_leaves };
                *n += 1.0;
                assert!(branch.squares.len() <= 6);
            }
        }
        // Leaves of two plies count as random here, and some branches end the game.
        let all = n_line + n_leaves + n_random;
        assert!((0.55..0.7).contains(&(n_line / all)), "{n_line} of {all}");
        assert!((0.2..0.35).contains(&(n_leaves / all)), "{n_leaves} of {all}");
        let mean = n_line / 45.0;
        for (ply, &n) in by_ply.iter().enumerate() {
            if !settings.plies.contains(&(ply as u32)) {
                assert_eq!(n, 0, "ply {ply}");
            } else {
                // Five standard deviations are less than 70 %.
                assert!((f64::from(n) - mean).abs() < 0.7 * mean, "ply {ply}: {n}, mean {mean}");
            }
        }
    }

    #[test]
    fn labels_are_values_of_searches() {
        let place = Place::try_new(1).unwrap();
        for is_mean in [false, true] {
            let settings = Settings { is_mean, ..settings() };
            let (mut n_solved, mut n_searched) = (0, 0);
            for index in 0..30 {
                let played = play(&settings, index, &place);
                for (number, (board, score)) in played.positions().unwrap().into_iter().enumerate()
                {
                    let outcome = searched(&settings, board, 1 + u32::from(is_mean));
                    let line = outcome.best().unwrap();
                    let expected = if is_mean && !line.is_proven() {
                        let shallow = searched(&settings, board, 1).best().unwrap().score;
                        (shallow + line.score) / 2
                    } else {
                        line.score
                    };
                    let is_step = number < played.steps.len();
                    let expected = if is_step { rounded(expected) } else { expected };
                    // What the table remembers may change a value, but not a proven one.
                    if line.is_proven() {
                        assert_eq!(score, expected);
                        n_solved += 1;
                    } else {
                        n_searched += u32::from(score == expected);
                    }
                }
            }
            assert!(n_solved > 5 && n_searched > 300, "{n_solved} {n_searched}");
        }
    }

    #[test]
    fn shards_and_interruptions_make_the_same_blocks() {
        let whole = Scratch::new("whole");
        let made = whole.make(goal(5 * GAMES, "1/1"), 3).unwrap();
        let expected = blocks(&whole.bytes());
        assert_eq!((made.games, expected.len()), (5 * GAMES, 5));
        assert_eq!(games::n_positions(&whole.bytes()[..]).unwrap(), made.positions);
        let shards = ["1/2", "2/2"].map(|shard| {
            let scratch = Scratch::new(&format!("shard-{}", &shard[..1]));
            scratch.make(goal(2 * GAMES, shard), 1).unwrap();
            let mut bytes = scratch.bytes();
            bytes.truncate(bytes.len() - 7);
            std::fs::write(&scratch.0, bytes).unwrap();
            scratch.make(goal(5 * GAMES - 3, shard), 2).unwrap();
            scratch
        });
        let mut union: Vec<Block> =
            shards.iter().flat_map(|shard| blocks(&shard.bytes())).collect();
        union.sort_by_key(|block| block.number);
        assert_eq!(union, expected);
        // There is nothing left to do.
        assert_eq!(whole.make(goal(5 * GAMES, "1/1"), 1).unwrap().games, 0);
        assert_eq!(blocks(&whole.bytes()), expected);
    }

    #[test]
    fn a_file_that_cannot_go_on_is_left_as_it_is() {
        let scratch = Scratch::new("foreign");
        scratch.make(goal(GAMES, "1/1"), 1).unwrap();
        let good = scratch.bytes();
        let mut damaged = good.clone();
        damaged[100] ^= 1;
        let other = [games::head(&json!({ "exact": 12 })), good[head_length()..].to_vec()].concat();
        for (bytes, shard, reason) in [
            (good.clone(), "2/2", "block 0 belongs to another shard"),
            (damaged, "1/1", "block 1 of the file, from byte"),
            (other, "1/1", "made with other settings"),
            (b"notes of mine\n".to_vec(), "1/1", "not a file of games"),
        ] {
            std::fs::write(&scratch.0, &bytes).unwrap();
            let error = scratch.make(goal(2 * GAMES, shard), 1).unwrap_err();
            assert!(format!("{error:#}").contains(reason), "{error:#}");
            assert_eq!(scratch.bytes(), bytes, "{reason}");
        }
        // A head that a kill cut off is written anew.
        std::fs::write(&scratch.0, &good[..12]).unwrap();
        scratch.make(goal(GAMES, "1/1"), 1).unwrap();
        assert_eq!(scratch.bytes(), good);
    }

    fn head_length() -> usize {
        games::head(&identity()).len()
    }
}

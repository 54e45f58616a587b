//! Self-play from openings that neither side would choose.
//!
//! Evaluations must judge positions after errors, which games of good play alone do not contain. So each game starts with a
//! random opening of random length (see [`openings`](super::openings)). From there both sides search, and the endgame is solved.

use std::fmt;
use std::ops::{ControlFlow, RangeInclusive};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

use super::openings::{Line, Openings};
use super::record::{self, FIRST, LAST, PROVEN, Record};
use super::search_context::{self, SearchContext, look};
use crate::batch::shard::Shard;
use crate::batch::{self, Order, Pool};
use crate::board::{Board, Move};
use crate::evaluation::Source;
use crate::files::growing::Growing;
use crate::players::simple::random::draw_square;
use crate::score::DISC;
use crate::search::{Outcome, Selectivity, Stop};
use crate::support::random::draw;

/// Settings of self-play; the same settings produce the same games.
#[derive(Debug)]
pub struct Settings {
    pub seed: u64,
    /// Discs of random openings beyond the first four.
    pub opening: RangeInclusive<u32>,
    /// In plies, for each move.
    pub depth: u32,
    /// For the first position after the opening.
    pub first_depth: u32,
    pub selectivity: Selectivity,
    /// Positions with at most this many empty squares are solved.
    pub exact: u32,
    pub evaluation: Source,
    /// Games of others to start from; may be empty.
    pub games: Vec<Line>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The games that belong to this file.
    pub shard: Shard,
    /// Games to make, those of other shards and of earlier runs included.
    pub games: u64,
    /// Ends the run when the file holds this many positions.
    pub positions: u64,
    pub time: Option<Duration>,
}

impl Default for Goal {
    fn default() -> Goal {
        Goal { shard: Shard::ALL, games: u64::MAX, positions: u64::MAX, time: None }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Made {
    pub games: u64,
    pub positions: u64,
    pub elapsed: Duration,
    pub games_held: u64,
    pub positions_held: u64,
}

impl Made {
    pub fn rate(&self) -> f64 {
        self.positions as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }
}

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Made { games, positions, .. } = self;
        write!(f, "{games} games, {positions} positions, {:.0} positions/s", self.rate())
    }
}

/// Size of each thread's table. Small, because it is cleared for each game.
const HASH_MEGABYTES: usize = 2;

/// Appends games to a file until the goal is reached; goes on where an earlier run with the same settings was cut off.
pub fn run(
    path: &Path,
    settings: &Settings,
    goal: Goal,
    n_threads: usize,
    on_progress: &mut (dyn FnMut(Made) + Send),
) -> anyhow::Result<Made> {
    let make = |number, context: &SearchContext| play(settings, number, context);
    append_games(path, make, goal, n_threads, on_progress)
}

/// Like [`run`], but takes the whole games from `records` and searches every position not yet proven again for its value and result.
pub fn rescore(
    path: &Path,
    records: &[Record],
    settings: &Settings,
    goal: Goal,
    n_threads: usize,
    on_progress: &mut (dyn FnMut(Made) + Send),
) -> anyhow::Result<Made> {
    let games: Vec<_> = records.split_inclusive(|record| record.is(LAST)).collect();
    let make = |number: u64, context: &SearchContext| {
        let game = games[number as usize].iter();
        game.map(|&record| scored_anew(settings, record, context)).collect()
    };
    let goal = Goal { games: goal.games.min(games.len() as u64), ..goal };
    append_games(path, make, goal, n_threads, on_progress)
}

fn scored_anew(settings: &Settings, record: Record, context: &SearchContext) -> Record {
    if record.is(PROVEN) {
        return record;
    }
    let outcome = think(settings, record.board, record.is(FIRST), context);
    let Some(line) = outcome.best() else { return record };
    let result = (f64::from(line.score) / f64::from(DISC)).round() as i8;
    let flags = record.flags | if line.is_proven() { PROVEN } else { 0 };
    Record { score: line.score, result, flags, ..record }
}

/// Appends the games that the file does not have yet, made by their numbers.
fn append_games(
    path: &Path,
    make: impl Fn(u64, &SearchContext) -> Vec<Record> + Sync,
    goal: Goal,
    n_threads: usize,
    on_progress: &mut (dyn FnMut(Made) + Send),
) -> anyhow::Result<Made> {
    let start = Instant::now();
    let (mut games_before, mut positions_before) = (0, 0);
    let mut fault = None;
    let mut file = Growing::open(path, |bytes| {
        let first = bytes.first_chunk().and_then(Record::from_bytes);
        let complete = record::complete_games(bytes);
        fault = match complete {
            _ if !bytes.is_empty() && first.is_none() => Some("no self-play file of this version"),
            None => Some("damaged"),
            Some(_) => None,
        };
        let (true, Some((games, end))) = (fault.is_none(), complete) else { return bytes.len() };
        (games_before, positions_before) = (games, (end / record::SIZE) as u64);
        end
    })?;
    if let Some(fault) = fault {
        bail!("{} is {fault}; it is left as it is", path.display());
    }
    if positions_before >= goal.positions {
        return Ok(Made::default());
    }
    let stop = Stop::new();
    let pool = Pool { n_threads, order: Order::ByNumber, stop: &stop };
    let init = || SearchContext::try_new(HASH_MEGABYTES).context("no memory for a table");
    let work = |context: &mut SearchContext, &number: &u64| {
        context.table.clear();
        Ok(Some(make(number, context)))
    };
    let mut made = Made::default();
    let units = goal.shard.units().skip(games_before as usize);
    let units = units.take_while(|&unit| unit < goal.games);
    batch::run(units, pool, init, work, |_, records: Vec<Record>| {
        file.append(&records.iter().copied().flat_map(Record::to_bytes).collect::<Vec<u8>>())?;
        made.games += 1;
        made.positions += records.len() as u64;
        made.elapsed = start.elapsed();
        made.games_held = games_before + made.games;
        made.positions_held = positions_before + made.positions;
        on_progress(made);
        let is_enough = made.positions_held >= goal.positions
            || goal.time.is_some_and(|time| made.elapsed >= time);
        Ok(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    file.sync()?;
    made.elapsed = start.elapsed();
    Ok(made)
}

/// The random draws of game number `index`.
pub(super) fn draws_of(seed: u64, index: u64) -> Xoshiro256PlusPlus {
    // The generator mixes its seed, so neighboring seeds give unrelated games.
    let seed = seed.wrapping_add(index.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

fn play(settings: &Settings, index: u64, context: &SearchContext) -> Vec<Record> {
    let mut random = draws_of(settings.seed, index);
    let openings = Openings { evaluation: &settings.evaluation, games: &settings.games };
    let mut board = openings.draw(&settings.opening, &mut random, context);
    // Records with their side to move, true for the side that moved first.
    let mut records: Vec<(Record, bool)> = Vec::new();
    let mut side = true;
    let mut flags = FIRST;
    // The number of records whose result is the game's; later ones have their own.
    let mut n_played = usize::MAX;
    let result = loop {
        if board.legal_moves() == 0 {
            board = board.passed();
            side = !side;
            if board.legal_moves() == 0 {
                break board.final_score();
            }
        }
        let outcome = think(settings, board, flags & FIRST != 0, context);
        let Some(line) = outcome.best() else { break 0 };
        let record = Record { board, score: line.score, result: 0, flags };
        if line.is_proven() {
            let result = line.score / DISC;
            n_played = records.len();
            let record = Record { result: result as i8, ..record };
            let solve =
                |board| look(&settings.evaluation, board, &search_context::to_the_end(), context);
            add_proven(&mut records, record, side, line.mv, &mut random, solve);
            break result;
        }
        records.push((record, side));
        flags = 0;
        board = board.play(line.mv).unwrap_or(board);
        side = !side;
    };
    if let Some((last, _)) = records.last_mut() {
        last.flags |= LAST;
    }
    for (record, owner) in records.iter_mut().take(n_played) {
        record.result = if *owner == side { result } else { -result } as i8;
    }
    records.into_iter().map(|(record, _)| record).collect()
}

/// Adds a solved position and a line from it to the end, half of it random: best play alone lacks the errors that searches encounter.
fn add_proven(
    records: &mut Vec<(Record, bool)>,
    first: Record,
    mut side: bool,
    first_move: Move,
    random: &mut Xoshiro256PlusPlus,
    solve: impl Fn(Board) -> Outcome,
) {
    records.push((Record { flags: first.flags | PROVEN, ..first }, side));
    let (mut board, mut mv) = (first.board, first_move);
    loop {
        if draw(random, 2) == 0 && mv != Move::Pass {
            mv = Move::Place(draw_square(random, board.legal_moves()));
        }
        let Some(next) = board.play(mv) else { return };
        (board, side) = (next, !side);
        let outcome = solve(board);
        let Some(line) = outcome.best().filter(|line| line.is_proven()) else { return };
        mv = line.mv;
        if board.legal_moves() != 0 {
            let result = (line.score / DISC) as i8;
            records.push((Record { board, score: line.score, result, flags: PROVEN }, side));
        }
    }
}

fn think(settings: &Settings, board: Board, is_first: bool, context: &SearchContext) -> Outcome {
    let depth = if is_first { settings.first_depth } else { settings.depth };
    let limits = search_context::to_depth(depth, settings.selectivity, settings.exact);
    look(&settings.evaluation, board, &limits, context)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::part::Part;
    use crate::support::folder::Folder;
    use crate::training::openings::with_move;
    use crate::training::parts;
    use crate::training::record::SIZE;

    fn settings() -> Settings {
        Settings {
            seed: 7,
            opening: 6..=56,
            depth: 2,
            first_depth: 3,
            selectivity: Selectivity::FULL,
            exact: 8,
            evaluation: Source::Embedded,
            games: Vec::new(),
        }
    }

    #[test]
    fn labels_agree_with_play() {
        let context = SearchContext::try_new(1).unwrap();
        for index in 0..20 {
            let game = play(&settings(), index, &context);
            assert!(game[0].is(FIRST) && game[game.len() - 1].is(LAST));
            for pair in game.windows(2) {
                assert!(pair[0].board.n_empties() > pair[1].board.n_empties());
                assert!(!pair[1].is(FIRST) && !pair[0].is(LAST));
                if !pair[0].is(PROVEN) {
                    assert_eq!(pair[0].result.abs(), pair[1].result.abs());
                }
            }
            for record in game.iter().filter(|record| record.is(PROVEN)) {
                let solved = look(
                    &settings().evaluation,
                    record.board,
                    &search_context::to_the_end(),
                    &context,
                );
                assert_eq!(solved.lines[0].score, i32::from(record.result) * DISC);
                assert_eq!(record.score, solved.lines[0].score);
            }
        }
    }

    #[test]
    fn some_games_begin_near_those_of_others() {
        const LENGTH: u32 = 30;
        let mut board = Board::START;
        let mut text = String::new();
        while let Some(square) = with_move(board).and_then(|board| board.moves().next()) {
            board = with_move(board).unwrap_or(board);
            text += &square.to_string();
            board = board.after(square, board.flips(square));
        }
        let folder = Folder::new("others");
        let games =
            super::super::openings::read(folder.write("games.txt", text).as_ref(), |_| ()).unwrap();
        let settings = Settings { opening: LENGTH..=LENGTH, games, ..settings() };
        let distance =
            |a: Board, b: Board| ((a.player ^ b.player) | (a.opponent ^ b.opponent)).count_ones();
        let is_near = |board: Board| {
            let positions = (LENGTH - 3..LENGTH).filter_map(|n| settings.games[0].position(n));
            let images = positions.flat_map(|position| [position, position.passed()]);
            images.map(|image| distance(image, board)).min().unwrap() <= 16
        };
        let context = SearchContext::try_new(1).unwrap();
        let random = |index| Xoshiro256PlusPlus::seed_from_u64(index);
        let begin = Openings { evaluation: &settings.evaluation, games: &settings.games };
        let openings: Vec<Board> = (0..60)
            .map(|index| begin.draw(&settings.opening, &mut random(index), &context))
            .collect();
        let n_near = openings.iter().filter(|&&board| is_near(board)).count();
        assert!((10..=32).contains(&n_near), "{n_near}");
        assert!(openings.iter().all(|board| board.n_empties() == 60 - LENGTH));
    }

    #[test]
    fn a_cut_run_goes_on_as_if_it_had_not_been_cut() {
        let folder = Folder::new("cut");
        let (whole, cut) = (folder.join("whole"), folder.join("cut"));
        let goal = |positions| Goal { positions, ..Goal::default() };
        run(&whole, &settings(), goal(2000), 2, &mut |_| {}).unwrap();
        run(&cut, &settings(), goal(700), 1, &mut |_| {}).unwrap();
        let mut bytes = std::fs::read(&cut).unwrap();
        bytes.truncate(500 * SIZE + 11);
        std::fs::write(&cut, &bytes).unwrap();
        run(&cut, &settings(), goal(2000), 1, &mut |_| {}).unwrap();
        assert_eq!(std::fs::read(&whole).unwrap(), std::fs::read(&cut).unwrap());
        // A file of another kind is left alone.
        for length in [1, SIZE - 1, SIZE, 1 << 10, 1 << 17] {
            let other = vec![b'x'; length];
            std::fs::write(&cut, &other).unwrap();
            assert!(run(&cut, &settings(), goal(2000), 1, &mut |_| {}).is_err());
            assert_eq!(std::fs::read(&cut).unwrap(), other);
        }
    }

    #[test]
    fn shards_together_are_the_whole() {
        let goal = Goal { games: 40, ..Goal::default() };
        let folder = Folder::new("shards");
        let whole = folder.join("whole");
        run(&whole, &settings(), goal, 2, &mut |_| {}).unwrap();
        let expected = std::fs::read(&whole).unwrap();
        let paths: Vec<_> = (1..=3).map(|k| folder.join(k.to_string())).collect();
        let make = |k: usize, games| {
            let shard: Shard = format!("{k}/3").parse().unwrap();
            let job = serde_json::json!({ "seed": 7 });
            let part = || Ok(Part { shard, units: None, input: String::new(), job });
            assert!(parts::claim(&paths[k - 1], shard, part).is_ok());
            run(&paths[k - 1], &settings(), Goal { shard, games, ..goal }, 1, &mut |_| {}).unwrap();
        };
        let merged = || {
            let mut bytes = Vec::new();
            parts::merge(&paths, &mut bytes).map(|merged| (bytes, merged))
        };
        make(1, 40);
        make(2, 20);
        assert!(merged().is_err(), "shard 3 is missing");
        make(3, 40);
        // The second shard has the games 2, 5 ... 20.
        let (bytes, n) = merged().unwrap();
        assert_eq!((n.games, n.left_out), (22, 14 - 8 + 13 - 7));
        assert!(expected.starts_with(&bytes) && !bytes.is_empty());
        make(2, 40);
        let (bytes, n) = merged().unwrap();
        assert_eq!((n.games, n.left_out), (40, 0));
        assert!(bytes == expected);
    }
}

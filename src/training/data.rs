//! Labeled positions for training: targets, the split, and the merging of equal positions.
//!
//! Positions come from self-play files (see [`super::record`]) and WTHOR game files (`.wtb`). Positions that are equal up to
//! symmetry become one: the target is the mean over their best labels; proven values are better than those of searches, and those
//! better than the results of WTHOR games. Whole games are held back, because their positions have similar targets; positions that
//! occur in other games too are trained on.
//!
//! Data that exceeds the memory limit is processed in parts, by the hash of the position, so that equal positions meet and each
//! part is a fair sample of the whole.

mod returns;
pub mod source;

use std::cmp::Ordering;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::Context;
use rayon::slice::ParallelSliceMut;

use self::source::{Label, Sample, Source};
use super::record::{FIRST, Record};
use crate::board::Board;
use crate::board::hash::hash;
use crate::board::symmetry::canonical;
use crate::evaluation::stages::stage;
use crate::score;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Example {
    pub board: Board,
    /// The target in discs.
    pub target: f32,
    /// Stage of the evaluation.
    pub stage: u8,
    is_held_back: bool,
    label: Label,
}

impl Example {
    pub fn new(board: Board, target: f32) -> Example {
        Example {
            board,
            target,
            stage: stage(board.n_empties()) as u8,
            is_held_back: false,
            label: Label::Searched,
        }
    }

    fn of(sample: &Sample, selection: &Selection) -> Example {
        Example {
            board: canonical(sample.record.board),
            label: sample.label,
            is_held_back: selection.is_held_back(sample.game),
            ..Example::new(sample.record.board, score::discs(sample.record.score) as f32)
        }
    }

    /// Equal positions are neighbors in this order, and begin with those whose labels count.
    fn compare(&self, other: &Example) -> Ordering {
        let key = |example: &Example| (example.board, example.is_held_back, example.label);
        key(self).cmp(&key(other)).then(self.target.total_cmp(&other.target))
    }

    /// Whether both labels count for the merged position.
    fn is_as_good(&self, other: &Example) -> bool {
        (self.is_held_back, self.label) == (other.is_held_back, other.label)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// Lambda of TD(lambda), 0 to 1: the targets are [returns].
    pub lambda: f64,
    /// One in this many games is held back; 0 for none.
    pub hold_out: u64,
    /// Positions kept in memory at a time before merging, 24 bytes each; at least 1.
    pub memory: u64,
}

impl Selection {
    fn is_held_back(&self, game: u64) -> bool {
        self.hold_out != 0 && (game >> 32).is_multiple_of(self.hold_out)
    }
}

/// Positions with more empty squares must be learned rather than solved.
pub const MANY_EMPTIES: u32 = 14;

/// A hash that is equal for symmetric positions.
pub fn canonical_hash(board: Board) -> u64 {
    hash(canonical(board))
}

#[derive(Debug)]
pub struct Data {
    pub sources: Vec<Source>,
    /// The positions held back; none of them is trained on.
    pub hold_out: Vec<Example>,
    /// After merging.
    pub n_training: u64,
    /// Number of positions with more than [`MANY_EMPTIES`] empty squares, distinct up to symmetry, including those held back.
    pub n_distinct: u64,
    pub n_parts: u64,
    selection: Selection,
    excluded: HashSet<u64>,
    /// The only part, or the last one read.
    kept: Vec<Example>,
}

impl Data {
    /// Reads files, and keeps all positions in memory if the limit allows; skips those in `excluded` (canonical hashes).
    pub fn open(
        files: &[PathBuf],
        selection: &Selection,
        excluded: HashSet<u64>,
        on_positions: &dyn Fn(u64),
    ) -> anyhow::Result<Data> {
        let sources: Vec<Source> =
            files.iter().map(|path| Source::open(path)).collect::<anyhow::Result<_>>()?;
        let mut most = 0;
        for source in &sources {
            most += source.most_positions()?;
        }
        let n_parts = most.div_ceil(selection.memory.max(1)).max(1);
        let mut data = Data {
            sources,
            hold_out: Vec::new(),
            n_training: 0,
            n_distinct: 0,
            n_parts,
            selection: selection.clone(),
            excluded,
            kept: Vec::new(),
        };
        let capacity = most.div_ceil(n_parts) as usize;
        data.kept.try_reserve(capacity).context("no memory for the positions")?;
        for part in 0..n_parts {
            data.read(part, on_positions)?;
            let is_hard = |example: &&Example| example.board.n_empties() > MANY_EMPTIES;
            data.n_distinct += data.kept.iter().filter(is_hard).count() as u64;
            data.hold_out.extend(data.kept.extract_if(.., |example| example.is_held_back));
            data.n_training += data.kept.len() as u64;
        }
        Ok(data)
    }

    /// Reads and merges the positions of a part, including those held back.
    fn read(&mut self, part: u64, on_positions: &dyn Fn(u64)) -> anyhow::Result<()> {
        self.kept.clear();
        let Data { sources, selection, excluded, kept, n_parts, .. } = self;
        for source in sources {
            source.for_each(selection.lambda, on_positions, &mut |sample| {
                let example = Example::of(&sample, selection);
                let hash = hash(example.board);
                if hash % *n_parts == part && !excluded.contains(&hash) {
                    kept.push(example);
                }
            })?;
        }
        merge(kept);
        Ok(())
    }

    /// A single part keeps its order from the last call; otherwise positions are in the order of their bits.
    pub fn part(&mut self, part: u64) -> anyhow::Result<&mut [Example]> {
        if self.n_parts > 1 {
            self.read(part, &|_| {})?;
            self.kept.retain(|example| !example.is_held_back);
        }
        Ok(&mut self.kept)
    }
}

/// Sorts positions and merges equal ones. The outcome does not depend on their order before.
fn merge(examples: &mut Vec<Example>) {
    examples.par_sort_unstable_by(Example::compare);
    let mut n_merged = 0;
    let mut next = 0;
    while next < examples.len() {
        let first = examples[next];
        let equal = examples[next..].iter().take_while(|example| example.board == first.board);
        let (mut n_equal, mut n_good, mut sum) = (0, 0, 0.0);
        for example in equal {
            n_equal += 1;
            if example.is_as_good(&first) {
                n_good += 1;
                sum += f64::from(example.target);
            }
        }
        examples[n_merged] = Example { target: (sum / f64::from(n_good)) as f32, ..first };
        n_merged += 1;
        next += n_equal;
    }
    examples.truncate(n_merged);
}

/// The first position of each game in a file, with the game's result as its target.
pub fn read_first_positions(path: &Path) -> anyhow::Result<Vec<Example>> {
    let mut examples = Vec::new();
    for_each_record(path, &mut |record| {
        if record.is(FIRST) {
            examples.push(Example::new(record.board, f32::from(record.result)));
        }
    })?;
    Ok(examples)
}

pub fn for_each_record(path: &Path, f: &mut dyn FnMut(Record)) -> anyhow::Result<()> {
    Source::open(path)?.for_each(0.0, &|_| {}, &mut |sample| f(sample.record))
}

pub fn read_records(path: &Path) -> anyhow::Result<Vec<Record>> {
    let mut records = Vec::new();
    for_each_record(path, &mut |record| records.push(record))?;
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::source::tests::write;
    use super::*;
    use crate::board::symmetry::{N_SYMMETRIES, transform_board};
    use crate::board::tests::random_game;
    use crate::score::DISC;
    use crate::support::folder::Folder;
    use crate::support::random::draw;
    use crate::training::record::{LAST, PROVEN};
    use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

    const N_GAMES: u64 = 300;

    /// The positions of random games, each in a random orientation.
    fn records() -> Vec<Record> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut records: Vec<Record> = Vec::new();
        for seed in 0..N_GAMES {
            let with_moves = random_game(seed).into_iter().filter(|board| board.legal_moves() != 0);
            for (ply, board) in (0..55).zip(with_moves) {
                let k = draw(&mut random, N_SYMMETRIES as u64) as usize;
                let flags = if ply == 0 { FIRST } else { 0 };
                let (board, score) = (transform_board(board, k), ply * DISC);
                records.push(Record { board, score, result: -8, flags });
            }
            records.last_mut().unwrap().flags |= LAST;
        }
        records
    }

    fn open(files: &[&PathBuf], memory: u64, excluded: &[Board]) -> Data {
        let files: Vec<PathBuf> = files.iter().map(|&file| file.clone()).collect();
        let selection = Selection { lambda: 0.5, hold_out: 5, memory };
        let excluded = excluded.iter().map(|&board| canonical_hash(board)).collect();
        Data::open(&files, &selection, excluded, &|_| {}).unwrap()
    }

    /// The positions of all parts.
    fn all(data: &mut Data) -> Vec<Example> {
        let mut all = Vec::new();
        for part in 0..data.n_parts {
            all.extend_from_slice(data.part(part).unwrap());
        }
        all.sort_unstable_by(Example::compare);
        all
    }

    fn classes<'a>(boards: impl IntoIterator<Item = &'a Board>) -> HashSet<Board> {
        boards.into_iter().map(|&board| canonical(board)).collect()
    }

    #[test]
    fn games_are_held_back_whole() {
        let records = records();
        let folder = Folder::new("split");
        let file = write(&folder, "file", &records);
        let mut data = open(&[&file], 1 << 20, &[]);
        let held = classes(data.hold_out.iter().map(|example| &example.board));
        let learnt = classes(data.part(0).unwrap().iter().map(|example| &example.board));
        assert!(held.is_disjoint(&learnt));
        assert_eq!(held.len() + learnt.len(), data.hold_out.len() + data.n_training as usize);
        let every = classes(records.iter().map(|record| &record.board));
        assert_eq!(held.len() + learnt.len(), every.len());
        // Beyond the opening, the positions of a game are all held back or all trained on.
        let mut n_held = 0;
        for game in records.split_inclusive(|record| record.is(LAST)) {
            let late = game.iter().filter(|record| record.board.n_empties() < 45);
            let late: Vec<bool> =
                late.map(|record| held.contains(&canonical(record.board))).collect();
            assert!(late.iter().all(|&is_held| is_held == late[0]));
            n_held += u64::from(late[0]);
        }
        assert!((N_GAMES / 8..N_GAMES / 3).contains(&n_held), "{n_held}");
        let many = every.iter().filter(|board| board.n_empties() > MANY_EMPTIES);
        assert_eq!(data.n_distinct, many.count() as u64);
        assert_eq!(
            (data.sources[0].positions, data.sources[0].games),
            (records.len() as u64, N_GAMES)
        );
        // The start is learnt from, once.
        assert!(learnt.contains(&canonical(Board::START)));
    }

    #[test]
    fn parts_hold_everything_once_in_any_order_of_the_files() {
        let records = records();
        let folder = Folder::new("parts");
        let [whole, some] = [("all", &records[..]), ("some", &records[500..1777])]
            .map(|(name, records)| write(&folder, name, records));
        let mut one = open(&[&whole, &some], 1 << 20, &[]);
        let mut turned = open(&[&some, &whole], 1 << 20, &[]);
        let mut parted = open(&[&whole, &some], 700, &[]);
        let n_records = records.len() as u64 + 1277;
        assert_eq!((one.n_parts, parted.n_parts), (1, n_records.div_ceil(700)));
        assert_eq!(one.sources, parted.sources);
        for other in [&parted, &turned] {
            assert_eq!((one.n_training, one.n_distinct), (other.n_training, other.n_distinct));
        }
        for part in 0..parted.n_parts {
            assert!(parted.part(part).unwrap().len() < 900);
        }
        assert_eq!(all(&mut one), all(&mut parted));
        assert_eq!(all(&mut one), all(&mut turned));
        assert_eq!(one.hold_out, turned.hold_out);
        parted.hold_out.sort_unstable_by(Example::compare);
        assert_eq!(one.hold_out, parted.hold_out);
    }

    #[test]
    fn the_best_labels_of_equal_positions_count() {
        let board = records()[20].board;
        let example = |k: usize, target: f32, label: Label, is_held_back: bool| Example {
            board: canonical(transform_board(board, k)),
            label,
            is_held_back,
            ..Example::new(board, target)
        };
        use Label::{Proven, Result, Searched};
        let two = [example(1, 3.0, Searched, false), example(2, 6.0, Searched, false)];
        let result = example(3, -20.0, Result, false);
        let held = [example(4, 50.0, Proven, true), example(5, 30.0, Searched, true)];
        let other = Example::new(canonical(records()[22].board), 1.0);
        for (examples, expected) in [
            (vec![two[0], two[1], other], (4.5, false)),
            (vec![result, two[0], other, two[1], held[0]], (4.5, false)),
            (vec![two[0], example(6, 8.0, Proven, false), other, two[1]], (8.0, false)),
            (vec![other, held[1], result], (-20.0, false)),
            (vec![other, held[1], held[0]], (50.0, true)),
            (vec![held[1], held[1], other], (30.0, true)),
        ] {
            let mut merged = examples.clone();
            merge(&mut merged);
            assert_eq!(merged.len(), 2, "{examples:?}");
            assert!(merged.contains(&other));
            let one = merged.iter().find(|one| one.board == canonical(board)).unwrap();
            assert_eq!((one.target, one.is_held_back), expected, "{examples:?}");
        }
        merge(&mut Vec::new());
    }

    #[test]
    fn targets_are_values_and_what_followed() {
        let board = Board::START;
        let square = board.moves().next().unwrap();
        let next = board.after(square, board.flips(square));
        let record = |board, discs, flags| Record { board, score: discs * DISC, result: 0, flags };
        let first = record(board, 3, FIRST);
        let line = |flags| [first, record(next, 8, LAST | flags)];
        for (records, lambda, expected) in [
            (line(0).to_vec(), 0.0, 3.0),
            (line(0).to_vec(), 1.0, -8.0),
            (line(PROVEN).to_vec(), 0.5, -2.5),
            // Without an end the file was cut there.
            (vec![first, record(next, 8, 0)], 0.5, -2.5),
            (vec![record(board, 3, FIRST | LAST), line(0)[1]], 0.5, 3.0),
            // Proven values count more than others.
            (
                vec![record(board, 3, FIRST | LAST), record(board, -8, FIRST | LAST | PROVEN)],
                0.5,
                -8.0,
            ),
        ] {
            let folder = Folder::new("targets");
            let file = write(&folder, "file", &records);
            let selection = Selection { lambda, hold_out: 0, memory: 10 };
            let mut data =
                Data::open(std::slice::from_ref(&file), &selection, HashSet::new(), &|_| {})
                    .unwrap();
            let examples = all(&mut data);
            let target = examples.iter().find(|e| e.board == canonical(board)).unwrap().target;
            let n_boards = classes(records.iter().map(|record| &record.board)).len();
            assert_eq!((examples.len(), target), (n_boards, expected));
        }
    }

    #[test]
    fn positions_to_test_on_are_not_learnt_from_in_any_orientation() {
        let records = records();
        let folder = Folder::new("excluded");
        let file = write(&folder, "file", &records);
        let excluded = records[800].board;
        let mut data = open(&[&file], 1 << 20, &[excluded]);
        let every = classes(records.iter().map(|record| &record.board)).len();
        assert_eq!(data.n_training as usize + data.hold_out.len() + 1, every);
        assert!(data.part(0).unwrap().iter().all(|e| e.board != canonical(excluded)));
        let first = read_first_positions(&file).unwrap();
        assert_eq!(first.len() as u64, N_GAMES);
        assert!(first.iter().all(|example| example.target == -8.0));
    }
}

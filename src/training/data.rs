//! Labeled positions for training: their sources, the split, and the targets.
//!
//! The sources are self-play files (see [`super::record`]) and WTHOR game files (`.wtb`). A WTHOR game contributes all its
//! positions, with the game's result in the file as both value and result; games with illegal moves are skipped.
//!
//! Data that exceeds the memory limit is processed in parts. Each part holds the same share of every file, so that it is a fair
//! sample of the whole.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Serialize;

use super::record::{FIRST, LAST, Record, SIZE};
use crate::board::Board;
use crate::board::hash::hash;
use crate::board::symmetry::canonical;
use crate::evaluation::stages::stage;
use crate::formats::wthor;
use crate::score::{self, DISC};

/// A position to train or test on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Example {
    /// The position.
    pub board: Board,
    /// The training target in discs.
    pub target: f32,
    /// Result of the game in discs, the reference for errors.
    pub result: i8,
    /// Stage of the evaluation.
    pub stage: u8,
}

/// Options for targets, held-back positions and memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// Share of the game result in a target; the rest is the search value.
    pub result_share: f64,
    /// One in this many positions, up to symmetry, is held back; 0 for none.
    pub hold_out: u64,
    /// Training positions kept in memory at a time, 24 bytes each; at least 1.
    pub memory: u64,
}

/// A file of positions and its contents.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Source {
    #[serde(skip)]
    path: PathBuf,
    /// Name without its folder.
    pub name: String,
    /// Size when it was opened; later additions are ignored.
    pub bytes: u64,
    /// Positions in it.
    pub positions: u64,
    /// Games in it.
    pub games: u64,
    /// Checksum of the content in hexadecimal.
    pub checksum: String,
}

/// One of several equal parts of a file.
#[derive(Clone, Copy, Debug)]
struct Share {
    number: u64,
    of: u64,
}

const WHOLE: Share = Share { number: 0, of: 1 };

impl Share {
    /// The numbers of its units (records or games).
    const fn of_units(self, n_units: u64) -> Range<u64> {
        n_units * self.number / self.of..n_units * (self.number + 1) / self.of
    }
}

/// Positions with more empty squares must be learned rather than solved.
pub const MANY_EMPTIES: u32 = 14;

/// The most positions in a WTHOR game.
const WTHOR_POSITIONS: u64 = 60;

/// Positions between two calls of a progress function.
const REPORTED: u64 = 1 << 14;

/// A hash that is equal for symmetric positions.
pub fn canonical_hash(board: Board) -> u64 {
    hash(canonical(board))
}

fn example(record: &Record, result_share: f64) -> Example {
    let result = f64::from(record.result);
    let value = score::discs(record.score);
    Example {
        board: record.board,
        target: (result_share * result + (1.0 - result_share) * value) as f32,
        result: record.result,
        stage: stage(record.board.n_empties()) as u8,
    }
}

/// The training data.
#[derive(Debug)]
pub struct Data {
    /// The files.
    pub sources: Vec<Source>,
    /// The positions held back.
    pub hold_out: Vec<Example>,
    /// Number of training positions.
    pub n_training: u64,
    /// Number of positions with more than [`MANY_EMPTIES`] empty squares, distinct up to symmetry, including those held back.
    pub n_distinct: u64,
    /// Number of parts in a pass.
    pub n_parts: u64,
    selection: Selection,
    excluded: HashSet<u64>,
    /// The only part, or the last one read.
    kept: Vec<Example>,
}

impl Data {
    /// Scans files, and keeps all positions in memory if the limit allows. Positions in `excluded` (canonical hashes) are skipped.
    /// `on_positions` receives the number of positions read since the last call.
    ///
    /// # Errors
    /// If a file cannot be read or holds something else.
    pub fn open(
        files: &[PathBuf],
        selection: &Selection,
        excluded: HashSet<u64>,
        on_positions: &dyn Fn(u64),
    ) -> anyhow::Result<Data> {
        let mut sources = Vec::new();
        let mut most = 0;
        for path in files {
            let source = Source::open(path)?;
            most += source.most_positions()?;
            sources.push(source);
        }
        let n_parts = most.div_ceil(selection.memory.max(1)).max(1);
        let mut data = Data {
            sources: Vec::new(),
            hold_out: Vec::new(),
            n_training: 0,
            n_distinct: 0,
            n_parts,
            selection: selection.clone(),
            excluded,
            kept: Vec::new(),
        };
        let mut hashes = Vec::new();
        for source in &mut sources {
            data.look_through(source, &mut hashes, on_positions)?;
        }
        data.sources = sources;
        data.n_distinct = n_distinct(&mut hashes);
        // The hashes of all positions may not fit into memory either, so they are counted in shares.
        for share in 1..n_parts {
            hashes.clear();
            for source in &data.sources {
                source.for_each_record(WHOLE, on_positions, &mut |record| {
                    let hash = canonical_hash(record.board);
                    if data.counts(&record, hash, share) {
                        hashes.push(hash);
                    }
                })?;
            }
            data.n_distinct += n_distinct(&mut hashes);
        }
        Ok(data)
    }

    fn look_through(
        &mut self,
        source: &mut Source,
        hashes: &mut Vec<u64>,
        on_positions: &dyn Fn(u64),
    ) -> anyhow::Result<()> {
        let (mut positions, mut games, mut checksum) = (0, 0, 0_u64);
        source.for_each_record(WHOLE, on_positions, &mut |record| {
            positions += 1;
            games += u64::from(record.is(FIRST));
            for bytes in record.to_bytes().as_chunks::<8>().0 {
                checksum = (checksum.rotate_left(5) ^ u64::from_le_bytes(*bytes))
                    .wrapping_mul(0x9E37_79B9_7F4A_7C15);
            }
            let hash = canonical_hash(record.board);
            if self.counts(&record, hash, 0) {
                hashes.push(hash);
            }
            if self.excluded.contains(&hash) {
                return;
            }
            if self.is_held_back(hash) {
                self.hold_out.push(example(&record, 1.0));
            } else {
                self.n_training += 1;
                if self.n_parts == 1 {
                    self.kept.push(example(&record, self.selection.result_share));
                }
            }
        })?;
        (source.positions, source.games) = (positions, games);
        source.checksum = format!("{checksum:016x}");
        Ok(())
    }

    /// Whether a position counts in a share of the hashes.
    fn counts(&self, record: &Record, hash: u64, share: u64) -> bool {
        record.board.n_empties() > MANY_EMPTIES
            && hash % self.n_parts == share
            && !self.excluded.contains(&hash)
    }

    fn is_held_back(&self, hash: u64) -> bool {
        // The upper bits of the hash, because the lower ones choose the share.
        self.selection.hold_out != 0 && (hash >> 32).is_multiple_of(self.selection.hold_out)
    }

    /// The positions of a part. A single part keeps its order from the last call; otherwise positions are in the order of the files.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn part(&mut self, part: u64) -> anyhow::Result<&mut [Example]> {
        if self.n_parts > 1 {
            let share = Share { number: part, of: self.n_parts };
            let mut kept = std::mem::take(&mut self.kept);
            kept.clear();
            for source in &self.sources {
                source.for_each_record(share, &|_| {}, &mut |record| {
                    let hash = canonical_hash(record.board);
                    if !self.excluded.contains(&hash) && !self.is_held_back(hash) {
                        kept.push(example(&record, self.selection.result_share));
                    }
                })?;
            }
            self.kept = kept;
        }
        Ok(&mut self.kept)
    }
}

fn n_distinct(hashes: &mut Vec<u64>) -> u64 {
    hashes.sort_unstable();
    hashes.dedup();
    hashes.len() as u64
}

/// The first position of each game in a file.
///
/// # Errors
/// As [`Data::open`].
pub fn read_first_positions(path: &Path) -> anyhow::Result<Vec<Example>> {
    let mut examples = Vec::new();
    Source::open(path)?.for_each_record(WHOLE, &|_| {}, &mut |record| {
        if record.is(FIRST) {
            examples.push(example(&record, 1.0));
        }
    })?;
    Ok(examples)
}

/// Calls `f` with every record of a file.
///
/// # Errors
/// As [`Data::open`].
pub fn for_each_record(path: &Path, f: &mut dyn FnMut(Record)) -> anyhow::Result<()> {
    Source::open(path)?.for_each_record(WHOLE, &|_| {}, f)
}

/// All records of a file.
///
/// # Errors
/// As [`Data::open`].
pub fn read_records(path: &Path) -> anyhow::Result<Vec<Record>> {
    let mut records = Vec::new();
    for_each_record(path, &mut |record| records.push(record))?;
    Ok(records)
}

impl Source {
    fn open(path: &Path) -> anyhow::Result<Source> {
        let metadata =
            path.metadata().with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (path, checksum) = (path.to_owned(), String::new());
        Ok(Source { path, name, bytes: metadata.len(), positions: 0, games: 0, checksum })
    }

    fn is_wthor(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wtb"))
    }

    fn most_positions(&self) -> anyhow::Result<u64> {
        if !self.is_wthor() {
            return Ok(self.bytes / SIZE as u64);
        }
        let bytes = self.read_whole()?;
        let games = wthor::games(&bytes).with_context(|| self.path.display().to_string())?;
        Ok(games.count() as u64 * WTHOR_POSITIONS)
    }

    fn read_whole(&self) -> anyhow::Result<Vec<u8>> {
        std::fs::read(&self.path).with_context(|| format!("cannot read {}", self.path.display()))
    }

    /// Calls `f` with the records of a share of the file.
    fn for_each_record(
        &self,
        share: Share,
        on_positions: &dyn Fn(u64),
        f: &mut dyn FnMut(Record),
    ) -> anyhow::Result<()> {
        let mut n_unreported = 0;
        let mut f = |record| {
            f(record);
            n_unreported += 1;
            if n_unreported == REPORTED {
                on_positions(n_unreported);
                n_unreported = 0;
            }
        };
        if self.is_wthor() {
            let bytes = self.read_whole()?;
            let games = wthor::games(&bytes).with_context(|| self.path.display().to_string())?;
            let games: Vec<_> = games.collect();
            let numbers = share.of_units(games.len() as u64);
            for game in &games[numbers.start as usize..numbers.end as usize] {
                for_each_of_wthor(game, &mut f);
            }
        } else {
            self.for_each_of_self_play(share.of_units(self.bytes / SIZE as u64), &mut f)?;
        }
        on_positions(n_unreported);
        Ok(())
    }

    /// The records with these numbers. Ignores a record that is incomplete because of a running write or a kill.
    fn for_each_of_self_play(
        &self,
        numbers: Range<u64>,
        f: &mut impl FnMut(Record),
    ) -> anyhow::Result<()> {
        let context = || format!("cannot read {}", self.path.display());
        let mut file = File::open(&self.path).with_context(context)?;
        file.seek(SeekFrom::Start(numbers.start * SIZE as u64)).with_context(context)?;
        let mut file = BufReader::with_capacity(1 << 20, file);
        let mut bytes = [0; SIZE];
        for number in numbers {
            file.read_exact(&mut bytes).with_context(context)?;
            match Record::from_bytes(&bytes) {
                Some(record) => f(record),
                None => bail!("{}: position {} is damaged", self.path.display(), number + 1),
            }
        }
        Ok(())
    }
}

fn for_each_of_wthor(game: &wthor::WthorGame<'_>, f: &mut impl FnMut(Record)) {
    let Some(replayed) = game.replay() else { return };
    // Abandoned games have a result too.
    let for_black = replayed.result().unwrap_or(2 * i32::from(game.black_discs()) - 64);
    if for_black.abs() > 64 {
        return;
    }
    let plies: Vec<_> = replayed.plies().iter().filter(|ply| ply.mv.square().is_some()).collect();
    for (index, ply) in plies.iter().enumerate() {
        let result = for_black * ply.before.side.sign();
        let first = if index == 0 { FIRST } else { 0 };
        let last = if index + 1 == plies.len() { LAST } else { 0 };
        f(Record {
            board: ply.before.board,
            score: result * DISC,
            result: result as i8,
            flags: first | last,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::symmetry::{N_SYMMETRIES, transform_board};
    use crate::players::random::draw_square;
    use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

    /// A file that is deleted at the end.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str, bytes: &[u8]) -> Scratch {
            let name = format!("othellier-data-{}-{name}", std::process::id());
            let path = std::env::temp_dir().join(name);
            std::fs::write(&path, bytes).unwrap();
            Scratch(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            drop(std::fs::remove_file(&self.0));
        }
    }

    /// Positions of random games with all their images.
    fn records() -> Vec<Record> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut records = Vec::new();
        for _ in 0..10 {
            let mut board = Board::START;
            for ply in 0..55_i32 {
                let moves = board.legal_moves();
                if moves == 0 {
                    break;
                }
                for k in 0..N_SYMMETRIES {
                    let board = transform_board(board, k);
                    let flags = if ply == 0 { FIRST } else { 0 };
                    records.push(Record { board, score: ply * DISC, result: -8, flags });
                }
                let square = draw_square(&mut random, moves);
                board = board.after(square, board.flips(square));
            }
        }
        records
    }

    fn file_of(name: &str, records: &[Record]) -> Scratch {
        Scratch::new(name, &records.iter().flat_map(Record::to_bytes).collect::<Vec<u8>>())
    }

    fn open(files: &[&Scratch], memory: u64, excluded: &[Board]) -> Data {
        let files: Vec<PathBuf> = files.iter().map(|file| file.0.clone()).collect();
        let selection = Selection { result_share: 0.5, hold_out: 5, memory };
        let excluded = excluded.iter().map(|&board| canonical_hash(board)).collect();
        Data::open(&files, &selection, excluded, &|_| {}).unwrap()
    }

    fn sorted(examples: impl Iterator<Item = Example>) -> Vec<(Board, i8, u8)> {
        let mut keys: Vec<_> = examples.map(|e| (e.board, e.target as i8, e.stage)).collect();
        keys.sort_unstable();
        keys
    }

    #[test]
    fn symmetric_positions_are_held_back_together() {
        let records = records();
        let file = file_of("split", &records);
        let mut data = open(&[&file], 1 << 20, &[]);
        let classes = |examples: &[Example]| -> HashSet<u64> {
            examples.iter().map(|example| canonical_hash(example.board)).collect()
        };
        let (held, learnt) = (classes(&data.hold_out), classes(data.part(0).unwrap()));
        assert!(held.is_disjoint(&learnt));
        assert!(
            held.len() > 30 && learnt.len() > 3 * held.len(),
            "{} {}",
            held.len(),
            learnt.len()
        );
        assert_eq!(data.hold_out.len() + data.n_training as usize, records.len());
        let many = records.iter().filter(|record| record.board.n_empties() > MANY_EMPTIES);
        let many: HashSet<u64> = many.map(|record| canonical_hash(record.board)).collect();
        assert_eq!(data.n_distinct, many.len() as u64);
        assert_eq!((data.sources[0].positions, data.sources[0].games), (records.len() as u64, 80));
    }

    #[test]
    fn parts_hold_everything_once() {
        let records = records();
        let (all, some) = (file_of("all", &records), file_of("some", &records[500..1777]));
        let mut whole = open(&[&all, &some], 1 << 20, &[]);
        let mut parted = open(&[&all, &some], 700, &[]);
        let n_records = records.len() as u64 + 1277;
        assert_eq!((whole.n_parts, parted.n_parts), (1, n_records.div_ceil(700)));
        assert_eq!(whole.sources, parted.sources);
        assert_eq!((whole.n_training, whole.n_distinct), (parted.n_training, parted.n_distinct));
        assert_eq!(whole.hold_out, parted.hold_out);
        let mut joined = Vec::new();
        for part in 0..parted.n_parts {
            let examples = parted.part(part).unwrap();
            assert!(examples.len() <= 700);
            joined.extend(examples.iter().copied());
        }
        let whole = sorted(whole.part(0).unwrap().iter().copied());
        assert_eq!(sorted(joined.into_iter()), whole);
    }

    #[test]
    fn positions_to_test_on_are_not_learnt_from_in_any_orientation() {
        let records = records();
        let file = file_of("excluded", &records);
        let excluded = records[800].board;
        let mut data = open(&[&file], 1 << 20, &[excluded]);
        assert_eq!(data.n_training as usize + data.hold_out.len() + 8, records.len());
        let hash = canonical_hash(excluded);
        assert!(data.part(0).unwrap().iter().all(|e| canonical_hash(e.board) != hash));
        let first = read_first_positions(&file.0).unwrap();
        assert_eq!(first.len(), 80);
    }

    #[test]
    fn damage_is_named_and_a_record_that_is_being_written_is_not_read() {
        let mut bytes: Vec<u8> = records()[..20].iter().flat_map(Record::to_bytes).collect();
        bytes.extend([1, 2, 3]);
        let cut = Scratch::new("cut", &bytes);
        assert_eq!(read_records(&cut.0).unwrap().len(), 20);
        bytes[6 * SIZE + 21] = 1;
        let damaged = Scratch::new("damaged", &bytes);
        let error = read_records(&damaged.0).unwrap_err().to_string();
        assert!(error.ends_with("position 7 is damaged"), "{error}");
    }

    #[test]
    fn games_of_others_are_labelled_with_their_result() {
        let mut bytes = vec![20, 26, 11, 21, 2, 0, 0, 0, 0, 0, 234, 7, 8, 0, 22, 0];
        // f5f6d3g5h5h4f7h6, Black passes, c5, given up with 40 discs; a move that is not legal.
        for moves in [&[56, 66, 34, 57, 58, 48, 76, 68, 53][..], &[56, 11]] {
            let mut game = [0; 68];
            game[6] = 40;
            game[8..8 + moves.len()].copy_from_slice(moves);
            bytes.extend(game);
        }
        let file = Scratch::new("games.wtb", &bytes);
        let records = read_records(&file.0).unwrap();
        let results: Vec<i8> = records.iter().map(|record| record.result).collect();
        assert_eq!(results, [16, -16, 16, -16, 16, -16, 16, -16, -16]);
        assert!(records.iter().all(|record| record.score == i32::from(record.result) * DISC));
        assert!(records[0].is(FIRST) && !records[1].is(FIRST) && records[8].is(LAST));
    }
}

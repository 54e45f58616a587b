//! Files of labeled positions.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Serialize;

use super::canonical_hash;
use super::returns::replace_by_returns;
use crate::formats::wthor;
use crate::score::DISC;
use crate::training::record::{FIRST, LAST, PROVEN, Record, SIZE};

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Source {
    #[serde(skip)]
    path: PathBuf,
    #[serde(skip)]
    format: Format,
    pub name: String,
    /// When it was opened; later additions are ignored.
    pub bytes: u64,
    pub positions: u64,
    pub games: u64,
    /// Of the content, in hexadecimal.
    pub checksum: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// One by one: see [`Record`].
    Records,
    /// As games of others.
    Wthor,
}

/// How the value of a position is known, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Label {
    Proven,
    Searched,
    Result,
}

#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub record: Record,
    pub label: Label,
    /// A hash of the game, the same for all its positions.
    pub game: u64,
}

const WTHOR_POSITIONS: u64 = 60;

/// Positions between two calls of a progress function.
const REPORTED: u64 = 1 << 14;

struct Counter<'a> {
    positions: u64,
    games: u64,
    checksum: u64,
    game: u64,
    number: u64,
    is_between: bool,
    /// The positions of a line whose end has not come yet.
    line: Vec<Record>,
    lambda: f64,
    unplayed: Label,
    on_positions: &'a dyn Fn(u64),
    f: &'a mut dyn FnMut(Sample),
}

impl Counter<'_> {
    /// Keeps a position until its line has ended; at the end, takes all positions of the line.
    fn take_of_line(&mut self, record: Record) {
        self.line.push(record);
        if record.is(LAST) {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        replace_by_returns(&mut line, self.lambda);
        line.drain(..).for_each(|record| self.take(record));
        self.line = line;
    }

    fn take(&mut self, record: Record) {
        if self.is_between || record.is(FIRST) {
            // By number too, because games may begin with the same position.
            self.game = mix(canonical_hash(record.board), self.number);
            self.games += 1;
            self.number += 1;
        }
        self.is_between = record.is(LAST);
        for bytes in record.to_bytes().as_chunks::<8>().0 {
            self.checksum = mix(self.checksum, u64::from_le_bytes(*bytes));
        }
        let label = if record.is(PROVEN) { Label::Proven } else { self.unplayed };
        (self.f)(Sample { record, label, game: self.game });
        self.positions += 1;
        if self.positions.is_multiple_of(REPORTED) {
            (self.on_positions)(REPORTED);
        }
    }
}

const fn mix(a: u64, b: u64) -> u64 {
    (a.rotate_left(5) ^ b).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl Source {
    pub(super) fn open(path: &Path) -> anyhow::Result<Source> {
        let metadata =
            path.metadata().with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_wthor = path.extension().is_some_and(|name| name.eq_ignore_ascii_case("wtb"));
        let format = if is_wthor { Format::Wthor } else { Format::Records };
        let (path, checksum) = (path.to_owned(), String::new());
        Ok(Source { path, format, name, bytes: metadata.len(), positions: 0, games: 0, checksum })
    }

    pub(super) fn most_positions(&self) -> anyhow::Result<u64> {
        let context = || self.path.display().to_string();
        match self.format {
            Format::Records => Ok(self.bytes / SIZE as u64),
            Format::Wthor => {
                let bytes = self.read_whole()?;
                let games = wthor::games(&bytes).with_context(context)?;
                Ok(games.count() as u64 * WTHOR_POSITIONS)
            }
        }
    }

    /// The bytes that the file had when it was opened first.
    fn input(&self) -> anyhow::Result<impl Read> {
        let file = File::open(&self.path);
        let file = file.with_context(|| format!("cannot read {}", self.path.display()))?;
        Ok(BufReader::with_capacity(1 << 20, file).take(self.bytes))
    }

    fn read_whole(&self) -> anyhow::Result<Vec<u8>> {
        std::fs::read(&self.path).with_context(|| format!("cannot read {}", self.path.display()))
    }

    /// Calls `f` with all positions of the file, and counts them; values become their [returns](super::returns) with this lambda.
    pub(super) fn for_each(
        &mut self,
        lambda: f64,
        on_positions: &dyn Fn(u64),
        f: &mut dyn FnMut(Sample),
    ) -> anyhow::Result<()> {
        let mut counter = Counter {
            positions: 0,
            games: 0,
            checksum: 0,
            game: 0,
            number: 0,
            is_between: true,
            line: Vec::new(),
            lambda,
            unplayed: if self.format == Format::Wthor { Label::Result } else { Label::Searched },
            on_positions,
            f,
        };
        match self.format {
            Format::Records => {
                self.for_each_of_self_play(&mut |record| counter.take_of_line(record))?;
                counter.end_line();
            }
            Format::Wthor => {
                let bytes = self.read_whole()?;
                let games =
                    wthor::games(&bytes).with_context(|| self.path.display().to_string())?;
                games.for_each(|game| for_each_of_wthor(&game, &mut |record| counter.take(record)));
            }
        }
        on_positions(counter.positions % REPORTED);
        (self.positions, self.games) = (counter.positions, counter.games);
        self.checksum = format!("{:016x}", counter.checksum);
        Ok(())
    }

    /// Ignores a record that is incomplete because of a running write or a kill.
    fn for_each_of_self_play(&self, f: &mut impl FnMut(Record)) -> anyhow::Result<()> {
        let context = || format!("cannot read {}", self.path.display());
        let mut file = self.input()?;
        let mut bytes = [0; SIZE];
        for number in 1..=self.bytes / SIZE as u64 {
            file.read_exact(&mut bytes).with_context(context)?;
            match Record::from_bytes(&bytes) {
                Some(record) => f(record),
                None => bail!(
                    "{}: position {number} is damaged, or from a version without checksums",
                    self.path.display()
                ),
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
pub(super) mod tests {
    use super::super::read_records;
    use super::*;
    use crate::board::Board;
    use crate::support::folder::Folder;

    pub(in crate::training::data) fn write(
        folder: &Folder,
        name: &str,
        records: &[Record],
    ) -> PathBuf {
        let bytes: Vec<u8> = records.iter().copied().flat_map(Record::to_bytes).collect();
        folder.write(name, bytes).into()
    }

    #[test]
    fn damage_is_named_and_a_record_that_is_being_written_is_not_read() {
        let record = Record { board: Board::START, score: 5, result: 2, flags: 0 };
        let mut bytes = record.to_bytes().repeat(20);
        bytes.extend([1, 2, 3]);
        let folder = Folder::new("source");
        let cut = folder.write("cut", &bytes);
        assert_eq!(read_records(cut.as_ref()).unwrap().len(), 20);
        bytes[6 * SIZE + 21] = 1;
        let damaged = folder.write("damaged", &bytes);
        let error = read_records(damaged.as_ref()).unwrap_err().to_string();
        assert!(error.contains("position 7 is damaged"), "{error}");
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
        let folder = Folder::new("source-wthor");
        let records = read_records(folder.write("games.wtb", &bytes).as_ref()).unwrap();
        let results: Vec<i8> = records.iter().map(|record| record.result).collect();
        assert_eq!(results, [16, -16, 16, -16, 16, -16, 16, -16, -16]);
        assert!(records.iter().all(|record| record.score == i32::from(record.result) * DISC));
        assert!(records[0].is(FIRST) && !records[1].is(FIRST) && records[8].is(LAST));
    }
}

//! Parts: the outputs of the shards of one job, and how they are merged into the output of the whole job.
//!
//! Each part names its job and shard. Rows of JSON do so in a last line, which also has their checksum and is missing if
//! the rows were cut short; files of records have a file beside them, named with [`EXTENSION`].

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shard::Shard;
use crate::support::checksum::Checksum;

/// The ending of the name of the file beside a file of records.
#[cfg(feature = "training")]
pub const EXTENSION: &str = "part";

/// The last line of a part is at most this long, in bytes.
const MAX_BYTES: u64 = 1 << 16;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    pub shard: Shard,
    /// Units of all shards together, if that is known.
    pub units: Option<u64>,
    /// Checksum of the whole input in hexadecimal; empty without input.
    pub input: String,
    /// The command and its settings, on which the results depend besides the input.
    pub job: Value,
}

#[derive(Debug)]
pub struct Summing<W> {
    output: W,
    pub sum: Checksum,
}

impl<W> Summing<W> {
    pub const fn new(output: W) -> Summing<W> {
        Summing { output, sum: Checksum::new() }
    }
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.output.write(bytes)?;
        self.sum.add(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

#[derive(Serialize, Deserialize)]
struct Closing {
    part: Part,
    /// Checksum of all lines before it in hexadecimal; a file beside another has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows: Option<String>,
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let line = serde_json::to_string(&Closing { part: self.clone(), rows: None });
        f.write_str(&line.map_err(|_| std::fmt::Error)?)
    }
}

impl Part {
    pub fn closing_line(self, rows: Checksum) -> serde_json::Result<String> {
        serde_json::to_string(&Closing { part: self, rows: Some(rows.to_string()) })
    }

    /// The part that a closing line ends, and the checksum of its rows.
    pub fn of_closing_line(line: &[u8]) -> Option<(Part, String)> {
        let closing: Closing = serde_json::from_slice(line).ok()?;
        Some((closing.part, closing.rows?))
    }

    /// Reads the part from the last line of a file of rows, and compares the rows with their checksum.
    pub fn of_rows(path: &Path) -> anyhow::Result<Part> {
        let context = || format!("cannot read {}", path.display());
        let mut file = File::open(path).with_context(context)?;
        let length = file.metadata().with_context(context)?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(MAX_BYTES))).with_context(context)?;
        let mut end = Vec::new();
        file.read_to_end(&mut end).with_context(context)?;
        let text = end.strip_suffix(b"\n").unwrap_or_default();
        let last = text.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
        let (part, wanted) = Part::of_closing_line(last).with_context(|| {
            format!("{} is not a complete part of a job: run its shard again", path.display())
        })?;
        let n_before = length.saturating_sub(last.len() as u64 + 1);
        let mut rows = Summing::new(io::sink());
        file.seek(SeekFrom::Start(0)).with_context(context)?;
        io::copy(&mut file.take(n_before), &mut rows).with_context(context)?;
        ensure!(
            rows.sum.to_string() == wanted,
            "{} is damaged or lacks rows: run its shard again",
            path.display()
        );
        Ok(part)
    }

    /// Reads the part from a line that tells it alone.
    pub fn of_line(line: &[u8]) -> serde_json::Result<Part> {
        serde_json::from_slice(line).map(|Closing { part, .. }| part)
    }

    /// `None` if there is no such file.
    #[cfg(feature = "training")]
    pub fn beside(path: &Path) -> anyhow::Result<Option<Part>> {
        let beside = path_beside(path);
        let text = match std::fs::read(&beside) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", beside.display()));
            }
        };
        let part = Part::of_line(&text);
        part.map(Some).with_context(|| format!("{} is damaged", beside.display()))
    }

    /// What differs from another part's job, in words; `None` if both belong together.
    pub fn mismatch(&self, other: &Part) -> Option<String> {
        if self.shard.n() != other.shard.n() {
            return Some(format!("shard {} beside {}", other.shard, self.shard));
        }
        if (&self.input, self.units) != (&other.input, other.units) {
            return Some("another input".into());
        }
        let keys = [&self.job, &other.job].map(|job| job.as_object());
        let [Some(own), Some(others)] = keys else { return Some("another job".into()) };
        let key = own.keys().chain(others.keys()).find(|&key| own.get(key) != others.get(key))?;
        let text = |job: &Value| job.get(key).map_or("nothing".into(), Value::to_string);
        Some(format!("{key} {} beside {}", text(&other.job), text(&self.job)))
    }
}

#[cfg(feature = "training")]
pub fn path_beside(path: &Path) -> PathBuf {
    path.with_added_extension(EXTENSION)
}

/// Puts parts in the order of their shards. A shard that is there twice counts once.
pub fn together(parts: Vec<(PathBuf, Part)>) -> anyhow::Result<Vec<(PathBuf, Part)>> {
    let Some((first_path, first)) = parts.first().cloned() else { bail!("no parts") };
    for (path, part) in &parts {
        if let Some(difference) = first.mismatch(part) {
            bail!(
                "{} and {} do not belong together: {difference}",
                first_path.display(),
                path.display()
            );
        }
    }
    let n = first.shard.n();
    let mut parts = parts;
    parts.sort_by_key(|(_, part)| part.shard.k());
    parts.dedup_by_key(|(_, part)| part.shard.k());
    let missing: Vec<String> = (1..=n)
        .filter(|&k| parts.binary_search_by_key(&k, |(_, part)| part.shard.k()).is_err())
        .take(10)
        .map(|k| format!("{k}/{n}"))
        .collect();
    ensure!(missing.is_empty(), "shards are missing: {}", missing.join(", "));
    Ok(parts)
}

/// The number of a row: of a line, a game or a position, from 1. Totals have none.
#[derive(Deserialize)]
struct Numbered {
    #[serde(alias = "game")]
    id: Option<u64>,
}

struct Rows<'a> {
    path: &'a Path,
    shard: Shard,
    input: BufReader<File>,
    n_read: u64,
}

impl Rows<'_> {
    fn next(&mut self) -> anyhow::Result<Option<(u64, String)>> {
        loop {
            let mut line = String::new();
            self.n_read += 1;
            let at = || format!("{} line {}", self.path.display(), self.n_read);
            if self.input.read_line(&mut line).with_context(at)? == 0 {
                return Ok(None);
            }
            let row: Numbered = serde_json::from_str(&line).with_context(at)?;
            if let Some(number) = row.id {
                let is_own = number > 0 && self.shard.contains(number - 1);
                ensure!(is_own, "{}: {number} does not belong to shard {}", at(), self.shard);
                return Ok(Some((number, line)));
            }
        }
    }
}

/// Passes the rows of all parts to `take` in the order of the whole job, each with its line end and with the part of the
/// first shard, which is also returned.
pub fn merge_rows(
    paths: &[PathBuf],
    take: &mut dyn FnMut(&Part, &str) -> anyhow::Result<()>,
) -> anyhow::Result<Part> {
    let parts = paths.iter().map(|path| Ok((path.clone(), Part::of_rows(path)?)));
    let parts = together(parts.collect::<anyhow::Result<_>>()?)?;
    let mut sources = Vec::new();
    for (path, part) in &parts {
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut rows = Rows { path, shard: part.shard, input: BufReader::new(file), n_read: 0 };
        let first = rows.next()?;
        sources.push((rows, first));
    }
    let number = |next: &Option<(u64, String)>| next.as_ref().map_or(u64::MAX, |row| row.0);
    while let Some((rows, next)) = sources.iter_mut().min_by_key(|(_, next)| number(next))
        && let Some((taken, line)) = next
    {
        take(&parts[0].1, line)?;
        let taken = *taken;
        *next = rows.next()?;
        ensure!(number(next) >= taken, "{}: rows are not in order", rows.path.display());
    }
    Ok(parts[0].1.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::folder::Folder;
    use serde_json::json;

    fn part(shard: &str) -> Part {
        let job = json!({ "command": "analyze", "depth": 8 });
        Part { shard: shard.parse().unwrap(), units: Some(7), input: "ab".into(), job }
    }

    /// Rows with their last line.
    fn closed(rows: &str, part: &Part) -> String {
        format!("{rows}{}\n", part.clone().closing_line(Checksum::of(rows.as_bytes())).unwrap())
    }

    /// Rows of a shard: a unit has as many rows as its number, modulo 3.
    fn rows(shard: Shard) -> String {
        let own = (1..=7).filter(|number| shard.contains(number - 1));
        own.flat_map(|n| (0..n % 3).map(move |k| format!("{{\"game\":{n},\"ply\":{k}}}\n")))
            .collect()
    }

    fn merged(paths: &[PathBuf]) -> anyhow::Result<String> {
        let mut text = String::new();
        merge_rows(paths, &mut |_, line| {
            text += line;
            Ok(())
        })?;
        Ok(text)
    }

    #[test]
    fn parts_together_are_the_whole() {
        let folder = Folder::new("part-whole");
        for n in 1..=9 {
            let mut paths: Vec<PathBuf> = (1..=n)
                .map(|k| {
                    let part = part(&format!("{k}/{n}"));
                    let text = closed(&format!("{}{{\"positions\":3}}\n", rows(part.shard)), &part);
                    folder.write(&format!("{k}-of-{n}"), &text).into()
                })
                .collect();
            paths.reverse();
            assert_eq!(merged(&paths).unwrap(), rows(Shard::ALL), "{n}");
            // One that was done twice.
            paths.push(folder.write("again", std::fs::read_to_string(&paths[0]).unwrap()).into());
            assert_eq!(merged(&paths).unwrap(), rows(Shard::ALL), "{n}");
        }
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        let folder = Folder::new("part-refused");
        let write = |name, text: String| PathBuf::from(folder.write(name, text));
        let whole = |part: &Part| closed(&rows(part.shard), part);
        let one = write("one", whole(&part("1/2")));
        let two = write("two", whole(&part("2/2")));
        let error = |paths: &[&PathBuf]| {
            let paths: Vec<PathBuf> = paths.iter().map(|&path| path.clone()).collect();
            format!("{:#}", merged(&paths).unwrap_err())
        };
        assert!(error(&[]).contains("no parts"));
        assert!(error(&[&one]).ends_with("shards are missing: 2/2"), "{}", error(&[&one]));
        for (other, word) in [
            (part("2/3"), "shard 2/3 beside 1/2"),
            (Part { units: Some(8), ..part("2/2") }, "another input"),
            (Part { input: "cd".into(), ..part("2/2") }, "another input"),
            (
                Part { job: json!({ "command": "analyze", "depth": 9 }), ..part("2/2") },
                "depth 9 beside 8",
            ),
            (
                Part { job: json!({ "command": "analyze" }), ..part("2/2") },
                "depth nothing beside 8",
            ),
        ] {
            let other = write("other", whole(&other));
            let error = error(&[&one, &other, &two]);
            assert!(error.contains("do not belong together") && error.ends_with(word), "{error}");
        }
        // Cut short at any place.
        let text = std::fs::read_to_string(&two).unwrap();
        for length in 0..text.len() {
            let cut = write("cut", text[..length].into());
            assert!(error(&[&one, &cut]).ends_with("run its shard again"), "{length}");
        }
        for (rows, word) in [
            ("{\"game\":1}\n", "1 does not belong to shard 2/2"),
            ("{\"game\":4}\n{\"game\":2}\n", "rows are not in order"),
            ("game 2\n", "line 1: expected value"),
        ] {
            let bad = write("bad", closed(rows, &part("2/2")));
            assert!(error(&[&one, &bad]).contains(word), "{}", error(&[&one, &bad]));
        }
        // A row is missing, or there is another one in its place.
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for index in 0..lines.len() - 1 {
            for replaced in ["", "{\"game\":2,\"ply\":7}\n"] {
                let mut lines = lines.clone();
                lines[index] = replaced;
                let bad = write("bad", lines.concat());
                assert!(error(&[&one, &bad]).contains("is damaged or lacks rows"), "{index}");
            }
        }
        // From before rows had a checksum.
        let old = write("old", format!("{}{}\n", rows(part("2/2").shard), part("2/2")));
        assert!(error(&[&one, &old]).contains("is not a complete part of a job"));
    }

    #[test]
    #[cfg(feature = "training")]
    fn records_have_it_beside_them() {
        let folder = Folder::new("part-beside");
        let path = folder.write("games.bin", "");
        assert_eq!(Part::beside(path.as_ref()).unwrap(), None);
        folder.write("games.bin.part", format!("{}\n", part("1/2")));
        assert_eq!(Part::beside(path.as_ref()).unwrap(), Some(part("1/2")));
        folder.write("games.bin.part", "{");
        assert!(Part::beside(path.as_ref()).unwrap_err().to_string().ends_with("is damaged"));
    }
}

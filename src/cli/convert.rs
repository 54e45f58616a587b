//! `othellier convert`.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::Args;
use encoding_rs::Encoding;

use super::{
    FAILED, SHOWN_ERRORS, cores, existing, formats, left_out_of, misuse, progress, tell_of_more,
    warn,
};
use crate::batch::{self, Order, Pool};
use crate::board::Move;
use crate::files::games::{GameFile, STANDARD, encoding, format_of};
use crate::files::replace::{Existing, NewFile};
use crate::files::today;
use crate::formats::archive::{Entry, Format, Lost, WthorWriter, lost, write, year};
use crate::formats::wthor::{Archive, NameKind};
use crate::search::Stop;
use crate::support::text::counted;

#[derive(Debug, Args)]
#[command(
    override_usage = "othellier convert [OPTIONS] <IN>... <OUT>\n       \
    othellier convert [OPTIONS] <IN>... --output <OUT>\n       \
    othellier convert --check <IN>...",
    after_help = "Formats are ggf, sgf, wthor, obf and transcript; extensions are ggf, sgf, wtb, obf and txt. WTHOR files take \
    names from .jou and .trn files of the same name beside them, else from files called WTH or WTHOR; such files are written \
    along with them. In OBF, a game becomes one position per move.\n\n\
    Bad games are reported with number and line; the rest are converted. The exit status is then 1, and an existing file is \
    kept, even with --force. What the output format has no place for, such as scores, times or comments, is named on standard error.\n\n\
    Examples:\n  \
    othellier convert games.ggf games.sgf\n  \
    othellier convert WTH_2024.wtb WTH_2025.wtb -o games.ggf\n  \
    othellier convert --to transcript game.sgf -\n  \
    othellier convert --check WTH_*.wtb        list the unfinished games"
)]
pub(super) struct Arguments {
    /// Files of games, with the file to write last; - for standard input or output
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The file to write, instead of the last FILE
    #[arg(short, long, value_name = "OUT", conflicts_with = "check")]
    output: Option<PathBuf>,
    /// Format of the input [default: by content, else by extension]
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    format: Option<Format>,
    /// Format of the output [default: by extension]
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    to: Option<Format>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
    /// Encoding of texts, such as latin1, shift_jis or euc-jp [default: as the file says, else UTF-8; names of WTHOR: latin1]
    #[arg(long, value_name = "NAME", value_parser = encoding)]
    encoding: Option<&'static Encoding>,
    /// Write nothing: check the games and list the unfinished ones
    #[arg(long)]
    check: bool,
    /// With --check: files to check at a time [default: one per core]
    #[arg(short = 'j', long, value_name = "N", requires = "check", value_parser = super::threads())]
    concurrency: Option<usize>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut inputs = arguments.files.clone();
    if arguments.check {
        return check(arguments, &inputs);
    }
    let output = match arguments.output.clone() {
        Some(output) => output,
        None if inputs.len() > 1 => inputs.pop().unwrap_or_default(),
        None => {
            return misuse(
                "convert needs a file to read and a file to write (- for standard output); see othellier convert --help",
            );
        }
    };
    let Some(format) = arguments.to.or_else(|| format_of(&output)) else {
        let names = Format::ALL.map(Format::name).join(", ");
        return misuse(&format!(
            "unknown output format for {}; set it with --to, one of {names}",
            output.display()
        ));
    };
    let existing = existing(arguments.force);
    let mut sink = Sink::open(&output, format, existing)?;
    let (mut total, mut losses) = (Count::default(), Losses::new());
    for input in &inputs {
        match GameFile::read(input, arguments.format, arguments.encoding) {
            Ok(file) => total.add(convert(&file, &mut sink, &mut losses)?),
            Err(error) => {
                warn(&format!("{error:#}"));
                total.errors += 1;
            }
        }
    }
    for (kind, games) in losses {
        warn(&left_out_of(format.name(), kind, games));
    }
    let is_standard = output.as_os_str() == STANDARD;
    sink.close(total)?;
    // Standard output holds the games alone.
    if is_standard {
        writeln!(std::io::stderr(), "{total}")?
    } else {
        writeln!(std::io::stdout(), "{total}")?
    }
    Ok(total.status())
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    games: usize,
    errors: usize,
}

impl Count {
    const fn add(&mut self, other: Count) {
        self.games += other.games;
        self.errors += other.errors;
    }

    fn status(self) -> ExitCode {
        if self.errors == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) }
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "convert: {} games, {} errors", self.games, self.errors)
    }
}

/// Passes the good games of a file to `take` and the errors of the bad ones to `warn`.
fn read(
    file: &GameFile,
    take: &mut dyn FnMut(&Entry) -> anyhow::Result<()>,
    warn: &mut dyn FnMut(&str),
) -> anyhow::Result<Count> {
    let mut count = Count::default();
    let tell = |count: &mut Count, warn: &mut dyn FnMut(&str), message: String| {
        count.errors += 1;
        if count.errors <= SHOWN_ERRORS {
            warn(&format!("{}: {message}", file.name));
        }
    };
    let mut games = match file.games() {
        Ok(games) => games,
        Err(error) => {
            warn(&format!("{error:#}"));
            return Ok(Count { errors: 1, ..count });
        }
    };
    for game in games.by_ref() {
        match game {
            Ok(entry) => match take(&entry) {
                Ok(()) => count.games += 1,
                // The output failed.
                Err(error) if error.is::<std::io::Error>() => return Err(error),
                Err(error) => {
                    let line = entry.line.map(|line| format!(" (line {line})"));
                    tell(
                        &mut count,
                        warn,
                        format!("game {}{}: {error}", entry.number, line.unwrap_or_default()),
                    );
                }
            },
            Err(error) => tell(&mut count, warn, error.to_string()),
        }
    }
    if let Some(left_out) = games.left_out() {
        warn(&format!("{}: left out: {left_out}", file.name));
    }
    if count.games + count.errors == 0 {
        tell(&mut count, warn, format!("no games in it (read as {})", file.format));
    }
    tell_of_more(count.errors, &file.name, warn);
    if count.errors > 0 {
        let games = counted(count.games, "game was", "games were");
        warn(&format!("{}: {games} accepted", file.name));
    }
    Ok(count)
}

struct Checked {
    count: Count,
    unfinished: Vec<String>,
    complaints: Vec<String>,
}

impl Checked {
    fn of(arguments: &Arguments, input: &Path) -> anyhow::Result<Checked> {
        let (mut unfinished, mut complaints) = (Vec::new(), Vec::new());
        let file = match GameFile::read(input, arguments.format, arguments.encoding) {
            Ok(file) => file,
            Err(error) => {
                complaints.push(format!("{error:#}"));
                let count = Count { errors: 1, ..Count::default() };
                return Ok(Checked { count, unfinished, complaints });
            }
        };
        let mut take = |entry: &Entry| {
            if entry.stops_early() {
                unfinished.push(format!("{}: {}", file.name, self::unfinished(entry)));
            }
            Ok(())
        };
        let count = read(&file, &mut take, &mut |text| complaints.push(text.into()))?;
        // Names matter only to the list of unfinished games.
        complaints.extend(file.missing_names().filter(|_| !unfinished.is_empty()));
        Ok(Checked { count, unfinished, complaints })
    }
}

fn check(arguments: &Arguments, inputs: &[PathBuf]) -> anyhow::Result<ExitCode> {
    let mut output = super::screen();
    let mut total = Count::default();
    let mut n_unfinished = 0;
    let stop = Stop::new();
    let n_threads = arguments.concurrency.unwrap_or_else(cores).min(inputs.len());
    let pool = Pool { n_threads, order: Order::ByNumber, stop: &stop };
    let work = |(): &mut (), input: &&PathBuf| Ok(Some(Checked::of(arguments, input)));
    let bar = progress::over(Some(inputs.len()), "files");
    let init = || Ok(());
    batch::run(inputs.iter(), pool, init, work, |_, checked| {
        let checked = checked?;
        total.add(checked.count);
        n_unfinished += checked.unfinished.len();
        bar.suspend(|| {
            checked.complaints.iter().for_each(|text| warn(text));
            checked.unfinished.iter().try_for_each(|line| writeln!(output, "{line}"))?;
            output.flush()
        })?;
        bar.inc(1);
        Ok(ControlFlow::Continue(()))
    })?;
    bar.finish_and_clear();
    let unfinished =
        counted(n_unfinished, "game stops before its end", "games stop before their end");
    writeln!(output, "{unfinished}")?;
    writeln!(output, "{total}")?;
    output.flush()?;
    Ok(total.status())
}

fn unfinished(entry: &Entry) -> String {
    let n_moves = entry.game.plies().iter().filter(|ply| ply.mv != Move::Pass).count();
    let headers = &entry.headers;
    let [black, white] =
        headers.names.each_ref().map(|name| if name.is_empty() { "?" } else { name.as_str() });
    let mut text = format!(
        "game {} stops after {}: {black} - {white}",
        entry.number,
        counted(n_moves, "move", "moves")
    );
    for fact in [&headers.event, &headers.place, &headers.date] {
        if !fact.is_empty() {
            text += &format!(", {fact}");
        }
    }
    text
}

type Losses = BTreeMap<Lost, usize>;

fn convert(file: &GameFile, sink: &mut Sink, losses: &mut Losses) -> anyhow::Result<Count> {
    let format = sink.format();
    if !matches!(format, Format::Obf | Format::Transcript)
        && let Some(text) = file.missing_names()
    {
        warn(&text);
    }
    if let Sink::Wthor { writer, .. } = sink
        && writer.is_empty()
        && file.format == Format::Wthor
        && let Ok(archive) = Archive::read(file.bytes())
    {
        **writer = WthorWriter::continuing(archive.header, file.lists());
    }
    // The number of a name refers to its own list: another list has other names.
    let has_same_lists = match sink {
        Sink::Wthor { writer, .. } => file
            .lists()
            .iter()
            .zip(writer.lists())
            .all(|(list, own)| list.map_or(own.count() == 1, |list| list == own)),
        Sink::Text { .. } => false,
    };
    let mut take = |entry: &Entry| {
        match sink {
            Sink::Text { format, output } => {
                output.write_all(write(*format, entry)?.as_bytes())?;
            }
            Sink::Wthor { writer, .. } if has_same_lists => writer.add_numbered(entry)?,
            Sink::Wthor { writer, .. } => writer.add(entry)?,
        }
        // A WTHOR file has one year for all games.
        let has_other_year = match sink {
            Sink::Wthor { writer, .. } => {
                year(&entry.headers.date).is_some_and(|year| writer.year() != year)
            }
            Sink::Text { .. } => false,
        };
        // The numbers of names mean nothing without their lists.
        let has_no_lists = file.format != Format::Wthor
            && matches!(sink, Sink::Wthor { lists, .. } if lists.is_empty());
        let has_names = has_no_lists && entry.headers.names.iter().any(|name| !name.is_empty());
        let has_event = has_no_lists && !entry.headers.tournament().is_empty();
        let kinds = [
            has_names.then_some(Lost::Names),
            has_event.then_some(Lost::Events),
            has_other_year.then_some(Lost::Dates),
        ];
        let kinds = lost(format, entry).chain(kinds.into_iter().flatten());
        kinds.for_each(|kind| *losses.entry(kind).or_default() += 1);
        Ok(())
    };
    read(file, &mut take, &mut warn)
}

enum Sink {
    Text { format: Format, output: Output },
    Wthor { writer: Box<WthorWriter>, output: Output, lists: Vec<(NameKind, NewFile)> },
}

enum Output {
    Standard(std::io::BufWriter<std::io::Stdout>),
    File(NewFile),
}

impl Sink {
    const fn format(&self) -> Format {
        match self {
            Sink::Text { format, .. } => *format,
            Sink::Wthor { .. } => Format::Wthor,
        }
    }

    fn open(path: &Path, format: Format, existing: Existing) -> anyhow::Result<Sink> {
        let is_standard = path.as_os_str() == STANDARD;
        let output = if is_standard {
            Output::Standard(std::io::BufWriter::new(std::io::stdout()))
        } else {
            Output::File(NewFile::create(path, existing)?)
        };
        if format != Format::Wthor {
            return Ok(Sink::Text { format, output });
        }
        let mut lists = Vec::new();
        if !is_standard {
            for kind in [NameKind::Players, NameKind::Tournaments] {
                let list = path.with_extension(kind.extension());
                ensure!(
                    list != path,
                    "{} is for a list of names: name the games .wtb",
                    path.display()
                );
                lists.push((kind, NewFile::create(&list, existing)?));
            }
        }
        Ok(Sink::Wthor { writer: Box::new(WthorWriter::new(day(today()))), output, lists })
    }

    /// Completes the files, unless they are empty or errors forbid replacing an existing file.
    fn close(self, total: Count) -> anyhow::Result<()> {
        if total.games == 0 {
            return Ok(());
        }
        match self {
            Sink::Text { output, .. } => output.finish(total),
            Sink::Wthor { writer, mut output, lists } => {
                output.write_all(&writer.games())?;
                for ((_, mut file), list) in lists.into_iter().zip(writer.lists()) {
                    file.write_all(&list.to_bytes())?;
                    Output::File(file).finish(total)?;
                }
                output.finish(total)
            }
        }
    }
}

impl Output {
    fn finish(self, total: Count) -> anyhow::Result<()> {
        match self {
            Output::Standard(mut output) => Ok(output.flush()?),
            Output::File(file) if total.errors > 0 => file.finish_new().with_context(|| {
                format!("existing files were kept: {}", counted(total.errors, "error", "errors"))
            }),
            Output::File(file) => file.finish(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Output::Standard(output) => output.write(bytes),
            Output::File(output) => output.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Output::Standard(output) => output.flush(),
            Output::File(output) => output.flush(),
        }
    }
}

/// A date in WTHOR's form: century, year, month, day.
fn day(date: jiff::civil::Date) -> [u8; 4] {
    [(date.year() / 100) as u8, (date.year() % 100) as u8, date.month() as u8, date.day() as u8]
}

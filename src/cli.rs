//! The command line: one file per subcommand, plus shared helpers.

#![expect(
    clippy::disallowed_methods,
    reason = "standard output, dates and seeds belong to the command line"
)]
// A command reports failure by its exit status.
#![deny(clippy::expect_used, clippy::panic, clippy::unimplemented, clippy::unwrap_used)]

mod analyze;
mod audiences;
mod batch_options;
mod bench;
mod book;
mod book_options;
mod coloring;
mod completions;
mod compliance;
mod convert;
mod defaults;
mod edax_solve;
mod engine_options;
mod evaluation_options;
#[cfg(feature = "training")]
mod fit_probcut;
#[cfg(feature = "training")]
mod fit_ranking;
mod habits;
mod json;
mod kept_rows;
mod logging;
mod man;
mod matches;
mod merge;
mod messages;
mod perft;
mod play;
#[cfg(feature = "training")]
mod positions;
mod printer;
#[cfg(feature = "training")]
mod priority;
mod progress;
mod replay;
mod report;
#[cfg(feature = "training")]
mod selfplay;
mod setting_options;
mod solve;
#[cfg(feature = "training")]
mod train;
mod unheard;
#[cfg(feature = "training")]
mod weights;
mod welcome;

use std::ffi::OsString;
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use jiff::SignedDuration;

use crate::engine::settings;
use crate::evaluation::EMBEDDED;
use crate::evaluation::weights::stored_checksum;
use crate::files::games::looks_like_moves;
use crate::files::part;
use crate::files::replace::Existing;
use crate::formats::archive::Format;
use crate::formats::transcript;
use crate::game::Game;
use crate::journal::Entry;
use crate::protocol::options::Options;
use crate::protocol::{self, Failure, Kind};
use crate::search::Stop;
use crate::support::cpu;
use crate::support::text::{printable, printable_lines, unmarked};
use coloring::Coloring;
use engine_options::EngineOptions;
use messages::{SHOWN_ERRORS, Shown, left_out_of, misuse, screen, tell_of_more, warn};
use unheard::check_open;

const PROGRAM: &str = "othellier";

const FAILED: u8 = 1;

const USAGE: u8 = 2;
/// By a signal, before the work was done.
const INTERRUPTED: u8 = 130;

/// The subcommands that speak a protocol.
const PROTOCOLS: [&str; 5] = ["nboard", "gtp", "cassio", "edax", "xboard"];

#[derive(Debug, Parser)]
#[command(
    name = PROGRAM,
    bin_name = PROGRAM,
    version = version(),
    about = "An Othello engine: play, analyze, and plug it into front ends: NBoard, GTP, Cassio, Edax, XBoard, JSON",
    after_help = "Options of the engine, such as --level, stand in `othellier gtp --help`; OTHELLIER_OPTIONS=\"--threads 4 --hash 256\" \
        sets them for every command that has them. Without a command the first line of \
        the input decides which protocol is spoken (protocol.md).",
    args_conflicts_with_subcommands = true
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Color the output: auto, always, never
    #[arg(long, global = true, help_heading = "Output", value_name = "WHEN", default_value = "auto", hide_possible_values = true, value_parser = one_of(&coloring::WORDS))]
    color: Coloring,
    #[command(flatten)]
    options: EngineOptions,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Speak the NBoard protocol, versions 1 and 2
    #[command(after_help = "Examples:\n  \
        othellier nboard --threads 4 --hash 512\n  \
        othellier nboard --log-file nboard.log        log the session")]
    Nboard(EngineOptions),
    /// Speak the Go Text Protocol (Quarry, GoGui, match tools)
    #[command(after_help = "Examples:\n  \
        othellier gtp --level 12\n  \
        othellier gtp --clock move:0.5 --ponder\n  \
        othellier gtp -quiet -nobook -l 21 -t 4       flags of Edax and Egaroucid\n  \
        printf 'genmove black\\nquit\\n' | othellier gtp --level 8")]
    Gtp(EngineOptions),
    /// Speak the engine protocol of Cassio
    #[command(
        after_help = "Every request sets its own depth and precision, so only --threads, --hash, \
        --weights, --player with --seed, --name, --finish and --log-file have an effect here.\n\n\
        Example:\n  othellier cassio --threads 2 --hash 256"
    )]
    Cassio(EngineOptions),
    /// Speak as the console of Edax does, for programs that start Edax
    #[command(
        after_help = "The flags of Edax are understood: -l, -n, -h, -q, -vv, -move-time, -game-time, -book-usage and so on. \
        Without a limit the level is 21.\n\nExamples:\n  \
        othellier edax -q -l 16\n  \
        othellier -q -l 16 -n 4                       the same, as Edax is started\n  \
        printf 'setboard %s\\nhint 3\\n' \"$BOARD\" | othellier edax"
    )]
    Edax(EngineOptions),
    /// Speak the protocol of XBoard and WinBoard, for reversi
    #[command(after_help = "Example:\n  othellier xboard --threads 2")]
    Xboard(EngineOptions),
    /// Answer requests for scores: a JSON object a line in, one a line out
    #[command(after_help = "Example:\n  \
        echo '{\"id\":1,\"moves\":\"f5d6c3\",\"plies\":\"all\",\"depth\":8}' | othellier json")]
    Json(json::Arguments),
    /// Solve a file of positions and print what Edax prints
    #[command(hide = true)]
    EdaxSolve(edax_solve::Arguments),
    /// Measure search speed on fixed positions
    Bench(bench::Arguments),
    /// Count the leaves of the game tree, depth by depth
    Perft(perft::Arguments),
    /// Test any engine against the numbered protocol cases
    Compliance(compliance::Arguments),
    /// Solve test positions and check the results
    Solve(solve::Arguments),
    /// Generate training data by self-play
    #[cfg(feature = "training")]
    Selfplay(selfplay::Arguments),
    /// Train the evaluation's weights
    #[cfg(feature = "training")]
    Train(train::Arguments),
    /// Fit the error model of shallow searches, for forward pruning
    #[cfg(feature = "training")]
    FitProbcut(fit_probcut::Arguments),
    /// Train the solver's move ranking
    #[cfg(feature = "training")]
    FitRanking(fit_ranking::Arguments),
    /// Make test positions with the values of all moves
    #[cfg(feature = "training")]
    Positions(positions::Arguments),
    /// Inspect, pack and compare the evaluation's weights
    #[cfg(feature = "training")]
    Weights(weights::Arguments),
    /// Play matches and tournaments between engines and players
    Match(matches::Arguments),
    /// Summarize the results of matches and tournaments
    Report(report::Arguments),
    /// Join the parts of a job that was split with --shard
    Merge(merge::Arguments),
    /// Analyze a game: what each move lost, and what was better
    Analyze(analyze::Arguments),
    /// Convert between GGF, SGF, WTHOR, OBF and move lists
    Convert(convert::Arguments),
    /// Build, learn, share and look at opening books
    Book(book::Arguments),
    /// Repeat a logged session and compare the engine's output
    Replay(replay::Arguments),
    /// Print a shell completion script
    Completions(completions::Arguments),
    /// Write the manual pages
    Man(man::Arguments),
    /// Play on a board in the terminal, or watch two players
    Play(play::Arguments),
}

/// The commit of a release build.
const COMMIT: &str = env!("OTHELLIER_COMMIT");

/// As `--version` prints it.
fn version() -> String {
    format!(
        "{} ({} build, commit {COMMIT}, weights {:016x})",
        env!("CARGO_PKG_VERSION"),
        cpu::BUILD_TIER,
        stored_checksum(EMBEDDED)
    )
}

/// Runs the program with the process's arguments.
pub fn main() -> ExitCode {
    let missing = cpu::missing_features();
    if !missing.is_empty() {
        refuse_processor(&missing);
        return ExitCode::from(FAILED);
    }
    let words = with_command_first(std::env::args_os().map(shielded).collect());
    let words = with_command(words);
    let is_nboard =
        words.get(1).is_some_and(|word| word.to_string_lossy().trim_start_matches('-') == "nboard");
    let arguments = match habits::rewrite(words) {
        Ok(arguments) => arguments,
        Err(error) => {
            warn(&error);
            tell_front_end(is_nboard, &error);
            return ExitCode::from(USAGE);
        }
    };
    // clap prints help, version and usage errors itself, with status 0 or 2.
    let (cli, arguments) = match parse(&arguments) {
        Ok(parsed) => parsed,
        Err(error) => {
            let text = error.to_string();
            let is_safe = printable_lines(&text) == text;
            let is_help = !error.use_stderr();
            let print = |()| match is_safe {
                true => error.print(),
                false => write!(Shown(std::io::stderr()), "{text}"),
            };
            let printed = if is_help { check_open() } else { Ok(()) }.and_then(print);
            // Help is lost on a full disk. A reader may be gone.
            if let (true, Err(failure)) = (is_help, printed)
                && failure.kind() != std::io::ErrorKind::BrokenPipe
            {
                warn(&failure.to_string());
                return ExitCode::from(FAILED);
            }
            tell_front_end(is_nboard && !is_help, &error.to_string());
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(USAGE));
        }
    };
    match run(cli, &arguments) {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            warn(&format!("{error:#}"));
            tell_front_end(is_nboard, &format!("{error:#}"));
            ExitCode::from(FAILED)
        }
    }
}

/// The command, and the words that say it with the options of one's own.
fn parse(words: &[OsString]) -> Result<(Cli, Vec<OsString>), clap::Error> {
    let command = audiences::grouped(Cli::command());
    let given = command.clone().try_get_matches_from(words)?;
    let (matches, words) = match defaults::with_own(words, &command, &given)? {
        None => (given, words.to_vec()),
        Some(words) => (command.try_get_matches_from(&words)?, words),
    };
    Ok((Cli::from_arg_matches(&matches)?, words))
}

/// NBoard would otherwise wait for an engine that has ended.
fn tell_front_end(is_nboard: bool, error: &str) {
    if is_nboard {
        let line = error.lines().next().unwrap_or_default().trim_start_matches("error: ");
        let text: String = line.chars().take(200).collect();
        drop(writeln!(std::io::stdout(), "status {}", printable(&text)));
    }
}

/// A position may begin with empty squares; a blank before it keeps it from being read as an option.
fn shielded(word: OsString) -> OsString {
    // Also one with a cell too few or too many.
    let is_cell = |byte: &u8| b"-.*XOxo BWbw".contains(byte);
    let bytes = word.as_encoded_bytes();
    let is_position = bytes.starts_with(b"-") && bytes.len() > 16 && bytes.iter().all(is_cell);
    if !is_position {
        return word;
    }
    let mut shielded = OsString::from(" ");
    shielded.push(word);
    shielded
}

/// Moves the name of a command before the options that people write in front of it.
fn with_command_first(mut words: Vec<OsString>) -> Vec<OsString> {
    if !words.get(1).is_some_and(|word| word.as_encoded_bytes().starts_with(b"--")) {
        return words;
    }
    let cli = Cli::command();
    let is_command =
        |at: usize| cli.find_subcommand(&words[at]).is_some() && !takes_value(&words[at - 1]);
    if let Some(at) = (2..words.len()).find(|&at| is_command(at)) {
        words[1..=at].rotate_right(1);
    }
    words
}

/// Makes `analyze` the command where somebody just gives a game: moves, a position or a file.
fn with_command(mut words: Vec<OsString>) -> Vec<OsString> {
    let is_game = words.get(1).and_then(|word| word.to_str()).is_some_and(|word| {
        !word.starts_with('-')
            && Cli::command().find_subcommand(word).is_none()
            && (word.contains('.')
                || Path::new(word).is_file()
                || from(word).is_ok()
                || looks_like_moves(word))
    });
    if is_game {
        words.insert(1, "analyze".into());
    }
    words
}

/// Whether a word is an option of a command.
fn is_own(word: &OsString, command: &str) -> bool {
    let named = |option: &clap::Arg| option.get_long().map(|long| format!("--{long}"));
    Cli::command().get_subcommands().filter(|known| known.get_name() == command).any(|known| {
        let word = word.to_string_lossy();
        let long = word.split('=').next();
        long == Some("--help")
            || known.get_arguments().any(|option| named(option).as_deref() == long)
    })
}

/// An option of the engine whose value is the next word.
fn takes_value(word: &OsString) -> bool {
    word.as_encoded_bytes().starts_with(b"--")
        && Cli::command().get_arguments().any(|option| {
            let is_word = option.get_long().is_some_and(|long| *word == *format!("--{long}"));
            is_word && option.get_action().takes_values()
        })
}

fn run(cli: Cli, words: &[OsString]) -> anyhow::Result<ExitCode> {
    let people = cli.color.apply();
    if people.is_some() && !matches!(cli.command, Some(Command::Play(_))) {
        return misuse(
            "--color black, white, both and none are for play; else auto, always, never",
        );
    }
    match &cli.command {
        // A session may go on without anybody who hears it.
        None | Some(Command::Nboard(_) | Command::Gtp(_) | Command::Cassio(_)) => {}
        Some(Command::Edax(_) | Command::Xboard(_)) => {}
        Some(_) => check_open()?,
    }
    match cli.command {
        None => serve(None, &cli.options, words),
        Some(Command::Nboard(options)) => serve(Some(Kind::Nboard), &options, words),
        Some(Command::Gtp(options)) => serve(Some(Kind::Gtp), &options, words),
        Some(Command::Cassio(options)) => serve(Some(Kind::Cassio), &options, words),
        Some(Command::Edax(options)) => serve(Some(Kind::Edax), &options, words),
        Some(Command::Xboard(options)) => serve(Some(Kind::Xboard), &options, words),
        Some(Command::Json(arguments)) => {
            json::run(&arguments, words, BufReader::new(std::io::stdin()))
        }
        Some(Command::EdaxSolve(arguments)) => edax_solve::run(&arguments),
        Some(Command::Bench(arguments)) => bench::run(&arguments),
        Some(Command::Perft(arguments)) => perft::run(&arguments),
        Some(Command::Compliance(arguments)) => compliance::run(&arguments),
        Some(Command::Solve(arguments)) => solve::run(&arguments),
        #[cfg(feature = "training")]
        Some(Command::Selfplay(arguments)) => selfplay::run(&arguments),
        #[cfg(feature = "training")]
        Some(Command::Positions(arguments)) => positions::run(&arguments),
        #[cfg(feature = "training")]
        Some(Command::Train(arguments)) => train::run(&arguments),
        #[cfg(feature = "training")]
        Some(Command::FitProbcut(arguments)) => fit_probcut::run(&arguments),
        #[cfg(feature = "training")]
        Some(Command::FitRanking(arguments)) => fit_ranking::run(&arguments),
        #[cfg(feature = "training")]
        Some(Command::Weights(arguments)) => weights::run(&arguments),
        Some(Command::Match(arguments)) => matches::run(&arguments),
        Some(Command::Report(arguments)) => report::run(&arguments),
        Some(Command::Merge(arguments)) => merge::run(&arguments),
        Some(Command::Analyze(arguments)) => analyze::run(&arguments),
        Some(Command::Convert(arguments)) => convert::run(&arguments),
        Some(Command::Book(arguments)) => book::run(&arguments),
        Some(Command::Replay(arguments)) => replay::run(&arguments),
        Some(Command::Completions(arguments)) => completions::run(&arguments, Cli::command()),
        Some(Command::Man(arguments)) => man::run(&arguments, Cli::command()),
        Some(Command::Play(arguments)) => play::run(&arguments, people),
    }
}

/// Speaks a protocol until the input ends; `words` are the command line.
fn serve(
    kind: Option<Kind>,
    options: &EngineOptions,
    words: &[OsString],
) -> anyhow::Result<ExitCode> {
    let is_by_hand = kind.is_none() && std::io::stdin().is_terminal();
    if kind.is_none() && !is_by_hand && asks_in_json() {
        return serve_requests();
    }
    let (recorder, log_failure) = logging::start(options.log_file.as_deref(), kind)?;
    let input: Box<dyn std::io::Read + Send> = if is_by_hand {
        // Standard error may be closed.
        let say = |text: &str| drop(write!(std::io::stderr(), "{text}"));
        say(welcome::TEXT);
        Box::new(welcome::Guide::new(BufReader::new(std::io::stdin()), say))
    } else {
        Box::new(std::io::stdin())
    };
    let mut resolved = Options { recorder: recorder.clone(), ..options.resolve()? };
    options.enroll(&mut resolved)?;
    recorder.note(|| {
        let arguments = replay::repeatable(words, options, resolved.seed);
        Entry::Header(replay::header(&resolved.engine, arguments))
    });
    match protocol::run(kind, resolved, input, std::io::stdout()) {
        Ok(closed) => recorder.note(|| Entry::Closed(closed)),
        // NBoard reads standard error as part of the protocol, so the failure goes to the log only.
        Err(Failure::Engine(Kind::Nboard)) => return Ok(ExitCode::from(FAILED)),
        Err(failure) => return Err(failure.into()),
    }
    match log_failure.get() {
        None => Ok(ExitCode::SUCCESS),
        Some((_, true)) => Ok(ExitCode::from(FAILED)),
        Some((text, false)) => anyhow::bail!("{text}"),
    }
}

/// Runs `json` with the options that the program was started with; clap refuses those that are none of its.
fn serve_requests() -> anyhow::Result<ExitCode> {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    words.insert(1, "json".into());
    match parse(&words) {
        Ok((cli, words)) => run(cli, &words),
        Err(error) => {
            error.print()?;
            Ok(ExitCode::from(USAGE))
        }
    }
}

/// Whether the input begins with an object of JSON. Reads nothing: what has come stays in the input's buffer.
fn asks_in_json() -> bool {
    let first =
        |bytes: &[u8]| unmarked(bytes).iter().copied().find(|byte| !byte.is_ascii_whitespace());
    matches!(std::io::stdin().lock().fill_buf().map(first), Ok(Some(b'{')))
}

/// Completions and help name the words.
fn one_of<T: Clone + Send + Sync + 'static>(
    words: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(words.iter().map(|(name, _)| *name));
    names.map(move |text| {
        let found = words.iter().find(|(name, _)| *name == text);
        // The parser lets only these words through.
        found.map_or_else(|| words[0].1.clone(), |(_, value)| value.clone())
    })
}

fn formats() -> impl TypedValueParser<Value = Format> {
    let named = |text: String| Format::ALL.into_iter().find(|format| format.name() == text);
    // The parser lets only these names through.
    PossibleValuesParser::new(Format::ALL.map(Format::name))
        .map(move |text| named(text).unwrap_or(Format::Transcript))
}

/// A game that begins at the start or a position: its moves, the position, or both.
fn from(text: &str) -> Result<Game, String> {
    transcript::game(text).map_err(|error| {
        format!("{error}; expected moves such as f5d6c3, or 64 cells and the side to move")
    })
}

/// A length of time, such as `90s`, `30m` or `1h30m`.
fn duration(text: &str) -> Result<Duration, String> {
    let parsed: Option<SignedDuration> = text.parse().ok();
    let time = parsed.and_then(|time| Duration::try_from(time).ok());
    time.ok_or_else(|| "expected a time such as 90s, 30m or 2h".into())
}

/// The error message states the range.
fn number<T>(least: T, most: T) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display + Copy + Send + Sync,
{
    move |text| settings::number(text, least..=most)
}

fn threads() -> impl Fn(&str) -> Result<usize, String> + Clone + Send + Sync {
    |text| settings::number(text, settings::THREADS)
}

fn megabytes() -> impl Fn(&str) -> Result<usize, String> + Clone + Send + Sync {
    |text| settings::number(text, settings::HASH)
}

const fn existing(force: bool) -> Existing {
    if force { Existing::Replace } else { Existing::Keep }
}

/// One per core.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Set by the first Ctrl-C or termination signal; the second ends the program at once.
fn stop_on_signal() -> anyhow::Result<Stop> {
    let stop = Stop::new();
    let flag = stop.clone();
    on_signal(move || flag.set())?;
    Ok(stop)
}

/// Calls this at the first Ctrl-C or termination signal, in a thread of its own; the second ends the program at once.
fn on_signal(call: impl Fn() + Send + 'static) -> anyhow::Result<()> {
    let mut is_called = false;
    part::on_signal(move || {
        if std::mem::replace(&mut is_called, true) {
            part::end(INTERRUPTED.into());
        }
        call();
    })
    .context("cannot handle Ctrl-C")
}

/// Reports the missing processor features. It avoids formatting, which may itself use instructions the processor lacks.
fn refuse_processor(missing: &[&str]) {
    let mut error = std::io::stderr();
    let mut write = |text: &str| drop(error.write_all(text.as_bytes()));
    write("othellier: this build needs ");
    for (index, name) in missing.iter().enumerate() {
        write(if index == 0 { "" } else { ", " });
        write(name);
    }
    write(
        ", which this processor lacks; build from source on this machine or use a build for older processors\n",
    );
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn options_of_all_commands_have_the_same_names() {
        let mut waiting: Vec<_> = Cli::command().get_subcommands().cloned().collect();
        while let Some(command) = waiting.pop() {
            if command.is_hide_set() {
                continue;
            }
            waiting.extend(command.get_subcommands().cloned());
            for option in command.get_arguments().filter(|option| !option.is_hide_set()) {
                let (name, at) = (option.get_long().unwrap_or_default(), command.get_name());
                let is_gone = "selectivity minutes hours time-limit number position"
                    .split(' ')
                    .any(|gone| gone == name);
                assert!(!is_gone && (name != "out" || at == "match"), "{at} --{name}");
                for (long, short) in [("threads", 't'), ("concurrency", 'j'), ("output", 'o')] {
                    assert!(name != long || option.get_short() == Some(short), "{at} --{name}");
                }
            }
        }
    }
}

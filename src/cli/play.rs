//! `othellier play`.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use clap::Args;
use crossbeam_channel::{Receiver, bounded};

use super::book_options::LearnOptions;
use super::{from, number, one_of, warn};
use crate::engine::Pace;
use crate::engine::level::MAX_LEVEL;
use crate::engine::strength::{MAX_STRENGTH, range_of_elo};
use crate::evaluation::Source;
use crate::files::games::GameFile;
use crate::files::part;
use crate::formats::Headers;
use crate::formats::archive::{Entry, impossibility};
use crate::game::Game;
use crate::play::language::Language;
use crate::play::plain::{self, Manners, Services};
use crate::play::settings::{Begin, DEFAULT_OPPONENT, HUMAN, Settings, Side};

#[derive(Debug, Args)]
#[command(after_help = "Your side: --color black (the default), white, both or none\n\n\
    Players (--black, --white):\n  \
    human, a strength from 1 to 60, or any player of othellier match: engine:level=8, engine:time=5,ponder=on, random, \
    greedy, minimax2, 'name=A,proto=gtp,cmd=COMMAND' and others\n\n\
    Examples:\n  \
    othellier play                                choose the players first\n  \
    othellier play --strength 20 --color white    play White against strength 20\n  \
    othellier play --white engine:time=5          play against the engine at full strength\n  \
    othellier play --black minimax2 --white 10    watch two programs\n  \
    othellier play game.ggf --strength 10         go on with a game\n  \
    othellier play --plain --color both\n\n\
    ? shows the keys of the full screen. The language is that of the system (LANGUAGE, LC_ALL, LC_MESSAGES, LANG); \
    NO_COLOR turns colors off.")]
pub(super) struct Arguments {
    /// Strength of the opponent, 1 to 60 [default: 15]
    #[arg(long, value_name = "N", value_parser = number(1u32, MAX_STRENGTH), group = "opponent", id = "opponent_strength")]
    strength: Option<u32>,
    /// Elo rating of the opponent instead
    #[arg(long, value_name = "N", value_parser = elo(), group = "opponent", id = "opponent_elo")]
    elo: Option<u32>,
    /// Level of the opponent instead: plies it looks ahead, at full strength
    #[arg(long, value_name = "N", value_parser = number(1u32, MAX_LEVEL), group = "opponent", id = "opponent_level")]
    level: Option<u32>,
    /// Black's player [default: human]
    #[arg(long, value_name = "SPEC", value_parser = side)]
    black: Option<Side>,
    /// White's player [default: human with --black, else the computer at strength 15]
    #[arg(long, value_name = "SPEC", value_parser = side)]
    white: Option<Side>,
    /// A game to go on with: a file in any format, of which the first game counts, or the moves themselves
    #[arg(value_name = "GAME", conflicts_with = "from")]
    game: Option<PathBuf>,
    /// Begin after these moves, such as f5d6c3, or at a position: 64 cells row by row from a1 (X or * black, O white, - or . empty) and the side to move
    #[arg(long, value_name = "MOVES", value_parser = from, allow_hyphen_values = true)]
    from: Option<Game>,
    /// Positions with the values of their moves (OBF, as of othellier analyze --obf), to find the best moves
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "from", "opponent"])]
    puzzles: Option<PathBuf>,
    /// Least seconds between a move and the answer of a program [default: 0.5 on a terminal, else 0]
    #[arg(long, value_name = "S", value_parser = number(0.0f64, 3600.0))]
    delay: Option<f64>,
    /// Clock of both sides, or search limit of programs: 300+2, move:10, byo:M/P/S, depth:N, nodes:N, level:N
    #[arg(long, value_name = "CLOCK")]
    clock: Option<Pace>,
    /// Play line by line instead of full-screen; the default if the output is no terminal or smaller than 80x24
    #[arg(long)]
    plain: bool,
    /// Level of hints and scores
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = number(1u32, 60))]
    advice: u32,
    #[command(flatten)]
    learn: LearnOptions,
    /// Language of the interface
    #[arg(long, value_name = "LANGUAGE", value_parser = one_of(&LANGUAGES))]
    language: Option<Language>,
}

fn begin(arguments: &Arguments) -> anyhow::Result<Begin> {
    if let Some(game) = &arguments.from {
        if let Some(problem) = impossibility(game.start()) {
            bail!("{problem}");
        }
        return Ok(Begin::Game(Entry::of(game.clone(), Headers::default()).into()));
    }
    if let Some(path) = &arguments.puzzles {
        let file = GameFile::read(path, None, None)?;
        let puzzles: Vec<Entry> =
            file.games()?.collect::<Result<_, _>>().with_context(|| file.name.clone())?;
        let without = puzzles.iter().find(|puzzle| puzzle.scores.is_empty());
        if let Some(puzzle) = without {
            let place = puzzle.line.map(|line| format!(": line {line}")).unwrap_or_default();
            bail!(
                "{}{place} has no values of moves; othellier analyze GAME --obf FILE writes puzzles",
                file.name
            );
        }
        ensure!(!puzzles.is_empty(), "{}: no positions in it", file.name);
        return Ok(Begin::Puzzles(puzzles));
    }
    let Some(path) = &arguments.game else { return Ok(Begin::New) };
    let file = GameFile::read_argument(path, None, None)?;
    match file.games()?.next() {
        Some(Ok(entry)) => Ok(Begin::Game(entry.into())),
        Some(Err(error)) => bail!("{}: {error}", file.name),
        None => bail!("{}: no games in it (read as {})", file.name, file.format),
    }
}

fn side(text: &str) -> Result<Side, String> {
    Side::parse(text).map_err(|error| format!("{error:#}"))
}

fn elo() -> impl clap::builder::TypedValueParser<Value = u32> {
    let (lowest, highest) = range_of_elo();
    number(lowest, highest)
}

/// The average time for a move in an analysis that a person waits for line by line.
const PLAIN_ANALYSIS_TIME: Duration = Duration::from_millis(50);

const LANGUAGES: [(&str, Language); 2] = [("en", Language::English), ("fr", Language::French)];

impl Arguments {
    /// Whether they say who plays.
    const fn names_players(&self) -> bool {
        let is_strong = self.strength.is_some() || self.elo.is_some() || self.level.is_some();
        is_strong || self.black.is_some() || self.white.is_some()
    }
}

/// Both sides. Without `people`, a person plays Black, and White if only Black's player is given.
fn sides(arguments: &Arguments, people: Option<[bool; 2]>) -> anyhow::Result<[Side; 2]> {
    let of = |key: &str, value: Option<u32>| value.map(|value| format!("engine:{key}={value}"));
    let opponent = of("strength", arguments.strength)
        .or(of("elo", arguments.elo))
        .or(of("level", arguments.level));
    let named = [&arguments.black, &arguments.white];
    let is_named = named.iter().any(|side| side.is_some());
    let is_white = is_named && opponent.is_none() || arguments.puzzles.is_some();
    let default = [true, is_white];
    let text = opponent.as_deref().unwrap_or(DEFAULT_OPPONENT);
    let side = |index: usize| match named[index] {
        Some(side) => Ok(side.clone()),
        None if people.unwrap_or(default)[index] => Ok(Side::human()),
        None => Side::parse(text),
    };
    Ok([side(0)?, side(1)?])
}

/// Who played a saved game, if they were people and programs of some strength: so it goes on. Other names might start or read something.
fn seats(entry: &Entry) -> Option<[Side; 2]> {
    let side = |name: &String| match name.strip_prefix("engine:strength=") {
        Some(number) if number.parse::<u32>().is_ok() => Side::parse(name).ok(),
        _ => (name == HUMAN).then(Side::human),
    };
    let [black, white] = &entry.headers.names;
    Some([side(black)?, side(white)?])
}

/// `people` tells on which sides a person plays.
pub(super) fn run(arguments: &Arguments, people: Option<[bool; 2]>) -> anyhow::Result<ExitCode> {
    let mut settings = Settings {
        sides: sides(arguments, people)?,
        adviser_level: arguments.advice,
        language: arguments.language.unwrap_or_else(|| Language::of_locale(&locale())),
        ..Settings::default()
    };
    if let Some(pace) = arguments.clock {
        settings.pace = pace;
    }
    let learner = arguments.learn.open(Source::Embedded, None)?;
    let quit = quit_on_signal()?;
    let begin = begin(arguments)?;
    let is_chosen = people.is_some() || arguments.names_players();
    if let Begin::Game(entry) = &begin
        && let Some(sides) = seats(entry).filter(|_| !is_chosen)
    {
        settings.sides = sides;
    }
    let is_terminal = std::io::stdout().is_terminal();
    let delay = arguments.delay.unwrap_or(if is_terminal { 0.5 } else { 0.0 });
    settings.delay = Duration::from_secs_f64(delay);
    let is_poor = is_terminal && !arguments.plain && (is_small() || is_dumb());
    if is_poor {
        warn(
            "the full screen needs 80x24 characters and a terminal named by TERM; this is the plain board",
        );
    }
    #[cfg(feature = "terminal")]
    if is_terminal && !is_poor && !arguments.plain {
        anyhow::ensure!(
            std::io::stdin().is_terminal(),
            "standard input is not a terminal; use --plain to play line by line"
        );
        return full(settings, begin, learner, is_chosen, &quit);
    }
    settings.analysis_time = PLAIN_ANALYSIS_TIME;
    let manners = Manners { is_typed: std::io::stdin().is_terminal(), is_live: is_terminal };
    // Not locked: the lock would have to stay with this thread.
    let (mut output, input) = (std::io::stdout(), std::io::stdin());
    let services = Services { learner, table: &super::analyze::table_of };
    let played = plain::run(settings, begin, services, input, &mut output, manners, &quit);
    // If a terminal is gone, nobody is left to tell.
    played.or_else(|error| if is_terminal { Ok(()) } else { Err(error) })?;
    Ok(ExitCode::SUCCESS)
}

/// Whether nothing is known of the terminal but that it shows lines.
fn is_dumb() -> bool {
    let term = std::env::var("TERM").unwrap_or_default();
    cfg!(unix) && ["", "dumb", "unknown"].contains(&&*term)
}

fn is_small() -> bool {
    #[cfg(feature = "terminal")]
    if let Ok((columns, rows)) = crossterm::terminal::size() {
        // Without a known size both are zero.
        return columns.min(rows) > 0 && (columns < 80 || rows < 24);
    }
    false
}

#[cfg(feature = "terminal")]
fn full(
    settings: Settings,
    begin: Begin,
    learner: Option<std::sync::Arc<dyn crate::book::learner::Learner>>,
    is_chosen: bool,
    quit: &Receiver<()>,
) -> anyhow::Result<ExitCode> {
    use anstream::{AutoStream, ColorChoice};

    use crate::play::full;
    use crate::play::screen::{Look, Surroundings};

    let variable = |name| std::env::var(name).unwrap_or_default();
    // Windows sets no such variables; its consoles show all colors and characters.
    let or_windows = |found: String, of_windows: &str| {
        if found.is_empty() && cfg!(windows) { of_windows.to_owned() } else { found }
    };
    let look = Look::of(&Surroundings {
        term: variable("TERM"),
        color_term: or_windows(variable("COLORTERM"), "truecolor"),
        no_color: AutoStream::choice(&std::io::stdout()) == ColorChoice::Never,
        locale: or_windows(characters(), "UTF-8"),
    });
    // Panics of other threads are reported as failures of their players.
    let hook = std::panic::take_hook();
    let main_thread = std::thread::current().id();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().id() == main_thread {
            full::restore(&mut std::io::stdout());
            hook(panic);
        }
    }));
    full::run(settings, learner, !is_chosen, begin, look, std::io::stdout(), quit)?;
    Ok(ExitCode::SUCCESS)
}

/// The locale of messages: by the environment, or on Windows and macOS otherwise by the system's settings.
fn locale() -> String {
    first_set(["LC_ALL", "LC_MESSAGES", "LANG"]).or_else(sys_locale::get_locale).unwrap_or_default()
}

#[cfg(feature = "terminal")]
fn characters() -> String {
    first_set(["LC_ALL", "LC_CTYPE", "LANG"]).unwrap_or_default()
}

fn first_set(names: [&str; 3]) -> Option<String> {
    names.into_iter().filter_map(|name| std::env::var(name).ok()).find(|value| !value.is_empty())
}

/// A channel that receives at the first termination signal, or when the terminal closes.
fn quit_on_signal() -> anyhow::Result<Receiver<()>> {
    let (sender, quit) = bounded(1);
    part::on_signal(move || {
        // A full channel holds a signal already.
        let _ = sender.try_send(());
    })
    .context("cannot handle signals")?;
    Ok(quit)
}

//! `othellier play`.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use crossbeam_channel::{Receiver, bounded};

use super::book_options::LearnOptions;
use super::{from, number, one_of, warn};
use crate::engine::Pace;
use crate::evaluation::Source;
use crate::files::games::GameFile;
use crate::files::part;
use crate::formats::Headers;
use crate::formats::archive::{Entry, impossibility};
use crate::game::Game;
use crate::play::language::Language;
use crate::play::plain::{self, Manners, Services};
use crate::play::settings::{DEFAULT_OPPONENT, HUMAN, Settings, Side};

#[derive(Debug, Args)]
#[command(after_help = "Players:\n  \
    human, or any player of othellier match: random, greedy, minimax2, engine:level=8, \
    'name=A,proto=gtp,cmd=COMMAND' and others\n\n\
    Examples:\n  \
    othellier play                                     choose the players first\n  \
    othellier play --white engine:level=8,ponder=on    play against the engine\n  \
    othellier play --black minimax2 --white engine     watch two programs\n  \
    othellier play game.ggf --white engine:level=8     go on with a game\n  \
    othellier play --plain --black human --white human\n\n\
    ? shows the keys of the full screen. The language is that of the system (LANGUAGE, LC_ALL, LC_MESSAGES, LANG); \
    NO_COLOR turns colors off.")]
pub(super) struct Arguments {
    /// A game to go on with: a file in any format, of which the first game counts, or the moves themselves
    #[arg(value_name = "GAME", conflicts_with = "from")]
    game: Option<PathBuf>,
    /// Begin after these moves, such as f5d6c3, or at a position: 64 cells row by row from a1 (X or * black, O white, - or . empty) and the side to move
    #[arg(long, value_name = "MOVES", value_parser = from, allow_hyphen_values = true)]
    from: Option<Game>,
    /// Least seconds between the moves of two programs [default: 0.5 on a terminal, else 0]
    #[arg(long, value_name = "S", value_parser = number(0.0f64, 3600.0))]
    delay: Option<f64>,
    /// Black's player [default: human]
    #[arg(long, value_name = "SPEC", value_parser = side)]
    black: Option<Side>,
    /// White's player [default: human with --black, else the engine]
    #[arg(long, value_name = "SPEC", value_parser = side)]
    white: Option<Side>,
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

fn game(arguments: &Arguments) -> anyhow::Result<Option<Entry>> {
    if let Some(game) = &arguments.from {
        if let Some(problem) = impossibility(game.start()) {
            bail!("{problem}");
        }
        return Ok(Some(Entry::of(game.clone(), Headers::default())));
    }
    let Some(path) = &arguments.game else { return Ok(None) };
    let file = GameFile::read_argument(path, None, None)?;
    match file.games()?.next() {
        Some(Ok(entry)) => Ok(Some(entry)),
        Some(Err(error)) => bail!("{}: {error}", file.name),
        None => bail!("{}: no games in it (read as {})", file.name, file.format),
    }
}

fn side(text: &str) -> Result<Side, String> {
    Side::parse(text).map_err(|error| format!("{error:#}"))
}

const LANGUAGES: [(&str, Language); 2] = [("en", Language::English), ("fr", Language::French)];

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let is_chosen = arguments.black.is_some() || arguments.white.is_some();
    let default_white = if is_chosen { HUMAN } else { DEFAULT_OPPONENT };
    let white = match &arguments.white {
        Some(side) => side.clone(),
        None => Side::parse(default_white)?,
    };
    let mut settings = Settings {
        sides: [arguments.black.clone().unwrap_or_else(Side::human), white],
        adviser_level: arguments.advice,
        language: arguments.language.unwrap_or_else(|| Language::of_locale(&locale())),
        ..Settings::default()
    };
    if let Some(pace) = arguments.clock {
        settings.pace = pace;
    }
    let learner = arguments.learn.open(Source::Embedded, None)?;
    let quit = quit_on_signal()?;
    let game = game(arguments)?;
    let is_terminal = std::io::stdout().is_terminal();
    let delay = arguments.delay.unwrap_or(if is_terminal { 0.5 } else { 0.0 });
    settings.delay = Duration::from_secs_f64(delay);
    let is_small = is_terminal && is_small();
    if is_small && !arguments.plain {
        warn("the full screen needs 80x24 characters; this is the plain board");
    }
    #[cfg(feature = "terminal")]
    if is_terminal && !is_small && !arguments.plain {
        anyhow::ensure!(
            std::io::stdin().is_terminal(),
            "standard input is not a terminal; use --plain to play line by line"
        );
        return full(settings, game, learner, is_chosen, &quit);
    }
    let manners = Manners { is_typed: std::io::stdin().is_terminal(), is_live: is_terminal };
    // Not locked: the lock would have to stay with this thread.
    let (mut output, input) = (super::screen(), std::io::stdin());
    let services = Services { learner, analyze: &super::analyze::table_of };
    let played = plain::run(settings, game, services, input, &mut output, manners, &quit);
    // If a terminal is gone, nobody is left to tell.
    played.or_else(|error| if is_terminal { Ok(()) } else { Err(error) })?;
    Ok(ExitCode::SUCCESS)
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
    game: Option<Entry>,
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
    full::run(settings, learner, !is_chosen, game, look, std::io::stdout(), quit)?;
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

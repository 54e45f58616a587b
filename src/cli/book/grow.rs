//! `othellier book build`, `deviate`, `add`, `learn`, `fix` and `deepen`.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;

use super::{Extent, Root, SearchOptions, Workshop, close, open, progress, tell_rest};
use crate::board::{Board, Color};
use crate::book::growth::{Rule, Task, due, shallow, wanted};
use crate::book::sections::Sections;
use crate::bookmaking::{add as add_games, boards, grow, is_shallow};
use crate::cli::{number, one_of, warn};
use crate::files::book::BookFile;
use crate::files::games::GameFile;
use crate::game::Game;
use crate::page::pieces::counted;
use crate::score::DISC;

/// What it costs to reach a position.
#[derive(Debug, Args)]
pub(super) struct Way {
    /// Positions for one side
    #[arg(long, value_name = "SIDE", value_parser = one_of(&SIDES))]
    side: Option<Color>,
    /// Cost in plies of a disc lost by the own side and by the other
    #[arg(long, value_name = "OWN,OTHER", default_value = "4,1", value_parser = costs)]
    cost: [f64; 2],
    #[command(flatten)]
    root: Root,
}

impl Way {
    /// The root with the color to move there.
    pub(super) fn root(&self) -> anyhow::Result<(Board, Color)> {
        let root = self.root.position()?;
        Ok((root.board, root.side))
    }

    pub(super) fn rule(&self) -> Rule {
        Rule { side: self.side, ..Rule::cheapest(self.cost) }
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "Searches the moves out of the book that cost least to reach: a ply costs 1, a disc lost by the book's own side 4, by the other \
    side 1 (--cost). Runs until it is stopped, or as long as --positions, --hours say.\n\n\
    Examples:\n  othellier book build my.othb --hours 2\n  \
    othellier book build my.othb --games WTH_*.wtb --min-games 5 --until 40 --positions 50000"
)]
pub(super) struct Build {
    /// The book; a new one is made if it does not exist
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Add the positions of these games first
    #[arg(long, value_name = "GAMES", num_args = 1..)]
    games: Vec<PathBuf>,
    /// Add positions that at least K of these games reach
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = number(1u32, u32::MAX))]
    min_games: u32,
    /// Stop at N positions
    #[arg(long, value_name = "N")]
    positions: Option<usize>,
    /// Stop after H hours
    #[arg(long, value_name = "H", value_parser = number(0.0f64, 1e6))]
    hours: Option<f64>,
    #[command(flatten)]
    way: Way,
    #[command(flatten)]
    extent: Extent,
    #[command(flatten)]
    search: SearchOptions,
    /// Print the closing line as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "One side loses at most R discs with each move, the other nothing, and no value is more than A from that of the root: all moves out \
    of the book on such ways are searched, until there are none. The book program of Edax does the same under this name.\n\n\
    Example:\n  othellier book deviate my.othb 2 6 --until 44"
)]
pub(super) struct Deviate {
    /// The book
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Discs that a move may lose
    #[arg(value_name = "R", value_parser = number(0.0f64, 64.0))]
    relative: f64,
    /// Discs between a value and that of the root
    #[arg(value_name = "A", value_parser = number(0.0f64, 128.0))]
    absolute: f64,
    /// Discs that all moves of a line may lose together
    #[arg(long, value_name = "S", value_parser = number(0.0f64, 1e4))]
    sum: Option<f64>,
    /// Errors of one side only
    #[arg(long, value_name = "SIDE", value_parser = one_of(&SIDES))]
    side: Option<Color>,
    #[command(flatten)]
    root: Root,
    #[command(flatten)]
    extent: Extent,
    #[command(flatten)]
    search: SearchOptions,
    /// Print the closing line as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Counts wins, draws and losses; nothing is searched, which `fix` or `todo` do. A game counts once, however often it is added.\n\n\
    Example:\n  othellier book add my.othb WTH_*.wtb --min-games 5 --until 40"
)]
pub(super) struct Add {
    /// The book; a new one is made if it does not exist
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Files of games in any format
    #[arg(value_name = "GAMES", required = true)]
    games: Vec<PathBuf>,
    /// Add positions that at least K of the games reach
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = number(1u32, u32::MAX))]
    min_games: u32,
    #[command(flatten)]
    extent: Extent,
    /// Print the closing line as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "As add, then searches the positions of the games.\n\n\
    Example:\n  othellier book learn my.othb lost.ggf --depth 22")]
pub(super) struct Learn {
    /// The book; a new one is made if it does not exist
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Files of games in any format
    #[arg(value_name = "GAMES", required = true)]
    games: Vec<PathBuf>,
    #[command(flatten)]
    extent: Extent,
    #[command(flatten)]
    search: SearchOptions,
    /// Print the closing line as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Searches all positions without a best move out of the book that counts, and derives all values anew.\n\n\
    Example:\n  othellier book fix my.othb"
)]
pub(super) struct Fix {
    /// The book
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    search: SearchOptions,
    /// Print the closing line as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Searches the best moves out of the book again that were searched less deep than --depth, those first that cost least to \
    reach, as for build. Runs until all are as deep, or as long as --hours says.\n\n\
    Example:\n  othellier book deepen my.othb --depth 24 --hours 2"
)]
pub(super) struct Deepen {
    /// The book
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Stop after H hours
    #[arg(long, value_name = "H", value_parser = number(0.0f64, 1e6))]
    hours: Option<f64>,
    #[command(flatten)]
    way: Way,
    #[command(flatten)]
    search: SearchOptions,
    /// Print the closing line as JSON
    #[arg(long)]
    json: bool,
}

pub(super) const SIDES: [(&str, Color); 2] = [("black", Color::Black), ("white", Color::White)];

pub(super) fn costs(text: &str) -> Result<[f64; 2], String> {
    let numbers: Vec<f64> =
        text.split(',').filter_map(|number| number.trim().parse().ok()).collect();
    match numbers[..] {
        [own, other] if (0.0..1e6).contains(&own) && (0.0..1e6).contains(&other) => {
            Ok([own, other])
        }
        _ => Err("expected two numbers OWN,OTHER, such as 4,1".into()),
    }
}

/// The legal games of all files.
pub(super) fn games(paths: &[PathBuf]) -> anyhow::Result<Vec<Game>> {
    let mut games = Vec::new();
    for path in paths {
        games.extend(GameFile::read(path, None, None)?.legal_games()?);
    }
    Ok(games)
}

/// The time `hours` from now.
fn end(hours: Option<f64>) -> Option<Instant> {
    hours.and_then(|hours| Instant::now().checked_add(Duration::from_secs_f64(3600.0 * hours)))
}

/// Adds games to the book and writes its file.
fn take_games(
    file: &mut BookFile,
    games: Vec<Game>,
    min_games: u32,
    extent: &Extent,
) -> anyhow::Result<()> {
    let mut sections = file.book().sections()?;
    let added = add_games(&mut sections, games, min_games, extent.until);
    if added.new > 0 {
        file.replace(&sections)?;
    }
    if added.known > 0 {
        warn(&format!("{} in the book already", counted(added.known, "game was", "games were")));
    }
    if added.unfinished > 0 {
        let games = counted(added.unfinished, "game", "games");
        warn(&format!("{games} without an end: moves are added, but no result"));
    }
    Ok(())
}

/// How a command searches, and what ends it before all is done.
#[derive(Clone, Copy)]
struct Terms {
    /// Search depth in plies.
    depth: u32,
    /// Positions to reach, for the progress bar.
    positions: Option<usize>,
    /// When to stop.
    until: Option<Instant>,
    is_json: bool,
    /// Positions in the book before the command.
    n_before: usize,
    /// Why there may be nothing to search, where that is worth a word.
    nothing: Option<&'static str>,
}

impl Terms {
    /// No limits: until nothing is left to search.
    fn of(
        search: &SearchOptions,
        is_json: bool,
        n_before: usize,
        nothing: Option<&'static str>,
    ) -> Terms {
        Terms { depth: search.depth, positions: None, until: None, is_json, n_before, nothing }
    }
}

/// Searches until there is nothing left, the time is over or a signal comes.
fn work(
    mut file: BookFile,
    workshop: &Workshop,
    terms: Terms,
    select: impl Fn(&Sections, usize) -> Vec<Task>,
) -> anyhow::Result<()> {
    let what = if terms.positions.is_some() { "positions" } else { "searches" };
    let time = terms.until.map(|until| until.saturating_duration_since(Instant::now()));
    let bar = progress::bar(what, terms.positions.map(|n| n as u64), time);
    let settings = workshop.settings(terms.depth);
    let grown = grow(&mut file, settings, terms.until, select, &mut |searched, positions| {
        bar.set_position(if terms.positions.is_some() { positions } else { searched } as u64);
    })?;
    bar.finish_and_clear();
    if let Some(nothing) = terms.nothing.filter(|_| grown.searched == 0 && grown.is_complete) {
        warn(&format!("nothing to search: {nothing}"));
    }
    tell_rest(&file, grown)?;
    close(file, terms.n_before, workshop.start, terms.is_json)
}

/// A limit that adds no positions, because no board has so many empty squares.
const NOTHING: u32 = 65;

pub(super) fn build(arguments: &Build) -> anyhow::Result<()> {
    let root = arguments.way.root()?;
    let games = games(&arguments.games)?;
    let workshop = Workshop::open(&arguments.search.pool)?;
    let mut file = open(&arguments.file)?;
    let n_before = file.book().len();
    if !games.is_empty() {
        take_games(&mut file, games, arguments.min_games, &arguments.extent)?;
    }
    let is_full = arguments.positions.is_some_and(|most| file.book().len() >= most);
    let nothing = Some(if is_full {
        "the book has as many positions as --positions allows"
    } else {
        "no move out of the book is within --until and the other limits"
    });
    let rule = arguments.way.rule();
    let until = arguments.extent.until;
    let select = |sections: &Sections, most: usize| {
        // Positions already in the book are searched even if no more may be added.
        let mut room = arguments.positions.unwrap_or(usize::MAX).saturating_sub(sections.len());
        let until = if room == 0 { NOTHING } else { until };
        let mut tasks = wanted(sections, root, &rule, until, most).tasks;
        tasks.retain(|task| {
            let is_new = sections.find(task.board).is_none();
            let has_room = !is_new || room > 0;
            room -= usize::from(is_new && has_room);
            has_room
        });
        tasks
    };
    let terms = Terms {
        positions: arguments.positions,
        until: end(arguments.hours),
        ..Terms::of(&arguments.search, arguments.json, n_before, nothing)
    };
    work(file, &workshop, terms, select)
}

pub(super) fn deviate(arguments: &Deviate) -> anyhow::Result<()> {
    let root = arguments.root.position()?;
    let in_score = |discs: f64| (discs * f64::from(DISC)).round() as i32;
    let rule = Rule {
        side: arguments.side,
        most_cost: arguments.sum.unwrap_or(f64::INFINITY),
        ..Rule::deviation(in_score(arguments.relative), in_score(arguments.absolute))
    };
    let workshop = Workshop::open(&arguments.search.pool)?;
    let file = open(&arguments.file)?;
    let n_before = file.book().len();
    let until = arguments.extent.until;
    let root = (root.board, root.side);
    let select = |sections: &Sections, most| wanted(sections, root, &rule, until, most).tasks;
    let nothing = Some("all moves that lose no more are in the book");
    let terms = Terms::of(&arguments.search, arguments.json, n_before, nothing);
    work(file, &workshop, terms, select)
}

pub(super) fn add(arguments: &Add) -> anyhow::Result<()> {
    let start = Instant::now();
    let games = games(&arguments.games)?;
    let mut file = open(&arguments.file)?;
    let n_before = file.book().len();
    take_games(&mut file, games, arguments.min_games, &arguments.extent)?;
    close(file, n_before, start, arguments.json)
}

pub(super) fn learn(arguments: &Learn) -> anyhow::Result<()> {
    let games = games(&arguments.games)?;
    let wanted = boards(&games, arguments.extent.until);
    let workshop = Workshop::open(&arguments.search.pool)?;
    let mut file = open(&arguments.file)?;
    let n_before = file.book().len();
    take_games(&mut file, games, 1, &arguments.extent)?;
    let select = |sections: &Sections, _| {
        let mut tasks = due(sections);
        tasks.retain(|task| wanted.contains(&task.board));
        // Search late positions first: the table then knows what follows on earlier ones.
        tasks.reverse();
        tasks
    };
    let terms = Terms::of(&arguments.search, arguments.json, n_before, None);
    work(file, &workshop, terms, select)
}

pub(super) fn fix(arguments: &Fix) -> anyhow::Result<()> {
    check_exists(&arguments.file)?;
    let workshop = Workshop::open(&arguments.search.pool)?;
    let file = open(&arguments.file)?;
    let n_before = file.book().len();
    let select = |sections: &Sections, _| {
        let mut tasks = due(sections);
        tasks.reverse();
        tasks
    };
    let terms = Terms::of(&arguments.search, arguments.json, n_before, None);
    work(file, &workshop, terms, select)
}

pub(super) fn deepen(arguments: &Deepen) -> anyhow::Result<()> {
    let root = arguments.way.root()?;
    check_exists(&arguments.file)?;
    let workshop = Workshop::open(&arguments.search.pool)?;
    let file = open(&arguments.file)?;
    let n_before = file.book().len();
    let (rule, depth) = (arguments.way.rule(), arguments.search.depth);
    // Search each position only once: a leaf of another origin may stay the better one.
    let seen = RefCell::new(HashSet::new());
    let select = |sections: &Sections, most| {
        let is_wanted =
            |board, leaf| is_shallow(board, leaf, depth) && !seen.borrow().contains(&board);
        let tasks = shallow(sections, root, &rule, &is_wanted, most).tasks;
        seen.borrow_mut().extend(tasks.iter().map(|task| task.board));
        tasks
    };
    let until = end(arguments.hours);
    let nothing = Some("all leaves are as deep as --depth");
    let terms = Terms { until, ..Terms::of(&arguments.search, arguments.json, n_before, nothing) };
    work(file, &workshop, terms, select)
}

/// Fails if there is no book, instead of making one.
pub(super) fn check_exists(path: &Path) -> anyhow::Result<()> {
    anyhow::ensure!(path.exists(), "there is no {}", path.display());
    Ok(())
}

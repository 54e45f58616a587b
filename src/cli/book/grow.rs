//! `othellier book build` and `add`.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;

use super::{Extent, Root, SearchOptions, SearchResources, close, open, progress};
use crate::board::{Board, Color};
use crate::book::growth::{Rule, Task, due, shallow, wanted};
use crate::book::sections::Sections;
use crate::bookmaking::{add as add_games, boards, grow, is_shallow};
use crate::cli::{duration, number, one_of, warn};
use crate::files::book::BookFile;
use crate::files::games::GameFile;
use crate::game::Game;
use crate::score::DISC;
use crate::support::text::counted;

#[derive(Debug, Args)]
pub(super) struct CostArgs {
    /// Positions for one side
    #[arg(long, value_name = "SIDE", value_parser = one_of(&SIDES))]
    side: Option<Color>,
    /// Cost in plies of a disc lost by the own side and by the other
    #[arg(long, value_name = "OWN,OTHER", default_value = "4,1", value_parser = costs)]
    cost: [f64; 2],
    #[command(flatten)]
    root: Root,
}

impl CostArgs {
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
    side 1 (--cost). Runs until it is stopped, or as long as --positions, --duration say.\n\n\
    With --deviate, one side loses at most R discs with each move, the other nothing, and no value is more than A from that of the root: all \
    moves out of the book on such ways are searched, until there are none. The book program of Edax does the same under this name.\n\n\
    Examples:\n  othellier book build my.othb --duration 2h\n  \
    othellier book build my.othb --add WTH_*.wtb --min-games 5 --until 40 --positions 50000\n  \
    othellier book build my.othb --deepen --depth 24 --duration 2h\n  \
    othellier book build my.othb --deviate 2,6 --until 44"
)]
pub(super) struct Build {
    /// The book; a new one is made if it does not exist
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Add the positions of these games first
    #[arg(long, value_name = "GAMES", num_args = 1..)]
    add: Vec<PathBuf>,
    /// Add positions that at least K of these games reach
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = number(1u32, u32::MAX))]
    min_games: u32,
    /// Let it not grow: search positions whose best move out of the book is not known
    #[arg(long, conflicts_with_all = ["deepen", "deviate", "positions"])]
    fix: bool,
    /// Let it not grow: search again, to --depth, what its values rest on
    #[arg(long, conflicts_with_all = ["deviate", "positions"])]
    deepen: bool,
    /// Search what can be reached by small errors of one side
    #[arg(long, value_name = "R,A", conflicts_with_all = ["cost", "positions"], value_parser = errors)]
    deviate: Option<[f64; 2]>,
    /// With --deviate, discs that all moves of a line may lose together
    #[arg(long, value_name = "S", requires = "deviate", value_parser = number(0.0f64, 1e4))]
    sum: Option<f64>,
    /// Stop at N positions
    #[arg(long, value_name = "N")]
    positions: Option<usize>,
    /// Stop after this time, such as 90s, 30m or 2h
    #[arg(long, value_name = "TIME", value_parser = duration)]
    duration: Option<Duration>,
    #[command(flatten)]
    way: CostArgs,
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
    after_help = "Counts wins, draws and losses. A game counts once, however often it is added.\n\n\
    Examples:\n  othellier book add my.othb WTH_*.wtb --min-games 5 --until 40\n  \
    othellier book add my.othb games.ggf --search --depth 22"
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
    /// Search the positions of the games; otherwise `build --fix` or `todo` do
    #[arg(long = "search")]
    searches: bool,
    #[command(flatten)]
    extent: Extent,
    #[command(flatten)]
    search: SearchOptions,
    /// Print the closing line as JSON
    #[arg(long)]
    json: bool,
}

pub(super) const SIDES: [(&str, Color); 2] = [("black", Color::Black), ("white", Color::White)];

/// Two numbers of at most `most` with a comma.
fn pair(text: &str, most: f64) -> Option<[f64; 2]> {
    let (first, second) = text.split_once(',')?;
    let number = |text: &str| text.trim().parse().ok().filter(|n| (0.0..=most).contains(n));
    Some([number(first)?, number(second)?])
}

pub(super) fn costs(text: &str) -> Result<[f64; 2], String> {
    pair(text, 1e6).ok_or_else(|| "expected two numbers OWN,OTHER, such as 4,1".into())
}

fn errors(text: &str) -> Result<[f64; 2], String> {
    let discs =
        || "expected discs R,A: what a move may lose, and how far a score may be from the root's";
    pair(text, 128.0).ok_or_else(|| discs().into())
}

pub(super) fn games(paths: &[PathBuf]) -> anyhow::Result<Vec<Game>> {
    let mut games = Vec::new();
    for path in paths {
        games.extend(GameFile::read(path, None, None)?.legal_games(warn)?);
    }
    Ok(games)
}

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

#[derive(Clone, Copy)]
struct Terms {
    /// In plies.
    depth: u32,
    /// Positions to reach, for the progress bar.
    positions: Option<usize>,
    until: Option<Instant>,
    is_json: bool,
    /// Positions in the book before the command.
    n_before: usize,
    /// Why there may be nothing to search, where that is worth a word.
    nothing: Option<&'static str>,
}

/// Searches until there is nothing left, the time is over or a signal comes.
fn work(
    mut file: BookFile,
    resources: &SearchResources,
    terms: Terms,
    select: impl Fn(&Sections, usize) -> Vec<Task>,
) -> anyhow::Result<()> {
    let what = if terms.positions.is_some() { "positions" } else { "searches" };
    let time = terms.until.map(|until| until.saturating_duration_since(Instant::now()));
    let bar = progress::bar(what, terms.positions.map(|n| n as u64), time);
    let settings = resources.settings(terms.depth);
    let grown = grow(&mut file, settings, terms.until, select, &mut |searched, positions| {
        bar.set_position(if terms.positions.is_some() { positions } else { searched } as u64);
    })?;
    bar.finish_and_clear();
    if let Some(nothing) = terms.nothing.filter(|_| grown.searched == 0 && grown.is_complete) {
        warn(&format!("nothing to search: {nothing}"));
    }
    close(file, grown.is_complete, terms.n_before, resources.start, terms.is_json)
}

/// A limit that adds no positions, because no board has so many empty squares.
const NOTHING: u32 = 65;

pub(super) fn build(arguments: &Build) -> anyhow::Result<()> {
    let Build { fix, deepen, deviate, extent, search, .. } = arguments;
    if *fix || *deepen {
        check_exists(&arguments.file)?;
    }
    let root = arguments.way.root()?;
    let games = games(&arguments.add)?;
    let resources = SearchResources::open(&search.pool)?;
    let mut file = open(&arguments.file)?;
    let n_before = file.book().len();
    if !games.is_empty() {
        take_games(&mut file, games, arguments.min_games, extent)?;
    }
    let is_full = arguments.positions.is_some_and(|most| file.book().len() >= most);
    let nothing = match () {
        () if *fix => None,
        () if *deepen => Some("all leaves are as deep as --depth"),
        () if deviate.is_some() => Some("all moves that lose no more are in the book"),
        () if is_full => Some("the book has as many positions as --positions allows"),
        () => Some("no move out of the book is within --until and the other limits"),
    };
    let rule = match *deviate {
        None => arguments.way.rule(),
        Some(discs) => {
            let [relative, absolute] = discs.map(|discs| (discs * f64::from(DISC)).round() as i32);
            let most_cost = arguments.sum.unwrap_or(f64::INFINITY);
            Rule { side: arguments.way.side, most_cost, ..Rule::deviation(relative, absolute) }
        }
    };
    let growing = |sections: &Sections, most: usize| {
        // Positions already in the book are searched even if no more may be added.
        let mut room = arguments.positions.unwrap_or(usize::MAX).saturating_sub(sections.len());
        let until = if room == 0 { NOTHING } else { extent.until };
        let mut tasks = wanted(sections, root, &rule, until, most).tasks;
        tasks.retain(|task| {
            let is_new = sections.find(task.board).is_none();
            let has_room = !is_new || room > 0;
            room -= usize::from(is_new && has_room);
            has_room
        });
        tasks
    };
    // Search each position only once: a leaf of another origin may stay the better one.
    let seen = RefCell::new(HashSet::new());
    let deepening = |sections: &Sections, most| {
        let is_wanted =
            |board, leaf| is_shallow(board, leaf, search.depth) && !seen.borrow().contains(&board);
        let tasks = shallow(sections, root, &rule, &is_wanted, most).tasks;
        seen.borrow_mut().extend(tasks.iter().map(|task| task.board));
        tasks
    };
    let select = |sections: &Sections, most| match () {
        () if *fix => late_first(due(sections)),
        () if *deepen => deepening(sections, most),
        () => growing(sections, most),
    };
    let terms = Terms {
        depth: search.depth,
        positions: arguments.positions,
        until: arguments.duration.and_then(|time| Instant::now().checked_add(time)),
        is_json: arguments.json,
        n_before,
        nothing,
    };
    work(file, &resources, terms, select)
}

/// Late positions first: the table then knows what follows on earlier ones.
fn late_first(mut tasks: Vec<Task>) -> Vec<Task> {
    tasks.reverse();
    tasks
}

pub(super) fn add(arguments: &Add) -> anyhow::Result<()> {
    let Add { extent, search, .. } = arguments;
    let start = Instant::now();
    let games = games(&arguments.games)?;
    let searched = boards(&games, extent.until);
    let resources = arguments.searches.then(|| SearchResources::open(&search.pool)).transpose()?;
    let mut file = open(&arguments.file)?;
    let n_before = file.book().len();
    take_games(&mut file, games, arguments.min_games, extent)?;
    let Some(resources) = resources else {
        return close(file, true, n_before, start, arguments.json);
    };
    let select = |sections: &Sections, _| {
        let mut tasks = due(sections);
        tasks.retain(|task| searched.contains(&task.board));
        late_first(tasks)
    };
    let (depth, is_json) = (search.depth, arguments.json);
    let terms = Terms { depth, positions: None, until: None, is_json, n_before, nothing: None };
    work(file, &resources, terms, select)
}

/// Fails if there is no book, instead of making one.
pub(super) fn check_exists(path: &Path) -> anyhow::Result<()> {
    anyhow::ensure!(path.exists(), "there is no {}", path.display());
    Ok(())
}

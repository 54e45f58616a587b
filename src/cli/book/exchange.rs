//! `othellier book merge`, `import`, `export`, `prune` and `compact`.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::ensure;
use clap::Args;

use super::grow::{SIDES, check_exists};
use super::{Root, close, consult, open, print_closing};
use crate::board::Color;
use crate::book::growth::{Rule, cut, walk};
use crate::book::sections::Sections;
use crate::bookmaking::exchange::{Form, export as written, import as read_foreign};
use crate::cli::{existing, number, one_of, warn};
use crate::files::book::create;
use crate::files::replace::{NewFile, check_distinct};
use crate::score::DISC;
use crate::support::text::counted;

#[derive(Debug, Args)]
#[command(
    after_help = "Positions of all books; of two facts on a position the better search counts. Games of books that share none are added up; \
    of books that share games each position keeps the highest count. The order of the books does not matter.\n\n\
    Example:\n  othellier book merge both.othb mine.othb yours.othb"
)]
pub(super) struct Merge {
    /// The new book
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// The books
    #[arg(value_name = "IN", required = true)]
    inputs: Vec<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
    /// Print the closing line as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Reads book.dat of Edax, .egbk3 and .egbk2 of Egaroucid, and what `export` writes with --to jsonl or packed. What such a file does not say is \
    not known: its searches count as not proven unless their bounds agree.\n\n\
    Example:\n  othellier book import my.othb book.dat"
)]
pub(super) struct Import {
    /// The book; a new one is made if it does not exist
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Files to read
    #[arg(value_name = "IN", required = true)]
    inputs: Vec<PathBuf>,
    /// Print the closing line as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Forms: edax (.dat), egaroucid (.egbk3), jsonl (loses nothing), moves (.txt: a move list with value and depth for each end of the book) and packed \
    (.bin: a tree of moves in 5 bytes a position, without games). The first two keep whole discs and one level.\n\n\
    Example:\n  othellier book export my.othb book.dat"
)]
pub(super) struct Export {
    /// The book; - for the one that is part of the program
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The file to write; - for standard output
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// Form of the file [default: by extension]
    #[arg(long, value_name = "FORM", value_parser = form)]
    to: Option<Form>,
    /// Only positions up to this ply
    #[arg(long, value_name = "P", value_parser = number(0u32, 60))]
    plies: Option<u32>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "A removed position leaves its value behind, as that of a move out of the book. Positions that the root does not lead to are \
    removed too.\n\n\
    Example:\n  othellier book prune my.othb --loss 4 --until 30"
)]
pub(super) struct Prune {
    /// The book
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Remove positions with fewer than E empty squares
    #[arg(long, value_name = "E", default_value_t = 0, value_parser = number(0u32, 60))]
    until: u32,
    /// Remove moves that lose more than R discs
    #[arg(long, value_name = "R", default_value_t = 128.0, value_parser = number(0.0f64, 128.0))]
    loss: f64,
    /// Remove lines whose moves lose more than S discs together
    #[arg(long, value_name = "S", value_parser = number(0.0f64, 1e4))]
    sum: Option<f64>,
    /// Keep the lines of one side's best moves, and let only the other side lose
    #[arg(long, value_name = "SIDE", value_parser = one_of(&SIDES))]
    side: Option<Color>,
    #[command(flatten)]
    root: Root,
    /// Print the closing line as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "All other commands that write a book do this at their end.\n\n\
    Example:\n  othellier book compact my.othb")]
pub(super) struct Compact {
    /// The book
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print the closing line as JSON
    #[arg(long)]
    json: bool,
}

fn form(text: &str) -> Result<Form, String> {
    Form::ALL.into_iter().find(|form| form.name() == text).ok_or_else(|| {
        let names = Form::ALL.map(Form::name);
        format!("expected {}", names.join(", "))
    })
}

pub(super) fn merge(arguments: &Merge) -> anyhow::Result<()> {
    let start = Instant::now();
    check_distinct(&arguments.out, &arguments.inputs)?;
    let books = arguments.inputs.iter().map(|path| Ok(consult(path)?.sections()?));
    let merged = union(&books.collect::<anyhow::Result<Vec<_>>>()?);
    create(&arguments.out, existing(arguments.force), &merged)?;
    print_closing(&merged, 0, start, arguments.json)
}

fn union(books: &[Sections]) -> Sections {
    let (merged, share_games) = Sections::union(books);
    if share_games {
        warn("books share games, or do not name them: each position keeps the highest count");
    }
    merged
}

pub(super) fn import(arguments: &Import) -> anyhow::Result<()> {
    let start = Instant::now();
    check_distinct(&arguments.file, &arguments.inputs)?;
    let mut books = Vec::new();
    for path in &arguments.inputs {
        let imported = read_foreign(path)?;
        for (flaw, n) in &imported.flaws {
            warn(&format!("{}: {n} {flaw}", path.display()));
        }
        books.push(imported.sections);
    }
    let mut file = open(&arguments.file)?;
    books.push(file.book().sections()?);
    let n_before = books.last().map_or(0, Sections::len);
    let sections = union(&books);
    file.replace(&sections)?;
    print_closing(&sections, n_before, start, arguments.json)
}

pub(super) fn export(arguments: &Export) -> anyhow::Result<()> {
    let Some(form) = arguments.to.or_else(|| Form::of(&arguments.out)) else {
        anyhow::bail!("{}: unknown extension; choose a form with --to", arguments.out.display());
    };
    check_distinct(&arguments.out, std::slice::from_ref(&arguments.file))?;
    let mut sections = consult(&arguments.file)?.sections()?;
    if let Some(plies) = arguments.plies {
        sections = cut(&sections, |entry| 60 - entry.board.n_empties() <= plies);
    }
    let exported = written(&sections, form);
    if exported.n_left_out > 0 {
        let reason = match form {
            Form::Packed => "out of reach from the start",
            Form::Moves => "without a value, or out of reach from the start",
            _ => "without a value",
        };
        let positions = counted(exported.n_left_out, "position", "positions");
        warn(&format!("{} has no place for {positions} {reason}", form.name()));
    }
    let mut output = std::io::stdout().lock();
    if arguments.out.as_os_str() == "-" {
        output.write_all(&exported.bytes)?;
        output.flush()?;
        return Ok(());
    }
    let existing = existing(arguments.force);
    NewFile::save(&arguments.out, existing, &exported.bytes)?;
    writeln!(output, "export: {} positions", exported.n)?;
    Ok(())
}

pub(super) fn prune(arguments: &Prune) -> anyhow::Result<()> {
    let start = Instant::now();
    check_exists(&arguments.file)?;
    let root = arguments.root.position()?;
    let mut file = open(&arguments.file)?;
    let sections = file.book().sections()?;
    let n_before = sections.len();
    let most = (arguments.loss * f64::from(DISC)).round() as i32;
    let own = if arguments.side.is_some() { 0 } else { most };
    let rule = Rule {
        side: arguments.side,
        most: [own, most],
        ..Rule::both(most, arguments.sum.unwrap_or(f64::INFINITY))
    };
    let mut reached = HashSet::new();
    walk(&sections, (root.board, root.side), &rule, &mut |entry, _, _| {
        reached.insert(entry.board);
    });
    let is_kept = |entry: &crate::book::Entry| {
        entry.board.n_empties() >= arguments.until && reached.contains(&entry.board)
    };
    let rest = cut(&sections, is_kept);
    ensure!(
        !rest.is_empty() || sections.is_empty(),
        "{}: the root is not in the book; nothing is removed",
        arguments.file.display()
    );
    file.replace(&rest)?;
    print_closing(&rest, n_before, start, arguments.json)
}

pub(super) fn compact(arguments: &Compact) -> anyhow::Result<()> {
    let start = Instant::now();
    check_exists(&arguments.file)?;
    let file = open(&arguments.file)?;
    let n_before = file.book().len();
    close(file, true, n_before, start, arguments.json)
}

//! Tables for the terminal, aligned by display width. The stream drops the colors where none are wanted.

use anstream::adapter::strip_str;
use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::numbers::{duration, percent};
use super::ranking::{Ranked, crossed, note_on_groups, ranked};
use crate::matches::standing::Standing;
use crate::matches::statistics::Tally;
use crate::page::pieces::signed;
use crate::support::text::printable;

const BAD: Style = AnsiColor::Red.on_default();

/// In columns.
const WIDTH: usize = 100;

/// Width of a name in the cross table.
const CROSS_NAME: usize = 24;

/// The scores are headed by ranks.
const CROSS_HEADING: &str = "against";

/// Spaces between two columns.
const GAP: usize = 2;

/// The players from strongest to weakest and, for more than two, a cross table, without a newline at the end.
pub fn text(standing: &Standing) -> String {
    let players = ranked(standing);
    let mut lines = rating_list(standing, &players);
    if players.len() > 2 {
        lines.extend(cross_tables(standing, &players));
    }
    if let Some(note) = note_on_groups(standing, &players) {
        lines.extend([String::new(), printable(&note)]);
    }
    lines.join("\n")
}

/// The headings and a line per player; only names are left-aligned.
fn rating_list(standing: &Standing, players: &[Ranked]) -> Vec<String> {
    const NAME: usize = 1;
    let headings = ["rank", "player", "rating", "points", "games", "score", "total time", "faults"];
    let mut rows = vec![headings.map(|heading| painted(Style::new().bold(), heading))];
    rows.extend((1..).zip(players).map(|(rank, player)| {
        let rating = &player.rating;
        [
            rank.to_string(),
            printable(&standing.names()[player.player]),
            if rating.error.is_finite() {
                format!("{} +- {:.0}", signed(rating.elo, 0), rating.error)
            } else {
                "-".into()
            },
            format!("{:.1}", rating.points),
            rating.games.to_string(),
            player.score().map_or("-".into(), percent),
            duration(player.seconds),
            painted(if player.faults > 0 { BAD } else { Style::new() }, &player.faults.to_string()),
        ]
    }));
    let mut widths: [usize; 8] =
        std::array::from_fn(|column| rows.iter().map(|row| width(&row[column])).max().unwrap_or(0));
    let others: usize = widths.iter().sum::<usize>() - widths[NAME] + GAP * (widths.len() - 1);
    widths[NAME] = widths[NAME].min(WIDTH.saturating_sub(others));
    rows.iter()
        .map(|row| {
            let cells = row.iter().enumerate().map(|(column, cell)| match column {
                NAME => left(cell, widths[NAME]),
                _ => right(cell, widths[column]),
            });
            cells.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end().into()
        })
        .collect()
}

/// Every player's score and wins-draws-losses against every other one, split into tables that fit the width.
fn cross_tables(standing: &Standing, players: &[Ranked]) -> Vec<String> {
    let n = players.len();
    let cells = crossed(standing, players).into_iter().enumerate().map(|(at, tally)| {
        let no_games = if at % (n + 1) == 0 { "-" } else { "" };
        tally.map_or_else(|| [no_games.into(), String::new()], |tally| cell(&tally))
    });
    let cells: Vec<[String; 2]> = cells.collect();
    let names: Vec<String> =
        players.iter().map(|player| printable(&standing.names()[player.player])).collect();
    let rank_width = n.to_string().len().max(4);
    let longest = names.iter().map(|name| name.width()).max().unwrap_or(0);
    let name_width = longest.clamp(CROSS_HEADING.width(), CROSS_NAME);
    let cell_width = cells.iter().flatten().map(|text| width(text)).max().unwrap_or(0);
    let left_over = WIDTH.saturating_sub(rank_width + GAP + name_width);
    let per_table = (left_over / (cell_width + GAP)).max(1);
    let mut lines = Vec::new();
    for start in (0..n).step_by(per_table) {
        let part = start..n.min(start + per_table);
        let line = |rank: &str, name: &str, cells: Vec<String>| {
            let cells = cells.iter().map(|cell| format!("  {}", right(cell, cell_width)));
            let (rank, name) = (right(rank, rank_width), left(name, name_width));
            format!("{rank}  {name}{}", cells.collect::<String>()).trim_end().to_owned()
        };
        let ranks = part.clone().map(|place| (place + 1).to_string());
        lines.extend([String::new(), line("rank", CROSS_HEADING, ranks.collect())]);
        for (row, name) in names.iter().enumerate() {
            let row_cells = &cells[row * n..][part.clone()];
            let texts = |at: usize| row_cells.iter().map(|cell| cell[at].clone()).collect();
            lines.extend([line(&(row + 1).to_string(), name, texts(0)), line("", "", texts(1))]);
        }
    }
    lines
}

fn cell(tally: &Tally) -> [String; 2] {
    let score = tally.points() / tally.games().max(1) as f64;
    let style = match score {
        0.5 => Style::new(),
        ..0.5 => BAD,
        _ => AnsiColor::Green.on_default(),
    };
    let results = format!("{}-{}-{}", tally.wins(), tally.draws(), tally.losses());
    [painted(style, &percent(score)), results]
}

fn painted(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// In columns, without styles.
fn width(text: &str) -> usize {
    strip_str(text).map(UnicodeWidthStr::width).sum()
}

fn left(text: &str, width: usize) -> String {
    let text = shortened(text, width);
    let missing = width.saturating_sub(self::width(&text));
    text + &" ".repeat(missing)
}

fn right(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(self::width(text))) + text
}

/// A text truncated to this many columns, with an ellipsis if it was cut.
fn shortened(text: &str, width: usize) -> String {
    if self::width(text) <= width {
        return text.into();
    }
    let mut used = 1;
    let fits = |symbol: &char| {
        used += symbol.width().unwrap_or(0);
        used <= width
    };
    text.chars().take_while(fits).collect::<String>() + "…"
}

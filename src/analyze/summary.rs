//! Many analyzed games together: what players lose, in which openings and with which moves, and the worst moves of all.

use anyhow::Context;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::index::page_name;
use super::page::KIND;
use super::rows::Row;
use crate::batch::part::Part;
use crate::board::Square;
use crate::page::chart::{AXIS, Scale, captions, frame, grid};
use crate::page::pieces::{name, scrolled};
use crate::page::{escape, fill, page};
use crate::support::checksum::Checksum;
use crate::support::text::{counted, printable};

const TEMPLATE: &str = include_str!("summary.html");
const OWN_STYLE: &str = ".chart rect { fill: var(--plus); }\n\
    tr > :first-child { text-align: left; }\n\
    .position { display: block; width: 120px; margin-left: auto; background: var(--felt); }\n\
    .position path { stroke: var(--felt-edge); stroke-width: 0.05; }\n\
    .position .X { fill: #16191d; }\n\
    .position .O { fill: #fbfbf8; }\n\
    .position .move, .position .best { fill: none; stroke: #f0862f; stroke-width: 0.12; }\n\
    .position .best { stroke: #56b4e9; }\n";

/// The worst moves that are kept, and the bars of a chart.
const MOST: [usize; 2] = [20, 60];

/// What is told of a group: discs lost and seconds used are those of a game, lost ones also by the numbers of the moves.
const COLUMNS: &str = "name games moves lost lost_1_20 lost_21_40 lost_41_60 inaccuracies mistakes blunders time_used";

/// What is told of the worst moves, as the keys of a row say it.
const WORST: &str = "loss move best player file game ply position";

/// Titles and heads of the tables on a page.
const SHOWN: [(&str, &str); 3] = [("Players", GROUP), ("Openings", GROUP), ("Worst moves", MOVE)];
const GROUP: &str = "Name Games Moves Lost 1–20 21–40 41–60 Inaccuracies Mistakes Blunders Seconds";
const MOVE: &str = "Loss Move Better Player File Game Ply Position";

const CLASSES: [&str; 4] = ["best", "inaccuracy", "mistake", "blunder"];

/// Of a player, an opening or a number of move: games, moves, discs lost by twenty moves of the game, moves of each class, games that
/// tell times, and seconds in them.
type Sums = [f64; 11];

fn cells((name, sums): (&String, &Sums)) -> Vec<Value> {
    let [games, moves, early, middle, late, _, small, large, huge, timed, seconds] = *sums;
    let count = |n: f64| Value::from(n as u64);
    let mean = |sum: f64, n: f64| Value::from((100.0 * sum / n).round() / 100.0);
    let lost = [early + middle + late, early, middle, late].map(|discs| mean(discs, games));
    let errors = [small, large, huge].map(count);
    let counts = [name.as_str().into(), count(games), count(moves)];
    [&counts[..], &lost, &errors, &[mean(seconds, timed)]].concat()
}

/// The same for a terminal, a page and JSON, where each row is an object.
struct Table {
    name: &'static str,
    columns: &'static str,
    rows: Vec<Vec<Value>>,
}

impl Table {
    /// The cells as text, below the names of the columns.
    fn texts(&self) -> Vec<Vec<String>> {
        let rows = self.rows.iter().map(|row| row.iter().map(text).collect());
        std::iter::once(self.columns.split(' ').map(str::to_owned).collect()).chain(rows).collect()
    }
}

fn text(cell: &Value) -> String {
    match cell {
        Value::String(text) => printable(text),
        Value::Number(number) if number.is_f64() => format!("{:.2}", cell.as_f64().unwrap_or(0.0)),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// What many games say together.
#[derive(Debug, Default)]
pub struct Summary {
    n_games: usize,
    /// By player, by opening, by number of the move.
    groups: [BTreeMap<String, Sums>; 3],
    /// Files and rows, those that lose most first.
    worst: Vec<(String, Row)>,
    /// Those of the game that is being read.
    game: Vec<(String, Row)>,
    /// Moves of games that have rows, but not these.
    n_lost: usize,
    /// Of which input how many shards there are, and which of them were read.
    shards: BTreeMap<(String, u64), BTreeSet<u64>>,
    /// What else is missing of the files that were read.
    missing: Vec<String>,
}

/// The name of the mover; WTHOR writes `???` where it is not known.
fn named(row: &Row) -> Option<&str> {
    row.player.as_deref().filter(|name| name.bytes().any(|byte| byte != b'?'))
}

/// The name of the mover, or its color.
fn player(row: &Row) -> &str {
    named(row).unwrap_or(&row.side)
}

/// In discs.
fn lost(row: &Row) -> f64 {
    row.loss.as_f64().unwrap_or(0.0)
}

impl Summary {
    /// Adds lines as `analyze --batch` prints them, all of a game together.
    pub fn read(&mut self, file: &str, lines: &str) -> anyhow::Result<()> {
        let (mut sum, mut games, mut has_parts) = (Checksum::new(), BTreeSet::new(), false);
        for (line, number) in lines.split_inclusive('\n').zip(1..) {
            if let Some((part, rows)) = Part::of_closing_line(line.as_bytes()) {
                if sum.to_string() != rows {
                    self.missing.push(format!("{file} line {number}: rows of this part"));
                }
                let input = (part.input, part.shard.n());
                self.shards.entry(input).or_default().insert(part.shard.k());
                (sum, has_parts) = (Checksum::new(), true);
                continue;
            }
            sum.add(line.as_bytes());
            let at = || format!("{file} line {number}: no row of analyze --batch");
            let row: Row = serde_json::from_str(line).with_context(at)?;
            games.insert(row.game);
            self.add(file, row);
        }
        let n_without = games.last().map_or(0, |last| last - games.len());
        if n_without > 0 && !has_parts {
            let games = counted(n_without, "game", "games");
            self.missing.push(format!("{file}: all rows of {games}"));
        }
        Ok(())
    }

    /// What the rows that were read lack of their games and of their job.
    pub fn missing(&mut self) -> Vec<String> {
        self.close_game();
        let mut missing = self.missing.clone();
        if self.n_lost > 0 {
            let moves = counted(self.n_lost, "move", "moves");
            missing.push(format!("rows of {moves} in games that have others, as with --min-loss"));
        }
        for ((_, n), shards) in &self.shards {
            if (shards.len() as u64) < *n {
                missing.push(format!("{} of {n} shards", n - shards.len() as u64));
            }
        }
        missing
    }

    /// Adds a row, those of a game one after the other. Files of several outputs have games of the same number.
    pub fn add(&mut self, file: &str, row: Row) {
        let is_same = |(of, other): &(String, Row)| {
            of == file && other.game == row.game && other.ply < row.ply
        };
        if !self.game.last().is_none_or(is_same) {
            self.close_game();
        }
        self.game.push((file.into(), row));
    }

    fn close_game(&mut self) {
        let mut rows = std::mem::take(&mut self.game);
        self.n_games += usize::from(!rows.is_empty());
        self.n_lost += rows.last().map_or(0, |(_, row)| row.ply.saturating_sub(rows.len()));
        let opening = rows.iter().rev().find_map(|(_, row)| row.opening.as_deref());
        let opening = opening.unwrap_or("none").to_owned();
        // Where moves tell their times, the first ones without any are an opening that was given.
        rows.drain(..rows.iter().position(|(_, row)| row.time_used.is_some()).unwrap_or(0));
        let (mut seen, mut timed) = (BTreeSet::new(), BTreeSet::new());
        for (_, row) in rows.iter().filter(|(_, row)| row.mv != "pa") {
            let n_empties = row.position.matches('-').count();
            let number = 61_usize.saturating_sub(n_empties).clamp(1, 60);
            let class = CLASSES.iter().position(|name| row.class == *name).unwrap_or(0);
            let number_name = format!("{number:02}");
            let names = [named(row), Some(&*opening), Some(&*number_name)];
            for ((kind, groups), name) in self.groups.iter_mut().enumerate().zip(names) {
                // Those without a name are not one player.
                let Some(name) = name.map(str::to_owned) else { continue };
                let sums = groups.entry(name.clone()).or_default();
                if let Some(seconds) = row.time_used {
                    sums[9] += f64::from(timed.insert((kind, name.clone())));
                    sums[10] += seconds;
                }
                sums[0] += f64::from(seen.insert((kind, name)));
                sums[1] += 1.0;
                sums[2 + (number - 1) / 20] += lost(row);
                sums[5 + class] += 1.0;
            }
        }
        self.worst.extend(rows.into_iter().filter(|(_, row)| row.class != "best"));
        self.worst.sort_by(|(_, a), (_, b)| lost(b).total_cmp(&lost(a)));
        self.worst.truncate(MOST[0]);
    }

    /// Players and openings, those with most games first, the worst moves, and numbers of moves.
    fn tables(&mut self) -> [Table; 4] {
        self.close_game();
        let table = |name, kind: usize| {
            let rows = self.groups[kind].iter().map(cells).collect();
            Table { name, columns: COLUMNS, rows }
        };
        let worst = |(file, row): &(String, Row)| {
            let Row { loss, mv, best, game, ply, position, .. } = row;
            let texts = [mv, best, player(row), file].map(Value::from);
            let place = [(*game).into(), (*ply).into(), position.as_str().into()];
            [&[Value::Number(loss.clone())], &texts[..], &place].concat()
        };
        let rows = self.worst.iter().map(worst).collect();
        let worst = Table { name: "worst", columns: WORST, rows };
        let mut tables = [table("players", 0), table("openings", 1), worst, table("moves", 2)];
        for table in &mut tables[..2] {
            table.rows.sort_by_key(|row| std::cmp::Reverse(row[1].as_u64()));
        }
        tables
    }

    pub fn json(&mut self) -> Value {
        let mut all = json!({});
        for Table { name, columns, rows } in self.tables() {
            let object = |row: Vec<Value>| columns.split(' ').map(str::to_owned).zip(row).collect();
            all[name] = rows.into_iter().map(object).collect::<Vec<Value>>().into();
        }
        all["games"] = self.n_games.into();
        all
    }

    /// Tables for a terminal, without the numbers of moves, and a closing line.
    pub fn text(&mut self) -> String {
        let mut all = String::new();
        for table in &self.tables()[..3] {
            let rows = table.texts();
            let width =
                |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
            let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
            all += &format!("{}\n", table.name);
            for row in &rows {
                let mut line = format!("{:<1$}", row[0], widths[0]);
                for (cell, width) in row.iter().zip(&widths).skip(1) {
                    line += &format!("  {cell:>width$}");
                }
                all += &format!("{}\n", line.trim_end());
            }
            all += "\n";
        }
        all + &format!("summary: {} games\n", self.n_games)
    }

    /// A page that loads nothing. `effort` is a sentence on the search effort. The worst moves of the collection whose `index` lies beside
    /// the page lead to the pages of their games.
    pub fn html(&mut self, title: &str, effort: &str, index: &str) -> String {
        let tables = self.tables();
        let has_page = |row: &[Value]| {
            let file = Path::new(row[4].as_str().unwrap_or_default()).file_name();
            let title = name(&file.unwrap_or_default().to_string_lossy());
            index.contains(&format!("<h1>{title}</h1>"))
        };
        let mut sections = String::new();
        for (table, (title, heads)) in tables.iter().zip(SHOWN) {
            let head = |text| format!(r#"<th scope="col">{text}</th>"#);
            let row = |row: &Vec<Value>| {
                let cells = row.iter().zip(heads.split(' ')).map(|(value, head)| match head {
                    "Position" => format!("<td>{}</td>", picture(row)),
                    "Game" if has_page(row) => {
                        format!(
                            r#"<td><a href="{}#ply={}">{value}</a></td>"#,
                            page_name(value),
                            row[6]
                        )
                    }
                    _ => format!("<td>{}</td>", name(&text(value))),
                });
                format!("<tr>{}</tr>\n", cells.collect::<String>())
            };
            let rows: String = table.rows.iter().map(row).collect();
            let heads: String = heads.split(' ').map(head).collect();
            sections += &format!(
                "<section><h2>{title}</h2>{}</section>",
                scrolled(["", title], &heads, &rows)
            );
        }
        let main = fill(
            TEMPLATE,
            &[
                ("moves", &bars(&tables[3].rows, "number of the move")),
                ("players", &bars(&tables[0].rows, "player, in the order of the table")),
                ("tables", &sections),
                ("effort", &escape(effort)),
            ],
        );
        let lead = counted(self.n_games, "game", "games");
        page(KIND, &[title], &lead, OWN_STYLE, &main, "")
    }
}

/// The board of one of the worst moves, with rings on this move and on the better one.
fn picture(row: &[Value]) -> String {
    let circle = |class: &str, square: usize| {
        let [x, y] = [square % 8, square / 8].map(|at| at as f64 + 0.5);
        format!(r#"<circle class="{class}" cx="{x}" cy="{y}" r="0.4"/>"#)
    };
    let position = text(&row[7]);
    let lines: String = (1..8).map(|n| format!("M0 {n}H8M{n} 0V8")).collect();
    let cells = position.chars().take(64).enumerate().filter(|(_, cell)| *cell != '-');
    let discs: String = cells.map(|(square, cell)| circle(&cell.to_string(), square)).collect();
    let rings = [("move", &row[1]), ("best", &row[2])]
        .into_iter()
        .filter_map(|(class, mv)| Some(circle(class, Square::parse(text(mv).as_bytes())?.index())));
    let rings: String = rings.collect();
    let position = escape(&position);
    format!(
        r#"<svg class="position" viewBox="0 0 8 8" role="img" aria-label="{position}"><path d="{lines}"/>{discs}{rings}</svg>"#
    )
}

/// What the groups of a table lose in a game.
fn bars(rows: &[Vec<Value>], title: &str) -> String {
    let rows = &rows[..rows.len().min(MOST[1])];
    let lost = |row: &Vec<Value>| row[3].as_f64().unwrap_or(0.0);
    let y = Scale::around(0.0, rows.iter().map(lost).fold(0.0, f64::max), 4.0);
    let width = 100.0 / rows.len().max(1) as f64;
    let mut content = grid(&y, |mark| y.text(mark));
    for (at, row) in rows.iter().enumerate() {
        content += &format!(
            r#"<rect x="{:.2}%" width="{:.2}%" y="{:.2}%" height="{:.2}%"><title>{}: {}</title></rect>"#,
            (at as f64 + 0.08) * width,
            width * 0.84,
            y.below_top(lost(row)),
            y.place(lost(row)),
            escape(&text(&row[0])),
            row[3]
        );
    }
    let step = if rows.len() > 20 { 5 } else { 1 };
    let marks = (1..=rows.len()).filter(|number| number.is_multiple_of(step));
    let marks = marks.map(|number| ((number as f64 - 0.5) * width, number.to_string()));
    let content = format!("{content}{AXIS}{}", captions(marks, title));
    frame(r#"class="chart" role="img" aria-label="Discs lost a game" height="220""#, &content)
}

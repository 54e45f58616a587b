//! The page that leads to the pages of the games of a collection.

use super::judged::{Judged, Tally};
use super::page::{KIND, player};
use crate::board::Color;
use crate::formats::archive::Entry;
use crate::page::pieces::{counted, minus, name, signed};
use crate::page::{escape, fill, page};

const TEMPLATE: &str = include_str!("index.html");
const OWN_STYLE: &str = "td:nth-child(-n+3), th:nth-child(-n+3), td:nth-child(5), th:nth-child(5) { text-align: left; }\n";

pub fn index_row(entry: &Entry, opening: Option<&str>, moves: &[Judged], page: &str) -> String {
    let headers = &entry.headers;
    let [black, white] = [Color::Black, Color::White].map(|color| name(&player(headers, color)));
    let result = headers.result.discs(&entry.game);
    let result = result.map_or_else(|| "unfinished".into(), |discs| minus(&signed(discs, 0)));
    let lost = [Color::Black, Color::White].map(|color| {
        let tally = Tally::new(moves, color);
        let n_errors: usize = tally.classes[1..].iter().sum();
        format!("<td>{:.2}</td><td>{n_errors}</td>", tally.mean_loss())
    });
    format!(
        r#"<tr><td><a href="{}">{}</a></td><td>{black}</td><td>{white}</td><td>{result}</td><td>{}</td>{}</tr>"#,
        escape(page),
        entry.number,
        escape(opening.unwrap_or_default()),
        lost.concat()
    )
}

/// `effort` is a sentence on the search effort.
pub fn index(title: &str, rows: &[String], effort: &str) -> String {
    let main = fill(TEMPLATE, &[("rows", &rows.concat()), ("effort", &escape(effort))]);
    page(KIND, &[title], &counted(rows.len(), "game", "games"), OWN_STYLE, &main, "")
}

//! The page that leads to the pages of the games of a collection.

use std::fmt::Display;

use super::judged::{Judged, Tally};
use super::page::{KIND, player};
use crate::board::Color;
use crate::formats::archive::Entry;
use crate::page::pieces::{list, minus, name, signed};
use crate::page::{LIST, escape, page, scripts};
use crate::support::text::counted;

const HEADS: &str = r#"<th scope="col">Game</th><th scope="col">Black, White</th><th scope="col"><abbr title="Discs lost a move">Lost</abbr></th><th scope="col"><abbr title="Inaccuracies, mistakes and blunders">Errors</abbr></th><th scope="col">Result</th><th scope="col">Opening</th>"#;
const OWN_STYLE: &str =
    "td:nth-child(-n+2), th:nth-child(-n+2), td:last-child, th:last-child { text-align: left; }\n";

const OWN_SCRIPT: &str = include_str!("index.js");

pub const INDEX: &str = "index.html";

/// The name of a game's page beside the index.
pub fn page_name(game: impl Display) -> String {
    format!("game-{game}.html")
}

pub fn index_row(entry: &Entry, opening: Option<&str>, moves: &[Judged]) -> String {
    let headers = &entry.headers;
    let result = headers.result.discs(&entry.game);
    let result = result.map_or_else(|| "unfinished".into(), |discs| minus(&signed(discs, 0)));
    let [black, white] = [Color::Black, Color::White].map(|color| {
        let tally = Tally::new(moves, color);
        let disc = format!(r#"<i class="disc {}" aria-hidden="true"></i>"#, color.name());
        [
            format!("{disc} {}", name(&player(headers, color))),
            format!("{:.2}", tally.mean_loss()),
            tally.n_errors().to_string(),
        ]
    });
    let both =
        black.iter().zip(&white).map(|(black, white)| format!("<td>{black}<br>{white}</td>"));
    format!(
        r#"<tr><td><a href="{}">{}</a></td>{}<td>{result}</td><td>{}</td></tr>"#,
        page_name(entry.number),
        entry.number,
        both.collect::<String>(),
        escape(opening.unwrap_or_default()),
    )
}

/// `effort` is a sentence on the search effort.
pub fn index(title: &str, rows: &[String], effort: &str) -> String {
    let table = list("Opening", HEADS, &rows.concat());
    let scripts = scripts(&(), &(LIST.to_owned() + OWN_SCRIPT));
    let note = "Results are in discs for Black, losses in discs a move; errors are inaccuracies (1 disc or more), mistakes (4 or more) \
        and blunders (8 or more).";
    let main = format!(
        "<section><h2>Games</h2>{table}<p class=\"note\">{note} {}</p></section>\n",
        escape(effort)
    );
    page(KIND, &[title], &counted(rows.len(), "game", "games"), OWN_STYLE, &main, &scripts)
}

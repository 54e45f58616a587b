//! An analysis as a page: the evaluation over the game, the moves, a board to step through.

use serde_json::{Value, json};

use super::booked::{exit, exit_text};
use super::judged::{Judged, Tally, of_ply};
use crate::board::Color;
use crate::formats::Headers;
use crate::game::{Game, Ply};
use crate::page::pieces::{board, card, minus};
use crate::page::{SCRIPT, STYLE, escape, fill, page, page_beside, scripts};
use crate::score::{Score, discs, text};
use crate::search::Line;
use crate::support::text::counted;

const TEMPLATE: &str = include_str!("page.html");
const OWN_STYLE: &str = include_str!("page.css");
const OWN_SCRIPT: &str = include_str!("page.js");

/// What the pages of analyzed games are.
pub(super) const KIND: &str = "Othello game analysis";

const BETTER: &str = r#" <svg class="sample" viewBox="0 0 10 10" aria-hidden="true"><circle class="better" cx="5" cy="5" r="3"/></svg> better move"#;

/// One page about a game that loads nothing from the network. The URL fragment `#ply=20` opens it at that ply. `effort` is a sentence on
/// the search effort. With its number among the games of a folder it needs the files of [`page_files`] beside it, and leads to its
/// neighbors.
pub fn html(
    game: &Game,
    headers: &Headers,
    opening: Option<&str>,
    moves: &[Judged],
    effort: &str,
    number: Option<usize>,
) -> String {
    let [black, white] = [Color::Black, Color::White].map(|color| player(headers, color));
    let plies = (1..).zip(game.plies()).map(|(at, ply)| ply_data(ply, of_ply(moves, at)));
    let plies: Vec<Value> = plies.collect();
    let exit = exit(moves).map(|exit| exit.ply);
    let data =
        json!({ "start": game.start().to_string(), "plies": plies, "game": number, "exit": exit });
    let lead = lead(game, headers, opening, moves);
    let main = fill(
        TEMPLATE,
        &[
            ("board", &board([&black, &white], BETTER)),
            ("cards", &cards(moves)),
            ("effort", &escape(effort)),
        ],
    );
    let names = [&*black, &white];
    match number {
        Some(_) => page_beside([KIND, &lead, &main], &names, &data),
        None => page(KIND, &names, &lead, OWN_STYLE, &main, &scripts(&data, OWN_SCRIPT)),
    }
}

/// What the pages of a folder share, with the names of the files: a style, and a script that knows the numbers of the games.
pub fn page_files(games: &[usize]) -> [(&'static str, String); 2] {
    let script = format!("{SCRIPT}const GAMES = {games:?};\n{OWN_SCRIPT}");
    [("page.css", STYLE.to_owned() + OWN_STYLE), ("page.js", script)]
}

/// A player's name, or the color.
pub(super) fn player(headers: &Headers, color: Color) -> String {
    let name = headers.names[color.index()].trim();
    if name.is_empty() { color_name(color).into() } else { name.into() }
}

const fn color_name(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}

fn lead(game: &Game, headers: &Headers, opening: Option<&str>, moves: &[Judged]) -> String {
    let score = headers.result.discs(game);
    let mut facts = vec![match score {
        Some(score) if score > 0.0 => format!("Black won by {score}"),
        Some(score) if score < 0.0 => format!("White won by {}", -score),
        Some(_) => "Draw".into(),
        None => "Unfinished".into(),
    }];
    facts.extend(opening.map(|name| format!("opening {name}")));
    facts.extend(exit_text(moves).map(|text| minus(text.trim_end_matches('.'))));
    let later = moves.first().filter(|first| first.ply > 1);
    facts.extend(later.map(|first| format!("judged from ply {} on", first.ply)));
    facts.extend([headers.event.clone(), headers.place.clone()]);
    let mut facts: Vec<String> = facts.iter().map(|fact| escape(fact)).collect();
    facts.push(date(&headers.date));
    facts.retain(|fact| !fact.is_empty());
    facts.join(" · ")
}

/// A date as in the file. Some GGF files count seconds since 1970, which the script formats as a date.
fn date(text: &str) -> String {
    // Fewer digits are a year or a day.
    let is_count = (9..=11).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_count { format!(r#"<time id="date">{text}</time>"#) } else { escape(text) }
}

/// Key figures of both sides, and how many of the moves are judged exactly.
fn cards(moves: &[Judged]) -> String {
    let mut cards = String::new();
    for color in [Color::Black, Color::White] {
        let tally = Tally::new(moves, color);
        let side = color_name(color);
        cards += &card(
            &format!("{side}: loss per move"),
            &format!("{:.2}", tally.mean_loss()),
            &format!(
                "{:.1} discs in {}",
                discs(tally.loss),
                counted(tally.n_moves(), "move", "moves")
            ),
        );
        cards += &card(&format!("{side}: errors"), &tally.n_errors().to_string(), &tally.errors());
    }
    let n_exact = moves.iter().filter(|judged| judged.is_exact()).count();
    let share = format!("{n_exact} of {}", moves.len());
    cards += &card("Judged exactly", &share, "plies, solved to the end");
    cards
}

/// What the script shows of a ply; only its move if that is not judged.
fn ply_data(ply: &Ply, judged: Option<&Judged>) -> Value {
    let Some(judged) = judged else { return json!({ "move": ply.mv.to_string() }) };
    let value = |line: &Line| [line.mv.to_string(), score_text(line.score, line.is_proven())];
    let Line { depth, selectivity, pv, .. } = &judged.best;
    json!({
        "move": judged.mv.to_string(),
        "score": score_text(judged.score, judged.is_proven),
        "loss": judged.loss_text(),
        "class": judged.class().name(),
        "better": judged.better().map(value),
        "book": judged.booked.best().filter(|best| best.mv != judged.mv).map(value),
        "depth": (!judged.is_exact()).then(|| [*depth, selectivity.percent()]),
        "pv": pv.iter().map(ToString::to_string).collect::<String>(),
    })
}

fn score_text(score: Score, is_proven: bool) -> String {
    minus(&text(score, is_proven))
}

//! An analysis as a self-contained page: the evaluation over the game, the moves, a board to step through.

use serde_json::{Value, json};

use super::booked::{exit, exit_text};
use super::judged::{Booked, Class, Judged, Tally};
use crate::board::{Color, Move};
use crate::formats::Headers;
use crate::game::Game;
use crate::page::chart::{
    AREA, LINE, Scale, captions, entry, frame, grid, legend, path, stretched,
};
use crate::page::pieces::{board, card, minus, signed};
use crate::page::{escape, fill, page, scripts};
use crate::score::{Score, discs, text};
use crate::support::text::counted;

const TEMPLATE: &str = include_str!("page.html");
const OWN_STYLE: &str = include_str!("page.css");
const OWN_SCRIPT: &str = include_str!("page.js");

/// What the pages of analyzed games are.
pub(super) const KIND: &str = "Othello game analysis";

const BETTER: &str = r#" <svg class="sample" viewBox="0 0 10 10" aria-hidden="true"><circle class="better" cx="5" cy="5" r="3"/></svg> better move"#;

/// The minimum range of the chart in discs.
const MIN_RANGE: f64 = 8.0;

/// One self-contained page about a game that loads nothing from the network. The URL fragment `#ply=20` opens it at that ply.
/// `effort` is a sentence on the search effort.
pub fn html(
    game: &Game,
    headers: &Headers,
    opening: Option<&str>,
    moves: &[Judged],
    effort: &str,
) -> String {
    let [black, white] = [Color::Black, Color::White].map(|color| player(headers, color));
    let plies: Vec<Value> = moves.iter().map(ply_data).collect();
    let data = json!({ "start": game.start().to_string(), "plies": plies });
    let lead = lead(game, headers, opening, exit_text(moves));
    let main = fill(
        TEMPLATE,
        &[
            ("board", &board([&black, &white], BETTER)),
            ("cards", &cards(moves)),
            ("chart", &chart(moves)),
            ("rows", &moves.iter().map(row).collect::<String>()),
            ("effort", &escape(effort)),
        ],
    );
    page(KIND, &[&black, &white], &lead, OWN_STYLE, &main, &scripts(&data, OWN_SCRIPT))
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

fn lead(game: &Game, headers: &Headers, opening: Option<&str>, book: Option<String>) -> String {
    let score = headers.result.discs(game);
    let mut facts = vec![match score {
        Some(score) if score > 0.0 => format!("Black won by {score}"),
        Some(score) if score < 0.0 => format!("White won by {}", -score),
        Some(_) => "Draw".into(),
        None => "Unfinished".into(),
    }];
    facts.extend(opening.map(|name| format!("opening {name}")));
    facts.extend(book.map(|text| minus(text.trim_end_matches('.'))));
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
        let errors = tally.classes[1..].iter().sum::<usize>();
        cards += &card(&format!("{side}: errors"), &errors.to_string(), &tally.errors());
    }
    let n_exact = moves.iter().filter(|judged| judged.is_exact()).count();
    let share = format!("{n_exact} of {}", moves.len());
    cards += &card("Judged exactly", &share, "plies, solved to the end");
    cards
}

fn move_name(mv: Move) -> String {
    if mv == Move::Pass { "pass".into() } else { mv.to_string() }
}

/// With the variation that starts with the best move.
fn ply_data(judged: &Judged) -> Value {
    let side = color_name(judged.side());
    let played = score_text(judged.score, judged.is_proven);
    let mut said = format!("{side} {}{}: {played}", move_name(judged.mv), judged.class().sign());
    if let Some(best) = judged.better() {
        said += &format!(
            "; {} is worth {}, {} more",
            move_name(best.mv),
            score_text(best.score, best.is_proven()),
            judged.loss_text(),
        );
    }
    if let Booked::Known { best, .. } = &judged.booked
        && best.mv != judged.mv
    {
        said += &format!(
            "; the book plays {}: {}",
            move_name(best.mv),
            score_text(best.score, best.is_proven())
        );
    }
    json!({
        "move": judged.mv.to_string(),
        "best": judged.better().map_or(judged.mv, |best| best.mv).to_string(),
        "pv": judged.best.pv.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "text": said,
        "error": judged.class() != Class::Best,
    })
}

fn score_text(score: Score, is_proven: bool) -> String {
    minus(&text(score, is_proven))
}

fn row(judged: &Judged) -> String {
    let best = &judged.best;
    let class = judged.class();
    let is_pass = judged.mv == Move::Pass;
    let (loss, label) = if is_pass {
        (String::new(), String::new())
    } else {
        let class = format!("<span>{}</span> {}", class.name(), class.sign());
        (judged.loss_text(), class)
    };
    let better = judged
        .better()
        .map(|best| format!("{} {}", move_name(best.mv), score_text(best.score, best.is_proven())));
    let depth = if judged.is_exact() {
        "exact".into()
    } else {
        format!("{} <small>{}%</small>", best.depth, best.selectivity.percent())
    };
    format!(
        r#"<tr class="{}"><td>{}</td><td><button type="button"><i class="disc {}" aria-hidden="true"></i>{}</button></td><td>{}</td><td>{loss}</td><td class="class">{}</td><td>{}</td><td>{depth}</td></tr>"#,
        class.name(),
        judged.ply,
        judged.side().name(),
        move_name(judged.mv),
        score_text(judged.score, judged.is_proven),
        label.trim_end(),
        better.unwrap_or_default(),
    )
}

/// The scores over the game for Black, with the errors and the part that is solved.
fn chart(moves: &[Judged]) -> String {
    if moves.is_empty() {
        return "<p>No moves.</p>".into();
    }
    let for_black = |judged: &Judged| discs(judged.score * judged.side().sign());
    let mut values: Vec<f64> = moves.iter().map(for_black).collect();
    // Before the first move: the value of the best one.
    let first = &moves[0];
    values.insert(0, discs(first.best.score * first.side().sign()));
    let greatest = values.iter().fold(MIN_RANGE, |greatest, value| greatest.max(value.abs()));
    let step = if greatest <= 16.0 { 4.0 } else { 16.0 };
    let range = (greatest / step).ceil() * step;
    let x = Scale::new(0.0, moves.len() as f64, 10.0);
    let y = Scale::new(-range, range, step);
    let points: Vec<(f64, f64)> = (0_u32..)
        .zip(&values)
        .map(|(ply, &value)| (x.place(ply.into()), y.below_top(value)))
        .collect();

    // The whole plot is clickable.
    let mut content = r#"<rect width="100%" height="100%" fill="transparent"/>"#.to_string();
    let solved = moves.iter().rposition(|judged| !judged.is_exact()).map_or(0, |last| last + 1);
    if solved < moves.len() {
        let from = points[solved].0;
        let width = 100.0 - from;
        content += &format!(
            r#"<rect class="solved" x="{from:.2}%" y="0" width="{width:.2}%" height="100%"/>"#
        );
    }
    content += &grid(&y, |mark| minus(&signed(mark, 0)));
    content += &stretched(&format!(
        r#"{}{}<polyline class="course" points="{}"/>"#,
        area("black-ahead", &points, f64::min),
        area("white-ahead", &points, f64::max),
        path(points.iter().copied())
    ));
    if let Some(exit) = exit(moves) {
        let x = points[exit.ply - 1].0;
        content += &format!(
            r#"<line class="book" x1="{x:.2}%" x2="{x:.2}%" y1="0" y2="100%"><title>the book ends here</title></line>"#
        );
    }
    for (judged, &(x, y)) in moves.iter().zip(&points[1..]) {
        let class = judged.class();
        if class == Class::Best {
            continue;
        }
        // Put the sign beside the curve, where there is room: the curve falls after an error of Black.
        let above = judged.side() == Color::White;
        let shift = if above == (y > 12.0) || y > 88.0 { -9 } else { 19 };
        content += &format!(
            r#"<circle class="dot {0}" cx="{x:.2}%" cy="{y:.2}%" r="4"/><text class="error {0}" x="{x:.2}%" y="{y:.2}%" dy="{shift}">{1}<title>ply {2}: {3}</title></text>"#,
            class.name(),
            class.sign(),
            judged.ply,
            class.name(),
        );
    }
    content += r#"<line class="now" id="now" x1="0" x2="0" y1="0" y2="100%"/>"#;
    content += &captions(x.texts(), "ply");
    frame(
        r#"class="chart" id="chart" role="img" aria-label="Evaluation over the game" height="200""#,
        &content,
    ) + &chart_legend(moves, solved < moves.len())
}

/// What the colors and signs that occur mean.
fn chart_legend(moves: &[Judged], is_solved: bool) -> String {
    let course = entry(LINE, "course", "expected result, in discs for Black");
    let ahead = ["Black", "White"].map(|name| {
        entry(AREA, &format!("{}-ahead", name.to_lowercase()), &format!("{name} ahead"))
    });
    let solved = is_solved.then(|| entry(AREA, "solved", "solved"));
    let book = exit(moves).map(|_| entry(LINE, "book", "the book ends"));
    let error = |class: Class| {
        let (name, sign, least) = (class.name(), class.sign(), class.least());
        format!(r#"<li><b class="{name}">{sign}</b> {name}: {least} or more lost</li>"#)
    };
    let mut entries = vec![course];
    entries.extend(ahead.into_iter().chain(solved).chain(book));
    entries.extend(Class::errors_in(moves).map(error));
    legend(&entries)
}

/// The area between the zero line and the part of the curve on one side of it.
fn area(class: &str, points: &[(f64, f64)], clip: fn(f64, f64) -> f64) -> String {
    let mut outline = vec![(0.0, 50.0)];
    for pair in points.windows(2) {
        let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
        outline.push((x0, clip(y0, 50.0)));
        // The area begins or ends where the curve crosses the zero line.
        if (y0 - 50.0) * (y1 - 50.0) < 0.0 {
            outline.push((x0 + (x1 - x0) * (50.0 - y0) / (y1 - y0), 50.0));
        }
    }
    if let Some(&(x, y)) = points.last() {
        outline.extend([(x, clip(y, 50.0)), (x, 50.0)]);
    }
    format!(r#"<polygon class="{class}" points="{}"/>"#, path(outline))
}

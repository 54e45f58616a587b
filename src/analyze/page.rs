//! An analysis as a page that needs nothing but a browser: the evaluation over the game, the moves, a board to step through.

use std::fmt::Write;

use serde::Serialize;

use super::{Class, Judged, Tally};
use crate::board::{Color, Move};
use crate::formats::Headers;
use crate::game::Game;
use crate::page::{BOARD_SCRIPT, escape, fill, head, script_json};
use crate::score::{Score, discs, text};

const TEMPLATE: &str = include_str!("page.html");
const OWN_STYLE: &str = include_str!("page.css");
const OWN_SCRIPT: &str = include_str!("page.js");

/// Units of the stretched picture in the chart in either direction.
const UNITS: f64 = 1000.0;

/// The least range of the chart in discs.
const LEAST_RANGE: f64 = 8.0;

/// What the script needs of a ply.
#[derive(Debug, Serialize)]
struct PlyData {
    #[serde(rename = "move")]
    mv: String,
    best: String,
    /// The variation that begins with the best move.
    pv: Vec<String>,
    /// What to say of it.
    text: String,
    /// Whether it is worth a look.
    error: bool,
}

#[derive(Debug, Serialize)]
struct GameData {
    start: String,
    plies: Vec<PlyData>,
}

/// One self-contained page about a game, without anything from the network. The fragment `#ply=20` of its address opens it there.
/// `effort` says in a sentence how hard the search was.
pub fn html(
    game: &Game,
    headers: &Headers,
    opening: Option<&str>,
    moves: &[Judged],
    effort: &str,
) -> String {
    let [black, white] = [Color::Black, Color::White].map(|color| player(headers, color));
    let heading = format!("{black} – {white}");
    let data =
        GameData { start: game.start().to_string(), plies: moves.iter().map(ply_data).collect() };
    // It holds nothing but strings and truth values, so that writing it cannot fail.
    let data = serde_json::to_string(&data).unwrap_or_else(|_| "null".into());
    fill(
        TEMPLATE,
        &[
            ("head", &head(&heading, OWN_STYLE)),
            ("heading", &format!("{} – {}", isolated(&black), isolated(&white))),
            ("lead", &lead(game, headers, opening)),
            ("black", &escape(&black)),
            ("white", &escape(&white)),
            ("cards", &cards(moves)),
            ("chart", &chart(moves)),
            ("rows", &moves.iter().map(row).collect::<String>()),
            ("effort", &escape(effort)),
            ("script", &(BOARD_SCRIPT.to_owned() + OWN_SCRIPT)),
            ("data", &script_json(&data)),
        ],
    )
}

fn player(headers: &Headers, color: Color) -> String {
    let name = headers.names[color.index()].trim();
    match color {
        _ if !name.is_empty() => name.into(),
        Color::Black => "Black".into(),
        Color::White => "White".into(),
    }
}

/// The direction of a name's script does not reach beyond it.
fn isolated(name: &str) -> String {
    format!("<bdi>{}</bdi>", escape(name))
}

fn lead(game: &Game, headers: &Headers, opening: Option<&str>) -> String {
    let score = game.result().map(f64::from).or(headers.result.score);
    let mut facts = vec![match score {
        Some(score) if score > 0.0 => format!("Black won by {score}"),
        Some(score) if score < 0.0 => format!("White won by {}", -score),
        Some(_) => "Draw".into(),
        None => "Unfinished".into(),
    }];
    facts.extend(opening.map(|name| format!("opening {name}")));
    let known = [&headers.place, &headers.date].into_iter().filter(|text| !text.is_empty());
    facts.extend(known.cloned());
    facts.iter().map(|fact| escape(fact)).collect::<Vec<_>>().join(" · ")
}

/// How both sides did, and how much of it is certain.
fn cards(moves: &[Judged]) -> String {
    let card = |heading: &str, value: &str, note: &str| {
        format!("<div><dt>{heading}</dt><dd>{value}<small>{note}</small></dd></div>")
    };
    let mut cards = String::new();
    for color in [Color::Black, Color::White] {
        let tally = Tally::new(moves, color);
        let name = if color == Color::Black { "Black" } else { "White" };
        cards += &card(
            &format!("{name}: loss of a move"),
            &format!("{:.2}", tally.mean_loss()),
            &format!(
                "{:.1} discs in {}",
                discs(tally.loss),
                super::counted(tally.n_moves(), "move", "moves")
            ),
        );
        let errors = tally.classes[1..].iter().sum::<usize>();
        cards += &card(&format!("{name}: errors"), &errors.to_string(), &tally.errors());
    }
    let n_exact = moves.iter().filter(|judged| judged.is_exact()).count();
    let share = format!("{n_exact} of {}", moves.len());
    cards += &card("Judged exactly", &share, "plies, solved to the end");
    cards
}

fn name(mv: Move) -> String {
    if mv == Move::Pass { "pass".into() } else { mv.to_string() }
}

fn ply_data(judged: &Judged) -> PlyData {
    let side = if judged.side() == Color::Black { "Black" } else { "White" };
    let played = score_text(judged.score, judged.is_proven);
    let best = &judged.best;
    let mut said = format!("{side} {}{}: {played}", name(judged.mv), judged.class().sign());
    if best.mv != judged.mv {
        said += &format!(
            "; {} is worth {}, {} more",
            name(best.mv),
            score_text(best.score, best.is_proven()),
            plain(judged.loss(), judged.is_exact()),
        );
    }
    PlyData {
        mv: judged.mv.to_string(),
        best: best.mv.to_string(),
        pv: best.pv.iter().map(ToString::to_string).collect(),
        text: said,
        error: judged.class() != Class::Best,
    }
}

/// A score with the minus sign of typography.
fn score_text(score: Score, is_proven: bool) -> String {
    text(score, is_proven).replace('-', "\u{2212}")
}

/// A loss, which has no sign.
fn plain(loss: Score, is_exact: bool) -> String {
    text(loss, is_exact).replace('+', "")
}

fn row(judged: &Judged) -> String {
    let best = &judged.best;
    let class = judged.class();
    let is_pass = judged.mv == Move::Pass;
    let (loss, label) = if is_pass {
        (String::new(), String::new())
    } else {
        (plain(judged.loss(), judged.is_exact()), format!("{} {}", class.name(), class.sign()))
    };
    let depth = if best.is_proven() {
        "exact".into()
    } else {
        format!("{} <small>{}%</small>", best.depth, best.selectivity.percent())
    };
    format!(
        r#"<tr class="{}"><td>{}</td><td><button type="button"><i class="disc {}" aria-hidden="true"></i>{}</button></td><td>{}</td><td>{}</td><td>{}</td><td>{loss}</td><td class="class">{}</td><td>{depth}</td></tr>"#,
        class.name(),
        judged.ply,
        judged.side().name(),
        name(judged.mv),
        score_text(judged.score, judged.is_proven),
        name(best.mv),
        score_text(best.score, best.is_proven()),
        label.trim_end(),
    )
}

/// The scores over the game for Black, with the errors and the part that is solved.
fn chart(moves: &[Judged]) -> String {
    if moves.is_empty() {
        return "<p>No moves.</p>".into();
    }
    let for_black = |judged: &Judged| discs(judged.score * judged.side().sign());
    let mut values: Vec<f64> = moves.iter().map(for_black).collect();
    // Before the first move: what the best one was worth.
    let first = &moves[0];
    values.insert(0, discs(first.best.score * first.side().sign()));
    let greatest = values.iter().fold(LEAST_RANGE, |greatest, value| greatest.max(value.abs()));
    let step = if greatest <= 16.0 { 4.0 } else { 16.0 };
    let range = (greatest / step).ceil() * step;
    let x = |ply: usize| 100.0 * ply as f64 / moves.len() as f64;
    let y = |value: f64| 50.0 - 50.0 * value / range;

    let mut content = String::new();
    let solved = moves.iter().rposition(|judged| !judged.is_exact()).map_or(0, |last| last + 1);
    if solved < moves.len() {
        let from = x(solved);
        let width = 100.0 - from;
        let _ = write!(
            content,
            r#"<rect class="solved" x="{from:.2}%" y="0" width="{width:.2}%" height="100%"/>"#
        );
    }
    let n_steps = (range / step) as i32;
    for mark in -n_steps..=n_steps {
        let value = f64::from(mark) * step;
        let class = if mark == 0 { "zero" } else { "grid" };
        let place = y(value);
        let _ = write!(
            content,
            r#"<line class="{class}" x1="0" x2="100%" y1="{place:.2}%" y2="{place:.2}%"/><text class="y" x="-8" y="{place:.2}%" dy="4">{}</text>"#,
            format!("{value:+.0}").replace('-', "\u{2212}").replace("+0", "0")
        );
    }
    let points: Vec<(f64, f64)> =
        values.iter().enumerate().map(|(ply, &value)| (x(ply), y(value))).collect();
    let _ = write!(
        content,
        r#"<svg width="100%" height="100%" viewBox="0 0 {UNITS} {UNITS}" preserveAspectRatio="none">{}{}<polyline class="course" points="{}"/></svg>"#,
        area("black-ahead", &points, f64::min),
        area("white-ahead", &points, f64::max),
        path(points.iter().copied()),
    );
    for (judged, &(x, y)) in moves.iter().zip(&points[1..]) {
        let class = judged.class();
        if class == Class::Best {
            continue;
        }
        // Beside the curve, where there is room: an error of Black makes it fall.
        let above = judged.side() == Color::White;
        let shift = if above == (y > 12.0) || y > 88.0 { -9 } else { 19 };
        let _ = write!(
            content,
            r#"<circle class="dot {0}" cx="{x:.2}%" cy="{y:.2}%" r="4"/><text class="error {0}" x="{x:.2}%" y="{y:.2}%" dy="{shift}">{1}<title>ply {2}: {3}</title></text>"#,
            class.name(),
            class.sign(),
            judged.ply,
            class.name(),
        );
    }
    let _ = write!(content, r#"<line class="now" id="now" x1="0" x2="0" y1="0" y2="100%"/>"#);
    for ply in (0..=moves.len()).step_by(10) {
        let _ =
            write!(content, r#"<text class="x" x="{:.2}%" y="100%" dy="18">{ply}</text>"#, x(ply));
    }
    format!(
        r#"<div class="plot"><svg class="chart" id="chart" role="img" aria-label="Evaluation over the game" height="240"><rect width="100%" height="100%" fill="transparent"/>{content}<text class="x" x="50%" y="100%" dy="38">ply</text></svg></div>"#
    )
}

/// The area between the zero line and the part of the curve on one side of it.
fn area(class: &str, points: &[(f64, f64)], clip: fn(f64, f64) -> f64) -> String {
    let mut outline = vec![(0.0, 50.0)];
    for pair in points.windows(2) {
        let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
        outline.push((x0, clip(y0, 50.0)));
        // Where the curve crosses the zero line the area begins or ends.
        if (y0 - 50.0) * (y1 - 50.0) < 0.0 {
            outline.push((x0 + (x1 - x0) * (50.0 - y0) / (y1 - y0), 50.0));
        }
    }
    if let Some(&(x, y)) = points.last() {
        outline.extend([(x, clip(y, 50.0)), (x, 50.0)]);
    }
    format!(r#"<polygon class="{class}" points="{}"/>"#, path(outline.into_iter()))
}

fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    let scale = UNITS / 100.0;
    let points = points.map(|(x, y)| format!("{:.1},{:.1}", x * scale, y * scale));
    points.collect::<Vec<_>>().join(" ")
}

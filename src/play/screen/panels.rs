//! The panels beside the board: players with clocks, a program's thinking, the moves so far.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use unicode_width::UnicodeWidthStr;

use super::{Look, graph, put, wrap};
use crate::analyze::Class;
use crate::board::{Color, Move};
use crate::play::language::{Label, moves};
use crate::play::model::{Model, Thought};
use crate::play::plain::{clock, columns};
use crate::players::Value;
use crate::score;

const PLAYERS: u16 = 4;

/// Lines of the thinking panel with its heading, on the smallest screen.
const THINKING: u16 = 8;

pub(super) fn draw(buffer: &mut Buffer, area: Rect, model: &Model, look: Look, now: Instant) {
    let players = Rect { height: PLAYERS, ..area };
    // A larger screen shows more expected replies and more moves.
    let thinking_height = THINKING + area.height.saturating_sub(17) / 3;
    let thinking = Rect { y: players.bottom() + 1, height: thinking_height, ..area };
    let moves_y = thinking.bottom();
    let moves = Rect { y: moves_y, height: area.bottom().saturating_sub(moves_y), ..area };
    draw_players(buffer, players, model, look, now);
    match model.open_review() {
        Some(review) => graph::draw(buffer, thinking, model, review, look),
        None => draw_thinking(buffer, thinking, model, look, now),
    }
    draw_moves(buffer, moves, model, look);
}

/// Letters, because on a dark screen a filled circle looks white.
pub(super) fn disc(color: Color, model: &Model) -> char {
    model.settings.language.disc(color)
}

fn draw_players(buffer: &mut Buffer, area: Rect, model: &Model, look: Look, now: Instant) {
    let language = model.settings.language;
    let position = model.shown().position;
    let side = position.side;
    let rows: Vec<Rect> = area.rows().collect();
    for color in [Color::Black, Color::White] {
        let is_on_turn = model.ending.is_none() && side == color;
        let style =
            if is_on_turn { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
        let arrow = if is_on_turn { look.pick("▶", ">") } else { " " };
        let n_discs = position.discs(color).count_ones();
        let (used, left) = model.clocks.view(color, model.side(), now);
        let times = match left {
            Some(left) => format!("{} ({})", clock(left), clock(used)),
            None => clock(used),
        };
        let name = language.color(color);
        let first = format!(
            "{arrow} {} {name:6} {n_discs:2} {}",
            disc(color, model),
            language.label(if n_discs == 1 { Label::DISC } else { Label::DISCS })
        );
        let row = rows[2 * color.index()];
        put(buffer, row, &first, style);
        let width = times.width() as u16;
        let x = row.right().saturating_sub(width + 1);
        put(buffer, Rect { x, width, ..row }, &times, style);
        let second = format!("    {}", model.settings.caption(color));
        put(buffer, rows[2 * color.index() + 1], &second, Style::new());
    }
}

/// The program that thinks now, else the last one.
fn thinker(model: &Model) -> Option<(Color, &Thought)> {
    let thoughts =
        [Color::Black, Color::White].map(|color| (color, &model.thoughts[color.index()]));
    let is_thinking = |thought: &&(Color, &Thought)| thought.1.since.is_some();
    let has_thought = |thought: &&(Color, &Thought)| {
        thought.1.report.is_some()
            || thought.1.searching.is_some()
            || !thought.1.predictions.is_empty()
    };
    let last_mover = model.last_move().map(|ply| ply.before.side);
    thoughts
        .iter()
        .find(is_thinking)
        .or_else(|| {
            thoughts.iter().find(|thought| Some(thought.0) == last_mover && has_thought(thought))
        })
        .or_else(|| thoughts.iter().find(has_thought))
        .copied()
}

pub(super) fn heading(buffer: &mut Buffer, area: Rect, text: &str, look: Look) {
    let rule = look.pick("─", "-");
    let line = format!("{rule} {text} ");
    let n_rules = usize::from(area.width).saturating_sub(line.width() + 1);
    let line = line + &rule.repeat(n_rules);
    put(buffer, Rect { height: 1, ..area }, &line, Style::new().add_modifier(Modifier::DIM));
}

fn draw_thinking(buffer: &mut Buffer, area: Rect, model: &Model, look: Look, now: Instant) {
    let language = model.settings.language;
    let thought = thinker(model);
    let title = match thought {
        Some((color, thought)) if thought.since.is_some() => {
            let what = if model.side() == color { Label::THINKING } else { Label::PONDERING };
            format!("{}{} {}", language.color(color), language.colon(), language.label(what))
        }
        Some((color, _)) => {
            let what = language.label(Label::LAST_THOUGHT);
            format!("{}{} {what}", language.color(color), language.colon())
        }
        None => language.label(Label::THINKING).into(),
    };
    heading(buffer, area, &title, look);
    let Some((color, thought)) = thought else { return };
    let is_pondering = thought.since.is_some() && model.side() != color;
    let mut lines = Vec::new();
    if !is_pondering {
        lines.extend(search_lines(model, thought, look, now, area.width));
    }
    let has_told = is_pondering || thought.since.is_none();
    if !thought.predictions.is_empty() && has_told && shows_replies(model) {
        lines.push(format!("{}{}", language.label(Label::REPLIES), language.colon()));
        for reply in &thought.predictions {
            let Some(line) = reply.outcome.best() else { continue };
            let value = if model.settings.side(color).is_simple() {
                Value::points(line).to_string()
            } else {
                score::text(line.score, line.is_proven())
            };
            let value = language.number(&value);
            lines.push(format!(
                "  {} {} {}  {value:>6}  {} {}",
                reply.to,
                look.pick("→", "->"),
                line.mv,
                language.label(Label::DEPTH),
                line.depth,
            ));
        }
    }
    for (row, line) in area.rows().skip(1).zip(&lines) {
        put(buffer, Rect { width: row.width - 1, ..row }, line, Style::new());
    }
}

/// Whether a person may see what a program expects it to answer.
fn shows_replies(model: &Model) -> bool {
    model.settings.shows_values || model.settings.is_show()
}

fn search_lines(
    model: &Model,
    thought: &Thought,
    look: Look,
    now: Instant,
    width: u16,
) -> Vec<String> {
    let language = model.settings.language;
    let mut lines = Vec::new();
    if let Some(since) = thought.since {
        let elapsed = now.saturating_duration_since(since).as_secs_f64();
        let elapsed = language.number(&format!("{elapsed:.1} s"));
        lines.push(match Model::share(thought, now) {
            Some(share) => format!("{} {:3.0}%  {elapsed}", bar(share, look), 100.0 * share),
            None => elapsed,
        });
    }
    if let Some(searching) = thought.searching {
        if let Some((square, value)) = searching.best {
            lines.push(format!(
                "{} {value}{} {square}",
                language.label(Label::VALUE),
                language.colon()
            ));
        }
        lines.push(format!("{} {}", grouped(searching.nodes), language.label(Label::NODES)));
    }
    let Some(report) = &thought.report else { return lines };
    let seconds = report.elapsed.as_secs_f64();
    let speed = report.nodes as f64 / seconds.max(1e-3) / 1e6;
    if let Some(line) = report.lines.first() {
        lines.push(format!(
            "{} {}  {} {}@{}%",
            language.label(Label::VALUE),
            language.number(&score::text(line.score, line.is_proven())),
            language.label(Label::DEPTH),
            line.depth,
            line.selectivity.percent(),
        ));
    }
    lines.push(if thought.is_booked {
        language.label(Label::FROM_BOOK).into()
    } else {
        let rates = language.number(&format!("{seconds:.1} s  {speed:.1} Mn/s"));
        format!("{} {}  {rates}", grouped(report.nodes), language.label(Label::NODES))
    });
    if let Some(line) = report.lines.first().filter(|_| shows_replies(model)) {
        lines.extend(wrap(&moves(&line.pv), width.saturating_sub(2)).into_iter().take(2));
    }
    lines
}

pub(super) fn bar(share: f64, look: Look) -> String {
    const WIDTH: usize = 20;
    let n_full = (share.clamp(0.0, 1.0) * WIDTH as f64).round() as usize;
    let (full, empty) = (look.pick("█", "#"), look.pick("░", "-"));
    full.repeat(n_full) + &empty.repeat(WIDTH - n_full)
}

fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// The last moves, in as many columns as fit; in a review those around the place that is looked at.
fn draw_moves(buffer: &mut Buffer, area: Rect, model: &Model, look: Look) {
    const WIDTH: u16 = 26;
    if area.height < 2 {
        return;
    }
    let language = model.settings.language;
    heading(buffer, area, language.label(Label::MOVES), look);
    let list = Rect { y: area.y + 1, height: area.height - 1, ..area };
    let n_rows = usize::from(list.height);
    let review = model.open_review();
    let mut n_moves = 0;
    let rows: Vec<String> = model
        .game
        .plies()
        .iter()
        .enumerate()
        .map(|(index, ply)| {
            let is_pass = ply.mv == Move::Pass;
            n_moves += usize::from(!is_pass);
            let number = if is_pass { String::new() } else { n_moves.to_string() };
            let [mv, value, time] = columns(ply, language);
            let disc = disc(ply.before.side, model);
            let judged = review.and_then(|review| review.judged(index));
            let sign = judged.map_or("", |judged| judged.class().sign());
            // In a review what a move lost, instead of what its player thought of it.
            let losses = judged.filter(|judged| judged.class() != Class::Best);
            let losses = losses.map_or(String::new(), |judged| format!("-{}", judged.loss_text()));
            let text = match review {
                Some(_) => {
                    format!("{number:>2} {disc} {mv}{sign:2} {:>6}", language.number(&losses))
                }
                None => format!("{number:>2} {disc} {mv}  {value:>6} {time:>7}"),
            };
            text.trim_end().to_owned()
        })
        .collect();
    let n_columns = usize::from((list.width + 2) / WIDTH).max(1);
    let n_shown = n_rows * n_columns;
    let at = review.and_then(|review| review.ply);
    let end =
        at.map_or(rows.len(), |at| (at + 1 + n_shown / 2).clamp(n_shown, rows.len().max(n_shown)));
    let first = end.saturating_sub(n_shown);
    for (index, text) in rows.iter().enumerate().skip(first).take(n_shown) {
        let (column, row) = ((index - first) / n_rows, (index - first) % n_rows);
        let x = list.x + column as u16 * WIDTH;
        let line = Rect::new(x, list.y + row as u16, list.right().saturating_sub(x), 1);
        let is_current = at == Some(index);
        let style =
            if is_current { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
        put(buffer, line, text, style);
    }
}

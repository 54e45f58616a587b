//! The board and the list of moves in letters.

use std::fmt::Write;
use std::time::{Duration, Instant};

use crate::board::{Color, Move, Square};
use crate::game::{Game, Ply};
use crate::play::language::{Label, Language, discs};
use crate::play::model::Model;

/// The board with coordinates; beside it the turn number, the side to move, the score and the clocks.
pub(super) fn board(model: &Model, now: Instant) -> String {
    let language = model.settings.language;
    let position = model.game.position();
    let legal = if model.ending.is_none() && model.settings.marks_moves {
        position.board.legal_moves()
    } else {
        0
    };
    let beside = beside(model, now);
    let mut text = String::from("    A B C D E F G H");
    for row in 0..8 {
        let _ = write!(text, "\n  {}", row + 1);
        for square in (0..8).filter_map(|column| Square::at(column, row)) {
            let cell = [Color::Black, Color::White]
                .into_iter()
                .find(|&color| position.discs(color) & square.bit() != 0);
            let symbol = match cell {
                Some(color) => language.disc(color),
                None if legal & square.bit() != 0 => language.legal_mark(),
                None => '.',
            };
            let _ = write!(text, " {symbol}");
        }
        if let Some(line) = beside.get(usize::from(row)).filter(|line| !line.is_empty()) {
            let _ = write!(text, "    {line}");
        }
    }
    text
}

fn beside(model: &Model, now: Instant) -> Vec<String> {
    let language = model.settings.language;
    let side = model.side();
    let mut lines = vec![if model.ending.is_some() {
        language.label(Label::GAME_OVER).to_owned()
    } else {
        format!(
            "{} {}{} {} {}",
            language.label(Label::TURN),
            model.turn_number(),
            language.colon(),
            language.color(side),
            language.label(Label::TO_MOVE)
        )
    }];
    lines.push(String::new());
    for color in [Color::Black, Color::White] {
        let n_discs = model.game.position().discs(color).count_ones();
        let (used, left) = model.clocks.view(color, side, now);
        let mut line = format!(
            "{} {:6} {n_discs:2}  {}  {}",
            language.disc(color),
            language.color(color),
            clock(used),
            model.settings.caption(color)
        );
        if let Some(left) = left {
            let _ = write!(line, " ({})", clock(left));
        }
        lines.push(line);
    }
    lines
}

pub(in crate::play) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// The square, and the value in discs and the thinking time if known.
pub(in crate::play) fn columns(ply: &Ply, language: Language) -> [String; 3] {
    let mv = match ply.mv {
        Move::Place(square) => square.to_string(),
        Move::Pass => "--".into(),
    };
    let value = ply.note.value.map(discs).unwrap_or_default();
    let time = ply.note.time.map(|time| format!("{:.1} s", time.as_secs_f64()));
    [mv, language.number(&value), language.number(&time.unwrap_or_default())]
}

pub(super) fn moves(game: &Game, language: Language) -> String {
    let mut n_moves = 0;
    let row = |ply: &Ply| {
        let is_pass = ply.mv == Move::Pass;
        n_moves += usize::from(!is_pass);
        let number = if is_pass { String::new() } else { format!("{n_moves}.") };
        let name = language.color(ply.before.side);
        let [mv, value, time] = columns(ply, language);
        let row = format!("{number:>4} {name:6} {mv} {value:>7} {time:>8}");
        row.trim_end().to_owned()
    };
    game.plies().iter().map(row).collect::<Vec<_>>().join("\n")
}

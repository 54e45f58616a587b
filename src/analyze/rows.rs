//! A judged move as a row of JSON.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::judged::{Booked, Judged};
use crate::formats::archive::Entry;
use crate::requests::row::{nought, number, to_text};

/// What is printed of a move, and read again. Of the keys that a summary does not need, any may be missing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// In its file, from 1.
    pub game: usize,
    /// From 1; passes count.
    pub ply: usize,
    pub position: String,
    /// `black` or `white`.
    pub side: Cow<'static, str>,
    /// The name of the mover, if the file has it.
    pub player: Option<String>,
    /// Seconds that the mover used, if the file tells them.
    pub time_used: Option<f64>,
    /// The move as in `f5`, or `pa`.
    #[serde(rename = "move")]
    pub mv: String,
    /// For the mover, in discs.
    #[serde(default = "nought")]
    pub score: Number,
    pub best: String,
    /// For the mover, in discs.
    #[serde(default = "nought")]
    pub best_score: Number,
    /// The best score minus that of the move, in discs.
    pub loss: Number,
    pub class: Cow<'static, str>,
    /// Plies searched.
    #[serde(default)]
    pub depth: u32,
    /// Confidence of the forward pruning in percent.
    #[serde(default)]
    pub confidence: u32,
    #[serde(default)]
    pub exact: bool,
    #[serde(default)]
    pub nodes: u64,
    /// The variation that starts with the best move.
    #[serde(default)]
    pub pv: Vec<String>,
    /// The opening's name as of this ply, if known.
    pub opening: Option<String>,
    #[serde(flatten)]
    pub booked: Option<BookColumns>,
}

/// What a book says of a ply; all but `in_book` is `null` where it does not know the position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BookColumns {
    pub in_book: bool,
    pub book: Option<String>,
    /// For the mover, in discs.
    pub book_score: Option<Number>,
    /// Plies from this position to the end of the search behind the score.
    pub book_depth: Option<u32>,
}

fn columns(booked: &Booked) -> Option<BookColumns> {
    let best = booked.best();
    (*booked != Booked::Unasked).then(|| BookColumns {
        in_book: matches!(booked, Booked::Known { knows_played: true, .. }),
        book: best.map(|line| line.mv.to_string()),
        book_score: best.map(|line| number(line.score, line.is_proven())),
        book_depth: best.map(|line| line.depth),
    })
}

pub fn row(entry: &Entry, judged: &Judged, opening: Option<&str>) -> Row {
    let best = &judged.best;
    let ply = entry.game.plies().get(judged.ply - 1);
    let player = entry.headers.names[judged.side().index()].trim();
    Row {
        game: entry.number,
        ply: judged.ply,
        position: judged.before.to_string(),
        side: judged.side().name().into(),
        player: (!player.is_empty()).then(|| player.into()),
        time_used: ply.and_then(|ply| ply.note.time).map(|time| time.as_secs_f64()),
        mv: judged.mv.to_string(),
        score: number(judged.score, judged.is_proven),
        best: best.mv.to_string(),
        best_score: number(best.score, best.is_proven()),
        loss: number(judged.loss(), judged.is_exact()),
        class: judged.class().name().into(),
        depth: best.depth,
        confidence: best.selectivity.percent(),
        exact: judged.is_exact(),
        nodes: judged.nodes,
        pv: best.pv.iter().map(ToString::to_string).collect(),
        opening: opening.map(Into::into),
        booked: columns(&judged.booked),
    }
}

/// As JSON on one line.
impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&to_text(self))
    }
}

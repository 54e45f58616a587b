//! The games in the form read by the page's script: one JSON value, kept small because an event may have ten thousand games.
//!
//! Names, start positions and endings are listed once; a game is an array without keys that refers to them by index. Moves are
//! two characters each and include passes (`pa`), so colors alternate from the side to move at the start, and the
//! script needs no rule but flipping.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Value, json};

use crate::formats::transcript;
use crate::game::{Game, Ply};
use crate::matches::record::{End, GameRecord};
use crate::matches::standing::Standing;

#[derive(Debug, Serialize)]
pub(super) struct Games {
    /// Names, starting with those of the standing.
    players: Vec<String>,
    /// Start positions: 64 cells, a blank and the side to move.
    starts: Vec<String>,
    /// Names of the endings, from [`end_name`].
    ends: Vec<String>,
    /// Arrays: the game's key, from [`keys`]; Black and White as indices; discs for Black; indices of ending and start; plies of the
    /// opening; moves; the movers' scores in hundredths of a disc, and thinking times in units of 0.1 ms, both up to the last known
    /// one; when it began, in seconds since 1970; and the fault: 0 if it was Black's and 1 if White's, its cause, its text.
    games: Vec<Value>,
}

pub(super) fn games(standing: &Standing, records: &[GameRecord]) -> Games {
    let mut games = Games {
        players: standing.names().to_vec(),
        starts: Vec::new(),
        ends: Vec::new(),
        games: Vec::with_capacity(records.len()),
    };
    for (key, record) in keys(records).into_iter().zip(records) {
        let row = row(&mut games, key, record);
        games.games.push(row);
    }
    games
}

pub(super) fn end_name(end: End) -> &'static str {
    match end {
        End::Played => "played out",
        End::Adjudicated => "adjudicated",
        End::Resigned => "resigned",
        End::Fault => "fault",
    }
}

/// The keys of the games: their numbers in the schedule, such as `12`; `12.2` is the second game of that number if events share it.
pub(super) fn keys(records: &[GameRecord]) -> Vec<String> {
    let mut seen: HashMap<u64, u32> = HashMap::new();
    let key = |record: &GameRecord| {
        let count = seen.entry(record.id).or_default();
        *count += 1;
        if *count == 1 { record.id.to_string() } else { format!("{}.{count}", record.id) }
    };
    records.iter().map(key).collect()
}

fn row(games: &mut Games, key: String, record: &GameRecord) -> Value {
    // A damaged record is shown without its moves.
    let game = record.replay().unwrap_or_default();
    let fault = record.fault.as_ref().map(|fault| {
        (usize::from(fault.player != record.black), fault.cause.name(), fault.text.clone())
    });
    let players = [&record.black, &record.white].map(|name| index_of(&mut games.players, name));
    let moves: String = game.plies().iter().map(|ply| ply.mv.to_string()).collect();
    json!([
        key,
        players,
        record.result,
        index_of(&mut games.ends, end_name(record.end)),
        index_of(&mut games.starts, &game.start().to_string()),
        n_opening_plies(&record.opening).min(game.plies().len()),
        moves,
        numbers(&game, |ply| ply.note.value.map(|value| 100.0 * value)),
        numbers(&game, |ply| ply.note.time.map(|time| 10_000.0 * time.as_secs_f64())),
        record.started,
        fault,
    ])
}

/// Adds the text if it is new; the list is short.
fn index_of(list: &mut Vec<String>, text: &str) -> usize {
    list.iter().position(|known| known == text).unwrap_or_else(|| {
        list.push(text.into());
        list.len() - 1
    })
}

fn n_opening_plies(opening: &str) -> usize {
    let game = transcript::game(opening).ok();
    game.map_or(0, |game| game.plies().len())
}

/// A number for every ply up to the last known one.
fn numbers(game: &Game, number_of: impl Fn(&Ply) -> Option<f64>) -> Vec<Option<i64>> {
    let round = |number: f64| number.is_finite().then(|| number.round() as i64);
    let mut numbers: Vec<Option<i64>> =
        game.plies().iter().map(|ply| number_of(ply).and_then(round)).collect();
    let length = numbers.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    numbers.truncate(length);
    numbers
}

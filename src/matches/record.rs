//! The record of a finished game: a JSON line for programs, GGF for people.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::board::Color;
use crate::formats::{Headers, Outcome, ggf, transcript};
use crate::game::{Game, Note};
use crate::players::Cause;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Index of its event when several events are shown together.
    #[serde(skip)]
    pub event: usize,
    /// The number in the schedule, from 1.
    pub id: u64,
    /// The number of its color-swapped pair of games, from 1.
    pub pair: u64,
    pub black: String,
    pub white: String,
    /// A transcript.
    pub opening: String,
    /// All moves, passes and the opening included.
    pub moves: String,
    /// Discs for Black; 64 or -64 after a fault.
    #[serde(alias = "score")]
    pub result: i32,
    pub end: End,
    /// The fault that ended it, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<PlayerFault>,
    /// Thinking time of each ply in seconds; 0 in the opening.
    pub times: Vec<f64>,
    /// The mover's own score of each ply in discs, if reported.
    #[serde(alias = "values")]
    pub scores: Vec<Option<f64>>,
    /// The depth of the search for each ply, if reported; empty if none is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depths: Vec<Option<u32>>,
    /// The positions visited for each ply, if reported; empty if none are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<Option<u64>>,
    /// The expected line at each ply as a move list, if reported; empty if none is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Option<String>>,
    /// When it began, in seconds since 1970.
    pub started: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    Played,
    /// Both players agreed on the result long enough.
    Adjudicated,
    Resigned,
    Fault,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerFault {
    pub player: String,
    pub cause: Cause,
    pub text: String,
}

impl GameRecord {
    /// A key that the two games of a color-swapped pair share with no other game of these events.
    pub const fn pair_key(&self) -> (usize, u64) {
        (self.event, self.pair)
    }

    /// Points for Black: 1, 0.5 or 0.
    pub fn points(&self) -> f64 {
        match self.result.signum() {
            1 => 1.0,
            0 => 0.5,
            _ => 0.0,
        }
    }

    pub fn seconds(&self, color: Color) -> f64 {
        let Some(game) = self.replay() else { return 0.0 };
        let own = game.plies().iter().zip(&self.times).filter(|(ply, _)| ply.before.side == color);
        own.map(|(_, time)| time).sum()
    }

    pub fn replay(&self) -> Option<Game> {
        let game = transcript::game(&self.moves).ok()?;
        let mut annotated = Game::new(game.start());
        for (index, ply) in game.plies().iter().enumerate() {
            let time = self.times.get(index).copied().filter(|time| *time > 0.0);
            let time = time.and_then(|time| Duration::try_from_secs_f64(time).ok());
            let value = self.scores.get(index).copied().flatten();
            annotated.play(ply.mv, Note { value, time });
        }
        Some(annotated)
    }

    /// In a form that NBoard reads.
    pub fn ggf(&self) -> String {
        let Some(game) = self.replay() else { return String::new() };
        let suffix = match self.end {
            End::Played => "",
            End::Adjudicated => ":s",
            End::Resigned => ":r",
            End::Fault => match self.fault.as_ref().map(|fault| fault.cause) {
                Some(Cause::Time) => ":t",
                _ => ":l",
            },
        };
        let score = f64::from(self.result);
        ggf::write(
            &game,
            &Headers {
                names: [self.black.clone(), self.white.clone()],
                place: "othellier match".into(),
                date: self.started.to_string(),
                result: Outcome { score: Some(score), text: format!("{score:+.2}{suffix}") },
                ..Headers::default()
            },
        )
    }
}

#[cfg(test)]
impl GameRecord {
    pub fn example(id: u64, black: &str, white: &str, result: i32) -> GameRecord {
        GameRecord {
            event: 0,
            id,
            pair: id.div_ceil(2),
            black: black.into(),
            white: white.into(),
            opening: String::new(),
            moves: "f5d6".into(),
            result,
            end: End::Played,
            fault: None,
            times: vec![0.5, 0.25],
            scores: vec![None, None],
            depths: Vec::new(),
            nodes: Vec::new(),
            lines: Vec::new(),
            started: 0,
        }
    }
}

//! What can be chosen before and during a game: the two sides, the clock, what is shown.

use std::time::Duration;

use anyhow::Context;

use super::language::Language;
use crate::board::Color;
use crate::clock::Control;
use crate::engine::pace::Pace;
use crate::seats::spec::{PlayerKind, PlayerSpec, PlayerText};

/// The name of a person at the keyboard, where a player is named.
pub const HUMAN: &str = "human";

/// The player against a person if nobody chose another: it takes care of corners but can be beaten.
pub const DEFAULT_OPPONENT: &str = "engine:level=4";

/// Who plays a color: a person at the keyboard or a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    text: String,
    player: Option<PlayerSpec>,
}

impl Side {
    /// A person at the keyboard.
    pub fn human() -> Side {
        Side { text: HUMAN.into(), player: None }
    }

    /// Reads `human` or the name of a player as everywhere else.
    ///
    /// # Errors
    /// If there is no such player; the message says which there are.
    pub fn parse(text: &str) -> anyhow::Result<Side> {
        let text = text.trim();
        if text.eq_ignore_ascii_case(HUMAN) || text.eq_ignore_ascii_case("humain") {
            return Ok(Side::human());
        }
        let player = PlayerSpec::parse(&PlayerText { spec: text.into(), startup: Vec::new() })
            .context("'human' is the person at the keyboard")?;
        Ok(Side { text: text.into(), player: Some(player) })
    }

    /// Whether a person plays.
    pub fn is_human(&self) -> bool {
        self.player.is_none()
    }

    /// The program, if it is one.
    pub fn player(&self) -> Option<&PlayerSpec> {
        self.player.as_ref()
    }

    /// The text that [`Side::parse`] reads.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A short name.
    pub fn name(&self) -> &str {
        self.player.as_ref().map_or(HUMAN, |player| &player.name)
    }

    /// Whether it can be told to move at once.
    pub(super) fn can_hurry(&self) -> bool {
        self.player.as_ref().is_some_and(|player| !matches!(player.kind, PlayerKind::External(_)))
    }
}

/// Everything that can be set.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Who plays, by color.
    pub sides: [Side; 2],
    /// The clock or amount of search of programs that have none of their own; people are limited by a clock only.
    pub pace: Pace,
    /// Whether legal squares are marked.
    pub marks_moves: bool,
    /// Whether every legal move is valued on the board.
    pub shows_values: bool,
    /// The level of hints and values, 1 to 60.
    pub adviser_level: u32,
    /// The language of all texts.
    pub language: Language,
}

impl Default for Settings {
    fn default() -> Settings {
        let opponent = Side::parse(DEFAULT_OPPONENT).unwrap_or_else(|_| Side::human());
        Settings {
            sides: [Side::human(), opponent],
            pace: Pace::Time(Control::Unlimited),
            marks_moves: true,
            shows_values: false,
            adviser_level: 10,
            language: Language::English,
        }
    }
}

impl Settings {
    /// Who plays `color`.
    pub fn side(&self, color: Color) -> &Side {
        &self.sides[color.index()]
    }

    /// Whether nobody at the keyboard takes part.
    pub fn is_show(&self) -> bool {
        self.sides.iter().all(|side| !side.is_human())
    }

    /// What limits a side.
    pub(super) fn pace_of(&self, color: Color) -> Pace {
        self.side(color).player().and_then(|player| player.pace).unwrap_or(self.pace)
    }

    /// The clocks of both sides.
    pub(super) fn controls(&self) -> [Control; 2] {
        [Color::Black, Color::White].map(|color| match self.pace_of(color) {
            Pace::Time(control) => control,
            Pace::Depth(_) | Pace::Nodes(_) | Pace::Level(_) | Pace::Own => Control::Unlimited,
        })
    }
}

/// How much a program may overstep its clock before its game is lost: what the way to it takes on a busy machine.
pub(super) const MARGIN: Duration = Duration::from_millis(250);

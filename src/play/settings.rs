//! The settings of a game: the two sides, the clock, the display.

use std::sync::Arc;
use std::time::Duration;

use anyhow::anyhow;

use super::language::{Label, Language};
use crate::analyze;
use crate::board::Color;
use crate::clock::Control;
use crate::engine::Pace;
use crate::formats::archive::Entry;
use crate::players::simple::spec::SpecError;
use crate::players::spec::{PlayerKind, PlayerSpec, PlayerText};
use crate::players::start::ReadyPlayer;
use crate::requests::DEFAULT_TIME;

/// The player name that stands for the person at the keyboard.
pub const HUMAN: &str = "human";

/// The default opponent of a person, who now and then beats it.
pub const DEFAULT_OPPONENT: &str = "engine:strength=15";

/// The player of a color: a person at the keyboard or a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    text: String,
    player: Option<Arc<ReadyPlayer>>,
}

impl Side {
    /// A person at the keyboard.
    pub fn human() -> Side {
        Side { text: HUMAN.into(), player: None }
    }

    /// Parses `human`, a strength from 1 to 60, or a player specification.
    pub fn parse(text: &str) -> anyhow::Result<Side> {
        let is_number = text.trim().parse::<u32>().is_ok();
        let strength = if is_number { "engine:strength=" } else { "" };
        let text = &format!("{strength}{}", text.trim());
        if text.eq_ignore_ascii_case(HUMAN) || text.eq_ignore_ascii_case("humain") {
            return Ok(Side::human());
        }
        let player = PlayerSpec::parse_whole(&PlayerText::from(text.as_str()))
            .and_then(ReadyPlayer::new)
            .map_err(|error| {
                let is_name = error
                    .chain()
                    .any(|cause| matches!(cause.downcast_ref(), Some(SpecError::Name(_))));
                let human = if is_name { "; human is the person at the keyboard" } else { "" };
                anyhow!("{error:#}{human}")
            })?;
        Ok(Side { text: text.clone(), player: Some(Arc::new(player)) })
    }

    pub fn is_human(&self) -> bool {
        self.player.is_none()
    }

    pub(super) fn player(&self) -> Option<&Arc<ReadyPlayer>> {
        self.player.as_ref()
    }

    /// The text that [`Side::parse`] accepts.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn name(&self) -> &str {
        self.player.as_ref().map_or(HUMAN, |player| &player.spec.name)
    }

    /// Whether it is a simple player, whose values are points of its own.
    pub(super) fn is_simple(&self) -> bool {
        self.player.as_ref().is_some_and(|player| matches!(player.spec.kind, PlayerKind::Simple(_)))
    }

    pub(super) fn can_hurry(&self) -> bool {
        self.player
            .as_ref()
            .is_some_and(|player| !matches!(player.spec.kind, PlayerKind::External(_)))
    }
}

/// What is on the board at first.
#[derive(Clone, Debug)]
pub enum Begin {
    /// The start of a new game.
    New,
    /// A game to go on with.
    Game(Box<Entry>),
    /// Positions with values of all their moves, to practise with; at least one.
    Puzzles(Vec<Entry>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// By color.
    pub sides: [Side; 2],
    /// The clock or search limit of programs without their own; people are limited only by a clock.
    pub pace: Pace,
    pub marks_moves: bool,
    /// The value of every legal move, on the board.
    pub shows_values: bool,
    /// The level of hints and values, 1 to 60.
    pub adviser_level: u32,
    pub language: Language,
    /// The least time between a move and that of a program, so that a person can follow.
    pub delay: Duration,
    /// The average time for a move in an analysis of the game.
    pub analysis_time: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        let opponent = Side::parse(DEFAULT_OPPONENT).unwrap_or_else(|_| Side::human());
        Settings {
            sides: [Side::human(), opponent],
            pace: Pace::timed(Control::Unlimited),
            marks_moves: true,
            shows_values: false,
            adviser_level: 10,
            language: Language::English,
            delay: Duration::ZERO,
            analysis_time: DEFAULT_TIME,
        }
    }
}

/// Size of the adviser's table in MiB.
pub(super) const ADVISER_HASH: usize = 32;

impl Settings {
    pub fn side(&self, color: Color) -> &Side {
        &self.sides[color.index()]
    }

    pub fn is_show(&self) -> bool {
        self.sides.iter().all(|side| !side.is_human())
    }

    /// The name of a side for people, and a note if it has no clock though the other side has one.
    pub(super) fn caption(&self, color: Color) -> String {
        let name = self.language.player(self.side(color).name());
        let [own, other] =
            [color, color.opposite()].map(|color| self.pace_of(color).control.unwrap_or_default());
        if own == Control::Unlimited && other != Control::Unlimited {
            return format!("{name}, {}", self.language.label(Label::NO_CLOCK));
        }
        name
    }

    /// Whether a person sits only there.
    pub(super) fn is_only_person(&self, color: Color) -> bool {
        self.side(color).is_human() && !self.side(color.opposite()).is_human()
    }

    /// How an analysis of the game searches.
    pub(super) const fn analysis(&self) -> analyze::Settings {
        let (time, depth) = (Some(self.analysis_time), None);
        analyze::Settings { time, depth, n_threads: 1, hash_megabytes: ADVISER_HASH }
    }

    pub(super) fn pace_of(&self, color: Color) -> Pace {
        self.side(color).player().and_then(|player| player.spec.pace).unwrap_or(self.pace)
    }

    pub(super) fn controls(&self) -> [Control; 2] {
        [Color::Black, Color::White].map(|color| self.pace_of(color).control.unwrap_or_default())
    }
}

/// Time by which a program may exceed its clock, to allow for delays on a busy machine.
pub(super) const MARGIN: Duration = Duration::from_millis(250);

//! Players as text: `greedy`, `greedy:directions`, `minimax:rounds=3`, `classic:open=positional/6,ponder=off`.

use std::fmt;

use super::classic::{Classic, FORM, Settings};
use super::greedy::{Greedy, Preference};
use super::minimax::{MAX_ROUNDS, Minimax};
use super::random::Random;
use crate::engine::settings::number;
use crate::players::Player;
use crate::support::text::nearest;

/// Without options.
pub const NAMES: [&str; 6] = ["random", "greedy", "minimizer", "minimax", "minimax2", "classic"];

/// Why a text is not a player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    #[error("'{}' is not a player{}", .0.escape_default(), hint(.0))]
    Name(String),
    #[error("'{}' is not an option of {name}, which takes {}", .option.escape_default(), options(name).unwrap_or_else(|| "none".into()))]
    Option {
        /// One of [`NAMES`].
        name: &'static str,
        /// The text after the colon.
        option: String,
    },
    #[error("{name}: '{}': {reason}", .setting.escape_default())]
    Setting {
        /// One of [`NAMES`].
        name: &'static str,
        setting: String,
        reason: String,
    },
}

/// A simple player, not started yet. Displayed as the text that [`parse`] reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimpleSpec {
    Random,
    /// The move that its preference values most.
    Greedy(Preference),
    Minimax(u32),
    Classic(Settings),
}

impl SimpleSpec {
    pub fn ponders(&self) -> bool {
        matches!(self, SimpleSpec::Classic(settings) if settings.ponder)
    }

    pub fn player(self, seed: u64) -> Box<dyn Player> {
        match self {
            SimpleSpec::Random => Box::new(Random::new(seed)),
            SimpleSpec::Greedy(preference) => Box::new(Greedy::new(preference, seed)),
            SimpleSpec::Minimax(rounds) => Box::new(Minimax::new(rounds)),
            SimpleSpec::Classic(settings) => Box::new(Classic::new(settings, seed)),
        }
    }
}

impl fmt::Display for SimpleSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SimpleSpec::Random => f.write_str("random"),
            SimpleSpec::Greedy(Preference::Most) => f.write_str("greedy"),
            SimpleSpec::Greedy(Preference::MostWithDirections) => f.write_str("greedy:directions"),
            SimpleSpec::Greedy(Preference::Fewest) => f.write_str("minimizer"),
            SimpleSpec::Minimax(1) => f.write_str("minimax"),
            SimpleSpec::Minimax(2) => f.write_str("minimax2"),
            SimpleSpec::Minimax(rounds) => write!(f, "minimax:rounds={rounds}"),
            SimpleSpec::Classic(settings) => settings.fmt(f),
        }
    }
}

pub fn parse(text: &str) -> Result<SimpleSpec, SpecError> {
    let (name, option) = match text.split_once(':') {
        Some((name, option)) => (name, Some(option)),
        None => (text, None),
    };
    let Some(name) = NAMES.into_iter().find(|known| *known == name) else {
        return Err(SpecError::Name(name.into()));
    };
    let player = match (name, option) {
        ("random", None) => Some(SimpleSpec::Random),
        ("greedy", None) => Some(SimpleSpec::Greedy(Preference::Most)),
        ("greedy", Some("directions")) => Some(SimpleSpec::Greedy(Preference::MostWithDirections)),
        ("minimizer", None) => Some(SimpleSpec::Greedy(Preference::Fewest)),
        ("minimax", None) => Some(SimpleSpec::Minimax(1)),
        ("minimax", Some(option)) => rounds(option).map(SimpleSpec::Minimax),
        ("minimax2", None) => Some(SimpleSpec::Minimax(2)),
        ("classic", text) => {
            let settings = Settings::parse(text.unwrap_or_default())
                .map_err(|(setting, reason)| SpecError::Setting { name, setting, reason })?;
            Some(SimpleSpec::Classic(settings))
        }
        _ => None,
    };
    player.ok_or_else(|| SpecError::Option { name, option: option.unwrap_or_default().into() })
}

/// The name that was meant, or all there are.
fn hint(text: &str) -> String {
    let nearest = nearest(text, NAMES.into_iter().chain(["engine"]));
    let all =
        || format!("; players are {}, engine, and commands: proto=gtp,cmd=...", NAMES.join(", "));
    if nearest.is_empty() { all() } else { nearest }
}

fn options(name: &str) -> Option<String> {
    match name {
        "greedy" => Some("directions".into()),
        "minimax" => Some(format!("rounds=N (N from 1 to {MAX_ROUNDS})")),
        "classic" => Some(FORM.into()),
        _ => None,
    }
}

fn rounds(option: &str) -> Option<u32> {
    number(option.strip_prefix("rounds=")?, 1..=MAX_ROUNDS).ok()
}

//! Players as text: `greedy`, `greedy:directions`, `minimax:rounds=3`, `classic:open=positional/6,ponder=off`.

use super::Player;
use super::classic::{Classic, FORM, Settings};
use super::greedy::{Greedy, Preference};
use super::minimax::{MAX_ROUNDS, Minimax};
use super::random::Random;

/// The names of players, without options.
pub const NAMES: [&str; 6] = ["random", "greedy", "minimizer", "minimax", "minimax2", "classic"];

/// Why a text is not a player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// No player has this name.
    #[error("'{}' is not a player; players are{}", .0.escape_default(), all_players())]
    Name(String),
    /// The text after the colon is not an option of the player.
    #[error("'{}' is not an option of {name}, which takes {}", .option.escape_default(), options(name).unwrap_or_else(|| "none".into()))]
    Option {
        /// One of [`NAMES`].
        name: &'static str,
        /// The text after the colon.
        option: String,
    },
    /// A setting of the player is wrong.
    #[error("{name}: '{}': {reason}", .setting.escape_default())]
    Setting {
        /// One of [`NAMES`].
        name: &'static str,
        /// The setting as given.
        setting: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Parses a player; the seed decides its random choices.
///
/// # Errors
/// If there is no such player or option. The message lists all.
pub fn parse(text: &str, seed: u64) -> Result<Box<dyn Player>, SpecError> {
    let (name, option) = match text.split_once(':') {
        Some((name, option)) => (name, Some(option)),
        None => (text, None),
    };
    let Some(name) = NAMES.into_iter().find(|known| *known == name) else {
        return Err(SpecError::Name(name.into()));
    };
    let player: Option<Box<dyn Player>> = match (name, option) {
        ("random", None) => Some(Box::new(Random::new(seed))),
        ("greedy", None) => Some(Box::new(Greedy::new(Preference::Most, seed))),
        ("greedy", Some("directions")) => {
            Some(Box::new(Greedy::new(Preference::MostWithDirections, seed)))
        }
        ("minimizer", None) => Some(Box::new(Greedy::new(Preference::Fewest, seed))),
        ("minimax", None) => Some(Box::new(Minimax::new(1))),
        ("minimax", Some(option)) => match rounds(option) {
            Some(rounds) => Some(Box::new(Minimax::new(rounds))),
            None => None,
        },
        ("minimax2", None) => Some(Box::new(Minimax::new(2))),
        ("classic", text) => {
            let settings = Settings::parse(text.unwrap_or_default())
                .map_err(|(setting, reason)| SpecError::Setting { name, setting, reason })?;
            Some(Box::new(Classic::new(settings, seed)))
        }
        _ => None,
    };
    player.ok_or_else(|| SpecError::Option { name, option: option.unwrap_or_default().into() })
}

/// All players with their options, for messages.
fn all_players() -> String {
    let player = |name| match options(name) {
        Some(options) => format!(" {name}, {name}:{options}"),
        None => format!(" {name}"),
    };
    NAMES.map(player).join(",")
}

/// The options of a player, for messages.
fn options(name: &str) -> Option<String> {
    match name {
        "greedy" => Some("directions".into()),
        "minimax" => Some(format!("rounds=N (N from 1 to {MAX_ROUNDS})")),
        "classic" => Some(FORM.into()),
        _ => None,
    }
}

fn rounds(option: &str) -> Option<u32> {
    let number = option.strip_prefix("rounds=")?;
    // `parse` would accept a plus sign.
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    number.parse().ok().filter(|rounds| (1..=MAX_ROUNDS).contains(rounds))
}

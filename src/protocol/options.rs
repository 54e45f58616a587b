//! The settings of a session.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::book::Book;
use crate::book::learner::Learner;
use crate::engine::{Config, Pace};
use crate::journal::{Recorder, Repeat};
use crate::players::desk::Substitute;

/// The engine's own name.
pub const NAME: &str = "Othellier";

/// Settings; they may change during a game and take effect from the next search.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name sent to front ends; by default it follows from the settings.
    pub name: Option<String>,
    /// A player that plays instead of the engine.
    pub player: Option<Substitute>,
    /// Seed of the picks.
    pub seed: u64,
    /// Resign when behind by this many discs or more.
    pub resign: Option<f64>,
    /// Time held in reserve on every move for communication delays.
    pub overhead: Duration,
    /// Finish all searches although the input has ended.
    pub finish: bool,
    /// Whether commands may name files.
    pub files: Files,
    /// Threads, table, evaluation and opening book.
    pub engine: Config,
    /// Learns from finished games.
    pub learner: Option<Arc<dyn Learner>>,
    /// Whether the engine plays from the book of its learner.
    pub plays_learned: bool,
    /// Opens a book named by a command.
    pub open_book: fn(&Path) -> Result<Book, String>,
    /// Waits until nobody can read the output any more; `false` if the system does not tell.
    pub until_unheard: Option<fn() -> bool>,
    /// Records the session's events.
    pub recorder: Recorder,
    /// Options of Edax's console, by name, with their values.
    pub console: Vec<(String, String)>,
    /// Whether a front end takes this program for Edax: then NBoard is spoken in its words.
    pub as_edax: bool,
    /// Steps of an earlier session to repeat.
    pub repeat: Repeat,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            name: None,
            player: None,
            seed: 0,
            resign: None,
            overhead: Duration::from_millis(10),
            finish: false,
            files: Files::Open,
            engine: Config::default(),
            learner: None,
            plays_learned: false,
            open_book: |_| Err("there are no files here".into()),
            until_unheard: None,
            recorder: Recorder::default(),
            console: Vec::new(),
            as_edax: false,
            repeat: Repeat::default(),
        }
    }
}

impl Options {
    /// The engine's name: the one given, or its own with the settings that decide how well it plays, to tell results apart. Never
    /// empty, on one line.
    pub fn full_name(&self) -> String {
        let Options { name, player, engine, .. } = self;
        let Config { strength, pace: Pace { depth, level, nodes, .. }, .. } = engine;
        if let Some(name) = name {
            return name.clone();
        }
        if let Some(player) = player {
            return format!("{NAME} {}", player.spec);
        }
        // The first one overrides the others.
        let effort = match (strength.is_full(), depth, level) {
            (false, _, _) => format!(" strength {}", strength.number()),
            (true, Some(depth), _) => format!(" depth {depth}"),
            (true, None, Some(level)) => format!(" {level}"),
            (true, None, None) => String::new(),
        };
        let nodes = nodes.map_or_else(String::new, |nodes| format!(" nodes {nodes}"));
        format!("{NAME}{effort}{nodes}")
    }
}

/// What commands may do with files that the command line does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    /// Read the files they name.
    Open,
    /// Nothing, because their sender is not trusted with this machine's files.
    Closed,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::strength::Strength;
    use crate::players::simple::spec;
    use crate::protocol::session::Session;

    #[test]
    fn the_name_tells_settings_apart() {
        let (weak, full) = (Strength::new(20).unwrap(), Strength::default());
        let spec = spec::parse("greedy").unwrap();
        let player = Some(Substitute { spec, seed: 0, number: 0 });
        for (name, player, strength, level, depth, nodes, expected) in [
            (None, None, full, None, None, None, "Othellier"),
            (None, None, full, Some(12), None, None, "Othellier 12"),
            (None, None, full, Some(12), Some(8), None, "Othellier depth 8"),
            (None, None, full, None, None, Some(1000), "Othellier nodes 1000"),
            (None, None, full, Some(12), None, Some(1000), "Othellier 12 nodes 1000"),
            (None, None, weak, Some(12), None, None, "Othellier strength 20"),
            (None, player, full, Some(12), None, None, "Othellier greedy"),
            (Some("My Engine".to_string()), None, full, Some(12), None, None, "My Engine"),
        ] {
            let pace = Pace { level, depth, nodes, ..Pace::OWN };
            let engine = Config { strength, pace, ..Config::default() };
            let options = Options { name, player, engine, ..Options::default() };
            assert_eq!(options.full_name(), expected);
            let mut session = Session::new(options);
            session.options.engine.pace.level = Some(60);
            assert_eq!(session.name, expected, "it stays");
        }
    }
}

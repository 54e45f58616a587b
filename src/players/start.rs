//! Starting players. The files that their specifications name are read here.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;

use super::engine::EnginePlayer;
use super::external;
use super::spec::{EngineSpec, PlayerKind, PlayerSpec};
use super::{Fault, Player};
use crate::engine::{Config, PlayedPositions};
use crate::evaluation::Source;
use crate::files;
use crate::search::Stop;

/// Time limits for starting, and for answers other than moves.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    pub start: Duration,
    pub reply: Duration,
}

/// Files that grow with what a command writes; `None` keeps nothing.
#[derive(Clone, Debug, Default)]
pub struct Logs {
    /// Its error output.
    pub errors: Option<PathBuf>,
    /// The lines that it gets and gives.
    pub traffic: Option<PathBuf>,
}

/// A player whose files are read, ready to be started, even several times at once.
#[derive(Debug)]
pub struct ReadyPlayer {
    pub spec: PlayerSpec,
    pub config: Config,
    /// The positions that an engine has played in all its games.
    played: PlayedPositions,
}

impl ReadyPlayer {
    pub fn new(spec: PlayerSpec) -> anyhow::Result<ReadyPlayer> {
        let config = match &spec.kind {
            PlayerKind::Engine(engine) => load(engine)?,
            _ => Config::default(),
        };
        Ok(ReadyPlayer { spec, config, played: PlayedPositions::default() })
    }

    /// `gone` ends every wait for an engine in another process.
    pub fn start(
        &self,
        logs: &Logs,
        patience: Patience,
        gone: &Stop,
    ) -> Result<Box<dyn Player>, Fault> {
        Ok(match &self.spec.kind {
            PlayerKind::Simple(simple) => simple.player(0),
            PlayerKind::Engine(_) => {
                let (config, played) = (self.config.clone(), self.played.clone());
                Box::new(EnginePlayer::new(config, played))
            }
            PlayerKind::External(external) => external::start(external, logs, patience, gone)?,
        })
    }
}

impl PartialEq for ReadyPlayer {
    fn eq(&self, other: &ReadyPlayer) -> bool {
        self.spec == other.spec
    }
}

/// The settings of an engine with what is in its files; an error names the player.
fn load(engine: &EngineSpec) -> anyhow::Result<Config> {
    let mut config = engine.config.clone();
    let at = |key: &str, path: &Path| format!("player '{}': {key}={}", engine.text, path.display());
    if let Some(path) = &engine.weights {
        config.evaluation = read_weights(path).with_context(|| at("weights", path))?;
    }
    if let Some(path) = &engine.book {
        let book = files::book::open(path).with_context(|| at("book", path))?;
        config.book = Some(Arc::new(book));
    }
    if let Some(path) = &engine.repertoire {
        let repertoire = files::repertoire::read(path).with_context(|| at("repertoire", path))?;
        config.repertoire = Some(Arc::new(repertoire));
    }
    Ok(config)
}

pub fn read_weights(path: &Path) -> anyhow::Result<Source> {
    Ok(Source::from_bytes(&std::fs::read(path)?)?)
}

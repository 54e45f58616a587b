//! Starting players.

use std::path::Path;
use std::time::Duration;

use super::Player;
use super::engine::EnginePlayer;
use super::external;
use super::fault::Fault;
use super::spec::{PlayerKind, PlayerSpec};
use crate::engine::Memory;
use crate::search::StopToken;

/// Time limits for starting, and for answers other than moves.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    pub start: Duration,
    pub reply: Duration,
}

/// Starts a player, which shares a memory with others. `gone` ends all waiting for one in another process.
pub fn start(
    spec: &PlayerSpec,
    memory: &Memory,
    errors: Option<&Path>,
    patience: Patience,
    gone: &StopToken,
) -> Result<Box<dyn Player>, Fault> {
    Ok(match &spec.kind {
        PlayerKind::Simple(simple) => simple.player(0),
        PlayerKind::Engine(config) => {
            let memory = memory.clone();
            Box::new(EnginePlayer::new(config.clone(), spec.ponders, spec.strength, memory))
        }
        PlayerKind::External(external) => external::start(external, errors, patience, gone)?,
    })
}

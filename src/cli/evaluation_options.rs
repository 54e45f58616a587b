//! The options that choose an evaluation.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use crate::evaluation::{Evaluation, Source};
use crate::players::start;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// Pattern weights learned from the engine's own games
    Trained,
    /// Classic terms: mobility, square values, stable discs
    Terms,
}

/// Options of all commands that search.
#[derive(Clone, Debug, Args)]
pub(super) struct EvaluationOptions {
    /// Evaluation function
    #[arg(long, value_enum, default_value_t = Kind::Trained)]
    evaluation: Kind,
    /// Use the trained weights in this file instead of the embedded ones
    #[arg(long, value_name = "FILE", conflicts_with = "evaluation")]
    weights: Option<PathBuf>,
}

impl EvaluationOptions {
    /// The evaluation chosen.
    ///
    /// # Errors
    /// If the weights file cannot be read or is invalid.
    pub fn source(&self) -> anyhow::Result<Source> {
        Ok(match (self.evaluation, &self.weights) {
            (_, Some(path)) => {
                start::read_weights(path).with_context(|| path.display().to_string())?
            }
            (Kind::Trained, None) => Source::Embedded,
            (Kind::Terms, None) => Source::Terms,
        })
    }

    /// Identifies the evaluation: `terms`, or the checksum of the weights.
    ///
    /// # Errors
    /// As [`EvaluationOptions::source`].
    pub fn name(&self) -> anyhow::Result<String> {
        let checksum = self.source()?.checksum();
        Ok(checksum.map_or("terms".into(), |checksum| format!("{checksum:016x}")))
    }

    /// The evaluation chosen, ready for use.
    ///
    /// # Errors
    /// As [`EvaluationOptions::source`].
    pub fn load(&self) -> anyhow::Result<Evaluation> {
        Ok(Evaluation::load(&self.source()?)?)
    }
}

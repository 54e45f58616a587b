//! The options that choose an evaluation.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use crate::evaluation::Source;
use crate::players::start;

#[derive(Clone, Debug, Args)]
pub(super) struct EvaluationOptions {
    /// Use the weights in this file instead of the embedded ones
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
}

impl EvaluationOptions {
    /// The evaluation chosen, which loads at its first use.
    pub fn source(&self) -> anyhow::Result<Source> {
        self.weights.as_deref().map_or(Ok(Source::Embedded), |path| {
            start::read_weights(path).with_context(|| path.display().to_string())
        })
    }

    /// Identifies the evaluation: the checksum of the weights.
    pub fn name(&self) -> anyhow::Result<String> {
        Ok(format!("{:016x}", self.source()?.checksum()))
    }
}

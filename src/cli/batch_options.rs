//! The options of commands that search many positions.

use clap::Args;
use serde_json::Value;

use super::cores;
use crate::batch::part::Part;
use crate::batch::shard::Shard;
use crate::batch::{Order, Pool};
use crate::search::Stop;
use crate::support::checksum::Checksum;

#[derive(Clone, Copy, Debug, Args)]
pub(super) struct BatchOptions {
    /// Threads of each search [default: 1]
    #[arg(short, long, value_name = "N", value_parser = super::threads())]
    pub threads: Option<usize>,
    /// Positions or games at a time [default: one per core; with --threads, 1]
    #[arg(short = 'j', long, value_name = "N", value_parser = super::threads())]
    pub concurrency: Option<usize>,
    /// Only the Kth of every N positions or games, as a part for `othellier merge`
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,
}

impl BatchOptions {
    pub fn n_threads(self) -> usize {
        self.threads.unwrap_or(1)
    }

    /// `unit` counts from 0.
    pub fn contains(self, unit: u64) -> bool {
        self.shard.is_none_or(|shard| shard.contains(unit))
    }

    /// The part put out with `--shard`: of `units` in all, from an input with this checksum. `job` tells the settings
    /// that determine the results. `input` and `job` may read whole files, so they are called for a part only.
    pub fn part(
        self,
        units: u64,
        input: impl FnOnce() -> Checksum,
        job: impl FnOnce() -> anyhow::Result<Value>,
    ) -> anyhow::Result<Option<Part>> {
        let part =
            |shard| Ok(Part { shard, units: Some(units), input: input().to_string(), job: job()? });
        self.shard.map(part).transpose()
    }

    /// The pool for units whose results come in order. With `--threads`, searches run one at a time by default.
    pub fn pool(self, stop: &Stop) -> Pool<'_> {
        let others = if self.threads.is_some() { 1 } else { cores() };
        Pool { n_threads: self.concurrency.unwrap_or(others), order: Order::ByNumber, stop }
    }
}

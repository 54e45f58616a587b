//! The course of a training: passes over the data, early stopping, resuming after an interruption.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::checkpoint::{Best, Checkpoint, Pass, State, body};
use super::data::{Data, Example};
use super::fit::{Loss, Model, add_all, arrange, total};
use crate::evaluation::stages::N_STAGES;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Settings {
    /// Maximum number of passes over the data.
    pub epochs: u32,
    /// Stop after this many passes without a lower error on the positions held back.
    pub patience: u32,
    /// Learning rate of the first pass; it falls to zero along half a cosine wave over all passes.
    pub rate: f64,
    /// Initial sum of squared gradients, in squared discs.
    pub inertia: f64,
    /// How many passes over these data the initial parameters count for.
    pub prior: f64,
    pub seed: u64,
}

impl Settings {
    fn rate(&self, pass: u32) -> f32 {
        let progress = f64::from(pass) / f64::from(self.epochs);
        let slope = (1.0 + (std::f64::consts::PI * progress).cos()) / 2.0;
        (self.rate * slope) as f32
    }

    /// Seed for the order of a part's positions in a pass.
    fn order(&self, pass: u32, part: u64) -> u64 {
        self.seed ^ u64::from(pass) << 32 ^ part << 8
    }
}

pub trait Observer: Sync {
    /// Called with the number of positions processed since the last call.
    fn on_positions(&self, n: u64);

    /// Called for every pass, including those done before an interruption.
    fn on_pass(&self, number: usize, pass: &Pass);
}

/// The network is trained only after one in this many of the passes.
const LINEAR_SHARE: u32 = 3;

/// At most one part in this many of the time goes into checkpoints.
const CHECKPOINT_SHARE: u32 = 10;

/// How long the first checkpoint is expected to take.
const FIRST_CHECKPOINT: Duration = Duration::from_millis(200);

/// Trains until all passes are done or the error no longer falls; resumes from a checkpoint with the same outcome as without interruption.
pub fn train(
    mut model: Model,
    settings: &Settings,
    data: &mut Data,
    test: &[Example],
    checkpoint: &Checkpoint,
    observer: &dyn Observer,
) -> anyhow::Result<(Vec<Pass>, Best)> {
    let mut passes: Vec<Pass> = Vec::new();
    let mut best = Best { pass: 0, numbers: model.numbers() };
    let untrained = body(&model.parameters, &best.numbers);
    if let Some(state) = checkpoint.read(&untrained, model.parameters.len())? {
        State { passes, best, parameters: model.parameters } = state;
        for (index, pass) in passes.iter().enumerate() {
            observer.on_pass(index + 1, pass);
        }
        if data.n_parts == 1 {
            // A single part is reordered in place in every pass.
            if settings.prior > 0.0 && !passes.is_empty() {
                arrange(data.part(0)?, WEIGHING_ORDER);
            }
            for pass in 0..passes.len() as u32 {
                arrange(data.part(0)?, settings.order(pass, 0));
            }
        }
    }
    let (mut last_write, mut cost) = (Instant::now(), FIRST_CHECKPOINT);
    let is_patient = |n_passes, best: &Best| n_passes <= best.pass + settings.patience as usize;
    let begins_whole = model.has_network;
    while passes.len() < settings.epochs as usize && is_patient(passes.len(), &best) {
        let number = passes.len() as u32;
        model.has_network = begins_whole || number >= settings.epochs / LINEAR_SHARE;
        let mut training = vec![Loss::default(); N_STAGES];
        if number == 0 && settings.prior > 0.0 {
            weigh(&mut model, settings.prior, data, observer)?;
        }
        for part in 0..data.n_parts {
            let examples = data.part(part)?;
            arrange(examples, settings.order(number, part));
            let learn = |n| observer.on_positions(n);
            add_all(&mut training, &model.learn(examples, settings.rate(number), &learn));
        }
        let hold_out = model.losses(&data.hold_out);
        let pass = Pass { training, hold_out, test: model.losses(test) };
        observer.on_pass(passes.len() + 1, &pass);
        passes.push(pass);
        if is_best(&passes) {
            best = Best { pass: passes.len() - 1, numbers: model.numbers() };
        }
        if last_write.elapsed() >= CHECKPOINT_SHARE * cost {
            let start = Instant::now();
            checkpoint.write(&passes, &best, &model.parameters, &untrained)?;
            (last_write, cost) = (Instant::now(), start.elapsed());
        }
    }
    Ok((passes, best))
}

/// Seed for the order of the positions that [`weigh`] passes over.
const WEIGHING_ORDER: u64 = 0;

/// Gives the initial parameters the squared gradients that `prior` passes would have left: those that have seen much move little.
fn weigh(
    model: &mut Model,
    prior: f64,
    data: &mut Data,
    observer: &dyn Observer,
) -> anyhow::Result<()> {
    let before: Vec<f32> = model.parameters.iter().map(|parameter| parameter.squares).collect();
    for part in 0..data.n_parts {
        let examples = data.part(part)?;
        arrange(examples, WEIGHING_ORDER);
        model.learn(examples, 0.0, &|n| observer.on_positions(n));
    }
    for (parameter, before) in model.parameters.iter_mut().zip(before) {
        parameter.squares = before + prior as f32 * (parameter.squares - before);
    }
    Ok(())
}

/// Whether the last pass has the lowest error on the positions held back; always true without such positions.
fn is_best(passes: &[Pass]) -> bool {
    let Some((last, earlier)) = passes.split_last() else { return false };
    let error = |pass: &Pass| total(&pass.hold_out).mse();
    total(&last.hold_out).n == 0 || earlier.iter().all(|pass| error(last) < error(pass))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_pass_has_the_least_error() {
        let pass = |errors: &[f64]| {
            let mut loss = Loss::default();
            errors.iter().for_each(|&error| loss.add(error));
            Pass { training: Vec::new(), hold_out: vec![loss], test: Vec::new() }
        };
        let passes = [pass(&[4.0, -2.0]), pass(&[3.0, 1.0]), pass(&[3.0, 1.0]), pass(&[-3.0])];
        let best: Vec<bool> = (1..=passes.len()).map(|n| is_best(&passes[..n])).collect();
        assert_eq!(best, [true, true, false, false]);
        assert!(is_best(&[pass(&[]), pass(&[])]));
    }

    #[test]
    fn steps_fall_to_zero() {
        let settings =
            Settings { epochs: 4, patience: 2, rate: 2.0, inertia: 1.0, prior: 0.0, seed: 1 };
        let rates: Vec<f32> = (0..=4).map(|pass| settings.rate(pass)).collect();
        assert_eq!((rates[0], rates[2], rates[4]), (2.0, 1.0, 0.0));
        assert!(rates.is_sorted_by(|a, b| a > b));
    }
}

//! What searches of many positions tell of an evaluation: the tempo that it lacks, and how far its shallow searches are from deep ones.

use super::probcut::{Difference, Values, differences, fit};
use super::tempo::{self, Tempo};
use crate::evaluation::ErrorModel;
use crate::evaluation::weights::File;

#[derive(Clone, Debug)]
pub struct Calibration {
    pub tempo: Tempo,
    pub differences: Vec<Difference>,
    pub model: ErrorModel,
}

impl Calibration {
    pub fn new(mut values: Vec<Values>) -> Self {
        let tempo = tempo::measure(&values);
        tempo::correct(&mut values, &tempo);
        let differences: Vec<_> = values.iter().flat_map(differences).collect();
        let model = fit(&differences);
        Self { tempo, differences, model }
    }

    /// Adds the tempo to weights, and sets their error model.
    pub fn apply(&self, file: &mut File) -> anyhow::Result<()> {
        anyhow::ensure!(self.model.is_usable(), "the differences give no usable error model");
        tempo::add(&mut file.numbers, &self.tempo);
        file.error_model = self.model;
        Ok(())
    }
}

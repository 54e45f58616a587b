//! A trained parameter: its value and its accumulated gradients.

/// In discs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parameter {
    pub weight: f32,
    pub squares: f32,
}

impl Parameter {
    pub(super) fn step(&mut self, gradient: f32, rate: f32) {
        self.squares += gradient * gradient;
        self.weight -= rate * gradient / self.squares.sqrt();
    }
}

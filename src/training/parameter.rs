//! A trained parameter: its value and its accumulated gradients.

/// A weight in discs and the sum of its squared gradients.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parameter {
    /// The weight.
    pub weight: f32,
    /// The sum of squared gradients.
    pub squares: f32,
}

impl Parameter {
    /// Takes a step down a gradient.
    pub(super) fn step(&mut self, gradient: f32, rate: f32) {
        self.squares += gradient * gradient;
        self.weight -= rate * gradient / self.squares.sqrt();
    }
}

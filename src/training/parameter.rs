//! What is learnt: a number, and how surely it is known.

/// A weight in discs and the sum of its squared gradients.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parameter {
    /// The weight.
    pub weight: f32,
    /// Squared gradients.
    pub squares: f32,
}

impl Parameter {
    /// Goes down a gradient.
    pub(super) fn step(&mut self, gradient: f32, rate: f32) {
        self.squares += gradient * gradient;
        self.weight -= rate * gradient / self.squares.sqrt();
    }
}

//! `--color`: of the output, or of the person who plays.

use anstream::ColorChoice;

#[derive(Clone, Copy, Debug)]
pub(super) enum Coloring {
    /// Whether the output has colors.
    When(ColorChoice),
    /// On which sides of the board a person plays.
    People([bool; 2]),
}

pub(super) const WORDS: [(&str, Coloring); 7] = [
    ("auto", Coloring::When(ColorChoice::Auto)),
    ("always", Coloring::When(ColorChoice::Always)),
    ("never", Coloring::When(ColorChoice::Never)),
    ("black", Coloring::People([true, false])),
    ("white", Coloring::People([false, true])),
    ("both", Coloring::People([true, true])),
    ("none", Coloring::People([false, false])),
];

impl Coloring {
    /// Colors the output, or tells where a person plays.
    pub(super) fn apply(self) -> Option<[bool; 2]> {
        match self {
            Coloring::When(choice) => {
                choice.write_global();
                None
            }
            Coloring::People(people) => Some(people),
        }
    }
}

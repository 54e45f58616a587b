//! What the targets run: the properties of the property tests.

#[path = "../../tests/it/hostile/properties.rs"]
mod properties;

pub use properties::check;

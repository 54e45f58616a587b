//! Reproducible random draws: the same seed gives the same numbers in every version.

use std::hash::{BuildHasher, Hasher, RandomState};

use rand::Rng;

/// Draws evenly below `n`, which must not be 0. Implemented here because recorded games must repeat, while a library may change how it
/// samples ranges.
pub fn draw(random: &mut impl Rng, n: u64) -> u64 {
    debug_assert!(n != 0);
    // Numbers from the largest multiple of n upward would favor small remainders.
    let end = u64::MAX - u64::MAX % n;
    loop {
        let number = random.next_u64();
        if number < end {
            return number % n;
        }
    }
}

/// A seed that differs from game to game and from process to process.
pub fn arbitrary_seed() -> u64 {
    // The keys of a hash map are random.
    RandomState::new().build_hasher().finish()
}

/// Puts items into an order drawn at random (R. A. Fisher, F. Yates, 1938).
pub fn shuffle<T>(items: &mut [T], random: &mut impl Rng) {
    for last in (1..items.len()).rev() {
        items.swap(last, draw(random, last as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};

    #[test]
    fn draws_are_even() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        for n in [1, 2, 3, 7, 20] {
            let mut counts = vec![0i32; n];
            for _ in 0..1000 * n {
                counts[draw(&mut random, n as u64) as usize] += 1;
            }
            // Five standard deviations are under 160.
            assert!(counts.iter().all(|count| (count - 1000).abs() < 160), "{counts:?}");
        }
    }
}

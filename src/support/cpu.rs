//! Does this processor have the instructions that this build uses?
//!
//! `is_x86_feature_detected!` is constant true for features that the build enables, so CPUID is read directly.

/// The build's instruction-set tier by the features enabled when it was compiled: `avx512`, `avx2`, `x86-64-v2` or
/// `portable`.
pub const BUILD_TIER: &str = if cfg!(all(target_feature = "avx512f", target_feature = "avx512vl")) {
    "avx512"
} else if cfg!(target_feature = "avx2") {
    "avx2"
} else if cfg!(target_feature = "popcnt") {
    "x86-64-v2"
} else {
    "portable"
};

/// Names of the instruction sets that this build needs and the processor lacks; empty where it can run.
#[cfg(target_arch = "x86_64")]
pub fn missing_features() -> Vec<&'static str> {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    let leaf1 = __cpuid(1);
    let leaf7 = if __cpuid(0).eax >= 7 {
        __cpuid_count(7, 0)
    } else {
        std::arch::x86_64::CpuidResult { eax: 0, ebx: 0, ecx: 0, edx: 0 }
    };
    let extended = __cpuid(0x8000_0001);
    let needs = [
        ("POPCNT", cfg!(target_feature = "popcnt"), leaf1.ecx >> 23 & 1),
        ("AVX2", cfg!(target_feature = "avx2"), leaf7.ebx >> 5 & 1),
        ("BMI1", cfg!(target_feature = "bmi1"), leaf7.ebx >> 3 & 1),
        ("BMI2", cfg!(target_feature = "bmi2"), leaf7.ebx >> 8 & 1),
        ("LZCNT", cfg!(target_feature = "lzcnt"), extended.ecx >> 5 & 1),
        ("AVX-512F", cfg!(target_feature = "avx512f"), leaf7.ebx >> 16 & 1),
        ("AVX-512CD", cfg!(target_feature = "avx512cd"), leaf7.ebx >> 28 & 1),
        ("AVX-512VL", cfg!(target_feature = "avx512vl"), leaf7.ebx >> 31 & 1),
    ];
    needs.iter().filter(|need| need.1 && need.2 == 0).map(|need| need.0).collect()
}

/// Elsewhere than on x86-64 nothing is assumed beyond the target's base.
#[cfg(not(target_arch = "x86_64"))]
pub fn missing_features() -> Vec<&'static str> {
    Vec::new()
}

/// A level of x86-64 processors, as compilers and distributions count them.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// `x86-64-v2` and so on.
    pub name: &'static str,
    features: &'static [Feature],
}

/// An instruction set, and whether processor and system offer it.
type Feature = (&'static str, fn() -> bool);

impl Level {
    /// Names of the instruction sets of this level and those below that are not to be had here.
    ///
    /// Only for a build for any x86-64 processor: what a build enables is taken for granted.
    pub fn missing(&self) -> Vec<&'static str> {
        let below = LEVELS.iter().take_while(|level| level.name != self.name);
        let features = below.chain([self]).flat_map(|level| level.features);
        features.filter(|(_, is_there)| !is_there()).map(|(name, _)| *name).collect()
    }
}

/// The levels above the plain one, the lowest first.
#[cfg(target_arch = "x86_64")]
pub const LEVELS: [Level; 3] = [
    Level {
        name: "x86-64-v2",
        features: &[
            ("CMPXCHG16B", || std::is_x86_feature_detected!("cmpxchg16b")),
            ("POPCNT", || std::is_x86_feature_detected!("popcnt")),
            ("SSE3", || std::is_x86_feature_detected!("sse3")),
            ("SSSE3", || std::is_x86_feature_detected!("ssse3")),
            ("SSE4.1", || std::is_x86_feature_detected!("sse4.1")),
            ("SSE4.2", || std::is_x86_feature_detected!("sse4.2")),
        ],
    },
    Level {
        name: "x86-64-v3",
        features: &[
            ("AVX", || std::is_x86_feature_detected!("avx")),
            ("AVX2", || std::is_x86_feature_detected!("avx2")),
            ("BMI1", || std::is_x86_feature_detected!("bmi1")),
            ("BMI2", || std::is_x86_feature_detected!("bmi2")),
            ("F16C", || std::is_x86_feature_detected!("f16c")),
            ("FMA", || std::is_x86_feature_detected!("fma")),
            ("LZCNT", || std::is_x86_feature_detected!("lzcnt")),
            ("MOVBE", || std::is_x86_feature_detected!("movbe")),
        ],
    },
    Level {
        name: "x86-64-v4",
        features: &[
            ("AVX-512F", || std::is_x86_feature_detected!("avx512f")),
            ("AVX-512BW", || std::is_x86_feature_detected!("avx512bw")),
            ("AVX-512CD", || std::is_x86_feature_detected!("avx512cd")),
            ("AVX-512DQ", || std::is_x86_feature_detected!("avx512dq")),
            ("AVX-512VL", || std::is_x86_feature_detected!("avx512vl")),
        ],
    },
];

/// Other processors have none of these levels.
#[cfg(not(target_arch = "x86_64"))]
pub const LEVELS: [Level; 0] = [];

/// Asks for the cache line at `place` ahead of its use; does nothing where the processor has no such hint.
#[inline(always)]
pub fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing that the program can see, and `place` is a valid address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

#[cfg(test)]
mod tests {
    #[test]
    fn this_processor_runs_this_build() {
        assert_eq!(super::missing_features(), Vec::<&str>::new());
    }

    #[test]
    fn a_level_lacks_what_those_below_lack() {
        let missing: Vec<Vec<&str>> = super::LEVELS.iter().map(super::Level::missing).collect();
        for pair in missing.windows(2) {
            assert!(pair[1].starts_with(&pair[0]), "{missing:?}");
        }
        let tier = ["portable", "x86-64-v2", "avx2", "avx512"];
        let level = tier.iter().position(|tier| *tier == super::BUILD_TIER).unwrap();
        assert!(missing.iter().take(level).all(|missing| missing.is_empty()), "{missing:?}");
    }
}

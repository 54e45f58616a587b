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
}

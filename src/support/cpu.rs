//! Checks that this processor supports the instructions used by this build.
//!
//! `is_x86_feature_detected!` is always true for features enabled in the build, so CPUID is read directly.

/// The build's instruction-set tier, from the features enabled at compile time: `avx512`, `avx2`, `x86-64-v2` or
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

/// Names of the instruction sets that this build needs but the processor or the system does not support; empty if it can run.
pub fn missing_features() -> Vec<&'static str> {
    FEATURES
        .iter()
        .filter(|feature| feature.is_needed && !feature.is_there())
        .map(|feature| feature.name)
        .collect()
}

struct Feature {
    name: &'static str,
    is_needed: bool,
    /// CPUID's leaf and subleaf.
    #[cfg(target_arch = "x86_64")]
    leaf: (u32, u32),
    #[cfg(target_arch = "x86_64")]
    register: Register,
    #[cfg(target_arch = "x86_64")]
    bit: u32,
    /// What the system must save for each thread, as bits of XCR0.
    #[cfg(target_arch = "x86_64")]
    state: u64,
}

/// Other targets use only their baseline.
#[cfg(not(target_arch = "x86_64"))]
impl Feature {
    fn is_there(&self) -> bool {
        true
    }
}

#[cfg(not(target_arch = "x86_64"))]
static FEATURES: &[Feature] = &[];

#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
enum Register {
    Eax,
    Ebx,
    Ecx,
    Edx,
}

#[cfg(target_arch = "x86_64")]
impl Feature {
    fn is_there(&self) -> bool {
        use std::arch::x86_64::{__cpuid, __cpuid_count};
        let (leaf, subleaf) = self.leaf;
        // The first basic and the first extended leaf give the number of the last one.
        let last = __cpuid(leaf & 0x8000_0000).eax;
        if leaf > last {
            return false;
        }
        let answer = __cpuid_count(leaf, subleaf);
        let register = match self.register {
            Register::Eax => answer.eax,
            Register::Ebx => answer.ebx,
            Register::Ecx => answer.ecx,
            Register::Edx => answer.edx,
        };
        register >> self.bit & 1 != 0 && enabled_state() & self.state == self.state
    }
}

/// The state that the system saves for each thread.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "no safe function reads this register")]
fn enabled_state() -> u64 {
    /// In register C of leaf 1: the system has enabled XGETBV.
    const OSXSAVE: u32 = 27;
    if std::arch::x86_64::__cpuid(1).ecx >> OSXSAVE & 1 == 0 {
        return 0;
    }
    // SAFETY: the processor has the instruction and the system has enabled it.
    unsafe { std::arch::x86_64::_xgetbv(0) }
}

/// Registers of SSE, which every system saves.
#[cfg(target_arch = "x86_64")]
const PLAIN: u64 = 0;
/// Registers of SSE and AVX.
#[cfg(target_arch = "x86_64")]
const AVX: u64 = 0x6;
/// Those, and the three state components of AVX-512.
#[cfg(target_arch = "x86_64")]
const AVX512: u64 = 0xE6;
/// Tiles and their configuration.
#[cfg(target_arch = "x86_64")]
const AMX: u64 = 0x6_0000;
/// Sixteen more general registers.
#[cfg(target_arch = "x86_64")]
const APX: u64 = 0x8_0000;

/// A feature is needed if the build enables it.
#[cfg(target_arch = "x86_64")]
macro_rules! features {
    ($($name:tt: $leaf:literal, $subleaf:literal, $register:ident, $bit:literal, $state:ident;)*) => {
        [$(Feature {
            name: $name,
            is_needed: cfg!(target_feature = $name),
            leaf: ($leaf, $subleaf),
            register: Register::$register,
            bit: $bit,
            state: $state,
        }),*]
    };
}

/// All features that a build can enable beyond the baseline, from the manuals of Intel (volume 2, CPUID) and AMD (volume 3, appendix E).
#[cfg(target_arch = "x86_64")]
static FEATURES: &[Feature] = &features! {
    "x87": 1, 0, Edx, 0, PLAIN;
    "sse": 1, 0, Edx, 25, PLAIN;
    "sse2": 1, 0, Edx, 26, PLAIN;
    "fxsr": 1, 0, Edx, 24, PLAIN;
    "sse3": 1, 0, Ecx, 0, PLAIN;
    "pclmulqdq": 1, 0, Ecx, 1, PLAIN;
    "ssse3": 1, 0, Ecx, 9, PLAIN;
    "fma": 1, 0, Ecx, 12, AVX;
    "cmpxchg16b": 1, 0, Ecx, 13, PLAIN;
    "sse4.1": 1, 0, Ecx, 19, PLAIN;
    "sse4.2": 1, 0, Ecx, 20, PLAIN;
    "movbe": 1, 0, Ecx, 22, PLAIN;
    "popcnt": 1, 0, Ecx, 23, PLAIN;
    "aes": 1, 0, Ecx, 25, PLAIN;
    "xsave": 1, 0, Ecx, 26, PLAIN;
    "avx": 1, 0, Ecx, 28, AVX;
    "f16c": 1, 0, Ecx, 29, AVX;
    "rdrand": 1, 0, Ecx, 30, PLAIN;
    "bmi1": 7, 0, Ebx, 3, PLAIN;
    "avx2": 7, 0, Ebx, 5, AVX;
    "bmi2": 7, 0, Ebx, 8, PLAIN;
    "ermsb": 7, 0, Ebx, 9, PLAIN;
    "rtm": 7, 0, Ebx, 11, PLAIN;
    "avx512f": 7, 0, Ebx, 16, AVX512;
    "avx512dq": 7, 0, Ebx, 17, AVX512;
    "rdseed": 7, 0, Ebx, 18, PLAIN;
    "adx": 7, 0, Ebx, 19, PLAIN;
    "avx512ifma": 7, 0, Ebx, 21, AVX512;
    "avx512cd": 7, 0, Ebx, 28, AVX512;
    "sha": 7, 0, Ebx, 29, PLAIN;
    "avx512bw": 7, 0, Ebx, 30, AVX512;
    "avx512vl": 7, 0, Ebx, 31, AVX512;
    "avx512vbmi": 7, 0, Ecx, 1, AVX512;
    "avx512vbmi2": 7, 0, Ecx, 6, AVX512;
    "gfni": 7, 0, Ecx, 8, PLAIN;
    "vaes": 7, 0, Ecx, 9, AVX;
    "vpclmulqdq": 7, 0, Ecx, 10, AVX;
    "avx512vnni": 7, 0, Ecx, 11, AVX512;
    "avx512bitalg": 7, 0, Ecx, 12, AVX512;
    "avx512vpopcntdq": 7, 0, Ecx, 14, AVX512;
    "avx512vp2intersect": 7, 0, Edx, 8, AVX512;
    "amx-bf16": 7, 0, Edx, 22, AMX;
    "avx512fp16": 7, 0, Edx, 23, AVX512;
    "amx-tile": 7, 0, Edx, 24, AMX;
    "amx-int8": 7, 0, Edx, 25, AMX;
    "sha512": 7, 1, Eax, 0, AVX;
    "sm3": 7, 1, Eax, 1, AVX;
    "sm4": 7, 1, Eax, 2, AVX;
    "avxvnni": 7, 1, Eax, 4, AVX;
    "avx512bf16": 7, 1, Eax, 5, AVX512;
    "amx-fp16": 7, 1, Eax, 21, AMX;
    "avxifma": 7, 1, Eax, 23, AVX;
    "movrs": 7, 1, Eax, 31, PLAIN;
    "avxvnniint8": 7, 1, Edx, 4, AVX;
    "avxneconvert": 7, 1, Edx, 5, AVX;
    "amx-complex": 7, 1, Edx, 8, AMX;
    "avxvnniint16": 7, 1, Edx, 10, AVX;
    "avx10.1": 7, 1, Edx, 19, AVX512;
    "apxf": 7, 1, Edx, 21, APX;
    "xsaveopt": 0xD, 1, Eax, 0, PLAIN;
    "xsavec": 0xD, 1, Eax, 1, PLAIN;
    "xsaves": 0xD, 1, Eax, 3, PLAIN;
    "kl": 0x19, 0, Ebx, 0, PLAIN;
    "widekl": 0x19, 0, Ebx, 2, PLAIN;
    "amx-fp8": 0x1E, 1, Eax, 4, AMX;
    "amx-tf32": 0x1E, 1, Eax, 6, AMX;
    "amx-avx512": 0x1E, 1, Eax, 7, AMX;
    "amx-movrs": 0x1E, 1, Eax, 8, AMX;
    // Version 2 of the feature in leaf 24h.
    "avx10.2": 0x24, 0, Ebx, 1, AVX512;
    "lahfsahf": 0x8000_0001, 0, Ecx, 0, PLAIN;
    "lzcnt": 0x8000_0001, 0, Ecx, 5, PLAIN;
    "sse4a": 0x8000_0001, 0, Ecx, 6, PLAIN;
    "prfchw": 0x8000_0001, 0, Ecx, 8, PLAIN;
    "xop": 0x8000_0001, 0, Ecx, 11, AVX;
    "tbm": 0x8000_0001, 0, Ecx, 21, PLAIN;
};

/// A level of x86-64 processors, as defined by compilers and distributions.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// `x86-64-v2` and so on.
    pub name: &'static str,
    /// The features it adds to the level below.
    features: &'static [&'static str],
}

impl Level {
    /// Names of the unavailable instruction sets of this level and those below.
    pub fn missing(&self) -> Vec<&'static str> {
        let below = LEVELS.iter().take_while(|level| level.name != self.name);
        let names = below.chain([self]).flat_map(|level| level.features).copied();
        let is_there =
            |name: &str| FEATURES.iter().any(|feature| feature.name == name && feature.is_there());
        names.filter(|name| !is_there(name)).collect()
    }
}

/// The levels above the baseline, the lowest first.
#[cfg(target_arch = "x86_64")]
pub const LEVELS: [Level; 3] = [
    Level {
        name: "x86-64-v2",
        features: &["cmpxchg16b", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2"],
    },
    Level {
        name: "x86-64-v3",
        features: &["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "lzcnt", "movbe"],
    },
    Level {
        name: "x86-64-v4",
        features: &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"],
    },
];

/// Other processors have none of these levels.
#[cfg(not(target_arch = "x86_64"))]
pub const LEVELS: [Level; 0] = [];

/// Asks for the cache line at `place` ahead of its use; does nothing where the processor has no such hint.
#[inline(always)]
#[cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "the hint is an intrinsic"))]
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
    /// Checks all features that the compiler enables for this processor and for some with feature sets of their own.
    #[cfg(target_arch = "x86_64")]
    #[expect(clippy::disallowed_types, reason = "asks the compiler")]
    #[test]
    fn every_feature_that_a_build_can_enable_is_looked_for() {
        let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
        let models = ["native", "x86-64-v4", "diamondrapids", "arrowlake-s", "znver5", "bdver4"];
        for model in models {
            let mut command = std::process::Command::new(&rustc);
            command.args(["--target", "x86_64-unknown-linux-gnu", "--print", "cfg", "-C"]);
            let output = command.arg(format!("target-cpu={model}")).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let names = text.lines().filter_map(|line| line.strip_prefix("target_feature="));
            let names: Vec<&str> = names.map(|name| name.trim_matches('"')).collect();
            assert!(names.contains(&"sse2"), "{model}: {text}");
            for name in names {
                let feature = super::FEATURES.iter().find(|feature| feature.name == name);
                let feature = feature.unwrap_or_else(|| panic!("{model}: {name}"));
                // The features that the compiler has found on this processor are detected.
                assert!(model != "native" || feature.is_there(), "{name}");
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn features_agree_with_the_standard_library() {
        let is_there = |name: &str| {
            super::FEATURES.iter().find(|feature| feature.name == name).unwrap().is_there()
        };
        macro_rules! agree {
            ($($name:tt)*) => {
                $(assert_eq!(is_there($name), std::is_x86_feature_detected!($name), $name);)*
            };
        }
        // For features enabled in this build, the standard library's answer is constant.
        agree!("sse4.1" "popcnt" "aes" "avx" "avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe" "adx" "sha" "gfni" "vaes");
        agree!("avx512f" "avx512bw" "avx512vl" "avx512vbmi2" "avx512bf16" "avx512fp16" "avxvnni" "avxifma" "xsave" "xsavec");
        agree!("rdrand" "rdseed" "sse4a" "tbm" "kl" "sha512" "sm4");
    }

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

//! Points in time: those of the standard library, or where it has no clock, as in WebAssembly alone, those of the embedder.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use embedded::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod embedded {
    use std::time::Duration;

    #[expect(unsafe_code, reason = "an import is declared by hand; any number it returns is safe")]
    #[link(wasm_import_module = "othellier")]
    unsafe extern "C" {
        /// Milliseconds since any moment; never less than before. The embedder imports it into the module.
        safe fn milliseconds() -> f64;
    }

    #[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
    pub struct Instant(Duration);

    impl Instant {
        pub fn now() -> Instant {
            Instant(Duration::try_from_secs_f64(milliseconds() / 1000.0).unwrap_or_default())
        }

        pub fn elapsed(self) -> Duration {
            Instant::now().0.saturating_sub(self.0)
        }
    }
}

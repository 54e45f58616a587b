//! What is allowed in some places only: input and output, files named by protocols, global state, random draws.

use super::layers::Layers;
use super::sources::{Source, sources};
use super::{Breach, check};

/// Where protocols read files, which a session may forbid.
const PROTOCOL_FILES: &str = "src/protocol/session.rs";

/// Types that make a static mutable, besides the atomic ones.
const CHANGEABLE: [&str; 9] = [
    "Cell",
    "LazyCell",
    "LazyLock",
    "Mutex",
    "OnceCell",
    "OnceLock",
    "RefCell",
    "RwLock",
    "UnsafeCell",
];

/// The engine and all layers below use no files, streams, processes or environment, except for the error of a refused thread.
/// Lints forbid printing.
fn no_input_or_output(layers: &Layers, source: &Source) -> Vec<Breach> {
    let engine = layers.of("engine");
    let Some(layer) =
        source.room().and_then(|room| layers.of(&room)).filter(|&layer| Some(layer) <= engine)
    else {
        return Vec::new();
    };
    let breaches = source.program().filter_map(|named| {
        let path: Vec<&str> = named.path.iter().map(String::as_str).collect();
        let is_forbidden = match path[..] {
            ["std", "env" | "process" | "fs", ..] | ["clap" | "anyhow", ..] => true,
            ["std", "io", "Result"] => Some(layer) < engine,
            ["std", "io", ..] => true,
            _ => false,
        };
        let message = format!("{} below the protocols", path.join("::"));
        is_forbidden.then(|| Breach::new(named.line, message))
    });
    breaches.collect()
}

/// Protocols use files in one place.
fn files_of_protocols(source: &Source) -> Vec<Breach> {
    if source.room().as_deref() != Some("protocol") || source.path == PROTOCOL_FILES {
        return Vec::new();
    }
    let naming =
        source.program().filter(|named| named.path.starts_with(&["std".into(), "fs".into()]));
    naming.map(|named| Breach::new(named.line, "files are for protocol/session.rs")).collect()
}

/// There is no state outside of values that are passed down.
fn global_state(source: &Source) -> Vec<Breach> {
    let statics = source.statics.iter().filter(|item| !item.is_test).filter_map(|item| {
        let is_changeable =
            |name: &&String| CHANGEABLE.contains(&name.as_str()) || name.starts_with("Atomic");
        let what = if item.is_mut {
            Some("mut")
        } else {
            item.names.iter().find(is_changeable).map(String::as_str)
        };
        what.map(|what| Breach::new(item.line, format!("static {what}: global state")))
    });
    let locals = source
        .program()
        .filter(|named| named.path.last().is_some_and(|name| name == "thread_local"))
        .map(|named| Breach::new(named.line, "thread_local! is global state"));
    statics.chain(locals).collect()
}

/// Code for some systems only is compiled for these only; other systems have a substitute.
fn systems(source: &Source) -> Vec<Breach> {
    let of_one_system = |path: &[String]| {
        path[0] == "rustix"
            || path.windows(2).any(|names| {
                names[0] == "os" && ["unix", "fd", "linux", "windows"].contains(&&names[1][..])
            })
    };
    let named = source.named.iter().filter(|named| !named.is_gated && of_one_system(&named.path));
    named.map(|named| Breach::new(named.line, "of one system, without #[cfg(...)]")).collect()
}

/// Random draws do not depend on a library's version: each is one of `support::draw`, from a fixed generator.
fn draws(source: &Source) -> Vec<Breach> {
    const OTHERS: [&str; 5] = ["RngExt", "StdRng", "SmallRng", "ThreadRng", "thread_rng"];
    let named = source.named.iter().filter_map(|named| {
        let name = named.path.iter().find(|name| OTHERS.contains(&&name[..]))?;
        Some(Breach::new(named.line, format!("draws by {name}")))
    });
    named.collect()
}

#[test]
fn the_engine_and_all_below_do_no_input_or_output() {
    let layers = Layers::of_library();
    check(&sources("src"), |source| no_input_or_output(&layers, source));
}

#[test]
fn protocols_touch_files_in_one_place() {
    check(&sources("src"), files_of_protocols);
}

#[test]
fn there_is_no_global_state() {
    check(&sources("src"), global_state);
}

#[test]
fn what_only_some_systems_have_is_compiled_for_them_only() {
    check(&sources("src"), systems);
}

#[test]
fn draws_repeat() {
    check(&sources("src"), draws);
}

#[test]
fn what_only_some_systems_have_is_found() {
    let text = "
        use rustix::process::nice; // bad
        #[cfg(unix)] use rustix::process::nice;
        #[cfg(unix)] fn f() { std::os::unix::process::parent_id() }
        fn f() { std::os::unix::process::parent_id() } // bad
        fn f() {
            #[cfg(unix)]
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            let fd = std::os::fd::AsRawFd::as_raw_fd(&file); // bad
        }
        #[cfg(target_os = \"linux\")] pub fn f() { use rustix::mm::madvise; }
        #[cfg(not(unix))] fn f() {}
        fn f(unix: bool) {}";
    super::expect_marked(systems, "src/seats/child.rs", text);
}

#[test]
fn draws_of_the_library_are_found() {
    let text = "
        use rand::{RngExt, SeedableRng}; // bad
        fn f() { rand::rngs::StdRng::from_seed(x) } // bad
        fn f() { draw(&mut random, 9) }
        fn f() { random.next_u64() }";
    super::expect_marked(draws, "src/training/fit.rs", text);
}

#[test]
fn input_and_output_are_found() {
    let layers = Layers::of_library();
    let rule = |source: &Source| no_input_or_output(&layers, source);
    let text = "
        use std::{fmt, env}; // bad
        use anyhow::Result; // bad
        fn f() -> std::io::Result<()> {} // bad
        fn f() { assert!(std::fs::exists(x)) } // bad
        #[cfg(test)] mod tests { fn f() { std::fs::read(); } }";
    super::expect_marked(rule, "src/search/root.rs", text);
    let text = "fn f() -> std::io::Result<()> {}\nuse std::io::Write; // bad\nfn f() { x.stdin }";
    super::expect_marked(rule, "src/engine.rs", text);
    assert!(rule(&Source::parse("src/protocol.rs", text)).is_empty());
}

#[test]
fn files_in_protocols_are_found() {
    let text = "
        use std::{fs, io}; // bad
        fn f() { std::fs::read(path) } // bad
        // std::fs
        #[cfg(test)] mod tests { use std::fs; }";
    super::expect_marked(files_of_protocols, "src/protocol/gtp.rs", text);
    super::expect_marked(files_of_protocols, "src/protocol.rs", text);
    for place in [PROTOCOL_FILES, "src/cli/solve.rs"] {
        assert!(files_of_protocols(&Source::parse(place, text)).is_empty());
    }
}

#[test]
fn global_state_is_found() {
    let text = "
        static mut A: u8 = 0; // bad
        static B: AtomicU64 = AtomicU64::new(0); // bad
        static C: [u8; 2] = [0, 1];
        fn f(x: &'static mut Mutex<u8>) { static G: Mutex<u8> = Mutex::new(0); } // bad
        thread_local! { static D: u8 = 0 } // bad
        static E: std::sync::OnceLock<Mutex<u8>> = OnceLock::new(); // bad
        #[cfg(test)] mod tests { static F: Mutex<()> = Mutex::new(()); }";
    super::expect_marked(global_state, "src/search.rs", text);
}

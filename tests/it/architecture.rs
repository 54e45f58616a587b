//! The invariants of the architecture that no lint can check (see `clippy.toml`): a plain scan of the sources.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The most lines of a file.
const MAX_LINES: usize = 600;

/// A Rust file, from the package's root with slashes, and its text.
struct Source {
    path: String,
    text: String,
}

impl Source {
    /// The lines of the program with their numbers, without comments, up to the tests at the end.
    fn program(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_test = self.path.split(['/', '.']).any(|part| part == "tests");
        let end = self.text.find("#[cfg(test)]\nmod tests {").unwrap_or(self.text.len());
        let lines = self.text[..if is_test { 0 } else { end }].lines().enumerate();
        lines.map(|(index, line)| (index + 1, line.split("//").next().unwrap_or_default()))
    }

    /// Its top-level module; `None` for the roots of the library and of the programs.
    fn room(&self) -> Option<&str> {
        let path = self.path.strip_prefix("src/")?;
        let room = path.split(['/', '.']).next()?;
        (!matches!(room, "lib" | "main" | "bin")).then_some(room)
    }
}

/// The Rust files below a folder of the package.
fn sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let path = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
                found.push(Source { path, text });
            }
        }
    }
    found
}

/// The rooms with their layers, from the table in the documentation of the library.
fn layers() -> BTreeMap<String, u8> {
    let row = |line: &str| {
        let mut cells = line.strip_prefix("//! |")?.split('|').map(str::trim);
        let layer = cells.next()?.parse().ok()?;
        Some((cells.next()?.trim_matches(['[', ']', '`']).to_owned(), layer))
    };
    include_str!("../../src/lib.rs").lines().filter_map(row).collect()
}

/// Fails with all lines of the sources for which the rule has a message.
fn check(rule: impl Fn(&Source, &str) -> Option<String>) {
    let mut breaches = Vec::new();
    for source in &sources("src") {
        for (number, line) in source.program() {
            let breach = rule(source, line);
            breaches.extend(breach.map(|text| format!("{}:{number}: {text}", source.path)));
        }
    }
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

/// The first names of the paths in a line that begin with `crate::`.
fn used_rooms(line: &str) -> impl Iterator<Item = &str> {
    line.split("crate::").skip(1).filter_map(|rest| {
        rest.split(|symbol: char| !symbol.is_alphanumeric() && symbol != '_').next()
    })
}

#[test]
fn rooms_use_rooms_of_lower_layers() {
    let layers = layers();
    check(|source, line| {
        let own = source.room()?;
        let layer = layers[own];
        let is_above =
            |used: &&str| *used != own && layers.get(*used).is_none_or(|&of| of >= layer);
        let used = used_rooms(line).find(is_above)?;
        Some(format!("{own} uses {used}, which is not below it in the table of lib.rs"))
    });
}

#[test]
fn the_table_has_the_rooms_of_the_library() {
    let declared = include_str!("../../src/lib.rs").lines().filter_map(|line| {
        line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';').map(str::to_owned)
    });
    let mut declared: Vec<String> = declared.collect();
    declared.sort_unstable();
    assert!(layers().into_keys().eq(declared));
}

/// Printing is forbidden by lints.
#[test]
fn the_engine_and_all_below_do_no_input_or_output() {
    let layers = layers();
    let forbidden = ["std::env", "std::process", "std::fs", "clap::", "anyhow::"];
    check(|source, line| {
        let is_low = layers[source.room()?] <= layers["engine"];
        let used = forbidden.iter().find(|name| line.contains(*name))?;
        is_low.then(|| format!("{used} below the protocols"))
    });
}

/// A session may forbid files.
#[test]
fn protocols_touch_files_in_one_place() {
    check(|source, line| {
        let is_elsewhere =
            source.room() == Some("protocol") && source.path != "src/protocol/session.rs";
        (is_elsewhere && line.contains("std::fs"))
            .then(|| "files are for protocol/session.rs".into())
    });
}

#[test]
fn there_is_no_global_state() {
    // A constant that takes time to unpack.
    const EMBEDDED_WEIGHTS: &str = "static LOADED: OnceLock<Evaluation> = OnceLock::new();";
    const AT_SIGNAL: &str = "static AT_SIGNAL: Mutex<AtSignal> =";
    let changeable = ["mut ", "Atomic", "Cell<", "Lazy", "Mutex", "OnceLock", "RwLock"];
    check(|_, line| {
        let text = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(super) ");
        let is_static =
            text.starts_with("static ") && changeable.iter().any(|name| text.contains(name));
        let is_static = is_static && ![EMBEDDED_WEIGHTS, AT_SIGNAL].contains(&text);
        (is_static || text.starts_with("thread_local!")).then(|| format!("global state: {text}"))
    });
}

/// Random draws do not depend on a library's version: each is one of `support::random`, from a fixed generator.
#[test]
fn draws_repeat() {
    const OTHERS: [&str; 5] = ["RngExt", "StdRng", "SmallRng", "ThreadRng", "thread_rng"];
    check(|_, line| {
        OTHERS.iter().find(|name| line.contains(*name)).map(|name| format!("draws by {name}"))
    });
}

#[test]
fn the_documentation_names_files_that_exist() {
    let text = include_str!("../../src/lib.rs");
    let layers = layers();
    for code in text
        .lines()
        .filter(|line| line.starts_with("//!"))
        .flat_map(|line| line.split('`').skip(1).step_by(2))
    {
        let mut names = code.split("::");
        let Some(room) = names.next().filter(|room| layers.contains_key(*room)) else { continue };
        let Some(name) = names.next() else { continue };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room);
        let parent = fs::read_to_string(folder.with_extension("rs")).unwrap();
        let is_there = folder.join(name).with_extension("rs").exists() || parent.contains(name);
        assert!(is_there, "there is no {code}");
    }
}

#[test]
fn files_are_documented_and_short() {
    for Source { path, text } in sources("src").into_iter().chain(sources("tests")) {
        assert!(text.starts_with("//!"), "{path} does not begin with a module documentation (//!)");
        let n_lines = text.lines().count();
        assert!(n_lines <= MAX_LINES, "{path}: {n_lines} lines, over {MAX_LINES}");
        assert!(!path.ends_with("/mod.rs"), "{path}: named mod.rs instead of after its module");
    }
    let build_script = Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs");
    assert!(!build_script.exists(), "there is a build.rs");
}

//! Dependencies: rooms by layers, and no circles among files.
//!
//! A *room* is a module at the top of the library, with all below it. Rooms use rooms of lower layers only.
//!
//! Files of one room must not use each other in a circle. Each folder has its own graph: its nodes are the modules of the folder,
//! each with everything below it, and one points to another if a file of the first names something in the second, directly or by
//! a re-export. A module and those below it may use each other, because a folder shares definitions that way: `search/root.rs`
//! takes `Searcher` from `search.rs`, which calls it. Methods whose `impl` is in another file do not count, because a call does
//! not name the file; neither do tests, which may use anything.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::sources::{Source, sources};
use super::{Breach, check};

/// The most re-exports between an import and its target.
const LONGEST_WAY: usize = 8;

/// The rooms with their layers, from the documentation of the library.
pub struct Layers(Vec<(String, u8)>);

impl Layers {
    /// Reads the lines of the table: a layer, a room, what it is.
    fn read(library: &Source) -> Layers {
        let row = |line: &String| {
            let mut cells = line.strip_prefix("//! |")?.split('|').map(str::trim);
            let layer = cells.next()?.parse().ok()?;
            Some((cells.next()?.trim_matches(['[', ']', '`']).to_owned(), layer))
        };
        Layers(library.lines.iter().filter_map(row).collect())
    }

    pub fn of_library() -> Layers {
        let sources = sources("src");
        Layers::read(sources.iter().find(|source| source.path == "src/lib.rs").unwrap())
    }

    pub fn of(&self, room: &str) -> Option<u8> {
        self.0.iter().find(|(name, _)| name == room).map(|(_, layer)| *layer)
    }
}

/// A room uses only rooms of lower layers.
fn imports(layers: &Layers, source: &Source) -> Vec<Breach> {
    let Some(own) = source.room() else {
        return Vec::new();
    };
    let Some(own_layer) = layers.of(&own) else {
        return vec![Breach::new(1, format!("{own} has no layer: add it to the table in lib.rs"))];
    };
    let breaches = source.named.iter().filter_map(|named| {
        let [root, used, ..] = &named.path[..] else {
            return None;
        };
        if root != "crate" || *used == own {
            return None;
        }
        let problem = match layers.of(used) {
            None => format!("{used} is no room of the table"),
            Some(layer) if layer >= own_layer => format!(
                "{own} (layer {own_layer}) uses {used} (layer {layer}), which is not below it"
            ),
            Some(_) => return None,
        };
        Some(Breach::new(named.line, problem))
    });
    breaches.collect()
}

/// The program uses only the command line, the launcher only the detection of the processor.
fn programs(source: &Source) -> Vec<Breach> {
    if !source.is_program() {
        return Vec::new();
    }
    let allowed = if source.path == "src/main.rs" { "main" } else { "cpu" };
    let foreign = source.named.iter().filter(
        |named| matches!(&named.path[..], [root, used, ..] if root == "othellier" && used != allowed),
    );
    foreign
        .map(|named| Breach::new(named.line, format!("this program uses only {allowed}")))
        .collect()
}

/// Modules of one folder that use each other in a circle.
#[derive(Debug, PartialEq)]
struct Circle {
    /// Names with slashes.
    folder: String,
    modules: Vec<String>,
    /// The uses among them, one line each.
    uses: Vec<String>,
}

/// All circles among the files of the library.
fn circles(sources: &[Source]) -> Vec<Circle> {
    let files: HashMap<Vec<String>, &Source> = sources
        .iter()
        .filter(|source| !source.is_program())
        .map(|source| (source.module(), source))
        .collect();
    // Per folder: the first place where one module uses another.
    let mut folders: BTreeMap<Vec<String>, BTreeMap<[String; 2], String>> = BTreeMap::new();
    for (module, source) in &files {
        for named in source.program() {
            let used = resolve(&files, module, &named.path, LONGEST_WAY);
            let n_common = module.iter().zip(&used).take_while(|(own, used)| own == used).count();
            if let (Some(from), Some(to)) = (module.get(n_common), used.get(n_common)) {
                let place = format!("{}:{}: {from} uses {to}", source.path, named.line);
                let uses = folders.entry(module[..n_common].to_vec()).or_default();
                uses.entry([from.clone(), to.clone()]).or_insert(place);
            }
        }
    }
    let circles = folders.into_iter().flat_map(|(folder, uses)| {
        groups(uses.keys()).into_iter().map(move |modules| {
            let is_within =
                |[from, to]: &[String; 2]| modules.contains(from) && modules.contains(to);
            let within = uses.iter().filter(|(edge, _)| is_within(edge));
            let uses = within.map(|(_, place)| place.clone()).collect();
            Circle { folder: folder.join("/"), modules, uses }
        })
    });
    circles.collect()
}

/// The module of the file that defines `path` as named in `module`; `module` itself for anything outside the library.
fn resolve(
    files: &HashMap<Vec<String>, &Source>,
    module: &[String],
    path: &[String],
    n_steps: usize,
) -> Vec<String> {
    let (mut found, mut rest) = match path {
        [root, rest @ ..] if root == "crate" => (Vec::new(), rest),
        _ => (module.to_vec(), path),
    };
    while let [next, following @ ..] = rest {
        let child = [&found[..], std::slice::from_ref(next)].concat();
        if !files.contains_key(&child) {
            break;
        }
        (found, rest) = (child, following);
    }
    let import = rest.first().and_then(|name| files.get(&found)?.imports.get(name));
    match import {
        Some(import) if n_steps > 0 => {
            let path = [&import[..], &rest[1..]].concat();
            // Names from other crates count for the file that names them.
            let target = resolve(files, &found, &path, n_steps - 1);
            if target == found && path.first().is_some_and(|root| root != "crate") {
                found
            } else {
                target
            }
        }
        _ => found,
    }
}

/// The groups of nodes that reach each other.
fn groups<'a>(edges: impl Iterator<Item = &'a [String; 2]>) -> Vec<Vec<String>> {
    let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for [from, to] in edges {
        reached.entry(from).or_default().insert(to);
    }
    loop {
        let further = |nodes: &BTreeSet<&str>| -> BTreeSet<&str> {
            nodes.iter().filter_map(|node| reached.get(node)).flatten().copied().collect()
        };
        let next: BTreeMap<&str, BTreeSet<&str>> =
            reached.iter().map(|(from, to)| (*from, to | &further(to))).collect();
        if next == reached {
            break;
        }
        reached = next;
    }
    let in_circles = reached.iter().filter(|(node, to)| to.contains(*node));
    let group = |(node, to): (&&str, &BTreeSet<&str>)| -> Vec<String> {
        let back = to.iter().filter(|to| reached.get(*to).is_some_and(|to| to.contains(node)));
        back.map(ToString::to_string).collect()
    };
    in_circles.map(group).collect::<BTreeSet<_>>().into_iter().collect()
}

#[test]
fn imports_point_to_lower_layers() {
    let layers = Layers::of_library();
    check(&sources("src"), |source| imports(&layers, source));
    check(&sources("src"), programs);
}

#[test]
fn the_table_has_the_rooms_of_the_library() {
    let sources = sources("src");
    let library = sources.iter().find(|source| source.path == "src/lib.rs").unwrap();
    let layers = Layers::read(library);
    let mut rooms: Vec<&str> = layers.0.iter().map(|(room, _)| room.as_str()).collect();
    rooms.sort_unstable();
    let mut declared = library.declared.clone();
    declared.sort_unstable();
    assert_eq!(rooms, declared);
    assert!(layers.0.is_sorted_by_key(|(_, layer)| layer), "the lowest layers come first");
}

/// Paths in backticks in the documentation of the library that do not exist. Rustdoc checks the links.
fn lost_places(sources: &[Source], library: &Source) -> Vec<Breach> {
    let files: HashMap<Vec<String>, &Source> =
        sources.iter().map(|source| (source.module(), source)).collect();
    let mut breaches = Vec::new();
    for (index, line) in library.lines.iter().enumerate() {
        let Some(text) = line.strip_prefix("//!") else { continue };
        for code in text.split('`').skip(1).step_by(2) {
            let path: Vec<String> = code.split("::").map(str::to_owned).collect();
            if path.len() < 2 || !library.declared.contains(&path[0]) {
                continue;
            }
            let n_modules = (1..=path.len()).rev().find(|&n| files.contains_key(&path[..n]));
            let n_modules = n_modules.unwrap_or(0);
            let has = |name: &String| {
                files.get(&path[..n_modules]).is_some_and(|file| file.has_word(name))
            };
            if !path[n_modules..].iter().all(has) {
                breaches.push(Breach::new(index + 1, format!("there is no {code}")));
            }
        }
    }
    breaches
}

#[test]
fn the_documentation_names_places_that_exist() {
    let sources = sources("src");
    check(&sources, |source| match &source.path[..] {
        "src/lib.rs" => lost_places(&sources, source),
        _ => Vec::new(),
    });
}

#[test]
fn lost_places_are_found() {
    let text = "//! Private: `a::b`, `a::b::f`, `a::G::run`, `a`, `std::fs`, `f()`.\n\
        //! Nowhere: `a::c`.\n//! Nor `a::b::g`, whatever begins so.\nmod a;";
    let files = [
        Source::parse("src/lib.rs", text),
        Source::parse("src/a.rs", "mod b; struct G; impl G { fn run() {} }"),
        Source::parse("src/a/b.rs", "fn f() {} fn gone() {}"),
    ];
    let lines: Vec<usize> = lost_places(&files, &files[0]).iter().map(|b| b.line).collect();
    assert_eq!(lines, [2, 3]);
}

#[test]
fn files_form_no_circles() {
    let circles = circles(&sources("src"));
    assert!(circles.is_empty(), "{} circles: {circles:#?}", circles.len());
}

#[test]
fn upward_imports_are_found() {
    let layers = Layers::of_library();
    let rule = |source: &Source| imports(&layers, source);
    let text = "
        use crate::board::{Board, Move};
        use crate::{score::Score, engine::Engine}; // bad
        // use crate::cli;
        use super::flip; // bad
        fn f() { crate::transposition::new(\"crate::cli\") } // bad
        fn f() -> bool { matches!(x, crate::search::X) } // bad
        use crate::unheard_of; // bad
        use crate::evaluation::simd;
        pub(in crate::evaluation) struct S;
        mod inner { use super::terms; use super::super::search::Limits; } // bad
        #[cfg(test)] mod tests { use crate::protocol::Kind; } // bad";
    super::expect_marked(rule, "src/evaluation.rs", text);
    super::expect_marked(
        rule,
        "src/evaluation/simd.rs",
        "use super::super::cli; // bad\nuse super::super::evaluation;",
    );
    super::expect_marked(rule, "src/unheard_of/file.rs", "fn f() {} // bad");
    super::expect_marked(
        rule,
        "src/analyze.rs",
        "use crate::search::search;\nuse crate::arena::A; // bad",
    );
    let text = "fn main() { othellier::main();\nothellier::game::g() } // bad";
    super::expect_marked(programs, "src/main.rs", text);
    super::expect_marked(programs, "src/bin/x.rs", "use othellier::main; // bad");
}

/// Folder and modules of each circle.
fn circles_of(files: &[(&str, &str)]) -> Vec<(String, Vec<String>)> {
    let sources: Vec<Source> =
        files.iter().map(|(path, text)| Source::parse(&format!("src/{path}.rs"), text)).collect();
    circles(&sources).into_iter().map(|circle| (circle.folder, circle.modules)).collect()
}

fn circle(folder: &str, modules: &[&str]) -> (String, Vec<String>) {
    (folder.into(), modules.iter().map(ToString::to_string).collect())
}

#[test]
fn circles_are_found() {
    let two =
        [("a", "mod b; mod c;"), ("a/b", "use super::c::C;"), ("a/c", "fn f() { super::b::f() }")];
    assert_eq!(circles_of(&two), [circle("a", &["b", "c"])]);
    let three = [
        ("a", ""),
        ("a/b", "use super::c::C;"),
        ("a/c", "fn f() { assert!(crate::a::d::f()) }"),
        ("a/d", "use crate::a::{b, e};"),
        ("a/e", "fn f() {}"),
    ];
    assert_eq!(circles_of(&three), [circle("a", &["b", "c", "d"])]);
    let separate = [
        ("a", ""),
        ("a/b", "use super::c::C;"),
        ("a/c", "use super::b::B;"),
        ("a/d", "use super::e::E;"),
        ("a/e", "use super::d::D;"),
    ];
    assert_eq!(circles_of(&separate), [circle("a", &["b", "c"]), circle("a", &["d", "e"])]);
}

#[test]
fn circles_are_found_across_folders_and_re_exports() {
    let nephews =
        [("a", ""), ("a/b", ""), ("a/b/c", "use crate::a::d::D;"), ("a/d", "use super::b::B;")];
    assert_eq!(circles_of(&nephews), [circle("a", &["b", "d"])]);
    let re_exports =
        [("a", "pub use b::B; use c as d;"), ("a/b", "use super::d::C;"), ("a/c", "use super::B;")];
    assert_eq!(circles_of(&re_exports), [circle("a", &["b", "c"])]);
    let by_import =
        [("a", ""), ("a/b", "use crate::a; fn f() { a::c::f() }"), ("a/c", "use super::b::B;")];
    assert_eq!(circles_of(&by_import), [circle("a", &["b", "c"])]);
}

#[test]
fn parents_and_tests_form_no_circles() {
    let files = [
        ("a", "mod b; mod c; use b::B; struct A; use std::fmt;"),
        ("a/b", "use super::{A, fmt}; use super::c::C; mod d;"),
        ("a/b/d", "use super::super::A; use super::B;"),
        ("a/c", "use super::A; #[cfg(test)] mod tests { use super::super::b::B; }"),
        ("a/c/tests", "use crate::a::b::B;"),
    ];
    assert!(circles_of(&files).is_empty());
}

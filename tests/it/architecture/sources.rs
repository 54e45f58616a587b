//! Source files as the rules see them: the paths that a file names, its declarations, its length.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Expr, Item, ItemConst, ItemEnum, ItemFn, ItemImpl, ItemMacro, ItemMod, ItemStatic,
    ItemStruct, ItemTrait, ItemType, ItemUse, Meta, Stmt, UseTree, Visibility,
};

/// A path that a file names: in an import, an expression, a type, a pattern or the arguments of a macro.
#[derive(Debug)]
pub struct Named {
    /// Those that begin with `crate`, `self` or `super` start at `crate`; all others are as written.
    pub path: Vec<String>,
    /// From 1.
    pub line: usize,
    /// Whether it is compiled for tests only.
    pub is_test: bool,
    /// Whether it is compiled for some systems only.
    pub is_gated: bool,
}

/// A static.
#[derive(Debug)]
pub struct Static {
    /// From 1.
    pub line: usize,
    pub is_mut: bool,
    /// The names in its type.
    pub names: Vec<String>,
    pub is_test: bool,
}

/// A source file.
#[derive(Debug)]
pub struct Source {
    /// From the package's root, with slashes.
    pub path: String,
    pub lines: Vec<String>,
    /// In the order of the file.
    pub named: Vec<Named>,
    pub statics: Vec<Static>,
    /// The modules in files of their own that it declares.
    pub declared: Vec<String>,
    /// The targets of its imports, except those for tests.
    pub imports: HashMap<String, Vec<String>>,
}

impl Source {
    /// Parses a file; panics with the place of the error if it is not Rust.
    pub fn parse(path: &str, text: &str) -> Source {
        let file = syn::parse_file(text)
            .unwrap_or_else(|error| panic!("{path}:{}: {error}", error.span().start().line));
        let source = Source {
            path: path.into(),
            lines: text.lines().map(str::to_owned).collect(),
            named: Vec::new(),
            statics: Vec::new(),
            declared: Vec::new(),
            imports: HashMap::new(),
        };
        // Tests in a file or a folder of their own.
        let is_test = path.split(['/', '.']).any(|part| part == "tests");
        let mut reader = Reader { module: source.module(), source, is_test, is_gated: false };
        reader.visit_file(&file);
        reader.source
    }

    /// Whether a name occurs as a whole word.
    pub fn has_word(&self, name: &str) -> bool {
        let is_part = |symbol: char| symbol.is_alphanumeric() || symbol == '_';
        self.lines.iter().any(|line| line.split(|symbol| !is_part(symbol)).any(|word| word == name))
    }

    /// The names of the modules down to this file: none for the root of a crate.
    pub fn module(&self) -> Vec<String> {
        match self.path.strip_prefix("src/").unwrap_or(&self.path) {
            "lib.rs" | "main.rs" => Vec::new(),
            path if path.starts_with("bin/") => Vec::new(),
            path => path.strip_suffix(".rs").unwrap_or(path).split('/').map(Into::into).collect(),
        }
    }

    /// The room it belongs to: its module at the top of the library. The roots of the crates have none.
    pub fn room(&self) -> Option<String> {
        self.module().into_iter().next()
    }

    /// Whether it is a program of its own and not a part of the library.
    pub fn is_program(&self) -> bool {
        self.path == "src/main.rs" || self.path.starts_with("src/bin/")
    }

    /// The paths that the program names, tests left out.
    pub fn program(&self) -> impl Iterator<Item = &Named> {
        self.named.iter().filter(|named| !named.is_test)
    }
}

/// The Rust files below a folder of the package.
pub fn sources(folder: &str) -> Vec<Source> {
    fn collect(root: &Path, folder: &Path, sources: &mut Vec<Source>) {
        let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                collect(root, &path, sources);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text =
                    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
                let relative =
                    path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
                sources.push(Source::parse(&relative, &text));
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    collect(root, &root.join(folder), &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Fills a source from its syntax tree.
struct Reader {
    source: Source,
    /// The modules around the current place, including inline ones.
    module: Vec<String>,
    is_test: bool,
    is_gated: bool,
}

impl Reader {
    fn name(&mut self, path: &[String], line: usize) {
        let path = self.absolute(path);
        self.source.named.push(Named {
            path,
            line,
            is_test: self.is_test,
            is_gated: self.is_gated,
        });
    }

    /// Writes a path from `crate` on if it begins with `self` or `super`.
    fn absolute(&self, path: &[String]) -> Vec<String> {
        let mut module = self.module.clone();
        let mut rest = path;
        while let [first, following @ ..] = rest {
            match first.as_str() {
                "self" if following.is_empty() => break,
                "self" => {}
                "super" => drop(module.pop()),
                _ => break,
            }
            rest = following;
        }
        // A `self` by itself is a value.
        if rest.len() == path.len() {
            return path.to_vec();
        }
        [&["crate".into()], &module[..], rest].concat()
    }

    /// Adds the paths of an import, with its braces expanded.
    fn import(&mut self, tree: &UseTree, prefix: &[String]) {
        match tree {
            UseTree::Path(path) => {
                self.import(&path.tree, &[prefix, &[path.ident.unraw().to_string()]].concat());
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.import(tree, prefix));
            }
            UseTree::Glob(glob) => self.name(prefix, glob.star_token.span.start().line),
            UseTree::Name(name) => {
                let own = name.ident.unraw().to_string();
                let path = match (own.as_str(), prefix) {
                    ("self", [.., _]) => prefix.to_vec(),
                    _ => [prefix, &[own]].concat(),
                };
                self.bind(path.last().cloned(), &path, name.ident.span().start().line);
            }
            UseTree::Rename(rename) => {
                let path = [prefix, &[rename.ident.unraw().to_string()]].concat();
                let name = rename.rename.unraw().to_string();
                self.bind(Some(name), &path, rename.ident.span().start().line);
            }
        }
    }

    fn bind(&mut self, name: Option<String>, path: &[String], line: usize) {
        self.name(path, line);
        if let Some(name) = name.filter(|_| !self.is_test) {
            self.source.imports.insert(name, self.absolute(path));
        }
    }

    /// Adds the paths in the arguments of a macro. These need not be Rust, so every chain of words counts, except after a dot,
    /// where fields and methods stand.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is = |at: Option<usize>, sign: char| {
            let token = at.and_then(|at| tokens.get(at));
            matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
        };
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let is_member = is(at.checked_sub(1), '.') && !is(at.checked_sub(2), '.');
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(first) => {
                    let mut path = vec![first.unraw().to_string()];
                    while is(Some(at + 1), ':')
                        && is(Some(at + 2), ':')
                        && let Some(TokenTree::Ident(next)) = tokens.get(at + 3)
                    {
                        path.push(next.unraw().to_string());
                        at += 3;
                    }
                    if !is_member {
                        self.name(&path, first.span().start().line);
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Visits an item with these attributes.
    fn within(&mut self, attributes: &[Attribute], visit: impl FnOnce(&mut Self)) {
        let before = (self.is_test, self.is_gated);
        self.is_test |= attributes.iter().any(is_for_tests);
        self.is_gated |= attributes.iter().any(is_for_systems);
        visit(self);
        (self.is_test, self.is_gated) = before;
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        self.within(attributes(item), |reader| visit::visit_item(reader, item));
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.within(&function.attrs, |reader| visit::visit_impl_item_fn(reader, function));
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        let attributes = match statement {
            Stmt::Local(local) => &local.attrs[..],
            Stmt::Expr(Expr::Call(call), _) => &call.attrs,
            Stmt::Expr(Expr::MethodCall(call), _) => &call.attrs,
            Stmt::Expr(Expr::Block(block), _) => &block.attrs,
            _ => &[],
        };
        self.within(attributes, |reader| visit::visit_stmt(reader, statement));
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        let name = module.ident.unraw().to_string();
        if module.content.is_some() {
            self.module.push(name);
            visit::visit_item_mod(self, module);
            self.module.pop();
        } else {
            self.source.declared.push(name);
        }
    }

    fn visit_item_use(&mut self, import: &'ast ItemUse) {
        self.import(&import.tree, &[]);
    }

    fn visit_item_static(&mut self, item: &'ast ItemStatic) {
        let mut names = Names(Vec::new());
        names.visit_type(&item.ty);
        self.source.statics.push(Static {
            line: item.static_token.span.start().line,
            is_mut: matches!(item.mutability, syn::StaticMutability::Mut(_)),
            names: names.0,
            is_test: self.is_test,
        });
        visit::visit_item_static(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.unraw().to_string()).collect();
        self.name(&names, path.segments[0].ident.span().start().line);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        visit::visit_macro(self, call);
        self.tokens(call.tokens.clone());
    }

    // Who may see an item says nothing about what the item uses, and attributes speak to the compiler.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

/// Collects the names in a type.
struct Names(Vec<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_ident(&mut self, ident: &'ast proc_macro2::Ident) {
        self.0.push(ident.unraw().to_string());
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(ItemConst { attrs, .. })
        | Item::Enum(ItemEnum { attrs, .. })
        | Item::Fn(ItemFn { attrs, .. })
        | Item::Impl(ItemImpl { attrs, .. })
        | Item::Macro(ItemMacro { attrs, .. })
        | Item::Mod(ItemMod { attrs, .. })
        | Item::Static(ItemStatic { attrs, .. })
        | Item::Struct(ItemStruct { attrs, .. })
        | Item::Trait(ItemTrait { attrs, .. })
        | Item::Type(ItemType { attrs, .. })
        | Item::Use(ItemUse { attrs, .. }) => attrs,
        _ => &[],
    }
}

/// The condition of a `cfg`, without blanks.
fn condition(attribute: &Attribute) -> Option<String> {
    let Meta::List(list) = &attribute.meta else { return None };
    list.path.is_ident("cfg").then(|| list.tokens.to_string().replace(' ', ""))
}

/// Whether it is `cfg(test)` or `cfg(all(test, ...))`.
fn is_for_tests(attribute: &Attribute) -> bool {
    condition(attribute)
        .is_some_and(|condition| condition == "test" || condition.starts_with("all(test,"))
}

/// Whether it is `cfg(unix)`, `cfg(target_os = ...)` or `cfg(all(unix, ...))`.
fn is_for_systems(attribute: &Attribute) -> bool {
    condition(attribute).is_some_and(|condition| {
        condition == "unix"
            || condition.starts_with("target_os=")
            || condition.starts_with("all(unix,")
            || condition.contains("target_os=") && condition.starts_with("all(")
    })
}

#[test]
fn the_sources_are_read() {
    let sources = sources("src");
    assert!(sources.len() > 40, "{} files", sources.len());
    let named = || sources.iter().flat_map(|source| &source.named);
    let n_imports = named().filter(|named| named.path[0] == "crate").count();
    assert!(n_imports > 500, "{n_imports} paths within the crate");
    let memory = sources.iter().find(|source| source.path == "src/support/memory.rs").unwrap();
    let has = |is_test| memory.named.iter().any(|named| named.is_test == is_test);
    assert!(has(true) && has(false));
}

/// The paths of more than one name.
fn paths(path: &str, text: &str) -> Vec<String> {
    let source = Source::parse(path, text);
    let paths = source.named.iter().map(|named| named.path.join("::"));
    paths.filter(|path| path.contains(':')).collect()
}

#[test]
fn paths_are_written_out() {
    let text = "use a::{self, b::{c, d as e}, f::*}; fn l(x: m::N) { x.g::<h::i>(::j::k); }";
    let expected = ["a::b::c", "a::b::d", "a::f", "m::N", "h::i", "j::k"];
    assert_eq!(paths("src/game.rs", text), expected);
    let text = "
        use super::a::b;
        use self::c::d;
        mod inner { use super::e; use super::super::f; fn g() { self::h() } }
        fn k(&self) { self.x; super::m(); }";
    let expected = [
        "crate::o::a::b",
        "crate::o::p::c::d",
        "crate::o::p::e",
        "crate::o::f",
        "crate::o::p::inner::h",
        "crate::o::m",
    ];
    assert_eq!(paths("src/o/p.rs", text), expected);
    assert_eq!(paths("src/o.rs", "use super::a;"), ["crate::a"]);
    assert_eq!(paths("src/lib.rs", "use self::a::b;"), ["crate::a::b"]);
}

#[test]
fn arguments_of_macros_are_read() {
    let text = "fn f() {
        assert_eq!(a::b(x.c::<d::e>()), [g::H { i: j::K }, ::l::m]);
        select! { recv(x) -> y => super::z(y), default(n::o) => p.q::r }
        format!(\"s::t\") /* u::v */;
    }";
    let expected = ["a::b", "d::e", "g::H", "j::K", "l::m", "crate::z", "n::o"];
    assert_eq!(paths("src/game.rs", text), expected);
}

#[test]
fn test_code_is_told_from_the_program() {
    let text = "
        fn program() { a(); }
        #[cfg(test)] #[allow(x)] mod tests { fn test() { b!(b()); } }
        #[cfg(test)] mod other;
        #[cfg(all(test, unix))] const C: [u8; 2] = [d, d];
        #[cfg(not(test))] fn more() { c(); }
        impl X { #[cfg(test)] fn test() { b(); } }";
    let names = |path| {
        let source = Source::parse(path, text);
        let program = source.program().map(|named| named.path[0].clone());
        program.filter(|name| ["a", "b", "c", "d", "other"].contains(&&name[..])).collect()
    };
    let of_program: Vec<String> = names("src/game.rs");
    assert_eq!(of_program, ["a", "c"]);
    assert!(names("src/game/tests.rs").is_empty());
    assert!(names("src/game/tests/long.rs").is_empty());
}

#[test]
fn imports_are_remembered() {
    let text = "use crate::a::{self, B as C}; #[cfg(test)] use d::e; mod f; mod g {}";
    let source = Source::parse("src/game.rs", text);
    let mut names: Vec<(&str, String)> =
        source.imports.iter().map(|(name, path)| (name.as_str(), path.join("::"))).collect();
    names.sort_unstable();
    assert_eq!(names, [("C", "crate::a::B".into()), ("a", "crate::a".into())]);
    assert_eq!(source.declared, ["f"]);
}

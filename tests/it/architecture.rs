//! The invariants of the architecture, checked on the sources themselves.
//!
//! Each rule is a function from a source file to its breaches, so that it can be tried on a bad example as well: a checker that
//! finds nothing because it is broken would be worse than none. Sources are cut into tokens first; comments and the contents of
//! literals never count.

use std::fs;
use std::ops::Range;
use std::path::Path;

/// Top-level modules and their layers. A module uses only modules of lower layers, and itself.
const LAYERS: [(&str, u8); 28] = [
    ("support", 0),
    ("board", 1),
    ("score", 2),
    ("game", 2),
    ("clock", 3),
    ("evaluation", 3),
    ("transposition", 3),
    ("formats", 3),
    ("search", 4),
    ("book", 4),
    ("engine", 5),
    ("players", 5),
    ("process", 6),
    ("protocol", 6),
    ("page", 6),
    ("seats", 7),
    ("arena", 8),
    ("play", 8),
    ("training", 8),
    ("analyze", 8),
    ("measure", 8),
    ("replay", 8),
    ("compliance", 8),
    ("results", 9),
    ("cli", 10),
    // The roots of the crates.
    ("lib", 11),
    ("main", 11),
    ("bin", 11),
];

const SEARCH_LAYER: u8 = 4;
const ENGINE_LAYER: u8 = 5;
const CLI_LAYER: u8 = 10;

/// Where `unsafe` may stand: beginnings of paths.
const UNSAFE_PLACES: [&str; 6] = [
    "src/support",
    "src/board/flip",
    "src/board/last_flip",
    "src/board/mobility",
    "src/evaluation/simd",
    "src/transposition",
];

/// Where other programs are started: engines that the command line names, and the builds of this one.
const PROCESS_PLACES: [&str; 4] = [
    "src/process.rs",
    "src/seats/child.rs",
    "src/compliance/engine",
    "src/bin/othellier-launcher.rs",
];

/// Where protocols touch files; a session may be told not to.
const PROTOCOL_FILES: &str = "src/protocol/session.rs";

/// Types that can only mean a network or a socket.
const SOCKETS: [&str; 6] =
    ["TcpListener", "TcpStream", "UdpSocket", "UnixDatagram", "UnixListener", "UnixStream"];

/// A safety note stands at most so many lines above what it explains.
const NOTE_DISTANCE: usize = 3;

const LONGEST_FILE: usize = 700;

/// Files of tables, which may be longer.
const TABLE_FILES: [&str; 0] = [];

/// Where the clock of the day may be read: for dates in records and for seeds. It may be set back at any time, so all that is
/// measured goes by the monotonic clock.
const DATE_PLACES: [&str; 3] = ["src/arena/runner", "src/play/opponent", "src/cli"];

const PRINT_MACROS: [&str; 5] = ["print", "println", "eprint", "eprintln", "dbg"];

/// Types that make a static changeable, besides the atomic ones.
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

// Tokens

/// A word, a lifetime, a literal without its content, or a piece of punctuation.
#[derive(Debug)]
struct Token {
    text: String,
    /// From 0.
    line: usize,
    /// Whether it belongs to an item under `#[cfg(test)]`.
    is_test: bool,
    /// Number of inline modules around it.
    n_modules: usize,
}

/// A source file.
struct Source {
    /// From the package's root, with slashes.
    path: String,
    lines: Vec<String>,
    tokens: Vec<Token>,
}

/// A place where an invariant does not hold.
struct Breach {
    line: usize,
    message: String,
}

impl Breach {
    fn new(line: usize, message: impl Into<String>) -> Breach {
        Breach { line, message: message.into() }
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Cuts Rust source into tokens.
fn tokenize(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut line = 0;
    while let Some(first) = rest.chars().next() {
        let (length, token) = next_token(rest, first);
        if let Some(text) = token {
            tokens.push(Token { text, line, is_test: false, n_modules: 0 });
        }
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    mark_modules(&mut tokens);
    mark_tests(&mut tokens);
    tokens
}

/// The length of what `rest` begins with, and its token; blanks and comments have none.
fn next_token(rest: &str, first: char) -> (usize, Option<String>) {
    if first.is_whitespace() {
        return (first.len_utf8(), None);
    }
    if rest.starts_with("//") {
        return (rest.find('\n').unwrap_or(rest.len()), None);
    }
    if rest.starts_with("/*") {
        return (block_comment(rest), None);
    }
    if let Some(length) = string(rest) {
        return (length, Some("\"\"".into()));
    }
    if first == '\'' {
        return quote(rest);
    }
    if first.is_alphanumeric() || first == '_' {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        return (end, Some(rest[..end].into()));
    }
    let length =
        if rest.starts_with("::") || rest.starts_with("!=") { 2 } else { first.len_utf8() };
    (length, Some(rest[..length].into()))
}

/// The length of a block comment, which may hold others.
fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The length of a string literal of any kind, if one begins here.
fn string(text: &str) -> Option<usize> {
    let prefix = text.find(|c: char| !"bcr".contains(c))?;
    if !["", "b", "c", "r", "br", "cr"].contains(&&text[..prefix]) {
        return None;
    }
    let is_raw = text[..prefix].ends_with('r');
    let n_hashes = if is_raw {
        text[prefix..].len() - text[prefix..].trim_start_matches('#').len()
    } else {
        0
    };
    let body = text[prefix + n_hashes..].strip_prefix('"')?;
    let start = text.len() - body.len();
    if is_raw {
        let end = format!("\"{}", "#".repeat(n_hashes));
        return Some(body.find(&end).map_or(text.len(), |at| start + at + end.len()));
    }
    Some(start + end_of_quotes(body, '"'))
}

/// The length of `body` up to and with the closing quote.
fn end_of_quotes(body: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in body.char_indices() {
        if c == quote && !is_escaped {
            return at + c.len_utf8();
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    body.len()
}

/// A character literal or a lifetime.
fn quote(text: &str) -> (usize, Option<String>) {
    let mut following = text.chars().skip(1);
    let (second, third) = (following.next(), following.next());
    if second == Some('\\') || third == Some('\'') {
        return (1 + end_of_quotes(&text[1..], '\''), Some("''".into()));
    }
    let end = text[1..].find(|c: char| !c.is_alphanumeric() && c != '_');
    let length = end.map_or(text.len(), |end| end + 1);
    (length, Some(text[..length].into()))
}

/// Whether the tokens from `at` on read as `pattern`.
fn reads(tokens: &[Token], at: usize, pattern: &[&str]) -> bool {
    tokens.get(at..at + pattern.len()).is_some_and(|tokens| {
        tokens.iter().zip(pattern).all(|(token, expected)| token.text == *expected)
    })
}

/// Index after the group of brackets that opens at `at`.
fn after_group(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    tokens.len()
}

/// Notes for each token how many inline modules it is in.
fn mark_modules(tokens: &mut [Token]) {
    for at in 0..tokens.len() {
        if tokens[at].text == "mod" && reads(tokens, at + 2, &["{"]) {
            let end = after_group(tokens, at + 2);
            tokens[at + 2..end].iter_mut().for_each(|token| token.n_modules += 1);
        }
    }
}

/// Notes which tokens are compiled for tests only.
fn mark_tests(tokens: &mut [Token]) {
    let attributes =
        [&["#", "[", "cfg", "(", "test", ")"][..], &["#", "[", "cfg", "(", "all", "(", "test"]];
    for item in items_under(tokens, &attributes) {
        tokens[item].iter_mut().for_each(|token| token.is_test = true);
    }
}

/// The items with an attribute that begins with one of these, attributes included.
fn items_under(tokens: &[Token], attributes: &[&[&str]]) -> Vec<Range<usize>> {
    let has_attribute = |&at: &usize| attributes.iter().any(|pattern| reads(tokens, at, pattern));
    let item = |at| {
        let mut end = at;
        while reads(tokens, end, &["#", "["]) {
            end = after_group(tokens, end + 1);
        }
        // The item ends with its body or with a semicolon outside all brackets.
        while end < tokens.len() {
            let text = tokens[end].text.as_str();
            end = if ["(", "[", "{"].contains(&text) { after_group(tokens, end) } else { end + 1 };
            if text == "{" || text == ";" {
                break;
            }
        }
        at..end
    };
    (0..tokens.len()).filter(has_attribute).map(item).collect()
}

// Sources

impl Source {
    fn new(path: &str, text: &str) -> Source {
        let mut tokens = tokenize(text);
        // Tests in a file or a folder of their own.
        if path.split(['/', '.']).any(|part| part == "tests") {
            tokens.iter_mut().for_each(|token| token.is_test = true);
        }
        Source { path: path.into(), lines: text.lines().map(str::to_owned).collect(), tokens }
    }

    /// The path below `src` without `.rs`: the names of the modules.
    fn modules(&self) -> Vec<&str> {
        let path = self.path.strip_prefix("src/").unwrap_or(&self.path);
        path.strip_suffix(".rs").unwrap_or(path).split('/').collect()
    }

    fn layer(&self) -> Option<u8> {
        layer(self.modules()[0])
    }

    fn is_in(&self, module: &str) -> bool {
        self.path.starts_with("src/") && self.modules()[0] == module
    }

    /// The tokens that are not for tests only, with their index.
    fn program(&self) -> impl Iterator<Item = (usize, &Token)> {
        self.tokens.iter().enumerate().filter(|(_, token)| !token.is_test)
    }

    /// The names of macros called outside tests.
    fn macros(&self) -> impl Iterator<Item = &Token> {
        self.program()
            .filter(|&(at, token)| is_word(&token.text) && reads(&self.tokens, at + 1, &["!"]))
            .map(|(_, token)| token)
    }

    /// Every path of the source, those in braces of `use` written out, with the index of the token that ends it.
    fn paths(&self) -> Vec<(usize, Vec<&str>)> {
        let mut paths = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            at = if is_word(&self.tokens[at].text) {
                self.path_tree(at, &[], &mut paths)
            } else {
                at + 1
            };
        }
        paths
    }

    /// Adds the paths that begin at `at` and returns the index after them.
    fn path_tree<'a>(
        &'a self,
        mut at: usize,
        prefix: &[&'a str],
        paths: &mut Vec<(usize, Vec<&'a str>)>,
    ) -> usize {
        let tokens = &self.tokens;
        let mut path = prefix.to_vec();
        while let Some(token) = tokens.get(at) {
            if token.text == "{" {
                let end = after_group(tokens, at);
                at += 1;
                while at + 1 < end {
                    at = match tokens[at].text.as_str() {
                        "," | "::" => at + 1,
                        "as" => at + 2,
                        _ => self.path_tree(at, &path, paths),
                    };
                }
                return end;
            }
            path.push(&token.text);
            at += 1;
            let goes_on = reads(tokens, at, &["::"])
                && tokens.get(at + 1).is_some_and(|next| {
                    is_word(&next.text) || ["{", "*"].contains(&next.text.as_str())
                });
            if !goes_on {
                break;
            }
            at += 1;
        }
        paths.push((at - 1, path));
        at
    }
}

fn layer(module: &str) -> Option<u8> {
    LAYERS.iter().find(|(name, _)| *name == module).map(|(_, layer)| *layer)
}

/// The Rust files below a folder of the package.
fn sources(folder: &str) -> Vec<Source> {
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
                sources.push(Source::new(&relative, &text));
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    collect(root, &root.join(folder), &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Fails with a line for each breach of a rule.
fn check(sources: &[Source], rule: fn(&Source) -> Vec<Breach>) {
    let breaches: Vec<String> = sources
        .iter()
        .flat_map(|source| {
            rule(source)
                .into_iter()
                .map(|Breach { line, message }| format!("{}:{}: {message}", source.path, line + 1))
        })
        .collect();
    assert!(breaches.is_empty(), "{} breaches:\n{}", breaches.len(), breaches.join("\n"));
}

// Rules

/// A module uses only modules of lower layers; the program uses only the command line.
fn imports(source: &Source) -> Vec<Breach> {
    let own = source.modules()[0];
    let Some(own_layer) = source.layer() else {
        return vec![Breach::new(0, format!("the module {own} has no layer: add it to the table"))];
    };
    let mut breaches = Vec::new();
    for (at, path) in source.paths() {
        let token = &source.tokens[at];
        let n_supers = path.iter().take_while(|name| **name == "super").count();
        let depth = source.modules().len() + token.n_modules;
        let used = match path[..] {
            ["crate", used, ..] => used,
            ["othellier", used, ..] if own == "main" => used,
            _ if own_layer <= CLI_LAYER && n_supers == depth => {
                path.get(n_supers).copied().unwrap_or("super")
            }
            _ => continue,
        };
        let problem = if own == "main" {
            (used != "cli").then(|| "the program uses only cli".into())
        } else if used == own {
            None
        } else {
            match layer(used) {
                None => Some(format!("{used} is no module of the table")),
                Some(layer) if layer >= own_layer => Some(format!(
                    "{own} (layer {own_layer}) uses {used} (layer {layer}), which is not below it"
                )),
                Some(_) => None,
            }
        };
        breaches.extend(problem.map(|problem| Breach::new(token.line, problem)));
    }
    breaches
}

/// From the engine down nothing is printed and no process or environment is known; files and streams neither, but for the name
/// of the error with which a thread is refused.
fn no_input_or_output(source: &Source) -> Vec<Breach> {
    let Some(layer) = source.layer().filter(|&layer| layer <= ENGINE_LAYER) else {
        return Vec::new();
    };
    let printing = source
        .macros()
        .filter(|token| PRINT_MACROS.contains(&token.text.as_str()))
        .map(|token| Breach::new(token.line, format!("{}! below the protocols", token.text)));
    let paths = source.paths();
    let naming =
        paths.iter().filter(|(at, _)| !source.tokens[*at].is_test).filter_map(|(at, path)| {
            let is_forbidden = match path[..] {
                ["std", "env" | "process" | "fs", ..] | ["clap" | "anyhow", ..] => true,
                ["std", "io", "Result"] if layer == ENGINE_LAYER => false,
                ["std", "io", ..] => true,
                _ => false,
            };
            is_forbidden.then(|| {
                Breach::new(
                    source.tokens[*at].line,
                    format!("{} below the protocols", path.join("::")),
                )
            })
        });
    let streams = source
        .program()
        .filter(|(_, token)| {
            layer <= SEARCH_LAYER && ["stdin", "stdout"].contains(&token.text.as_str())
        })
        .map(|(_, token)| {
            Breach::new(token.line, format!("{} in or below the search", token.text))
        });
    printing.chain(naming).chain(streams).collect()
}

/// The standard output belongs to the protocol's writer and the command line. The `stdout` of a child process is another thing.
fn standard_output(source: &Source) -> Vec<Breach> {
    if source.path == "src/protocol/writer.rs" || source.is_in("cli") {
        return Vec::new();
    }
    let printing = source
        .macros()
        .filter(|token| PRINT_MACROS.contains(&token.text.as_str()))
        .map(|token| Breach::new(token.line, format!("{}! outside of cli", token.text)));
    let paths = source.paths();
    let naming = paths.iter().filter(|(at, path)| {
        let is_method =
            at.checked_sub(path.len()).is_some_and(|dot| source.tokens[dot].text == ".");
        let is_named = match path[..] {
            [.., "io", "stdout" | "Stdout" | "StdoutLock"] => true,
            ["stdout"] => !is_method && reads(&source.tokens, at + 1, &["(", ")"]),
            _ => false,
        };
        is_named && !source.tokens[*at].is_test
    });
    let naming = naming.map(|(at, path)| {
        Breach::new(source.tokens[*at].line, format!("{} outside of cli", path.join("::")))
    });
    printing.chain(naming).collect()
}

/// Nothing speaks over a network, programs are started in a few places, and protocols touch files in one.
fn outside_world(source: &Source) -> Vec<Breach> {
    let paths = source.paths();
    let naming = paths.iter().filter(|(at, _)| !source.tokens[*at].is_test);
    let breaches = naming.filter_map(|(at, path)| {
        let is_bad = match path[..] {
            ["std", "net", ..] | ["std", "os", _, "net", ..] | ["rustix", "net", ..] => true,
            [.., last] if SOCKETS.contains(&last) => true,
            ["std", "process", "Command", ..] => {
                !PROCESS_PLACES.iter().any(|place| source.path.starts_with(place))
            }
            ["std", "fs", ..] => source.is_in("protocol") && source.path != PROTOCOL_FILES,
            _ => false,
        };
        is_bad.then(|| Breach::new(source.tokens[*at].line, format!("{} here", path.join("::"))))
    });
    breaches.collect()
}

/// `unsafe` stands in a few places only, each time with its reason.
fn unsafe_code(source: &Source) -> Vec<Breach> {
    let mut breaches = Vec::new();
    let is_allowed = UNSAFE_PLACES.iter().any(|place| source.path.starts_with(place));
    for (at, token) in source.tokens.iter().enumerate().filter(|(_, token)| token.text == "unsafe")
    {
        if !is_allowed {
            breaches.push(Breach::new(token.line, "unsafe outside of its places"));
        }
        let is_promise = reads(&source.tokens, at + 1, &["trait"])
            || (reads(&source.tokens, at + 1, &["fn"]) && !reads(&source.tokens, at + 2, &["("]))
            || reads(&source.tokens, at + 1, &["extern"]);
        if is_promise && !has_safety_section(&source.lines[..token.line]) {
            breaches.push(Breach::new(token.line, "no `# Safety` section in its documentation"));
        }
        if !is_promise && !has_safety_note(&source.lines[..=token.line]) {
            breaches.push(Breach::new(token.line, "no `// SAFETY:` comment just above"));
        }
    }
    breaches
}

/// Whether the documentation at the end of `lines` says what the caller must see to.
fn has_safety_section(lines: &[String]) -> bool {
    let above = lines.iter().rev().map(|line| line.trim_start());
    above
        .take_while(|line| line.starts_with("///") || line.starts_with("#["))
        .any(|line| line == "/// # Safety")
}

/// Whether a safety note stands on the last line or a few lines above it; a block of comments that reaches there counts whole.
fn has_safety_note(lines: &[String]) -> bool {
    let is_comment = |at: usize| lines[at].trim_start().starts_with("//");
    let mut start = lines.len().saturating_sub(NOTE_DISTANCE + 1);
    while start > 0 && is_comment(start) && is_comment(start - 1) {
        start -= 1;
    }
    lines[start..].iter().any(|line| line.contains("// SAFETY:"))
}

/// There is no state outside of values that are handed down.
fn global_state(source: &Source) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for (at, token) in source.program() {
        let line = token.line;
        match token.text.as_str() {
            "static" if reads(&source.tokens, at + 1, &["mut"]) => {
                breaches.push(Breach::new(line, "static mut"));
            }
            "static" => {
                let declared = source.tokens[at..].iter().map(|token| token.text.as_str());
                let changeable = declared
                    .take_while(|text| !["=", ";"].contains(text))
                    .find(|text| CHANGEABLE.contains(text) || text.starts_with("Atomic"));
                breaches.extend(
                    changeable
                        .map(|name| Breach::new(line, format!("a static {name} is global state"))),
                );
            }
            "thread_local" => breaches.push(Breach::new(line, "thread_local! is global state")),
            _ => {}
        }
    }
    breaches
}

/// The clock of the day measures nothing.
fn clock_of_the_day(source: &Source) -> Vec<Breach> {
    if DATE_PLACES.iter().any(|place| source.path.starts_with(place)) {
        return Vec::new();
    }
    let naming = source.program().filter(|(_, token)| token.text == "SystemTime");
    naming
        .map(|(_, token)| Breach::new(token.line, "the clock of the day, which may be set back"))
        .collect()
}

/// A protocol error is a reply, a failed command has an exit status; neither panics.
fn panics(source: &Source) -> Vec<Breach> {
    if !source.is_in("protocol") && !source.is_in("cli") {
        return Vec::new();
    }
    let forbidden = source.program().filter(|&(at, token)| match token.text.as_str() {
        "." => {
            reads(&source.tokens, at + 1, &["unwrap", "(", ")"])
                || reads(&source.tokens, at + 1, &["expect", "("])
        }
        "panic" | "todo" | "unimplemented" => reads(&source.tokens, at + 1, &["!"]),
        _ => false,
    });
    let name = |at: usize| match source.tokens[at].text.as_str() {
        "." => &source.tokens[at + 1].text,
        text => text,
    };
    forbidden
        .map(|(at, token)| Breach::new(token.line, format!("{} outside tests", name(at))))
        .collect()
}

/// What only some systems have is compiled for these only; another item stands in elsewhere.
fn systems(source: &Source) -> Vec<Breach> {
    let attributes = [
        &["#", "[", "cfg", "(", "unix"][..],
        &["#", "[", "cfg", "(", "target_os"],
        &["#", "[", "cfg", "(", "all", "(", "unix"],
    ];
    let items = items_under(&source.tokens, &attributes);
    let of_one_system = |at: usize, token: &Token| {
        token.text == "rustix"
            || ["unix", "fd", "linux", "windows"]
                .iter()
                .any(|name| reads(&source.tokens, at, &["os", "::", name]))
    };
    let tokens = source.tokens.iter().enumerate();
    tokens
        .filter(|&(at, token)| {
            of_one_system(at, token) && !items.iter().any(|item| item.contains(&at))
        })
        .map(|(_, token)| Breach::new(token.line, "of one system, without #[cfg(...)]"))
        .collect()
}

/// What is drawn repeats whatever the version of a library: every draw is one of `players::random`, from a generator that is fixed.
fn draws(source: &Source) -> Vec<Breach> {
    const OTHERS: [&str; 6] =
        ["RngExt", "StdRng", "SmallRng", "random_range", "random_bool", "thread_rng"];
    let tokens = source.tokens.iter().filter(|token| OTHERS.contains(&token.text.as_str()));
    tokens.map(|token| Breach::new(token.line, format!("draws by {}", token.text))).collect()
}

/// Files begin with their documentation, and none is long.
fn form(source: &Source) -> Vec<Breach> {
    let mut breaches = Vec::new();
    if !source.lines.first().is_some_and(|line| line.starts_with("//!")) {
        breaches.push(Breach::new(0, "does not begin with a module documentation (//!)"));
    }
    let n_lines = source.lines.len();
    let may_be_long =
        !source.path.starts_with("src/") || TABLE_FILES.contains(&source.path.as_str());
    if n_lines > LONGEST_FILE && !may_be_long {
        breaches.push(Breach::new(n_lines - 1, format!("{n_lines} lines, over {LONGEST_FILE}")));
    }
    if source.path.ends_with("/mod.rs") {
        breaches.push(Breach::new(0, "named mod.rs instead of after its module"));
    }
    breaches
}

// The tests of the sources

#[test]
fn imports_point_to_lower_layers() {
    check(&sources("src"), imports);
}

#[test]
fn the_engine_and_all_below_do_no_input_or_output() {
    check(&sources("src"), no_input_or_output);
}

#[test]
fn only_the_writer_and_the_command_line_use_standard_output() {
    check(&sources("src"), standard_output);
}

#[test]
fn there_is_no_network_and_protocols_start_no_programs() {
    check(&sources("src"), outside_world);
}

#[test]
fn unsafe_code_is_in_its_places_and_explained() {
    check(&sources("src"), unsafe_code);
}

#[test]
fn there_is_no_global_state() {
    check(&sources("src"), global_state);
}

#[test]
fn nothing_is_measured_by_the_clock_of_the_day() {
    check(&sources("src"), clock_of_the_day);
}

#[test]
fn protocols_and_commands_do_not_panic() {
    check(&sources("src"), panics);
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
fn files_are_documented_and_short() {
    check(&sources("src"), form);
    check(&sources("tests"), form);
    assert!(
        !Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs").exists(),
        "there is a build.rs"
    );
}

#[test]
fn the_table_has_the_modules_of_the_library() {
    let sources = sources("src");
    let library = sources.iter().find(|source| source.path == "src/lib.rs").unwrap();
    let declared: Vec<&str> = (0..library.tokens.len())
        .filter(|&at| library.tokens[at].text == "mod" && reads(&library.tokens, at + 2, &[";"]))
        .map(|at| library.tokens[at + 1].text.as_str())
        .collect();
    assert!(declared.len() >= 10, "found only {declared:?}");
    for module in declared {
        assert!(layer(module).is_some_and(|layer| layer <= CLI_LAYER), "{module} has no layer");
    }
}

// The tests of the checker

/// Expects breaches on the lines that say so in a comment, and on no other.
fn expect_marked(rule: fn(&Source) -> Vec<Breach>, path: &str, text: &str) {
    let breaches = rule(&Source::new(path, text));
    let mut found: Vec<usize> = breaches.iter().map(|breach| breach.line).collect();
    found.sort_unstable();
    let marked = text.lines().enumerate().filter(|(_, line)| line.ends_with("// bad"));
    let expected: Vec<usize> = marked.map(|(line, _)| line).collect();
    let messages: Vec<&str> = breaches.iter().map(|breach| breach.message.as_str()).collect();
    assert_eq!(found, expected, "{path}: {messages:?}");
    assert!(!expected.is_empty(), "nothing to be found in {path}");
}

fn n_breaches(rule: fn(&Source) -> Vec<Breach>, path: &str, text: &str) -> usize {
    rule(&Source::new(path, text)).len()
}

#[test]
fn the_checker_reads_the_sources() {
    let sources = sources("src");
    assert!(sources.len() > 40, "{} files", sources.len());
    let n_imports = sources
        .iter()
        .flat_map(|source| source.paths())
        .filter(|(_, path)| path[0] == "crate" && path.len() > 1)
        .count();
    assert!(n_imports > 150, "{n_imports} imports");
    let n_unsafe = sources
        .iter()
        .flat_map(|source| &source.tokens)
        .filter(|token| token.text == "unsafe")
        .count();
    assert!(n_unsafe >= 10, "{n_unsafe} times unsafe");
    let has = |is_test| {
        let memory = sources.iter().find(|source| source.path == "src/support/memory.rs").unwrap();
        memory.tokens.iter().any(|token| token.is_test == is_test)
    };
    assert!(has(true) && has(false));
}

#[test]
fn comments_and_literals_are_no_code() {
    let text = r####"
        // one /* two
        /* three /* four */ "five */
        let six = "seven \" // eight" + r#"nine " ten"# + b"\\" + br"eleven\";
        let c: ['a; 2] = ['"', '\'', '{', '\u{27}'];
        x != y; r::b!()
    "####;
    let tokens: Vec<String> = tokenize(text).into_iter().map(|token| token.text).collect();
    let expected = "let six = \"\" + \"\" + \"\" + \"\" ; let c : [ 'a ; 2 ] = [ '' , '' , '' , '' ] ; \
                    x != y ; r :: b ! ( )";
    assert_eq!(tokens.join(" "), expected);
    assert_eq!(tokenize(text)[0].line, 3);
    assert_eq!(tokenize(text).last().unwrap().line, 5);
}

#[test]
fn paths_are_written_out() {
    let text = "use a::{self, b::{c, d as e}, f::*}; x.g::<h::i>(::j::k); pub(crate) fn l() {}";
    let source = Source::new("src/game.rs", text);
    let paths: Vec<String> = source
        .paths()
        .iter()
        .map(|(_, path)| path.join("::"))
        .filter(|path| path.contains(':'))
        .collect();
    assert_eq!(paths, ["a::self", "a::b::c", "a::b::d", "a::f::*", "h::i", "j::k"]);
}

#[test]
fn test_code_is_told_from_the_program() {
    let text = "
        fn program() { a(); }
        #[cfg(test)] #[allow(x)] mod tests { fn test() { b(); } }
        #[cfg(test)] mod other;
        #[cfg(test)] const C: [u8; 2] = [d, d];
        #[cfg(not(test))] fn more() { c(); }";
    let source = Source::new("src/game.rs", text);
    let words: Vec<&str> = source
        .program()
        .map(|(_, token)| token.text.as_str())
        .filter(|text| ["a", "b", "c", "d", "other"].contains(text))
        .collect();
    assert_eq!(words, ["a", "c"]);
    assert!(Source::new("src/game/tests.rs", text).program().next().is_none());
    assert!(Source::new("src/game/tests/long.rs", text).program().next().is_none());
}

#[test]
fn upward_imports_are_found() {
    let text = "
        use crate::board::{Board, Move};
        use crate::{score::Score, engine::Engine}; // bad
        // use crate::cli;
        use super::flip; // bad
        fn f() { crate::clock::now(\"crate::cli\") } // bad
        use crate::unheard_of; // bad
        use crate::evaluation::simd;
        pub(in crate::evaluation) struct S;
        mod inner { use super::terms; use super::super::search::Limits; } // bad
        #[cfg(test)] mod tests { use crate::protocol::Kind; } // bad";
    expect_marked(imports, "src/evaluation.rs", text);
    expect_marked(
        imports,
        "src/evaluation/simd.rs",
        "use super::super::cli; // bad\nuse super::super::evaluation;",
    );
    expect_marked(imports, "src/unheard_of/file.rs", "fn f() {} // bad");
    expect_marked(
        imports,
        "src/analyze.rs",
        "use crate::search::search;\nuse crate::arena::A; // bad",
    );
    expect_marked(
        imports,
        "src/main.rs",
        "fn main() { othellier::cli::main();\nothellier::game::g() } // bad",
    );
}

#[test]
fn input_and_output_are_found() {
    let text = "
        use std::{fmt, env}; // bad
        fn f() { println!(\"\") } // bad
        fn f() { writeln!(f, \"println!\") }
        use anyhow::Result; // bad
        fn f() -> std::io::Result<()> {} // bad
        fn f() { x.stdin } // bad
        #[cfg(test)] mod tests { fn f() { println!(); std::fs::read(); } }";
    expect_marked(no_input_or_output, "src/search/root.rs", text);
    let text = "fn f() -> std::io::Result<()> {}\nuse std::io::Write; // bad\nfn f() { x.stdin }";
    expect_marked(no_input_or_output, "src/engine.rs", text);
    assert_eq!(n_breaches(no_input_or_output, "src/protocol.rs", text), 0);
}

#[test]
fn standard_output_is_found() {
    let text = "
        fn f() { print!(\"\") } // bad
        use std::io::{Write, stdout}; // bad
        fn f() { io::stdout().lock() } // bad
        fn f() { let out = stdout(); } // bad
        fn f() { child.stdout.take(); command.stdout(Stdio::piped()); Stdout::Piped }
        // stdout()";
    expect_marked(standard_output, "src/analyze.rs", text);
    expect_marked(standard_output, "src/protocol/reader.rs", "fn f() { std::io::stdout() } // bad");
    assert_eq!(n_breaches(standard_output, "src/cli/bench.rs", text), 0);
    assert_eq!(n_breaches(standard_output, "src/protocol/writer.rs", text), 0);
}

#[test]
fn the_outside_world_is_found() {
    let text = "
        use std::net::TcpStream; // bad
        use std::os::unix::net::UnixStream; // bad
        fn f(socket: UdpSocket) {} // bad
        use std::{fs, io}; // bad
        fn f() { std::process::Command::new(\"sh\") } // bad
        fn f() { std::process::id() }
        fn f() { std::fs::read(path) } // bad
        use std::process::{Command, ExitCode}; // bad
        // std::net
        #[cfg(test)] mod tests { use std::fs; }";
    expect_marked(outside_world, "src/protocol/gtp.rs", text);
    let text = "use std::fs::File;\nuse std::process::Command;";
    assert_eq!(n_breaches(outside_world, "src/seats/child.rs", text), 0);
    assert_eq!(n_breaches(outside_world, "src/cli/solve.rs", text), 1);
    assert_eq!(n_breaches(outside_world, "src/protocol/session.rs", text), 1);
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
    expect_marked(systems, "src/seats/child.rs", text);
}

#[test]
fn draws_of_the_library_are_found() {
    let text = "
        use rand::{RngExt, SeedableRng}; // bad
        fn f() { random.random_range(0..9) } // bad
        fn f() { draw(&mut random, 9) }
        fn f() { random.next_u64() }";
    expect_marked(draws, "src/training/fit.rs", text);
}

#[test]
fn unsafe_code_is_found() {
    let text = "
        // SAFETY: so it is.
        let a = unsafe { f() };
        let unsafe_code = 1; // unsafe
        //
        //
        let b = unsafe { f() }; // bad
        unsafe impl A for B {} // bad
        /// Does.
        ///
        /// # Safety
        /// Take care.
        #[inline]
        pub unsafe fn f() {}
        /// Does.
        pub unsafe trait A {} // bad
        // SAFETY: a long reason
        // over
        // many
        // lines.
        unsafe {}";
    expect_marked(unsafe_code, "src/support/memory.rs", text);
    expect_marked(unsafe_code, "src/board/square.rs", "// SAFETY: no.\nunsafe {} // bad");
}

#[test]
fn global_state_is_found() {
    let text = "
        static mut A: u8 = 0; // bad
        static B: AtomicU64 = AtomicU64::new(0); // bad
        static C: [u8; 2] = [0, 1];
        fn f(x: &'static mut Mutex<u8>) {}
        thread_local! { static D: u8 = 0 } // bad
        static E: std::sync::OnceLock<Mutex<u8>> = OnceLock::new(); // bad
        #[cfg(test)] mod tests { static F: Mutex<()> = Mutex::new(()); }";
    expect_marked(global_state, "src/search.rs", text);
}

#[test]
fn the_clock_of_the_day_is_found() {
    let text = "
use std::time::{Duration, SystemTime}; // bad
fn now() -> SystemTime { // bad
    SystemTime::now() // bad
}
";
    expect_marked(clock_of_the_day, "src/search/x.rs", text);
    assert_eq!(n_breaches(clock_of_the_day, "src/cli/x.rs", text), 0);
}

#[test]
fn panics_are_found() {
    let text = "
        fn f() { x.unwrap(); } // bad
        fn f() { x.unwrap_or(0).expect_err(); }
        fn f() { x.expect(\"\") } // bad
        fn f() { panic!() } // bad
        #[expect(dead_code)] fn f() { std::panic::catch_unwind(f) }
        fn f() { todo!() } // bad
        #[cfg(test)] mod tests { fn f() { x.unwrap() } }";
    expect_marked(panics, "src/protocol/gtp.rs", text);
    expect_marked(panics, "src/cli.rs", text);
    assert_eq!(n_breaches(panics, "src/board.rs", text), 0);
}

#[test]
fn bad_forms_are_found() {
    assert_eq!(n_breaches(form, "src/a.rs", "// A\n"), 1);
    assert_eq!(n_breaches(form, "src/a/mod.rs", "//! A\n"), 1);
    let long = "//! A\n".repeat(LONGEST_FILE + 1);
    assert_eq!(n_breaches(form, "src/a.rs", &long), 1);
    assert_eq!(n_breaches(form, "src/a.rs", &long[6..]), 0);
    assert_eq!(n_breaches(form, "tests/it/a.rs", &long), 0);
}

//! The notation of the case files, which `cases/README.md` describes.

/// A numbered case.
#[derive(Clone)]
pub struct Case {
    /// `G1` to `G56`, `N1` to `N34` or `C1` to `C12`.
    pub number: &'static str,
    /// The title: what is checked, in a few words.
    pub title: &'static str,
    /// Whether it checks a convention of this project: an engine with another one differs, but does not fail.
    pub is_house_rule: bool,
    pub(super) steps: Vec<Step>,
    /// The names that the head of the file defines.
    pub(super) names: Names,
}

impl Case {
    /// Whether a busy machine may make it fail: when something comes, or that nothing comes, is a part of it.
    pub(super) fn measures_time(&self) -> bool {
        let timed = ["within", "wait", "quiet", "end", "exit", "hints", "heard"];
        self.steps.iter().any(|(word, _)| timed.contains(word))
    }
}

/// The first word of a line and the rest.
pub(super) type Step = (&'static str, &'static str);

/// Texts that stand for `$` and a name in capitals.
pub(super) type Names = Vec<(String, String)>;

/// The cases of a file.
pub(super) fn read(text: &'static str) -> Vec<Case> {
    let mut names = Names::new();
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(head) = line.strip_prefix("== ") {
            let (number, title) = head.split_once(' ').unwrap_or((head, ""));
            let names = names.clone();
            cases.push(Case { number, title, is_house_rule: false, steps: Vec::new(), names });
        } else if let Some(case) = cases.last_mut() {
            match line {
                "house rule" => case.is_house_rule = true,
                _ => case.steps.push(line.split_once(' ').unwrap_or((line, ""))),
            }
        } else if let Some((name, value)) = line.split_once(" = ") {
            names.push((name.to_owned(), value.to_owned()));
        }
    }
    cases.iter_mut().for_each(|case| unroll(&mut case.steps));
    cases
}

/// Expands `repeat N`: the lines to send after it N times, then the lines to expect N times.
fn unroll(steps: &mut Vec<Step>) {
    let Some(at) = steps.iter().position(|step| step.0 == "repeat") else { return };
    let tail = steps.split_off(at);
    let times = tail[0].1.parse().unwrap_or(0);
    let mut rest = &tail[1..];
    for word in [">", "<"] {
        let block = rest.iter().take_while(|step| step.0 == word).count();
        steps.extend(rest[..block].repeat(times));
        rest = &rest[block..];
    }
    steps.extend(rest);
}

/// The text with known names replaced by their values.
pub(super) fn expand(text: &str, names: &Names) -> String {
    let mut pieces = text.split('$');
    let mut expanded = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, after) = piece.split_at(name_length(piece));
        match names.iter().find(|known| known.0 == name) {
            Some((_, value)) => expanded.push_str(value),
            None => expanded.extend(["$", name]),
        }
        expanded.push_str(after);
    }
    expanded
}

fn name_length(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_uppercase).count()
}

/// The bytes that a line sends, with its end; `None` if it has a bad escape.
pub(super) fn bytes(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((plain, escape)) = rest.split_once('\\') {
        bytes.extend(plain.bytes());
        let Some((kind, after)) = escape.split_at_checked(1) else {
            // A backslash at the end means that no line end is sent.
            return Some(bytes);
        };
        rest = after;
        match kind {
            "r" => bytes.push(b'\r'),
            "t" => bytes.push(b'\t'),
            "\\" => bytes.push(b'\\'),
            "x" => {
                let (digits, after) = after.split_at_checked(2)?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = after;
            }
            "{" => {
                let (times, after) = after.split_once(' ')?;
                let (text, after) = after.split_once('}')?;
                bytes.extend(text.repeat(times.parse().ok()?).bytes());
                rest = after;
            }
            _ => return None,
        }
    }
    bytes.extend(rest.bytes());
    bytes.push(b'\n');
    Some(bytes)
}

/// Whether a text is as expected. `...` fits anything, `NUMBER` a number, `MOVE` what `is_move` accepts, and an unknown
/// `$NAME` any text but the empty one, which becomes its value.
pub(super) fn fits(
    pattern: &str,
    text: &str,
    names: &mut Names,
    is_move: &mut dyn FnMut(&str) -> bool,
) -> bool {
    let Some((start, end)) = wildcard(pattern) else { return pattern == text };
    let Some(text) = text.strip_prefix(&pattern[..start]) else { return false };
    let (wildcard, after) = (&pattern[start..end], &pattern[end..]);
    let n_names = names.len();
    for length in (0..=text.len()).filter(|&length| text.is_char_boundary(length)) {
        let (part, rest) = text.split_at(length);
        if after.is_empty() && !rest.is_empty() {
            continue;
        }
        let is_right = match wildcard {
            "..." => true,
            "NUMBER" => part.trim().parse::<f64>().is_ok(),
            "MOVE" => is_move(part),
            name => {
                names.push((name[1..].to_owned(), part.to_owned()));
                !part.is_empty()
            }
        };
        if is_right && fits(after, rest, names, is_move) {
            return true;
        }
        names.truncate(n_names);
    }
    false
}

/// Where the first wildcard of a pattern begins and ends.
fn wildcard(pattern: &str) -> Option<(usize, usize)> {
    (0..pattern.len()).find_map(|start| {
        let rest = pattern.get(start..)?;
        let fixed = ["...", "NUMBER", "MOVE"].iter().find(|word| rest.starts_with(**word));
        let name = rest.strip_prefix('$').map(name_length).filter(|&length| length > 0);
        let length = fixed.map(|word| word.len()).or(name.map(|length| length + 1))?;
        Some((start, start + length))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read() {
        let cases = read(
            "# A comment.\nP = f5\n\n== G1 a title of words\nhouse rule\nrepeat 2\n> a\n> b\n< =\nquiet\n== G2 other\n> c\n",
        );
        assert_eq!((cases[0].number, cases[0].title), ("G1", "a title of words"));
        assert!(cases[0].is_house_rule && !cases[1].is_house_rule);
        let words: String =
            cases[0].steps.iter().map(|step| format!("{}{} ", step.0, step.1)).collect();
        assert_eq!(words, ">a >b >a >b <= <= quiet ");
        assert_eq!(expand("$Pd6 $Q", &cases[1].names), "f5d6 $Q");
    }

    #[test]
    fn lines_to_send_have_escapes() {
        assert_eq!(bytes("a\\r\\t\\\\\\xff"), Some(b"a\r\t\\\xff\n".to_vec()));
        assert_eq!(bytes("\\{3 ab}c"), Some(b"abababc\n".to_vec()));
        assert_eq!(bytes("name\\"), Some(b"name".to_vec()));
        assert_eq!(bytes("\\q"), None);
    }

    #[test]
    fn patterns_fit_texts() {
        for (pattern, text, expected) in [
            ("= 2", "= 2", true),
            ("= 2", "= 2 ", false),
            ("=...", "=", true),
            ("=...", "= x", true),
            ("a...b...a", "aba", true),
            ("aa...aa", "aaa", false),
            ("node NUMBER, time NUMBER", "node 12, time 0.25", true),
            ("node NUMBER, time NUMBER", "node x, time 0.25", false),
            ("= MOVE", "= f5", true),
            ("= MOVE", "= f6", false),
            ("=7 $NAME", "=7 ", false),
            ("$A $A", "x y", true),
        ] {
            let is_move = &mut |text: &str| text == "f5";
            assert_eq!(
                fits(pattern, text, &mut Names::new(), is_move),
                expected,
                "{pattern} {text}"
            );
        }
        let mut names = Names::new();
        assert!(fits("= $NAME", "= An Engine", &mut names, &mut |_| false));
        assert_eq!(expand("=7 $NAME", &names), "=7 An Engine");
    }
}

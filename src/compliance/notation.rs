//! The notation of the case files, which `cases/README.md` describes.

/// A numbered case.
#[derive(Clone)]
pub struct Case {
    /// A letter for the protocol and a number: `G1`, `N1`, `C1`, `E1`, `X1` and so on.
    pub number: &'static str,
    /// The title: what is checked, in a few words.
    pub title: &'static str,
    /// Whether it checks a convention of this project: an engine with another one differs, but does not fail.
    pub is_house_rule: bool,
    pub(super) steps: Vec<Step<'static>>,
    /// The names that the head of the file defines.
    pub(super) names: Names,
}

impl Case {
    /// Whether a busy machine may make it fail: when something comes, or that nothing comes, is a part of it.
    pub(super) fn measures_time(&self) -> bool {
        let timed = ["within", "wait", "quiet", "end", "exit", "hints"];
        self.steps.iter().any(|(word, _)| timed.contains(word))
    }
}

/// The first word of a line and the rest.
pub(super) type Step<'a> = (&'a str, &'a str);

/// Texts that stand for `$` and a name in capitals.
pub(super) type Names = Vec<(String, String)>;

/// The step of a line; `None` for a comment, and for the options at the head of a dialogue.
pub(super) fn step(line: &str) -> Option<Step<'_>> {
    let is_step = !line.is_empty() && !line.starts_with(['#', '!']);
    is_step.then(|| line.split_once(' ').unwrap_or((line, "")))
}

/// The cases of a file.
pub(super) fn read(text: &'static str) -> Vec<Case> {
    let mut names = Names::new();
    let mut cases: Vec<Case> = Vec::new();
    for (word, rest) in text.lines().filter_map(step) {
        match (word, cases.last_mut()) {
            ("==", _) => {
                let (number, title) = rest.split_once(' ').unwrap_or((rest, ""));
                let (steps, names) = (Vec::new(), names.clone());
                cases.push(Case { number, title, is_house_rule: false, steps, names });
            }
            ("house", Some(case)) => case.is_house_rule = true,
            (_, Some(case)) => case.steps.push((word, rest)),
            (_, None) => names.push((word.to_owned(), rest.trim_start_matches("= ").to_owned())),
        }
    }
    cases.iter_mut().for_each(|case| unroll(&mut case.steps));
    cases
}

/// Expands `repeat N`: the lines to send after it N times, then the lines to expect N times.
fn unroll(steps: &mut Vec<Step>) {
    let Some(at) = steps.iter().position(|step| step.0 == "repeat") else { return };
    let tail = steps.split_off(at);
    let (times, mut rest) = (tail[0].1.parse().unwrap_or(0), &tail[1..]);
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
pub(super) fn bytes(line: &str) -> Option<Vec<u8>> {
    let mut pieces = line.split('\\');
    let mut bytes = pieces.next()?.as_bytes().to_vec();
    for piece in pieces {
        let Some((kind, rest)) = piece.split_at_checked(1) else {
            // A backslash at the end means that no line end is sent.
            return Some(bytes);
        };
        let rest = match kind {
            "r" | "t" => {
                bytes.push(if kind == "r" { b'\r' } else { b'\t' });
                rest
            }
            "x" => {
                let (digits, rest) = rest.split_at_checked(2)?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest
            }
            "{" => {
                let (repeated, rest) = rest.split_once('}')?;
                let (times, text) = repeated.split_once(' ')?;
                bytes.extend(text.repeat(times.parse().ok()?).bytes());
                rest
            }
            _ => return None,
        };
        bytes.extend(rest.bytes());
    }
    bytes.push(b'\n');
    Some(bytes)
}

/// Whether a text is as expected. `...` fits anything, `NUMBER` a number, `BOUND` a bound such as `B-2.00`, `MOVE` what `is_move`
/// accepts, and `$NAME` any text but the empty one; a name that it gets, or has already, stands for the same text.
pub(super) fn fits(
    pattern: &str,
    text: &str,
    names: &mut Names,
    is_move: &dyn Fn(&str) -> bool,
) -> bool {
    let Some((before, wildcard, after)) = wildcard(pattern) else { return pattern == text };
    let Some(text) = text.strip_prefix(before) else { return false };
    let n_names = names.len();
    for (part, rest) in (0..=text.len()).filter_map(|length| text.split_at_checked(length)) {
        let name = wildcard.trim_start_matches('$');
        let is_right = match wildcard {
            "..." => true,
            "NUMBER" => part.trim().parse::<f64>().is_ok(),
            "BOUND" => part.strip_prefix(['B', 'W']).is_some_and(|value| {
                value.starts_with(['+', '-']) && value.parse::<f64>().is_ok_and(|v| v.abs() <= 64.0)
            }),
            "MOVE" if !is_move(part) => false,
            _ => match names.iter().find(|known| known.0 == name) {
                Some((_, known)) => known.eq_ignore_ascii_case(part),
                None => {
                    names.push((name.to_owned(), part.to_owned()));
                    !part.is_empty()
                }
            },
        };
        if is_right && fits(after, rest, names, is_move) {
            return true;
        }
        names.truncate(n_names);
    }
    false
}

/// The first wildcard of a pattern, with what is before and after it.
fn wildcard(pattern: &str) -> Option<(&str, &str, &str)> {
    (0..pattern.len()).find_map(|start| {
        let (before, rest) = pattern.split_at_checked(start)?;
        let fixed = ["...", "NUMBER", "BOUND", "MOVE"].iter().find(|word| rest.starts_with(**word));
        let name = rest.strip_prefix('$').map(name_length).filter(|&length| length > 0);
        let length = fixed.map(|word| word.len()).or(name.map(|length| length + 1))?;
        Some((before, &rest[..length], &rest[length..]))
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
        assert_eq!(bytes("a\\r\\t\\x5c\\xff"), Some(b"a\r\t\\\xff\n".to_vec()));
        assert_eq!(bytes("\\{3 ab}c"), Some(b"abababc\n".to_vec()));
        assert_eq!(bytes("name\\"), Some(b"name".to_vec()));
        assert_eq!(bytes("\\q"), None);
    }

    #[test]
    fn patterns_fit_texts() {
        for (pattern, text, expected) in [
            ("= 2", "= 2", true),
            ("= 2", "= 2 ", false),
            ("", "", true),
            ("=...", "=", true),
            ("=...", "= x", true),
            ("=== .../1.00/...", "=== D3/1.00/0.002", true),
            ("=== .../1.00/...", "=== D3/1.20/0.002", false),
            ("...XXX..", "...XXX..", true),
            ("...XXX..", "...XXXX.", false),
            ("a...b...a", "aba", true),
            ("a...b...a", "ab", false),
            ("aa...aa", "aaa", false),
            ("node NUMBER, time NUMBER", "node 12, time 0.25", true),
            ("node NUMBER, time NUMBER", "node x, time 0.25", false),
            ("BOUND <... v", "B-2.00 <= v", true),
            ("BOUND <... v", "2.00 <= v", false),
            ("BOUND <... v", "W+65 < v", false),
            ("= MOVE", "= f5", true),
            ("= MOVE", "= f6", false),
            ("MOVE, $MOVE...", "f5, F5d6", true),
            ("MOVE, $MOVE...", "f5, d6", false),
            ("=7 $NAME", "=7 ", false),
            ("$A $B", "x y", true),
            ("$A $A", "x y", false),
        ] {
            let is_move = &|text: &str| text == "f5";
            assert_eq!(
                fits(pattern, text, &mut Names::new(), is_move),
                expected,
                "{pattern} {text}"
            );
        }
        let mut names = Names::new();
        assert!(fits("= $NAME", "= An Engine", &mut names, &|_| false));
        assert_eq!(expand("=7 $NAME", &names), "=7 An Engine");
    }
}

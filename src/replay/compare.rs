//! Compares the output of two runs of the same session.

use std::collections::BTreeMap;

use crate::journal::{Entry, Searched, Step};
use crate::protocol::Kind;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Line of the log, from 1; `None` after its last one.
    pub line: Option<usize>,
    pub expected: Option<String>,
    pub got: Option<String>,
}

/// The form of a protocol's interim reports. Which of them are sent depends on time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thoughts {
    None,
    /// `search PV VALUE 0 DEPTH` and `nodestats NODES SECONDS`, the same for the same move and depth or nodes, and `book PV ...` once
    /// the book is unpacked, which then has no `search` rows of the same moves.
    Nboard,
    /// `info move M visits NODES ...`, the same for the same nodes.
    Gtp,
}

impl Thoughts {
    pub(super) const fn of(kind: Option<Kind>) -> Thoughts {
        match kind {
            Some(Kind::Nboard) => Thoughts::Nboard,
            Some(Kind::Gtp) => Thoughts::Gtp,
            Some(Kind::Cassio | Kind::Edax | Kind::Xboard) | None => Thoughts::None,
        }
    }

    /// The key that identifies a report within its search; `None` for other lines.
    fn key(self, line: &str) -> Option<String> {
        let mut words = line.split(' ');
        let first = words.next()?;
        match self {
            Thoughts::Nboard if first == "search" => {
                let mv = words.next()?.split('-').next()?;
                Some(format!("search {mv} {}", words.next_back()?))
            }
            Thoughts::Nboard if first == "nodestats" || first == "book" => {
                Some(format!("{first} {}", words.next()?))
            }
            Thoughts::Gtp if first == "info" => Some(words.nth(3)?.into()),
            _ => None,
        }
    }
}

/// A line with its place in the log.
#[derive(Clone, Debug)]
struct Line {
    number: usize,
    text: String,
    masked: String,
}

impl Line {
    fn new(number: usize, text: String) -> Line {
        Line { number, masked: masked(&text), text }
    }
}

/// The interim reports between two other lines, by key.
type Block = BTreeMap<String, Vec<Line>>;

/// An engine's output: lines, steps of its worker and errors, each in order. Their interleaving depends on time.
#[derive(Clone, Debug)]
pub(super) struct Output {
    thoughts: Thoughts,
    lines: Vec<Line>,
    /// The interim reports before each line, and those after the last.
    blocks: Vec<Block>,
    steps: Vec<Line>,
    errors: Vec<Line>,
    /// Whether the end of the input ends the session at once, whatever lines and searches are still under way.
    ends_at_once: bool,
    /// Numbers of lines, steps and errors when it did; later ones may or may not come.
    at_end: Option<[usize; 3]>,
    is_closed: bool,
}

impl Output {
    pub(super) fn new(thoughts: Thoughts, ends_at_once: bool) -> Output {
        Output {
            thoughts,
            ends_at_once,
            at_end: None,
            lines: Vec::new(),
            blocks: vec![Block::new()],
            steps: Vec::new(),
            errors: Vec::new(),
            is_closed: false,
        }
    }

    pub(super) fn take(&mut self, number: usize, entry: &Entry) {
        match entry {
            Entry::Output(bytes) => {
                // As in the log, which is text.
                let line = Line::new(number, String::from_utf8_lossy(bytes).into_owned());
                match (self.thoughts.key(&line.text), self.blocks.last_mut()) {
                    (Some(key), Some(block)) => block.entry(key).or_default().push(line),
                    _ => {
                        self.lines.push(line);
                        self.blocks.push(Block::new());
                    }
                }
            }
            Entry::Step(step) => {
                let mut line = Line::new(number, entry.to_string());
                // Logs of earlier versions tell a value of what was not searched.
                if let Step::Searched(Searched { is_unready: true, .. }) = step
                    && let Some((_, rest)) = line.masked.split_once(" nodes ")
                {
                    line.masked = rest.into();
                }
                self.steps.push(line);
            }
            // In the log, further lines of an error are notes.
            Entry::Error(text) => {
                let first = text.split('\n').next().unwrap_or_default();
                self.errors.push(Line::new(number, first.into()));
            }
            Entry::EndOfInput if self.ends_at_once => self.at_end = Some(self.lengths()),
            Entry::Closed(_) => self.is_closed = true,
            _ => {}
        }
    }

    pub(super) const fn is_closed(&self) -> bool {
        self.is_closed
    }

    pub(super) const fn n_compared(&self) -> usize {
        self.lines.len() + self.steps.len() + self.errors.len()
    }

    const fn lengths(&self) -> [usize; 3] {
        [self.lines.len(), self.steps.len(), self.errors.len()]
    }

    /// Whether there is as much output as a repetition of `other` must have.
    pub(super) fn reaches(&self, other: &Output) -> bool {
        let needed = other.at_end.unwrap_or_else(|| other.lengths());
        self.lengths().iter().zip(needed).all(|(&length, needed)| length >= needed)
            && (self.is_closed || !other.is_closed)
    }

    /// Whether `now` agrees with this over their common length, apart from interim reports.
    pub(super) fn agrees_so_far(&self, now: &Output) -> bool {
        self.streams(now).into_iter().all(|(then, now)| {
            // All but the newest line have been checked before.
            let n = then.len().min(now.len());
            n == 0 || then[n - 1].masked == now[n - 1].masked
        })
    }

    /// The first difference from `now`. If the log breaks off, `now` may continue; if the end of the input ended the session at
    /// once, either may.
    pub(super) fn difference(&self, now: &Output, is_whole: bool) -> Option<Difference> {
        let needed = self.at_end.unwrap_or([usize::MAX; 3]);
        let is_whole = is_whole && self.at_end.is_none();
        let parting = |((then, now), needed): ((&[Line], &[Line]), usize)| {
            let n = then.iter().zip(now).take_while(|(a, b)| a.masked == b.masked).count();
            match (then.get(n), now.get(n)) {
                (None, None) => None,
                (None, Some(_)) if !is_whole => None,
                (Some(_), None) if n >= needed => None,
                (expected, got) => Some(Difference::new(expected, got)),
            }
        };
        let partings = self.streams(now).into_iter().zip(needed).filter_map(parting);
        let thoughts = self.blocks.iter().zip(&now.blocks).flat_map(|(then, now)| {
            then.iter().filter_map(|(key, then)| {
                // One of the two may have reported only a part of the same iteration.
                let differs = |(a, b): &(&Line, &Line)| a.masked != b.masked;
                let (a, b) = then.iter().zip(now.get(key)?).find(differs)?;
                Some(Difference::new(Some(a), Some(b)))
            })
        });
        partings.chain(thoughts).min_by_key(|difference| difference.line.unwrap_or(usize::MAX))
    }

    fn streams<'a>(&'a self, now: &'a Output) -> [(&'a [Line], &'a [Line]); 3] {
        [(&self.lines, &now.lines), (&self.steps, &now.steps), (&self.errors, &now.errors)]
    }
}

impl Difference {
    fn new(expected: Option<&Line>, got: Option<&Line>) -> Difference {
        Difference {
            line: expected.map(|line| line.number),
            expected: expected.map(|line| line.text.clone()),
            got: got.map(|line| line.text.clone()),
        }
    }
}

/// A line without time-dependent parts: numbers with three decimals, which are seconds, the progress of a search in Cassio's
/// protocol, times and speeds in the rows of Edax's console, and times in the thinking of XBoard.
fn masked(text: &str) -> String {
    if text.starts_with("node ") {
        return "node".into();
    }
    if let (Some(":"), Some("."), Some(rest)) = (text.get(20..21), text.get(23..24), text.get(52..))
    {
        return [&text[..12], &text[27..42], rest].concat();
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    if let [depth, score, _, nodes, _, ..] = words[..]
        && words[..4].iter().all(|word| word.parse::<i64>().is_ok())
    {
        return format!("{depth} {score} {nodes} {}", words[4..].join(" "));
    }
    let mut masked = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let number = &rest[start..];
        let end = number.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(number.len());
        let decimals = number[..end].split_once('.').map_or("", |parts| parts.1);
        let is_time = decimals.len() == 3 && !decimals.contains('.');
        masked += &rest[..start];
        masked += if is_time { "T" } else { &number[..end] };
        rest = &number[end..];
    }
    masked + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::text;

    fn said(thoughts: Thoughts, lines: &[&str]) -> Output {
        let mut said = Output::new(thoughts, true);
        for (number, line) in (1..).zip(lines) {
            let entry = match line.strip_prefix("! ") {
                Some(error) => Entry::Error(error.into()),
                None if *line == "^D" => Entry::EndOfInput,
                None => match line.strip_prefix("* ") {
                    Some(step) => Entry::Step(step.parse().unwrap()),
                    None => Entry::Output(line.as_bytes().to_vec()),
                },
            };
            said.take(number, &entry);
        }
        said
    }

    #[test]
    fn times_do_not_count() {
        for (text, expected) in [
            ("=== D3/1.20/0.532", "=== D3/1.20/T"),
            ("= 12.001", "= T"),
            ("nodestats 1234 0.250", "nodestats 1234 T"),
            ("node 5, time 0.1", "node"),
            (
                "    3   +01        0:00.209           125        598 d3 C5 ",
                "    3   +01            125  d3 C5 ",
            ),
            (" 2    0     12         64 D6 c4", "2 0 64 D6 c4"),
            ("0.1.0 at 7.", "0.1.0 at 7."),
            ("", ""),
        ] {
            assert_eq!(masked(text), expected);
        }
    }

    #[test]
    fn the_first_difference_is_found() {
        let then = said(Thoughts::None, &["= D3", "", "= 0.500", "", "= C4"]);
        let part = |lines: &[&str], is_whole| {
            then.difference(&said(Thoughts::None, lines), is_whole).map(|difference| {
                (difference.line, difference.expected.unwrap_or_default(), difference.got)
            })
        };
        assert_eq!(part(&["= D3", "", "= 0.123", "", "= C4"], true), None);
        let other = part(&["= D3", "", "? 0.123", "", "= F5"], true);
        assert_eq!(other, Some((Some(3), "= 0.500".into(), Some("? 0.123".into()))));
        assert_eq!(part(&["= D3"], true), Some((Some(2), String::new(), None)));
        let more = ["= D3", "", "= 0.123", "", "= C4", "= F5"];
        assert_eq!(part(&more, true), Some((None, String::new(), Some("= F5".into()))));
        assert_eq!(part(&more, false), None);
        let error = part(&["= D3", "! it broke", "", "= 0.123", "", "= C4"], true);
        assert_eq!(error, Some((None, String::new(), Some("it broke".into()))));
    }

    #[test]
    fn what_was_not_searched_has_no_value_to_compare() {
        let step = |found: &str| {
            said(
                Thoughts::None,
                &[&format!("* {found} nodes 0 time 0.000 solve 0 reach 60 after 0 unready")],
            )
        };
        assert_eq!(step("D3 +64.00 depth 1@100%").difference(&step("nothing"), true), None);
    }

    #[test]
    fn an_end_of_the_input_that_ends_at_once_leaves_open_what_comes_after_it() {
        let then = said(Thoughts::None, &["status", "^D", "status Thinking", "=== D3"]);
        let differs = |lines: &[&str]| {
            let now = said(Thoughts::None, lines);
            (now.reaches(&then), then.difference(&now, true).and_then(|difference| difference.line))
        };
        assert_eq!(differs(&["status", "^D"]), (true, None));
        assert_eq!(differs(&["status", "status Thinking", "=== D3", "status", "^D"]), (true, None));
        assert_eq!(differs(&["status", "^D", "status Analyzing"]), (true, Some(3)));
        assert_eq!(differs(&["^D"]), (false, Some(1)));
    }

    #[test]
    fn what_a_log_cannot_hold_does_not_count() {
        let entries = [
            Entry::Error("panicked at src/search.rs:1:2:\na reason".into()),
            Entry::Output(b"= \xff".to_vec()),
        ];
        let [mut then, mut now] = [(); 2].map(|()| Output::new(Thoughts::None, false));
        for (number, entry) in (1..).zip(&entries) {
            let log = format!("2026-01-31T23:59:59.999Z {:5} {entry}", entry.level());
            for entry in log.lines().filter_map(text::read) {
                then.take(number, &entry.unwrap());
            }
            now.take(0, entry);
        }
        assert!(then.reaches(&now) && now.reaches(&then));
        assert_eq!(then.difference(&now, true), None);
    }

    #[test]
    fn thoughts_are_compared_where_both_runs_tell_them() {
        let then =
            ["search D3 1.00 0 4", "nodestats 90 0.001", "search D3 1.50 0 5", "=== D3/1.5/0.1"];
        let then = said(Thoughts::Nboard, &then);
        let differs = |lines: &[&str]| then.difference(&said(Thoughts::Nboard, lines), true);
        assert_eq!(differs(&["search D3 1.50 0 5", "=== D3/1.5/0.1"]), None);
        assert_eq!(differs(&["search D3 9.00 0 7", "nodestats 90 0.025", "=== D3/1.5/0.1"]), None);
        let difference = differs(&["search D3 1.25 0 5", "=== D3/1.5/0.1"]).unwrap();
        assert_eq!(
            (difference.line, difference.got.as_deref()),
            (Some(3), Some("search D3 1.25 0 5"))
        );
        assert!(differs(&["search D3 1.50 0 5"]).is_some());
        // What the book knows is told by its rows alone, once it is unpacked.
        let early = ["search D3-C4 1.00 0 4", "search F6 0.50 0 4", "status"];
        let late = ["book D3-C5 1.25 0 40", "search F6 0.50 0 4", "status"];
        let [early, late] = [early, late].map(|lines| said(Thoughts::Nboard, &lines));
        assert_eq!(early.difference(&late, true), None);
        let info = "info move D3 visits 70 winrate 0.500000 scoreLead 0.00";
        assert_eq!(Thoughts::Gtp.key(info).as_deref(), Some("70"));
        assert_eq!(Thoughts::None.key(info), None);
    }
}

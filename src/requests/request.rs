//! Requests for scores as objects of JSON, one a line.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::keys::{self, Id, Keys};

use crate::board::{Position, Square};
use crate::clock::{Clock, Control};
use crate::engine::strength::{self, MAX_STRENGTH, Strength};
use crate::engine::{Effort, Pace, Searcher, level};
use crate::formats::transcript;
use crate::game::Game;
use crate::score::{DISC, Score};
use crate::search::{self, Limits, Lines, Outcome, Report, Selectivity, Stop, Window};
use crate::support::time::Instant;

/// A line of the input.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    action: Option<String>,
    position: Option<String>,
    moves: Option<String>,
    start: Option<String>,
    plies: Option<Value>,
    depth: Option<u32>,
    time: Option<f64>,
    nodes: Option<u64>,
    confidence: Option<u32>,
    #[serde(default)]
    exact: bool,
    lines: Option<Value>,
    allow: Option<String>,
    avoid: Option<String>,
    window: Option<[f64; 2]>,
    #[serde(default)]
    wld: bool,
    #[serde(default)]
    book: bool,
    #[serde(default)]
    priority: i64,
    report_every: Option<f64>,
    game: Option<String>,
    strength: Option<u32>,
    elo: Option<u32>,
    seed: Option<u64>,
}

/// What a line asks for.
#[derive(Debug)]
pub enum Line {
    /// Positions to search.
    Search(Vec<Unit>),
    /// `None` cancels all.
    Cancel(Option<Vec<Id>>),
    /// Who answers.
    Version,
    /// What is searched, and how much waits.
    Status,
    /// Forget earlier searches.
    Clear,
    /// End without further answers.
    Quit,
}

/// A position to search, answered by one line or, with reports, by several.
#[derive(Clone, Debug)]
pub struct Unit {
    /// What all positions of a request have in common.
    pub common: Arc<Common>,
    /// The plies before it; `None` for a position that was given as such.
    pub ply: Option<usize>,
    /// What is searched.
    pub position: Position,
    /// Whether nobody said who is to move, so that it is Black.
    pub is_assumed: bool,
}

impl Unit {
    /// A position of a list.
    pub fn listed(id: Id, position: Position, lines: Lines, effort: Effort) -> Unit {
        let common = Arc::new(Common { id, lines, effort, ..Common::default() });
        Unit { common, ply: None, position, is_assumed: false }
    }

    /// Searches the position as the request says; `on_report` gets each iteration, and whether a report of it is due.
    pub fn search(
        &self,
        searcher: &mut Searcher<'_>,
        stop: &Stop,
        on_report: &mut dyn FnMut(&Report, bool),
    ) -> Outcome {
        let (board, common) = (self.position.board, &self.common);
        if let Some((strength, seed)) = common.as_strong {
            return searcher.choose(board, strength, seed, common.avoid, stop);
        }
        searcher.age();
        let limits = searcher.planned(board, &common.effort);
        let limits = Limits { lines: common.lines, exclude: common.avoid, ..limits };
        let (mut complete, mut last) = (Vec::new(), Instant::now());
        let mut outcome = searcher.search(board, &limits, stop, &mut |report| {
            if report.complete {
                complete.clone_from(&report.lines);
                let is_due = common.report_every.is_some_and(|every| last.elapsed() >= every);
                if is_due {
                    last = Instant::now();
                }
                on_report(report, is_due);
            }
        });
        // The lines of an iteration that was cut short cannot be compared with the rest, of another depth or confidence.
        let iteration = |line: &search::Line| (line.depth, line.selectivity);
        let lines = &mut outcome.lines;
        let cut = lines.windows(2).position(|pair| iteration(&pair[0]) != iteration(&pair[1]));
        match cut {
            Some(_) if !lines[0].is_proven() && complete.len() == lines.len() => *lines = complete,
            // Each line is the best of the moves that are left: what comes behind it is worth no more.
            Some(last) => {
                let most = lines[last].score;
                lines[last + 1..].iter_mut().for_each(|line| line.score = line.score.min(most));
            }
            None => {}
        }
        outcome
    }
}

/// What all positions of a request have in common.
#[derive(Debug, Default)]
pub struct Common {
    /// Its name in all answers.
    pub id: Id,
    /// Higher ones come first.
    pub priority: i64,
    /// Requests with the same one profit from each other.
    pub game: Option<String>,
    /// How far to search.
    pub effort: Effort,
    /// Which moves get values.
    pub lines: Lines,
    /// Squares not to play on.
    pub avoid: u64,
    /// Adds what the book knows.
    pub book: bool,
    /// The least time between two reports; `None` for none.
    pub report_every: Option<Duration>,
    /// The strength of a player who chooses one move, and the seed of its errors, instead of a search for scores.
    pub as_strong: Option<(Strength, u64)>,
}

/// Why a line is no request, and the id in it, if it could be read.
#[derive(Debug, PartialEq, Serialize)]
pub struct Refusal {
    /// `null` if it could not be read.
    pub id: Id,
    /// What is wrong.
    pub message: String,
}

/// Reads a line; `effort` is that of requests that name none.
pub fn read(line: &[u8], effort: &Effort) -> Result<(Id, Line), Refusal> {
    let mut keys = Keys::default();
    let whole = keys.read(line);
    let given = keys.get("id").filter(|raw| raw.get() != "null");
    let id = given.and_then(Id::of).unwrap_or_default();
    let line = (|| {
        whole.map_err(|error| match error.classify() {
            Category::Data => error.to_string(),
            _ => format!("no JSON: {error}"),
        })?;
        if given.is_some() && !id.is_given() {
            return Err("id: expected a text or a number".into());
        }
        Text::of(&keys)?.line(id.clone(), keys.get("ids"), effort)
    })();
    line.map(|line| (id.clone(), line)).map_err(|message| Refusal { id, message })
}

impl Text {
    /// Fails with the key of a wrong value.
    fn of(keys: &Keys<'_>) -> Result<Text, String> {
        let mut object = Map::new();
        for (key, value) in keys.0.iter().filter(|(key, _)| !matches!(&**key, "id" | "ids")) {
            let at = |error| format!("{key}: {error}");
            let value: Value = serde_json::from_str(value.get()).map_err(at)?;
            // A wrong value fails alone, too.
            let alone = serde_json::from_value::<Text>(json!({key: value}));
            alone.map_err(|error| match error.to_string() {
                error if error.starts_with("invalid") => format!("{key}: {error}"),
                error => error,
            })?;
            object.insert(key.clone(), value);
        }
        Text::deserialize(Value::Object(object)).map_err(|error| error.to_string())
    }

    fn line(self, id: Id, ids: Option<&RawValue>, usual: &Effort) -> Result<Line, String> {
        Ok(match self.action.as_deref() {
            None => return self.search(id, usual),
            Some("cancel") => Line::Cancel(match ids {
                Some(all) if all.get() == "\"all\"" => None,
                ids => Some(
                    ids.and_then(keys::ids)
                        .ok_or("cancel: expected ids, an id, a list of them, or \"all\"")?,
                ),
            }),
            Some("version") => Line::Version,
            Some("status") => Line::Status,
            Some("clear") => Line::Clear,
            Some("quit") => Line::Quit,
            Some(other) => {
                return Err(format!(
                    "action: '{other}' is none of cancel, version, status, clear, quit"
                ));
            }
        })
    }

    fn search(self, id: Id, usual: &Effort) -> Result<Line, String> {
        let parse = |key: &str, text: &str| {
            Position::parse_any(text.as_bytes()).map_err(|error| format!("{key}: {error}"))
        };
        let game = match (&self.position, &self.moves) {
            (Some(_), None) if self.start.is_some() => {
                return Err("start: only with moves".into());
            }
            (Some(text), None) => Game::new(parse("position", text)?),
            (None, Some(moves)) => {
                let start = self.start.as_deref().map(|text| parse("start", text)).transpose()?;
                let start = start.unwrap_or(Position::START);
                let game = transcript::game(&format!("{start} {moves}"));
                game.map_err(|error| format!("moves: {error}"))?
            }
            (Some(_), Some(_)) => {
                return Err("not both position and moves; moves begin at `start`".into());
            }
            (None, None) => return Err("expected a position or moves".into()),
        };
        let positions: Vec<Position> = game.positions().collect();
        let plies = match &self.plies {
            None => vec![positions.len() - 1],
            Some(Value::String(all)) if all == "all" => (0..positions.len()).collect(),
            Some(list) => serde_json::from_value(list.clone())
                .ok()
                .filter(|plies: &Vec<usize>| !plies.is_empty())
                .ok_or("plies: expected \"all\" or a list of numbers")?,
        };
        if let Some(ply) = plies.iter().find(|&&ply| ply >= positions.len()) {
            return Err(format!("plies: there are {} plies, not {ply}", positions.len() - 1));
        }
        let is_game = self.moves.is_some();
        let board = if is_game { &self.start } else { &self.position };
        let is_assumed = board.as_ref().is_some_and(|text| !Position::names_side(text.as_bytes()));
        let common = Arc::new(self.common(id, usual)?);
        let unit = |ply: usize| {
            let position = positions[ply];
            let legal = position.board.legal_moves();
            let is_left = legal == 0 || legal & !common.avoid != 0;
            let common = Arc::clone(&common);
            is_left
                .then_some(Unit { common, ply: is_game.then_some(ply), position, is_assumed })
                .ok_or(format!("allow, avoid: no move is left at ply {ply}"))
        };
        Ok(Line::Search(plies.into_iter().map(unit).collect::<Result<_, _>>()?))
    }

    fn common(self, id: Id, usual: &Effort) -> Result<Common, String> {
        let lines = match &self.lines {
            None => 1,
            Some(Value::String(all)) if all == "all" => 64,
            Some(n) => match n.as_u64() {
                Some(n @ 1..=64) => n as usize,
                _ => return Err("lines: expected \"all\" or a number from 1 to 64".into()),
            },
        };
        let window = match (self.window, self.wld) {
            (None, false) => None,
            (None, true) => Window::new(-DISC, DISC),
            (Some([alpha, beta]), false) => {
                Some(Window::new(bound(alpha)?, bound(beta)?).ok_or("window: it is empty")?)
            }
            (Some(_), true) => return Err("window: not with wld".into()),
        };
        let lines = match window {
            Some(_) if lines > 1 => return Err("window: not with several lines".into()),
            Some(window) => Lines::Bounded(window),
            None => Lines::Best(lines),
        };
        let seconds = |key: &str, seconds: f64| {
            let is_time = (0.0..=1e9).contains(&seconds);
            is_time.then(|| Duration::from_secs_f64(seconds)).ok_or(format!("{key}: no time"))
        };
        let avoid = squares("avoid", self.avoid.as_deref())?;
        let allow = squares("allow", self.allow.as_deref())?;
        Ok(Common {
            as_strong: self.as_strong()?,
            effort: self.effort(usual, &seconds)?,
            report_every: self.report_every.map(|n| seconds("report_every", n)).transpose()?,
            id,
            priority: self.priority,
            game: self.game,
            lines,
            avoid: avoid | if self.allow.is_some() { !allow } else { 0 },
            book: self.book,
        })
    }

    fn as_strong(&self) -> Result<Option<(Strength, u64)>, String> {
        let (lowest, highest) = strength::range_of_elo();
        let strength = match (self.strength, self.elo) {
            (None, None) if self.seed.is_some() => {
                return Err("seed: only with strength or elo".into());
            }
            (None, None) => return Ok(None),
            (Some(_), Some(_)) => return Err("elo: not with strength".into()),
            (Some(n), None) => Strength::new(n)
                .ok_or(format!("strength: expected a number from 1 to {MAX_STRENGTH}"))?,
            (None, Some(elo)) => Strength::from_elo(elo)
                .ok_or(format!("elo: expected a number from {lowest} to {highest}"))?,
        };
        let others = [
            ("depth", self.depth.is_some()),
            ("time", self.time.is_some()),
            ("nodes", self.nodes.is_some()),
            ("exact", self.exact),
            ("confidence", self.confidence.is_some()),
            ("lines", self.lines.is_some()),
            ("window", self.window.is_some()),
            ("wld", self.wld),
            ("report_every", self.report_every.is_some()),
        ];
        match others.into_iter().find(|(_, is_given)| *is_given) {
            Some((key, _)) => Err(format!("{key}: not with strength or elo")),
            None => Ok(Some((strength, self.seed.unwrap_or(0)))),
        }
    }

    fn effort(
        &self,
        usual: &Effort,
        seconds: &dyn Fn(&str, f64) -> Result<Duration, String>,
    ) -> Result<Effort, String> {
        let time = self.time.map(|n| seconds("time", n)).transpose()?;
        let confidence = match self.confidence {
            None => Selectivity::FULL,
            Some(percent @ 0..=100) => Selectivity::from_percent(percent),
            Some(_) => return Err("confidence: expected a number from 0 to 100".into()),
        };
        if self.depth.is_some_and(|depth| !(1..=60).contains(&depth)) {
            return Err("depth: expected a number from 1 to 60".into());
        }
        let limits = match (self.depth, self.exact) {
            (Some(_), true) => return Err("exact: not with depth".into()),
            (Some(depth), false) => Limits::plies(depth, confidence),
            (None, true) => Limits { exact_selectivity: confidence, ..Limits::default() },
            (None, false) if self.nodes.is_none() => {
                let timed = |time| {
                    let clock = Clock::new(Control::Move(time));
                    Pace::OWN.effort(clock, Duration::ZERO)
                };
                return Ok(time.map_or(*usual, timed));
            }
            (None, false) => level::open_limits(false, self.nodes),
        };
        let limits = Limits { nodes: self.nodes, ..limits };
        Ok(time.map_or(limits, |time| limits.within(time)).into())
    }
}

fn bound(discs: f64) -> Result<Score, String> {
    let is_score = (-64.0..=64.0).contains(&discs);
    is_score
        .then_some((discs * f64::from(DISC)).round() as Score)
        .ok_or("window: from -64 to 64".into())
}

/// Squares in a row, such as `d3 c4`.
fn squares(key: &str, text: Option<&str>) -> Result<u64, String> {
    let words = text.unwrap_or_default().split(|c: char| c.is_whitespace() || c == ',');
    words.filter(|word| !word.is_empty()).try_fold(0, |set, word| {
        let square = Square::parse(word.as_bytes());
        square.map(|square| set | square.bit()).ok_or(format!("{key}: '{word}' is no square"))
    })
}

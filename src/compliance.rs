//! The numbered protocol cases of the compliance test, run against any engine command.
//!
//! 56 cases for GTP, 34 for NBoard, 12 for the Cassio protocol, 25 for Edax's console, 10 for XBoard and 25 for requests in
//! JSON, written in the notation of `compliance/cases/README.md`; each starts a fresh engine, so that cases are independent and may
//! run in parallel. The engine receives only what a front end would send, so the command must include the arguments that select the
//! protocol. Every wait has a limit; an engine that hangs or dies fails the case. Whole dialogues in the same notation are tests of
//! our own engine.
//!
//! Nothing is printed here: results come back as values whose `Display` forms are the lines of `othellier compliance`.

mod engine;
mod nboard;
mod notation;
mod session;
mod steps;

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::protocol::Kind;
use Protocol::{Json, Play};
use engine::Engine;
pub use notation::Case;
use session::Session;

/// The case about stderr, which covers all cases before it.
const STDERR_CASE: &str = "N30";

/// Times that a case is tried in which time plays a part, before it counts as failed.
const TRIES: u32 = 3;

/// Before another try a busy machine gets this time to calm down, then twice as much.
const PAUSE: Duration = Duration::from_secs(1);

/// What an engine speaks in a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// A protocol of front ends.
    Play(Kind),
    /// Requests for scores.
    Json,
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Play(kind) => kind.fmt(f),
            Json => f.write_str("json"),
        }
    }
}

impl FromStr for Protocol {
    type Err = String;

    fn from_str(text: &str) -> Result<Protocol, String> {
        match text.parse() {
            Ok(kind) => Ok(Play(kind)),
            Err(_) if text.eq_ignore_ascii_case("json") => Ok(Json),
            Err(error) => Err(format!("{error}, or json")),
        }
    }
}

/// What was sent, received and expected; control characters are escaped, long texts shortened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Everything sent in this case, except for handshakes.
    pub sent: String,
    /// The answer, or a description of its absence.
    pub got: String,
    /// The expected answer, in words if there are many.
    pub expected: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sent '{}' got '{}' expected '{}'", self.sent, self.got, self.expected)
    }
}

/// Why a case ends early.
enum Stop {
    /// The engine gave an unexpected answer or none: it hangs or has died.
    Mismatch(Mismatch),
    /// The engine does not offer what the case requires.
    NotOffered,
    /// The case could not be run.
    Broken(anyhow::Error),
}

impl From<anyhow::Error> for Stop {
    fn from(error: anyhow::Error) -> Stop {
        Stop::Broken(error)
    }
}

/// The result of a step of a case.
type Outcome<T = ()> = Result<T, Stop>;

/// The verdict on an engine in a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The answers were as expected.
    Passed,
    /// An answer was unexpected, or the engine hung or died.
    Failed(Mismatch),
    /// The engine does not follow a house rule, but keeps working.
    Differs(Mismatch),
    /// The engine does not list a command required by the case.
    NotOffered,
}

/// The result of one case. Displays as a line of the report: `G1 passed`, `G1 failed: sent '...' got '...' expected '...'`,
/// `G1 not offered`, `G55 differs`. A case that did not pass at once adds how it failed
/// before, as in `G16 passed; failed before: sent '...' got '...' expected '...'`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseResult {
    /// The case's number, such as `G1`.
    pub number: &'static str,
    /// The case's title.
    pub title: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// The failures of earlier tries, which a busy machine may have caused.
    pub before: Vec<Mismatch>,
}

impl fmt::Display for CaseResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.number;
        match &self.verdict {
            Verdict::Passed => {
                write!(f, "{number} passed")?;
                self.before.iter().try_for_each(|late| write!(f, "; failed before: {late}"))
            }
            Verdict::Failed(mismatch) => write!(f, "{number} failed: {mismatch}"),
            Verdict::Differs(_) => write!(f, "{number} differs"),
            Verdict::NotOffered => write!(f, "{number} not offered"),
        }
    }
}

/// The verdicts of a run, counted. Displays as the closing line, `gtp: P passed, F failed, D differ, N not offered of 56`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The protocol.
    pub protocol: Protocol,
    /// Cases passed.
    pub passed: usize,
    /// Cases failed.
    pub failed: usize,
    /// House rules not followed.
    pub differ: usize,
    /// Cases that require commands the engine lacks.
    pub not_offered: usize,
}

impl Summary {
    /// No cases yet.
    pub const fn new(protocol: Protocol) -> Summary {
        Summary { protocol, passed: 0, failed: 0, differ: 0, not_offered: 0 }
    }

    /// Counts one more verdict.
    pub fn add(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Passed => self.passed += 1,
            Verdict::Failed(_) => self.failed += 1,
            Verdict::Differs(_) => self.differ += 1,
            Verdict::NotOffered => self.not_offered += 1,
        }
    }

    /// Number of cases counted.
    pub const fn total(&self) -> usize {
        self.passed + self.failed + self.differ + self.not_offered
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { protocol, passed, failed, differ, not_offered } = self;
        let total = self.total();
        write!(
            f,
            "{protocol}: {passed} passed, {failed} failed, {differ} differ, {not_offered} not offered of {total}"
        )
    }
}

/// The cases of a protocol, in order.
pub fn cases(protocol: Protocol) -> Vec<Case> {
    notation::read(match protocol {
        Play(Kind::Gtp) => include_str!("compliance/cases/gtp.txt"),
        Play(Kind::Nboard) => include_str!("compliance/cases/nboard.txt"),
        Play(Kind::Cassio) => include_str!("compliance/cases/cassio.txt"),
        Play(Kind::Edax) => include_str!("compliance/cases/edax.txt"),
        Play(Kind::Xboard) => include_str!("compliance/cases/xboard.txt"),
        Json => include_str!("compliance/cases/json.txt"),
    })
}

/// Runs cases of a protocol against `command`, one after the other, and reports each as it ends.
pub fn run(
    command: &[String],
    protocol: Protocol,
    cases: &[Case],
    on_result: &mut dyn FnMut(&CaseResult),
) -> anyhow::Result<Summary> {
    let mut summary = Summary::new(protocol);
    let mut first_noise: Option<Mismatch> = None;
    for case in cases {
        let mut before = Vec::new();
        let mut tries = 1..if case.measures_time() { TRIES } else { 1 };
        let (mut verdict, noise) = loop {
            let begin = Instant::now();
            match (conduct(command, protocol, case, None)?, tries.next()) {
                // Whoever left an answer out for so long hangs, however busy the machine is.
                ((Verdict::Failed(mismatch) | Verdict::Differs(mismatch), _), Some(n))
                    if begin.elapsed() < session::ANSWER =>
                {
                    before.push(mismatch);
                    std::thread::sleep(PAUSE * n);
                }
                (ended, _) => break ended,
            }
        };
        if case.number == STDERR_CASE && verdict == Verdict::Passed {
            // This case covers all earlier ones; run alone, it covers only its own session.
            verdict = first_noise.take().map_or(verdict, Verdict::Failed);
        }
        if first_noise.is_none() && !noise.is_empty() {
            first_noise = Some(Mismatch {
                sent: format!("case {}", case.number),
                got: engine::readable(&noise),
                expected: "no output on stderr".to_owned(),
            });
        }
        summary.add(&verdict);
        on_result(&CaseResult { number: case.number, title: case.title, verdict, before });
    }
    Ok(summary)
}

/// The cases with these numbers, in either letter case and in the order given; all of them if there is no number.
pub fn select(protocol: Protocol, numbers: &[String]) -> anyhow::Result<Vec<Case>> {
    let cases = cases(protocol);
    if numbers.is_empty() {
        return Ok(cases);
    }
    let find = |number: &String| {
        let case = cases.iter().find(|case| case.number.eq_ignore_ascii_case(number));
        case.cloned().with_context(|| format!("there is no {protocol} case '{number}'"))
    };
    numbers.iter().map(find).collect()
}

/// Holds a dialogue with an engine: the lines of a session in the notation of the cases, but every byte counts, and replies of
/// GTP are read line by line. A line `! OPTIONS` adds to the command. In the end the engine must end with its input, with status 0,
/// and say nothing further. `patience` limits every wait.
///
/// # Errors
/// Tells the first line that is not as it should be, and what came instead.
pub fn converse(
    command: &[String],
    protocol: Kind,
    dialogue: &str,
    patience: Duration,
) -> anyhow::Result<()> {
    let options = dialogue.lines().filter_map(|line| line.strip_prefix("! "));
    let options = options.flat_map(str::split_whitespace).map(str::to_owned);
    let command: Vec<String> = command.iter().cloned().chain(options).collect();
    let mut session = Session::new(Engine::start(&command)?, Play(protocol), true, Some(patience));
    let lines = dialogue.lines().chain(["^D", "end", "exit", "stderr"]);
    for (number, step) in (1..).zip(lines).filter_map(|(n, line)| Some((n, notation::step(line)?)))
    {
        match perform(&mut session, &[step]) {
            Ok(()) => {}
            Err(Stop::Mismatch(mismatch)) => bail!("{number}: {mismatch}"),
            Err(Stop::NotOffered) => bail!("{number}: not offered"),
            Err(Stop::Broken(error)) => return Err(error.context(number)),
        }
    }
    Ok(())
}

/// Runs one case; returns the verdict and the engine's output on stderr.
fn conduct(
    command: &[String],
    protocol: Protocol,
    case: &Case,
    patience: Option<Duration>,
) -> anyhow::Result<(Verdict, Vec<u8>)> {
    let mut session = Session::new(Engine::start(command)?, protocol, false, patience);
    session.names.clone_from(&case.names);
    let verdict = match perform(&mut session, &case.steps) {
        Ok(()) => Verdict::Passed,
        Err(Stop::NotOffered) => Verdict::NotOffered,
        // Only a difference if the engine still works.
        Err(Stop::Mismatch(mismatch)) if case.is_house_rule && session.probe().is_ok() => {
            Verdict::Differs(mismatch)
        }
        Err(Stop::Mismatch(mismatch)) => Verdict::Failed(mismatch),
        Err(Stop::Broken(error)) => return Err(error.context(case.number)),
    };
    Ok((verdict, session.engine.finish()))
}

/// Performs steps, one after the other; lines to send that follow each other go out together.
fn perform(session: &mut Session, steps: &[notation::Step]) -> Outcome {
    for (index, step) in steps.iter().enumerate() {
        steps::perform(session, *step)?;
        if steps.get(index + 1).is_none_or(|next| next.0 != ">") {
            session.flush();
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;

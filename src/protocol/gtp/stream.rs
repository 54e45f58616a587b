//! Analysis as a stream of lines, in the forms of Leela Zero and KataGo.
//!
//! The reply begins at once; a line follows at every interval; the next input line of any kind ends it.

use std::time::Duration;

use super::{Action, Done, Purpose, Session, Task, color_of, syntax_error, vertex};
use crate::board::{Color, Position};
use crate::engine::{Job, Think};
use crate::protocol::interrupts::Obeys;
use crate::score;
use crate::search::{Limits, Lines, Outcome, Report, Selectivity};

/// The search of a stream that nobody ends stops after this time.
const CAP: Duration = Duration::from_secs(1800);

const N_LINES: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Leela,
    Kata,
}

pub(super) struct Stream {
    dialect: Dialect,
    interval: Duration,
    /// When the next line may be sent.
    due: Duration,
    /// The newest complete report that has not been sent.
    held: Option<Report>,
}

pub(super) fn start(dialect: Dialect, arguments: &[&str], session: &Session) -> Done {
    let Some((color, interval)) = read(arguments) else { return syntax_error().into() };
    let Position { board, side } = session.game.position();
    let board = if color.is_none_or(|color| color == side) { board } else { board.passed() };
    let selectivity = Selectivity::from_percent(73);
    let lines = Lines::Best(N_LINES);
    let limits = Limits { selectivity, exact_from: 26, lines, ..Limits::default() };
    let task = Task::Engine(Job::Think(Think::new(board, limits.within(CAP))));
    let stream = Stream { dialect, interval, due: Duration::ZERO, held: None };
    Done::Started(Purpose::Stream(stream), Action::Start(task, Obeys::AnyLine))
}

/// Color and interval in hundredths of a second, in the orders that controllers use; other key-value pairs are ignored.
fn read(arguments: &[&str]) -> Option<(Option<Color>, Duration)> {
    let mut arguments = arguments.iter().copied().peekable();
    let color = arguments.peek().and_then(|word| color_of(word));
    if color.is_some() {
        arguments.next();
    }
    let mut interval = Duration::from_secs(1);
    while let Some(word) = arguments.next() {
        if let Ok(hundredths) = word.parse::<u32>() {
            interval = Duration::from_millis(u64::from(hundredths) * 10);
            continue;
        }
        let value = arguments.next()?;
        if word == "interval" {
            interval = Duration::from_millis(value.parse::<u32>().ok().map(u64::from)? * 10);
        }
    }
    Some((color, interval))
}

impl Stream {
    pub fn report(&mut self, report: &Report) -> Option<Action> {
        if report.complete {
            self.held = Some(report.clone());
        }
        if report.elapsed < self.due {
            return None;
        }
        let held = self.held.take()?;
        self.due = report.elapsed + self.interval;
        Some(self.line(&held))
    }

    pub fn last(&mut self, outcome: Outcome) -> Option<Action> {
        let is_new = self.held.is_some() || self.due.is_zero();
        let report = Report::from(outcome);
        (is_new && !report.lines.is_empty()).then(|| self.line(&report))
    }

    fn line(&self, report: &Report) -> Action {
        let infos = report.lines.iter().enumerate().map(|(order, line)| {
            let rate = score::winning_rate(line.score);
            let pv: Vec<_> = line.pv.iter().map(|&mv| vertex(Some(mv))).collect();
            let (mv, visits, pv) = (vertex(Some(line.mv)), report.nodes, pv.join(" "));
            match self.dialect {
                Dialect::Leela => {
                    let rate = (rate * 10_000.0).round() as u32;
                    format!(
                        "info move {mv} visits {visits} winrate {rate} prior 0 lcb {rate} order {order} pv {pv}"
                    )
                }
                Dialect::Kata => format!(
                    "info move {mv} visits {visits} winrate {rate:.6} scoreLead {:.2} prior 0 lcb {rate:.6} order {order} pv {pv}",
                    score::discs(line.score)
                ),
            }
        });
        Action::line(infos.collect::<Vec<_>>().join(" "))
    }
}

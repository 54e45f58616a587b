//! The adviser: a separate engine that evaluates moves for a person, or judges those of a game.

use std::time::{Duration, Instant};

use crossbeam_channel::Sender;

use super::event::{Event, Id, Reply, Role};
use super::settings::ADVISER_HASH;
use crate::analyze::{self, Analyst, Judged};
use crate::board::Board;
use crate::engine::seat::{Seat, Serve};
use crate::engine::{self, Config, Job, Think, Worker, level};
use crate::evaluation::Evaluation;
use crate::game::Game;
use crate::journal::Recorder;
use crate::players::Progress;
use crate::search::{Limits, Lines, Report, Stop};

const CAP: Duration = Duration::from_secs(10);

/// A request to the adviser.
#[derive(Debug)]
pub(super) enum Request {
    /// Evaluate all moves, or find the best one.
    Advise { board: Board, level: u32, all: bool },
    /// Judge the moves of a game.
    Analyze { game: Game, settings: analyze::Settings },
    /// Forget the last game.
    Forget,
}

pub(super) type Adviser = Seat<(Id, Request)>;

pub(super) fn start(events: Sender<Event>) -> std::io::Result<Adviser> {
    Seat::start("adviser", |_| {
        let config = Config { hash_megabytes: ADVISER_HASH, ..Config::default() };
        Server { worker: Worker::new(config, Recorder::default(), Vec::new()), events }
    })
}

fn analyze(
    game: &Game,
    settings: analyze::Settings,
    stop: &Stop,
    tell: &mut dyn FnMut(&Judged),
) -> anyhow::Result<Vec<Judged>> {
    Ok(Analyst::new(settings, Evaluation::embedded())?.analyze(game, stop, tell))
}

struct Server {
    worker: Worker,
    events: Sender<Event>,
}

impl Serve<(Id, Request)> for Server {
    fn serve(&mut self, (id, request): (Id, Request), _: Instant, stop: &Stop) {
        // Sending fails only at the end of the program, when the receiver is gone.
        let reply = |reply| drop(self.events.send(Event::Reply { role: Role::Adviser, id, reply }));
        let thinking = |report| reply(Reply::Progress(Progress::Report(report)));
        let job = match request {
            Request::Analyze { game, settings } => {
                let judged = analyze(&game, settings, stop, &mut |judged| {
                    reply(Reply::Judged(Box::new(judged.clone())));
                });
                return match judged {
                    Ok(_) if stop.is_stopped() => {}
                    Ok(_) => reply(Reply::Advised),
                    Err(error) => reply(Reply::Failed(format!("{error:#}"))),
                };
            }
            Request::Forget => Job::Forget,
            Request::Advise { board, level, all } => {
                let lines = Lines::Best(if all { 64 } else { 1 });
                let limits = Limits { lines, ..level::limits(level) };
                Job::Think(Think::new(board, limits.within(CAP)))
            }
        };
        let ended = self.worker.answer(&job, stop, &mut |event| {
            if let engine::Event::Report(report) = event {
                thinking(report);
            }
        });
        if let engine::Done::Chosen(choice) = ended.done
            && !stop.is_stopped()
        {
            thinking(Report::from(choice.outcome));
            reply(Reply::Advised);
        }
    }
}

//! Carries out the model's effects: starts players, forwards their answers, reads and writes files.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use crossbeam_channel::Sender;

use super::adviser::{self, Adviser};
use super::event::{Effect, Event, Id, Reply, Role};
use super::files;
use super::model::Model;
use super::opponent::{self, Opponent, Situation};
use crate::board::Color;
use crate::book::learner::Learner;
use crate::engine::seat::{Seat, Serve};
use crate::game::Game;
use crate::players::start::ReadyPlayer;
use crate::search::Stop;

#[derive(Debug)]
pub(super) struct App {
    pub model: Model,
    /// Running players by color, each with the [`ReadyPlayer`] it was started from.
    players: [Option<(Arc<ReadyPlayer>, Opponent)>; 2],
    adviser: Option<Adviser>,
    learner: Option<Arc<dyn Learner>>,
    /// The learner's thread, started when the first game ends.
    pupil: Option<Seat<Game>>,
    has_ended: bool,
    /// Dismissed players that may still be running.
    leaving: Vec<JoinHandle<()>>,
    events: Sender<Event>,
    is_over: bool,
}

impl App {
    /// The `learner`, if any, learns from the games of this app.
    pub fn new(model: Model, events: Sender<Event>, learner: Option<Arc<dyn Learner>>) -> App {
        App {
            model,
            players: [None, None],
            adviser: None,
            learner,
            pupil: None,
            has_ended: false,
            leaving: Vec::new(),
            events,
            is_over: false,
        }
    }

    pub fn is_over(&self) -> bool {
        self.is_over
    }

    pub fn handle(&mut self, event: Event) {
        let is_loaded = matches!(event, Event::Loaded { .. });
        let effects = self.model.handle(event, Instant::now());
        self.carry_out(effects);
        self.learn(is_loaded);
    }

    /// Gives a game that has just ended to the learner unless it was loaded; ends its study when the game goes on.
    fn learn(&mut self, is_loaded: bool) {
        let has_ended = self.model.ending.is_some();
        if std::mem::replace(&mut self.has_ended, has_ended) == has_ended {
            return;
        }
        if !has_ended {
            if let Some(pupil) = &self.pupil {
                pupil.hurry();
            }
            return;
        }
        let Some(learner) = self.learner.as_ref().filter(|_| !is_loaded) else { return };
        let started = match self.pupil.take() {
            Some(pupil) => Ok(pupil),
            None => attend(Arc::clone(learner), self.events.clone()),
        };
        match started {
            Ok(pupil) => self.pupil.insert(pupil).ask(self.model.game.clone()),
            Err(error) => self.handle(Event::NotLearned(error.to_string())),
        }
    }

    pub fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Ask(color, id) => self.ask_player(color, id, opponent::Request::Choose),
                Effect::Ponder(color, id) => self.ask_player(color, id, opponent::Request::Ponder),
                Effect::Advise { id, all } => {
                    let board = self.model.game.position().board;
                    let level = self.model.settings.adviser_level;
                    self.advise(id, adviser::Request::Advise { board, level, all });
                }
                Effect::Analyze { id } => {
                    let game = self.model.game.clone();
                    let settings = self.model.settings.analysis();
                    self.advise(id, adviser::Request::Analyze { game, settings });
                }
                Effect::Stop(Role::Player(color)) => {
                    if let Some((_, player)) = &self.players[color.index()] {
                        player.hurry();
                    }
                }
                Effect::Stop(Role::Adviser) => {
                    if let Some(adviser) = &self.adviser {
                        adviser.hurry();
                    }
                }
                Effect::Forget => {
                    for (_, player) in self.players.iter().flatten() {
                        player.tell((0, opponent::Request::Forget));
                    }
                    if let Some(adviser) = &self.adviser {
                        adviser.tell((0, adviser::Request::Forget));
                    }
                }
                Effect::Name { extension } => self.handle(Event::Named(files::new_name(extension))),
                Effect::Save { path, force } => {
                    let result = files::save(&path, &self.model, force);
                    self.handle(Event::Saved { path, result });
                }
                Effect::Load(path) => {
                    let result = files::load(&path).map(Box::new);
                    self.handle(Event::Loaded { path, result });
                }
                Effect::Quit => self.is_over = true,
            }
        }
    }

    fn ask_player(&mut self, color: Color, id: Id, request: fn(Situation) -> opponent::Request) {
        let Some(ready) = self.model.settings.side(color).player() else { return };
        let current = &mut self.players[color.index()];
        if let Some((_, player)) = current.take_if(|(started, _)| started != ready) {
            self.leaving.extend(player.leave());
        }
        let player = match current {
            Some((_, player)) => player,
            none => match opponent::start(Arc::clone(ready), color, self.events.clone()) {
                Ok(player) => &mut none.insert((Arc::clone(ready), player)).1,
                Err(error) => return self.fail(Role::Player(color), id, &error),
            },
        };
        let situation = Situation {
            game: self.model.game.clone(),
            clocks: self.model.clocks.at_turn(),
            pace: self.model.settings.pace_of(color),
        };
        player.ask((id, request(situation)));
    }

    fn advise(&mut self, id: Id, request: adviser::Request) {
        let adviser = match &mut self.adviser {
            Some(adviser) => adviser,
            none => match adviser::start(self.events.clone()) {
                Ok(adviser) => none.insert(adviser),
                Err(error) => return self.fail(Role::Adviser, id, &error),
            },
        };
        adviser.ask((id, request));
    }

    fn fail(&mut self, role: Role, id: Id, error: &std::io::Error) {
        self.handle(Event::Reply { role, id, reply: Reply::Failed(error.to_string()) });
    }

    /// Dismisses players, adviser and learner, and waits for their threads to end.
    pub fn close(mut self) {
        for (_, player) in self.players.iter_mut().filter_map(Option::take) {
            self.leaving.extend(player.leave());
        }
        self.leaving.extend(self.adviser.take().and_then(Adviser::leave));
        self.leaving.extend(self.pupil.take().and_then(Seat::leave));
        for thread in self.leaving {
            if thread.join().is_err() {
                log::error!("a player's thread panicked");
            }
        }
    }
}

/// Starts a thread in which the learner adds games to its book and studies them.
fn attend(learner: Arc<dyn Learner>, events: Sender<Event>) -> std::io::Result<Seat<Game>> {
    Seat::start("learner", |_| Pupil { learner, events })
}

struct Pupil {
    learner: Arc<dyn Learner>,
    events: Sender<Event>,
}

impl Serve<Game> for Pupil {
    fn serve(&mut self, game: Game, _: Instant, stop: &Stop) {
        let learned = self.learner.take(&game).and_then(|()| self.learner.study(stop));
        if let Err(error) = learned {
            // Sending fails only at the end of the program, when the receiver is gone.
            drop(self.events.send(Event::NotLearned(error)));
        }
    }
}

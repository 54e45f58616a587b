//! Carries out the model's effects: seats players, forwards their answers, reads and writes files.

use std::thread::JoinHandle;
use std::time::Instant;

use crossbeam_channel::Sender;

use super::event::{Effect, Event, Reply, Role};
use super::files;
use super::model::Model;
use super::opponent::{Opponent, Request};
use crate::board::Color;
use crate::engine::Config;
use crate::engine::strength::Strength;
use crate::seats::spec::{PlayerKind, PlayerSpec};

/// Size of the adviser's table in MiB.
const ADVISER_HASH: usize = 32;

/// A game with its players.
#[derive(Debug)]
pub(super) struct Desk {
    pub model: Model,
    /// By color, each with its specification.
    players: [Option<(PlayerSpec, Opponent)>; 2],
    adviser: Option<Opponent>,
    /// Dismissed players that may still be running.
    leaving: Vec<JoinHandle<()>>,
    /// The channel for answers.
    events: Sender<Event>,
    is_over: bool,
}

impl Desk {
    /// A desk whose players send answers to `events`.
    pub fn new(model: Model, events: Sender<Event>) -> Desk {
        Desk {
            model,
            players: [None, None],
            adviser: None,
            leaving: Vec::new(),
            events,
            is_over: false,
        }
    }

    /// Whether the person has left.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Handles an event.
    pub fn handle(&mut self, event: Event) {
        let effects = self.model.handle(event, Instant::now());
        self.carry_out(effects);
    }

    /// Carries out effects.
    pub fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Ask(color, id) => {
                    let request = Request::Choose {
                        id,
                        game: self.model.game.clone(),
                        clocks: self.model.clocks.at_turn(),
                        pace: self.model.settings.pace_of(color),
                    };
                    self.ask_player(color, request);
                }
                Effect::Ponder(color, id) => {
                    let request = Request::Ponder {
                        id,
                        game: self.model.game.clone(),
                        clocks: self.model.clocks.at_turn(),
                        pace: self.model.settings.pace_of(color),
                    };
                    self.ask_player(color, request);
                }
                Effect::Advise { id, all } => self.advise(id, all),
                Effect::Stop(Role::Player(color)) => self.stop_player(color),
                Effect::Stop(Role::Adviser) => {
                    if let Some(adviser) = &mut self.adviser {
                        adviser.hurry();
                    }
                }
                Effect::Hurry(color) => {
                    if let Some((_, player)) = &mut self.players[color.index()] {
                        player.hurry();
                    }
                }
                Effect::Forget => {
                    for (_, player) in self.players.iter_mut().flatten() {
                        player.ask(Request::Forget);
                    }
                    if let Some(adviser) = &mut self.adviser {
                        adviser.ask(Request::Forget);
                    }
                }
                Effect::Save { path, force } => {
                    let Model { game, settings, ending, .. } = &self.model;
                    let result = files::save(&path, game, settings, *ending, force);
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

    /// Sends a request to the player of a color, seating it first if necessary.
    fn ask_player(&mut self, color: Color, request: Request) {
        let Some(spec) = self.model.settings.side(color).player() else { return };
        let seat = &mut self.players[color.index()];
        if seat.as_ref().is_none_or(|(seated, _)| seated != spec) {
            if let Some((_, player)) = seat.take() {
                self.leaving.push(player.leave());
            }
            let role = Role::Player(color);
            match Opponent::start(spec.clone(), role, self.events.clone()) {
                Ok(player) => *seat = Some((spec.clone(), player)),
                Err(error) => return self.fail(role, &request, &error),
            }
        }
        if let Some((_, player)) = seat {
            player.ask(request);
        }
    }

    /// Stops a player. A thinking process cannot be interrupted, so it is dismissed.
    fn stop_player(&mut self, color: Color) {
        let seat = &mut self.players[color.index()];
        let Some((spec, player)) = seat else { return };
        let is_thinking_process =
            matches!(spec.kind, PlayerKind::External(_)) && player.is_choosing();
        if is_thinking_process {
            if let Some((_, player)) = seat.take() {
                self.leaving.push(player.leave());
            }
        } else {
            player.hurry();
        }
    }

    fn advise(&mut self, id: u64, all: bool) {
        let request = Request::Advise {
            id,
            board: self.model.game.position().board,
            level: self.model.settings.adviser_level,
            all,
        };
        if self.adviser.is_none() {
            let config = Config { hash_megabytes: ADVISER_HASH, ..Config::default() };
            let spec = PlayerSpec {
                name: "adviser".into(),
                pace: None,
                ponders: false,
                strength: Strength::default(),
                kind: PlayerKind::Engine(config),
            };
            match Opponent::start(spec, Role::Adviser, self.events.clone()) {
                Ok(adviser) => self.adviser = Some(adviser),
                Err(error) => return self.fail(Role::Adviser, &request, &error),
            }
        }
        if let Some(adviser) = &mut self.adviser {
            adviser.ask(request);
        }
    }

    fn fail(&mut self, role: Role, request: &Request, error: &std::io::Error) {
        if let Some(id) = request.id() {
            self.handle(Event::Reply { role, id, reply: Reply::Failed(error.to_string()) });
        }
    }

    /// Dismisses everyone and waits a moment for them to leave.
    pub fn close(mut self) {
        for (_, player) in self.players.iter_mut().filter_map(Option::take) {
            self.leaving.push(player.leave());
        }
        self.leaving.extend(self.adviser.take().map(Opponent::leave));
        for thread in self.leaving {
            if thread.join().is_err() {
                log::error!("a player's thread panicked");
            }
        }
    }
}

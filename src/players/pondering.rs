//! A player that thinks on the opponent's time, in a thread of its own.

use std::thread::JoinHandle;
use std::time::Instant;

use super::{Cause, Choice, Fault, OnProgress, Player, Terms, Turn};
use crate::board::{Color, Position};
use crate::clock::Clock;
use crate::engine::STACK;
use crate::game::Game;
use crate::search::Stop;

/// A player around a player: lets it ponder from its own move until it is asked for the next one.
pub struct Pondering {
    state: State,
    color: Color,
    /// As of the last choice.
    clocks: [Clock; 2],
    stop: Stop,
}

enum State {
    Waiting(Box<dyn Player>),
    Ahead(JoinHandle<Box<dyn Player>>),
    /// The thread could not be started or has panicked.
    Gone,
}

impl Pondering {
    pub fn new(player: Box<dyn Player>) -> Pondering {
        Pondering {
            state: State::Waiting(player),
            color: Color::Black,
            clocks: [Clock::default(); 2],
            stop: Stop::new(),
        }
    }

    fn recall(&mut self) -> Result<&mut dyn Player, Fault> {
        self.stop.set();
        self.state = match std::mem::replace(&mut self.state, State::Gone) {
            State::Ahead(thread) => thread.join().map_or(State::Gone, State::Waiting),
            state => state,
        };
        match &mut self.state {
            State::Waiting(player) => Ok(&mut **player),
            _ => Err(Fault::new(Cause::Crash, "the player crashed while thinking ahead")),
        }
    }
}

impl Player for Pondering {
    fn begin(&mut self, start: Position, terms: Terms) -> Result<(), Fault> {
        self.color = terms.color;
        self.clocks = [terms.pace.clock(); 2];
        self.recall()?.begin(start, terms)
    }

    fn follow(&mut self, game: &Game) -> Result<(), Fault> {
        let was_own = game.plies().last().is_some_and(|ply| ply.before.side == self.color);
        if !was_own || game.position().side == self.color || game.is_over() {
            // The player reads the game in its turn.
            return Ok(());
        }
        self.recall()?.follow(game)?;
        let State::Waiting(mut player) = std::mem::replace(&mut self.state, State::Gone) else {
            return Ok(());
        };
        self.stop = Stop::new();
        let stop = self.stop.clone();
        let (game, clocks) = (game.clone(), self.clocks);
        let thread = std::thread::Builder::new().name("pondering".into()).stack_size(STACK);
        let thread = thread.spawn(move || {
            let turn = Turn { game: &game, clocks, deadline: Instant::now(), stop: &stop };
            player.ponder(turn, &mut |_| {});
            player
        });
        self.state =
            State::Ahead(thread.map_err(|error| Fault::new(Cause::Crash, error.to_string()))?);
        Ok(())
    }

    fn choose(&mut self, turn: Turn<'_>, report: OnProgress<'_>) -> Result<Choice, Fault> {
        let start = Instant::now();
        self.clocks = turn.clocks;
        let player = self.recall()?;
        let waited = start.elapsed();
        let choice = player.choose(turn, report)?;
        Ok(Choice { elapsed: choice.elapsed + waited, ..choice })
    }
}

impl Drop for Pondering {
    fn drop(&mut self) {
        drop(self.recall().map(|_| ()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Move;
    use crate::engine::Pace;
    use crate::game::Note;
    use crate::players::Answer;
    use crate::players::spec::{PlayerSpec, PlayerText};
    use crate::players::start::{Logs, Patience, ReadyPlayer};
    use std::time::Duration;

    /// Longer than anything here takes on a busy machine.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// A player that ponders, in a game as Black.
    fn pondering(spec: &str) -> Pondering {
        let text = PlayerText::from(spec);
        let spec = PlayerSpec::parse(&text).unwrap();
        assert!(spec.ponders);
        let patience = Patience { start: PATIENCE, reply: PATIENCE };
        let pace = spec.pace;
        let ready = ReadyPlayer::new(spec).unwrap();
        let started = ready.start(&Logs::default(), patience, &Stop::new()).unwrap();
        let mut player = Pondering::new(started);
        player.begin(Position::START, terms(pace)).unwrap();
        player
    }

    fn terms(pace: Option<Pace>) -> Terms {
        Terms { color: Color::Black, pace: pace.unwrap_or(Pace::level(1)), seed: 1 }
    }

    fn choose(player: &mut Pondering, game: &Game) -> Result<Choice, Fault> {
        let (clocks, stop) = (player.clocks, &Stop::new());
        let deadline = Instant::now() + 2 * PATIENCE;
        player.choose(Turn { game, clocks, deadline, stop }, &mut |_| {})
    }

    /// Plays the move that a player chooses, and lets it ponder.
    fn choose_and_play(player: &mut Pondering, game: &mut Game) {
        let choice = choose(player, game).unwrap();
        assert!(game.play(choice.mv().unwrap(), Note::default()));
        player.follow(game).unwrap();
    }

    #[test]
    fn a_player_thinks_ahead_between_its_moves_and_not_longer() {
        for spec in ["classic:open=positional/3", "engine:level=3,hash=1,ponder=on"] {
            let mut player = pondering(spec);
            let mut game = Game::default();
            for _ in 0..6 {
                choose_and_play(&mut player, &mut game);
                assert!(matches!(player.state, State::Ahead(_)), "{spec}");
                std::thread::sleep(Duration::from_millis(20));
                let reply = game.position().board.moves().next().unwrap();
                assert!(game.play(Move::Place(reply), Note::default()));
                player.follow(&game).unwrap();
            }
            // While the player ponders.
            game.undo();
            player.follow(&game).unwrap();
            player.begin(Position::START, terms(None)).unwrap();
            choose_and_play(&mut player, &mut Game::default());
        }
    }

    #[test]
    fn a_player_may_be_left_while_it_ponders() {
        for spec in ["classic:open=positional/3", "engine:time=0.01,hash=1,ponder=on"] {
            let (left, has_left) = crossbeam_channel::bounded(1);
            std::thread::spawn(move || {
                let mut player = pondering(spec);
                choose_and_play(&mut player, &mut Game::default());
                drop(player);
                left.send(()).unwrap();
            });
            assert!(has_left.recv_timeout(PATIENCE).is_ok(), "{spec} is still pondering");
        }
    }

    #[test]
    fn a_crash_while_pondering_is_a_fault_of_the_next_choice() {
        struct Breaks;
        impl Player for Breaks {
            fn choose(&mut self, _: Turn<'_>, _: OnProgress<'_>) -> Result<Choice, Fault> {
                Ok(Answer::Move(Move::parse(b"f5").unwrap()).into())
            }
            fn ponder(&mut self, _: Turn<'_>, _: OnProgress<'_>) {
                panic!("a test");
            }
        }
        let mut player = Pondering::new(Box::new(Breaks));
        let mut game = Game::default();
        choose_and_play(&mut player, &mut game);
        let fault = choose(&mut player, &game).unwrap_err();
        assert_eq!(fault.cause, Cause::Crash);
    }
}

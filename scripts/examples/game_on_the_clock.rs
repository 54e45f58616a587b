//! The engine plays a game against itself, each side with two seconds for all its moves:
//! `cargo run --release --example game_on_the_clock`.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::time::Duration;

use othellier::board::Move;
use othellier::clock::{Clock, Control};
use othellier::engine::{Config, Done, Ended, Engine, Job, Pace, Think};
use othellier::game::{Game, Note};
use othellier::search::Stop;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut engine = Engine::start(Config::default())?;
    let control = Control::Game { main: Duration::from_secs(2), increment: Duration::ZERO };
    let mut clocks = [Clock::new(control); 2];
    let mut game = Game::default();
    while !game.is_over() {
        let position = game.position();
        let mv = if position.board.legal_moves() == 0 {
            Move::Pass
        } else {
            let clock = &mut clocks[position.side.index()];
            // Time kept back for the way of the answer to its reader.
            let effort = Pace::OWN.effort(*clock, Duration::ZERO);
            engine.run(Job::Think(Think::new(position.board, effort)), &Stop::new());
            let (_, Ended { done: Done::Chosen(choice), .. }) = engine.finished().recv()? else {
                continue;
            };
            clock.spend(choice.elapsed);
            choice.mv().ok_or("no move")?
        };
        game.play(mv, Note::default());
        print!("{mv} ");
    }
    println!("\nBlack's result: {:+}", game.result().unwrap_or_default());
    Ok(())
}

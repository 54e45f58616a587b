//! Searches a position for a second and prints the best move: `cargo run --release --example best_move -- f5d6c3`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use std::time::Duration;

use othellier::evaluation::Evaluation;
use othellier::formats::transcript;
use othellier::score;
use othellier::search::{Limits, Search, Stop, Threads};
use othellier::transposition::Table;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let moves = std::env::args().nth(1).unwrap_or_default();
    let game = transcript::read(moves.as_bytes())?.replay()?;

    let evaluation = Evaluation::embedded();
    let table = Table::try_new(64).ok_or("no memory for the table")?;
    let threads = Threads::new(1);
    let search = Search { evaluation, table: &table, threads: &threads };

    // A stop can also be set by another thread; here it sets itself.
    let stop = Stop::new();
    stop.set_after(Duration::from_secs(1));
    let outcome = search.run(game.position().board, &Limits::default(), &stop, &mut |report| {
        if let Some(line) = report.lines.first() {
            eprintln!("depth {:2}  {}  {:+.2}", line.depth, line.mv, score::discs(line.score));
        }
    });
    match outcome.best() {
        Some(best) => println!("{} {}", best.mv, score::text(best.score, best.is_proven())),
        None => println!("the game is over"),
    }
    Ok(())
}

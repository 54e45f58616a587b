//! Reads files of games in any format and prints each game as a list of moves:
//! `cargo run --example read_games -- games.ggf WTH_2024.wtb`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use othellier::formats::archive::{Format, Reader, decode};
use othellier::formats::transcript;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path)?;
        let format = Format::guess(&bytes).unwrap_or(Format::Transcript);
        let text = if format == Format::Wthor { bytes.into() } else { decode(&bytes, None) };
        for game in Reader::new(format, &text, [None, None])? {
            match game {
                Ok(entry) => println!("{}", transcript::write(&entry.game)),
                // It says where the game is, what is wrong, and which moves are right.
                Err(error) => eprintln!("{path}: {error}"),
            }
        }
    }
    Ok(())
}

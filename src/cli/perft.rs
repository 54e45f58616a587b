//! `othellier perft`.

use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use serde_json::json;

use super::printer::Printer;
use super::{from, number};
use crate::board::{Position, perft::perft};
use crate::game::Game;
use crate::requests::row;

#[derive(Debug, Args)]
#[command(
    after_help = "A pass takes a ply. A game that ends early counts as one leaf.\n\nExample:\n  othellier perft 9"
)]
pub(super) struct Arguments {
    /// Depth in plies, 0 to 20
    #[arg(value_name = "N", value_parser = number(0u32, 20))]
    depth: u32,
    /// Begin after these moves, such as f5d6c3, or at a position: 64 cells row by row from a1 (X or * black, O white, - or . empty) and the side to move
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true, value_parser = from)]
    from: Option<Game>,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let board = arguments.from.as_ref().map_or(Position::START, Game::position).board;
    let mut printer = Printer::new(std::io::stdout().lock(), arguments.json);
    printer.tell(format_args!(
        "{:>5} {:>16} {:>9} {:>12}",
        "depth", "leaves", "seconds", "leaves/s"
    ))?;
    let mut leaves = 1;
    for depth in 0..=arguments.depth {
        let start = Instant::now();
        leaves = perft(board, depth);
        let seconds = start.elapsed().as_secs_f64();
        let rate = leaves as f64 / seconds.max(1e-9);
        let row = json!({"depth": depth, "leaves": leaves, "time": row::time(start.elapsed()), "leaves_per_second": rate});
        printer.show(&row, format_args!("{depth:>5} {leaves:>16} {seconds:>9.3} {rate:>12.0}"))?;
    }
    printer.tell(format_args!("perft {}: {leaves}", arguments.depth))?;
    Ok(ExitCode::SUCCESS)
}

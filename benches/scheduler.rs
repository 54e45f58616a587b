//! What a search would gain by more threads than the machine has cores: `cargo bench --bench scheduler -- FILE [OPTIONS]`.
//!
//! Records the search of each position of a file by one thread, lets virtual workers go through the recordings
//! (`search::simulation`), and prints a row for each number of workers. With `--real N`, up to N threads search the same positions
//! for comparison: their nodes say something on any machine, their times only with a core for each.

#![expect(clippy::print_stdout, reason = "a measurement")]

use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;
use othellier::board::Board;
use othellier::evaluation::Evaluation;
use othellier::formats::obf::read_line;
use othellier::search::simulation::{Course, Model, Rules};
use othellier::search::{Horizon, Limits, Outcome, Selectivity, Setup, StopToken, Threads, search};
use othellier::transposition::Table;

/// Numbers of workers.
const WORKERS: [usize; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// Simulates searches with several threads.
#[derive(Parser)]
struct Arguments {
    /// A file of positions in OBF
    file: PathBuf,
    /// Search D plies instead of to the end
    #[arg(long, value_name = "D")]
    depth: Option<u32>,
    /// Confidence of the search in percent
    #[arg(long, value_name = "P", default_value_t = 100)]
    selectivity: u32,
    /// Skip the first K positions
    #[arg(long, value_name = "K", default_value_t = 0)]
    skip: usize,
    /// Search at most K positions
    #[arg(long, value_name = "K", default_value_t = usize::MAX)]
    limit: usize,
    /// Size of the transposition table in MiB
    #[arg(long, value_name = "MB", default_value_t = 256)]
    hash: usize,
    /// Search with up to N threads too
    #[arg(long, value_name = "N", default_value_t = 0)]
    real: usize,
    /// Depth from which on nodes are opened, if not as in the search
    #[arg(long, value_name = "D")]
    split_depth: Option<u32>,
    /// Nodes until workers see a change around them
    #[arg(long, value_name = "NODES")]
    notice: Option<u64>,
    /// Nodes until a message has arrived
    #[arg(long, value_name = "NODES")]
    message: Option<u64>,
    /// From cargo bench
    #[arg(long, hide = true)]
    bench: bool,
}

impl Arguments {
    fn boards(&self) -> Vec<Board> {
        let text = std::fs::read(&self.file).expect("a file of positions");
        let lines = text.split(|&byte| byte == b'\n').map(|line| read_line(line).expect("OBF"));
        let boards = lines.flatten().map(|problem| problem.position.board);
        boards.skip(self.skip).take(self.limit).collect()
    }

    fn limits(&self) -> Limits {
        let selectivity = Selectivity::from_percent(self.selectivity);
        let horizon = match self.depth {
            Some(depth) => Horizon::plies(depth, selectivity),
            None => Horizon { exact_selectivity: selectivity, ..Horizon::default() },
        };
        horizon.into()
    }

    fn rules(&self, n_workers: usize) -> Rules {
        let rules = Rules::new(n_workers);
        Rules {
            split_depth: self.split_depth.unwrap_or(rules.split_depth),
            notice: self.notice.unwrap_or(rules.notice),
            message: self.message.unwrap_or(rules.message),
            ..rules
        }
    }
}

/// Searches positions one after the other.
struct Lab {
    boards: Vec<Board>,
    limits: Limits,
    evaluation: Evaluation,
    table: Table,
}

impl Lab {
    fn search(&mut self, board: Board, threads: &Threads) -> Outcome {
        self.table.clear();
        let (evaluation, table, stop) = (&self.evaluation, &self.table, &StopToken::never());
        search(board, &self.limits, Setup { evaluation, table, threads, stop }, &mut |_| {})
    }

    fn record(&mut self) -> Vec<Model> {
        let threads = Threads::recording();
        let boards = self.boards.clone();
        let record = |board| {
            self.search(board, &threads);
            Model::new(threads.take_recording())
        };
        boards.into_iter().map(record).collect()
    }

    /// Nodes and seconds with so many threads.
    fn measure(&mut self, n_threads: usize) -> (u64, f64) {
        let threads = Threads::new(n_threads);
        let start = Instant::now();
        let boards = self.boards.clone();
        let n_nodes = boards.into_iter().map(|board| self.search(board, &threads).nodes);
        (n_nodes.sum(), start.elapsed().as_secs_f64())
    }
}

fn main() {
    let arguments = Arguments::parse();
    let mut lab = Lab {
        boards: arguments.boards(),
        limits: arguments.limits(),
        evaluation: Evaluation::embedded(),
        table: Table::try_new(arguments.hash).expect("memory for the table"),
    };
    let models = lab.record();
    let alone = total(&models, arguments.rules(1));
    println!("{} positions, {} nodes with one thread", models.len(), alone.n_nodes);
    println!("{:>7} {:>8} {:>6} {:>6}", "workers", "speed-up", "nodes", "idle");
    let mut alone_for_real = None;
    for n in WORKERS {
        let course = total(&models, arguments.rules(n));
        let whole = course.time * n as u64;
        print!(
            "{n:>7} {:>8.2} {:>6.3} {:>4.1} %",
            alone.time as f64 / course.time as f64,
            course.n_nodes as f64 / alone.n_nodes as f64,
            100.0 * (1.0 - course.n_nodes as f64 / whole as f64),
        );
        if n <= arguments.real {
            let real = lab.measure(n);
            let (n_nodes, seconds) = *alone_for_real.get_or_insert(real);
            print!(
                "   real: speed-up {:.2}, nodes {:.3}, {:.2} s",
                seconds / real.1,
                real.0 as f64 / n_nodes as f64,
                real.1
            );
        }
        println!();
    }
}

/// All positions, one after the other.
fn total(models: &[Model], rules: Rules) -> Course {
    models.iter().map(|model| model.run(rules)).fold(Course::default(), |sum, course| Course {
        time: sum.time + course.time,
        n_nodes: sum.n_nodes + course.n_nodes,
    })
}

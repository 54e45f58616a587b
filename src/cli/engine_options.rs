//! The options shared by all commands that run the engine.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::book_options::{BookOptions, LearnOptions};
use super::evaluation_options::EvaluationOptions;
use super::number;
use super::setting_options::SettingOptions;
use super::unheard::UNTIL_UNHEARD;

use crate::book::Book;
use crate::book::repertoire::Repertoire;
use crate::engine::{Config, Pace};
use crate::files;
use crate::players::desk::Substitute;
use crate::players::spec::{PlayerKind, PlayerSpec, PlayerText};
use crate::players::start::ReadyPlayer;
use crate::protocol::options::{Files, Options};
use crate::support::random::arbitrary_seed;

/// In characters.
const MAX_NAME: usize = 80;

/// Parses a name that every protocol and every game record can hold.
pub(super) fn name(text: &str) -> Result<String, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let name = words.join(" ");
    let is_plain = |c: char| !c.is_control() && !matches!(c, '[' | ']' | '\\');
    if (1..=MAX_NAME).contains(&name.chars().count()) && name.chars().all(is_plain) {
        Ok(name)
    } else {
        Err(format!("expected 1 to {MAX_NAME} characters without brackets or backslashes"))
    }
}

/// Parses a player that can replace the engine, or the engine itself, and reads its files.
fn player(text: &str) -> Result<Arc<ReadyPlayer>, String> {
    let text = PlayerText::from(text);
    let spec = PlayerSpec::parse(&text).map_err(|error| format!("{error:#}"))?;
    if matches!(spec.kind, PlayerKind::External(_)) {
        return Err("external commands are not supported here".into());
    }
    ReadyPlayer::new(spec).map(Arc::new).map_err(|error| format!("{error:#}"))
}

/// Options of the engine. Of repeated options the last one counts: match scripts append theirs to a command.
#[derive(Clone, Debug, Args)]
#[command(args_override_self = true)]
pub(super) struct EngineOptions {
    #[command(flatten)]
    effort: SettingOptions<0>,
    #[command(flatten)]
    strength: SettingOptions<1>,
    /// Player that chooses the moves: random, greedy, minimizer, minimax:rounds=N, classic:... or engine:... (see match --help)
    #[arg(long, value_name = "SPEC", value_parser = player, conflicts_with_all = ["strength", "elo"])]
    player: Option<Arc<ReadyPlayer>>,
    /// Time control, overrides the protocol's: 30+0.1, move:0.1, byo:M/P/S or unlimited; depth:N, nodes:N and level:N act like the options
    #[arg(long, value_name = "CLOCK")]
    clock: Option<Pace>,
    #[command(flatten)]
    resources: SettingOptions<2>,
    /// Seed for --randomness, --strength and --book-variety [default: different in every run]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Resign when behind by this many discs (GTP)
    #[arg(long, value_name = "DISCS", value_parser = number(0.0, 64.0))]
    resign: Option<f64>,
    /// Milliseconds per move reserved for communication delays
    #[arg(long, value_name = "MS", default_value_t = 10, value_parser = number(0u64, 10_000))]
    overhead: u64,
    #[command(flatten)]
    evaluation: EvaluationOptions,
    #[command(flatten)]
    book: BookOptions,
    #[command(flatten)]
    learn: LearnOptions,
    #[command(flatten)]
    variety: SettingOptions<3>,
    /// Always play, prefer or avoid the moves in this file (a rule a line, such as `prefer black f5d6c3d3c4`)
    #[arg(long, value_name = "FILE")]
    repertoire: Option<PathBuf>,
    /// Name shown to front ends [default: Othellier, with the level, depth, nodes, strength or player if set]
    #[arg(long, value_name = "NAME", value_parser = name)]
    name: Option<String>,
    /// Finish all searches at full strength even after the input has ended
    #[arg(long)]
    finish: bool,
    /// Refuse file access by protocol commands; use this for untrusted input
    #[arg(long)]
    sandbox: bool,
    /// Word for a pass in Edax's console [default: PA]
    #[arg(long, value_name = "WORD", value_parser = ["PA", "PS"], ignore_case = true)]
    pass: Option<String>,
    /// Speak NBoard in the words of Edax
    #[arg(long, hide = true)]
    as_edax: bool,
    /// An option of Edax's console
    #[arg(long, value_name = "NAME=VALUE", hide = true)]
    console: Vec<String>,
    /// Log to the end of this file, also the traffic (> to the engine, < from it)
    #[arg(long, value_name = "FILE")]
    pub log_file: Option<PathBuf>,
}

impl EngineOptions {
    pub const fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// Whether the engine plays from the book that it adds to, because it is given no other.
    fn plays_learned(&self) -> bool {
        let has_own = self.player.as_ref().is_some_and(|player| player.config.book.is_some());
        self.learn.path().is_some() && !self.book.is_named() && !self.book.forbids() && !has_own
    }

    /// The book to play from: the one that learns, if it exists already, or that of the book options.
    fn open_book(&self) -> anyhow::Result<Option<Arc<Book>>> {
        match self.learn.path().filter(|path| self.plays_learned() && path.exists()) {
            Some(path) => Ok(Some(Arc::new(files::book::open(path)?))),
            None => self.book.open(),
        }
    }

    fn read_repertoire(&self) -> anyhow::Result<Option<Arc<Repertoire>>> {
        let path = self.repertoire.as_deref();
        path.map(|path| files::repertoire::read(path).map(Arc::new)).transpose()
    }

    /// Lets a session learn from its games with `--learn`. A replay does not: its games are in the book already.
    pub fn enroll(&self, options: &mut Options) -> anyhow::Result<()> {
        options.plays_learned = self.plays_learned();
        // A new book takes over the embedded one: without it, the engine would play without the embedded knowledge.
        let first = options.plays_learned.then(Book::embedded);
        options.learner = self.learn.open(options.engine.evaluation.clone(), first.as_deref())?;
        if let Some(learner) = options.learner.as_ref().filter(|_| options.plays_learned) {
            options.engine.book = Some(learner.book());
        }
        Ok(())
    }

    pub fn resolve(&self) -> anyhow::Result<Options> {
        let mut engine = Config {
            evaluation: self.evaluation.source()?,
            book: self.open_book()?,
            repertoire: self.read_repertoire()?,
            ..Config::default()
        };
        self.effort.apply(&mut engine)?;
        self.strength.apply(&mut engine)?;
        self.resources.apply(&mut engine)?;
        self.variety.apply(&mut engine)?;
        let seed = self.seed.unwrap_or_else(arbitrary_seed);
        let (clock, own) = (self.clock.unwrap_or_default(), engine.pace);
        engine.pace = Pace {
            control: clock.control,
            level: clock.level.or(own.level),
            depth: clock.depth.or(own.depth),
            nodes: clock.nodes.or(own.nodes),
        };
        let mut substitute = None;
        if let Some(player) = &self.player {
            match &player.spec.kind {
                PlayerKind::Simple(spec) => {
                    substitute = Some(Substitute { spec: *spec, seed, number: 0 })
                }
                // What it does not say itself, the other options do.
                PlayerKind::Engine(spec) => {
                    let own = player.config.clone();
                    let (book, repertoire) = (own.book.clone(), own.repertoire.clone());
                    let pace = player.spec.pace.unwrap_or_default().or(engine.pace);
                    let given = Config {
                        book_variety: engine.book_variety,
                        contempt: engine.contempt,
                        randomness: engine.randomness,
                        ponders: engine.ponders,
                        ..own
                    };
                    engine = Config {
                        book: book.or(engine.book).filter(|_| !self.book.forbids()),
                        repertoire: repertoire.or(engine.repertoire),
                        pace,
                        ..spec.over(given)?
                    };
                }
                PlayerKind::External(_) => {}
            }
        }
        Ok(Options {
            name: self.name.clone(),
            player: substitute,
            seed,
            resign: self.resign,
            overhead: Duration::from_millis(self.overhead),
            finish: self.finish,
            files: if self.sandbox { Files::Closed } else { Files::Open },
            engine,
            console: self
                .console
                .iter()
                .filter_map(|text| text.split_once('='))
                .map(|(name, value)| (name.into(), value.into()))
                .chain(self.pass.iter().map(|word| ("pass".into(), word.clone())))
                .collect(),
            as_edax: self.as_edax,
            until_unheard: UNTIL_UNHEARD,
            open_book: |path| files::book::open(path).map_err(|error| format!("{error:#}")),
            ..Options::default()
        })
    }
}

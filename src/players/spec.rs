//! Player specifications: a built-in player, the engine itself, or an external command. Nothing here reads files.
//!
//! `random`, `greedy`, `minimax:rounds=2` ... are the simple players; `engine[:depth=N,...]` is this program's engine in the same
//! process; `name=A,proto=gtp,clock=C,...,cmd=REST` is a command, split into words by the rules of a POSIX shell but run without one.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::book::Book;
use crate::clock::Control;
use crate::engine::settings::{Setting, number, switch};
use crate::engine::{Config, Pace};
use crate::players::external::Kind;
use crate::players::simple::spec::{self, SimpleSpec};
use crate::support::text::nearest;

/// A player as given on the command line or in a players file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerText {
    pub spec: String,
    /// Lines sent to an external command after its start; the replies are ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub startup: Vec<String>,
    /// Keys of an engine or a command that its own keys override, such as `clock=30+0.1,ponder=on`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub each: String,
}

impl From<&str> for PlayerText {
    fn from(spec: &str) -> PlayerText {
        PlayerText { spec: spec.into(), ..PlayerText::default() }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct PlayerSpec {
    /// Unique in an event.
    pub name: String,
    /// Its own clock or search limit, instead of the event's.
    pub pace: Option<Pace>,
    pub ponders: bool,
    pub kind: PlayerKind,
}

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "tune", expect(clippy::large_enum_variant, reason = "a few in an event"))]
pub enum PlayerKind {
    Simple(SimpleSpec),
    Engine(EngineSpec),
    External(External),
}

#[derive(Clone, Debug, PartialEq)]
pub struct EngineSpec {
    /// For messages.
    pub text: String,
    /// Its settings, except those read from files.
    pub config: Config,
    pub weights: Option<PathBuf>,
    pub book: Option<PathBuf>,
    pub repertoire: Option<PathBuf>,
}

impl EngineSpec {
    fn has_book(&self) -> bool {
        self.book.is_some() || self.config.book.is_some()
    }

    /// Other settings, with those that the text names in their place; files are not read.
    pub fn over(&self, config: Config) -> anyhow::Result<Config> {
        Ok(engine_over(&self.text, "", config)?.0.config)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    /// Its protocol; `None` detects it at the start.
    pub protocol: Option<Kind>,
    pub command: Vec<String>,
    /// Working directory; `None` for the current one.
    pub directory: Option<PathBuf>,
    /// Search depth or level to set besides the clock.
    pub depth: Option<u32>,
    /// Whether clocks are sent with decimals; `None` decides by its name.
    pub fraction: Option<bool>,
    /// Lines sent after its start.
    pub startup: Vec<String>,
}

impl PlayerSpec {
    pub fn parse(player: &PlayerText) -> anyhow::Result<PlayerSpec> {
        let text = player.spec.trim();
        let parsed = if text.starts_with("name=") || text.contains("cmd=") {
            external(text, player)
        } else if text == "engine" || text.starts_with("engine:") {
            engine(text, &player.each)
        } else {
            // What is for engines and commands does not concern it, but a key that neither takes is an error.
            engine("engine", &player.each).or_else(|_| external("cmd=any", player))?;
            match spec::parse(text) {
                Ok(player) => Ok(PlayerSpec {
                    name: text.into(),
                    pace: None,
                    ponders: player.ponders(),
                    kind: PlayerKind::Simple(player),
                }),
                Err(error) => Err(error.into()),
            }
        };
        let parsed = parsed.with_context(|| format!("player '{text}'"))?;
        let is_external = matches!(parsed.kind, PlayerKind::External(_));
        ensure!(
            player.startup.is_empty() || is_external,
            "player '{text}': only commands take startup lines"
        );
        Ok(parsed)
    }

    /// Parses a specification that must be complete without options of the command line.
    pub fn parse_whole(text: &PlayerText) -> anyhow::Result<PlayerSpec> {
        let parsed = PlayerSpec::parse(text)?;
        if let PlayerKind::Engine(engine) = &parsed.kind {
            ensure!(
                engine.has_book() || engine.config.book_variety <= 0.0,
                "player '{}': book-variety requires a book, book=on or book=FILE",
                text.spec.trim()
            );
        }
        Ok(parsed)
    }
}

/// A value as one of these functions reads it; an error names the key.
fn read<T>(
    key: &str,
    value: &str,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> anyhow::Result<T> {
    read(value).map_err(|expected| anyhow!("{key}={value}: {expected}"))
}

/// A protocol that players speak.
fn protocol(text: &str) -> Option<Kind> {
    text.parse().ok().filter(|kind| Kind::OF_PLAYERS.contains(kind))
}

/// The words of a command as a shell splits them; on Windows, where backslashes belong to paths, only double quotes matter. `None`
/// if a quote is not closed.
pub(crate) fn words(command: &str) -> Option<Vec<String>> {
    if cfg!(windows) { windows_words(command) } else { shlex::split(command) }
}

/// A word as [`words`] reads it.
pub(crate) fn quoted(word: &str) -> String {
    match shlex::try_quote(word) {
        Ok(text) if cfg!(not(windows)) => text.into_owned(),
        _ if word.contains(char::is_whitespace) => format!("\"{word}\""),
        _ => word.to_owned(),
    }
}

fn windows_words(command: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), None::<String>, false);
    for symbol in command.chars() {
        match symbol {
            '"' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            _ if symbol.is_whitespace() && !is_quoted => words.extend(word.take()),
            _ => word.get_or_insert_default().push(symbol),
        }
    }
    words.extend(word);
    (!is_quoted).then_some(words)
}

/// The name of a program: its file's, on Windows without `.exe` and the like.
fn program_name(program: &str) -> String {
    let path = Path::new(program);
    let name = if cfg!(windows) { path.file_stem() } else { path.file_name() };
    name.unwrap_or_default().to_string_lossy().into_owned()
}

fn external(spec: &str, given: &PlayerText) -> anyhow::Result<PlayerSpec> {
    let (head, command) = match spec.split_once(",cmd=") {
        Some(split) => split,
        None => ("", spec.strip_prefix("cmd=").context("cmd=COMMAND is missing; it comes last")?),
    };
    let mut player = External {
        protocol: None,
        command: words(command).context("a quote in the command is not closed")?,
        directory: None,
        depth: None,
        fraction: None,
        startup: given.startup.clone(),
    };
    ensure!(!player.command.is_empty(), "the command is empty");
    let (mut name, mut pace, mut ponders) = (program_name(&player.command[0]), None, false);
    for item in given.each.split(',').chain(head.split(',')).filter(|item| !item.is_empty()) {
        let (key, value) =
            item.split_once('=').with_context(|| format!("'{item}': expected key=value"))?;
        match key {
            "name" => name = value.into(),
            "proto" => {
                player.protocol = match value {
                    "auto" => None,
                    _ => Some(protocol(value).with_context(|| {
                        format!(
                            "proto={value}: expected gtp, nboard or cassio, or auto to detect it"
                        )
                    })?),
                }
            }
            "clock" => pace = Some(value.parse().with_context(|| format!("clock={value}"))?),
            "depth" => player.depth = Some(read(key, value, |text| number(text, 1..=60))?),
            "dir" => player.directory = Some(value.into()),
            "fraction" => player.fraction = Some(read(key, value, switch)?),
            "ponder" => ponders = read(key, value, switch)?,
            "tc" | "st" => bail!("unknown key '{key}'; write clock=30+0.1, or clock=move:0.1"),
            _ => bail!(
                "unknown key '{key}'; a command takes name, proto, clock, depth, dir, fraction, ponder and, as the last one, cmd"
            ),
        }
    }
    ensure!(!name.is_empty(), "the name is empty");
    Ok(PlayerSpec { name, pace, ponders, kind: PlayerKind::External(player) })
}

fn engine(text: &str, each: &str) -> anyhow::Result<PlayerSpec> {
    let config = Config { hash_megabytes: 16, ..Config::default() };
    let (engine, name, is_paced) = engine_over(text, each, config)?;
    let Config { pace, ponders, strength, .. } = engine.config;
    ensure!(strength.is_full() || !ponders, "ponder=on requires full strength");
    let pace = is_paced.then_some(pace);
    Ok(PlayerSpec { name, pace, ponders, kind: PlayerKind::Engine(engine) })
}

/// An engine whose settings are `config` where its text names no others, its name, and whether it has a pace of its own.
fn engine_over(
    text: &str,
    each: &str,
    config: Config,
) -> anyhow::Result<(EngineSpec, String, bool)> {
    let arguments = text.strip_prefix("engine").unwrap_or_default().trim_start_matches(':');
    let mut engine =
        EngineSpec { text: text.into(), config, weights: None, book: None, repertoire: None };
    let config = &mut engine.config;
    let (mut name, mut is_paced) = (format!("engine:{arguments}"), false);
    if arguments.is_empty() {
        name = "engine".into();
    }
    for item in each.split(',').chain(arguments.split(',')).filter(|item| !item.is_empty()) {
        let (key, value) =
            item.split_once('=').with_context(|| format!("'{item}': expected key=value"))?;
        if ["clock", "time", "level", "depth", "nodes"].contains(&key) {
            // The last one counts.
            (config.pace, is_paced) = (Pace::OWN, true);
        }
        match key {
            "clock" => config.pace = value.parse().with_context(|| format!("clock={value}"))?,
            "time" => {
                let time = crate::clock::seconds(value)
                    .with_context(|| format!("time={value}: expected seconds"))?;
                config.pace = Pace::timed(Control::Move(time));
            }
            "weights" => engine.weights = Some(value.into()),
            "book" => {
                (config.book, engine.book) = match value {
                    "on" => (Some(Book::embedded()), None),
                    _ => (None, Some(value.into())),
                }
            }
            "repertoire" => engine.repertoire = Some(value.into()),
            #[cfg(feature = "tune")]
            "tune" => {
                for item in value.split('+') {
                    let form = || format!("tune={value}: expected NAME:VALUE+NAME:VALUE...");
                    let (name, value) = item.split_once(':').with_context(form)?;
                    config.parameters.set(name, value).map_err(|error| anyhow!(error))?;
                }
            }
            "name" => name = value.into(),
            "tc" | "st" => bail!("unknown key '{key}'; write clock=30+0.1, or clock=move:0.1"),
            _ => match Setting::named(key) {
                Some(setting) => read(key, value, |text| setting.set(config, text))?,
                None => {
                    let keys = "clock depth level nodes time strength elo threads hash ponder randomness weights book book-variety \
                        contempt repertoire name";
                    let hint = nearest(key, keys.split(' '));
                    bail!("unknown key '{key}'{hint}; engine takes {}", keys.replace(' ', ", "))
                }
            },
        }
    }
    Ok((engine, name, is_paced))
}

#[cfg(all(test, feature = "tune"))]
mod tuning {
    use super::*;
    use crate::board::Board;
    use crate::engine::strength::Strength;
    use crate::search::{Limits, Parameters};

    #[test]
    fn a_lower_strength_keeps_the_numbers() {
        let parameters = Parameters { lmr_min_moves: 9, ..Parameters::DEFAULT };
        let limits = Limits { parameters, ..Limits::default() };
        let strength = Strength::new(10).unwrap();
        assert_eq!(strength.limits(limits, Board::START, 1).parameters, parameters);
    }

    #[test]
    fn a_text_sets_numbers_of_the_search() {
        let parsed = engine("engine:tune=LMR_MIN_MOVES:4+probcut_early_share:0.5", "").unwrap();
        let PlayerKind::Engine(EngineSpec { config, .. }) = parsed.kind else { panic!() };
        let parameters = config.parameters;
        assert_eq!((parameters.lmr_min_moves, parameters.probcut_early_share), (4, 0.5));
        for (text, reason) in [
            ("engine:tune=lmr_min_moves", "expected NAME:VALUE"),
            ("engine:tune=lmr_min_moves:x", "lmr_min_moves: invalid digit"),
            ("engine:tune=nothing:1", "no parameter nothing; there are iir_min_depth"),
        ] {
            let error = format!("{:#}", engine(text, "").unwrap_err());
            assert!(error.contains(reason), "{error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::strength::Strength;
    use crate::players::start::ReadyPlayer;

    fn parse(spec: &str) -> anyhow::Result<PlayerSpec> {
        PlayerSpec::parse(&PlayerText::from(spec))
    }

    #[test]
    fn commands_keep_their_commas_and_quotes() {
        let player = parse(
            "name=A,proto=gtp,clock=1+0.01,depth=4,dir=/tmp,fraction=yes,cmd=x --a=1,2 \"b c\" \"\"",
        )
        .unwrap();
        assert_eq!((&*player.name, player.pace), ("A", "1+0.01".parse().ok()));
        let PlayerKind::External(external) = player.kind else { panic!() };
        assert_eq!(external.command, ["x", "--a=1,2", "b c", ""]);
        assert_eq!(
            (external.protocol, external.depth, external.fraction),
            (Some(Kind::Gtp), Some(4), Some(true))
        );
    }

    #[test]
    #[cfg(unix)]
    fn commands_are_quoted_as_in_a_shell() {
        let PlayerKind::External(external) = parse(r#"cmd=a\ b "c \"d'" 'e\f'g é"#).unwrap().kind
        else {
            panic!()
        };
        assert_eq!(external.command, ["a b", "c \"d'", r"e\fg", "é"]);
        let error = format!("{:#}", parse("name=A,cmd=x 'y").unwrap_err());
        assert!(error.contains("quote"), "{error}");
        for word in ["plain", "two words", "it's", "a\"b", ""] {
            assert_eq!(words(&quoted(word)), Some(vec![word.to_owned()]));
        }
    }

    #[test]
    fn in_commands_of_windows_only_quotes_matter() {
        for (command, expected) in [
            (r"C:\ntest\ntest.exe -d 8", Some(&[r"C:\ntest\ntest.exe", "-d", "8"][..])),
            (
                r#""C:\Program Files\e\e.exe" --o="a b"  """#,
                Some(&[r"C:\Program Files\e\e.exe", "--o=a b", ""]),
            ),
            (r"\\host\it's\e.exe\", Some(&[r"\\host\it's\e.exe\"])),
            ("  ", Some(&[])),
            (r#"a "b"#, None),
        ] {
            let words = windows_words(command);
            let words: Option<Vec<&str>> =
                words.as_ref().map(|words| words.iter().map(String::as_str).collect());
            assert_eq!(words.as_deref(), expected, "{command}");
        }
    }

    #[test]
    fn own_keys_override_those_of_each() {
        let parse = |each: &str, spec: &str| {
            PlayerSpec::parse(&PlayerText { each: each.into(), ..PlayerText::from(spec) })
        };
        for (each, spec, name, pace, ponders) in [
            ("", "engine", "engine", None, false),
            ("", "engine:depth=4,ponder=on", "engine:depth=4,ponder=on", Some("depth:4"), true),
            ("", "engine:time=0.1,name=X", "X", Some("move:0.1"), false),
            ("", "classic:open=anti/3,ponder=on", "classic:open=anti/3,ponder=on", None, true),
            ("", "classic:ponder=off", "classic:ponder=off", None, false),
            ("", "greedy:directions", "greedy:directions", None, false),
            ("", "clock=none,cmd=/usr/games/gtp-rhino -l 4", "gtp-rhino", Some("none"), false),
            ("clock=1+0.1,ponder=on", "engine:hash=8", "engine:hash=8", Some("1+0.1"), true),
            ("clock=1+0.1,ponder=on", "engine:clock=2,ponder=off,name=B", "B", Some("2"), false),
            ("clock=1+0.1,ponder=on", "cmd=x", "x", Some("1+0.1"), true),
            ("clock=1+0.1,ponder=on", "name=A,clock=none,cmd=x", "A", Some("none"), true),
            ("clock=1+0.1,ponder=on", "random", "random", None, false),
        ] {
            let player = parse(each, spec).unwrap();
            let pace = pace.map(|pace| pace.parse().unwrap());
            assert_eq!(
                (&*player.name, player.pace, player.ponders),
                (name, pace, ponders),
                "{spec}"
            );
        }
        for (each, is_known) in
            [("hash=8", true), ("proto=gtp", true), ("tc=8", false), ("x=y", false)]
        {
            assert_eq!(parse(each, "random").is_ok(), is_known, "{each}");
        }
    }

    #[test]
    fn engines_have_a_strength() {
        for (spec, expected) in [
            ("engine:depth=4", Strength::default()),
            ("engine:strength=7", Strength::new(7).unwrap()),
            ("engine:elo=1000", Strength::from_elo(1000).unwrap()),
        ] {
            let PlayerKind::Engine(engine) = parse(spec).unwrap().kind else { panic!("{spec}") };
            assert_eq!(engine.config.strength, expected);
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (spec, word) in [
            ("nobody", "nobody"),
            ("classic:middle=positional/99", "'middle=positional/99'"),
            ("engine:depth=99", "depth=99"),
            ("engine:color=red", "color"),
            ("engine:strength=61", "strength=61: expected a number from 1 to 60"),
            ("engine:elo=1", "elo=1: expected"),
            ("engine:strength=5,ponder=on", "ponder"),
            ("engine:book-variety=65", "book-variety=65"),
            ("name=A,proto=uci,cmd=x", "proto=uci"),
            ("name=A,proto=gtp", "cmd"),
            ("name=A,cmd=", "empty"),
            ("name=A,clock=soon,cmd=x", "clock=soon"),
            ("name=A,cmd=x \"y", "quote"),
        ] {
            let error = format!("{:#}", parse(spec).unwrap_err());
            assert!(error.contains(word), "{spec}: {error}");
        }
    }

    #[test]
    fn files_are_read_at_the_start_and_not_before() {
        for (spec, word) in [
            ("engine:weights=/nowhere/a.bin", "player 'engine:weights=/nowhere/a.bin': weights="),
            ("engine:name=X,book=/nowhere/a.othb", "book=/nowhere/a.othb: cannot read"),
            ("engine:repertoire=/nowhere/a.txt", "repertoire=/nowhere/a.txt: cannot read"),
        ] {
            let error = format!("{:#}", ReadyPlayer::new(parse(spec).unwrap()).unwrap_err());
            assert!(error.starts_with("player '") && error.contains(word), "{spec}: {error}");
        }
        let last_counts = parse("engine:book=/a,book=on").unwrap();
        assert!(ReadyPlayer::new(last_counts).is_ok());
    }

    #[test]
    fn a_variety_requires_a_book_unless_options_may_name_one() {
        let text = |spec: &str| PlayerText::from(spec);
        assert!(parse("engine:book-variety=2").is_ok());
        let error = PlayerSpec::parse_whole(&text("engine:book-variety=2")).unwrap_err();
        assert!(error.to_string().contains("book=on"), "{error}");
        for spec in ["engine:book-variety=2,book=on", "engine:book-variety=0", "random"] {
            assert!(PlayerSpec::parse_whole(&text(spec)).is_ok(), "{spec}");
        }
    }
}

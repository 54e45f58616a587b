//! Commands that change settings from the next search on, and GoGui's dialog for them.

use super::{Action, Answer, Done, Gtp, Purpose, Session, syntax_error};
use crate::engine::level::MAX_LEVEL;
use crate::engine::strength::{self, MAX_STRENGTH, Strength};
use crate::engine::{Job, Pace};
use crate::players::simple::spec;
use crate::protocol::guest::Guest;
use crate::protocol::interrupts::Obeys;
use crate::score;

/// The most threads: more would not help.
const MAX_THREADS: usize = 1024;
/// The largest table in MiB: 64 GiB.
const MAX_HASH: usize = 64 << 10;

/// The settings of GoGui's dialog, each with the command that sets it.
const DIALOG: [(&str, &str); 11] = [
    ("level", "set_level"),
    ("strength", "set_strength"),
    ("player", "set_player"),
    ("threads", "set_threads"),
    ("hash_megabytes", "set_hash"),
    ("book", "set_book"),
    ("book_variety", "set_book_variety"),
    ("randomness", "set_randomness"),
    ("resign", "set_resign"),
    ("ponder", "ponder"),
    ("live_graphics", "live_gfx"),
];

impl Gtp {
    /// Lists the settings in the form of GoGui's dialog, or changes one.
    fn dialog(&mut self, arguments: &[&str], session: &mut Session) -> Done {
        match *arguments {
            [] => {
                let rows = DIALOG.map(|(key, _)| {
                    let (kind, value) = self.shown(key, session);
                    format!("[{kind}] {key} {value}")
                });
                Ok(rows.join("\n")).into()
            }
            [key, value] => {
                let Some((_, command)) = DIALOG.iter().find(|(known, _)| *known == key) else {
                    return Err(format!("no setting '{key}'")).into();
                };
                let is_switch = self.shown(key, session).0 == "bool";
                let value = match value {
                    "1" if is_switch => "on",
                    "0" if is_switch => "off",
                    other => other,
                };
                let done = self.setting(command, &[value], session);
                done.unwrap_or_else(|| syntax_error().into())
            }
            _ => syntax_error().into(),
        }
    }

    /// The type and the value of a setting in the dialog.
    fn shown(&self, key: &str, session: &Session) -> (String, String) {
        let options = &session.options;
        let choice = |none: &str, most: u32, value: Option<u32>| {
            let items: String = (1..=most).map(|n| format!("/{n}")).collect();
            (format!("list/{none}{items}"), value.map_or_else(|| none.into(), |n| n.to_string()))
        };
        let text = |value: String| ("string".to_string(), value);
        let switch = |on: bool| ("bool".to_string(), u8::from(on).to_string());
        match key {
            "level" => choice("auto", MAX_LEVEL, options.pace.level),
            "strength" => {
                let strength = options.engine.strength;
                let value = (!strength.is_full()).then(|| strength.number());
                choice("off", MAX_STRENGTH, value)
            }
            "player" => text(options.player.as_ref().map_or_else(|| "off".into(), Guest::name)),
            "threads" => text(options.engine.n_threads.to_string()),
            "hash_megabytes" => text(options.engine.hash_megabytes.to_string()),
            "book" => switch(options.engine.book.is_some()),
            "book_variety" => text(options.engine.book_variety.to_string()),
            "randomness" => text(options.engine.randomness.to_string()),
            "resign" => text(options.resign.map_or_else(|| "off".into(), |n| n.to_string())),
            "ponder" => switch(options.ponder),
            _ => switch(self.live_gfx),
        }
    }

    /// Executes a settings command; `None` if it is not one.
    pub(super) fn setting(
        &mut self,
        name: &str,
        arguments: &[&str],
        session: &mut Session,
    ) -> Option<Done> {
        if name == "othellier-settings" {
            return Some(self.dialog(arguments, session));
        }
        if let Some(done) = book_command(name, arguments, session) {
            return Some(done);
        }
        let options = &mut session.options;
        let done = match name {
            "set_level" => {
                let level = match arguments {
                    ["auto"] => Ok(None),
                    _ => within(arguments, 1, MAX_LEVEL).map(Some),
                };
                level.map(|level| {
                    let control = options.pace.control;
                    options.pace = Pace { control, level, ..Pace::OWN };
                })
            }
            "set_strength" => match arguments {
                ["off"] => {
                    options.engine.strength = Strength::default();
                    Ok(())
                }
                _ => within(arguments, 1, MAX_STRENGTH).map(|strength| {
                    options.engine.strength = Strength::new(strength).unwrap_or_default();
                }),
            },
            "set_player" => {
                let player = match arguments {
                    ["off" | "engine"] => Ok(None),
                    [text] => {
                        let player = spec::parse(text).map(|spec| Guest::new(spec, options.seed));
                        player.map(Some).map_err(|error| error.to_string())
                    }
                    _ => syntax_error(),
                };
                player.map(|player| {
                    options.player = player;
                    // The predictions of one player are useless to another.
                    session.predictions.clear();
                    self.pondering.resume();
                })
            }
            "set_elo" => {
                let (lowest, highest) = strength::range_of_elo();
                within(arguments, lowest, highest).map(|elo| {
                    options.engine.strength = Strength::from_elo(elo).unwrap_or_default();
                })
            }
            "set_threads" => {
                return Some(self.configure(arguments, 1, MAX_THREADS, session, |config, n| {
                    config.n_threads = n;
                }));
            }
            "set_hash" => {
                return Some(self.configure(arguments, 1, MAX_HASH, session, |config, n| {
                    config.hash_megabytes = n;
                }));
            }
            "set_randomness" => {
                within(arguments, 0.0, 64.0).map(|discs| options.engine.randomness = discs)
            }
            "set_contempt" => {
                within(arguments, -64, 64).map(|discs| options.engine.contempt = discs)
            }
            "set_seed" => within(arguments, 0, u64::MAX).map(|seed| session.set_seed(seed)),
            "set_resign" => match arguments {
                ["off"] => {
                    options.resign = None;
                    Ok(())
                }
                _ => within(arguments, 0.0, 64.0).map(|discs| options.resign = Some(discs)),
            },
            "ponder" => switch(arguments).map(|on| options.ponder = on),
            "live_gfx" => switch(arguments).map(|on| self.live_gfx = on),
            "foreseen_replies" => return Some(predictions(arguments, session).into()),
            "clear_cache" => {
                session.forget();
                self.pondering.resume();
                return Some(Done::Started(
                    Purpose::Forget,
                    Action::Start(Job::Forget, Obeys::UrgentLines),
                ));
            }
            _ => return None,
        };
        Some(done.map(|()| String::new()).into())
    }

    fn configure(
        &mut self,
        arguments: &[&str],
        least: usize,
        most: usize,
        session: &mut Session,
        change: impl Fn(&mut crate::engine::Config, usize),
    ) -> Done {
        match within(arguments, least, most) {
            Ok(n) => {
                let config = &mut session.options.engine;
                change(config, n);
                Done::Also(Ok(String::new()), Action::Configure(config.clone()))
            }
            Err(error) => Err(error).into(),
        }
    }
}

/// Executes a command about the book; `None` if it is not one.
fn book_command(name: &str, arguments: &[&str], session: &mut Session) -> Option<Done> {
    let done = match (name, arguments) {
        ("book_info", []) => return Some(Ok(book_info(session)).into()),
        ("book_moves", _) => return Some(book_moves(arguments, session).into()),
        ("set_book", ["off"]) => {
            session.options.engine.book = None;
            Ok(())
        }
        ("set_book", ["on"]) if session.book.is_none() => Err("no book is open".into()),
        ("set_book", ["on"]) => {
            session.options.engine.book.clone_from(&session.book);
            Ok(())
        }
        ("set_book", [path]) => {
            session.open_book(path.as_ref()).map_err(|error| format!("cannot open book: {error}"))
        }
        ("set_book_variety", _) => {
            within(arguments, 0.0, 64.0).map(|discs| session.options.engine.book_variety = discs)
        }
        ("book_info" | "set_book", _) => syntax_error(),
        _ => return None,
    };
    let config = session.options.engine.clone();
    Some(match done {
        Ok(()) => Done::Also(Ok(String::new()), Action::Configure(config)),
        Err(error) => Err(error).into(),
    })
}

/// Whether the engine plays from a book, and how large the book is.
fn book_info(session: &Session) -> String {
    let Some(book) = &session.book else { return "none".into() };
    let state = if session.options.engine.book.is_some() { "on" } else { "off" };
    let variety = session.options.engine.book_variety;
    format!("{state}, {} positions, variety {variety}", book.len())
}

/// What the book knows of the position, the best move first.
fn book_moves(arguments: &[&str], session: &Session) -> Answer {
    let board = session.game.position().board;
    let lines = session.book.as_ref().map_or_else(Vec::new, |book| book.lines(board));
    let rows = lines.iter().map(|line| {
        [
            format!("{:#}", line.mv()),
            score::text(line.score(), line.known.value.is_proven()),
            format!("{}@{}%", line.depth, line.selectivity.percent()),
            line.known.lines.to_string(),
        ]
    });
    let none = if session.book.is_some() { "not in the book" } else { "no book is open" };
    list(arguments, ["move", "value", "depth", "lines"], rows, none)
}

/// The only argument as a number from `least` to `most`.
fn within<T>(arguments: &[&str], least: T, most: T) -> Result<T, String>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    let [argument] = arguments else { return syntax_error() };
    match argument.parse() {
        Ok(value) if value >= least && value <= most => Ok(value),
        _ => Err(format!("not from {least} to {most}")),
    }
}

fn switch(arguments: &[&str]) -> Result<bool, String> {
    match arguments {
        ["on"] => Ok(true),
        ["off"] => Ok(false),
        _ => Err("not on or off".into()),
    }
}

/// The list of an answer, with a heading and in columns if the argument `table` asks for that: for people, in GoGui's menu. `none`
/// stands for a table without rows.
fn list<const N: usize>(
    arguments: &[&str],
    heading: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
    none: &str,
) -> Answer {
    let mut rows = rows.peekable();
    match arguments {
        ["table"] if rows.peek().is_none() => Ok(none.into()),
        [] => Ok(rows.map(|row| row.join(" ")).collect::<Vec<_>>().join("\n")),
        ["table"] => {
            let rows = std::iter::once(heading.map(str::to_owned)).chain(rows);
            let line = |row: [String; N]| row.map(|cell| format!("{cell:<9}")).concat();
            Ok(rows.map(|row| line(row).trim_end().to_owned()).collect::<Vec<_>>().join("\n"))
        }
        _ => syntax_error(),
    }
}

/// The table of predictions, the opponent's best move first.
fn predictions(arguments: &[&str], session: &Session) -> Answer {
    let rows = session.predictions.iter().filter_map(|reply| {
        let line = reply.outcome.best()?;
        let value = score::text(line.score, line.is_proven());
        Some([format!("{:#}", reply.to), format!("{:#}", line.mv), line.depth.to_string(), value])
    });
    let is_on = session.options.ponder;
    let none = if is_on { "nothing foreseen yet" } else { "nothing foreseen: pondering is off" };
    list(arguments, ["move", "reply", "depth", "value"], rows, none)
}

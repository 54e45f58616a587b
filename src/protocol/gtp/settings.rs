//! Commands that change settings from the next search on, and GoGui's dialog for them.

use super::{Action, Answer, Done, Gtp, Purpose, Session, Task, commands, syntax_error};
use crate::engine::Job;
use crate::engine::settings::{Form, Setting, number, switch};
use crate::players::simple::spec;
use crate::protocol::interrupts::Obeys;
use crate::score;

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
    pub(super) fn dialog(&mut self, arguments: &[&str], session: &mut Session) -> Done {
        match *arguments {
            [] => {
                let rows = DIALOG.map(|(key, command)| {
                    let (kind, value) = self.shown(command, session);
                    format!("[{kind}] {key} {value}")
                });
                Ok(rows.join("\n")).into()
            }
            [key, value] => {
                let row = DIALOG.iter().find(|(known, _)| *known == key);
                let Some((command, run)) =
                    row.and_then(|&(_, command)| Some((command, commands::find(command)?)))
                else {
                    return Err(format!("no setting '{key}'")).into();
                };
                let is_switch = self.shown(command, session).0 == "bool";
                let value = match value {
                    "1" if is_switch => "on",
                    "0" if is_switch => "off",
                    other => other,
                };
                run(self, &[value], session)
            }
            _ => syntax_error().into(),
        }
    }

    /// The type and the value in the dialog of what a command sets.
    fn shown(&self, command: &str, session: &Session) -> (String, String) {
        let options = &session.options;
        let text = |value: String| ("string".to_string(), value);
        let on_off = |on: bool| ("bool".to_string(), u8::from(on).to_string());
        match command {
            "set_player" => {
                text(options.player.map_or_else(|| "off".into(), |player| player.spec.to_string()))
            }
            "set_book" => on_off(options.engine.book.is_some()),
            "set_resign" => text(options.resign.map_or_else(|| "off".into(), |n| n.to_string())),
            "live_gfx" => on_off(self.live_gfx),
            _ => {
                let name = command.trim_start_matches("set_").replace('_', "-");
                let Some(setting) = Setting::named(&name) else { return text(String::new()) };
                let value = setting.get(&options.engine);
                match setting.form {
                    Form::Number(_) => text(value),
                    Form::Switch => on_off(value == "on"),
                    Form::Choice(most, none) => {
                        let items: String = (1..=most).map(|n| format!("/{n}")).collect();
                        (format!("list/{none}{items}"), value)
                    }
                }
            }
        }
    }

    pub(super) fn set_player(&mut self, arguments: &[&str], session: &mut Session) -> Answer {
        session.set_player(match arguments {
            ["off" | "engine"] => None,
            [text] if text.starts_with("engine:") => {
                return Err(
                    "the engine has commands of its own, such as set_book and set_level".into()
                );
            }
            [text] => Some(spec::parse(text).map_err(|error| error.to_string())?),
            _ => return syntax_error(),
        });
        self.pondering.resume();
        Ok(String::new())
    }

    pub(super) fn set_live_gfx(&mut self, arguments: &[&str]) -> Answer {
        self.live_gfx = only(arguments, switch)?;
        Ok(String::new())
    }

    pub(super) fn clear_cache(&mut self, session: &mut Session) -> Done {
        session.forget();
        self.pondering.resume();
        Done::Started(Purpose::Forget, Action::Start(Task::Engine(Job::Forget), Obeys::UrgentLines))
    }
}

pub(super) fn set(name: &str, arguments: &[&str], session: &mut Session) -> Done {
    let config = &mut session.options.engine;
    let change = |text: &str| Setting::named(name).map_or(Ok(()), |known| known.set(config, text));
    configured(only(arguments, change), session)
}

/// The end of a command that has changed the engine's settings or failed.
fn configured(changed: Result<(), String>, session: &Session) -> Done {
    match changed {
        Ok(()) => Done::Also(Ok(String::new()), Action::Configure(session.options.engine.clone())),
        Err(error) => Err(error).into(),
    }
}

pub(super) fn set_seed(arguments: &[&str], session: &mut Session) -> Answer {
    session.set_seed(only(arguments, |text| number(text, 0..=u64::MAX))?);
    Ok(String::new())
}

pub(super) fn set_resign(arguments: &[&str], session: &mut Session) -> Answer {
    session.options.resign = match arguments {
        ["off"] => None,
        _ => Some(only(arguments, |text| number(text, 0.0..=64.0))?),
    };
    Ok(String::new())
}

pub(super) fn set_book(arguments: &[&str], session: &mut Session) -> Done {
    let changed = match arguments {
        ["off"] => {
            session.options.engine.book = None;
            Ok(())
        }
        ["on"] if session.book.is_none() => Err("no book is open".into()),
        ["on"] => {
            session.options.engine.book.clone_from(&session.book);
            Ok(())
        }
        [path] => {
            session.open_book(path.as_ref()).map_err(|error| format!("cannot open book: {error}"))
        }
        _ => syntax_error(),
    };
    configured(changed, session)
}

/// The only argument as `read` reads it.
fn only<T>(arguments: &[&str], read: impl FnOnce(&str) -> Result<T, String>) -> Result<T, String> {
    let [argument] = arguments else { return syntax_error() };
    read(argument).map_err(|error| {
        let expected = error.trim_start_matches("expected ").trim_start_matches("a number ");
        format!("not {expected}")
    })
}

pub(super) fn book_info(session: &Session) -> String {
    let Some(book) = &session.book else { return "none".into() };
    let state = if session.options.engine.book.is_some() { "on" } else { "off" };
    let variety = session.options.engine.book_variety;
    format!("{state}, {} positions, variety {variety}", book.len())
}

pub(super) fn book_moves(arguments: &[&str], session: &Session) -> Answer {
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
    list(arguments, ["move", "score", "depth", "lines"], rows, none)
}

/// The list of an answer; with the argument `table`, for people in GoGui's menu, it has a heading and columns. An empty one is `none`.
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

/// The opponent's best move first.
pub(super) fn predictions(arguments: &[&str], session: &Session) -> Answer {
    let rows = session.predictions.iter().filter_map(|reply| {
        let line = reply.outcome.best()?;
        let value = score::text(line.score, line.is_proven());
        Some([format!("{:#}", reply.to), format!("{:#}", line.mv), line.depth.to_string(), value])
    });
    let is_on = session.options.engine.ponders;
    let none = if is_on { "nothing foreseen yet" } else { "nothing foreseen: pondering is off" };
    list(arguments, ["move", "reply", "depth", "score"], rows, none)
}

//! Questions and forms, which receive the keys while open.

use std::path::PathBuf;
use std::time::Instant;

use super::Model;
use crate::play::event::{Command, DialogInput, Effect};
use crate::play::files;
use crate::play::form::{Form, Outcome};
use crate::play::language::Message;

#[derive(Clone, Debug, PartialEq)]
pub(in crate::play) enum Dialog {
    Form(Box<Form>),
    Save(Prompt),
    Load(Prompt),
    Overwrite(PathBuf),
    NewGame,
    Resign,
    /// Asks whether to load a game that was pasted.
    Pasted,
    /// Asks whether to leave this game for the one in a file.
    Leave(PathBuf),
    /// Asks whether to leave a game that goes on.
    Quit,
    Help,
    /// Offers a new game after the end.
    Over,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::play) struct Prompt {
    pub text: String,
    /// Whether the text is a suggestion, which typing replaces.
    pub is_suggested: bool,
}

impl Prompt {
    pub(super) const fn suggesting(text: String) -> Prompt {
        Prompt { text, is_suggested: true }
    }

    fn handle(&mut self, input: DialogInput) {
        let is_suggested = std::mem::take(&mut self.is_suggested);
        match input {
            DialogInput::Char(c) => {
                if is_suggested {
                    self.text.clear();
                }
                self.text.push(c);
            }
            DialogInput::Backspace => {
                self.text.pop();
            }
            DialogInput::Clear => self.text.clear(),
            _ => self.is_suggested = is_suggested,
        }
    }
}

impl Model {
    pub(super) fn dialog_input(&mut self, input: DialogInput, now: Instant) {
        let Some(dialog) = &mut self.dialog else { return };
        match dialog {
            Dialog::Form(form) => match form.handle(input) {
                Outcome::Open => {}
                Outcome::Accepted => {
                    let (settings, is_start) = (form.draft.clone(), form.is_start);
                    self.dialog = None;
                    if is_start {
                        self.settings = settings;
                        self.begin(crate::game::Game::default(), now);
                    } else {
                        self.say(Message::Accepted);
                        self.change_settings(settings, now);
                    }
                }
                Outcome::Cancelled if form.is_start => self.effects.push(Effect::Quit),
                Outcome::Cancelled => self.dialog = None,
            },
            Dialog::Save(prompt) | Dialog::Load(prompt) => match input {
                DialogInput::Enter if !prompt.text.trim().is_empty() => {
                    let path = PathBuf::from(prompt.text.trim());
                    let is_save = matches!(dialog, Dialog::Save(_));
                    self.dialog = None;
                    if is_save {
                        self.effects.push(Effect::Save { path, force: false });
                    } else if self.is_unfinished() && self.is_unsaved() {
                        self.dialog = Some(Dialog::Leave(path));
                    } else {
                        self.effects.push(Effect::Load(path));
                    }
                }
                DialogInput::Cancel => self.dialog = None,
                input => prompt.handle(input),
            },
            Dialog::Overwrite(_)
            | Dialog::NewGame
            | Dialog::Resign
            | Dialog::Pasted
            | Dialog::Leave(_)
            | Dialog::Quit => {
                let answer = match input {
                    DialogInput::Char(c) => self.settings.language.answer(c),
                    DialogInput::Cancel => Some(false),
                    _ => None,
                };
                if let Some(is_yes) = answer {
                    self.answer(is_yes, now);
                }
            }
            Dialog::Help => self.dialog = None,
            Dialog::Over => match input {
                DialogInput::Enter => self.command(Command::NewGame { sure: true }, now),
                _ => self.dialog = None,
            },
        }
    }

    fn answer(&mut self, is_yes: bool, now: Instant) {
        match self.dialog.take() {
            Some(Dialog::Overwrite(path)) if is_yes => {
                self.effects.push(Effect::Save { path, force: true });
            }
            Some(Dialog::NewGame) if is_yes => self.command(Command::NewGame { sure: true }, now),
            Some(Dialog::Resign) if is_yes => self.command(Command::Resign { sure: true }, now),
            Some(Dialog::Quit) if is_yes => self.effects.push(Effect::Quit),
            Some(Dialog::Leave(path)) if is_yes => self.effects.push(Effect::Load(path)),
            Some(Dialog::Pasted) => {
                if let Some(entry) = self.pasted.take().filter(|_| is_yes) {
                    self.message = None;
                    self.load(*entry, now);
                }
            }
            _ => {}
        }
    }

    /// A pasted text is a game to load, or what a field for a text gets. It is no keys.
    pub(super) fn paste(&mut self, text: &str, now: Instant) {
        let takes_text = match &self.dialog {
            Some(Dialog::Form(form)) => form.takes_text(),
            Some(Dialog::Save(_) | Dialog::Load(_)) => true,
            None | Some(Dialog::Over) => {
                let Some(entry) = files::pasted(text) else { return self.say(Message::NotPasted) };
                self.pasted = Some(Box::new(entry));
                self.dialog = Some(Dialog::Pasted);
                return;
            }
            Some(_) => false,
        };
        for symbol in text.trim().chars().filter(|symbol| takes_text && !symbol.is_control()) {
            self.dialog_input(DialogInput::Char(symbol), now);
        }
    }
}

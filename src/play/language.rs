//! All texts, in English and French.
//!
//! The model uses `Message`s and the front ends `Label`s, which are turned into words only here. The French texts follow the older
//! programs, which also showed `N` (noir) and `B` (blanc) for discs and `#` on legal squares.

mod help;
mod message;

use std::time::Duration;

use super::settings::HUMAN;
use crate::board::Color;
use crate::clock::{self, Control};
use crate::engine::Pace;
use crate::engine::strength::Strength;
pub(super) use help::{HelpRow, help, plain_help, player_help, review_help};
pub(super) use message::{Ending, Message, Tone, discs, moves};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    #[default]
    English,
    French,
}

impl Language {
    /// The language of a locale such as `fr_FR.UTF-8`; English for all but French locales.
    pub fn of_locale(locale: &str) -> Language {
        let name = locale.split(['_', '.', '@', '-']).next().unwrap_or_default();
        let is_french =
            ["fr", "french", "français"].iter().any(|french| name.eq_ignore_ascii_case(french));
        if is_french { Language::French } else { Language::English }
    }

    pub(super) const fn pick<T: Copy>(self, english: T, french: T) -> T {
        match self {
            Language::English => english,
            Language::French => french,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        self.pick("English", "Français")
    }

    pub(super) const fn color(self, color: Color) -> &'static str {
        match color {
            Color::Black => self.pick("Black", "Noir"),
            Color::White => self.pick("White", "Blanc"),
        }
    }

    pub(super) const fn disc(self, color: Color) -> char {
        match color {
            Color::Black => self.pick('X', 'N'),
            Color::White => self.pick('O', 'B'),
        }
    }

    /// A text with the decimal mark of the language in its numbers.
    pub(super) fn number(self, text: &str) -> String {
        match self {
            Language::English => text.into(),
            Language::French => text.replace('.', ","),
        }
    }

    /// A player's text in words, where there are some: a strength with its Elo, a time.
    pub(super) fn player(self, text: &str) -> String {
        let computer = self.pick("Computer", "Ordinateur");
        let strength = text.strip_prefix("engine:strength=").and_then(|number| number.parse().ok());
        if let Some(strength) = strength.and_then(Strength::new) {
            let about = self.pick("about", "environ");
            let elo = (strength.elo() + 5) / 10 * 10;
            return format!("{computer} {}, {about} {elo}", strength.number());
        }
        let time = text.strip_prefix("engine:").unwrap_or_default();
        let (time, ahead) = match time.strip_suffix(",ponder=on") {
            Some(time) => (time, self.pick(", thinks ahead", ", réfléchit d'avance")),
            None => (time, ""),
        };
        match time.strip_prefix("time=").and_then(clock::seconds) {
            Some(time) => {
                let (full, time) = (self.pick("full strength", "pleine force"), self.time(time));
                format!("{computer}, {full}, {time} {}{ahead}", self.pick("a move", "par coup"))
            }
            None if text == HUMAN => self.pick(HUMAN, "humain").into(),
            None => text.into(),
        }
    }

    /// A clock's text in words, where there are some.
    pub(super) fn pace(self, text: &str) -> String {
        let pace = text.trim().parse::<Pace>();
        let control = pace.ok().filter(|pace| *pace == Pace { control: pace.control, ..Pace::OWN });
        let a_move = self.pick("a move", "par coup");
        match control.and_then(|pace| pace.control) {
            Some(Control::Unlimited) => self.label(Label::NO_CLOCK).into(),
            Some(Control::Move(time)) => format!("{} {a_move}", self.time(time)),
            Some(Control::Game { main, increment: Duration::ZERO }) => self.time(main),
            Some(Control::Game { main, increment }) => {
                format!("{} + {} {a_move}", self.time(main), self.time(increment))
            }
            Some(Control::Byoyomi { .. }) | None => text.into(),
        }
    }

    fn time(self, time: Duration) -> String {
        match time.as_secs() {
            seconds if seconds > 0 && seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
            _ => self.number(&format!("{} s", time.as_secs_f64())),
        }
    }

    /// The colon after a word.
    pub(super) const fn colon(self) -> &'static str {
        self.pick(":", " :")
    }

    pub(super) const fn legal_mark(self) -> char {
        self.pick('+', '#')
    }

    pub(super) const fn label(self, label: Label) -> &'static str {
        self.pick(label.0, label.1)
    }

    /// The answer to a question: `true` for yes, `false` for no, else `None`.
    pub(super) fn answer(self, c: char) -> Option<bool> {
        match c.to_ascii_lowercase() {
            'y' => Some(true),
            'o' if self == Language::French => Some(true),
            'n' => Some(false),
            _ => None,
        }
    }
}

/// Words of the front ends, in English and French.
#[derive(Clone, Copy)]
pub(super) struct Label(&'static str, &'static str);

#[rustfmt::skip]
impl Label {
    pub const THINKING: Label = Label("thinking", "réflexion");
    pub const LAST_THOUGHT: Label = Label("last search", "dernière réflexion");
    pub const PONDERING: Label = Label("on the opponent's time", "sur le temps de l'adversaire");
    pub const DEPTH: Label = Label("depth", "prof.");
    pub const FROM_BOOK: Label = Label("from the book", "de la bibliothèque");
    pub const NODES: Label = Label("nodes", "nœuds");
    pub const VALUE: Label = Label("score", "valeur");
    pub const REPLIES: Label = Label("expected replies", "réponses attendues");
    pub const MOVES: Label = Label("moves", "coups");
    pub const MOVE: Label = Label("Your move", "Votre coup");
    pub const SAVE_TO: Label = Label("Save to", "Enregistrer sous");
    pub const LOAD_FROM: Label = Label("Load from", "Ouvrir");
    pub const FILE_HINT: Label = Label(".ggf, .sgf or a list of moves; Esc cancels", ".ggf, .sgf ou liste de coups ; Échap pour annuler");
    pub const PAGE_HINT: Label = Label(".html for the page, .ggf, .sgf or a list of moves; Esc cancels", ".html pour la page, .ggf, .sgf ou liste de coups ; Échap pour annuler");
    pub const OVERWRITE: Label = Label("exists. Overwrite it? (y/n)", "existe déjà. Le remplacer ? (o/n)");
    pub const ASK_NEW_GAME: Label = Label("Abandon this game and start a new one? (y/n)", "Quitter cette partie et en commencer une autre ? (o/n)");
    pub const ASK_QUIT: Label = Label("Leave this game? (y/n)", "Quitter cette partie ? (o/n)");
    pub const ASK_RESIGN: Label = Label("Resign? (y/n)", "Abandonner ? (o/n)");
    pub const SETTINGS: Label = Label("settings", "réglages");
    pub const NEW_GAME: Label = Label("new game", "nouvelle partie");
    pub const CLOCK: Label = Label("Clock", "Pendule");
    pub const NO_CLOCK: Label = Label("no clock", "sans pendule");
    pub const MARK_MOVES: Label = Label("Legal moves", "Coups légaux");
    pub const SHOW_VALUES: Label = Label("Move scores", "Valeurs");
    pub const ADVISER_LEVEL: Label = Label("Hint level", "Niveau conseil");
    pub const LANGUAGE: Label = Label("Language", "Langue");
    pub const START: Label = Label("Start", "Commencer");
    pub const ACCEPT: Label = Label("Continue", "Continuer");
    pub const SHOWN: Label = Label("shown", "visibles");
    pub const HIDDEN: Label = Label("hidden", "invisibles");
    pub const START_KEYS: Label = Label("arrows choose, or type; ? help, Enter plays, Esc quits", "flèches, ou taper ; ? aide, Entrée jouer, Échap quitter");
    pub const SETTINGS_KEYS: Label = Label("arrows choose, or type; ? help, Enter accepts, Esc cancels", "flèches, ou taper ; ? aide, Entrée valider, Échap annuler");
    pub const GAME_OVER: Label = Label("game over", "partie terminée");
    pub const OVER_KEYS: Label = Label("Enter new game  a mistakes  u take back  s save  Esc board  q quit", "Entrée rejouer  a fautes  u annuler  s sauver  Échap plateau  q fin");
    pub const KEYS: Label = Label("? help  u undo  r redo  i hint  v scores  m now  w swap  o settings  q quit", "? aide  u annuler  r rétablir  i conseil  v valeurs  m jouer  o réglages  q fin");
    pub const SHOW_KEYS: Label = Label("? help  Space start/pause  t one move  u undo  r redo  m now  o settings  q quit", "? aide  Espace jouer/pause  t un coup  u annuler  r rétablir  o réglages  q fin");
    pub const PUZZLE_KEYS: Label = Label("n solution, then next  < > along its line  i hint  v scores  ? help  q quit", "n solution, puis suivant  < > la suite  i conseil  v valeurs  ? aide  q fin");
    pub const PUZZLE: Label = Label("Puzzle", "Problème");
    pub const REVIEW_KEYS: Label = Label("n p errors  w worst  < > move by move  s save page  Esc back  ? help  q quit", "n p fautes  w la pire  < > coup par coup  s page  Échap retour  ? aide  q fin");
    pub const JUDGING_KEYS: Label = Label("n p errors  w worst so far  < > move by move  m or Esc stop  ? help  q quit", "n p fautes  w la pire  < > coup par coup  m ou Échap arrêter  ? aide  q fin");
    pub const ENDED_KEYS: Label = Label("? help  a mistakes  u take back  n new game  s save  o settings  q quit", "? aide  a fautes  u annuler  n nouvelle partie  s sauver  o réglages  q fin");
    pub const ANALYSIS: Label = Label("what each move lost", "ce que chaque coup a perdu");
    pub const LOST: Label = Label("lost", "perdu");
    pub const YOU: Label = Label("You play", "Vous jouez");
    pub const BOTH: Label = Label("both", "les deux");
    pub const NONE: Label = Label("none", "aucun");
    pub const YOU_PASSED: Label = Label("You had no move and passed.", "Vous ne pouviez pas jouer et avez passé.");
    pub const PASTED: Label = Label("Leave this game for the other one? (y/n)", "Quitter cette partie pour l'autre ? (o/n)");
    pub const HELP: Label = Label("help", "aide");
    pub const PAUSED: Label = Label("paused", "en pause");
    pub const TOO_SMALL: Label = Label("needs 80x24", "il faut 80x24");
    pub const TURN: Label = Label("Turn", "Tour");
    pub const NUMBER: Label = Label("Move", "Coup");
    pub const TO_MOVE: Label = Label("to move", "au trait");
    pub const DISCS: Label = Label("discs", "pions");
    pub const DISC: Label = Label("disc", "pion");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locales_choose_the_language() {
        for (locale, language) in [
            ("fr_FR.UTF-8", Language::French),
            ("fr", Language::French),
            ("fr-CA", Language::French),
            ("french", Language::French),
            ("C", Language::English),
            ("", Language::English),
            ("en_US.UTF-8", Language::English),
            ("fry_NL", Language::English),
        ] {
            assert_eq!(Language::of_locale(locale), language, "{locale}");
        }
    }
}

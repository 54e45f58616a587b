//! All texts, in English and French.
//!
//! The model uses `Message`s and the front ends `Label`s, which are turned into words only here. The French texts follow the older
//! programs, which also showed `N` (noir) and `B` (blanc) for discs and `#` on legal squares.

mod help;
mod message;

use crate::board::Color;
pub(super) use help::{HelpRow, help, plain_help};
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
            'y' | 'o' => Some(true),
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
    pub const OVERWRITE: Label = Label("exists. Overwrite it? (y/n)", "existe déjà. Le remplacer ? (o/n)");
    pub const ASK_NEW_GAME: Label = Label("Abandon this game and start a new one? (y/n)", "Quitter cette partie et en commencer une autre ? (o/n)");
    pub const ASK_QUIT: Label = Label("Leave this game? (y/n)", "Quitter cette partie ? (o/n)");
    pub const ASK_RESIGN: Label = Label("Resign? (y/n)", "Abandonner ? (o/n)");
    pub const SETTINGS: Label = Label("settings", "réglages");
    pub const NEW_GAME: Label = Label("new game", "nouvelle partie");
    pub const CLOCK: Label = Label("Clock", "Pendule");
    pub const NO_CLOCK: Label = Label("no clock", "sans pendule");
    pub const MARK_MOVES: Label = Label("Legal moves", "Coups légaux");
    pub const SHOW_VALUES: Label = Label("Scores", "Valeurs");
    pub const ADVISER_LEVEL: Label = Label("Hint level", "Niveau conseil");
    pub const LANGUAGE: Label = Label("Language", "Langue");
    pub const START: Label = Label("Start", "Commencer");
    pub const ACCEPT: Label = Label("Continue", "Continuer");
    pub const SHOWN: Label = Label("shown", "visibles");
    pub const HIDDEN: Label = Label("hidden", "invisibles");
    pub const START_KEYS: Label = Label("arrows select, type a player's name, Enter starts, Esc quits", "flèches : choisir, ou taper un nom, Entrée : jouer, Échap : quitter");
    pub const SETTINGS_KEYS: Label = Label("arrows select, type a player's name, Enter accepts, Esc cancels", "flèches : choisir, ou taper un nom, Entrée : valider, Échap : annuler");
    pub const GAME_OVER: Label = Label("game over", "partie terminée");
    pub const OVER_KEYS: Label = Label("Enter new game   u take back   s save   Esc view board   q quit", "Entrée rejouer  u annuler  s enregistrer  Échap plateau  q quitter");
    pub const KEYS: Label = Label("? help  u undo  r redo  i hint  v scores  m now  w swap  o settings  q quit", "? aide  u annuler  r rétablir  i conseil  v valeurs  m jouer  o réglages  q fin");
    pub const SHOW_KEYS: Label = Label("? help  Space start/pause  t one move  u undo  r redo  m now  o settings  q quit", "? aide  Espace jouer/pause  t un coup  u annuler  r rétablir  o réglages  q fin");
    pub const HELP: Label = Label("help", "aide");
    pub const PAUSED: Label = Label("paused", "en pause");
    pub const TOO_SMALL: Label = Label("needs 80x24", "il faut 80x24");
    pub const TURN: Label = Label("Turn", "Tour");
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

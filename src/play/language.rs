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
        match label {
            Label::Thinking => self.pick("thinking", "réflexion"),
            Label::LastThought => self.pick("last search", "dernière réflexion"),
            Label::Pondering => self.pick("on the opponent's time", "sur le temps de l'adversaire"),
            Label::Depth => self.pick("depth", "prof."),
            Label::FromBook => self.pick("from the book", "de la bibliothèque"),
            Label::Nodes => self.pick("nodes", "nœuds"),
            Label::Value => self.pick("value", "valeur"),
            Label::Replies => self.pick("expected replies", "réponses attendues"),
            Label::Moves => self.pick("moves", "coups"),
            Label::Move => self.pick("Your move", "Votre coup"),
            Label::SaveTo => self.pick("Save to", "Enregistrer sous"),
            Label::LoadFrom => self.pick("Load from", "Ouvrir"),
            Label::FileHint => self.pick(
                ".ggf, .sgf or a list of moves; Esc cancels",
                ".ggf, .sgf ou liste de coups ; Échap pour annuler",
            ),
            Label::Overwrite => {
                self.pick("exists. Overwrite it? (y/n)", "existe déjà. Le remplacer ? (o/n)")
            }
            Label::AskNewGame => self.pick(
                "Abandon this game and start a new one? (y/n)",
                "Quitter cette partie et en commencer une autre ? (o/n)",
            ),
            Label::AskQuit => self.pick("Leave this game? (y/n)", "Quitter cette partie ? (o/n)"),
            Label::AskResign => self.pick("Resign? (y/n)", "Abandonner ? (o/n)"),
            Label::Settings => self.pick("settings", "réglages"),
            Label::NewGame => self.pick("new game", "nouvelle partie"),
            Label::Clock => self.pick("Clock", "Pendule"),
            Label::NoClock => self.pick("no clock", "sans pendule"),
            Label::MarkMoves => self.pick("Legal moves", "Coups légaux"),
            Label::ShowValues => self.pick("Values", "Valeurs"),
            Label::AdviserLevel => self.pick("Hint level", "Niveau conseil"),
            Label::Language => self.pick("Language", "Langue"),
            Label::Start => self.pick("Start", "Commencer"),
            Label::Accept => self.pick("Continue", "Continuer"),
            Label::Shown => self.pick("shown", "visibles"),
            Label::Hidden => self.pick("hidden", "invisibles"),
            Label::StartKeys => self.pick(
                "arrows select, type a player's name, Enter starts, Esc quits",
                "flèches : choisir, ou taper un nom, Entrée : jouer, Échap : quitter",
            ),
            Label::SettingsKeys => self.pick(
                "arrows select, type a player's name, Enter accepts, Esc cancels",
                "flèches : choisir, ou taper un nom, Entrée : valider, Échap : annuler",
            ),
            Label::GameOver => self.pick("game over", "partie terminée"),
            Label::OverKeys => self.pick(
                "Enter new game   u take back   s save   Esc view board   q quit",
                "Entrée rejouer  u annuler  s enregistrer  Échap plateau  q quitter",
            ),
            Label::Keys => self.pick(
                "? help  u undo  r redo  i hint  v values  m now  w swap  o settings  q quit",
                "? aide  u annuler  r rétablir  i conseil  v valeurs  m jouer  o réglages  q fin",
            ),
            Label::ShowKeys => self.pick(
                "? help  Space start/pause  t one move  u undo  r redo  m now  o settings  q quit",
                "? aide  Espace jouer/pause  t un coup  u annuler  r rétablir  o réglages  q fin",
            ),
            Label::Help => self.pick("help", "aide"),
            Label::Paused => self.pick("paused", "en pause"),
            Label::TooSmall => self.pick("needs 80x24", "il faut 80x24"),
            Label::Turn => self.pick("Turn", "Tour"),
            Label::ToMove => self.pick("to move", "au trait"),
            Label::Discs => self.pick("discs", "pions"),
            Label::Disc => self.pick("disc", "pion"),
        }
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Thinking,
    LastThought,
    Pondering,
    Depth,
    FromBook,
    Nodes,
    Value,
    Replies,
    Moves,
    Move,
    SaveTo,
    LoadFrom,
    FileHint,
    Overwrite,
    AskNewGame,
    AskResign,
    AskQuit,
    Settings,
    NewGame,
    Clock,
    NoClock,
    MarkMoves,
    ShowValues,
    AdviserLevel,
    Language,
    Start,
    Accept,
    Shown,
    Hidden,
    StartKeys,
    SettingsKeys,
    GameOver,
    OverKeys,
    Keys,
    ShowKeys,
    Help,
    Paused,
    TooSmall,
    Turn,
    ToMove,
    Discs,
    Disc,
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

//! Messages of the model.

use std::path::PathBuf;
use std::time::Duration;

use super::Language;
use crate::analyze::Judged;
use crate::board::{Color, Move, Square};
use crate::play::files::is_page;
use crate::players::spec::quoted;
use crate::score;
use crate::support::text::printable_lines;

/// What people at the board are told. `TakenBack`, `PlayedAgain` and `Loaded` count plies; `Over` counts the empty squares for the winner.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::play) enum Message {
    Played {
        color: Color,
        square: Square,
        turned: u32,
        value: Option<f64>,
        time: Option<Duration>,
        is_booked: bool,
    },
    Passes(Color),
    Illegal(Square),
    Occupied(Square),
    Unknown(String),
    NotYourTurn(Color),
    GameOver,
    NothingToUndo,
    NothingToRedo,
    NoMoves,
    NoErrors {
        is_running: bool,
    },
    /// A move of a game that is walked through, by its number.
    Judged {
        number: usize,
        color: Color,
        mv: Move,
        judged: Option<Box<Judged>>,
    },
    /// A position to solve.
    Puzzle {
        number: usize,
        of: usize,
        side: Color,
    },
    /// What the answer, if there was one, was worth among the moves, the best first, and the line with the best one.
    Solution {
        answer: Option<Move>,
        scores: Vec<(Move, i32)>,
        line: Vec<Move>,
    },
    PuzzlesDone {
        n_right: usize,
        n_answered: usize,
    },
    NotPasted,
    Unjudged,
    TakenBack(usize),
    PlayedAgain(usize),
    Paused,
    GoesOn,
    PressStart,
    Swapped(Color),
    Seated(Color, String),
    NewGame,
    Hint {
        square: Square,
        value: f64,
        depth: u32,
        is_exact: bool,
        line: Vec<Move>,
    },
    Advising,
    NobodyThinks,
    CannotHurry(String),
    NobodyResigns,
    Failed(Color, String),
    PlayedIllegally(Color, Move),
    NotLearned(String),
    AdviserFailed(String),
    Over {
        ending: Ending,
        black: u32,
        white: u32,
        result: i32,
    },
    Saved(PathBuf),
    CannotSave(PathBuf, String),
    CannotSaveAs(PathBuf),
    Exists(PathBuf),
    Loaded(PathBuf, usize),
    CannotLoad(PathBuf, String),
    Accepted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::play) enum Ending {
    Played,
    Resigned(Color),
    Time(Color),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::play) enum Tone {
    Plain,
    Notice,
    Wrong,
}

impl Message {
    pub fn tone(&self) -> Tone {
        match self {
            Message::Illegal(_)
            | Message::Occupied(_)
            | Message::Unknown(_)
            | Message::NotYourTurn(_)
            | Message::GameOver
            | Message::NothingToUndo
            | Message::NothingToRedo
            | Message::NoMoves
            | Message::NotPasted
            | Message::Unjudged
            | Message::NobodyThinks
            | Message::CannotHurry(_)
            | Message::NobodyResigns
            | Message::Failed(..)
            | Message::PlayedIllegally(..)
            | Message::NotLearned(..)
            | Message::AdviserFailed(_)
            | Message::CannotSave(..)
            | Message::CannotSaveAs(_)
            | Message::Exists(_)
            | Message::CannotLoad(..) => Tone::Wrong,
            Message::Passes(_)
            | Message::Over { .. }
            | Message::PressStart
            | Message::Paused
            | Message::Judged { .. }
            | Message::Puzzle { .. }
            | Message::Solution { .. }
            | Message::PuzzlesDone { .. }
            | Message::Hint { .. } => Tone::Notice,
            _ => Tone::Plain,
        }
    }
}

/// The most moves whose values are told.
const SHOWN_MOVES: usize = 5;

/// The most moves of a line that are told.
const SHOWN_PV: usize = 8;

/// A signed value in discs, with two decimals unless it is whole.
pub(in crate::play) fn discs(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:+.0}") } else { format!("{value:+.2}") }
}

pub(in crate::play) fn moves(line: &[Move]) -> String {
    line.iter().map(Move::to_string).collect::<Vec<_>>().join(" ")
}

/// A text in the language, the English one first.
macro_rules! say {
    ($language:expr, $english:literal, $french:literal $(, $argument:expr)*) => {
        match $language {
            Language::English => format!($english $(, $argument)*),
            Language::French => format!($french $(, $argument)*),
        }
    };
}

impl Language {
    pub(in crate::play) fn say(self, message: &Message) -> String {
        // Messages hold names of files and reasons.
        printable_lines(&self.phrase(message))
    }

    #[rustfmt::skip]
    #[expect(clippy::too_many_lines, reason = "a table of phrases")]
    fn phrase(self, message: &Message) -> String {
        let name = |color: &Color| self.color(*color);
        let discs = |value: &f64| self.number(&discs(*value));
        match message {
            Message::Played { color, square, turned, value, time, is_booked } => {
                let color = name(color);
                let mut text = match turned {
                    1 => say!(self, "{color} plays {square}, flipping 1 disc", "{color} joue {square} et retourne 1 pion"),
                    n => say!(self, "{color} plays {square}, flipping {n} discs", "{color} joue {square} et retourne {n} pions"),
                };
                // French numbers have a comma, so semicolons stand between them.
                if let Some(value) = value {
                    text += &say!(self, ", score {}", " ; valeur {}", discs(value));
                }
                if let Some(time) = time {
                    let seconds = self.number(&format!("{:.1}", time.as_secs_f64()));
                    text += &say!(self, ", {seconds} s", " ; {seconds} s");
                }
                if *is_booked {
                    text += self.pick(", from the book", ", de la bibliothèque");
                }
                text
            }
            Message::Passes(color) => say!(self, "{} has no move and passes", "{} ne peut pas jouer et passe", name(color)),
            Message::Illegal(square) => say!(self, "{square} is illegal: it flips no disc",
                "{square} est interdit : aucun pion à retourner"),
            Message::Occupied(square) => say!(self, "{square} is illegal: the square is occupied",
                "{square} est interdit : la case est occupée"),
            Message::Unknown(text) => say!(self, "'{text}' is neither a square such as d3 nor a command; ? shows help",
                "'{text}' n'est ni une case comme d3 ni une commande ; ? pour l'aide"),
            Message::NotYourTurn(color) => say!(self, "it is {}'s turn", "c'est à {} de jouer", name(color)),
            Message::GameOver => say!(self, "the game is over", "la partie est terminée"),
            Message::NothingToUndo => say!(self, "nothing to undo", "rien à annuler"),
            Message::NothingToRedo => say!(self, "nothing to redo", "rien à rétablir"),
            Message::NoMoves => say!(self, "no moves yet", "aucun coup joué"),
            Message::NoErrors { is_running: true } => say!(self, "no more of your errors so far", "pas d'autre faute de vous pour l'instant"),
            Message::NoErrors { .. } => say!(self, "no more of your errors", "pas d'autre faute de vous"),
            Message::Judged { number, color, mv, judged: None } => say!(self, "move {number}: {} plays {mv}",
                "coup {number} : {} joue {mv}", name(color)),
            Message::Judged { number, color, mv, judged: Some(judged) } => {
                let (color, sign) = (name(color), judged.class().sign());
                let value = |score, is_proven| self.number(&score::text(score, is_proven));
                let Some(best) = judged.better() else {
                    let value = value(judged.score, judged.is_proven);
                    return say!(self, "move {number}: {color} plays {mv}, the best move: {value}",
                        "coup {number} : {color} joue {mv}, le meilleur coup : {value}");
                };
                let (loss, line) = (self.number(&judged.loss_text()), moves(&best.pv[..best.pv.len().min(SHOWN_PV)]));
                let (better, value) = (best.mv, value(best.score, best.is_proven()));
                say!(self, "move {number}: {color} plays {mv}{sign} and loses {loss}. {better} was worth {value}: {line}",
                    "coup {number} : {color} joue {mv}{sign} et perd {loss}. {better} valait {value} : {line}")
            }
            Message::Puzzle { number, of, side } => say!(self, "{number} of {of}: find {}'s best move",
                "{number} sur {of} : trouvez le meilleur coup de {}", name(side)),
            Message::Solution { answer, scores, line } => {
                let best = scores.first().map_or(0, |(_, score)| *score);
                let loss = scores.iter().find(|(mv, _)| Some(*mv) == *answer).map(|(_, score)| best - score);
                let judgment = match (answer, loss) {
                    (None, _) => say!(self, "here is the solution", "voici la solution"),
                    (Some(answer), Some(0)) => say!(self, "{answer} is right", "{answer} est juste"),
                    (Some(answer), Some(1)) => say!(self, "{answer} loses 1 disc", "{answer} perd 1 pion"),
                    (Some(answer), Some(loss)) => say!(self, "{answer} loses {loss} discs", "{answer} perd {loss} pions"),
                    (Some(answer), None) => say!(self, "nothing is known of {answer}", "{answer} n'est pas connu"),
                };
                let values = scores.iter().take(SHOWN_MOVES).map(|(mv, score)| format!("{mv} {score:+}"));
                let (values, line) = (values.collect::<Vec<_>>().join(", "), moves(line));
                say!(self, "{judgment}. {values}. The best line: {line}", "{judgment}. {values}. La meilleure suite : {line}")
            }
            Message::PuzzlesDone { n_right, n_answered } => say!(self, "that was the last one; right: {n_right} of {n_answered}",
                "c'était le dernier ; justes : {n_right} sur {n_answered}"),
            Message::NotPasted => say!(self, "what you pasted is no game", "le texte collé n'est pas une partie"),
            Message::Unjudged => say!(self, "a page needs the analysis of the game: analyze it first",
                "une page demande l'analyse de la partie : analysez-la d'abord"),
            Message::TakenBack(n) => say!(self, "taken back: {n}", "coups annulés : {n}"),
            Message::PlayedAgain(n) => say!(self, "played again: {n}", "coups rétablis : {n}"),
            Message::NotLearned(reason) => say!(self, "the game is not learned: {reason}",
                "la partie n'est pas apprise : {reason}"),
            Message::Paused => say!(self, "paused", "en pause"),
            Message::GoesOn => say!(self, "the game goes on", "la partie reprend"),
            Message::PressStart => say!(self, "press Space (or type start) to start, t (or step) for a single move",
                "Espace (ou commencer) pour lancer la partie, t (ou pas) pour un seul coup"),
            Message::Swapped(color) => say!(self, "sides swapped; you are {}", "couleurs échangées ; vous jouez {}", name(color)),
            Message::Seated(color, player) => say!(self, "{} is now {player}", "{} est désormais {player}", name(color)),
            Message::NewGame => say!(self, "new game", "nouvelle partie"),
            Message::Hint { square, value, depth, is_exact, line } => {
                let depth = match is_exact {
                    true => say!(self, "to the end", "jusqu'à la fin"),
                    false => say!(self, "depth {depth}", "profondeur {depth}"),
                };
                let (value, line) = (discs(value), moves(line));
                say!(self, "hint: {square}, score {value}, {depth}: {line}",
                    "conseil : {square} ; valeur {value} ; {depth} : {line}")
            }
            Message::Advising => say!(self, "searching for a move...", "recherche d'un coup..."),
            Message::NobodyThinks => say!(self, "no program is thinking", "aucun programme ne réfléchit"),
            Message::CannotHurry(player) => say!(self, "{player} cannot be hurried", "{player} ne peut pas jouer plus vite"),
            Message::NobodyResigns => say!(self, "no one here can resign", "il n'y a personne ici pour abandonner"),
            Message::Failed(color, text) => say!(self, "{} cannot continue: {text}; choose another player (o) or start again",
                "{} ne peut pas continuer : {text} ; choisissez un autre joueur (o)", name(color)),
            Message::PlayedIllegally(color, mv) => say!(self, "{} tried the illegal move {mv}; choose another player (o)",
                "{} a voulu jouer {mv}, coup interdit ; choisissez un autre joueur (o)", name(color)),
            Message::AdviserFailed(text) => say!(self, "no hint: {text}", "pas de conseil : {text}"),
            Message::Over { ending: Ending::Resigned(loser), .. } => {
                let winner = self.color(loser.opposite());
                say!(self, "{} resigns; {winner} wins", "{} abandonne ; {winner} gagne", name(loser))
            }
            Message::Over { ending: Ending::Time(loser), .. } => {
                let winner = self.color(loser.opposite());
                say!(self, "{} ran out of time; {winner} wins", "{} a dépassé son temps ; {winner} gagne", name(loser))
            }
            Message::Over { black, white, result: 0, .. } => say!(self, "draw, {black} to {white}",
                "partie nulle, {black} à {white}"),
            Message::Over { black, white, result, .. } => {
                let winner = self.color(if *result > 0 { Color::Black } else { Color::White });
                let mut text = say!(self, "{winner} wins: Black {black}, White {white}",
                    "{winner} gagne : Noir {black}, Blanc {white}");
                if black + white < 64 {
                    let with = (64 + result) / 2;
                    let rest = 64 - with;
                    text += &say!(self, " ({with} to {rest} with the empty squares)", " ({with} à {rest} avec les cases vides)");
                }
                text
            }
            Message::Saved(path) if is_page(path) => {
                say!(self, "saved to {}: open it in a browser", "enregistré dans {} : à ouvrir dans un navigateur", path.display())
            }
            Message::Saved(path) => say!(self, "saved to {}; othellier analyze {} tells what each move lost",
                "enregistré dans {} ; othellier analyze {} dit ce que chaque coup a perdu", path.display(), quoted(&path.display().to_string())),
            Message::CannotSave(path, text) => say!(self, "cannot save to {}: {text}",
                "impossible d'enregistrer {} : {text}", path.display()),
            Message::CannotSaveAs(path) => say!(self, "cannot save to {}: name it .ggf, .sgf or .txt",
                "impossible d'enregistrer {} : nommez-le .ggf, .sgf ou .txt", path.display()),
            Message::Exists(path) => say!(self, "{} already exists", "{} existe déjà", path.display()),
            Message::Loaded(path, n) => say!(self, "{} loaded, {n} moves", "{} chargé, {n} coups", path.display()),
            Message::CannotLoad(path, text) => say!(self, "cannot load {}: {text}",
                "impossible de charger {} : {text}", path.display()),
            Message::Accepted => say!(self, "settings accepted", "réglages validés"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_tell_both_counts_where_they_differ() {
        let over =
            |black, white, result| Message::Over { ending: Ending::Played, black, white, result };
        let english = |message: &Message| Language::English.say(message);
        assert_eq!(english(&over(40, 24, 16)), "Black wins: Black 40, White 24");
        assert_eq!(
            english(&over(0, 20, -64)),
            "White wins: Black 0, White 20 (0 to 64 with the empty squares)"
        );
        assert_eq!(english(&over(32, 32, 0)), "draw, 32 to 32");
        assert_eq!(
            Language::French.say(&over(30, 20, 24)),
            "Noir gagne : Noir 30, Blanc 20 (44 à 20 avec les cases vides)"
        );
    }
}

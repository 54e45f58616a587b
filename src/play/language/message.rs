//! Messages of the model.

use std::path::PathBuf;
use std::time::Duration;

use super::Language;
use crate::board::{Color, Move, Square};
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
            | Message::Hint { .. } => Tone::Notice,
            _ => Tone::Plain,
        }
    }
}

/// A signed value in discs, with two decimals unless it is whole.
pub(in crate::play) fn discs(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:+.0}") } else { format!("{value:+.2}") }
}

pub(in crate::play) fn moves(line: &[Move]) -> String {
    line.iter().map(Move::to_string).collect::<Vec<_>>().join(" ")
}

impl Language {
    pub(in crate::play) fn say(self, message: &Message) -> String {
        // Messages hold names of files and reasons.
        printable_lines(&match self {
            Language::English => english(message),
            Language::French => french(message),
        })
    }
}

fn english(message: &Message) -> String {
    let name = |color: Color| Language::English.color(color);
    match message {
        Message::Played { color, square, turned, value, time, is_booked } => {
            let discs_word = if *turned == 1 { "disc" } else { "discs" };
            let mut text =
                format!("{} plays {square}, flipping {turned} {discs_word}", name(*color));
            if let Some(value) = value {
                text += &format!(", value {}", discs(*value));
            }
            if let Some(time) = time {
                text += &format!(", {:.1} s", time.as_secs_f64());
            }
            if *is_booked {
                text += ", from the book";
            }
            text
        }
        Message::Passes(color) => format!("{} has no move and passes", name(*color)),
        Message::Illegal(square) => format!("{square} is illegal: it flips no disc"),
        Message::Occupied(square) => format!("{square} is illegal: the square is occupied"),
        Message::Unknown(text) => {
            format!("'{text}' is neither a square such as d3 nor a command; ? shows help")
        }
        Message::NotYourTurn(color) => format!("it is {}'s turn", name(*color)),
        Message::GameOver => "the game is over".into(),
        Message::NothingToUndo => "nothing to undo".into(),
        Message::NothingToRedo => "nothing to redo".into(),
        Message::TakenBack(n) => format!("taken back: {n}"),
        Message::PlayedAgain(n) => format!("played again: {n}"),
        Message::NotLearned(reason) => format!("the game is not learned: {reason}"),
        Message::Paused => "paused".into(),
        Message::GoesOn => "the game goes on".into(),
        Message::PressStart => {
            "press Space (or type start) to start, t (or step) for a single move".into()
        }
        Message::Swapped(color) => format!("sides swapped; you are {}", name(*color)),
        Message::Seated(color, player) => format!("{} is now {player}", name(*color)),
        Message::NewGame => "new game".into(),
        Message::Hint { square, value, depth, is_exact, line } => {
            let depth = if *is_exact { "to the end".into() } else { format!("depth {depth}") };
            format!("hint: {square}, value {}, {depth}: {}", discs(*value), moves(line))
        }
        Message::Advising => "searching for a move...".into(),
        Message::NobodyThinks => "no program is thinking".into(),
        Message::CannotHurry(player) => format!("{player} cannot be hurried"),
        Message::NobodyResigns => "no one here can resign".into(),
        Message::Failed(color, text) => {
            format!(
                "{} cannot continue: {text}; choose another player (o) or start again",
                name(*color)
            )
        }
        Message::PlayedIllegally(color, mv) => {
            format!("{} tried the illegal move {mv}; choose another player (o)", name(*color))
        }
        Message::AdviserFailed(text) => format!("no hint: {text}"),
        Message::Over { ending, black, white, result } => {
            let winner = match ending {
                Ending::Resigned(loser) => {
                    let winner = loser.opposite();
                    return format!("{} resigns; {} wins", name(*loser), name(winner));
                }
                Ending::Time(loser) => {
                    let winner = loser.opposite();
                    return format!("{} ran out of time; {} wins", name(*loser), name(winner));
                }
                Ending::Played if *result == 0 => return format!("draw, {black} to {white}"),
                Ending::Played if *result > 0 => Color::Black,
                Ending::Played => Color::White,
            };
            let mut text = format!("{} wins: Black {black}, White {white}", name(winner));
            if black + white < 64 {
                let with = (64 + result) / 2;
                text += &format!(" ({with} to {} with the empty squares)", 64 - with);
            }
            text
        }
        Message::Saved(path) => format!("saved to {}", path.display()),
        Message::CannotSave(path, text) => format!("cannot save to {}: {text}", path.display()),
        Message::CannotSaveAs(path) => {
            format!("cannot save to {}: name it .ggf, .sgf or .txt", path.display())
        }
        Message::Exists(path) => format!("{} already exists", path.display()),
        Message::Loaded(path, n) => format!("{} loaded, {n} moves", path.display()),
        Message::CannotLoad(path, text) => format!("cannot load {}: {text}", path.display()),
        Message::Accepted => "settings accepted".into(),
    }
}

#[expect(clippy::too_many_lines, reason = "a table of phrases")]
fn french(message: &Message) -> String {
    let name = |color: Color| Language::French.color(color);
    let discs = |value| discs(value).replace('.', ",");
    match message {
        Message::Played { color, square, turned, value, time, is_booked } => {
            let discs_word = if *turned == 1 { "pion" } else { "pions" };
            let mut text =
                format!("{} joue {square} et retourne {turned} {discs_word}", name(*color));
            // A number has a comma, so semicolons stand between them.
            if let Some(value) = value {
                text += &format!(" ; valeur {}", discs(*value));
            }
            if let Some(time) = time {
                text += &format!(" ; {:.1} s", time.as_secs_f64()).replace('.', ",");
            }
            if *is_booked {
                text += ", de la bibliothèque";
            }
            text
        }
        Message::Passes(color) => format!("{} ne peut pas jouer et passe", name(*color)),
        Message::Illegal(square) => format!("{square} est interdit : aucun pion à retourner"),
        Message::Occupied(square) => format!("{square} est interdit : la case est occupée"),
        Message::Unknown(text) => {
            format!("'{text}' n'est ni une case comme d3 ni une commande ; ? pour l'aide")
        }
        Message::NotYourTurn(color) => format!("c'est à {} de jouer", name(*color)),
        Message::GameOver => "la partie est terminée".into(),
        Message::NothingToUndo => "rien à annuler".into(),
        Message::NothingToRedo => "rien à rétablir".into(),
        Message::TakenBack(n) => format!("coups annulés : {n}"),
        Message::PlayedAgain(n) => format!("coups rétablis : {n}"),
        Message::NotLearned(reason) => format!("la partie n'est pas apprise : {reason}"),
        Message::Paused => "en pause".into(),
        Message::GoesOn => "la partie reprend".into(),
        Message::PressStart => {
            "Espace (ou commencer) pour lancer la partie, t (ou pas) pour un seul coup".into()
        }
        Message::Swapped(color) => format!("couleurs échangées ; vous jouez {}", name(*color)),
        Message::Seated(color, player) => format!("{} est désormais {player}", name(*color)),
        Message::NewGame => "nouvelle partie".into(),
        Message::Hint { square, value, depth, is_exact, line } => {
            let depth =
                if *is_exact { "jusqu'à la fin".into() } else { format!("profondeur {depth}") };
            format!("conseil : {square} ; valeur {} ; {depth} : {}", discs(*value), moves(line))
        }
        Message::Advising => "recherche d'un coup...".into(),
        Message::NobodyThinks => "aucun programme ne réfléchit".into(),
        Message::CannotHurry(player) => format!("{player} ne peut pas jouer plus vite"),
        Message::NobodyResigns => "il n'y a personne ici pour abandonner".into(),
        Message::Failed(color, text) => {
            format!(
                "{} ne peut pas continuer : {text} ; choisissez un autre joueur (o)",
                name(*color)
            )
        }
        Message::PlayedIllegally(color, mv) => {
            format!(
                "{} a voulu jouer {mv}, coup interdit ; choisissez un autre joueur (o)",
                name(*color)
            )
        }
        Message::AdviserFailed(text) => format!("pas de conseil : {text}"),
        Message::Over { ending, black, white, result } => {
            let winner = match ending {
                Ending::Resigned(loser) => {
                    let winner = loser.opposite();
                    return format!("{} abandonne ; {} gagne", name(*loser), name(winner));
                }
                Ending::Time(loser) => {
                    let winner = loser.opposite();
                    return format!(
                        "{} a dépassé son temps ; {} gagne",
                        name(*loser),
                        name(winner)
                    );
                }
                Ending::Played if *result == 0 => {
                    return format!("partie nulle, {black} à {white}");
                }
                Ending::Played if *result > 0 => Color::Black,
                Ending::Played => Color::White,
            };
            let mut text = format!("{} gagne : Noir {black}, Blanc {white}", name(winner));
            if black + white < 64 {
                let with = (64 + result) / 2;
                text += &format!(" ({with} à {} avec les cases vides)", 64 - with);
            }
            text
        }
        Message::Saved(path) => format!("enregistré dans {}", path.display()),
        Message::CannotSave(path, text) => {
            format!("impossible d'enregistrer {} : {text}", path.display())
        }
        Message::CannotSaveAs(path) => {
            format!("impossible d'enregistrer {} : nommez-le .ggf, .sgf ou .txt", path.display())
        }
        Message::Exists(path) => format!("{} existe déjà", path.display()),
        Message::Loaded(path, n) => format!("{} chargé, {n} coups", path.display()),
        Message::CannotLoad(path, text) => {
            format!("impossible de charger {} : {text}", path.display())
        }
        Message::Accepted => "réglages validés".into(),
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

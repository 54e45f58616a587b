//! What keys and words do.

use super::Language;

/// Keys or words, and what they do.
pub(in crate::play) type HelpRow = (&'static str, &'static str);

/// The keys of the full screen.
pub(in crate::play) const fn help(language: Language) -> &'static [HelpRow] {
    match language {
        Language::English => &[
            ("arrows Enter, d3, mouse", "play a square"),
            ("u  r", "take back, play again (to your turn)"),
            ("<  >  Home  End", "move by move, to the start, to the end"),
            ("i", "hint"),
            ("v", "values of all moves on the board"),
            ("m", "the program moves now"),
            ("Space or p", "start or pause (Space: two programs)"),
            ("t", "one move of a program"),
            ("w", "swap sides"),
            ("n", "new game"),
            ("k", "resign"),
            ("s  l", "save, load"),
            ("o", "settings: players, clock, display"),
            ("q or Ctrl-C", "quit"),
        ],
        Language::French => &[
            ("flèches Entrée, d3, souris", "jouer une case"),
            ("u  r", "reprendre, rejouer (à votre tour)"),
            ("<  >  Home  End", "coup par coup, au début, à la fin"),
            ("i", "conseil"),
            ("v", "valeur de tous les coups"),
            ("m", "le programme joue tout de suite"),
            ("Espace ou p", "jouer ou pause (Espace : 2 programmes)"),
            ("t", "un coup d'un programme"),
            ("w", "échanger les couleurs"),
            ("n", "nouvelle partie"),
            ("k", "abandonner"),
            ("s  l", "enregistrer, charger"),
            ("o", "réglages : joueurs, pendule, affichage"),
            ("q ou Ctrl-C", "quitter"),
        ],
    }
}

/// The words of the line mode.
pub(in crate::play) const fn plain_help(language: Language) -> &'static [HelpRow] {
    match language {
        Language::English => &[
            ("d3", "play a square"),
            ("undo [N], redo [N]", "take back or play again N of your turns"),
            ("back, forward, first, last", "move by move, to the start, to the end"),
            ("hint, values", "the best move, the values of all moves"),
            ("now", "the program moves at once"),
            ("start, pause, step", "start or pause, one move of a program"),
            ("swap, new, resign", "swap sides, new game, give up"),
            ("save FILE, load FILE", "GGF (.ggf), SGF (.sgf) or a transcript"),
            ("black NAME, white NAME", "another player, human for yourself"),
            ("clock C, level N", "30+0.1, move:5, unlimited; level of hints"),
            ("board, moves", "show the board, the moves so far"),
            ("english, french", "language"),
            ("q", "leave"),
        ],
        Language::French => &[
            ("d3", "jouer une case"),
            ("annuler [N], refaire [N]", "reprendre ou rejouer N de vos tours"),
            ("recule, avance, debut, fin", "coup par coup, au début, à la fin"),
            ("conseil, valeurs", "le meilleur coup, la valeur de tous"),
            ("joue", "le programme joue tout de suite"),
            ("start, pause, step", "commencer ou arrêter, un coup d'un programme"),
            ("echange, nouvelle, abandon", "couleurs, nouvelle partie, abandonner"),
            ("save FICHIER, load FICHIER", "GGF (.ggf), SGF (.sgf) ou liste de coups"),
            ("noir NOM, blanc NOM", "autre joueur, humain pour vous-même"),
            ("pendule C, niveau N", "30+0.1, move:5, unlimited ; niveau"),
            ("plateau, coups", "montrer le plateau, les coups joués"),
            ("english, francais", "langue"),
            ("q", "quitter"),
        ],
    }
}

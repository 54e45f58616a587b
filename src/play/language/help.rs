//! The help on keys and words.

use super::Language;

pub(in crate::play) type HelpRow = (&'static str, &'static str);

pub(in crate::play) const fn help(language: Language) -> &'static [HelpRow] {
    match language {
        Language::English => &[
            ("arrows Enter, d3, mouse", "play a square"),
            ("u  r", "undo, redo (to your turn)"),
            ("<  >  Home  End", "back, forward, to the start, to the end"),
            ("i", "hint"),
            ("v", "scores of all moves on the board"),
            ("m", "the program moves now"),
            ("Space or p", "start or pause (Space: two programs)"),
            ("t", "one move by a program"),
            ("w", "swap sides"),
            ("n", "new game"),
            ("k", "resign"),
            ("x, after the end a", "what each move lost, error by error"),
            ("s  l", "save, load"),
            ("o", "settings: players, clock, display"),
            ("Ctrl-L  Ctrl-Z", "draw the screen again, suspend"),
            ("q or Ctrl-C", "quit"),
        ],
        Language::French => &[
            ("flèches Entrée, d3, souris", "jouer une case"),
            ("u  r", "annuler, rétablir (à votre tour)"),
            ("<  >  Début  Fin", "coup par coup, au début, à la fin"),
            ("i", "conseil"),
            ("v", "valeurs de tous les coups"),
            ("m", "faire jouer le programme tout de suite"),
            ("Espace ou p", "lancer, pause (Espace : 2 programmes)"),
            ("t", "un coup d'un programme"),
            ("w", "échanger les couleurs"),
            ("n", "nouvelle partie"),
            ("k", "abandonner"),
            ("x, après la fin a", "ce que chaque coup a perdu"),
            ("s  l", "enregistrer, charger"),
            ("o", "réglages : joueurs, pendule, affichage"),
            ("Ctrl-L  Ctrl-Z", "redessiner l'écran, suspendre"),
            ("q ou Ctrl-C", "quitter"),
        ],
    }
}

pub(in crate::play) const fn review_help(language: Language) -> &'static [HelpRow] {
    match language {
        Language::English => &[
            ("n  p", "next, previous of your errors"),
            ("w", "your worst error, then the next worst"),
            ("<  >  arrows  Home  End", "move by move, to the start, to the end"),
            ("?!  ?  ??", "loses 1 disc or more, 4, 8"),
            ("m", "stop the analysis, keep what is judged"),
            ("s", "save: a page (.html), .ggf, .sgf, moves"),
            ("Esc", "back to the board; x comes here again"),
            ("q or Ctrl-C", "quit"),
        ],
        Language::French => &[
            ("n  p", "votre faute suivante, précédente"),
            ("w", "votre pire faute, puis les moins graves"),
            ("<  >  flèches  Début  Fin", "coup par coup, au début, à la fin"),
            ("?!  ?  ??", "perd au moins 1 pion, 4, 8"),
            ("m", "arrêter l'analyse et la garder"),
            ("s", "enregistrer : page .html, .ggf, .sgf"),
            ("Échap", "retour au plateau ; x revient ici"),
            ("q ou Ctrl-C", "quitter"),
        ],
    }
}

/// What the fields for players and the clock take.
pub(in crate::play) const fn player_help(language: Language) -> &'static [HelpRow] {
    match language {
        Language::English => &[
            ("20", "the computer, strength from 1 to 60"),
            ("human", "a person at this keyboard"),
            ("engine:time=5", "full strength, 5 s a move"),
            ("engine:time=5,ponder=on", "also thinks on your time"),
            ("engine:level=8", "full strength, about 8 plies deep"),
            ("random greedy minimax2 ...", "simple players"),
            ("cmd=COMMAND", "another engine (GTP, NBoard, Cassio)"),
            ("", ""),
            ("180+2", "a clock: 180 s a side, 2 s more a move"),
            ("move:10", "10 s a move"),
            ("unlimited", "no clock"),
            ("level:8 depth:8 nodes:10000", "no clock, but a limit of programs"),
        ],
        Language::French => &[
            ("20", "l'ordinateur à la force 20, de 1 à 60"),
            ("humain", "une personne à ce clavier"),
            ("engine:time=5", "pleine force, 5 s par coup"),
            ("engine:time=5,ponder=on", "réfléchit aussi sur votre temps"),
            ("engine:level=8", "pleine force, 8 coups d'avance"),
            ("random greedy minimax2 ...", "joueurs simples"),
            ("cmd=COMMANDE", "un autre moteur (GTP, NBoard, Cassio)"),
            ("", ""),
            ("180+2", "180 s, et 2 s de plus par coup"),
            ("move:10", "10 s par coup"),
            ("unlimited", "sans pendule"),
            ("level:8 depth:8 nodes:10000", "sans pendule : limite des programmes"),
        ],
    }
}

pub(in crate::play) const fn plain_help(language: Language) -> &'static [HelpRow] {
    match language {
        Language::English => &[
            ("d3", "play a square"),
            ("undo [N], redo [N]", "undo or redo N of your turns"),
            ("back, forward, first, last", "by one move, to the start, to the end"),
            ("hint [N], scores", "the best move, N of them, all with scores"),
            ("analyze, book, score", "what moves lost, the book's moves, discs"),
            ("now", "the program moves at once"),
            ("start, pause, step", "start or pause, one move by a program"),
            ("swap, new, resign", "swap sides, new game, resign"),
            ("save FILE, load FILE", ".ggf, .sgf, moves; .html once analyzed"),
            ("black NAME, white NAME", "change a player; human for yourself"),
            ("clock C", "30+0.1, move:5, unlimited"),
            ("next", "the solution of a puzzle, then the next"),
            ("strength N", "strength of the program, 1 to 60"),
            ("level N, advice N", "level of the program, of hints"),
            ("setboard POSITION", "64 cells and the side to move, or moves"),
            ("board, moves", "show the board, the moves so far"),
            ("english, french", "language"),
            ("q", "quit"),
        ],
        Language::French => &[
            ("d3", "jouer une case"),
            ("annuler [N], retablir [N]", "annuler ou rétablir N de vos coups"),
            ("recule, avance, debut, fin", "coup par coup, au début, à la fin"),
            ("conseil [N], valeurs", "le meilleur coup, N, tous avec scores"),
            ("analyse, bibliotheque, score", "pertes, coups connus, pions"),
            ("joue", "faire jouer le programme tout de suite"),
            ("commencer, pause, pas", "lancer ou suspendre, un coup d'un programme"),
            ("echange, nouvelle, abandon", "couleurs, nouvelle partie, abandonner"),
            ("enregistrer F, charger F", ".ggf, .sgf, coups ; .html après analyse"),
            ("noir NOM, blanc NOM", "changer de joueur ; humain pour vous-même"),
            ("pendule C", "30+0.1, move:5, unlimited"),
            ("suivant", "la solution d'un problème, puis le suivant"),
            ("force N", "force du programme, de 1 à 60"),
            ("niveau N, avis N", "niveau du programme, des conseils"),
            ("position POSITION", "64 cases et le trait, ou des coups"),
            ("plateau, coups", "afficher le plateau, les coups joués"),
            ("english, francais", "langue"),
            ("q", "quitter"),
        ],
    }
}

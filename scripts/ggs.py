#!/usr/bin/env python3
"""Plays Othello on the Generic Game Server (GGS) with any engine that speaks GTP or NBoard. Python 3.11, standard library.

    scripts/ggs.py --server skatgame.net:5000 --login NAME --password-file FILE -- othellier nboard --ponder

Rules, files and what is known of the server: docs/ggs.md. The program itself: scripts/ggs/.
"""

import sys

from ggs.loop import main

if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""A game in OpenSpiel: an opponent of strength 40 against OpenSpiel's random bot. Needs `pip install open_spiel` and a wheel."""
import random

import pyspiel
from open_spiel.python.bots.uniform_random import UniformRandomBot
from othellier import Othellier

PASS = 64
SQUARES = [column + row for row in "12345678" for column in "abcdefgh"]


class OthellierBot(pyspiel.Bot):
    """Plays Othello; `limits` are keys of a request, such as `strength=20`, `time=0.5`, or `depth=12`."""

    def __init__(self, engine: Othellier, **limits):
        super().__init__()
        self.engine, self.limits = engine, limits

    def step(self, state):
        # The last pass must be written: it says who is to move.
        moves = "".join("pa" if action == PASS else SQUARES[action] for action in state.history())
        move = self.engine.ask(moves=moves, **self.limits).answer()["move"]
        return PASS if move == "pa" else SQUARES.index(move)


if __name__ == "__main__":
    with Othellier() as engine:
        state = pyspiel.load_game("othello").new_initial_state()
        bots = [OthellierBot(engine, strength=40, seed=random.randrange(2**32)), UniformRandomBot(1, random)]
        while not state.is_terminal():
            state.apply_action(bots[state.current_player()].step(state))
        print(state, "Black won" if state.returns()[0] > 0 else "Black did not win")

"""Blueprints for tests: abstract games of hold'em with any strategy, in no time."""

from functools import cache

import numpy as np

from ludus.games import holdem
from ludus.games.menu import Menu
from ludus.solvers.blueprint.strategy import Blueprint
from ludus.trees.blueprint import Abstraction

TREE_BETS = "75%,allin;100%,allin;- / 50%,100%;allin;-"
OTHER_BETS = "75%;100%,allin;- / 33%,75%,allin;allin;-"


@cache
def abstraction(form, players=2, cards="aparicio", stack=50):
    bets = Menu.parse(TREE_BETS if form == "tree" else OTHER_BETS)
    return Abstraction(holdem(players, stack, bets=bets), form, cards)


@cache
def blueprint(form, players=2, cards="aparicio", stack=50, known=0.9):
    """A strategy of random numbers, with nothing in some rows of no tree: 1 of 10 if ``known`` is 0.9."""
    made = abstraction(form, players, cards, stack)
    rng = np.random.default_rng(5)
    strategy = rng.integers(1, 256, made.layout.slots).astype(np.uint8)
    if known < 1:
        strategy[rng.random(len(strategy)) < 0.3] = 0
    if form != "tree":
        width = int(made.layout.spec["width"])
        rows = strategy.reshape(-1, width)
        rows[rng.random(len(rows)) >= known] = 0
    strategy.setflags(write=False)
    return Blueprint(made, {"hands": 1_000_000}, strategy)


def unknown(form="aparicio", players=2, stack=200):
    """A blueprint that has learnt nothing at all."""
    made = abstraction(form, players, "aparicio", stack)
    return Blueprint(made, {}, np.zeros(made.layout.slots, np.uint8))

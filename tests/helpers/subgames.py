"""Regrets of a strategy, public states, and play after them that is solved again: for tests of parts of games."""

from __future__ import annotations

import numpy as np

from ludus.solvers.best_response import Evaluator
from ludus.solvers.cfr import ExactSolver
from ludus.solvers.depth.gadget import constrain
from ludus.solvers.passes import copy_player, leaf_pass, plan, reach_pass, value_pass
from ludus.solvers.schedules import ALGORITHMS
from ludus.trees.flat import FlatGame, flatten


def regrets_of(flat, strategy: np.ndarray) -> np.ndarray:
    """Immediate counterfactual regrets of all players, by the solver's own passes."""
    ready = plan(flat)
    reach, values, regret = np.zeros(ready.reaches), np.zeros(ready.values), np.zeros(flat.entries)
    for player in range(flat.players):
        reach_pass(ready, player, strategy, reach)
    for player in range(flat.players):
        leaf_pass(ready, player, reach, values)
        value_pass(ready, player, strategy, values, regret)
    return regret


def public_states(flat: FlatGame, count: int, seed: int) -> list:
    """Some public states of a game, by playing at random."""
    rng, found = np.random.default_rng(seed), {}
    while len(found) < count:
        state = flat.game.start()
        while state.player != -2:
            hole = flat.game.players * flat.game.hole_cards
            if len(state.cards) >= hole and len(state.cards) in flat.game.card_targets:
                found[state.seen_by(-1).public_state()] = state
            state = state.apply(int(rng.choice(list(state.legal_actions()))))
    return list(found.values())


def resolve(whole: FlatGame, table: np.ndarray, state, player: int, own: np.ndarray, conceded: np.ndarray) -> float:
    """Put a player's re-solved play after a public state into a table; how much more than before it concedes."""
    rest = flatten(whole.game, root=state)
    if not rest.entries:
        return 0.0
    gadget, ranges = constrain(rest, 1 - player, conceded, own)
    solver = ExactSolver(gadget, ALGORITHMS["dcfr"], ranges=ranges)
    solver.run(2000)
    average = solver.average()
    put(whole, table, rest, player, average)
    return Evaluator(gadget, solver.plan).evaluate(average).best_response[1 - player] - conceded.sum()


def put(whole: FlatGame, table: np.ndarray, part: FlatGame, player: int, played: np.ndarray) -> None:
    """Overwrite a player's play in a part of a game."""
    places = part.places_in(whole)
    merged = table[places]
    copy_player(plan(part), player, played, merged)
    table[places] = merged

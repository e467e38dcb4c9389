"""What saved strategies are worth, exactly: alone, and against each other."""

from __future__ import annotations

import numpy as np

from ludus.solvers.best_response import Evaluation, Evaluator
from ludus.solvers.passes import Floats, chance_reach, copy_player, leaf_pass, plan, reach_pass, value_pass
from ludus.solvers.strategy import Strategy
from ludus.trees.flat import FlatGame, flatten


def measure(*strategies: Strategy, flat: FlatGame | None = None) -> list[Evaluation]:
    """Values, best responses and exploitability of strategies of one game; ValueError when it is too large.

    The game, flattened, must be given where it is not one of Ludus' own, and can be where it is at hand already.
    """
    flat = flat or flatten(strategies[0].game())
    judge = Evaluator(flat)
    return [judge.evaluate(strategy.table(flat)) for strategy in strategies]


def expected_values(*seats: Strategy, flat: FlatGame | None = None) -> tuple[float, ...]:
    """What each player wins on average when every seat plays a strategy of its own."""
    flat = flat or flatten(seats[0].game())
    if len(seats) != flat.players:
        raise ValueError(f"{flat.game.name} has {flat.players} seats, got {len(seats)} strategies")
    judge = Evaluator(flat)
    table = seats[0].table(flat)
    for player, strategy in enumerate(seats[1:], 1):
        copy_player(judge.plan, player, strategy.table(flat), table)
    return judge.evaluate(table).value


def action_values(flat: FlatGame, strategy: Floats) -> Floats:
    """What each action in each information set is worth to its player, in chips of the whole hand (by_action).

    It is the mean over what chance and the others have done when they come there, if all play this strategy (by_action)
    from there on; nan where they never let them come there.
    """
    if flat.frontier or flat.leaving:
        raise ValueError("the values of actions are for games that are played to their end, without leaf values")
    p = plan(flat)
    reach, buffer, ignored = np.zeros(p.reaches), np.zeros(p.values), np.zeros(flat.entries)
    always = p._replace(leaf_weights=np.zeros_like(p.leaf_weights))  # the same game where every end pays 1
    always.leaf_weights[:, :, 1] = chance_reach(flat.nodes)[p.leaves.astype(np.int64), None]
    won, came = np.zeros(flat.entries), np.zeros(flat.entries)
    for player in range(flat.players):
        reach_pass(p, player, strategy, reach)
    for player in range(flat.players):
        for game, table in ((p, won), (always, came)):
            leaf_pass(game, player, reach, buffer)
            value_pass(game, player, strategy, buffer, ignored)
            for node in np.flatnonzero(p.player == player).tolist():
                start, below = int(p.start[node]), int(p.at[p.first[node]])
                size = int(p.children[node] * p.size[node])
                table[start : start + size] += buffer[below : below + size]
    values: Floats = np.divide(won, came, out=np.full(flat.entries, np.nan), where=came > 0)
    return values

"""What saved strategies are worth, exactly: alone, and against each other."""

from __future__ import annotations

from ludus.solvers.best_response import Evaluation, Evaluator
from ludus.solvers.passes import copy_player
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

"""The equilibria of Kuhn poker, and how far a strategy is from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ludus.solvers.passes import Floats
    from ludus.trees.flat import FlatGame

SETS = ("Q", "Qb", "Qp", "Qpb", "K", "Kb", "Kp", "Kpb", "A", "Ab", "Ap", "Apb")
"""Information sets: the card, then p for a pass and b for a bet."""

Bets = dict[str, float]
"""Information set -> probability of betting or calling."""

VALUE = -1 / 18


def equilibrium(alpha: float) -> Bets:
    """The family of equilibria (Kuhn 1950): the first player chooses alpha in [0, 1/3], the second has no choice."""
    third = 1 / 3
    shares = (alpha, 0, third, 0, 0, third, 0, third + alpha, 3 * alpha, 1, 1, 1)
    return dict(zip(SETS, map(float, shares), strict=True))


def fitted_alpha(bets: Bets) -> float:
    """The alpha whose equilibrium is nearest, by least squares over the three sets that depend on it."""
    return min(max((bets["Q"] + (bets["Kpb"] - 1 / 3) + 3 * bets["A"]) / 11, 0.0), 1 / 3)


def off_the_family(bets: Bets) -> float:
    """The largest difference to the nearest equilibrium in any information set."""
    nearest = equilibrium(fitted_alpha(bets))
    return max(abs(bets[name] - nearest[name]) for name in SETS)


def information_set(name: str) -> tuple[int, str]:
    """Player and name of ours for a set in these letters.

    >>> information_set("Kpb")
    (0, 'K:cr')
    """
    history = name[1:].replace("p", "c").replace("b", "r")
    return len(history) % 2, f"{name[0]}:{history}"


def bets_of(flat: FlatGame, table: Floats) -> Bets:
    """The probabilities of betting or calling in a solver's table."""
    from ludus.solvers.strategy import Strategy

    strategy = Strategy.of(flat, table)
    return {name: list(strategy.at(*information_set(name)).values())[-1] for name in SETS}

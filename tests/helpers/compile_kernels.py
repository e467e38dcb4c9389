"""Compile what tests of several files need beside `ludus warm-up`: once, before two processes run them."""

from __future__ import annotations

from ludus.cards.card import parse_cards
from ludus.cards.distribution import hand_equities
from ludus.cards.equity import as_range, equity
from ludus.cards.three_way import three_way_shares
from ludus.games import holdem, kuhn, leduc
from ludus.games.menu import Menu
from ludus.solvers import solve
from ludus.solvers.abstracted import MergedSolver, lossless
from ludus.solvers.blueprint.duel import duel
from ludus.solvers.blueprint.strategy import Blueprint
from ludus.solvers.blueprint.training import Method, Training
from ludus.trees.blueprint import Abstraction
from ludus.trees.flat import flatten


def small_games() -> None:
    for algorithm in ("dcfr", "external", "outcome", "chance"):
        solve(leduc(), algorithm, iterations=2)
    solve(kuhn(), "external", iterations=2, growing=True)
    flat = flatten(kuhn())
    MergedSolver(flat, lossless(flat.deals)).run(1)


def blueprints() -> None:
    short = Abstraction(holdem(stack=20, bets=Menu.parse("allin / -")), "tree", "aparicio")
    training = Training(short, Method(block=50))
    training.run_block()
    made = Blueprint.of(training)[0]
    duel(made, made, 10)


def cards() -> None:
    ranges = [as_range("AA, KQs"), as_range("QQ, 76s")]
    for board in ("Ks Th 6h", "Ks Th 6h 4c 2s"):
        equity(ranges, parse_cards(board))
        hand_equities(ranges, parse_cards(board))
    equity([as_range("AhKh"), as_range("random"), as_range("random")], samples=100)
    equity([as_range("AhKh"), as_range("QsQd")], parse_cards("2h7c9s"))
    three_way_shares()


if __name__ == "__main__":
    small_games()
    blueprints()
    cards()

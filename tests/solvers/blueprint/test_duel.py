"""Blueprints against each other: known results, symmetry, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from ludus.games import holdem
from ludus.games.menu import Menu
from ludus.solvers.blueprint.duel import duel
from ludus.solvers.blueprint.strategy import Blueprint
from ludus.solvers.blueprint.training import Method, Training
from ludus.trees.blueprint import Abstraction


def abstraction(form: str, bets: str = "pot,allin;allin;-", players: int = 2) -> Abstraction:
    return Abstraction(holdem(players=players, stack=20, bets=Menu.parse(bets)), form, "aparicio")  # type: ignore[arg-type]


def always(slot: int, players: int = 2) -> Blueprint:
    """Takes one slot of a game without raises wherever it can: 0 folds, 1 calls."""
    game = abstraction("aparicio", "-", players)
    strategy = np.zeros((game.layout.infosets, int(game.layout.spec["width"])), np.uint8)
    strategy[:, slot] = 255
    return Blueprint(game, {}, strategy.ravel())


@pytest.fixture(scope="module")
def trained() -> dict[str, Blueprint]:
    made = {}
    for form in ("tree", "aparicio"):
        training = Training(abstraction(form), Method(block=5_000))
        for _ in range(4):
            training.run_block()
        made[form] = Blueprint.of(training)[0]
    return made


def test_a_caller_wins_the_blinds_of_a_folder():
    found = duel(always(1), always(0), 20_000)  # from the big blind; from the small one both see a free showdown
    assert abs(found.mean - 0.5) < 5 * found.error
    assert (found.deals, found.hands) == (20_000, 40_000)


def test_a_folder_among_callers_loses_his_blinds():
    found = duel(always(0, 3), always(1, 3), 20_000)  # a small one, a free showdown in the big one, nothing
    assert abs(found.mean + 1 / 3) < 5 * found.error


def test_a_blueprint_is_even_with_itself_and_beats_an_untrained_one(trained):
    for blueprint in trained.values():
        same = duel(blueprint, blueprint, 20_000)
        assert abs(same.mean) < 5 * same.error
        zeros = Blueprint(blueprint.abstraction, {}, np.zeros_like(blueprint.strategy))
        assert duel(blueprint, zeros, 20_000).mean > 0.5


def test_both_forms_meet_and_what_one_wins_the_other_loses(trained):
    one = duel(trained["tree"], trained["aparicio"], 50_000, seed=1)
    other = duel(trained["aparicio"], trained["tree"], 50_000, seed=2)
    assert abs(one.mean + other.mean) < 5 * (one.error**2 + other.error**2) ** 0.5


def test_threads_change_nothing(trained):
    one, two = (duel(trained["tree"], trained["aparicio"], 45_000, threads=threads) for threads in (1, 2))
    assert one == two


def test_sides_that_cannot_meet_are_refused(trained):
    training = Training(abstraction("tree", "allin;-"), Method(block=100))
    with pytest.raises(ValueError, match="same bet menu"):
        duel(trained["tree"], Blueprint.of(training)[0], 100)
    with pytest.raises(ValueError, match="one table"):
        duel(always(1), always(1, 3), 100)
    with pytest.raises(ValueError, match="2 deals"):
        duel(trained["aparicio"], trained["aparicio"], 1)

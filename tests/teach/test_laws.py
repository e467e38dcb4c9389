"""Laws of advice over random decisions of 2 to 10 players on all streets, and that breaking one of them is seen.

``HELD`` are the laws that the usual advice is held to: all of them.
"""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from laws import LAWS, SUITS, breaches, with_suits
from ludus.agents.blueprint import AUTO, BlueprintAgent, load_blueprint
from ludus.agents.evaluation import Estimate
from ludus.agents.multiway import search_over
from ludus.cards.card import format_cards
from ludus.games.moves import CALL, FOLD
from ludus.search.preflop_solution import SolvedOpening
from ludus.solvers.blueprint.strategy import Blueprint
from ludus.teach.advice import Advice, Choice
from ludus.teach.advisor import CHART, Advisor
from ludus.teach.situation import parse_situation
from ludus.teach.spots import advice as spot_advice
from random_situations import random_opening, random_situation

HELD = tuple(LAWS)
FEW, FEW_CHARTS, MANY = 36, 14, 2000


@dataclass
class Unhurried:
    """The usual advice with little thinking, and whatever time that takes, so that no clock counts."""

    seconds: float = 0.1
    known: dict[Blueprint, Advisor] = field(default_factory=dict)

    def advise(self, observation, also=()):
        return self.advisor(observation).advise(observation, also)

    def advisor(self, observation):
        made = load_blueprint(AUTO, observation.game)
        if made not in self.known:
            search, agent = replace(search_over(made, self.seconds), patience=1e9), BlueprintAgent(made)
            opening = SolvedOpening(agent) if observation.game.players > 2 else agent
            self.known[made] = Advisor(opening, search, seconds=0.2)
        return self.known[made]


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    monkeypatch.setattr(spot_advice, "PATIENCE", 1e9)


def broken(states, laws):
    """What is broken, with how often and examples, for somebody who reads of a failure."""
    found = breaches(states, laws, Unhurried(), Unhurried())
    return {law: (len(said), said[:3]) for law, said in found.items() if said}


def test_laws_hold_on_a_few_decisions():
    assert broken(map(random_situation, range(FEW)), HELD) == {}


@pytest.mark.slow
def test_laws_hold_on_many_decisions():
    assert broken(map(random_situation, range(FEW, FEW + MANY)), HELD) == {}


def test_laws_hold_on_decisions_of_the_charts():
    states = [random_opening(seed) for seed in range(FEW_CHARTS)]
    assert {Unhurried().advise(state).source for state in states} == {CHART}
    assert broken(states, HELD) == {}


@pytest.mark.slow
def test_laws_hold_on_many_decisions_of_the_charts():
    assert broken(map(random_opening, range(FEW_CHARTS, FEW_CHARTS + MANY)), HELD) == {}


def test_values_of_both_players_add_up_to_the_pot():
    """Where two are left, the solution that the advice comes from knows what the hands of both are worth."""
    advisers, streets = Unhurried(), set()
    for state in map(random_situation, range(FEW)):
        answer = advisers.advisor(state).spots.answer(state, 0.01)
        if answer is None:
            continue
        view = answer.solution.at(spot_advice.SpotCase.of(state, ()).lines[-1])
        met = [np.nansum(view.reach[at] * view.met[at]) for at in (0, 1)]
        if min(met) > 0:
            worth = [np.nansum(view.reach[at] * view.met[at] * view.ev[at]) / met[at] for at in (0, 1)]
            assert sum(worth) == pytest.approx(view.pot, rel=2e-3), state.line
            streets.add(state.street)
    assert streets == {0, 1, 2, 3}


def test_random_situations_are_of_all_kinds():
    states = [random_situation(seed) for seed in range(FEW)]
    assert {(state.game.players, state.street) for state in states} == {
        (players, street) for players in range(2, 11) for street in range(4)
    }
    for seed, state in enumerate(states):
        again = random_situation(seed)
        assert (again.game, again.line, again.cards) == (state.game, state.line, state.cards)
        assert state.player >= 0
    live = [len(state.live_seats()) for state in states if state.game.players > 2]
    assert 2 in live
    assert max(live) > 5


def test_other_suits_are_the_same_decision():
    state = parse_situation("heads-up; hero BB AhKd; c, x; flop QsJc2h")
    other = with_suits(state, (1, 2, 3, 0))
    assert format_cards(other.hole(0) + other.board) == "AsKhQcJd2s"
    assert (other.line, other.stacks, other.cards[2:4]) == (state.line, state.stacks, state.cards[2:4])
    assert len({with_suits(state, suits).cards for suits in SUITS} - {state.cards}) == 23


# Advice that keeps all laws, and advice that breaks one


def advised(text, *choices):
    """Advice with some choices: action, chance, value, error, and what it is behind."""
    state = parse_situation(text)
    made = tuple(
        Choice(action, state.action_name(action), chance, Estimate(value, error), Estimate(*behind) if behind else None)
        for action, chance, value, error, *behind in choices
    )
    return Advice(state, "made up", made, 0.5, 0.0, None, (), (), "", 0.0)


FACING, FREE = "heads-up; hero BTN AhKh", "heads-up; hero BB AhKh; c"
GOOD = (
    advised(FACING, (FOLD, 0, 0, 0), (CALL, 0.4, 50, 4), (300, 0.6, 52, 4), (10_000, 0, -90, 4)),
    advised(FACING, (FOLD, 0.95, 0, 0), (CALL, 0.05, -3, 4)),
    advised(FREE, (CALL, 1, -3, 4), (300, 0, -80, 4)),
    advised(FREE, (CALL, 0.5, 60, 1, 2, 3), (300, 0.5, 62, 1, 0, 0)),
)
BAD = {
    "fold_is_worth_nothing": [
        advised(FACING, (FOLD, 1, 0.1, 0), (CALL, 0, -3, 4)),
        advised(FACING, (FOLD, 1, 0, 1), (CALL, 0, -3, 4)),
    ],
    "no_check_loses": [advised(FREE, (CALL, 1, -5, 4), (300, 0, -80, 4))],
    "nothing_shown_is_worse": [
        advised(FACING, (FOLD, 0, 0, 0), (CALL, 0.1, 40, 4), (300, 0.9, 52, 4)),
        advised(FREE, (CALL, 0.5, 60, 9, 4, 3), (300, 0.5, 64, 9, 0, 0)),
        advised(FACING, (FOLD, 0.31, 0, 0), (CALL, 0.69, -2, 4), (300, 0, 451, 4)),  # what is never played is best
    ],
    "the_best_is_what_it_is_worth": [
        advised(FACING, (FOLD, 0, 0, 0), (CALL, 0.09, -900, 4), (300, 0.91, 52, 4)),
        advised(FREE, (CALL, 1, -5, 4), (300, 0, -80, 4)),
    ],
}


@pytest.mark.parametrize("law", LAWS)
def test_advice_that_keeps_a_law(law):
    for advice in GOOD:
        assert LAWS[law](advice, lambda state, advice=advice: replace(advice, state=state)) == ""


@pytest.mark.parametrize("law", BAD)
def test_advice_that_breaks_a_law(law):
    for advice in BAD[law]:
        assert f"best {advice.best.name}" in LAWS[law](advice, lambda state, advice=advice: advice)


def test_an_answer_that_changes_is_seen():
    first, second = (advised(FREE, (CALL, chance, 60, 4), (300, 1 - chance, 60, 4)) for chance in (0.5, 0.52))
    for law in ("suits_do_not_matter", "it_is_said_again"):
        assert "50.0%" in LAWS[law](first, lambda state: second)
    assert LAWS["it_is_said_again"](first, lambda state: replace(first, equity=0.4))

"""Push or fold at the table: where it decides, and what it does there."""

import numpy as np
import pytest

from ludus.agents.short_stacks import is_short, push_or_fold
from ludus.cards.card import parse_cards
from ludus.games import holdem
from ludus.games.moves import CALL, FOLD
from ludus.games.record import dealt

RNG = np.random.default_rng(1)


def table(stacks, first, *actions):
    """A state after some actions in which the first cards of the deck are given, seat by seat."""
    cards = [*parse_cards(first)]
    deck = [*cards, *(card for card in range(52) if card not in cards)]
    state = dealt(holdem(len(stacks), stacks, (50, 100)).start(), deck)
    for action in actions:
        state = dealt(state.apply(action), deck)
    return state


@pytest.mark.parametrize(
    ("stacks", "actions", "short"),
    [
        ((1000, 1000), (), True),
        ((5000, 1000), (), True),  # what counts is what both have
        ((5000, 5000), (), False),
        ((1000, 1000), (CALL,), False),  # a limp
        ((1000, 1000), (250,), False),  # a small raise
        ((1000, 1000), (1000,), True),
        ((800, 900, 1000), (1000,), True),
        ((800, 900, 1000), (FOLD,), True),
        ((800, 900, 1000), (1000, CALL), False),  # two are in
        ((3000, 900, 3000), (), False),  # the first to act is deep, and so is another
    ],
)
def test_where_it_decides(stacks, actions, short):
    assert is_short(table(stacks, "", *actions)) is short


def test_what_it_does():
    assert push_or_fold(table((1000, 1000), "2c7dAsAh"), None, RNG) == 1000  # the button is seat 1
    assert push_or_fold(table((1000, 1000), "AcAd7s2h"), None, RNG) == FOLD
    assert push_or_fold(table((1000, 1000), "AcAd7s2h", 1000), None, RNG) == CALL
    assert push_or_fold(table((1000, 1000), "2c7dAsAh", 1000), None, RNG) == FOLD
    assert push_or_fold(table((60, 2000, 3000), "AcAd7s2hKcKd", FOLD), None, RNG) == CALL  # all it has


def test_on_the_bubble_a_good_hand_folds():
    """With K8 the big blind calls ten big blinds for chips, but not with three of four paid."""
    state = table((1000,) * 4, "2c3dKs8hTc9d4h5h", FOLD, FOLD, 1000)
    assert push_or_fold(state, None, RNG) == CALL
    assert push_or_fold(state, (0.5, 0.3, 0.2, 0.0), RNG) == FOLD


def test_all_actions_are_legal_at_every_table():
    rng = np.random.default_rng(7)
    for _ in range(150):
        stacks = tuple(int(stack) for stack in rng.integers(1, 1200, rng.integers(2, 7)))
        game = holdem(len(stacks), stacks, (50, 100), int(rng.integers(0, 2)) * 10)
        deck = [int(card) for card in rng.permutation(52)]
        state = dealt(game.start(), deck)
        while is_short(state):
            action = push_or_fold(state, None, rng)
            assert action in state.legal_actions()
            state = dealt(state.apply(action), deck)

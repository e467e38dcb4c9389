"""The independent chip model: published values, a brute force over all orders of finishing, and laws."""

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.games.icm import icm


@pytest.mark.parametrize(
    ("stacks", "prizes", "worth"),
    [
        ((5000, 3000, 2000), (50, 30, 20), (38.3929, 32.75, 28.8571)),
        ((1, 1, 1, 1), (50, 30, 20), (25, 25, 25, 25)),
        ((75, 25), (65, 35), (57.5, 42.5)),
        ((30, 70), (100,), (30, 70)),
        ((60, 40, 0), (50, 30, 20), (42, 38, 20)),
        ((100, 0, 0), (50, 30, 20), (50, 25, 25)),
    ],
)
def test_known_values(stacks, prizes, worth):
    assert icm(stacks, prizes) == pytest.approx(worth, abs=1e-3)


def by_all_orders(stacks, prizes):
    """The definition: the chance of every order of finishing."""
    worth = [0.0] * len(stacks)
    for order in permutations(range(len(stacks))):
        chance, rest = 1.0, sum(stacks)
        for player in order:
            chance *= stacks[player] / rest if rest else 1.0
            rest -= stacks[player]
        for player, prize in zip(order, prizes, strict=False):
            worth[player] += chance * prize
    return worth


@given(st.lists(st.integers(1, 10_000), min_size=2, max_size=6), st.lists(st.integers(0, 100), max_size=6))
def test_it_is_the_sum_over_all_orders(stacks, prizes):
    prizes = sorted(prizes[: len(stacks)], reverse=True)
    assert icm(stacks, prizes) == pytest.approx(by_all_orders(stacks, prizes))


@given(st.lists(st.integers(0, 10_000), min_size=2, max_size=9).filter(any))
def test_all_prizes_are_won_and_more_chips_are_worth_more(stacks):
    prizes = (50, 30, 20)[: len(stacks)]
    worth = icm(stacks, prizes)
    assert sum(worth) == pytest.approx(sum(prizes))
    ranked = sorted(zip(stacks, worth, strict=True))
    assert all(poorer[1] <= richer[1] + 1e-9 for poorer, richer in pairwise(ranked))


@pytest.mark.parametrize(
    ("stacks", "prizes"), [((), ()), ((0, 0), (1,)), ((-1, 2), (1,)), ((1, 2), (1, 1, 1)), ((1,) * 11, ())]
)
def test_what_is_wrong_is_said(stacks, prizes):
    with pytest.raises(ValueError, match=r"stacks are those|too many"):
        icm(stacks, prizes)

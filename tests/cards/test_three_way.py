"""Three classes shown down."""

import numpy as np
import pytest

from ludus.cards import three_way
from ludus.cards.ranges import class_index
from ludus.cards.three_way import count_shares, three_way_shares


@pytest.fixture(scope="module")
def shares():
    return count_shares(400)


@pytest.mark.parametrize(
    ("hands", "known"),  # by `ludus equity --samples 300000`, +/- 0.2 %
    [
        (("AA", "KK", "QQ"), (0.669, 0.178, 0.154)),
        (("AKs", "QQ", "76s"), (0.380, 0.410, 0.210)),
        (("AKo", "AQo", "22"), (0.346, 0.221, 0.434)),
    ],
)
def test_shares_are_about_those_of_simulations(shares, hands, known):
    at = [class_index(hand) for hand in hands]
    found = [shares[at[who], at[who - 1], at[who - 2]] for who in range(3)]
    assert found == pytest.approx(known, abs=0.04)


def test_three_share_one_pot(shares):
    total = shares + shares.transpose(1, 0, 2) + shares.transpose(1, 2, 0)
    np.testing.assert_allclose(total, 1, atol=1e-5)
    np.testing.assert_allclose(shares, shares.transpose(0, 2, 1), atol=1e-5)
    np.testing.assert_allclose(np.einsum("iii->i", shares), 1 / 3, atol=1e-5)


def test_they_are_counted_once(monkeypatch, tmp_path):
    counted = []
    few = np.full((169, 169, 169), 1 / 3, np.float32)
    monkeypatch.setattr(three_way, "cache_home", lambda: tmp_path)
    monkeypatch.setattr(three_way, "count_shares", lambda boards: counted.append(boards) or few)
    for _ in range(2):
        np.testing.assert_allclose(three_way_shares.__wrapped__(), few, atol=1e-3)
    assert counted == [three_way.BOARDS]

"""One spot on many flops: the flops that stand for all, and one of them against the study of that flop."""

import pytest

from ludus.search.fast_spots import solve_fast
from ludus.server.learning.spot_presets import PRESETS
from ludus.solvers.spot.solution import Solution
from ludus.teach.spots.flop_report import flop_row, flops
from ludus.trees.spot import Spot

SPOT = PRESETS["srp-flop"] | {"oop": "22-55, A5s-A2s, KTs, QJs", "ip": "TT-AA, AKs, AKo, 76s"}


def test_flops_stand_for_all_of_them():
    found = flops(SPOT, 10)["flops"]
    assert len(found) == 10
    assert sum(each["times"] for each in found) == pytest.approx(22_100)
    assert all(len(set(each["flop"])) == 3 for each in found)


@pytest.mark.parametrize(
    ("spot", "count", "words"), [(SPOT, 0, "1 to 200"), (PRESETS["srp-turn"], 5, "behind flops"), ({}, 5, "board")]
)
def test_what_cannot_be_reported(spot, count, words):
    with pytest.raises(ValueError, match=words):
        flops(spot, count)


def test_a_row_is_what_the_study_shows():
    row = flop_row(SPOT, ["Ks", "7d", "2c"])
    solution = Solution.of(solve_fast(Spot.from_dict(SPOT | {"board": "Ks 7d 2c"})))
    view, after = solution.at(), solution.at("X")
    assert row["ev"]["oop"] + row["ev"]["ip"] == pytest.approx(SPOT["pot"], rel=1e-3)
    assert row["equity"]["oop"] == pytest.approx(view.mean_equity[0], abs=1e-4)
    shares = [each["share"] for each in row["lines"]["X"]["actions"]]
    assert shares == pytest.approx(after.frequencies.tolist(), abs=1e-4)
    assert row["lines"]["X"]["player"] == "ip"

"""What following the advice costs, on a few decisions."""

from __future__ import annotations

import json


def test_rivers_are_advised_nearly_as_they_are_solved(ludus):
    code, out, _ = ludus("bench", "advice", "--street", "river", "--decisions", 4, "--seed", 3, "--json")
    found = json.loads(out)
    assert code == 0
    assert {"river", "seconds", "stack_bb", "seed", "cores"} == set(found)
    river = found["river"]
    assert river["decisions"] == 4
    assert 0 <= river["regret_mean"] <= river["regret_max"] < 0.03
    assert river["target_percent"] == 0.1


def test_other_streets_are_refused(ludus):
    code, _, error = ludus("bench", "advice", "--street", "preflop")
    assert (code, "on the river, turn, flop, got 'preflop'" in error) == (2, True)

"""The bench of thinking times."""

import json

from ludus.experiments.bench.thinking import STREETS, bench_thinking


def test_it_counts_the_decisions_of_each_street():
    found = bench_thinking("call", hands=3, stack=100, seed=1, tell=lambda what: None)
    assert found["decisions"] == dict.fromkeys(STREETS, 6)
    for street in STREETS:
        assert 0 < found["seconds_mean"][street] <= found["seconds_max"][street]


def test_the_command(ludus):
    code, out, _ = ludus("bench", "thinking", "--agent", "always-raise", "--hands", "1", "--json")
    found = json.loads(out)
    assert (code, found["hands"], found["stack_bb"], found["seconds_mean"]["river"]) == (0, 1, 100, None)
    assert found["cores"] >= 1
    code, out, _ = ludus("bench", "thinking", "--agent", "call", "--hands", "1")
    assert code == 0
    assert "river" in out
    code, _, err = ludus("bench", "thinking", "--agent", "equilibrium")
    assert (code, len(err.splitlines())) == (2, 1)

"""What shards of regrets would cost is reckoned from what a walk meets and what a message takes."""

import pytest

from ludus.experiments.bench import copies
from ludus.solvers.blueprint.presets import make_abstraction
from ludus.solvers.blueprint.training import Method, Training
from ludus.trees.blueprint import CATEGORY_CLASSES


def test_all_but_a_workers_own_information_sets_are_asked_for():
    costs = {"walk_cpu_ms": 0.5, "sets_a_walk": 12.0, "message_cpu_ms": 0.25}
    assert [copies.shard_cpu_ms(costs, workers) for workers in (1, 2, 4)] == [0.5, 2.0, 2.75]


def test_the_sets_of_a_walk_are_those_that_it_changes():
    training = Training(make_abstraction(2, 5.0, "tree", CATEGORY_CLASSES, "small"), Method("external", 1, 50))
    training.run_block()
    before, walked = training.walk.regret.copy(), Training(training.abstraction, training.method)
    walked.walk.regret[:] = before
    walked.play(training.state.blocks, 0, 1)
    changed = sum(map(bool, (walked.walk.regret != before) | (walked.walk.average != 0)))
    assert changed / 6 <= copies.sets_a_walk(training, 1) <= changed  # a set has up to six actions
    assert (training.walk.regret == before).all()


@pytest.mark.slow
def test_copies_and_shards_are_measured(ludus):
    pytest.importorskip("ray")
    import json

    code, out, err = ludus("bench", "copies", "--deals", "200", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert [row["shards"] for row in found["shards"]] == [2, 4, 8]
    assert found["costs"]["message_cpu_ms"] > found["costs"]["walk_cpu_ms"]
    code, out, err = ludus("bench", "copies", "--deals", "200")
    assert (code, "A walk meets" in out) == (0, True), err

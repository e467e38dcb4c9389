"""Training by a plan: presets, saves, going on, and what is refused."""

import json
import os
import signal

import numpy as np
import pytest

from ludus.games.menu import Menu
from ludus.solvers.blueprint.presets import BETS, make_abstraction, usual_sampling
from ludus.solvers.blueprint.runs import TrainingPlan, header_of, train_blueprint
from ludus.solvers.blueprint.strategy import Blueprint
from ludus.solvers.blueprint.training import Method
from ludus.trees.blueprint import CATEGORY_CLASSES

SMALL = make_abstraction(2, 10, cards=CATEGORY_CLASSES, bets="allin / -")
METHOD = Method(block=2000)


def plan(out, hands, **changes):
    return TrainingPlan(SMALL, METHOD, out, hands, **changes)


def nothing(_):
    pass


def test_presets_stand_for_what_is_usual():
    heads_up, six = make_abstraction(cards=CATEGORY_CLASSES), make_abstraction(6, cards=CATEGORY_CLASSES)
    assert (heads_up.form, six.form) == ("tree", "bounded")
    assert str(heads_up.game.bets) == str(Menu.parse(BETS["default"]))
    assert (usual_sampling("tree"), usual_sampling("aparicio")) == ("external", "outcome")
    source = make_abstraction(3, form="aparicio")
    assert (source.cards, str(source.game.bets)) == (CATEGORY_CLASSES, str(Menu.parse(BETS["aparicio"])))
    for name in ("form", "cards", "bets"):
        with pytest.raises(ValueError, match=f"the {name} 's1' are called 'aparicio' now"):
            make_abstraction(**{name: "s1"})


def test_a_run_in_parts_ends_as_a_run_in_one(tmp_path):
    whole = train_blueprint(plan(tmp_path / "whole", 20_000), nothing)
    train_blueprint(plan(tmp_path / "parts", 8000), nothing)
    parts = train_blueprint(plan(tmp_path / "parts", 20_000), nothing)
    assert whole["finished"]
    assert whole["hands"] == parts["hands"] >= 20_000
    one, two = (Blueprint.load(tmp_path / name) for name in ("whole", "parts"))
    assert np.array_equal(one.strategy, two.strategy)
    assert json.loads(json.dumps(whole)) == whole  # plain data
    assert header_of(tmp_path / "whole")["hands"] == whole["hands"]


def test_an_interrupt_keeps_the_training_and_writes_no_blueprint(tmp_path):
    def stop(training):
        if training.state.blocks == 2:
            os.kill(os.getpid(), signal.SIGINT)

    found = train_blueprint(plan(tmp_path / "cut", 10**6), stop)
    assert (found["finished"], found["blocks"]) == (False, 2)
    assert list(found["files"]) == ["training"]
    assert not (tmp_path / "cut").exists()


def test_plans_that_make_no_sense_are_refused(tmp_path):
    with pytest.raises(ValueError, match="are different files"):
        plan(tmp_path / "x.training", 10)
    with pytest.raises(ValueError, match="1 or more"):
        plan(tmp_path / "x", 0)
    train_blueprint(plan(tmp_path / "x", 2000), nothing)
    other = TrainingPlan(SMALL, Method(block=2000, seed=5), tmp_path / "x", 4000)
    with pytest.raises(ValueError, match="seed is 1 there and 5 here"):
        train_blueprint(other, nothing)

"""What solvers honour: every algorithm on every back end runs or is refused by name, and no setting is ignored."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ludus.cards.preflop import PreflopTable
from ludus.games import holdem, kuhn, leduc
from ludus.games.menu import Menu
from ludus.solvers import Settings, solve
from ludus.solvers.abstracted import MergedSolver, lossless
from ludus.solvers.blueprint.training import Method, Training
from ludus.solvers.capabilities import (
    ALGORITHM_FEATURES,
    BACKENDS,
    SAMPLED,
    TAKERS,
    Backend,
    algorithms_of,
    check_honours,
    supports,
)
from ludus.solvers.cfr import ExactSolver
from ludus.solvers.preflop import PreflopTree, solve_preflop
from ludus.solvers.schedules import ALGORITHMS, Algorithm, quadratic
from ludus.solvers.settings import ABOUT
from ludus.solvers.spot.solve import solve_spot
from ludus.trees.blueprint import Abstraction
from ludus.trees.flat import flatten
from ludus.trees.spot import Spot

FEW = 3
SHORT = Abstraction(holdem(stack=20, bets=Menu.parse("allin / -")), "tree", "aparicio")
RIVER = Spot.from_dict(
    {"board": "2c 7d 9h Jc Ks", "pot": 10, "stack": 10, "oop": "AA,QQ,88", "ip": "KK,TT,76s", "sizes": {}}
)


def on_merged(name: str) -> int:
    flat = flatten(kuhn())
    solver = MergedSolver(flat, lossless(flat.deals), ALGORITHMS[name], planned=FEW)
    solver.run(FEW)
    return solver.iterations


def on_preflop(name: str) -> int:
    even = PreflopTable(np.full((169, 169), 0.5, np.float32), np.zeros((169, 169), np.float32))
    return solve_preflop(PreflopTree(), even, algorithm=name, iterations=FEW, target=1e-12).iterations


def on_blueprints(name: str) -> int:
    training = Training(SHORT, Method(block=50, algorithm=name))
    for _ in range(FEW):
        training.run_block()
    assert np.isfinite(training.regret())
    return training.state.blocks


RUN = {
    "exact": lambda name: solve(kuhn(), name, iterations=FEW).iterations,
    "fictitious": lambda name: solve(kuhn(), name, iterations=FEW).iterations,
    "sampling": lambda name: solve(kuhn(), name, iterations=FEW).iterations,
    "growing": lambda name: solve(kuhn(), name, iterations=FEW, growing=True).iterations,
    "merged": on_merged,
    "spots": lambda name: solve_spot(RIVER, name, iterations=FEW).iterations,
    "preflop": on_preflop,
    "blueprints": on_blueprints,
}
ENTRIES = [(backend, name) for backend in ("merged", "spots", "preflop", "blueprints") for name in ALGORITHMS]


@pytest.mark.parametrize(("backend", "name"), [(each, name) for each in RUN for name in algorithms_of(each)])
def test_what_is_supported_runs(backend, name):
    assert supports(backend, name) is None
    assert RUN[backend](name) == FEW


@pytest.mark.parametrize(("backend", "name"), [pair for pair in ENTRIES if supports(*pair)])
def test_what_is_not_supported_is_refused_by_name_with_what_is(backend, name):
    with pytest.raises(ValueError, match="are solved with") as refused:
        RUN[backend](name)
    assert backend == "merged" or repr(name) in f"{refused.value}"
    assert all(other in f"{refused.value}" for other in algorithms_of(backend))


def test_a_new_variant_is_one_row(monkeypatch):
    """It runs, or is refused by what it needs, without another list."""
    rows = {
        "new": Algorithm("a new variant", quadratic),
        "new+": Algorithm("clipped", quadratic, clip=True),
        "p-new": Algorithm("with prediction", quadratic, predict=True),
        "s-new": Algorithm("simultaneous", quadratic, alternating=False),
        "n-new": Algorithm("planned", quadratic, planned=True),
    }
    for name, row in rows.items():
        monkeypatch.setitem(ALGORITHMS, name, row)
    for backend in ("merged", "spots", "preflop", "blueprints"):
        for name in rows:
            if supports(backend, name) is None:
                assert RUN[backend](name) == FEW
            else:
                with pytest.raises(ValueError, match="are solved with"):
                    RUN[backend](name)
    run = {backend: [name for name in rows if supports(backend, name) is None] for backend in BACKENDS}
    assert run["exact"] == run["merged"] == list(rows)
    assert run["spots"] == ["new", "new+", "n-new"]
    assert run["preflop"] == ["new", "new+", "p-new", "s-new"]
    assert run["blueprints"] == ["new"]
    assert run["sampling"] == run["growing"] == run["fictitious"] == []


def test_the_table_knows_all_algorithms_and_flags():
    assert set(ABOUT) == {*ALGORITHMS, *SAMPLED, *algorithms_of("fictitious")}
    flags = {"clip", "predict", "alternating", "planned"}
    assert {field for field in Algorithm.__dataclass_fields__ if field not in ("about", "discount")} == flags
    for flag in flags:  # each is a feature that some back end may lack
        row = replace(ALGORITHMS["cfr"], **{flag: not getattr(ALGORITHMS["cfr"], flag)})
        assert sum(needs(row) for needs, _ in ALGORITHM_FEATURES.values()) == 1
    assert set(TAKERS) <= set(Settings.__dataclass_fields__)
    with pytest.raises(ValueError, match=r"features are .*, got speed"):
        Backend("games", "a game", ("speed",))


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_feature_that_is_not_honoured_is_named_with_those_who_do(backend):
    check_honours(backend, rake=0, locks=(), fixed={}, packed=False)
    if "rake" not in BACKENDS[backend].honours:
        with pytest.raises(ValueError, match=f"{BACKENDS[backend].one} takes no rake: they are for spots"):
            check_honours(backend, rake=5)


def test_the_reason_of_a_refusal_is_a_sentence():
    assert supports("spots", "pcfr+") == (
        "algorithms for spots are cfr, cfr+, lcfr, lcfr-3, lcfr+, dcfr, dcfr-4, dcfr-restarts, dcfr+, hs-dcfr, "
        "hs-dcfr-15, got 'pcfr+': they are solved with alternating updates and without prediction"
    )
    assert supports("sampling", "dcfr") == "algorithms for sampling are external, outcome, chance, average, got 'dcfr'"
    assert supports("spots", "magic").endswith("got 'magic'")
    assert supports("spots", ALGORITHMS["rm"]) == (
        "spots are solved with alternating updates and without prediction, which is not so of regret matching: "
        "CFR with simultaneous updates"
    )


def test_settings_of_small_games_change_the_result_or_are_refused():
    """One value for each setting that is not the usual one, on every algorithm."""
    other = {
        "averaging": "linear", "averaging_from": 4, "updates": "simultaneous", "discount": (1.0, 0.5, 3.0),
        "streams": 2, "epsilon": 0.9, "beta": 2.0, "tau": 2.0, "baseline": 0.5, "growing": True,
    }  # fmt: skip
    assert set(other) == set(TAKERS)
    same = {("averaging", name) for name in ("cfr+", "lcfr", "lcfr+")} | {("updates", name) for name in ("rm", "rm+")}
    for name in ABOUT:
        base = {"beta": 1.0, "tau": 1.0} if name == "average" else {}  # the usual one samples every action for long
        usual = solve(leduc(), name, iterations=100, **base).strategy
        for setting, value in other.items():
            if name not in TAKERS[setting]:
                with pytest.raises(ValueError, match=f"{setting.replace('_', ' ')} is for"):
                    Settings(name, **{setting: value})
                continue
            changed = solve(leduc(), name, iterations=100, **base | {setting: value}).strategy
            equal = changed.names == usual.names and np.array_equal(changed.probabilities, usual.probabilities)
            assert equal == ((setting, name) in same), (setting, name)


def test_exact_solvers_run_rows_that_are_no_names():
    solver = ExactSolver(flatten(kuhn()), replace(ALGORITHMS["pcfr+"], alternating=False))
    solver.run(FEW)
    assert supports("exact", solver.algorithm) is None

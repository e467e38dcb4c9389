"""Monte Carlo solvers: unbiased estimates, the fast kernel against the general one, the same result in every way."""

from __future__ import annotations

import numpy as np
import pytest

from ludus import solvers
from ludus.cards.random import streams
from ludus.files import load_arrays, save_arrays
from ludus.games import doubled_scissors, kuhn, leduc, leduc_nl
from ludus.solvers.best_response import Evaluator
from ludus.solvers.cfr import ExactSolver
from ludus.solvers.montecarlo.samplers import DONE, PAUSE, World, external, new_path, walk
from ludus.solvers.montecarlo.solver import SAMPLINGS, GrowingMonteCarlo, MonteCarlo, Sampling
from ludus.solvers.passes import by_situation, plan
from ludus.solvers.schedules import ALGORITHMS
from ludus.trees.flat import flatten
from reference_cfr import as_table, from_table, immediate_regrets, random_profile

BATCHES = 400


def estimates(flat, profile, sampling: Sampling, walks: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean estimates of regrets and averages of many batches, [batches, entries], while the strategy stands still."""
    policy = by_situation(plan(flat), as_table(flat, profile))  # regret matching on probabilities plays them
    world = World(flat.nodes, flat.payoffs, flat.deals.situation, flat.deals.outcome, np.zeros(flat.players, np.bool_))
    path = new_path(flat.players, 16, 8)
    path.random[:] = streams(sampling.seed, 1)[0]
    baselines = np.zeros((flat.players, flat.entries))
    regrets, sums = np.zeros((BATCHES, flat.entries)), np.zeros((BATCHES, flat.entries))
    for batch in range(BATCHES):
        path.cursor[:] = (-1, 0, 0, 1, 0)
        code = PAUSE
        while code == PAUSE:
            code = walk(world, sampling.rule, walks, path, policy, regrets[batch], sums[batch], baselines)
        assert code == DONE
    return regrets / walks, sums / walks


@pytest.mark.parametrize(("players", "public"), [(2, True), (2, False), (3, False)])
@pytest.mark.parametrize("baseline", [0.0, 0.05])
@pytest.mark.parametrize("kind", SAMPLINGS)
def test_estimates_are_unbiased(kind, baseline, public, players):
    """Means of regret estimates within 5 standard errors of the exact counterfactual regrets, averages likewise."""
    game = kuhn(players=players)
    flat = flatten(game, public)
    profile = random_profile(flat, seed=5, zeros=0.1)
    sampling = Sampling(kind, seed=9, epsilon=0.3, beta=3.0, tau=1.0, baseline=baseline)
    regrets, sums = estimates(flat, profile, sampling, walks=100 if kind == "chance" else 500)  # it follows all actions
    exact_regrets, exact_sums = immediate_regrets(game, profile)
    for found, exact in ((regrets, exact_regrets), (sums, exact_sums)):
        if found is sums and kind == "chance" and players > 2:
            continue  # it follows all actions of everybody, so that its averages count them in full
        mean = from_table(flat, found.mean(axis=0), "by_situation")
        error = from_table(flat, found.std(axis=0) / np.sqrt(BATCHES), "by_situation")
        for key, value in exact.items():
            assert (np.abs(mean[key] - value) <= 5 * error[key] + 1e-12).all(), (key, mean[key], value)


@pytest.mark.parametrize("kind", SAMPLINGS)
@pytest.mark.parametrize("game", [kuhn(), kuhn(players=3), doubled_scissors()], ids=lambda game: game.name)
def test_every_sampling_converges(kind, game):
    solver = MonteCarlo(flatten(game), Sampling(kind, seed=1, streams=1, epsilon=0.5, beta=100.0))
    solver.run(100_000)
    assert Evaluator(solver.flat).evaluate(solver.average()).nash_conv < 0.06 * game.players


def test_external_sampling_of_no_limit_leduc_comes_near_the_value():
    result = solvers.solve(leduc_nl(), "external", iterations=300_000, seed=3)
    assert result.exploitability < 4
    assert result.value[0] == pytest.approx(-6.556422, abs=1.5)


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("game", [kuhn(), leduc(), leduc_nl()], ids=lambda game: game.name)
def test_the_fast_kernel_matches_the_general_one(game, public):
    flat = flatten(game, public)
    world = World(flat.nodes, flat.payoffs, flat.deals.situation, flat.deals.outcome, np.zeros(2, np.bool_))
    tables = []
    for fast in (True, False):
        regrets, sums, path, random = np.zeros(flat.entries), np.zeros(flat.entries), new_path(2, 32, 8), streams(4, 1)
        if fast:
            external(world, 20, 1.0, 1, 300, random[0], regrets, sums, path)
        else:
            rule = Sampling("external", averaging_from=20, power=1.0).rule
            path.cursor[:], path.random[:] = (-1, 0, 0, 1, 0), random[0]
            walk(world, rule, 300, path, regrets, regrets, sums, np.zeros((2, 1)))
            random[0] = path.random
        tables.append((regrets, sums, random))
    for one, two in zip(*tables, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-9)


def test_baselines_cut_the_variance_of_outcome_sampling():
    flat = flatten(leduc())
    profile = random_profile(flat, seed=1, zeros=0)
    spread = {}
    for baseline in (0.0, 0.02):
        sampling = Sampling("outcome", seed=2, baseline=baseline)
        regrets, _ = estimates(flat, profile, sampling, walks=2000)
        spread[baseline] = regrets[BATCHES // 2 :].var(axis=0).sum()  # the second half, when baselines are learnt
    assert spread[0.02] < spread[0.0] / 2


def saved_bytes(tmp_path, name, **how) -> bytes:
    result = solvers.solve(leduc(), seed=7, **how)
    result.strategy.save(tmp_path / name)
    return (tmp_path / name).read_bytes()


@pytest.mark.parametrize(
    ("kind", "baseline"), [*((kind, 0.0) for kind in SAMPLINGS), ("external", 0.1), ("outcome", 0.1), ("average", 0.1)]
)
def test_the_number_of_workers_changes_nothing(tmp_path, kind, baseline):
    count = 2000 if kind == "chance" else 20_000
    files = [
        saved_bytes(tmp_path, f"{workers}", algorithm=kind, iterations=count, workers=workers, baseline=baseline)
        for workers in (1, 2, 3)
    ]
    assert files[0] == files[1] == files[2]


@pytest.mark.parametrize("growing", [False, True])
@pytest.mark.parametrize("kind", ["external", "outcome"])
def test_a_resumed_run_is_the_uninterrupted_one(tmp_path, kind, growing):
    whole = saved_bytes(tmp_path, "whole", algorithm=kind, iterations=5000, growing=growing, baseline=0.1)
    file = tmp_path / "checkpoint"

    class Crash(Exception):
        pass

    def crash(check):
        if check.iterations > 2500:
            raise Crash

    how = {"algorithm": kind, "iterations": 5000, "growing": growing, "baseline": 0.1, "checkpoint": file}
    with pytest.raises(Crash):
        solvers.solve(leduc(), seed=7, progress=crash, checkpoint_every=700, **how)
    assert file.exists()
    assert saved_bytes(tmp_path, "resumed", checkpoint_every=700, **how) == whole
    assert saved_bytes(tmp_path, "again", **how) == whole  # nothing left to do


@pytest.mark.parametrize("algorithm", ["dcfr", "pcfr+", "xfp"])
def test_exact_runs_resume_too(tmp_path, algorithm):
    whole = saved_bytes(tmp_path, "whole", algorithm=algorithm, iterations=50)
    file = tmp_path / "checkpoint"
    solvers.solve(leduc(), algorithm, seed=7, iterations=20, checkpoint=file)
    assert saved_bytes(tmp_path, "resumed", algorithm=algorithm, iterations=50, checkpoint=file) == whole


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    file = tmp_path / "checkpoint"
    solvers.solve(kuhn(), "external", iterations=100, checkpoint=file)
    for game, how, field in (
        (leduc(), {}, "name is kuhn there and leduc here"),
        (kuhn(), {"seed": 1}, "seed is 0 there and 1 here"),
        (kuhn(), {"algorithm": "outcome"}, "algorithm is external there"),
        (kuhn(), {"streams": 2}, "streams is 4 there"),
    ):
        with pytest.raises(ValueError, match=field):
            solvers.solve(game, **{"algorithm": "external", "iterations": 200, "checkpoint": file, **how})
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(ValueError, match="is not a file of Ludus"):
        solvers.solve(kuhn(), "external", iterations=200, checkpoint=file)


def test_without_chance_chance_sampling_is_cfr():
    """Also where it meets an information set several times in one walk."""
    flat = flatten(doubled_scissors())
    sampled, exact = MonteCarlo(flat, Sampling("chance", streams=1)), ExactSolver(flat, ALGORITHMS["cfr"])
    sampled.run(50)
    exact.run(50)
    np.testing.assert_allclose(sampled.average(), exact.average(), atol=1e-12)


@pytest.mark.parametrize("kind", ["outcome", "average", "chance"])
def test_a_growing_tree_plays_the_same_game(kind):
    whole = MonteCarlo(flatten(leduc(), public=False), Sampling(kind, seed=5, streams=1, beta=10.0))
    growing = GrowingMonteCarlo(leduc(), Sampling(kind, seed=5, streams=1, beta=10.0))
    count = 30 if kind == "chance" else 1000
    whole.run(3 * count)
    growing.run(count)
    growing.run(2 * count)
    part = growing.flat()
    size = growing.growth.entries
    expected = from_table(whole.flat, whole.regrets, "by_situation")
    for key, regrets in from_table(part, growing.regrets[:size], "by_situation").items():
        np.testing.assert_array_equal(regrets, expected.pop(key))
    assert all(not rest.any() for rest in expected.values())  # what it has not met, the other has not touched


def test_a_game_too_large_to_build_is_sampled_all_the_same():
    game = leduc_nl("any", stack=3000)
    result = solvers.solve(game, "outcome", iterations=200, growing=True)
    assert result.evaluation is None
    assert result.information_sets > 100
    with pytest.raises(ValueError, match="too large to measure"):
        solvers.solve(game, "outcome", target=1.0, growing=True)


@pytest.mark.parametrize("kind", SAMPLINGS)
@pytest.mark.parametrize("players", [2, 3])
def test_a_learner_is_averaged_against_fixed_strategies(kind, players):
    flat = flatten(kuhn(players=players))
    frozen = as_table(flat, random_profile(flat, seed=8))
    solver = MonteCarlo(flat, Sampling(kind, streams=1), fixed=dict.fromkeys(range(1, players), frozen))
    solver.run(2000)
    shares = from_table(flat, solver.sums, "by_situation")
    assert all(share.sum() > 0 for (player, name), share in shares.items() if player == 0 and ":" in name[-1:])
    average = from_table(flat, solver.average())
    current = from_table(flat, np.maximum(solver.regrets, 0), "by_situation")
    mixed = [key for key in average if key[0] == 0 and 0 < average[key][0] < 1]
    assert mixed  # the first iterations stay in an average, whatever is played by now
    assert any((current[key] == 0).any() for key in mixed)


def test_a_growing_run_stops_in_the_middle_of_an_iteration():
    result = solvers.solve(leduc_nl("any"), "external", seconds=0.5, growing=True)
    assert (result.stopped_by, result.seconds < 5) == ("seconds", True)


def wrapped_counts(counts):
    """Counts that add up to the right number only because 64 bits overflow: the last set would get all actions."""
    counts = counts.copy()
    total = counts.sum()
    counts[:4] = 1 << 62
    counts[4:-1] = 1
    counts[-1] = total - (len(counts) - 5)
    return counts


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("sums", lambda a: a[:1]), ("sums", lambda a: a.reshape(1, -1)), ("regrets", lambda a: a.astype(np.float32)),
        ("counts", lambda a: -a), ("players", lambda a: a + 5), ("baselines", lambda a: a[0]),
        ("random", lambda a: a[:1]), ("names", lambda a: a[:3]), ("regrets", lambda a: a * np.inf),
        ("regrets", lambda a: a * 0 + 1e308), ("counts", wrapped_counts), ("names", lambda a: a * 0 + ord("\n")),
        ("labels", lambda a: np.where(a == ord("\t"), ord("x"), a).astype(np.uint8)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("growing", [True, False])
def test_a_damaged_checkpoint_is_refused(tmp_path, name, damage, growing):
    file = tmp_path / "checkpoint"
    run = {"algorithm": "outcome", "iterations": 300, "growing": growing, "checkpoint": file, "baseline": 0.1}
    solvers.solve(kuhn(), **run)
    header, arrays = load_arrays(file, "checkpoint", 1)
    if name not in arrays:
        pytest.skip("this solver has no such array")
    with np.errstate(invalid="ignore"):
        save_arrays(file, header, {**arrays, name: damage(arrays[name])})
    with pytest.raises(ValueError, match="cannot go on from"):
        solvers.solve(kuhn(), **run)
    for claimed in (-5, 1.5, 10**400, None):
        save_arrays(file, {**header, "iterations": claimed}, arrays)
        with pytest.raises(ValueError, match="cannot go on from"):
            solvers.solve(kuhn(), **run)


def test_training_against_a_fixed_strategy():
    flat = flatten(kuhn())
    frozen = solvers.Strategy.of(flat, as_table(flat, random_profile(flat, seed=8)))
    table = frozen.table(flat)
    best = Evaluator(flat).evaluate(table).best_response
    for kind in ("external", "outcome"):
        for player in range(2):
            result = solvers.solve(kuhn(), kind, iterations=50_000, fixed={1 - player: frozen})
            assert result.value[player] == pytest.approx(best[player], abs=0.02)
            for other, name, actions in frozen.rows():
                if other != player:
                    assert result.strategy.at(other, name) == {action: chance for action, _, chance in actions}


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"kind": "inner"}, "sampling is one of"),
        ({"streams": 0}, "1 to 64 streams"),
        ({"epsilon": 0.0}, "epsilon is above 0"),
        ({"beta": 0.0}, "beta is above 0"),
        ({"baseline": 2.0}, "step of baselines"),
    ],
)
def test_bad_parameters_are_refused(wrong, why):
    with pytest.raises(ValueError, match=why):
        Sampling(**wrong)

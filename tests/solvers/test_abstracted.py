"""Card abstraction in games that are solved whole: merged regrets, buckets, and what they cost in a tiny hold'em."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from phevaluator import evaluate_cards

from ludus.cards.card import CARDS
from ludus.cards.evaluator import category, evaluate
from ludus.experiments.reproduce import abstraction as reproduce_abstraction
from ludus.games import kuhn, leduc, tiny_holdem
from ludus.solvers.abstracted import (
    CardAbstraction,
    MergedSolver,
    hand_strength,
    likelihoods,
    lossless,
    percentile_buckets,
    run_out_means,
)
from ludus.solvers.best_response import Evaluator
from ludus.solvers.cfr import ExactSolver
from ludus.solvers.schedules import ALGORITHMS
from ludus.trees.deals import FIRST_WINS, TIE
from ludus.trees.flat import FlatGame, flatten
from reference_cfr import from_table, immediate_regrets

SMALLEST = flatten(tiny_holdem(ranks=4))
SMALL = flatten(tiny_holdem(ranks=5))


def merged_by(flat: FlatGame, bucket_of) -> CardAbstraction:
    """An abstraction from a function of a hand's and a board's names."""
    return CardAbstraction(
        tuple(
            np.array([bucket_of(hand, "".join(board)) for board in boards for hand in flat.deals.hands])
            for boards in flat.deals.boards
        )
    )


def exploitability(flat: FlatGame, cards: CardAbstraction, iterations: int) -> float:
    solver = MergedSolver(flat, cards)
    solver.run(iterations)
    return Evaluator(flat).evaluate(solver.average()).exploitability


# The game


@pytest.mark.parametrize("ranks", [4, 6, 8])
def test_hands_of_a_tiny_deck_rank_as_ever_and_suits_never_matter(ranks):
    deck = tiny_holdem(ranks).deck
    assert len(deck) == 2 * ranks
    hands = list(combinations(deck, 6))
    found = evaluate(hands).tolist()
    assert not {"flush", "straight flush"} & {category(rank) for rank in set(found)}
    assert ("straight" in {category(rank) for rank in set(found)}) == (ranks > 4)
    by_ranks = defaultdict(set)
    for hand, rank in zip(hands, found, strict=True):
        by_ranks[tuple(card // 4 for card in hand)].add(rank)
    assert all(len(classes) == 1 for classes in by_ranks.values())
    for hand, rank in list(zip(hands, found, strict=True))[::7]:
        assert rank == evaluate_cards(*(CARDS[card] for card in hand))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"ranks": 3}, "ranks"), ({"ranks": 9}, "ranks"), ({"stack": 1}, "stacks"), ({"bets": "much"}, "much")],
)
def test_bad_rules_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        tiny_holdem(**parameters)


# Merged information sets


def pair_or_not(own: str, board: str) -> int:
    """Leduc, known badly: kings before the flop, a pair after it."""
    return int(own == board) if board else int(own == "K")


@pytest.mark.parametrize(("game", "bucket_of"), [(kuhn(), lambda own, _: int(own == "K")), (leduc(), pair_or_not)])
def test_merged_regrets_and_averages_are_sums_over_the_members(game, bucket_of):
    flat = flatten(game)
    cards = merged_by(flat, bucket_of)
    solver = MergedSolver(flat, cards, ALGORITHMS["rm"])
    regrets, sums = defaultdict(float), defaultdict(float)

    def merged(key: tuple[int, str]) -> tuple[int, int, str]:
        shown, betting = key[1].split(":")
        return key[0], bucket_of(shown[0], shown[1:].replace("/", "")), betting

    profile = from_table(flat, solver.average())
    for _ in range(4):
        for total, new in zip((regrets, sums), immediate_regrets(game, profile), strict=True):
            for key, numbers in new.items():
                total[merged(key)] = total[merged(key)] + numbers
        for key in profile:
            positive = np.maximum(regrets[merged(key)], 0)
            even = np.full(len(positive), 1 / len(positive))
            profile[key] = positive / positive.sum() if positive.sum() > 0 else even
        solver.run(1)
    found = {name: from_table(flat, solver.expanded(getattr(solver, name))) for name in ("regrets", "sums", "strategy")}
    for key, chances in profile.items():
        np.testing.assert_allclose(found["regrets"][key], regrets[merged(key)], atol=1e-12)
        np.testing.assert_allclose(found["sums"][key], sums[merged(key)], atol=1e-12)
        np.testing.assert_allclose(found["strategy"][key], chances, atol=1e-12)
    assert len({merged(key) for key in profile}) == cards.information_sets(flat)


@pytest.mark.parametrize("algorithm", ["dcfr", "pcfr+", "rm+"])
def test_suits_of_leduc_merge_without_loss(algorithm):
    flat, ranks = flatten(leduc(show_suits=True)), flatten(leduc())
    names = {name: at for at, name in enumerate("JQK")}
    cards = merged_by(flat, lambda own, board: names[own[0]] * 3 + names[board[0]] if board else names[own[0]])
    assert cards.information_sets(flat) == len(ranks.sets) == 288
    merged = MergedSolver(flat, cards, ALGORITHMS[algorithm])
    exact = ExactSolver(ranks, ALGORITHMS[algorithm])
    for solver in (merged, exact):
        solver.run(10)  # longer runs part by rounding
    expected = from_table(ranks, exact.average())
    for (player, name), chances in from_table(flat, merged.average()).items():
        shown, betting = name.split(":")
        same = expected[player, f"{shown.translate({ord(suit): None for suit in 'cdhs'})}:{betting}"]
        np.testing.assert_allclose(chances, same, atol=1e-9)


def test_lossless_buckets_are_the_game_itself():
    merged, exact = MergedSolver(SMALLEST, lossless(SMALLEST.deals)), ExactSolver(SMALLEST, ALGORITHMS["dcfr"])
    for solver in (merged, exact):
        solver.run(200)
    found, expected = (Evaluator(SMALLEST).evaluate(solver.average()) for solver in (merged, exact))
    assert expected.exploitability < 1e-3
    assert found.value == pytest.approx(expected.value, abs=1e-3)
    assert found.exploitability < 1e-3
    assert lossless(SMALLEST.deals).information_sets(SMALLEST) == len(SMALLEST.sets)


def test_a_run_in_parts_is_the_run_in_one():
    cards = percentile_buckets(SMALLEST.deals, 3)
    whole, parts = (MergedSolver(SMALLEST, cards) for _ in range(2))
    whole.run(7)
    parts.run(3)
    resumed = MergedSolver(SMALLEST, cards)
    resumed.restore(3, parts.state())
    resumed.run(4)
    np.testing.assert_array_equal(resumed.average(), whole.average())


def test_an_abstraction_belongs_to_its_game():
    for flat in (SMALL, flatten(kuhn(), public=False)):
        with pytest.raises(ValueError, match="made for"):
            MergedSolver(flat, lossless(SMALLEST.deals))
    with pytest.raises(ValueError, match="a bucket"):
        CardAbstraction((np.array([0, -1]),))
    with pytest.raises(ValueError, match="at least one bucket"):
        percentile_buckets(SMALLEST.deals, 0)


# Buckets


def test_strengths_match_playing_out_every_deal():
    deals = SMALLEST.deals
    won = np.where(deals.outcome == FIRST_WINS, 1.0, np.where(deals.outcome == TIE, 0.5, 0.0))
    last = deals.situation[:, 0, -1]
    strength = {at: won[last == at].mean() for at in set(last.tolist())}
    found = hand_strength(deals)
    assert {at: found.ravel()[at] for at in strength} == pytest.approx(strength)
    assert found.sum() == pytest.approx(sum(strength.values()))
    squares = np.array([strength[at] ** 2 for at in last.tolist()])
    for level, means in enumerate(run_out_means(deals, found**2)):
        here = deals.situation[:, 0, level]
        assert means[here].mean() == pytest.approx(squares.mean())
        for at in set(here.tolist()):
            assert means[at] == pytest.approx(squares[here == at].mean())


@settings(max_examples=20, deadline=None)
@given(count=st.integers(1, 400), recall=st.booleans())
def test_buckets_follow_strength_and_doubling_refines_them(count, recall):
    deals = SMALL.deals
    cards, finer = percentile_buckets(deals, count, recall), percentile_buckets(deals, 2 * count, recall)
    squared = run_out_means(deals, hand_strength(deals) ** 2)
    for level, weight in enumerate(likelihoods(deals)):
        own, possible = cards.buckets[level], weight > 0
        assert len(set(zip(finer.buckets[level][possible], own[possible], strict=True))) == finer.counts[level]
        assert set(own[possible].tolist()) == set(range(cards.counts[level]))
        if recall and level:
            above = cards.buckets[level - 1].reshape(-1, len(deals.hands))[deals.before[level]].ravel()
            assert len(set(zip(own[possible], above[possible], strict=True))) == cards.counts[level]
        else:
            assert cards.counts[level] <= count
            order = np.lexsort((squared[level][possible], own[possible]))
            assert (np.diff(squared[level][possible][order]) > -1e-8).all()
            heaviest = max(np.bincount(own, weight))
            assert heaviest <= weight.sum() / count + weight.max() + 1e-12


def test_enough_buckets_are_lossless():
    deals = SMALLEST.deals
    for level, expected in zip(percentile_buckets(deals, 10**6).buckets, lossless(deals).buckets, strict=True):
        assert level.max() == expected.max()


# What they cost


def test_exploitability_falls_as_buckets_grow():
    found = [exploitability(SMALL, percentile_buckets(SMALL.deals, count), 60) for count in (1, 8, 64)]
    exact = exploitability(SMALL, lossless(SMALL.deals), 60)
    assert found[0] > 3 * found[1] > 9 * exact
    assert found[1] > found[2] > exact
    assert exact < 2e-3


@pytest.mark.slow
def test_the_tiny_game_has_the_stated_value():
    solver = ExactSolver(flatten(tiny_holdem()), ALGORITHMS["dcfr"])
    solver.run(500)
    assert Evaluator(solver.flat).evaluate(solver.average()).value[0] == pytest.approx(-0.182686, abs=1e-5)


# The command


@pytest.fixture
def experiment(ludus, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "110")
    words = "reproduce", "abstraction", "--ranks", "4", "--iterations", "60", "--out", tmp_path
    return lambda *more: ludus(*words, *more)


def test_the_experiment_as_data(experiment, tmp_path):
    code, out, err = experiment("--json", "--buckets", "1,4", "--plot", tmp_path / "curve.svg")
    assert (code, err) == (0, "")
    result = json.loads(out)
    rows = {(row["recall"], row["buckets"]): row for row in result["rows"]}
    most = max(map(len, (set(level.tolist()) for level in lossless(SMALLEST.deals).buckets)))
    assert set(rows) == {
        *((recall, count) for recall in ("imperfect", "perfect") for count in (1, 4)),
        ("lossless", most),
    }
    assert rows["imperfect", 1]["buckets_per_street"] == [1, 1, 1]
    assert rows["imperfect", 1]["exploitability"] == pytest.approx(rows["perfect", 1]["exploitability"])
    assert rows["perfect", 4]["information_sets"] > rows["imperfect", 4]["information_sets"]
    assert rows["lossless", most]["information_sets"] == len(SMALLEST.sets)
    for row in rows.values():
        assert row["exploitability_mbb_per_game"] == pytest.approx(500 * row["exploitability"])
        assert row["share_of_uniform"] == pytest.approx(row["exploitability"] / result["uniform_exploitability"])
    assert rows["imperfect", 1]["exploitability"] > rows["imperfect", 4]["exploitability"]
    assert rows["imperfect", 4]["exploitability"] > rows["lossless", most]["exploitability"]
    assert Path(result["files"]["plot"]).read_text().startswith("<?xml")
    assert len(Path(result["files"]["csv"]).read_text().splitlines()) == 6


def test_the_experiment_as_a_table(experiment, tmp_path):
    code, out, err = experiment("--buckets", "2")
    assert (code, err) == (0, "")
    for words in ("5 big blinds", "lossless", "imperfect", "mbb/g", "More buckets were"):
        assert words in out
    assert (tmp_path / "abstraction.png").read_bytes()[:4] == b"\x89PNG"


def test_rises_are_told_and_errors_of_solving_are_not():
    def row(recall: str, buckets: int, chips: float) -> reproduce_abstraction.Row:
        return reproduce_abstraction.Row(recall, buckets, (1,), 1, chips, 500 * chips, chips, 0.0)

    rows = [
        row("imperfect", 1, 0.5), row("imperfect", 2, 0.6), row("imperfect", 4, 0.6005),
        row("perfect", 1, 0.5), row("perfect", 2, 0.0009), row("lossless", 9, 0.001),
    ]  # fmt: skip
    assert reproduce_abstraction.rises(rows) == ["imperfect recall from 1 to 2 buckets (by 50 mbb/g)"]


@pytest.mark.parametrize("words", [("--buckets", "many"), ("--buckets", "4,2"), ("--buckets", "0,1")])
def test_bad_buckets_are_explained(experiment, words):
    code, out, err = experiment(*words)
    assert (code, out) == (2, "")
    assert err.startswith("ludus: buckets are")


def test_an_interrupt_keeps_what_there_is(experiment, monkeypatch):
    def tired(work, blocks, threads, progress):
        work(list(blocks)[1])
        raise KeyboardInterrupt

    monkeypatch.setattr(reproduce_abstraction, "in_blocks", tired)
    code, out, err = experiment("--buckets", "1,2", "--json")
    assert code == 130
    assert "1 of 5 abstractions" in err
    assert len(json.loads(out)["rows"]) == 1

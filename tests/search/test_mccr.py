"""Monte-Carlo continual re-solving: unbiased samples, the kernel against a slow reference, and what it plays."""

from __future__ import annotations

import numpy as np
import pytest

from ludus.arena.whole_strategy import whole_strategy
from ludus.games import holdem, kuhn, leduc, leduc_nl
from ludus.games.menu import Menu
from ludus.games.record import hole_hands, replay
from ludus.search.mccr import AVERAGINGS, MonteCarloResolver, Part, Search
from ludus.search.mccr_sampling import VALUE, WEIGHT, new_line, sample
from ludus.solvers import measure
from ludus.solvers.best_response import Evaluator
from ludus.solvers.depth.gadget import constrain
from ludus.solvers.passes import (
    by_action,
    by_situation,
    leaf_pass,
    normalised,
    plan,
    reach_pass,
    uniform_strategy,
    value_pass,
)
from ludus.trees.flat import flatten
from reference_cfr import as_table, random_profile
from reference_mccr import Reference
from small_games import GAMES

BLOCKS, STILL = 200, 1e9  # regrets so large that samples hardly change them: the strategy stands still
PLACES = {"kuhn": (kuhn(), "c", 1, "Q"), "leduc": (leduc(), "cr", 0, "J"), "leduc, river": (leduc(), "rc/", 0, "K")}


def whole_exploitability(player, game) -> float:
    """In chips, exactly."""
    return measure(whole_strategy(player, game))[0].exploitability


def at(game, betting: str):
    return replay(game, betting, game.deck).seen_by(-1)


def searching(place: str, seed: int = 3) -> Search:
    """A search behind the gadget from a range and values that are anything."""
    game, betting, player, hand = PLACES[place]
    part, rng = Part(flatten(game, root=at(game, betting))), np.random.default_rng(seed)
    reach = rng.random(len(part.hands)) + 0.1
    reach /= reach[part.dealt[:, player]].mean()
    return Search(part, part.new_tables(), player, hand, reach, rng.normal(size=len(part.hands)))


def play(search: Search, aim: float, by_reach: bool, first: int, count: int, random: np.ndarray) -> None:
    groups = search.part.flat.groups
    line = new_line(len(groups), int(groups["actions"].max()))
    sample(search.part.stage, search.start(aim), search.tables, line, 0.6, by_reach, first, count, random)


class Exact:
    """The gadget game of a search by exact passes, under a random strategy that the tables of the search play."""

    def __init__(self, search: Search) -> None:
        part, opponent = search.part, 1 - search.player
        self.meet = part.flat.deals.meet[part.flat.nodes["level"][0]][0]
        self.chance = self.meet.sum()  # of the board: deals of the part are as likely as in the whole game
        self.gadget, ranges = constrain(part.flat, opponent, search.leaving * (self.meet @ search.reach), search.reach)
        self.plan, size = plan(self.gadget, ranges), part.flat.entries
        self.strategy = as_table(self.gadget, random_profile(self.gadget, seed=1, zeros=0))
        table = STILL * by_situation(self.plan, self.strategy)
        search.tables.regrets[:], search.tables.stored[:] = table[:size], True
        search.tables.choice[:] = table[size:].reshape(-1, 2)
        self.judge = Evaluator(self.gadget, self.plan)

    def regrets(self) -> np.ndarray:
        p = self.plan
        reach, values, regret = np.zeros(p.reaches), np.zeros(p.values), np.zeros(self.gadget.entries)
        for player in (0, 1):
            reach_pass(p, player, self.strategy, reach)
        for player in (0, 1):
            leaf_pass(p, player, reach, values)
            value_pass(p, player, self.strategy, values, regret)
        return by_situation(p, regret) / self.chance

    def averages(self, part: Part) -> np.ndarray:
        """What the average of every information set grows by: chance, the player's reach and their strategy."""
        found = np.zeros(part.flat.entries)
        for group in part.flat.groups:
            node, count, start = int(group["node"]), int(group["actions"]), int(group["start"])
            met = part.flat.deals.meet[part.flat.nodes["level"][node]].sum(axis=2).ravel() / self.chance
            came = self.judge.reach(self.strategy, int(group["player"]), node + 2) * met
            row = self.strategy[start : start + count * len(came)].reshape(count, -1)
            found[start : start + row.size] = (came * row).T.ravel()
        return found

    def values(self, part: Part, player: int, by_reach: bool) -> np.ndarray:
        """Counterfactual values and their weights at every decision, [VALUE or WEIGHT, cells]."""
        found = []
        for group in part.flat.groups:
            node = int(group["node"])
            value = self.judge.values(self.strategy, player, node + 2)
            meet = part.flat.deals.meet[part.flat.nodes["level"][node]]
            other = self.judge.reach(self.strategy, 1 - player, node + 2).reshape(len(meet), -1)
            weight = np.einsum("bho,bo->bh", meet, other).ravel()
            scale = self.judge.reach(self.strategy, player, node + 2) if by_reach else 1.0
            found.append(np.array([value, weight]) * scale / self.chance)
        return np.concatenate(found, axis=1)


def mean_and_error(blocks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return blocks.mean(axis=0), blocks.std(axis=0, ddof=1) / np.sqrt(len(blocks))


@pytest.mark.parametrize("by_reach", [True, False])
@pytest.mark.parametrize("aim", [0.0, 0.9])
@pytest.mark.parametrize("place", PLACES)
def test_estimates_are_unbiased(place, aim, by_reach):
    search, count = searching(place), 4000
    exact, tables, part = Exact(search), search.tables, search.part
    random, found = np.array([1, 2], np.uint64), []
    for block in range(BLOCKS):
        before = [table.copy() for table in (tables.regrets, tables.choice, tables.sums, tables.values)]
        play(search, aim, by_reach, block * count, count, random)
        now = tables.regrets, tables.choice, tables.sums, tables.values
        found.append([(new - old) / count for new, old in zip(now, before, strict=True)])
    regrets, choice, sums, values = (np.array(blocks) for blocks in zip(*found, strict=True))
    hands, size = len(part.hands), part.flat.entries
    pairs = values.reshape(BLOCKS, 2, 2, -1, hands, hands)  # blocks, player, kind, groups and boards, both hands
    signs = {0: 1.0, 1: -1.0}
    claims = [
        (2 * regrets, exact.regrets()[:size]),  # every player walks in half of the samples
        (2 * choice.reshape(BLOCKS, -1), exact.regrets()[size:]),
        (2 * sums, exact.averages(part)),
    ]
    for player in (0, 1):
        summed = pairs[:, player].sum(axis=4 - player).reshape(BLOCKS, 2, -1)
        truth = exact.values(part, player, by_reach)
        claims += [(signs[player] * summed[:, VALUE], truth[VALUE])]
        claims += [(summed[:, WEIGHT], truth[WEIGHT])] if by_reach else []
    for estimates, truth in claims:
        mean, error = mean_and_error(estimates)
        assert (np.abs(mean - truth) < 5 * error + 1e-6).all()
        assert np.linalg.norm(error) < 0.2 * np.linalg.norm(truth)  # else anything would pass


@pytest.mark.parametrize("place", PLACES)
def test_uniform_weights_are_how_often_the_average_comes(place):
    search = searching(place)
    exact, part, opponent = Exact(search), search.part, 1 - search.player
    search.tables.sums[:] = search.tables.regrets
    search.count(7)
    pairs = search.tables.values[opponent, WEIGHT].reshape(-1, len(part.hands), len(part.hands))
    found = pairs.sum(axis=2 - opponent).ravel()
    assert found == pytest.approx(7 * exact.values(part, opponent, by_reach=False)[WEIGHT])
    assert not search.tables.values[search.player, WEIGHT].any()


@pytest.mark.parametrize("by_reach", [True, False])
@pytest.mark.parametrize("aim", [0.0, 0.9])
@pytest.mark.parametrize("place", PLACES)
def test_the_kernel_does_what_the_reference_does(place, aim, by_reach):
    search = searching(place)
    part, state = search.part, search.part.flat.root
    ranges, leaving = (
        dict(zip(part.hands, search.reach, strict=True)),
        dict(zip(part.hands, search.leaving, strict=True)),
    )
    random = np.array([5, 7], np.uint64)
    slow = Reference(state, search.player, search.hand, ranges, leaving, aim, 0.6, by_reach, (random[0], random[1]))
    for t in range(300):
        slow.sample(t % 2)
    play(search, aim, by_reach, 0, 300, random)
    tables, flat = search.tables, part.flat
    sets, hands = flat.sets, len(part.hands)
    assert tables.stored.sum() == len(slow.regrets) > 3
    for k, name in enumerate(sets.names):
        rows = slice(sets.offsets[k], sets.offsets[k + 1])
        actions, places = sets.actions[rows].tolist(), sets.by_situation[rows]
        expected = slow.regrets.get(name, {})
        assert tables.regrets[places] == pytest.approx([expected.get(action, 0.0) for action in actions])
        assert tables.sums[places] == pytest.approx([slow.sums[name][action] for action in actions])
    for at_hand, hand in enumerate(part.hands):
        assert tables.choice[at_hand] == pytest.approx(list(slow.choice[hand].values()))
    for player in (0, 1):
        found = tables.values[player].reshape(2, -1, hands)
        assert found.sum(axis=(1, 2)) == pytest.approx(
            np.sum([entry for (who, *_), entry in slow.values.items() if who == player], axis=0), rel=1e-6
        )
        first = [slow.values[player, state.public_state(), one, two] for one in part.hands for two in part.hands]
        np.testing.assert_allclose(found[:, :hands].reshape(2, -1).T, first, rtol=1e-6)


def test_the_tree_grows_by_at_most_one_set_a_sample():
    search = searching("leduc")
    random, sizes = np.array([1, 2], np.uint64), [0]
    for t in range(400):
        play(search, 0.5, True, t, 1, random)
        sizes.append(int(search.tables.stored.sum()))
    assert set(np.diff(sizes)) == {0, 1}
    assert sizes[-1] > 20
    for group, first in zip(search.part.flat.groups, search.part.stage.cell, strict=True):
        start, count, size = (int(group[name]) for name in ("start", "actions", "situations"))
        outside = ~search.tables.stored[first : first + size]
        for table in (search.tables.regrets, search.tables.sums):
            assert not table[start : start + count * size].reshape(size, count)[outside].any()


def test_an_information_set_is_always_played_alike():
    game = leduc()
    bettings = ("", "c", "cr", "rr", "rc/", "rrc/r", "cc/crr")
    asked = {
        (betting, hand): MonteCarloResolver(200, 500, seed=4).search(at(game, betting), at(game, betting).player, hand)
        for betting in bettings
        for hand in "JQK"
    }
    one = MonteCarloResolver(200, 500, seed=4)
    for betting, hand in reversed(asked):
        held = one.search(at(game, betting), at(game, betting).player, hand).held
        assert (held == asked[betting, hand].held).all()
    other = MonteCarloResolver(200, 500, seed=5)
    assert (other.range_strategy(at(game, "c")).chances != one.range_strategy(at(game, "c")).chances).any()


def test_the_range_is_put_together_from_the_hands():
    game, resolver = leduc(show_suits=True), MonteCarloResolver(200, 500)
    state = replay(game, "rc/c", game.deck)
    whole = resolver.range_strategy(state.seen_by(-1))
    assert whole.chances.sum(axis=1) == pytest.approx(1)
    row = whole.chances[hole_hands(game).index(state.hole(1))]
    found = resolver.strategy(state.seen_by(1))
    assert [found.get(action, 0.0) for action in whole.actions] == row.tolist()
    assert len(np.unique(whole.chances, axis=0)) == 3  # suits make no difference


def test_more_samples_are_harder_to_exploit_in_kuhn_poker():
    few, many = (
        np.mean([whole_exploitability(MonteCarloResolver(n, n, seed), kuhn()) for seed in range(4)])
        for n in (100, 30_000)
    )
    assert many < 0.02 < few


def test_limit_leduc_is_learned():
    game = leduc()
    assert whole_exploitability(MonteCarloResolver(100, 100), game) > 1
    assert whole_exploitability(MonteCarloResolver(10_000, 100_000), game) < 0.35


@pytest.mark.slow
def test_thinking_improves_on_preparation_in_leduc():
    few, many = (
        np.mean([whole_exploitability(MonteCarloResolver(n, 100_000, seed), leduc()) for seed in range(3)])
        for n in (10, 100_000)
    )
    assert many < 0.75 * few


@pytest.mark.slow
def test_values_averaged_by_reach_are_better_in_leduc():
    worse = [
        whole_exploitability(MonteCarloResolver(100_000, 1_000_000, seed, averaging="uniform"), leduc())
        - whole_exploitability(MonteCarloResolver(100_000, 1_000_000, seed, averaging="reach"), leduc())
        for seed in range(101, 107)
    ]
    assert np.mean(worse) > 0


def test_what_was_learned_goes_on(monkeypatch):
    game, resolver = leduc(), MonteCarloResolver(300, 30_000)
    last, now = (resolver._begin(at(game, betting), 0, "Q") for betting in ("", "rc/"))
    before = resolver.search(at(game, ""), 0, "Q")
    sets, place = now.part.flat.sets, dict(zip(last.part.flat.sets.names, last.part.flat.sets.offsets, strict=False))
    for k, name in enumerate(sets.names):
        mine = sets.by_situation[sets.offsets[k] : sets.offsets[k + 1]]
        theirs = last.part.flat.sets.by_situation[place[name] : place[name] + len(mine)]
        assert (now.tables.regrets[mine] == before.tables.regrets[theirs]).all()
        assert (now.tables.sums[mine] == before.tables.sums[theirs]).all()
    assert now.tables.regrets.any()
    assert now.tables.stored.mean() > 0.9
    assert now.tables.values[:, WEIGHT].sum() > 0
    kept = np.mean([whole_exploitability(MonteCarloResolver(300, 30_000, seed), game) for seed in range(2)])
    monkeypatch.setattr(Part, "carry", lambda self, before, learned: self.new_tables())
    fresh = np.mean([whole_exploitability(MonteCarloResolver(300, 30_000, seed), game) for seed in range(2)])
    assert kept < 0.75 * fresh


@pytest.mark.parametrize("averaging", AVERAGINGS)
def test_what_the_opponent_may_leave_with_is_what_they_win_against_the_average(averaging):
    game = leduc()
    flat, found = flatten(game), MonteCarloResolver(1, 1_000_000, averaging=averaging).prepared(game)
    ready = plan(flat)
    strategy = normalised(ready, by_action(ready, found.tables.sums), uniform_strategy(ready))
    for player in (0, 1):
        exact = Evaluator(flat).values(strategy, 1 - player, 0) * 3  # each hand is dealt a third of the time
        assert found.conceded(at(game, ""), player, np.ones(3)) == pytest.approx(exact, abs=0.1)


def test_a_bet_that_the_tree_lacks_is_answered_where_it_was_made():
    game = leduc_nl(bets="0.5,pot,allin")
    resolver = MonteCarloResolver(2000, 10_000, bets=Menu.parse("pot,allin"))
    half = next(action for action in at(game, "").legal_actions() if action > 0)
    assert half not in at(leduc_nl(), "").legal_actions()
    state = at(game, "").apply(half)
    search = resolver.search(state, 1, "K")
    assert search.part.flat.root.line == state.line
    assert resolver.range_strategy(state).chances.sum(axis=1) == pytest.approx(1)
    later = state.apply(0).deal(game.deck).seen_by(-1).apply(0)  # called, a card, a check
    assert later.player == 1
    assert resolver.search(later, 1, "K").held.sum() == pytest.approx(1)
    own = at(game, "").apply(half).apply(max(state.legal_actions()))  # the first player made it, and meets a raise
    assert resolver.search(own, 0, "Q").reach.max() == 1


@pytest.mark.parametrize("averaging", AVERAGINGS)
@pytest.mark.parametrize(
    "name",
    ["leduc-nl, casino", "a street without cards", "a card on the table from the start", "unequal antes"],
)
def test_other_small_games_are_played_too(name, averaging):
    resolvers = (MonteCarloResolver(n, 10 * n, averaging=averaging) for n in (5, 1000))
    few, many = (whole_exploitability(resolver, GAMES[name]) for resolver in resolvers)
    assert 0 < many < 0.7 * few


def test_bad_input_is_refused():
    game = leduc()
    with pytest.raises(ValueError, match="at least 1 sample"):
        MonteCarloResolver(0)
    with pytest.raises(ValueError, match="exploration"):
        MonteCarloResolver(exploration=0)
    with pytest.raises(ValueError, match="own hand"):
        MonteCarloResolver(aim=1)
    with pytest.raises(ValueError, match="reach, uniform"):
        MonteCarloResolver(averaging="linear")
    resolver = MonteCarloResolver(10, 10)
    with pytest.raises(ValueError, match="for two players"):
        resolver.check(kuhn(players=3))
    with pytest.raises(ValueError, match="too many"):
        resolver.check(holdem())
    with pytest.raises(ValueError, match="hidden"):
        resolver.strategy(at(game, ""))
    with pytest.raises(ValueError, match="nobody can hold"):
        resolver.search(at(game, ""), 0, "A")

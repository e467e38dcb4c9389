"""Solving with a card abstraction in games small enough to say exactly what it costs.

An abstraction puts the *situations* of a player (their hand and the board, see ``ludus.trees.deals``) into *buckets*.
After the same betting, situations of one bucket are one information set of the merged game: the counterfactual regret
of each action is the sum over the members, and all of them play alike. CFR on the merged game therefore runs over the
whole game's tree, and its result is a strategy of the whole game, whose exploitability there is exact.

More buckets need not make a strategy less exploitable (Waugh, Schnizlein, Bowling & Szafron 2009, "Abstraction
pathologies in extensive games"). Where buckets forget what a player knew before, CFR has no guarantee even within the
merged game (Waugh et al. 2009, "A practical use of imperfect recall"), and yet works well in practice.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ludus.compiled import kernel
from ludus.solvers.capabilities import check_honours, check_supports
from ludus.solvers.cfr import ExactSolver, update
from ludus.solvers.passes import (
    Floats,
    Index,
    Ints,
    Plan,
    leaf_pass,
    normalised,
    reach_pass,
    uniform_strategy,
    value_pass,
)
from ludus.solvers.schedules import ALGORITHMS, Algorithm
from ludus.trees.deals import Deals
from ludus.trees.flat import FlatGame

DIGITS = 9  # features that agree so far are equal


@dataclass(frozen=True, eq=False)
class CardAbstraction:
    """The bucket of every situation at every level; those that cannot arise may have any."""

    buckets: tuple[Ints, ...]  # per level [situations]

    def __post_init__(self) -> None:
        if any(level.ndim != 1 or not len(level) or level.min() < 0 for level in self.buckets):
            raise ValueError("an abstraction has a bucket, 0 or above, for each situation of each level")

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Number of buckets at each level."""
        return tuple(int(level.max()) + 1 for level in self.buckets)

    def information_sets(self, flat: FlatGame) -> int:
        """How many information sets the merged game has, both players' together."""
        return sum(self.counts[level] for level in _group_levels(flat).tolist())


def lossless(deals: Deals) -> CardAbstraction:
    """A bucket for every situation that can arise: the game itself."""
    return CardAbstraction(tuple(_numbered(np.arange(len(weight)), weight) for weight in likelihoods(deals)))


def percentile_buckets(deals: Deals, count: int, recall: bool = False) -> CardAbstraction:
    """At most ``count`` buckets a level, as equally likely as can be, in the order of E[HS^2].

    Bucketing by percentiles of E[HS^2] is that of Zinkevich et al. (2007). A small deck has few different strengths on
    the last street; equal ones are ordered by their strength against strong hands and then by the cards, so that enough
    buckets are lossless. Twice as many buckets always refine the others. A player remembers the bucket of the present
    street alone, neither the board nor earlier buckets; with ``recall`` they remember those of all streets, which
    makes more information sets.
    """
    if count < 1:
        raise ValueError(f"there is at least one bucket, got {count}")
    strengths, weights = hand_strength(deals), likelihoods(deals)
    squared = run_out_means(deals, strengths**2)
    against_strong = run_out_means(deals, hand_strength(deals, strengths**2))
    buckets: list[Ints] = []
    for level, weight in enumerate(weights):
        order = np.lexsort((np.round(against_strong[level], DIGITS), np.round(squared[level], DIGITS)))
        found = _percentiles(order, weight, count)
        if recall and level:
            above = buckets[-1].reshape(-1, len(deals.hands))[deals.before[level]].ravel()
            found = _numbered(above * (found.max() + 1) + found, weight)
        buckets.append(found)
    return CardAbstraction(tuple(buckets))


def likelihoods(deals: Deals) -> tuple[Floats, ...]:
    """Per level [situations]: how probably a player is in each; 0 where their hand and the board share a card."""
    return tuple(meet.sum(axis=2).ravel() for meet in deals.meet)


def hand_strength(deals: Deals, weights: Floats | None = None) -> Floats:
    """[boards, hands] of the last level: the chance to beat a random hand, ties counting half; 0 if it cannot arise.

    ``weights``, of the same shape, say how much each hand of the other player counts on a board.
    """
    counted = np.ones(deals.wins.shape[:2]) if weights is None else weights
    won = np.einsum("bho,bo->bh", (deals.meet[-1] + deals.wins) / 2, counted)
    met = np.einsum("bho,bo->bh", deals.meet[-1], counted)
    strengths: Floats = np.divide(won, met, out=np.zeros_like(won), where=met > 0)
    return strengths


def run_out_means(deals: Deals, numbers: Floats) -> tuple[Floats, ...]:
    """Per level [situations]: the mean of numbers of the last level [boards, hands] over the boards still to come."""
    weights = likelihoods(deals)
    sums = [numbers * weights[-1].reshape(numbers.shape)]
    for before, boards in zip(deals.before[:0:-1], deals.boards[-2::-1], strict=True):
        above = np.zeros((len(boards), numbers.shape[1]))
        np.add.at(above, before, sums[0])
        sums.insert(0, above)
    return tuple(
        np.divide(total.ravel(), weight, out=np.zeros_like(weight), where=weight > 0)
        for total, weight in zip(sums, weights, strict=True)
    )


def _percentiles(order: Ints, weight: Floats, count: int) -> Ints:
    """Buckets of situations put in order, equally likely; a bucket each where there are enough."""
    order = order[weight[order] > 0]
    places = np.arange(len(order))
    if count < len(order):
        ends = np.cumsum(weight[order])
        middles = (ends - weight[order] / 2) / ends[-1]
        places = np.floor(np.round(middles * count, DIGITS)).astype(np.int64)
    buckets = np.zeros(len(weight), np.int64)
    buckets[order] = places
    return _numbered(buckets, weight)


def _numbered(buckets: Ints, weight: Floats) -> Ints:
    """The same buckets numbered without gaps; situations that cannot arise go to the first."""
    out, possible = np.zeros(len(buckets), np.int64), weight > 0
    out[possible] = np.unique(buckets[possible], return_inverse=True)[1]
    return out


def _group_levels(flat: FlatGame) -> Ints:
    levels: Ints = flat.nodes["level"][flat.groups["node"]].astype(np.int64)
    return levels


class Merging(NamedTuple):
    """How the whole game's groups and those of the merged game belong together; both have the same order."""

    plan: Plan  # its groups are those of the merged game, buckets in place of situations; its passes are not used
    bucket: Index  # of the situations of level 0, of level 1, ...
    weight: Floats  # likelihood of the same
    group_at: Index  # [groups]: where a group's situations begin in the two


class MergedSolver(ExactSolver):
    """CFR on the merged game; the tables of regrets, sums and the current strategy are those of the merged game."""

    def __init__(
        self, flat: FlatGame, cards: CardAbstraction, algorithm: Algorithm = ALGORITHMS["dcfr"], planned: int = 0
    ) -> None:
        expected = [len(boards) * len(flat.deals.hands) for boards in flat.deals.boards]
        check_supports("merged", algorithm)
        check_honours("merged", frontier=flat.frontier, constraints=flat.leaving)
        if not flat.public or [len(level) for level in cards.buckets] != expected:
            raise ValueError("an abstraction is for the public form of the game that it was made for")
        super().__init__(flat, algorithm, planned)
        self._whole, self._gathered = self.strategy, self._instant
        self.merging = _merge(flat, cards, self.plan)
        self.strategy = uniform_strategy(self.merging.plan)
        self.regrets, self.sums, self._instant = (np.zeros(len(self.strategy)) for _ in range(3))
        self._merged_reach = np.zeros(self.merging.plan.reaches)

    def run(self, iterations: int) -> None:
        """Continue for so many iterations."""
        first, how = self.iterations + 1, self.algorithm
        discounts = np.array([self._discount(t) for t in range(first, first + iterations)]).reshape(-1, 3)
        _iterate(
            self.plan, self.merging, discounts, how.clip, how.predict, how.alternating,
            self.regrets, self.strategy, self.sums, self._instant, self._merged_reach,
            self._whole, self._gathered, self._values, self._reach,
        )  # fmt: skip
        self.iterations += iterations

    def average(self) -> Floats:
        """The average strategy, as one of the whole game (by_action)."""
        return self.expanded(normalised(self.merging.plan, self.sums, self.strategy))

    def expanded(self, merged: Floats) -> Floats:
        """A table of the merged game as one of the whole game (by_action)."""
        whole = np.zeros(self.flat.entries)
        for player in range(self.flat.players):
            _spread(self.plan, self.merging, player, merged, whole)
        return whole


def _merge(flat: FlatGame, cards: CardAbstraction, p: Plan) -> Merging:
    levels = _group_levels(flat)
    sizes = np.array(cards.counts, np.uint64)[levels]
    entries, starts = sizes * p.group_actions, np.cumsum(sizes) - sizes
    merged = p._replace(
        size=sizes,
        reach_at=np.array([starts] * flat.players),
        group_entry=np.cumsum(entries) - entries,
        group_size=sizes,
        group_node=np.arange(len(levels), dtype=np.uint64),
        reaches=int(sizes.sum()),
    )
    bucket, weight = np.concatenate(cards.buckets), np.concatenate(likelihoods(flat.deals))
    first = np.cumsum([0, *map(len, cards.buckets)])[levels]
    return Merging(merged, bucket.astype(np.uint64), weight, first.astype(np.uint64))


@kernel
def _iterate(
    p: Plan, m: Merging, discounts: Floats, clip: bool, predict: bool, alternating: bool,
    regrets: Floats, strategy: Floats, sums: Floats, instant: Floats, merged_reach: Floats,
    whole: Floats, gathered: Floats, values: Floats, reach: Floats,
) -> None:  # fmt: skip
    for q in range(2):
        _spread(p, m, q, strategy, whole)
        reach_pass(p, q, whole, reach)
    for t in range(len(discounts)):
        for q in range(2):
            leaf_pass(p, q, reach, values)
            value_pass(p, q, whole, values, gathered)
            _gather(p, m, q, gathered, reach, instant if predict else regrets, merged_reach)
            if alternating:
                _step(p, m, q, discounts[t], clip, predict, regrets, strategy, sums, instant, merged_reach, whole)
                reach_pass(p, q, whole, reach)
        if not alternating:
            for q in range(2):
                _step(p, m, q, discounts[t], clip, predict, regrets, strategy, sums, instant, merged_reach, whole)
                reach_pass(p, q, whole, reach)


@kernel
def _step(
    p: Plan, m: Merging, player: int, discount: Floats, clip: bool, predict: bool,
    regrets: Floats, strategy: Floats, sums: Floats, instant: Floats, merged_reach: Floats, whole: Floats,
) -> None:  # fmt: skip
    update(m.plan, player, discount, clip, predict, False, regrets, strategy, sums, instant, merged_reach)
    _spread(p, m, player, strategy, whole)


@kernel
def _gather(
    p: Plan, m: Merging, player: int, gathered: Floats, reach: Floats, regrets: Floats, merged_reach: Floats
) -> None:
    """Add up over the members of each bucket: regrets, which leaves ``gathered`` empty, and reach.

    Members may differ in how probably the player reaches them, so reach counts as often as chance deals it:
    that is what a sampling walk would add to the average strategy.
    """
    bucket, weight, at, own = m.bucket, m.weight, m.group_at, p.reach_at[player]
    entry, size, actions = p.group_entry, p.group_size, p.group_actions
    merged_entry, merged_size, merged_at = m.plan.group_entry, m.plan.group_size, m.plan.reach_at[player]
    for k in range(p.group_start[player], p.group_start[player + 1]):
        g = p.groups[k]
        first, here, there = at[g], own[p.group_node[g]], merged_at[g]
        for b in range(merged_size[g]):
            merged_reach[there + b] = 0.0
        for s in range(size[g]):
            merged_reach[there + bucket[first + s]] += weight[first + s] * reach[here + s]
        for a in range(actions[g]):
            source, target = entry[g] + a * size[g], merged_entry[g] + a * merged_size[g]
            for s in range(size[g]):
                regrets[target + bucket[first + s]] += gathered[source + s]
                gathered[source + s] = 0.0


@kernel
def _spread(p: Plan, m: Merging, player: int, merged: Floats, whole: Floats) -> None:
    """Give every situation of a player's groups the numbers of its bucket."""
    bucket, at = m.bucket, m.group_at
    entry, size, actions = p.group_entry, p.group_size, p.group_actions
    merged_entry, merged_size = m.plan.group_entry, m.plan.group_size
    for k in range(p.group_start[player], p.group_start[player + 1]):
        g = p.groups[k]
        first = at[g]
        for a in range(actions[g]):
            target, source = entry[g] + a * size[g], merged_entry[g] + a * merged_size[g]
            for s in range(size[g]):
                whole[target + s] = merged[source + bucket[first + s]]

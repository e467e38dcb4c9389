"""Self-play of an abstract game: the kernels of Monte Carlo CFR (Lanctot et al. 2009) over the compiled engine.

A hand is dealt and walked through for one player, the *walker*. Regrets and values are in chips; a walker's regrets
come from samples that are right on average:

* `outcome`: one path, until the walker folds. The walker explores, the others play their strategies. With baselines
  (Schmid et al. 2019) the values of actions that were not taken are what earlier hands gave, and only the difference is
  sampled.
* `external`: all the walker's actions, one of everybody else's. Actions of very low regret may be left out (Brown &
  Sandholm 2019, "Superhuman AI for multiplayer poker"), but on the river, and where the hand ends. The walkers of a
  deal come one after the other: a later one meets strategies that have just learnt from the same cards, so that its
  samples are right on average only as far as one deal changes a strategy little, after a few visits.

Averages: with two players the walk for one averages the other's strategy where it meets them: outcome sampling divides
by the walker's probability of getting there. With more players that would need the strategies of third players.
External sampling then averages the walker's own, by the walker's probability of getting there, so that iterations in
which the others come there more often count more; with outcome sampling each has a walk of their own (`_average`), in
which the others act by a fixed rule.

Kernels only add. Several may run on the same arrays at once: an addition may then be lost now and then. Every walk
begins with the same few rows, so that threads would wait for one another's memory there: beside others, external
sampling adds to rows of the first street in arrays of its own, and hands these over every some walks.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.cards.random import next_state, uniform
from ludus.compiled import kernel
from ludus.games.base import TERMINAL
from ludus.games.compiled.engine import HAND, act, new_hand, shuffle
from ludus.games.moves import CALL, FOLD
from ludus.solvers.blueprint.deals import DEAL, rank_hands, sort_hands, won
from ludus.trees.bucket_tables import BucketTables
from ludus.trees.situations import FRAME, TREE, advance, menu, next_street, situation

MOST_DECISIONS = 120  # of a hand; then nobody raises any more, and at most all players act once more on each street
_ROOM = MOST_DECISIONS + 4 * 10 + 1
HANDED_OVER = 20_000
"""Walks after which what was added apart is handed over."""
Floats = NDArray[np.float32]


class Walk(NamedTuple):
    """The arrays that walks read and add to."""

    first: NDArray[np.int32]  # the tree, empty but in the form of a tree
    child: NDArray[np.int32]
    offset: NDArray[np.int64]
    tables: BucketTables
    regret: Floats  # [slots]
    average: Floats  # [slots]
    baseline: Floats  # [slots], or empty for none


@kernel
def decide(spec: Any, rules: Any, hand: Any, memory: Any, kind: Any, start: Any, frame: Any) -> None:
    """Fill in a decision's actions, and where its numbers begin; ``start`` is the node's offset in a tree."""
    count = menu(spec, rules, hand, frame)
    frame.memory, frame.street = memory, hand.street
    if spec.form == TREE:
        frame.offset = start + kind * count
    else:
        place = situation(spec, rules.players, memory, hand)
        frame.offset = spec.base[hand.street] + (place * spec.cards[hand.street] + kind) * spec.width


@kernel
def choose(frame: Any, u: float) -> int:
    """The action that a number from 0 to 1 picks from a strategy, never one of probability 0, however sums round."""
    total, last = 0.0, 0
    for at in range(frame.count):
        if frame.sigma[at] > 0:
            total += frame.sigma[at]
            last = at
            if u < total:
                break
    return last


@kernel
def play(spec: Any, rules: Any, hand: Any, memory: Any, action: Any, child: Any) -> np.int64:
    """Apply an action; returns what is remembered then, in a tree the given child."""
    if spec.form == TREE:
        act(rules, hand, action)
        return np.int64(child)
    street = hand.street
    memory = advance(spec, memory, hand, action)
    act(rules, hand, action)
    if hand.player != TERMINAL and hand.street != street:
        memory = next_street(spec, memory)
    return np.int64(memory)


@kernel
def outcome(
    spec: Any, rules: Any, walk: Walk, hands: int, epsilon: float, step: float, s0: np.uint64, s1: np.uint64
) -> int:
    """Outcome sampling: so many hands, the walkers in turn; returns their number.

    ``epsilon`` is the share of uniform exploration, ``step`` that of the moving averages that serve as baselines.
    """
    first, child, offset, tables, regret, average, baseline = walk
    players = rules.players
    frames = np.zeros(_ROOM, FRAME)
    records, deals = np.zeros(1, HAND), np.zeros(1, DEAL)
    deck = np.arange(52).astype(np.uint8)
    with_baseline = len(baseline) > 0
    for number in range(hands):
        walker, hand, deal = number % players, records[0], deals[0]
        s0, s1 = shuffle(deck, 2 * players + 5, s0, s1)
        new_hand(rules, hand)
        deal.ready = 0
        memory, depth, reach = np.int64(0), 0, 1.0
        while hand.player != TERMINAL and not hand.folded >> walker & 1:
            seat, street = hand.player, hand.street
            if not deal.ready >> street & 1:
                sort_hands(tables, deck, players, street, deal)
            frame = frames[depth]
            start = offset[memory] if spec.form == TREE else np.int64(0)
            decide(spec, rules, hand, memory, deal.kind[seat * 4 + street], start, frame)
            if depth >= MOST_DECISIONS:
                frame.count = min(frame.count, 1 + (frame.action[0] == FOLD))
            count, base = frame.count, frame.offset
            total = np.float32(0)
            for at in range(count):
                total += max(regret[base + frame.slot[at]], np.float32(0))
            for at in range(count):
                positive = max(regret[base + frame.slot[at]], np.float32(0))
                frame.sigma[at] = positive / total if total > 0 else 1 / count
            frame.mine, frame.reach = seat == walker, reach
            u = uniform(s0, s1)
            s0, s1 = next_state(s0, s1)
            if seat == walker:
                if u < epsilon:
                    chosen = min(int(u / epsilon * count), count - 1)
                else:
                    chosen = choose(frame, (u - epsilon) / (1 - epsilon))
                sampled = epsilon / count + (1 - epsilon) * frame.sigma[chosen]
                reach *= sampled
            else:
                chosen = choose(frame, u)
                sampled = frame.sigma[chosen]
                if players == 2:
                    for at in range(count):
                        average[base + frame.slot[at]] += np.float32(frame.sigma[at] / reach)
            frame.chosen, frame.sampled = chosen, sampled
            next_node = child[first[memory] + chosen] if spec.form == TREE else np.int32(0)
            memory = play(spec, rules, hand, memory, frame.action[chosen], next_node)
            depth += 1
        if not hand.folded >> walker & 1:
            rank_hands(deck, players, deal)
        value = won(rules, hand, deal, walker)
        while depth > 0:
            depth -= 1
            frame = frames[depth]
            base, count, chosen = frame.offset, frame.count, frame.chosen
            sign = 1.0 if frame.mine else -1.0
            if not with_baseline or not (frame.mine or players == 2):
                if frame.mine:
                    scaled = value / frame.sampled
                    value = frame.sigma[chosen] * scaled
                    for at in range(count):
                        gain = (scaled if at == chosen else 0.0) - value
                        regret[base + frame.slot[at]] += np.float32(gain / frame.reach)
                continue
            known = sign * baseline[base + frame.slot[chosen]]
            sampled_value = known + (value - known) / frame.sampled
            total_value = 0.0
            for at in range(count):
                frame.value[at] = sampled_value if at == chosen else sign * baseline[base + frame.slot[at]]
                total_value += frame.sigma[at] * frame.value[at]
            baseline[base + frame.slot[chosen]] += np.float32(step * sign * (value - known))
            if frame.mine:
                for at in range(count):
                    regret[base + frame.slot[at]] += np.float32((frame.value[at] - total_value) / frame.reach)
            value = total_value
        if players > 2:
            s0, s1 = _average(spec, rules, walk, walker, hand, deal, deck, frames[0], s0, s1)
    return hands


@kernel
def external(
    spec: Any, rules: Any, walk: Walk, walks: int, pruned: float, threshold: float, s0: np.uint64, s1: np.uint64,
    apart: int = 0,
) -> int:  # fmt: skip
    """External sampling: so many walks, the walkers in turn through one deal; returns the hands seen to their end.

    In a share ``pruned`` of the walks actions of a regret below the threshold are left out. What is added on the first
    street is handed over after every ``apart`` walks, at once if that is 0 or in the form of a tree.
    """
    first, child, offset, tables, regret, average, _ = walk
    own = spec.base[1] if apart > 0 and spec.form != TREE else 0
    gains, plays = np.zeros(own, np.float32), np.zeros(own, np.float32)
    players = rules.players
    frames, hands = np.zeros(_ROOM, FRAME), np.zeros(_ROOM, HAND)
    deals = np.zeros(1, DEAL)
    deck = np.arange(52).astype(np.uint8)
    ends = 0
    for number in range(walks):
        walker, deal = number % players, deals[0]
        if walker == 0:
            s0, s1 = shuffle(deck, 2 * players + 5, s0, s1)
            deal.ready = 0
        new_hand(rules, hands[0])
        u = uniform(s0, s1)
        s0, s1 = next_state(s0, s1)
        prune = u < pruned
        memory, depth, value = np.int64(0), 0, 0.0
        entering = True
        while True:
            hand, frame = hands[depth], frames[depth]
            if entering and hand.player == TERMINAL:
                if not deal.ready >> 4 & 1:
                    rank_hands(deck, players, deal)
                value = won(rules, hand, deal, walker)
                ends += 1
                entering = False
            elif entering:
                seat, street = hand.player, hand.street
                if not deal.ready >> street & 1:
                    sort_hands(tables, deck, players, street, deal)
                start = offset[memory] if spec.form == TREE else np.int64(0)
                decide(spec, rules, hand, memory, deal.kind[seat * 4 + street], start, frame)
                if depth >= MOST_DECISIONS:
                    frame.count = min(frame.count, 1 + (frame.action[0] == FOLD))
                count, base = frame.count, frame.offset
                total = np.float32(0)
                for at in range(count):
                    total += max(regret[base + frame.slot[at]], np.float32(0))
                for at in range(count):
                    positive = max(regret[base + frame.slot[at]], np.float32(0))
                    frame.sigma[at] = positive / total if total > 0 else 1 / count
                if seat != walker:
                    if players == 2:
                        for at in range(count):
                            average[base + frame.slot[at]] += np.float32(frame.sigma[at])
                    u = uniform(s0, s1)
                    s0, s1 = next_state(s0, s1)
                    chosen = choose(frame, u)
                    next_node = child[first[memory] + chosen] if spec.form == TREE else np.int32(0)
                    memory = play(spec, rules, hand, memory, frame.action[chosen], next_node)
                    continue
                frame.chosen, frame.skipped, frame.reach = -1, 0, 1.0
                if depth > 0:
                    frame.reach = frames[depth - 1].reach * frames[depth - 1].sigma[frames[depth - 1].chosen]
                if players > 2 and frame.reach > 0:
                    played = plays if base < own else average
                    for at in range(count):
                        played[base + frame.slot[at]] += np.float32(frame.reach * frame.sigma[at])
                if prune and street < 3 and total > 0:
                    for at in range(count):
                        if regret[base + frame.slot[at]] < threshold and frame.action[at] != FOLD:
                            frame.skipped |= 1 << at
                depth += 1
                entering = False
            if entering:
                continue
            if depth == 0:
                break
            above = frames[depth - 1]
            if above.chosen >= 0:
                above.value[above.chosen] = value
            above.chosen += 1
            while above.chosen < above.count and above.skipped >> above.chosen & 1:
                hands[depth] = hands[depth - 1]  # left out, unless the hand ends there
                act(rules, hands[depth], above.action[above.chosen])
                if hands[depth].player == TERMINAL:
                    above.skipped &= ~(1 << above.chosen)
                else:
                    above.chosen += 1
            if above.chosen < above.count:
                hands[depth] = hands[depth - 1]
                node = child[first[above.memory] + above.chosen] if spec.form == TREE else np.int32(0)
                memory = play(spec, rules, hands[depth], above.memory, above.action[above.chosen], node)
                entering = True
                continue
            value = 0.0
            for at in range(above.count):
                if not above.skipped >> at & 1:
                    value += above.sigma[at] * above.value[at]
            gained = gains if above.offset < own else regret
            for at in range(above.count):
                if not above.skipped >> at & 1:
                    gained[above.offset + above.slot[at]] += np.float32(above.value[at] - value)
            depth -= 1
        if own > 0 and ((number + 1) % apart == 0 or number + 1 == walks):
            for slot in range(own):
                if gains[slot] != 0 or plays[slot] != 0:
                    regret[slot] += gains[slot]
                    average[slot] += plays[slot]
                    gains[slot] = plays[slot] = 0
    return ends


@kernel
def _average(
    spec: Any, rules: Any, walk: Walk, walker: int, hand: Any, deal: Any, deck: NDArray[np.uint8], frame: Any,
    s0: np.uint64, s1: np.uint64,
) -> tuple[np.uint64, np.uint64]:  # fmt: skip
    """Add the walker's strategy along one path of a dealt hand that they play by it.

    The others fold, call and raise by the weights 1 : 2 : 1, whatever they hold and whenever it is, so that they do
    not change how much an information set counts from one hand to the next.
    """
    first, child, offset, tables, regret, average, _ = walk
    players = rules.players
    new_hand(rules, hand)
    memory, decisions = np.int64(0), 0
    while hand.player != TERMINAL and not hand.folded >> walker & 1 and hand.stack[walker] > 0:
        seat, street = hand.player, hand.street
        if seat == walker:
            if not deal.ready >> street & 1:
                sort_hands(tables, deck, players, street, deal)
            start = offset[memory] if spec.form == TREE else np.int64(0)
            decide(spec, rules, hand, memory, deal.kind[seat * 4 + street], start, frame)
        else:
            menu(spec, rules, hand, frame)
        count, base = frame.count, frame.offset
        raises = count - 1 - (frame.action[0] == FOLD)
        if decisions >= MOST_DECISIONS:
            count -= raises
            frame.count, raises = count, 0
        decisions += 1
        if seat == walker:
            total = np.float32(0)
            for at in range(count):
                total += max(regret[base + frame.slot[at]], np.float32(0))
            for at in range(count):
                positive = max(regret[base + frame.slot[at]], np.float32(0))
                frame.sigma[at] = positive / total if total > 0 else 1 / count
                average[base + frame.slot[at]] += np.float32(frame.sigma[at])
        else:
            weights = 2.0 + (frame.action[0] == FOLD) + (raises > 0)
            for at in range(count):
                action = frame.action[at]
                frame.sigma[at] = (1.0 if action == FOLD else 2.0 if action == CALL else 1 / raises) / weights
        u = uniform(s0, s1)
        s0, s1 = next_state(s0, s1)
        chosen = choose(frame, u)
        next_node = child[first[memory] + chosen] if spec.form == TREE else np.int32(0)
        memory = play(spec, rules, hand, memory, frame.action[chosen], next_node)
    return s0, s1

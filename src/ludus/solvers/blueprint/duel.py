"""Blueprints against each other, compiled: what one of them wins among copies of the other.

Every deal is played once for each seat of the challenger, so that luck with the cards falls on both; the mean of these
hands is one unit of the statistics. Both sides remember the hand in their own way. Trees must have the same bets; the
bounded forms and the key of Aparicio (2025) follow any bets, a raise counting as the nearest size.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.cards.random import next_state, stream_blocks, uniform
from ludus.compiled import kernel
from ludus.games.base import TERMINAL
from ludus.games.compiled.engine import HAND, new_hand, rules_of, shuffle
from ludus.parallel import Progress, in_blocks
from ludus.solvers.blueprint.deals import DEAL, rank_hands, sort_hands, won
from ludus.solvers.blueprint.samplers import choose, decide, play
from ludus.solvers.blueprint.strategy import Blueprint, Book
from ludus.trees.situations import FRAME, TREE, advance, next_street

_BLOCK_DEALS = 20_000


class Result(NamedTuple):
    """What the challenger has won a hand, in chips."""

    mean: float
    error: float  # the standard error
    deals: int
    hands: int


def duel(
    challenger: Blueprint,
    other: Blueprint,
    deals: int,
    seed: int = 1,
    threads: int = 1,
    progress: Progress | None = None,
) -> Result:
    """Play deals with one challenger at the table; the number of threads changes nothing but the time."""
    table = challenger.abstraction.table
    if table != other.abstraction.table:
        raise ValueError("blueprints play each other at one table: players, stacks and blinds must be the same")
    forms = {challenger.abstraction.form, other.abstraction.form}
    if "tree" in forms and challenger.abstraction.game.bets != other.abstraction.game.bets:
        raise ValueError("a tree follows its own bets alone: the other side must have the same bet menu")
    if not 2 <= deals <= 1 << 40:
        raise ValueError(f"a duel takes 2 deals or more, got {deals}")
    rules = rules_of(table)
    specs = challenger.abstraction.layout.spec, other.abstraction.layout.spec
    books = challenger.book(threads), other.book(threads)

    def work(block: tuple[np.uint64, np.uint64, int]) -> tuple[float, float]:
        s0, s1, count = block
        return play_deals(rules, specs[0], specs[1], books[0], books[1], count, s0, s1)

    parts = in_blocks(work, stream_blocks(seed, deals, _BLOCK_DEALS), threads, progress)
    total, squares = (sum(part[at] for part in parts) for at in (0, 1))
    mean = total / deals
    variance = max(squares / deals - mean * mean, 0.0) * deals / (deals - 1)
    return Result(mean, (variance / deals) ** 0.5, deals, deals * table.players)


@kernel
def play_deals(
    rules: Any, spec_a: Any, spec_b: Any, a: Book, b: Book, deals: int, s0: np.uint64, s1: np.uint64
) -> tuple[float, float]:
    """The sum over deals of the challenger's mean over their seats, and of its square."""
    players = rules.players
    deck = np.arange(52).astype(np.uint8)
    hands, dealt, frames = np.zeros(1, HAND), np.zeros(2, DEAL), np.zeros(2, FRAME)
    total = squares = 0.0
    for _ in range(deals):
        s0, s1 = shuffle(deck, 2 * players + 5, s0, s1)
        hand, deal_a, deal_b, frame_a, frame_b = hands[0], dealt[0], dealt[1], frames[0], frames[1]
        deal_a.ready = deal_b.ready = 0
        rank_hands(deck, players, deal_a)
        mean = 0.0
        for seat in range(players):
            new_hand(rules, hand)
            memory_a, memory_b = np.int64(0), np.int64(0)
            while hand.player != TERMINAL:
                street, actor = hand.street, hand.player
                if not deal_a.ready >> street & 1:
                    sort_hands(a.tables, deck, players, street, deal_a)
                    sort_hands(b.tables, deck, players, street, deal_b)
                start_a = a.offset[memory_a] if spec_a.form == TREE else np.int64(0)
                start_b = b.offset[memory_b] if spec_b.form == TREE else np.int64(0)
                decide(spec_a, rules, hand, memory_a, deal_a.kind[actor * 4 + street], start_a, frame_a)
                decide(spec_b, rules, hand, memory_b, deal_b.kind[actor * 4 + street], start_b, frame_b)
                frame = frame_a if actor == seat else frame_b
                whole = 0.0
                for at in range(frame.count):
                    place = frame.offset + frame.slot[at]
                    frame.sigma[at] = np.float64(a.strategy[place] if actor == seat else b.strategy[place])
                    whole += frame.sigma[at]
                for at in range(frame.count):
                    frame.sigma[at] = frame.sigma[at] / whole if whole > 0 else 1 / frame.count
                action = frame.action[choose(frame, uniform(s0, s1))]
                s0, s1 = next_state(s0, s1)
                child_a = child_b = np.int32(0)
                if spec_a.form == TREE:
                    for at in range(frame_a.count):
                        if frame_a.action[at] == action:
                            child_a = a.child[a.first[memory_a] + at]
                if spec_b.form == TREE:
                    for at in range(frame_b.count):
                        if frame_b.action[at] == action:
                            child_b = b.child[b.first[memory_b] + at]
                memory_b = remember(spec_b, hand, memory_b, action, child_b)
                memory_a = play(spec_a, rules, hand, memory_a, action, child_a)
                if spec_b.form != TREE and hand.player != TERMINAL and hand.street != street:
                    memory_b = next_street(spec_b, memory_b)
            mean += won(rules, hand, deal_a, seat) / players
        total += mean
        squares += mean * mean
    return total, squares


@kernel
def remember(spec: Any, hand: Any, memory: Any, action: Any, child: Any) -> np.int64:
    """What a side remembers of an action that is about to be played; a new street comes on top of it."""
    return np.int64(child) if spec.form == TREE else advance(spec, memory, hand, action)

"""Samples of Monte-Carlo re-solving in plain Python: a game of one hole card walked by states, tables by name."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import permutations
from math import prod
from typing import NamedTuple

import numpy as np

from ludus.cards.random import next_state, uniform
from ludus.games.base import CHANCE, TERMINAL
from ludus.games.poker import PokerState
from ludus.search.mccr_sampling import LEAST_WEIGHT


class Made(NamedTuple):
    """A decision of a sample."""

    state: PokerState
    player: int
    action: int
    mix: dict[int, float]
    likely: float
    stored: bool

    @property
    def played(self) -> float:
        return self.mix[self.action]


@dataclass
class Reference:
    """Samples from a public state on; ranges are of the player's hands, what can be left with of the opponent's."""

    root: PokerState
    player: int
    held: str
    ranges: dict[str, float]
    leaving: dict[str, float] | None
    aim: float
    epsilon: float
    by_reach: bool
    random: tuple[np.uint64, np.uint64]
    regrets: dict = field(default_factory=dict)  # information state -> action -> regret: these are in the tree
    sums: dict = field(default_factory=lambda: defaultdict(lambda: defaultdict(float)))
    values: dict = field(default_factory=lambda: defaultdict(lambda: [0.0, 0.0]))  # player, public, hands: sum, weight
    choice: dict = field(default_factory=lambda: defaultdict(lambda: {"leave": 0.0, "follow": 0.0}))

    def __post_init__(self) -> None:
        game = self.root.game
        board = game.name_cards(self.root.board)
        decks = permutations(game.deck, 2 + sum(game.board_cards))
        self.decks = [deck for deck in decks if game.name_cards(deck[2 : 2 + len(self.root.board)]) == board]

    def sample(self, walker: int) -> None:
        name, other, opponent = self.root.game.name_cards, 1 - self.player, 1 - walker
        own = [name([deck[self.player]]) for deck in self.decks]
        weights = np.array([self.ranges[hand] for hand in own])
        chances, held = weights / weights.sum(), np.array([float(hand == self.held) for hand in own])
        aims = self.aim > 0 and self._draw() < self.aim
        by = held / held.sum() if aims else chances
        deal = int(np.searchsorted(np.cumsum(by), self._draw(), side="right"))
        drawn = (self.aim * held[deal] / held.sum() if self.aim else 0) + (1 - self.aim) * chances[deal]
        deck = self.decks[deal]
        hand = name([deck[other]])
        follows = matching(self.choice[hand])["follow"] if self.leaving else 1.0
        begin = {self.player: chances[deal] * len(own), other: follows}
        line, end = self._line(deck, walker)
        chips = end.returns()
        for at, made in enumerate(line):
            if not made.stored:
                break
            above, below = line[:at], line[at:]
            reach = {i: begin[i] * prod(one.played for one in above if one.player == i) for i in (0, 1)}
            sampled = drawn * len(own) * prod(one.likely for one in above)
            tail = prod(one.played / one.likely for one in below)
            for i in (0, 1):
                weight = max(reach[0] * reach[1], LEAST_WEIGHT) if self.by_reach else reach[1 - i]
                entry = self.values[i, made.state.public_state(), name([deck[0]]), name([deck[1]])]
                entry[0] += weight * tail * chips[0] / sampled
                entry[1] += weight / sampled if self.by_reach else 0
            row = made.state.information_state(made.player)
            if made.player == walker:
                rest = prod(one.played / one.likely for one in below if one.player == opponent)
                mine = prod(one.played for one in below[1:] if one.player == walker)
                mine /= prod(one.likely for one in below if one.player == walker)
                gain = chips[walker] * reach[opponent] * rest * mine / sampled
                for action in made.mix:
                    self.regrets[row][action] += gain * ((action == made.action) - made.played)
            else:
                for action, chance in made.mix.items():
                    self.sums[row][action] += chance * reach[made.player] / sampled
        if self.leaving and walker == other:
            scale = begin[self.player] / (drawn * len(own))
            follow = scale * chips[other] * prod(one.played / one.likely for one in line)
            leave = scale * self.leaving[hand]
            mean = follows * follow + (1 - follows) * leave
            self.choice[hand]["leave"] += leave - mean
            self.choice[hand]["follow"] += follow - mean

    def _line(self, deck: tuple[int, ...], walker: int) -> tuple[list[Made], PokerState]:
        state, line, grown = self._dealt(self.root.game.start(), deck), [], False
        for action in sum(self.root.line, ()):
            state = self._dealt(state.apply(action), deck)
        while state.player != TERMINAL:
            player, row = state.player, state.information_state(state.player)
            stored = not grown
            if stored and row not in self.regrets:
                self.regrets[row], grown = dict.fromkeys(state.legal_actions(), 0.0), True
            actions = state.legal_actions()
            mix = matching(self.regrets[row]) if stored else {action: 1 / len(actions) for action in actions}
            explored = self.epsilon if player == walker else 0.0
            likely = {action: explored / len(mix) + (1 - explored) * chance for action, chance in mix.items()}
            left, ends = self._draw(), np.cumsum(list(likely.values()))
            action = list(likely)[int(np.searchsorted(ends, left, side="right"))]
            line.append(Made(state, player, action, mix, likely[action], stored))
            state = self._dealt(state.apply(action), deck)
        return line, state

    def _draw(self) -> float:
        found = float(uniform(*self.random))
        s0, s1 = next_state(*self.random)
        self.random = np.uint64(s0), np.uint64(s1)
        return found

    def _dealt(self, state: PokerState, deck: tuple[int, ...]) -> PokerState:
        return state.deal(deck) if state.player == CHANCE else state


def matching(regrets: dict) -> dict:
    """Regret matching."""
    positive = {action: max(regret, 0.0) for action, regret in regrets.items()}
    total = sum(positive.values())
    return {action: value / total if total else 1 / len(regrets) for action, value in positive.items()}

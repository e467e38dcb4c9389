"""What actions are worth, found by playing hands to their end: the plain way, and the reference for quicker ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludus.agents.base import Strategist
from ludus.agents.drawing import draw
from ludus.agents.evaluation import Estimate
from ludus.cards.ranges import COMBOS, Weights
from ludus.games.base import CHANCE, TERMINAL
from ludus.games.moves import FOLD
from ludus.games.poker import PokerState

MOST_DRAWS = 400_000  # of joint hands that share cards, before they are given up


@dataclass(frozen=True, eq=False)
class PlayOut:
    """Values by playing on from an action with hands drawn from the ranges, everybody by one strategy.

    Each of so many deals is played after every action, with the same numbers for the same decisions, so luck is shared
    and differences are known better than the values. Who has folded is taken to have held any two cards.
    """

    strategist: Strategist
    hands: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        if self.hands < 2:
            raise ValueError(f"an estimate takes 2 hands or more, got {self.hands}")

    def values(
        self, public: PokerState, hand: tuple[int, int], ranges: Sequence[Weights | None], actions: Sequence[int]
    ) -> Mapping[int, Estimate]:
        """As `Evaluator.values`."""
        rng = np.random.default_rng(self.seed)
        others = [seat for seat, weights in enumerate(ranges) if weights is not None]
        held = _joint_hands([weights for weights in ranges if weights is not None], hand, self.hands, rng)
        won = np.zeros((len(actions), self.hands))
        for at, row in enumerate(held):
            holes = {public.player: hand, **dict(zip(others, COMBOS[row].tolist(), strict=True))}
            deck = _deck(public, holes, rng)
            state = _with_cards(public, deck)
            luck = rng.random((public.game.players, 64))
            for place, action in enumerate(actions):
                won[place, at] = self._play(state, action, deck, luck)
        errors = won.std(axis=1, ddof=1) / np.sqrt(self.hands)
        return {
            action: Estimate(0.0) if action == FOLD else Estimate(float(mean), float(error))
            for action, mean, error in zip(actions, won.mean(axis=1), errors, strict=True)
        }

    def _play(self, state: PokerState, action: int, deck: Sequence[int], luck: NDArray[np.float64]) -> float:
        """What the player to act wins from now on after an action."""
        seat, spent = state.player, state.spent()[state.player]
        state, acted = state.apply(action), [0] * state.game.players
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state = state.deal(deck)
                continue
            who = state.player
            mixed = self.strategist.strategy(state.seen_by(who))
            state = state.apply(draw(mixed, luck[who, acted[who] % luck.shape[1]]))
            acted[who] += 1
        return state.returns()[seat] + spent


def _joint_hands(
    ranges: Sequence[Weights], hand: tuple[int, int], count: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Hands ``[count, players]`` of ranges, independent but for cards that they would share with each other or ours."""
    free = ~np.isin(COMBOS, hand).any(axis=1)
    sums = [np.cumsum(weights * free) for weights in ranges]
    if any(total[-1] <= 0 for total in sums):
        raise ValueError("a player has no hand left that fits the cards in sight")
    found, drawn = [np.zeros((0, len(ranges)), np.int64)], 0
    size = max(4 * count, 4096)
    while sum(map(len, found)) < count:
        if drawn > MOST_DRAWS:
            raise ValueError("the ranges of the players share so many cards that hardly any hands go together")
        at = [np.searchsorted(total, rng.random(size) * total[-1], side="right") for total in sums]
        rows = np.minimum(np.column_stack(at), len(COMBOS) - 1)
        cards = np.sort(COMBOS[rows].reshape(size, -1), axis=1)
        found.append(rows[(np.diff(cards, axis=1) > 0).all(axis=1)])
        drawn += size
    return np.concatenate(found)[:count]


def _deck(public: PokerState, holes: Mapping[int, Sequence[int]], rng: np.random.Generator) -> list[int]:
    """All cards in the order of dealing: those of the players, any for who has folded, the board, and what may come."""
    known = {*public.board, *(card for cards in holes.values() for card in cards)}
    rest = rng.permutation([card for card in public.game.deck if card not in known]).tolist()
    hole = [card for seat in range(public.game.players) for card in holes.get(seat) or (rest.pop(), rest.pop())]
    return [*hole, *public.board, *rest]


def _with_cards(public: PokerState, deck: Sequence[int]) -> PokerState:
    """The same state with the first cards of a deck."""
    state = public.seen_by(-1)
    state.cards = tuple(deck[: len(public.cards)])
    return state

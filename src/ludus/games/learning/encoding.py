"""Poker for learners that need a vector in and a small number out: features of a seat's view, and discrete actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerGame, PokerState
from ludus.games.rules import NO_STACK

RAISES = (0.0, 0.5, 1.0, inf)


def largest_loss(game: PokerGame) -> int:
    """The most chips that a seat can put into one hand: its stack, or less when raises are capped in a limit game.

    >>> from ludus.games import holdem, leduc
    >>> largest_loss(holdem(stack=200)), largest_loss(leduc())
    (200, 13)
    """
    most = max(game.stacks)
    if game.betting == "limit" and game.max_raises:
        raises = sum(size * cap for size, cap in zip(game.raise_sizes, game.max_raises, strict=True))
        most = min(most, max(game.antes, default=0) + max(game.blinds) + raises)
    if most >= NO_STACK:
        raise ValueError(f"{game.name} bounds no bet: give it stacks, or a limit with a cap of raises")
    return most


@dataclass(frozen=True)
class Features:
    """What a seat sees, as a float32 vector in [0, 1]; nothing in it depends on other seats' cards.

    Seats are counted from the viewer's own, which is the first, in the order of play. Cards are in the order of the
    game's deck. ``layout`` says where each block is:

    ========  ======================  ==========================================================================
    hole      cards of the deck       1 for each of the viewer's own cards
    board     cards of the deck       1 for each shared card
    street    streets                 1 at the current one
    seat      players                 1 at the viewer's seat, counted as the game does
    to_act    players                 1 for who is to act; all 0 when the hand is over
    folded    players                 1 for who has folded
    stacks    players                 chips behind, as a part of ``largest_loss`` and 1 at most
    bets      players                 chips put in on this street, as a part of ``largest_loss``
    spent     players                 chips put in during the hand, as a part of ``largest_loss``
    pot       1                       all chips put in, as a part of ``players * largest_loss``
    calls     streets                 k / (k + 1) for k checks and calls on that street
    raises    streets                 k / (k + 1) for k bets and raises on that street
    ========  ======================  ==========================================================================

    Heads-up the last two determine the order of the actions, so in a limit game no two situations look the same.

    >>> from ludus.games import kuhn
    >>> features = Features(kuhn())
    >>> state = kuhn().start().apply(47).apply(51)  # king and ace
    >>> vector = features.of(state, seat=1)
    >>> vector[features.layout["hole"]].tolist(), vector[features.layout["to_act"]].tolist()
    ([0.0, 0.0, 1.0], [0.0, 1.0])
    """

    game: PokerGame

    def __post_init__(self) -> None:
        largest_loss(self.game)  # refuses an unbounded game now rather than at the first hand

    @cached_property
    def unit(self) -> int:
        """Chips that count as 1."""
        return largest_loss(self.game)

    @cached_property
    def layout(self) -> dict[str, slice]:
        """Where each block of features is."""
        players, streets, cards = self.game.players, len(self.game.board_cards), len(self.game.deck)
        lengths = {"hole": cards, "board": cards, "street": streets}
        lengths |= dict.fromkeys(("seat", "to_act", "folded", "stacks", "bets", "spent"), players)
        lengths |= {"pot": 1, "calls": streets, "raises": streets}
        ends = np.cumsum(list(lengths.values())).tolist()
        return {name: slice(end - length, end) for (name, length), end in zip(lengths.items(), ends, strict=True)}

    @property
    def size(self) -> int:
        """How many features there are."""
        return int(max(block.stop for block in self.layout.values()))

    def of(self, state: PokerState, seat: int) -> NDArray[np.float32]:
        """Features [size] of a state as this seat sees it."""
        game, unit = self.game, self.unit
        players, streets = game.players, len(game.board_cards)
        seats = [(seat + step) % players for step in range(players)]
        lines = [*state.line, *[()] * (streets - len(state.line))]
        hole, board = state.hole(seat), state.board
        calls = [line.count(CALL) for line in lines]
        raises = [sum(action > 0 for action in line) for line in lines]
        blocks: dict[str, Sequence[float]] = {
            "hole": [card in hole for card in game.deck],
            "board": [card in board for card in game.deck],
            "street": [street == state.street for street in range(streets)],
            "seat": [other == seat for other in range(players)],
            "to_act": [other == state.player for other in seats],
            "folded": [state.folded >> other & 1 for other in seats],
            "stacks": [min(state.stacks[other] / unit, 1) for other in seats],
            "bets": [state.bets[other] / unit for other in seats],
            "spent": [(game.stacks[other] - state.stacks[other]) / unit for other in seats],
            "pot": [state.pot / (unit * players)],
            "calls": [count / (count + 1) for count in calls],
            "raises": [count / (count + 1) for count in raises],
        }
        return np.array([value for name in self.layout for value in blocks[name]], np.float32)


@dataclass(frozen=True)
class DiscreteActions:
    """A fixed list of actions: 0 fold, 1 check or call, from 2 on the raises, not all of which are always open.

    A limit game has one raise; in a game with a bet menu, action 2 + i is the i-th raise it offers at that point, from
    the smallest. Any other game gets ``raises``: fractions of the pot after calling, where 0 is the smallest legal
    raise and infinity the largest (all-in, or the pot in a pot-limit game). A fraction that is less than the smallest
    or more than the largest raise is closed, and of several that come to the same number of chips all but the first.

    >>> from ludus.games import holdem
    >>> state = holdem().start()
    >>> for card in (0, 1, 2, 3):
    ...     state = state.apply(card)
    >>> DiscreteActions(holdem()).at(state)  # fold, call, and half the pot is the smallest raise here
    (-1, 0, 4, None, 6, 200)
    """

    game: PokerGame
    raises: tuple[float, ...] = RAISES

    def __post_init__(self) -> None:
        if not self.raises or any(not fraction >= 0 for fraction in self.raises):
            raise ValueError(f"raises are pot fractions, 0 for the smallest and inf for all-in, got {self.raises}")

    @property
    def count(self) -> int:
        """How many actions there are, open or closed."""
        bets = self.game.bets
        if self.game.betting == "limit":
            return 3
        if bets is None:
            return 2 + len(self.raises)
        return 2 + max(sizes.most(max(self.game.stacks)) for sizes in bets.lists)

    def at(self, state: PokerState) -> tuple[int | None, ...]:
        """The game's action for each number, None where it is closed; all closed when nobody is to act."""
        if state.player < 0:
            return (None,) * self.count
        legal = state.legal_actions()
        if self.game.betting == "limit" or self.game.bets is not None:
            sizes: list[int | None] = [action for action in legal if action > 0]
        else:
            sizes = self._sizes(state)
        fold = FOLD if FOLD in legal else None
        return fold, CALL, *sizes, *[None] * (self.count - 2 - len(sizes))

    def _sizes(self, state: PokerState) -> list[int | None]:
        sizes: list[int | None] = [None] * len(self.raises)
        bounds = state.raise_bounds()
        if bounds is None:
            return sizes
        top = max(state.bets)
        pot_after_call = state.pot + top - state.bets[state.player]
        for number, fraction in enumerate(self.raises):
            to = bounds[1] if fraction == inf else top + round(fraction * pot_after_call) if fraction else bounds[0]
            if bounds[0] <= to <= bounds[1] and to not in sizes:
                sizes[number] = to
        return sizes

    def mask(self, state: PokerState) -> NDArray[np.int8]:
        """1 for each action [count] that is open."""
        return np.array([action is not None for action in self.at(state)], np.int8)

    def action(self, state: PokerState, number: int) -> int:
        """The game's action for a number; ValueError when it is closed here."""
        actions = self.at(state)
        if not 0 <= number < len(actions):
            raise ValueError(f"actions are numbered 0 to {len(actions) - 1}, got {number}")
        action = actions[number]
        if action is None:
            names = ", ".join(f"{at} ({state.action_name(a)})" for at, a in enumerate(actions) if a is not None)
            raise ValueError(f"action {number} is closed here; open are {names}" if names else "the hand is over")
        return action

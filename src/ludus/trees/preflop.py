"""The betting before the flop at a table of 2 to 10, small enough to be solved for all hands of all seats.

What is left out, so that the tree stays small: one size for each raise (all-in beside it where stacks are short); limps
except by the small blind, unless they are asked for; more than one caller of a limp or of the first raise besides the
big blind; calling a re-raise without having put in chips before; and so any flop seen by four or more,
unless they are all-in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ludus.games.holdem import holdem
from ludus.games.moves import CALL, FOLD
from ludus.games.names import place_names
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import dealt

CHIPS = 100  # in a big blind
MOST_TOGETHER = 3  # players that see a flop with chips behind
COMMITTED = 3  # a raise to more than the stack by this is all-in
SHORT = 4  # all-in is offered beside a raise where the stack is at most so many times the raise
MOST_NODES = 100_000
SMALL, BIG = "SB", "BB"


@dataclass(frozen=True)
class PreflopModel:
    """A table and its raises; sizes in big blinds, re-raises as multiples of what they answer."""

    players: int = 6
    stack: float = 100.0
    limps: bool = False  # whether all may limp, not the small blind alone
    opening: float = 2.5
    opening_small_blind: float = 3.0
    limper: float = 1.0  # what a raise grows by for each limper, in big blinds
    three_bet: tuple[float, float] = (3.0, 4.0)  # in position and out of it; for each caller one bet more
    four_bet: tuple[float, float] = (2.2, 2.5)

    def __post_init__(self) -> None:
        if not 2 <= self.players <= 10:
            raise ValueError(f"a table has 2 to 10 seats, got {self.players}")
        if not 2 <= self.stack <= 1000 or round(self.stack * CHIPS) != self.stack * CHIPS:
            raise ValueError(f"stacks are 2 to 1000 big blinds, in hundredths of one, got {self.stack}")
        if not 2 <= min(self.opening, self.opening_small_blind) <= max(self.opening, self.opening_small_blind) <= 10:
            raise ValueError(f"a first raise is to 2 to 10 big blinds, got {self.opening}, {self.opening_small_blind}")
        if not 2 <= min(*self.three_bet, *self.four_bet) <= max(*self.three_bet, *self.four_bet) <= 10:
            raise ValueError(f"re-raises are to 2 to 10 times the raise, got {self.three_bet}, {self.four_bet}")

    @property
    def game(self) -> PokerGame:
        """The table."""
        return holdem(self.players, round(self.stack * CHIPS), (CHIPS // 2, CHIPS))

    def actions(self, state: PokerState) -> tuple[int, ...]:
        """What the player to act may do in the model: fold, call and raises ascending."""
        seat, top, places = state.player, max(state.bets), place_names(state.game)
        big = places.index(BIG)
        raises = sum(action > CALL for action in state.line[0])
        matched = sum(state.bets[other] == top for other in state.live_seats())
        found = [FOLD] if state.bets[seat] < top else []
        all_in = any(state.bets[other] == top and not state.stacks[other] for other in state.live_seats())
        if raises == 0:
            may_limp = self.limps or SMALL in places[seat].split("/")
            calls = seat == big or (matched == 1 and may_limp)  # the big blind alone
        elif all_in:
            calls = True
        elif raises == 1:
            calls = matched == 1 or (seat == big and matched < MOST_TOGETHER)
        else:
            calls = state.spent()[seat] > state.game.blinds[seat] and matched < MOST_TOGETHER
        return (*found, *([CALL] if calls else []), *self._raises(state, raises, matched))

    def _raises(self, state: PokerState, raises: int, matched: int) -> list[int]:
        """The raises of the player to act, as totals in chips."""
        bounds = state.raise_bounds()
        if bounds is None:
            return []
        seat, top, all_in = state.player, max(state.bets), bounds[1]
        if raises == 0:
            small = SMALL in place_names(state.game)[seat].split("/")
            size = (self.opening_small_blind if small else self.opening) + self.limper * max(matched - 1, 0)
            to = round(size * CHIPS)
        elif raises < 3:
            times = (self.three_bet, self.four_bet)[raises - 1][seat < state.opener]  # the seat of the last raise
            to = round(top * (times + matched - 1))
        else:
            to = all_in
        if to * COMMITTED > all_in:
            return [all_in]
        to = max(to, bounds[0])
        return [to, all_in] if all_in <= SHORT * to else [to]


@dataclass(frozen=True, eq=False)
class PreflopBetting:
    """A model's betting as a tree of n nodes in depth-first order; node 0 is the root."""

    model: PreflopModel
    player: NDArray[np.int64]  # [n]: who decides, -1 at leaves
    parent: NDArray[np.int64]  # [n]: -1 at the root
    action: NDArray[np.int64]  # [n]: what leads to the node, as games number actions
    first: NDArray[np.int64]  # [n + 1]: where a node's children begin in ``child``
    child: NDArray[np.int64]  # [n - 1]
    paid: NDArray[np.int64]  # [n, players]: chips put in
    live: NDArray[np.bool_]  # [n, players]: who has not folded
    latest: NDArray[np.int64]  # [n, players]: the last node at or above that the seat's own action led to, 0 for none

    def __len__(self) -> int:
        return len(self.player)

    def children(self, node: int) -> list[int]:
        """The children of a node, in their order."""
        return list(self.child[self.first[node] : self.first[node + 1]].tolist())

    @cached_property
    def decisions(self) -> NDArray[np.int64]:
        """The nodes where somebody decides."""
        return np.flatnonzero(self.player >= 0)

    def find(self, line: tuple[int, ...]) -> int | None:
        """The node of a line of actions; None where the model has none."""
        node = 0
        for action in line:
            node = next((child for child in self.children(node) if self.action[child] == action), -1)
            if node < 0:
                return None
        return node


def preflop_betting(model: PreflopModel) -> PreflopBetting:
    """The tree of a model; ValueError when it is too large."""
    game = model.game
    rows: list[tuple[int, int, int]] = []  # player, parent, action
    paid, live = list[tuple[int, ...]](), list[list[bool]]()
    latest, children = list[list[int]](), list[list[int]]()

    def grow(state: PokerState, parent: int, action: int) -> int:
        node = len(rows)
        if node >= MOST_NODES:
            raise ValueError(f"the betting has more than {MOST_NODES:,} nodes: fewer seats, or no limps")
        decides = state.player if state.player >= 0 and state.street == 0 else -1
        rows.append((decides, parent, action))
        paid.append(state.spent())
        live.append([not state.folded >> seat & 1 for seat in range(game.players)])
        known = list(latest[parent]) if node else [0] * game.players
        if node:
            known[rows[parent][0]] = node
        latest.append(known)
        children.append([])
        if decides >= 0:
            for each in model.actions(state):
                children[node].append(grow(state.after(each), node, each))
        return node

    grow(dealt(game.start(), game.deck).seen_by(-1), -1, 0)
    player, parents, actions = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    return PreflopBetting(
        model, player, parents, actions, np.append(0, np.cumsum([len(each) for each in children])),
        np.array([child for each in children for child in each], np.int64), np.array(paid, np.int64),
        np.array(live, bool), np.array(latest, np.int64),
    )  # fmt: skip

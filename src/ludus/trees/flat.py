"""A game as arrays: what every solver works on.

One layout serves two forms of a game. In the *history* form each history is a node and chance moves are nodes too; any
game of the protocol has it. In the *public* form, for two-player poker, a node is a betting history alone, whatever the
cards, and every quantity at a node is a vector over the *situations* of a player (their hand and the board): one pass
over a small tree serves all hands at once. The history form is the special case of one situation.

The public form need not be the whole game. It can begin at a public state in the middle of a hand, and it can end at a
*frontier*: after some streets, before the next card or right after it, where leaf values stand for the rest
(``ludus.solvers.depth``).

A node's children lie side by side and after it. Decision nodes that a player cannot tell apart share a *group*; a group
holds actions x situations numbers of a table, and each situation in it is an information set. Tables come in two
orders: [action, situation] (``by_action``), where vectors over hands lie together, and [situation, action]
(``by_situation``), where the row of one information set does.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.games.base import CHANCE, TERMINAL, Game
from ludus.games.poker import HIDDEN, PokerGame, PokerState
from ludus.trees.deals import Deals, board_names, deal_all, deals_with, levels_of, no_deals

DEAL = -3  # public form: the board of the next street is dealt; one child
UNKNOWN = -4  # not looked at yet: a tree that grows while it is sampled
FRONTIER = -5  # public form: the tree ends here though the hand does not; no children
MOST_NODES, MANY_NODES = 2_000_000, 5_000

NODE = np.dtype(
    [
        ("player", np.int32),  # who acts: a player, CHANCE, DEAL, TERMINAL, FRONTIER or UNKNOWN
        ("count", np.int32),  # number of children
        ("first", np.int32),  # index of the first child
        ("group", np.int32),  # of a decision
        ("start", np.int64),  # where the group's numbers begin in a table
        ("level", np.int32),  # how much of the board is dealt
        ("leaf", np.int32),  # of a terminal node: its row of payoffs; of a frontier: its place in ``frontier``
        ("probability", np.float64),  # after a chance node: of this outcome
    ]
)
GROUP = np.dtype(
    [("start", np.int64), ("player", np.int32), ("actions", np.int32), ("situations", np.int32), ("node", np.int32)]
)


@dataclass(frozen=True, eq=False)
class InformationSets:
    """The information sets of a game in the order of strategies on disk: by player, then by name."""

    players: NDArray[np.int8]
    names: tuple[str, ...]
    offsets: NDArray[np.int64]  # [sets + 1]: where a set's actions begin in the arrays below
    actions: NDArray[np.int64]
    labels: tuple[str, ...]  # the actions in words
    by_action: NDArray[np.int64]  # where each action's number is in a table of [action, situation]
    by_situation: NDArray[np.int64]  # ... of [situation, action]

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True, eq=False)
class Leaving:
    """What a player gets who leaves a subgame at its root instead of playing it: see ``ludus.solvers.depth.gadget``."""

    player: int
    payoffs: NDArray[np.float64]  # [situations of the root]: chips; the other player pays them
    leaf: int  # the row of ``FlatGame.payoffs`` that they stand in for


@dataclass(frozen=True, eq=False)
class FlatGame:
    """A game in arrays, or a part of one. ``groups`` lists decisions in the order in which they were found."""

    game: Game
    public: bool
    nodes: NDArray[Any]
    groups: NDArray[Any]
    payoffs: NDArray[np.float64]  # [leaves, outcome of a showdown, players]
    deals: Deals
    group_names: tuple[str, ...]  # information state, or in the public form the betting
    group_streets: tuple[int, ...]
    group_actions: tuple[tuple[int, ...], ...]
    group_labels: tuple[tuple[str, ...], ...]
    root: PokerState | None = None  # public form: where play begins
    frontier: tuple[PokerState, ...] = ()  # public states at which the tree ends before the hand does
    leaving: Leaving | None = None

    @property
    def players(self) -> int:
        """Number of players."""
        return self.game.players

    @property
    def entries(self) -> int:
        """Length of a table: actions of all information sets, and of situations that cannot arise."""
        return int((self.groups["actions"].astype(np.int64) * self.groups["situations"]).sum())

    @property
    def begin(self) -> int:
        """The node where play begins: the first, or after the choice to leave."""
        return 0 if self.leaving is None else 2

    def find(self, state: PokerState) -> tuple[int, slice]:
        """The node of a public state, and the situations there that have its board; ValueError if it is not here."""
        if self.root is None or state.game != self.game:
            raise ValueError(f"public states of {self.game.name} are looked for in its public form")
        before, moves = sum(self.root.line, ()), sum(state.line, ())
        level, board = levels_of(state.game).index(len(state.cards)), board_names(state.game, state.cards)
        node = self.begin if moves[: len(before)] == before else -1
        for move in moves[len(before) :]:
            node = self._after(node, move)
        while node >= 0 and self.nodes["level"][node] < level:
            node = int(self.nodes["first"][node]) if self.nodes["player"][node] == DEAL else -1
        if node < 0 or self.nodes["level"][node] != level or board not in self.deals.boards[level]:
            raise ValueError(f"{state.public_state()!r} is not in this part of {self.game.name}")
        first = self.deals.boards[level].index(board) * len(self.deals.hands)
        return node, slice(first, first + len(self.deals.hands))

    def _after(self, node: int, action: int) -> int:
        """The node after an action, cards that are due before it being dealt; -1 if there is none."""
        if node >= 0 and self.nodes["player"][node] == DEAL:
            node = int(self.nodes["first"][node])
        if node < 0 or self.nodes["player"][node] < 0:
            return -1
        actions = self.group_actions[self.nodes["group"][node]]
        return int(self.nodes["first"][node]) + actions.index(action) if action in actions else -1

    def places_in(self, whole: FlatGame) -> NDArray[np.int64]:
        """Where each number of a table (by_action) of this part of a game is in a table of the whole."""
        groups = {
            (int(player), name): at
            for at, (player, name) in enumerate(zip(whole.groups["player"], whole.group_names, strict=True))
        }
        boards = [
            np.array([theirs.index(board) if board in theirs else -1 for board in ours], np.int64)
            for ours, theirs in zip(self.deals.boards, whole.deals.boards, strict=True)
        ]
        hands, places = np.arange(len(self.deals.hands)), []
        for group, name in zip(self.groups, self.group_names, strict=True):
            there = whole.groups[groups[int(group["player"]), name]]
            situations = (boards[self.nodes["level"][group["node"]]][:, None] * len(hands) + hands).ravel()
            rows = np.arange(int(group["actions"]))[:, None] * int(there["situations"])
            places.append((int(there["start"]) + rows + situations).ravel())
        return np.concatenate(places) if places else np.zeros(0, np.int64)

    @cached_property
    def sets(self) -> InformationSets:
        """The information sets with their names: made once, on demand."""
        rows = [
            (int(group["player"]), name, at, situation)
            for at, group in enumerate(self.groups)
            for situation, name in self._rows(at, int(self.nodes["level"][group["node"]]))
        ]
        rows.sort()
        counts = [len(self.group_actions[at]) for _, _, at, _ in rows]
        by_action: list[int] = []
        by_situation: list[int] = []
        for (_, _, at, situation), count in zip(rows, counts, strict=True):
            start, situations = int(self.groups["start"][at]), int(self.groups["situations"][at])
            by_action.extend(range(start + situation, start + situation + count * situations, situations))
            by_situation.extend(range(start + situation * count, start + (situation + 1) * count))
        return InformationSets(
            np.array([player for player, *_ in rows], np.int8),
            tuple(name for _, name, _, _ in rows),
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            np.array([action for _, _, at, _ in rows for action in self.group_actions[at]], np.int64),
            tuple(label for _, _, at, _ in rows for label in self.group_labels[at]),
            np.array(by_action, np.int64),
            np.array(by_situation, np.int64),
        )

    def table(self, probabilities: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
        """A table by_action from probabilities in the order of ``sets``; 0 in situations that cannot arise."""
        table = np.zeros(self.entries)
        table[self.sets.by_action] = probabilities
        return table

    def _rows(self, at: int, level: int) -> list[tuple[int, str]]:
        """The situations of a group that can arise, with the names of their information sets."""
        name = self.group_names[at]
        if not self.public:
            return [(0, name)]
        hands, street = len(self.deals.hands), self.group_streets[at]
        possible = self.deals.meet[level].sum(axis=2) > 0
        rows = []
        for board, parts in enumerate(self.deals.boards[level]):
            shown = "/".join([*parts, *[""] * street][: street + 1])
            rows += [
                (board * hands + hand, f"{own}{shown}:{name}")
                for hand, own in enumerate(self.deals.hands)
                if possible[board, hand]
            ]
        return rows


class Growth:
    """A tree that grows node by node; its arrays double when they are full."""

    def __init__(
        self, game: Game, public: bool, root: PokerState | None = None, streets: int | None = None, dealt: bool = False
    ) -> None:
        self.game, self.public, self._dealt = game, public, dealt
        self._levels = levels_of(game) if isinstance(game, PokerGame) else (0,)
        self.root: Any = game.start()
        if isinstance(game, PokerGame) and public:
            self.root = (root or game.start().deal(game.deck)).seen_by(-1)  # as an onlooker sees it
        self.deals = self._deals(root) if public else no_deals()
        self.last_street = None if streets is None else self.root.street + streets
        self.frontier: list[PokerState] = []
        self.nodes = np.zeros(1024, NODE)
        self.payoffs = np.zeros((512, 3, game.players))
        self.size, self.leaves, self.entries = 1, 0, 0
        self.group_of: dict[tuple[int, str], int] = {}
        self.group_rows: list[tuple[int, int, int, int, int]] = []
        self.names: list[str] = []
        self.streets: list[int] = []
        self.actions: list[tuple[int, ...]] = []
        self.labels: list[tuple[str, ...]] = []
        self.waiting: dict[int, tuple[Any, int]] = {0: (None, 0)}  # unknown node -> state before it, action
        self.nodes[0] = (UNKNOWN, 0, 0, -1, 0, 0, -1, 1.0)

    def _deals(self, root: PokerState | None) -> Deals:
        assert isinstance(self.game, PokerGame)
        deals = deal_all(self.game)
        if root is None:
            return deals
        return deals_with(deals, self._levels.index(len(root.cards)), board_names(self.game, root.cards))

    def expand(self, node: int) -> None:
        """Look at an unknown node: who acts there and what can follow."""
        before, action = self.waiting.pop(node)
        deal = self.public and before is not None and before.player == CHANCE
        state: Any = self.root if before is None else any_deal(before) if deal else before.apply(action)
        player = int(state.player)
        row = self.nodes[node]
        level = self._levels.index(len(state.cards)) if self.public else 0
        row["player"], row["level"] = player, level
        deals = player == CHANCE
        if player == TERMINAL:
            self._add_leaf(row, state)
        elif self.last_street is not None and state.street >= self.last_street and not (deals and self._dealt):
            row["player"], row["leaf"] = FRONTIER, len(self.frontier)
            self.frontier.append(state)
        elif deals and self.public:
            row["player"] = DEAL
            self._add_children(row, state, [(0, 1.0)])
        elif deals:
            self._add_children(row, state, state.chance_outcomes())
        else:
            row["group"], row["start"] = self._find_group(node, state, player, level)
            self._add_children(row, state, [(action, 1.0) for action in state.legal_actions()])

    def _add_leaf(self, row: Any, state: Any) -> None:
        if self.leaves == len(self.payoffs):
            self.payoffs = np.concatenate([self.payoffs, np.zeros_like(self.payoffs)])
        if self.public:
            self.payoffs[self.leaves] = [state.payoffs(strengths) for strengths in ((1, 0), (0, 1), (1, 1))]
        else:
            self.payoffs[self.leaves] = state.returns()
        row["leaf"] = self.leaves
        self.leaves += 1

    def _add_children(self, row: Any, state: Any, branches: Sequence[tuple[int, float]]) -> None:
        first, size = self.size, self.size + len(branches)
        row["first"], row["count"] = first, len(branches)
        if size > len(self.nodes):
            self.nodes = np.concatenate([self.nodes, np.zeros(max(len(self.nodes), len(branches)), NODE)])
        for at, (action, probability) in enumerate(branches, first):
            self.nodes[at] = (UNKNOWN, 0, 0, -1, 0, 0, -1, probability)
            self.waiting[at] = state, action
        self.size = size

    def _find_group(self, node: int, state: Any, player: int, level: int) -> tuple[int, int]:
        name = state.betting() if self.public else state.information_state(player)
        actions = tuple(state.legal_actions())
        found = self.group_of.get((player, name))
        if found is None:
            labels = tuple(state.action_name(action) for action in actions)
            situations = len(self.deals.boards[level]) * len(self.deals.hands)
            found = self.add_group(player, name, actions, labels, situations, node, getattr(state, "street", 0))
        elif self.actions[found] != actions:
            raise ValueError(
                f"{self.game.name} offers {self.actions[found]} and elsewhere {actions} "
                f"in the same information state {name!r} of player {player}"
            )
        return found, self.group_rows[found][0]

    def add_group(
        self, player: int, name: str, actions: tuple[int, ...], labels: tuple[str, ...],
        situations: int = 1, node: int = 0, street: int = 0,
    ) -> int:  # fmt: skip
        """Make room for a group of decisions that has not been met before."""
        found = self.group_of[player, name] = len(self.names)
        self.names.append(name)
        self.streets.append(street)
        self.actions.append(actions)
        self.labels.append(labels)
        self.group_rows.append((self.entries, player, len(actions), situations, node))
        self.entries += len(actions) * situations
        return found

    def finish(self) -> FlatGame:
        """The arrays of the tree as it stands."""
        return FlatGame(
            self.game, self.public, self.nodes[: self.size].copy(), np.array(self.group_rows, GROUP),
            self.payoffs[: self.leaves].copy(), self.deals, tuple(self.names), tuple(self.streets),
            tuple(self.actions), tuple(self.labels), self.root if self.public else None, tuple(self.frontier),
        )  # fmt: skip


def any_deal(state: PokerState) -> PokerState:
    """The state after the cards due now, whichever: in the public form boards are situations, not nodes."""
    return state.deal([*state.cards, *(card for card in state.game.deck if card not in state.cards)])


def estimate_nodes(root: Any, dives: int = 400, last_street: int | None = None) -> float:
    """How many nodes a tree has, by random dives (Knuth 1975, "Estimating the efficiency of backtrack programs")."""
    rng, total = random.Random(0), 0.0
    for _ in range(dives):
        state, weight = root, 1.0
        while weight and state.player != TERMINAL and (last_street is None or state.street < last_street):
            total += weight
            if state.player == CHANCE and HIDDEN in getattr(state, "cards", ()):
                state = any_deal(state)  # the public form: boards are situations, not nodes
                continue
            actions = state.legal_actions()
            weight *= len(actions)
            state = state.apply(actions[rng.randrange(len(actions))])
        total += weight
    return total / dives


def flatten(
    game: Game,
    public: bool | None = None,
    *,
    root: PokerState | None = None,
    streets: int | None = None,
    dealt: bool = False,
) -> FlatGame:
    """A game as arrays: the public form for two-player poker, else the history form, unless told which.

    The public form can be a part of the game: ``root`` is the public state where it begins, between the cards of two
    streets or after them (what anyone holds there does not matter), and ``streets`` the number of streets played in it
    before it ends at a frontier, which lies before the next card or, with ``dealt``, right after it. A part may hold no
    decision at all, as when everybody is all-in.

    ValueError when it is too large; a Monte Carlo solver can still grow the tree where it plays.

    >>> from ludus.games import kuhn
    >>> len(flatten(kuhn()).nodes), len(flatten(kuhn(), public=False).nodes)
    (9, 58)
    """
    can = isinstance(game, PokerGame) and game.players == 2
    public = can if public is None else public
    if public and not can:
        raise ValueError(f"only two-player poker has a public form, {game.name} has not")
    if not public and (root is not None or streets is not None):
        raise ValueError(f"only a public form can begin or end in the middle of a hand, not that of {game.name}")
    if streets is not None and streets < 1:
        raise ValueError(f"a part of a game has at least one street, got {streets}")
    if root is not None:
        _check_root(game, root)
    growth = Growth(game, public, root, streets, dealt)
    stack, guessed = [0], False
    while stack:
        node = stack.pop()
        growth.expand(node)
        row = growth.nodes[node]
        first, count = int(row["first"]), int(row["count"])
        stack.extend(range(first + count - 1, first - 1, -1))
        if growth.size > MANY_NODES and not guessed:  # before much time goes into it
            guess, guessed = estimate_nodes(growth.root, last_street=growth.last_street), True
            if guess > 5 * MOST_NODES:
                about = f"{game.name} has about {guess:.1g} nodes"
                raise ValueError(f"{about}, too many to solve whole: at most {MOST_NODES:,}")
        if growth.size > MOST_NODES:
            raise ValueError(f"{game.name} has too many nodes to solve whole: at most {MOST_NODES:,}")
    if not growth.names and root is None:
        raise ValueError(f"nobody has anything to decide in {game.name} with these rules")
    return growth.finish()


def _check_root(game: Game, root: PokerState) -> None:
    if root.game != game:
        raise ValueError(f"play of {game.name} cannot begin at a state of {root.game.name}")
    if root.player == TERMINAL:
        raise ValueError(f"the hand is over at {root.public_state()!r}: nothing can begin there")
    if len(root.cards) not in levels_of(root.game):
        raise ValueError(f"play begins before or after the cards of a street, not among them: {root.public_state()!r}")

"""How a betting tree grows, compiled: a walk through all that can follow, over the records of `games.compiled.engine`.

The rules of betting are those of `engine.act`, the bets on offer those of `offers`; here nodes are numbered,
depth first, and written down. The walk is made twice: once to count, once to fill arrays of just that size.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.compiled import kernel
from ludus.games import moves
from ludus.games.action import Kind
from ludus.games.base import TERMINAL
from ludus.games.compiled.engine import HAND, act
from ludus.games.compiled.offers import raises

OOP, IP, CHANCE, FOLD, SHOWDOWN, FRONTIER, OTHER = range(7)
"""Kinds of nodes: the player out of position or in position decides, or another one with more than two players; a card
is dealt, the hand has ended by a fold or a showdown, or the tree ends before the next card though the hand does not."""
_FOLD, _CHECK, _CALL, _RAISE = (int(kind) for kind in Kind)
_FOLDS, _CALLS = moves.FOLD, moves.CALL
MOST_DEEP = 400
TOO_MANY, TOO_DEEP = -1, -2


class Grown(NamedTuple):
    """A tree while it grows; arrays of no length are not filled. Of decisions alone, an action that ends the hand leads
    to -1 and one that ends a street to the next decision."""

    first: NDArray[np.int32]  # [n + 1]: where a node's children begin in ``child``
    child: NDArray[np.int32]  # [children]
    street: NDArray[np.uint8]  # [n]
    kind: NDArray[np.uint8]  # [n]
    player: NDArray[np.int8]  # [n]: who decides, else -1
    parent: NDArray[np.int32]  # [n]
    done: NDArray[np.uint8]  # [n]: the kind of the action that leads here, 0 after a card
    amount: NDArray[np.int64]  # [n]
    size: NDArray[np.uint8]  # [n]: of a bet or raise, the place in its list of sizes
    paid: NDArray[np.int64]  # [n, players]


class _Room(NamedTuple):
    """What a walk keeps of the decisions that it is in."""

    hands: Any  # [depth] of HAND
    actions: NDArray[np.int64]  # [depth, actions]
    sizes: NDArray[np.int64]
    marks: NDArray[np.int64]  # [3, depth]: the node, the next action and the number of actions


def _room(width: int) -> _Room:
    actions = np.zeros((2, MOST_DEEP + 1, width + 2), np.int64)
    return _Room(np.zeros(MOST_DEEP + 1, HAND), actions[0], actions[1], np.zeros((3, MOST_DEEP + 1), np.int64))


class _Way(NamedTuple):
    """How one comes to a node."""

    parent: int
    edge: int  # where the parent keeps its child
    done: int
    amount: int
    size: int


def empty(nodes: int, children: int, players: int, whole: bool) -> Grown:
    """Room for a tree: of all nodes, or of decisions alone."""
    more = nodes if whole else 0
    return Grown(
        np.zeros(nodes + 1 if nodes else 0, np.int32), np.zeros(children, np.int32), np.zeros(nodes, np.uint8),
        np.zeros(more, np.uint8), np.full(more, -1, np.int8), np.zeros(more, np.int32), np.zeros(more, np.uint8),
        np.zeros(more, np.int64), np.zeros(more, np.uint8), np.zeros((more, players), np.int64),
    )  # fmt: skip


def grow(rules: Any, menu: Any, start: Any, last: int, width: int, most: int, whole: bool = True) -> Grown | int:
    """The tree of all betting from a hand on, through street ``last``; TOO_MANY or TOO_DEEP if it is too large.

    ``width`` is the most raises that the menu offers anywhere; without ``whole`` there are only decisions.
    """
    begin = np.zeros(1, HAND)
    begin[0] = start
    players, room = int(rules["players"]), _room(width)
    nodes, children = _walk(rules, menu, begin, last, most, whole, room, empty(0, 0, players, whole))
    if nodes < 0:
        return int(nodes)
    grown = empty(nodes, children, players, whole)
    _walk(rules, menu, begin, last, most, whole, room, grown)
    return grown


def grow_many(
    rules: Any, menu: Any, begins: Any, last: int, width: int, most: int
) -> tuple[Grown, NDArray[np.int64]] | None:
    """The trees of many hands one after another, and where each begins; None if one is too large.

    Children, parents and first children are numbered in the whole.
    """
    players, room = int(rules["players"]), _room(width)
    ends = np.zeros((len(begins) + 1, 2), np.int64)
    if not _walk_many(rules, menu, begins, last, most, room, ends, empty(0, 0, players, True)):
        return None
    ends = np.cumsum(ends, axis=0)
    grown = empty(int(ends[-1, 0]), int(ends[-1, 1]), players, True)
    _walk_many(rules, menu, begins, last, most, room, ends, grown)
    return grown, ends[:-1, 0]


@kernel
def _walk_many(
    rules: Any, menu: Any, begins: Any, last: int, most: int, room: _Room, ends: NDArray[np.int64], out: Grown
) -> bool:
    """Numbers of nodes and children of each tree into ``ends``, or the trees where there is room; False if too many."""
    for at in range(len(begins)):
        begin = begins[at : at + 1]
        if len(out.first) == 0:
            nodes, children = _walk(rules, menu, begin, last, most, True, room, out)
            if nodes < 0:
                return False
            ends[at + 1, 0], ends[at + 1, 1] = nodes, children
            continue
        a, b, c, d = ends[at, 0], ends[at + 1, 0], ends[at, 1], ends[at + 1, 1]
        part = Grown(
            np.zeros(b - a + 1, np.int32), out.child[c:d], out.street[a:b], out.kind[a:b], out.player[a:b],
            out.parent[a:b], out.done[a:b], out.amount[a:b], out.size[a:b], out.paid[a:b],
        )  # fmt: skip
        _walk(rules, menu, begin, last, most, True, room, part)
        out.first[a : b + 1] = part.first + c
        part.child[:] += a
        part.parent[1:] += a
    return True


@kernel
def _walk(
    rules: Any, menu: Any, begin: Any, last: int, most: int, whole: bool, room: _Room, out: Grown
) -> tuple[Any, Any]:
    """Numbers of nodes and of children, both written down where there is room; the first TOO_MANY or TOO_DEEP."""
    hands, actions, sizes = room.hands, room.actions, room.sizes
    node, cursor, count = room.marks
    base = begin[0].stack + begin[0].bet
    nodes = children = np.int64(0)
    nobody: Any = np.int64(-1)  # typed, so that `_add` is compiled once
    folded: Any = np.int64(FOLD)
    hands[0] = begin[0]
    depth, street, donk = 0, begin[0].street, False
    way = _Way(-1, -1, 0, 0, 0)
    while True:
        # A hand has come to this depth: what ends it or deals a card, then the decision that follows if there is one.
        hand = hands[depth]
        over = hand.player == TERMINAL
        ended = over and _live(rules.players, hand) == 1
        if ended:
            way, nodes = _add(out, whole, way, nodes, children, folded, street, nobody, base, hand)
        while not ended and (over or street < hand.street):
            ended = street == last
            kind = CHANCE if not ended else SHOWDOWN if street == rules.streets - 1 else FRONTIER
            way, nodes = _add(out, whole, way, nodes, children, kind, street, nobody, base, hand)
            children += whole and not ended
            street += 1
        if nodes > most:
            return TOO_MANY, 0
        if ended:
            if not whole and way.edge >= 0 and len(out.child) > 0:
                out.child[way.edge] = -1
            depth -= 1
        else:
            node[depth] = nodes
            kind = hand.player if hand.player < 2 else OTHER
            way, nodes = _add(out, whole, way, nodes, children, kind, street, hand.player, base, hand)
            count[depth] = _options(menu, rules, hand, donk and hand.player == 0, actions[depth], sizes[depth])
            cursor[depth] = 0
            children += count[depth]
            if len(out.first) > 0:
                out.first[nodes] = children
            if nodes > most:
                return TOO_MANY, 0
        # The next action of the deepest decision that has one left.
        while depth >= 0 and cursor[depth] == count[depth]:
            depth -= 1
        if depth < 0:
            return nodes, children
        if depth == MOST_DEEP:
            return TOO_DEEP, 0
        hand, at = hands[depth], cursor[depth]
        cursor[depth] += 1
        action, street = actions[depth, at], hand.street
        facing = hand.bet[hand.player] < hand.top
        done = _FOLD if action == _FOLDS else _RAISE if action > _CALLS else _CALL if facing else _CHECK
        donk = done == _CALL and hand.player == 0 and hand.raises > 0
        edge = out.first[node[depth]] + at if len(out.first) > 0 else 0
        way = _Way(node[depth], edge, done, max(action, 0), sizes[depth, at] if done == _RAISE else 0)
        hands[depth + 1] = hand
        act(rules, hands[depth + 1], action)
        depth += 1


@kernel
def _live(players: int, hand: Any) -> int:
    live = 0
    for seat in range(players):
        live += not hand.folded >> seat & 1
    return live


@kernel
def _options(menu: Any, rules: Any, hand: Any, donk: bool, actions: Any, sizes: Any) -> int:
    """The actions of the player to act: fold, call or check, and the raises, ascending."""
    seat, count = hand.player, 0
    limping = hand.street == 0 and hand.moves == 0 and not menu.limp
    owed = hand.top - hand.bet[seat]
    if owed > 0 or limping:
        actions[0] = _FOLDS
        count = 1
    if not limping or owed >= hand.stack[seat]:
        actions[count] = _CALLS
        count += 1
    return count + raises(menu, rules, hand, donk, count, actions, sizes)


@kernel
def _add(
    out: Grown, whole: bool, way: _Way, nodes: Any, children: Any, kind: int, street: Any, player: Any, base: Any,
    hand: Any,
) -> tuple[_Way, Any]:  # fmt: skip
    """Write a node down where there is room; the way on, if it has a single child, and the number of nodes."""
    if not whole and player < 0:
        return way, nodes
    if len(out.first) > 0:
        if way.edge >= 0:
            out.child[way.edge] = nodes
        out.first[nodes + 1] = children + (kind == CHANCE)
        out.street[nodes] = street
        if whole:
            out.kind[nodes], out.player[nodes], out.parent[nodes] = kind, player, way.parent
            out.done[nodes], out.amount[nodes], out.size[nodes] = way.done, way.amount, way.size
            for seat in range(out.paid.shape[1]):
                out.paid[nodes, seat] = base[seat] - hand.stack[seat]
    return _Way(nodes, children, 0, 0, 0), nodes + 1

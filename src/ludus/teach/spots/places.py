"""A place in a solved spot as the page shows it: the way there, who decides, what can follow, what every hand does."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ludus.cards.card import CARDS, format_cards, parse_card
from ludus.cards.ranges import CLASSES, class_weights, parse_range
from ludus.games.action import Kind
from ludus.games.menu import Menu, PlayerSizes
from ludus.solvers.spot.kernels.compact import Places
from ludus.solvers.spot.layout import PLAYERS, Layout
from ludus.solvers.spot.line import Pair, Place, start_of
from ludus.solvers.spot.solution import Solution
from ludus.solvers.spot.solve import solve_spot
from ludus.solvers.spot.view import View, action_phrases
from ludus.trees.betting import CHANCE, FOLD, FRONTIER, IP, OOP, RIVER, BettingTree
from ludus.trees.lines import DEALT, line_words, longer, same_word
from ludus.trees.locks import Lock
from ludus.trees.spot import Spot

DIGITS = 6
RIVER_TARGET, RIVER_SECONDS = 0.1, 3.0  # per cent of the pot, for a river that was not kept


class Stage(NamedTuple):
    """A node on the way along a line, in the solution that knows it: the spot's own, or that of a river."""

    node: int  # in the tree of the whole spot
    line: str
    solution: Solution
    place: Place
    scales: tuple[float, float] = (1.0, 1.0)  # what the ranges of that solution were divided by


def describe_place(solution: Solution, line: str) -> dict[str, Any]:
    """Everything that the page needs at a line, and to walk on from it; ValueError for a line that does not exist."""
    tree, spot = solution.layout.tree, solution.spot
    stages = trail(solution, line)
    here = stages[-1]
    content: dict[str, Any] = {"kind": _kind(tree, here.node), **_table(spot, tree, here)}
    if tree.kind[here.node] <= IP:
        content |= _view(here).to_dict(hands=True) | {"line": here.line}
        content["next"] = _next(spot, tree, here)
    elif tree.kind[here.node] == CHANCE:
        content |= {"all_in": bool(Places.of(tree).all_in[here.node]), **_cards(here.place), "classes": _classes(here)}
    else:
        content |= {"result": _result(tree, here.node), "classes": _classes(here)}
    content["path"] = [_step(spot, tree, *pair) for pair in pairwise(stages)]
    content["exploitability_percent"] = solution.exploitability_percent
    content["estimate"] = solution.accuracy and solution.accuracy.to_dict()
    content["rivers"] = solution.rivers
    shown: dict[str, Any] = rounded(content)
    return shown


def trail(solution: Solution, line: str) -> list[Stage]:
    """All nodes from the start to where a line leads; ValueError says what is wrong with it."""
    tree = solution.layout.tree
    nodes = [tree.find(line)]
    while nodes[-1]:
        nodes.append(int(tree.parent[nodes[-1]]))
    here = Stage(0, "", solution, start_of(solution.layout))
    stages = [here]
    for word, node in zip(line_words(line), nodes[-2::-1], strict=True):
        if tree.kind[here.node] == CHANCE:
            if word.upper() == DEALT:
                known = longer(here.line, "2c")
                raise ValueError(f"a line names the cards that come: write one instead of D, as in '{known}'")
            card = parse_card(word)
            place, done = here.place.deal(card), CARDS[card]
        else:
            action = tree.children(here.node).index(node)
            place, done = here.place.act(action, here.solution.played), tree.word(node)
        here = here._replace(node=node, line=longer(here.line, done), place=place)
        if tree.kind[node] <= IP and tree.street[node] == RIVER and not here.solution.rivers:
            here = _on_river(here)
        stages.append(here)
    return stages


def _view(here: Stage) -> View:
    view = View.of(here.solution, here.place)
    one, two = here.scales
    return replace(
        view, reach=(view.reach[0] * one, view.reach[1] * two), met=(view.met[0] * two, view.met[1] * one)
    )  # fmt: skip


# The table


def _kind(tree: BettingTree, node: int) -> str:
    kind = tree.kind[node]
    return "decision" if kind <= IP else "card" if kind == CHANCE else "end"


def _result(tree: BettingTree, node: int) -> dict[str, Any]:
    if tree.kind[node] != FOLD:
        return {"how": "street" if tree.kind[node] == FRONTIER else "showdown", "winner": None}
    return {"how": "fold", "winner": PLAYERS[1 - int(tree.kind[tree.parent[node]])]}


def _table(spot: Spot, tree: BettingTree, here: Stage) -> dict[str, Any]:
    """What lies on the table: the board, the pot, stacks and the bets of this street."""
    node = here.node
    paid = tree.paid[node].tolist()
    first = node
    while first and tree.kind[tree.parent[first]] != CHANCE:
        first = int(tree.parent[first])
    before = tree.paid[first].tolist() if tree.kind[node] <= IP else paid
    player = int(tree.kind[node])
    return {
        "line": here.line,
        "board": format_cards(here.place.board, " "),
        "pot": spot.pot + sum(paid),
        "stacks": {name: spot.stack - paid[at] for at, name in enumerate(PLAYERS)},
        "bets": {name: paid[at] - before[at] for at, name in enumerate(PLAYERS)},
        "player": PLAYERS[player] if player <= IP else None,
    }


def _step(spot: Spot, tree: BettingTree, here: Stage, after: Stage) -> dict[str, Any]:
    """A node before the last one: who decided what there, and how often."""
    taken = CARDS[after.place.board[-1]] if tree.kind[here.node] == CHANCE else tree.word(after.node)
    step: dict[str, Any] = {"line": here.line, "kind": _kind(tree, here.node), "player": None, "taken": taken}
    if tree.kind[here.node] <= IP:
        place, player = here.place, int(tree.kind[here.node])
        weights = place.reach[player] * place.met[player]
        total = float(weights.sum())
        played = here.solution.played(place.at, place.index, place.node) @ weights
        often = (played / total).tolist() if total > 0 else [None] * len(played)
        actions, said = tree.actions(here.node), action_phrases(spot, tree, here.node)
        step |= {"player": PLAYERS[player], "actions": [*map(str, actions)], "names": [*map(str, said)]}
        step |= {"phrases": [each.to_dict() for each in said], "frequencies": often}
    return step


def _next(spot: Spot, tree: BettingTree, here: Stage) -> list[dict[str, Any]]:
    """What can be done at a decision, with the line that follows."""
    found = []
    for child, said in zip(tree.children(here.node), action_phrases(spot, tree, here.node), strict=True):
        word, line = tree.word(child), longer(here.line, tree.word(child))
        found.append({"word": word, "name": str(said), **said.to_dict(), "line": line, "kind": _kind(tree, child)})
    return found


def _cards(place: Place) -> dict[str, Any]:
    """The cards that can come; ``like`` says which earlier card one plays exactly like, by another name of its suit."""
    known, like, cards = dict[int, str](), dict[str, str](), []
    for card in (card for card in range(52) if card not in place.board):
        here = place.deal(card)
        if not (here.reach[0] * here.met[0]).any():
            continue
        cards.append(CARDS[card])
        if here.index in known:
            like[CARDS[card]] = known[here.index]
        known.setdefault(here.index, CARDS[card])
    return {"cards": cards, "like": like}


def _classes(here: Stage) -> dict[str, Any]:
    """The ranges that get here, by class."""
    shown = {}
    for name, weights, scale in zip(PLAYERS, here.place.ranges, here.scales, strict=True):
        rows = class_weights(np.minimum(weights * scale, 1.0)).tolist()
        shown[name] = {CLASSES[at]: {"reach": row} for at, row in enumerate(rows) if row > 0}
    return shown


def rounded(value: Any) -> Any:
    """Numbers with as many digits as anybody reads."""
    match value:
        case float():
            return float(f"{value:.{DIGITS}g}")
        case dict():
            return {key: rounded(each) for key, each in value.items()}
        case list() | tuple():
            return [rounded(each) for each in value]
    return value


# Rivers that were not kept


def _on_river(here: Stage) -> Stage:
    """The first decision on a river that was not kept: it is solved with the ranges that get there."""
    if not (here.place.reach[0] * here.place.met[0]).any():
        raise ValueError(f"no hand comes to {here.line} in this solution: there is nothing to solve")
    river, scales = _solved_river(here.solution, here.line, here.place)
    start = replace(start_of(river.layout), board=here.place.board)
    return here._replace(solution=river, place=start, scales=scales)


@lru_cache(maxsize=16)  # solutions and places are known by their identity, so the line alone is no key
def _river_at(solution: Solution, line: str) -> list[Any]:
    """A place to keep a river in, once it is solved."""
    return []


def _solved_river(solution: Solution, line: str, place: Place) -> tuple[Solution, tuple[float, float]]:
    kept = _river_at(solution, line)
    if not kept:
        kept.append(_solve_river(solution, line, place))
    found: tuple[Solution, tuple[float, float]] = kept[0]
    return found


def _solve_river(solution: Solution, line: str, place: Place) -> tuple[Solution, tuple[float, float]]:
    spot, tree, ranges = solution.spot, solution.layout.tree, place.ranges
    scales = float(ranges[0].max()), float(ranges[1].max())
    paid = int(tree.paid[place.node][0])
    stacks, menu = (spot.stack - paid,) * 2, _river_menu(spot, tree, place.node)
    subgame = replace(spot.subgame, board=place.board, pot=spot.pot + 2 * paid, stacks=stacks, menu=menu)
    scaled = np.stack([ranges[0] / scales[0], ranges[1] / scales[1]])
    layout = Layout.of(Spot(subgame, scaled, _river_locks(solution, line, ranges)))
    assert layout.tree.actions(0) == tree.actions(place.node)
    run = solve_spot(layout, target=RIVER_TARGET, seconds=RIVER_SECONDS)
    return Solution.of(run), scales


def _river_menu(spot: Spot, tree: BettingTree, node: int) -> Menu:
    """The menu of the river; OOP's first bet is a donk where they have called IP's bet on the turn."""
    oop, ip = spot.menu.of(3, 0), spot.menu.of(3, 1)
    dealt = int(tree.parent[node])
    called = dealt > 0 and tree.done[dealt] == Kind.CALL and tree.kind[tree.parent[dealt]] == OOP
    if called and oop.donk is not None:
        oop = PlayerSizes((oop.donk, *oop.rows[1:]))
    return spot.menu.changed(3, oop, ip)


def _river_locks(solution: Solution, line: str, ranges: Pair) -> tuple[Lock, ...]:
    """The locks that hold for some hand on a river, with lines that begin there."""
    tree, words, found = solution.layout.tree, line_words(line), []
    for lock in solution.spot.locks:
        own = line_words(lock.line)
        here = len(own) >= len(words) and all(same_word(one, two) for one, two in zip(own, words, strict=False))
        if here and ((parse_range(lock.hands) > 0) & (ranges[int(tree.kind[tree.find(lock.line)])] > 0)).any():
            found.append(replace(lock, line="-".join(own[len(words) :])))
    return tuple(found)

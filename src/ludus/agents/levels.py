"""Opponents of five levels of difficulty: one blueprint, softened by one knob.

Level 5 is the blueprint itself. Below it a player is weaker in the ways people are, and never blunders at random:

* *Temperature*: the chances of folding and of checking or calling become ``chance ** (1 / temperature)``, those of bets
  and raises stay, and all are made to add up to 1 again. So a player of a low level calls where it should raise or
  fold, and folds where it should call, the more often the closer the decision is. What the blueprint never does is not
  done.
* *Forgetting*: hands of like strength are not told apart. The kinds of hands of a street, in the order of their
  strength, are put together into groups, and all hands of a group play as the group does on average. The later
  the street, the coarser the view.

A level is a blueprint of the same form again, so it plays whatever the blueprint can play, and as fast.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.cards.ranges import CLASSES
from ludus.cards.strength import PREFLOP_ORDER
from ludus.compiled import kernel
from ludus.games.compiled.engine import HAND, act, new_hand
from ludus.games.moves import FOLD
from ludus.solvers.blueprint.deals import CATEGORIES
from ludus.solvers.blueprint.strategy import FULL, Blueprint
from ludus.trees.blueprint import Abstraction
from ludus.trees.growing import MOST_DEEP
from ludus.trees.situations import FRAME, menu

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Level:
    """How a blueprint is softened."""

    temperature: float
    groups: tuple[int, int, int, int]  # of kinds of hands that are told apart on each street; 0 for all

    def __post_init__(self) -> None:
        if not self.temperature >= 1 or min(self.groups) < 0:
            raise ValueError(f"a level has a temperature of at least 1 and no negative groups, got {self}")


LEVELS = {
    1: Level(6.0, (12, 3, 2, 2)),
    2: Level(3.0, (32, 8, 5, 4)),
    3: Level(2.0, (0, 24, 14, 10)),
    4: Level(1.5, (0, 120, 60, 40)),
    5: Level(1.0, (0, 0, 0, 0)),
}
STRONGEST = max(LEVELS)
STEPS = {2: (0.478, 0.404, 0.228, 0.237), 6: (0.421, 0.352, 0.141, 0.136)}
"""How many big blinds a hand a level wins from the one below, heads-up and with six players: see docs/blueprints.md."""


def check_level(level: int) -> None:
    """ValueError unless there is such a level."""
    if level not in LEVELS:
        raise ValueError(f"levels are {min(LEVELS)} to {STRONGEST}, got {level}")


@lru_cache(maxsize=8)
def at_level(blueprint: Blueprint, level: int) -> Blueprint:
    """A blueprint softened to a level."""
    check_level(level)
    return blueprint if level == STRONGEST else softened(blueprint, LEVELS[level])


def softened(blueprint: Blueprint, level: Level) -> Blueprint:
    """A blueprint with the temperature and the groups of a level.

    A row that training never met becomes the average of its group; without groups it stays unknown.
    """
    abstraction = blueprint.abstraction
    strategy = np.array(blueprint.strategy)
    for street, (starts, widths, passive) in enumerate(decisions(abstraction)):
        group = _groups(abstraction, street, level.groups[street])
        _soften(strategy, starts, widths, passive, group, level.groups[street], level.temperature)
    strategy.setflags(write=False)
    return replace(blueprint, strategy=strategy)


def strengths(abstraction: Abstraction, street: int) -> Ints:
    """The kinds of hands of a street from the weakest to the strongest."""
    order = {name: at for at, name in enumerate(reversed(PREFLOP_ORDER.split()))}
    classes = np.array([order[name] for name in CLASSES])
    if street == 0:
        return np.argsort(classes, kind="stable")
    if abstraction.buckets is not None:
        return np.arange(abstraction.kinds[street])  # they are numbered by it
    kinds = np.arange(abstraction.kinds[street])
    return np.lexsort((classes[kinds // CATEGORIES], kinds % CATEGORIES))


def _groups(abstraction: Abstraction, street: int, groups: int) -> Ints:
    """The group of each kind of hands; each is a group of its own where all are told apart."""
    order = strengths(abstraction, street)
    group = np.empty(len(order), np.int64)
    group[order] = np.arange(len(order)) * groups // len(order) if groups else np.arange(len(order))
    return group


def decisions(abstraction: Abstraction) -> list[tuple[Ints, Ints, Ints]]:
    """By street, of all decisions: where their rows begin, how wide those are, how many actions are no raises."""
    layout, tree = abstraction.layout, abstraction.layout.tree
    if tree.nodes:
        widths, passive = np.diff(tree.first).astype(np.int64), np.zeros(tree.nodes, np.int64)
        _count_passive(layout.spec, layout.rules, tree.first, tree.child, passive)
        streets = [tree.street == street for street in range(4)]
        return [(tree.offset[here], widths[here], passive[here]) for here in streets]
    base, width = layout.spec["base"], int(layout.spec["width"])
    starts = [np.arange(base[s], base[s + 1], width * abstraction.kinds[s]) for s in range(4)]
    return [(each, np.full(len(each), width), np.full(len(each), 2)) for each in starts]


@kernel
def _count_passive(spec: Any, rules: Any, first: NDArray[np.int32], child: NDArray[np.int32], out: Ints) -> None:
    """For each decision of a tree the number of actions that are no bets or raises: one, or two with a fold."""
    hands, frames = np.zeros(MOST_DEEP, HAND), np.zeros(1, FRAME)
    node, cursor = np.zeros(MOST_DEEP, np.int64), np.zeros(MOST_DEEP, np.int64)
    new_hand(rules, hands[0])
    depth = np.int64(0)
    while depth >= 0:
        at, here = node[depth], frames[0]
        count = menu(spec, rules, hands[depth], here)
        out[at] = 2 if here.action[0] == FOLD else 1
        if cursor[depth] == count:
            depth -= 1
            continue
        following = child[first[at] + cursor[depth]]
        action = here.action[cursor[depth]]
        cursor[depth] += 1
        if following >= 0:
            hands[depth + 1] = hands[depth]
            act(rules, hands[depth + 1], action)
            depth += 1
            node[depth], cursor[depth] = following, 0


@kernel
def _soften(
    strategy: Bytes, starts: Ints, widths: Ints, passive: Ints, group: Ints, groups: int, temperature: float
) -> None:
    """Change the rows of decisions in place: first the average of each group, then the temperature."""
    kinds, widest = len(group), 0
    for width in widths:
        widest = max(widest, width)
    sums, members, row = np.zeros((max(groups, 1), widest)), np.zeros(max(groups, 1), np.int64), np.zeros(widest)
    for decision in range(len(starts)):
        start, width = starts[decision], widths[decision]
        if groups:
            sums[:] = 0
            members[:] = 0
            for kind in range(kinds):
                total = 0
                for slot in range(width):
                    total += strategy[start + kind * width + slot]
                if total:
                    members[group[kind]] += 1
                    for slot in range(width):
                        sums[group[kind], slot] += strategy[start + kind * width + slot] / total
        for kind in range(kinds):
            at = start + kind * width
            known = 0.0
            for slot in range(width):
                row[slot] = sums[group[kind], slot] if groups else strategy[at + slot]
                known += row[slot]
            if known == 0:
                continue
            total_chance = 0.0
            for slot in range(width):
                row[slot] /= known
                if slot < passive[decision]:
                    row[slot] = row[slot] ** (1 / temperature)
                total_chance += row[slot]
            for slot in range(width):
                strategy[at + slot] = np.uint8(np.rint(FULL * row[slot] / total_chance))

"""Abstract games of hold'em, small enough to learn: few bets, few kinds of hands, and a form of memory.

The layout says where the numbers of an information set lie in one long array: a row for every situation of the betting
(`ludus.trees.situations`) and every kind of hand, in it a slot for every action.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from ludus.games.base import TERMINAL
from ludus.games.compiled.engine import empty_hand, new_hand, rules_of
from ludus.games.compiled.offers import DEPTHS, fill_menu, menu_record
from ludus.games.definition import define, rebuild
from ludus.games.menu import Menu
from ludus.games.poker import PokerGame
from ludus.games.record import dealt
from ludus.trees.buckets import Buckets, load_buckets
from ludus.trees.growing import grow
from ludus.trees.situations import APARICIO, BOUNDED, LEADS, SEATS, SIZES, SPEC, TREE, situations

Form = Literal["tree", "bounded", "leads", "seats", "aparicio"]
FORMS = {"tree": TREE, "bounded": BOUNDED, "leads": LEADS, "seats": SEATS, "aparicio": APARICIO}
CATEGORY_CLASSES = "aparicio"
"""The name of the card abstraction that knows a hand's class (169) and, after the flop, what it makes (9)."""
MOST_NODES = 20_000_000


@dataclass(frozen=True)
class Abstraction:
    """An abstract game: rules with a bet menu, what is known of the cards, and what of the betting."""

    game: PokerGame
    form: Form
    cards: str  # CATEGORY_CLASSES, or the name or file of buckets

    def __post_init__(self) -> None:
        if self.form not in get_args(Form):
            raise ValueError(f"the form of an abstraction is one of {', '.join(get_args(Form))}, got {self.form!r}")
        if not isinstance(self.cards, str):
            raise ValueError(f"the cards of an abstraction are {CATEGORY_CLASSES!r} or buckets, got {self.cards!r}")
        if self.game.bets is None or not _is_plain(self.game.bets):
            raise ValueError("an abstract game has a menu of pot fractions and all-in alone, as in '75%, a'")
        if self.game.betting != "no-limit" or self.game.dead_antes:
            raise ValueError("abstract games are no-limit hold'em with equal antes")
        rules_of(self.table)  # which other games are not
        if dealt(self.table.start(), self.table.deck).player == TERMINAL:
            raise ValueError("with such small stacks the blinds put everybody all-in: there is nothing to learn")
        deep = any(len(player.rows) > DEPTHS for street in self.game.bets.streets for player in street)
        if deep or any(len(sizes.of_kind("%")) > SIZES for sizes in self.game.bets.lists):
            raise ValueError(f"a bet menu has at most {DEPTHS} raises a street and {SIZES} sizes beside all-in")

    @property
    def table(self) -> PokerGame:
        """The game that it is an abstraction of."""
        return replace(self.game, bets=None)

    @cached_property
    def buckets(self) -> Buckets | None:
        """The card abstraction, None for classes and categories."""
        return None if self.cards == CATEGORY_CLASSES else load_buckets(self.cards)

    @property
    def kinds(self) -> tuple[int, int, int, int]:
        """How many kinds of hands each street has."""
        return (169, 1521, 1521, 1521) if self.buckets is None else self.buckets.counts

    def to_json(self) -> dict[str, Any]:
        """As plain data; buckets are named by their digest too, so that others are not taken for them."""
        digest = None if self.buckets is None else self.buckets.digest
        return {"game": define(self.game), "form": self.form, "cards": self.cards, "buckets": digest}

    @classmethod
    def from_json(cls, data: Any) -> Abstraction:
        """The abstraction of plain data; ValueError where it is not one, or where its buckets are others now."""
        try:
            game = rebuild(data["game"])
            form, cards = ("aparicio" if each == "s1" else each for each in (data["form"], data["cards"]))  # of old
            made = cls(game, form, cards)  # type: ignore[arg-type]
            digest = data["buckets"]
        except (KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise ValueError(f"this is not an abstraction of hold'em: {error!r}") from None
        if not isinstance(game, PokerGame):
            raise ValueError("this is not an abstraction of hold'em")
        if made.buckets is not None and made.buckets.digest != digest:
            raise ValueError(f"the buckets {made.cards!r} are not those that this was made with")
        return made

    @cached_property
    def layout(self) -> Layout:
        """Where everything lies; a tree is built, which can take a while."""
        return _layout(self)


def _is_plain(menu: Menu) -> bool:
    """Whether a menu lists fractions of the pot and all-in, for all players alike, as games do."""
    kinds = {size.kind for sizes in menu.lists for size in sizes.items}
    return menu.fit == "drop" and kinds <= {"%", "a"} and all(len(street) == 1 for street in menu.streets)


class Tree(NamedTuple):
    """Betting sequences: the decisions in depth-first order, 0 the root. Empty but in the form of a tree."""

    first: NDArray[np.int32]  # [n + 1]: where a decision's actions begin in ``child``
    child: NDArray[np.int32]  # [actions]: the decision that an action leads to, -1 where the hand is over
    street: NDArray[np.uint8]  # [n]
    offset: NDArray[np.int64]  # [n]: where its rows begin

    @property
    def nodes(self) -> int:
        """Number of decisions."""
        return len(self.street)


@dataclass(frozen=True, eq=False)
class Layout:
    """Rows and slots of an abstract game."""

    spec: Any  # a record of SPEC
    rules: Any  # a record of engine.RULES
    tree: Tree
    slots: int  # in all
    infosets: int  # rows; but in a tree not all of them can be reached
    by_street: tuple[int, ...] = field(default=())  # rows of each street

    @property
    def training_bytes(self) -> int:
        """Memory of regrets and averages, 4 bytes each, and of the tree."""
        return 8 * self.slots + sum(array.nbytes for array in self.tree)


def spec_of(abstraction: Abstraction) -> Any:
    """The abstract game as a record for the kernels."""
    spec = np.zeros(1, SPEC)[0]
    assert abstraction.game.bets is not None
    spec["form"], spec["players"] = FORMS[abstraction.form], abstraction.game.players
    spec["cards"] = abstraction.kinds
    spec["sizes"] = max(len(sizes.of_kind("%")) for sizes in abstraction.game.bets.lists)
    spec["width"] = spec["sizes"] + 3
    fill_menu(spec, abstraction.game.bets)
    return spec


def _layout(abstraction: Abstraction) -> Layout:
    spec, rules = spec_of(abstraction), rules_of(abstraction.table)
    kinds = np.array(abstraction.kinds, np.int64)
    if spec["form"] == TREE:
        tree = build_tree(spec, rules)
        counts = np.diff(tree.first)
        rows = kinds[tree.street]
        tree.offset[:] = np.concatenate([[0], np.cumsum(counts * rows)[:-1]])
        by_street = tuple(int(rows[tree.street == street].sum()) for street in range(4))
        return Layout(spec, rules, tree, int((counts * rows).sum()), int(rows.sum()), by_street)
    numbers = [situations(spec, street) for street in range(4)]
    by_street = tuple(int(number * kind) for number, kind in zip(numbers, kinds, strict=True))
    spec["base"] = np.concatenate([[0], np.cumsum(by_street)]) * spec["width"]
    none = np.zeros(0, np.int32)
    empty = Tree(none, none, np.zeros(0, np.uint8), np.zeros(0, np.int64))
    return Layout(spec, rules, empty, int(spec["base"][4]), sum(by_street), by_street)


def build_tree(spec: Any, rules: Any) -> Tree:
    """All betting sequences of an abstract game; ValueError when they are too many."""
    hand = empty_hand()
    new_hand(rules, hand)
    grown = grow(rules, _menu_of(spec), hand, int(rules["streets"]) - 1, SIZES + 1, MOST_NODES, whole=False)
    if isinstance(grown, int):
        raise ValueError(
            f"there are more than {MOST_NODES:,} betting sequences: list fewer sizes, cap the raises with '-', "
            "or take the bounded form"
        )
    return Tree(grown.first, grown.child, grown.street, np.zeros(len(grown.street), np.int64))


def _menu_of(spec: Any) -> Any:
    """The menu of a record of SPEC as other trees have theirs: for one type of record kernels are compiled once."""
    menu = menu_record(None)
    for name in menu.dtype.names:
        if menu.dtype[name].shape:
            menu[name][: len(spec[name])] = spec[name]
        else:
            menu[name] = spec[name]
    return menu

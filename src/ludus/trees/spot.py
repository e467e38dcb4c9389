"""A spot: two players in a hold'em hand from the flop on, with their ranges, the pot, the stacks and the bets allowed.

The player out of position (OOP, player 0) acts first on every street, the one in position (IP, player 1) second. As a
TOML file::

    board = "Ks Th 6h"           # 3, 4 or 5 cards; a list of cards will do
    pot = 200                    # whole chips
    stack = 900                  # what both have left: the smaller stack
    oop = "22+, A2s+, KTo+"
    ip = "random"
    rake = "5% cap 3"            # optional, as are the rules of betting: raise_cap, min_bet,
    add_all_in = "150%"          # add_all_in, force_all_in and merge, see `BetRules`

    [sizes.flop]                 # and sizes.turn, sizes.river; `ludus.games.sizes` has the language
    bet = "33%, 75%"             # without sizes there are only checks on a street
    raise = "60%, a"             # without these nobody raises
    donk = "50%"                 # OOP's first bet where IP was the last to bet on the street before; else as bet

    [sizes.flop.ip]              # one player's own sizes go before those of both
    bet = "50%"

Strategies can be fixed by ``[[lock]]`` tables, see `ludus.trees.locks`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from reprlib import repr as shortened
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludus.cards.card import format_cards, parse_cards
from ludus.cards.ranges import COMBOS, Weights, blocked, format_range, parse_range
from ludus.games.menu import CHECKS_ONLY, PLAYERS, BetRules, Menu
from ludus.games.sizes import MOST_CHIPS, check_keys, number_text, parse_number
from ludus.trees.locks import MOST_LOCKS, Lock

MOST_BYTES = 300_000
MAX_TEXT = 100  # of a board or a rake
MOST_DOTS = 100  # in a line, but for decimals: time and memory of tomllib grow with the square of a key's parts

_NEEDED = ("board", "pot", "stack", "oop", "ip")
_RULES = ("min_bet", "raise_cap", "add_all_in", "force_all_in", "merge")
_KEYS = (*_NEEDED, "sizes", "rake", "lock", *_RULES)
_DECIMALS = re.compile(rb"[0-9:,=[]\.[0-9]")
_RAKE = re.compile("([^c]+)(?:cap(.+))?")


@dataclass(frozen=True, slots=True)
class Rake:
    """A percentage of the final pot, at most ``cap`` chips (None: no cap), taken from who wins it."""

    percent: Fraction = Fraction(0)
    cap: Fraction | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "percent", parse_number("the percentage of the rake", self.percent, high=50))
        if self.cap is not None:
            object.__setattr__(self, "cap", parse_number("the cap of the rake", self.cap, high=MOST_CHIPS))

    @classmethod
    def of(cls, value: object) -> Rake:
        """From '5%', '5% cap 3', a number of percent, a table of percent and cap, or None.

        >>> str(Rake.of("5% cap 3"))
        '5% cap 3'
        """
        if isinstance(value, Rake):
            return value
        percent, cap = value, None
        if isinstance(value, Mapping):
            check_keys("rake", value, ("percent", "cap"), needed=("percent",))
            percent, cap = value["percent"], value.get("cap")
        elif isinstance(value, str) and len(value) <= MAX_TEXT:
            match = _RAKE.fullmatch(" ".join(value.lower().split()))
            percent, cap = match.groups() if match else (value, None)
        if isinstance(cap, str) and "%" in cap:
            raise ValueError(f"the cap of the rake is in chips, as in '5% cap 3', got {shortened(value)}")
        return cls(
            Fraction(0) if percent is None else parse_number("the percentage of the rake", percent, high=50),
            None if cap is None else parse_number("the cap of the rake", cap, high=MOST_CHIPS),
        )

    def taken(self, final_pot: NDArray[np.float64]) -> NDArray[np.float64]:
        """The rake of final pots."""
        rake = final_pot * (float(self.percent) / 100)
        return rake if self.cap is None else np.minimum(rake, float(self.cap))

    def __str__(self) -> str:
        cap = "" if self.cap is None else f" cap {number_text(self.cap)}"
        return f"{number_text(self.percent)}%{cap}"


@dataclass(frozen=True)
class Spot:
    """A spot in its canonical form; `Spot.of` takes cards, ranges and sizes as they are usually written."""

    board: tuple[int, ...]
    pot: int
    stack: int
    oop: str  # the text of a range
    ip: str
    menu: Menu = CHECKS_ONLY
    rake: Rake = field(default_factory=Rake)
    rules: BetRules = field(default_factory=BetRules)
    locks: tuple[Lock, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "board", _board(self.board))
        object.__setattr__(self, "pot", _chips("pot", self.pot, least=1))
        object.__setattr__(self, "stack", _chips("stack", self.stack, least=0))
        for name in PLAYERS:
            object.__setattr__(self, name, _range_text(name, getattr(self, name)))
        if not isinstance(self.menu, Menu) or not isinstance(self.rake, Rake) or not isinstance(self.rules, BetRules):
            raise ValueError("menu, rake and rules are made already here: use Spot.of for tables and texts")
        oop, ip = self.oop_weights, self.ip_weights
        for name, weights in zip(PLAYERS, (oop, ip), strict=True):
            if not weights.any():
                raise ValueError(
                    f"the {name} range has no hand left on {format_cards(self.board)}: give it other hands"
                )
        if not _can_meet(oop > 0, ip > 0):
            raise ValueError("every hand of the oop range shares a card with every hand of the ip range: widen one")

    @property
    def oop_weights(self) -> Weights:
        """The weights ``[1326]`` of the hands out of position, without those that the board blocks."""
        return blocked(parse_range(self.oop), self.board)

    @property
    def ip_weights(self) -> Weights:
        """The weights ``[1326]`` of the hands in position, without those that the board blocks."""
        return blocked(parse_range(self.ip), self.board)

    @classmethod
    def of(
        cls,
        board: str | Iterable[str | int],
        pot: int,
        stack: int,
        oop: str | ArrayLike,
        ip: str | ArrayLike,
        sizes: Mapping[str, Any] | None = None,
        rake: object = None,
        lock: Iterable[object] | None = None,
        **rules: Any,
    ) -> Spot:
        """A spot from the values of a TOML file; cards may also be numbers and ranges weights ``[1326]``.

        >>> spot = Spot.of("Ks Th 6h 4c 2s", 200, 900, "QQ+", "AK", {"river": {"bet": "75%, a"}}, rake="5% cap 3")
        >>> Spot.from_dict(spot.to_dict()) == spot
        True
        """
        check_keys("spot", rules, _RULES)
        given = {name: value for name, value in rules.items() if value is not None}
        for name in given.keys() & {"min_bet", "raise_cap"}:
            given[name] = _chips(name, given[name], least=0)
        return cls(
            _board(board),
            _chips("pot", pot, least=1),
            _chips("stack", stack, least=0),
            oop if isinstance(oop, str) else _range_text("oop", oop),
            ip if isinstance(ip, str) else _range_text("ip", ip),
            CHECKS_ONLY if sizes is None else Menu.of_tables(sizes),
            Rake.of(rake),
            BetRules(**given),
            _locks([] if lock is None else lock),
        )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Spot:
        """A spot from what `to_dict` gives, or from the tables of a TOML file."""
        check_keys("spot", values, _KEYS, _NEEDED)
        return cls.of(**values)

    @classmethod
    def load(cls, path: str | Path) -> Spot:
        """A spot from a TOML file; the module's docstring has an example."""
        path = Path(path)
        if not path.is_file():
            raise FileNotFoundError(f"there is no file {path}")
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ValueError(f"{path} is not a spot: such a file has at most {MOST_BYTES} bytes")
        if any(len(_DECIMALS.sub(b"", line).split(b".")) > MOST_DOTS for line in data.splitlines()):
            raise ValueError(f"{path} is not a spot: its keys have at most three parts")
        try:
            values = tomllib.loads(data.decode())
        except (ValueError, RecursionError) as error:  # an undecodable text is a ValueError too
            raise ValueError(f"{path} is not a TOML file: {error}") from None
        try:
            return cls.from_dict(values)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None

    def to_dict(self) -> dict[str, Any]:
        """The spot as JSON can hold it; `from_dict` reads it."""
        return {
            "board": format_cards(self.board, " "),
            "pot": self.pot,
            "stack": self.stack,
            "oop": self.oop,
            "ip": self.ip,
            "sizes": self.menu.to_tables(),
            "rake": str(self.rake),
            "lock": [lock.to_dict() for lock in self.locks],
            "min_bet": self.rules.min_bet,
            "raise_cap": self.rules.raise_cap,
            **{name: f"{number_text(getattr(self.rules, name))}%" for name in _RULES[2:]},
        }


def _locks(tables: object) -> tuple[Lock, ...]:
    if not isinstance(tables, list | tuple) or len(tables) > MOST_LOCKS:
        raise ValueError(f"lock is a list of at most {MOST_LOCKS} tables, [[lock]] in TOML, got {shortened(tables)}")
    return tuple(table if isinstance(table, Lock) else Lock.of(table) for table in tables)


def _chips(name: str, value: object, least: int) -> int:
    if isinstance(value, int | float | np.integer) and not isinstance(value, bool) and least <= value <= MOST_CHIPS:
        chips = int(value)
        if chips == value:
            return chips
    hint = "; give all amounts in a smaller unit" if isinstance(value, float) else ""
    raise ValueError(f"{name} is a whole number from {least} to {MOST_CHIPS}, got {shortened(value)}{hint}")


def _board(board: object) -> tuple[int, ...]:
    cards: tuple[int, ...] | None = None
    if isinstance(board, list | tuple | np.ndarray):
        items: list[Any] = list(board)
        if all(isinstance(item, str) for item in items):
            board = " ".join(items)
        elif all(isinstance(item, int | np.integer) and 0 <= item <= 51 for item in items):
            cards = tuple(int(item) for item in items)
    if isinstance(board, str) and len(board) <= MAX_TEXT:
        cards = parse_cards(board)
    if cards is None or len(cards) not in (3, 4, 5) or len(set(cards)) < len(cards):
        raise ValueError(f"a spot's board is 3, 4 or 5 different cards, as in 'Ks Th 6h', got {shortened(board)}")
    return cards


def _range_text(name: str, value: object) -> str:
    """The canonical text of a range that is given as a text or as weights."""
    if not isinstance(value, str | list | tuple | np.ndarray):
        raise ValueError(f"the {name} range is a text, as in 'QQ+, AKs', or 1326 weights, got {shortened(value)}")
    try:
        text = format_range(parse_range(value) if isinstance(value, str) else value)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"the {name} range is not valid: {error}") from None
    if not text:
        raise ValueError(f"the {name} range has no hands: give it at least one, as in 'QQ+, AKs'")
    return text


def _can_meet(oop: NDArray[np.bool_], ip: NDArray[np.bool_]) -> bool:
    """Whether some hand of one range shares no card with some hand of the other."""

    def per_card(hands: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(COMBOS[hands].ravel(), minlength=52)

    # Pairs that share cards, counted per card; those of the same hand are counted twice.
    sharing = int(per_card(oop) @ per_card(ip)) - int((oop & ip).sum())
    return int(oop.sum()) * int(ip.sum()) > sharing

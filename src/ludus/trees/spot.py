"""A spot: two players in a hold'em hand, with their ranges, the pot, the stacks and the bets allowed.

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

Before the flop a spot has no board but blinds, the button's and the other one, and the button (IP) acts first::

    blinds = "5/10"
    stack = 1000                 # with the blinds
    oop = "random"
    ip = "random"

    [sizes.preflop]
    bet = "2.5x"                 # the first raise
    raise = "3x; a"              # the second, and all later ones

Strategies can be fixed by ``[[lock]]`` tables, see `ludus.trees.locks`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from reprlib import repr as shortened
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludus.cards.card import format_cards
from ludus.cards.ranges import COMBOS, Weights, blocked, format_range, parse_range
from ludus.games.menu import CHECKS_ONLY, PLAYERS, BetRules, Menu
from ludus.games.sizes import check_keys, number_text
from ludus.trees.locks import MOST_LOCKS, Lock
from ludus.trees.subgame import CARDS_ON, Rake, Subgame, check_board, check_chips

MOST_BYTES = 300_000
MOST_DOTS = 100  # in a line, but for decimals: time and memory of tomllib grow with the square of a key's parts

_NEEDED = ("stack", "oop", "ip")  # and a board and a pot, or blinds
_RULES = ("min_bet", "raise_cap", "add_all_in", "force_all_in", "merge")
_KEYS = ("board", "pot", *_NEEDED, "sizes", "rake", "lock", "blinds", *_RULES)
_DECIMALS = re.compile(rb"[0-9:,=[]\.[0-9]")


@dataclass(frozen=True, eq=False)
class Spot:
    """A subgame, both players' ranges and the strategies that are fixed; `Spot.of` takes them as they are written."""

    subgame: Subgame
    ranges: NDArray[np.float64]  # [2, 1326], OOP's and IP's; what the board blocks does not count
    locks: tuple[Lock, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.subgame, Subgame):
            raise ValueError(f"a spot is made of a subgame, got {shortened(self.subgame)}: use Spot.of for tables")
        ranges = np.array(self.ranges, np.float64)
        if ranges.shape != (2, len(COMBOS)) or not (np.isfinite(ranges) & (ranges >= 0)).all():
            raise ValueError("ranges are weights [2, 1326], finite and not negative")
        ranges.setflags(write=False)
        object.__setattr__(self, "ranges", ranges)
        for name, weights in zip(PLAYERS, self.weights, strict=True):
            if not weights.any():
                raise ValueError(
                    f"the {name} range has no hand left on {format_cards(self.board)}: give it other hands"
                )
        if not _can_meet(*(weights > 0 for weights in self.weights)):
            raise ValueError("every hand of the oop range shares a card with every hand of the ip range: widen one")

    def _key(self) -> tuple[Any, ...]:
        return self.subgame, self.ranges.tobytes(), self.locks

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spot) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def changed(self, **changes: Any) -> Spot:
        """The same ranges and locks in a subgame with other fields."""
        return replace(self, subgame=replace(self.subgame, **changes))

    # What the subgame says

    @property
    def board(self) -> tuple[int, ...]:
        """The cards on the board."""
        return self.subgame.board

    @property
    def pot(self) -> int:
        """What lies in the middle at the start of the street."""
        return self.subgame.pot

    @property
    def stack(self) -> int:
        """The most that either player can put in from then on."""
        return self.subgame.stack

    @property
    def menu(self) -> Menu:
        """The bets allowed."""
        return self.subgame.menu

    @property
    def rules(self) -> BetRules:
        """What holds for every bet."""
        return self.subgame.rules

    @property
    def rake(self) -> Rake:
        """What is taken from the winner."""
        return self.subgame.rake

    # Ranges

    @cached_property
    def weights(self) -> tuple[Weights, Weights]:
        """Both ranges without the hands that the board blocks; they cannot be written to."""
        gone = np.isin(COMBOS, self.board).any(axis=1)
        weights = np.where(gone, 0.0, self.ranges)
        weights.setflags(write=False)
        return weights[0], weights[1]

    @cached_property
    def oop(self) -> str:
        """The text of the range out of position."""
        return format_range(self.ranges[0])

    @cached_property
    def ip(self) -> str:
        """The text of the range in position."""
        return format_range(self.ranges[1])

    # Files

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
        blinds: str | None = None,
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
            given[name] = check_chips(name, given[name], least=0)
        bets = _blinds(blinds) if blinds is not None else (0, 0)
        cards = check_board("a spot's board", board, CARDS_ON[1:]) if blinds is None else _no_board(board)
        chips, most = check_chips("pot", pot, least=int(blinds is None)), check_chips("stack", stack, least=max(bets))
        if blinds is not None:
            given.setdefault("min_bet", max(bets))
        ranges = np.stack([_range("oop", oop), _range("ip", ip)])
        menu = CHECKS_ONLY if sizes is None else Menu.of_tables(sizes)
        subgame = Subgame(cards, chips, (most - bets[0], most - bets[1]), menu, BetRules(**given), Rake.of(rake), bets)
        return cls(subgame, ranges, _locks([] if lock is None else lock))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Spot:
        """A spot from what `to_dict` gives, or from the tables of a TOML file."""
        check_keys("spot", values, _KEYS)
        check_keys("spot", values, _KEYS, (*(() if values.get("blinds") else ("board", "pot")), *_NEEDED))
        return cls.of(**{"board": "", "pot": 0, **values})

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
        """The spot as JSON can hold it; `from_dict` reads it, and exactly the same weights."""
        subgame, rules = self.subgame, self.rules
        oop, ip = subgame.bets
        fair = oop == ip == 0 if self.board else 0 < ip <= oop
        begins = fair and not subgame.raises and subgame.player == subgame.opener and subgame.depth is None
        if not begins or self.menu.fit != "lift" or not rules.limp:
            raise ValueError("a spot is written down from the start of a street on, to the river")
        return {
            **({} if self.board else {"blinds": f"{ip}/{oop}"}),
            "board": format_cards(self.board, " "),
            "pot": self.pot,
            "stack": self.stack,
            "oop": self.oop,
            "ip": self.ip,
            "sizes": self.menu.to_tables(),
            "rake": str(self.rake),
            "lock": [lock.to_dict() for lock in self.locks],
            "min_bet": rules.min_bet,
            "raise_cap": rules.raise_cap,
            **{name: f"{number_text(getattr(rules, name))}%" for name in _RULES[2:]},
        }


def _blinds(text: object) -> tuple[int, int]:
    """What the players have in front of them before the flop: OOP the big blind, IP the small one."""
    found = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", text) if isinstance(text, str) else None
    if found is None or not 0 < int(found[1]) <= int(found[2]):
        raise ValueError(f"blinds are the small and the big one in whole chips, as in '5/10', got {shortened(text)}")
    return int(found[2]), int(found[1])


def _no_board(board: object) -> tuple[int, ...]:
    if board not in ("", (), []):
        raise ValueError(f"a spot has a board or, before the flop, blinds: leave out one, got {shortened(board)}")
    return ()


def _locks(tables: object) -> tuple[Lock, ...]:
    if not isinstance(tables, list | tuple) or len(tables) > MOST_LOCKS:
        raise ValueError(f"lock is a list of at most {MOST_LOCKS} tables, [[lock]] in TOML, got {shortened(tables)}")
    return tuple(table if isinstance(table, Lock) else Lock.of(table) for table in tables)


def _range(name: str, value: object) -> Weights:
    """The weights of a range that is given as a text or as weights."""
    if not isinstance(value, str | list | tuple | np.ndarray):
        raise ValueError(f"the {name} range is a text, as in 'QQ+, AKs', or 1326 weights, got {shortened(value)}")
    try:
        weights = parse_range(value) if isinstance(value, str) else blocked(value, ())
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"the {name} range is not valid: {error}") from None
    if not weights.any():
        raise ValueError(f"the {name} range has no hands: give it at least one, as in 'QQ+, AKs'")
    return weights


def _can_meet(oop: NDArray[np.bool_], ip: NDArray[np.bool_]) -> bool:
    """Whether some hand of one range shares no card with some hand of the other."""

    def per_card(hands: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(COMBOS[hands].ravel(), minlength=52)

    # Pairs that share cards, counted per card; those of the same hand are counted twice.
    sharing = int(per_card(oop) @ per_card(ip)) - int((oop & ip).sum())
    return int(oop.sum()) * int(ip.sum()) > sharing

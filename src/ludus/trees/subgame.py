"""A subgame: two players somewhere in a hold'em hand, with the pot, the stacks and the bets allowed, but no ranges.

The player out of position (OOP, player 0) acts first on every street but the one before the flop, where the player in
position (IP, player 1, who has the button and the small blind) does. Ranges are arrays ``[2, 1326]`` beside it;
`ludus.trees.spot` is one way to write both down.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from reprlib import repr as shortened
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.cards.card import parse_cards
from ludus.games.menu import CHECKS_ONLY, BetRules, Menu
from ludus.games.sizes import MOST_CHIPS, check_keys, number_text, parse_number

CARDS_ON = (0, 3, 4, 5)
"""Cards on the board on each street of hold'em."""
MAX_TEXT = 100  # of a board or a rake
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
class Subgame:
    """What is left of a hand. Pairs are OOP's and IP's; amounts are whole chips.

    - ``pot``: what lies in the middle, without the bets of this street; half of it is either player's.
    - ``stacks``: what is behind. What the opponent cannot match is left out, here and of ``bets``.
    - ``bets``: what each has put in on this street: blinds, or bets and raises, of which ``raises`` were made.
    - ``player``: who acts; None for who opens the street. Half-way through a street the last raise is what they face.
    - ``depth``: how many streets are played out, this one included; None for all. After them the tree has a frontier.
    """

    board: tuple[int, ...]
    pot: int
    stacks: tuple[int, int]
    menu: Menu = CHECKS_ONLY
    rules: BetRules = field(default_factory=BetRules)
    rake: Rake = field(default_factory=Rake)
    bets: tuple[int, int] = (0, 0)
    player: int | None = None
    raises: int = 0
    depth: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "board", check_board("a subgame's board", self.board, CARDS_ON))
        for name in ("stacks", "bets"):
            pair = getattr(self, name)
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise ValueError(f"{name} are OOP's and IP's, two numbers, got {shortened(pair)}")
            object.__setattr__(self, name, tuple(check_chips(name, each, least=0) for each in pair))
        object.__setattr__(self, "pot", check_chips("pot", self.pot, least=0 if any(self.bets) else 1))
        for name, kind in (("menu", Menu), ("rules", BetRules), ("rake", Rake)):
            if not isinstance(getattr(self, name), kind):
                raise ValueError(f"{name} is a {kind.__name__}, got {shortened(getattr(self, name))}")
        if self.depth is not None and (type(self.depth) is not int or self.depth < 1):
            raise ValueError(f"a tree has at least one street, got a depth of {shortened(self.depth)}")
        if self.player is None:
            object.__setattr__(self, "player", self.opener)
        if self.player not in (0, 1) or type(self.raises) is not int or self.raises < 0:
            raise ValueError(f"player is 0 or 1 and raises a number, got {shortened((self.player, self.raises))}")
        most = self.stack
        object.__setattr__(self, "bets", (min(self.bets[0], most), min(self.bets[1], most)))
        object.__setattr__(self, "stacks", (most - self.bets[0], most - self.bets[1]))
        mine, theirs = self.bets[self.player], self.bets[1 - self.player]
        if mine > theirs or (self.raises > 0 and mine == theirs):
            raise ValueError(f"who acts faces the last raise: bets of {self.bets} do not lead to player {self.player}")
        if self.board and not self.raises and theirs:
            raise ValueError(f"after the flop bets are made by betting: say how many raises led to {self.bets}")

    @property
    def opener(self) -> int:
        """Who acts first on this street."""
        return 0 if self.board else 1

    @property
    def street(self) -> int:
        """0 before the flop, 3 on the river."""
        return CARDS_ON.index(len(self.board))

    @property
    def stack(self) -> int:
        """The most that either player can put in from the start of this street on."""
        return min(stack + bet for stack, bet in zip(self.stacks, self.bets, strict=True))


def check_chips(name: str, value: object, least: int) -> int:
    """A whole number of chips; ValueError if it is not one."""
    if isinstance(value, int | float | np.integer) and not isinstance(value, bool) and least <= value <= MOST_CHIPS:
        chips = int(value)
        if chips == value:
            return chips
    hint = "; give all amounts in a smaller unit" if isinstance(value, float) else ""
    raise ValueError(f"{name} is a whole number from {least} to {MOST_CHIPS}, got {shortened(value)}{hint}")


def check_board(name: str, board: object, lengths: tuple[int, ...]) -> tuple[int, ...]:
    """Different cards from a text, names or numbers; ValueError unless they are so many."""
    cards: tuple[int, ...] | None = None
    if isinstance(board, list | tuple | np.ndarray):
        items: list[Any] = list(board)
        if items and all(isinstance(item, str) for item in items):
            board = " ".join(items)
        elif all(isinstance(item, int | np.integer) and 0 <= item <= 51 for item in items):
            cards = tuple(int(item) for item in items)
    if isinstance(board, str) and len(board) <= MAX_TEXT:
        cards = parse_cards(board)
    if cards is None or len(cards) not in lengths or len(set(cards)) < len(cards):
        numbers = f"{', '.join(map(str, lengths[:-1]))} or {lengths[-1]}"
        raise ValueError(f"{name} is {numbers} different cards, as in 'Ks Th 6h', got {shortened(board)}")
    return cards

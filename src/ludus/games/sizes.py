"""The small language of bet sizes, and the whole chips that they come to at a point of a street.

Sizes are a list, separated by commas or blanks, in upper or lower case; the empty text is no bet at all:

==================  ======================================================================================
``75%``             percent of the pot; a raise adds that much of the pot after calling to the opponent's bet
``2.5x``            raises only: to a multiple of the opponent's bet
``40c``             chips; a raise adds them to the opponent's bet
``e``               geometric: the fraction of the pot that, bet and called once a street, ends all-in
``3e``              the same in three bets; among raises, those already made on the street count as bets
``3e200%``          the same, but at most this percentage of the pot
``100u``            every multiple of a unit of chips; ``all`` where the game has a unit
``a``               all-in, also ``allin``
``pot``             the same as 100%
``0.5``             a fraction of the pot, where a game is meant; with a spot a bare number could be chips as well
==================  ======================================================================================

"The opponent's bet" is all that they have put in on this street. `ludus.games.menu` says which sizes are offered where.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from reprlib import repr as shortened
from typing import Any

MOST_CHIPS = 10**9
MOST_PERCENT = 10**6
MOST_SIZES = 32
MAX_TEXT = 1000
DECIMALS = 6

_DECIMAL = rf"[0-9]{{1,10}}(?:\.[0-9]{{0,{DECIMALS}}})?|\.[0-9]{{1,{DECIMALS}}}"
_NUMBER = re.compile(rf"({_DECIMAL}) ?(%?)", re.ASCII)
_FLOAT = re.compile(r"([0-9]{1,10}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(%?)", re.ASCII)
_SIZE = re.compile(rf"({_DECIMAL})?([%xceau])(?:({_DECIMAL})%)?", re.ASCII)
_LIMITS = {"%": (0, MOST_PERCENT), "x": (1, 1000), "c": (0, MOST_CHIPS), "e": (0, 100), "u": (0, MOST_CHIPS)}
_NAMES = {
    "%": "a percentage", "x": "a multiple", "c": "a number of chips", "e": "a number of bets", "a": "all-in",
    "u": "a unit of chips",
}  # fmt: skip
_WORDS = {"pot": "100%", "allin": "a", "all-in": "a"}
_EXAMPLES = "'75%', '2.5x' (raises only), '40c', 'e', '3e' or 'a', numbers above 0"


def check_keys(what: str, values: object, known: Iterable[str], needed: Iterable[str] = ()) -> None:
    """ValueError unless something is a table that has only known keys, and all that are needed."""
    if not isinstance(values, Mapping):
        raise ValueError(f"{what} is a table of {', '.join(known)}, got {shortened(values)}")
    for key in values:
        if key not in known:
            raise ValueError(f"{shortened(key)} is no key of {what}: the known ones are {', '.join(known)}")
    for key in needed:
        if values.get(key) is None:
            raise ValueError(f"{what} needs {key}, which is missing")


def parse_number(name: str, value: object, low: int = 0, high: int = MOST_PERCENT) -> Fraction:
    """A decimal from a number or a text, with or without %, exactly as written; a float has at most six decimals.

    >>> parse_number("merge", "12.5%"), parse_number("merge", 0.1)
    (Fraction(25, 2), Fraction(1, 10))
    """
    number: Fraction | None = None
    if isinstance(value, str) and (match := _NUMBER.fullmatch(value.strip())):
        number = Fraction(match[1])
    elif isinstance(value, int | float | Fraction) and not isinstance(value, bool) and low <= value <= high:
        number = Fraction(round(Fraction(value) * 10**DECIMALS), 10**DECIMALS)
    if number is None or not low <= number <= high:
        raise ValueError(f"{name} is a number from {low} to {high}, as in 10 or '12.5%', got {shortened(value)}")
    return number


def number_text(number: Fraction) -> str:
    """The decimal text of a number with at most six decimals.

    >>> number_text(Fraction(25, 2)), number_text(Fraction(150))
    ('12.5', '150')
    """
    whole, rest = divmod(round(number * 10**DECIMALS), 10**DECIMALS)
    return f"{whole}.{rest:0{DECIMALS}d}".rstrip("0").removesuffix(".")


def percent_of(percent: Fraction, chips: Any) -> Any:
    """That percentage of some chips, a number or an array, in whole chips, halves up.

    >>> percent_of(Fraction(33), 50), percent_of(Fraction(50), 3)
    (17, 2)
    """
    scale = 100 * percent.denominator
    return (2 * percent.numerator * chips + scale) // (2 * scale)


@dataclass(frozen=True, slots=True)
class Size:
    """One size: its kind is one of % x c e a u; ``number`` is 0 for 'e' alone and for 'a', ``most`` is a percentage."""

    kind: str
    number: Fraction = Fraction(0)
    most: Fraction | None = None

    def __post_init__(self) -> None:
        if self.kind not in _NAMES:
            raise ValueError(f"a size is one of {', '.join(_NAMES)}, got {shortened(self.kind)}")
        for number in (self.number, Fraction(1) if self.most is None else self.most):
            exact = isinstance(number, Fraction) and (10**DECIMALS % number.denominator == 0 or self._is_float(number))
            if not exact:
                raise ValueError(f"the number of a size is a decimal of at most {DECIMALS} places, got {number}")
        low, high = _LIMITS.get(self.kind, (-1, 0))
        if self.kind == "e" and not self.number:
            low = -1
        if not low < self.number <= high:
            raise ValueError(
                f"'{self}' has {_NAMES[self.kind]} out of bounds: write one above {low} and at most {high}"
                if self.kind != "a"
                else f"all-in is 'a' without a number, got {self.number}"
            )
        if self.kind in "ceu" and self.number.denominator != 1:
            raise ValueError(f"'{self}' has {_NAMES[self.kind]} that is not whole: write a whole number")
        if self.most is not None and (self.kind != "e" or not 0 < self.most <= MOST_PERCENT):
            raise ValueError(
                f"'{self}' has no valid maximum: only 'e' has one, above 0% and at most {MOST_PERCENT}%, as in '3e200%'"
            )

    def _is_float(self, number: Fraction) -> bool:
        """Whether this is a percentage that a fraction in floating point comes to."""
        return self.kind == "%" and Fraction(float(number / 100)) == number / 100

    @classmethod
    def pot(cls, fraction: float) -> Size:
        """A fraction of the pot, exactly as a floating-point number has it."""
        if not 0 < fraction < math.inf:
            raise ValueError(f"a bet size is a fraction of the pot above 0, got {fraction}")
        return cls("%", 100 * Fraction(fraction))

    @classmethod
    def parse(cls, text: str, fractions: bool = False) -> Size:
        """One size from its text; with ``fractions`` parts of the pot are floating-point numbers, and may be bare.

        >>> Size.parse("3e200%")
        Size(kind='e', number=Fraction(3, 1), most=Fraction(200, 1))
        >>> Size.parse("0.5", fractions=True)
        Size(kind='%', number=Fraction(50, 1), most=None)
        >>> Size.parse("0.5")
        Traceback (most recent call last):
        ValueError: '0.5' is not a bet size: write '75%', '2.5x' (raises only), '40c', 'e', '3e' or 'a', numbers above 0
        """
        word = text.lower()
        word = _WORDS.get(word, word)
        if fractions and (part := _FLOAT.fullmatch(word)):
            return cls.pot(float(part[1]) / 100 if part[2] else float(part[1]))
        match = _SIZE.fullmatch(word)
        if match is None or (match[1] is None and match[2] in "%xcu") or (match[1] is not None and match[2] == "a"):
            raise ValueError(f"{shortened(text)} is not a bet size: write {_EXAMPLES}")
        if match[1] is not None and not (number := Fraction(match[1])):
            raise ValueError(f"{shortened(text)} is a bet size of nothing: write a number above 0, or leave it out")
        return cls(match[2], number if match[1] else Fraction(0), Fraction(match[3]) if match[3] else None)

    def __str__(self) -> str:
        if 10**DECIMALS % self.number.denominator:
            percent = f"{float(self.number):g}"
            return f"{percent}%" if float(percent) / 100 == self.fraction else f"{self.fraction}"
        number = number_text(self.number) if self.number else ""
        return number + self.kind + ("" if self.most is None else f"{number_text(self.most)}%")

    @property
    def fraction(self) -> float:
        """A percentage as a fraction of the pot."""
        return float(self.number / 100)

    def extra(self, pot: int, stack: int, facing: int, streets: int, raises: int) -> int:
        """Chips on top of the opponent's ``facing``, before any bound, given the raises so far and the streets left."""
        if self.kind == "%":
            return int(percent_of(self.number, pot))
        if self.kind == "x":
            return int(percent_of(100 * self.number, facing)) - facing
        if self.kind == "c":
            return int(self.number)
        if self.kind == "a":
            return stack
        bets = max(1, (int(self.number) or streets) - raises)
        extra = math.floor(pot * geometric_fraction(pot, stack, bets) + 0.5)
        return extra if self.most is None else min(extra, percent_of(self.most, pot))


def geometric_fraction(pot: int, stack: int, bets: int) -> float:
    """The fraction f of the pot that, bet and called this often, puts the stack in: pot (1 + 2f)^bets = pot + 2 stack.

    >>> geometric_fraction(pot=100, stack=400, bets=2)
    1.0
    """
    return float(((1 + 2 * stack / pot) ** (1 / bets) - 1) / 2)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes that a player may choose from; sorted and without repetition, so equal choices are equal and read alike."""

    items: tuple[Size, ...] = ()

    def __post_init__(self) -> None:
        kinds = list(_NAMES)
        ordered = sorted(set(self.items), key=lambda size: (kinds.index(size.kind), size.number, size.most or 0))
        object.__setattr__(self, "items", tuple(ordered))

    @classmethod
    def parse(cls, text: object, fractions: bool = False, unit: int = 0) -> Sizes:
        """Sizes from their text; the module's docstring has the language. ``unit`` is what 'all' is a multiple of.

        >>> str(Sizes.parse("A, 75%,33.0%  2.50x"))
        '33%, 75%, 2.5x, a'
        """
        if not isinstance(text, str) or len(text) > MAX_TEXT:
            raise ValueError(
                f"bet sizes are a text of at most {MAX_TEXT} characters, as in '33%, 75%, a', got {shortened(text)}"
            )
        parts = [part.split() for part in text.split(",")]
        if len(parts) > 1 and not all(parts):
            raise ValueError(f"{shortened(text)} has an empty size: write one between two commas, as in '33%, 75%'")
        words = [word for part in parts for word in part]
        if [word.lower() for word in words] == ["all"]:
            if unit < 1:
                raise ValueError(f"'all' bets are multiples of a unit of at least 1 chip, got {unit}")
            return cls((Size("u", Fraction(unit)), Size("a")))
        sizes = cls(tuple(Size.parse(word, fractions) for word in words))
        if len(sizes.items) > MOST_SIZES:
            raise ValueError(
                f"at most {MOST_SIZES} bet sizes stand in one list, got {len(sizes.items)}: leave some out"
            )
        return sizes

    @classmethod
    def pots(cls, *fractions: float, all_in: bool = True) -> Sizes:
        """Fractions of the pot, and all-in."""
        return cls((*map(Size.pot, fractions), *[Size("a")] * all_in))

    def of_kind(self, *kinds: str) -> tuple[Size, ...]:
        """The sizes of some kinds."""
        return tuple(size for size in self.items if size.kind in kinds)

    def most(self, stack: int) -> int:
        """How many amounts they can come to, with this many chips."""
        return sum(stack // int(size.number) if size.kind == "u" else 1 for size in self.items)

    @property
    def all_in(self) -> bool:
        """Whether all-in is among them."""
        return bool(self.of_kind("a"))

    def __str__(self) -> str:
        return ", ".join(map(str, self.items))

    def __bool__(self) -> bool:
        return bool(self.items)

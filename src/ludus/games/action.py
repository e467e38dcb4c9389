"""An action of poker: a kind and an amount, with one number, one text and one way to say it.

=======  ==========  ===========  ====================================
kind     number      text         in words
=======  ==========  ===========  ====================================
fold     -1          ``F``        fold
check    0           ``X``        check
call     0           ``C``        call 50
raise    n > 0       ``B150``     bet 150, raise to 150, all-in 150
=======  ==========  ===========  ====================================

A bet is a raise from 0. The amount of a raise is what its player has put in on this street afterwards; other actions
have none. States, kernels and files hold the number (`ludus.games.moves`), lines of spots the text. Words are for
people: nothing is read back out of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from reprlib import repr as shortened
from typing import NamedTuple

from ludus.games.moves import CALL, FOLD


class Kind(IntEnum):
    """What a player can do; trees keep it as a number, 0 where no action leads."""

    FOLD, CHECK, CALL, RAISE = range(1, 5)


_LETTERS = {"F": Kind.FOLD, "X": Kind.CHECK, "C": Kind.CALL}
_TEXTS = {kind: letter for letter, kind in _LETTERS.items()}
_RAISE = re.compile("[BR]([0-9]{1,15})", re.ASCII)


class Phrase(NamedTuple):
    """An action in words: fold, check, call, bet, raise or all-in, and the chips that are named with it."""

    verb: str
    chips: int | None = None

    def text(self, chips: Callable[[int], str] = str) -> str:
        """The words, with chips written in a way of your choice.

        >>> Phrase("raise", 300).text(), Phrase("call", 50).text(lambda chips: f"{chips / 100:g} bb")
        ('raise to 300', 'call 0.5 bb')
        """
        if self.chips is None:
            return self.verb
        return f"{self.verb}{' to' if self.verb == 'raise' else ''} {chips(self.chips)}"

    def to_dict(self) -> dict[str, str | int | None]:
        """As JSON can hold it."""
        return {"key": self.verb, "amount": self.chips}

    def __str__(self) -> str:
        return self.text()


@dataclass(frozen=True, slots=True)
class Action:
    """What a player does; ``amount`` is that of a raise, as a total for the street, otherwise 0."""

    kind: Kind
    amount: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.kind, Kind) or (self.amount > 0) != (self.kind == Kind.RAISE):
            raise ValueError(f"a raise has an amount above 0, others have none, got {self.kind!r} and {self.amount}")

    @classmethod
    def of(cls, number: int, to_call: int) -> Action:
        """The action of a number, where there are this many chips to call.

        >>> [str(Action.of(number, to_call=50)) for number in (-1, 0, 150)], str(Action.of(0, to_call=0))
        (['F', 'C', 'B150'], 'X')
        """
        if number > CALL:
            return cls(Kind.RAISE, number)
        if number == FOLD:
            return cls(Kind.FOLD)
        if number == CALL:
            return cls(Kind.CALL if to_call else Kind.CHECK)
        raise ValueError(f"{number} is not an action: {FOLD} is fold, {CALL} call, a raise is above 0")

    @property
    def number(self) -> int:
        """As states, kernels and files have it."""
        return self.amount or (FOLD if self.kind == Kind.FOLD else CALL)

    @classmethod
    def parse(cls, text: str) -> Action:
        """The action of its text, in upper or lower case; R may stand for B.

        >>> Action.parse("r150") == Action.parse("B150")
        True
        """
        word = text.strip().upper()
        if word in _LETTERS:
            return cls(_LETTERS[word])
        if (found := _RAISE.fullmatch(word)) and int(found[1]):
            return cls(Kind.RAISE, int(found[1]))
        raise ValueError(f"{shortened(text)} is not an action: write F, X, C, or B and the chips, as in B150")

    def __str__(self) -> str:
        return f"B{self.amount}" if self.kind == Kind.RAISE else _TEXTS[self.kind]

    def phrase(self, *, to_call: int = 0, top: int = 0, all_in: int | None = None, raised: bool = False) -> Phrase:
        """How to say it, where there are this many chips to call, the largest bet of the street is ``top``, and putting
        in ``all_in`` is all-in; ``raised`` says whether it is more than a bet.

        >>> str(Action.parse("B150").phrase()), str(Action.parse("B150").phrase(all_in=150))
        ('bet 150', 'all-in 150')
        """
        match self.kind:
            case Kind.FOLD:
                return Phrase("fold")
            case Kind.CHECK:
                return Phrase("check")
            case Kind.CALL:
                return Phrase("call", to_call)
        if self.amount == all_in:
            return Phrase("all-in", self.amount)
        return Phrase("raise", self.amount) if raised else Phrase("bet", self.amount - top)

"""The amounts of a PHH file: which of them are sound, and the unit in which they are whole chips."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from ludus.games.rules import NO_STACK

Fields = dict[str, Any]
_MOST_DIGITS = 6  # after the point
_RESULTS = ("finishing_stacks", "winnings")
_ENDLESS = Decimal("inf")


def listed(data: Fields, name: str) -> list[Any]:
    """The values of a field that is a list; none where there is no such field."""
    values = data.get(name, [])
    if not isinstance(values, list):
        raise ValueError(f"{name} is a list, got {values!r:.40}")
    return values


def decimal(text: str) -> Decimal:
    """A number with a point; none so large or so fine that it could not be chips."""
    try:
        value = Decimal(text)
    except ArithmeticError:  # an absurd exponent
        raise ValueError(f"{text[:40]!r} is not an amount of chips") from None
    if value.is_finite() and (value.adjusted() > 15 or int(value.as_tuple().exponent) < -30):
        raise ValueError(f"{text[:40]!r} is not an amount of chips")
    return value


def as_amount(value: object, what: str, most: int = NO_STACK) -> Decimal:
    """A number of a file as an amount; ValueError when it cannot be one."""
    if not isinstance(value, int | Decimal) or isinstance(value, bool) or value != value:
        raise ValueError(f"{what} must be numbers, got {value!r:.40}")
    if value < 0:
        why = "posted out of turn, cannot be replayed" if what == "blinds_or_straddles" else "cannot be"
        raise ValueError(f"a negative amount in {what}, {why}")
    if value > most and value != _ENDLESS:
        raise ValueError(f"{what} must be at most {most}, got more")
    return Decimal(value)


class Money:
    """The amounts of a file, and the unit in which they are whole chips."""

    def __init__(self, data: Fields, players: int, raises: Sequence[Decimal]) -> None:
        self.limit = data["variant"] == "FT"
        self.players = players
        self.game = {name: self._row(data, name) for name in ("starting_stacks", "antes", "blinds_or_straddles")}
        for name in ("small_bet", "big_bet") if self.limit else ("min_bet",):
            self.game[name] = [as_amount(data.get(name), name)]
        self.end = {name: self._row(data, name) for name in _RESULTS if name in data}
        own = data.get("_rules")
        exact = isinstance(own, dict) and own.get("dialect") == "acpc"  # pots are split in fractions of a chip there
        rows = [raises, *self.game.values(), *(() if exact else self.end.values())]
        exponents = (int(amount.as_tuple().exponent) for row in rows for amount in row if amount.is_finite())
        self.digits = max(0, -min(exponents))
        if self.digits > _MOST_DIGITS:
            raise ValueError(f"amounts have at most {_MOST_DIGITS} digits after the point, not {self.digits}")
        self.unit = Decimal(1).scaleb(-self.digits)

    def _row(self, data: Fields, name: str) -> list[Decimal]:
        values = listed(data, name)
        if len(values) != self.players:
            raise ValueError(f"{name} must have {self.players} amounts, got {len(values)}")
        return [as_amount(value, name, NO_STACK * (self.players if name in _RESULTS else 1)) for value in values]

    def chips(self, amount: Decimal) -> int:
        """An amount in chips; an unknown stack counts as unlimited."""
        return int(amount.scaleb(self.digits)) if amount.is_finite() else NO_STACK

    def row(self, name: str) -> tuple[int, ...]:
        """The chips of a field of the game."""
        return tuple(self.chips(amount) for amount in self.game[name])

    def result(self, name: str) -> list[float] | None:
        """What a file says about the end, which may be in fractions of a chip."""
        if name not in self.end or not all(amount.is_finite() for amount in self.end[name]):
            return None
        scaled = [amount.scaleb(self.digits) for amount in self.end[name]]
        return [int(amount) if amount == int(amount) else float(amount) for amount in scaled]

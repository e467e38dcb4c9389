"""Which raises a no-limit game offers, when it does not offer all of them."""

from __future__ import annotations

from dataclasses import dataclass

MOST_SIZES = 100_000


@dataclass(frozen=True, slots=True)
class BetSet:
    """Raises by fractions of the pot after calling, or by every multiple of a unit; optionally also all-in.

    A size is offered when it is at least the minimum and below all-in.
    """

    fractions: tuple[float, ...] = (1.0,)
    unit: int = 0
    all_in: bool = True

    def __post_init__(self) -> None:
        if any(not 0 < fraction < 1e6 for fraction in self.fractions):
            raise ValueError(f"pot fractions must be above 0 and below a million, got {self.fractions}")
        if not isinstance(self.unit, int) or self.unit < 0:
            raise ValueError(f"the unit of bets is a whole number and not negative, got {self.unit}")
        if not isinstance(self.all_in, bool):
            raise ValueError(f"all-in is offered or not, true or false, got {self.all_in!r}")
        if not (self.fractions or self.unit or self.all_in):
            raise ValueError("a bet set needs fractions, a unit or all-in")

    def at(self, street: int, raises: int) -> BetSet:
        """This set, on every street and after any number of raises (as `BetSchedule.at`)."""
        return self

    def sizes(self, low: int, high: int, top: int, pot_after_call: int, stack: int) -> tuple[int, ...]:
        """Raises between ``low`` and ``high``, as totals for the street, where ``top`` is the bet to match.

        >>> BetSet((0.5, 1)).sizes(low=200, high=1200, top=100, pot_after_call=200, stack=1200)
        (200, 300, 1200)
        """
        wanted = {top + round(fraction * pot_after_call) for fraction in self.fractions}
        if self.unit:
            if (high - low) // self.unit > MOST_SIZES:
                raise ValueError(f"bets by multiples of {self.unit} chips are too many with {stack} chips")
            wanted.update(range(low + -low % self.unit, high + 1, self.unit))
        if self.all_in:
            wanted.add(stack)
        return tuple(sorted(size for size in wanted if low <= size <= high and (size < stack or self.all_in)))

    @classmethod
    def parse(cls, text: str, unit: int) -> BetSet | None:
        """A bet set from text: 'pot', '0.5', '75%', 'allin', separated by commas; 'all' is every multiple of ``unit``.

        'any' is no restriction at all.

        >>> BetSet.parse("0.5,pot,allin", unit=100)
        BetSet(fractions=(0.5, 1.0), unit=0, all_in=True)
        """
        words = [word.strip().lower() for word in text.split(",")]
        if words == ["any"]:
            return None
        if words == ["all"]:
            if unit < 1:
                raise ValueError(f"'all' bets are multiples of a unit of at least 1 chip, got {unit}")
            return cls((), unit)
        fractions = []
        for word in words:
            if word in ("allin", "all-in"):
                continue
            try:
                fractions.append(1.0 if word == "pot" else float(word[:-1]) / 100 if word[-1:] == "%" else float(word))
            except ValueError:
                raise ValueError(f"{word!r} is not a bet: write pot, allin, a fraction such as 0.5 or 75%") from None
        return cls(tuple(fractions), 0, any(word in ("allin", "all-in") for word in words))


@dataclass(frozen=True, slots=True)
class BetSchedule:
    """A bet set for each street and for each raise on it: the first bet, the raise of it, and so on.

    The last set of a street applies to all further raises; None ends them. The last street applies to later ones, too.
    """

    streets: tuple[tuple[BetSet | None, ...], ...]

    def __post_init__(self) -> None:
        if not self.streets or not all(self.streets):
            raise ValueError("a bet schedule needs a street, and each street an entry")
        for bets in (bets for street in self.streets for bets in street):
            if not isinstance(bets, BetSet | None) or (bets is not None and bets.unit):
                raise ValueError(f"a bet schedule holds pot fractions and all-in alone, got {bets}")

    def at(self, street: int, raises: int) -> BetSet | None:
        """The raises offered on a street after this many bets and raises; None for no raise."""
        row = self.streets[min(street, len(self.streets) - 1)]
        return row[min(raises, len(row) - 1)]

    @classmethod
    def parse(cls, text: str) -> BetSchedule:
        """A schedule from text: streets separated by '/', raises by ';', sizes as in `BetSet.parse`, '-' for no raise.

        >>> str(BetSchedule.parse("75%,100%; pot,allin; - / 0.5,allin"))
        '75%,100%; 100%,allin; - / 50%,allin'
        """
        return cls(
            tuple(
                tuple(None if (part := row.strip()) == "-" else _no_unit(part) for row in street.split(";"))
                for street in text.split("/")
            )
        )

    def __str__(self) -> str:
        return " / ".join("; ".join(map(_text, street)) for street in self.streets)


def _no_unit(text: str) -> BetSet:
    bets = BetSet.parse(text, unit=0) if text not in ("any", "all") else None
    if bets is None:
        raise ValueError(f"a bet schedule lists sizes, as in '33%,75%,allin', got {text!r}")
    return bets


def _text(bets: BetSet | None) -> str:
    if bets is None:
        return "-"
    return ",".join([*(f"{100 * fraction:g}%" for fraction in bets.fractions), *["allin"] * bets.all_in])

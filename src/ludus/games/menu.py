"""Bet menus: which bets and raises are offered, by street, by player and by how many were made before.

As text, a menu has its streets separated by ``/`` and, within a street, the sizes of the first bet, of its raise and so
on separated by ``;``. The last list of a street applies to all further raises, the last street to later ones, and ``-``
is no raise: ``75%, pot; pot, a; - / 50%, a``. As tables, in the TOML file of a spot, players may have their own sizes,
and the one out of position other sizes for a donk bet. `ludus.games.sizes` has the language of sizes.

A size need not fit: it may come to less than the rules demand, or to more than the stack. Menus differ in what happens
then, and in how a part of the pot becomes whole chips (``fit``):

* ``lift``, for spots: parts of the pot are exact decimals, rounded to whole chips with halves up. What is too small is
  lifted to the minimum, and what reaches the stack is all-in.
* ``drop``, for games: parts of the pot are floating-point numbers, rounded with halves to even. What is too small or
  reaches the stack is not offered; all-in is offered where it is listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from reprlib import repr as shortened
from typing import Any, Literal, get_args

from ludus.games.sizes import MOST_CHIPS, Size, Sizes, check_keys, parse_number, percent_of

Fit = Literal["lift", "drop"]
PLAYERS = ("oop", "ip")
STREETS = ("preflop", "flop", "turn", "river")
MOST_MULTIPLES = 100_000
_FIELDS = ("bet", "raise", "donk")


@dataclass(frozen=True, slots=True)
class PlayerSizes:
    """What one player may bet on a street: the first bet, the raise of it and so on; the last list applies to the rest.

    ``donk`` is for the first bet where the opponent was the last to bet on the previous street; None: as usual.
    """

    rows: tuple[Sizes, ...] = (Sizes(), Sizes())
    donk: Sizes | None = None

    def __post_init__(self) -> None:
        if not self.rows or not all(isinstance(sizes, Sizes) for sizes in self.rows):
            raise ValueError(f"a street of a menu needs at least one list of sizes, got {shortened(self.rows)}")
        if self.donk is not None:
            _no_multiple("donk", self.donk)

    @property
    def bet(self) -> Sizes:
        """The first bet."""
        return self.rows[0]

    @property
    def raises(self) -> Sizes:
        """The raise of it."""
        return self.rows[min(1, len(self.rows) - 1)]

    def at(self, bets: int, donk: bool = False) -> Sizes:
        """What may be bet after this many bets and raises on the street."""
        if donk and not bets and self.donk is not None:
            return self.donk
        return self.rows[min(bets, len(self.rows) - 1)]

    def to_dict(self) -> dict[str, str]:
        """As in the table of a street or a player."""
        later = self.rows[2:]
        raises = str(self.raises) if not later else "; ".join(str(sizes) or "-" for sizes in self.rows[1:])
        texts = {"bet": str(self.bet), "raise": raises}
        return texts if self.donk is None else {**texts, "donk": str(self.donk)}


def _no_multiple(name: str, sizes: Sizes) -> None:
    for size in sizes.of_kind("x"):
        raise ValueError(f"'{size}' is a multiple of the opponent's bet: only a raise can be one, no {name}")


NOTHING = PlayerSizes()


@dataclass(frozen=True, slots=True)
class Menu:
    """Sizes by street, pre-flop first, and by player; those of a single player are for all players."""

    streets: tuple[tuple[PlayerSizes, ...], ...]
    fit: Fit = "lift"

    def __post_init__(self) -> None:
        if not self.streets or not all(self.streets):
            raise ValueError("a bet menu needs a street, and each street an entry")
        if self.fit not in get_args(Fit):
            raise ValueError(f"what does not fit is one of {', '.join(get_args(Fit))}, got {shortened(self.fit)}")
        for street in self.streets:
            if not isinstance(street, tuple) or not all(isinstance(sizes, PlayerSizes) for sizes in street):
                raise ValueError(f"a street of a bet menu has the sizes of its players, got {shortened(street)}")

    def of(self, street: int, player: int = 0) -> PlayerSizes:
        """What a player may bet on a street."""
        players = self.streets[min(street, len(self.streets) - 1)]
        return players[min(player, len(players) - 1)]

    @property
    def lists(self) -> tuple[Sizes, ...]:
        """Every list of sizes in it."""
        players = [player for street in self.streets for player in street]
        return tuple(sizes for each in players for sizes in (*each.rows, *([each.donk] if each.donk else [])))

    @property
    def unit(self) -> int:
        """The largest unit that bets are multiples of, 0 for none."""
        return max((int(size.number) for sizes in self.lists for size in sizes.of_kind("u")), default=0)

    # Text, for games

    @classmethod
    def parse(cls, text: str, unit: int = 0) -> Menu | None:
        """The menu of a game from text; None for 'any', which is no restriction. 'all' is every multiple of ``unit``.

        >>> str(Menu.parse("75%,100%; pot,allin; - / 0.5,allin"))
        '75%, 100%; 100%, a; - / 50%, a'
        """
        if text.strip().lower() == "any":
            return None
        rows = [[parse_row(part.strip(), unit) for part in street.split(";")] for street in text.split("/")]
        return cls(tuple((PlayerSizes(tuple(row)),) for row in rows), "drop")

    @classmethod
    def pots(cls, *fractions: float, all_in: bool = True) -> Menu:
        """The menu of a game: the same fractions of the pot everywhere, and all-in."""
        return cls(((PlayerSizes((Sizes.pots(*fractions, all_in=all_in),)),),), "drop")

    def __str__(self) -> str:
        if any(len(street) > 1 or street[0].donk is not None for street in self.streets):
            return str(self.to_tables())
        return " / ".join("; ".join(str(sizes) or "-" for sizes in street[0].rows) for street in self.streets)

    # Tables, for spots

    @classmethod
    def of_tables(cls, tables: Mapping[str, Any]) -> Menu:
        """The menu of a spot from the tables of a TOML file."""
        check_keys("sizes", tables, STREETS)
        preflop, *later = (_street(street, tables.get(street, {})) for street in STREETS)
        return cls((preflop if "preflop" in tables else (NOTHING,), *later))

    def to_tables(self) -> dict[str, Any]:
        """As in the file of a spot: streets without bets are left out."""
        tables: dict[str, Any] = {}
        for at, name in enumerate(STREETS):
            oop, ip = self.of(at, 0), self.of(at, 1)
            if (oop, ip) != (NOTHING, NOTHING):
                tables[name] = oop.to_dict() if oop == ip else {"oop": oop.to_dict(), "ip": ip.to_dict()}
        return tables

    def changed(self, street: int, *players: PlayerSizes) -> Menu:
        """The same menu with other sizes on a street."""
        streets = [*self.streets, *[self.streets[-1]] * (street + 1 - len(self.streets))]
        streets[street] = players
        return replace(self, streets=tuple(streets))


def parse_row(text: str, unit: int = 0) -> Sizes:
    """One list of sizes of a game."""
    if text == "-":
        return Sizes()
    if not text or text.lower() == "any":
        raise ValueError(f"{text!r} is not a bet size: a menu lists sizes, as in '33%, 75%, a', or has - for none")
    return Sizes.parse(text, fractions=True, unit=unit)


def _street(street: str, table: object) -> tuple[PlayerSizes, PlayerSizes]:
    where = f"sizes.{street}"
    check_keys(where, table, (*_FIELDS, *PLAYERS))
    assert isinstance(table, Mapping)
    common = _with_sizes(NOTHING, where, {key: table[key] for key in _FIELDS if key in table})
    oop, ip = (_with_sizes(common, f"{where}.{name}", table.get(name, {})) for name in PLAYERS)
    return oop, ip


def _with_sizes(sizes: PlayerSizes, where: str, table: object) -> PlayerSizes:
    """Sizes with those of a table instead of their own."""
    check_keys(where, table, _FIELDS)
    assert isinstance(table, Mapping)
    for key, text in table.items():
        try:
            if key == "donk":
                sizes = replace(sizes, donk=Sizes.parse(text))
            elif key == "bet":
                bet = Sizes.parse(text)
                if not where.startswith("sizes.preflop"):  # there it raises the big blind
                    _no_multiple("bet", bet)
                sizes = replace(sizes, rows=(bet, *sizes.rows[1:]))
            else:
                sizes = replace(sizes, rows=(sizes.bet, *_raises(text)))
        except ValueError as error:
            raise ValueError(f"{where}.{key}: {error}") from None
    return sizes


def _raises(text: object) -> tuple[Sizes, ...]:
    """The sizes of the raise, of the one after it, and so on."""
    if not isinstance(text, str) or ";" not in text:
        return (Sizes.parse(text),)
    return tuple(Sizes() if part.strip() == "-" else Sizes.parse(part) for part in text.split(";"))


CHECKS_ONLY = Menu.of_tables({})
"""The menu without any bet."""


@dataclass(frozen=True, slots=True)
class BetRules:
    """What holds for every bet and raise, whatever sizes are listed. Percentages of 0 are rules that are off.

    - ``min_bet``: the smallest bet in chips; a raise adds at least as much as the bet or raise before it, but all-in is
      always enough.
    - ``raise_cap``: the most raises after the bet on a street; None for no limit.
    - ``add_all_in``: all-in is added when the stack left after calling is at most this percentage of the pot then.
    - ``force_all_in``: a bet or raise is all-in instead when, once it is called, the stack left would be at most this
      percentage of the pot.
    - ``merge``: from the largest amount down, one of y% of the pot is left out when the last kept, of x%, is close:
      (100 + x) / (100 + y) <= 1 + merge / 100. PioSOLVER and postflop-solver have this rule.
    - ``limp``: whether the player who opens before the flop may just call, short of all-in; they can fold if not.

    Percentages of the pot are rounded to whole chips, halves up, before they are compared with a stack.
    """

    min_bet: int = 1
    raise_cap: int | None = None
    add_all_in: Fraction = Fraction(0)
    force_all_in: Fraction = Fraction(0)
    merge: Fraction = Fraction(0)
    limp: bool = True

    def __post_init__(self) -> None:
        if type(self.min_bet) is not int or not 1 <= self.min_bet <= MOST_CHIPS:
            raise ValueError(
                f"min_bet is a whole number of chips from 1 to {MOST_CHIPS}, got {shortened(self.min_bet)}"
            )
        if self.raise_cap is not None and (type(self.raise_cap) is not int or not 0 <= self.raise_cap <= MOST_CHIPS):
            raise ValueError(f"raise_cap is a whole number of raises, 0 for none, got {shortened(self.raise_cap)}")
        for name in ("add_all_in", "force_all_in", "merge"):
            object.__setattr__(self, name, parse_number(name, getattr(self, name)))


PLAIN_RULES = BetRules()


@dataclass(frozen=True, slots=True)
class BetPoint:
    """Where a player may bet or raise.

    - ``pot``, ``stack``: after calling; the stack is what can still be put in then.
    - ``least``: what a bet or raise adds to a call at least, where the stack allows it.
    - ``facing``: the largest bet of the street, which a call matches.
    - ``streets``: left, this one included. ``bets``: bets and raises on this street so far.
    """

    pot: int
    stack: int
    least: int = 1
    facing: int = 0
    streets: int = 1
    bets: int = 0


def amounts(sizes: Sizes, point: BetPoint, fit: Fit = "lift", rules: BetRules = PLAIN_RULES) -> tuple[int, ...]:
    """The bets or raises on offer, ascending, as what the player will have put in on this street.

    `ludus.games.compiled.offers` has the same, compiled.

    >>> amounts(Sizes.parse("33%, 75%, a"), BetPoint(pot=200, stack=900))
    (66, 150, 900)
    >>> amounts(Sizes.parse("50%, 100%"), BetPoint(pot=332, stack=834, least=66, facing=66, bets=1))
    (232, 398)
    """
    pot, stack, least = point.pot, point.stack, min(point.least, point.stack)
    if stack <= 0:
        return ()
    extras = set[int]()
    for size in sizes.items:
        for wanted in _wanted(size, point, fit):
            if fit == "drop" and size.kind != "a" and not least <= wanted < stack:
                continue
            extra = min(max(wanted, least), stack)
            forced = rules.force_all_in and stack - extra <= percent_of(rules.force_all_in, pot + 2 * extra)
            extras.add(stack if forced else extra)
    if rules.add_all_in and stack <= percent_of(rules.add_all_in, pot):
        extras.add(stack)
    if not rules.merge:
        return tuple(point.facing + extra for extra in sorted(extras))
    kept: list[int] = []
    for extra in sorted(extras, reverse=True):
        if not kept or 100 * (pot + kept[-1]) > (100 + rules.merge) * (pot + extra):
            kept.append(extra)
    return tuple(point.facing + extra for extra in reversed(kept))


def _wanted(size: Size, point: BetPoint, fit: Fit) -> range | tuple[int, ...]:
    """What a size adds to a call before any bound; a unit has many."""
    if size.kind == "u":
        unit, low = int(size.number), point.facing + min(point.least, point.stack)
        if point.stack // unit > MOST_MULTIPLES:
            total = point.facing + point.stack
            raise ValueError(f"bets by multiples of {unit} chips are too many with {total} chips")
        return range(low + -low % unit - point.facing, point.stack + 1, unit)
    if size.kind == "%" and fit == "drop":
        return (round(size.fraction * point.pot),)
    return (size.extra(point.pot, point.stack, point.facing, point.streets, max(0, point.bets - 1)),)

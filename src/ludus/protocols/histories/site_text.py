"""What the hand histories of poker sites have in common: hands in a row, told by name, replayed by the rules.

A reader for a site turns the lines of a hand into who sits where, who posts and does what, which cards were seen and
who collected how much. A line that is not understood may be skipped: if it had moved chips, they would be missing.
"""

from __future__ import annotations

import io
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from typing import ClassVar

from ludus.cards.card import parse_cards
from ludus.games.poker import HIDDEN, PokerGame, PokerState
from ludus.games.rules import NO_STACK, Betting
from ludus.protocols.histories.hand import Move, PlayedHand, Problem, play

MOST_CHARACTERS = 2**18  # of a hand, with what was said at the table
MOST_LINE = 1000  # characters of a line: patterns that look for stakes or seats take longer the more there is of it
MONEY = r"[^\w\s.,()\[\]'-]?[0-9][0-9,]{0,15}(?:\.[0-9]{1,2})?€?"
BETTING: dict[str, Betting] = {
    "no limit": "no-limit", "pot limit": "pot-limit", "limit": "limit", "fixed limit": "limit",
    "nl": "no-limit", "pl": "pot-limit", "fl": "limit",
}  # fmt: skip
CAPS = (3, 4, 4, 4)  # raises of a limit game


class SiteHand(ABC):
    """What the lines of one hand say, by name; who plays is known once all of them have been read."""

    site: ClassVar[str]
    header: ClassVar[re.Pattern[str]]  # of the line that begins a hand, with its number

    def __init__(self, lines: Sequence[str]) -> None:
        self.title = lines[0]
        self.posts: dict[str, dict[str, tuple[int, bool]]] = {"small blind": {}, "big blind": {}, "ante": {}}
        self.moves: list[tuple[str, int, int, int | None]] = []  # name, action, board, pays
        self.board: tuple[int, ...] = ()
        self.holes: dict[str, list[int]] = {}
        self.listed: set[str] = set()  # of whom it is told that they played
        self.collected: dict[str, int] = {}
        self.betting: Betting
        self.stakes: tuple[int, int]
        self.table, self.button = "", 0
        self.chairs: dict[str, tuple[int, int]] = {}  # number and stack by name
        self.event, self.time_zone = "", ""
        self.played_at: datetime | None = None
        self._read(lines)

    @abstractmethod
    def _read(self, lines: Sequence[str]) -> None:
        """Fill in what the lines say."""

    @abstractmethod
    def _settled(self, state: PokerState, stated: Sequence[int]) -> tuple[tuple[float, ...] | None, float]:
        """What was collected, None where it is what the rules say, and the rake; ValueError when it cannot be."""

    def _use_money(self, amount: str) -> None:
        """The currency of an amount, and its unit."""
        self.currency = next((sign for sign in (amount[0], amount[-1]) if not sign.isdecimal()), "")
        self.unit = Decimal("0.01") if self.currency else Decimal(1)

    def chips(self, text: str) -> int:
        """An amount of money as chips."""
        number = text.removeprefix(self.currency).removesuffix(self.currency).replace(",", "")
        amount = Decimal(number) / self.unit if number.replace(".", "", 1).isdecimal() else Decimal(-1)
        if amount != int(amount) or not 0 <= amount <= NO_STACK:
            raise ValueError(f"{text!r:.40} is not an amount of up to {NO_STACK} chips")
        return int(amount)

    def _sit(self, chair: str, name: str, stack: str) -> None:
        if name in self.chairs:
            raise ValueError(f"{name} sits twice at the table")
        self.chairs[name] = int(chair), self.chips(stack)

    def _names(self) -> str:
        """A pattern for the names at the table; ValueError when there cannot be so many."""
        if not 2 <= len(self.chairs) <= 10 or len({number for number, _ in self.chairs.values()}) < len(self.chairs):
            raise ValueError(f"a table has 2 to 10 players, each in their own seat, here are {len(self.chairs)}")
        return "|".join(re.escape(name) for name in sorted(self.chairs, key=len, reverse=True))

    def _post(self, name: str, kind: str, chips: int, all_in: bool) -> None:
        if name in self.posts[kind]:
            raise ValueError(f"{name} posts the {kind} twice")
        self.posts[kind][name] = chips, all_in

    def _take(self, name: str, amount: str) -> None:
        self.collected[name] = self.collected.get(name, 0) + self.chips(amount)

    def _see(self, name: str, text: str) -> None:
        """Cards of a player, perhaps one of two."""
        known = list(dict.fromkeys((*self.holes.get(name, ()), *parse_cards(text))))
        if len(known) > 2:
            raise ValueError(f"{name} has more than two cards")
        self.holes[name] = known

    # Replaying

    def played(self, number: int | str) -> PlayedHand:
        """The hand, replayed by the rules."""
        names = self._seats()
        seat = {name: at for at, name in enumerate(names)}
        moves = [Move(seat[name], action, board, pays) for name, action, board, pays in self.moves]
        holes = [[*(known := self.holes.get(name, [])), *[HIDDEN] * (2 - len(known))] for name in names]
        state = play(self._game(names, moves), holes, self.board, moves, names)
        if any(name not in seat for name in self.collected):
            raise ValueError("somebody wins who does not play")
        collected, rake = self._settled(state, [self.collected.get(name, 0) for name in names])
        return PlayedHand(
            state,
            tuple(names),
            number,
            collected,
            rake,
            self.unit,
            self.currency,
            event=self.event,
            venue=self.site,
            table=self.table,
            played=self.played_at,
            time_zone=self.time_zone,
            seats=tuple(self.chairs[name][0] for name in names),
        )

    def _seats(self) -> list[str]:
        """Those who play, from the first after the button to the button."""
        acting = self.listed.union((name for name, *_ in self.moves), *self.posts.values())
        names = sorted(acting, key=lambda name: (self.chairs[name][0] <= self.button, self.chairs[name][0]))
        if not 2 <= len(names) <= 10:
            raise ValueError(f"a hand has 2 to 10 players, here {len(names)} act")
        small = next(iter(self.posts["small blind"]), "")
        if len(names) == 2 and names[0] == small:  # heads-up the small blind has the button, whatever the line says
            names.reverse()
        return names

    def _game(self, names: Sequence[str], moves: Sequence[Move]) -> PokerGame:
        stacks = tuple(self.chairs[name][1] for name in names)
        limit = self.betting == "limit"
        small, big = self.stakes
        blinds = [0] * len(names)
        for kind, usual in (("small blind", 0 if limit else small), ("big blind", small if limit else big)):
            if len(self.posts[kind]) > 1:
                raise ValueError(f"{' and '.join(self.posts[kind])} post a {kind}: only one can be replayed")
            for name, (chips, all_in) in self.posts[kind].items():
                blinds[names.index(name)] += max(chips, usual) if all_in else chips
        raises = [[move.board for move in moves if move.action > 0].count(board) for board in (0, 3, 4, 5)]
        capped = limit and all(count <= cap for count, cap in zip(raises, CAPS, strict=True))
        return PokerGame(
            name="holdem",
            stacks=stacks,
            blinds=tuple(blinds),
            antes=self._antes(names, stacks),
            betting=self.betting,
            raise_sizes=(small, small, big, big) if limit else (),
            max_raises=CAPS if capped else (),
            min_bet=small if limit else big,
        )

    def _antes(self, names: Sequence[str], stacks: Sequence[int]) -> tuple[int, ...]:
        """The ante of each seat; one for all where everybody has paid as much of it as they could."""
        paid = [self.posts["ante"].get(name, (0, False))[0] for name in names]
        usual = max(paid)
        same = all(chips == min(usual, stack) for chips, stack in zip(paid, stacks, strict=True))
        return (usual,) * len(names) if same else tuple(paid)


def read_text(kind: type[SiteHand], text: str) -> list[PlayedHand]:
    """The hands of a text; ValueError at the first that cannot be read."""
    hands = []
    for found in read_lines(kind, io.StringIO(text)):
        if isinstance(found, Problem):
            raise ValueError(f"{found}")
        hands.append(found)
    return hands


def read_lines(kind: type[SiteHand], lines: Iterable[str]) -> Iterator[PlayedHand | Problem]:
    """The hands of a file, line by line, or what is wrong with them."""
    for number, part in _hands(lines, kind.header):
        try:
            if part is None:
                raise ValueError(f"a hand has at most {MOST_CHARACTERS} characters")
            if (longest := max(map(len, part))) > MOST_LINE:
                raise ValueError(f"a line of a hand has at most {MOST_LINE} characters, here is one of {longest}")
            yield kind(part).played(int(number) if number.isdecimal() else number)
        except ValueError as error:
            yield Problem(f"hand {number}", f"{error}")


def _hands(lines: Iterable[str], header: re.Pattern[str]) -> Iterator[tuple[str, list[str] | None]]:
    """The number and the lines of each hand; None for one that is too long."""
    number, size = "", 0
    part: list[str] = []
    for line in lines:
        if begins := header.match(line):
            if part:
                yield number, part if size <= MOST_CHARACTERS else None
            number, part, size = begins[1], [], 0
        elif not part:
            continue
        size += len(line)
        if size <= MOST_CHARACTERS:
            part.append(line.strip())
    if part:
        yield number, part if size <= MOST_CHARACTERS else None

"""Replay a dealer's log: is every hand legal, dealt from the seed, paid and seated as it should be?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isclose

from ludus.cards.card import format_cards
from ludus.games.base import TERMINAL
from ludus.games.poker import PokerGame
from ludus.games.record import betting_text, cards_text, read_deck, replay
from ludus.protocols.acpc.deal import MOST_SEED, decks

MOST_PROBLEMS = 1000  # that are kept
_MOST_MISSING = 10_000  # hands across which the deal is followed
_HEADER = re.compile(r"# name/game/hands/seed (.*) ([0-9]{1,10}) ([0-9]{1,10})", re.ASCII)
_SMALLEST = 2e-6  # chips: logs have six decimals


@dataclass(frozen=True)
class Problem:
    """Something wrong in a log."""

    line: int  # counted from 1
    what: str


@dataclass
class Verdict:
    """What was found in a log."""

    hands: int = 0
    agree: int = 0
    scores: int = 0  # SCORE lines, one for each match that was finished
    seed: int | None = None  # against which cards were checked
    problems: list[Problem] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


@dataclass(frozen=True)
class _Hand:
    """A STATE line."""

    number: int
    betting: str
    cards: str
    values: tuple[float, ...]
    names: tuple[str, ...]


class _Match:
    """The hands of one match so far; a log that was appended to may have several."""

    def __init__(self, game: PokerGame, seed: int | None) -> None:
        self.game = game
        self.next = 0
        self.seats: tuple[str, ...] = ()  # names by seat
        self.fixed: bool | None = None  # whether positions rotate; not known before two hands differ
        self.totals = [0.0] * game.players
        self._decks = None if seed is None else decks(game, seed)
        self._deck: list[int] = []

    def check(self, hand: _Hand) -> Iterator[str]:
        """What is wrong with the next hand."""
        if hand.number != self.next:
            yield f"it is hand {hand.number} where hand {self.next} should be"
        yield from self._check_play(hand)
        yield from self._check_cards(hand)
        yield from self._check_names(hand)
        self.next = hand.number + 1

    def _check_play(self, hand: _Hand) -> Iterator[str]:
        try:
            state = replay(self.game, hand.betting, read_deck(self.game, hand.cards))
        except ValueError as error:
            yield f"{error}"
            return
        if state.player != TERMINAL:
            yield f"the hand is not over after {hand.betting!r}"
            return
        if (betting := betting_text(state)) != hand.betting:
            yield f"the betting {hand.betting!r} is written {betting!r}"
        if (cards := cards_text(state)) != hand.cards:
            yield f"the cards are {hand.cards!r} instead of {cards!r}"
        if not _equal(state.returns(), hand.values):
            yield f"the values are {_text(hand.values)} instead of {_text(state.returns())}"

    def _check_cards(self, hand: _Hand) -> Iterator[str]:
        if self._decks is None or not 0 <= hand.number - self.next <= _MOST_MISSING:
            return
        for _ in range(hand.number - self.next + 1):
            self._deck = next(self._decks)
        shown = hand.cards.replace("|", "").replace("/", "")
        if not format_cards(self._deck).startswith(shown):
            yield f"the cards are {hand.cards!r}, the seed gives {format_cards(self._deck[: len(shown) // 2])!r}"

    def _check_names(self, hand: _Hand) -> Iterator[str]:
        """Names move by one position per hand, or never."""
        if len(hand.values) != self.game.players or len(hand.names) != self.game.players:
            yield f"there are {len(hand.values)} values and {len(hand.names)} names of {self.game.players} players"
            return
        turn = hand.number % self.game.players
        rotated = hand.names[-turn:] + hand.names[:-turn] if turn else hand.names  # by seat, if the button moves
        if not self.seats:
            self.seats = rotated
        fits = {True: hand.names == self.seats, False: rotated == self.seats}
        if self.fixed is None and fits[True] != fits[False]:
            self.fixed = fits[True]
        if not fits[bool(self.fixed)]:
            yield f"{'|'.join(hand.names)} is not how {'|'.join(self.seats)} sit in hand {hand.number}"
        by_seat = hand.values if self.fixed else hand.values[-turn:] + hand.values[:-turn] if turn else hand.values
        for seat, value in enumerate(by_seat):
            self.totals[seat] += value

    def check_score(self, values: Sequence[float], names: tuple[str, ...]) -> Iterator[str]:
        """What is wrong with the score."""
        if self.seats and names != self.seats:
            yield f"the score is of {'|'.join(names)}, the hands are of {'|'.join(self.seats)}"
        if not _equal(values, self.totals, max(self.next, 1)):
            yield f"the score is {_text(values)}, the hands add up to {_text(self.totals)}"


def verify(game: PokerGame, lines: Iterable[str], seed: int | None = None) -> Verdict:
    """Check the lines of a log. The seed is the log's own unless one is given; without any, cards are not checked."""
    if seed is not None and not 0 <= seed <= MOST_SEED:
        raise ValueError(f"a seed is 0..{MOST_SEED}, got {seed}")
    found, wanted = Verdict(seed=seed), 0
    match = _Match(game, seed)
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\r\n")
        wrong: list[str] = []
        try:
            if header := _HEADER.fullmatch(line):
                wanted = int(header[2])
                if seed is None and found.seed != int(header[3]) <= MOST_SEED:
                    found.seed = int(header[3])
                    match = _Match(game, found.seed)
            elif line.startswith("STATE:"):
                hand = _read_hand(line)
                if hand.number == 0 and match.next > 0:
                    match = _Match(game, found.seed)
                found.hands += 1
                wrong = list(match.check(hand))
                found.agree += not wrong
            elif line.startswith("SCORE:"):
                found.scores += 1
                wrong = list(match.check_score(*_read_values(line.split(":")[1:])))
                if wanted and match.next != wanted:
                    wrong.append(f"there are {match.next} hands, the header says {wanted}")
            elif line and not line.startswith("#"):
                wrong = ["this is not a line of a log"]
        except ValueError as error:
            wrong = [f"{error}"]
        if len(found.problems) < MOST_PROBLEMS:
            found.problems += [Problem(number, what) for what in wrong]
    if not found.hands:
        found.problems.append(Problem(0, "there is no hand in the log"))
    return found


def _read_hand(line: str) -> _Hand:
    parts = line.split(":")
    if len(parts) != 6 or not (parts[1].isascii() and parts[1].isdecimal() and len(parts[1]) <= 10):
        raise ValueError("a hand is STATE, number, betting, cards, values and names, with colons between them")
    return _Hand(int(parts[1]), parts[2], parts[3], *_read_values(parts[4:]))


def _read_values(parts: Sequence[str]) -> tuple[tuple[float, ...], tuple[str, ...]]:
    if len(parts) != 2:
        raise ValueError("values and names are missing")
    try:
        return tuple(map(float, parts[0].split("|"))), tuple(parts[1].split("|"))
    except ValueError:
        raise ValueError(f"{parts[0]!r} are not numbers of chips") from None


def _equal(some: Sequence[float], others: Sequence[float], hands: int = 1) -> bool:
    """Whether chips are the same except for the rounding of this many hands."""
    close = (isclose(a, b, rel_tol=1e-9, abs_tol=_SMALLEST * hands) for a, b in zip(some, others, strict=False))
    return len(some) == len(others) and all(close)


def _text(values: Sequence[float]) -> str:
    return "|".join(f"{value:g}" for value in values)

"""What a match is, fixed before its first hand."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.agents import settings_of
from ludus.cards.card import parse_cards
from ludus.cards.philox import decks
from ludus.files import write_atomically
from ludus.games.definition import define
from ludus.games.poker import PokerGame
from ludus.games.record import dealt_text
from ludus.games.rules import NO_STACK

FORMAT = 1
MOST_HANDS = 10**9
MOST_GAME_HANDS = 10_000  # of a freeze-out: two players who never risk anything would play forever
SHORTEST, LONGEST = 0.001, 1e6
MOST_DECKS_BYTES = 10**9
_READ = 1 << 20
_STARTER = re.compile(r"(python|pypy|node|java|perl|ruby|bash|sh|env)[0-9.]*(\.exe)?|-.*")  # no program's own name


@dataclass(frozen=True)
class MatchPlan:
    """Who plays what, how often, with which cards.

    A *unit* is what statistics count as one independent result: a hand; with ``duplicate`` one deal played by every
    player from every seat (a pair of hands when there are two); with ``freezeout`` a game with carried stacks that ends
    when somebody is broke, or after ``max_hands`` hands, or `MOST_GAME_HANDS`.
    """

    game: PokerGame
    players: tuple[str, ...]  # as ``agents.make`` knows them, one for each seat
    hands: int  # freeze-outs: games
    duplicate: bool = False
    seed: int = 0
    freezeout: bool = False
    max_hands: int | None = None
    aivat: str | None = None  # the value heuristic
    one_sided: bool = False  # whether AIVAT uses one strategy even if all are known
    move_seconds: float | None = None
    match_seconds: float | None = None
    decks: tuple[tuple[int, ...], ...] | None = None  # recorded ones, used one after the other instead of the seed's
    acpc: bool = False  # every player is a separate process that speaks the ACPC protocol

    def __post_init__(self) -> None:
        seats = self.game.players
        if len(self.players) != seats:
            raise ValueError(f"{self.game.name} has {seats} seats, got {len(self.players)} players")
        if not 1 <= self.hands <= MOST_HANDS:
            raise ValueError(f"a match has 1 to {MOST_HANDS} hands, got {self.hands}")
        if not 0 <= self.seed < 2**64:
            raise ValueError(f"a seed is from 0 to 2**64 - 1, got {self.seed}")
        if self.freezeout and (self.duplicate or self.aivat or self.decks):
            raise ValueError("a freeze-out goes on with the stacks as they are: no duplicate, AIVAT or recorded decks")
        if self.freezeout and (len(set(self.game.stacks)) > 1 or max(self.game.stacks) == NO_STACK):
            raise ValueError("a freeze-out begins with equal stacks that can be lost")
        if self.freezeout and seats > 2 and self.game.dialect == "acpc":
            raise ValueError("the ACPC splits pots into fractions of chips, which a freeze-out cannot go on with")
        if self.max_hands is not None and not (self.freezeout and self.max_hands > 0):
            raise ValueError("the most hands of a game are a positive number, for freeze-outs only")
        for limit in (self.move_seconds, self.match_seconds):
            if limit is not None and not SHORTEST <= limit <= LONGEST:
                raise ValueError(f"a time limit is from {SHORTEST} to {LONGEST:g} seconds, got {limit}")
        if self.decks is not None and len(self.decks) < self.units:
            raise ValueError(f"{self.units} deals are to be played, the recorded decks are {len(self.decks)}")
        if self.aivat and seats != 2:
            raise ValueError(f"AIVAT is for two players here, {self.game.name} has {seats}")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A short name for each player, all different."""
        return short_names(self.players)

    @property
    def hands_per_unit(self) -> int:
        """1, or the number of seats when every deal is played from each of them; freeze-outs vary."""
        return self.game.players if self.duplicate else 1

    @property
    def units(self) -> int:
        """How many units are played: as many as it takes for the hands asked for."""
        return -(-self.hands // self.hands_per_unit)

    @property
    def game_hands(self) -> int:
        """The most hands of a freeze-out."""
        return MOST_GAME_HANDS if self.max_hands is None else min(self.max_hands, MOST_GAME_HANDS)

    def turn(self, unit: int, hand: int) -> int:
        """How far everybody has rotated: one seat down each hand, as at an ACPC dealer's table."""
        return (hand if self.duplicate else unit + hand) % self.game.players

    def seating(self, unit: int, hand: int) -> list[int]:
        """The player in each seat."""
        seats, turn = self.game.players, self.turn(unit, hand)
        return [(seat + turn) % seats for seat in range(seats)]

    def deck_rows(self, first: int, units: int, hand: int = 0) -> NDArray[np.int64]:
        """The cards of some units in the order of dealing: [units, cards]."""
        if self.decks is not None:
            return np.array(self.decks[first : first + units], np.int64)
        return decks(self.seed, first, units, self.game.deck, self.game.card_targets[-1], hand)

    def header(self) -> dict[str, Any]:
        """Everything that determines the hands, except how many: a match may be extended."""
        recorded = None
        if self.decks is not None:
            recorded = hashlib.sha256(repr(self.decks).encode()).hexdigest()[:16]
        return {
            "format": FORMAT, "game": define(self.game), "players": list(self.players), "names": list(self.names),
            "files": [_digest(spec) for spec in (*self.players, self.aivat or "")], "duplicate": self.duplicate,
            "seed": self.seed,
            "freezeout": self.freezeout, "max_hands": self.max_hands, "aivat": self.aivat,
            "one_sided": self.one_sided, "decks": recorded,
            "move_seconds": self.move_seconds, "match_seconds": self.match_seconds, "acpc": self.acpc,
        }  # fmt: skip


def short_names(players: Sequence[str]) -> tuple[str, ...]:
    """A short name for each player of a match, fit for logs.

    >>> short_names(["strategy:out/leduc-4000000.safetensors,purify=0.1", "call", "call"])
    ('leduc-4000000', 'call', 'call#2')
    """
    names: list[str] = []
    for spec in players:
        base = re.sub(r"[^\w.+-]", "-", Path(_main_word(spec)).stem, flags=re.ASCII)[:40] or "player"
        taken, name = 1, base
        while name in names:
            taken += 1
            name = f"{base}#{taken}"
        names.append(name)
    return tuple(names)


def _main_word(spec: str) -> str:
    """What a player is named after: a strategy's file, a program, or the kind of agent."""
    kind = spec.partition(":")[0]
    if kind == "exec":
        return next((word for word in words_of(spec) if not _STARTER.fullmatch(Path(word).name)), kind)
    return (settings_of(spec).get("file") or kind) if kind == "strategy" else kind


def files_of(spec: str) -> list[Path]:
    """The files that a player is made from."""
    words = words_of(spec) if spec.startswith("exec:") else list(settings_of(spec).values())
    return [path for path in map(Path, words) if "\0" not in str(path) and path.is_file()]


def words_of(spec: str) -> list[str]:
    """The words of a program's command; none when it is not one."""
    try:
        return shlex.split(spec.partition(":")[2])
    except ValueError:
        return []


def _digest(spec: str) -> str | None:
    """A digest of the files that a player is made from, so that a match is not continued with others."""
    digest, found = hashlib.sha256(), False
    for path in files_of(spec):
        try:
            with path.open("rb") as file:
                while part := file.read(_READ):
                    digest.update(part)
                    found = True
        except OSError:
            continue
    return digest.hexdigest()[:16] if found else None


def write_decks(path: Path, plan: MatchPlan) -> None:
    """The deals of a match as `read_decks` reads them."""
    last = len(plan.game.board_cards) - 1
    rows = plan.deck_rows(0, plan.units).tolist()
    write_atomically(path, "".join(f"{dealt_text(plan.game, row, last)}\n" for row in rows).encode())


def read_decks(path: Path, game: PokerGame) -> tuple[tuple[int, ...], ...]:
    """Recorded decks: one deal per line, its cards in the order of dealing; ``|``, ``/`` and blanks are ignored.

    The order is that of ACPC dealers: the hole cards of seat 0, of seat 1, ..., then the board.
    """
    needed = game.card_targets[-1]
    if not path.is_file() or path.stat().st_size > MOST_DECKS_BYTES:
        raise ValueError(f"{path} is not a file of decks")
    found = []
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        text = re.sub(r"[|/\s,]", "", line.partition("#")[0])
        if not text:
            continue
        try:
            cards = parse_cards(text)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
        if len(cards) < needed or len(set(cards)) < len(cards) or not set(cards) <= game.card_set:
            raise ValueError(f"{path}, line {number}: a deal of {game.name} is {needed} different cards of its deck")
        found.append(cards[:needed])
    return tuple(found)

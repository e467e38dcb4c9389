"""Reading the hand histories that PokerStars saves as text: hold'em for money or in tournaments, any betting.

The pot of the summary must equal what was collected plus the rake. Not supported are hands run twice, hands in which
somebody posts a blind out of turn (because they came late or missed it), and hands in which others pay more than a big
blind that was all-in for less. GGPoker and Winamax write much the same text; what differs is in their classes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar

from ludus.cards.card import parse_cards
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerState
from ludus.protocols.histories.hand import PlayedHand, contested_pot, less_uncalled, settle
from ludus.protocols.histories.site_text import BETTING, MONEY, SiteHand, read_text

_EVENT = re.compile(r"Tournament (?:#[0-9]{1,18}|\"[^\"]{1,100}\")")
_DATE = re.compile(r"- ([0-9]{4}/[0-9]{2}/[0-9]{2} [0-9]{1,2}:[0-9]{2}:[0-9]{2})(?: ([A-Z]{2,5}))?")
_PART = re.compile(r"\*\*\* ([A-Z0-9/ -]{1,40}) \*\*\*")
_CARDS = re.compile(r"\[([^\]]{0,40})\]")
_TOTAL = re.compile(rf"Total pot:? ({MONEY})[ .]")
_DROPS = re.compile(rf"\| (?:Rake|Jackpot|Bingo|Fortune|Tax):? ({MONEY})")
_SEEN = re.compile(r"(?:showed|mucked) \[([^\]]{0,40})\]")
_PLAYED = re.compile(r"\b(?:folded|showed|mucked|collected|won|lost)\b")
_POST = re.compile(rf"posts (?:the )?(small blind|big blind|ante) ({MONEY})( and is all-in)?$")
_MOVE = re.compile(rf"(checks|calls|bets|raises {MONEY} to)(?: ({MONEY}))?(?: and is all-in)?$")
_FOLD = re.compile(r"folds(?: \[.*\])?$")
_GIFT = re.compile(r"(?:Cash Drop|Hold-up) to Pot ?: ")
_STREETS = {
    "ANTE/BLINDS": None, "HOLE CARDS": 0, "PRE-FLOP": 0, "FLOP": 3, "TURN": 4, "RIVER": 5, "SHOW DOWN": None,
    "SHOWDOWN": None, "SUMMARY": None,
}  # fmt: skip


class PokerStarsHand(SiteHand):
    """A hand of PokerStars."""

    site = "PokerStars"
    header = re.compile(r"\ufeff?PokerStars (?:\w+ ){0,3}(?:Hand|Game) #([0-9]{1,18}):")
    limits: ClassVar = re.compile(rf"Hold'em (No Limit|Pot Limit|Limit)\b[^/]*?({MONEY})/({MONEY})")
    place: ClassVar = re.compile(r"Table '(.{0,200})' .*?Seat #([0-9]{1,2}) is the button")
    chair: ClassVar = re.compile(rf"Seat ([0-9]{{1,2}}): (.{{1,200}}) \(({MONEY}) in chips\b")
    after_name: ClassVar = ": "
    no_move: ClassVar = re.compile(
        "mucks hand|does(?:n't| not) show|sits out|is sitting out|is disconnected|is connected|said,"
        "|Chooses to EV Cashout|Receives Cashout|Pays Cashout"
    )
    pot: tuple[int, int] | None = None  # total and rake

    def _read(self, lines: Sequence[str]) -> None:
        self._read_title()
        self._sit_down(lines)
        names = self._names()
        self.action = re.compile(f"({names}){self.after_name}(.*)")
        self.taken = re.compile(rf"({names}) collected ({MONEY}) from (?:the )?(?:main |side )?pot(?:[- ][0-9]+)?")
        self.dealt = re.compile(rf"Dealt to ({names}) \[([^\]]{{0,40}})\]$")
        self.listing = re.compile(f"Seat [0-9]{{1,2}}: ({names}) (.*)")
        summary = False
        for line in lines[1:]:
            if part := _PART.match(line):
                self._begin(part[1], line)
                summary = part[1] == "SUMMARY"
            elif summary:
                self._read_summary(line)
            elif not self.chair.match(line):
                self._read_line(line)
        if self.pot is None:
            raise ValueError("the hand has no summary: is it cut off?")

    def _read_title(self) -> None:
        stakes = self.limits.search(self.title)
        if stakes is None:
            raise ValueError("this is not hold'em")
        self.betting = BETTING[stakes[1].lower()]
        self._use_money(stakes[2])
        self.stakes = self.chips(stakes[2]), self.chips(stakes[3])
        if event := _EVENT.search(self.title):
            self.event = event[0]
        if day := _DATE.search(self.title):
            self.played_at, self.time_zone = datetime.strptime(day[1], "%Y/%m/%d %H:%M:%S"), day[2] or ""

    def _sit_down(self, lines: Sequence[str]) -> None:
        """The table, the seat with the button, and who sits where."""
        table = None
        for line in lines[1:]:
            if _PART.match(line):
                break
            table = table or self.place.match(line)
            if table and (seat := self.chair.match(line)):
                self._sit(seat[1], seat[2], seat[3])
        if table is None:
            raise ValueError("no line says which table it is and who has the button")
        self.table, self.button = table[1], int(table[2])

    def _read_line(self, line: str) -> None:
        if won := self.taken.fullmatch(line):
            self._take(won[1], won[2])
        elif told := self.action.fullmatch(line):
            self._act(told[1], told[2])
        elif dealt := self.dealt.match(line):
            self._see(dealt[1], dealt[2])
        elif line.startswith("Hand cancelled"):
            raise ValueError("the hand was cancelled")
        elif _GIFT.match(line):
            raise ValueError(f"the site added to the pot, which cannot be replayed: {line!r:.60}")

    def _begin(self, part: str, line: str) -> None:
        """A new part of the hand, with the cards on the board."""
        if part not in _STREETS:
            raise ValueError(f"a hand with {part.lower()!r:.40} cannot be replayed: was it run twice?")
        if count := _STREETS[part]:
            self.board = parse_cards(" ".join(_CARDS.findall(line)))
            if len(self.board) != count:
                raise ValueError(f"the {part.lower()} makes a board of {count} cards, got {len(self.board)}")

    def _act(self, name: str, told: str) -> None:
        board = len(self.board)
        if post := _POST.match(told):
            self._post(name, post[1], self.chips(post[2]), bool(post[3]))
        elif move := _MOVE.match(told):
            word, chips = move[1].split()[0], self.chips(move[2] or "0")
            passive = word in ("checks", "calls")
            if not passive and not chips:
                raise ValueError(f"{name} {word} nothing")
            self.moves.append((name, CALL if passive else chips, board, chips if passive else None))
        elif _FOLD.match(told):
            self.moves.append((name, FOLD, board, None))
        elif told.startswith("shows ["):
            self._see(name, "".join(_CARDS.findall(told)[:1]))
        elif told.startswith("posts "):
            raise ValueError(f"{name} posts a blind that is not theirs, which cannot be replayed: {told!r:.60}")
        elif not self.no_move.match(told):
            raise ValueError(f"it is not clear what {name} does: {told!r:.60}")

    def _read_summary(self, line: str) -> None:
        if total := _TOTAL.match(line):
            self.pot = self.chips(total[1]), sum(map(self.chips, _DROPS.findall(line)))
        elif listed := self.listing.match(line):
            if seen := _SEEN.search(listed[2]):
                self._see(listed[1], seen[1])
            if _PLAYED.search(listed[2]):
                self.listed.add(listed[1])

    def _settled(self, state: PokerState, stated: Sequence[int]) -> tuple[tuple[float, ...] | None, float]:
        assert self.pot is not None, "a hand without a summary is refused"
        total, rake = self.pot
        if not sum(stated) + rake == total == contested_pot(state):
            raise ValueError(
                f"the pot does not add up: it says {total}, {sum(stated)} are collected, {rake} raked, and "
                f"{contested_pot(state)} were put in"
            )
        return settle(state, stated)[0], rake


class GGPokerHand(PokerStarsHand):
    """A hand of GGPoker: its drops for jackpots count as rake."""

    site = "GGPoker"
    header = re.compile(r"\ufeff?Poker Hand #([A-Z]{0,4}[0-9]{1,18}):")


class WinamaxHand(PokerStarsHand):
    """A hand of Winamax: no colon after names, and its pot is what was collected, with the bet that nobody called."""

    site = "Winamax"
    header = re.compile(r"\ufeff?Winamax Poker - .{0,200} - HandId: #([0-9][0-9-]{0,80}) - ")
    limits = re.compile(rf"Holdem (no limit|pot limit|fixed limit) \((?:{MONEY}/)?({MONEY})/({MONEY})\)")
    place = re.compile(r"Table: '(.{0,200})' .*?Seat #([0-9]{1,2}) is the button")
    chair = re.compile(rf"Seat ([0-9]{{1,2}}): (.{{1,200}}) \(({MONEY})(?:, [^()]{{1,40}})?\)$")
    after_name = " "
    no_move = re.compile("")

    def _settled(self, state: PokerState, stated: Sequence[int]) -> tuple[tuple[float, ...] | None, float]:
        assert self.pot is not None, "a hand without a summary is refused"
        total, rake = self.pot
        taken = less_uncalled(state, stated)
        if total != sum(stated) or sum(taken) + rake != contested_pot(state):
            raise ValueError(
                f"the pot does not add up: it says {total}, {sum(stated)} are collected, {rake} raked, and "
                f"{contested_pot(state)} were put in and called"
            )
        return settle(state, [int(chips) for chips in taken])[0], rake


def read_pokerstars(text: str) -> list[PlayedHand]:
    """The hands of a text; ValueError at the first that cannot be read."""
    return read_text(PokerStarsHand, text)

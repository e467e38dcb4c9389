"""Reading the hand histories that partypoker saves as text: hold'em for money or in tournaments.

Its amounts are what a player adds to the pot, its all-ins do not say whether they call or raise, and who wins is told
with the bet that nobody called. There is no summary: what the winners did not get was raked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from ludus.cards.card import parse_cards
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerState
from ludus.protocols.histories.hand import less_uncalled, settle
from ludus.protocols.histories.site_text import BETTING, MONEY, SiteHand

_GAME = re.compile(r"\b(NL|PL|FL) Texas Hold'?em\b")
_STAKES = re.compile(rf"({MONEY})/({MONEY}) ")
_LEVEL = re.compile(r"Blinds(?:-Antes)?\(([0-9., ]{1,15})/([0-9., ]{1,15}?)(?: -[0-9., ]{1,15})?\)")
_EVENT = re.compile(r"Trny: ?([0-9]{1,18})")
_DATE = re.compile(r", ([A-Z][a-z]{2})[a-z]* ([0-9]{1,2}, [0-9]{2}:[0-9]{2}:[0-9]{2}) (?:([A-Z]{2,5}) )?([0-9]{4})$")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_BUTTON = re.compile(r"Seat ([0-9]{1,2}) is the button")
_SEAT = re.compile(rf"Seat ([0-9]{{1,2}}): (.{{1,200}}) \( ?({MONEY})(?: [A-Z]{{3}})? ?\)")
_DEAL = re.compile(r"\*\* Dealing (down cards|flop|turn|river) \*\*(?: \[([^\]]{0,40})\])?", re.IGNORECASE)
_POST = re.compile(rf"posts (?:the )?(small blind|big blind|ante) \[({MONEY})(?: [A-Z]{{3}})?\]\.?$")
_MOVE = re.compile(rf"(folds|checks|calls|bets|raises|is all-In)(?: {{1,3}}\[({MONEY})(?: [A-Z]{{3}})?\])?\.?$")
_SHOW = re.compile(r"(?:shows|doesn't show) \[([^\]]{0,40})\]")
_BLINDS = ("small blind", "big blind")
_BOARD = {"down cards": 0, "flop": 3, "turn": 4, "river": 5}


class PartyPokerHand(SiteHand):
    """A hand of partypoker."""

    site = "partypoker"
    header = re.compile(r"\ufeff?(?:#Game No : [0-9]{1,18} {1,3})?\*{5} Hand History for Game ([0-9]{1,18}) \*{5}")

    def _read(self, lines: Sequence[str]) -> None:
        self.bets: dict[str, int] = {}  # of the street
        self._sit_down(lines)
        names = self._names()
        self.winner = re.compile(rf"({names}) wins ({MONEY})(?![0-9.,]).*")
        self.dealt = re.compile(rf"Dealt to ({names}) \[([^\]]{{0,40}})\]$")
        self.action = re.compile(f"({names}) (.*)")
        for line in lines:
            if deal := _DEAL.match(line):
                self._deal(deal[1].lower(), deal[2] or "")
            elif won := self.winner.fullmatch(line):
                self._take(won[1], won[2])
            elif dealt := self.dealt.match(line):
                self._see(dealt[1], dealt[2])
            elif told := self.action.fullmatch(line):
                self._act(told[1], told[2])
        if not self.collected:
            raise ValueError("nobody wins: is the hand cut off?")
        self._find_stakes()

    def _sit_down(self, lines: Sequence[str]) -> None:
        self.title = next((line for line in lines[1:] if line), "")
        game = _GAME.search(self.title)
        if game is None:
            raise ValueError("this is not hold'em")
        self.betting = BETTING[game[1].lower()]
        stacks = [seat for line in lines if (seat := _SEAT.match(line))]
        if not stacks:
            raise ValueError("no line says who sits at the table")
        self._use_money(stacks[0][3])
        for seat in stacks:
            self._sit(seat[1], seat[2], seat[3])
        button = next((found for line in lines if (found := _BUTTON.match(line))), None)
        if button is None:
            raise ValueError("no line says who has the button")
        self.button = int(button[1])
        table = next((line for line in lines if line.startswith("Table ")), "")
        self.table = table.removeprefix("Table ").removesuffix(" (Real Money)").strip()[:200]
        if event := _EVENT.search(self.title):
            self.event = f"Tournament #{event[1]}"
        if (day := _DATE.search(self.title)) and day[1] in _MONTHS:
            moment = f"{day[4]}/{_MONTHS.index(day[1]) + 1}/{day[2]}"
            self.played_at, self.time_zone = datetime.strptime(moment, "%Y/%m/%d, %H:%M:%S"), day[3] or ""

    def _find_stakes(self) -> None:
        """From the level or the name of the table; tables named after their buy-in do not say, but the blinds do."""
        if level := _LEVEL.search(self.title):
            small, big = ("".join(filter(str.isdecimal, amount)) for amount in level.groups())
        elif stakes := _STAKES.match(self.title):
            small, big = stakes.groups()
        else:
            posted = (max((chips for chips, _ in self.posts[kind].values()), default=0) for kind in _BLINDS)
            self.stakes = next(posted), next(posted)
            if self.betting == "limit":
                self.stakes = self.stakes[1], 2 * self.stakes[1]
            return
        self.stakes = self.chips(small), self.chips(big)

    def _deal(self, what: str, text: str) -> None:
        if _BOARD[what]:
            self.board, self.bets = (*self.board, *parse_cards(text)), {}
        if len(self.board) != _BOARD[what]:
            raise ValueError(f"the {what} makes a board of {_BOARD[what]} cards, got {len(self.board)}")

    def _act(self, name: str, told: str) -> None:
        if post := _POST.match(told):
            chips = self.chips(post[2])
            ante = self.posts["ante"].get(name, (0, False))[0]
            self._post(name, post[1], chips, chips + ante == self.chairs[name][1])
            if post[1] != "ante":
                self.bets[name] = chips
        elif told.startswith("posts "):
            raise ValueError(f"{name} posts a blind that is not theirs, which cannot be replayed: {told!r:.60}")
        elif move := _MOVE.match(told):
            self._move(name, move[1], self.chips(move[2] or "0"))
        elif shown := _SHOW.match(told):
            self._see(name, shown[1])

    def _move(self, name: str, word: str, chips: int) -> None:
        board, top = len(self.board), max(self.bets.values(), default=0)
        if word == "folds":
            self.moves.append((name, FOLD, board, None))
            return
        to = self.bets.get(name, 0) + chips
        if word in ("checks", "calls") or (word == "is all-In" and to <= top):
            self.moves.append((name, CALL, board, chips))
        elif not chips:
            raise ValueError(f"{name} {word} nothing")
        else:
            self.moves.append((name, to, board, None))
        self.bets[name] = to

    def _settled(self, state: PokerState, stated: Sequence[int]) -> tuple[tuple[float, ...] | None, float]:
        collected, rake = settle(state, [int(chips) for chips in less_uncalled(state, stated)])
        if rake and not self.currency:
            raise ValueError(f"{rake} chips of a tournament are not won by anybody")
        return collected, rake

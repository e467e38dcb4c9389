"""Writing hands of hold'em as PokerStars saves them, so that trackers and other programs can read them.

Everything but an event or a venue of another name comes back when such a text is read. The format has no straddles, no
fractions of a cent, and no hands whose winner is not known; these are refused. Amounts with cents need a sign: $, where
the hand has none of its own. All known hole cards are written, those that were not shown as cards that were dealt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal

from ludus.cards.card import CARDS, DECK, format_cards
from ludus.games.moves import CALL, FOLD
from ludus.games.names import hand_name
from ludus.games.poker import HIDDEN, PokerState
from ludus.games.record import retrace
from ludus.protocols.histories.hand import PlayedHand, contested_pot, given_back, rules_share, without_gaps
from ludus.protocols.histories.text import printable

_LIMITS = {"no-limit": "No Limit", "pot-limit": "Pot Limit", "limit": "Limit"}
_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£"}
_CODES = {sign: f" {code}" for code, sign in _SIGNS.items()}
_FOLDED = ("before Flop", "on the Flop", "on the Turn", "on the River")
_NO_NAME = re.compile(r"\*\*\*|PokerStars |Table '|Hand cancelled|Uncalled bet|.* in chips|$")
_CENT = Decimal("0.01")


def write_pokerstars(hand: PlayedHand) -> str:
    """One hand as text that ends with a line break; ValueError for a hand that the format cannot tell.

    >>> from ludus.games import holdem
    >>> folded = holdem().start().deal(range(51, -1, -1)).apply(6).apply(-1)
    >>> print(write_pokerstars(PlayedHand(folded, ("ann", "bob"), 7)).partition("*** SUMMARY")[0], end="")
    PokerStars Hand #7:  Hold'em No Limit (1/2)
    Table 'Ludus' 2-max Seat #2 is the button
    Seat 1: ann (200 in chips)
    Seat 2: bob (200 in chips)
    bob: posts small blind 1
    ann: posts big blind 2
    *** HOLE CARDS ***
    Dealt to ann [As Ah]
    Dealt to bob [Ad Ac]
    bob: raises 4 to 6
    ann: folds
    Uncalled bet (4) returned to bob
    bob collected 4 from pot
    """
    return "".join(f"{line}\n" for line in _Text(hand).lines())


class _Text:
    """The lines of a hand; what is by seat is in our order."""

    def __init__(self, hand: PlayedHand) -> None:
        self.hand, self.state, self.game = hand, hand.state, hand.state.game
        if self.game.deck != DECK or self.game.hole_cards != 2 or self.game.board_cards != (0, 3, 1, 1):
            raise ValueError(f"PokerStars' text is for hold'em, not {self.game.name}: the hand can be written as text")
        taken = rules_share(self.state) if hand.collected is None else hand.collected
        if taken is None:
            raise ValueError("PokerStars' text says who wins, which is not known here: the hand can be written as phh")
        self.taken = taken
        self.sign = _SIGNS.get(hand.currency, hand.currency if len(hand.currency) == 1 else "")
        if not self.sign and hand.unit != 1:
            self.sign = "$"
        self.decisions = list(retrace(self.state, without_gaps(self.game, self.state.cards)))
        self.names = _clean_names(hand.players)
        self.chairs = self._chairs()

    def _chairs(self) -> Sequence[int]:
        """The numbers of the seats; those of the hand where the last of ours can have the button."""
        chairs, last = self.hand.seats, self.hand.seats[-1:]
        in_order = sorted(chairs, key=lambda chair: ((chair,) <= last, chair))
        fits = len(set(chairs)) == len(chairs) and in_order == list(chairs) and all(chair < 100 for chair in chairs)
        return chairs if chairs and fits else range(1, self.game.players + 1)

    def money(self, chips: float) -> str:
        amount = Decimal(repr(chips)) * self.hand.unit
        if amount % (_CENT if self.sign else 1):
            raise ValueError(f"PokerStars' text has no amounts as fine as {amount}: the hand can be written as phh")
        return f"{self.sign}{amount:.2f}".removesuffix(".00")

    def lines(self) -> Iterator[str]:
        """All lines, the summary last."""
        yield self._title()
        table = printable(self.hand.table) or "Ludus"
        most = max(self.game.players, *self.chairs)
        yield f"Table '{table}' {most}-max Seat #{self.chairs[-1]} is the button"
        for seat in sorted(range(self.game.players), key=self.chairs.__getitem__):
            stack = self.money(self.game.stacks[seat])
            yield f"Seat {self.chairs[seat]}: {self.names[seat]} ({stack} in chips)"
        yield from self._posts()
        yield "*** HOLE CARDS ***"
        shown = set(self.state.live_seats()) if len(self.state.live_seats()) > 1 else set()
        for seat, name in enumerate(self.names):
            if seat not in shown and HIDDEN not in self.state.hole(seat):
                yield f"Dealt to {name} [{format_cards(self.state.hole(seat), ' ')}]"
        yield from self._streets()
        yield from self._end(shown)
        yield from self._summary(shown)

    def _title(self) -> str:
        hand, game = self.hand, self.game
        digits = "".join(letter for letter in f"{hand.number}" if "0" <= letter <= "9")[-18:] or "0"
        small = min(filter(None, game.blinds), default=0)
        stakes = game.raise_sizes[1:3] if game.betting == "limit" else (small, game.smallest_raise(0))
        money = "/".join(map(self.money, stakes))
        words = f"Hold'em {_LIMITS[game.betting]}"
        if re.fullmatch("Tournament #[0-9]{1,18}", hand.event, re.ASCII) and not self.sign:
            title = f"PokerStars Hand #{digits}: {hand.event}, {words} - Level I ({money})"
        else:
            title = f"PokerStars Hand #{digits}:  {words} ({money}{_CODES.get(self.sign, '')})"
        if hand.played is not None:
            clock = hand.played if isinstance(hand.played, datetime) else datetime(*hand.played.timetuple()[:3])
            zone = f" {hand.time_zone}" if re.fullmatch("[A-Z]{2,5}", hand.time_zone) else ""
            title += f" - {clock:%Y/%m/%d %H:%M:%S}{zone}"
        return title

    def _posts(self) -> Iterator[str]:
        game = self.game
        antes, blinds = game.posted
        due = sorted((blind, game.players == 2 and not seat, seat) for seat, blind in enumerate(game.blinds) if blind)
        if len(due) > 2 or (game.players == 2 and [seat for *_, seat in due] == [0, 1]):
            raise ValueError(f"PokerStars' text has no blinds {game.blinds}: the hand can be written as phh")
        for seat, ante in enumerate(antes):
            if ante:
                yield f"{self.names[seat]}: posts the ante {self.money(ante)}{self._all_in(seat, ante)}"
        for kind, (_, _, seat) in zip(("small", "big")[2 - len(due) :], due, strict=True):
            all_in = self._all_in(seat, antes[seat] + blinds[seat])
            yield f"{self.names[seat]}: posts {kind} blind {self.money(blinds[seat])}{all_in}"

    def _all_in(self, seat: int, spent: int) -> str:
        return " and is all-in" if spent == self.game.stacks[seat] else ""

    def _streets(self) -> Iterator[str]:
        state, board = self.state, [CARDS[card] for card in self.state.board]
        told: list[list[str]] = [[] for _ in state.line]
        for at, action in self.decisions:
            told[at.street].append(f"{self.names[at.player]}: {self._words(at, action)}")
        acted = max((street for street, lines in enumerate(told) if lines), default=0)
        told[acted] += [
            f"Uncalled bet ({self.money(back)}) returned to {self.names[seat]}"
            for seat, back in enumerate(given_back(state))
            if back
        ]
        for street, lines in enumerate(told):
            if street:
                known = f"[{' '.join(board[: street + 1])}] " if street > 1 else ""
                new = board[:3] if street == 1 else board[street + 1 : street + 2]
                yield f"*** {('FLOP', 'TURN', 'RIVER')[street - 1]} *** {known}[{' '.join(new)}]"
            yield from lines

    def _words(self, at: PokerState, action: int) -> str:
        if action == FOLD:
            return "folds"
        pays = at.to_call() if action == CALL else action - at.bets[at.player]
        if not pays:
            return "checks"
        top = max(at.bets)
        if action == CALL:
            words = f"calls {self.money(pays)}"
        else:
            words = (
                f"raises {self.money(action - top)} to {self.money(action)}" if top else f"bets {self.money(action)}"
            )
        return words + " and is all-in" * (pays == at.stacks[at.player])

    def _end(self, shown: set[int]) -> Iterator[str]:
        """The showdown, who collects, and who shows one of two cards."""
        if shown:
            yield "*** SHOW DOWN ***"
        for seat in self.state.showdown_order() if shown else ():
            cards = self.state.hole(seat)
            if HIDDEN not in cards:
                made = hand_name(cards + self.state.board)
                yield f"{self.names[seat]}: shows [{format_cards(cards, ' ')}] ({made})"
            elif set(cards) == {HIDDEN}:
                yield f"{self.names[seat]}: mucks hand"
        for seat, won in enumerate(self.taken):
            if won:
                yield f"{self.names[seat]} collected {self.money(won)} from pot"
        for seat, name in enumerate(self.names):
            known = [card for card in self.state.hole(seat) if card != HIDDEN]
            if len(known) == 1:
                yield f"{name}: shows [{CARDS[known[0]]}]"

    def _summary(self, shown: set[int]) -> Iterator[str]:
        yield "*** SUMMARY ***"
        yield f"Total pot {self.money(contested_pot(self.state))} | Rake {self.money(self.hand.rake)}"
        if self.state.board:
            yield f"Board [{format_cards(self.state.board, ' ')}]"
        for seat in sorted(range(self.game.players), key=self.chairs.__getitem__):
            place = " (button)" * (seat == self.game.players - 1)
            yield f"Seat {self.chairs[seat]}: {self.names[seat]}{place} {self._fate(seat, shown)}"

    def _fate(self, seat: int, shown: set[int]) -> str:
        won, cards = self.taken[seat], self.state.hole(seat)
        if self.state.folded >> seat & 1:
            street = next(at.street for at, action in self.decisions if (at.player, action) == (seat, FOLD))
            return f"folded {_FOLDED[street]}"
        if seat not in shown or HIDDEN in cards:
            return f"collected ({self.money(won)})" if won else "mucked"
        made = hand_name(cards + self.state.board)
        end = f"won ({self.money(won)})" if won else "lost"
        return f"showed [{format_cards(cards, ' ')}] and {end} with {made}"


def _clean_names(players: Sequence[str]) -> list[str]:
    """The names on one line each, none of them twice, and none that begins as another line does."""
    names: list[str] = []
    for player in players:
        name = printable(player).strip()
        if _NO_NAME.match(name):
            name = f"_{name}".replace(" in chips", " in_chips")
        while name in names:
            name += "_"
        names.append(name)
    return names

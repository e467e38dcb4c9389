"""Follow the hands that a dealer reports, line by line, without reading every line from its start."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ludus.cards.card import parse_cards
from ludus.games.base import TERMINAL
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import dealt, read_move
from ludus.games.showdown import strength
from ludus.protocols.acpc.messages import MatchState, Step, read_steps

_MORE = re.compile(r"(?:f|c|r[0-9]{0,10}|/)*", re.ASCII)
_MOVE = re.compile(r"f|c|r[0-9]{0,10}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Heard:
    """What a line says: the state, and what is new in it."""

    now: MatchState
    steps: tuple[Step, ...]


class Follower:
    """Reads the lines of one dealer. Most continue the previous line, and only what is new is replayed."""

    def __init__(self, game: PokerGame) -> None:
        self.game = game
        self.now: MatchState | None = None  # the hand in progress
        self._head, self._betting, self._hole, self._boards = "", "", "", ""

    def hear(self, text: str) -> Heard:
        """The next line; ValueError when it is not a state of this game."""
        head, betting, cards = _parts(text)
        heard = None
        if self.now is not None and head == self._head:
            heard = self._go_on(self.now, betting, cards)
        if heard is None:
            heard = self._start_over(text)
        self.now = None if heard.now.state.player == TERMINAL else heard.now
        self._head, self._betting = head, betting
        self._hole, _, self._boards = cards.partition("/")
        return heard

    def _go_on(self, old: MatchState, betting: str, cards: str) -> Heard | None:
        """The state if a line continues the last one in the canonical way and shows nobody's cards, else None."""
        hole, _, boards = cards.partition("/")
        more = betting[len(self._betting) :]
        if not (betting.startswith(self._betting) and hole == self._hole and boards.startswith(self._boards)):
            return None
        if self.game.board_cards[0] or not _MORE.fullmatch(more):
            return None
        deck = [-1] * (self.game.players * self.game.hole_cards) + list(parse_cards(boards.replace("/", "")))
        if len(deck) < len(old.state.cards):
            return None
        steps, state = [], old.state
        for move in _MOVE.findall(more):
            if state.player == TERMINAL:
                return None
            player, action = state.player, read_move(state, move)
            state = dealt(state.apply(action), deck)
            steps.append(Step(player, action, state))
        if len(state.cards) != len(deck) or (state.player == TERMINAL and len(state.live_seats()) > 1):
            return None
        return Heard(MatchState(old.position, old.hand, state), tuple(steps))

    def _start_over(self, text: str) -> Heard:
        """The state of a line read from its start; what earlier lines said about the same hand is not new."""
        position, hand, steps = read_steps(self.game, text)
        known, old = 0, self.now
        if old is not None and (old.position, old.hand) == (position, hand):
            acted = sum(map(len, old.state.line))
            if acted < len(steps) and steps[acted].state.line == old.state.line:
                known = acted + 1
        return Heard(MatchState(position, hand, steps[-1].state), tuple(steps[known:]))


def _parts(text: str) -> tuple[str, str, str]:
    """Everything before the betting, the betting, the cards."""
    parts = text.rstrip("\r\n").split(":", 4)
    if len(parts) < 5:
        raise ValueError(f"{text[:40]!r} is not a state: it has MATCHSTATE, position, hand, betting and cards")
    return ":".join(parts[:3]), parts[3], parts[4]


def outcome(state: PokerState) -> tuple[float, ...]:
    """What every position has won in a finished hand of which only the shown hands are known.

    ValueError when a deciding hand is not shown.
    """
    live = state.live_seats()
    if len(live) == 1:
        return state.payoffs(())
    if any(card < 0 for seat in live for card in state.hole(seat)):
        raise ValueError("there was a showdown, but not all hands are shown")
    seats = range(state.game.players)
    return state.payoffs([strength(state.hole(seat) + state.board) if seat in live else 0 for seat in seats])

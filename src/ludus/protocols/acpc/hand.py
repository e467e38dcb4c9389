"""A hand as the dealer plays it: the state, and the texts that grow with it."""

from __future__ import annotations

from collections.abc import Sequence

from ludus.cards.card import format_cards
from ludus.games.base import TERMINAL
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import dealt, move_text
from ludus.games.showdown import strength


def warm_up(game: PokerGame) -> None:
    """Load what a showdown needs before anybody's clock runs; it takes a while the first time."""
    strength(game.deck[: game.hole_cards + sum(game.board_cards)])


class Hand:
    """One hand. ``message`` says what ``messages.match_state`` would, without retracing the betting."""

    def __init__(self, game: PokerGame, number: int, deck: Sequence[int]) -> None:
        self.game, self.number, self.deck = game, number, deck
        count, players = game.hole_cards, game.players
        self._holes = [format_cards(deck[at * count : (at + 1) * count]) for at in range(players)]
        self._heads = [f"MATCHSTATE:{at}:{number}:" for at in range(players)]
        self._views = ["|" * at + hole + "|" * (players - 1 - at) for at, hole in enumerate(self._holes)]
        self.betting, self._board = "", ""
        self.state = game.start()
        self._move_on(self.state, "")

    def act(self, action: int) -> str:
        """Apply a legal action of the player to act; returns it as text."""
        text = move_text(self.state, action)
        self._move_on(self.state.apply(action), text)
        return text

    def _move_on(self, state: PokerState, text: str) -> None:
        before = len(self.state.cards)
        state = dealt(state, self.deck)
        if len(state.cards) > before:
            targets = (self.game.players * self.game.hole_cards, *self.game.card_targets)
            parts = (format_cards(self.deck[targets[at] : targets[at + 1]]) for at in range(state.street + 1))
            self._board = "/".join(parts)
        self.betting += text + "/" * (state.street - self.state.street)
        self.state = state

    @property
    def over(self) -> bool:
        """Whether nobody is left to act."""
        return self.state.player == TERMINAL

    def message(self, position: int) -> bytes:
        """What a position is told, without the end of the line."""
        view = self._views[position]
        if self.state.player == TERMINAL and len(live := self.state.live_seats()) > 1:
            view = "|".join(hole if at in live or at == position else "" for at, hole in enumerate(self._holes))
        return f"{self._heads[position]}{self.betting}:{view}{self._board}".encode()

    def record(self) -> str:
        """The hand with everybody's cards, as logs have it."""
        return f"STATE:{self.number}:{self.betting}:{'|'.join(self._holes)}{self._board}"

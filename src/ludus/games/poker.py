"""The rules of poker with blinds, antes, streets and one shared board: from Kuhn's three cards to ten-handed hold'em.

Seats are counted from the first to act after the flop; the last seat has the button. Heads-up the button posts the
small blind, so the blinds are then (big, small). Actions are whole numbers: ``FOLD``, ``CALL`` (check when there is
nothing to call), and any positive number: raise *to* that many chips on this street. At a chance state the actions are
cards.

Two dialects differ where real dealers do. ``casino`` plays as a card room does: an all-in that is short of a full raise
does not reopen the betting, uncalled chips go back at once, odd chips go to the first seat that wins. ``acpc`` plays as
the dealer of the Annual Computer Poker Competition: a short all-in reopens the betting and pots are split exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import index

from ludus.cards.card import CARDS
from ludus.games.action import Action, Phrase
from ludus.games.base import CHANCE, TERMINAL
from ludus.games.menu import BetPoint, amounts
from ludus.games.moves import CALL, FOLD, Moves
from ludus.games.pots import Pot, share_pots, side_pots, winners_of
from ludus.games.rules import PokerRules
from ludus.games.showdown import strength

HIDDEN = -1  # a card that the viewer may not see
STREETS = ("pre-flop", "flop", "turn", "river")


@dataclass(frozen=True)
class PokerGame(PokerRules):
    """A poker game that can be played."""

    def start(self) -> PokerState:
        """Antes and blinds are posted; chance deals the first card next."""
        return self._first_state

    @cached_property
    def _first_state(self) -> PokerState:
        antes, blinds = self.posted
        state = PokerState()
        state.game = self
        state.cards, state.line, state.queue = (), ((),), ()
        state.stacks = tuple(
            stack - ante - blind for stack, ante, blind in zip(self.stacks, antes, blinds, strict=True)
        )
        state.bets = blinds
        state.player, state.street, state.opener = CHANCE, 0, 0
        state.folded = state.acted = state.short = state.raise_by = state.min_to = 0
        state._moves = None
        return state


class PokerState:
    """A hand in progress. It holds the cards dealt so far and none of those to come."""

    __slots__ = (
        "_moves", "acted", "bets", "cards", "folded", "game", "line", "min_to", "opener", "player", "queue", "raise_by",
        "short", "stacks", "street",
    )  # fmt: skip

    game: PokerGame
    cards: tuple[int, ...]  # hole cards of seat 0, of seat 1, ..., then the board
    stacks: tuple[int, ...]  # chips behind
    bets: tuple[int, ...]  # chips put in on this street
    line: tuple[tuple[int, ...], ...]  # the actions of each street so far
    street: int
    player: int
    queue: tuple[int, ...]  # seats that still have to act on this street, if nobody raises
    folded: int  # bit s: seat s has folded
    opener: int  # who bet or raised last on the street of the last betting, else who opened it
    min_to: int  # smallest raise, as a total for this street
    raise_by: int  # size of the largest raise on this street; casino: what reopens the betting
    acted: int  # bit s: seat s has acted since the last full raise
    short: int  # casino: what all-ins short of a full raise have added since then
    _moves: Moves | tuple[int, ...] | None

    def _copy(self) -> PokerState:
        new = PokerState()
        new.game, new.cards, new.stacks, new.bets = self.game, self.cards, self.stacks, self.bets
        new.line, new.street, new.player, new.queue = self.line, self.street, self.player, self.queue
        new.folded, new.opener, new.min_to, new.raise_by = self.folded, self.opener, self.min_to, self.raise_by
        new.acted, new.short, new._moves = self.acted, self.short, None
        return new

    # What the table shows

    @property
    def board(self) -> tuple[int, ...]:
        """The shared cards dealt so far."""
        return self.cards[self.game.players * self.game.hole_cards :]

    def hole(self, seat: int) -> tuple[int, ...]:
        """A seat's own cards."""
        count = self.game.hole_cards
        return self.cards[seat * count : (seat + 1) * count]

    def seen_by(self, *seats: int) -> PokerState:
        """The same state as these seats see it together: the others' cards are -1; ``seen_by(-1)`` hides all."""
        hole, count = self.game.players * self.game.hole_cards, self.game.hole_cards
        new = self._copy()
        new.cards = (
            *(card if at // count in seats else HIDDEN for at, card in enumerate(self.cards[:hole])),
            *self.cards[hole:],
        )
        if self.player >= 0:  # the moves depend on no card, and both sides ask for them
            new._moves = self.legal_actions()  # type: ignore[assignment]
        return new

    def live_seats(self) -> list[int]:
        """Seats that have not folded."""
        return [seat for seat in range(self.game.players) if not self.folded >> seat & 1]

    def spent(self) -> tuple[int, ...]:
        """What each seat has put in during the hand, antes included."""
        return tuple(start - left for start, left in zip(self.game.stacks, self.stacks, strict=True))

    @property
    def pot(self) -> int:
        """All the chips put in, including this street."""
        return sum(self.game.stacks) - sum(self.stacks)

    def to_call(self) -> int:
        """What the player must add to stay in, at most their stack."""
        return min(max(self.bets) - self.bets[self.player], self.stacks[self.player])

    # Legal actions

    def legal_actions(self) -> Sequence[int]:
        """Cards left in the deck for chance; fold (if there is something to call), call and the raises for a player."""
        if self._moves is None:
            if self.player >= 0:
                self._moves = Moves(self.bets[self.player] < max(self.bets), self._raises())
            elif self.player == CHANCE:
                self._moves = tuple(card for card in self.game.deck if card not in self.cards)
            else:
                self._moves = ()
        return self._moves

    def raise_bounds(self) -> tuple[int, int] | None:
        """The smallest and the largest raise, as totals for this street, whatever the bet menu; None when barred."""
        assert self.player >= 0, "nobody is to act"
        game, seat, top = self.game, self.player, max(self.bets)
        all_in = self.stacks[seat] + self.bets[seat]
        if all_in <= top:
            return None
        if game.max_raises and sum(action > 0 for action in self.line[-1]) >= game.max_raises[self.street]:
            return None
        if game.dialect == "acpc":
            able = sum(self.stacks[other] > 0 for other in self.live_seats())
            if able <= 1 or len(self.line[-1]) + game.players > 64:
                return None
        else:
            if top - self.bets[seat] < self.raise_by:  # it has come back short of a full raise
                return None
            if 0 < self.short < self.raise_by and self.acted >> seat & 1:
                return None
            if not any(
                other != seat and self.stacks[other] + self.bets[other] > top for other in self.live_seats()
            ):  # nobody could call it
                return None
        low = min(self.min_to, all_in)
        if game.betting == "limit":
            return low, low
        if game.betting == "pot-limit":
            return low, min(all_in, max(low, 2 * top - self.bets[seat] + self.pot))
        return low, all_in

    def _raises(self) -> Sequence[int]:
        bounds = self.raise_bounds()
        if bounds is None:
            return ()
        if self.game.bets is None:
            return range(bounds[0], bounds[1] + 1)
        menu, bets = self.game.bets, sum(action > 0 for action in self.line[-1])
        return amounts(menu.of(self.street, self.player).at(bets), self.bet_point(*bounds), menu.fit)

    def bet_point(self, low: int, high: int) -> BetPoint:
        """Where raises between two bounds are made, for a bet menu."""
        top, streets = max(self.bets), len(self.game.board_cards) - self.street
        pot, bets = self.pot + top - self.bets[self.player], sum(action > 0 for action in self.line[-1])
        return BetPoint(pot, high - top, low - top, top, streets, bets)

    # Moving on

    def apply(self, action: int) -> PokerState:
        """The state after a card is dealt or the player has acted."""
        try:
            action = index(action)
        except TypeError:
            raise ValueError(f"{action!r} is not an action: actions are whole numbers") from None
        if self.player == CHANCE:
            return self._dealt((action,))
        if action not in self.legal_actions():
            raise ValueError(self._why_not(action))
        return self.after(action)

    def give_up(self) -> PokerState:
        """The state after the player has left the hand, even where checking is free: a forfeit, not a move."""
        assert self.player >= 0, "nobody is to act"
        return self.after(FOLD)

    def after(self, action: int) -> PokerState:
        """The state after an action of the player that is known to be legal, or is a forfeit; it is not checked."""
        new = self._copy()
        seat = self.player
        new.line = (*self.line[:-1], (*self.line[-1], action))
        new.acted |= 1 << seat
        if action == FOLD:
            new.folded |= 1 << seat
            new.queue = self.queue[1:]
            if len(new.live_seats()) == 1:
                new.player, new.queue = TERMINAL, ()
                return new
        elif action == CALL:
            new._pay(seat, self.to_call())
            new.queue = self.queue[1:]
        else:
            new._raise(seat, action)
        if new.queue:
            new.player = new.queue[0]
        else:
            new._end_street()
        return new

    def deal(self, deck: Sequence[int]) -> PokerState:
        """All the cards due now, from a deck in the order of dealing whose first cards are already on the table.

        >>> from ludus.games.holdem import holdem
        >>> holdem().start().deal(range(9)).cards
        (0, 1, 2, 3)
        """
        assert self.player == CHANCE, "no card is due"
        return self._dealt(tuple(deck[len(self.cards) : self.game.card_targets[self.street]]))

    def _dealt(self, cards: tuple[int, ...]) -> PokerState:
        for at, card in enumerate(cards):
            if card in self.cards or card in cards[:at] or card not in self.game.card_set:
                raise ValueError(self._why_not(card))
        new = self._copy()
        new.cards = self.cards + cards
        new._deal_or_bet()
        return new

    def _pay(self, seat: int, chips: int) -> None:
        if chips:
            stacks, bets = list(self.stacks), list(self.bets)
            stacks[seat] -= chips
            bets[seat] += chips
            self.stacks, self.bets = tuple(stacks), tuple(bets)

    def _raise(self, seat: int, to: int) -> None:
        top = max(self.bets)
        by = to - top
        self._pay(seat, to - self.bets[seat])
        if self.game.dialect == "acpc":
            self.min_to = max(self.min_to, to + by)
        else:
            if by >= self.raise_by:
                self.acted, self.raise_by = 1 << seat, by
            self.short = self.short + by if self.stacks[seat] == 0 else 0
            if self.short >= self.raise_by:
                self.short = 0
            self.min_to = to + max(self.raise_by, self.game.smallest_raise(self.street))
        if self.game.betting == "limit":
            self.min_to = to + self.game.raise_sizes[self.street]
        self.opener = seat
        players = self.game.players
        self.queue = tuple(
            other
            for other in (*range(seat + 1, players), *range(seat))
            if self.stacks[other] and not self.folded >> other & 1
        )

    def _deal_or_bet(self) -> None:
        if len(self.cards) < self.game.card_targets[self.street]:
            self.player = CHANCE
        else:
            self._begin_betting()

    def _begin_betting(self) -> None:
        game, players, top = self.game, self.game.players, max(self.bets)
        live = self.live_seats()
        if game.dialect == "acpc":
            first = game.first_seats[self.street] if game.first_seats else 0
            in_play, needed = [seat for seat in live if self.stacks[seat]], 1 + (self.street > 0)
        else:
            first = (max(range(players), key=lambda seat: (self.bets[seat], seat)) + 1) % players
            second = sorted(self.stacks[seat] + self.bets[seat] for seat in live)[-2]
            in_play = [seat for seat in live if self.stacks[seat] and second > self.bets[seat]]
            needed = 1 if in_play and self.bets[in_play[0]] < top else 2
        if self.street == 0:
            self.opener = first
        if len(in_play) < needed:  # at most one could bet, with nobody to bet against
            self._end_street()
            return
        self.queue = tuple(sorted(in_play, key=lambda seat: (seat - first) % players))
        self.player, self.opener = self.queue[0], first
        self.acted = self.short = self.raise_by = 0
        self.min_to = top + game.smallest_raise(self.street)

    def _end_street(self) -> None:
        if self.game.dialect == "casino":  # a bet nobody could match goes back
            matched = sorted(self.bets)[-2]
            back = [max(bet - matched, 0) for bet in self.bets]
            self.stacks = tuple(stack + chips for stack, chips in zip(self.stacks, back, strict=True))
        self.queue = ()
        if self.street == len(self.game.board_cards) - 1:
            self.player = TERMINAL
            return
        self.bets = (0,) * self.game.players
        self.street += 1
        self.line = (*self.line, ())
        self._deal_or_bet()

    def _why_not(self, action: int) -> str:
        if self.player == TERMINAL:
            return "the hand is over"
        if self.player == CHANCE:
            what = CARDS[action] if 0 <= action < 52 else f"{action}"
            return f"{what} is not in the deck" if action not in self.game.deck else f"{what} has been dealt already"
        if action == FOLD:
            return "there is nothing to call, so nothing to fold to: check instead"
        if action < 0:
            return f"{action} is not an action: fold is {FOLD}, call is {CALL}, a raise is the total to raise to"
        raises = self._raises()
        if not raises:
            return f"no raise is possible here: {'fold or call' if self.to_call() else 'check'}"
        if isinstance(raises, range) and len(raises) > 1:
            return f"a raise here is to between {raises[0]} and {raises[-1]} chips, not to {action}"
        return f"a raise here is to {' or '.join(map(str, raises))} chips, not to {action}"

    # Chance, the end, and what is known

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        """Every card left, equally likely."""
        assert self.player == CHANCE
        cards = self.legal_actions()
        return tuple((card, 1 / len(cards)) for card in cards)

    def pots(self, seats: Sequence[int] | None = None) -> list[Pot]:
        """Main pot and side pots of the chips put in so far, for the live seats or the given ones."""
        paid, dead = list(self.spent()), 0
        if self.game.dead_antes:
            antes = self.game.posted[0]
            paid, dead = [chips - ante for chips, ante in zip(paid, antes, strict=True)], sum(antes)
        return side_pots(paid, self.live_seats() if seats is None else seats, dead)

    def strengths(self) -> list[int]:
        """Strength of each seat's hand with the board, higher is better; 0 for a seat that has folded."""
        board = self.board
        assert HIDDEN not in self.cards, "hidden cards have no strength"
        return [0 if self.folded >> s & 1 else strength(self.hole(s) + board) for s in range(self.game.players)]

    def returns(self) -> tuple[float, ...]:
        """Chips won or lost by each seat."""
        return self.payoffs(self.strengths() if len(self.live_seats()) > 1 else ())

    def payoffs(self, strengths: Sequence[int]) -> tuple[float, ...]:
        """Chips won or lost by each seat if the hands had these strengths; a win by folds needs none."""
        assert self.player == TERMINAL, "the hand is not over"
        live = self.live_seats()
        taken: Sequence[float]
        if len(live) == 1:
            taken = [self.pot if seat == live[0] else 0 for seat in range(self.game.players)]
        else:
            exact, pots = self.game.dialect == "acpc", self.pots()
            if not exact:  # beaten hands are mucked first, so layers that the same winners share are one pot to split
                pots = self.pots(sorted({seat for pot in pots for seat in winners_of(pot, strengths)}))
            taken = share_pots(pots, strengths, self.game.players, exact)
        return tuple(float(won - paid) for won, paid in zip(taken, self.spent(), strict=True))

    def showdown_order(self) -> list[int]:
        """Live seats in the order in which they show: the last to bet or raise first, else the first to act."""
        return sorted(self.live_seats(), key=lambda seat: (seat - self.opener) % self.game.players)

    def betting(self) -> str:
        """The actions as text, separated by street: 'r6c/cr10f'."""
        return "/".join("".join(map(self._letter, street)) for street in self.line)

    def _letter(self, action: int) -> str:
        if action > 0:
            return "r" if self.game.betting == "limit" else f"r{action}"
        return "c" if action == CALL else "f"

    def information_state(self, player: int) -> str:
        """Own cards, board by street, betting: 'AhKh/Td9d6h:r6c/'."""
        if not 0 <= player < self.game.players:
            raise ValueError(f"players are 0..{self.game.players - 1}, got {player}")
        return self.game.name_cards(self.hole(player)) + self.public_state()

    def public_state(self) -> str:
        """Board by street and betting."""
        ends = self.game.card_targets
        starts = (self.game.players * self.game.hole_cards, *ends)
        parts = [self.game.name_cards(self.cards[starts[s] : ends[s]]) for s in range(self.street + 1)]
        text = "/".join(parts) + ":" + self.betting()
        return f"{text}#{len(self.cards)}" if self.player == CHANCE else text  # '#4': four cards dealt, one coming

    def action(self, number: int) -> Action:
        """The action of a number for the player to act."""
        return Action.of(number, self.to_call())

    def phrase(self, number: int) -> Phrase:
        """How one says an action of the player to act."""
        seat = self.player
        raised = (self.street == 0 and len(set(self.game.blinds)) > 1) or any(move > 0 for move in self.line[-1])
        return self.action(number).phrase(
            to_call=self.to_call(), top=max(self.bets), all_in=self.stacks[seat] + self.bets[seat], raised=raised
        )

    def action_name(self, action: int) -> str:
        """Fold, check, call 50, bet 100, raise to 300, all-in 1200, or a card."""
        return CARDS[action] if self.player == CHANCE else str(self.phrase(action))

    def __repr__(self) -> str:
        return f"<{self.game.name} {self.public_state()} stacks {self.stacks} bets {self.bets}>"

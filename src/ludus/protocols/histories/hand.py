"""A played hand: the final state, which is its record, who sat where, and what is known about it.

Readers know the moves of a hand and the cards that were seen. ``play`` replays them by the rules, so
whatever comes out of a file is a legal hand; a card that nobody saw is ``HIDDEN`` in the final state.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from ludus.cards.card import CARDS
from ludus.games.base import CHANCE, TERMINAL
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import HIDDEN, STREETS, PokerGame, PokerState
from ludus.games.record import apply_or_forfeit, check_length, retrace
from ludus.games.showdown import strength

MOST_TEXT = 200  # characters of a name, of a table, of an event


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """A hand with its players by seat. Amounts are whole chips; a chip is ``unit`` of the currency."""

    state: PokerState
    players: tuple[str, ...]
    number: int | str
    collected: tuple[float, ...] | None = None  # from the pot, without uncalled bets; None: as the rules share it
    rake: float = 0
    unit: Decimal = Decimal(1)
    currency: str = ""  # a symbol or an ISO code
    event: str = ""
    venue: str = ""
    table: str = ""
    played: date | None = None  # or a datetime
    time_zone: str = ""  # an abbreviation
    seats: tuple[int, ...] = ()  # numbers of the chairs, where they have some
    doubt: str = ""  # what the file says about the result that cannot be, and was set aside

    def __post_init__(self) -> None:
        count = self.state.game.players
        if self.state.player != TERMINAL:
            raise ValueError("the hand is not over")
        if len(self.players) != count:
            raise ValueError(f"expected {count} names, got {len(self.players)}")
        for text in (
            *self.players,
            f"{self.number}",
            self.currency,
            self.event,
            self.venue,
            self.table,
            self.time_zone,
        ):
            if not isinstance(text, str) or len(text) > MOST_TEXT or not _is_text(text):
                raise ValueError(f"a name is a text of at most {MOST_TEXT} characters, got {text!r:.80}")
        if self.seats and len(self.seats) != count:
            raise ValueError(f"expected {count} numbers of seats, got {len(self.seats)}")
        if not (self.unit.is_finite() and self.unit > 0):
            raise ValueError(f"a chip is worth something, got {self.unit}")
        if self.collected is None:
            if self.rake:
                raise ValueError("with a rake it must be told what each seat collected")
            return
        if len(self.collected) != count or min(self.collected) < 0 or self.rake < 0:
            raise ValueError(f"expected {count} amounts collected and a rake, none negative")
        if abs(sum(self.collected) + self.rake - contested_pot(self.state)) > 1e-6 * count:
            raise ValueError(
                f"{sum(self.collected):g} collected and a rake of {self.rake:g} are not the pot of "
                f"{contested_pot(self.state)}"
            )

    def returns(self) -> tuple[float, ...] | None:
        """Chips won or lost by each seat; None when that depends on cards nobody saw."""
        if self.collected is None and HIDDEN not in self.state.cards:
            return self.state.returns()
        taken = rules_share(self.state) if self.collected is None else self.collected
        if taken is None:
            return None
        paid = zip(taken, uncalled(self.state), self.state.spent(), strict=True)
        return tuple(float(won + back - spent) for won, back, spent in paid)


@dataclass(frozen=True, slots=True)
class Problem:
    """A hand, or a whole file, that could not be read, and why."""

    where: str
    why: str

    def __str__(self) -> str:
        return f"{self.where}: {self.why}"


@dataclass(frozen=True, slots=True)
class Move:
    """One action as a file reports it: fold, call or the chips on this street to raise to."""

    seat: int
    action: int
    board: int  # board cards on the table at the time
    pays: int | None = None  # what a call costs, if the file says so


def _is_text(text: str) -> bool:
    """Whether a text can be written to a file at all: lone surrogates cannot."""
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


# The pot


def uncalled(state: PokerState) -> tuple[int, ...]:
    """What a seat has put in that nobody matched: it goes back and is not part of the pot; a fold leaves it there."""
    paid: Sequence[int] = state.spent()
    if state.game.dead_antes:
        paid = [chips - ante for chips, ante in zip(paid, state.game.posted[0], strict=True)]
    matched = sorted(paid)[-2]
    return tuple(0 if state.folded >> seat & 1 else max(chips - matched, 0) for seat, chips in enumerate(paid))


def given_back(state: PokerState) -> list[int]:
    """What went back to each seat because nobody called it, when the betting ended or with the hand."""
    bet = [ante + blind for ante, blind in zip(*state.game.posted, strict=True)]
    for at, action in retrace(state, without_gaps(state.game, state.cards)):
        pays = 0 if action == FOLD else at.to_call() if action == CALL else action - at.bets[at.player]
        bet[at.player] = state.game.stacks[at.player] - at.stacks[at.player] + pays
    parts = zip(bet, state.spent(), uncalled(state), strict=True)
    return [paid - spent + back for paid, spent, back in parts]


def less_uncalled(state: PokerState, won: Sequence[float]) -> list[float]:
    """What was taken from the pot, of amounts that include what went back."""
    return [round(chips - back, 6) for chips, back in zip(won, given_back(state), strict=True)]


def contested_pot(state: PokerState) -> int:
    """The pot that is won, without the bet that nobody called."""
    return state.pot - sum(uncalled(state))


def rules_share(state: PokerState, mucked: Collection[int] = ()) -> tuple[float, ...] | None:
    """What each seat takes from the contested pot by the rules; None when that depends on cards nobody saw.

    Seats that mucked at the showdown win nothing.
    """
    live = state.live_seats()
    shown = [seat for seat in live if seat not in mucked]
    strengths = [0] * state.game.players
    if len(live) > 1:
        if any(HIDDEN in state.hole(seat) for seat in shown):
            return None
        if any(not set(pot.seats) & set(shown) for pot in state.pots()):
            return None
        for seat in shown:
            strengths[seat] = strength(state.hole(seat) + state.board)
    parts = zip(state.payoffs(strengths), state.spent(), uncalled(state), strict=True)
    return tuple(won + spent - back for won, spent, back in parts)


def settle(
    state: PokerState, stated: Sequence[float] | None, mucked: Collection[int] = ()
) -> tuple[tuple[float, ...] | None, float]:
    """What each seat collected, None where it is what the rules say, and the rake.

    ``stated`` is what a file says was collected; ValueError when that cannot be.
    """
    plain, pot = rules_share(state), contested_pot(state)
    by_rules = rules_share(state, mucked) if mucked else plain
    if stated is None:
        return (None if same_chips(by_rules, plain) else by_rules), 0
    if same_chips(stated, plain):
        return None, 0
    if sum(stated) > pot + 1e-6 * len(stated):
        raise ValueError(f"{sum(stated):g} chips are said to be won of a pot of {pot}")
    odd = len(stated)  # chips that some who share a pot may get and others not
    if by_rules and any(won > (most + odd if most else 1e-6) for won, most in zip(stated, by_rules, strict=True)):
        why = "all others folded, so" if len(state.live_seats()) == 1 else "by the cards"
        raise ValueError(f"{why} another player wins the pot")
    if min(stated) < 0:
        raise ValueError(f"{min(stated):g} chips are said to be won, with a pot of {pot}")
    rake = round(pot - sum(stated), 6)
    return tuple(stated), int(rake) if rake == int(rake) else rake


def same_chips(some: Sequence[float] | None, others: Sequence[float] | None) -> bool:
    """Whether two rows of chips by seat are the same, or both unknown."""
    if some is None or others is None:
        return some is others
    return all(abs(one - other) < 1e-6 for one, other in zip(some, others, strict=True))


# Playing what a file tells


def play(
    game: PokerGame, holes: Sequence[Sequence[int]], board: Sequence[int], moves: Sequence[Move], names: Sequence[str]
) -> PokerState:
    """The final state after these moves; ValueError says what is against the rules.

    Hole cards that were not seen are ``HIDDEN``; a fold where checking was free counts as a forfeit.
    """
    check_length(len(moves))
    dealt = [*(card for hole in holes for card in hole), *board]
    known = [card for card in dealt if card != HIDDEN]
    if len(set(known)) < len(known):
        raise ValueError(f"{next(CARDS[card] for card in known if known.count(card) > 1)} is dealt twice")
    deck = without_gaps(game, dealt)
    state = _dealt(game.start(), deck)
    for move in moves:
        state = _dealt(_moved(state, move, names), deck)
    if state.player != TERMINAL:
        raise ValueError(f"the hand stops before it is over: {names[state.player]} is to act")
    if len(state.cards) != len(dealt):
        raise ValueError(f"the board has {len(board)} cards, but only {len(state.board)} were due")
    if len(known) == len(dealt):
        return state
    seen = copy(state)
    seen.cards = tuple(dealt)
    return seen


def without_gaps(game: PokerGame, cards: Iterable[int]) -> list[int]:
    """The cards, with a free one in place of each hidden one: betting does not depend on them."""
    cards = list(cards)
    free = (card for card in game.deck if card not in cards)
    return [next(free) if card == HIDDEN else card for card in cards]


def _dealt(state: PokerState, deck: Sequence[int]) -> PokerState:
    while state.player == CHANCE:
        if len(deck) < state.game.card_targets[state.street]:
            raise ValueError(f"the cards of the {STREETS[state.street]} are missing")
        state = state.deal(deck)
    return state


def _moved(state: PokerState, move: Move, names: Sequence[str]) -> PokerState:
    who = names[move.seat]
    if state.player == TERMINAL:
        raise ValueError(f"{who} acts after the end of the hand")
    if state.player != move.seat:
        raise ValueError(f"{who} acts when it is the turn of {names[state.player]}")
    if len(state.board) != move.board:
        raise ValueError(f"{who} acts with {move.board} cards on the board when there should be {len(state.board)}")
    if move.action == CALL and move.pays is not None and move.pays != state.to_call():
        raise ValueError(f"{who} pays {move.pays} chips when {state.to_call()} are to call")
    try:
        return apply_or_forfeit(state, move.action)
    except ValueError as error:
        raise ValueError(f"{who}: {error}") from None

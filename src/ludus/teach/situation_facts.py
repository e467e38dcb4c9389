"""What somebody tells of a hand of hold'em, played by the rules up to the decision in question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from decimal import Decimal
from reprlib import repr as shortened

from ludus.cards.card import DECK, format_cards, parse_cards, require_distinct
from ludus.games.base import TERMINAL
from ludus.games.holdem import holdem
from ludus.games.moves import CALL, FOLD
from ludus.games.names import place_names
from ludus.games.poker import HIDDEN, STREETS, PokerGame, PokerState
from ludus.games.record import dealt
from ludus.trees.translation import poker_moves, raise_by

AMOUNT = r"[0-9]{1,10}(?:\.[0-9]{1,4})?(?:bb)?"
MOST_BLIND = 10**8
_BOARDS = {"flop": 3, "turn": 4, "river": 5}


@dataclass(frozen=True, slots=True)
class ToldEvent:
    """Something that happened: cards came, or somebody acted."""

    kind: str  # fold, check, call, all_in, raise, folds_to, cards; turn_of: nothing yet
    text: str = ""  # an amount, cards or a position
    place: str = ""  # who is said to act, or the street that is said to come


@dataclass
class SituationFacts:
    """The facts as they were told, amounts and positions as texts."""

    players: int = 6
    blinds: tuple[str, str] = ("50", "100")
    posts: dict[str, str] = field(default_factory=dict)  # ante, bb ante, straddle
    stack: str = "100bb"
    stacks: dict[str, str] = field(default_factory=dict)  # by position, or number of the seat
    hero: str = ""
    hand: tuple[int, ...] = ()
    board: tuple[int, ...] = ()
    events: list[ToldEvent] = field(default_factory=list)

    def state(self) -> PokerState:
        """The decision as the player to act sees it; ValueError says what breaks the rules."""
        if len(self.hand) != 2:
            held = format_cards(self.hand) or "none"
            raise ValueError(f"say which two cards you hold, as in 'hero CO AhKh'; got {held}")
        board = self._whole_board()
        require_distinct([("hand", self.hand), ("board", board)])
        game = self._game()
        places, deck = place_names(game), dealing_order(game, board, self.hand)
        state, shown = dealt(game.start(), deck), 0
        for event in self.events:
            if event.kind == "cards":
                shown += len(parse_cards(event.text))
                _check_street(state, event.place, shown, places)
                continue
            _check_turn(state, event, len(board), places)
            for action in _single(state, event):
                state = dealt(_applied(state, action, places), deck)
        _check_end(state, board, places)
        if self.hero and seat_of(self.hero, game) != state.player:
            turn, hero = places[state.player], self.hero.upper()
            raise ValueError(f"it is the turn of {turn}, not of {hero}: tell the actions up to your decision")
        return _seen(state, self.hand)

    def _whole_board(self) -> tuple[int, ...]:
        come = tuple(card for event in self.events if event.kind == "cards" for card in parse_cards(event.text))
        if self.board and come:
            raise ValueError("tell the board once: all of it, or card by card after the betting before it")
        board = self.board or come
        if len(board) not in (0, 3, 4, 5):
            raise ValueError(f"a board has 0, 3, 4 or 5 cards, got {len(board)}: {format_cards(board)}")
        return board

    def _game(self) -> PokerGame:
        if not 2 <= self.players <= 10:
            raise ValueError(f"a table has 2 to 10 players, got {self.players}")
        small, big = (chips_of(text, 0) for text in self.blinds)
        if not 0 < big <= MOST_BLIND:
            raise ValueError(f"the big blind is 1 to {MOST_BLIND} chips, got {big}")
        posts = {name: chips_of(text, big) for name, text in self.posts.items()}
        stacks = [chips_of(self.stack, big)] * self.players
        seats = holdem(self.players, 1, (small, big))
        for place, text in self.stacks.items():
            stacks[seat_of(place, seats)] = chips_of(text, big)
        return table(
            stacks, (small, big), posts.get("ante", 0), posts.get("bb ante", 0), posts.get("straddle", 0)
        )  # fmt: skip


def table(stacks: Sequence[int], blinds: tuple[int, int], ante: int, bb_ante: int, straddle: int) -> PokerGame:
    """A game with an ante from everybody, or from the big blind alone."""
    if ante and bb_ante:
        raise ValueError("an ante is of everybody or of the big blind alone, not both")
    antes = [ante] * len(stacks)
    if bb_ante:
        antes[0 if len(stacks) == 2 else 1] = bb_ante
    return holdem(len(stacks), stacks, blinds, antes, straddle)


def dealing_order(game: PokerGame, board: Sequence[int], hand: Sequence[int] = ()) -> list[int]:
    """A deck in the order of dealing with this board; the players get cards that nobody sees."""
    spare = [card for card in DECK if card not in (*board, *hand)]
    hole = game.players * game.hole_cards
    return [*spare[:hole], *board, *spare[hole:]]


def chips_of(text: str, big_blind: int) -> int:
    """The chips of an amount in chips or, where there is one, in big blinds.

    >>> chips_of("250", 100), chips_of("2.5bb", 100)
    (250, 250)
    """
    if not re.fullmatch(AMOUNT, text, re.IGNORECASE | re.ASCII):
        raise ValueError(f"{shortened(text)} is no amount: write chips, as in 250, or big blinds, as in 2.5bb")
    in_blinds = text[-2:].lower() == "bb"
    if in_blinds and not big_blind:
        raise ValueError(f"the blinds are in chips, as in 50/100, got {text}")
    amount = Decimal(text[:-2]) * big_blind if in_blinds else Decimal(text)
    if amount != int(amount):
        hint = "choose larger blinds, as in 'blinds 50/100'" if in_blinds else f"write {text}bb for big blinds"
        raise ValueError(f"{text} is no whole number of chips: {hint}")
    return int(amount)


def seat_of(place: str, game: PokerGame) -> int:
    """The seat of a position, or of its own number.

    >>> [seat_of(place, holdem(players=6)) for place in ("UTG", "hj", "CO", "BTN", "SB")], seat_of("SB", holdem())
    ([2, 3, 4, 5, 0], 1)
    """
    name, last, places = place.upper(), game.players - 1, place_names(game)
    if re.fullmatch("[0-9]", name, re.ASCII) and int(name) <= last:
        return int(name)
    if game.players == 2:
        names = dict.fromkeys(("BTN", "SB", "SB/BTN", "BTN/SB", "BU", "BUTTON"), 1) | {"BB": 0}
    else:
        before = {"BU": 0, "BUTTON": 0, "CO": 1, "HJ": 2, "LJ": 3}
        names = {other: last - back for other, back in before.items() if last - back > 1}
        names |= {f"UTG+{seat - 2}": seat for seat in range(3, last)} | dict(zip(places, range(last + 1), strict=True))
    if name not in names:
        there = ", ".join(places)
        raise ValueError(f"{shortened(place)} is no position at a table of {game.players}: there are {there}")
    return names[name]


def _single(state: PokerState, event: ToldEvent) -> list[ToldEvent]:
    """An event of the betting as single actions: one, none, or the folds of several seats."""
    if event.kind == "turn_of":
        return []
    if event.kind != "folds_to":
        return [event]
    seat = seat_of(event.text, state.game)
    if seat != state.player and seat not in state.queue:
        raise ValueError(f"it does not come to {event.text.upper()} on this street any more")
    return [ToldEvent("fold")] * (state.queue.index(seat) if seat in state.queue else 0)


def _applied(state: PokerState, event: ToldEvent, places: Sequence[str]) -> PokerState:
    try:
        return state.apply(told_action(state, event))
    except ValueError as error:
        raise ValueError(f"{places[state.player]}: {error}") from None


def told_action(state: PokerState, event: ToldEvent) -> int:
    """The action of an event, which may still not be legal."""
    seat, asked = state.player, state.to_call()
    has = state.bets[seat] + state.stacks[seat]
    if event.kind == "fold":
        return FOLD
    if event.kind == "check":
        if asked:
            raise ValueError(f"{asked} chips are to call, so checking is not possible: fold, call or raise")
        return CALL
    if event.kind == "call":
        if event.text and chips_of(event.text, state.game.big_blind) not in (asked, asked + state.bets[seat]):
            raise ValueError(f"a call here costs {asked} chips, not {event.text}")
        return CALL
    if event.kind == "all_in":
        return has if has > max(state.bets) else CALL
    if event.text.lower() == "pot" or event.text.endswith("%"):
        if not poker_moves(state).raises:
            raise ValueError("no raise is possible here")
        return raise_by(state, 1.0 if event.text.lower() == "pot" else float(event.text[:-1]) / 100)
    to = chips_of(event.text, state.game.big_blind)
    if to > has:
        raise ValueError(f"a raise to {to} chips is more than the {has} that the player has")
    return to or FOLD - 1  # a raise to nothing is no action at all


def _check_turn(state: PokerState, event: ToldEvent, board: int, places: Sequence[str]) -> None:
    """ValueError when nobody can act, or somebody else must."""
    if state.player == TERMINAL:
        raise ValueError("the hand is over before the last of these actions: leave out what comes after its end")
    if len(state.board) > board:
        raise ValueError(_missing(state))
    if event.place and seat_of(event.place, state.game) != state.player:
        raise ValueError(f"it is the turn of {places[state.player]}, not of {event.place.upper()}")


def _check_street(state: PokerState, told: str, shown: int, places: Sequence[str]) -> None:
    """ValueError when cards come before the betting is over, or are said to be those of another street."""
    if shown > len(state.board):
        who = f": {places[state.player]} is still to act" if state.player >= 0 else ""
        raise ValueError(f"cards come before the {STREETS[state.street]} betting is over{who}")
    if _BOARDS.get(told, shown) != shown:
        raise ValueError(f"the {told} makes a board of {_BOARDS[told]} cards, but {shown} have been told by then")


def _check_end(state: PokerState, board: Sequence[int], places: Sequence[str]) -> None:
    """ValueError unless somebody decides with this board."""
    if state.player == TERMINAL:
        raise ValueError("the hand is over, or everybody is all-in: there is nothing left to decide")
    if len(state.board) > len(board):
        raise ValueError(_missing(state))
    if len(state.board) < len(board):
        raise ValueError(
            f"the board has {len(board)} cards, but {places[state.player]} is still to act on the "
            f"{STREETS[state.street]}, which has {len(state.board)}"
        )


def _missing(state: PokerState) -> str:
    before, street = STREETS[state.street - 1], STREETS[state.street]
    return f"the {before} betting is over: tell the cards of the {street}, as '{street}' and the cards"


def _seen(state: PokerState, hand: tuple[int, ...]) -> PokerState:
    """A state as the player to act sees it, with this hand."""
    seen, before, behind = copy(state), 2 * state.player, 2 * (state.game.players - state.player - 1)
    seen.cards = (*(HIDDEN,) * before, *hand, *(HIDDEN,) * behind, *state.board)
    return seen

"""A played hand as text and back: the betting and the cards as ACPC dealers write them.

The final state is the whole record: ``retrace`` walks through it again. In the text ``c`` is check and call, ``r300`` a
raise to 300 chips over the *whole* hand (a limit game has a bare ``r``), ``f`` a fold, and ``/`` separates the streets;
cards are the hole cards by seat, separated by ``|``, then the board of each street after a ``/``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import copy
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ludus.cards.card import CARDS, parse_cards
from ludus.games.base import CHANCE, TERMINAL
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import HIDDEN, PokerGame, PokerState

_MOVES = re.compile(r"f|c|r[0-9]{0,10}|/", re.ASCII)
MOST_ACTIONS = 4000  # of a hand that is read from a text: each costs as much as all before it


@lru_cache(maxsize=32)
def _hole_hands(deck: tuple[int, ...], count: int) -> tuple[tuple[int, ...], ...]:
    hands = combinations(sorted(deck), count)
    return tuple(sorted(hands, key=lambda hand: hand[::-1]))


def hole_hands(game: PokerGame) -> tuple[tuple[int, ...], ...]:
    """Every hand a seat can be dealt, lower cards first, in a fixed order: in hold'em that of ``cards.ranges.COMBOS``.

    >>> from ludus.games import holdem, leduc
    >>> len(hole_hands(holdem())), hole_hands(leduc())[0]
    (1326, (38,))
    """
    return _hole_hands(game.deck, game.hole_cards)


def free_hands(game: PokerGame, cards: Sequence[int]) -> NDArray[np.bool_]:
    """Which hands of ``hole_hands`` hold none of some cards."""
    taken = 0
    for card in cards:
        taken |= 1 << card
    return np.asarray((_hand_bits(game.deck, game.hole_cards) & np.uint64(taken)) == 0)


@lru_cache(maxsize=32)
def _hand_bits(deck: tuple[int, ...], count: int) -> NDArray[np.uint64]:
    return np.array([sum(1 << card for card in hand) for hand in _hole_hands(deck, count)], np.uint64)


def dealt(state: PokerState, deck: Sequence[int]) -> PokerState:
    """The state in which somebody acts next, or the end, with cards from a deck in the order of dealing."""
    while state.player == CHANCE:
        state = state.deal(deck)
    return state


def retrace(state: PokerState, deck: Sequence[int] | None = None) -> Iterator[tuple[PokerState, int]]:
    """The decisions of a hand so far in order: each state in which somebody acted, and their action.

    A fold where checking was free is a forfeit (``PokerState.give_up``). All cards of a street come at once, from the
    state itself or a given deck.
    """
    at, actions = state.game.start(), (action for street in state.line for action in street)
    for action in actions:
        at = dealt(at, deck or state.cards)
        yield at, action
        at = at.after(action)


def public_decisions(public: PokerState) -> Iterator[tuple[PokerState, int]]:
    """The decisions of a hand so far with its board, and with all hole cards hidden."""
    game = public.game
    spare = [card for card in game.deck if card not in public.board][: game.players * game.hole_cards]
    for state, action in retrace(public, [*spare, *public.board]):
        yield state.seen_by(-1), action


def with_menu(state: PokerState, game: PokerGame) -> PokerState:
    """The same state in a game that differs in the bets it offers."""
    new = copy(state)
    new.game, new._moves = game, None
    return new


def apply_or_forfeit(state: PokerState, action: int) -> PokerState:
    """The state after a legal action or a fold, which is a forfeit where checking is free."""
    return state.give_up() if action == FOLD else state.apply(action)


def betting_text(state: PokerState) -> str:
    """The betting so far.

    >>> from ludus.games import holdem
    >>> state = holdem(stack=200).start().deal(range(52)).apply(6).apply(0).deal(range(52)).apply(10)
    >>> betting_text(state)
    'r6c/r16'
    """
    if state.game.betting == "limit":
        return state.betting()
    streets: list[list[str]] = [[] for _ in state.line]  # no action depends on the cards, which may be hidden
    for at, action in retrace(state, state.game.deck):
        streets[at.street].append(move_text(at, action))
    return "/".join("".join(street) for street in streets)


def move_text(state: PokerState, action: int) -> str:
    """An action of the player to act as text."""
    if action <= CALL:
        return "c" if action == CALL else "f"
    if state.game.betting == "limit":
        return "r"
    seat = state.player
    return f"r{action + state.game.stacks[seat] - state.stacks[seat] - state.bets[seat]}"


def read_move(state: PokerState, text: str) -> int:
    """The action of a text such as 'c' or 'r300'; ValueError when it is none. Whether it is legal is not checked."""
    if text in ("f", "c"):
        return FOLD if text == "f" else CALL
    if not re.fullmatch(r"r[0-9]{0,10}", text, re.ASCII):
        raise ValueError(f"{text!r} is not an action: write f, c, or r and the chips of the whole hand")
    seat = state.player
    if state.game.betting == "limit":
        bounds = state.raise_bounds()
        if bounds is None:
            raise ValueError("no raise is possible here")
        return bounds[0]
    if text == "r":
        raise ValueError("a raise needs a number of chips")
    action = int(text[1:]) - (state.game.stacks[seat] - state.stacks[seat] - state.bets[seat])
    if action <= CALL:
        raise ValueError(f"{text!r} is less than is in the pot already")
    return action


def replay(game: PokerGame, betting: str, deck: Sequence[int], forfeits: bool = False) -> PokerState:
    """The state after the betting of a text with the cards of a deck; ValueError when it is not legal.

    Streets on which nobody can bet are passed over, so the slashes are checked but not needed to follow the hand.
    With ``forfeits`` a player may fold where they could check.

    >>> from ludus.games import leduc_nl
    >>> replay(leduc_nl(), "r300c/cc", leduc_nl().deck).returns()
    (0.0, 0.0)
    """
    moves = _MOVES.findall(betting)
    if len("".join(moves)) != len(betting):
        raise ValueError(f"{betting!r:.80} is not the betting of a hand: it has f, c, r with a number, and /")
    check_length(len(moves))
    state = game.start()
    for text in moves:
        state = dealt(state, deck)
        if text == "/":
            continue
        if state.player == TERMINAL:
            raise ValueError(f"the hand is over before the end of {betting!r}")
        action = read_move(state, text)
        state = apply_or_forfeit(state, action) if forfeits else state.apply(action)
    state = dealt(state, deck)
    if [len(street) for street in state.line] != [len(_MOVES.findall(part)) for part in betting.split("/")]:
        raise ValueError(f"the streets of {betting!r} do not end where its / are")
    return state


def check_length(actions: int) -> None:
    """ValueError when a hand of a text has more actions than are replayed."""
    if actions > MOST_ACTIONS:
        raise ValueError(f"a hand has at most {MOST_ACTIONS} actions, this one {actions}")


def cards_text(state: PokerState) -> str:
    """The visible cards: hole cards in the order of dealing, nothing for hidden ones, then the board by street.

    >>> from ludus.games import leduc
    >>> cards_text(leduc().start().deal(leduc().deck).seen_by(0))
    'Jh|'
    """
    return dealt_text(state.game, state.cards, state.street)


def dealt_text(game: PokerGame, cards: Sequence[int], street: int) -> str:
    """The same for cards in the order of dealing, up to a street."""
    ends, count = game.card_targets, game.hole_cards
    seats = (cards[seat * count : (seat + 1) * count] for seat in range(game.players))
    hole = ("".join(CARDS[card] for card in hand if card != HIDDEN) for hand in seats)
    starts = (game.players * count, *ends)
    boards = ("".join(CARDS[card] for card in cards[starts[s] : ends[s]]) for s in range(street + 1))
    return "|".join(hole) + "/".join(boards)


def read_deck(game: PokerGame, cards: str) -> list[int]:
    """The cards of a text in the order of dealing, followed by the cards it does not name; none may be hidden."""
    dealt = parse_cards(cards.replace("|", "").replace("/", ""))
    if len(dealt) < game.players * game.hole_cards or not set(dealt) <= game.card_set:
        raise ValueError(f"{cards!r} are not the cards of a hand of {game.name}")
    return [*dealt, *(card for card in game.deck if card not in dealt)]

"""Hold'em for bulk self-play: the rules of ``poker`` again, compiled, over flat arrays.

A hand is one int64 array that is changed in place; the rules are another (``rules_of``). There are no chance states:
the deck is an array in the order of dealing (hole cards of seat 0, of seat 1, ..., then the board), and the street says
how much of it is in sight. ``tests/test_bulk.py`` holds this engine equal to the readable one move by move.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ludus.cards.evaluator import CARD_BITS, CARD_KEYS, START_7, rank_of_sums
from ludus.cards.random import next_state
from ludus.compiled import kernel
from ludus.games.base import TERMINAL
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerGame

Int = int | np.int64
Ints = NDArray[np.int64]

# Fields of a hand; stacks and bets are ten entries each.
PLAYER, STREET, QUEUE, FOLDED, OPENER, MIN_TO, RAISE_BY, ACTED, SHORT, RAISES, MOVES, TOP, POT = range(13)
STACK, BET, HAND_SIZE = 13, 23, 33
# Fields of the rules; the per-street ones are four entries each, the per-seat ones ten.
PLAYERS, BETTING, ACPC, DEAD = range(4)
SMALLEST, MAX_RAISES, FIRST, START, ANTE, BLIND, RULES_SIZE = 4, 8, 12, 16, 26, 36, 46

_BETTING = {"no-limit": 0, "pot-limit": 1, "limit": 2}
_POT_LIMIT, _LIMIT = 1, 2
_LOW57 = np.uint64((1 << 57) - 1)
_U7, _U57 = np.uint64(7), np.uint64(57)


def rules_of(game: PokerGame) -> Ints:
    """The rules of a hold'em game as an array for the kernels."""
    if game.hole_cards != 2 or game.board_cards != (0, 3, 1, 1) or game.bets is not None or len(game.deck) != 52:
        raise ValueError(f"the compiled engine plays hold'em with a full deck and every bet size, not {game.name}")
    rules = np.zeros(RULES_SIZE, np.int64)
    antes, blinds = game.posted()
    players = game.players
    rules[:4] = players, _BETTING[game.betting], game.dialect == "acpc", game.dead_antes
    rules[SMALLEST : SMALLEST + 4] = [game.smallest_raise(street) for street in range(4)]
    rules[MAX_RAISES : MAX_RAISES + 4] = game.max_raises or (1 << 30,) * 4
    rules[FIRST : FIRST + 4] = game.first_seats or (0,) * 4
    for at, values in ((START, game.stacks), (ANTE, antes), (BLIND, blinds)):
        rules[at : at + players] = values
    return rules


@kernel
def new_hand(rules: Ints, hand: Ints) -> None:
    """Antes and blinds are posted and the first player is found."""
    hand[:] = 0
    for seat in range(rules[PLAYERS]):
        paid = rules[ANTE + seat] + rules[BLIND + seat]
        hand[STACK + seat] = rules[START + seat] - paid
        hand[BET + seat] = rules[BLIND + seat]
        hand[POT] += paid
    _begin_betting(rules, hand)


@kernel
def raise_bounds(rules: Ints, hand: Ints) -> tuple[np.int64, np.int64]:
    """The smallest and largest raise as totals of this street, (0, 0) when no raise is possible."""
    seat, players, top = hand[PLAYER], rules[PLAYERS], hand[TOP]
    bet = hand[BET + seat]
    all_in = hand[STACK + seat] + bet
    if all_in <= top or hand[RAISES] >= rules[MAX_RAISES + hand[STREET]]:
        return np.int64(0), np.int64(0)
    others = 0
    if rules[ACPC]:
        for other in range(players):
            others += other != seat and hand[STACK + other] > 0 and not hand[FOLDED] >> other & 1
        if others == 0 or hand[MOVES] + players > 64:
            return np.int64(0), np.int64(0)
    else:
        if top - bet < hand[RAISE_BY]:
            return np.int64(0), np.int64(0)
        if 0 < hand[SHORT] < hand[RAISE_BY] and hand[ACTED] >> seat & 1:
            return np.int64(0), np.int64(0)
        for other in range(players):
            others += other != seat and hand[STACK + other] + hand[BET + other] > top and not hand[FOLDED] >> other & 1
        if others == 0:
            return np.int64(0), np.int64(0)
    low = min(hand[MIN_TO], all_in)
    if rules[BETTING] == _LIMIT:
        return low, low
    if rules[BETTING] == _POT_LIMIT:
        return low, min(all_in, max(low, 2 * top - bet + hand[POT]))
    return low, all_in


@kernel
def act(rules: Ints, hand: Ints, action: Int) -> None:
    """Apply a legal action to the hand in place."""
    seat, players = hand[PLAYER], rules[PLAYERS]
    hand[MOVES] += 1
    hand[ACTED] |= 1 << seat
    hand[QUEUE] &= ~(1 << seat)
    if action == FOLD:
        hand[FOLDED] |= 1 << seat
        live = 0
        for other in range(players):
            live += not hand[FOLDED] >> other & 1
        if live == 1:
            hand[PLAYER] = TERMINAL
            hand[QUEUE] = 0
            return
    elif action == CALL:
        _pay(hand, seat, min(hand[TOP] - hand[BET + seat], hand[STACK + seat]))
    else:
        by = action - hand[TOP]
        _pay(hand, seat, action - hand[BET + seat])
        if rules[ACPC]:
            hand[MIN_TO] = max(hand[MIN_TO], action + by)
        else:
            if by >= hand[RAISE_BY]:
                hand[ACTED] = 1 << seat
                hand[RAISE_BY] = by
            hand[SHORT] = hand[SHORT] + by if hand[STACK + seat] == 0 else 0
            if hand[SHORT] >= hand[RAISE_BY]:
                hand[SHORT] = 0
            hand[MIN_TO] = action + max(hand[RAISE_BY], rules[SMALLEST + hand[STREET]])
        if rules[BETTING] == _LIMIT:
            hand[MIN_TO] = action + rules[SMALLEST + hand[STREET]]
        hand[TOP] = action
        hand[RAISES] += 1
        hand[OPENER] = seat
        for other in range(players):
            if other != seat and hand[STACK + other] > 0 and not hand[FOLDED] >> other & 1:
                hand[QUEUE] |= 1 << other
    if hand[QUEUE]:
        _next_player(players, hand)
    else:
        _end_street(rules, hand)


@kernel
def _pay(hand: Ints, seat: int, chips: int) -> None:
    hand[STACK + seat] -= chips
    hand[BET + seat] += chips
    hand[POT] += chips


@kernel
def _next_player(players: int, hand: Ints) -> None:
    seat = hand[PLAYER]
    while True:
        seat = seat + 1 if seat + 1 < players else 0
        if hand[QUEUE] >> seat & 1:
            hand[PLAYER] = seat
            return


@kernel
def _begin_betting(rules: Ints, hand: Ints) -> None:
    """Find who acts on this street, running through the streets on which nobody can."""
    players = rules[PLAYERS]
    while True:
        street, first, top = hand[STREET], np.int64(0), np.int64(-1)
        most = second = np.int64(-1)
        for seat in range(players):
            if hand[BET + seat] >= top:
                top = hand[BET + seat]
                first = (seat + 1) % players
            if not hand[FOLDED] >> seat & 1:
                chips = hand[STACK + seat] + hand[BET + seat]
                most, second = max(most, chips), max(second, min(most, chips))
        queue = able = 0
        facing = False
        for seat in range(players):
            if hand[STACK + seat] == 0 or hand[FOLDED] >> seat & 1:
                continue
            if rules[ACPC] or second > hand[BET + seat]:
                queue |= 1 << seat
                able += 1
                facing = hand[BET + seat] < top
        if rules[ACPC]:
            first = rules[FIRST + street]
            needed = 1 + (street > 0)
        else:
            needed = 1 if able == 1 and facing else 2
        if able >= needed:
            hand[QUEUE] = queue
            hand[OPENER] = first
            hand[RAISES] = hand[MOVES] = hand[ACTED] = hand[SHORT] = hand[RAISE_BY] = 0
            hand[TOP] = top
            hand[MIN_TO] = top + rules[SMALLEST + street]
            hand[PLAYER] = first
            if not queue >> first & 1:
                _next_player(players, hand)
            return
        if _collect(rules, hand):
            return


@kernel
def _collect(rules: Ints, hand: Ints) -> bool:
    """Close the street: uncalled chips go back, bets go to the pot. True when the hand is over."""
    players = rules[PLAYERS]
    if not rules[ACPC]:
        most = second = np.int64(0)
        for seat in range(players):
            bet = hand[BET + seat]
            most, second = max(most, bet), max(second, min(most, bet))
        for seat in range(players):
            back = hand[BET + seat] - second
            if back > 0:
                hand[STACK + seat] += back
                hand[POT] -= back
    hand[QUEUE] = 0
    if hand[STREET] == 3:
        hand[PLAYER] = TERMINAL
        return True
    for seat in range(players):
        hand[BET + seat] = 0
    hand[STREET] += 1
    return False


@kernel
def _end_street(rules: Ints, hand: Ints) -> None:
    if not _collect(rules, hand):
        _begin_betting(rules, hand)


@kernel
def payoffs(rules: Ints, hand: Ints, deck: NDArray[np.uint8], out: NDArray[np.float64]) -> None:
    """Chips won or lost by each seat of a finished hand into ``out`` [players]."""
    players = rules[PLAYERS]
    ranks = np.empty(10, np.int64)
    live = only = 0
    for seat in range(players):
        out[seat] = hand[STACK + seat] - rules[START + seat]
        if not hand[FOLDED] >> seat & 1:
            live += 1
            only = seat
    if live == 1:
        out[only] += hand[POT]
        return
    board_key, board_bits = START_7, np.uint64(0)
    for at in range(2 * players, 2 * players + 5):
        board_key += CARD_KEYS[deck[at]]
        board_bits += CARD_BITS[deck[at]]
    for seat in range(players):
        ranks[seat] = 1 << 20
        if not hand[FOLDED] >> seat & 1:
            a, b = deck[2 * seat], deck[2 * seat + 1]
            ranks[seat] = rank_of_sums(
                board_key + CARD_KEYS[a] + CARD_KEYS[b], board_bits + CARD_BITS[a] + CARD_BITS[b]
            )
    _share(rules, hand, ranks, out)


@kernel
def _share(rules: Ints, hand: Ints, ranks: Ints, out: NDArray[np.float64]) -> None:
    """Pay the pots layer by layer; layers that the same winning hands can take are one pot (see ``poker``)."""
    players = rules[PLAYERS]
    paid = np.empty(10, np.int64)
    amount = np.int64(0)
    for seat in range(players):
        dead = rules[ANTE + seat] if rules[DEAD] else 0
        paid[seat] = rules[START + seat] - hand[STACK + seat] - dead
        amount += dead
    takers = 0  # hands that win some layer: beaten ones are mucked before the pots are split
    if rules[ACPC]:
        takers = (1 << players) - 1
    else:
        level = np.int64(-1)
        while True:
            level = _next_level(players, paid, level)
            if level < 0:
                break
            takers |= _best(players, hand, paid, ranks, level)
    pot_seats = 0
    pot = np.int64(0)
    below, level = np.int64(0), np.int64(-1)
    while True:
        level = _next_level(players, paid, level)
        if level < 0:
            break
        seats = 0
        for seat in range(players):
            if paid[seat] > below:
                amount += min(paid[seat], level) - below
            if paid[seat] >= level and takers >> seat & 1 and not hand[FOLDED] >> seat & 1:
                seats |= 1 << seat
        below = level
        if pot_seats != 0 and seats != pot_seats and seats != 0:
            _pay_pot(players, pot, pot_seats, ranks, rules[ACPC], out)
            pot = np.int64(0)
        if seats != 0 and (amount > 0 or pot_seats != 0):
            pot_seats = seats
        pot += amount
        amount = np.int64(0)
    _pay_pot(players, pot, pot_seats, ranks, rules[ACPC], out)


@kernel
def _next_level(players: int, paid: Ints, above: Int) -> np.int64:
    """The smallest contribution above a level, -1 when there is none."""
    best = np.int64(-1)
    for seat in range(players):
        if paid[seat] > above and (best < 0 or paid[seat] < best):
            best = paid[seat]
    return best


@kernel
def _best(players: int, hand: Ints, paid: Ints, ranks: Ints, level: Int) -> int:
    """The live seats with the best hand among those that have paid up to a level, as bits."""
    best, seats = 1 << 20, 0
    for seat in range(players):
        if paid[seat] >= level and not hand[FOLDED] >> seat & 1:
            if ranks[seat] < best:
                best, seats = ranks[seat], 1 << seat
            elif ranks[seat] == best:
                seats |= 1 << seat
    return seats


@kernel
def _pay_pot(players: int, pot: Int, seats: Int, ranks: Ints, exact: Int, out: NDArray[np.float64]) -> None:
    best, winners, first = 1 << 20, 0, 0
    for seat in range(players):
        if seats >> seat & 1:
            if ranks[seat] < best:
                best, winners, first = ranks[seat], 1, seat
            elif ranks[seat] == best:
                winners += 1
    for seat in range(players):
        if seats >> seat & 1 and ranks[seat] == best:
            out[seat] += pot / winners if exact else pot // winners
    if not exact and winners:
        out[first] += pot % winners


@kernel
def shuffle(deck: NDArray[np.uint8], cards: int, s0: np.uint64, s1: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Bring ``cards`` random cards of the deck to its front; returns the generator's state after that.

    Each random number serves seven cards (see ``census.draw_categories``).
    """
    fraction = np.uint64(0)
    for at in range(cards):
        if at % 7 == 0:
            fraction = (s0 + s1) >> _U7
            s0, s1 = next_state(s0, s1)
        scaled = fraction * np.uint64(52 - at)
        fraction = scaled & _LOW57
        other = at + np.int64(scaled >> _U57)
        deck[at], deck[other] = deck[other], deck[at]
    return s0, s1


@kernel
def play_random(rules: Ints, hands: int, s0: np.uint64, s1: np.uint64) -> tuple[int, NDArray[np.float64]]:
    """Deal and play hands at random; returns the number of actions and the chips each seat has won in all [10].

    Every kind of action that is legal (fold when facing a bet, call, raise) is equally likely, and so is every size.
    """
    hand = np.empty(HAND_SIZE, np.int64)
    deck = np.arange(52).astype(np.uint8)
    won = np.empty(10, np.float64)
    total = np.zeros(10, np.float64)
    actions = 0
    players = rules[PLAYERS]
    for _ in range(hands):
        s0, s1 = shuffle(deck, 2 * players + 5, s0, s1)
        new_hand(rules, hand)
        while hand[PLAYER] != TERMINAL:
            low, high = raise_bounds(rules, hand)
            facing = hand[BET + hand[PLAYER]] < hand[TOP]
            fraction = (s0 + s1) >> _U7
            s0, s1 = next_state(s0, s1)
            scaled = fraction * np.uint64(1 + facing + (low > 0))
            choice = np.int64(scaled >> _U57) - facing
            if choice < 0:
                action = np.int64(FOLD)
            elif choice == 0:
                action = np.int64(CALL)
            else:
                action = low + np.int64((s0 + s1) >> np.uint64(33)) * (high - low + 1) // (1 << 31)
                s0, s1 = next_state(s0, s1)
            act(rules, hand, action)
            actions += 1
        payoffs(rules, hand, deck, won)
        for seat in range(players):
            total[seat] += won[seat]
    return actions, total

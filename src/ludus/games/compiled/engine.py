"""Hold'em for bulk self-play: the rules of ``poker``, compiled, over flat arrays.

A hand is one record of numbers that is changed in place; the rules are another. There are no chance states: the deck is
an array in the order of dealing (hole cards of seat 0, of seat 1, ..., then the board), and the street says how much of
it is visible. ``tests/games/test_bulk.py`` checks that this engine equals the readable one move by move.
"""

from __future__ import annotations

from typing import Any

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

_SEATS = (np.int64, (10,))
_STREETS = (np.int64, (4,))
# Records, not arrays: Numba passes them between functions without counting references. A record does not keep its
# array alive, so a kernel that makes one takes it from a named array again in every iteration of its loop.
RULES = np.dtype(
    [
        ("players", np.int64),
        ("streets", np.int64),
        ("betting", np.int64),  # _NO_LIMIT, _POT_LIMIT or LIMIT
        ("acpc", np.int64),
        ("dead_antes", np.int64),
        ("smallest", *_STREETS),  # bet or first raise
        ("max_raises", *_STREETS),
        ("first", *_STREETS),  # acpc: who opens
        ("start", *_SEATS),
        ("ante", *_SEATS),
        ("blind", *_SEATS),
    ]
)
HAND = np.dtype(
    [
        ("player", np.int64),
        ("street", np.int64),
        ("queue", np.int64),  # bit s: seat s still has to act
        ("folded", np.int64),
        ("opener", np.int64),
        ("min_to", np.int64),
        ("raise_by", np.int64),
        ("acted", np.int64),
        ("short", np.int64),
        ("raises", np.int64),  # on this street
        ("moves", np.int64),  # on this street
        ("top", np.int64),  # the bet to match
        ("pot", np.int64),
        ("stack", *_SEATS),
        ("bet", *_SEATS),
    ]
)
_NO_LIMIT, _POT_LIMIT, LIMIT = range(3)
_BETTING = {"no-limit": _NO_LIMIT, "pot-limit": _POT_LIMIT, "limit": LIMIT}
_LOW57 = np.uint64((1 << 57) - 1)
NO_CAP = 1 << 30  # of raises on a street
_U7, _U57 = np.uint64(7), np.uint64(57)


def rules_of(game: PokerGame) -> Any:
    """The rules of a hold'em game as a record for the kernels."""
    if game.hole_cards != 2 or game.board_cards != (0, 3, 1, 1) or game.bets is not None or len(game.deck) != 52:
        raise ValueError(f"the compiled engine plays hold'em with a full deck and every bet size, not {game.name}")
    return betting_rules(game)


def betting_rules(game: PokerGame) -> Any:
    """The rules of any game's betting, whatever its cards; every bet size is allowed."""
    rules = np.zeros(1, RULES)[0]
    players, streets = game.players, len(game.board_cards)
    rules["players"], rules["streets"], rules["betting"] = players, streets, _BETTING[game.betting]
    rules["acpc"], rules["dead_antes"] = game.dialect == "acpc", game.dead_antes
    rules["smallest"][:streets] = [game.smallest_raise(street) for street in range(streets)]
    rules["max_raises"][:streets] = game.max_raises or NO_CAP
    rules["first"][:streets] = game.first_seats or 0
    rules["start"][:players] = game.stacks
    rules["ante"][:players], rules["blind"][:players] = game.posted
    return rules


def empty_hand() -> Any:
    """A record for ``new_hand`` to fill."""
    return np.zeros(1, HAND)[0]


@kernel
def new_hand(rules: Any, hand: Any) -> None:
    """Post antes and blinds and find the first player."""
    hand.player = hand.street = hand.folded = hand.opener = hand.pot = 0
    for seat in range(rules.players):
        paid = rules.ante[seat] + rules.blind[seat]
        hand.stack[seat] = rules.start[seat] - paid
        hand.bet[seat] = rules.blind[seat]
        hand.pot += paid
    _begin_betting(rules, hand)


@kernel
def raise_bounds(rules: Any, hand: Any) -> tuple[np.int64, np.int64]:
    """The smallest and largest raise as totals for this street, (0, 0) when no raise is possible."""
    seat, players, top = hand.player, rules.players, hand.top
    bet = hand.bet[seat]
    all_in = hand.stack[seat] + bet
    if all_in <= top or hand.raises >= rules.max_raises[hand.street]:
        return np.int64(0), np.int64(0)
    others = 0
    if rules.acpc:
        for other in range(players):
            others += other != seat and hand.stack[other] > 0 and not hand.folded >> other & 1
        if others == 0 or hand.moves + players > 64:
            return np.int64(0), np.int64(0)
    else:
        if top - bet < hand.raise_by:
            return np.int64(0), np.int64(0)
        if 0 < hand.short < hand.raise_by and hand.acted >> seat & 1:
            return np.int64(0), np.int64(0)
        for other in range(players):
            others += other != seat and hand.stack[other] + hand.bet[other] > top and not hand.folded >> other & 1
        if others == 0:
            return np.int64(0), np.int64(0)
    low = min(hand.min_to, all_in)
    if rules.betting == LIMIT:
        return low, low
    if rules.betting == _POT_LIMIT:
        return low, min(all_in, max(low, 2 * top - bet + hand.pot))
    return low, all_in


@kernel
def act(rules: Any, hand: Any, action: Int) -> None:
    """Apply a legal action to the hand in place."""
    seat, players = hand.player, rules.players
    hand.moves += 1
    hand.acted |= 1 << seat
    hand.queue &= ~(1 << seat)
    if action == FOLD:
        hand.folded |= 1 << seat
        live = 0
        for other in range(players):
            live += not hand.folded >> other & 1
        if live == 1:
            hand.player = TERMINAL
            hand.queue = 0
            return
    elif action == CALL:
        _pay(hand, seat, min(hand.top - hand.bet[seat], hand.stack[seat]))
    else:
        by = action - hand.top
        _pay(hand, seat, action - hand.bet[seat])
        if rules.acpc:
            hand.min_to = max(hand.min_to, action + by)
        else:
            if by >= hand.raise_by:
                hand.acted = 1 << seat
                hand.raise_by = by
            hand.short = hand.short + by if hand.stack[seat] == 0 else 0
            if hand.short >= hand.raise_by:
                hand.short = 0
            hand.min_to = action + max(hand.raise_by, rules.smallest[hand.street])
        if rules.betting == LIMIT:
            hand.min_to = action + rules.smallest[hand.street]
        hand.top = action
        hand.raises += 1
        hand.opener = seat
        for other in range(players):
            if other != seat and hand.stack[other] > 0 and not hand.folded >> other & 1:
                hand.queue |= 1 << other
    if hand.queue:
        _next_player(players, hand)
    else:
        _end_street(rules, hand)


@kernel
def _pay(hand: Any, seat: int, chips: int) -> None:
    hand.stack[seat] -= chips
    hand.bet[seat] += chips
    hand.pot += chips


@kernel
def _next_player(players: int, hand: Any) -> None:
    seat = hand.player
    while True:
        seat = seat + 1 if seat + 1 < players else 0
        if hand.queue >> seat & 1:
            hand.player = seat
            return


@kernel
def _begin_betting(rules: Any, hand: Any) -> None:
    """Find who acts on this street, passing over streets on which nobody can."""
    players = rules.players
    while True:
        street, first, top = hand.street, np.int64(0), np.int64(-1)
        most = second = np.int64(-1)
        for seat in range(players):
            if hand.bet[seat] >= top:
                top = hand.bet[seat]
                first = (seat + 1) % players
            if not hand.folded >> seat & 1:
                chips = hand.stack[seat] + hand.bet[seat]
                most, second = max(most, chips), max(second, min(most, chips))
        queue = able = 0
        facing = False
        for seat in range(players):
            if hand.stack[seat] == 0 or hand.folded >> seat & 1:
                continue
            if rules.acpc or second > hand.bet[seat]:
                queue |= 1 << seat
                able += 1
                facing = hand.bet[seat] < top
        if rules.acpc:
            first = rules.first[street]
            needed = 1 + (street > 0)
        else:
            needed = 1 if able == 1 and facing else 2
        if street == 0:
            hand.opener = first
        if able >= needed:
            hand.queue = queue
            hand.opener = first
            hand.raises = hand.moves = hand.acted = hand.short = hand.raise_by = 0
            hand.top = top
            hand.min_to = top + rules.smallest[street]
            hand.player = first
            if not queue >> first & 1:
                _next_player(players, hand)
            return
        if _collect(rules, hand):
            return


@kernel
def _collect(rules: Any, hand: Any) -> bool:
    """Close the street: uncalled chips go back, bets go to the pot. True when the hand is over."""
    players = rules.players
    if not rules.acpc:
        most = second = np.int64(0)
        for seat in range(players):
            bet = hand.bet[seat]
            most, second = max(most, bet), max(second, min(most, bet))
        for seat in range(players):
            back = hand.bet[seat] - second
            if back > 0:
                hand.stack[seat] += back
                hand.pot -= back
    hand.queue = 0
    if hand.street == rules.streets - 1:
        hand.player = TERMINAL
        return True
    for seat in range(players):
        hand.bet[seat] = 0
    hand.street += 1
    return False


@kernel
def _end_street(rules: Any, hand: Any) -> None:
    if not _collect(rules, hand):
        _begin_betting(rules, hand)


@kernel
def payoffs(rules: Any, hand: Any, deck: NDArray[np.uint8], out: NDArray[np.float64]) -> None:
    """Chips won or lost by each seat of a finished hand into ``out`` [players]."""
    players = rules.players
    ranks = np.empty(10, np.int64)
    live = only = 0
    for seat in range(players):
        out[seat] = hand.stack[seat] - rules.start[seat]
        if not hand.folded >> seat & 1:
            live += 1
            only = seat
    if live == 1:
        out[only] += hand.pot
        return
    board_key, board_bits = START_7, np.uint64(0)
    for at in range(2 * players, 2 * players + 5):
        board_key += CARD_KEYS[deck[at]]
        board_bits += CARD_BITS[deck[at]]
    for seat in range(players):
        ranks[seat] = 1 << 20
        if not hand.folded >> seat & 1:
            a, b = deck[2 * seat], deck[2 * seat + 1]
            ranks[seat] = rank_of_sums(
                board_key + CARD_KEYS[a] + CARD_KEYS[b], board_bits + CARD_BITS[a] + CARD_BITS[b]
            )
    _share(rules, hand, ranks, out)


@kernel
def _share(rules: Any, hand: Any, ranks: Ints, out: NDArray[np.float64]) -> None:
    """Pay the pots layer by layer; layers that the same winning hands can take are one pot (see ``poker``)."""
    players = rules.players
    paid = np.empty(10, np.int64)
    amount = np.int64(0)
    for seat in range(players):
        dead = rules.ante[seat] if rules.dead_antes else 0
        paid[seat] = rules.start[seat] - hand.stack[seat] - dead
        amount += dead
    takers = 0  # hands that win some layer: beaten ones are mucked before the pots are split
    if rules.acpc:
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
            if paid[seat] >= level and takers >> seat & 1 and not hand.folded >> seat & 1:
                seats |= 1 << seat
        below = level
        if pot_seats != 0 and seats != pot_seats and seats != 0:
            _pay_pot(players, pot, pot_seats, ranks, rules.acpc, out)
            pot = np.int64(0)
        if seats != 0 and (amount > 0 or pot_seats != 0):
            pot_seats = seats
        pot += amount
        amount = np.int64(0)
    _pay_pot(players, pot, pot_seats, ranks, rules.acpc, out)


@kernel
def _next_level(players: int, paid: Ints, above: Int) -> np.int64:
    """The smallest contribution above a level, -1 when there is none."""
    best = np.int64(-1)
    for seat in range(players):
        if paid[seat] > above and (best < 0 or paid[seat] < best):
            best = paid[seat]
    return best


@kernel
def _best(players: int, hand: Any, paid: Ints, ranks: Ints, level: Int) -> int:
    """The live seats with the best hand among those that have paid up to a level, as bits."""
    best, seats = 1 << 20, 0
    for seat in range(players):
        if paid[seat] >= level and not hand.folded >> seat & 1:
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

    Each random number is used for seven cards (see ``census.draw_categories``).
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
def play_random(rules: Any, hands: int, s0: np.uint64, s1: np.uint64) -> tuple[int, NDArray[np.float64]]:
    """Deal and play hands at random; returns the number of actions and the chips each seat has won in total [10].

    Every kind of action that is legal (fold when facing a bet, call, raise) is equally likely, and so is every size.
    """
    records = np.zeros(1, HAND)
    deck = np.arange(52).astype(np.uint8)
    won = np.empty(10, np.float64)
    total = np.zeros(10, np.float64)
    actions = 0
    players = rules.players
    for _ in range(hands):
        s0, s1 = shuffle(deck, 2 * players + 5, s0, s1)
        hand = records[0]
        new_hand(rules, hand)
        while hand.player != TERMINAL:
            low, high = raise_bounds(rules, hand)
            facing = hand.bet[hand.player] < hand.top
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

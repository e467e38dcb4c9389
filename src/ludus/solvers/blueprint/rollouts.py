"""Hands played on to their end under a blueprint, many times: the kernels of rollouts.

A rollout begins at a state that is reached by given actions. The hands of the players who are left are drawn from
ranges, the rest of the board at random, and then everybody plays by the blueprint. The same deals serve all the states
that are compared, and so do the random numbers by which a seat decides at its n-th turn on a street: what two actions
lead to then differs by the actions more than by luck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.cards.card import CARDS
from ludus.cards.evaluator import CARD_BITS
from ludus.cards.random import below, next_state, uniform
from ludus.cards.ranges import COMBOS, Weights, blocked
from ludus.cards.sampling import NO_DEAL, TABLE_DEALS, joint_deals
from ludus.cards.showdown import COMBO_BITS
from ludus.compiled import kernel
from ludus.games.base import TERMINAL
from ludus.games.compiled.engine import HAND, act, new_hand, payoffs
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerState
from ludus.solvers.blueprint.deals import DEAL, rank_hands, sort_hands, won
from ludus.solvers.blueprint.samplers import MOST_DECISIONS, choose, decide, play
from ludus.solvers.blueprint.strategy import Book
from ludus.trees.bucket_tables import NO_BOARDS
from ludus.trees.situations import FRAME, TREE, menu

Floats = NDArray[np.float64]
PASSIVE = -1
"""The memory of a hand in which nobody does more than check and call from now on."""
MOST_TRIES = 200_000  # draws of hands for one deal

_GAMMA, _MIX_1, _MIX_2 = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_U11, _U27, _U30, _U31 = (np.uint64(n) for n in (11, 27, 30, 31))


class Draws(NamedTuple):
    """What hands are drawn from: groups of seats, each with rows of hands that go together."""

    starts: NDArray[np.int64]  # [groups + 1]: the first row of each group
    total: Floats  # [rows]: the probability of this row of the group or one before it
    bits: NDArray[np.uint64]  # [rows]: its cards
    cards: NDArray[np.uint8]  # [rows, 2 * seats of a group]
    seats: NDArray[np.int64]  # the seats of the groups one after another


class UnseenCards(NamedTuple):
    """The cards of a hand in the order of dealing, as far as they are known."""

    deck: NDArray[np.uint8]  # [2 * players + 5]
    bits: np.uint64  # the known cards
    open: NDArray[np.int64]  # the places that any other card may take: the board to come, the hands that are folded
    draws: Draws
    boards: NDArray[np.uint8]  # [n, 5] before the flop, the boards that may come; none: all


def draws_of(ranges: Mapping[int, Weights]) -> Draws:
    """What the hands of some seats are drawn from; ValueError where no hands go together.

    A few hands that go together are listed; else each seat draws on its own, and again when two share a card.
    """
    seats = list(ranges)
    scaled = [weights / weights.max() for weights in ranges.values()]  # products must not vanish
    joint = None if _too_many(scaled) else joint_deals(scaled, TABLE_DEALS)
    if joint is not None:
        groups = [joint]
    else:
        supports = [np.flatnonzero(weights) for weights in scaled]
        groups = [(at.astype(np.int16)[:, None], weights[at]) for at, weights in zip(supports, scaled, strict=True)]
    totals = []
    for _, weights in groups:
        if not weights.sum() > 0:
            raise ValueError(NO_DEAL)
        totals.append(np.cumsum(weights / weights.sum()))
        totals[-1][-1] = 1.0
    hands = np.concatenate([rows for rows, _ in groups])
    return Draws(
        np.cumsum([0] + [len(weights) for _, weights in groups]),
        np.concatenate(totals),
        np.bitwise_or.reduce(COMBO_BITS[hands], axis=1),
        COMBOS[hands].reshape(len(hands), -1).astype(np.uint8),
        np.array(seats, np.int64),
    )


def _too_many(ranges: Sequence[Weights]) -> bool:
    """Whether it is plain that more hands go together than are listed; counting them takes a while.

    Each hand of a range goes together with all of the next but those that hold one of the cards dealt before.
    """
    count = 1
    for dealt, size in enumerate(sorted(int(np.count_nonzero(weights)) for weights in ranges)):
        count *= max(size - (len(COMBOS) - comb(52 - 2 * dealt, 2)), 0)
        if count > TABLE_DEALS:
            return True
    return False


def table_of(
    public: PokerState,
    hand: tuple[int, int],
    ranges: Sequence[Weights | None],
    boards: NDArray[np.uint8] = NO_BOARDS,
) -> UnseenCards:
    """The known cards of a hand and what the others are drawn from."""
    seat, board = public.player, public.board
    known = [*hand, *board]
    if len(hand) != 2 or not all(0 <= card <= 51 for card in known) or len(set(known)) != len(known):
        raise ValueError(f"a hand is two cards numbered 0..51 that are not on the board, got {hand} on {board}")
    table = table_of_ranges(public, ranges, hand, seat, boards)
    table.deck[2 * seat : 2 * seat + 2] = hand
    return table


def table_of_ranges(
    public: PokerState,
    ranges: Sequence[Weights | None],
    known: Sequence[int] = (),
    without: int = -1,
    boards: NDArray[np.uint8] = NO_BOARDS,
) -> UnseenCards:
    """What the hands of all players who are left are drawn from, ``without`` one of them perhaps.

    Nobody holds a card of the board or another ``known`` one. Before the flop ``boards`` may be all that can come.
    """
    players, board = public.game.players, public.board
    seen = [*known, *board]
    if len(ranges) != players:
        raise ValueError(f"expected a range or None for each of {players} seats, got {len(ranges)}")
    held: dict[int, Weights] = {}
    for seat in public.live_seats():
        weights = ranges[seat]
        if seat == without:
            continue
        if weights is None:
            raise ValueError(f"seat {seat} is still in the hand, so it needs a range")
        held[seat] = blocked(weights, seen)
        if not held[seat].any():
            names = " ".join(CARDS[card] for card in seen)
            raise ValueError(f"seat {seat} has no hand left: {names} are known to be elsewhere")
    deck = np.zeros(2 * players + 5, np.uint8)
    deck[2 * players : 2 * players + len(board)] = board
    folded = [2 * out + at for out in range(players) if public.folded >> out & 1 for at in (0, 1)]
    to_come = [*folded] if len(boards) else [*range(2 * players + len(board), 2 * players + 5), *folded]
    bits = np.bitwise_or.reduce(CARD_BITS[seen]) if seen else np.uint64(0)
    return UnseenCards(deck, bits, np.array(to_come, np.int64), draws_of(held), boards)


@kernel
def reach(
    spec: Any, rules: Any, first: NDArray[np.int32], child: NDArray[np.int32], actions: NDArray[np.int64],
    memory: np.int64, hand: Any,
) -> np.int64:  # fmt: skip
    """Play actions from the start of a hand, whose memory is 0 or `PASSIVE`; returns what is remembered then.

    That is `PASSIVE` where a tree does not have the actions, or where the hand is over.
    """
    frames = np.zeros(1, FRAME)
    new_hand(rules, hand)
    for action in actions:
        node, menus = np.int32(0), frames[0]
        if memory >= 0 and spec.form == TREE:
            node = np.int32(PASSIVE)
            for at in range(menu(spec, rules, hand, menus)):
                if menus.action[at] == action:
                    node = child[first[memory] + at]
        if memory < 0 or node < 0:
            act(rules, hand, action)
            memory = np.int64(PASSIVE)
        else:
            memory = play(spec, rules, hand, memory, action, node)
    return memory


@kernel
def roll_out(
    spec: Any, rules: Any, book: Book, table: UnseenCards, starts: Any, memories: NDArray[np.int64], biases: Floats,
    seat: int, s0: np.uint64, s1: np.uint64, out: Floats,
) -> int:  # fmt: skip
    """Fill in what a seat wins or loses ``[starts, deals]`` from hands in progress (records of `engine.HAND`) on.

    ``biases [players, streets, raised, fold/call/raise]`` multiply the probabilities of what a seat does; a blind is no
    raise. Where nothing is left of a row it is played by the biases alone, by calls if these are zeros too. Returns how
    many deals were found: fewer than asked for where the ranges hardly ever go together.
    """
    hands, dealt, frames = np.zeros(1, HAND), np.zeros(1, DEAL), np.zeros(1, FRAME)
    deck, paid = table.deck.copy(), np.zeros(10)
    deals: int = out.shape[1]
    for number in range(deals):
        found, s0, s1 = deal_cards(table, deck, s0, s1)
        if not found:
            return number
        key = s0 + s1
        s0, s1 = next_state(s0, s1)
        deal, frame = dealt[0], frames[0]
        deal.ready = 0
        for start in range(len(starts)):
            hands[0] = starts[start]
            hand = hands[0]
            play_on(spec, rules, book, deck, deal, biases, key, memories[start], seat, hand, frame)
            out[start, number] = result(rules, hand, deck, deal, seat, paid)
    return deals


@kernel
def result(rules: Any, hand: Any, deck: NDArray[np.uint8], deal: Any, seat: int, paid: Floats) -> float:
    """Chips that a seat has won or lost in a hand that is over, at least for that seat; ``paid [10]`` is room."""
    if rules.dead_antes:
        payoffs(rules, hand, deck, paid)
        return float(paid[seat])
    if not deal.ready >> 4 & 1:
        rank_hands(deck, rules.players, deal)
    return won(rules, hand, deal, seat)


@kernel
def deal_cards(
    table: UnseenCards, deck: NDArray[np.uint8], s0: np.uint64, s1: np.uint64
) -> tuple[bool, np.uint64, np.uint64]:
    """Draw all cards that are not known; False after too many draws of hands that share cards.

    Drawing all hands again when two share a card gives every deal the product of its weights (`cards.sampling`).
    """
    starts, total, bits, cards, seats = table.draws
    width = cards.shape[1]
    used = table.bits
    for attempt in range(MOST_TRIES + 1):
        if attempt == MOST_TRIES:
            return False, s0, s1
        used, place = table.bits, 0
        for group in range(len(starts) - 1):
            u = uniform(s0, s1)
            s0, s1 = next_state(s0, s1)
            low, high = starts[group], starts[group + 1] - 1
            while low < high:
                middle = (low + high) >> 1
                if u < total[middle]:
                    high = middle
                else:
                    low = middle + 1
            if bits[low] & used:
                place = -1
                break
            used |= bits[low]
            for at in range(0, width, 2):
                seat = seats[place]
                deck[2 * seat], deck[2 * seat + 1] = cards[low, at], cards[low, at + 1]
                place += 1
        if place >= 0:
            break
    if len(table.boards) > 0:
        found, s0, s1 = _deal_board(table.boards, used, deck, s0, s1)
        if not found:
            return False, s0, s1
        for at in range(len(deck) - 5, len(deck)):
            used |= CARD_BITS[deck[at]]
    for place in table.open:
        card = below(s0, s1, 52)
        s0, s1 = next_state(s0, s1)
        while CARD_BITS[card] & used:
            card = below(s0, s1, 52)
            s0, s1 = next_state(s0, s1)
        used |= CARD_BITS[card]
        deck[place] = card
    return True, s0, s1


@kernel
def _deal_board(
    boards: NDArray[np.uint8], used: np.uint64, deck: NDArray[np.uint8], s0: np.uint64, s1: np.uint64
) -> tuple[bool, np.uint64, np.uint64]:
    """Deal one of some boards that has none of the cards that are used; False after too many draws."""
    for _ in range(MOST_TRIES):
        row = np.int64(uniform(s0, s1) * len(boards))
        s0, s1 = next_state(s0, s1)
        bits = np.uint64(0)
        for at in range(5):
            bits |= CARD_BITS[boards[row, at]]
            deck[len(deck) - 5 + at] = boards[row, at]
        if not bits & used:
            return True, s0, s1
    return False, s0, s1


@kernel
def play_on(
    spec: Any, rules: Any, book: Book, deck: NDArray[np.uint8], deal: Any, biases: Floats, key: np.uint64,
    memory: np.int64, own: int, hand: Any, frame: Any,
) -> None:  # fmt: skip
    """Play a hand to its end, or until the own seat folds."""
    first, child, offset, tables, strategy = book
    decisions = 0
    while hand.player != TERMINAL and not hand.folded >> own & 1:
        if memory < 0:
            act(rules, hand, CALL)
            continue
        seat, street = hand.player, hand.street
        if not deal.ready >> street & 1:
            sort_hands(tables, deck, rules.players, street, deal)
        start = offset[memory] if spec.form == TREE else np.int64(0)
        decide(spec, rules, hand, memory, deal.kind[seat * 4 + street], start, frame)
        if decisions >= MOST_DECISIONS:
            frame.count = min(frame.count, 1 + (frame.action[0] == FOLD))
        decisions += 1
        raised, total = np.int64(hand.raises > 0), 0.0
        for at in range(frame.count):
            bias = biases[seat, street, raised, min(frame.action[at], 1) + 1]
            frame.sigma[at] = bias * strategy[frame.offset + frame.slot[at]]
            total += frame.sigma[at]
        if total == 0:  # never met, or they do not do what the blueprint would: whatever they do
            for at in range(frame.count):
                frame.sigma[at] = biases[seat, street, raised, min(frame.action[at], 1) + 1]
                total += frame.sigma[at]
        if total == 0:
            frame.sigma[np.int64(frame.action[0] == FOLD)] = total = 1.0
        chosen = choose(frame, total * fraction(key, ((street * 16 + seat) << 8) + hand.moves))
        node = child[first[memory] + chosen] if spec.form == TREE else np.int32(0)
        memory = play(spec, rules, hand, memory, frame.action[chosen], node)


@kernel
def fraction(key: np.uint64, at: np.int64) -> float:
    """A number from 0 to 1 for a place in a hand: SplitMix64 (Steele, Lea & Flood 2014) at any of its steps."""
    z = key + np.uint64(at + 1) * _GAMMA
    z = (z ^ (z >> _U30)) * _MIX_1
    z = (z ^ (z >> _U27)) * _MIX_2
    return ((z ^ (z >> _U31)) >> _U11) * 2.0**-53


@kernel
def moments(results: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Means ``[n]`` and scatter ``[n, n]`` of mixtures of results ``[starts, deals]`` by weights ``[starts, n]``.

    The scatter is the sum over deals of the products of deviations from the means. A sum takes the same steps whatever
    else is summed beside it.
    """
    deals, count = results.shape[1], weights.shape[1]
    mixed = np.zeros((count, deals))
    mean, scatter = np.zeros(count), np.zeros((count, count))
    for one in range(count):
        for start in range(len(results)):
            if weights[start, one] != 0:
                for at in range(deals):
                    mixed[one, at] += weights[start, one] * results[start, at]
        for at in range(deals):
            mean[one] += mixed[one, at]
        mean[one] /= deals
        for at in range(deals):
            mixed[one, at] -= mean[one]
        for other in range(one + 1):
            total = 0.0
            for at in range(deals):
                total += mixed[one, at] * mixed[other, at]
            scatter[one, other] = scatter[other, one] = total
    return mean, scatter

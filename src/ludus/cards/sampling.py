"""Deals of several ranges at once: all of them if they are few, random ones if they are many.

The players hold hands that share no card, so a deal has the product of its hands' weights when no card conflicts, and
no weight otherwise. Drawing every hand on its own and starting again at a conflict gives exactly that distribution;
drawing one hand after another from what is left would favour the hands that block others. Two things cost less and are
exact as well: a table of all joint deals, when it is small, never conflicts; and a player who may hold anything takes
any two of the cards left, since every deal of the others leaves them the same number of hands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.cards.evaluator import CARD_BITS, CARD_KEYS, START_7, WORST, rank_of_sums
from ludus.cards.random import below, next_state, stream_blocks
from ludus.cards.ranges import Weights
from ludus.cards.showdown import COMBO_BITS, COMBO_KEYS
from ludus.compiled import kernel
from ludus.parallel import Progress, in_blocks

STREAM_DEALS = 1 << 15
"""The most deals of one random stream."""

TABLE_DEALS = 1 << 16
"""The most joint deals for which a table is made instead of drawing the hands separately."""

MAX_TRIES = 2000
"""Draws for one deal, on average over a stream, after which the ranges are taken to be incompatible."""

NO_DEAL = "no deal fits these ranges: whatever hands the players hold, two of them share a card"

_ROWS = 4096  # deals that are matched with a range at a time
_FRACTION_BITS = 44  # of a random number; the 20 above them choose among at most 2 ** 20 rows
_CUT, _FRACTION = np.uint64(64 - _FRACTION_BITS), np.uint64(_FRACTION_BITS)
_BELOW_ONE = np.uint64((1 << _FRACTION_BITS) - 1)
_U0 = np.uint64(0)


class _Draws(NamedTuple):
    """What the hands of a deal are drawn from: groups of players, each with a table of rows of hands."""

    starts: NDArray[np.int64]  # [groups + 1]: the first row of each group
    keep: NDArray[np.uint64]  # [rows]: a row that was hit stands if the fraction left is below this; see _alias_table
    other: NDArray[np.int64]  # [rows]: the row of the group that takes its place otherwise
    bits: NDArray[np.uint64]  # [rows]: the cards of the row
    hands: NDArray[np.int16]  # [rows, players of the group]: its combinations


def joint_deals(ranges: Sequence[Weights], limit: int) -> tuple[NDArray[np.int16], Weights] | None:
    """All deals ``[n, players]`` of combinations without a conflict, and their weights ``[n]``; None beyond a limit.

    The limit also applies along the way, to the deals of only some of the players.
    """
    order = sorted(range(len(ranges)), key=lambda player: np.count_nonzero(ranges[player]))
    deals = np.zeros((1, len(ranges)), np.int16)
    weights, bits = np.ones(1), np.zeros(1, np.uint64)
    for player in order:
        support = np.flatnonzero(ranges[player])
        fits: list[NDArray[np.int64]] = []
        found = 0
        for start in range(0, len(deals), _ROWS):
            free = (bits[start : start + _ROWS, None] & COMBO_BITS[support]) == 0
            fits.append(np.argwhere(free) + np.array((start, 0)))
            found += len(fits[-1])
            if found > limit:
                return None
        row, column = np.concatenate(fits or [np.zeros((0, 2), np.int64)]).T
        hands = support[column]
        deals = deals[row]
        deals[:, player] = hands
        bits = bits[row] | COMBO_BITS[hands]
        weights = weights[row] * ranges[player][hands]
    return deals, weights


def _alias_table(weights: Weights) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Keep and other ``[n]``, so that a row drawn evenly and replaced with some chance comes out by its weight.

    Walker's alias method in Vose's form (IEEE Trans. Software Eng. 17(9), 1991): rows below the mean weight are filled
    up from rows above it.
    """
    scaled = weights * (len(weights) / weights.sum())
    keep, other = np.ones(len(weights)), np.arange(len(weights))
    small, large = (list(np.flatnonzero(side)) for side in (scaled < 1, scaled >= 1))
    while small and large:
        low, high = small.pop(), large[-1]
        keep[low], other[low] = scaled[low], high
        scaled[high] -= 1 - scaled[low]
        if scaled[high] < 1:
            small.append(large.pop())
    return (keep * 2.0**_FRACTION_BITS).astype(np.uint64), other


def _draws(ranges: Sequence[Weights]) -> _Draws:
    """Tables for some ranges: one of their joint deals when those are few, else one for each player."""
    joint = joint_deals(ranges, TABLE_DEALS)
    if joint is not None:
        if len(joint[0]) == 0:
            raise ValueError(NO_DEAL)
        tables = [joint]
    else:
        supports = [np.flatnonzero(hands) for hands in ranges]
        tables = [(at.astype(np.int16)[:, None], hands[at]) for at, hands in zip(supports, ranges, strict=True)]
    starts = np.cumsum([0] + [len(weights) for _, weights in tables])
    aliases = [_alias_table(weights) for _, weights in tables]
    hands = np.concatenate([rows for rows, _ in tables])
    return _Draws(
        starts,
        np.concatenate([keep for keep, _ in aliases]),
        np.concatenate([other + start for (_, other), start in zip(aliases, starts, strict=False)]),
        np.bitwise_or.reduce(COMBO_BITS[hands], axis=1),
        hands,
    )


def sample_deals(
    ranges: Sequence[Weights],
    board: Sequence[int],
    deck: Sequence[int],
    samples: int,
    seed: int,
    threads: int,
    progress: Progress | None,
) -> NDArray[np.int64]:
    """Tally ``[2 ** players]``, as in `showdown`, of random deals of ranges that hold only cards of the deck."""
    free = [len(deck) * (len(deck) - 1) // 2 == np.count_nonzero(w) and np.ptp(w[w > 0]) == 0 for w in ranges]
    order = sorted(range(len(ranges)), key=free.__getitem__)
    drawn = [ranges[player] for player in order if not free[player]]
    draws = _draws(drawn)
    board_cards, deck_cards = np.array(board, np.uint8), np.array(deck, np.uint8)

    def one_stream(block: tuple[np.uint64, np.uint64, int]) -> NDArray[np.int64]:
        s0, s1, size = block
        tally = _draw_stream(s0, s1, size, draws, len(drawn), len(ranges), board_cards, deck_cards)
        if tally.sum() < size:
            raise ValueError(
                f"the ranges share so many cards that fewer than 1 in {MAX_TRIES} draws is a deal; narrow them"
            )
        return tally

    blocks = stream_blocks(seed, samples, STREAM_DEALS)
    tally: NDArray[np.int64] = np.sum(in_blocks(one_stream, blocks, threads, progress), axis=0)
    winners = np.arange(1 << len(ranges))
    named = sum((winners >> place & 1) << player for place, player in enumerate(order))
    result = np.zeros_like(tally)
    result[named] = tally
    return result


@kernel
def _draw_stream(
    s0: np.uint64,
    s1: np.uint64,
    deals: int,
    draws: _Draws,
    drawn: int,
    players: int,
    board: NDArray[np.uint8],
    deck: NDArray[np.uint8],
) -> NDArray[np.int64]:
    """Tally ``[2 ** players]`` of random deals; the first ``drawn`` players hold rows of the tables, the rest anything.

    The tally falls short of the deals when too many draws failed.
    """
    starts, keep, other, row_bits, hands = draws
    size = len(deck)
    deck_keys, deck_bits = CARD_KEYS[deck], CARD_BITS[deck]
    start_key, start_bits = START_7, _U0
    for card in board:
        start_key += CARD_KEYS[card]
        start_bits |= CARD_BITS[card]
    keys, bits = np.zeros(players, np.uint64), np.zeros(players, np.uint64)
    tally = np.zeros(1 << players, np.int64)
    missing = 5 - len(board)
    done = tries = 0
    while done < deals and tries < MAX_TRIES * (done + 1000):
        tries += 1
        used = _U0
        player = 0
        for group in range(len(starts) - 1):
            scaled = ((s0 + s1) >> _CUT) * np.uint64(starts[group + 1] - starts[group])
            s0, s1 = next_state(s0, s1)
            row = np.uint64(starts[group]) + (scaled >> _FRACTION)
            if scaled & _BELOW_ONE >= keep[row]:
                row = np.uint64(other[row])
            if row_bits[row] & used:
                player = -1
                break
            used |= row_bits[row]
            for place in range(hands.shape[1]):
                hand = np.uint16(hands[row, place])
                keys[player], bits[player] = COMBO_KEYS[hand], COMBO_BITS[hand]
                player += 1
        if player < 0:
            continue
        board_key, board_bits = start_key, start_bits
        for player in range(drawn, players):
            keys[player] = bits[player] = _U0
        for card in range(missing + 2 * (players - drawn)):  # the board first, then the hands that may be anything
            at = np.uint64(below(s0, s1, size))
            s0, s1 = next_state(s0, s1)
            while deck_bits[at] & used:
                at = np.uint64(below(s0, s1, size))
                s0, s1 = next_state(s0, s1)
            used |= deck_bits[at]
            if card < missing:
                board_bits |= deck_bits[at]
                board_key += deck_keys[at]
            else:
                player = drawn + (card - missing) // 2
                bits[player] |= deck_bits[at]
                keys[player] += deck_keys[at]
        best, winners = np.int64(WORST + 1), 0
        for player in range(players):
            rank = np.int64(rank_of_sums(board_key + keys[player], board_bits | bits[player]))
            winners = (winners if rank >= best else 0) | (int(rank <= best) << player)
            best = min(rank, best)
        tally[winners] += 1
        done += 1
    return tally

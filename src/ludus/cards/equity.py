"""All-in equity: the share of the pot that each of two to ten ranges wins when no more bets are made.

Every deal without a card conflict counts by the product of its hands' weights, and a shared pot is split evenly. The
answer is exact wherever every deal can be enumerated in about three seconds on one core: any two hands, two ranges from
the flop on, and before the flop small ranges or ranges that treat suits alike. Everything else is sampled, with
a 95 % interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludus.cards.card import CARDS, format_cards, parse_cards, require_distinct
from ludus.cards.ranges import COMBOS, Weights, blocked, combo_index, parse_range
from ludus.cards.runouts import runouts, suit_symmetries
from ludus.cards.sampling import NO_DEAL, joint_deals, sample_deals
from ludus.cards.showdown import tally_deals, tally_hand, tally_ranges
from ludus.parallel import Progress, in_blocks

DEFAULT_SAMPLES = 1_000_000
MAX_PLAYERS = 10
AFFORDABLE_SECONDS = 3.0
"""Estimated work on one core up to which results are exact unless the caller decides."""

MAX_JOINT_DEALS = 1 << 20
"""The most joint deals of three or more ranges that are enumerated, even on demand."""

_LEAST_SHARE = 1e-6
"""Where fewer of the pairs of hands can happen, sums over all hands cancel too much; pairs are counted one by one."""

_BLOCK_SECONDS = 0.1
_Z95 = 1.959964


@dataclass(frozen=True, slots=True)
class EquityResult:
    """Shares of two or more players, in the order in which they were given."""

    equity: tuple[float, ...]
    """The share of the pot of each player, splits included; they sum to 1."""
    win: tuple[float, ...]
    """The share of the deals that each player wins alone."""
    tie: float
    """The share of the deals in which two or more players have the best hand."""
    boards: int
    """How many deals the result stands for: full boards, times the ways to hold hands of the ranges."""
    exact: bool
    """Whether all of them were enumerated."""
    ci95: tuple[float, ...]
    """Half the width of the 95 % interval of each equity: 0 when exact."""
    samples: int
    """How many deals were drawn at random: 0 when exact."""


@dataclass(frozen=True, slots=True)
class _Spot:
    """Ranges without the combinations that the known cards rule out, and the cards that are left."""

    ranges: tuple[Weights, ...]
    board: tuple[int, ...]
    dead: tuple[int, ...]
    deck: tuple[int, ...]

    @property
    def missing(self) -> int:
        return 5 - len(self.board)

    @property
    def boards_per_deal(self) -> int:
        """How many boards can come once every player holds a hand."""
        return comb(len(self.deck) - 2 * len(self.ranges), self.missing)


def as_range(text: str) -> Weights:
    """The range of a text: two cards, with or without a blank between them, or the notation of `parse_range`.

    >>> as_range("Ah Kh").sum(), as_range("QQ+, AKs").sum(), as_range("random").sum()
    (np.float64(1.0), np.float64(22.0), np.float64(1326.0))
    """
    try:
        first, second = parse_cards(text)
    except ValueError:
        return parse_range(text)
    weights = np.zeros(len(COMBOS))
    weights[combo_index(first, second)] = 1.0
    return weights


def equity(
    players: Sequence[ArrayLike],
    board: Sequence[int] = (),
    dead: Sequence[int] = (),
    *,
    samples: int | None = None,
    seed: int = 0,
    exact: bool | None = None,
    progress: Progress | None = None,
    threads: int = 2,
) -> EquityResult:
    """Equities of 2 to 10 ranges ``[1326]`` on a board of 0, 3, 4 or 5 cards, with dead cards out of the deck.

    Enumerates all deals when that is affordable, and draws ``samples`` deals otherwise. ``exact=True`` enumerates at
    any cost; ``exact=False``, or giving ``samples``, draws. ``progress`` is called after each block of work, a fraction
    of a second, with the blocks done and their total. The number of threads affects only the time.

    >>> result = equity([as_range("AhKh"), as_range("QsQd")])
    >>> result.boards, [round(share, 6) for share in result.equity]
    (1712304, [0.462145, 0.537855])
    >>> equity([as_range("AhKh"), as_range("QsQd")], board=parse_cards("Kd7c2s"), dead=parse_cards("Ks")).win[0] > 0.9
    True
    """
    spot = _checked_spot(players, board, dead)
    if samples is not None and (samples < 1 or exact):
        reason = "exact results draw none" if exact else f"got {samples}"
        raise ValueError(f"samples is a positive number of deals to draw at random; {reason}")
    if threads < 1:
        raise ValueError(f"threads must be at least 1, got {threads}")
    wish = False if exact is None and samples is not None else exact
    if wish is not False:
        limit = AFFORDABLE_SECONDS if wish is None else float("inf")
        enumerate_all = _two_ranges if len(spot.ranges) == 2 else _every_deal
        result = enumerate_all(spot, limit, threads, progress)
        if result is not None:
            return result
        if wish:
            raise ValueError(
                f"more than {MAX_JOINT_DEALS:,} ways to hold these hands are too many to enumerate: draw samples"
            )
    drawn = DEFAULT_SAMPLES if samples is None else samples
    tally = sample_deals(spot.ranges, spot.board, spot.deck, drawn, seed, threads, progress)
    return _result(tally, boards=drawn, samples=drawn)


def _checked_spot(players: Sequence[ArrayLike], board: Sequence[int], dead: Sequence[int]) -> _Spot:
    if not 2 <= len(players) <= MAX_PLAYERS:
        raise ValueError(f"equity is between 2 and {MAX_PLAYERS} players, got {len(players)}")
    if len(board) not in (0, 3, 4, 5):
        raise ValueError(f"a board has 0, 3, 4 or 5 cards, got {len(board)}: {format_cards(board)!r}")
    known = [("board", board), ("dead cards", dead)]
    full = [blocked(weights, ()) for weights in players]
    for number, weights in enumerate(full, 1):
        support = np.flatnonzero(weights)
        if len(support) == 0:
            raise ValueError(f"the range of player {number} is empty")
        if len(support) == 1:
            known.append((f"hand of player {number}", COMBOS[support[0]].tolist()))
    require_distinct(known)
    ranges = tuple(blocked(weights / weights.max(), (*board, *dead)) for weights in full)  # products must not vanish
    for number, weights in enumerate(ranges, 1):
        if not weights.any():
            cards = ", ".join(CARDS[card] for card in (*board, *dead))
            raise ValueError(f"player {number} has no hand left: {cards} block the whole range")
    deck = tuple(card for card in range(52) if card not in {*board, *dead})
    if len(deck) < 2 * len(players) + 5 - len(board):
        raise ValueError(f"{len(deck)} cards are too few for {len(players)} hands and the rest of the board")
    return _Spot(ranges, tuple(board), tuple(dead), deck)


def _two_ranges(spot: _Spot, limit: float, threads: int, progress: Progress | None) -> EquityResult | None:
    """The exact result of two ranges, or None when that would take longer than the limit."""
    one, two = spot.ranges
    one, two = np.where(_partners(two) > 0, one, 0.0), np.where(_partners(one) > 0, two, 0.0)
    deals = int(_partners(two)[one > 0].sum())
    if deals == 0:
        raise ValueError(NO_DEAL)
    share = float((one * _partners(two, weighted=True)).sum() / (one.sum() * two.sum()))
    if deals == 1 or share < _LEAST_SHARE:
        return _every_deal(spot, limit, threads, progress)
    swap = np.count_nonzero(one) > np.count_nonzero(two)
    if swap:
        one, two = two, one
    combos, support = (np.flatnonzero(weights).astype(np.uint16) for weights in (one + two, two))
    hand = int(one.argmax()) if np.count_nonzero(one) == 1 else None
    deck = spot.deck if hand is None else tuple(card for card in spot.deck if card not in COMBOS[hand])
    per_board = 3e-7 + 2e-8 * len(combos) if hand is None else 1e-7 + 4.5e-9 * len(support)
    symmetries = suit_symmetries([one, two], [spot.board, spot.dead])
    if comb(len(deck), spot.missing) / len(symmetries) * per_board > limit:
        return None
    boards, times = runouts(spot.board, deck, symmetries)
    size = max(1, int(_BLOCK_SECONDS / per_board))

    def work(start: int) -> NDArray[np.float64]:
        block = slice(start, start + size)
        if hand is None:
            return tally_ranges(boards[block], times[block], combos, one[combos], two[combos])
        return tally_hand(boards[block], times[block], hand, support, two[support])

    tally = np.sum(in_blocks(work, range(0, len(boards), size), threads, progress), axis=0)
    tally = np.maximum(tally, 0.0)  # sums of weights cancel to within rounding
    return _result(tally[[0, 2, 1, 3]] if swap else tally, boards=deals * spot.boards_per_deal)


def _partners(weights: Weights, weighted: bool = False) -> Weights:
    """For each combination ``[1326]``, how many combinations of a range share no card with it, or their weight."""
    counted = weights if weighted else (weights > 0) + 0.0
    with_card = np.bincount(COMBOS.ravel(), np.repeat(counted, 2), minlength=52)
    return counted.sum() - with_card[COMBOS].sum(axis=1) + counted  # type: ignore[no-any-return]


def _every_deal(spot: _Spot, limit: float, threads: int, progress: Progress | None) -> EquityResult | None:
    """The exact result over every joint deal, or None when that would take longer than the limit."""
    seconds = 2e-6 + 3.5e-9 * len(spot.ranges) * spot.boards_per_deal
    joint = joint_deals(spot.ranges, int(min(limit / seconds, MAX_JOINT_DEALS)))
    if joint is None:
        return None
    deals, weights = joint
    if len(deals) == 0:
        raise ValueError(NO_DEAL)
    board, deck = np.array(spot.board, np.uint8), np.array(spot.deck, np.uint8)
    size = max(1, int(_BLOCK_SECONDS / seconds))

    def work(start: int) -> NDArray[np.float64]:
        return tally_deals(deals[start : start + size], weights[start : start + size], board, deck)

    tally = np.sum(in_blocks(work, range(0, len(deals), size), threads, progress), axis=0)
    return _result(tally, boards=len(deals) * spot.boards_per_deal)


def _result(tally: NDArray[np.generic], boards: int, samples: int = 0) -> EquityResult:
    """The shares that a tally ``[2 ** players]`` amounts to.

    The interval is the normal one, but never narrower than three deals: what has not been seen in n deals may still
    happen in about 3 / n of them.
    """
    players = len(tally).bit_length() - 1
    members = np.arange(len(tally))[:, None] >> np.arange(players) & 1
    winners = members.sum(axis=1)
    portion = members / np.maximum(winners, 1)[:, None]
    if not tally.sum() > 0:
        raise ValueError("the weights of all deals that can happen are too small to count")
    share = tally / tally.sum()
    mean = share @ portion
    interval = np.zeros(players)
    if samples:
        deviation = np.sqrt(np.maximum(share @ portion**2 - mean**2, 0.0))
        interval = np.maximum(_Z95 * deviation / np.sqrt(samples), 3.0 / samples)
    return EquityResult(
        equity=tuple(mean.tolist()),
        win=tuple(share[1 << np.arange(players)].tolist()),
        tie=float(share[winners > 1].sum()),
        boards=boards,
        exact=samples == 0,
        ci95=tuple(interval.tolist()),
        samples=samples,
    )

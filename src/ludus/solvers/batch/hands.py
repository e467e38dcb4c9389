"""Hands and showdowns of many boards at once.

The cards that a board leaves are renamed 0, 1, ..., and hands are the pairs of them in one order: 1081 on every river,
1128 on every turn, 1176 on every flop, all 1326 before it. So one matrix of who can meet whom serves the folds of all
boards, one list of places serves every card that is dealt, and only showdowns need a matrix for each board.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import comb

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ludus.cards.preflop import preflop_table
from ludus.cards.ranges import COMBOS, class_of_combo
from ludus.cards.showdown import COMBO_BITS, COMBO_KEYS, PLACE_BITS, PLACES, rank_live
from ludus.compiled import kernel
from ludus.parallel import in_blocks, usable_cores
from ludus.solvers.batch.passes import Pass, compiled

Boards = NDArray[np.uint8]
RIVER = 5
BOARDS_AT_ONCE, RUNOUTS_AT_ONCE = 64, 12  # that are compared in one go
RUNS_AT_ONCE = 100_000  # boards times runouts that are ranked in one go
_NEVER = np.iinfo(np.int16)


def hand_count(cards: int) -> int:
    """Hands that a board of so many cards leaves."""
    return comb(52 - cards, 2)


def width(cards: int) -> int:
    """The width of a row: above the number of hands, and a multiple of 64, which triples the speed of products."""
    return hand_count(cards) // 64 * 64 + 64


@cache
def _pairs(cards: int) -> NDArray[np.int64]:
    """The hands as pairs of renamed cards ``[hands, 2]``, the lower one first, in the order of the combinations."""
    return np.array([(low, high) for high in range(52 - cards) for low in range(high)])


def live_cards(boards: Boards) -> Boards:
    """The cards that boards leave ``[boards, 52 - cards]``, ascending."""
    dead = np.zeros((len(boards), 52), np.bool_)
    np.put_along_axis(dead, boards.astype(np.int64), values=True, axis=1)
    return (np.flatnonzero(~dead.ravel()).reshape(len(boards), -1) % 52).astype(np.uint8)


def combos_of(boards: Boards) -> NDArray[np.int64]:
    """The combination of each hand on each board ``[boards, hands]``."""
    combos = np.empty((len(boards), hand_count(boards.shape[1])), np.int64)
    _fill_combos(live_cards(boards).astype(np.int64), combos)
    return combos


@kernel
def _fill_combos(live: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    """The above, from the cards that boards leave."""
    for board in range(len(live)):
        at = 0
        for high in range(live.shape[1]):
            first = live[board, high] * (live[board, high] - 1) // 2
            for low in range(high):
                out[board, at] = first + live[board, low]
                at += 1


def places_of(combos: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place of each combination among the hands of each board ``[boards, 1326]``, behind them if it is blocked."""
    places = np.full((len(combos), len(COMBOS)), combos.shape[1])
    np.put_along_axis(places, combos, np.arange(combos.shape[1])[None], axis=1)
    return places


def distinct_boards(boards: Boards) -> tuple[Boards, NDArray[np.int64]]:
    """The boards that differ, and for each board which of them it is."""
    if not boards.shape[1]:
        return boards[:1], np.zeros(len(boards), np.int64)
    found, rows = np.unique(boards, axis=0, return_inverse=True)
    return found, rows.ravel()


def next_boards(boards: Boards) -> Boards:
    """All boards with one more card, those of one board together ``[boards * live, cards + 1]``."""
    live = live_cards(boards)
    wide = np.repeat(boards[:, None], live.shape[1], axis=1)
    return np.concatenate([wide, live[:, :, None]], axis=2).reshape(-1, boards.shape[1] + 1)


@cache
def meetings(cards: int) -> NDArray[np.float32]:
    """Which hands share no card ``[width, width]``, 0 behind the hands."""
    pairs, count = _pairs(cards), hand_count(cards)
    holds = np.zeros((width(cards), 52 - cards), np.float32)
    holds[np.arange(count)[:, None], pairs] = 1
    meet = np.asarray(holds @ holds.T == 0, np.float32)
    meet[count:] = meet[:, count:] = 0
    return meet


@cache
def dealings(cards: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each card that can come: where the hands after it were ``[live, width]``, and where those before it are."""
    pairs, live = _pairs(cards), 52 - cards
    before = np.full((live, width(cards + 1)), hand_count(cards))
    after = np.full((live, width(cards)), hand_count(cards + 1))
    for card in range(live):
        kept = np.flatnonzero((pairs != card).all(axis=1))
        before[card, : len(kept)] = kept
        after[card, kept] = np.arange(len(kept))
    return before, after


def showdowns(boards: Boards, device: torch.device, half: torch.dtype, backend: str | None) -> tuple[Tensor, float]:
    """Who beats whom on each board ``[boards, width, width]``, and the unit that it is in.

    In units an entry is how often the row's hand wins less how often it loses over all cards to come, as a share of
    them: 1, 0 or -1 on a river; 0 where two hands share a card. Before the flop one matrix ``[width, width]``
    serves all; a pair of hands has the mean of their classes, which is exact for ranges that treat suits alike.
    """
    cards = boards.shape[1]
    size, count = width(cards), hand_count(cards)
    meet = torch.from_numpy(meetings(cards)).to(device)
    if not cards:
        equity = torch.from_numpy(preflop_table().equity[class_of_combo][:, class_of_combo]).to(device)
        beat = torch.zeros(size, size, dtype=half, device=device)
        beat[:count, :count] = ((2 * equity - 1) * meet[:count, :count]).to(half)
        return beat, 1.0
    different, rows = distinct_boards(boards)
    if len(different) < len(boards):
        beat, unit = showdowns(different, device, half, backend)
        return beat[torch.from_numpy(rows).to(device)], unit
    seen = comb(52 - cards - 4, RIVER - cards)  # ways to end the board that two hands leave
    scale = 1 << (seen - 1).bit_length()  # a power of 2: counts divided by it are exact in half precision
    beat = torch.zeros(len(boards), size, size, dtype=half, device=device)
    ranked = max(BOARDS_AT_ONCE, RUNS_AT_ONCE // comb(52 - cards, RIVER - cards))
    for start in range(0, len(boards), ranked):
        ranks = torch.from_numpy(rank_runouts(boards[start : start + ranked])).to(device)
        for first in range(0, len(ranks), BOARDS_AT_ONCE):
            better = _times_better(ranks[first : first + BOARDS_AT_ONCE], backend)
            net = (better - better.transpose(1, 2)) * meet[:count, :count] / scale
            beat[start + first : start + first + len(better), :count, :count] = net.to(half)
    return beat, scale / seen


def _times_better(ranks: Tensor, backend: str | None) -> Tensor:
    """On how many runouts the row's hand beats the column's ``[boards, hands, hands]``; neither is blocked there.

    Boards are filled up to a power of 2: what is compiled is compiled for each number of them.
    """
    (asked, runouts, hands), boards = ranks.shape, 1 << (len(ranks) - 1).bit_length()
    ranks = torch.nn.functional.pad(ranks, (0, 0, 0, 0, 0, boards - asked))
    mine = ranks.masked_fill(ranks == 0, _NEVER.max)  # 1 is the best class: a blocked hand beats nothing,
    other = ranks.masked_fill(ranks == 0, _NEVER.min)  # and nothing beats it
    count = torch.zeros(boards, hands, hands, dtype=torch.int16, device=ranks.device)
    for first in range(0, runouts, RUNOUTS_AT_ONCE):
        part = slice(first, min(first + RUNOUTS_AT_ONCE, runouts))
        tally = compiled(backend, _tally, part.stop - part.start)
        (count,) = tally(count, mine[:, part], other[:, part])
    return count[:asked]


def _tally(runouts: int) -> Pass:
    """Pass that adds to a count for how many of some runouts ``mine[i] < other[j]``."""

    def run(count: Tensor, mine: Tensor, other: Tensor) -> tuple[Tensor, ...]:
        for runout in range(runouts):
            count = count + (mine[:, runout, :, None] < other[:, runout, None, :])
        return (count,)

    return run


def rank_runouts(boards: Boards) -> NDArray[np.int16]:
    """The class of each hand, 1 the best, 0 where it is blocked, on all runouts of boards ``[boards, runouts, hands]``.

    On a river the only runout is the board itself.
    """
    cards = boards.shape[1]
    endings = np.array(list(combinations(range(52 - cards), RIVER - cards)), np.int64)
    out = np.zeros((len(boards), len(endings), hand_count(cards)), np.int16)
    live = live_cards(boards)
    threads = usable_cores()
    block = max(1, -(-len(boards) // (4 * threads)))

    def work(first: int) -> None:
        part = slice(first, first + block)
        _rank_runouts(boards[part], live[part], endings, out[part])

    in_blocks(work, range(0, len(boards), block), threads, None)
    return out


@kernel
def _rank_runouts(boards: Boards, live: Boards, endings: NDArray[np.int64], out: NDArray[np.int16]) -> None:
    """The above, with the endings ``[runouts, 5 - cards]`` as places in the list of live cards."""
    packed, places = np.empty(len(COMBO_KEYS), np.uint32), np.zeros(len(COMBO_KEYS), np.int64)
    whole = np.empty(5, np.uint8)
    known = boards.shape[1]
    for spot in range(len(boards)):
        whole[:known] = boards[spot]
        place = 0
        for high in range(live.shape[1]):
            for low in range(high):
                combo = np.int64(live[spot, high]) * (np.int64(live[spot, high]) - 1) // 2 + live[spot, low]
                places[combo] = place
                place += 1
        for ending in range(len(endings)):
            for card in range(endings.shape[1]):
                whole[known + card] = live[spot, endings[ending, card]]
            count = rank_live(whole, COMBO_KEYS, COMBO_BITS, packed)
            for at in range(count):
                out[spot, ending, places[packed[at] & PLACES]] = packed[at] >> np.uint32(PLACE_BITS)

"""What each of three classes of hands wins before the flop when all three are shown down.

On each of some random boards the hands of all classes are ranked. A hand wins against two others as often as both are
worse, counted as if the two were dealt independently, and a tie counts as half a win. Cards that the three hands take
from one another are left out; the shares of three classes are made to add up to 1.
"""

from __future__ import annotations

import io
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ludus.cards.ranges import CLASSES, COMBOS, class_of_combo
from ludus.cards.showdown import COMBO_BITS, COMBO_KEYS, PLACE_BITS, PLACES, rank_live
from ludus.compiled import cache_home
from ludus.files import load_npz, write_atomically

FILE_NAME = "preflop-three-v1.npz"
BOARDS, TOGETHER, SEED = 2000, 8, 0
_MOST = 12  # combinations of a class
_N = len(CLASSES)


@cache
def three_way_shares() -> NDArray[np.float32]:
    """``[169, 169, 169]`` The share of the pot of the first class against the two others; built once and then kept."""
    path = cache_home() / FILE_NAME
    if path.exists():
        (kept,) = load_npz(path, "shares")
        if kept.shape == (_N, _N, _N) and kept.dtype == np.float16:
            return np.asarray(kept, np.float32)
    shares = count_shares(BOARDS).astype(np.float16)
    data = io.BytesIO()
    np.savez(data, shares=shares)
    write_atomically(path, data.getvalue())
    return shares.astype(np.float32)


def count_shares(boards: int) -> NDArray[np.float32]:
    """The same on so many random boards."""
    rng = np.random.default_rng(SEED)
    members = np.full((_N, _MOST), len(COMBOS))  # one more stands for no hand
    for at in range(_N):
        found = np.flatnonzero(class_of_combo == at)
        members[at, : len(found)] = found
    wins = np.zeros((_N, _N, _N), np.float32)
    counts = np.zeros((_N, _N, _N), np.float32)
    for _ in range(boards // TOGETHER):
        worse, there = zip(*(_beaten(rng) for _ in range(TOGETHER)), strict=True)
        own = np.concatenate([each[members] for each in worse], axis=1)  # [169, hands, 169]
        wins += np.matmul(own.transpose(0, 2, 1), own)
        live = np.stack(there)
        counts += np.einsum("bi,bj,bk->ijk", live, live, live, optimize=True)
    shares = wins / np.maximum(counts, 1)
    total = shares + shares.transpose(1, 0, 2) + shares.transpose(1, 2, 0)
    return np.asarray(shares / np.maximum(total, np.float32(1e-6)))


def _beaten(rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """On a random board: of each class the hands that a hand beats, ties half ``[1327, 169]``, and how many there are.

    The rows of hands that the board blocks, and the last one, are 0.
    """
    board = rng.permutation(52)[:5].astype(np.uint8)
    packed = np.empty(len(COMBOS) + 1, np.uint32)
    live = int(rank_live(board, COMBO_KEYS, COMBO_BITS, packed))
    found = np.sort(packed[:live])
    combos, ranks = (found & PLACES).astype(np.int64), found >> np.uint32(PLACE_BITS)
    better = np.zeros((live + 1, _N), np.float32)
    better[np.arange(1, live + 1), class_of_combo[combos]] = 1
    np.cumsum(better, axis=0, out=better)
    first, last = np.searchsorted(ranks, ranks, "left"), np.searchsorted(ranks, ranks, "right")
    beaten = np.zeros((len(COMBOS) + 1, _N), np.float32)
    beaten[combos] = better[live] - (better[first] + better[last]) / 2  # the best are first
    return beaten, better[live]

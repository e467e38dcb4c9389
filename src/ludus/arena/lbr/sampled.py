"""Local best response over many hands, with the same result on any number of cores."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np

from ludus.arena.interval import Interval, interval
from ludus.arena.lbr.menus import StreetMenu
from ludus.arena.lbr.response import Floats, LocalBestResponse
from ludus.games.poker import PokerGame
from ludus.parallel import ahead

BLOCK_PAIRS = 4
AHEAD = 4  # blocks per worker that are handed out at a time
MOST_HANDS = 10**9

MakeAgent = Callable[[], object]

_lbr: LocalBestResponse | None = None  # of a worker process


def sampled_lbr(
    game: PokerGame, make_agent: MakeAgent, menus: Sequence[StreetMenu], hands: int, seed: int = 0, workers: int = 1,
    first: int = 0, tables: int = 0,
) -> Generator[Floats, None, None]:  # fmt: skip
    """What local best response wins in hands played in turn from both seats, in chips: blocks ``[pairs, 2 seats]``.

    Hands are rounded up to pairs, one hand from each seat; the ``first`` pairs are left out, as if they had been played
    before. Every pair has its own random numbers, keyed by the seed and its place. With several workers each process
    makes its own agent, so ``make_agent`` must be something that a new process can import, such as
    ``functools.partial(agents.make, "call")``. ``tables`` is how many are played at once by threads of this process
    instead: for an agent who thinks about many tables together.
    """
    if not 1 <= hands <= MOST_HANDS:
        raise ValueError(f"hands are 1 to {MOST_HANDS}, got {hands}")
    if seed < 0 or workers < 1:
        raise ValueError(f"a seed is 0 or more, workers are 1 or more, got {seed} and {workers}")
    lbr = LocalBestResponse(game, make_agent(), menus)  # here too, so that errors show up before the work
    pairs = range(first, -(-hands // 2))
    if tables:
        return _in_threads(lbr, make_agent, pairs, seed, tables)
    return _blocks(lbr, make_agent, pairs, seed, workers)


def _in_threads(
    lbr: LocalBestResponse, make_agent: MakeAgent, pairs: range, seed: int, tables: int
) -> Generator[Floats, None, None]:
    own = threading.local()

    def work(pair: int) -> Floats:
        if not hasattr(own, "lbr"):
            own.lbr = LocalBestResponse(lbr.game, make_agent(), lbr.menus)
        return play_pairs(own.lbr, seed, pair, pair + 1)

    pool = ThreadPoolExecutor(tables)
    try:
        yield from ahead(pool, work, pairs, 2 * tables)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _blocks(
    lbr: LocalBestResponse, make_agent: MakeAgent, pairs: range, seed: int, workers: int
) -> Generator[Floats, None, None]:
    tasks = ((seed, start, min(start + BLOCK_PAIRS, pairs.stop)) for start in pairs[::BLOCK_PAIRS])
    if workers == 1 or len(pairs) <= BLOCK_PAIRS:
        for task in tasks:
            yield play_pairs(lbr, *task)
        return
    context, given = get_context("spawn"), (lbr.game, make_agent, lbr.menus)
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=given)
    try:
        yield from ahead(pool, _work, tasks, AHEAD * workers)
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(game: PokerGame, make_agent: MakeAgent, menus: Sequence[StreetMenu]) -> None:
    global _lbr
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process handles interrupts
    _lbr = LocalBestResponse(game, make_agent(), menus)


def _work(task: tuple[int, int, int]) -> Floats:
    assert _lbr is not None
    return play_pairs(_lbr, *task)


def play_pairs(lbr: LocalBestResponse, seed: int, start: int, end: int) -> Floats:
    """The results of some pairs of hands, ``[pairs, 2 seats]``."""
    won = np.zeros((end - start, 2))
    count = lbr.game.hole_cards
    for at, pair in enumerate(range(start, end)):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(pair,)))
        for seat in range(2):
            hole = sorted(rng.permutation(lbr.game.deck)[:count].tolist())
            won[at, seat] = lbr.play(seat, tuple(hole), rng)
    return won


def intervals(pairs: Floats) -> tuple[Interval, Interval, Interval]:
    """Of both seats together, counted by pairs, and of either seat: results are ``[pairs, 2]``."""
    return interval(pairs.mean(axis=1)), interval(pairs[:, 0]), interval(pairs[:, 1])

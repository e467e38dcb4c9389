"""Local best response over many hands, with the same result on any number of cores."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

import numpy as np

from ludus.arena.interval import Interval, interval
from ludus.arena.lbr.menus import StreetMenu
from ludus.arena.lbr.response import Floats, LocalBestResponse
from ludus.games.poker import PokerGame
from ludus.parallel import HERE, Engine, Work

BLOCK_PAIRS = 4
MOST_HANDS = 10**9

MakeAgent = Callable[[], object]


def sampled_lbr(
    game: PokerGame, make_agent: MakeAgent, menus: Sequence[StreetMenu], hands: int, seed: int = 0,
    engine: Engine = HERE, first: int = 0,
) -> Generator[Floats, None, None]:  # fmt: skip
    """What local best response wins in hands played in turn from both seats, in chips: blocks ``[pairs, 2 seats]``.

    Hands are rounded up to pairs, one hand from each seat; the ``first`` pairs are left out, as if they had been played
    before. Every pair has its own random numbers, keyed by the seed and its place. Each worker of the engine makes its
    own agent, so ``make_agent`` must be something that a new process can import, such as
    ``functools.partial(agents.make, "call")``; threads are for an agent who thinks about many tables together.
    """
    if not 1 <= hands <= MOST_HANDS:
        raise ValueError(f"hands are 1 to {MOST_HANDS}, got {hands}")
    if seed < 0:
        raise ValueError(f"a seed is 0 or more, got {seed}")
    lbr = LocalBestResponse(game, make_agent(), menus)  # here too, so that errors show up before the work
    pairs = range(first, -(-hands // 2))
    return _blocks(lbr, make_agent, pairs, seed, engine)


def _blocks(
    lbr: LocalBestResponse, make_agent: MakeAgent, pairs: range, seed: int, engine: Engine
) -> Generator[Floats, None, None]:
    size = 1 if engine.name == "threads" else BLOCK_PAIRS
    tasks = ((seed, start, min(start + size, pairs.stop)) for start in pairs[::size])
    if engine is HERE or len(pairs) <= size:
        for task in tasks:
            yield play_pairs(lbr, *task)
        return
    given = lbr.game, make_agent, lbr.menus
    work = Work("ludus.arena.lbr.sampled:play_pairs", given, "ludus.arena.lbr.sampled:prepare", seed)
    yield from engine.run(work, tasks)


def prepare(game: PokerGame, make_agent: MakeAgent, menus: Sequence[StreetMenu]) -> LocalBestResponse:
    """What a worker plays with: an agent of its own."""
    return LocalBestResponse(game, make_agent(), menus)


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

"""An agent measured by local best response: exactly where the game is small, else in sampled hands."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from typing import Any

import numpy as np

from ludus import agents
from ludus.arena.interval import Interval, finite
from ludus.arena.lbr import sampled
from ludus.arena.lbr.exact import best_response_values, exact_lbr
from ludus.arena.lbr.menus import StreetMenu
from ludus.arena.lbr.odds import is_holdem
from ludus.games import PokerGame
from ludus.parallel import Engine, Stages

HANDS = 2000


def measure_lbr(
    game: PokerGame,
    agent: str,
    menus: Sequence[StreetMenu],
    hands: int | None,
    seed: int,
    engine: Engine,
    progress: Stages,
) -> dict[str, Any]:
    """What a local best response wins from an agent, in each seat and in both, as plain data.

    Small games are gone through whole unless a number of hands is given. Ctrl-C ends sampling: "complete" is False.
    """
    exact = hands is None and not is_holdem(game)
    begin = time.perf_counter()
    stage = f"LBR against {agent}"
    if exact:
        found = _whole(game, agent, menus, partial(progress, stage))
    else:
        found = _sample(
            game, agent, menus, HANDS if hands is None else hands, seed, engine,
            partial(progress, stage, unit="hands"),
        )  # fmt: skip
    seconds = time.perf_counter() - begin
    return {"exact": exact, "seed": None if exact else seed, **found, "seconds": seconds}


def _whole(
    game: PokerGame, agent: str, menus: Sequence[StreetMenu], progress: Callable[[int, int], object]
) -> dict[str, Any]:
    """The exact value, and that of the best response where it can be had."""
    player: Any = agents.make(agent, game)
    values = exact_lbr(game, player, menus, progress)
    best = best_response_values(game, player)
    seats = [_amount(game, value) for value in values]
    if best is not None:
        for seat, value in zip(seats, best, strict=True):
            seat["best_response_mbb"] = 1000 * value / game.big_blind
    return {
        "hands": None, **_amount(game, sum(values) / 2), "seats": seats,
        "exploitability_mbb": None if best is None else 500 * sum(best) / game.big_blind, "complete": True,
    }  # fmt: skip


def _sample(
    game: PokerGame, agent: str, menus: Sequence[StreetMenu], hands: int, seed: int, engine: Engine,
    progress: Callable[[int, int], object],
) -> dict[str, Any]:  # fmt: skip
    """What was won in sampled hands, and whether all of them were played."""
    played, complete = [np.zeros((0, 2))], True
    times: list[float] = []
    try:
        make = partial(agents.make, agent, game)
        with closing(sampled.sampled_lbr(game, make, menus, hands, seed, engine)) as blocks:
            for block in blocks:
                played.append(block)
                times.append(time.perf_counter())
                progress(min(hands, sum(block.size for block in played)), hands)
    except KeyboardInterrupt:
        complete = False
    pairs = np.vstack(played)
    both, *seats = (_estimate(game, found) for found in sampled.intervals(pairs))
    later = sum(block.size for block in played[2:])  # the first block waits for processes and compiled code
    speed = later / (times[-1] - times[0]) if later else None
    return {
        "hands": pairs.size, **both, "seats": seats, "exploitability_mbb": None, "hands_per_second": speed,
        "complete": complete,
    }  # fmt: skip


def _amount(game: PokerGame, chips: float, ci95: float | None = None) -> dict[str, Any]:
    unit = 1000 / game.big_blind
    return {"chips": chips, "mbb": unit * chips, "mbb_ci95": None if ci95 is None else unit * ci95}


def _estimate(game: PokerGame, found: Interval) -> dict[str, Any]:
    none = {"chips": None, "mbb": None, "mbb_ci95": None}
    amount = _amount(game, found.mean, finite(found.ci95)) if found.units else none
    return {**amount, "too_few": found.too_few}

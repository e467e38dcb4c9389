"""How long an agent thinks about its decisions in heads-up hold'em, street by street."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ludus.agents import Agent, make
from ludus.experiments.bench.rates import Tell
from ludus.games import holdem
from ludus.games.base import TERMINAL
from ludus.games.moves import CALL
from ludus.games.poker import PokerGame
from ludus.games.record import dealt
from ludus.parallel import usable_cores

STREETS = ("preflop", "flop", "turn", "river")


def bench_thinking(agent: str, hands: int, stack: int, seed: int, tell: Tell) -> dict[str, Any]:
    """Seconds of the decisions of hands that an agent plays against itself, with a stack in big blinds.

    Both players remember what they thought in earlier hands. The kernels are compiled before, by two other players.
    """
    game, rng = holdem(stack=2 * stack), np.random.default_rng(seed)
    tell("compiling")
    _play([make(agent, game)] * 2, game, rng, call=True)
    players = [make(agent, game) for _ in range(2)]
    spent: dict[str, list[float]] = {street: [] for street in STREETS}
    for hand in range(hands):
        tell(f"hand {hand + 1} of {hands}")
        for street, seconds in _play(players, game, rng):
            spent[STREETS[street]].append(seconds)
    return {
        "seconds_mean": {street: sum(each) / len(each) if each else None for street, each in spent.items()},
        "seconds_max": {street: max(each, default=None) for street, each in spent.items()},
        "decisions": {street: len(each) for street, each in spent.items()},
        "agent": agent, "hands": hands, "stack_bb": stack, "seed": seed, "cores": usable_cores(),
    }  # fmt: skip


def _play(
    players: Sequence[Agent], game: PokerGame, rng: np.random.Generator, call: bool = False
) -> list[tuple[int, float]]:
    """The streets and the seconds of the decisions of one hand; all are calls if that is said."""
    deck, found = rng.permutation(52).tolist(), list[tuple[int, float]]()
    state = dealt(game.start(), deck)
    while state.player != TERMINAL:
        start = time.perf_counter()
        action = players[state.player].act(state.seen_by(state.player), rng)
        found.append((state.street, time.perf_counter() - start))
        state = dealt(state.apply(CALL if call else action), deck)
    return found

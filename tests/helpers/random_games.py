"""Random hold'em tables for tests of the rules."""

import random
from dataclasses import replace

from ludus.games import holdem
from ludus.games.poker import PokerGame


def random_game(rng: random.Random, betting: str, dialect: str = "casino") -> PokerGame:
    """Any table: 2 to 9 players, unequal stacks, often too small for the blinds, antes, straddles."""
    players = rng.randint(2, 9)
    small, big = rng.choice([(1, 2), (2, 5), (5, 10), (1, 1)])
    deep = rng.choice([4, 30, 200])  # shallow tables reach odd all-ins more often
    game = holdem(
        players=players,
        stack=[rng.randint(1, deep * big) for _ in range(players)],
        blinds=(small, big),
        ante=rng.choice([0, 0, 1, 3]),
        straddle=2 * big if players > 3 and rng.random() < 0.2 else 0,
        betting=betting,
        dialect=dialect,
    )
    if rng.random() < 0.2:  # a big-blind ante
        antes = [0] * players
        antes[0 if players == 2 else 1] = big
        game = replace(game, antes=tuple(antes))
    return replace(game, max_raises=(4,) * 4) if betting == "limit" else game

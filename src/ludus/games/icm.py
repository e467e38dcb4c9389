"""What stacks are worth in a tournament, by the independent chip model: chances of places by chips (Malmuth-Harville).

The chance to finish first is the share of the chips; given who is first, the chance of second place is the share of the
chips of the others, and so on (Harville 1973 for horses, Malmuth 1987 for poker). The model knows neither skill nor
position nor blinds.
"""

from __future__ import annotations

from collections.abc import Sequence

MOST_PLAYERS = 10


def icm(stacks: Sequence[int], prizes: Sequence[float]) -> tuple[float, ...]:
    """The part of the prizes, the first place's first, that each stack is worth; exact.

    Those without chips share the last places. Missing prizes are 0.

    >>> [round(share, 2) for share in icm((5000, 3000, 2000), (50, 30, 20))]
    [38.39, 32.75, 28.86]
    """
    if not 1 <= len(stacks) <= MOST_PLAYERS or min(stacks) < 0 or not any(stacks):
        raise ValueError(f"stacks are those of 1 to {MOST_PLAYERS} players, not negative and not all 0, got {stacks}")
    if len(prizes) > len(stacks):
        raise ValueError(f"{len(prizes)} prizes are too many for {len(stacks)} players")
    paid = [*map(float, prizes), *[0.0] * (len(stacks) - len(prizes))]
    inside = [player for player, stack in enumerate(stacks) if stack]
    worth = [0.0] * len(stacks)
    broke = len(stacks) - len(inside)
    for player, stack in enumerate(stacks):
        if not stack:
            worth[player] = sum(paid[len(inside) :]) / broke
    chances = {0: 1.0}  # of every set of players, as bits, to have taken the places so far
    total = sum(stacks)
    for prize in paid[: len(inside)]:
        after: dict[int, float] = {}
        for taken, chance in chances.items():
            rest = total - sum(stacks[player] for player in inside if taken >> player & 1)
            for player in inside:
                if not taken >> player & 1:
                    share = chance * stacks[player] / rest
                    worth[player] += prize * share
                    key = taken | 1 << player
                    after[key] = after.get(key, 0.0) + share
        chances = after
        if not any(paid):
            break
    return tuple(worth)

"""Side pots, and how they are shared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pot:
    """Chips, and the seats that can win them."""

    amount: int
    seats: tuple[int, ...]


def side_pots(paid: Sequence[int], live: Sequence[int], dead: int = 0) -> list[Pot]:
    """The main pot and the side pots, in the order in which they form.

    ``paid`` is what each seat has put in, ``live`` the seats that have not folded, ``dead`` chips that belong to the
    main pot without counting as anybody's bet. Layers that the same seats can win are one pot.

    >>> side_pots([50, 100, 100, 20], live=[0, 1, 2])
    [Pot(amount=170, seats=(0, 1, 2)), Pot(amount=100, seats=(1, 2))]
    """
    pots: list[Pot] = []
    below, amount = 0, dead
    for level in sorted(set(paid)):
        amount += sum(min(chips, level) - below for chips in paid if chips > below)
        below = level
        seats = tuple(seat for seat in live if paid[seat] >= level)
        if pots and (pots[-1].seats == seats or not seats):
            pots[-1] = Pot(pots[-1].amount + amount, pots[-1].seats)
        elif amount:
            pots.append(Pot(amount, seats))
        amount = 0
    return pots


def winners_of(pot: Pot, strength: Sequence[int]) -> list[int]:
    """The seats whose hand is the best of those that can win the pot."""
    best = max(strength[seat] for seat in pot.seats)
    return [seat for seat in pot.seats if strength[seat] == best]


def share_pots(pots: Sequence[Pot], strength: Sequence[int], players: int, exact: bool) -> list[float]:
    """What each seat takes from the pots; the highest strength wins, equal ones share.

    Either exactly, in fractions of a chip if need be, or in whole chips with the odd ones to the first seat that wins.

    >>> share_pots([Pot(101, (0, 1))], [7, 7, 0], 3, exact=False)
    [51, 50, 0]
    """
    taken: list[float] = [0] * players
    for pot in pots:
        winners = winners_of(pot, strength)
        for seat in winners:
            taken[seat] += pot.amount / len(winners) if exact else pot.amount // len(winners)
        if not exact:
            taken[winners[0]] += pot.amount % len(winners)
    return taken

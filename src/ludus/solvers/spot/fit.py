"""Whether a spot fits into memory, and what would make it fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ludus.games.menu import PlayerSizes
from ludus.games.sizes import Sizes
from ludus.parallel import memory_limit
from ludus.solvers.spot.layout import STREETS, Layout
from ludus.trees.betting import RIVER
from ludus.trees.spot import Spot

GIGABYTE = 1e9


def available_memory() -> int:
    """Bytes that the machine can still give, at most what its container may take."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return min(1024 * int(line.split()[1]), memory_limit())
    except (OSError, ValueError, IndexError):
        pass
    return memory_limit()


def needed_memory(layout: Layout, saving: bool = False, packed: bool = False) -> int:
    """Bytes for solving a spot: regrets, strategies, the lists of hands, and what is written when it is saved."""
    lists = sum(array.nbytes for boards in layout.boards for hands in boards.hands for array in hands)
    return layout.memory // (1 + packed) + lists + (layout.memory // 2 if saving else 0)  # two bytes, and their file


def check_fits(layout: Layout, most: float, saving: bool = False, packed: bool = False) -> None:
    """ValueError says what would make a spot fit that does not."""
    needed = needed_memory(layout, saving, packed)
    if needed <= most:
        return
    ways = {} if packed else {"16-bit tables (--compress)": needed_memory(layout, saving, packed=True)}
    ways |= dict(ways_to_fit(layout.spot, needed, saving))
    fitting = {name: taken for name, taken in ways.items() if taken <= most}
    told = [f"{name} ({memory_text(taken)})" for name, taken in (fitting or ways).items()]
    told.append(f"ranges with {100 * most / needed:.2g} % of the hands")
    raise ValueError(
        f"this spot takes {memory_text(needed)} of memory and {memory_text(most)} are there; "
        f"{'it fits with' if fitting else 'less is taken by'} {' or '.join(told)}"
    )


def ways_to_fit(spot: Spot, needed: float, saving: bool = False) -> Iterator[tuple[str, int]]:
    """Simpler spots that take less memory than is needed, each with the bytes that it takes."""
    for name, simpler in _simpler(spot):
        try:
            taken = needed_memory(Layout.of(simpler), saving)
        except ValueError:  # no hand is left on the board one street later
            continue
        if taken < 0.95 * needed:
            yield name, taken


def _simpler(spot: Spot) -> Iterator[tuple[str, Spot]]:
    streets = tuple(tuple(map(_smallest, street)) for street in spot.menu.streets)
    if streets != spot.menu.streets:
        yield "one bet and one raise size each", spot.changed(menu=replace(spot.menu, streets=streets))
    for cap in (2, 1, 0):
        if spot.rules.raise_cap is None or cap < spot.rules.raise_cap:
            yield f"raise_cap = {cap}", spot.changed(rules=replace(spot.rules, raise_cap=cap))
    if len(spot.board) < RIVER:
        card = next(card for card in range(52) if card not in spot.board)
        yield f"starting on the {STREETS[len(spot.board) + 1]}", spot.changed(board=(*spot.board, card))


def _smallest(sizes: PlayerSizes) -> PlayerSizes:
    """The first of each list of sizes."""
    donk = None if sizes.donk is None else Sizes(sizes.donk.items[:1])
    return PlayerSizes(tuple(Sizes(row.items[:1]) for row in sizes.rows), donk)


def memory_text(size: float) -> str:
    """Bytes in a unit that suits.

    >>> memory_text(730_000), memory_text(58e6), memory_text(12.3e9)
    ('0.73 MB', '58 MB', '12.3 GB')
    """
    return f"{size / GIGABYTE:.3g} GB" if size >= GIGABYTE else f"{size / 1e6:.3g} MB"

"""How wrong fast solutions of flops are: measured against exact ones, by stacks.

Spots have the bets that students ask for, not those that networks learned, so that the difference counts as an error.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from ludus.arena.interval import student_95
from ludus.cards.card import format_cards
from ludus.cards.ranges import Weights, expand_classes, parse_range
from ludus.experiments.bench.rates import Tell
from ludus.nets.holdem.shipped import FOLDER
from ludus.search.fast_spots import STAGES, solve_fast
from ludus.solvers.running import Limits, Measuring, aimed_at, run
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.solve import Measured, SpotRun, measure, solve_spot
from ludus.solvers.spot.solver import SpotSolver
from ludus.trees.spot import Spot

POT, CLASSES = 200, 169
TARGET = 0.3  # percent of the pot, of the exact solutions
STACKS = ((1.0, 2.5), (2.5, 6.0), (6.0, 18.0))  # in pots, from and to
RANGES = {
    "raised": (
        "22-99, A2s-ATs, K8s-KJs, Q9s-QJs, J9s+, T8s+, 97s+, 86s+, 76s, 65s, 54s, A9o-AJo, KTo-KQo, QJo",
        "22+, A2s+, K9s+, QTs+, JTs, T9s, 98s, 87s, 76s, ATo+, KJo+, QJo",
    ),
    "three-bet": (
        "TT+, AQs+, A5s-A2s, KJs+, QJs:50%, JTs:50%, T9s:50%, 98s:30%, AQo+, AJo:30%, KQo:40%, 99:50%, ATs:50%",
        "22-QQ, A8s-AQs, A4s-A5s, KTs+, QTs+, JTs, T9s, 98s, 87s, 76s, AQo, AJo:50%, KQo:40%, AKs:50%, AKo:50%",
    ),
    "four-bet": ("QQ-TT, AKs, AQs, AJs, KQs, AKo", "AA-QQ, AKs, AKo, AQs, A5s-A4s, KQs:50%"),
}
"""Of the players out of position and in position, by how the pot was made."""
KINDS = (("four-bet", "three-bet", "random"), ("three-bet", "raised", "random"), ("raised", "raised", "random"))
"""The ranges of spots with stacks as above, in turn."""
KEPT = 0.2  # of the classes of hands, in a random range
SIZES = {"flop": ("33%", "50%", "75%"), "turn": ("50%", "66%", "100%"), "river": ("50%", "75%", "a")}


@dataclass(frozen=True)
class Compared:
    """A spot solved both ways; errors in percent of the pot."""

    board: str
    ranges: str
    stack: float  # in pots
    value: float  # what a whole range gets: the error of the fast solution
    losses: tuple[float, float]  # of playing it on the flop, by OOP and IP
    seconds: tuple[float, float]  # fast and exact


def bench_fast(spots: int, seed: int, workers: int, tell: Tell) -> dict[str, Any]:
    """Errors of fast solutions on so many spots for each range of stacks."""
    rng = np.random.default_rng(seed)
    rows, found = list[dict[str, Any]](), list[dict[str, Any]]()
    for band, (low, high) in enumerate(STACKS):
        compared = []
        for number in range(spots):
            tell(f"stacks of {low:g} to {high:g} pots, spot {number + 1} of {spots}")
            kind = KINDS[band][number % len(KINDS[band])]
            stack = float(np.exp(rng.uniform(*np.log((low, high)))))
            compared.append(compare(random_spot(kind, stack, rng), kind, workers))
        rows.append({"from": low, "to": high, "spots": spots, **_errors(compared)})
        found += [asdict(each) for each in compared]
    network = sha256((FOLDER / f"{STAGES[3]}.safetensors").read_bytes()).hexdigest()
    return {"stacks": rows, "network": network, "seed": seed, "target": TARGET, "spots": found}


def _errors(compared: list[Compared]) -> dict[str, float]:
    """Means, and what 19 of 20 errors stay below.

    EVs are off to either side, and a few spots miss the worst: so it is Student's interval for one more error around 0.
    """
    values, losses = [each.value for each in compared], [loss for each in compared for loss in each.losses]
    figures = {
        "value_mean": np.mean(values), "value_p95": student_95(len(values)) * np.sqrt(np.mean(np.square(values))),
        "loss_mean": np.mean(losses), "loss_p95": np.quantile(losses, 0.95, method="higher"),
    }  # fmt: skip
    return {name: round(float(figure), 2) for name, figure in figures.items()}


def random_spot(kind: str, stack: float, rng: np.random.Generator) -> Spot:
    """A random flop with ranges of a kind, a stack in pots, and one size of bets on each street."""
    board = rng.permutation(52)[:3].tolist()
    oop, ip = map(parse_range, RANGES[kind]) if kind in RANGES else (_random_range(rng), _random_range(rng))
    sizes = {street: {"bet": str(rng.choice(some))} for street, some in SIZES.items()}
    sizes["flop"]["raise"] = "60%"
    return Spot.of(board, POT, round(POT * stack), oop, ip, sizes, raise_cap=1)


def _random_range(rng: np.random.Generator) -> Weights:
    kept = rng.permutation(CLASSES) < KEPT * CLASSES
    return expand_classes(np.where(kept, np.round(rng.random(CLASSES), 2), 0.0).tolist())


def compare(spot: Spot, ranges: str, workers: int) -> Compared:
    """Solve a spot both ways, and once more for each player who plays as the fast solution does."""
    fast, layout = solve_fast(spot), Layout.of(spot)
    exact = solve_spot(layout, target=TARGET, workers=workers)
    worth = _middle(exact.measured)
    locked = [_middle(_locked(layout, fast, player, workers)) for player in (0, 1)]
    losses = worth - locked[0], locked[1] - worth
    return Compared(
        format_cards(spot.board, " "), ranges, round(spot.stack / spot.pot, 2),
        _percent(abs(fast.measured.value[0] - worth)), (_percent(losses[0]), _percent(losses[1])),
        (round(fast.seconds, 2), round(exact.seconds, 1)),
    )  # fmt: skip


def _percent(chips: float) -> float:
    return round(max(0.0, 100 * chips / POT), 3)


def _middle(measured: Measured) -> float:
    """What OOP gets when both play their best: the middle of the bounds that best responses give."""
    return (measured.best_response[0] - measured.best_response[1]) / 2


def _locked(layout: Layout, fast: SpotRun, player: int, workers: int) -> Measured:
    """The spot solved where a player plays the flop as in the fast solution, and everything else is played best."""
    solver = SpotSolver(layout, workers=workers)
    solver.lock_first_street(player, fast.solver.sums[0][player].plain)
    measuring = Measuring(lambda: measure(solver, value=False).percent, float, aimed_at(TARGET))
    run(solver, Limits(None, TARGET, None), measuring)
    return measure(solver)

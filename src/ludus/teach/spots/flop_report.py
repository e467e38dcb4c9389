"""One spot on many flops, each estimated by value networks in a second or two, as JSON data."""

from __future__ import annotations

from typing import Any

from ludus.cards.card import CARDS
from ludus.search.fast_spots import first_street, solve_fast
from ludus.solvers.spot.flop_runs import wanted_flops
from ludus.solvers.spot.flops import on_flop
from ludus.solvers.spot.layout import PLAYERS
from ludus.solvers.spot.solution import Solution
from ludus.teach.spots.places import rounded
from ludus.trees.spot import Spot

MOST = 200  # flops of a report
CHECK = "X"


def flops(spot: dict[str, Any], count: int) -> dict[str, Any]:
    """Flops that stand for all, the first to be estimated first, each with the number of flops that it stands for."""
    if not 1 <= count <= MOST:
        raise ValueError(f"a report is of 1 to {MOST} flops, got {count}")
    asked = Spot.from_dict(spot)
    first_street(asked)  # it says why a network cannot stand for the rest
    wanted = wanted_flops(asked, None, count)
    return {"flops": [{"flop": [CARDS[card] for card in flop], "times": times} for flop, times in wanted.items()]}


def flop_row(spot: dict[str, Any], flop: list[str]) -> dict[str, Any]:
    """What one flop makes of the spot: EVs and equities, what the first player does, and the other after a check."""
    here = on_flop(Spot.from_dict(spot), [CARDS.index(card) for card in flop])
    run = solve_fast(here)
    solution = Solution.of(run)
    view = solution.at()
    lines = {"": _does(solution, "")}
    if any(str(action) == CHECK for action in view.actions):
        lines[CHECK] = _does(solution, CHECK)
    assert run.accuracy is not None
    content: dict[str, Any] = rounded({
        "flop": flop, "hands": float(view.weights[0].sum()), "pot": here.pot,
        "ev": dict(zip(PLAYERS, view.mean_ev, strict=True)),
        "equity": dict(zip(PLAYERS, view.mean_equity, strict=True)),
        "lines": lines, "accuracy": run.accuracy.to_dict(),
    })  # fmt: skip
    return content


def _does(solution: Solution, line: str) -> dict[str, Any]:
    view = solution.at(line)
    actions = [
        {"key": str(action), "kind": said.verb, "amount": said.chips, "share": share}
        for action, said, share in zip(view.actions, view.phrases, view.frequencies.tolist(), strict=True)
    ]
    return {"player": PLAYERS[view.player], "actions": actions}

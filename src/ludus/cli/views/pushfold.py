"""Play before the flop as a table, as charts, and in files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.table import Table

from ludus.cards.ranges import CLASSES, expand_classes, format_range
from ludus.cli.views.chart import chart_figure, print_chart
from ludus.cli.views.tables import print_table
from ludus.experiments.plots import save_figure
from ludus.files import write_atomically, write_csv
from ludus.games.action import Kind
from ludus.solvers.preflop import SEATS, Decision, PreflopSolution, PreflopTree
from ludus.teach.chart import Chart

MOST_CHARTS = 12  # in a figure
NEVER = 0.0005  # what comes up less often is not shown


def as_data(found: PreflopSolution) -> dict[str, Any]:
    """A solution as JSON data."""
    return {
        **asdict(found.tree),
        "algorithm": found.algorithm,
        "iterations": found.iterations,
        "seconds": found.seconds,
        "value": found.value,
        "best_response": found.evaluation.best_response,
        "exploitability": found.exploitability,
        "exploitability_mbb": 1000 * found.exploitability,
        "decisions": [_decision_data(decision) for decision in found.decisions],
    }


def _decision_data(decision: Decision) -> dict[str, Any]:
    reached = bool(decision.reach.any())
    return {
        "player": SEATS[decision.player],
        "after": decision.path,
        "probability": decision.probability,
        "actions": decision.names,
        "frequencies": decision.frequencies.tolist() if reached else None,
        "ranges": {action: _range(decision, at) for at, action in enumerate(decision.names)},
        "reach": dict(zip(CLASSES, decision.reach.tolist(), strict=True)),
        "strategy": dict(zip(CLASSES, decision.strategy.tolist(), strict=True)),
    }


def _range(decision: Decision, action: int) -> str:
    """The hands that get here and take an action, their weights rounded to whole per cents."""
    return format_range(expand_classes((decision.reach * decision.strategy[:, action]).round(2)))


def _charts(decisions: Sequence[Decision]) -> list[Chart]:
    """Charts of decisions; what rounds to nothing is left out of them."""
    return [
        Chart(each.name, each.names, each.kinds, each.strategy, each.reach * (each.reach >= 0.005))
        for each in decisions
    ]


def _shown(found: PreflopSolution, most: int | None = None) -> list[Decision]:
    """The decisions that come up, or as many as wished that come up most often, in the order of the tree."""
    often = sorted(found.decisions, key=lambda decision: -decision.probability)[:most]
    least = max(often[-1].probability, NEVER)
    return [decision for decision in found.decisions if decision.probability >= least]


def draw(path: Path, found: PreflopSolution) -> int:
    """Draw the charts of the commonest decisions; how many are left out."""
    decisions = _shown(found, MOST_CHARTS)
    title = f"{_name(found.tree)}: the small blind wins {found.value:+.4f} big blinds a hand"
    save_figure(chart_figure(_charts(decisions), title), path)
    return len(_shown(found)) - len(decisions)


def write(path: Path, found: PreflopSolution) -> None:
    """The strategy as JSON or CSV, by the name's ending."""
    if path.suffix.lower() == ".json":
        write_atomically(path, (json.dumps(as_data(found), indent=1) + "\n").encode())
        return
    rows = [
        (SEATS[decision.player], ", ".join(decision.path), hand, reach, action, chance)
        for decision in found.decisions
        for hand, reach, chances in zip(CLASSES, decision.reach.tolist(), decision.strategy.tolist(), strict=True)
        for action, chance in zip(decision.names, chances, strict=True)
    ]
    write_csv(path, ("player", "after", "hand", "reach", "action", "frequency"), rows)


def _name(tree: PreflopTree) -> str:
    kind = "Push or fold" if tree.allin_only else "Raise tree before the flop"
    return f"{kind}, {tree.stack:g} big blinds" + (f", ante {tree.ante:g}" if tree.ante else "")


def show(found: PreflopSolution, target: float, charts: bool) -> None:
    """Print the value, the decisions that come up, and charts if asked for."""
    print(
        f"{_name(found.tree)}: the small blind wins {found.value:+.6f} big blinds a hand\n"
        f"exploitability {1000 * found.exploitability:.3g} mbb a hand, {len(found.decisions)} decisions, "
        f"{found.algorithm}, {found.iterations:,} iterations in {found.seconds:.2f} s"
    )
    if found.exploitability > target:
        print(f"The target of {target:g} big blinds was not reached.")
    if not found.tree.allin_only:
        print("No play after the flop: what is called and not all-in is shared by all-in equity.")
    table = Table(box=None, pad_edge=False)
    table.add_column("decision", overflow="fold")
    table.add_column("comes up %", justify="right")
    table.add_column("action")
    table.add_column("taken %", justify="right")
    table.add_column("hands", overflow="fold")
    for decision in _shown(found):
        words = [decision.name, f"{100 * decision.probability:.1f}"]
        for at in reversed(range(len(decision.actions))):
            hands = _range(decision, at) if decision.actions[at].kind != Kind.FOLD else "the rest"
            table.add_row(*words, decision.names[at], f"{100 * decision.frequencies[at]:.1f}", hands)
            words = ["", ""]
    print_table(table)
    if charts:
        for chart in _charts(_shown(found)):
            print()
            print_chart(chart)

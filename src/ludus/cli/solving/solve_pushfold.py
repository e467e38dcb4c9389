"""``ludus solve pushfold``: heads-up play before the flop for short stacks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ludus.cards.preflop import PreflopTable
    from ludus.cli.chart import Chart
    from ludus.solvers.preflop import Decision, PreflopSolution, PreflopTree

TREE, STOP, FILES = "The bets, in big blinds", "When to stop", "Results and files"
MOST_CHARTS = 12  # in a figure
NEVER = 0.0005  # what comes up less often is not shown


def pushfold(
    stack: Annotated[
        float, typer.Option(help="What each player has before blinds and antes.", rich_help_panel=TREE)
    ] = 10.0,
    small_blind: Annotated[float, typer.Option(help="The small blind.", rich_help_panel=TREE)] = 0.5,
    ante: Annotated[float, typer.Option(help="Each player's ante.", rich_help_panel=TREE)] = 0.0,
    raises: Annotated[
        str, typer.Option(help="What the small blind can open to, such as 2,2.5.", rich_help_panel=TREE)
    ] = "",
    reraises: Annotated[
        str, typer.Option(help="Later raises, as multiples of the bet before them, such as 3.", rich_help_panel=TREE)
    ] = "",
    limp: Annotated[bool, typer.Option("--limp", help="The small blind can just call.", rich_help_panel=TREE)] = False,
    no_all_in: Annotated[
        bool, typer.Option("--no-all-in", help="Nobody can move all-in.", rich_help_panel=TREE)
    ] = False,
    target: Annotated[
        float, typer.Option(help="At this exploitability, in big blinds a hand.", rich_help_panel=STOP)
    ] = 1e-6,
    iterations: Annotated[
        int, typer.Option(help="After so many iterations at the latest.", rich_help_panel=STOP)
    ] = 100_000,
    algorithm: Annotated[
        str, typer.Option("--algorithm", "-a", help="One of the CFR family, see `ludus solve --list`.")
    ] = "dcfr+",
    charts: Annotated[
        bool | None,
        typer.Option(help="Print 13 x 13 charts.", show_default="for push or fold", rich_help_panel=FILES),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the charts, as PNG, SVG or PDF.", rich_help_panel=FILES)
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the strategy to this .json or .csv file.", rich_help_panel=FILES)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=FILES)] = False,
) -> None:
    """Heads-up before the flop: push or fold, or simple raise trees, solved exactly over the 169 classes of hands.

    Without --raises and --limp the small blind moves all-in or folds, and the big blind calls or folds.

    There is no play after the flop: a called raise that is not all-in ends the hand, and each player takes the share
    of the pot that his all-in equity is. So raise trees are a sketch, push or fold is the game itself.
    """
    from ludus.cli.views.progress import solver_bar
    from ludus.experiments.plots import check_plot_path
    from ludus.solvers.preflop import PreflopTree, solve_preflop

    tree = PreflopTree(
        stack, small_blind, ante, _sizes("--raises", raises), _sizes("--reraises", reraises), limp, not no_all_in
    )
    if plot:
        check_plot_path(plot)
    if out and out.suffix.lower() not in (".json", ".csv"):
        raise ValueError(f"--out is a file ending in .json or .csv, got {out.name!r}")
    table = _preflop_table()
    with solver_bar("before the flop", iterations, target) as progress:
        found = solve_preflop(tree, table, target=target, iterations=iterations, algorithm=algorithm, progress=progress)
    left_out = _draw(plot, found) if plot else 0
    if out:
        _write(out, found)
    if as_json:
        print(json.dumps(as_data(found)))
        return
    _show(found, target, tree.allin_only if charts is None else charts)
    if left_out:
        print(f"the figure shows the commonest decisions; {left_out} rarer ones are left out")
    for path in (plot, out):
        if path:
            print(f"wrote {path}")


def _sizes(option: str, text: str) -> tuple[float, ...]:
    try:
        return tuple(float(word) for word in text.split(",")) if text.strip() else ()
    except ValueError:
        raise ValueError(f"{option} is a list of numbers such as 2,2.5, got {text!r}") from None


def _preflop_table() -> PreflopTable:
    """The table of equities, built the first time."""
    from ludus.cards.preflop import build_preflop_table, preflop_table, table_path
    from ludus.cli.views.progress import progress_bar
    from ludus.parallel import usable_cores

    if table_path().exists():
        return preflop_table()
    with progress_bar("pre-flop table, once") as progress:
        return build_preflop_table(progress, usable_cores())


def as_data(found: PreflopSolution) -> dict[str, Any]:
    """A solution as JSON has it."""
    from dataclasses import asdict

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
    from ludus.cards.ranges import CLASSES
    from ludus.solvers.preflop import SEATS

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
    """The hands that come here and take an action, their weights rounded to whole per cents."""
    from ludus.cards.ranges import expand_classes, format_range

    return format_range(expand_classes((decision.reach * decision.strategy[:, action]).round(2)))


def _charts(decisions: Sequence[Decision]) -> list[Chart]:
    """Charts of decisions; what rounds to nothing is left out of them."""
    from ludus.cli.chart import Chart

    return [
        Chart(
            each.name,
            each.names,
            tuple(action.kind for action in each.actions),
            each.strategy,
            each.reach * (each.reach >= 0.005),
        )
        for each in decisions
    ]


def _shown(found: PreflopSolution, most: int | None = None) -> list[Decision]:
    """The decisions that come up, or so many that come up most often, in the order of the tree."""
    often = sorted(found.decisions, key=lambda decision: -decision.probability)[:most]
    least = max(often[-1].probability, NEVER)
    return [decision for decision in found.decisions if decision.probability >= least]


def _draw(path: Path, found: PreflopSolution) -> int:
    """Draw the charts of the commonest decisions; how many are left out."""
    from ludus.cli.chart import chart_figure
    from ludus.experiments.plots import save_figure

    decisions = _shown(found, MOST_CHARTS)
    title = f"{_name(found.tree)}: the small blind wins {found.value:+.4f} big blinds a hand"
    save_figure(chart_figure(_charts(decisions), title), path)
    return len(_shown(found)) - len(decisions)


def _write(path: Path, found: PreflopSolution) -> None:
    import csv
    import io

    from ludus.cards.ranges import CLASSES
    from ludus.files import write_atomically
    from ludus.solvers.preflop import SEATS

    if path.suffix.lower() == ".json":
        write_atomically(path, (json.dumps(as_data(found), indent=1) + "\n").encode())
        return
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["player", "after", "hand", "reach", "action", "frequency"])
    for decision in found.decisions:
        for hand, reach, chances in zip(CLASSES, decision.reach.tolist(), decision.strategy.tolist(), strict=True):
            for action, chance in zip(decision.names, chances, strict=True):
                rows.writerow([SEATS[decision.player], ", ".join(decision.path), hand, reach, action, chance])
    write_atomically(path, text.getvalue().encode())


def _name(tree: PreflopTree) -> str:
    kind = "Push or fold" if tree.allin_only else "Raise tree before the flop"
    return f"{kind}, {tree.stack:g} big blinds" + (f", ante {tree.ante:g}" if tree.ante else "")


def _show(found: PreflopSolution, target: float, charts: bool) -> None:
    from rich.table import Table

    from ludus.cli.chart import print_chart
    from ludus.cli.views.tables import print_table
    from ludus.games.action import Kind

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

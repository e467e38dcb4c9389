"""What ``ludus solve spot`` shows: the spot before the work, a bar on the way, the result after it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.columns import Columns
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

from ludus.cards.card import format_cards
from ludus.cli.solving.solve_spot import PLAYERS
from ludus.cli.views.tables import print_table
from ludus.experiments.plots import convergence_plot
from ludus.games.action import Kind
from ludus.parallel import usable_cores
from ludus.search.fast_spots import solve_fast
from ludus.solvers.running import SLOPE, Check
from ludus.solvers.spot.fit import memory_text
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.reports import Summary, summarise
from ludus.solvers.spot.solution import Solution
from ludus.solvers.spot.solve import SpotRun, solve_spot
from ludus.trees.spot import Spot


def describe(layout: Layout, packed: bool = False) -> str:
    """What is about to be solved, and what it takes."""
    spot, hands = layout.spot, layout.boards[0].hands
    return (
        f"{spot_name(spot)}: {len(hands[0].combo)} hands against {len(hands[1].combo)}, "
        f"{layout.tree.decisions:,} decisions in {len(layout.tree):,} lines of betting, "
        f"{layout.nodes:,} nodes with the cards, {memory_text(layout.memory // (1 + packed))} of memory"
    )


def spot_name(spot: Spot) -> str:
    """The board, the pot and the stacks."""
    rake = f", rake {spot.rake}" if spot.rake.percent else ""
    locks = f", {len(spot.locks)} lock{'s' * (len(spot.locks) > 1)}" if spot.locks else ""
    where = f"{format_cards(spot.board, ' ')}, pot {spot.pot}"
    if not spot.board:
        oop, ip = spot.subgame.bets
        where = f"before the flop, blinds {ip}/{oop}" + (f", {spot.pot} more in the pot" if spot.pot else "")
    return f"{where}, stacks {spot.stack}{rake}{locks}"


def run_spot(
    layout: Layout, algorithm: str | None, target: float | None, iterations: int | None, seconds: float | None,
    workers: int | None, checkpoint: Path | None = None, title: str = "", packed: bool = False,
) -> SpotRun:  # fmt: skip
    """Solve with a bar; a spot that ends after its first street by networks."""
    title = title or format_cards(layout.spot.board) or "before the flop"
    with _bar(title, iterations, target, seconds) as progress:
        if layout.spot.subgame.depth is not None:
            return solve_fast(
                layout, algorithm, target=target, iterations=iterations, seconds=seconds, progress=progress
            )
        return solve_spot(
            layout, algorithm, target=target, iterations=iterations, seconds=seconds,
            workers=workers or usable_cores(), packed=packed, checkpoint=checkpoint, progress=progress,
        )  # fmt: skip


@contextmanager
def _bar(
    title: str, iterations: int | None, target: float | None, seconds: float | None
) -> Iterator[Callable[[Check[float]], None]]:
    """A bar on standard error that shows how far the nearest of the limits is away."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=12), TextColumn("{task.fields[text]}"))
    with Progress(*columns, transient=True, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"{title}: preparing", total=None, text="")
        measured: list[tuple[int, float]] = []

        def progress(check: Check[float]) -> None:
            if check.measured is not None:
                measured.append((check.iterations, check.measured))
            wanted = [iterations] if iterations else []
            if target and measured:  # where the descent so far will end
                at, percent = measured[-1]
                wanted.append(max(check.iterations + 1, math.ceil(at * max(1.0, percent / target) ** (1 / SLOPE))))
            speed = max(check.iterations_per_second, 1e-9)
            left = [(goal - check.iterations) / speed for goal in wanted] + (
                [seconds - check.seconds] if seconds else []
            )
            parts = [f"{check.iterations} it", f"{speed:.3g} it/s"]
            if measured:
                parts.append(f"exploitability {measured[-1][1]:.3g} %" + (f" (target {target:g} %)" if target else ""))
            if left:
                minutes, rest = divmod(max(0, math.ceil(min(left))), 60)
                parts.append(f"{minutes}:{rest:02} left")
            done = [check.iterations / goal for goal in wanted] + ([check.seconds / seconds] if seconds else [])
            bar.update(
                task, description=title, total=1.0, completed=min(1.0, max(done, default=0.0)), text="  ".join(parts)
            )

        yield progress


def report(
    run: SpotRun, target: float | None, out: Path | None, rivers: bool, plot: Path | None, hands: bool, as_json: bool
) -> None:
    """Save, draw and print what was found."""
    if out:
        Solution.of(run, rivers).save(out)
    if plot:
        points = [(check.iterations, check.measured) for check in run.checks if check.measured is not None]
        title = f"{spot_name(run.solver.layout.spot)}: {run.algorithm}"
        convergence_plot(plot, {run.algorithm: points}, title, "exploitability (% of the pot)")
    summary = summarise(run)
    if as_json:
        print(json.dumps(_as_json(run, summary, target, out, hands)))
        return
    _show(run, summary, target)
    if hands:
        _show_hands(summary)
    for path in (out, plot):
        if path:
            print(f"wrote {path}")
    if out and summary.actions:
        first = next(action for action in summary.actions if action.kind != Kind.FOLD)
        print(f"Look at it: ludus spot show {out} --line {first}")
    elif not out:
        print("--out FILE keeps the solution, `ludus spot show FILE` shows it")


def _as_json(
    run: SpotRun, summary: Summary, target: float | None, out: Path | None, hands: bool
) -> dict[str, Any]:  # fmt: skip
    layout = run.solver.layout
    content = {
        "spot": layout.spot.changed(depth=None).to_dict(),
        "algorithm": run.algorithm,
        "target": target,
        "estimate": run.accuracy and run.accuracy.to_dict(),
        "exploitability_percent": summary.exploitability_percent,
        "exploitability": run.measured.exploitability,
        "ev": dict(zip(PLAYERS, summary.ev, strict=True)),
        "best_response": dict(zip(PLAYERS, summary.best_response, strict=True)),
        "equity": dict(zip(PLAYERS, summary.equity, strict=True)),
        "root": {
            "player": PLAYERS[layout.tree.kind[0]] if summary.actions else None,
            "actions": [*map(str, summary.actions)],
            "names": summary.names,
            "frequencies": summary.frequencies,
        },
        "iterations": run.iterations,
        "seconds": run.seconds,
        "stopped_by": run.stopped_by,
        "resumed_from": run.resumed_from,
        "memory_mb": run.solver.memory / 1e6,
        "nodes": layout.nodes,
        "decisions": layout.tree.decisions,
        "zero_sum": not layout.spot.rake.percent,
        "checks": [[check.iterations, check.seconds, check.measured] for check in run.checks],
        "out": out and str(out),
    }
    if run.accuracy is not None:  # beyond the first street nothing was measured
        content |= dict.fromkeys(("exploitability_percent", "exploitability", "best_response"))
        content["checks"] = [[check.iterations, check.seconds, None] for check in run.checks]
    if hands:
        content["hand_ev"] = dict(zip(PLAYERS, summary.hand_ev, strict=True))
    return content


def _show(run: SpotRun, summary: Summary, target: float | None) -> None:
    layout, spot = run.solver.layout, run.solver.layout.spot
    pot = spot.pot + sum(spot.subgame.bets)
    if run.resumed_from:
        print(f"resumed after {run.resumed_from:,} iterations; seconds are those since then")
    after = f"after {run.iterations:,} iterations of {run.algorithm} in {run.seconds:.2f} s"
    if run.accuracy is not None:
        street = "flop" if spot.board else "betting before the flop"
        print(f"an estimate, by a value network behind the {street}, {after}")
        print(f"{run.accuracy}")
    else:
        exploitable = f"{summary.exploitability_percent:.3g} % of the pot ({run.measured.exploitability:.4g} chips)"
        print(f"exploitability {exploitable} {after}")
    table = Table("player", box=None, pad_edge=False)
    best = [] if run.accuracy else ["best response"]
    for column in ("EV in chips", "% of the pot", *best, "equity %"):
        table.add_column(column, justify="right")
    for player, name in enumerate(PLAYERS):
        ev, most = summary.ev[player], [f"{summary.best_response[player]:.4f}"] * len(best)
        table.add_row(name.upper(), f"{ev:.4f}", f"{100 * ev / pot:.2f}", *most, f"{100 * summary.equity[player]:.2f}")
    print_table(table)
    if summary.actions:
        often = zip(summary.names, summary.frequencies, strict=True)
        print(
            f"{PLAYERS[layout.tree.kind[0]].upper()} at the start: "
            + ", ".join(f"{name} {100 * share:.1f} %" for name, share in often)
        )
    if layout.spot.rake.percent:
        print("With rake the game is no longer zero-sum: EVs sum to less than the pot, and no guarantee of an")
        print("equilibrium holds; the exploitability is measured all the same.")
    if target is not None and run.stopped_by in ("iterations", "seconds"):
        print(f"The target of {target:g} % was not reached.")
    if run.stopped_by == "interrupt":
        print("Stopped early; this is the result so far.")


def _show_hands(summary: Summary) -> None:
    for name, hands in zip(PLAYERS, summary.hand_ev, strict=True):
        print(f"{name.upper()}: EV of each hand in chips")
        ordered = sorted(hands.items(), key=lambda item: -item[1])
        Console(highlight=False).print(Columns([f"{hand} {ev:8.2f}" for hand, ev in ordered], padding=(0, 3)))

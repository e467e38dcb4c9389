"""What ``ludus solve`` prints, draws and saves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.cli.views.amounts import in_full, in_mbb
from ludus.cli.views.strategy import strategy_table
from ludus.cli.views.tables import print_table
from ludus.experiments.plots import convergence_plot
from ludus.games.definition import define

if TYPE_CHECKING:
    from ludus.games import Game
    from ludus.solvers import Evaluation, Result, Strategy

SMALL = 40  # information sets up to which the strategy is printed


def report(
    game: Game, results: list[Result], kept: dict[int, Strategy], target: float | None, out: Path | None,
    plot: Path | None, as_json: bool, several: bool,
) -> None:  # fmt: skip
    """Save, draw and print what was found."""
    if out:
        results[0].strategy.save(out)
    if plot:
        _draw(plot, game, results, kept)
    if as_json:
        rows = [_as_json(game, result, kept, out) for result in results]
        print(json.dumps(rows if several else rows[0]))
    else:
        _show(game, results, kept, target)
        if not out and results[0].information_sets > SMALL and not several:
            print("--out FILE keeps the strategy, `ludus strategy show FILE` shows it")
        for path in (out, plot):
            if path:
                print(f"wrote {path}")


def _draw(path: Path, game: Game, results: list[Result], kept: dict[int, Strategy]) -> None:
    def height(found: Evaluation) -> float:
        return found.still_to_win(kept) if kept else found.exploitability

    series = {
        result.settings.algorithm: [
            (check.iterations, height(check.measured)) for check in result.checks if check.measured
        ]
        for result in results
    }
    what = "what the learners could still win" if kept else "exploitability"
    unit = "chips a game" if hasattr(game, "big_blind") else "payoff a game"
    title = f"{in_full(game)}: " + (", ".join(series) if len(series) == 1 else "convergence")
    convergence_plot(path, series, title, f"{what} ({unit})")


def _as_json(game: Game, result: Result, kept: dict[int, Strategy], out: Path | None) -> dict[str, Any]:
    found = result.evaluation
    return {
        "game": game.name,
        "algorithm": result.settings.algorithm,
        "parameters": result.strategy.origin.parameters,
        "seed": result.settings.seed,
        "iterations": result.iterations,
        "seconds": result.seconds,
        "iterations_per_second": result.iterations_per_second,
        "stopped_by": result.stopped_by,
        "resumed_from": result.resumed_from,
        "rules": define(game),
        "value": found and found.value,
        "best_response": found and found.best_response,
        "exploitability": found and found.exploitability,
        "exploitability_mbb": in_mbb(game, result.exploitability),
        "nash_conv": found and found.nash_conv,
        "information_sets": result.information_sets,
        "equilibrium_guarantee": _guaranteed(game) and not kept,
        "checks": [
            [check.iterations, check.seconds, check.measured.exploitability]
            for check in result.checks
            if check.measured
        ],
        "out": out and str(out),
    }


def _guaranteed(game: Game) -> bool:
    """Whether theory promises an equilibrium."""
    return game.players == 2 and game.zero_sum


def _show(game: Game, results: list[Result], kept: dict[int, Strategy], target: float | None) -> None:
    from rich.table import Table

    first = results[0]
    print(
        f"{in_full(game)}: {game.players} players, {first.information_sets:,} information sets, "
        f"seed {first.settings.seed}"
    )
    if first.resumed_from:
        print(f"resumed after {first.resumed_from:,} iterations; seconds are those since then")
    facts = [_facts(game, result, bool(kept), len(results) > 1) for result in results]
    if len(facts) == 1:
        table = Table(box=None, show_header=False, pad_edge=False)
        for row in facts[0].items():
            table.add_row(*row)
    else:
        table = Table(box=None, pad_edge=False)
        for name in facts[0]:
            table.add_column(name, justify="left" if name == "algorithm" else "right")
        for each in facts:
            table.add_row(*each.values())
    print_table(table)
    for result in results:
        _say_what_was_exploited(result, kept)
    if not _guaranteed(game):
        kind = "three or more players" if game.players > 2 else "payoffs that do not add up to nothing"
        print(f"No guarantee of an equilibrium holds with {kind}; what is printed was measured.")
    for result in results:
        if target is not None and result.stopped_by in ("iterations", "seconds"):
            print(f"{result.settings.algorithm}: the target of {target:g} was not reached.")
    if results[-1].stopped_by == "interrupt":
        print("Stopped early; this is the result so far.")
    if len(results) == 1 and first.information_sets <= SMALL:
        print()
        print_table(strategy_table(list(first.strategy.rows())))


def _facts(game: Game, result: Result, frozen: bool, narrow: bool) -> dict[str, str]:
    """What a table says about a result; in a narrow column without what follows from the rest."""
    nothing = "not measured"
    facts = {"algorithm": result.settings.algorithm}
    values = [f"{value:+.6g}" for value in result.value]
    if narrow:
        facts["value"] = "\n".join(values[:1] if _guaranteed(game) else values) or nothing
    else:
        facts["value by player"] = "  ".join(values) or nothing
    if not (narrow or frozen):
        facts["NashConv"] = f"{result.nash_conv:.4g}" if result.evaluation else nothing
    if not frozen:  # the frozen player could gain, but that says nothing about the learners
        facts["exploitability"] = f"{result.exploitability:.4g}" if result.evaluation else nothing
        if hasattr(game, "big_blind"):
            thousandths = in_mbb(game, result.exploitability)
            facts["in mbb/g"] = nothing if thousandths is None else f"{thousandths:,.4g}"
    facts["iterations"] = f"{result.iterations:,}"
    facts["a second"] = f"{result.iterations_per_second:,.0f}"
    facts["seconds"] = f"{result.seconds:.2f}"
    return facts


def _say_what_was_exploited(result: Result, kept: dict[int, Strategy]) -> None:
    """Against frozen players: what each learner wins, and what a best response would."""
    found = result.evaluation
    if kept and found:
        for player in sorted(set(range(len(found.value))) - set(kept)):
            print(
                f"{result.settings.algorithm}: player {player} wins {found.value[player]:+.6g} a game against the "
                f"frozen strategy; a best response would win {found.best_response[player]:+.6g}."
            )

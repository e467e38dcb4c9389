"""Speeds as tables."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.table import Table

from ludus.cli.views.tables import print_rows
from ludus.experiments.bench.cfr import COMPARED, TARGETS
from ludus.experiments.bench.spots import TARGETS as SPOT_TARGETS
from ludus.parallel import usable_cores

NAMES = {"open_spiel": "OpenSpiel", "liteefg": "LiteEFG"}
GAMES = {
    "leduc": "ranks",
    "leduc_cfr_plus": "ranks",
    "leduc_suits": "suits",
    "leduc_nl_pot": "pot, all-in",
    "leduc_nl_all": "all multiples",
}


def show(result: dict[str, Any], as_json: bool, view: Callable[[dict[str, Any]], None]) -> None:
    """Print a result as JSON or by its view; what went wrong with a peer is printed with it."""
    for failure in result.get("failures", ()):
        print(failure, file=sys.stderr)
    if as_json:
        print(json.dumps(result, indent=2))
    else:
        view(result)


KINDS = ("seconds", "cpu_seconds")


def show_start(result: dict[str, Any]) -> None:
    """When what was ready, by the clock and by the work of all processes."""
    empty, filled = result["starts"].values()
    rows = [
        [name, *(f"{marks[name][kind]:.1f}" if name in marks else "-" for marks in (empty, filled) for kind in KINDS)]
        for name in empty
    ]
    print_rows(["seconds to", "empty cache", "CPU", "filled cache", "CPU"], rows)
    print("cache: " + ", ".join(f"{name} {size:.0f} MB" for name, size in result["cache_mb"].items()))


def show_statistics(result: dict[str, Any]) -> None:
    """What asking for statistics took, each time."""
    times = {"first": result["first"], **{f"again {at}": each for at, each in enumerate(result["later"], 1)}}
    rows = [[name, f"{each['seconds']:.3f}", f"{each['cpu_seconds']:.2f}"] for name, each in times.items()]
    print_rows([f"{result['hands']:,} hands", "seconds", "CPU"], rows)
    print(f"{result['reviewed']:,} of them reviewed; folded in {result['folding_seconds']:.1f} s after the start")


def show_rates(title: str, result: dict[str, Any]) -> None:
    """A table of all figures in units per second, and of the peers'."""
    peers = result.get("peers", {})
    ratios = sorted({key for peer in peers.values() for key in peer if key.startswith("ratio")})
    table = Table(title=title, box=None, title_justify="left")
    for column in ("", "per second", *(key.replace("_", " ") for key in ratios)):
        table.add_column(column, justify="right" if column else "left", no_wrap=True)
    for name, value in result.items():
        if "_per_second" in name:
            table.add_row(name.replace("_", " "), f"{value:,.0f}")
    for name, peer in peers.items():
        table.add_row(name, f"{peer['per_second']:,.0f}", *(f"{peer[key]:,.1f}" for key in ratios))
    Console().print(table)
    rest = {
        name: value for name, value in result.items() if "per_second" not in name and name not in ("peers", "failures")
    }
    Console().print(", ".join(f"{name.replace('_', ' ')} {value}" for name, value in rest.items()), style="dim")


def show_spots(result: dict[str, Any]) -> None:
    """A table of the above."""
    table = Table("spot", box=None)
    for column in ("to 0.5 %", "to 0.1 %", "iterations", "memory", "postflop-solver", "", "ratios"):
        table.add_column(column, justify="right", no_wrap=True)
    for name, row in result.items():
        cells = [f"{row[f'seconds_to_{target}']:.3g} s" for target in SPOT_TARGETS]
        peer = row.get("postflop_solver_recorded")
        theirs = [f"{peer[f'seconds_to_{target}']:.3g} s" for target in SPOT_TARGETS] if peer else ["-", "-"]
        ratios = " ".join(f"{row[f'ratio_{target}']:.2f}" for target in SPOT_TARGETS) if peer else "-"
        table.add_row(name, *cells, str(row["iterations"]), f"{row['memory_mb']:.3g} MB", *theirs, ratios)
    console = Console()
    console.print(table)
    console.print(
        f"{usable_cores()} cores. postflop-solver: recorded on a quiet machine of 2 cores, not measured here.",
        style="dim",
    )


def show_thinking(result: dict[str, Any]) -> None:
    """A row a street."""
    title = f"Seconds a decision, {result['agent']}, {result['stack_bb']} big blinds"
    table = Table(title=title, box=None, title_justify="left")
    for column in ("", "mean", "longest", "decisions"):
        table.add_column(column, justify="right" if column else "left", no_wrap=True)
    for street, decisions in result["decisions"].items():
        spent = (result[key][street] for key in ("seconds_mean", "seconds_max"))
        table.add_row(street, *("-" if each is None else f"{each:.3g}" for each in spent), str(decisions))
    Console().print(table)
    Console().print(f"{result['hands']} hands, {result['cores']} cores", style="dim")


def show_advice(result: dict[str, Any]) -> None:
    """A row a street."""
    title = f"What following the advice costs, % of the pot, {result['stack_bb']} big blinds"
    table = Table(title=title, box=None, title_justify="left")
    for column in ("", "mean", "+-", "95 %", "most", "solved to", "decisions", "spots", "unsolved", "seconds"):
        table.add_column(column, justify="right" if column else "left", no_wrap=True)
    for street, row in ((name, row) for name, row in result.items() if isinstance(row, dict)):
        found = (row[name] for name in ("regret_mean", "regret_ci95", "regret_p95", "regret_max"))
        costs = ("-" if each is None else f"{100 * each:.2f}" for each in found)
        counts = (str(row[name]) for name in ("decisions", "spots", "unsolved"))
        table.add_row(street, *costs, f"{row['target_percent']:g} %", *counts, f"{row['seconds_mean']:.2f}")
    Console().print(table)
    Console().print(f"seed {result['seed']}, {result['cores']} cores", style="dim")


def show_fast(result: dict[str, Any]) -> None:
    """A row for each range of stacks."""
    table = Table(title="Fast solutions of flops: errors in % of the pot", box=None, title_justify="left")
    for column in ("stacks in pots", "spots", "EV, mean", "95 %", "loss, mean", "95 %"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in result["stacks"]:
        errors = (f"{row[name]:.2f}" for name in ("value_mean", "value_p95", "loss_mean", "loss_p95"))
        table.add_row(f"{row['from']:g} to {row['to']:g}", str(row["spots"]), *errors)
    console = Console()
    console.print(table)
    fast, exact = (sum(each) / len(each) for each in zip(*(row["seconds"] for row in result["spots"]), strict=True))
    told = f"{fast:.3g} s and {exact:.3g} s a spot, exact to {result['target']:g} % of the pot, seed {result['seed']}"
    console.print(told, style="dim")


def show_plays(result: dict[str, Any]) -> None:
    """How many plays are respected, and a row for each that is not."""
    console = Console(highlight=False)
    plays = result["plays"]
    console.print(f"{plays} standard plays: {result['advised']} advised, {result['graded']} graded fine or best")
    if result["failed"]:
        table = Table(box=None)
        for column in ("play", "accepted", "advice", "student", "by"):
            table.add_column(column, overflow="fold")
        for row in result["details"]:
            if row["name"] in result["failed"]:
                mix = ", ".join(f"{name} {chance:.0%}" for name, chance in row["mix"].items() if chance >= 0.005)
                grades = ", ".join(f"{name}: {grade}" for name, grade in row["grades"].items())
                table.add_row(row["name"], ", ".join(row["accept"]), mix, grades, row["source"])
        console.print(table)
    told = f"{result['seconds']:g} s allowed a decision, {result['seconds_mean']:.2g} s taken on average"
    console.print(f"{told}, {result['cores']} cores", style="dim")


def show_exploiter(result: dict[str, Any]) -> None:
    """A row an opponent."""
    title = f"mbb/g, {result['seats']} seats, {result['stack']} big blinds, seed {result['seed']}"
    names = ("exploiter", "blueprint", "gain")
    table = Table(title=title, box=None, title_justify="left")
    table.add_column("against")
    for column in ("hands", *names, "hands/s"):
        table.add_column(column, justify="right")
    for row in result["rows"]:
        shown = [f"{row[name]['mean']:+,.0f} +- {row[name]['ci95'] or math.nan:,.0f}" for name in names]
        table.add_row(row["against"], f"{row['hands']:,}", *shown, f"{row['hands_per_second']:.0f}")
    Console(highlight=False).print(table)


def show_cfr(result: dict[str, Any]) -> None:
    """Two tables, limit and no-limit, and the ratios."""
    peers = {name: peer for name, peer in result["peers"].items() if peer}
    console = Console()
    limit = _table("Limit Leduc: seconds to a NashConv", "sets", "iterations/s", *TARGETS)
    for game in ("leduc", "leduc_cfr_plus", "leduc_suits"):
        _add_limit(limit, f"Ludus {result[game]['algorithm']}", GAMES[game], result[game])
    for name, peer in peers.items():
        for game in ("leduc", "leduc_suits"):
            if game in peer:
                _add_limit(limit, f"{NAMES[name]} {peer['algorithm']}", GAMES[game], peer[game], peer["limit_seconds"])
    console.print(limit)
    kinds = ("exact", "external", "outcome")
    sizes = _table("No-limit Leduc: iterations per second", "sets", *kinds)
    for who, rows in [("Ludus", result), *((NAMES[name], peer) for name, peer in peers.items())]:
        for game in ("leduc_nl_pot", "leduc_nl_all"):
            if row := rows.get(game):
                speeds = [_number(row[f"{kind}_iterations_per_second"]) for kind in kinds]
                sizes.add_row(who, GAMES[game], _number(row.get("information_sets")), *speeds)
    console.print(sizes)
    for name in result["peers"]:
        ratios = {game: result[f"ratio_to_{name}{end}"] for game, end in (("suits", ""), ("ranks", "_ranks"))}
        words = ", ".join(f"{game} {ratio:,.0f}" for game, ratio in ratios.items() if ratio) or "not measured"
        console.print(f"{NAMES[name]}'s seconds to NashConv {COMPARED} over ours: {words}", highlight=False)
    console.print(
        "One core. Ours: seconds with the checks of NashConv, best of several. Peers: CPU seconds without.", style="dim"
    )


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, box=None, title_justify="left")
    table.add_column("solver", no_wrap=True)
    table.add_column("game", no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _add_limit(table: Table, who: str, game: str, row: dict[str, Any], seconds: float = 0.0) -> None:
    reached = row["seconds_to"]
    cells = [
        f"{spent:.3g}" if (spent := reached.get(name)) else f"> {seconds:g}" if name in reached and seconds else "-"
        for name in TARGETS
    ]
    table.add_row(who, game, _number(row["information_sets"]), _number(row["iterations_per_second"]), *cells)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def show_value_errors(result: dict[str, Any]) -> None:
    """A table of how wrong networks are."""
    table = Table("network", box=None)
    for column in ("spots", "Huber loss", "mean error", "value of a range off by", "99th percentile"):
        table.add_column(column, justify="right")
    for stage in (name for name in ("turn", "flop", "preflop-end") if name in result):
        found = result[stage]
        figures = (f"{100 * found[key]:.2f} %" for key in ("range_error_mean", "range_error_p99"))
        hands = ("", "") if found["huber"] is None else (f"{found['huber']:.5f}", f"{found['mean_error']:.4f}")
        table.add_row(stage, str(found["spots"]), *hands, *figures)
    Console().print(table)
    ranges = {"random": "random ranges", "play": "ranges from play"}[result["ranges"]]
    Console().print(
        f"parts of the pot, against exact solves; {ranges}, stacks up to {result['deepest_stack_pots']:g} pots, "
        f"seed {result['seed']}", style="dim",
    )  # fmt: skip


def show_scale(result: dict[str, Any]) -> None:
    """Each plan on some numbers of cores."""
    table = Table("plan", box=None)
    for column in ("cores", "hours", "efficiency", "dollars"):
        table.add_column(column, justify="right", no_wrap=True)
    for name, plan in result["plans"].items():
        for row in plan["on"]:
            cells = f"{row['hours']:,.3g}", f"{100 * row['efficiency']:.0f} %", f"{row['dollars']:,.0f}"
            table.add_row(name, f"{row['cores']:,}", *cells)
    Console().print(table)


def show_copies(result: dict[str, Any]) -> None:
    """What each number of copies wins from the opponent, and what shards would."""
    table = Table("copies", box=None)
    for column in ("walks between merges", "merges", "mbb a hand", "CPU seconds"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in result["copies"]:
        won, spent = f"{row['mbb']:.0f} +- {row['mbb_ci95']:.0f}", f"{row['cpu_seconds']:.2f}"
        table.add_row(f"{row['copies'] or 'none'}", f"{row['block']:,}", f"{row['merges']}", won, spent)
    Console().print(table)
    if "shards" not in result:
        return
    costs = result["costs"]
    walk, message = (f"{1000 * costs[name]:,.1f} us of CPU time" for name in ("walk_cpu_ms", "message_cpu_ms"))
    print(f"\nA walk meets {costs['sets_a_walk']:.1f} information sets and takes {walk}.")
    print(
        f"A question to another process takes {message}, and {costs['message_latency_ms']:.2f} ms until its answer.\n"
    )
    table = Table("shards", box=None)
    for column in ("CPU us a walk", "walks in the time of the copies", "mbb a hand"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in result["shards"]:
        won = f"{row['mbb']:.0f} +- {row['mbb_ci95']:.0f}"
        table.add_row(f"{row['shards']}", f"{1000 * row['walk_cpu_ms']:,.0f}", f"{row['walks']:,}", won)
    Console().print(table)

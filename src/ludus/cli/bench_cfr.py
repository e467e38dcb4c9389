"""What ``ludus bench cfr`` measures: our solvers on the Leduc games on one core, the peers' in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from ludus.cli.research.bench import best_rate
from ludus.cli.solver_peers import solver_peers
from ludus.games import leduc, leduc_nl
from ludus.games.base import Game
from ludus.solvers import solve
from ludus.solvers.cfr import ExactSolver
from ludus.solvers.montecarlo import MonteCarlo, Sampling
from ludus.solvers.schedules import ALGORITHMS
from ludus.trees.flat import flatten

TARGETS = {"1e-2": 1e-2, "1e-3": 1e-3, "1e-4": 1e-4}  # of NashConv, in antes
COMPARED = "1e-3"
PEER_SECONDS, QUICK_PEER_SECONDS = 60.0, 20.0
RUN_SECONDS, QUICK_RUN_SECONDS = 0.25, 0.1  # one of several runs of ours takes about this long
SOLVES = 20  # the best of so many: limit Leduc is solved in the blink of an eye
NAMES = {"open_spiel": "OpenSpiel", "liteefg": "LiteEFG"}
GAMES = {
    "leduc": "ranks",
    "leduc_cfr_plus": "ranks",
    "leduc_suits": "suits",
    "leduc_nl_pot": "pot, all-in",
    "leduc_nl_all": "all multiples",
}


def measure(quick: bool, peer_seconds: float | None, seed: int) -> dict[str, Any]:
    """Everything; quick leaves out the last target, the peers' largest game and most repetitions."""
    targets = {name: value for name, value in TARGETS.items() if not quick or name != "1e-4"}
    limit = peer_seconds or (QUICK_PEER_SECONDS if quick else PEER_SECONDS)
    repeats, seconds = (3, QUICK_RUN_SECONDS) if quick else (7, RUN_SECONDS)
    result: dict[str, Any] = {
        "leduc": limit_leduc(leduc(), "dcfr", targets, repeats, seconds),
        "leduc_cfr_plus": limit_leduc(leduc(), "cfr+", targets, repeats, seconds),
        "leduc_suits": limit_leduc(leduc(show_suits=True), "dcfr", targets, repeats, seconds),
        "leduc_nl_pot": no_limit_leduc(leduc_nl("pot,allin"), seed, repeats, seconds),
        "leduc_nl_all": no_limit_leduc(leduc_nl("all"), seed, repeats, seconds),
    }
    with _status(f"the peers, at most {limit:g} s each on each game"):
        result["peers"] = solver_peers(targets, limit, seed, quick)
    for name, peer in result["peers"].items():
        result[f"ratio_to_{name}"] = _ratio(peer, result, "leduc_suits")
        result[f"ratio_to_{name}_ranks"] = _ratio(peer, result, "leduc")
    return result | {"cores": 1, "seed": seed, "quick": quick}


def _status(what: str) -> Any:
    return Console(stderr=True).status(f"measuring {what}")


def limit_leduc(
    game: Game, algorithm: str, targets: Mapping[str, float], repeats: int, seconds: float
) -> dict[str, Any]:
    """Speed, and what a user waits for: the solver's iterations and the checks that the target is reached."""
    flat = flatten(game)
    solver = ExactSolver(flat, ALGORITHMS[algorithm])
    with _status(f"limit Leduc, {algorithm}"):
        reached = {
            name: min(_seconds_to(game, algorithm, target) for _ in range(SOLVES)) for name, target in targets.items()
        }
    return {
        "algorithm": algorithm,
        "information_sets": len(flat.sets),
        "iterations_per_second": speed(f"limit Leduc, {algorithm}", solver.run, repeats, seconds),
        "seconds_to": dict.fromkeys(TARGETS) | reached,
    }


def _seconds_to(game: Game, algorithm: str, nash_conv: float) -> float:
    result = solve(game, algorithm, target=nash_conv / game.players)
    if result.stopped_by == "interrupt":  # which ends a run without loss, but this is not what was asked for
        raise KeyboardInterrupt
    return result.seconds


def no_limit_leduc(game: Game, seed: int, repeats: int, seconds: float) -> dict[str, Any]:
    """Speeds of the exact solver and of sampling with one stream; an iteration is a walk for each player."""
    with _status("no-limit Leduc"):
        flat = flatten(game)
        result: dict[str, Any] = {"algorithm": "dcfr", "information_sets": len(flat.sets)}
    runs = {"exact": ExactSolver(flat, ALGORITHMS["dcfr"]).run} | {
        kind: MonteCarlo(flat, Sampling(kind, seed, streams=1)).run for kind in ("external", "outcome")
    }
    for kind, run in runs.items():
        result[f"{kind}_iterations_per_second"] = speed(f"no-limit Leduc, {kind}", run, repeats, seconds)
    return result


def speed(what: str, run: Callable[[int], object], repeats: int, seconds: float) -> float:
    """Iterations per second of the best of some runs of about so many seconds; compiled before the clock starts."""
    run(1)
    count, spent = 1, 0.0
    while True:
        start = time.perf_counter()
        run(count)
        spent = time.perf_counter() - start
        if spent > seconds / 8:
            break
        count *= 2
    chunk = max(1, round(count * seconds / spent))

    def work() -> float:
        run(chunk)
        return chunk

    return best_rate(what, work, repeats)


def _ratio(peer: dict[str, Any] | None, ours: dict[str, Any], game: str) -> float | None:
    """The peer's seconds over ours, on the game with the same information sets."""
    theirs = peer and peer.get(game, {}).get("seconds_to", {}).get(COMPARED)
    return theirs / ours[game]["seconds_to"][COMPARED] if theirs else None


def show_speeds(result: dict[str, Any]) -> None:
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

"""``ludus solve spot``: a hand of hold'em between two players, from any street on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ludus.trees.spot import Spot

SPOT, BETS, STOP, METHOD, FILES = "The spot", "The bets", "When to stop", "How", "Results and files"
TARGET = 0.5  # percent of the pot
STREETS, PLAYERS = ("preflop", "flop", "turn", "river"), ("oop", "ip")

Target = Annotated[
    float | None,
    typer.Option(help="At this exploitability, in % of the pot.", rich_help_panel=STOP, show_default=str(TARGET)),
]
Iterations = Annotated[int | None, typer.Option(help="After this many iterations.", rich_help_panel=STOP)]
Seconds = Annotated[float | None, typer.Option("--time", help="After these seconds.", rich_help_panel=STOP)]
Algorithm = Annotated[
    str | None,
    typer.Option(
        "--algorithm", "-a", help="cfr, cfr+, dcfr, ...: one of the CFR family.", rich_help_panel=METHOD,
        show_default="dcfr, on the river dcfr+",
    ),
]  # fmt: skip
Workers = Annotated[
    int | None,
    typer.Option(help="Cores, no part of the result.", min=1, show_default="all", rich_help_panel=METHOD),
]
MaxMemory = Annotated[
    float | None,
    typer.Option(help="Most memory, in gigabytes.", min=0, show_default="what is free", rich_help_panel=METHOD),
]


def _sizes(what: str, example: str) -> Any:
    return typer.Option(help=f"{what}, such as '{example}'.", rich_help_panel=BETS)


def spot(
    file: Annotated[Path | None, typer.Argument(help="A spot as a TOML file; options override what it says.")] = None,
    board: Annotated[str | None, typer.Option(help="3, 4 or 5 cards, such as KsTh6h.", rich_help_panel=SPOT)] = None,
    pot: Annotated[int | None, typer.Option(help="Chips in the pot.", rich_help_panel=SPOT)] = None,
    stack: Annotated[int | None, typer.Option(help="Chips that both have left.", rich_help_panel=SPOT)] = None,
    blinds: Annotated[
        str | None,
        typer.Option(help="Instead of a board, before the flop: small and big one, as in 5/10.", rich_help_panel=SPOT),
    ] = None,
    oop: Annotated[
        str | None, typer.Option(help="Range of the player who acts first: '22+,A2s+,KTo+'.", rich_help_panel=SPOT)
    ] = None,
    ip: Annotated[
        str | None, typer.Option(help="Range of the player who acts last, in position.", rich_help_panel=SPOT)
    ] = None,
    rake: Annotated[str | None, typer.Option(help="Such as '5% cap 3'.", rich_help_panel=SPOT)] = None,
    bet: Annotated[str | None, _sizes("Bets on every street", "33%, 75%, a")] = None,
    raises: Annotated[
        str | None, typer.Option("--raise", help="Raises on every street, such as '60%, 3x'.", rich_help_panel=BETS)
    ] = None,
    preflop_bet: Annotated[str | None, _sizes("First raises before the flop", "2.5x")] = None,
    preflop_raise: Annotated[str | None, _sizes("Later raises before the flop", "3x; a")] = None,
    flop_bet: Annotated[str | None, _sizes("Bets on the flop", "33%, 75%")] = None,
    flop_raise: Annotated[str | None, _sizes("Raises on the flop", "60%")] = None,
    turn_bet: Annotated[str | None, _sizes("Bets on the turn", "66%")] = None,
    turn_raise: Annotated[str | None, _sizes("Raises on the turn", "60%")] = None,
    turn_donk: Annotated[str | None, _sizes("OOP's first bet on the turn if IP bet last", "25%")] = None,
    river_bet: Annotated[str | None, _sizes("Bets on the river", "75%, a")] = None,
    river_raise: Annotated[str | None, _sizes("Raises on the river", "a")] = None,
    river_donk: Annotated[str | None, _sizes("OOP's first bet on the river if IP bet last", "25%")] = None,
    raise_cap: Annotated[int | None, typer.Option(help="Most raises on a street.", rich_help_panel=BETS)] = None,
    min_bet: Annotated[int | None, typer.Option(help="The smallest bet in chips.", rich_help_panel=BETS)] = None,
    add_all_in: Annotated[
        str | None, typer.Option(help="Offer all-in when the stack is at most this % of the pot.", rich_help_panel=BETS)
    ] = None,
    force_all_in: Annotated[
        str | None, typer.Option(help="... and make bets all-in that leave at most this %.", rich_help_panel=BETS)
    ] = None,
    merge: Annotated[
        str | None, typer.Option(help="Leave out bets close to larger ones, such as 10%.", rich_help_panel=BETS)
    ] = None,
    target: Target = None,
    iterations: Iterations = None,
    seconds: Seconds = None,
    algorithm: Algorithm = None,
    fast: Annotated[
        bool,
        typer.Option("--fast", help="A flop, or play before it, in seconds: an estimate.", rich_help_panel=METHOD),
    ] = False,
    workers: Workers = None,
    max_memory: MaxMemory = None,
    compress: Annotated[
        bool, typer.Option("--compress", help="16-bit tables: half the memory, but slower.", rich_help_panel=METHOD)
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Save the solution, for `ludus spot`.", rich_help_panel=FILES)
    ] = None,
    no_rivers: Annotated[
        bool, typer.Option("--no-rivers", help="... without the rivers: a small file.", rich_help_panel=FILES)
    ] = False,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Save the run here every minute and at its end, and go on from here.", rich_help_panel=FILES),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the exploitability by iterations, as PNG or SVG.", rich_help_panel=FILES)
    ] = None,
    hands: Annotated[
        bool, typer.Option("--hands", help="Print the EV of every hand too.", rich_help_panel=FILES)
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=FILES)] = False,
) -> None:  # fmt: skip
    """Solve a spot of heads-up no-limit hold'em: two ranges, a board, a pot, stacks and the bets allowed.

    Bet sizes: 75% of the pot, 2.5x the opponent's bet (raises), 40c chips, e geometric, a all-in; without any there are
    only checks on a street. As options they are for both players, a file can tell them apart.

    Ctrl-C ends a run early and without loss.
    """
    from ludus.cli.views.spots.solve import describe, report, run_spot
    from ludus.experiments.plots import check_plot_path
    from ludus.files import check_writable
    from ludus.search.fast_spots import STAGES, first_street
    from ludus.solvers.spot.fit import GIGABYTE, available_memory, check_fits
    from ludus.solvers.spot.layout import Layout

    if plot:
        check_plot_path(plot)
    paths = [path.resolve() for path in (out, plot, checkpoint) if path]
    if len(set(paths)) < len(paths) or (file and file.resolve() in paths):
        raise ValueError("FILE, --out, --plot and --checkpoint are different files")
    if no_rivers and not out:
        raise ValueError("--no-rivers says what is saved: it needs --out")
    for path in paths:
        check_writable(path)
    check_limits(algorithm, target, iterations, seconds)
    values = {
        "board": board, "pot": pot, "stack": stack, "blinds": blinds, "oop": oop, "ip": ip, "rake": rake,
        "raise_cap": raise_cap, "min_bet": min_bet, "add_all_in": add_all_in, "force_all_in": force_all_in,
        "merge": merge,
    }  # fmt: skip
    given = zip(STREETS[1:], (flop_bet, turn_bet, river_bet), (flop_raise, turn_raise, river_raise),
                (None, turn_donk, river_donk), strict=True)  # fmt: skip
    sizes = {
        street: {"bet": bet if own is None else own, "raise": raises if higher is None else higher, "donk": donk}
        for street, own, higher, donk in given
    }
    sizes["preflop"] = {"bet": preflop_bet, "raise": preflop_raise}
    asked = read_spot(file, values, sizes)
    estimated = fast and len(asked.board) in STAGES
    if estimated:
        if checkpoint or compress or no_rivers or plot:
            raise ValueError("--checkpoint, --compress, --no-rivers and --plot are for exact solutions, not for --fast")
        asked = first_street(asked)
    elif target is None and iterations is None and seconds is None:
        target = TARGET
    layout = Layout.of(asked)
    if no_rivers and len(layout.boards) == 1:
        raise ValueError("a spot on the river has no other street: leave out --no-rivers")
    most = available_memory() if max_memory is None else max_memory * GIGABYTE
    check_fits(layout, most, saving=bool(out) and not no_rivers, packed=compress)
    if not as_json:
        if fast and not estimated:
            print("turns and rivers take about a second: this is solved exactly", file=sys.stderr)
        print(describe(layout, compress), file=sys.stderr)
    run = run_spot(layout, algorithm, target, iterations, seconds, workers, checkpoint, packed=compress)
    report(run, target, out, not no_rivers, plot, hands, as_json)
    if run.stopped_by == "interrupt":
        if checkpoint:
            print(f"{checkpoint} has the run: the same command goes on from there", file=sys.stderr)
        raise typer.Exit(130)


def read_spot(file: Path | None, values: dict[str, Any], sizes: dict[str, dict[str, str | None]]) -> Spot:
    """The spot of a file, if there is one, with the values and sizes given instead."""
    from ludus.trees.spot import Spot

    known: dict[str, Any] = Spot.load(file).to_dict() if file else {}
    known |= {name: value for name, value in values.items() if value is not None}
    tables = {street: _both(known.get("sizes", {}).get(street, {}), sizes[street]) for street in STREETS}
    known["sizes"] = {street: table for street, table in tables.items() if any(table.values())}
    return Spot.from_dict(known)


def _both(table: dict[str, Any], given: dict[str, str | None]) -> dict[str, Any]:
    """The sizes of both players on a street, with those that are given instead of theirs."""
    given = {name: text for name, text in given.items() if text is not None}
    return {player: {**table.get(player, table if "bet" in table else {}), **given} for player in PLAYERS}


def check_limits(algorithm: str | None, target: float | None, iterations: int | None, seconds: float | None) -> None:
    """ValueError, before anything is said or done, unless a run can start and end."""
    from ludus.solvers.capabilities import check_supports
    from ludus.solvers.schedules import ALGORITHMS

    for name, limit in (("--target", target), ("--iterations", iterations), ("--time", seconds)):
        if limit is not None and not limit > 0:
            raise ValueError(f"{name} must be above 0, got {limit}")
    if algorithm is None:
        return
    check_supports("spots", algorithm)
    if ALGORITHMS[algorithm].planned and iterations is None:
        raise ValueError(f"{algorithm} must know its number of iterations beforehand")

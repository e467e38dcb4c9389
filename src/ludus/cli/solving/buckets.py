"""``ludus buckets``: build card abstractions, look at them, measure them."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.views.progress import progress_bar, stages
from ludus.experiments.plots import check_plot_path, save_figure

if TYPE_CHECKING:
    from ludus.trees.bucket_quality import Quality
    from ludus.trees.buckets import Buckets

app = typer.Typer(
    help="Card abstraction: build buckets of hands that play alike, look at them, measure them.", no_args_is_help=True
)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Seed = Annotated[int, typer.Option(help="Same seed, same buckets.", min=0)]
Threads = Annotated[int | None, typer.Option(help="Threads.", min=1, show_default="all cores")]
Iterations = Annotated[int, typer.Option(help="At most so many rounds of k-means.", min=1)]
METHODS = "ehs2, emd, potential or ochs"


@app.command()
def build(
    out: Annotated[Path, typer.Option(help="The file to write.")],
    counts: Annotated[str, typer.Option(help="Buckets before the flop (169), on flop, turn, river.")] = (
        "169,200,200,200"
    ),
    flop: Annotated[str, typer.Option(help=f"How hands are compared on the flop: {METHODS}.")] = "potential",
    turn: Annotated[str, typer.Option(help="The same on the turn.")] = "emd",
    river: Annotated[str, typer.Option(help="The same on the river.")] = "ochs",
    boards: Annotated[
        str, typer.Option(help="Boards up to suits to fit flop, turn and river on; there are 1755, 16432, 134459.")
    ] = "1755,1500,3000",
    iterations: Iterations = 50,
    seed: Seed = 1,
    tables: Annotated[bool, typer.Option("--tables", help="Also build the tables for training, in the cache.")] = False,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Build buckets from exact features of hands; what is done is kept when it is stopped, and it goes on from there.

    ehs2: mean square of the hand strength on the river. emd: its histogram, by earth mover's distance. potential: the
    flop also by the histogram of the equity on the turn. ochs: equity against 8 clusters of opponents' hands.
    """
    from ludus.parallel import usable_cores
    from ludus.trees.bucket_building import BucketPlan, build_buckets
    from ludus.trees.buckets import save_buckets

    first, second, third, fourth = _whole_numbers(counts, 4, "--counts")
    on_flop, on_turn, on_river = _whole_numbers(boards, 3, "--boards")
    plan = BucketPlan(
        (first, second, third, fourth), (flop, turn, river), seed, (on_flop, on_turn, on_river), iterations
    )
    if out.is_dir():
        raise ValueError(f"{out} is a folder: name a file to write")
    threads = threads or usable_cores()
    start = time.perf_counter()
    with stages() as progress:
        buckets = build_buckets(plan, threads, progress)
    save_buckets(buckets, out)
    seconds = {"buckets": time.perf_counter() - start}
    if tables:
        start = time.perf_counter()
        with progress_bar("tables of turn and river") as told:
            buckets.tables(threads, told)
        seconds["tables"] = time.perf_counter() - start
    if as_json:
        print(json.dumps({**_facts(buckets), "file": str(out), "bytes": out.stat().st_size, "seconds": seconds}))
        return
    print(f"wrote {out}: {out.stat().st_size / 1e6:.1f} MB, {seconds['buckets']:.0f} s on {threads} threads")
    _say(buckets)
    if tables:
        print(f"tables of turn and river are in the cache, 400 MB, {seconds['tables']:.0f} s")


def _whole_numbers(text: str, count: int, option: str) -> list[int]:
    words = text.split(",")
    if len(words) != count or not all(word.strip().isascii() and word.strip().isdigit() for word in words):
        raise ValueError(f"{option} takes {count} whole numbers with commas between them, got {text!r}")
    return [int(word) for word in words]


def _facts(buckets: Buckets) -> dict[str, Any]:
    return {
        "counts": buckets.counts, "methods": buckets.methods, "seed": buckets.seed, "fitted_on_boards": buckets.fitted,
        "digest": buckets.digest,
    }  # fmt: skip


def _say(buckets: Buckets) -> None:
    from ludus.trees.buckets import STREETS

    parts = [
        f"{name}: {count} by {method}, fitted on {fitted} boards"
        for name, count, method, fitted in zip(
            STREETS, buckets.counts[1:], buckets.methods, buckets.fitted, strict=True
        )
    ]
    print(f"before the flop: {buckets.counts[0]} classes\n" + "\n".join(parts) + f"\nseed {buckets.seed}")


@app.command()
def show(
    file: Annotated[str, typer.Argument(help="A file of buckets, or the name of shipped ones: 200.")],
    hand: Annotated[str | None, typer.Argument(help="Two cards, as in AhKh.")] = None,
    board: Annotated[str, typer.Option(help="No card or 3 to 5 cards, as in Qh7h2c.")] = "",
    as_json: AsJson = False,
) -> None:
    """Show what buckets are, or the bucket of a hand on a board and the hands that share it there."""
    from ludus.trees.buckets import load_buckets

    buckets = load_buckets(file)
    if hand is None:
        if board:
            raise ValueError("name a hand too, as in `ludus buckets show 200 AhKh --board Qh7h2c`")
        if as_json:
            print(json.dumps(_facts(buckets)))
        else:
            _say(buckets)
        return
    found = _bucket_of(buckets, hand, board)
    if as_json:
        print(json.dumps(found))
        return
    name = f"{found['hand']} on {found['board']}" if board else found["hand"]
    print(f"{name}: bucket {found['bucket']} of 0..{found['buckets'] - 1}, from weak to strong ({found['method']})")
    if board:
        print(f"equity against a random hand: {100 * found['equity']:.1f} %")
        low, high = (100 * value for value in found["mates_equity"])
        print(f"with {found['mates']} of {found['possible']} hands on this board, equities {low:.1f} to {high:.1f} %:")
        print(found["mates_range"])


def _bucket_of(buckets: Buckets, hand: str, board: str) -> dict[str, Any]:
    import numpy as np

    from ludus.cards.card import format_cards, parse_cards, require_distinct
    from ludus.cards.ranges import COMBOS, combo_index, format_range
    from ludus.cards.strength import all_hands_strength

    held, cards = parse_cards(hand), parse_cards(board)
    if len(held) != 2:
        raise ValueError(f"a hand has two cards, got {hand!r}")
    require_distinct([("hand", held), ("board", cards)])
    of_board = buckets.of_board(cards)
    combo = combo_index(*held)
    bucket = int(of_board[combo])
    found: dict[str, Any] = {"hand": format_cards(held), "board": format_cards(cards), "bucket": bucket}
    if not cards:
        return found | {"buckets": buckets.counts[0], "method": "the class of the hand"}
    possible = ~np.isin(COMBOS, cards).any(axis=1)
    mates = possible & (of_board == bucket)
    equities = all_hands_strength(cards)[:, 1]
    return found | {
        "buckets": buckets.counts[len(cards) - 2], "method": buckets.methods[len(cards) - 3],
        "equity": float(equities[combo]), "mates": int(mates.sum()), "possible": int(possible.sum()),
        "mates_equity": [float(equities[mates].min()), float(equities[mates].max())],
        "mates_range": format_range(mates.astype(np.float64)),
    }  # fmt: skip


@app.command()
def report(
    counts: Annotated[str, typer.Option(help="Numbers of buckets to compare.")] = "25,50,100,200,400",
    streets: Annotated[str, typer.Option(help="Streets to measure.")] = "flop,turn,river",
    boards: Annotated[
        str, typer.Option(help="Boards of flop, turn and river to fit on; as many others are measured.")
    ] = "100,150,300",
    seed: Seed = 1,
    iterations: Iterations = 30,
    plot: Annotated[Path | None, typer.Option(help="Draw it to this file, as PNG, SVG or PDF.")] = None,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Measure how much the hands of a bucket differ, by method, street and number of buckets.

    The figures are standard deviations within buckets, in percent: of E[HS], the equity against a random hand; of
    E[HS^2]; and, as root mean squares over their parts, of the histogram of the hand strength on the river and of the
    equity against each of 8 clusters of opponents' hands. Smaller is better.
    """
    from ludus.parallel import usable_cores
    from ludus.trees.bucket_features import opponent_clusters
    from ludus.trees.bucket_quality import measure_street
    from ludus.trees.buckets import STREETS

    if plot is not None:
        check_plot_path(plot)
    sizes = _whole_numbers(counts, counts.count(",") + 1, "--counts")
    drawn = dict(zip(STREETS, _whole_numbers(boards, 3, "--boards"), strict=True))
    names = [name.strip() for name in streets.split(",")]
    if not set(names) <= set(STREETS) or min(sizes) < 1 or min(drawn.values()) < 1:
        raise ValueError(f"expected streets of {', '.join(STREETS)}, counts and boards of 1 or more")
    threads = threads or usable_cores()
    with progress_bar("hands before the flop") as told:
        opponents = opponent_clusters(seed, threads, told)
    found: list[Quality] = []
    for name in names:
        with progress_bar(f"buckets of the {name}") as told:
            found += measure_street(name, sizes, drawn[name], opponents, seed, iterations, threads, told)
    if plot is not None:
        draw_quality(plot, found)
    if as_json:
        print(json.dumps({"seed": seed, "boards": drawn, "qualities": [_as_dict(row) for row in found]}))
        return
    _print_quality(found)
    if plot is not None:
        print(f"wrote {plot}")


def _as_dict(row: Quality) -> dict[str, Any]:
    return {
        "street": row.street, "method": row.method, "buckets": row.buckets, "variance_within": row.variance,
        "explained": row.explained,
    }  # fmt: skip


def _print_quality(found: Sequence[Quality]) -> None:
    from rich.console import Console
    from rich.table import Table

    from ludus.trees.bucket_quality import MEASURES

    table = Table(title="Standard deviation within buckets, in %", title_justify="left")
    for name in ("street", "method"):
        table.add_column(name)
    table.add_column("buckets", justify="right")
    for words in MEASURES.values():
        table.add_column(words, justify="right", max_width=18)
    for before, row in zip([None, *found], found, strict=False):
        if before is not None and before.method != row.method:
            table.add_section()
        deviations = [f"{100 * row.variance[key] ** 0.5:.2f}" for key in MEASURES]
        table.add_row(row.street, row.method, str(row.buckets), *deviations)
    Console().print(table)


def draw_quality(path: Path, found: Sequence[Quality]) -> None:
    """A panel for each street and measure: the deviation within buckets against their number, a line a method."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

    from ludus.trees.bucket_quality import MEASURES

    streets = list(dict.fromkeys(row.street for row in found))
    figure = Figure(figsize=(1.5 + 3.4 * len(streets), 2.6 * len(MEASURES)), layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(len(MEASURES), len(streets), squeeze=False, sharex=True)
    methods = list(dict.fromkeys(row.method for row in found))
    for line, (key, words) in enumerate(MEASURES.items()):
        for column, street in enumerate(streets):
            axes = grid[line][column]
            for at, method in enumerate(methods):
                rows = [row for row in found if row.street == street and row.method == method]
                points = [(row.buckets, 100 * row.variance[key] ** 0.5) for row in rows if row.variance[key] > 0]
                if points:
                    axes.plot(*zip(*points, strict=True), label=method, color=f"C{at}", marker="osD^"[at % 4], ms=4)
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xticks(sorted({row.buckets for row in found}))
            axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 3.0, 5.0, 7.0)))
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter(FormatStrFormatter("%g"))
                axis.set_minor_formatter(NullFormatter())
            axes.minorticks_off()
            axes.tick_params(labelsize="small")
            axes.grid(True, alpha=0.3)
            if line == 0:
                axes.set_title(street)
            if column == 0:
                axes.set_ylabel(f"{words}, %", fontsize="small")
            if line == len(MEASURES) - 1:
                axes.set_xlabel("buckets")
    handles = [handle for axes in grid[0] for handle in axes.get_legend_handles_labels()[0]]
    labelled = {handle.get_label(): handle for handle in handles}
    figure.legend(labelled.values(), labelled.keys(), loc="outside lower center", ncols=len(labelled), frameon=False)
    figure.suptitle("Standard deviation within buckets (smaller is better)", fontsize="medium")
    save_figure(figure, path)

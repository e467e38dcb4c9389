"""``ludus buckets``: build card abstractions, look at them, measure them."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.experiments.plots import check_plot_path

if TYPE_CHECKING:
    pass

app = typer.Typer(
    help="Card abstraction: build buckets of hands that play alike, look at them, measure them.", no_args_is_help=True
)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Seed = Annotated[int, typer.Option(help="Same seed, same buckets.", min=0)]
Threads = Annotated[int | None, typer.Option(help="Threads.", min=1, show_default="all cores")]
Iterations = Annotated[int, typer.Option(help="At most this many rounds of k-means.", min=1)]
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
    """Build buckets from exact features of hands; a stopped build keeps what is done and goes on from there.

    ehs2: mean square of the hand strength on the river. emd: its histogram, by earth mover's distance. potential: the
    flop also by the histogram of the equity on the turn. ochs: equity against 8 clusters of opponents' hands.
    """
    from ludus.cli.views.buckets import facts, show_buckets
    from ludus.cli.views.progress import progress_bar, stages
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
        print(json.dumps({**facts(buckets), "file": str(out), "bytes": out.stat().st_size, "seconds": seconds}))
        return
    print(f"wrote {out}: {out.stat().st_size / 1e6:.1f} MB, {seconds['buckets']:.0f} s on {threads} threads")
    show_buckets(buckets)
    if tables:
        print(f"tables of turn and river are in the cache, 400 MB, {seconds['tables']:.0f} s")


def _whole_numbers(text: str, count: int, option: str) -> list[int]:
    words = text.split(",")
    if len(words) != count or not all(word.strip().isascii() and word.strip().isdigit() for word in words):
        raise ValueError(f"{option} takes {count} whole numbers with commas between them, got {text!r}")
    return [int(word) for word in words]


@app.command()
def show(
    file: Annotated[str, typer.Argument(help="A file of buckets, or the name of shipped ones: 200.")],
    hand: Annotated[str | None, typer.Argument(help="Two cards, as in AhKh.")] = None,
    board: Annotated[str, typer.Option(help="No card or 3 to 5 cards, as in Qh7h2c.")] = "",
    as_json: AsJson = False,
) -> None:
    """Show what buckets are, or the bucket of a hand on a board and the hands that share it there."""
    from ludus.cli.views.buckets import facts, show_buckets, show_hand
    from ludus.trees.bucket_lookup import look_up
    from ludus.trees.buckets import load_buckets

    buckets = load_buckets(file)
    if hand is None:
        if board:
            raise ValueError("name a hand too, as in `ludus buckets show 200 AhKh --board Qh7h2c`")
        print(json.dumps(facts(buckets))) if as_json else show_buckets(buckets)
        return
    found = look_up(buckets, hand, board)
    print(json.dumps(found)) if as_json else show_hand(found)


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
    from ludus.cli.views.buckets import draw_quality, show_quality
    from ludus.cli.views.progress import stages
    from ludus.parallel import usable_cores
    from ludus.trees.bucket_quality import measure_streets
    from ludus.trees.buckets import STREETS

    if plot is not None:
        check_plot_path(plot)
    sizes = _whole_numbers(counts, counts.count(",") + 1, "--counts")
    drawn = dict(zip(STREETS, _whole_numbers(boards, 3, "--boards"), strict=True))
    wanted = {name.strip(): drawn.get(name.strip(), 0) for name in streets.split(",")}
    with stages() as progress:
        found = measure_streets(wanted, sizes, seed, iterations, threads or usable_cores(), progress)
    if plot is not None:
        draw_quality(plot, found)
    if as_json:
        print(json.dumps({"seed": seed, "boards": drawn, "qualities": [row.to_dict() for row in found]}))
        return
    show_quality(found)
    if plot is not None:
        print(f"wrote {plot}")

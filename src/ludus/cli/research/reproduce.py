"""``ludus reproduce``: the experiments of the sources, our figures beside theirs and the theory's."""

from __future__ import annotations

import json
import time
from typing import Annotated

import typer

from ludus.cli import (
    reproduce_abstraction,
    reproduce_blueprint,
    reproduce_kuhn,
    reproduce_leduc,
    reproduce_leduc_match,
    reproduce_leduc_nl,
    reproduce_rps,
    reproduce_s1,
    reproduce_s3,
)

app = typer.Typer(
    help="Run an experiment of the sources again: our figures beside theirs and the theory's.", no_args_is_help=True
)
# Table 1 of Aparicio Llanquipacha (USFX 2025): counts among 100 million hands, from high card to straight flush.
SOURCE_COUNTS = (17316091, 43739212, 23480581, 4823162, 4820671, 3023303, 2596392, 167934, 32654)
SOURCE_HANDS_PER_SECOND = 27_821_357


@app.callback()
def _group() -> None:
    pass


app.command()(reproduce_rps.rps_selfplay)
app.command()(reproduce_rps.rps_fixed)
app.command()(reproduce_rps.rps_doubled)
app.command()(reproduce_kuhn.kuhn_cfr)
app.command()(reproduce_kuhn.kuhn_mccfr)
app.command()(reproduce_leduc.leduc_convergence)
app.command()(reproduce_leduc_nl.leduc_nl)
app.command()(reproduce_leduc_match.leduc_match)
app.command()(reproduce_s3.s3_baselines)
app.command()(reproduce_s1.s1_models)
app.command()(reproduce_abstraction.abstraction)
app.command()(reproduce_blueprint.blueprint_curve)


@app.command()
def hand_categories(
    hands: Annotated[int, typer.Option(help="Random seven-card hands to draw.", min=1, max=10**11)] = 100_000_000,
    seed: Annotated[int, typer.Option(help="Same seed, same counts, on any number of cores.", min=0)] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """How often each category comes among random seven-card hands (source S1: Aparicio 2025, table 1)."""
    from rich.console import Console
    from rich.table import Table

    from ludus.cards.census import STREAM_HANDS, draw_hands
    from ludus.cards.evaluator import CATEGORIES, SEVEN_CARD_COUNTS
    from ludus.cli.views.progress import progress_bar
    from ludus.parallel import usable_cores

    draw_hands(1000, seed)  # compiled or loaded before the clock starts
    with progress_bar("drawing hands", "million", STREAM_HANDS / 1e6) as progress:
        start = time.perf_counter()
        counts = draw_hands(hands, seed, usable_cores(), progress)
        seconds = time.perf_counter() - start
    theory = [count / sum(SEVEN_CARD_COUNTS) for count in SEVEN_CARD_COUNTS]
    if as_json:
        result = {
            "hands": hands, "seed": seed, "seconds": seconds, "hands_per_second": hands / seconds,
            "cores": usable_cores(), "source_hands_per_second": SOURCE_HANDS_PER_SECOND,
            "categories": {
                name: {"count": int(counts[i]), "share": float(counts[i] / hands), "theory": theory[i],
                       "source": SOURCE_COUNTS[i] / sum(SOURCE_COUNTS)}
                for i, name in enumerate(CATEGORIES)
            },
        }  # fmt: skip
        print(json.dumps(result, indent=2))
        return
    table = Table(box=None)
    for column in ("category", "hands", "ours %", "theory %", "off, s.e.", "source %", "off, s.e."):
        table.add_column(column, justify="left" if column == "category" else "right", no_wrap=True)
    for i, name in enumerate(CATEGORIES):
        ours, source = counts[i] / hands, SOURCE_COUNTS[i] / sum(SOURCE_COUNTS)
        errors = [(theory[i] * (1 - theory[i]) / n) ** 0.5 for n in (hands, sum(SOURCE_COUNTS))]
        table.add_row(
            name, f"{counts[i]:,}", f"{100 * ours:.4f}", f"{100 * theory[i]:.4f}",
            f"{(ours - theory[i]) / errors[0]:+.1f}", f"{100 * source:.4f}", f"{(source - theory[i]) / errors[1]:+.1f}",
        )  # fmt: skip
    Console().print(table)
    Console().print(
        f"{hands:,} hands in {seconds:.2f} s on {usable_cores()} cores: {hands / seconds / 1e6:.1f} million a second "
        f"(source: {SOURCE_HANDS_PER_SECOND / 1e6:.1f} million), seed {seed}. "
        "Off, s.e.: by how many standard errors of a fair sample a share is off the theory. "
        "Source: G. Aparicio Llanquipacha, USFX 2025 (S1), table 1.",
        soft_wrap=True, highlight=False,
    )  # fmt: skip

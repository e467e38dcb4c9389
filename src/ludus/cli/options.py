"""Options that many commands have, numbers the way people write them, and how a stopped command ends."""

from __future__ import annotations

from decimal import Decimal, DecimalException
from pathlib import Path
from typing import Annotated, NoReturn

import typer

MOST = 10**15
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Seed = Annotated[int, typer.Option(help="Same seed, same figures.", min=0)]
Tables = Annotated[
    int,
    typer.Option(
        help="Tables played at once by threads, for players who think on one device (resolver:device=cuda).",
        min=0, max=4096, show_default="none",
    ),
]  # fmt: skip
Time = Annotated[
    float | None,
    typer.Option(
        "--time",
        metavar="SECONDS",
        help="Time for each decision of resolver and spot-solver.",
        show_default="their own",
    ),
]
Ray = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS|local", show_default="this machine",
        help="Work on a Ray cluster (docs/scale.md): HOST:PORT, or 'local' for one of this machine alone.",
    ),
]  # fmt: skip
Out = Annotated[Path | None, typer.Option(help="Folder for the CSV files and plots.  [default: out/NAME]")]


def whole_number(option: str, text: str, least: int = 1) -> int:
    """A whole number as people write large ones.

    >>> whole_number("--hands", "1e9"), whole_number("--hands", "2.5M"), whole_number("--hands", "40k")
    (1000000000, 2500000, 40000)
    """
    word = text.strip().lower().replace("_", "").replace(",", "")
    scale = {"k": 10**3, "m": 10**6, "b": 10**9}.get(word[-1:], 1)
    try:
        number = Decimal(word if scale == 1 else word[:-1]) * scale
        if number.is_finite() and least <= number <= MOST and number == int(number):
            return int(number)
    except DecimalException:
        pass
    raise ValueError(f"{option} is a whole number from {least} to 1e15, such as 2000000, 1e9 or 50M, got {text!r}")


def stop_early(done: str) -> NoReturn:
    """End a command that was interrupted after it has shown what there is."""
    typer.echo(f"ludus: stopped early: {done}", err=True)
    raise typer.Exit(130)

"""``ludus``: the table of contents of everything else."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

import ludus
from ludus.cli import bench, equity, games, play, reproduce

app = typer.Typer(
    help="An open poker AI: it solves, plays, measures and teaches imperfect-information games.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(play.play)
app.command()(equity.equity)
app.command()(games.games)
app.add_typer(bench.app, name="bench")
app.add_typer(reproduce.app, name="reproduce")


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"ludus {ludus.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run a command; bad input is one sentence and exit code 2."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):  # odd bytes and plain terminals must not end a game
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        app()
    except ValueError as error:
        print(f"ludus: {error}", file=sys.stderr)
        sys.exit(2)

"""``ludus``: the table of contents of everything else."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import ludus
from ludus.cli.matches import acpc, hands, lbr, match, slumbot, tournament
from ludus.cli.playing import agents, doctor, games, play, serve, warm_up
from ludus.cli.research import (
    bench,
    bench_web,
    reproduce,
    reproduce_all,
    reproduce_expert,
    reproduce_learning,
    reproduce_small,
    sweep,
)
from ludus.cli.solving import (
    buckets,
    exploitability,
    solve,
    solve_pushfold,
    solve_spot,
    spot,
    strategy,
    train,
    train_deep_cfr,
    train_learners,
    train_nfsp,
    train_values,
)
from ludus.cli.studying import advise, charts, equity, range_equity, review

FORMS = "Hold'em has forms of its own: `ludus solve spot --help` (from the flop on), `ludus solve pushfold --help`."


class _Contents(TyperGroup):
    """The first help, as plain text by rooms: to load what draws boxes takes longer than all the rest."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings | {"rich_markup_mode": None})

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        rooms: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            row = name, command.get_short_help_str(1000)
            rooms.setdefault(str(getattr(command, "rich_help_panel", "")), []).append(row)
        for room, rows in rooms.items():
            with formatter.section(room):
                formatter.write_dl(rows)


class _Solve(TyperGroup):
    """Whatever is not a form of ``ludus solve`` goes to the one that solves games: `ludus solve kuhn`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        known = bool(args) and args[0] in self.commands
        return super().parse_args(ctx, args if known else ["game", *args])

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return None if name == "game" else name, command, rest  # so that no usage names it


app = typer.Typer(
    cls=_Contents,
    help="An open poker AI: it solves, plays, measures and teaches imperfect-information games.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)
PLAYING, STUDYING, MATCHES, SOLVING, RESEARCH = "Playing", "Studying", "Matches", "Solving", "Research"  # as the rooms

app.command(rich_help_panel=PLAYING)(serve.serve)
app.command(rich_help_panel=PLAYING)(play.play)
app.command(rich_help_panel=PLAYING)(games.games)
app.command(rich_help_panel=PLAYING)(agents.agents)
app.command(rich_help_panel=PLAYING)(warm_up.warm_up)
app.command(rich_help_panel=PLAYING)(doctor.doctor)

app.command(rich_help_panel=STUDYING)(advise.advise)
app.command(rich_help_panel=STUDYING, epilog=review.FIELDS)(review.review)
app.command(rich_help_panel=STUDYING)(charts.charts)
app.command(rich_help_panel=STUDYING)(equity.equity)
app.command(rich_help_panel=STUDYING)(range_equity.range_equity)

app.command(rich_help_panel=MATCHES)(match.match)
app.command("report", rich_help_panel=MATCHES)(match.report_matches)
app.command(rich_help_panel=MATCHES)(tournament.tournament)
app.command(rich_help_panel=MATCHES)(lbr.lbr)
app.command(rich_help_panel=MATCHES)(slumbot.slumbot)
app.command(rich_help_panel=MATCHES)(hands.hands)
app.add_typer(acpc.app, name="acpc", rich_help_panel=MATCHES)

solving = typer.Typer(
    cls=_Solve, help="Solve a game, a spot of hold'em or play before the flop: approach an equilibrium."
)
solving.command("game", epilog=FORMS)(solve.solve)
solving.command()(solve_spot.spot)
solving.command()(solve_pushfold.pushfold)
app.add_typer(solving, name="solve", rich_help_panel=SOLVING)
app.add_typer(spot.app, name="spot", rich_help_panel=SOLVING)
app.add_typer(strategy.app, name="strategy", rich_help_panel=SOLVING)
app.command(rich_help_panel=SOLVING)(exploitability.exploitability)
train.app.command()(train_values.values)
train.app.command()(train_nfsp.nfsp)
train.app.command()(train_deep_cfr.deep_cfr)
for learner in train_learners.LEARNERS:
    train.app.command()(learner)
app.add_typer(train.app, name="train", rich_help_panel=SOLVING)
app.add_typer(buckets.app, name="buckets", rich_help_panel=SOLVING)

for experiment in (*reproduce_expert.EXPERIMENTS, *reproduce_learning.EXPERIMENTS, *reproduce_small.EXPERIMENTS):
    reproduce.app.command()(experiment)
reproduce.app.command("all")(reproduce_all.reproduce_all)
app.add_typer(reproduce.app, name="reproduce", rich_help_panel=RESEARCH)
for measurement in bench_web.MEASUREMENTS:
    bench.app.command()(measurement)
app.add_typer(bench.app, name="bench", rich_help_panel=RESEARCH)
app.command(rich_help_panel=RESEARCH)(sweep.sweep)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"ludus {ludus.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run a command; bad input is one sentence and exit code 2, a failure one sentence and exit code 1."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):  # odd bytes and plain terminals must not end a game
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = app(standalone_mode=False) or 0
        if sys.stdout:  # a program can be started without one
            sys.stdout.flush()
    except ValueError as error:
        code = _complain(error, 2)
    except BrokenPipeError:  # the reader has all it wanted
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except OSError as error:
        told = f"{error.filename}: {error.strerror}" if error.filename and error.strerror else error
        code = _complain(told, 1)
    except (typer.Abort, KeyboardInterrupt):
        code = _complain("stopped", 130)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        code = _complain(error.format_message(), 2)  # a usage error of Typer's, whose class is not public
    sys.exit(code)


def _complain(what: object, code: int) -> int:
    text = " ".join(f"{what}".split())
    if text:
        print(f"ludus: {text}", file=sys.stderr)
    return code

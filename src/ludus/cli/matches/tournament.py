"""``ludus tournament``: a round robin with a cross table and a ranking."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.game_options import Bets, Blinds, Seats, Stack
from ludus.cli.matches.match import PLAYERS, AsJson, Workers, game_of

if TYPE_CHECKING:
    from ludus.arena.tournament import Tournament


def tournament(
    players: Annotated[list[str], typer.Argument(help=PLAYERS.partition(" The last")[0])],
    game: Annotated[str | None, typer.Option(help="A poker game of `ludus games` or a .game file.")] = None,
    hands: Annotated[int, typer.Option(help="Hands of each pair; with --freezeout, games.", min=1)] = 1000,
    duplicate: Annotated[bool, typer.Option(help="Play every deal from every seat.")] = True,
    freezeout: Annotated[bool, typer.Option("--freezeout", help="Games with carried stacks, not duplicate.")] = False,
    move_seconds: Annotated[float | None, typer.Option(help="Longest time for a move.")] = None,
    seats: Seats = None,
    stack: Stack = None,
    blinds: Blinds = None,
    bets: Bets = None,
    seed: Annotated[int, typer.Option(help="Same seed, same hands.", min=0)] = 0,
    workers: Workers = 1,
    out: Annotated[Path | None, typer.Option(help="Folder for the logs and tables; goes on from it.")] = None,
    as_json: AsJson = False,
) -> None:
    """Everybody against everybody: results in mbb a hand with 95 % intervals, and a ranking with its uncertainty.

    At tables of more than two, the player of a row takes one seat and the player of a column all the others.
    """
    from ludus.arena.plan import MatchPlan
    from ludus.arena.tournament import play_tournament
    from ludus.cli.views.progress import progress_bar

    rules = game_of(players, game, seats, stack, blinds, bets)
    lineup = (players[0],) * rules.players
    plan = MatchPlan(
        rules, lineup, hands, duplicate and not freezeout, seed, freezeout, move_seconds=move_seconds
    )  # fmt: skip
    with progress_bar("matches") as progress:
        result = play_tournament(players, plan, workers, out, progress)
    if not result.complete:
        typer.echo("ludus: stopped early" + (f": the same command goes on from {out}" if out else ""), err=True)
        raise typer.Exit(130)
    found = _as_dict(result, rules.name)
    if out is not None:
        _write(out, found)
    if as_json:
        print(json.dumps(found, indent=2))
    else:
        _show(result, found)


def _as_dict(result: Tournament, game: str) -> dict[str, Any]:
    from ludus.arena.interval import Interval

    names, root = result.names, result.units**0.5
    return {
        "game": game, "seed": result.seed, "hands": result.hands, "units": result.units,
        "cross_table": {
            name: {
                other: Interval(result.units, float(result.mean[a, b]), root * float(result.error[a, b])).as_dict()
                for b, other in enumerate(names) if a != b
            }
            for a, name in enumerate(names)
        },
        "ranking": [
            {
                "name": names[standing.player], "mbb_per_game": found["mean"], "ci95": found["ci95"],
                "too_few": found["too_few"], "places": list(standing.places), "chance_of_first": standing.first,
            }
            for standing in result.ranking()
            for found in [standing.result.as_dict()]
        ],
    }  # fmt: skip


def _write(out: Path, found: dict[str, Any]) -> None:
    from ludus.files import write_atomically, write_csv

    write_atomically(out / "tournament.json", (json.dumps(found, indent=2) + "\n").encode())
    rows = [
        (name, other, cell["mean"], cell["ci95"], cell["too_few"])
        for name, row in found["cross_table"].items()
        for other, cell in row.items()
    ]
    write_csv(out / "tournament.csv", ("player", "against", "mbb_per_game", "ci95", "too_few"), rows)


def _show(result: Tournament, found: dict[str, Any]) -> None:
    from rich.console import Console

    from ludus.arena.interval import caution
    from ludus.cli.views.tables import new_table
    from ludus.experiments.report import plus_minus

    console = Console(highlight=False)
    console.print(
        f"{found['game']}: {result.hands:,} hands in all, seed {result.seed}; mbb/g +- half of 95 %", style="bold"
    )
    order = [row["name"] for row in found["ranking"]]
    cross = new_table(["", *order])
    for name in order:
        cross.add_row(
            name, *("" if name == other else plus_minus(found["cross_table"][name][other]) for other in order)
        )
    console.print(cross)
    ranking = new_table(["player", "place", "mean, mbb/g", "places, 95 %", "best, %"])
    for place, row in enumerate(found["ranking"], 1):
        first, last = row["places"]
        text = plus_minus({"mean": row["mbb_per_game"], "ci95": row["ci95"], "too_few": row["too_few"]})
        ranking.add_row(
            row["name"], f"{place}", text, f"{first}" if first == last else f"{first}-{last}",
            f"{100 * row['chance_of_first']:.1f}",
        )  # fmt: skip
    console.print(ranking)
    if words := caution(result.units, "units of each match"):
        console.print(words, style="yellow")

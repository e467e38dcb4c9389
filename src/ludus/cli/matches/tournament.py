"""``ludus tournament``: a round robin with a cross table and a ranking."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ludus.cli.game_options import Bets, Blinds, Seats, Stack, game_of
from ludus.cli.matches.match import PLAYERS, AsJson, Workers
from ludus.cli.options import Ray, stop_early


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
    ray: Ray = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the logs and tables; goes on from it.")] = None,
    as_json: AsJson = False,
) -> None:
    """Everybody against everybody: results in mbb a hand with 95 % intervals, and a ranking with its uncertainty.

    At tables of more than two, the player of a row takes one seat and the player of a column all the others.
    """
    from ludus.arena.plan import MatchPlan
    from ludus.arena.tournament import play_tournament
    from ludus.cli.views.matches.tournament import show_tournament, write_tournament
    from ludus.cli.views.progress import progress_bar
    from ludus.parallel import open_engine

    rules = game_of(players, game, seats, stack, blinds, bets)
    lineup = (players[0],) * rules.players
    plan = MatchPlan(
        rules, lineup, hands, duplicate and not freezeout, seed, freezeout, move_seconds=move_seconds
    )  # fmt: skip
    with open_engine(workers, ray=ray) as engine, progress_bar("matches", engine=engine) as progress:
        result = play_tournament(players, plan, engine, out, progress)
    if not result.complete:
        stop_early(f"the same command goes on from {out}" if out else "without --out nothing is kept")
    found = {"game": rules.name, **result.to_dict()}
    if out is not None:
        write_tournament(out, found)
    if as_json:
        print(json.dumps(found | {"engine": engine.figures()}, indent=2))
    else:
        show_tournament(found)

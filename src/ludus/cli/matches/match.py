"""``ludus match`` and ``ludus report``: agents against each other, and what their matches say."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.game_options import Bets, Blinds, Seats, Stack, game_of
from ludus.cli.options import Ray, Tables, Time, stop_early

if TYPE_CHECKING:
    from numpy.random import Generator

    from ludus.agents.base import Agent
    from ludus.arena.plan import MatchPlan
    from ludus.games import PokerGame, PokerState

PLAYERS = (
    "Players such as `call`, `strategy:FILE`, `exec:./bot` or `human`; `ludus agents` lists them. The last one takes "
    "all seats that are left."
)
Workers = Annotated[
    int, typer.Option(help="Processes; the log is the same with any number, programs and time limits aside.", min=1)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def match(
    players: Annotated[list[str], typer.Argument(help=PLAYERS)],
    game: Annotated[
        str | None,
        typer.Option(
            help="A poker game of `ludus games` or a .game file.", show_default="that of a strategy, or holdem"
        ),
    ] = None,
    hands: Annotated[int, typer.Option(help="Hands in all; with --freezeout, games.", min=1)] = 1000,
    duplicate: Annotated[
        bool, typer.Option("--duplicate", help="Play every deal from every seat; a deal is one unit of statistics.")
    ] = False,
    aivat: Annotated[bool, typer.Option("--aivat", help="Take out luck where strategies are known (AIVAT).")] = False,
    heuristic: Annotated[
        str | None,
        typer.Option(help="AIVAT's values: equity, solved, zero or strategy:FILE.", show_default="solved if small"),
    ] = None,
    one_sided: Annotated[
        bool, typer.Option("--one-sided", help="AIVAT from the first player's strategy alone, even if both are known.")
    ] = False,
    freezeout: Annotated[
        bool, typer.Option("--freezeout", help="Games with carried stacks until somebody is broke.")
    ] = False,
    max_hands: Annotated[int | None, typer.Option(help="Most hands of a freeze-out.", min=1)] = None,
    decks: Annotated[Path | None, typer.Option(help="Deal from this file: one line of cards per deal.")] = None,
    save_decks: Annotated[Path | None, typer.Option(help="Write the deals of the match to a file.")] = None,
    move_seconds: Annotated[
        float | None, typer.Option(help="Longest time for a move.", show_default="none; 30 for programs")
    ] = None,
    match_seconds: Annotated[float | None, typer.Option(help="Longest total thinking time of a player.")] = None,
    seconds: Time = None,
    acpc: Annotated[
        bool, typer.Option("--acpc", help="Every player is a program of its own that speaks the ACPC protocol.")
    ] = False,
    baseline: Annotated[
        bool, typer.Option("--baseline", help="Add the second player against itself over the same deals.")
    ] = False,
    histories: Annotated[
        bool | None,
        typer.Option(
            "--histories/--no-histories",
            help="Write every hand to the folder as PHH and as text.",
            show_default="up to 20,000 hands",
        ),
    ] = None,
    seats: Seats = None,
    stack: Stack = None,
    blinds: Blinds = None,
    bets: Bets = None,
    seed: Annotated[int, typer.Option(help="Same seed, same hands.", min=0)] = 0,
    workers: Workers = 1,
    tables: Tables = 0,
    ray: Ray = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for log, tables, plots and histories; goes on from it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play a match and measure it.

    A player who fails, plays illegally or thinks too long gives up the hand, and it is reported. With --out a match
    that was stopped, or killed, goes on where it was. Means are in thousandths of a big blind a hand, +- half a
    95 % interval.
    """
    from ludus.agents import with_time
    from ludus.arena.match import play_match
    from ludus.arena.match_report import MatchReport
    from ludus.arena.plan import MatchPlan, read_decks, write_decks
    from ludus.cli.views.matches.match import report, write_files
    from ludus.cli.views.progress import progress_bar
    from ludus.parallel import open_engine

    players = with_time(players, seconds)
    rules = game_of(players, game, seats, stack, blinds, bets)
    if len(players) > rules.players:
        raise ValueError(f"{rules.name} has {rules.players} seats, got {len(players)} players")
    lineup = (*players, *[players[-1]] * (rules.players - len(players)))
    plan = MatchPlan(
        rules, lineup, hands, duplicate=duplicate, seed=seed, freezeout=freezeout, max_hands=max_hands,
        aivat=_heuristic(aivat, heuristic, one_sided, rules), one_sided=one_sided, move_seconds=move_seconds,
        match_seconds=match_seconds, decks=None if decks is None else read_decks(decks, rules), acpc=acpc,
    )  # fmt: skip
    if save_decks is not None:
        if freezeout:
            raise ValueError("--save-decks is not for freeze-outs, whose games have as many deals as it takes")
        write_decks(save_decks, plan)
    if baseline and plan.players[1] == "human":
        raise ValueError("--baseline is the second player against itself, and that is you")
    person = _with_person(plan)
    with (
        open_engine(workers, tables, ray) as engine,
        nullcontext() if person else progress_bar("playing", "hands", plan.hands_per_unit, engine) as progress,
    ):
        result = play_match(plan, out, engine, person, progress)
        rows = [MatchReport.of(result)]
        baseline_complete = True
        if baseline and result.complete:
            again = play_match(_against_itself(plan), None if out is None else out / "baseline", engine)
            rows.append(MatchReport.of(again))
            baseline_complete = again.complete
    complete = result.complete and baseline_complete
    if not result.log.hands:
        stop_early(f"no hand was finished; {_where(out)}")
    if out is not None:
        write_files(out, rows, histories if complete else bool(histories))
    report(rows, as_json, engine.figures())
    if not complete:
        stop_early(_where(out))


def report_matches(
    folders: Annotated[list[Path], typer.Argument(help="Folders or logs of `ludus match`.")],
    out: Annotated[Path | None, typer.Option(help="Folder for tables and plots.")] = None,
    as_json: AsJson = False,
) -> None:
    """The statistics of matches that were played, several of the same players counted as one."""
    from ludus.arena.log import read_log
    from ludus.arena.match_report import MatchReport
    from ludus.cli.views.matches.match import report, write_files

    rows = [MatchReport.read([read_log(folder) for folder in folders], [f for f in folders if f.is_dir()])]
    if out is not None:
        write_files(out, rows, histories=False)
    report(rows, as_json)


def _with_person(plan: MatchPlan) -> list[Agent] | None:
    """The players of a match in which somebody at this terminal plays; None when nobody does."""
    if "human" not in plan.players:
        return None
    if plan.duplicate or plan.players.count("human") > 1:
        raise ValueError("a person must not know the others' cards: no --duplicate, and one person at a table")
    from ludus.arena.entrants import make_player
    from ludus.cli.matches.acpc_person import Person
    from ludus.protocols.acpc.client import Leave

    class Seat(Person):
        independent = True

        def act(self, observation: PokerState, rng: Generator) -> int:
            try:
                return super().act(observation, rng)
            except Leave:
                raise KeyboardInterrupt from None

    seats = [Seat(plan.game) if spec == "human" else make_player(spec, plan) for spec in plan.players]
    return list(seats)


def _heuristic(aivat: bool, name: str | None, one_sided: bool, game: PokerGame) -> str | None:
    if not aivat:
        if name is not None or one_sided:
            raise ValueError("--heuristic and --one-sided are for --aivat")
        return None
    from ludus.arena.aivat.heuristics import default_heuristic

    return name or default_heuristic(game)


def _against_itself(plan: MatchPlan) -> MatchPlan:
    from dataclasses import replace

    return replace(plan, players=(plan.players[1],) * plan.game.players)


def _where(out: Path | None) -> str:
    return "there is no log to go on from (--out keeps one)" if out is None else f"the same command goes on from {out}"

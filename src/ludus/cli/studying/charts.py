"""``ludus charts``: what a blueprint does before the flop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ludus.agents.blueprint import BlueprintAgent
    from ludus.cli.preflop_spots import Explorer, Spot
    from ludus.games import PokerGame

MOST_DRAWN = 24  # charts of a figure
MOST_BLINDS = 10_000


def charts(
    blueprint: Annotated[
        str, typer.Option(help="A shipped blueprint or a file.", show_default="the one for the players")
    ] = "auto",
    players: Annotated[
        int | None, typer.Option(help="Players at the table, 2 to 10.", show_default="the blueprint's, or 6")
    ] = None,
    stack: Annotated[float | None, typer.Option(help="Stacks in big blinds.", show_default="those of training")] = None,
    position: Annotated[str | None, typer.Option(help="Whose charts: UTG, CO, BTN, SB, BB, ...")] = None,
    facing: Annotated[
        str | None,
        typer.Option(help="What was done before: 'CO' (raised as usual), 'UTG 3bb, BTN call', 'BTN, BB all-in'."),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", "--plot", help="Draw the charts to this file: SVG, PNG or PDF.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Pre-flop charts by position: raising first in, answering a raise, and any other decision before the flop.

    Without --position and --facing all positions' first raises are drawn, and heads-up the answers; the answers to
    raises are told in numbers.

    ludus charts --players 6 --position BB

    ludus charts --players 2 --facing "BTN 3bb" --svg bb.svg

    A blueprint is trained for one depth of stacks. Charts for other stacks are its own by translation, and that is
    said; train another and name its file for charts of their own.
    """
    from ludus.agents.blueprint import BlueprintAgent, load_blueprint
    from ludus.cli.preflop_spots import Explorer
    from ludus.experiments.plots import check_plot_path

    if svg:
        check_plot_path(svg)
    made = None if blueprint == "auto" else load_blueprint(blueprint)
    agent = BlueprintAgent(made)
    game = _table(agent, players, stack)
    explorer = Explorer(agent, game)
    drawn, told = _wanted(explorer, position, facing)
    if svg:
        _draw(svg, drawn, agent.describe(game))
    if as_json:
        print(json.dumps(_data(agent, game, [*drawn, *told])))
        return
    _show(agent.describe(game), drawn, told)
    if svg:
        print(f"wrote {svg}")


def _table(agent: BlueprintAgent, players: int | None, stack: float | None) -> PokerGame:
    """The table that the charts are for: the blueprint's own, with what else was asked for."""
    from ludus.agents.blueprint import SIX_PLAYER, shipped_blueprints
    from ludus.games import holdem
    from ludus.trees.translation import depth

    if players is None:
        shipped = 6 if SIX_PLAYER in shipped_blueprints() else 2
        players = shipped if agent.blueprint is None else agent.blueprint.abstraction.game.players
    trained = agent.blueprint_for(holdem(players=players)).abstraction.table
    if players == trained.players and stack is None:
        return trained
    if stack is not None and not 1 <= stack <= MOST_BLINDS:
        raise ValueError(f"--stack is 1 to {MOST_BLINDS:,} big blinds, got {stack:g}")
    big, small = trained.big_blind, sorted(trained.blinds)[-2]
    chips = round((depth(trained) if stack is None else stack) * big)
    return holdem(players, chips, (small, big), dialect=trained.dialect)


def _wanted(explorer: Explorer, position: str | None, facing: str | None) -> tuple[list[Spot], list[Spot]]:
    """The decisions to draw, and those to tell in numbers alone."""
    seat = None if position is None else explorer.seat(position)
    if facing:
        found = explorer.answers(explorer.read(facing))
        drawn = [spot for spot in found if seat is None or spot.state.player == seat]
        if not drawn:
            raise ValueError(f"{position or 'nobody'} is not to act after {facing!r}")
        return drawn, []
    found = explorer.usual()
    if seat is not None:
        return [spot for spot in found if spot.state.player == seat], []
    if explorer.game.players == 2:
        return found, []
    return [spot for spot in found if not spot.played], [spot for spot in found if spot.played]


def _data(agent: BlueprintAgent, game: PokerGame, spots: list[Spot]) -> dict[str, Any]:
    made = agent.blueprint_for(game)
    return {
        "blueprint": agent.describe(game),
        "training": made.training,
        "players": game.players,
        "stack": min(game.stacks) / game.big_blind,
        "trained_stack": min(made.abstraction.game.stacks) / made.abstraction.game.big_blind,
        "charts": [spot.data() for spot in spots],
    }


def _draw(path: Path, spots: list[Spot], title: str) -> None:
    from textwrap import fill

    from ludus.cli.chart import chart_figure
    from ludus.experiments.plots import save_figure

    if len(spots) > MOST_DRAWN:
        raise ValueError(f"a figure has room for {MOST_DRAWN} charts, these are {len(spots)}: name a --position")
    width = 44 * min(len(spots), 3)
    save_figure(chart_figure([spot.chart for spot in spots], fill(title, width)), path)


def _show(title: str, drawn: list[Spot], told: list[Spot]) -> None:
    from rich.table import Table

    from ludus.cli.chart import print_chart
    from ludus.cli.views.tables import print_table

    print(title)
    table = Table(box=None, pad_edge=False)
    table.add_column("position")
    table.add_column("before")
    spots = [*drawn, *told]
    words = [word for word in ("all-in", "raise", "call", "check", "fold") if any(word in s.shares() for s in spots)]
    for word in words:
        table.add_column(f"{word} %", justify="right")
    for spot in spots:
        shares = spot.shares()
        numbers = [f"{100 * shares[word]:.1f}" if word in shares else "" for word in words]
        table.add_row(spot.position, ", ".join(spot.played) or "first in", *numbers)
    print_table(table)
    for spot in drawn:
        print()
        print_chart(spot.chart)

"""``ludus charts``: what a solution or a blueprint does before the flop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def charts(
    blueprint: Annotated[
        str,
        typer.Option(help="A shipped blueprint or a file.", show_default="a solution, or the one for the players"),
    ] = "auto",
    solution: Annotated[
        Path | None, typer.Option(help="A file of `ludus train preflop`.", show_default="the shipped one")
    ] = None,
    players: Annotated[
        int | None, typer.Option(help="Players at the table, 2 to 10.", show_default="the blueprint's, or 6")
    ] = None,
    stack: Annotated[
        float | None, typer.Option(help="Stacks in big blinds.", show_default="those it was made for")
    ] = None,
    position: Annotated[str | None, typer.Option(help="Whose charts: UTG, HJ, CO, BTN, SB, BB, ...")] = None,
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
    raises are given in numbers.

    ludus charts --players 6 --position BB

    ludus charts --players 2 --facing "BTN 3bb" --svg bb.svg

    Charts come from solutions, and say what best responses to them gain: six players with 20, 30, 50, 70, 100 and 200
    big blinds are shipped. Tables of 3 to 6 with 14 to 284 big blinds are taken for the nearest of them, seats counted
    from the button; `ludus train preflop` solves any table. Other charts are a blueprint's, for other stacks than
    those of its training by translation. Whatever is done is said.
    """
    from ludus.agents.blueprint import BlueprintAgent, load_blueprint
    from ludus.cli.views.preflop_charts import draw_charts, show_charts
    from ludus.experiments.plots import check_plot_path
    from ludus.teach.preflop_charts import PreflopExplorer, as_data, chart_source, wanted_decisions

    if svg:
        check_plot_path(svg)
    named = None if blueprint == "auto" else BlueprintAgent(load_blueprint(blueprint))
    source, game = chart_source(named, solution, players, stack)
    drawn, told = wanted_decisions(PreflopExplorer(source, game), position, facing)
    if svg:
        draw_charts(svg, drawn, source.describe(game))
    if as_json:
        print(json.dumps(as_data(source, game, [*drawn, *told])))
        return
    show_charts(source.describe(game), drawn, told)
    if svg:
        print(f"wrote {svg}")

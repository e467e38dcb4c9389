"""``ludus charts``: what a blueprint does before the flop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def charts(
    blueprint: Annotated[
        str, typer.Option(help="A shipped blueprint or a file.", show_default="the one for the players")
    ] = "auto",
    players: Annotated[
        int | None, typer.Option(help="Players at the table, 2 to 10.", show_default="the blueprint's, or 6")
    ] = None,
    stack: Annotated[float | None, typer.Option(help="Stacks in big blinds.", show_default="those of training")] = None,
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

    A blueprint is trained for one depth of stacks. Charts for other stacks are its own by translation, and that is
    said; train another and name its file for charts of their own.
    """
    from ludus.agents.blueprint import BlueprintAgent, load_blueprint
    from ludus.cli.views.preflop_charts import draw_charts, show_charts
    from ludus.experiments.plots import check_plot_path
    from ludus.teach.preflop_charts import PreflopExplorer, as_data, charted_table, wanted_decisions

    if svg:
        check_plot_path(svg)
    agent = BlueprintAgent(None if blueprint == "auto" else load_blueprint(blueprint))
    game = charted_table(agent, players, stack)
    drawn, told = wanted_decisions(PreflopExplorer(agent, game), position, facing)
    if svg:
        draw_charts(svg, drawn, agent.describe(game))
    if as_json:
        print(json.dumps(as_data(agent, game, [*drawn, *told])))
        return
    show_charts(agent.describe(game), drawn, told)
    if svg:
        print(f"wrote {svg}")

"""``ludus lbr``: how much an exploiter that knows an agent's strategy wins from it, at least."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ludus.cli.game_options import Stack, game_of
from ludus.cli.options import Ray, Tables, Time, stop_early


def lbr(
    agent: Annotated[str, typer.Argument(help="A player of `ludus match` that can tell how it plays every hand.")],
    game: Annotated[
        str | None,
        typer.Option(
            help="A two-player poker game of `ludus games`, or a .game file.", show_default="a strategy's, or holdem"
        ),
    ] = None,
    stack: Stack = None,
    bets: Annotated[
        str,
        typer.Option(help="fc, fcpa, 56bets, c or a list such as 0.5,pot,allin; or one a street: c/c/fcpa/fc."),
    ] = "fcpa",
    start: Annotated[
        str | None, typer.Option("--from", help="Only check and call before this street: flop, turn or river.")
    ] = None,
    hands: Annotated[
        int | None, typer.Option(help="Hands to play.", show_default="2000; small games are enumerated")
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same result.", min=0)] = 0,
    seconds: Time = None,
    workers: Annotated[int | None, typer.Option(help="Processes.", min=1, show_default="all cores")] = None,
    tables: Tables = 0,
    ray: Ray = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure an agent by local best response: a lower bound on its exploitability (Lisy & Bowling 2017).

    The exploiter knows what the agent does with every hand and follows the range of hands it may hold. It takes the
    best of folding, calling and some bets as if both checked and called from then on. It may lose: then nothing is
    known. In limit games, and games with a fixed set of bets, every set except fc and c means all legal raises.
    """
    from ludus.agents import with_time
    from ludus.arena.lbr.measured import measure_lbr
    from ludus.arena.lbr.menus import parse_menus
    from ludus.arena.lbr.odds import is_holdem
    from ludus.cli.views.matches.lbr import show_lbr
    from ludus.cli.views.progress import stages
    from ludus.parallel import open_engine, usable_cores

    (agent,) = with_time([agent], seconds)
    rules = game_of([agent], game, None, stack)
    menus = parse_menus(bets, rules, start)
    if tables and hands is None and not is_holdem(rules):
        raise ValueError(f"{rules.name} is gone through whole: leave out --tables")
    with open_engine(workers or usable_cores(), tables, ray) as engine, stages(engine) as progress:
        found = measure_lbr(rules, agent, menus, hands, seed, engine, progress)
    result = {
        "agent": agent,
        "game": rules.name,
        "stacks": rules.stacks,
        "bets": bets,
        "from": start,
        **found,
        "engine": engine.figures(),
    }
    if as_json:
        print(json.dumps(result))
    elif result["exact"] or result["hands"]:
        show_lbr(result)
    if not result["complete"]:
        stop_early(f"{result['hands']:,} hands")

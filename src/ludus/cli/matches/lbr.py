"""``ludus lbr``: how much an exploiter that knows an agent's strategy wins from it, at least."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.game_options import Stack
from ludus.cli.matches.match import game_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ludus.arena.interval import Interval
    from ludus.arena.lbr.menus import Menu
    from ludus.games import PokerGame

HANDS = 2000


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
        int | None, typer.Option(help="Hands to play.", show_default=f"{HANDS}; small games are gone through whole")
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same result.", min=0)] = 0,
    workers: Annotated[int | None, typer.Option(help="Processes.", min=1, show_default="all cores")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure an agent by local best response: a lower bound on its exploitability (Lisy & Bowling 2017).

    The exploiter knows what the agent does with every hand and follows the range of hands it may hold. It takes the
    best of folding, calling and some bets as if both checked and called from then on. It may lose: then nothing is
    known. In limit games, and games with a fixed set of bets, every set but fc and c means all legal raises.
    """
    from ludus.arena.lbr.menus import parse_menus
    from ludus.arena.lbr.odds import is_holdem

    rules = game_of([agent], game, None, stack)
    menus = parse_menus(bets, rules, start)
    exact = hands is None and not is_holdem(rules)
    begin = time.perf_counter()
    if exact:
        found, complete = _whole(rules, agent, menus), True
    else:
        found, complete = _sample(rules, agent, menus, HANDS if hands is None else hands, seed, workers)
    seconds = time.perf_counter() - begin
    result = {
        "agent": agent, "game": rules.name, "stacks": rules.stacks, "bets": bets, "from": start, "exact": exact,
        "seed": None if exact else seed, **found, "seconds": seconds, "complete": complete,
    }  # fmt: skip
    if as_json:
        print(json.dumps(result))
    elif exact or found["hands"]:
        _show(result)
    if not complete:
        from ludus.cli.options import stop_early

        stop_early(f"{found['hands']:,} hands")


def _whole(game: PokerGame, agent: str, menus: Sequence[Menu]) -> dict[str, Any]:
    """The exact value, and that of the best response where it can be had."""
    from ludus import agents
    from ludus.arena.lbr.exact import best_response_values, exact_lbr
    from ludus.cli.views.progress import progress_bar

    player: Any = agents.make(agent, game)
    with progress_bar(f"LBR against {agent}") as progress:
        values = exact_lbr(game, player, menus, progress)
        best = best_response_values(game, player)
    seats = [_amount(game, value) for value in values]
    if best is not None:
        for seat, value in zip(seats, best, strict=True):
            seat["best_response_mbb"] = 1000 * value / game.big_blind
    return {
        "hands": None, **_amount(game, sum(values) / 2), "seats": seats,
        "exploitability_mbb": None if best is None else 500 * sum(best) / game.big_blind,
    }  # fmt: skip


def _sample(
    game: PokerGame, agent: str, menus: Sequence[Menu], hands: int, seed: int, workers: int | None
) -> tuple[dict[str, Any], bool]:
    """What was won in sampled hands, and whether all of them were played."""
    from contextlib import closing
    from functools import partial

    import numpy as np

    from ludus import agents
    from ludus.arena.lbr.sampled import BLOCK_PAIRS, intervals, sampled_lbr
    from ludus.cli.views.progress import progress_bar
    from ludus.parallel import usable_cores

    played, complete = [np.zeros((0, 2))], True
    times: list[float] = []
    with progress_bar(f"LBR against {agent}", "hands", 2 * BLOCK_PAIRS) as progress:
        try:
            total = -(-hands // (2 * BLOCK_PAIRS))
            with closing(
                sampled_lbr(game, partial(agents.make, agent, game), menus, hands, seed, workers or usable_cores())
            ) as blocks:
                for block in blocks:
                    played.append(block)
                    times.append(time.perf_counter())
                    progress(len(played) - 1, total)
        except KeyboardInterrupt:
            complete = False
    pairs = np.vstack(played)
    both, *seats = (_estimate(game, found) for found in intervals(pairs))
    later = sum(block.size for block in played[2:])  # the first block waits for processes and compiled code
    speed = later / (times[-1] - times[0]) if later else None
    return {
        "hands": pairs.size, **both, "seats": seats, "exploitability_mbb": None, "hands_per_second": speed,
    }, complete  # fmt: skip


def _amount(game: PokerGame, chips: float, ci95: float | None = None) -> dict[str, Any]:
    unit = 1000 / game.big_blind
    return {"chips": chips, "mbb": unit * chips, "mbb_ci95": None if ci95 is None else unit * ci95}


def _estimate(game: PokerGame, found: Interval) -> dict[str, Any]:
    from ludus.arena.interval import finite

    none = {"chips": None, "mbb": None, "mbb_ci95": None}
    amount = _amount(game, found.mean, finite(found.ci95)) if found.units else none
    return {**amount, "too_few": found.too_few}


def _show(result: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    from ludus.arena.interval import caution

    how = "exact" if result["exact"] else f"{result['hands']:,} hands, seed {result['seed']}"
    since = f" from the {result['from']} on" if result["from"] else ""
    console = Console(highlight=False)
    console.print(
        f"local best response to {result['agent']}, {result['game']}, {result['bets']}{since} ({how})", soft_wrap=True
    )
    best = result["exploitability_mbb"] is not None
    table = Table("seat", box=None)
    for column in ("wins, chips", "wins, mbb/g", *["best response, mbb/g"] * best):
        table.add_column(column, justify="right")
    for name, row in zip(("first", "second", "both"), [*result["seats"], result], strict=True):
        more = row.get("best_response_mbb", result["exploitability_mbb"])
        table.add_row(name, f"{row['chips']:+.6g}", _with_error(row), *[f"{more or 0:,.1f}"] * best)
    console.print(table)
    if not result["exact"] and (words := caution(result["hands"] // 2, "pairs of hands")):
        console.print(words, style="yellow")
    bound = result["mbb"] - (result["mbb_ci95"] or 0.0)
    if bound > 0 and (result["exact"] or result["mbb_ci95"] is not None):
        console.print(f"exploitability is at least {bound:,.1f} mbb/g")
    else:
        console.print(
            "nothing is shown about exploitability yet" if result["mbb"] > 0 else "it loses: nothing is known"
        )
    if result.get("hands_per_second"):
        console.print(f"{result['hands_per_second']:,.0f} hands/s")


def _with_error(row: dict[str, Any]) -> str:
    error = "" if row["mbb_ci95"] is None else f" +- {row['mbb_ci95']:,.1f}"
    return f"{row['mbb']:,.1f}{error}" + (" (too few)" if row.get("too_few") else "")

"""``ludus play``: a table in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.game_options import Blinds, Seats, Stack, poker_game
from ludus.cli.options import Time

if TYPE_CHECKING:
    from ludus.games import PokerGame

BLUEPRINT, OTHERWISE = "blueprint", "heuristic-mc"


def play(
    game: Annotated[str, typer.Argument(help="A poker game of `ludus games`, or an ACPC .game file.")] = "holdem",
    opponent: Annotated[
        str | None,
        typer.Option(
            help="Who sits in the other seats; `ludus agents` lists them.",
            show_default=f"{BLUEPRINT}, {OTHERWISE} where it cannot play",
        ),
    ] = None,
    level: Annotated[
        int | None,
        typer.Option(help="How strong the blueprint is, 1 to 5.", show_default="5, the strongest", min=1, max=5),
    ] = None,
    seconds: Time = None,
    seats: Seats = None,
    stack: Stack = None,
    blinds: Blinds = None,
    advise: Annotated[bool, typer.Option("--advise", help="Show advice before each of your decisions.")] = False,
    seed: Annotated[int | None, typer.Option(help="Same seed, same cards.", show_default="random")] = None,
    hands: Annotated[
        int | None, typer.Option(help="Stop after this many hands.", show_default="until you quit")
    ] = None,
) -> None:
    """Play poker in the terminal.

    Type f to fold, c to call or check, r 250 to raise to 250, r 75% or r pot for a share of the pot, a for all-in,
    h for a hint in hold'em, q to quit. It works over a pipe, too.
    """
    import secrets

    from ludus.agents import make as make_agent
    from ludus.agents import with_time
    from ludus.cli.playing.table import TerminalTable

    rules = poker_game(game, seats, stack, blinds)
    if hands is not None and hands < 1:
        raise ValueError(f"--hands must be at least 1, got {hands}")
    if seed is not None and seed < 0:
        raise ValueError(f"--seed must not be negative, got {seed}")
    (name,) = with_time([_at_level(opponent or _usual_opponent(rules), level)], seconds)
    table = TerminalTable(rules, make_agent(name, rules), name, secrets.randbits(32) if seed is None else seed)
    table.advise = advise
    if advise and table.hints is None:
        raise ValueError(f"there is advice for no-limit hold'em only, not for {rules.name}")
    table.run(hands)


def _usual_opponent(rules: PokerGame) -> str:
    """The blueprint, if one comes with the package that can play the game."""
    from ludus.agents.blueprint import check_rules, shipped_for

    try:
        check_rules(rules)
        shipped_for(rules.players)
    except ValueError:
        return OTHERWISE
    return BLUEPRINT


def _at_level(name: str, level: int | None) -> str:
    """The name of a player with the level asked for."""
    if level is None:
        return name
    kind, colon, settings = name.partition(":")
    if kind != BLUEPRINT or "level=" in settings:
        raise ValueError(f"--level is for the player {BLUEPRINT}, once: {name} has none to set")
    return f"{name}{',' if colon else ':'}level={level}"

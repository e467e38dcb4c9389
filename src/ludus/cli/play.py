"""``ludus play``: a table in the terminal."""

from __future__ import annotations

from typing import Annotated

import typer

from ludus.cli.poker_game import Blinds, Seats, Stack, poker_game


def play(
    game: Annotated[str, typer.Argument(help="A poker game of `ludus games`, or an ACPC .game file.")] = "holdem",
    opponent: Annotated[str, typer.Option(help="Who sits in the other seats; `ludus agents` lists them.")] = (
        "heuristic-mc"
    ),
    seats: Seats = None,
    stack: Stack = None,
    blinds: Blinds = None,
    seed: Annotated[int | None, typer.Option(help="Same seed, same cards.", show_default="random")] = None,
    hands: Annotated[int | None, typer.Option(help="Stop after so many hands.", show_default="until you quit")] = None,
) -> None:
    """Play poker in the terminal against simple players.

    Type f to fold, c to call or check, r 250 to raise to 250, a for all-in, q to quit. It works over a pipe, too.
    """
    import secrets

    from ludus.agents import make as make_agent
    from ludus.cli.table import Table

    rules = poker_game(game, seats, stack, blinds)
    if hands is not None and hands < 1:
        raise ValueError(f"--hands must be at least 1, got {hands}")
    if seed is not None and seed < 0:
        raise ValueError(f"--seed must not be negative, got {seed}")
    Table(rules, make_agent(opponent, rules), opponent, secrets.randbits(32) if seed is None else seed).run(hands)

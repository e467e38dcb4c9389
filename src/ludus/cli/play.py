"""``ludus play``: a table in the terminal."""

from __future__ import annotations

from typing import Annotated, Any

import typer


def play(
    game: Annotated[str, typer.Argument(help="A poker game of `ludus games`, or an ACPC .game file.")] = "holdem",
    opponent: Annotated[str, typer.Option(help="Who sits in the other seats: random, call or heuristic-mc.")] = (
        "heuristic-mc"
    ),
    seats: Annotated[int | None, typer.Option(help="Players at the table, 2 to 10.", show_default="2")] = None,
    stack: Annotated[
        int | None, typer.Option(help="Chips everybody has at the start of each hand.", show_default="200")
    ] = None,
    blinds: Annotated[str | None, typer.Option(help="Small and big blind of hold'em.", show_default="1/2")] = None,
    seed: Annotated[int | None, typer.Option(help="Same seed, same cards.", show_default="random")] = None,
    hands: Annotated[int | None, typer.Option(help="Stop after so many hands.", show_default="until you quit")] = None,
) -> None:
    """Play poker in the terminal against simple players.

    Type f to fold, c to call or check, r 250 to raise to 250, a for all-in, q to quit. It works over a pipe, too.
    """
    import secrets

    from ludus.agents import make as make_agent
    from ludus.cli.table import Table

    wished: dict[str, Any] = {"players": seats, "stack": stack, "blinds": None if blinds is None else _blinds(blinds)}
    rules = _poker_game(game, {name: value for name, value in wished.items() if value is not None})
    if hands is not None and hands < 1:
        raise ValueError(f"--hands must be at least 1, got {hands}")
    if seed is not None and seed < 0:
        raise ValueError(f"--seed must not be negative, got {seed}")
    Table(rules, make_agent(opponent), opponent, secrets.randbits(32) if seed is None else seed).run(hands)


def _poker_game(name: str, parameters: dict[str, Any]) -> Any:
    import inspect

    from ludus.games import GAMES, PokerGame, make
    from ludus.games.acpc import read_game

    known = inspect.signature(GAMES[name]).parameters if name in GAMES else ()
    for parameter in parameters:
        if parameter not in known and (name in GAMES or name.endswith(".game")):
            raise ValueError(f"{name} has no --{'seats' if parameter == 'players' else parameter}")
    if name.endswith(".game"):
        return read_game(name)
    game = make(name, **parameters)
    if not isinstance(game, PokerGame):
        raise ValueError(f"{name} is not a poker game; `ludus play` deals poker, see `ludus games`")
    return game


def _blinds(text: str) -> tuple[int, ...]:
    parts = text.replace(",", "/").split("/")
    if not all(part.strip().isascii() and part.strip().isdecimal() for part in parts):
        raise ValueError(f"--blinds are two whole numbers such as 1/2, got {text!r}")
    return tuple(int(part) for part in parts)

"""``ludus play``: a table in the terminal."""

from __future__ import annotations

from typing import Annotated, Any

import typer


def play(
    game: Annotated[str, typer.Argument(help="holdem, kuhn, kuhn3, leduc or leduc-nl.")] = "holdem",
    opponent: Annotated[str, typer.Option(help="Who sits in the other seats: random, call or heuristic-mc.")] = (
        "heuristic-mc"
    ),
    seats: Annotated[int | None, typer.Option(help="Players at a hold'em table, 2 to 10.", show_default="2")] = None,
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
    import inspect
    import secrets

    from ludus.agents import make as make_agent
    from ludus.cli.table import Table
    from ludus.games import GAMES, PokerGame
    from ludus.games import make as make_game

    wished: dict[str, Any] = {"players": seats, "stack": stack, "blinds": None if blinds is None else _blinds(blinds)}
    parameters = {name: value for name, value in wished.items() if value is not None}
    for name in parameters:
        if game in GAMES and name not in inspect.signature(GAMES[game]).parameters:
            flag = {"players": "seats"}.get(name, name)
            raise ValueError(f"{game} has no --{flag}")
    rules = make_game(game, **parameters)
    if not isinstance(rules, PokerGame):
        raise ValueError(f"{game} is not a poker game; `ludus play` deals holdem, kuhn, kuhn3, leduc and leduc-nl")
    if hands is not None and hands < 1:
        raise ValueError(f"--hands must be at least 1, got {hands}")
    if seed is not None and seed < 0:
        raise ValueError(f"--seed must not be negative, got {seed}")
    Table(rules, make_agent(opponent), opponent, secrets.randbits(32) if seed is None else seed).run(hands)


def _blinds(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.replace(",", "/").replace(" ", "/").split("/"))
    except ValueError:
        raise ValueError(f"--blinds are two whole numbers such as 1/2, got {text!r}") from None

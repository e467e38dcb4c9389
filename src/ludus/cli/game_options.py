"""The game that a command is about, and the options that shape it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ludus.games import Game, PokerGame

Seats = Annotated[int | None, typer.Option(help="Players at the table, 2 to 10.", show_default="the game's")]
Stack = Annotated[
    int | None, typer.Option(help="Chips everybody has at the start of each hand.", show_default="the game's")
]
Blinds = Annotated[str | None, typer.Option(help="Small and big blind of hold'em.", show_default="1/2")]
Bets = Annotated[
    str | None, typer.Option(help="Bets of leduc-nl: all, any, or such as 0.5,pot,allin.", show_default="pot,allin")
]


def poker_game(
    name: str, seats: int | None = None, stack: int | None = None, blinds: str | None = None, bets: str | None = None
) -> PokerGame:
    """A poker game of `ludus games`, or of a .game file, with the options that were given."""
    import inspect

    from ludus.games import GAMES, PokerGame, make
    from ludus.games.acpc import read_game

    wished: dict[str, Any] = {
        "players": seats, "stack": stack, "blinds": None if blinds is None else _blinds(blinds), "bets": bets,
    }  # fmt: skip
    parameters = {parameter: value for parameter, value in wished.items() if value is not None}
    known = inspect.signature(GAMES[name]).parameters if name in GAMES else {}
    for parameter in parameters:
        unfit = parameter not in known or (parameter == "bets" and known[parameter].default is None)
        if unfit and (name in GAMES or name.endswith(".game")):
            raise ValueError(f"{name} has no --{'seats' if parameter == 'players' else parameter}")
    if name.endswith(".game"):
        return read_game(name)
    game = make(name, **parameters)
    if not isinstance(game, PokerGame):
        raise ValueError(f"{name} is not a poker game, see `ludus games`")
    return game


def _blinds(text: str) -> tuple[int, ...]:
    parts = text.replace(",", "/").split("/")
    if not all(part.strip().isascii() and part.strip().isdecimal() for part in parts):
        raise ValueError(f"--blinds are two whole numbers such as 1/2, got {text!r}")
    return tuple(int(part) for part in parts)


def game_of(players: list[str], name: str | None, *options: Any) -> PokerGame:
    """The game asked for, or the one that a strategy or a network among the players was made for."""
    if name is None and not any(option is not None for option in options):
        from ludus.agents import settings_of
        from ludus.files import kind_of
        from ludus.games import PokerGame
        from ludus.games.definition import rebuild
        from ludus.rl.policy import KIND, PolicyNetwork
        from ludus.solvers import Strategy

        for spec in players:
            file = settings_of(spec).get("file")
            if file and (kind := kind_of(Path(file))) != "blueprint":
                game = rebuild(PolicyNetwork.load(Path(file)).rules) if kind == KIND else Strategy.load(file).game()
                if isinstance(game, PokerGame):
                    return game
    return poker_game(name or "holdem", *options)


def make_game(name: str, bets: str | None, deck: str | None, stack: int | None, suits: bool) -> Game:
    """A registered game with the parameters that were given; ValueError when it has no such parameter."""
    import inspect

    from ludus.games import GAMES, make

    given = {"bets": bets, "deck": deck, "stack": stack, "show_suits": suits or None}
    parameters = {parameter: value for parameter, value in given.items() if value is not None}
    known = inspect.signature(GAMES[name]).parameters if name in GAMES else parameters
    for parameter in parameters:
        if parameter not in known:
            raise ValueError(f"{name} has no --{'suits' if parameter == 'show_suits' else parameter}")
    return make(name, **parameters)

"""A game as plain data and back, so that a saved strategy says exactly which game it is for."""

from __future__ import annotations

from dataclasses import asdict, fields, is_dataclass
from typing import Any

from ludus.games.base import Game
from ludus.games.bets import BetSchedule, BetSet
from ludus.games.matrix import MatrixGame
from ludus.games.poker import PokerGame

Definition = dict[str, Any]
_KINDS: dict[str, Any] = {"poker": PokerGame, "matrix": MatrixGame}


def define(game: Game) -> Definition:
    """The rules of a game as JSON can hold them.

    >>> from ludus.games import rock_paper_scissors
    >>> rebuild(define(rock_paper_scissors())) == rock_paper_scissors()
    True
    """
    kind = next((name for name, known in _KINDS.items() if isinstance(game, known)), type(game).__qualname__)
    rules = asdict(game) if is_dataclass(game) and not isinstance(game, type) else {"name": game.name}
    return {"kind": kind, "players": game.players, **_listed(rules)}


def rebuild(definition: Definition) -> Game:
    """The game of a definition; ValueError when it is not one of ours or not sound."""
    kind = definition.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ValueError(f"the rules of {definition.get('name')!r} are not part of Ludus: give the game itself")
    known = {field.name for field in fields(_KINDS[kind])}
    names = definition.keys() - {"kind", "players"}
    if unknown := names - known:
        raise ValueError(f"a {kind} game has no {', '.join(sorted(unknown))}")
    try:
        given = {name: _tupled(definition[name]) for name in names}
        if isinstance(bets := definition.get("bets"), dict):
            given["bets"] = _bets(bets)
        game: Game = _KINDS[kind](**given)
    except (TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError(f"these are not the rules of a {kind} game: {error}") from None
    return game


def _bets(bets: Definition) -> BetSet | BetSchedule:
    if "streets" not in bets:
        return BetSet(**{name: _tupled(value) for name, value in bets.items()})
    rows = [[None if each is None else _bets(each) for each in street] for street in bets["streets"]]
    return BetSchedule(_tupled(rows))


def first_difference(saved: Definition, wanted: Definition) -> str | None:
    """The first rule in which two games differ, as the end of a sentence; None when they are the same game."""
    for name in {**wanted, **saved}:
        if saved.get(name) != wanted.get(name):
            return f"{name.replace('_', ' ')} is {saved.get(name)} there and {wanted.get(name)} here"
    return None


def _listed(value: Any) -> Any:
    """Tuples as lists, all the way down."""
    if isinstance(value, dict):
        return {name: _listed(item) for name, item in value.items()}
    return [_listed(item) for item in value] if isinstance(value, list | tuple) else value


def _tupled(value: Any) -> Any:
    """Lists as tuples, all the way down."""
    return tuple(_tupled(item) for item in value) if isinstance(value, list) else value

"""A game as plain data and back, so that a saved strategy says exactly which game it is for."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

from ludus.games.base import Game
from ludus.games.decks import ranks_of_deck
from ludus.games.matrix import MatrixGame
from ludus.games.menu import Menu, PlayerSizes
from ludus.games.poker import PokerGame
from ludus.games.sizes import Size, Sizes

Definition = dict[str, Any]
_KINDS: dict[str, Any] = {"poker": PokerGame, "matrix": MatrixGame}
_FREE = ("name", "kind", "bets", "show_suits")  # rules in which a table may differ from what was made for a game


def define(game: Game) -> Definition:
    """The rules of a game as JSON can hold them.

    >>> from ludus.games import rock_paper_scissors
    >>> rebuild(define(rock_paper_scissors())) == rock_paper_scissors()
    True
    """
    kind = next((name for name, known in _KINDS.items() if isinstance(game, known)), type(game).__qualname__)
    known: tuple[Any, ...] = fields(game) if is_dataclass(game) and not isinstance(game, type) else ()
    rules: Definition = {field.name: getattr(game, field.name) for field in known} or {"name": game.name}
    if isinstance(rules.get("bets"), Menu):
        rules["bets"] = _menu_data(rules["bets"])
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
        if odd := [name for name in names - {"bets"} if isinstance(definition[name], dict)]:
            raise ValueError(f"the {odd[0]} of a {kind} game are no table")
        if isinstance(bets := definition.get("bets"), dict | str):
            given["bets"] = _menu(bets)
        game: Game = _KINDS[kind](**given)
    except (TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError(f"these are not the rules of a {kind} game: {error}") from None
    return game


def _menu_data(menu: Menu) -> Any:
    """The bet menu of a game as JSON can hold it: lists of fractions of the pot as tables, any other as its text."""
    if menu.fit != "drop" or any(size.kind not in "%ua" for sizes in menu.lists for size in sizes.items):
        return str(menu)
    rows = [[_sizes_data(sizes) for sizes in street[0].rows] for street in menu.streets]
    return rows[0][0] if len(rows) == len(rows[0]) == 1 and rows[0][0] else {"streets": rows}


def _sizes_data(sizes: Sizes) -> Definition | None:
    units = [int(size.number) for size in sizes.of_kind("u")]
    fractions = [size.fraction for size in sizes.of_kind("%")]
    return {"fractions": fractions, "unit": max(units, default=0), "all_in": sizes.all_in} if sizes else None


def _menu(bets: Any) -> Menu | None:
    """The bet menu of what `_menu_data` gives."""
    if isinstance(bets, str):
        return Menu.parse(bets)
    streets = bets.get("streets", [[bets]])
    rows = [tuple(Sizes() if each is None else _sizes(**each) for each in street) for street in streets]
    return Menu(tuple((PlayerSizes(row),) for row in rows), "drop")


def _sizes(fractions: Any = (1.0,), unit: Any = 0, all_in: Any = True) -> Sizes:
    if not isinstance(unit, int) or unit < 0:
        raise ValueError(f"the unit of bets is a whole number and not negative, got {unit}")
    if not isinstance(all_in, bool):
        raise ValueError(f"all-in is offered or not, true or false, got {all_in!r}")
    sizes = Sizes.pots(*fractions, all_in=all_in)
    return Sizes((*sizes.items, Size("u", Fraction(unit)))) if unit else sizes


def rules_besides_bets(game: PokerGame) -> Definition:
    """The rules that a table must share with what was made for a game whatever bets are offered, its name aside."""
    rules = {name: value for name, value in define(game).items() if name not in _FREE}
    rules["antes"] = rules["antes"] or [0] * game.players
    rules["first_seats"] = rules["first_seats"] or [0] * len(game.board_cards)
    if game.dialect == "acpc":
        del rules["min_bet"]  # which it does not look at
    return rules


def first_difference(saved: Definition, wanted: Definition) -> str | None:
    """The first rule in which two games differ, as the end of a sentence; None when they are the same game."""
    for name in {**wanted, **saved}:
        if not _same(name, saved.get(name), wanted.get(name)):
            there, here = (_shown(name, game.get(name)) for game in (saved, wanted))
            return f"{name.replace('_', ' ')} is {there} there and {here} here"
    return None


def _shown(rule: str, value: Any) -> Any:
    """A deck as its ranks where it is written so, anything else as it is."""
    deck = rule == "deck" and isinstance(value, list) and len({*map(str, value)}) == len(value)
    cards = deck and all(isinstance(card, int) and 0 <= card < 52 for card in value)  # a file may hold anything
    return (ranks_of_deck(value) if cards else "") or value


def check_same_game(saved: Definition, wanted: Definition) -> None:
    """ValueError unless a saved strategy is for this game: in which rule they differ, and how to make one that is."""
    if difference := first_difference(saved, wanted):
        raise ValueError(f"this strategy is for another game: {difference}{_remedy(saved, wanted)}")


def _remedy(saved: Definition, wanted: Definition) -> str:
    """What to do where nothing but the deck differs."""
    others = {name for name in {**wanted, **saved} if not _same(name, saved.get(name), wanted.get(name))} - {"name"}
    ranks = ranks_of_deck(wanted["deck"]) if others == {"deck"} else ""
    return f"; solve it again with --deck {ranks}" if ranks else ""


def _same(name: str, one: Any, two: Any) -> bool:
    """Whether a rule is the same; a bet menu may be written in several ways."""
    menus = (dict, str)
    if one == two or name != "bets" or not isinstance(one, menus) or not isinstance(two, menus):
        return bool(one == two)
    return _menu(one) == _menu(two)


def _listed(value: Any) -> Any:
    """Tuples as lists, all the way down."""
    if isinstance(value, dict):
        return {name: _listed(item) for name, item in value.items()}
    return [_listed(item) for item in value] if isinstance(value, list | tuple) else value


def _tupled(value: Any) -> Any:
    """Lists as tuples, all the way down."""
    return tuple(_tupled(item) for item in value) if isinstance(value, list) else value

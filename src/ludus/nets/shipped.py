"""The networks that come with Ludus."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ludus.games.definition import first_difference, rules_besides_bets
from ludus.games.poker import PokerGame
from ludus.nets.network import ValueNetwork

FOLDER = Path(__file__).parent / "data"


@cache
def _networks() -> list[ValueNetwork]:
    return [ValueNetwork.load(file) for file in sorted(FOLDER.glob("*.safetensors"))]


def shipped_network(game: PokerGame) -> ValueNetwork | None:
    """The network for a game, whatever bets it offers; None when there is none."""
    rules = rules_besides_bets(game)
    return next((each for each in _networks() if first_difference(each.rules, rules) is None), None)

"""Small games that have every feature of the rules between them."""

from __future__ import annotations

from dataclasses import replace

from ludus.games import holdem, kuhn, leduc, leduc_nl
from ludus.games.poker import PokerGame


def tiny_holdem(cards: int = 8, **changes) -> PokerGame:
    """Two cards each, a flop of one card and a turn of one: every feature of the cards in a small game."""
    deck = tuple(card for card in holdem().deck if card >> 2 in (8, 11, 12) and card & 3 < 3)[:cards]
    game = PokerGame(
        name="tiny", stacks=(6, 9), blinds=(2, 1), betting="limit", deck=deck, hole_cards=2, board_cards=(0, 1, 1),
        raise_sizes=(2, 2, 2), max_raises=(1, 1, 1),
    )  # fmt: skip
    return replace(game, **changes)


GAMES = {
    "kuhn": kuhn(),
    "kuhn, four cards": kuhn(deck="TJQK"),
    "leduc": leduc(),
    "leduc with suits": leduc(show_suits=True),
    "leduc-nl": leduc_nl(),
    "leduc-nl, short and with half pots": leduc_nl(bets="0.5,allin", stack=500),
    "leduc-nl, casino": replace(leduc_nl(stack=300), dialect="casino", stacks=(300, 450)),
    "a street without cards": replace(leduc(), board_cards=(0, 0, 1), raise_sizes=(2, 2, 4), max_raises=(1, 1, 1)),
    "a card on the table from the start": replace(leduc(), board_cards=(1, 1), raise_sizes=(2, 4), max_raises=(1, 1)),
    "unequal antes": replace(leduc(), blinds=(1, 2), antes=(0, 1), dialect="casino", max_raises=(1, 1)),
}

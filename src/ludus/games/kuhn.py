"""Kuhn poker (Kuhn 1950), the smallest game with bluffing.

Each player antes one chip and gets one card; there is one bet of one chip and no raise. With two players and three
cards the first player loses 1/18 of a chip per hand.
"""

from __future__ import annotations

from ludus.games.decks import deck_of_ranks
from ludus.games.poker import PokerGame
from ludus.games.rules import NO_STACK


def kuhn(players: int = 2, deck: str = "") -> PokerGame:
    """Kuhn poker for two or more players; the deck is given as ranks and has one card more than players by default.

    >>> kuhn().start().legal_actions()  # queen, king and ace of spades
    (43, 47, 51)
    """
    return PokerGame(
        name="kuhn" if players == 2 else f"kuhn{players}",
        stacks=(NO_STACK,) * players,
        blinds=(1,) * players,
        betting="limit",
        dialect="acpc",
        deck=deck_of_ranks(deck or "23456789TJQKA"[-players - 1 :]),
        hole_cards=1,
        board_cards=(0,),
        raise_sizes=(1,),
        max_raises=(1,),
        show_suits=False,
    )

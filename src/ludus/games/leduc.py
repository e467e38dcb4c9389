"""Leduc poker: one private card, one public card, two rounds; limit (Southey et al. 2005) and no-limit.

The first seat opens both rounds. A private card that pairs the public one wins, else the higher rank.
"""

from __future__ import annotations

from ludus.games.decks import deck_of_ranks
from ludus.games.menu import Menu
from ludus.games.poker import PokerGame
from ludus.games.rules import NO_STACK


def leduc(deck: str = "JJQQKK", players: int = 2, show_suits: bool = False) -> PokerGame:
    """Limit Leduc as OpenSpiel plays it: ante 1, bets of 2 and then 4, a bet and one raise per round. Value -0.0856064.

    Suits never matter, so information states name only ranks, unless ``show_suits``.

    >>> leduc().start().apply(38).apply(43).legal_actions()
    Moves(fold=False, raises=range(3, 4))
    """
    return PokerGame(
        name="leduc" if players == 2 else f"leduc{players}",
        stacks=(NO_STACK,) * players,
        blinds=(1,) * players,
        betting="limit",
        dialect="acpc",
        deck=deck_of_ranks(deck),
        hole_cards=1,
        board_cards=(0, 1),
        raise_sizes=(2, 4),
        max_raises=(2, 2),
        show_suits=show_suits,
    )


def leduc_nl(
    bets: str = "pot,allin", deck: str = "QQKKAA", stack: int = 1200, ante: int = 100, show_suits: bool = False
) -> PokerGame:
    """No-limit Leduc as DeepStack-Leduc plays it, heads-up: a stack of 1200 including the ante of 100, no raise cap.

    ``bets``: 'pot,allin' is DeepStack's tree (value -6.556422 chips for the first seat), 'all' every multiple of the
    ante (-6.916477), 'any' every chip; or fractions of the pot such as '0.5,pot,allin'.

    >>> tuple(leduc_nl().start().apply(42).apply(43).legal_actions())
    (0, 300, 1200)
    """
    return PokerGame(
        name="leduc-nl",
        stacks=(stack, stack),
        blinds=(ante, ante),
        dialect="acpc",
        deck=deck_of_ranks(deck),
        hole_cards=1,
        board_cards=(0, 1),
        bets=Menu.parse(bets, unit=ante),
        show_suits=show_suits,
    )

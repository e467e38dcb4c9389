"""Hold'em small enough to solve and measure exactly, yet with two hole cards, a flop, a turn and straights."""

from __future__ import annotations

from ludus.games.menu import Menu
from ludus.games.poker import PokerGame

RANKS = range(4, 9)  # from the fewest that can be dealt to the most without a flush


def tiny_holdem(ranks: int = 6, stack: int = 10, bets: str = "pot,allin") -> PokerGame:
    """Heads-up hold'em without a river: the highest ranks twice each, no flushes, blinds 1 and 2, short stacks.

    A rank has two suits and its neighbour the other two. So no suit has five ranks: suits never matter, and information
    states name only ranks. With 6 ranks and 5 big blinds the big blind, seat 0, loses 0.182686 chips.

    >>> tiny_holdem().start().deal(tiny_holdem().deck).legal_actions()
    Moves(fold=True, raises=(6, 10))
    """
    if ranks not in RANKS:
        raise ValueError(f"tiny hold'em has {RANKS[0]} to {RANKS[-1]} ranks, got {ranks}")
    if not isinstance(stack, int) or stack < 2:
        raise ValueError(f"stacks are whole chips, at least the big blind of 2, got {stack}")
    deck = (4 * rank + suit for rank in range(13 - ranks, 13) for suit in ((0, 1) if rank % 2 else (2, 3)))
    return PokerGame(
        name="tiny-holdem",
        stacks=(stack, stack),
        blinds=(2, 1),
        deck=tuple(deck),
        board_cards=(0, 3, 1),
        min_bet=2,
        bets=Menu.parse(bets, unit=2),
        show_suits=False,
    )

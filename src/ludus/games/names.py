"""What players call seats, streets and hands."""

from __future__ import annotations

from collections.abc import Sequence

from ludus.cards.card import RANK_NAMES
from ludus.cards.evaluator import WORST, describe
from ludus.games.poker import STREETS, PokerGame
from ludus.games.showdown import strength


def street_name(game: PokerGame, street: int) -> str:
    """Pre-flop, flop, ..., or rounds where there is no flop."""
    return STREETS[street] if game.hole_cards == 2 else f"round {street + 1}"


def place_names(game: PokerGame) -> list[str]:
    """What players call the seats: BTN has the button, SB and BB the blinds.

    >>> from ludus.games import holdem, kuhn
    >>> place_names(holdem()), place_names(holdem(players=6)), place_names(kuhn())
    (['BB', 'BTN/SB'], ['SB', 'BB', 'UTG', 'HJ', 'CO', 'BTN'], ['P1', 'P2'])
    """
    players = game.players
    if game.hole_cards == 1:
        return [f"P{seat + 1}" for seat in range(players)]
    if players == 2:
        return ["BB", "BTN/SB"]
    middle = ["UTG"] + [f"UTG+{n}" for n in range(1, players)]
    blinds = ["SB", "BB"] if game.blinds[1] else ["BB", "UTG"]  # there may be nobody to post the small one
    places = [*blinds, *middle[blinds[1] == "UTG" :][: players - 3], "BTN"]
    for back, name, least in ((2, "CO", 5), (3, "HJ", 6), (4, "LJ", 7)):
        if players >= least:
            places[-back] = name
    return places


def hand_name(cards: Sequence[int]) -> str:
    """What cards make, even fewer than five.

    >>> hand_name([36, 38]), hand_name([36, 40]), hand_name([40])
    ('pair of jacks', 'queen-jack', 'queen')
    """
    if len(cards) >= 5:
        return describe(WORST + 1 - strength(cards))
    ranks = sorted((card >> 2 for card in cards), reverse=True)
    if len(set(ranks)) < len(ranks):
        return f"pair of {RANK_NAMES[max(ranks, key=ranks.count)]}s"
    return "-".join(RANK_NAMES[rank] for rank in ranks)

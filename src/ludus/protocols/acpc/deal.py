"""The cards of a match from its seed, as the dealer of the ACPC deals them.

They depend only on the seed, the game and the number of the hand, so a match can be replayed with other seats, and any
log can be checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from ludus.cards.card import rank_of, suit_of
from ludus.games.poker import PokerGame

MOST_SEED = 2**32 - 1
_WORDS = 624


def mersenne_twister(seed: int) -> Random:
    """MT19937 seeded with one number (Matsumoto & Nishimura 2002, ``init_genrand``), unlike ``random.seed``.

    >>> mersenne_twister(5489).getrandbits(32)
    3499211612
    """
    if not 0 <= seed <= MOST_SEED:
        raise ValueError(f"a seed is 0..{MOST_SEED}, got {seed}")
    words = [seed]
    for at in range(1, _WORDS):
        words.append((1812433253 * (words[-1] ^ (words[-1] >> 30)) + at) & 0xFFFFFFFF)
    generator = Random()
    generator.setstate((3, (*words, _WORDS), None))
    return generator


def decks(game: PokerGame, seed: int) -> Iterator[list[int]]:
    """A deck for each hand in the order of dealing: the hole cards of position 0, of position 1, ..., then the board.

    The cards that a hand never needs come last; their order does not matter.

    >>> from ludus.cards.card import format_cards
    >>> from ludus.games.acpc import read_game
    >>> format_cards(next(decks(read_game("holdem.nolimit.2p.reverse_blinds.game"), 0))[:9])
    '5d5c9hQd8dAs8s4h6d'
    """
    bits = mersenne_twister(seed).getrandbits
    ordered = sorted(game.deck, key=lambda card: (suit_of(card), rank_of(card)))
    needed, size = game.card_targets[-1], len(ordered)
    while True:
        left = ordered.copy()
        drawn = []
        for last in range(size - 1, size - 1 - needed, -1):
            at = bits(32) % (last + 1)
            drawn.append(left[at])
            left[at] = left[last]
        yield drawn + left[: size - needed]

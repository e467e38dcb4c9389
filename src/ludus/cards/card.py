"""Cards, decks and boards: numbers inside, text outside.

A card is a number 0..51, ``4 * rank + suit``, with ranks 2..A counted 0..12 and suits c, d, h, s counted 0..3, so the
deuce of clubs is 0 and the ace of spades 51. Everything else in the project uses this order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

RANKS = "23456789TJQKA"
SUITS = "cdhs"
CARDS = tuple(rank + suit for rank in RANKS for suit in SUITS)
DECK = tuple(range(52))
RANK_NAMES = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")

_NUMBER = {name: number for number, name in enumerate(CARDS)}
_SEPARATORS = " ,\t"


def rank_of(card: int) -> int:
    """0 for a deuce .. 12 for an ace."""
    return card >> 2


def suit_of(card: int) -> int:
    """0..3 for clubs, diamonds, hearts, spades."""
    return card & 3


def parse_card(text: str) -> int:
    """The number of one card.

    >>> parse_card("2c"), parse_card("10h"), parse_card("As")
    (0, 34, 51)
    >>> parse_card("1x")
    Traceback (most recent call last):
    ValueError: '1x' is not a card: write a rank of 23456789TJQKA and a suit of cdhs, as in 'Ah'
    """
    cards = parse_cards(text)
    if len(cards) != 1:
        raise ValueError(f"expected one card, got {len(cards)} in {text!r}")
    return cards[0]


def parse_cards(text: str) -> tuple[int, ...]:
    """The numbers of the cards in a text, in order; blanks and commas between cards are ignored, and 10 is T.

    >>> parse_cards("AhKd"), parse_cards("As 10d, 2c")
    ((50, 45), (51, 33, 0))
    >>> parse_cards("AhAh")
    Traceback (most recent call last):
    ValueError: 'AhAh' repeats Ah
    """
    cards: list[int] = []
    at = 0
    while at < len(text):
        if text[at] in _SEPARATORS:
            at += 1
            continue
        length = 3 if text.startswith("10", at) else 2
        name = text[at : at + length]
        card = _NUMBER.get(name[:-1].replace("10", "T").upper() + name[-1:].lower())
        if card is None:
            raise ValueError(f"{name!r} is not a card: write a rank of {RANKS} and a suit of {SUITS}, as in 'Ah'")
        if card in cards:
            raise ValueError(f"{text!r} repeats {CARDS[card]}")
        cards.append(card)
        at += length
    return tuple(cards)


def parse_board(text: str) -> tuple[int, ...]:
    """A hold'em board: 0, 3, 4 or 5 different cards.

    >>> format_cards(parse_board("Td9d6h"))
    'Td9d6h'
    >>> parse_board("Td")
    Traceback (most recent call last):
    ValueError: a board has 0, 3, 4 or 5 cards, 'Td' has 1
    """
    board = parse_cards(text)
    if len(board) not in (0, 3, 4, 5):
        raise ValueError(f"a board has 0, 3, 4 or 5 cards, {text!r} has {len(board)}")
    return board


def format_cards(cards: Iterable[int], separator: str = "") -> str:
    """The text of some cards, in their order.

    >>> format_cards((50, 45)), format_cards((51, 0), " ")
    ('AhKd', 'As 2c')
    """
    return separator.join(CARDS[card] for card in cards)


def require_distinct(groups: Sequence[tuple[str, Sequence[int]]]) -> None:
    """Raise ValueError when a card occurs twice in the named groups ('board', 'hand', ...)."""
    seen: dict[int, str] = {}
    for name, cards in groups:
        for card in cards:
            if card in seen:
                where = f"twice in the {name}" if seen[card] == name else f"both in the {seen[card]} and in the {name}"
                raise ValueError(f"{CARDS[card]} is {where}")
            seen[card] = name


def deck_of(ranks: int = 13, suits: int = 4) -> tuple[int, ...]:
    """The deck of the top ranks and the last suits, as ACPC game definitions count them, in increasing order.

    >>> format_cards(deck_of(ranks=3, suits=2), " ")
    'Qh Qs Kh Ks Ah As'
    """
    if not 1 <= ranks <= 13 or not 1 <= suits <= 4:
        raise ValueError(f"a deck has 1..13 ranks and 1..4 suits, got {ranks} and {suits}")
    return tuple(card for card in DECK if rank_of(card) >= 13 - ranks and suit_of(card) >= 4 - suits)

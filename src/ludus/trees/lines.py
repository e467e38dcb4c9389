"""Lines: the betting of a spot as text, one word for each action and each card, as in 'X-B50-C-2c-X'.

An action is written as in `ludus.games.action`; a card by its name, or D for any card. A slash may stand for a hyphen,
blanks do not matter, and case matters nowhere.
"""

from __future__ import annotations

import re

from ludus.cards.card import CARDS, parse_card
from ludus.games.action import Action

DEALT = "D"
MAX_LINE = 100_000


def line_words(line: str) -> list[str]:
    """The words of a line as they are written.

    >>> line_words(" x - b50/C-2c")
    ['x', 'b50', 'C', '2c']
    """
    if len(line) > MAX_LINE:
        raise ValueError(f"a line has at most {MAX_LINE} characters, got {len(line)}")
    whole = line.strip().strip("-/")
    return [word.strip() for word in re.split("[-/]", whole)] if whole.strip(" -/") else []


def same_word(written: str, word: str) -> bool:
    """Whether a word as it is written means one in its usual form; a card means D, and D any card.

    >>> same_word("r50", "B50"), same_word("10d", "D"), same_word("D", "Td"), same_word("x", "C")
    (True, True, True, False)
    """
    for meaning in (_action, _card):
        mine, other = meaning(written), meaning(word)
        if mine is not None and other is not None:
            return mine == other or DEALT in (mine, other)
    return False


def dealt_cards(line: str) -> tuple[int | None, ...]:
    """The cards that a line deals, None for any."""
    names = [name for word in line_words(line) if (name := _card(word)) is not None]
    return tuple(None if name == DEALT else parse_card(name) for name in names)


def longer(line: str, word: str) -> str:
    """A line with one more word."""
    return f"{line}-{word}" if line else word


def _action(word: str) -> Action | None:
    try:
        return Action.parse(word)
    except ValueError:
        return None


def _card(word: str) -> str | None:
    """The usual name of a card, D for any."""
    if word.upper() == DEALT:
        return DEALT
    try:
        return CARDS[parse_card(word)]
    except ValueError:
        return None

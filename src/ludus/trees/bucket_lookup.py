"""The bucket of a hand on a board, and the hands that share it there."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.cards.card import format_cards, parse_cards, require_distinct
from ludus.cards.ranges import COMBOS, combo_index, format_range
from ludus.cards.strength import all_hands_strength
from ludus.trees.buckets import Buckets


def look_up(buckets: Buckets, hand: str, board: str = "") -> dict[str, Any]:
    """The bucket of a hand such as 'AhKh' as plain data; after the flop with its equity and its mates."""
    held, cards = parse_cards(hand), parse_cards(board)
    if len(held) != 2:
        raise ValueError(f"a hand has two cards, got {hand!r}")
    require_distinct([("hand", held), ("board", cards)])
    of_board = buckets.of_board(cards)
    combo = combo_index(*held)
    bucket = int(of_board[combo])
    found: dict[str, Any] = {"hand": format_cards(held), "board": format_cards(cards), "bucket": bucket}
    if not cards:
        return found | {"buckets": buckets.counts[0], "method": "the class of the hand"}
    possible = ~np.isin(COMBOS, cards).any(axis=1)
    mates = possible & (of_board == bucket)
    equities = all_hands_strength(cards)[:, 1]
    return found | {
        "buckets": buckets.counts[len(cards) - 2], "method": buckets.methods[len(cards) - 3],
        "equity": float(equities[combo]), "mates": int(mates.sum()), "possible": int(possible.sum()),
        "mates_equity": [float(equities[mates].min()), float(equities[mates].max())],
        "mates_range": format_range(mates.astype(np.float64)),
    }  # fmt: skip

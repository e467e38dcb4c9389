"""Hold'em as pictures of 17 x 17 x 9 for a convolutional network (Pricope 2020, section 3.2).

The source joins "the images of the last two board states" with the numbers of its expert and the opponent's last
action, and does not say where. Here cards are a pattern of 4 suits x 13 ranks in the middle of a picture; a number
fills a picture, or a part of its rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.rl.lanes import Floats

INPUTS = "holdem-pictures"  # the name of this way to show a state to a network
SIZE, CHANNELS = 17, 9
HOLE, BOARD, EARLIER, SHARE, PRICE, OWN, THEIRS, POT, RUN, SUITED, STREET, LAST = (
    0,
    2,
    7,
    8,
    9,
    10,
    11,
    12,
    13,
    14,
    15,
    16,
)
NUMBERS = (
    17  # of a row: two cards, five of the board (-1: not dealt), how many were seen at the last decision, the rest
)
_TOP, _LEFT = 6, 2  # where the pattern of cards is


def pictures(rows: NDArray[Any]) -> Floats:
    """[n, 9, 17, 17] from rows [n, 17].

    Pictures: own cards, the board, the board at one's last decision, all of them; the share of pots that the hand wins;
    the price of a call; both stacks; pot, run and suit of the board, and street; the opponent's last action.
    """
    shown = np.zeros((len(rows), CHANNELS, SIZE, SIZE), np.float32)
    cards = rows[:, :EARLIER].astype(np.int64)
    for at in range(EARLIER):
        there = np.flatnonzero(cards[:, at] >= 0)
        row, column = _TOP + cards[there, at] % 4, _LEFT + cards[there, at] // 4
        shown[there, 0 if at < BOARD else 1, row, column] = 1
        shown[there, 3, row, column] = 1
        earlier = at >= BOARD and at - BOARD < rows[there, EARLIER]
        shown[there, 2, row, column] = earlier
    for channel, numbers in (
        (4, (SHARE,)),
        (5, (PRICE,)),
        (6, (OWN, THEIRS)),
        (7, (POT, RUN, SUITED, STREET)),
        (8, (LAST,)),
    ):
        edges = np.linspace(0, SIZE, len(numbers) + 1).astype(int)
        for number, first, last in zip(numbers, edges[:-1], edges[1:], strict=True):
            shown[:, channel, first:last] = rows[:, number, None, None]
    return shown

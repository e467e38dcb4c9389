"""What a player does next, guessed from the public state: naive Bayes and a small convolutional network, compiled.

A guess is three chances: fold, check or call, bet or raise. Both classifiers see six numbers, the network the board as
a picture of 4 suits by 13 ranks, too. All that they have learnt is one record of numbers (`MODEL`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.agents.expert.rules import board_sums, raise_to
from ludus.agents.opponents import FOLDS, RAISES
from ludus.cards.evaluator import CARD_BITS, CARD_KEYS, WORST, rank_of_sums
from ludus.compiled import kernel

Floats = NDArray[np.float64]
FEATURES = ("strength", "demand", "stack", "consecutive", "same suit", "street")
NUMBERS, ACTIONS = len(FEATURES), 3
DEMAND = FEATURES.index("demand")
SUITS, RANKS = 4, 13
FIRST, SECOND, WIDTH = 8, 16, 32  # filters of the two convolutions, and the dense layer
POOLED = (SUITS // 2, RANKS // 2)
CODE = SECOND * POOLED[0] * POOLED[1]
NOTHING, BAYES, NETWORK = range(3)

WEIGHTS: dict[str, tuple[int, ...]] = {
    "filters1": (FIRST, 3, 3), "bias1": (FIRST,), "filters2": (SECOND, FIRST, 3, 3), "bias2": (SECOND,),
    "dense": (WIDTH, CODE + NUMBERS), "bias3": (WIDTH,), "out": (ACTIONS, WIDTH), "bias4": (ACTIONS,),
    "mean": (NUMBERS,), "scale": (NUMBERS,),
}  # fmt: skip
MODEL = np.dtype(
    [
        ("stage", np.int64),  # who guesses
        ("right", np.int64),  # guesses of that one that came true, of actions that it had not learnt from
        ("right_folds", np.int64),  # the same as to whether it is a fold
        ("guesses", np.int64),
        ("prior", np.float64, (ACTIONS,)),  # logarithms
        ("means", np.float64, (ACTIONS, NUMBERS)),
        ("variances", np.float64, (ACTIONS, NUMBERS)),
        *((name, np.float64, shape) for name, shape in WEIGHTS.items()),
    ]
)
EXAMPLE = np.dtype(
    [
        ("numbers", np.float64, (NUMBERS,)),
        ("board", np.uint8, (5,)),
        ("cards", np.int64),  # of the board
        ("can_fold", np.bool_),
        ("can_raise", np.bool_),
        ("action", np.int64),
    ]
)
NO_RAISE, AS_USUAL = -1, 0  # what guesses speak for where it is no raise
RAISE_SIZES = (0.0, 1.0)  # that are weighed: the least, and the pot
DOUBT = 10  # guesses that count as wrong before any was made


@kernel
def accuracy(model: Any) -> float:
    """The share of guesses that came true, drawn towards 0 while there are few."""
    return float(model.right / (model.guesses + DOUBT))


@kernel
def observe_spot(
    example: Any, first: Any, second: Any, board: NDArray[np.uint8], owed: float, pot: float, stack: float,
    big_blind: float, can_raise: Any,
) -> None:  # fmt: skip
    """Fill an example with what is seen of a decision of the opponent by a player who holds two cards."""
    example.cards = len(board)
    for at in range(len(board)):
        example.board[at] = board[at]
    example.can_fold, example.can_raise = owed > 0, can_raise
    example.numbers[0] = mean_class(first, second, board)
    example.numbers[DEMAND] = owed / (pot + owed)
    example.numbers[2] = np.log1p(stack / big_blind)
    example.numbers[3] = longest_run(board)
    example.numbers[4] = most_of_a_suit(board)
    example.numbers[5] = max(len(board) - 2, 0)


@kernel
def mean_class(first: Any, second: Any, board: NDArray[np.uint8]) -> float:
    """How good the opponent's hand is on average, over all that they may hold: from 0, the worst class, to 1, the best.

    Before the flop nothing is known of it: 0.
    """
    if len(board) == 0:
        return 0.0
    taken = np.zeros(52, np.bool_)
    taken[first] = taken[second] = True
    for card in board:
        taken[card] = True
    key, bits = board_sums(board)
    total, hands = np.int64(0), 0
    for a in range(52):
        if not taken[a]:
            for b in range(a):
                if not taken[b]:
                    rank = rank_of_sums(key + CARD_KEYS[a] + CARD_KEYS[b], bits + CARD_BITS[a] + CARD_BITS[b])
                    total += np.int64(rank)
                    hands += 1
    return (WORST - total / hands) / (WORST - 1)


@kernel
def longest_run(board: NDArray[np.uint8]) -> int:
    """The most board cards of consecutive ranks; an ace is high or low."""
    there = np.zeros(RANKS + 1, np.bool_)
    for card in board:
        rank = card >> 2
        there[rank + 1] = True
        there[0] = there[0] or rank == RANKS - 1
    longest = run = 0
    for rank in range(RANKS + 1):
        run = run + 1 if there[rank] else 0
        longest = max(longest, run)
    return longest


@kernel
def most_of_a_suit(board: NDArray[np.uint8]) -> int:
    """The most board cards of one suit."""
    counts = np.zeros(SUITS, np.int64)
    for card in board:
        counts[card & 3] += 1
    return int(counts.max())


@kernel
def guess(model: Any, example: Any, out: Floats) -> int:
    """The chances of the three actions into ``out [3]``, 0 for what cannot be done; returns the likeliest."""
    if model.stage == BAYES:
        bayes_logits(model, example, out)
    else:
        network_logits(model, example, out)
    if not example.can_fold:
        out[FOLDS] = -np.inf
    if not example.can_raise:
        out[RAISES] = -np.inf
    top, total, best = out.max(), 0.0, 0
    for action in range(ACTIONS):
        out[action] = np.exp(out[action] - top)
        total += out[action]
    for action in range(ACTIONS):
        out[action] /= total
        if out[action] > out[best]:
            best = action
    return best


@kernel
def bayes_logits(model: Any, example: Any, out: Floats) -> None:
    """Gaussian naive Bayes: the logarithm of prior times likelihood of each action."""
    for action in range(ACTIONS):
        out[action] = model.prior[action]
        for at in range(NUMBERS):
            variance = model.variances[action, at]
            off = example.numbers[at] - model.means[action, at]
            out[action] -= (np.log(variance) + off * off / variance) / 2


@kernel
def network_logits(model: Any, example: Any, out: Floats) -> None:
    """Two convolutions of the picture of the board, pooled in between; a dense layer takes in the numbers."""
    picture = np.zeros((SUITS + 2, RANKS + 2))
    for at in range(example.cards):
        card = example.board[at]
        picture[1 + (card & 3), 1 + (card >> 2)] = 1.0
    pooled = np.zeros((FIRST, POOLED[0] + 2, POOLED[1] + 2))
    for f in range(FIRST):
        for row in range(2 * POOLED[0]):
            for column in range(2 * POOLED[1]):
                value = model.bias1[f]
                for i in range(3):
                    for j in range(3):
                        value += model.filters1[f, i, j] * picture[row + i, column + j]
                at, by = 1 + row // 2, 1 + column // 2
                pooled[f, at, by] = max(pooled[f, at, by], value)  # never below 0: a rectifier
    hidden = np.empty(WIDTH)
    for unit in range(WIDTH):
        hidden[unit] = model.bias3[unit]
    place = 0
    for f in range(SECOND):
        for row in range(POOLED[0]):
            for column in range(POOLED[1]):
                value = model.bias2[f]
                for g in range(FIRST):
                    for i in range(3):
                        for j in range(3):
                            value += model.filters2[f, g, i, j] * pooled[g, row + i, column + j]
                if value > 0:
                    for unit in range(WIDTH):
                        hidden[unit] += model.dense[unit, place] * value
                place += 1
    for at in range(NUMBERS):
        value = (example.numbers[at] - model.mean[at]) * model.scale[at]
        for unit in range(WIDTH):
            hidden[unit] += model.dense[unit, CODE + at] * value
    for action in range(ACTIONS):
        out[action] = model.bias4[action]
        for unit in range(WIDTH):
            out[action] += model.out[action, unit] * max(hidden[unit], 0.0)


@kernel
def note_action(model: Any, example: Any, spare: Floats) -> None:
    """Count whether the model would have guessed an action that was just seen."""
    if model.stage != NOTHING:
        guessed = guess(model, example, spare)
        model.right += guessed == example.action
        model.right_folds += (guessed == FOLDS) == (example.action == FOLDS)
        model.guesses += 1


@kernel
def exploit(
    model: Any, example: Any, value: float, strong: float, bluffs: float, owed: float, pot: float, own_bet: float,
    top: float, their_bet: float, their_stack: float, low: Any, high: Any,
) -> np.int64:  # fmt: skip
    """What the guesses speak for: a raise to so many chips, `NO_RAISE`, or `AS_USUAL`.

    ``example`` is what is seen of the opponent now (`observe_spot`), ``value`` the hand's strength. Where they are
    expected to fold to a raise with the chance ``bluffs`` or more, any hand raises if that is worth more than a call.
    They fold their worst hands first: with a share f of folds a hand of value v is worth (v - f) / (1 - f) when they
    stay. Otherwise strong hands make the raise that is worth the most from the flop on; and where they are expected to
    stay with that chance, nothing raises before it: the pot stays small until there is something to see.
    """
    chances = np.empty(ACTIONS)
    before, stay = example.cards == 0, True
    best, found = value * (pot + owed) - owed, np.int64(AS_USUAL)
    if value > strong:
        best = -np.inf
    for size in RAISE_SIZES:
        to = raise_to(size, top, pot + top - own_bet, low, high)
        adds, asked = to - own_bet, min(to - their_bet, their_stack)
        example.numbers[DEMAND] = asked / (pot + adds + asked)
        example.can_fold, example.can_raise = True, their_stack > asked
        guess(model, example, chances)
        folds = chances[FOLDS]
        stay = stay and folds <= 1 - bluffs
        if folds < bluffs and (before or value <= strong):
            continue
        stays = max(value - folds, 0.0) / max(1 - folds, 1e-9)
        worth = folds * pot + (1 - folds) * (stays * (pot + adds + asked) - adds)
        if worth > best:
            best, found = worth, to
    return np.int64(NO_RAISE) if found == AS_USUAL and before and stay else found

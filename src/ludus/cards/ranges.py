"""Ranges of two-card hands: the order of the 1326 combinations, the 169 classes, and their text.

Every array over two-card hands in the project uses this order: the combination of the cards low < high has the index
``high * (high - 1) // 2 + low``. That sorts by the higher card, then by the lower one: 2d2c is 0 and AsAh is 1325.

The 169 classes are the cells of the chart that players know, row by row: rows and columns run from the ace down to the
deuce, pairs lie on the diagonal, suited hands above it and offsuit hands below.

A range is a float64 array ``[1326]`` of weights between 0 and 1; its text is a list of items separated by commas,
semicolons or blanks:

==================  ======================================================================
``QQ``              the six combinations of a pair
``AKs AKo AK``      suited, offsuit, both
``AhKh``            one combination
``QQ+``             this pair and all higher ones
``KTs+``            KTs, KJs, KQs: the kicker goes up to just below the high card
``99-66``           a run of pairs
``A5s-A2s``         a run of kickers
``T9s-54s``         a run that keeps the gap: T9s, 98s, 87s, 76s, 65s, 54s
``random``          every hand (also ``any``)
``T9o:0.5``         an item with a weight, a fraction or a percentage (``T9o:50%``)
==================  ======================================================================

A later item overrides an earlier one where they share combinations, and the weight 0 takes hands out again:
``QQ+, KK:0`` is QQ and AA. Case does not matter, 10 is another name for T, and a run may start at either end.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, groupby
from reprlib import repr as shortened

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludus.cards.card import CARDS, RANKS, parse_card

Weights = NDArray[np.float64]

MAX_TEXT = 100_000
"""The longest text that `parse_range` reads; no range needs even half of it."""

COMBOS: NDArray[np.int64] = np.array([(low, high) for high in range(52) for low in range(high)], dtype=np.int64)
"""``[1326, 2]``: the lower and the higher card of each combination."""


def _chart_name(row: int, column: int) -> str:
    high, low = RANKS[12 - min(row, column)], RANKS[12 - max(row, column)]
    return high + low + ("s" if row < column else "o" if row > column else "")


CLASSES: tuple[str, ...] = tuple(_chart_name(row, column) for row in range(13) for column in range(13))
"""The names of the 169 classes: 'AA', 'AKs', 'AQs', ..., 'AKo', 'KK', 'KQs', ..., '22'."""


def _class_of_combo() -> NDArray[np.int64]:
    row, column = 12 - COMBOS[:, 1] // 4, 12 - COMBOS[:, 0] // 4
    suited = COMBOS[:, 0] % 4 == COMBOS[:, 1] % 4
    return np.where(suited, 13 * row + column, 13 * column + row)


class_of_combo = _class_of_combo()
"""``[1326]``: the class, as an index into `CLASSES`, of each combination."""
CLASS_SIZES: Weights = np.bincount(class_of_combo).astype(np.float64)
"""``[169]``: the combinations of each class, 6, 4 or 12."""

_COMBOS_OF_CLASS = tuple(np.flatnonzero(class_of_combo == index) for index in range(169))
for _array in (COMBOS, class_of_combo, CLASS_SIZES, *_COMBOS_OF_CLASS):
    _array.setflags(write=False)

_RANK = "(?:10|[2-9TJQKA])"
_HAND = f"{_RANK}{_RANK}[so]?"
_SPAN = re.compile(f"({_HAND})(?:([+])|-({_HAND}))?", re.ASCII | re.IGNORECASE)
_CARD_PAIR = re.compile(f"({_RANK}[cdhs])({_RANK}[cdhs])", re.ASCII | re.IGNORECASE)
_NUMBER = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?", re.ASCII | re.IGNORECASE)
_EVERY_HAND = ("random", "any")


def combo_index(a: int, b: int) -> int:
    """The index of the combination of two different cards, in either order.

    >>> combo_index(0, 1), combo_index(51, 50)
    (0, 1325)
    """
    low, high = min(a, b), max(a, b)
    if not 0 <= low < high <= 51:
        raise ValueError(f"a hand is two different cards of 0..51, got {a} and {b}")
    return high * (high - 1) // 2 + low


def combo_name(index: int) -> str:
    """The text of a combination, the higher card first.

    >>> combo_name(1325), combo_name(combo_index(parse_card("Kh"), parse_card("Ah")))
    ('AsAh', 'AhKh')
    """
    if not 0 <= index < len(COMBOS):
        raise ValueError(f"combinations are numbered 0..1325, got {index}")
    low, high = COMBOS[index]
    return f"{CARDS[high]}{CARDS[low]}"


def class_index(name: str) -> int:
    """The index in `CLASSES` of a class named as in a range's text.

    >>> class_index("AA"), class_index("AKs"), class_index("ako")
    (0, 1, 13)
    """
    classes = _classes(name)
    if len(classes) != 1:
        raise ValueError(f"{shortened(name)} names {len(classes)} classes: write one, as in 'AKs', 'AKo' or 'QQ'")
    return classes[0]


def parse_range(text: str) -> Weights:
    """The weights ``[1326]`` that a text stands for; the module's docstring has the notation.

    >>> combos_count(parse_range("QQ+, AKs")), combos_count(parse_range("AK, AhKh:25%"))
    (22.0, 15.25)
    >>> parse_range("QQ+, AKx")
    Traceback (most recent call last):
    ValueError: 'AKx' is not a hand: write 'QQ', 'AKs', 'AKo', 'AK' or 'AhKh', or a run as 'QQ+' or 'A5s-A2s'
    """
    if len(text) > MAX_TEXT:
        raise ValueError(f"a range's text has at most {MAX_TEXT} characters, got {len(text)}")
    weights = np.zeros(len(COMBOS))
    for item in _split(text):
        name, colon, number = item.partition(":")
        weight = _parse_weight(item, number) if colon else 1.0
        if pair := _CARD_PAIR.fullmatch(name):
            first, second = parse_card(pair[1]), parse_card(pair[2])
            if first == second:
                raise ValueError(f"'{name}' repeats a card: a hand is two different cards, as in 'AhKh'")
            weights[combo_index(first, second)] = weight
        elif name.lower() in _EVERY_HAND:
            weights[:] = weight
        else:
            for index in _classes(name or item):
                weights[_COMBOS_OF_CLASS[index]] = weight
    return weights


def _split(text: str) -> Iterator[str]:
    """The items of a text, without the blanks that an item may contain."""
    tidy = " ".join(text.split())  # first, so that blanks matched one at a time cannot make the patterns slow
    if not tidy:
        raise ValueError("a range needs at least one hand, as in 'QQ+, AKs'; its text is empty")
    tidy = re.sub(" ?([-:]) ?| ([+%])", r"\1\2", tidy)
    for part in re.split("[,;]", tidy):
        items = part.split()
        if not items:
            raise ValueError(f"{shortened(text)} has an empty item: write one hand or run between two commas")
        yield from items


def _parse_weight(item: str, text: str) -> float:
    number = text.removesuffix("%")
    if _NUMBER.fullmatch(number):
        weight = float(number) if number == text else float(number) / 100
        if weight <= 1:
            return weight
    raise ValueError(f"{shortened(item)} has no valid weight: write 0 to 1 or 0% to 100%, as in 'AKs:0.5' or 'AKs:50%'")


def _parse_hand(text: str) -> tuple[int, int, str]:
    """The higher rank, the lower rank and 's', 'o' or '' of a text that `_HAND` matches."""
    name = text.upper().replace("10", "T")
    ranks = RANKS.index(name[0]), RANKS.index(name[1])
    if name[0] == name[1] and len(name) == 3:
        raise ValueError(f"'{text}' is not a hand: a pair is neither suited nor offsuit, write '{text[:-1]}'")
    return max(ranks), min(ranks), name[2:].lower()


def _classes(name: str) -> list[int]:
    """The classes that a hand or a run names."""
    match = _SPAN.fullmatch(name)
    if match is None:
        raise ValueError(
            f"{shortened(name)} is not a hand: write 'QQ', 'AKs', 'AKo', 'AK' or 'AhKh', or a run as 'QQ+' or 'A5s-A2s'"
        )
    high, low, kind = first = _parse_hand(match[1])
    pair = high == low
    last = _parse_hand(match[3]) if match[3] else first
    if match[2]:
        last = (12, 12, "") if pair else (high, high - 1, kind)
    keeps_gap = high - low == last[0] - last[1]  # as any two pairs do
    if kind != last[2] or pair != (last[0] == last[1]) or not (keeps_gap or high == last[0]):
        raise ValueError(
            f"'{name}' is not a run: its ends are two pairs, or are alike in suits with the same high card or the same "
            "gap, as in '99-66', 'A5s-A2s' or 'T9s-54s'"
        )
    lows = range(min(low, last[1]), max(low, last[1]) + 1)
    highs = [bottom + high - low if keeps_gap else high for bottom in lows]
    cells = [(12 - top, 12 - bottom) for top, bottom in zip(highs, lows, strict=True)]
    suited = [13 * row + column for row, column in cells]
    offsuit = [13 * column + row for row, column in cells]
    return suited if pair or kind == "s" else offsuit if kind == "o" else suited + offsuit


def format_range(weights: ArrayLike) -> str:
    """The shortest usual text for a range: `parse_range` reads exactly the same weights from it.

    Classes of equal weight are joined into runs, from the heaviest down; a run may pass over classes that a later item
    gives their own weight. Suited and offsuit classes are named together, hands that keep a gap (three or more) become
    one run, single combinations follow their class, and everything may follow 'random', each where that makes the text
    shorter. Hands of weight 0 are left out of the runs, so a range of zeros gives the empty text.

    >>> format_range(parse_range("AA,KK,QQ, AKs,AKo,AQs, JTs,T9s,98s,87s, 55:0.5,44:50%, AhAd:0"))
    'QQ+, AK, AQs, JTs-87s, 55-44:0.5, AhAd:0'
    >>> format_range(parse_range("A8s+, A6s-A2s, A7s:0.25"))
    'A2s+, A7s:25%'
    >>> format_range(np.ones(1326))
    'random'
    """
    values = _checked(weights, len(COMBOS)) + 0.0  # turns -0.0, an odd weight to print, into 0.0
    if not values.any():
        return ""
    [(commonest, _)] = Counter(values.tolist()).most_common(1)
    plain = ", ".join(_items(values, background=0.0))
    over_random = ", ".join(["random" + _suffix(commonest), *_items(values, background=commonest)])
    return min(plain, over_random, key=len)


def _suffix(weight: float) -> str:
    if weight == 1:
        return ""
    fraction, percent = repr(weight).removesuffix(".0"), f"{100 * weight:.15g}"
    shorter = len(percent) + 1 < len(fraction) and float(percent) / 100 == weight and _NUMBER.fullmatch(percent)
    return f":{percent}%" if shorter else f":{fraction}"


def _items(values: Weights, background: float) -> list[str]:
    """Items that set the hands that differ from the background: runs of classes first, then single combinations."""
    classes: defaultdict[float, int] = defaultdict(int)
    odd: list[int] = []
    for index, combos in enumerate(_COMBOS_OF_CLASS):
        weights = values[combos].tolist()
        base = _base_weight(CLASSES[index], weights, background)
        if base != background:
            classes[base] |= 1 << index
        odd += [combo for combo, weight in zip(combos.tolist(), weights, strict=True) if weight != base]
    items = []
    for weight in sorted(classes, reverse=True):
        suffix = _suffix(weight)
        lighter = sum(classes[other] for other in classes if other < weight)
        items += [run + suffix for run in sorted(_cover(classes[weight], lighter, len(suffix)), key=_chart_order)]
    return items + [combo_name(combo) + _suffix(float(values[combo])) for combo in sorted(odd, reverse=True)]


def _base_weight(name: str, weights: list[float], background: float) -> float:
    """The weight to give a whole class, or the background for none, so that the text is shortest."""
    counts = Counter(weights)

    def saved(weight: float) -> int:
        own_item = 0 if weight == background else len(f"{name}{_suffix(weight)}, ")
        return counts[weight] * len(f"AhKh{_suffix(weight)}, ") - own_item

    return max([background, *counts], key=saved)


def _chart_order(run: str) -> tuple[int, int, int]:
    """Pairs, hands suited or not, suited hands, offsuit hands; each from the ace down."""
    kind = {"s": 2, "o": 3}.get(run[2:3], 0 if run[0] == run[1] else 1)
    return kind, -RANKS.index(run[0]), -RANKS.index(run[1])


# What follows works on sets of classes, as integers with bit i for class i.


def _bits(classes: Iterable[int]) -> int:
    return sum(1 << index for index in classes)


def _chart_lines() -> list[list[int]]:
    """The pairs, and for each high card its suited and its offsuit kickers, all from the top."""
    lines = [_classes("22+")]
    for high in RANKS[1:]:
        lines += [_classes(f"{high}2s+"), _classes(f"{high}2o+")]
    return [sorted(line) for line in lines]


_LINES = _chart_lines()
_LINE_BITS = [_bits(line) for line in _LINES]


@cache
def _line_runs(line: int, classes: int, free: int) -> tuple[str, ...]:
    """The longest runs in one line of the chart that name all the given classes of it, and perhaps free ones."""
    runs = []
    for usable, group in groupby(_LINES[line], key=lambda index: (classes | free) >> index & 1):
        stretch = list(group)
        wanted = [index for index in stretch if classes >> index & 1]
        if usable and wanted:
            first, last = CLASSES[wanted[0]], CLASSES[wanted[-1]]
            if len(wanted) == 1:
                runs.append(first)
            else:
                runs.append(f"{last}+" if stretch[0] == _LINES[line][0] else f"{first}-{last}")
    return tuple(runs)


@cache
def _crossing_runs() -> list[tuple[str, int, list[int]]]:
    """The runs that cross lines: both suits or a kept gap; with their classes and the lines that they touch."""
    names = []
    for high, low in combinations(RANKS[::-1], 2):
        kickers = RANKS[RANKS.index(low) + 1 : RANKS.index(high) - 1]
        names += [high + low, f"{high}{low}+"]
        names += [f"{high}{kicker}-{high}{low}" for kicker in kickers]
        for down in range(2, RANKS.index(low) + 1):
            last = RANKS[RANKS.index(high) - down] + RANKS[RANKS.index(low) - down]
            names += [f"{high}{low}{kind}-{last}{kind}" for kind in ("", "s", "o")]
    runs = [(name, _bits(_classes(name))) for name in names]
    return [(name, bits, [at for at, line in enumerate(_LINE_BITS) if line & bits]) for name, bits in runs]


def _cover(classes: int, free: int, suffix_length: int) -> list[str]:
    """Runs that together name all the given classes, and perhaps free ones, in few characters.

    Within a line the longest runs are the shortest text. From there, the run across lines that saves most is taken as
    long as one saves anything. What has been named is free from then on.
    """

    def length(runs: Iterable[str]) -> int:
        return sum(len(run) + suffix_length + len(", ") for run in runs)

    taken: list[str] = []
    candidates = _crossing_runs()
    while True:
        candidates = [run for run in candidates if run[1] & ~(classes | free) == 0 and run[1] & classes]
        best, best_saving = None, 0
        for name, bits, lines in candidates:
            saving = -length([name])
            for line in lines:
                wanted, spare = classes & _LINE_BITS[line], free & _LINE_BITS[line]
                within = bits & _LINE_BITS[line]
                saving += length(_line_runs(line, wanted, spare))
                saving -= length(_line_runs(line, wanted & ~within, spare | within))
            if saving > best_saving:
                best, best_saving = (name, bits), saving
        if best is None:
            lines_left = ((line, classes & bits, free & bits) for line, bits in enumerate(_LINE_BITS))
            return taken + [run for left in lines_left for run in _line_runs(*left)]
        taken.append(best[0])
        classes &= ~best[1]
        free |= best[1]


def _checked(weights: ArrayLike, size: int) -> Weights:
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (size,):
        raise ValueError(f"expected weights of shape ({size},), got {values.shape}")
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("weights are numbers from 0 to 1; divide by the largest, and mind NaN")
    return values


def class_weights(weights: ArrayLike) -> Weights:
    """The mean weight ``[169]`` of the combinations of each class.

    >>> float(class_weights(parse_range("AKs, AhKh:0"))[class_index("AKs")])
    0.75
    """
    sums = np.bincount(class_of_combo, weights=_checked(weights, len(COMBOS)), minlength=len(CLASSES))
    return sums / CLASS_SIZES


def expand_classes(weights: ArrayLike) -> Weights:
    """The weights ``[1326]`` that give every combination the weight of its class, from ``[169]``."""
    return _checked(weights, len(CLASSES))[class_of_combo]


def blocked(weights: ArrayLike, cards: Iterable[int]) -> Weights:
    """A copy of a range without the combinations that hold any of the cards.

    >>> combos_count(blocked(parse_range("AA, AKs"), [parse_card("As")]))
    6.0
    """
    gone = list(cards)
    if not all(0 <= card <= 51 for card in gone):
        raise ValueError(f"cards are numbered 0..51, got {gone}")
    return np.where(np.isin(COMBOS, gone).any(axis=1), 0.0, _checked(weights, len(COMBOS)))


def combos_count(weights: ArrayLike) -> float:
    """The number of combinations in a range, each counted by its weight.

    >>> combos_count(parse_range("22+, AKs:0.5"))
    80.0
    """
    return float(_checked(weights, len(COMBOS)).sum())

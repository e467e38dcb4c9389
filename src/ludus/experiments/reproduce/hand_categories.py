"""How often each category comes among random seven-card hands (Aparicio 2025, table 1)."""

from __future__ import annotations

import time

from ludus.cards.census import STREAM_HANDS, draw_hands
from ludus.cards.evaluator import CATEGORIES, SEVEN_CARD_COUNTS
from ludus.experiments.report import Report
from ludus.experiments.sources import APARICIO_IN_FULL
from ludus.parallel import Stages, usable_cores

SOURCE_COUNTS = (17316091, 43739212, 23480581, 4823162, 4820671, 3023303, 2596392, 167934, 32654)
"""Among 100 million hands, from high card to straight flush."""
SOURCE_HANDS_PER_SECOND = 27_821_357


def hand_categories(hands: int, seed: int, progress: Stages) -> Report:
    """Draw hands on all cores and compare the shares of the categories with theory and source."""
    draw_hands(1000, seed)  # compiled or loaded before the clock starts
    start = time.perf_counter()
    counts = draw_hands(hands, seed, usable_cores(), lambda done, total: _told(progress, done, total))
    seconds = time.perf_counter() - start
    theory = [count / sum(SEVEN_CARD_COUNTS) for count in SEVEN_CARD_COUNTS]
    source = [count / sum(SOURCE_COUNTS) for count in SOURCE_COUNTS]
    figures = {
        "hands": hands, "seed": seed, "seconds": seconds, "hands_per_second": hands / seconds,
        "cores": usable_cores(), "source_hands_per_second": SOURCE_HANDS_PER_SECOND,
        "categories": {
            name: {"count": int(counts[i]), "share": float(counts[i] / hands), "theory": theory[i], "source": source[i]}
            for i, name in enumerate(CATEGORIES)
        },
    }  # fmt: skip
    rows = []
    for i, name in enumerate(CATEGORIES):
        ours = counts[i] / hands
        errors = [(theory[i] * (1 - theory[i]) / n) ** 0.5 for n in (hands, sum(SOURCE_COUNTS))]
        rows.append((
            name, f"{counts[i]:,}", f"{100 * ours:.4f}", f"{100 * theory[i]:.4f}",
            f"{(ours - theory[i]) / errors[0]:+.1f}", f"{100 * source[i]:.4f}",
            f"{(source[i] - theory[i]) / errors[1]:+.1f}",
        ))  # fmt: skip
    note = (
        f"{hands:,} hands in {seconds:.2f} s on {usable_cores()} cores: {hands / seconds / 1e6:.1f} million a second "
        f"(source: {SOURCE_HANDS_PER_SECOND / 1e6:.1f} million), seed {seed}. "
        "Off, s.e.: by how many standard errors of a fair sample a share is off the theory. "
        f"Source: {APARICIO_IN_FULL}, table 1."
    )
    header = ("category", "hands", "ours %", "theory %", "off, s.e.", "source %", "off, s.e.")
    return Report("hand-categories: random seven-card hands", figures, header, rows, [note])


def _told(progress: Stages, done: int, total: int) -> None:
    progress("drawing hands", done * STREAM_HANDS, total * STREAM_HANDS, "hands")

"""How strong hands are at the end of a game (Pricope 2020, figure 1)."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.agents.expert.rules import strength
from ludus.cards.evaluator import WORST, evaluate
from ludus.experiments.plots import histogram_plot
from ludus.experiments.report import Report, folder
from ludus.experiments.sources import PRICOPE_IN_FULL
from ludus.files import write_csv
from ludus.parallel import Stages

NAME = "hand-strength"
BINS, STRONG = 20, 0.8
CLASS, RATE = "class of the best five", "win rate over all hands"
_BLOCK = 1000


def hand_strength(games: int, seed: int, plot: Path | None, out: Path | None, progress: Stages) -> Report:
    """Deal games to the river and measure a hand in two ways: by the class of its best five cards, and by win rate.

    The best five include both hole cards, as in the source. Classes are counted from 0, the worst of 7,462, to 1.
    """
    place = folder(out, NAME)
    rng, values = np.random.default_rng(seed), {CLASS: np.empty(games), RATE: np.empty(games)}
    for start in range(0, games, _BLOCK):
        block = slice(start, min(start + _BLOCK, games))
        deals = np.stack([rng.permutation(52)[:7] for _ in range(block.stop - start)])
        values[CLASS][block] = class_strengths(deals)
        values[RATE][block] = [strength(row[0], row[1], row[2:])[0] for row in deals.astype(np.uint8)]
        progress("dealing games", block.stop, games, "games")
    edges = np.linspace(0, 1, BINS + 1)
    counts = {name: np.histogram(each, edges)[0] for name, each in values.items()}
    picture = plot or place / f"{NAME}.png"
    histogram_plot(
        picture, {name: (edges, 100 * each / games) for name, each in counts.items()},
        f"Hand strength in {games:,} games, seed {seed}", "share of hands, %", "hand strength", {"strong": STRONG},
    )  # fmt: skip
    path = place / f"{NAME}.csv"
    table = [(edges[at], edges[at + 1], *(int(each[at]) for each in counts.values())) for at in range(BINS)]
    write_csv(path, ("from", "to", *counts), table)
    measures = {name: _summary(each) for name, each in values.items()}
    figures: dict[str, Any] = {
        "experiment": NAME, "games": games, "seed": seed, "strong": STRONG, "measures": measures,
        "histogram": {"edges": edges.tolist(), **{name: each.tolist() for name, each in counts.items()}},
        "files": {"csv": str(path), "plot": str(picture)},
    }  # fmt: skip
    header = ("strength", "mean", "median", "below 0.2 %", f"{STRONG} or more %")
    texts = []
    for name, found in measures.items():
        shares = [f"{100 * found[key]:.1f}" for key in ("weak", "strong")]
        texts.append((name, f"{found['mean']:.3f}", f"{found['median']:.3f}", *shares))
    notes = [
        "The source says that most hands are weak and that great results can be expected from 0.8 on. By class hardly "
        "any hand is that strong; by win rate, which its expert bets on, strengths are about equally frequent.",
        f"Source: {PRICOPE_IN_FULL}, figure 1, 1,000 games.",
    ]
    return Report(f"{NAME}: {games:,} games to the river, seed {seed}", figures, header, texts, notes)


def class_strengths(deals: NDArray[np.int64]) -> NDArray[np.float64]:
    """The strength of the best five cards with both hole cards, for deals ``[n, 2 + 5]``: 0 is the worst class.

    >>> class_strengths(np.array([[51, 47, 43, 39, 35, 0, 5]])).tolist()  # a royal flush
    [1.0]
    """
    threes = np.array(list(combinations(range(2, 7), 3)))
    fives = np.concatenate([np.broadcast_to([0, 1], (len(threes), 2)), threes], axis=1)
    best = evaluate(deals[:, fives].reshape(-1, 5).astype(np.uint8)).reshape(len(deals), -1).min(axis=1)
    return np.asarray((WORST - best.astype(np.float64)) / (WORST - 1))


def _summary(values: NDArray[np.float64]) -> dict[str, float]:
    return {
        "mean": float(values.mean()), "median": float(np.median(values)), "weak": float((values < 0.2).mean()),
        "strong": float((values >= STRONG).mean()),
    }  # fmt: skip

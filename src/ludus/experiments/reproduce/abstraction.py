"""What merging hands into buckets costs, measured exactly in a tiny hold'em."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from ludus.experiments.plots import check_plot_path, convergence_plot
from ludus.experiments.report import Report, folder
from ludus.files import write_csv
from ludus.games import PokerGame, tiny_holdem
from ludus.parallel import Stages, in_blocks, usable_cores
from ludus.solvers import Evaluator
from ludus.solvers.abstracted import CardAbstraction, MergedSolver, lossless, percentile_buckets
from ludus.solvers.passes import uniform_strategy
from ludus.trees import flatten

NAME = "abstraction"
IMPERFECT, PERFECT, LOSSLESS = "imperfect", "perfect", "lossless"
MEMORY = {IMPERFECT: "this street's bucket alone", PERFECT: "the buckets of all streets"}


@dataclass(frozen=True)
class Row:
    """One abstraction and what its solution is worth in the whole game."""

    recall: str  # imperfect, perfect, or lossless: the game itself
    buckets: int  # at most, on each street
    buckets_per_street: tuple[int, ...]
    information_sets: int
    exploitability: float  # chips
    exploitability_mbb_per_game: float
    share_of_uniform: float
    seconds: float

    @property
    def lossless(self) -> bool:
        """Whether nothing is merged; the last point of every curve."""
        return self.recall == LOSSLESS


def abstraction(
    buckets: Sequence[int], ranks: int, stack: int, iterations: int, plot: Path | None, out: Path | None,
    progress: Stages,
) -> Report:  # fmt: skip
    """Exploitability against the number of buckets per street, in rising order; the lossless game comes last."""
    if plot is not None:
        check_plot_path(plot)
    game = tiny_holdem(ranks, stack)
    place = folder(out, NAME)
    progress("tiny hold'em", 0, None)
    experiment = Experiment(game, iterations)
    whole = experiment.run(buckets, partial(progress, "tiny hold'em"))
    stopped = "" if whole else f"{len(experiment.rows)} of {2 * len(buckets) + 1} abstractions"
    return _report(experiment, place, plot, {"ranks": ranks, "stack": stack}, stopped)


class Experiment:
    """Solves one game under many abstractions, each on a core of its own."""

    def __init__(self, game: PokerGame, iterations: int) -> None:
        self.flat, self.iterations = flatten(game), iterations
        self.whole = lossless(self.flat.deals)
        MergedSolver(self.flat, self.whole).warm_up()  # compiled before threads ask for it
        self.evaluator = Evaluator(self.flat)
        self.uniform = self.evaluator.evaluate(uniform_strategy(self.evaluator.plan)).exploitability
        self.per_chip = 1000 / game.big_blind
        self._found: list[Row] = []

    @property
    def rows(self) -> list[Row]:
        """What is finished, by memory and then by buckets."""
        return sorted(self._found, key=lambda row: (row.lossless, row.recall, row.buckets))

    def run(self, counts: Sequence[int], progress: Any) -> bool:
        """Measure every abstraction; False when it was stopped after some of them."""
        jobs = [(LOSSLESS, 0), *((recall, count) for count in counts for recall in MEMORY)]
        try:
            in_blocks(lambda job: self._measure(*job), jobs, usable_cores(), progress)
        except KeyboardInterrupt:
            if not self._found:
                raise
            return False
        return True

    def _measure(self, recall: str, count: int) -> None:
        """Solve with this many buckets, or without loss."""
        start = time.perf_counter()
        cards = self._cards(recall, count)
        solver = MergedSolver(self.flat, cards)
        solver.run(self.iterations)
        found = Evaluator(self.flat, self.evaluator.plan).evaluate(solver.average()).exploitability
        self._found.append(
            Row(
                recall, count or max(cards.counts), cards.counts, cards.information_sets(self.flat), found,
                self.per_chip * found, found / self.uniform, time.perf_counter() - start,
            )
        )  # fmt: skip

    def _cards(self, recall: str, count: int) -> CardAbstraction:
        return percentile_buckets(self.flat.deals, count, recall == PERFECT) if count else self.whole


def rises(rows: list[Row]) -> list[str]:
    """Where more buckets gave a more exploitable strategy, in words; each kind of memory by itself.

    What is left in the lossless game is an error of solving; anything smaller is the same as none.
    """
    slack = max((row.exploitability for row in rows if row.lossless), default=0.0)
    return [
        f"{recall} recall from {before.buckets:,} to {after.buckets:,} buckets "
        f"(by {after.exploitability_mbb_per_game - before.exploitability_mbb_per_game:.2g} mbb/g)"
        for recall in MEMORY
        for before, after in pairwise(row for row in rows if row.recall == recall or row.lossless)
        if after.exploitability > before.exploitability + slack
    ]


def _report(experiment: Experiment, place: Path, plot: Path | None, game: dict[str, int], stopped: str) -> Report:
    rows, found = experiment.rows, rises(experiment.rows)
    files = {"csv": place / f"{NAME}.csv", "plot": plot or place / f"{NAME}.png"}
    write_csv(files["csv"], list(Row.__dataclass_fields__), [list(asdict(row).values()) for row in rows])
    title = f"Tiny hold'em, {game['ranks']} ranks, {game['stack'] / 2:g} big blinds"
    _plot(files["plot"], experiment, title)
    result: dict[str, Any] = {
        "experiment": NAME, **game, "iterations": experiment.iterations, "cores": usable_cores(),
        "uniform_exploitability": experiment.uniform,
        "uniform_exploitability_mbb_per_game": experiment.per_chip * experiment.uniform,
        "rows": [asdict(row) for row in rows],
        "rises": found,
        "files": {kind: str(path) for kind, path in files.items()},
    }  # fmt: skip
    header = ("recall", "buckets", "per street", "info sets", "chips", "mbb/g", "% of uniform", "seconds")
    texts = [
        (
            row.recall, f"{row.buckets:,}", "/".join(map(str, row.buckets_per_street)),
            f"{row.information_sets:,}", f"{row.exploitability:.4g}", f"{row.exploitability_mbb_per_game:.4g}",
            f"{100 * row.share_of_uniform:.3g}", f"{row.seconds:.1f}",
        )
        for row in rows
    ]  # fmt: skip
    notes = [
        "Chips, mbb/g: exploitability (NashConv / 2) in the whole game, exact; a big blind is 2 chips. The uniform "
        f"strategy's is {experiment.uniform:.4g} chips, {experiment.per_chip * experiment.uniform:.4g} mbb/g.",
        "Buckets: percentiles of E[HS^2] on each street. "
        + "; ".join(f"{recall} recall: a player knows {what}" for recall, what in MEMORY.items())
        + f", and never the board. {experiment.iterations:,} iterations of DCFR each; what is left in the lossless "
        "game is what more iterations would remove.",
        f"More buckets were worse at: {'; '.join(found)}." if found else "More buckets were never worse.",
    ]
    return Report(f"{NAME}: {title}", result, header, texts, notes, stopped)


def _plot(path: Path, experiment: Experiment, title: str) -> None:
    rows, uniform = experiment.rows, experiment.per_chip * experiment.uniform
    series = {
        f"{recall} recall: {what}": [
            (float(row.buckets), row.exploitability_mbb_per_game)
            for row in rows
            if row.recall == recall or row.lossless
        ]
        for recall, what in MEMORY.items()
    }
    widest = float(max(row.buckets for row in rows))
    series["uniform strategy"] = [(1.0, uniform), (widest, uniform)]
    convergence_plot(
        path, series, title, "exploitability (NashConv / 2), mbb/g",
        f"buckets a street (the last point, {widest:,.0f}: lossless)"
        if any(row.lossless for row in rows) else "buckets a street",
    )  # fmt: skip

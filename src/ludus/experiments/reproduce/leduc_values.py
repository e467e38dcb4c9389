"""How exploitable continual re-solving is with value networks of different quality, exactly, in no-limit Leduc."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ludus import games
from ludus.experiments.plots import convergence_plot
from ludus.experiments.report import Report, Stopped, folder
from ludus.experiments.reproduce.leduc_deepstack import OWN, ReadOff
from ludus.experiments.reproduce.leduc_deepstack_tables import MBB
from ludus.files import write_csv
from ludus.nets.examples import Examples, huber
from ludus.nets.network import ValueNetwork
from ludus.nets.small_games import BLOCK, Stage, make_examples
from ludus.parallel import Stages
from ludus.solvers import Strategy
from ludus.solvers.measure import measure

NAME = "leduc-values"
HELD_OUT = 2000  # situations that judge all networks
WIDTH, LAYERS, BATCH = 64, 4, 250
EXACT, END = "exact leaf values", "no depth limit"
DEEPSTACK_LEDUC = 16.0  # mbb/g, about: the program itself says 1.37 chips in a measure of its own


@dataclass(frozen=True)
class Point:
    """A re-solver and what its leaf values are worth."""

    leaves: str
    situations: int | None  # that its network has learnt from
    loss: float | None  # mean Huber loss of its network on the held-out situations, in pots
    exploitability_mbb: float


def leduc_values(situations: Sequence[int], steps: int, seed: int, out: Path | None, progress: Stages) -> Report:
    """Exploitability against loss of networks that learn from the first so many of the same situations.

    Stopped, it goes on from there when it is run again. Without PyTorch only what needs no network is measured.
    """
    place = folder(out, NAME)
    points: list[Point] = []
    if find_spec("torch") is not None:
        networks = Networks(place, steps, seed, situations[-1])
        files = [networks.file(count, progress) for count in situations]
        judged = networks.held_out(progress)
        for count, path in zip(situations, files, strict=True):
            loss = huber(ValueNetwork.load(path), judged)
            found = _exploitability(f"resolver:{path}", place, progress)
            points.append(Point(f"network of {count:,} situations", count, loss, found))
    for leaves, agent in ((EXACT, "resolver:exact"), (END, "resolver:end")):
        points.append(Point(leaves, None, None, _exploitability(agent, place, progress)))
    return _report(points, steps, seed, place)


def _exploitability(agent: str, place: Path, progress: Stages) -> float:
    table = ReadOff(agent, place).file(OWN, progress)
    return MBB * measure(Strategy.load(table))[0].exploitability


@dataclass(frozen=True)
class Networks:
    """Small networks that are trained in a folder, on the first of at most ``most`` situations each."""

    place: Path
    steps: int
    seed: int
    most: int

    def file(self, count: int, progress: Stages) -> Path:
        """The file of a network, which is trained where it is missing; the situations of all are kept in one file."""
        from ludus.nets.runs import Interrupted, ValuesPlan, train_values
        from ludus.nets.training import Recipe

        path = self.place / f"network-{count}-{self.steps}-{self.seed}.safetensors"
        if path.exists():
            return path
        batches = -(-round(0.9 * count) // BATCH)
        recipe = Recipe(epochs=-(-self.steps // batches), batch=BATCH, seed=self.seed)
        training = self.place / f"training-{self.seed}.safetensors"
        plan = ValuesPlan(games.leduc_nl(OWN), training, count, WIDTH, LAYERS, recipe)

        def tell(stage: str, done: int, total: int | None, unit: str = "", figure: str = "") -> None:
            progress(f"{count:,} situations: {stage}", done, total, unit, figure)

        try:
            finished = train_values(plan, tell)["finished"]
        except Interrupted as stopped:
            raise Stopped(f"{stopped}; the same command goes on from there") from None
        if not finished:
            raise Stopped("a network is half trained; the same command begins that one again")
        training.replace(path)
        return path

    def held_out(self, progress: Stages) -> Examples:
        """Situations after those that any network learns from."""
        stage, first = Stage(games.leduc_nl(OWN)), -(-self.most // BLOCK) * BLOCK
        try:
            return make_examples(
                stage, HELD_OUT, self.seed, first,
                lambda done, total: progress("held-out situations", done, total, "blocks"),
            )  # fmt: skip
        except KeyboardInterrupt:
            raise Stopped("the networks are saved; the same command goes on from there") from None


def _report(points: list[Point], steps: int, seed: int, place: Path) -> Report:
    files = {"csv": place / f"{NAME}.csv", "plot": place / f"{NAME}.png"}
    write_csv(files["csv"], list(Point.__dataclass_fields__), [list(asdict(point).values()) for point in points])
    _plot(files["plot"], points, seed)
    result: dict[str, Any] = {
        "experiment": NAME, "steps": steps, "seed": seed, "held_out": HELD_OUT,
        "points": [asdict(each) for each in points], "deepstack_leduc_mbb": DEEPSTACK_LEDUC,
        "files": {kind: str(path) for kind, path in files.items()},
    }  # fmt: skip
    rows = [
        (each.leaves, "" if each.loss is None else f"{each.loss:.3g}", f"{each.exploitability_mbb:.2f}")
        for each in points
    ]
    notes = [
        f"Loss: mean Huber loss over the same {HELD_OUT:,} held-out situations, in pots. Exploitability: exact, of the "
        "whole strategy of the re-solver (1,000 iterations, the last 500 averaged) in the tree that it plays, bets of "
        "the pot and all-in.",
        f"Networks have {LAYERS} hidden layers of {WIDTH} and learn for {steps:,} steps of {BATCH} situations from the "
        "first nine tenths of their situations, the first ones of a common set.",
        f"DeepStack-Leduc, whose network learnt from a million situations, is at about {DEEPSTACK_LEDUC:.0f} mbb/g.",
    ]
    if all(each.situations is None for each in points):
        notes.append("There are no networks here: training them needs PyTorch (pip install 'ludus[torch]').")
    title = f"{NAME}: no-limit Leduc, bets of the pot and all-in, seed {seed}"
    return Report(title, result, ("leaf values", "loss", "exploitability, mbb/g"), rows, notes)


def _plot(path: Path, points: list[Point], seed: int) -> None:
    networks = [(each.loss, each.exploitability_mbb) for each in points if each.loss is not None]
    losses = [loss for loss, _ in networks] or [1.0, 10.0]
    series = {"value networks": networks} if networks else {}
    levels = {each.leaves: each.exploitability_mbb for each in points if each.loss is None}
    for name, level in (levels | {"DeepStack-Leduc (about)": DEEPSTACK_LEDUC}).items():
        series[name] = [(min(losses), level), (max(losses), level)]
    title = f"Continual re-solving in no-limit Leduc, bets of the pot and all-in, seed {seed}"
    convergence_plot(
        path, series, title, "exploitability (NashConv / 2), mbb/g", "mean Huber loss on held-out situations, pots"
    )

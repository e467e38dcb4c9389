"""Neural fictitious play and Double DQN on Blop, by episodes (Pricope 2020, figure 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.experiments.plots import new_figure, save_figure
from ludus.experiments.report import Report, Stopped, folder
from ludus.experiments.sources import PRICOPE, PRICOPE_IN_FULL
from ludus.files import write_csv
from ludus.games.learning.blop import BlopConfig
from ludus.parallel import Stages

NAME = "blop"
NFSP, DDQN = "nfsp", "ddqn"
ENEMIES = {"still": BlopConfig(), "moving": BlopConfig(moving_enemy=True)}
POINT, LAST = 50, 500  # episodes of a point of the source's figure, and of the figure at the end
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class BlopPlan:
    """How long and how often: for each seed both learners play against both enemies."""

    episodes: int = 5000
    seeds: int = 5
    seed: int = 1

    def __post_init__(self) -> None:
        if self.episodes < LAST or self.seeds < 1:
            raise ValueError(f"episodes are at least {LAST}, seeds at least 1, got {self.episodes} and {self.seeds}")


QUICK = BlopPlan(episodes=LAST, seeds=1)


def settings() -> Mapping[str, Any]:
    """Both learners as the source gives them; what it leaves open is ours: sizes, batches, rates, the optimiser."""
    from ludus.rl.nfsp import NfspSettings

    source = NfspSettings(
        eta=0.1, mixed_by="step", epsilon=0.12, transitions=20_000, behaviour=2_000_000, updates_a_step=1 / 4,
        target_games=5, convolutions=(4, 8), dense=(32,), optimiser="adam", q_rate=2e-3, policy_rate=2e-3, batch=64,
        first=500, lanes=16,
    )  # fmt: skip
    return {NFSP: source, DDQN: replace(source, eta=1.0)}


def blop(plan: BlopPlan, out: Path | None, progress: Stages) -> Report:
    """Returns episode by episode of both learners, against an enemy that stands still and one that moves.

    Runs are kept, and the same command goes on from there when it was stopped.
    """
    from ludus.rl.blop import optimum

    place = folder(out, NAME)
    runs: dict[tuple[str, str], Floats] = {}
    for enemy in ENEMIES:
        for learner in (NFSP, DDQN):
            rows = [
                _returns(learner, enemy, plan.seed + at, plan.episodes, place, progress) for at in range(plan.seeds)
            ]
            runs[enemy, learner] = np.array(rows)
    best = {enemy: optimum(config) for enemy, config in ENEMIES.items()}
    files = {"csv": place / f"{NAME}.csv", "plot": place / f"{NAME}.png"}
    _write(files["csv"], runs)
    _plot(files["plot"], runs, best)
    ends = {key: returns[:, -LAST:].mean(axis=1).tolist() for key, returns in runs.items()}
    result = {
        "experiment": NAME, "seed": plan.seed, "seeds": plan.seeds, "episodes": plan.episodes,
        NFSP: ends["still", NFSP], DDQN: ends["still", DDQN], "optimum": best["still"],
        "moving": {NFSP: ends["moving", NFSP], DDQN: ends["moving", DDQN], "optimum": best["moving"]},
        "files": {name: str(path) for name, path in files.items()},
    }  # fmt: skip
    return _report(plan, result, runs, best)


def _returns(learner: str, enemy: str, seed: int, episodes: int, place: Path, progress: Stages) -> Floats:
    """[episodes] The return of each, from the folder if it is there."""
    from ludus.rl.blop import BlopLanes
    from ludus.rl.by_games import train_by_games
    from ludus.rl.learner import identity
    from ludus.rl.nfsp import Nfsp
    from ludus.solvers.checkpoints import Checkpoint

    file = place / f"{learner}-{enemy}-{seed}-{episodes}.csv"
    if file.exists():
        known: Floats = np.loadtxt(file, skiprows=1, ndmin=1)
        if len(known) == episodes:
            return known
    chosen = settings()[learner]
    lanes = BlopLanes(ENEMIES[enemy], chosen.lanes, np.random.default_rng(seed))
    kept = Checkpoint(place / f"{learner}-{enemy}-{seed}.training", {"run": identity(chosen, seed) | {"enemy": enemy}})

    def told(done: int, total: int) -> None:
        figure = f"return {np.mean(lanes.ends[-POINT:]):.0f} lately" if lanes.ends else ""
        progress(f"{learner}, enemy {enemy}, seed {seed}", done, total, "episodes", figure)

    if not train_by_games(Nfsp(lanes, chosen, seed), lanes, episodes, kept, told):
        raise Stopped(f"what was played is in {place}; the same command goes on from there")
    returns: Floats = np.array(lanes.ends[:episodes])
    write_csv(file, ("return",), [(each,) for each in returns.tolist()])
    return returns


def points(returns: Floats) -> Floats:
    """[seeds, points] Means of 50 episodes each."""
    whole = returns.shape[1] // POINT * POINT
    means: Floats = returns[:, :whole].reshape(len(returns), -1, POINT).mean(axis=2)
    return means


def _write(path: Path, runs: Mapping[tuple[str, str], Floats]) -> None:
    rows = [
        (enemy, learner, at, POINT * (point + 1), value)
        for (enemy, learner), returns in runs.items()
        for at, seed in enumerate(points(returns).tolist())
        for point, value in enumerate(seed)
    ]
    write_csv(path, ("enemy", "learner", "run", "episode", "mean return"), rows)


def _plot(path: Path, runs: Mapping[tuple[str, str], Floats], best: Mapping[str, float]) -> None:
    """Means over seeds with bands from the lowest to the highest; the best play as a line."""
    figure, axes = new_figure()
    for (enemy, learner), returns in runs.items():
        means = points(returns)
        episodes = POINT * np.arange(1, means.shape[1] + 1)
        colour = "#2e86c1" if learner == NFSP else "#c0392b"
        style = "-" if enemy == "still" else "--"
        label = f"{'NFSP' if learner == NFSP else 'Double DQN'}, enemy {enemy}"
        axes.plot(episodes, means.mean(axis=0), style, color=colour, linewidth=1.4, label=label)
        axes.fill_between(episodes, means.min(axis=0), means.max(axis=0), color=colour, alpha=0.15, linewidth=0)
    for enemy, value in best.items():
        style = "-" if enemy == "still" else "--"
        axes.axhline(value, color="black", linestyle=style, linewidth=0.8, label=f"best play, enemy {enemy}")
    axes.set_xlabel("episodes")
    axes.set_ylabel(f"return, mean of {POINT} episodes")
    axes.set_title("Blop: means over seeds, bands from the lowest to the highest")
    axes.grid(True, which="major", alpha=0.35)
    axes.legend(fontsize="small")
    save_figure(figure, path)


def _report(
    plan: BlopPlan, result: dict[str, Any], runs: Mapping[tuple[str, str], Floats], best: Mapping[str, float]
) -> Report:
    rows = []
    for (enemy, learner), returns in runs.items():
        ends = returns[:, -LAST:].mean(axis=1)
        spread = f" ({ends.min():.1f} to {ends.max():.1f})" if len(ends) > 1 else ""
        name = "NFSP" if learner == NFSP else "Double DQN"
        rows.append(
            (name, enemy, f"{returns[:, :LAST].mean():.1f}", f"{ends.mean():.1f}{spread}", f"{best[enemy]:.2f}")
        )
    notes = [
        f"Both explore while they are measured: Double DQN on every step with 0.12, NFSP on a tenth of its steps. "
        f"Seeds {plan.seed} to {plan.seed + plan.seeds - 1}, {plan.episodes:,} episodes each.",
        "Best play: the largest expected return, by dynamic programming. Every move costs 1, the last one too; the "
        "source names 20, which no play can reach at that price.",
        f"{PRICOPE}, figure 5: at episode 5,000 NFSP is done while Double DQN is still at about -50. It gives no sizes "
        "of layers, batches or rates for this game; ours are in the code.",
        f"Source: {PRICOPE_IN_FULL}, section 4.1.",
    ]
    header = ("learner", "enemy", f"first {LAST} episodes", f"last {LAST} episodes", "best play")
    return Report(f"{NAME}: mean return of an episode, seed {plan.seed}", result, header, rows, notes)

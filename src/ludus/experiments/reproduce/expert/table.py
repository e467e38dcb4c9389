"""The source's players against each other (Pricope 2020, tables 1 and 2)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ludus.agents.expert.model import has_torch
from ludus.arena.interval import Interval, caution, finite, interval
from ludus.experiments.report import Report, Table, folder
from ludus.experiments.reproduce.expert.sessions import BLINDS, SESSION, STACK, Row, play_rows
from ludus.experiments.sources import PRICOPE, PRICOPE_IN_FULL
from ludus.files import write_csv
from ludus.parallel import Stages

NAME = "expert-table"
RANDOM, CALL = "random", "call"


@dataclass(frozen=True)
class Reading:
    """What the source leaves open, as the players' names. `ludus reproduce expert-readings` finds what fits best."""

    heuristic: str = "heuristic-mc:size=1,ahead=0.6,least=0.6"
    expert: str = "expert"
    model: str = "expert:model"


@dataclass(frozen=True)
class SourceRow:
    """A row of table 1: who plays, the average stack and the share of games won in 250 of them."""

    players: str
    first: str  # a field of `Reading`, or a player
    second: str
    stack: float
    win_percent: float

    def pair(self, reading: Reading) -> tuple[str, str]:
        """The players by the names that agents have."""
        named = asdict(reading)
        return named.get(self.first, self.first), named.get(self.second, self.second)

    @property
    def error(self) -> float:
        """The standard error of its percentage."""
        return float((self.win_percent * (100 - self.win_percent) / SESSION) ** 0.5)


SOURCE = (
    SourceRow("HeuristicMC-Random", "heuristic", RANDOM, 107, 52.0),
    SourceRow("Base-Random", "expert", RANDOM, 141, 72.0),
    SourceRow("Base-Call", "expert", CALL, 163, 81.6),
    SourceRow("Agent1-Call", "model", CALL, 167, 84.8),
    SourceRow("Base-HeuristicMC", "expert", "heuristic", 111, 57.6),
    SourceRow("Agent1-HeuristicMC", "model", "heuristic", 119, 59.2),
)
SOURCE_ACCURACY = 85.71
PEOPLE = (("Base", 13, 9), ("Agent1", 6, 1))  # table 2: games won and lost against a friend of the author


@dataclass(frozen=True)
class TablePlan:
    """What is played."""

    games: int
    seed: int
    reading: Reading = field(default_factory=Reading)


def expert_table(plan: TablePlan, workers: int, out: Path | None, progress: Stages) -> Report:
    """All six rows, as many games as the source and more; stopped, it goes on when it is run again."""
    place = folder(out, NAME)
    pairs = [row.pair(plan.reading) for row in SOURCE]
    played = play_rows(pairs, plan.games, plan.seed, place, workers, progress)
    rows = [_row(source, row) for source, row in zip(SOURCE, played, strict=True)]
    guesses = _guesses(played[-1])
    path = place / f"{NAME}.csv"
    write_csv(path, list(rows[0]), [list(row.values()) for row in rows])
    figures: dict[str, Any] = {
        "experiment": NAME, "seed": plan.seed, "games": played[0].games, "reading": asdict(plan.reading), "rows": rows,
        "accuracy": guesses,
        "people": [{"players": who, "won": won, "lost": lost, "source": True} for who, won, lost in PEOPLE],
        "torch": has_torch(), "files": {"csv": str(path)},
    }  # fmt: skip
    header = ("players", "games", "average stack", "wins %", f"first {SESSION} games", PRICOPE, "off, s.e.")
    texts = [
        (
            row["players"], f"{row['games']:,}", f"{row['stack']:.1f} +- {row['stack_ci95'] or 0:.1f}",
            f"{row['win_percent']:.1f} +- {row['ci95'] or 0:.1f}",
            f"{row['first_stack']:.0f}, {row['first_win_percent']:.1f} %",
            f"{row['source_stack']:.0f}, {row['source_win_percent']:.1f} %", f"{row['off']:+.1f}",
        )
        for row in rows
    ]  # fmt: skip
    title = f"{NAME}: freeze-outs with stacks of {STACK}, blinds {BLINDS[0]}/{BLINDS[1]}, seed {plan.seed}"
    people = Table(
        f"people, as {PRICOPE} reports it",
        ("players", "won", "lost"), [(f"{who}-Catalin", str(won), str(lost)) for who, won, lost in PEOPLE],
    )  # fmt: skip
    return Report(title, figures, header, texts, _notes(plan, played, guesses), more=(people,))


def _row(source: SourceRow, row: Row) -> dict[str, Any]:
    wins, first = row.wins.scaled(100), row.sessions[0]
    off = (source.win_percent - wins.mean) / (source.error**2 + (wins.error if wins.units > 1 else 0) ** 2) ** 0.5
    ci95 = finite(wins.ci95)
    return {
        "players": source.players, "specs": " v ".join(row.players), "games": row.games, "stack": row.stack,
        "stack_ci95": None if ci95 is None else ci95 * 2 * STACK / 100, "win_percent": wins.mean, "ci95": ci95,
        "source_stack": source.stack, "source_win_percent": source.win_percent, "off": off,
        "hands_per_game": row.hands / row.games, "first_stack": first.chips / first.games,
        "first_win_percent": 100 * first.wins / first.games,
    }  # fmt: skip


def _guesses(row: Row) -> dict[str, Any]:
    """How often the model guesses HeuristicMC's next action, out of sample."""

    def mean(name: str) -> Interval:
        values = [getattr(each, name) for each in row.sessions if getattr(each, name) is not None]
        return interval(values).scaled(100)

    three, folds = mean("accuracy"), mean("fold_accuracy")
    return {
        "three_actions": finite(three.mean), "three_actions_ci95": finite(three.ci95), "folds": finite(folds.mean),
        "folds_ci95": finite(folds.ci95), "commonest": finite(mean("commonest").mean), "source": SOURCE_ACCURACY,
        "actions": row.sessions[0].actions,
    }  # fmt: skip


def _notes(plan: TablePlan, played: list[Row], guesses: dict[str, Any]) -> list[str]:
    reading = plan.reading
    notes = [
        f"Read as: HeuristicMC {reading.heuristic}, Base {reading.expert}, Agent1 {reading.model}, which begins every "
        f"{SESSION} games without a memory. Off: by how many standard errors the source's percentage is off ours.",
        f"Source: {PRICOPE_IN_FULL}, table 1, 250 games a row: its own standard error is 3 points.",
    ]
    if guesses["three_actions"] is not None:
        notes.insert(1, (
            f"Agent1 guesses {guesses['three_actions']:.1f} % of HeuristicMC's actions before it learns from them, and "
            f"{guesses['folds']:.1f} % as to whether it folds; always guessing the most common action is right "
            f"for {guesses['commonest']:.1f} %. The source reports {SOURCE_ACCURACY} % on a test set."
        ))  # fmt: skip
    if not has_torch():
        notes.append("PyTorch is not installed: Agent1 stays with naive Bayes. pip install 'ludus[torch]'")
    few = caution(played[0].games, "games")
    return [*notes, few] if few else notes

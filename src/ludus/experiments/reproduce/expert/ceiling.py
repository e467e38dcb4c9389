"""How much can be won from the players of Pricope (2020) in freeze-outs: what a large table learns by Q-learning.

Random never looks at its cards, so to the other player a freeze-out is a game against nature. A table that puts
together decisions alike in street, winning share, price, stacks and pot comes close to the best play in it. What it
earns is no upper bound, but neither is it bound by a network or by few games, as the source's learner is.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.agents import make
from ludus.agents.base import Agent
from ludus.arena.freeze_out_lanes import ACTIONS, FreezeOutLanes, play_tests
from ludus.arena.freeze_outs import FoldingRandom, play_session
from ludus.experiments.report import Report, folder
from ludus.experiments.reproduce.expert.sessions import BLINDS, STACK
from ludus.experiments.reproduce.nfsp_holdem import figures, row_texts
from ludus.experiments.sources import PRICOPE, PRICOPE_IN_FULL
from ludus.files import Arrays, write_csv
from ludus.games import holdem
from ludus.parallel import Stages
from ludus.rl.lanes import Bools, Floats, Ints, Look
from ludus.rl.memories import Column
from ludus.rl.pictures import OWN, POT, PRICE, SHARE, STREET, THEIRS
from ludus.rl.q_learning import QLearning, QLearningSettings

NAME = "pricope-ceiling"
FOLDING, BASE = "random-folding", "expert"
SOURCE = {(name, player): chips for name in ("random", FOLDING) for player, chips in (("table", 173.02), (BASE, 141.0))}
LANES = 2048
EDGES = {  # where numbers of a row are cut; stacks and the pot are shares of all chips
    SHARE: np.linspace(0, 1, 21)[1:-1], PRICE: np.array([1e-6, 0.15, 0.25, 0.34, 0.45]),
    OWN: np.array([0.03, 0.08, 0.15, 0.25, 0.4, 0.55, 0.75]), THEIRS: np.array([0.02, 0.15, 0.4]),
    POT: np.array([0.06, 0.11, 0.2, 0.3, 0.5]), STREET: np.array([0.2, 0.5, 0.8]),
}  # fmt: skip


class TableLanes:
    """Freeze-outs of which a learner sees the number of a cell."""

    seats, actions = 1, ACTIONS
    inputs: tuple[int, ...] = (1,)
    row: Column = (), np.int64
    sets = int(np.prod([len(edges) + 1 for edges in EDGES.values()]))

    def __init__(self, lanes: FreezeOutLanes) -> None:
        self.lanes, self.count, self.rng = lanes, lanes.count, lanes.rng

    def look(self) -> Look:
        """The decisions that wait."""
        look = self.lanes.look()
        return look._replace(rows=cells(look.rows))

    def step(self, actions: Ints) -> tuple[NDArray[np.float64], Bools]:
        """Act in every lane."""
        return self.lanes.step(actions)

    def see(self, rows: NDArray[Any]) -> Floats:
        """[n, 1] The numbers themselves: a table needs no more."""
        return rows[:, None].astype(np.float32)

    def state(self) -> Arrays:
        """Where the lanes are."""
        return self.lanes.state()

    def restore(self, arrays: Arrays) -> None:
        """Go on from there."""
        self.lanes.restore(arrays)


def cells(rows: NDArray[Any]) -> Ints:
    """[n] The cell of each row [n, 17]."""
    number = np.zeros(len(rows), np.int64)
    for column, edges in EDGES.items():
        number = number * (len(edges) + 1) + np.searchsorted(edges, rows[:, column], side="right")
    return number


def pricope_ceiling(
    opponents: tuple[str, ...], decisions: int, games: int, seed: int, out: Path | None, progress: Stages
) -> Report:
    """What a table and what the expert earn from each opponent."""
    place, rows = folder(out, NAME), list[dict[str, Any]]()
    for name in opponents:
        told = partial(progress, f"table against {name}")
        ends = _table(_opponent(name), decisions, games, seed, told)
        rows.append({"opponent": name, "player": "table", **figures(ends[:, 1], ends[:, 2])})
        game = holdem(stack=STACK, blinds=BLINDS)
        session = play_session(game, [make(BASE), _opponent(name)], games, seed)
        rows.append({"opponent": name, "player": BASE, **figures(session.chips, session.hands)})
    for row in rows:
        row["source_stack"] = SOURCE.get((row["opponent"], row["player"]))
    path = place / f"{NAME}.csv"
    write_csv(path, list(rows[0]), [list(row.values()) for row in rows])
    result = {
        "experiment": NAME, "seed": seed, "decisions": decisions, "cells": TableLanes.sets, "rows": rows,
        "files": {"csv": str(path)},
    }  # fmt: skip
    texts = [
        (f"{row['player']} against {row['opponent']}", *row_texts(row), f"{row['source_stack'] or ''}") for row in rows
    ]
    notes = [
        f"The table has {TableLanes.sets:,} cells and learns for {decisions:,} decisions with the six actions of the "
        "source's learner. What it earns is what can be won at least.",
        f"{FOLDING}: Random, to whom a fold is an action even where a check is free.",
        f"Source: {PRICOPE_IN_FULL}, 173.02 chips by its learner's average strategy (section 4.4), 141 by its expert "
        "(table 1), 250 games each: its own standard error is about 4.5 chips.",
    ]
    header = ("player", "games", "average stack", "wins %", "mbb/h", PRICOPE)
    return Report(f"{NAME}: freeze-outs, stacks {STACK}, seed {seed}", result, header, texts, notes)


def _opponent(name: str) -> Agent | FoldingRandom:
    return FoldingRandom() if name == FOLDING else make(name, holdem(stack=STACK, blinds=BLINDS))


def _table(opponent: Agent | FoldingRandom, decisions: int, games: int, seed: int, progress: Any) -> Ints:
    """Learn, then play without learning: the ends of games."""
    game, rng = holdem(stack=STACK, blinds=BLINDS), np.random.default_rng(seed)
    count = min(LANES, max(games // 4, 1))
    settings = QLearningSettings(
        first_epsilon=0.5, epsilon=0.05, explored=max(decisions // 2, 1), power=0.8, lanes=count
    )
    learner = QLearning(TableLanes(FreezeOutLanes(game, opponent, count, rng)), settings, seed)
    while learner.iterations < decisions:
        learner.advance(decisions)
        progress(min(learner.iterations, decisions), decisions, "decisions")

    def choose(look: Look) -> Ints:
        best: Ints = learner.policy(cells(look.rows), look.open).argmax(axis=1)
        return best

    lanes = FreezeOutLanes(game, opponent, count, np.random.default_rng([seed, 7]))
    return play_tests(lanes, games, choose, progress)[0]

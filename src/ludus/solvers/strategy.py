"""Strategies as tables on disk: which game, how they were made, a probability for each action of each set."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.files import Arrays, load_arrays, save_arrays
from ludus.games.base import Game
from ludus.games.definition import Definition, check_same_game, define, first_difference, rebuild
from ludus.solvers.passes import Floats
from ludus.trees.flat import FlatGame

KIND, FORMAT = "strategy", 1
ARRAYS = {
    "players": "int8", "names": "uint8", "offsets": "int64", "actions": "int64", "labels": "int32",
    "probabilities": "float64",
}  # fmt: skip


@dataclass(frozen=True)
class Origin:
    """How a strategy was made."""

    algorithm: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    iterations: int = 0


@dataclass(frozen=True, eq=False)
class Strategy:
    """Information sets ordered by player and name; those of set i have the actions offsets[i] .. offsets[i + 1]."""

    definition: Definition
    players: NDArray[np.int8]
    names: tuple[str, ...]
    offsets: NDArray[np.int64]
    actions: NDArray[np.int64]
    labels: tuple[str, ...]
    probabilities: Floats
    origin: Origin = Origin()

    @classmethod
    def of(cls, flat: FlatGame, table: Floats, origin: Origin | None = None) -> Strategy:
        """The strategy of a table by_action."""
        sets = flat.sets
        return cls(
            define(flat.game), sets.players, sets.names, sets.offsets, sets.actions, sets.labels,
            table[sets.by_action], origin or Origin(),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def _row(self) -> dict[tuple[int, str], int]:
        return {
            (player, name): at for at, (player, name) in enumerate(zip(self.players.tolist(), self.names, strict=True))
        }

    def at(self, player: int, name: str) -> dict[int, float]:
        """Action -> probability in an information set; empty where the strategy does not know it."""
        row = self._row.get((player, name))
        if row is None:
            return {}
        here = slice(int(self.offsets[row]), int(self.offsets[row + 1]))
        return dict(zip(self.actions[here].tolist(), self.probabilities[here].tolist(), strict=True))

    def rows(self) -> Iterator[tuple[int, str, list[tuple[int, str, float]]]]:
        """Player, information set and its actions with their names and probabilities."""
        offsets, actions, chances = self.offsets.tolist(), self.actions.tolist(), self.probabilities.tolist()
        for at, (player, name) in enumerate(zip(self.players.tolist(), self.names, strict=True)):
            here = range(offsets[at], offsets[at + 1])
            yield player, name, [(actions[i], self.labels[i], chances[i]) for i in here]

    def game(self) -> Game:
        """The game it was made for; ValueError when its rules are not sound."""
        return rebuild(self.definition)

    def check_game(self, game: Game) -> None:
        """ValueError says in which rule the strategy's game differs from this one."""
        check_same_game(self.definition, define(game))

    def table(self, flat: FlatGame) -> Floats:
        """As a table by_action of its game; information sets that it does not know are played uniformly."""
        self.check_game(flat.game)
        sets = flat.sets
        counts = np.diff(sets.offsets)
        values = np.repeat(1 / counts, counts)
        if self.names == sets.names and all(
            np.array_equal(getattr(self, name), getattr(sets, name)) for name in ("players", "offsets", "actions")
        ):
            values = self.probabilities
        else:
            for at, (player, name) in enumerate(zip(sets.players.tolist(), sets.names, strict=True)):
                here = slice(int(sets.offsets[at]), int(sets.offsets[at + 1]))
                if known := self.at(player, name):
                    if list(known) != sets.actions[here].tolist():
                        raise ValueError(f"the actions of information set {name!r} are not those of the game")
                    values[here] = list(known.values())
        table = np.empty(flat.entries)
        for group in flat.groups:  # situations that cannot arise are played uniformly too
            table[group["start"] : group["start"] + group["actions"] * group["situations"]] = 1 / group["actions"]
        table[sets.by_action] = values
        return table

    def purified(self, threshold: float) -> Strategy:
        """Actions less likely than a threshold are never played, the others more often; the likeliest always stays.

        Ganzfried, Sandholm & Waugh (2012), "Strategy purification and thresholding".
        """
        if not 0 <= threshold <= 1:
            raise ValueError(f"a threshold of purification is between 0 and 1, got {threshold}")
        starts, counts = self.offsets[:-1], np.diff(self.offsets)
        top = np.repeat(np.maximum.reduceat(self.probabilities, starts), counts)
        kept = np.where(self.probabilities >= np.minimum(top, threshold), self.probabilities, 0.0)
        kept /= np.repeat(np.add.reduceat(kept, starts), counts)
        return replace(self, probabilities=kept)

    # Files

    def save(self, path: Path | str) -> None:
        """Write it; the same strategy always gives the same bytes."""
        words = {label: at for at, label in enumerate(dict.fromkeys(self.labels))}
        header = {
            "kind": KIND, "format": FORMAT, "game": self.definition, "algorithm": self.origin.algorithm,
            "parameters": self.origin.parameters, "seed": self.origin.seed, "iterations": self.origin.iterations,
            "labels": list(words),
        }  # fmt: skip
        arrays: Arrays = {
            "players": self.players,
            "names": np.frombuffer("\n".join(self.names).encode(), np.uint8),
            "offsets": self.offsets,
            "actions": self.actions,
            "labels": np.array([words[label] for label in self.labels], np.int32),
            "probabilities": self.probabilities,
        }
        save_arrays(Path(path), header, arrays)

    @classmethod
    def load(cls, path: Path | str, game: Game | None = None) -> Strategy:
        """Read one; ValueError when it is damaged or, given a game, made for another."""
        header, arrays = load_arrays(Path(path), KIND, FORMAT)
        try:
            for name, kind in ARRAYS.items():
                if arrays[name].dtype != kind or arrays[name].ndim != 1:
                    raise ValueError(f"{name} is not a list of {kind}")
            if not (isinstance(header["game"], dict) and isinstance(header["parameters"], dict)):
                raise ValueError("game and parameters are not named")
            words = dict(enumerate(map(str, header["labels"])))
            origin = Origin(
                str(header["algorithm"]), header["parameters"], int(header["seed"]), int(header["iterations"])
            )
            strategy = cls(
                header["game"],
                arrays["players"],
                tuple(arrays["names"].tobytes().decode().split("\n")),
                arrays["offsets"],
                arrays["actions"],
                tuple(words[at] for at in arrays["labels"].tolist()),
                arrays["probabilities"],
                origin,
            )
            strategy._check()
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"{path} is a damaged strategy ({error})") from None
        if game is not None:
            strategy.check_game(game)
        return strategy

    def _check(self) -> None:
        sizes = np.diff(self.offsets)
        if not len(self.names) or len(self.players) != len(self.names) or len(sizes) != len(self.names):
            raise ValueError("information sets and their names do not match")
        if not 0 <= self.players.min() <= self.players.max() < self.definition["players"]:
            raise ValueError("information sets belong to the players of the game")
        if (
            self.offsets[0] != 0
            or sizes.min() < 1
            or not (self.offsets >= 0).all()
            or not (self.offsets <= len(self.actions)).all()
            or len(set(zip(self.players.tolist(), self.names, strict=True))) != len(self)
        ):
            raise ValueError("every information set has actions of its own and a name of its own")
        if not len(self.actions) == len(self.labels) == len(self.probabilities) == self.offsets[-1]:
            raise ValueError("actions and probabilities do not match")
        if not (np.isfinite(self.probabilities).all() and self.probabilities.min() >= 0):
            raise ValueError("probabilities are numbers from 0 to 1")
        if np.abs(np.add.reduceat(self.probabilities, self.offsets[:-1]) - 1).max() > 1e-6:
            raise ValueError("the probabilities of an information set sum to 1")

    def to_json(self) -> str:
        """Everything as JSON, information sets by player."""
        content: dict[str, Any] = {
            "game": self.definition, "algorithm": self.origin.algorithm, "parameters": self.origin.parameters,
            "seed": self.origin.seed, "iterations": self.origin.iterations,
            "strategy": [
                {"player": player, "information_set": name, "actions": {label: p for _, label, p in actions}}
                for player, name, actions in self.rows()
            ],
        }  # fmt: skip
        return json.dumps(content, indent=1)

    def to_csv(self) -> str:
        """One line an action."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["player", "information_set", "action", "name", "probability"])
        for player, name, actions in self.rows():
            writer.writerows([player, name, action, label, repr(chance)] for action, label, chance in actions)
        return out.getvalue()


@dataclass(frozen=True)
class Difference:
    """An information set that two strategies of one game play differently."""

    player: int
    name: str
    total_variation: float  # half the sum of the differences of probabilities
    first: dict[str, float]
    second: dict[str, float]


def differences(first: Strategy, second: Strategy) -> list[Difference]:
    """Where two strategies of one game differ, the largest difference first; sets that only one knows are left out."""
    if difference := first_difference(first.definition, second.definition):
        raise ValueError(f"the strategies are for different games: {difference}")
    found = []
    for player, name, actions in first.rows():
        other = second.at(player, name)
        if not other:
            continue
        distance = sum(abs(chance - other.get(action, 0.0)) for action, _, chance in actions) / 2
        labels = {action: label for action, label, _ in actions}
        mine = {label: chance for _, label, chance in actions}
        theirs = {labels.get(action, str(action)): chance for action, chance in other.items()}
        found.append(Difference(player, name, distance, mine, theirs))
    return sorted(found, key=lambda row: (-row.total_variation, row.player, row.name))

"""Monte Carlo CFR (Lanctot et al. 2009) that can be continued, saved, and spread over cores.

Work is cut into rounds. In a round a fixed number of logical streams each play some iterations from the same tables
with random numbers of their own. Then the strategies they averaged are added up, and so are their regrets, divided by
the number of streams: each stream has corrected the same old mistakes by itself, so the full sum would overshoot and
swing ever wider. The number of cores decides how many streams run at the same time and nothing else.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludus.cards.random import streams
from ludus.files import Arrays, check_array, overwrite
from ludus.games.base import Game
from ludus.parallel import in_blocks
from ludus.solvers.capabilities import SAMPLED, check_honours
from ludus.solvers.montecarlo.samplers import (
    AVERAGE,
    CHANCE_ONLY,
    DONE,
    EXTERNAL,
    GROW,
    OUTCOME,
    PAUSE,
    Rule,
    World,
    chance_walks,
    external,
    new_path,
    walk,
)
from ludus.solvers.passes import (
    Floats,
    by_action,
    by_situation,
    copy_player,
    normalised,
    plan,
    uniform_strategy,
)
from ludus.trees.flat import FlatGame, Growth

SAMPLINGS = dict(zip(SAMPLED, (EXTERNAL, OUTCOME, CHANCE_ONLY, AVERAGE), strict=True))
LONGEST, LONGEST_CHANCE = 1 << 14, 1 << 8  # iterations of one stream in one round: well under a second of work
SHORTEST = 1 << 5
SHARE = 8  # between these a round is one part in so many of what has been played before


@dataclass(frozen=True)
class Sampling:
    """What distinguishes one Monte Carlo run from another."""

    kind: str = "external"
    seed: int = 0
    streams: int = 4
    epsilon: float = 0.6  # outcome: share of exploration; average-strategy sampling: smallest probability
    beta: float = 1e6  # average-strategy sampling, as in Gibson et al. (2012)
    tau: float = 1e3
    baseline: float = 0.0  # step of the moving averages that serve as baselines, 0 for none (VR-MCCFR)
    averaging_from: int = 1
    power: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in SAMPLINGS:
            raise ValueError(f"sampling is one of {', '.join(SAMPLINGS)}, got {self.kind!r}")
        if not 1 <= self.streams <= 64:
            raise ValueError(f"there are 1 to 64 streams, got {self.streams}")
        if not 0 < self.epsilon <= 1:
            raise ValueError(f"epsilon is above 0 and at most 1, got {self.epsilon}")
        if not (self.beta > 0 and self.tau >= 0):
            raise ValueError(f"beta is above 0 and tau not below, got {self.beta} and {self.tau}")
        if not 0 <= self.baseline <= 1:
            raise ValueError(f"the step of baselines is between 0 and 1, got {self.baseline}")

    @property
    def rule(self) -> Rule:
        """As the kernels want it."""
        return Rule(
            SAMPLINGS[self.kind], self.epsilon, self.beta, self.tau, self.averaging_from, self.power, self.baseline
        )


class MonteCarlo:
    """Sampling on a whole tree, ``workers`` streams at a time. Tables are by_situation until they are handed out.

    ``total`` is where the run is to end, 0 if that is not known. It may cut the last round short, so a run that goes on
    beyond its planned end is as good as a longer one, but not the same to the last byte. ``fixed`` maps a player to the
    strategy (by_action) that they keep.
    """

    def __init__(
        self, flat: FlatGame, sampling: Sampling, total: int = 0, workers: int = 1,
        fixed: dict[int, Floats] | None = None,
    ) -> None:  # fmt: skip
        check_honours("sampling", frontier=flat.frontier, constraints=flat.leaving)
        self.flat, self.sampling, self.total, self.workers = flat, sampling, total, workers
        self.plan = plan(flat)
        self.iterations = 0
        self.regrets, self.sums = np.zeros(flat.entries), np.zeros(flat.entries)
        self.baselines = np.zeros((flat.players, flat.entries if sampling.baseline else 1))
        self.random = streams(sampling.seed, sampling.streams)
        self.fixed = fixed or {}
        kept = np.array([player in self.fixed for player in range(flat.players)])
        self._world = World(flat.nodes, flat.payoffs, flat.deals.situation, flat.deals.outcome, kept)
        for player, strategy in self.fixed.items():  # regret matching on probabilities plays exactly them
            copy_player(self.plan, player, by_situation(self.plan, strategy), self.regrets)
        tables = self.regrets, self.sums, self.baselines
        self._buffers = [tuple(map(np.zeros_like, tables)) for _ in range(sampling.streams)]
        shape = flat.players, _deepest(flat.nodes) + 2, int(flat.groups["actions"].max())
        self._paths = [new_path(*shape) for _ in range(sampling.streams)]
        self._fast = sampling.kind == "external" and flat.players == 2 and not sampling.baseline

    def warm_up(self) -> None:
        """Compile without playing."""
        self._changes((0, 1, 0))

    def advance(self, goal: int) -> None:
        """Play one round, less where the run ends; the goal may be passed by, or need more rounds.

        Only the end of the run may cut a round, or stopping and going on would change the result; but a single stream
        can be cut anywhere.
        """
        count, longest = self.sampling.streams, LONGEST_CHANCE if self.sampling.kind == "chance" else LONGEST
        each = longest if count == 1 else max(SHORTEST, min(longest, self.iterations // (SHARE * count)))
        end = goal if count == 1 else self.total or self.iterations + each * count
        self.run(min(each * count, end - self.iterations))

    def run(self, iterations: int) -> None:
        """Play so many iterations as one round."""
        count = self.sampling.streams
        sizes = [iterations // count + (stream < iterations % count) for stream in range(count)]
        firsts = np.cumsum([self.iterations + 1, *sizes])
        if count == 1:
            self._play(0, int(firsts[0]), iterations, self.regrets, self.sums, self.baselines)
        else:
            blocks = [(stream, int(firsts[stream]), size) for stream, size in enumerate(sizes) if size]
            for regrets, sums, baselines in in_blocks(self._changes, blocks, self.workers, None):
                self.regrets += regrets / len(blocks)
                self.sums += sums
                self.baselines += baselines / len(blocks)
        self.iterations += iterations

    def _changes(self, block: tuple[int, int, int]) -> tuple[Floats, ...]:
        """What one stream's iterations change in the tables."""
        tables, mine = (self.regrets, self.sums, self.baselines), self._buffers[block[0]]
        for table, copy in zip(tables, mine, strict=True):
            copy[...] = table
        self._play(*block, *mine)
        for table, copy in zip(tables, mine, strict=True):
            copy -= table
        return mine

    def _play(self, stream: int, first: int, size: int, regrets: Floats, sums: Floats, baselines: Floats) -> None:
        path, rule = self._paths[stream], self.sampling.rule
        if self._fast:
            external(
                self._world, rule.averaging_from, rule.power, first, size, self.random[stream], regrets, sums, path
            )
            return
        path.cursor[:] = (-1, 0, 0, first, 0)
        path.random[:] = self.random[stream]
        last = first + size - 1
        if self.sampling.kind == "chance":
            code = chance_walks(self._world, rule, last, path, regrets, sums, baselines)
        else:
            code = walk(self._world, rule, last, path, regrets, regrets, sums, baselines)
        assert code == DONE
        self.random[stream] = path.random

    def average(self) -> Floats:
        """The average strategy (by_action); the current one where nothing has been averaged yet."""
        current = normalised(self.plan, by_action(self.plan, np.maximum(self.regrets, 0)), uniform_strategy(self.plan))
        average = normalised(self.plan, by_action(self.plan, self.sums), current)
        for player, strategy in self.fixed.items():
            copy_player(self.plan, player, strategy, average)
        return average

    def state(self) -> Arrays:
        """Everything needed to go on later."""
        return {"regrets": self.regrets, "sums": self.sums, "baselines": self.baselines, "random": self.random}

    def restore(self, iterations: int, arrays: Arrays) -> None:
        """Go on from a saved state."""
        self.iterations = iterations
        overwrite(self.state(), arrays)


class GrowingMonteCarlo:
    """Sampling of a game that does not fit: a trie of the histories played so far, one node for each.

    It is the history form, grown where the walks go; information sets get their numbers when they are met first.
    """

    def __init__(self, game: Game, sampling: Sampling) -> None:
        self.game, self.sampling = game, sampling
        self.growth = Growth(game, public=False)
        self.iterations = 0
        self.regrets, self.sums = np.zeros(1024), np.zeros(1024)
        self.baselines = np.zeros((game.players, 1024 if sampling.baseline else 1))
        self._policy = self.regrets  # chance sampling: as the regrets were when the walk began
        self.path = new_path(game.players, 32, 8)
        self.path.cursor[:] = (-1, 0, 0, 1, 0)
        self.path.random[:] = streams(sampling.seed, 1)[0]

    def warm_up(self) -> None:
        """Compile without playing."""
        self.run(0)

    def advance(self, goal: int) -> None:
        """Play towards the goal for a moment; an iteration may be left half done, to be gone on with."""
        self.run(goal - self.iterations, seconds=0.2)

    def run(self, iterations: int, seconds: float = float("inf")) -> None:
        """Play so many iterations, looking at new histories on the way, or stop at such a one when time is up."""
        grow, goal, end = self.growth, self.iterations + iterations, time.perf_counter() + seconds
        fixed = np.zeros(self.game.players, np.bool_)
        code = PAUSE
        while code != DONE and time.perf_counter() < end:
            world = World(grow.nodes, grow.payoffs, grow.deals.situation, grow.deals.outcome, fixed)
            policy = self._policy if self.sampling.kind == "chance" else self.regrets
            code = walk(world, self.sampling.rule, goal, self.path, policy, self.regrets, self.sums, self.baselines)
            self.iterations = int(self.path.cursor[3]) - 1
            if code == PAUSE:
                self._policy = self.regrets.copy()
            elif code == GROW:
                self._make_room(int(grow.nodes["count"][self.path.cursor[0]]))
            elif code != DONE:
                grow.expand(int(code))
                self._make_entries(grow.entries)

    def finish_iteration(self) -> None:
        """Go on until no walk is half done, as a saved state must be."""
        if self.path.cursor[0] >= 0 or self.path.cursor[2] > 0:
            self.run(1)

    def _make_entries(self, entries: int) -> None:
        """Longer tables with the same content."""
        room = max(len(self.regrets), entries) if entries > len(self.regrets) else 0
        if room:
            self.regrets, self.sums = (np.concatenate([table, np.zeros(room)]) for table in (self.regrets, self.sums))
            self._policy = np.concatenate([self._policy, np.zeros(len(self.regrets) - len(self._policy))])
            if self.sampling.baseline:
                columns = np.zeros((self.game.players, len(self.regrets) - self.baselines.shape[1]))
                self.baselines = np.concatenate([self.baselines, columns], axis=1)

    def _make_room(self, actions: int) -> None:
        """A longer and wider path with the same content."""
        old = self.path
        self.path = new_path(self.game.players, 2 * len(old.own), max(actions, old.sigma.shape[1]))
        for new, before in zip(self.path, old, strict=True):
            new[tuple(slice(size) for size in before.shape)] = before

    def flat(self) -> FlatGame:
        """The part of the game met so far."""
        return self.growth.finish()

    def average(self) -> Floats:
        """The average strategy (by_action) of ``flat()``; the current one where nothing has been averaged yet."""
        ready, size = plan(self.flat()), self.growth.entries
        current = normalised(ready, np.maximum(self.regrets[:size], 0), uniform_strategy(ready))
        return normalised(ready, self.sums[:size], current)

    def state(self) -> Arrays:
        """Everything needed to go on later; the trie is grown again, its information sets keep their numbers."""
        self.finish_iteration()
        grow = self.growth
        size = grow.entries
        labels = ["\t".join(names) for names in grow.labels]
        return {
            "regrets": self.regrets[:size], "sums": self.sums[:size], "baselines": self.baselines[:, :size],
            "random": self.path.random, "players": np.array([row[1] for row in grow.group_rows], np.int8),
            "counts": np.array([row[2] for row in grow.group_rows], np.int64),
            "actions": np.array([action for actions in grow.actions for action in actions], np.int64),
            "names": np.frombuffer("\n".join(grow.names).encode(), np.uint8),
            "labels": np.frombuffer("\n".join(labels).encode(), np.uint8),
        }  # fmt: skip

    def restore(self, iterations: int, arrays: Arrays) -> None:
        """Go on from a saved state; ValueError when its parts do not fit together."""
        names, labels = (arrays[name].tobytes().decode().split("\n") for name in ("names", "labels"))
        counts, players = arrays["counts"], arrays["players"]
        size, own = len(arrays["actions"]), self.game.players
        columns = size if self.sampling.baseline else 1
        for name, kind, shape in (
            ("regrets", "float64", (size,)), ("sums", "float64", (size,)), ("actions", "int64", (size,)),
            ("baselines", "float64", (own, columns)), ("random", "uint64", (2,)),
            ("players", "int8", (len(names),)), ("counts", "int64", (len(names),)),
        ):  # fmt: skip
            check_array(name, arrays[name], kind, shape)
        if counts.min() < 1 or counts.max() > size or counts.sum() != size or players.min() < 0 or players.max() >= own:
            raise ValueError("every information set has a player and actions of its own")
        if len(set(zip(players.tolist(), names, strict=True))) != len(names):
            raise ValueError("every information set has a name of its own")
        rows = zip(players.tolist(), names, np.split(arrays["actions"], np.cumsum(counts)[:-1]), labels, strict=True)
        for player, name, actions, text in rows:
            words = tuple(text.split("\t"))
            if len(words) != len(actions):
                raise ValueError(f"the actions of information set {name!r} have other words")
            self.growth.add_group(player, name, tuple(actions.tolist()), words)
        self.regrets, self.sums, self.baselines = (arrays[name].copy() for name in ("regrets", "sums", "baselines"))
        self._policy = self.regrets.copy()
        self.path.random[:] = arrays["random"]
        self.iterations = iterations
        self.path.cursor[3] = iterations + 1


def _deepest(nodes: NDArray[np.void]) -> int:
    """The largest number of decisions on a way through the tree."""
    depth = np.zeros(len(nodes), np.int64)
    for node in np.flatnonzero(nodes["count"] > 0).tolist():
        first, count = nodes["first"][node], nodes["count"][node]
        depth[first : first + count] = depth[node] + (nodes["player"][node] >= 0)
    return int(depth.max())

"""Round robin: everybody meets everybody, and the ranking says how certain it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.agents.base import learns
from ludus.arena.entrants import make_player
from ludus.arena.interval import Interval
from ludus.arena.match import Keeping, ended_by_sigterm, spread
from ludus.arena.plan import MatchPlan, short_names
from ludus.arena.statistics import Statistics
from ludus.parallel import HERE, Engine
from ludus.protocols.programs import put_away

DRAWS = 10_000  # of possible results, for the probabilities of each place
Pair = tuple[int, int]


@dataclass(frozen=True)
class Standing:
    """A player's place. Results are in mbb per hand, the mean over all opponents."""

    player: int
    result: Interval
    places: tuple[int, int]  # the best and the worst that 95 % of results like these would give
    first: float  # probability of being the best


@dataclass(frozen=True, eq=False)
class Tournament:
    """Results of all pairs, [players, players] in mbb per hand from the row's view: mean and standard error."""

    names: tuple[str, ...]
    mean: NDArray[np.float64]
    error: NDArray[np.float64]
    hands: int  # of all matches together
    seed: int
    complete: bool
    units: int  # of the match that has the fewest

    def ranking(self) -> list[Standing]:
        """From the best to the worst, with places as certain as results drawn around the means say."""
        players = len(self.names)
        others = ~np.eye(players, dtype=bool)
        freedom = max(self.units - 1, 1)
        draws = np.random.default_rng(self.seed).standard_t(freedom, (DRAWS, players, players))
        if self.symmetric:  # one match gives both
            draws = np.triu(draws, 1) - np.swapaxes(np.triu(draws, 1), 1, 2)
        noisy = np.where(others, self.mean + draws * np.nan_to_num(self.error), 0.0).sum(axis=2) / (players - 1)
        noisy += 1e-9 * draws[:, :, 0]  # equal players share the places
        place = (-noisy).argsort(axis=1).argsort(axis=1) + 1
        standings = []
        for player in range(players):
            mean = float(self.mean[player][others[player]].mean())
            error = float(np.sqrt((self.error[player][others[player]] ** 2).sum())) / (players - 1)
            best, worst = np.quantile(place[:, player], (0.025, 0.975), method="nearest")
            result = Interval(self.units, mean, error * self.units**0.5)
            first = float((place[:, player] == 1).mean())
            standings.append(Standing(player, result, (int(best), int(worst)), first))
        return sorted(standings, key=lambda standing: -standing.result.mean)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it: the cross table and the ranking, in mbb a hand."""
        names, root = self.names, self.units**0.5
        return {
            "seed": self.seed, "hands": self.hands, "units": self.units,
            "cross_table": {
                name: {
                    other: Interval(self.units, float(self.mean[a, b]), root * float(self.error[a, b])).as_dict()
                    for b, other in enumerate(names) if a != b
                }
                for a, name in enumerate(names)
            },
            "ranking": [
                {
                    "name": names[standing.player], "mbb_per_game": found["mean"], "ci95": found["ci95"],
                    "too_few": found["too_few"], "places": list(standing.places), "chance_of_first": standing.first,
                }
                for standing in self.ranking()
                for found in [standing.result.as_dict()]
            ],
        }  # fmt: skip

    @property
    def symmetric(self) -> bool:
        """Whether one match gives both players' results, as heads-up."""
        return bool(np.allclose(self.mean, -self.mean.T, equal_nan=True))


def play_tournament(
    players: Sequence[str],
    plan: MatchPlan,
    engine: Engine = HERE,
    out: Path | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Tournament:
    """Every pair plays the match of a plan, whose own players do not matter, with its own cards.

    At tables of more than two, one player of a pair sits against the other in all other seats, and then the other way
    round. With a folder each match keeps its log there, and a tournament resumes from them.
    """
    names = short_names(players)
    if len(names) < 2:
        raise ValueError("a tournament needs at least two players")
    learners = set[str]()
    for spec in players:  # a bad one is refused before the first hand
        player = make_player(spec, plan)
        learners |= {spec} if learns(player) else set()
        put_away([player])
    heads_up = plan.game.players == 2
    mean, error = np.zeros((2, len(names), len(names)))
    pairs = [(a, b) for a in range(len(names)) for b in range(len(names)) if (a < b if heads_up else a != b)]
    jobs = [(_pairing(plan, players, pair), _folder(out, names, pair)) for pair in pairs]
    done, hands, units = 0, 0, []
    whole = [not learners.isdisjoint(job.players) for job, _ in jobs]
    for pair, result, played in _results(pairs, jobs, whole, engine):
        mean[pair], error[pair] = result.mean, result.error
        if heads_up:
            mean[pair[::-1]], error[pair[::-1]] = -result.mean, result.error
        units.append(result.units)
        done, hands = done + 1, hands + played
        if progress is not None:
            progress(done, len(pairs))
    return Tournament(names, mean, error, hands, plan.seed, done == len(pairs), min(units, default=0))


def _pairing(plan: MatchPlan, players: Sequence[str], pair: Pair) -> MatchPlan:
    seed = int(np.random.SeedSequence((plan.seed, *pair)).generate_state(1, np.uint64)[0])
    seats = (players[pair[0]], *[players[pair[1]]] * (plan.game.players - 1))
    return replace(plan, players=seats, seed=seed)


def _folder(out: Path | None, names: Sequence[str], pair: Pair) -> Path | None:
    return None if out is None else out / f"{pair[0] + 1}-{pair[1] + 1}-{names[pair[0]]}-{names[pair[1]]}"


def _results(
    pairs: Sequence[Pair], jobs: Sequence[tuple[MatchPlan, Path | None]], whole: Sequence[bool], engine: Engine
) -> Iterator[tuple[Pair, Interval, int]]:
    """The results of the pairs in their order; fewer when interrupted."""
    kept: dict[int, Keeping] = {}

    def first_of(match: int) -> int:
        kept[match] = Keeping(*jobs[match])
        return kept[match].units

    def finished(match: int) -> tuple[Pair, Interval, int]:
        kept[match].close()
        found = Statistics((kept.pop(match).result(True).log,))
        return pairs[match], found.result(0), len(found.hands)

    done = 0
    try:
        with ended_by_sigterm(), closing(spread([plan for plan, _ in jobs], first_of, engine, whole)) as blocks:
            for match, (units, times) in blocks:
                while done < match:
                    yield finished(done)
                    done += 1
                kept[match].append((units[kept[match].units if whole[match] else 0 :], times))
        while done < len(pairs):
            yield finished(done)
            done += 1
    except KeyboardInterrupt:
        return
    finally:
        for unfinished in kept.values():
            unfinished.close()

"""Trained strategies against continual re-solving in no-limit Leduc (Joppi Filho and Wensing 2023, tables 8 to 12).

The source played DeepStack-Leduc; here it is our own re-solver of the same kind. Because it always plays the same in
the same public history, its whole strategy can be read off once; playing that table is playing the re-solver.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from ludus import agents, games
from ludus.arena.match import play_match
from ludus.arena.plan import MatchPlan
from ludus.arena.statistics import Statistics
from ludus.arena.whole_strategy import whole_strategy
from ludus.experiments.plots import gain_plot
from ludus.experiments.report import Report, Stopped, folder
from ludus.experiments.reproduce import leduc_deepstack_tables as tables
from ludus.experiments.reproduce.leduc_deepstack_tables import MBB, RESOLVER, SOURCE
from ludus.experiments.reproduce.leduc_no_limit import NAME as TRAINING
from ludus.experiments.reproduce.leduc_no_limit import LeducTraining
from ludus.files import write_csv
from ludus.parallel import Stages
from ludus.solvers import Strategy
from ludus.solvers.beliefs import RangeStrategist
from ludus.solvers.measure import expected_values, measure
from ludus.trees import flatten
from ludus.trees.flat import FlatGame

NAME = "leduc-deepstack"
ALL, OWN = "all", "pot,allin"  # the bets of the matches, and of the re-solver's look-ahead
FIGURES = {"4M": 13, "20M": 14, "100M": 15}  # of the source; the last, 16, has them all


def leduc_deepstack(
    stops: Sequence[int], pairs: int, agent: str, seed: int, out: Path | None, progress: Stages
) -> Report:
    """Strategies trained to each of the stops, and a re-solver itself, against the re-solver: in play, and exactly.

    Strategies are trained as `leduc_no_limit` trains them, by default in its folder, so that both go on from each
    other. Stopped, it goes on from there when it is run again.
    """
    place = folder(out, NAME)
    resolver = ReadOff(agent, place)
    files = {RESOLVER: resolver.file(ALL, progress)}
    own = MBB * measure(Strategy.load(resolver.file(OWN, progress)))[0].exploitability
    files |= _train(stops, seed, (place.parent if out is None else place) / TRAINING, progress)
    result = {"agent": agent} | _play_all(files, pairs, seed, resolver.place, progress)
    result["resolver_exploitability_mbb"] = {OWN: own, ALL: result["exploitability_mbb"][RESOLVER]}
    return _report(result, place)


class ReadOff:
    """The whole strategies of an agent in a folder of its own, read off where they are missing.

    The folder's name tells apart what plays differently at the beginning of a hand: another network, other iterations.
    """

    def __init__(self, spec: str, place: Path) -> None:
        game = games.leduc_nl(OWN)
        self.spec, self.agent = spec, agents.make(spec, game)
        known = hashlib.sha256(spec.encode())
        if isinstance(self.agent, RangeStrategist):
            known.update(self.agent.range_strategy(game.start().deal(game.deck).seen_by(-1)).chances.tobytes())
        self.place = place / f"{RESOLVER}-{known.hexdigest()[:12]}"
        self.place.mkdir(parents=True, exist_ok=True)

    def file(self, bets: str, progress: Stages) -> Path:
        """The file of its strategy in no-limit Leduc with some bets."""
        path, game = self.place / f"{RESOLVER}-{bets.replace(',', '-')}.safetensors", games.leduc_nl(bets)
        if not path.exists():
            try:
                found = whole_strategy(
                    agents.make(self.spec, game), game, self.spec,
                    lambda done, total: progress(f"{self.spec}, bets: {bets}", done, total, "decisions"),
                )  # fmt: skip
            except KeyboardInterrupt:
                raise Stopped(f"{self.spec} is not read off; the same command begins that again") from None
            found.save(path)
        return path


def _train(stops: Sequence[int], seed: int, place: Path, progress: Stages) -> dict[str, Path]:
    """The files of the strategies by their names, trained where they are missing."""
    place.mkdir(parents=True, exist_ok=True)
    run = LeducTraining(games.leduc_nl(ALL), seed, place)
    for stop in stops:
        if run.to(stop, lambda done: progress("training", done, stops[-1], "iterations")) is None:
            raise Stopped(f"{run.done:,} iterations are saved in {place}; the same command goes on from there")
    return {_label(stop): run.strategy_path(stop) for stop in stops}


def _label(stop: int) -> str:
    """A short number of iterations.

    >>> _label(4_000_000), _label(2500)
    ('4M', '2500')
    """
    return f"{stop // 10**6}M" if stop % 10**6 == 0 else f"{stop}"


def _play_all(files: dict[str, Path], pairs: int, seed: int, place: Path, progress: Stages) -> dict[str, Any]:
    """Everybody against the re-solver, which plays itself too: in play, and exactly; the others also each other."""
    known = {name: Strategy.load(path) for name, path in files.items()}
    flat = flatten(games.leduc_nl(ALL))
    quality = measure(*known.values(), flat=flat)
    others = [name for name in files if name != RESOLVER]
    matches = []
    for done, name in enumerate((*others, RESOLVER)):
        progress("matches", done, len(files))
        specs = (f"strategy:{files[name]}", f"strategy:{files[RESOLVER]}")
        match = _play(specs, pairs, seed, place / f"{name}-{seed}")
        matches.append({"players": [name, RESOLVER], "exact_mbb": _exact(known[name], known[RESOLVER], flat)} | match)
    return {
        "experiment": NAME, "pairs": pairs, "seed": seed,
        "exploitability_mbb": dict(zip(files, (MBB * found.exploitability for found in quality), strict=True)),
        "matches": matches,
        "each_other_exact_mbb": {
            f"{one} v {other}": _exact(known[one], known[other], flat) for one, other in combinations(others, 2)
        },
        "source": SOURCE,
    }  # fmt: skip


def _play(specs: tuple[str, str], pairs: int, seed: int, where: Path) -> dict[str, Any]:
    plan = MatchPlan(games.leduc_nl(ALL), specs, 2 * pairs, duplicate=True, seed=seed, aivat="solved")
    result = play_match(plan, where)
    if not result.complete:
        raise Stopped(f"the match in {where} goes on when the same command is given again")
    whole = Statistics((result.log,))
    halves = Halves.of(whole)
    return {
        "log": str(where), "seconds": result.seconds, "mbb_per_game": whole.result(0).as_dict(),
        "aivat": whole.figures(0)["aivat"],
        "first_half": halves.first.figures(0), "mirror": halves.mirror.figures(1),
        "gains": (halves.first.won[0], halves.mirror.won[1]),
    }  # fmt: skip


@dataclass(frozen=True)
class Halves:
    """A match of deals that were played from both seats, as two matches: one with the cards of the other swapped.

    The first player sits in the first seat in every other hand of the first half, as at an ACPC dealer's table.
    """

    first: Statistics
    mirror: Statistics

    @classmethod
    def of(cls, match: Statistics) -> Halves:
        """The halves of a match of two players in one log."""
        (log,) = match.logs
        header = log.header | {"duplicate": False}
        first, mirror = (
            Statistics((replace(log, header=header, hands=hands),))
            for hands in (
                tuple(unit[(at + swapped) % 2] for at, unit in enumerate(match.units)) for swapped in range(2)
            )
        )
        return cls(first, mirror)


def _exact(first: Strategy, second: Strategy, flat: FlatGame) -> float:
    """What the first wins a game over both seats, in mbb."""
    return MBB * (expected_values(first, second, flat=flat)[0] - expected_values(second, first, flat=flat)[0]) / 2


def _report(result: dict[str, Any], place: Path) -> Report:
    gains = {match["players"][0]: match.pop("gains") for match in result["matches"]}
    header, rows = tables.table(result)
    files = {"csv": place / f"{NAME}.csv"} | _plots(gains, result["seed"], place)
    write_csv(files["csv"], header, rows)
    result["files"] = {name: str(path) for name, path in files.items()}
    deals = f"{result['pairs']:,} deals from both seats"
    title = f"{NAME}: no-limit Leduc against the {RESOLVER}, {deals}, seed {result['seed']}"
    return Report(title, result, header, rows, tables.notes(result))


def _plots(gains: dict[str, Any], seed: int, place: Path) -> dict[str, Path]:
    """What was won in all: each strategy beside its mirror, and all of them together."""
    pictures = {
        name: {f"{name} against the {RESOLVER}": first, f"the {RESOLVER} with the same cards": mirror}
        for name, (first, mirror) in gains.items()
        if name != RESOLVER
    }
    pictures[ALL] = {f"{name} against the {RESOLVER}": first for name, (first, _) in gains.items()}
    files = {}
    for name, series in pictures.items():
        number = FIGURES.get(name, 16 if name == ALL else None)
        title = f"No-limit Leduc, bets of all multiples of 100, seed {seed}"
        like = "" if number is None else f" (as figure {number} of the source)"
        path = files[f"plot {name}"] = place / f"{NAME}-{name}.png"
        gain_plot(path, series, title + like, "chips won in all (a big blind is 100)", "games, one seat of each deal")
    return files

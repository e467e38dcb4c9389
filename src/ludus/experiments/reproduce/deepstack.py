"""Continual re-solving in heads-up no-limit hold'em beside the DeepStack of Tuholukova (2020).

Blinds 50/100 and stacks of 20,000 in every hand, as there. The source played Slumbot on its own site; here the
re-solver plays our other agents and local best response, and a log of `ludus slumbot` stands beside its session.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ludus import agents
from ludus.arena.aivat.heuristics import default_heuristic
from ludus.arena.entrants import make_player
from ludus.arena.interval import Interval, running
from ludus.arena.lbr.menus import parse_menus
from ludus.arena.lbr.response import Floats
from ludus.arena.lbr.sampled import intervals, sampled_lbr
from ludus.arena.match import play_match
from ludus.arena.match_table import Times
from ludus.arena.plan import MatchPlan
from ludus.arena.slumbot_summary import BIG_BLIND, TUHOLUKOVA, summary
from ludus.arena.statistics import Statistics
from ludus.experiments.plots import running_plot
from ludus.experiments.report import Report, folder
from ludus.experiments.reproduce import deepstack_tables as tables
from ludus.files import write_atomically, write_csv
from ludus.games import PokerGame, holdem
from ludus.games.poker import STREETS
from ludus.parallel import Stages, open_engine, usable_cores
from ludus.protocols.programs import put_away
from ludus.protocols.slumbot.log import read_hands
from ludus.solvers.beliefs import RangeStrategist

NAME = "deepstack"
STACK, BLINDS = 20_000, (50, BIG_BLIND)
MBB, BB_100 = 1000 / BIG_BLIND, 100 / BIG_BLIND  # mbb a hand, and big blinds in 100 hands, of a chip a hand
SLUMBOT = "Slumbot"


def source_game() -> PokerGame:
    """Heads-up no-limit hold'em as the source plays it."""
    return holdem(stack=STACK, blinds=BLINDS)


@dataclass(frozen=True)
class DeepstackPlan:
    """Who plays whom how often; all of it can be played, or there is a ValueError."""

    agent: str
    opponents: tuple[str, ...]
    hands: int  # of each match, every deal from both seats
    lbr: tuple[str, ...]  # what local best response may do, as `ludus lbr --bets` has it
    lbr_hands: int
    seed: int

    def __post_init__(self) -> None:
        if min(self.hands, self.lbr_hands) < 2:
            raise ValueError(f"matches and LBR have 2 hands or more, got {min(self.hands, self.lbr_hands)}")
        for names in (self.opponents, self.lbr):
            if len(set(names)) < len(names):
                raise ValueError(f"each is played once, got {', '.join(names)}")
        game = source_game()
        if not isinstance(agents.make(self.agent, game), RangeStrategist):
            raise ValueError(
                f"AIVAT and LBR need an agent that says how it plays every hand, as resolver does, got {self.agent!r}"
            )
        for opponent in self.opponents:
            put_away([make_player(opponent, self.match(opponent))])
        for bets in self.lbr:
            parse_menus(bets, game)

    def match(self, opponent: str) -> MatchPlan:
        """The match against an opponent."""
        game = source_game()
        players = self.agent, opponent
        return MatchPlan(game, players, self.hands, duplicate=True, seed=self.seed, aivat=default_heuristic(game))

    def place(self, within: Path, against: str) -> Path:
        """Where what is played is kept: what differs in anything but how many hands has a place of its own."""
        words = (re.sub(r"[^\w.+-]+", "-", word)[:80] for word in (self.agent, "v", against, f"{self.seed}"))
        return within / "-".join(words)


@dataclass(frozen=True)
class Curves:
    """What was won against somebody as play went on: running means by what they are of, in big blinds in 100 hands."""

    against: str
    unit: int  # hands of a unit
    means: dict[str, list[Interval]]

    def points(self, which: str) -> list[tuple[float, float, float]]:
        """As plots take them."""
        return [(self.unit * each.units, each.mean, each.ci95) for each in self.means[which]]


def deepstack(plan: DeepstackPlan, slumbot: Path | None, workers: int, out: Path | None, progress: Stages) -> Report:
    """Matches, thinking times and local best response; ``slumbot`` is a log of `ludus slumbot`.

    Stopped, it shows what there is, and goes on from there when it is run again.
    """
    session = None if slumbot is None else _session(slumbot)
    place = folder(out, NAME)
    matches, times, curves, stopped = _play_all(plan, workers, place, progress)
    responses: list[dict[str, Any]] = []
    for bets in () if stopped else plan.lbr:
        found = _respond(plan, bets, workers, place, progress)
        responses += [found] if found["hands"] else []
        if found["hands"] < found["wanted"]:
            stopped = f"LBR with {bets}"
            break
    result = {
        "experiment": NAME, **asdict(plan), "stack": STACK, "blinds": BLINDS, "cores": usable_cores(),
        "workers": workers, "matches": matches, "slumbot": session and session[0], "thinking": _thinking(times),
        "local_best_response": responses, "source": tables.SOURCE,
    }  # fmt: skip
    files = _write(result, [*curves, *([] if session is None else [session[1]])], place)
    result["files"] = {name: str(path) for name, path in files.items()}
    title = f"{NAME}: {plan.agent}, blinds {BLINDS[0]}/{BLINDS[1]}, stacks {STACK:,}, duplicate, seed {plan.seed}"
    first, *more = tables.tables(title, result)
    stopped = stopped and f"{stopped} is not finished; the same command goes on from {place}"
    return Report(title, result, first.header, first.rows, tables.notes(result), stopped, more)


def _play_all(
    plan: DeepstackPlan, workers: int, place: Path, progress: Stages
) -> tuple[list[dict[str, Any]], Times, list[Curves], str]:
    """All matches until one is stopped, the agent's thinking in them, their curves, and which one was stopped."""
    matches, times, curves = list[dict[str, Any]](), Times(2), list[Curves]()
    for opponent in plan.opponents:
        where = plan.place(place, opponent)
        told = partial(progress, f"{plan.agent} against {opponent}")
        result = play_match(plan.match(opponent), where, open_engine(workers), progress=told)
        times.add(result.times)
        found = Statistics((result.log,))
        if found.units:
            matches.append({"opponent": opponent, "log": str(where), **_figures(found)})
            curves.append(_curves(opponent, found))
        if not result.complete:
            return matches, times, curves, f"the match against {opponent}"
    return matches, times, curves, ""


def _figures(found: Statistics) -> dict[str, Any]:
    raw, corrected = found.result(0), found.aivat(0)
    assert corrected is not None, "matches are planned with AIVAT"
    figures = found.figures(0)
    return {
        "hands": len(found.hands), "deals": len(found.units), "mbb_per_game": raw.as_dict(),
        "bb_per_100": raw.scaled(BB_100 / MBB).as_dict(), "aivat": figures["aivat"],
        "aivat_bb_per_100": corrected.scaled(BB_100 / MBB).as_dict(),
        "forfeits": {name: found.figures(player)["forfeits"] for player, name in enumerate(found.names)},
    }  # fmt: skip


def _curves(opponent: str, found: Statistics) -> Curves:
    assert found.corrected is not None
    by_deal = (found.per_unit(chips[0]) / found.sizes for chips in (found.won, found.corrected))
    return Curves(opponent, 2, dict(zip(("raw", "AIVAT"), (running(BB_100 * each) for each in by_deal), strict=True)))


def _session(log: Path) -> tuple[dict[str, Any], Curves]:
    """What was won from Slumbot in a log of ours."""
    header, hands = read_hands(log)
    told = summary(hands, f"{header.get('agent')}", f"{header.get('url')}", int(header.get("seed") or 0))
    if not told["hands"]:
        raise ValueError(f"{log} has no finished hand: play some with `ludus slumbot`")
    finished = [hand for hand in hands if hand.broken is None]
    chips = {
        "raw": [hand.winnings for hand in finished if hand.winnings is not None],
        "baseline": [hand.baseline for hand in finished if hand.baseline is not None],
    }
    means = {name: running(BB_100 * np.array(each, np.float64)) for name, each in chips.items()}
    return told, Curves(SLUMBOT, 1, means)


def _thinking(times: Times) -> dict[str, Any]:
    """The agent's mean seconds a decision by street."""
    spent, decisions = times.seconds[0], times.decisions[0]
    return {
        street: {
            "seconds": float(spent[at] / decisions[at]) if decisions[at] else None, "decisions": int(decisions[at]),
        }
        for at, street in enumerate(STREETS)
    }  # fmt: skip


def _respond(plan: DeepstackPlan, bets: str, workers: int, place: Path, progress: Stages) -> dict[str, Any]:
    """What local best response wins from the agent, as far as it was played."""
    game = source_game()
    path = Path(f"{plan.place(place, f'lbr-{bets}')}.json")
    said = {"agent": plan.agent, "bets": bets, "seed": plan.seed}
    pairs, wanted = _kept(path, said), -(-plan.lbr_hands // 2)
    told: Callable[[int, int], object] = partial(progress, f"LBR against {plan.agent}, {bets}")
    try:
        if len(pairs) < wanted:
            make, menus = partial(agents.make, plan.agent, game), parse_menus(bets, game)
            with closing(
                sampled_lbr(game, make, menus, plan.lbr_hands, plan.seed, open_engine(workers), len(pairs))
            ) as blocks:
                for block in blocks:
                    pairs = np.vstack([pairs, block])
                    write_atomically(path, json.dumps(said | {"chips": pairs.tolist()}).encode())
                    told(2 * len(pairs), 2 * wanted)
    except KeyboardInterrupt:
        pass
    pairs = pairs[:wanted]
    both = intervals(pairs)[0].scaled(MBB)
    return {"bets": bets, "hands": pairs.size, "wanted": 2 * wanted, "mbb_per_game": both.as_dict()}


def _kept(path: Path, said: dict[str, Any]) -> Floats:
    """What was won in pairs of hands that were played before, ``[pairs, 2 seats]``."""
    if not path.exists():
        return np.zeros((0, 2))
    try:
        data = json.loads(path.read_bytes())
        pairs = np.array(data.pop("chips"), np.float64)
        known = data == said and pairs.shape == (len(pairs), 2) and bool((np.abs(pairs) <= STACK).all())
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        known = False
    if not known:
        raise ValueError(f"{path} is not of this experiment: remove it, or choose another --out")
    return pairs


def _write(result: dict[str, Any], curves: Sequence[Curves], place: Path) -> dict[str, Path]:
    """The figures, the curves as one table, and a picture of each."""
    files = {"json": place / f"{NAME}.json", "curves": place / f"{NAME}-curves.csv"}
    write_atomically(files["json"], (json.dumps(result, indent=2) + "\n").encode())
    rows = [(each.against, which, *point) for each in curves for which in each.means for point in each.points(which)]
    write_csv(files["curves"], ("against", "figure", "hands", "bb_per_100", "ci95"), rows)
    for each in curves:
        series = {which: each.points(which) for which, means in each.means.items() if means}
        if not series:
            continue
        session = each.against == SLUMBOT
        who = result["slumbot"]["agent"] if session else result["agent"]
        marks = {f"{TUHOLUKOVA['source']}, {name}": TUHOLUKOVA[name]["bb_per_100"] for name in ("raw", "baseline")}
        slug = re.sub(r"[^\w.+-]+", "-", each.against)[:80]
        path = files[f"plot {each.against}"] = place / f"{NAME}-{slug}.png"
        few = " (too few)" * any(means[-1].too_few for means in each.means.values() if means)
        running_plot(
            path, series, f"{who} against {each.against}, blinds 50/100, stacks {STACK:,}",
            "won so far, big blinds in 100 hands", f"hands{few}", marks if session else {},
        )  # fmt: skip
    return files

"""How many of the standard plays the advice takes, and how many it grades as fine."""

from __future__ import annotations

import time
from typing import Any

from ludus.experiments.bench.rates import Tell
from ludus.parallel import usable_cores
from ludus.teach.advisor import AnyTableAdvisor
from ludus.teach.grading import in_blinds
from ludus.teach.standard_plays import PlayResult, judge, load_standard_plays


def bench_plays(seconds: float, tell: Tell) -> dict[str, Any]:
    """The usual advice, with this many seconds a decision, on all shipped plays; amounts in big blinds."""
    adviser, plays = AnyTableAdvisor(seconds=seconds), load_standard_plays()
    results, begun = [], time.perf_counter()
    for number, play in enumerate(plays, 1):
        tell(f"{play.name} ({number} of {len(plays)})")
        results.append(judge(play, adviser))
    return {
        "plays": len(plays),
        "advised": sum(result.advised for result in results),
        "graded": sum(result.graded for result in results),
        "failed": [result.play.name for result in results if not (result.advised and result.graded)],
        "details": [_details(result) for result in results],
        "seconds": seconds, "seconds_mean": (time.perf_counter() - begun) / len(plays), "cores": usable_cores(),
    }  # fmt: skip


def _details(result: PlayResult) -> dict[str, Any]:
    play, advice = result.play, result.advice
    unit = play.state.game.big_blind
    return {
        "name": play.name, "situation": play.situation, "accept": list(play.accept), "why": play.why,
        "advised": result.advised, "graded": result.graded, "refused": result.refused, "source": advice.source,
        "mix": {in_blinds(play.state, choice.action): choice.chance for choice in advice.choices},
        "values": {in_blinds(play.state, choice.action): choice.value.mean / unit for choice in advice.choices},
        "errors": {in_blinds(play.state, choice.action): choice.value.error / unit for choice in advice.choices},
        "grades": dict(zip((in_blinds(play.state, action) for action in play.student), result.grades, strict=True)),
    }  # fmt: skip

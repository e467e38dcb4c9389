"""Advice and reviews, in a worker process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from ludus.agents.opponents import Profile
from ludus.cards.ranges import CLASSES, Weights
from ludus.server.hands.histories import read_record
from ludus.server.work.jobs.memory import profiles
from ludus.server.work.wire import from_wire
from ludus.teach.advice import Advice
from ludus.teach.advisor import AnyTableAdvisor, Unsolved
from ludus.teach.explain import class_shares, facts, seen_cards
from ludus.teach.figures import Figures
from ludus.teach.grading import GradedDecision
from ludus.teach.known_opponents import against_them
from ludus.teach.reasons import reasons
from ludus.teach.review import review_hand, situation, tendency
from ludus.teach.situation import parse_situation

SECONDS = 1.0  # of thinking about a decision at the table
MET = 10  # hands with an opponent before anything is said about how they play


@cache
def _adviser(seconds: float, search: bool = True) -> AnyTableAdvisor:
    """Kept as long as the process lives: it loads blueprints. Card tables are built in another process."""
    return AnyTableAdvisor(seconds=seconds, search=search, build=False)


# Advice


def advise(
    state: dict[str, Any] | None = None,
    text: str = "",
    agents: Sequence[str] = (),
    earlier: Sequence[dict[str, Any]] = (),
    search: bool = True,
) -> dict[str, Any] | None:
    """Advice on a state as its player sees it, or a situation in words; None where it takes a ``search`` and may not.

    Where the agents in the seats have been met before it says how to play against them, too: ``earlier`` are the hands
    of `earlier_hands`. Nobody's cards in them are looked at.
    """
    try:
        advice = _adviser(SECONDS, search).advise(parse_situation(text) if state is None else from_wire(state))
    except Unsolved:
        return None
    return _advice_data(against_them(advice, _known(agents, earlier) if search else {}))


def _known(sitting: Sequence[str], earlier: Sequence[dict[str, Any]]) -> dict[int, Profile]:
    """By seat, what is known of those who were met often enough; an empty text is oneself, or a stranger."""
    found = profiles(earlier, {who for who in sitting if who})
    return {seat: found[who] for seat, who in enumerate(sitting) if who in found and found[who].hands >= MET}


def _advice_data(advice: Advice) -> dict[str, Any]:
    state = advice.state
    grids = {f"{each.seat}": _grid(each.range, seen_cards(advice)) for each in advice.opponents}
    assert advice.own_range is not None
    grids["own"] = _grid(advice.own_range, state.board)
    return {
        **facts(advice), "street": state.street, "line": state.betting(), "bets": list(state.bets),
        "grids": grids, "reasons": reasons(Figures.of(advice)),
    }  # fmt: skip


def _grid(weights: Weights, seen: Sequence[int]) -> dict[str, float]:
    """A range by its classes, those that are hardly in it left out."""
    shares = np.round(class_shares(weights, seen), 2)
    return {CLASSES[at]: float(shares[at]) for at in np.flatnonzero(shares)}


# Reviews


def review(
    record: str, seats: Sequence[int], seconds: float, steps: Sequence[int] | None = None,
    met: Mapping[str, dict[str, Any]] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The decisions of some seats in a kept hand, graded, and why some could not be; all, or those of some numbers.

    ``met`` has for seats who the others are to them, ``sitting``, and their ``earlier`` hands with these: advice then
    says how to play against them, too.
    """
    played = read_record(record)
    known = {int(seat): _known(each["sitting"], each["earlier"]) for seat, each in (met or {}).items()}
    rows: list[dict[str, Any]] = []

    def keep(decision: GradedDecision, advice: Advice) -> None:
        advice = against_them(advice, known.get(advice.seat, {}))
        rows.append(_decision_data(decision, _advice_data(advice), seconds))

    adviser = _adviser(seconds)
    done = review_hand(played.state, played.players, adviser, seats, played.number, steps=steps, keep=keep)
    return {"decisions": rows, "missing": [missing.why for missing in done.missing]}


def _decision_data(decision: GradedDecision, advice: dict[str, Any], seconds: float) -> dict[str, Any]:
    """A decision as a row of the database has it."""
    state = decision.state
    return {
        "step": decision.step, "seat": state.player, "street": state.street, "action": decision.action,
        "grade": decision.grade, "loss": decision.loss,
        "situation": f"{decision.street}, {situation(state)}", "tendency": tendency(decision) or "",
        "advice": {
            "name": state.action_name(decision.action), "difference": decision.difference,
            "error": decision.error, "thought": seconds, "advice": advice,
        },
    }  # fmt: skip

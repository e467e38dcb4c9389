"""Advice, reviews and files of hands, in a worker process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from ludus.agents.advice import Advice
from ludus.agents.advisor import AnyTable
from ludus.agents.explain import class_shares, facts, seen_cards
from ludus.agents.reasons import reasons
from ludus.agents.review import Decision, review_hand, situation, tendency
from ludus.agents.situation import parse_situation
from ludus.arena.log import LOGS
from ludus.cards.ranges import CLASSES, Weights
from ludus.games.poker import HIDDEN, PokerState
from ludus.protocols.histories import FORMATS, PlayedHand, read_all
from ludus.protocols.histories.text import printable
from ludus.server.histories import is_holdem, read_record, write_record
from ludus.server.jobs import Report
from ludus.server.jobs.luck import adjusted
from ludus.server.wire import from_wire

SECONDS = 1.0  # of thinking about a decision at the table
REVIEW_SECONDS = 0.5  # about one of a finished hand


@cache
def _adviser(seconds: float) -> AnyTable:
    """Kept as long as the process lives: it loads blueprints."""
    return AnyTable(seconds=seconds)


# Advice


def advise(arguments: dict[str, Any], report: Report) -> dict[str, Any]:
    """Advice on a state as its player sees it, or on a situation in words."""
    state = from_wire(arguments["state"]) if "state" in arguments else parse_situation(arguments["text"])
    adviser = _adviser(SECONDS)
    return _advice_data(adviser, adviser.advise(state))


def _advice_data(adviser: AnyTable, advice: Advice) -> dict[str, Any]:
    state = advice.state
    grids = {f"{each.seat}": _grid(each.range, seen_cards(advice)) for each in advice.opponents}
    grids["own"] = _grid(adviser.own_range(state), state.board)
    return {
        **facts(advice), "street": state.street, "line": state.betting(), "bets": list(state.bets),
        "grids": grids, "reasons": reasons(advice),
    }  # fmt: skip


def _grid(weights: Weights, seen: Sequence[int]) -> dict[str, float]:
    """A range by its classes, those that are hardly in it left out."""
    shares = np.round(class_shares(weights, seen), 2)
    return {CLASSES[at]: float(shares[at]) for at in np.flatnonzero(shares)}


# Reviews


class _Remembering:
    """An adviser that keeps what it said, by the observation it was asked about."""

    def __init__(self, adviser: AnyTable) -> None:
        self.adviser, self.said = adviser, dict[int, Advice]()

    def advise(self, observation: PokerState, also: Sequence[int] = ()) -> Advice:
        advice = self.adviser.advise(observation, also)
        self.said[id(observation)] = advice
        return advice

    def data(self, decision: Decision) -> dict[str, Any]:
        """A decision as a row of the database has it."""
        state, advice = decision.state, self.said[id(decision.state)]
        return {
            "step": decision.step, "seat": state.player, "street": state.street, "action": decision.action,
            "grade": decision.grade, "loss": decision.loss,
            "situation": f"{decision.street}, {situation(state)}", "tendency": tendency(decision) or "",
            "advice": {
                "name": state.action_name(decision.action), "difference": decision.difference,
                "error": decision.error, "advice": _advice_data(self.adviser, advice),
            },
        }  # fmt: skip


def review(arguments: dict[str, Any], report: Report) -> dict[str, Any]:
    """The decisions of some seats in a kept hand, graded, and why some could not be."""
    played = read_record(arguments["record"])
    adviser = _Remembering(_adviser(REVIEW_SECONDS))
    done = review_hand(played.state, played.players, adviser, arguments["seats"], played.number)
    return {
        "decisions": [adviser.data(decision) for decision in done.decisions],
        "missing": [missing.why for missing in done.missing],
    }


# Files


def read_hands(arguments: dict[str, Any], report: Report) -> dict[str, Any]:
    """The hands of a file: the records of those that can be kept, and what is wrong with the others.

    The hero is who was named, or else the player whose cards are known most often.
    """
    hands, problems = read_all(arguments["text"], (*FORMATS, LOGS))
    told = [{"hand": problem.where[:80], "why": problem.why[:300]} for problem in problems]
    able = []
    for number, hand in enumerate(hands[: arguments["most"]], 1):
        if why := _obstacle(hand):
            told.append({"hand": f"hand {number}", "why": why})
        else:
            able.append(replace(hand, players=tuple(map(printable, hand.players))))
    hero = arguments["hero"] or _hero(able)
    names = list(dict.fromkeys(name for hand in able for name in hand.players))
    if able and hero not in names:
        raise ValueError(f"{hero!r} does not play in these hands: there are {', '.join(names[:10])}")
    kept = [{"record": write_record(hand), "adjusted": adjusted(hand)} for hand in able]
    return {"hands": kept, "problems": told, "hero": hero, "players": names}


def _obstacle(hand: PlayedHand) -> str:
    """Why a hand cannot be kept, empty if it can."""
    game = hand.state.game
    if not is_holdem(game) or game.betting == "pot-limit":
        return f"only hold'em with no limit or fixed limits can be kept, not {game.name}"
    if sum(game.stacks) >= 2**31:
        return "it has more chips than can be counted here"
    return "" if hand.returns() is not None else "its result is not known, because cards were not shown"


def _hero(hands: Sequence[PlayedHand]) -> str:
    known: dict[str, int] = {}
    for hand in hands:
        for seat, name in enumerate(hand.players):
            known[name] = known.get(name, 0) + (HIDDEN not in hand.state.hole(seat))
    return max(known, key=lambda name: known[name], default="")

"""Questions from one's own mistakes: the same decision once more, with the answer that its review gave."""

from __future__ import annotations

from typing import Any

from ludus.games.record import retrace
from ludus.protocols.histories import read_phh
from ludus.protocols.histories.hand import without_gaps
from ludus.teach.drills import hands as dealing
from ludus.teach.drills.questions import Drawn, graded, unsolved
from ludus.teach.spots.places import rounded


def draw(record: str, step: int, advice: dict[str, Any]) -> Drawn:
    """The decision of a hand in PHH, by the number of its action, with the advice that was kept about it."""
    [played] = read_phh(record)
    deck = without_gaps(played.state.game, played.state.cards)
    decisions = list(retrace(played.state, deck))
    if not 0 <= step < len(decisions):
        raise ValueError(f"the hand has {len(decisions)} actions, there is no {step}")
    state, unit = decisions[step][0], played.state.game.big_blind
    choices: list[dict[str, Any]] = []
    for each in advice["choices"]:
        action = state.action(each["action"])
        choices.append(
            {
                "key": str(action), "kind": state.phrase(each["action"]).verb, "name": each["name"],
                "amount": action.amount or state.to_call() or None, "chance": each["chance"],
                "ev": each["value"] / unit, "error": each["error"] / unit,
            }
        )  # fmt: skip
    others = [each["place"] for each in advice["opponents"]]
    question = {
        "street": state.street, "board": dealing.names(state.board), "pot": state.pot, "to_call": state.to_call(),
        "needed": advice["needed"], "stack": state.stacks[state.player], "big_blind": unit,
        "hand": [advice["cards"][at : at + 2] for at in range(0, len(advice["cards"]), 2)], "place": advice["place"],
        "villain": others[0] if len(others) == 1 else None, "against": others, "position": None,
        "line": dealing.steps(state), "actions": unsolved(choices), "ranges": None, **dealing.seats(state.game),
    }  # fmt: skip
    accuracy = advice["accuracy"]
    solution = {
        "choices": graded(choices, 0.0, state.pot / unit), "equity": advice["equity"], "grid": None, "villain": None,
        "hands": None, "source": advice["source"], "percent": None if accuracy is None else 100 * accuracy,
        "iterations": None,
    }  # fmt: skip
    return {"question": rounded(question), "solution": rounded(solution)}

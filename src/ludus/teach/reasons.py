"""Why advice is what it is, as data: keys of texts and the numbers in them, so that it can be said in any language.

A value of a reason may be a reason itself: what an action is called within a sentence. Shares are 0 to 1, amounts are
big blinds, and a ``count`` chooses between singular and plural where the language has them: there a key has two texts,
``.one`` and ``.other``, in English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ludus.games.moves import CALL
from ludus.games.names import street_name
from ludus.games.poker import PokerState
from ludus.teach.advice import Advice, Choice

CLOSE = 0.05  # big blinds: a smaller difference is not worth a word
OFTEN = 0.1  # what is played at least this often is part of the mix
ANY_HAND = 0.95  # a share of all hands that is as good as all of them
CLOSE_POT = 0.01  # nor is a smaller part of the pot
Reason = dict[str, Any]
"""``{"key": ..., "values": {...}}``."""

_AGAINST = {
    "many.other": "{count} opponents at once",
    "any": "any hand that {place} may hold",
    "likely": "the {share} of hands that {place} is likely to hold",
    "waiting.one": "the {share} of hands that {place} is likely to hold, {count} more to act",
    "waiting.other": "the {share} of hands that {place} is likely to hold, {count} more to act",
}
_STANDING = {
    "have": "You have {equity}",
    "enough": "You need {odds} to call and have {equity}",
    "short": "You need {odds} to call and have only {equity}",
}
_ACTIONS = {
    "fold": ("folding", "folds"),
    "check": ("checking", "checks"),
    "call": ("calling", "calls"),
    "bet": ("betting {amount} bb", "bets {amount} bb"),
    "raise": ("raising to {amount} bb", "raises to {amount} bb"),
    "all-in": ("going all-in for {amount} bb", "goes all-in for {amount} bb"),
}
_THOUGH = "mix mostly {does}, though against these ranges {other} is worth {gain} bb more"
ENGLISH: Mapping[str, str] = {
    "advice.sentence": "{standing}; {verdict}.",
    **{
        f"advice.{standing}.{whom}": f"{begin} against {against}"
        for standing, begin in _STANDING.items()
        for whom, against in _AGAINST.items()
    },
    "advice.only": "{doing} is all that is possible",
    "advice.best": "{doing} is best, {other} costs {loss} bb",
    "advice.though.blueprint": f"the blueprint {_THOUGH}",
    "advice.though.solved": f"the solved {_THOUGH}",
    "advice.though.another": f"the {{source}} {_THOUGH}",
    "advice.mix": "{doing} and {other} are worth about the same, so mix them",
    "advice.usual": "{doing} is the usual play, {other} is worth about the same",
    **{f"advice.doing.{action}": doing for action, (doing, _) in _ACTIONS.items()},
    **{f"advice.does.{action}": does for action, (_, does) in _ACTIONS.items()},
    **{
        f"advice.outs.{street}.{number}": f"{{count}} {words} you ahead on the {street}."
        for street in ("flop", "turn", "river")
        for number, words in (("one", "card puts"), ("other", "cards put"))
    },
}
"""The texts in English by their keys; {names} stand for values."""

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_SHARES = ("equity", "odds", "share")
_DIFFERENCES = ("loss", "gain")


def reasons(advice: Advice) -> list[Reason]:
    """One or two sentences: what the hand has and needs, what is best, what the next best thing costs, and the outs."""
    found = [_reason("sentence", standing=_standing(advice), verdict=_verdict(advice))]
    if advice.outs:
        street = street_name(advice.state.game, advice.state.street + 1)
        found.append(_reason(f"outs.{street}", count=len(advice.outs)))
    return found


def in_english(found: Sequence[Reason], texts: Mapping[str, str] = ENGLISH) -> str:
    """The sentences of reasons.

    >>> in_english([{"key": "advice.outs.turn", "values": {"count": 9}}])
    '9 cards put you ahead on the turn.'
    """
    return " ".join(_said(reason, texts) for reason in found)


def _said(reason: Reason, texts: Mapping[str, str]) -> str:
    key, values = reason["key"], reason["values"]
    if "count" in values:
        key += ".one" if values["count"] == 1 else ".other"
    return _PLACEHOLDER.sub(lambda name: _shown(name[1], values[name[1]], texts), texts[key])


def _shown(name: str, value: Any, texts: Mapping[str, str]) -> str:
    if isinstance(value, dict):
        return _said(value, texts)
    if name in _SHARES:
        return f"{100 * value:.0f} %"
    if name in _DIFFERENCES:
        return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}" if value >= 0.95 else f"{value:.2f}"
    return value if isinstance(value, str) else f"{value:g}"


def _reason(key: str, **values: Any) -> Reason:
    return {"key": f"advice.{key}", "values": values}


def _standing(advice: Advice) -> Reason:
    others, equity = advice.opponents, advice.equity
    acted = [each for each in others if each.share <= ANY_HAND]
    one = others[0]
    if len(acted) == 1 < len(others):  # whoever may still come in holds any hand, and will mostly fold it
        [one] = acted
        equity = one.equity
        whom, values = "waiting", {"share": one.share, "place": one.place, "count": len(others) - 1}
    elif len(others) > 1:
        whom, values = "many", {"count": len(others)}
    elif one.share > ANY_HAND:
        whom, values = "any", {"place": one.place}
    else:
        whom, values = "likely", {"share": one.share, "place": one.place}
    if advice.defence is None:  # what the blinds ask for is no bet that a hand must be good enough for
        return _reason(f"have.{whom}", equity=equity, **values)
    standing = "enough" if equity >= advice.pot_odds else "short"
    return _reason(f"{standing}.{whom}", odds=advice.pot_odds, equity=equity, **values)


def _verdict(advice: Advice) -> Reason:
    """The usual action and what the best of the others costs; or, where it is better, what it gains."""
    state, unit = advice.state, advice.state.game.big_blind
    usual = max(advice.choices, key=lambda choice: choice.chance)
    others = [choice for choice in advice.choices if choice is not usual]
    doing = _action(state, usual, "doing")
    if not others:
        return _reason("only", doing=doing)
    second = max(others, key=lambda choice: choice.value.mean)
    other = _action(state, second, "doing")
    loss = (usual.value.mean - second.value.mean) / unit
    unsure = 2 * float(np.hypot(usual.value.error, second.value.error)) / unit
    close = max(CLOSE, CLOSE_POT * state.pot / unit, unsure)
    if loss > close:
        return _reason("best", doing=doing, other=other, loss=loss)
    if -loss > close:
        values = {"does": _action(state, usual, "does"), "other": other, "gain": -loss}
        known = f"advice.though.{advice.source}" in ENGLISH
        return _reason(f"though.{advice.source}", **values) if known else _reason(
            "though.another", source=advice.source, **values
        )  # fmt: skip
    return _reason("mix" if second.chance >= OFTEN else "usual", doing=doing, other=other)


def _action(state: PokerState, choice: Choice, form: str) -> Reason:
    """'calling', 'raising to 9 bb', 'going all-in'."""
    verb, chips = state.phrase(choice.action)
    if choice.action <= CALL or chips is None:
        return _reason(f"{form}.{verb}")
    return _reason(f"{form}.{verb}", amount=round(chips / state.game.big_blind, 2))

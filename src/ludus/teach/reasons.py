"""Why advice is what it is, as data: keys of texts and the numbers in them, so that it can be said in any language.

A value of a reason may be a reason itself: what an action is called within a sentence. Shares are 0 to 1, amounts are
big blinds, and a ``count`` chooses between singular and plural where the language has them: there a key has two texts,
``.one`` and ``.other``, in English, or ``.other`` alone where they are the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import hypot
from typing import Any

from ludus.games.moves import CALL
from ludus.teach.figures import ChoiceFigures, Figures, percent

CLOSE = 0.05  # big blinds: a smaller difference is not worth a word
MOSTLY = 2 / 3  # what is played less often is one part of a mix, and is called neither best nor usual
ANY_HAND = 0.95  # a share of all hands that is as good as all of them
CLOSE_POT = 0.01  # nor is a smaller part of the pot
Reason = dict[str, Any]
"""``{"key": ..., "values": {...}}``."""

_ONE = {
    "any": "any hand that {place} may hold",
    "likely": "the {share} of hands that {place} is likely to hold",
}
_SEVERAL = {
    "many.other": "{count} opponents at once",
    "waiting.other": "the {share} of hands that {place} is likely to hold, {count} more to act",
}
_STANDING = {
    "have": ("You have {equity} against", "", {**_ONE, **_SEVERAL}),
    "need": ("You need {odds} to call and have {equity} against", "", _ONE),
    "short": ("You need {odds} to call and have only {equity} against", "", _ONE),
    "priced": ("You have {equity} against", ", at pot odds of {odds}", _SEVERAL),
}
_DOING = {
    "fold": "folding",
    "check": "checking",
    "call": "calling",
    "bet": "betting {amount} bb",
    "raise": "raising to {amount} bb",
    "all-in": "going all-in for {amount} bb",
}
ENGLISH: Mapping[str, str] = {
    "advice.sentence": "{standing}; {verdict}.",
    **{
        f"advice.{standing}.{whom}": f"{begin} {against}{end}"
        for standing, (begin, end, opponents) in _STANDING.items()
        for whom, against in opponents.items()
    },
    "advice.only": "{doing} is all that is possible",
    "advice.best": "{doing} is best, {other} costs {loss} bb",
    "advice.though": "{doing} is played {often} of the time, though {other} is worth {gain} bb more",
    "advice.mix": "{doing} ({often}) and {other} ({other_often}) are worth about the same, so mix them",
    "advice.uneven": "mix {doing} ({often}) and {other} ({other_often}), "
    "though {better} is worth {gain} bb more than {worse}",
    "advice.usual": "{doing} is the usual play, {other} is worth about the same",
    "advice.unsure": "{doing} is the usual play, {other} seems to cost {loss} bb, which is not certain",
    **{f"advice.doing.{action}": doing for action, doing in _DOING.items()},
    **{
        f"advice.outs.{street}.{number}": f"{{count}} {words} you ahead on the {street}."
        for street in ("turn", "river")
        for number, words in (("one", "card puts"), ("other", "cards put"))
    },
}
"""The texts in English by their keys; {names} stand for values."""

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_SHARES = ("equity", "odds", "share", "often", "other_often")
_DIFFERENCES = ("loss", "gain")


def reasons(figures: Figures) -> list[Reason]:
    """One or two sentences: what the hand has and needs, what is best, what the next best thing costs, and the outs."""
    found = [_reason("sentence", standing=_standing(figures), verdict=_verdict(figures))]
    if figures.outs:
        found.append(_reason(f"outs.{figures.next_street}", count=len(figures.outs)))
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
        key += ".one" if values["count"] == 1 and f"{key}.one" in texts else ".other"
    return _PLACEHOLDER.sub(lambda name: _shown(name[1], values[name[1]], texts), texts[key])


def _shown(name: str, value: Any, texts: Mapping[str, str]) -> str:
    if isinstance(value, dict):
        return _said(value, texts)
    if name in _SHARES:
        return percent(value)
    if name in _DIFFERENCES:
        return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}" if value >= 0.95 else f"{value:.2f}"
    return value if isinstance(value, str) else f"{value:g}"


def _reason(key: str, **values: Any) -> Reason:
    return {"key": f"advice.{key}", "values": values}


def _standing(figures: Figures) -> Reason:
    """What the hand has, and against whom; what a call needs against one opponent, or costs against several."""
    others, equity = figures.opponents, figures.equity
    acted = [each for each in others if each.share <= ANY_HAND]
    one = others[0]
    values: dict[str, Any]
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
    if figures.defence is None or figures.pot_odds is None:  # blinds are no bet that a hand must be good enough for
        return _reason(f"have.{whom}", equity=equity, **values)
    values |= {"equity": equity, "odds": figures.pot_odds}
    if figures.enough is None:
        return _reason(f"priced.{whom}", **values)
    short = not figures.enough and _usual(figures.choices).verb == "fold"  # what is called is not short of anything
    return _reason(f"{'short' if short else 'need'}.{whom}", **values)


def _usual(choices: Sequence[ChoiceFigures]) -> ChoiceFigures:
    """What is played most, and of what is played equally often the best."""
    return max(choices, key=lambda choice: (choice.chance, choice.value.mean))


def _verdict(figures: Figures) -> Reason:
    """What is usually played, and what the best of the others costs or gains; or the two that are mixed."""
    usual = _usual(figures.choices)
    others = [choice for choice in figures.choices if choice is not usual]
    if not others:
        return _reason("only", doing=_action(figures, usual))
    if usual.chance < MOSTLY:
        return _mixed(figures, usual, _usual(others))
    second = max(others, key=lambda choice: choice.value.mean)
    doing, other = _action(figures, usual), _action(figures, second)
    if _clearly_more(figures, usual, second):
        return _reason("best", doing=doing, other=other, loss=_gain(figures, usual, second))
    if _clearly_more(figures, second, usual):
        return _reason("though", doing=doing, often=usual.chance, other=other, gain=_gain(figures, second, usual))
    if (loss := _gain(figures, usual, second)) > _matters(figures):
        return _reason("unsure", doing=doing, other=other, loss=loss)
    return _reason("usual", doing=doing, other=other)


def _mixed(figures: Figures, usual: ChoiceFigures, second: ChoiceFigures) -> Reason:
    """The two most played actions with their shares, where none is played most of the time."""
    best = max(figures.choices, key=lambda choice: choice.value.mean)
    worse = min(usual, second, key=lambda choice: choice.value.mean)
    values = {
        "doing": _action(figures, usual), "often": usual.chance,
        "other": _action(figures, second), "other_often": second.chance,
    }  # fmt: skip
    if _clearly_more(figures, best, worse):
        better = {"better": _action(figures, best), "worse": _action(figures, worse)}
        return _reason("uneven", gain=_gain(figures, best, worse), **better, **values)
    return _reason("mix", **values)


def _gain(figures: Figures, one: ChoiceFigures, other: ChoiceFigures) -> float:
    return (one.value.mean - other.value.mean) / figures.big_blind


def _clearly_more(figures: Figures, one: ChoiceFigures, other: ChoiceFigures) -> bool:
    """Whether one action is worth more by what matters, and by more than chance."""
    unsure = 2 * hypot(one.value.error, other.value.error) / figures.big_blind
    return _gain(figures, one, other) > max(_matters(figures), unsure)


def _matters(figures: Figures) -> float:
    """Differences of fewer big blinds are not worth a word."""
    return max(CLOSE, CLOSE_POT * figures.pot / figures.big_blind)


def _action(figures: Figures, choice: ChoiceFigures) -> Reason:
    """'calling', 'raising to 9 bb', 'going all-in'."""
    if choice.action <= CALL or choice.amount is None:
        return _reason(f"doing.{choice.verb}")
    return _reason(f"doing.{choice.verb}", amount=round(choice.amount / figures.big_blind, 2))

"""Advice in words for people, amounts in big blinds, and as plain data for programs, amounts in chips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ludus.agents.advice import Advice, Choice, Opponent
from ludus.agents.review import in_blinds
from ludus.cards.card import CARDS, format_cards
from ludus.cards.ranges import (
    CLASSES,
    COMBOS,
    Weights,
    blocked,
    class_of_combo,
    class_weights,
    expand_classes,
    format_range,
)
from ludus.games.moves import CALL, FOLD
from ludus.games.names import place_names, street_name
from ludus.games.poker import PokerState

CLOSE = 0.05  # big blinds that are no difference worth a word
OFTEN = 0.1  # what is played at least so often is part of the mix
ANY_HAND = 0.95  # a share of all hands that is as good as all of them
MOST_MASS = 0.75  # the part of a range that its short text covers
CLOSE_POT = 0.01  # ... nor is this part of the pot
_STEP = 0.05  # weights that are closer are taken as equal there


def explain(advice: Advice) -> str:
    """One or two sentences: what the hand has and needs, what is best, what the next best thing costs, and the outs."""
    text = f"{_standing(advice)}; {_verdict(advice)}."
    if advice.outs:
        cards = "card puts" if len(advice.outs) == 1 else "cards put"
        street = street_name(advice.state.game, advice.state.street + 1)
        text += f" {len(advice.outs)} {cards} you ahead on the {street}."
    return text


def _standing(advice: Advice) -> str:
    others, equity, waiting = advice.opponents, advice.equity, ""
    acted = [each for each in others if each.share <= ANY_HAND]
    if len(acted) == 1 < len(others):  # whoever may still come in holds any hand, and will mostly fold it
        others, equity = (acted[0],), acted[0].equity
        waiting = f", {len(advice.opponents) - 1} more to act"
    has, who = _percent(equity), _whose(others) + waiting
    if advice.defence is None:  # what the blinds ask for is no bet that a hand must be good enough for
        return f"You have {has} against {who}"
    only = "" if equity >= advice.pot_odds else "only "
    return f"You need {_percent(advice.pot_odds)} to call and have {only}{has} against {who}"


def _whose(opponents: Sequence[Opponent]) -> str:
    if len(opponents) > 1:
        return f"{len(opponents)} opponents at once"
    [one] = opponents
    if one.share > ANY_HAND:
        return f"any hand that {one.place} may hold"
    return f"the {_percent(one.share)} of hands that {one.place} is likely to hold"


def _verdict(advice: Advice) -> str:
    """The usual action and what the best of the others costs; or, where it is better, what it gains."""
    state, unit = advice.state, advice.state.game.big_blind
    usual = max(advice.choices, key=lambda choice: choice.chance)
    others = [choice for choice in advice.choices if choice is not usual]
    if not others:
        return f"{_doing(state, usual)} is all that is possible"
    second = max(others, key=lambda choice: choice.value.mean)
    loss = (usual.value.mean - second.value.mean) / unit
    unsure = 2 * np.hypot(usual.value.error, second.value.error) / unit
    close = max(CLOSE, CLOSE_POT * state.pot / unit, unsure)
    if loss > close:
        return f"{_doing(state, usual)} is best, {_doing(state, second)} costs {_number(loss)} bb"
    if -loss > close:
        return (
            f"the {advice.source} mix mostly {_does(state, usual)}, though against these ranges "
            f"{_doing(state, second)} is worth {_number(-loss)} bb more"
        )
    if second.chance >= OFTEN:
        return f"{_doing(state, usual)} and {_doing(state, second)} are worth about the same, so mix them"
    return f"{_doing(state, usual)} is the usual play, {_doing(state, second)} is worth about the same"


def _doing(state: PokerState, choice: Choice) -> str:
    """'calling', 'raising to 9 bb', 'going all-in'."""
    return _inflected(state, choice, "folding", "checking", "calling", "betting", "raising to", "going all-in for")


def _does(state: PokerState, choice: Choice) -> str:
    return _inflected(state, choice, "folds", "checks", "calls", "bets", "raises to", "goes all-in for")


def _inflected(state: PokerState, choice: Choice, *forms: str) -> str:
    fold, check, call, bet, to, all_in = forms
    if choice.action <= CALL:
        return fold if choice.action == FOLD else call if state.to_call() else check
    word, _, amount = in_blinds(state, choice.action).partition(" ")
    return f"{ {'bet': bet, 'raise': to, 'all-in': all_in}[word] } {amount.removeprefix('to ')}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _number(blinds: float) -> str:
    return f"{blinds:.0f}" if blinds >= 9.95 else f"{blinds:.1f}" if blinds >= 0.95 else f"{blinds:.2f}"


# Ranges


def seen_cards(advice: Advice) -> tuple[int, ...]:
    """The cards that no opponent can hold."""
    return (*advice.state.hole(advice.seat), *advice.state.board)


def class_shares(weights: Weights, seen: Sequence[int] = ()) -> Weights:
    """How much of each class ``[169]`` is in a range, of those of its hands that the cards in sight leave."""
    free = blocked(np.ones(len(COMBOS)), seen)
    combos = np.bincount(class_of_combo, free, len(CLASSES))
    return np.asarray(np.bincount(class_of_combo, weights * free, len(CLASSES)) / np.maximum(combos, 1))


def main_part(weights: Weights, seen: Sequence[int] = ()) -> Weights:
    """The classes that make up most of a range, as a range of weights 0 and 1: the commonest ones."""
    common = np.round(class_shares(weights, seen) / weights.max() / _STEP)
    mass = np.bincount(class_of_combo, weights, len(CLASSES))
    order = np.argsort(-common, kind="stable")
    upto = np.cumsum(mass[order])
    least = max(common[order[np.searchsorted(upto, MOST_MASS * upto[-1])]], 1)
    gone = class_shares(np.ones(len(COMBOS)), seen) == 0  # a class that nobody can hold parts no run
    return expand_classes(((common >= least) | gone).astype(np.float64))


def range_words(weights: Weights, most: int = 60, seen: Sequence[int] = ()) -> str:
    """A range in short: the hands that make up most of it, in at most so many characters.

    >>> from ludus.cards.ranges import parse_range
    >>> range_words(parse_range("QQ+, AKs, 72o:0.01")), range_words(parse_range("22+, A2s+, K9s+, QTs+, AJo+"), 16)
    ('QQ+, AKs', '22+, AJ+, ...')
    """
    text = format_range(main_part(weights, seen))
    if text == "random":
        return "any two cards"
    if len(text) <= most:
        return text
    kept = text[: most - 5].rpartition(", ")[0]
    return f"{kept}, ..." if kept else text[: most - 3] + "..."


def range_text(weights: Weights) -> str:
    """A range by classes, to the nearest hundredth, as `parse_range` reads it."""
    return format_range(expand_classes(np.round(class_weights(weights), 2)))


# Data


def facts(advice: Advice) -> dict[str, Any]:
    """Advice as JSON can hold it; amounts in chips."""
    state = advice.state
    return {
        "seat": advice.seat, "place": place_names(state.game)[advice.seat],
        "cards": format_cards(state.hole(advice.seat)), "board": format_cards(state.board),
        "pot": state.pot, "to_call": state.to_call(), "stacks": list(state.stacks), "big_blind": state.game.big_blind,
        "source": advice.source, "note": advice.note,
        "choices": [_choice_facts(choice) for choice in advice.choices],
        "best": advice.best.action,
        "equity": advice.equity, "pot_odds": advice.pot_odds, "minimum_defence": advice.defence,
        "outs": [CARDS[card] for card in advice.outs],
        "opponents": [
            {"seat": each.seat, "place": each.place, "share": each.share, "equity": each.equity,
             "range": range_text(each.range)}
            for each in advice.opponents
        ],
        "explanation": advice.explanation, "seconds": advice.seconds,
        "exploiting": [_choice_facts(choice) for choice in advice.exploiting],
    }  # fmt: skip


def _choice_facts(choice: Choice) -> dict[str, Any]:
    return {
        "action": choice.action, "name": choice.name, "chance": choice.chance, "value": choice.value.mean,
        "error": choice.value.error,
    }  # fmt: skip

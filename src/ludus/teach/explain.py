"""Advice in words for people, amounts in big blinds, and as plain data for programs, amounts in chips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

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
from ludus.games.names import place_names
from ludus.teach.advice import Advice
from ludus.teach.figures import ChoiceFigures, Figures
from ludus.teach.reasons import in_english, reasons

MOST_MASS = 0.75  # the part of a range that its short text covers
_STEP = 0.05  # weights that are closer are taken as equal there


def explain(advice: Advice) -> str:
    """One or two sentences: what the hand has and needs, what is best, what the next best thing costs, and the outs."""
    return in_english(reasons(Figures.of(advice)))


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
    """A range in short: the hands that make up most of it, in at most this many characters.

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
    state, figures = advice.state, Figures.of(advice)
    return {
        "seat": advice.seat, "place": place_names(state.game)[advice.seat],
        "cards": format_cards(state.hole(advice.seat)), "board": format_cards(state.board),
        "pot": state.pot, "to_call": state.to_call(), "stacks": list(state.stacks), "big_blind": state.game.big_blind,
        "source": figures.source, "note": figures.note, "accuracy": figures.accuracy,
        "choices": [_choice_facts(choice) for choice in figures.choices],
        "best": figures.best.action,
        "equity": figures.equity, "pot_odds": figures.pot_odds, "needed": figures.needed, "enough": figures.enough,
        "minimum_defence": figures.defence,
        "outs": [CARDS[card] for card in figures.outs],
        "opponents": [
            {**asdict(each), "range": range_text(known.range)}
            for each, known in zip(figures.opponents, advice.opponents, strict=True)
        ],
        "explanation": advice.explanation, "seconds": advice.seconds,
        "exploiting": [_choice_facts(choice) for choice in figures.exploiting],
        "exploiting_gain": None if (gain := advice.exploiting_gain) is None else gain._asdict(),
        "exploiting_hands": advice.exploiting_hands,
    }  # fmt: skip


def _choice_facts(choice: ChoiceFigures) -> dict[str, Any]:
    return {
        "action": choice.action, "name": choice.name, "chance": choice.chance, "value": choice.value.mean,
        "error": choice.value.error, "best": choice.best,
    }  # fmt: skip

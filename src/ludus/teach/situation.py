"""A decision as a player tells it, in a line of text or as JSON, read into a state with the others' cards hidden.

The text says how the table is set up, what one holds, then what was done, separated by commas, semicolons or blanks::

    6 players, 100bb; hero CO AhKh; folds to CO, r2.5bb, BTN c, SB f, BB c; flop Td9d6h: x, b4bb, BTN r12bb, BB f

============================  ======================================================================================
``6 players``                 2 to 10; also ``6-max``, ``heads-up``. 6 by default
``100bb``, ``BTN 40bb``       everybody's stack, and one seat's, before the hand. 100bb by default
``blinds 50/100``             in chips; these are the default
``ante 10``, ``bb ante 1bb``  of everybody; of the big blind alone. ``straddle 2bb`` is of the seat after the big blind
``hero CO AhKh``              your own cards and position; ``hero`` and the position may be left out
``f x c``                     fold, check, call; or words: ``folds``, ``checks``, ``calls``
``b4bb r12bb r900``           bet or raise *to* this many big blinds or chips on this street; ``a`` is all-in
``b75%``, ``b pot``           by this much of the pot after calling
``BTN c``                     the position before an action may be left out; if given, it must be the player to act
``folds to CO``               everybody before that seat folds
``flop Td9d6h``               the cards that come, after the betting before them; then ``turn 2c``, ``river Ks``. The
                              word may be left out, and ``board Td9d6h2c`` tells all of them anywhere
============================  ======================================================================================

Positions are SB, BB, UTG, UTG+1, ..., LJ, HJ, CO, BTN. Heads-up the button is BTN or SB.
An amount with ``bb`` is in big blinds, one without in chips.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from reprlib import repr as shortened
from typing import Any

from ludus.cards.card import parse_cards
from ludus.games.poker import PokerState
from ludus.teach.situation_facts import AMOUNT, SituationFacts, ToldEvent, told_action

MOST_TEXT = 10_000
KEYS = ("players", "stack", "stacks", "blinds", "ante", "bb_ante", "straddle", "hero", "cards", "board", "actions")
EXAMPLE = "6 players, 100bb; hero CO AhKh; folds to CO"

_PLACE = r"(?:btn/sb|sb/btn|utg(?:\+[1-9])?|lj|hj|co|btn|bu|button|sb|bb)"
_CARD = r"(?:10|[2-9tjqka])[cdhs]"
_END = r"(?![a-z0-9+%]|\.[0-9])"
_TOKENS = re.compile(
    "|".join(
        [
            r"(?P<gap>[\s,;:|/()?]|-(?=\s)|\.(?![0-9]))",
            rf"(?P<players>[0-9]{{1,4}})[\s-]?(?:players?|handed|max){_END}",
            rf"(?P<two>heads[\s-]?up|hu){_END}",
            rf"blinds?\s?(?P<small>{AMOUNT})\s?/\s?(?P<big>{AMOUNT}){_END}",
            rf"(?P<posts>bb[\s-]ante|ante|straddle)\s?(?P<posted>{AMOUNT}){_END}",
            rf"(?:stacks?\s)?(?P<seat>{_PLACE})\s(?P<stack>{AMOUNT}){_END}",
            rf"(?:stacks?\s)?(?P<stacks>{AMOUNT}){_END}",
            rf"hero\s(?:(?P<hero_place>{_PLACE})\s)?(?P<hero>{_CARD}\s?{_CARD}){_END}",
            rf"(?P<street>pre-?flop|flop|turn|river|board){_END}",
            rf"(?P<cards>{_CARD}(?:[\s,]{{0,2}}{_CARD})*){_END}",
            rf"(?:f|folds?|folded)\sto\s(?P<folds_to>{_PLACE}){_END}",
            rf"(?P<place>{_PLACE}){_END}",
            rf"(?P<fold>f|folds?){_END}",
            rf"(?P<check>x|k|checks?){_END}",
            rf"(?P<call>c|calls?)(?:\s?(?P<paid>{AMOUNT}))?{_END}",
            rf"(?P<all_in>a|all[\s-]?in|jams?|shoves?){_END}",
            rf"(?:r|b|bets?|raises?)\s?(?:to\s?)?(?P<raise>{AMOUNT}|[0-9]{{1,4}}(?:\.[0-9]{{1,2}})?%|pot){_END}",
        ]
    ),
    re.IGNORECASE | re.ASCII,
)
_ACTIONS = ("fold", "check", "call", "all_in", "raise", "folds_to")


def parse_situation(text: str) -> PokerState:
    """The decision that a text, or the text of a JSON object, describes; ValueError says what is wrong with it.

    >>> state = parse_situation("heads-up, 100bb; hero BTN AhKh; r2.5bb, c; flop Td9d6h: x")
    >>> state.pot, state.stacks, state.information_state(state.player)
    (500, (9750, 9750), 'AhKh/Td9d6h:r250c/c')
    >>> parse_situation("6 players, 100bb; hero CO AhKh; BTN r3bb")
    Traceback (most recent call last):
    ValueError: it is the turn of UTG, not of BTN
    """
    if len(text) > MOST_TEXT:
        raise ValueError(f"a situation is told in at most {MOST_TEXT} characters, got {len(text)}")
    if not text.strip():
        raise ValueError(f"tell the situation, as in '{EXAMPLE}'")
    if text.lstrip().startswith("{"):
        return situation_from_dict(_object(text))
    told = SituationFacts()
    _scan(text, told)
    return told.state()


def situation_from_dict(values: Mapping[str, Any]) -> PokerState:
    """The decision that a JSON object describes: the same facts by name, ``actions`` being a text or a list of texts.

    Amounts are chips, or texts such as '2.5bb'; ``stacks`` are a list from the small blind on (heads-up from the big
    blind on), or by position.

    >>> situation_from_dict({"players": 2, "cards": "AhKh", "actions": ["r250", "c"], "board": "Td9d6h"}).player
    0
    """
    for key in values:
        if key not in KEYS:
            raise ValueError(f"{shortened(key)} is no part of a situation: there are {', '.join(KEYS)}")
    given = {key: value for key, value in values.items() if value is not None}
    stacks, actions = given.get("stacks", {}), given.get("actions", "")
    told = SituationFacts()
    told.players = _players(given.get("players", len(stacks) if isinstance(stacks, list | tuple) else told.players))
    told.blinds = _pair(given.get("blinds", told.blinds))
    told.stack = _text("stack", given.get("stack", told.stack))
    told.stacks = _stacks(stacks, told.players)
    told.hero = _text("hero", given.get("hero", ""))
    told.hand, told.board = (parse_cards(_text(key, given.get(key, ""))) for key in ("cards", "board"))
    posts = [key for key in ("ante", "bb_ante", "straddle") if key in given]
    told.posts = {key.replace("_", " "): _text(key, given[key]) for key in posts}
    if isinstance(actions, list | tuple):
        actions = ", ".join(_text("an action", each) for each in actions)
    told.events = _events(_text("actions", actions))
    return told.state()


def parse_action(text: str, state: PokerState) -> int:
    """The legal action of the player to act that a text tells; ValueError says what is wrong with it.

    >>> state = parse_situation("heads-up, 100bb; hero BTN AhKh")
    >>> parse_action("r2.5bb", state), parse_action("f", state)
    (250, -1)
    """
    events = _events(text)
    if len(events) != 1 or events[0].kind not in ("fold", "check", "call", "all_in", "raise") or events[0].place:
        raise ValueError(f"{shortened(text)} is no single action: write f, x, c, r3bb, b75% or a")
    action = told_action(state, events[0])
    state.apply(action)
    return action


# Reading a text


def _scan(text: str, told: SituationFacts) -> None:
    """Take the facts of a text one after the other."""
    text, at = " ".join(text.split()), 0
    place = street = ""
    while at < len(text):
        found = _TOKENS.match(text, at)
        if found is None:
            raise ValueError(_not_understood(text, at))
        at = found.end()
        facts = {name: part for name, part in found.groupdict().items() if part is not None}
        kind = next((kind for kind in _ACTIONS if kind in facts), "")
        if "gap" in facts:
            continue
        if "cards" in facts and not (street or told.hand) and len(parse_cards(facts["cards"])) == 2:
            told.hero, told.hand = place, parse_cards(facts["cards"])  # 'CO AhKh' for 'hero CO AhKh'
            place = ""
        elif kind and not (place and kind == "folds_to"):
            told.events.append(ToldEvent(kind, facts.get("paid", "") if kind == "call" else facts[kind], place))
            place = ""
        elif place:
            raise ValueError(f"say what {place.upper()} does after naming the seat, as in '{place.upper()} c'")
        elif "place" in facts:
            place = facts["place"]
        elif "street" in facts:
            street = facts["street"].lower()
        elif "cards" in facts and street == "board":
            told.board, street = parse_cards(facts["cards"]), ""
        elif "cards" in facts:
            told.events.append(ToldEvent("cards", facts["cards"], street))
            street = ""
        else:
            _set(facts, told, found[0])
    if place:
        told.events.append(ToldEvent("turn_of", place=place))


def _set(facts: Mapping[str, str], told: SituationFacts, text: str) -> None:
    """Take a fact of how the table is set up."""
    if "hero" in facts:
        told.hero, told.hand = facts.get("hero_place", ""), parse_cards(facts["hero"])
        return
    if told.events:
        raise ValueError(
            f"{text!r} comes after the first action, but stacks and blinds are told before it; a bet or raise begins "
            "with b or r, as in 'r3bb'"
        )
    if "players" in facts or "two" in facts:
        told.players = 2 if "two" in facts else int(facts["players"])
    elif "small" in facts:
        told.blinds = facts["small"], facts["big"]
    elif "posts" in facts:
        told.posts[facts["posts"].lower().replace("-", " ")] = facts["posted"]
    elif "seat" in facts:
        told.stacks[facts["seat"]] = facts["stack"]
    else:
        told.stack = facts["stacks"]


def _not_understood(text: str, at: int) -> str:
    word = re.split(r"[\s,;]", text[at : at + 40], maxsplit=1)[0]
    if re.fullmatch("r|b|bets?|raises?", word, re.IGNORECASE):
        return f"{word!r} needs an amount: how much it is in all on this street, as in 'r3bb', 'b250' or 'b75%'"
    return (
        f"{shortened(word)} is not understood: write positions (UTG, CO, BTN, SB, BB), actions (f, x, c, r3bb, b75%, a)"
        f", cards (AhKh), flop, turn, river, or how the table is set up, as in '{EXAMPLE}'"
    )


# Reading JSON


def _events(actions: str) -> list[ToldEvent]:
    """The actions of a text that tells nothing else."""
    told = SituationFacts()
    _scan(actions, told)
    if told != SituationFacts(events=told.events):
        raise ValueError("actions are what was done, as in 'UTG f, CO r2.5bb': tell the rest by its own name")
    return told.events


def _object(text: str) -> dict[str, Any]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"this is no JSON: {error}") from None
    assert isinstance(values, dict)
    return values


def _text(name: str, value: object) -> str:
    if isinstance(value, str) and len(value) <= MOST_TEXT:
        return value
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**10:
        return f"{value}"
    raise ValueError(f"{name} is a text or a whole number of chips, got {shortened(value)}")


def _players(value: object) -> int:
    text = _text("players", value)
    if not re.fullmatch("[0-9]{1,4}", text, re.ASCII):
        raise ValueError(f"players are a number from 2 to 10, got {shortened(value)}")
    return int(text)


def _pair(value: object) -> tuple[str, str]:
    parts = value.split("/") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or len(parts) != 2:
        raise ValueError(f"blinds are a small and a big one, as in '50/100' or [50, 100], got {shortened(value)}")
    return _text("a blind", parts[0]), _text("a blind", parts[1])


def _stacks(value: object, players: int) -> dict[str, str]:
    """Stacks by position, or by the number of the seat where they are a list."""
    if isinstance(value, list | tuple):
        if len(value) != players:
            raise ValueError(f"expected {players} stacks, one a seat, got {len(value)}")
        return {f"{seat}": _text("a stack", stack) for seat, stack in enumerate(value)}
    if not isinstance(value, Mapping):
        raise ValueError(f"stacks are a list by seat, or by position as in {{'BTN': '40bb'}}, got {shortened(value)}")
    return {_text("a position", place): _text("a stack", stack) for place, stack in value.items()}

"""Hands as they are kept: the luck in them, and files of them, in a worker process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ludus.arena.hand_files import ALL_FORMATS
from ludus.games.holdem import is_holdem
from ludus.games.poker import HIDDEN
from ludus.protocols.histories import PlayedHand, read_all
from ludus.protocols.histories.text import printable
from ludus.server.hands.histories import read_record, write_record
from ludus.teach.luck import adjusted


def adjust(records: Sequence[str]) -> list[list[float]]:
    """What kept hands were worth to their seats with the luck of all-ins taken out, in chips."""
    return [adjusted(read_record(text)) for text in records]


def read_hands(text: str, hero: str, most: int) -> dict[str, Any]:
    """The hands of a file: the records of those that can be kept, and what is wrong with the others.

    The hero is the player named, or else the one whose cards are known most often.
    """
    hands, problems = read_all(text, ALL_FORMATS)
    told = [{"hand": problem.where[:80], "why": problem.why[:300]} for problem in problems]
    able = []
    for number, hand in enumerate(hands[:most], 1):
        if why := _obstacle(hand):
            told.append({"hand": f"hand {number}", "why": why})
        else:
            able.append(replace(hand, players=tuple(map(printable, hand.players))))
    hero = hero or _hero(able)
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

"""Hands as they are kept: the luck in them, and files of them, in a worker process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from ludus.arena.hand_files import ALL_FORMATS
from ludus.games.holdem import is_holdem
from ludus.games.poker import HIDDEN
from ludus.protocols.histories import PlayedHand, read_all
from ludus.protocols.histories.text import printable
from ludus.server.hands.histories import hand_rows, read_record
from ludus.server.work.jobs import Report
from ludus.server.work.wire import from_wire
from ludus.teach.endings import showdowns
from ludus.teach.endings.luck import adjusted

AT_ONCE = 100  # hands that are reported, and kept, together


def adjust(records: Sequence[str]) -> list[list[float]]:
    """What kept hands were worth to their seats with the luck of all-ins taken out, in chips."""
    return [adjusted(read_record(text)) for text in records]


def run_out(state: dict[str, Any]) -> list[showdowns.Equities]:
    """The equities of a finished hand's all-in, from street to street."""
    return showdowns.run_out(from_wire(state))


def read_hands(report: Report, text: str, hero: str, most: int, person: str, upload: str) -> dict[str, Any]:
    """The hands of a file: how many can be kept, and what is wrong with the others.

    Those that can are reported as rows of the database, some at a time. The hero, who is the person, is the player
    named, or else the one whose cards are known most often.
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
    for start in range(0, len(able), AT_ONCE):
        some = enumerate(able[start : start + AT_ONCE], start + 1)
        report({"hands": [_rows(hand, number, hero, person, upload) for number, hand in some]})
    return {"read": len(able), "problems": told, "hero": hero, "players": names}


def _rows(played: PlayedHand, number: int, hero: str, person: str, upload: str) -> dict[str, Any]:
    """The rows of a hand and its seats; times as text."""
    people: list[str | None] = [None] * len(played.players)
    if hero in played.players:
        people[played.players.index(hero)] = person
    finished = _finished(played.played, number)
    hand, seats = hand_rows(played, game="holdem", people=people, number=number, upload_id=upload, finished=finished)
    for row in (hand, *seats):
        row["finished"] = finished.isoformat()
    hand |= {"adjusted": True, "commitment": None, "deal": None}
    for seat, value in zip(seats, adjusted(played), strict=True):
        seat |= {"adjusted": value, "shown": seat["showdown"] and bool(seat["cards"])}
    return {"hand": hand, "seats": seats}


def _finished(played: date | None, number: int) -> datetime:
    """When a hand was played, as far as that is known; those of one moment stay in the order of the file."""
    if played is None:
        at = datetime.now(UTC)
    elif isinstance(played, datetime):
        at = played.replace(tzinfo=UTC)
    else:
        at = datetime.combine(played, time(), UTC)
    return at + timedelta(microseconds=number) if at.year < 9999 else at


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

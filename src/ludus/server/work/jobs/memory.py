"""What players are remembered by, from hands without hole cards (`earlier_hands`), in a worker process."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict
from functools import cache, lru_cache
from typing import Any

from ludus.agents.blueprint import BlueprintAgent
from ludus.agents.exploiter import ExploitBounds
from ludus.agents.opponent_model import measured_hand
from ludus.agents.opponents import Prior, Profile, balanced_profile, read_hand
from ludus.server.hands.histories import read_record
from ludus.server.work.wire import profile_to_wire
from ludus.teach.known_opponents import added_up, habits

KEPT = 1000  # hands whose profiles a process keeps: the next hand adds one to those of an opponent


def profiles(hands: Sequence[dict[str, Any]], wanted: Collection[str]) -> dict[str, Profile]:
    """What is known of those who are wanted, by how `earlier_hands` calls them."""
    found = added_up((hand["agents"], _measured(hand["record"])) for hand in hands)
    return {who: found[who] for who in wanted if who in found}


@lru_cache(maxsize=KEPT)
def _measured(record: str) -> list[Profile]:
    state = read_record(record).state
    try:
        return measured_hand(_balanced(), state)
    except ValueError:  # a game that the blueprint does not play
        return read_hand(state)


@cache
def _balanced() -> BlueprintAgent:
    return BlueprintAgent()


def remember(hands: Sequence[dict[str, Any]], wanted: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The profiles of those who are wanted, for the turns of a player who remembers."""
    return {who: profile_to_wire(profile) for who, profile in profiles(hands, wanted).items()}


def learnt(hands: Sequence[dict[str, Any]], who: str, players: int) -> dict[str, Any]:
    """What an exploiter makes of a player: how far it leaves balanced play against them, and why."""
    profile, prior = profiles(hands, [who]).get(who, Profile()), Prior(balanced_profile(players))
    return {
        "hands": profile.hands,
        "trust": ExploitBounds().trust(profile, prior),
        "habits": [asdict(habit) for habit in habits(profile, prior)],
    }

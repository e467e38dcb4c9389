"""What an agent won from Slumbot, how sure that is, and how long it thought."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ludus.arena.interval import finite, interval
from ludus.games.poker import STREETS
from ludus.protocols.slumbot.log import Hand

BIG_BLIND = 100
POSITIONS = ("big blind", "small blind")
TUHOLUKOVA: dict[str, Any] = {  # against Slumbot, as published
    "source": "DeepStack of Tuholukova (2020)",
    "raw": {"hands": 20_804, "bb_per_100": -0.79, "ci95": 22.36, "mbb_per_hand": -7.9, "ci95_mbb": 223.6},
    "baseline": {"hands": 20_804, "bb_per_100": -2.15, "ci95": 28.37, "mbb_per_hand": -21.5, "ci95_mbb": 283.7},
    "seconds": {"pre-flop": 1.348, "flop": 11.26, "turn": 4.63, "river": 1.622},
}


def summary(hands: Sequence[Hand], agent: str, url: str, seed: int) -> dict[str, Any]:
    """All figures of a log. The baseline is what was won beyond what Slumbot would have won with the same cards."""
    finished = [hand for hand in hands if hand.winnings is not None and hand.broken is None]
    faults = [fault for hand in hands for fault in hand.faults]
    seconds = [sum(hand.seconds[street] for hand in hands) for street in range(len(STREETS))]
    decisions = [sum(hand.decisions[street] for hand in hands) for street in range(len(STREETS))]
    return {
        "agent": agent, "url": url, "seed": seed, "stack": 200, "hands": len(finished),
        "broken": len(hands) - len(finished), "retries": sum(hand.retries for hand in hands),
        "raw": _gain([hand.winnings for hand in finished]),
        "baseline": _gain([hand.baseline for hand in finished]),
        "positions": {
            name: _gain([hand.winnings for hand in finished if hand.position == position])
            for position, name in enumerate(POSITIONS)
        },
        "rates": _rates([hand.winnings or 0 for hand in finished]),
        "thinking": {
            street: {"decisions": decisions[at], "seconds": seconds[at] / decisions[at] if decisions[at] else None}
            for at, street in enumerate(STREETS)
        },
        "faults": len(faults), "last_fault": faults[-1] if faults else None,
        "last_break": next((hand.broken for hand in reversed(hands) if hand.broken), None),
        "reference": TUHOLUKOVA,
    }  # fmt: skip


def _gain(chips: Sequence[int | None]) -> dict[str, Any]:
    """Mean winnings with half the width of the 95 % interval; hands without a figure are left out."""
    known = [value for value in chips if value is not None]
    found = interval(known)
    hundred, thousandth = found.scaled(100 / BIG_BLIND), found.scaled(1000 / BIG_BLIND)
    return {
        "hands": len(known), "chips": sum(known), "bb_per_100": finite(hundred.mean), "ci95": finite(hundred.ci95),
        "mbb_per_hand": finite(thousandth.mean), "ci95_mbb": finite(thousandth.ci95), "too_few": found.too_few,
    }  # fmt: skip


def _rates(winnings: Sequence[int]) -> dict[str, float | None]:
    count = len(winnings)
    kinds = {"win": (w > 0 for w in winnings), "tie": (w == 0 for w in winnings), "loss": (w < 0 for w in winnings)}
    return {name: sum(which) / count if count else None for name, which in kinds.items()}

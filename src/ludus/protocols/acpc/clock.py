"""How long players may think."""

from __future__ import annotations

from dataclasses import dataclass, fields

_MOST = 10**12
_GRACE = 1.0  # seconds during which a late line is still read, as the competition's dealer would


@dataclass(frozen=True)
class Limits:
    """The dealer's limits in milliseconds; with ``start`` None it waits for players forever."""

    response: int = 600_000  # one reply
    hand: int = 600_000  # all replies of a player in one hand
    per_hand: int = 7_000  # all replies of a player in the match, as an average
    start: int | None = None  # until everybody has connected

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not 0 <= value <= _MOST:
                raise ValueError(f"a time limit is 0..{_MOST} milliseconds, got {value}")


class Clock:
    """The time that every seat has used."""

    def __init__(self, limits: Limits, seats: int, hands: int) -> None:
        self.response, self.hand = limits.response / 1000, limits.hand / 1000
        self.match = limits.per_hand * hands / 1000
        self.used_in_hand, self.used_in_match = [0.0] * seats, [0.0] * seats

    def new_hand(self) -> None:
        """Restart everybody's count for the hand."""
        self.used_in_hand = [0.0] * len(self.used_in_hand)

    def left(self, seat: int) -> float:
        """Seconds that a seat has for this hand and for the match."""
        return min(self.hand - self.used_in_hand[seat], self.match - self.used_in_match[seat])

    def longest_wait(self, seat: int) -> float:
        """The most seconds to wait for a reply."""
        return min(self.response, self.left(seat) + _GRACE)

    def out_of_time(self, seat: int, seconds: float) -> bool:
        """Whether a reply after this many seconds is too late."""
        return seconds > self.response or seconds > self.left(seat)

    def charge(self, seat: int, seconds: float) -> None:
        """Count the time of a reply."""
        self.used_in_hand[seat] += seconds
        self.used_in_match[seat] += seconds

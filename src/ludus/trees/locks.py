"""Locks: a player's strategy at a decision of a spot, fixed for all or some hands while the rest is solved.

In the TOML file of a spot, as often as wanted::

    [[lock]]
    line = "X-B50"               # the decision; D for any card dealt, or the name of one card, as in X-X-2c
    play = {F = 0.25, C = 0.75}  # how often each action is taken
    hands = "22-99, AQs"         # optional: the hands that play so, all if it is left out; weights do not matter

Where two locks hold for the same hand at the same decision, the later one counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from reprlib import repr as shortened
from typing import Any

from ludus.cards.ranges import format_range, parse_range
from ludus.games.action import Action
from ludus.trees.lines import dealt_cards

MAX_LINE = 1000
MOST_LOCKS = 1000


@dataclass(frozen=True)
class Lock:
    """A fixed strategy: the line of a decision, the frequency of each action, and whose hands it holds for."""

    line: str
    play: tuple[tuple[Action, float], ...]
    hands: str = "random"

    @classmethod
    def of(cls, values: object) -> Lock:
        """From a table of ``line``, ``play`` and perhaps ``hands``."""
        if not isinstance(values, Mapping) or not {"line", "play"} <= set(values) <= {"line", "play", "hands"}:
            raise ValueError(f"a lock is a table of line, play and perhaps hands, got {shortened(values)}")
        line, play, hands = values["line"], values["play"], values.get("hands", "random")
        if not isinstance(line, str) or len(line) > MAX_LINE:
            raise ValueError(f"the line of a lock is a text such as 'X-B50', got {shortened(line)}")
        if not isinstance(play, Mapping) or not play:
            raise ValueError(f"the play of a lock is a table such as {{F = 0.25, C = 0.75}}, got {shortened(play)}")
        mix = []
        for action, share in play.items():
            if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
                raise ValueError(f"a lock plays an action with 0 to 1, got {action} = {shortened(share)}")
            mix.append((Action.parse(str(action)), float(share)))
        if not math.isclose(sum(share for _, share in mix), 1, abs_tol=1e-6):
            raise ValueError(f"what a lock plays adds up to 1, got {sum(share for _, share in mix):g} at {line!r}")
        if not isinstance(hands, str):
            raise ValueError(f"the hands of a lock are a range, got {shortened(hands)}")
        return cls(line, tuple(mix), format_range(parse_range(hands)))

    def to_dict(self) -> dict[str, Any]:
        """As in the file."""
        return {"line": self.line, "play": {str(action): share for action, share in self.play}, "hands": self.hands}

    @property
    def cards(self) -> tuple[int | None, ...]:
        """The cards that its line deals, None for any."""
        return dealt_cards(self.line)

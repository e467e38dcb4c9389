"""What is fixed before a match."""

from __future__ import annotations

from dataclasses import dataclass, field

from ludus.games.poker import PokerGame
from ludus.protocols.acpc.clock import Limits
from ludus.protocols.acpc.deal import MOST_SEED

MOST_HANDS = 2**32 - 1


@dataclass(frozen=True)
class Match:
    """The game, how many hands of it, the seed of the cards, who plays, and how long they may think."""

    game: PokerGame
    hands: int
    seed: int
    names: tuple[str, ...]  # by seat
    name: str = "match"
    game_file: str = ""  # as the log names it
    limits: Limits = field(default_factory=Limits)
    fixed: bool = False  # whether all players keep their positions
    strict: bool = False  # whether a reply that has to be repaired ends the match

    def __post_init__(self) -> None:
        if self.game.dialect != "acpc":
            raise ValueError(f"a dealer deals games of ACPC definitions, {self.game.name} is not one")
        if len(self.names) != self.game.players:
            raise ValueError(f"{self.game.name} has {self.game.players} players, got {len(self.names)} names")
        for name in self.names:
            if not name or any(char in ":|" or char < " " for char in name):
                raise ValueError(f"a name has no colon, bar or control character and is not empty, got {name!r}")
        if not 1 <= self.hands <= MOST_HANDS:
            raise ValueError(f"the number of hands is 1..{MOST_HANDS}, got {self.hands}")
        if not 0 <= self.seed <= MOST_SEED:
            raise ValueError(f"a seed is 0..{MOST_SEED}, got {self.seed}")

    def seat(self, position: int, hand: int) -> int:
        """Who sits at a position: the button moves by one seat per hand."""
        return position if self.fixed else (position + hand) % len(self.names)

    def position(self, seat: int, hand: int) -> int:
        """Where a seat sits."""
        return seat if self.fixed else (seat - hand) % len(self.names)

    def header(self) -> str:
        """The comments that open a log."""
        limits = self.limits
        first = f"# name/game/hands/seed {self.name} {self.game_file or self.game.name} {self.hands} {self.seed}"
        return f"{first}\n#--t_response {limits.response}\n#--t_hand {limits.hand}\n#--t_per_hand {limits.per_hand}"

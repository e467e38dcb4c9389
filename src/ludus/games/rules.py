"""What is fixed before a poker hand begins."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

from ludus.cards.card import CARDS, DECK
from ludus.games.menu import Menu

Betting = Literal["no-limit", "pot-limit", "limit"]
Dialect = Literal["casino", "acpc"]
NO_STACK = 2**31 - 1  # what the ACPC calls an infinite stack


@dataclass(frozen=True)
class PokerRules:
    """One poker game; every per-seat field is in seat order, every per-street field in order of dealing."""

    name: str
    stacks: tuple[int, ...]
    blinds: tuple[int, ...]
    antes: tuple[int, ...] = ()
    betting: Betting = "no-limit"
    dialect: Dialect = "casino"
    deck: tuple[int, ...] = DECK
    hole_cards: int = 2
    board_cards: tuple[int, ...] = (0, 3, 1, 1)
    raise_sizes: tuple[int, ...] = ()  # limit games
    max_raises: tuple[int, ...] = ()  # per street; empty: as many as the stacks allow
    first_seats: tuple[int, ...] = ()  # acpc dialect: who opens each street
    min_bet: int = 0  # 0: the big blind
    bets: Menu | None = None  # None: any
    show_suits: bool = True  # whether information states name suits, or only ranks

    def __post_init__(self) -> None:
        players, streets = len(self.stacks), len(self.board_cards)
        if not 1 <= streets <= 4:
            raise ValueError(f"a game has 1 to 4 streets, got {streets}")
        if self.betting not in get_args(Betting):
            raise ValueError(f"betting is one of {', '.join(get_args(Betting))}, got {self.betting!r}")
        if self.dialect not in get_args(Dialect):
            raise ValueError(f"a dialect is one of {', '.join(get_args(Dialect))}, got {self.dialect!r}")
        if not 2 <= players <= 10:
            raise ValueError(f"a table has 2 to 10 players, got {players}")
        for what, values, length in (
            ("stacks", self.stacks, players),
            ("blinds", self.blinds, players),
            ("antes", self.antes or self.blinds, players),
            ("raise sizes", self.raise_sizes or self.board_cards, streets),
            ("raise caps", self.max_raises or self.board_cards, streets),
            ("first seats", self.first_seats or self.board_cards, streets),
        ):
            if len(values) != length:
                raise ValueError(f"expected {length} {what}, got {len(values)}: {values}")
            if not all(isinstance(value, int) for value in values):
                raise ValueError(f"{what} are whole numbers, got {values}")
            if min(values) < 0:
                raise ValueError(f"{what} must not be negative, got {values}")
        if min(self.stacks) < 1 or max(self.stacks) > NO_STACK:
            raise ValueError(f"stacks must be 1..{NO_STACK} chips, got {min(self.stacks)}..{max(self.stacks)}")
        if max(self.blinds) + max(self.antes, default=0) > NO_STACK:
            raise ValueError(f"blinds and antes must be at most {NO_STACK} chips")
        if self.betting == "limit" and not (self.raise_sizes and min(self.raise_sizes) > 0):
            raise ValueError("a limit game needs a raise size above 0 for each street")
        if self.first_seats and max(self.first_seats) >= players:
            raise ValueError(f"first seats must be below {players}, got {self.first_seats}")
        if self.bets is not None and self.betting != "no-limit":
            raise ValueError("only a no-limit game takes a bet menu")
        others = (*self.board_cards, *self.deck, self.hole_cards, self.min_bet)
        if not all(isinstance(number, int) for number in others):
            raise ValueError(f"cards and bets are whole numbers, got {others}")
        if min(self.board_cards) < 0:
            raise ValueError(f"board cards must not be negative, got {self.board_cards}")
        if not isinstance(self.bets, Menu | None):
            raise ValueError(f"bets are a bet menu or none, got {self.bets!r}")
        if self.min_bet > NO_STACK:
            raise ValueError(f"the minimum bet must be at most {NO_STACK} chips, got {self.min_bet}")
        if self.min_bet < 0:
            raise ValueError(f"the minimum bet must not be negative, got {self.min_bet}")
        if len(set(self.deck)) != len(self.deck) or not set(self.deck) <= set(DECK):
            raise ValueError("a deck holds different cards of the 52")
        if self.hole_cards < 1:
            raise ValueError(f"a player gets at least one card, got {self.hole_cards}")
        if self.hole_cards + sum(self.board_cards) > 7:
            raise ValueError(f"hands have at most 7 cards, got {self.hole_cards} and a board of {self.board_cards}")
        if (needed := players * self.hole_cards + sum(self.board_cards)) > len(self.deck):
            raise ValueError(f"{players} players need {needed} cards, the deck has {len(self.deck)}")

    @cached_property
    def players(self) -> int:
        """Number of seats."""
        return len(self.stacks)

    @property
    def zero_sum(self) -> bool:
        """Poker without rake is zero-sum."""
        return True

    @cached_property
    def big_blind(self) -> int:
        """The minimum bet, which a straddle does not change, or the largest ante without blinds: the unit of mbb."""
        return self.min_bet or max(self.blinds) or max(self.antes, default=0) or 1

    @cached_property
    def card_targets(self) -> tuple[int, ...]:
        """How many cards are on the table, hole cards included, when each street begins."""
        hole = self.players * self.hole_cards
        return tuple(hole + sum(self.board_cards[: street + 1]) for street in range(len(self.board_cards)))

    @cached_property
    def card_set(self) -> frozenset[int]:
        """The deck, to ask whether a card is in it."""
        return frozenset(self.deck)

    @cached_property
    def dead_antes(self) -> bool:
        """Unequal antes (a big-blind ante) are dead money in the main pot; equal ones are matched like bets."""
        return len(set(self.antes)) > 1

    def name_cards(self, cards: Iterable[int]) -> str:
        """Cards as information states name them: the highest first, suits if the game shows them; '??' if hidden."""
        names = (CARDS[card] if card >= 0 else "??" for card in sorted(cards, reverse=True))
        return "".join(names) if self.show_suits else "".join(name[0] for name in names)

    def smallest_raise(self, street: int) -> int:
        """The smallest bet or raise on a street where nobody has bet yet."""
        if self.betting == "limit":
            return self.raise_sizes[street]
        return max(1, (self.dialect == "casino" and self.min_bet) or max(self.blinds))

    @cached_property
    def posted(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Antes and blinds that the seats actually pay; short stacks pay what they have."""
        antes = [min(ante, stack) for ante, stack in zip(self.antes or (0,) * self.players, self.stacks, strict=True)]
        blinds = tuple(
            min(blind, stack - ante) for blind, stack, ante in zip(self.blinds, self.stacks, antes, strict=True)
        )
        if not self.dead_antes:  # what nobody else can match goes back
            antes = [min(ante, sorted(antes)[-2]) for ante in antes]
        return tuple(antes), blinds

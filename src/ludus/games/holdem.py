"""Texas hold'em for 2 to 10 players: no-limit, pot-limit and fixed-limit."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

from ludus.cards.card import DECK
from ludus.games.menu import Menu
from ludus.games.poker import PokerGame
from ludus.games.rules import Betting, Dialect


def holdem(
    players: int = 2,
    stack: int | Sequence[int] = 200,
    blinds: Sequence[int] = (1, 2),
    ante: int | Sequence[int] = 0,
    straddle: int = 0,
    betting: Betting = "no-limit",
    dialect: Dialect = "casino",
    bets: Menu | None = None,
) -> PokerGame:
    """Hold'em with the usual seats: small blind, big blind, ..., button; heads-up the button is the small blind.

    ``stack`` and ``ante`` are one number for all or one for each seat, ``blinds`` (small, big), ``straddle`` is posted
    by the seat after the big blind. In limit games the bets are one big blind before and on the flop and two after, and
    there are four bets per street (before the flop the big blind is the first of them). In the casino dialect the
    smallest raise is one big blind, even over a straddle.

    >>> holdem(players=3, ante=1).start().bets
    (1, 2, 0)
    >>> holdem().start().bets  # the button, seat 1, has the small blind
    (2, 1)
    """
    if not 2 <= players <= 10:
        raise ValueError(f"a table has 2 to 10 players, got {players}")
    if len(blinds) != 2 or not 0 <= blinds[0] <= blinds[1] or blinds[1] == 0:
        raise ValueError(f"blinds are a small one and a big one that is not smaller, got {tuple(blinds)}")
    posts = [*blinds] + [0] * (players - 2)
    if straddle:
        if players < 3:
            raise ValueError("a straddle needs a third player, the one after the big blind")
        if straddle <= blinds[1]:
            raise ValueError(f"a straddle is more than the big blind of {blinds[1]}, got {straddle}")
        posts[2] = straddle
    heads_up = players == 2
    limit = betting == "limit"
    first = 1 if heads_up else (2 + bool(straddle)) % players
    return PokerGame(
        name="holdem",
        stacks=_per_seat(stack, players, "stacks"),
        blinds=tuple(posts[::-1] if heads_up else posts),
        antes=_per_seat(ante, players, "antes"),
        betting=betting,
        dialect=dialect,
        raise_sizes=(blinds[1], blinds[1], 2 * blinds[1], 2 * blinds[1]) if limit else (),
        max_raises=(3, 4, 4, 4) if limit else (),
        first_seats=(first, 0, 0, 0) if dialect == "acpc" else (),
        min_bet=blinds[1],
        bets=bets,
    )


def _per_seat(value: int | Sequence[int], players: int, what: str) -> tuple[int, ...]:
    values = tuple(value) if isinstance(value, Sequence) else (value,) * players
    if len(values) != players:
        raise ValueError(f"expected {players} {what}, got {len(values)}")
    try:
        return tuple(index(value) for value in values)
    except TypeError:
        raise ValueError(f"{what} are whole numbers, got {values}") from None


def is_holdem(game: PokerGame) -> bool:
    """Whether a game is hold'em, whatever its betting and its seats."""
    return game.deck == DECK and game.hole_cards == 2 and game.board_cards == (0, 3, 1, 1)

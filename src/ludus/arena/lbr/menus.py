"""What local best response may do on each street: fold or not, and which raises it considers.

The named sets are those of Lisy & Bowling (2017): ``fc`` folds and calls only, ``fcpa`` bets the pot and all-in too,
``56bets`` looks at 55 fractions of the pot, 0.05 * 1.15**k for k = 0..54, and at all-in. ``c`` checks and calls all.
The published experiments are ``fc``, ``c/c/fcpa/fcpa``, ``c/c/56bets/56bets`` and ``c/56bets/fc/fc``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ludus.games.menu import amounts, parse_row
from ludus.games.moves import Moves
from ludus.games.poker import STREETS, PokerGame, PokerState
from ludus.games.sizes import Sizes

MOST_TEXT = 1000
POT_FRACTIONS = tuple(0.05 * 1.15**k for k in range(55))


@dataclass(frozen=True, slots=True)
class StreetMenu:
    """The actions of one street besides checking and calling."""

    fold: bool = True
    raises: Sizes | None = None  # None: never raises

    def sizes(self, state: PokerState) -> Sequence[int]:
        """The raises to consider; in limit games and with a bet menu, all legal ones."""
        if self.raises is None:
            return ()
        moves = state.legal_actions()
        assert isinstance(moves, Moves), "nobody is to act"
        if state.game.betting == "limit" or state.game.bets is not None or not moves.raises:
            return moves.raises
        return amounts(self.raises, state.bet_point(moves.raises[0], moves.raises[-1]), "drop")


NAMED = {
    "c": StreetMenu(fold=False),
    "fc": StreetMenu(),
    "fcpa": StreetMenu(raises=Sizes.pots(1.0)),
    "56bets": StreetMenu(raises=Sizes.pots(*POT_FRACTIONS)),
}


def parse_menus(text: str, game: PokerGame, start: str | None = None) -> tuple[StreetMenu, ...]:
    """The menus of a game's streets from text: one set for all of them, or one for each, separated by ``/``.

    A set is a name (c, fc, fcpa, 56bets) or a list of bets such as '0.5,pot,allin'. Before the street ``start``
    (pre-flop, flop, turn or river) only checks and calls are made.

    >>> from ludus.games import holdem
    >>> [menu.fold for menu in parse_menus("fc", holdem(), start="turn")]
    [False, False, True, True]
    """
    if len(text) > MOST_TEXT:
        raise ValueError(f"bets are a text of at most {MOST_TEXT} characters, got {len(text)}")
    streets = len(game.board_cards)
    parts = text.split("/")
    if len(parts) not in (1, streets):
        raise ValueError(f"bets are one set, or one for each of the {streets} streets of {game.name}, got {text!r}")
    menus = [_menu(part.strip()) for part in parts]
    menus = menus * streets if len(menus) == 1 else menus
    return tuple(NAMED["c"] if street < _street(start, game) else menu for street, menu in enumerate(menus))


def _menu(text: str) -> StreetMenu:
    if known := NAMED.get(text.lower()):
        return known
    if text.lower() in ("all", "any"):
        raise ValueError(f"{text!r} bets are too many to look at: list them, as in '0.5,pot,allin'")
    try:
        return StreetMenu(raises=parse_row(text))
    except ValueError as error:
        raise ValueError(f"{error}; or one of {', '.join(NAMED)}") from None


def _street(name: str | None, game: PokerGame) -> int:
    if name is None:
        return 0
    known = [street.replace("-", "") for street in STREETS[: len(game.board_cards)]]
    plain = name.lower().replace("-", "")
    if plain not in known:
        raise ValueError(f"{game.name} has the streets {', '.join(known)}, got {name!r}")
    return known.index(plain)

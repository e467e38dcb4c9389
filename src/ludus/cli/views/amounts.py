"""Games and amounts in words, with the units of poker where there are blinds."""

from __future__ import annotations

from math import isfinite

from ludus.games import Game

_SAID = {"%": "{} % pot", "u": "multiples of {}", "a": "all-in"}


def in_full(game: Game) -> str:
    """A game's name, and where it is no-limit its bets and stacks too."""
    bets = getattr(game, "bets", None)
    if bets is None:
        return game.name
    words = str(bets)
    if len(bets.lists) == 1:
        words = ", ".join(_SAID.get(size.kind, "{}").format(f"{float(size.number):g}") for size in bets.lists[0].items)
    return f"{game.name} ({words}; stacks {'/'.join(map(str, sorted(set(game.stacks))))})"  # type: ignore[attr-defined]


def in_mbb(game: Game, chips: float) -> float | None:
    """Chips in thousandths of a big blind; None for a game without one, or for what was not measured."""
    blind = getattr(game, "big_blind", None)
    return 1000 * chips / blind if blind and isfinite(chips) else None


def in_words(game: Game, chips: float) -> str:
    """An amount with its unit, and in mbb/g where that makes sense."""
    if (thousandths := in_mbb(game, chips)) is None:
        return f"{chips:.6g}"
    return f"{chips:.6g} chips ({thousandths:,.4g} mbb/g)"

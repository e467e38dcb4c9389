"""Abstract games by few words: named bet menus, and what is usual where nothing was asked for."""

from __future__ import annotations

from ludus.games import holdem
from ludus.games.menu import Menu
from ludus.solvers.blueprint.training import Sampling
from ludus.trees.blueprint import CATEGORY_CLASSES, Abstraction, Form

BETS = {
    "small": "75%;100%;allin;- / 33%,75%;allin;- / 75%;allin;- / 75%,allin;-",
    "default": "75%,125%,allin;100%,allin;allin;- / 33%,75%,allin;100%,allin;allin;-",
    "large": "50%,100%,allin;100%,allin;100%,allin;allin;- / 33%,75%,150%,allin;75%,allin;allin;-",
    "aparicio": "33%,75%,200%,allin",
}
"""Bet schedules by name; the last has the bets of Aparicio (2025), and all-in."""
LAST_ACTION: Form = "aparicio"  # the form of Aparicio (2025), which remembers the last action alone
USUAL_CARDS = "200"
CHIPS = 2  # a big blind


def make_abstraction(
    players: int = 2, stack: float = 100.0, form: str | None = None, cards: str | None = None, bets: str | None = None
) -> Abstraction:
    """An abstract game with stacks in big blinds; None stands for what is usual, ``bets`` may be a name of `BETS`."""
    chips = stack * CHIPS
    if not chips < 1 << 31 or chips != int(chips):
        raise ValueError(f"a stack is a whole number of half big blinds, got {stack:g} big blinds")
    form = form or ("tree" if players == 2 else "bounded")
    last_action = form == LAST_ACTION
    for name, value in (("form", form), ("cards", cards), ("bets", bets)):
        if value == "s1":
            raise ValueError(f"the {name} 's1' are called 'aparicio' now")
    schedule = Menu.parse(BETS.get(bets or ("aparicio" if last_action else "default"), bets or ""))
    game = holdem(players=players, stack=int(chips), blinds=(1, CHIPS), bets=schedule)
    return Abstraction(game, form, cards or (CATEGORY_CLASSES if last_action else USUAL_CARDS))  # type: ignore[arg-type]


def usual_sampling(form: str) -> Sampling:
    """How a form is trained unless somebody says otherwise."""
    return "outcome" if form == LAST_ACTION else "external"

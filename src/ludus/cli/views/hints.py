"""Advice at the terminal table: a few lines before a decision."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from rich.text import Text

from ludus.games.poker import PokerGame, PokerState
from ludus.teach.figures import ChoiceFigures, Figures, odds_in_words, percent

if TYPE_CHECKING:
    from ludus.teach.advice import Advice
    from ludus.teach.advisor import Advisor

SHOWN = 0.005  # an action that is advised less often, and is not the best, is not shown
INDENT, WIDTH = "    ", 80


class Hints:
    """The assistant at a table; it is made when it is first asked."""

    def __init__(self, game: PokerGame) -> None:
        self.game = game
        self._advisor: Advisor | None = None

    def about(self, observation: PokerState) -> list[Text]:
        """Lines about the decision of the player to act, whose cards alone are seen."""
        from rich.console import Console

        from ludus.teach.advisor import default_advisor

        first = ", for the first time, which can take minutes: tables are made and code is compiled"
        with Console(stderr=True).status(f"thinking{first if self._advisor is None else ''}"):
            if self._advisor is None:
                self._advisor = default_advisor(self.game)
            return hint_lines(self._advisor.advise(observation))


def hint_lines(advice: Advice) -> list[Text]:
    """The mix, what the actions are worth, the chances, and the reason."""
    figures = Figures.of(advice)
    outs = f", {len(figures.outs)} out{'s' * (len(figures.outs) > 1)}" if figures.outs else ""
    rows = [choice for choice in figures.choices if choice.chance >= SHOWN or choice.best]
    width = max(len(choice.name) for choice in rows)
    return [
        Text(f"  hint ({figures.source}, {advice.seconds:.1f} s): {odds_in_words(figures)}{outs}", style="cyan"),
        *(_row(choice, width, figures.big_blind) for choice in rows),
        *(Text(f"{INDENT}{line}", style="cyan") for line in wrap(advice.explanation, WIDTH - len(INDENT))),
    ]


def _row(choice: ChoiceFigures, width: int, unit: int) -> Text:
    value, error = choice.value.mean / unit, 1.96 * choice.value.error / unit
    worth = f"EV {value:+.2f} bb" + (f" +- {error:.2f}" if error >= 0.005 else "")
    bar = "#" * round(20 * choice.chance)
    return Text(f"{INDENT}{choice.name:<{width}} {percent(choice.chance):>5} {bar:<20} {worth}",
                style="bold cyan" if choice.best else "cyan")  # fmt: skip

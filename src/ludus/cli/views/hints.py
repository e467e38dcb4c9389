"""Advice at the terminal table: a few lines before a decision."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from rich.text import Text

from ludus.games.poker import PokerGame, PokerState

if TYPE_CHECKING:
    from ludus.teach.advice import Advice, Choice
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
    chances = [f"equity {_percent(advice.equity)}"]
    if advice.state.to_call():
        chances.append(f"a call needs {_percent(advice.pot_odds)}")
    if advice.outs:
        chances.append(f"{len(advice.outs)} out{'s' * (len(advice.outs) > 1)}")
    rows = [choice for choice in advice.choices if choice.chance >= SHOWN or choice is advice.best]
    width = max(len(choice.name) for choice in rows)
    return [
        Text(f"  hint ({advice.source}, {advice.seconds:.1f} s): {', '.join(chances)}", style="cyan"),
        *(_row(choice, width, choice is advice.best, advice.state.game.big_blind) for choice in rows),
        *(Text(f"{INDENT}{line}", style="cyan") for line in wrap(advice.explanation, WIDTH - len(INDENT))),
    ]


def _row(choice: Choice, width: int, best: bool, unit: int) -> Text:
    value, error = choice.value.mean / unit, 1.96 * choice.value.error / unit
    worth = f"EV {value:+.2f} bb" + (f" +- {error:.2f}" if error >= 0.005 else "")
    bar = "#" * round(20 * choice.chance)
    return Text(f"{INDENT}{choice.name:<{width}} {_percent(choice.chance):>5} {bar:<20} {worth}",
                style="bold cyan" if best else "cyan")  # fmt: skip


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"

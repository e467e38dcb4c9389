"""Advice as people read it in a terminal: the situation, the mix with what each action is worth, and the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ludus.cards.card import RANKS
from ludus.cli.views.spots.grid import SIDE, Grid
from ludus.games.names import hand_name, street_name
from ludus.games.record import public_decisions
from ludus.teach.explain import class_shares, range_words, seen_cards
from ludus.teach.figures import Figures, odds_in_words, percent, source_in_words
from ludus.teach.grading import in_blinds
from ludus.teach.reasons import ANY_HAND

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

    from ludus.cli.views.screen import Screen
    from ludus.teach.advice import Advice, Opponent
    from ludus.teach.figures import ChoiceFigures

BAR = 20
WIDEST = 100
_SEEN = 0.5  # per cent: a smaller share of a class is not shown as part of a range


def show_advice(advice: Advice, screen: Screen) -> None:
    """Print all of it."""
    from rich.console import Console, Group
    from rich.panel import Panel
    from rich.text import Text

    console = Console(highlight=False)
    width = min(console.width, WIDEST)
    figures = Figures.of(advice)
    how = f"{source_in_words(figures)}, {advice.seconds:.2f} s" + (f": {figures.note}" if figures.note else "")
    parts: list[RenderableType] = [
        *_situation(advice, screen),
        "",
        choice_table(figures.choices, advice, console),
    ]
    if figures.exploiting:
        parts += ["", _against(advice), choice_table(figures.exploiting, advice, console)]
    parts += [
        "",
        _numbers(figures, screen),
        *_ranges(advice, width - 4),
        "",
        Text(advice.explanation, style="bold"),
        Text(how, style="dim"),
    ]
    console.print(Panel(Group(*parts), title="advice", title_align="left", width=width))


def _against(advice: Advice) -> str:
    """What the mix against these opponents gains, and what it is known from."""
    known, gain = f"against these opponents, by {advice.exploiting_hands:,} hands", advice.exploiting_gain
    if gain is None:
        return f"{known}: no clear gain"
    unit = advice.state.game.big_blind
    return f"{known}: {gain.mean / unit:+.2f} +- {1.96 * gain.error / unit:.2f} bb over the balanced mix"


def _situation(advice: Advice, screen: Screen) -> Iterator[Text]:
    """The player's seat and cards, then every street with what was done on it."""
    from rich.text import Text

    state, game, unit = advice.state, advice.state.game, advice.state.game.big_blind
    stack = f"{_blinds(state.stacks[advice.seat], unit)} behind"
    line = Text(f"{game.players} players, you are {screen.places[advice.seat]} with ")
    line.append_text(screen.cards(state.hole(advice.seat)))
    if state.board:
        line.append(f" ({hand_name(state.hole(advice.seat) + state.board)})", style="dim")
    asked = f", {_blinds(state.to_call(), unit)} to call" if state.to_call() else ""
    yield line.append(f": pot {_blinds(state.pot, unit)}{asked}, {stack}")
    done: list[list[str]] = [[] for _ in state.line]
    for at, action in public_decisions(state):
        done[at.street].append(f"{screen.places[at.player]} {in_blinds(at, action)}")
    for street, actions in enumerate(done):
        told = Text(f"{street_name(game, street)}", style="dim")
        if street:
            told.append(" ").append_text(
                screen.cards(state.cards[game.card_targets[street - 1] : game.card_targets[street]])
            )
        if actions or street:
            yield told.append(f": {', '.join(actions)}" if actions else "")


def choice_table(choices: tuple[ChoiceFigures, ...], advice: Advice, console: Console) -> Table:
    """The mix, with bars, and what each action is worth in big blinds."""
    from rich.table import Table

    unit = advice.state.game.big_blind
    block = "█" if console.encoding.lower().startswith("utf") else "#"
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("action", no_wrap=True)
    table.add_column("often", justify="right", no_wrap=True)
    table.add_column("", min_width=BAR, no_wrap=True)
    table.add_column("EV, bb", justify="right", no_wrap=True)
    for choice in choices:
        value, error = choice.value.mean / unit, choice.value.error / unit
        known = f"{value:+.2f}" + (f" ± {1.96 * error:.2f}" if error >= 0.005 else "")
        table.add_row(
            in_blinds(advice.state, choice.action), percent(choice.chance), block * round(BAR * choice.chance),
            known, style="bold" if choice.best else None,
        )  # fmt: skip
    return table


def _numbers(figures: Figures, screen: Screen) -> Text:
    """Equity, what a call needs or costs, minimum defence and outs, as far as there are any."""
    from rich.text import Text

    defence = f", minimum defence {percent(figures.defence)}" if figures.defence is not None else ""
    line = Text(odds_in_words(figures) + defence)
    if figures.outs:
        line.append(f", {len(figures.outs)} outs: ").append_text(screen.cards(figures.outs))
    return line


def _ranges(advice: Advice, width: int) -> Iterator[Text]:
    """A line for each opponent, and one for all who have yet to show what they hold."""
    from rich.text import Text

    for each in advice.opponents:
        if each.share <= ANY_HAND:
            told = f"{each.place} {percent(each.share)} of hands"
            if len(advice.opponents) > 1:
                told += f", you have {percent(each.equity)}"
            words = range_words(each.range, max(width - len(told) - 2, 20), seen_cards(advice))
            yield Text(f"{told}: {words}", style="dim")
    anything: dict[str, list[str]] = {}
    for each in advice.opponents:
        if each.share > ANY_HAND:
            known = f", you have {percent(each.equity)}" if len(advice.opponents) > 1 else ""
            anything.setdefault(known, []).append(each.place)
    for known, places in anything.items():
        yield Text(f"{', '.join(places)}{known}: any two cards", style="dim")


def show_range(advice: Advice, opponent: Opponent) -> None:
    """Print a range on the 13 x 13 chart: how much of each class that can be held is in it, in per cent."""
    from rich.console import Console
    from rich.text import Text

    held = class_shares(opponent.range, seen_cards(advice))
    grid = Grid(f"range of {opponent.place}", 100 * held, "%")
    console, ranks = Console(highlight=False), RANKS[::-1]
    console.print(Text(f"\n{grid.title}: % of each class", style="bold"))
    console.print("  " + "".join(f"{rank:>5}" for rank in ranks))
    for row, values in enumerate(grid.values.reshape(SIDE, SIDE).tolist()):
        line = Text(f"{ranks[row]} ")
        for value in values:
            if value < _SEEN:
                line.append(f"{'.':>5}")
            else:
                red, green, blue = (round(255 * part) for part in grid.shade(value))
                line.append(f"{value:>5.0f}", style=f"#000000 on #{red:02x}{green:02x}{blue:02x}")
        console.print(line)


def _blinds(chips: float, unit: int) -> str:
    return f"{round(chips / unit, 2):g} bb"

"""A review as the terminal shows it."""

from __future__ import annotations

from rich.text import Text

from ludus.cli.views.screen import Screen
from ludus.cli.views.tables import new_table
from ludus.protocols.histories.text import printable
from ludus.teach.figures import source_in_words
from ludus.teach.file_review import FileReview, confidence, costliest, missing_lines, why
from ludus.teach.grading import GRADES, GradedDecision
from ludus.teach.review import ReviewSummary, leaks

FEW_DECISIONS = 10  # below this a group says little
LEAKY_PLAYERS = 2  # with more, the terminal shows only the sums
_WIDTH = 16  # of a name in the terminal
COLOURS = {"best": "green", "fine": "cyan", "inaccuracy": "yellow", "mistake": "dark_orange", "blunder": "bold red"}
GROUP_TITLES = {
    "street": "by street",
    "position": "by position",
    "situation": "by situation",
    "pot": "by pot, after the flop",
    "opponents": "by opponents in the hand",
    "tendency": "by kind of error",
}


def show(report: FileReview) -> None:
    """Print one line per decision, then the sums."""
    screen = Screen(report.hands[0].final.game)
    for place, hand in enumerate(report.hands, 1):
        if hand.decisions:
            screen.say(f"Hand {printable(f'{hand.number}')} ({place} of {len(report.hands)})", style="bold")
        for decision in hand.decisions:
            screen.console.print(_line(screen, decision, report), soft_wrap=True)
    if report.summaries:
        screen.say("")
        _show_sums(screen, report)
    for summary in report.summaries if len(report.summaries) <= LEAKY_PLAYERS else ():
        _show_leaks(screen, summary)
    if len(report.summaries) > LEAKY_PLAYERS:
        screen.say("\nWith --player NAME, --json or --html this shows the leaks of a player.", style="dim")
    _show_costliest(screen, report)
    screen.say("")
    for line in missing_lines(report):
        screen.say(line, style="yellow")
    screen.say(report.rule.in_words(), style="dim")
    screen.say(f"Thought {report.seconds:g} s a decision at most: more about one hand with --hands and --time.", "dim")


def _line(screen: Screen, decision: GradedDecision, report: FileReview) -> Text:
    line = Text("  ").append(f"{decision.street:<9}{decision.place:<7}")
    if len(report.summaries) > 1:
        line.append(f"{printable(decision.player)[:_WIDTH]:<{_WIDTH + 1}}")
    line.append_text(screen.cards(decision.cards)).append("  ")
    board = screen.cards(decision.state.board)
    line.append_text(board).append(" " * (16 - len(board)))
    line.append(f"{decision.name():<19}").append(f"{decision.grade:<11}", style=COLOURS[decision.grade])
    line.append(f"{-decision.loss:+9.2f} bb  " if decision.loss else " " * 14)
    if reason := why(decision, report.rule):
        line.append(f"{reason} ", style="" if decision.loss else "dim")
    line.append(f"({source_in_words(decision.figures)})", style="dim")
    return line


def _show_sums(screen: Screen, report: FileReview) -> None:
    sums = new_table(["player", "hands", "decisions", "lost, bb", "lost, bb/100"])
    counts = new_table(["player", *GRADES])
    for summary in report.summaries:
        lost = f"{summary.loss:.2f}" + (f" +- {1.96 * summary.error:.2f}" if summary.error else "")
        figures = (f"{summary.hands:,}", f"{len(summary.decisions):,}", lost, f"{summary.per_100:.1f}")
        sums.add_row(_cell(summary.player), *figures)
        counts.add_row(_cell(summary.player), *(f"{count:,}" for count in summary.grades().values()))
    if any(summary.error for summary in report.summaries):
        sums.caption = "+-: 95 % of what the estimates of the values can be off by"
        sums.caption_justify = "left"
    screen.console.print(sums)
    screen.console.print(counts)
    trust: dict[str, list[str]] = {}
    for summary in report.summaries:
        trust.setdefault(confidence(summary), []).append(printable(summary.player)[:_WIDTH])
    for words, names in trust.items():
        screen.say(f"{', '.join(names)}: {words}", style="dim")


def _cell(text: str) -> Text:
    """A name in a table: it may be of any length, and have brackets that mean something to Rich."""
    return Text(printable(text)[:_WIDTH])


def _show_leaks(screen: Screen, summary: ReviewSummary) -> None:
    """Where a player loses, in one table; a kind that costs nothing is no leak."""
    if not summary.loss:
        return
    table = new_table(["", "decisions", "errors", "lost, bb", "a decision", "share %"])
    for group, title in GROUP_TITLES.items():
        found = leaks(summary.decisions, group)
        if len(found) < 2 and group != "tendency":  # all of it is of one kind
            continue
        table.add_row(title, style="bold")
        for leak in found:
            if not leak.loss:
                continue
            few = "dim" if leak.decisions < FEW_DECISIONS else None
            figures = (f"{leak.decisions:,}", f"{leak.errors:,}", f"{leak.loss:.2f}", f"{leak.per_decision:.3f}")
            table.add_row(f"  {leak.kind}", *figures, f"{100 * leak.loss / summary.loss:.0f}", style=few)
    screen.say(
        f"\nWhere {printable(summary.player)[:_WIDTH]} loses (faint: fewer than {FEW_DECISIONS} decisions)", "bold"
    )
    screen.console.print(table)


def _show_costliest(screen: Screen, report: FileReview) -> None:
    worst, several = costliest(report), len(report.summaries) > 1
    if not worst:
        return
    table = new_table(["hand", *["player"] * several, "street", "cards", "board", "action", "better", "lost, bb"])
    for decision in worst:
        table.add_row(
            _cell(f"{decision.hand}"),
            *[_cell(decision.player)] * several,
            decision.street,
            screen.cards(decision.cards),
            screen.cards(decision.state.board),
            decision.name(),
            decision.name(decision.best.action),
            f"{decision.loss:.2f}",
        )
    screen.say("\nThe costliest decisions", style="bold")
    screen.console.print(table)

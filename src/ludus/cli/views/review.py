"""A review as the terminal shows it and as JSON holds it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ludus.arena.interval import FEW, interval

if TYPE_CHECKING:
    from rich.text import Text

    from ludus.cli.playing.table import Screen
    from ludus.protocols.histories import Problem
    from ludus.teach.grading import GradedDecision, GradingRule
    from ludus.teach.review import HandReview, Missing, ReviewSummary

COSTLIEST = 10
FEW_HANDS = 30  # below this no interval is told
FEW_DECISIONS = 10  # below this a group says little
LEAKY_PLAYERS = 2  # of more the terminal shows the sums alone
REASONS = 10  # that are told one by one
NAMED = 5  # hands that are named for one reason
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


@dataclass(frozen=True, eq=False)
class Report:
    """A review of a file, and what it was asked for."""

    file: str
    player: str | None
    seconds: float  # for a decision
    seed: int
    rule: GradingRule
    hands: Sequence[HandReview]
    summaries: Sequence[ReviewSummary]
    problems: Sequence[Problem]  # hands that could not even be read
    complete: bool  # False: it was stopped

    @property
    def decisions(self) -> list[GradedDecision]:
        """All that were graded, in the order of play."""
        return [decision for hand in self.hands for decision in hand.decisions]

    def missing(self) -> dict[str, list[Missing]]:
        """What could not be reviewed, by the reason."""
        found: dict[str, list[Missing]] = {}
        for entry in (entry for hand in self.hands for entry in hand.missing):
            found.setdefault(entry.why, []).append(entry)
        return found


def confidence(summary: ReviewSummary) -> str:
    """How far the loss of a player can be trusted, in words."""
    if summary.hands < FEW_HANDS:
        one = summary.hands == 1
        told = (
            f"{'one hand shows' if one else f'{summary.hands} hands show'} what was lost in {'it' if one else 'them'}, "
        )
        told += "not how somebody usually plays"
    else:
        low, high = _interval(summary)
        told = f"95 % interval {low:.1f} to {high:.1f} bb/100" + ": too few hands to trust it" * (summary.hands < FEW)
    if summary.missing:
        told += f"; {summary.missing:,} more could not be reviewed, so the rest may not be typical"
    return told


def _interval(summary: ReviewSummary) -> tuple[float, float]:
    """The 95 % interval of the loss in a hundred hands; no loss is negative."""
    found = interval(summary.losses).scaled(100)
    return max(0.0, found.mean - found.ci95), found.mean + found.ci95


def why(decision: GradedDecision, rule: GradingRule) -> str:
    """Why an action has its grade, in a few words; empty for the best one."""
    if decision.grade == "best":
        return ""
    if not decision.loss:
        often = f"the advice plays it {100 * decision.chance:.0f} % of the time"
        return often if decision.chance >= rule.often else "no clear difference"
    needed = f", a call needs {100 * decision.pot_odds:.0f} %" if decision.pot_odds else ""
    better = decision.name(decision.best.action)
    return f"{better} was better: equity {100 * decision.equity:.0f} %{needed}"


def missing_lines(report: Report) -> Iterator[str]:
    """What could not be read or reviewed, a line a reason."""
    found = report.missing()
    for reason, entries in list(found.items())[:REASONS]:
        hands = list(dict.fromkeys(f"{entry.hand}" for entry in entries))
        players = len({entry.player for entry in entries})
        who = _shown(entries[0].player) if players == 1 else f"{players} players"
        yield f"not reviewed: {who} in {_named(hands)}: {_shown(reason)}"
    if len(found) > REASONS:
        count = sum(map(len, list(found.values())[REASONS:]))
        yield f"not reviewed: {count:,} more for {len(found) - REASONS:,} other reasons"
    if report.problems:
        shown = "; ".join(_shown(f"{problem}") for problem in report.problems[:NAMED])
        more = f"; and {len(report.problems) - NAMED:,} more" if len(report.problems) > NAMED else ""
        yield f"not read: {len(report.problems):,} hand{'s' * (len(report.problems) != 1)}: {shown}{more}"


def _named(hands: Sequence[str]) -> str:
    listed = ", ".join(_shown(hand) for hand in hands[:NAMED]) + ", ..." * (len(hands) > NAMED)
    return f"hand {listed}" if len(hands) == 1 else f"{len(hands):,} hands ({listed})"


def _shown(text: str) -> str:
    from ludus.protocols.histories.text import printable

    return printable(text)


# The terminal


def show(report: Report) -> None:
    """Print a line a decision, then the sums."""
    from ludus.cli.playing.table import Screen

    screen = Screen(report.hands[0].final.game)
    for place, hand in enumerate(report.hands, 1):
        if hand.decisions:
            screen.say(f"Hand {_shown(f'{hand.number}')} ({place} of {len(report.hands)})", style="bold")
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


def _line(screen: Screen, decision: GradedDecision, report: Report) -> Text:
    from rich.text import Text

    line = Text("  ").append(f"{decision.street:<9}{decision.place:<7}")
    if len(report.summaries) > 1:
        line.append(f"{_shown(decision.player)[:_WIDTH]:<{_WIDTH + 1}}")
    line.append_text(screen.cards(decision.cards)).append("  ")
    board = screen.cards(decision.state.board)
    line.append_text(board).append(" " * (16 - len(board)))
    line.append(f"{decision.name():<19}").append(f"{decision.grade:<11}", style=COLOURS[decision.grade])
    line.append(f"{-decision.loss:+9.2f} bb  " if decision.loss else " " * 14)
    line.append(why(decision, report.rule), style="" if decision.loss else "dim")
    line.rstrip()
    return line


def _show_sums(screen: Screen, report: Report) -> None:
    from ludus.cli.views.tables import new_table
    from ludus.teach.grading import GRADES

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
        trust.setdefault(confidence(summary), []).append(_shown(summary.player)[:_WIDTH])
    for words, names in trust.items():
        screen.say(f"{', '.join(names)}: {words}", style="dim")


def _cell(text: str) -> Text:
    """A name in a table: it may be of any length, and have brackets that mean something to Rich."""
    from rich.text import Text

    return Text(_shown(text)[:_WIDTH])


def _show_leaks(screen: Screen, summary: ReviewSummary) -> None:
    """Where a player loses, in one table; a kind that costs nothing is no leak."""
    from ludus.cli.views.tables import new_table
    from ludus.teach.review import leaks

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
    screen.say(f"\nWhere {_shown(summary.player)[:_WIDTH]} loses (faint: fewer than {FEW_DECISIONS} decisions)", "bold")
    screen.console.print(table)


def _show_costliest(screen: Screen, report: Report) -> None:
    from ludus.cli.views.tables import new_table

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


def costliest(report: Report) -> list[GradedDecision]:
    """The decisions of all players that lost most, the worst first."""
    rows = [decision for summary in report.summaries for decision in summary.costliest(COSTLIEST)]
    return sorted(rows, key=lambda decision: -decision.loss)[:COSTLIEST]


# JSON


def as_data(report: Report) -> dict[str, Any]:
    """A review as JSON can hold it; the help of the command names the fields."""
    from dataclasses import asdict

    return {
        "file": report.file,
        "player": report.player,
        "seconds_per_decision": report.seconds,
        "seed": report.seed,
        "complete": report.complete,
        "rule": asdict(report.rule) | {"words": report.rule.in_words()},
        "hands": sum(bool(hand.seats) for hand in report.hands),
        "players": [_player_data(summary) for summary in report.summaries],
        "costliest": [{"hand": row.hand, "step": row.step, "loss_bb": row.loss} for row in costliest(report)],
        "decisions": [_decision_data(decision, report.rule) for decision in report.decisions],
        "not_reviewed": [
            {"why": reason, "count": len(entries), "hands": list(dict.fromkeys(entry.hand for entry in entries))}
            for reason, entries in report.missing().items()
        ],
        "not_read": [f"{problem}" for problem in report.problems],
    }


def _player_data(summary: ReviewSummary) -> dict[str, Any]:
    from dataclasses import asdict

    from ludus.teach.review import GROUPS, leaks

    low_high = _interval(summary) if summary.hands >= FEW_HANDS else None
    return {
        "player": summary.player,
        "hands": summary.hands,
        "decisions": len(summary.decisions),
        "not_reviewed": summary.missing,
        "loss_bb": summary.loss,
        "loss_bb_error": summary.error,
        "loss_bb_per_100": summary.per_100,
        "loss_bb_per_100_ci95": None if low_high is None else list(low_high),
        "too_few": summary.hands < FEW,
        "grades": summary.grades(),
        "leaks": {
            group: [asdict(leak) | {"per_decision": leak.per_decision} for leak in leaks(summary.decisions, group)]
            for group in GROUPS
        },
    }


def _decision_data(decision: GradedDecision, rule: GradingRule) -> dict[str, Any]:
    from ludus.cards.card import format_cards
    from ludus.teach.review import pot_kind, situation, tendency

    unit = decision.state.game.big_blind
    return {
        "hand": decision.hand,
        "step": decision.step,
        "player": decision.player,
        "position": decision.place,
        "players": decision.state.game.players,
        "street": decision.street,
        "situation": situation(decision.state),
        "pot": pot_kind(decision.state),
        "tendency": tendency(decision),
        "cards": format_cards(decision.cards),
        "board": format_cards(decision.state.board),
        "pot_bb": decision.state.pot / unit,
        "to_call_bb": decision.state.to_call() / unit,
        "action": decision.action,
        "name": decision.name(),
        "grade": decision.grade,
        "loss_bb": decision.loss,
        "difference_bb": decision.difference,
        "difference_bb_error": decision.error,
        "why": why(decision, rule),
        "equity": decision.equity,
        "pot_odds": decision.pot_odds,
        "source": decision.source,
        "explanation": decision.explanation,
        "best": decision.best.action,
        "choices": [
            {
                "action": choice.action,
                "name": decision.name(choice.action),
                "chance": choice.chance,
                "value_bb": choice.value.mean / unit,
                "value_bb_error": choice.value.error / unit,
            }
            for choice in decision.choices
        ],
    }

"""A file of hands reviewed: every decision graded against the advice, sums by player, as data and in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from ludus.arena.hand_files import read_places
from ludus.arena.interval import FEW, interval
from ludus.cards.card import format_cards
from ludus.parallel import Stages
from ludus.protocols.histories import PlayedHand, Problem
from ludus.protocols.histories.text import printable
from ludus.teach.figures import odds_in_words, percent
from ludus.teach.grading import STANDARD, GradedDecision, GradingRule
from ludus.teach.review import (
    GROUPS,
    GivesAdvice,
    HandReview,
    Missing,
    ReviewSummary,
    leaks,
    observations,
    obstacle,
    pot_kind,
    review_hand,
    situation,
    summarize,
    tendency,
)

COSTLIEST = 10
FEW_HANDS = 30  # below this no interval is given
REASONS = 10  # that are listed one by one
NAMED = 5  # hands that are named for one reason
PLAYERS = 10  # that are named when one is not found
MOST_SECONDS, LEAST_SECONDS = 10.0, 1.0  # of thinking about a decision, where nothing else is asked for
ALL_SECONDS = 300.0  # of thinking about all of them, if there are no more than that makes the least


@dataclass(frozen=True, eq=False)
class FileReview:
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
    wanted: int  # hands to review

    @property
    def decisions(self) -> list[GradedDecision]:
        """All that were graded, in the order of play."""
        return [decision for hand in self.hands for decision in hand.decisions]

    def missing(self) -> dict[str, list[Missing]]:
        """What could not be reviewed, by reason."""
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
    """The 95 % interval of the loss per hundred hands; no loss is negative."""
    found = interval(summary.losses).scaled(100)
    return max(0.0, found.mean - found.ci95), found.mean + found.ci95


def why(decision: GradedDecision, rule: GradingRule) -> str:
    """Why an action has its grade, in a few words; empty for the best one."""
    if decision.grade == "best":
        return ""
    if not decision.loss:
        often = f"the advice plays it {percent(decision.chance)} of the time"
        return often if decision.chance >= rule.often else "no clear difference"
    return f"{decision.name(decision.best.action)} was better: {odds_in_words(decision.figures)}"


def missing_lines(report: FileReview) -> Iterator[str]:
    """What could not be read or reviewed, one line for each reason."""
    found = report.missing()
    for reason, entries in list(found.items())[:REASONS]:
        hands = list(dict.fromkeys(f"{entry.hand}" for entry in entries))
        players = len({entry.player for entry in entries})
        who = printable(entries[0].player) if players == 1 else f"{players} players"
        yield f"not reviewed: {who} in {_named(hands)}: {printable(reason)}"
    if len(found) > REASONS:
        count = sum(map(len, list(found.values())[REASONS:]))
        yield f"not reviewed: {count:,} more for {len(found) - REASONS:,} other reasons"
    if report.problems:
        shown = "; ".join(printable(f"{problem}") for problem in report.problems[:NAMED])
        more = f"; and {len(report.problems) - NAMED:,} more" if len(report.problems) > NAMED else ""
        yield f"not read: {len(report.problems):,} hand{'s' * (len(report.problems) != 1)}: {shown}{more}"


def _named(hands: Sequence[str]) -> str:
    listed = ", ".join(printable(hand) for hand in hands[:NAMED]) + ", ..." * (len(hands) > NAMED)
    return f"hand {listed}" if len(hands) == 1 else f"{len(hands):,} hands ({listed})"


def costliest(report: FileReview) -> list[GradedDecision]:
    """The decisions of all players that lost most, the worst first."""
    rows = [decision for summary in report.summaries for decision in summary.costliest(COSTLIEST)]
    return sorted(rows, key=lambda decision: -decision.loss)[:COSTLIEST]


def as_data(report: FileReview) -> dict[str, Any]:
    """A review as JSON data; the help of the command names the fields."""
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
    figures, unit = decision.figures, decision.state.game.big_blind
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
        "equity": figures.equity,
        "pot_odds": figures.pot_odds,
        "needed": figures.needed,
        "opponents": [asdict(each) for each in figures.opponents],
        "source": figures.source,
        "note": figures.note,
        "accuracy": figures.accuracy,
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


# The run


def review_file(
    file: Path, adviser: Callable[[float, int], GivesAdvice], player: str | None, places: tuple[int, int | None],
    limit: int | None, seconds: float | None, seed: int, progress: Stages,
) -> FileReview:  # fmt: skip
    """Review the hands from one place of a file to another, at most ``limit``, for one player or all.

    The adviser is made with the seconds for a decision, by default those that fit the number of decisions, and a seed.
    Ctrl-C ends it: "complete" is False.
    """
    found = list(read_places(file, *places, partial(progress, "reading")))
    played = [hand for hand in found if isinstance(hand, PlayedHand)]
    problems = [problem for problem in found if isinstance(problem, Problem)]
    chosen = [hand for hand in played if player is None or player in hand.players][:limit]
    if not chosen:
        raise ValueError(_why_none(file, played, problems, player))
    if seconds is None:
        seconds = fitting_seconds(chosen, player)
    done, complete = _reviewed(chosen, player, adviser(seconds, seed), partial(progress, "reviewing"))
    return FileReview(
        f"{file}", player, seconds, seed, STANDARD, done, summarize(done), problems, complete, len(chosen)
    )


def fitting_seconds(hands: Sequence[PlayedHand], player: str | None) -> float:
    """How long to think about a decision: long about a few, so that many do not take all day."""
    most = int(ALL_SECONDS / LEAST_SECONDS)
    found = (
        step
        for hand in hands
        for seat in _seats(hand, player)
        if not obstacle(hand.state, seat)
        for step in observations(hand.state, seat)
    )
    decisions = sum(1 for _ in islice(found, most))
    return round(min(MOST_SECONDS, ALL_SECONDS / max(decisions, 1)), 1)


def _seats(hand: PlayedHand, player: str | None) -> list[int]:
    return [seat for seat, name in enumerate(hand.players) if player in (None, name)]


def _why_none(file: Path, played: Sequence[PlayedHand], problems: Sequence[Problem], player: str | None) -> str:
    """Why there is nothing to review."""
    if played:
        counts = Counter(name for hand in played for name in hand.players).most_common(PLAYERS + 1)
        others = ", ".join(printable(name) for name, _ in counts[:PLAYERS]) + " and others" * (len(counts) > PLAYERS)
        return f"{player!r} does not play in these hands of {file}; there are {others}"
    if problems:
        return f"no hand of {file} could be read: {printable(f'{problems[0]}')}"
    return f"{file} has no such hands"


def _reviewed(
    played: Sequence[PlayedHand], player: str | None, advice: GivesAdvice, progress: Callable[[int, int], object]
) -> tuple[list[HandReview], bool]:
    """The hands with their decisions graded, and whether that is all of them: Ctrl-C ends it."""
    total = sum(len(street) for hand in played for street in hand.state.line)
    done: list[HandReview] = []
    seen = 0

    def graded() -> None:
        nonlocal seen
        seen += 1
        progress(seen, total)

    try:
        for hand in played:
            before, seats = seen, _seats(hand, player)
            done.append(review_hand(hand.state, hand.players, advice, seats, hand.number, progress=graded))
            seen = before + sum(map(len, hand.state.line))  # the others' actions are passed over
            progress(seen, total)
    except KeyboardInterrupt:
        return done, False
    return done, True

"""``ludus review``: every decision of a file of hands graded against the advice."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ludus.protocols.histories import PlayedHand, Problem
    from ludus.teach.review import GivesAdvice, HandReview

_NAMES = 10  # players that are named when one is not found
FIELDS = (
    "JSON: file, player, seconds_per_decision, seed, complete, rule, hands; players (a list: hands, decisions, loss_bb "
    "with its standard error, loss_bb_per_100 with a 95 % interval from 30 hands on, grades, and leaks by street, "
    "position, situation, pot, opponents and tendency, each with decisions, errors, loss and per_decision in bb); "
    "costliest; decisions (hand, step, player, position, street, situation, pot, tendency, cards, board, pot_bb, "
    "to_call_bb, action: -1 fold, 0 check or call, else the chips of the street raised to; name, grade, loss_bb, "
    "difference_bb with its standard error, why, equity, pot_odds, source, explanation, best, and choices with chance "
    "and value_bb); not_reviewed and not_read with the reasons."
)


def review(
    file: Annotated[Path, typer.Argument(help="Hands as PHH, PokerStars' text, or the log or folder of a match.")],
    player: Annotated[
        str | None, typer.Option(help="Whose decisions.", show_default="all whose cards are known")
    ] = None,
    hands: Annotated[
        str | None,
        typer.Option(help="From one place in the file to another, as in 10-20.", metavar="FROM-TO"),
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Review at most so many hands.", min=1)] = None,
    seconds: Annotated[float, typer.Option("--time", help="Longest thinking about a decision, in seconds.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Same seed, same review, as long as no time runs out.", min=0)] = 0,
    html: Annotated[Path | None, typer.Option(help="Write a page of its own to this file.", metavar="OUT.html")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Grade every decision of hold'em hands that were played: best, fine, inaccuracy, mistake or blunder.

    What counts is the value of the best choice less that of the action taken, in big blinds, where the estimates are
    sure of it (two standard errors) and the advice plays the action less than 10 % of the time. A loss is an inaccuracy
    from 0.05 bb and 1 % of the pot on, a mistake from 0.25 bb and 5 %, a blunder from 1 bb and 15 %, whichever is more.
    Then come the sums by player, street, position and kind of situation. Hands that cannot be reviewed are counted and
    named; Ctrl-C shows the review of the hands done so far.
    """
    import json

    from ludus.cli.options import stop_early
    from ludus.cli.views.review import Report, as_data, show
    from ludus.files import write_atomically
    from ludus.teach.grading import STANDARD
    from ludus.teach.review import summarize

    if not 0 < seconds <= 3600:
        raise ValueError(f"--time is more than 0 and at most 3600 seconds, got {seconds:g}")
    if html is not None and html.is_dir():
        raise ValueError(f"--html {html} is a folder: name a file in it")
    first, last = _span(hands)
    played, problems = _read(file, first, last)
    chosen = [hand for hand in played if player is None or player in hand.players][:limit]
    if not chosen:
        raise ValueError(_why_none(file, played, problems, player))
    done, complete = _reviewed(chosen, player, adviser(seconds, seed))
    report = Report(f"{file}", player, seconds, seed, STANDARD, done, summarize(done), problems, complete)
    if html is not None and report.decisions:
        from ludus.cli.views.review_page import page

        write_atomically(html, page(report).encode())
    if as_json:
        print(json.dumps(as_data(report), indent=2))
    elif done:
        show(report)
    if not complete:
        stop_early(f"{len(done):,} of {len(chosen):,} hands")
    if not report.decisions:
        raise ValueError(f"no decision of {file} could be reviewed")


def adviser(seconds: float, seed: int) -> GivesAdvice:
    """Whose advice decisions are measured by."""
    from ludus.teach.advisor import AnyTableAdvisor

    return AnyTableAdvisor(seconds=seconds, seed=seed)


def _span(text: str | None) -> tuple[int, int | None]:
    """The places of hands in a file, counted from 1, that a text such as 10-20, 10- or 7 means."""
    if text is None:
        return 1, None
    found = re.fullmatch(r"([0-9]{1,9})(?:(-)([0-9]{1,9})?)?", text.strip(), re.ASCII)
    first = int(found[1]) if found else 0
    last = None if found and found[2] and not found[3] else int((found and found[3]) or first)
    if first < 1 or (last is not None and last < first):
        raise ValueError(f"--hands are places in the file counted from 1, as in 10-20, 10- or 7, got {text!r:.40}")
    return first, last


def _read(file: Path, first: int, last: int | None) -> tuple[list[PlayedHand], list[Problem]]:
    """The hands from one place of a file to another, and those of them that cannot be read."""
    from ludus.arena.log import LOGS
    from ludus.cli.views.progress import progress_bar
    from ludus.protocols.histories import FORMATS, Problem, files_in, read_file

    if not file.exists():
        raise FileNotFoundError(f"there is no file {file}")
    paths = files_in(file)
    if len(paths) != 1:
        raise ValueError(f"{file} is a folder without the log of a match: name one file of hands")
    total, done = paths[0].stat().st_size, 0

    def heard(size: int) -> None:
        nonlocal done
        done += size

    played: list[PlayedHand] = []
    problems: list[Problem] = []
    with progress_bar("reading") as progress:
        for place, found in enumerate(read_file(paths[0], (*FORMATS, LOGS), heard), 1):
            if last is not None and place > last:
                break
            if isinstance(found, Problem):
                problems += [found] * (place >= first)
            else:
                played += [found] * (place >= first)
            progress(done, total)
    return played, problems


def _why_none(file: Path, played: Sequence[PlayedHand], problems: Sequence[Problem], player: str | None) -> str:
    """Why there is nothing to review."""
    from collections import Counter

    from ludus.protocols.histories.text import printable

    if played:
        names = [name for name, _ in Counter(name for hand in played for name in hand.players).most_common(_NAMES + 1)]
        others = ", ".join(map(printable, names[:_NAMES])) + " and others" * (len(names) > _NAMES)
        return f"{player!r} does not play in these hands of {file}; there are {others}"
    if problems:
        return f"no hand of {file} could be read: {printable(f'{problems[0]}')}"
    return f"{file} has no such hands"


def _reviewed(played: Sequence[PlayedHand], player: str | None, advice: GivesAdvice) -> tuple[list[HandReview], bool]:
    """The hands with their decisions graded, and whether that is all of them: Ctrl-C ends it."""
    from ludus.cli.views.progress import progress_bar
    from ludus.teach.review import review_hand

    total = sum(len(street) for hand in played for street in hand.state.line)
    done: list[HandReview] = []
    seen = 0
    with progress_bar("reviewing") as progress:

        def graded() -> None:
            nonlocal seen
            seen += 1
            progress(seen, total)

        try:
            for hand in played:
                seats = [seat for seat, name in enumerate(hand.players) if player in (None, name)]
                before = seen
                done.append(review_hand(hand.state, hand.players, advice, seats, hand.number, progress=graded))
                seen = before + sum(map(len, hand.state.line))  # the others' actions are passed over
                progress(seen, total)
        except KeyboardInterrupt:
            return done, False
    return done, True

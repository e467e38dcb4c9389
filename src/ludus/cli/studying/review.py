"""``ludus review``: every decision of a file of hands graded against the advice."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.options import stop_early

if TYPE_CHECKING:
    from ludus.teach.review import GivesAdvice

FIELDS = (
    "JSON: file, player, seconds_per_decision, seed, complete, rule, hands; players (a list: hands, decisions, loss_bb "
    "with its standard error, loss_bb_per_100 with a 95 % interval from 30 hands on, grades, and leaks by street, "
    "position, situation, pot, opponents and tendency, each with decisions, errors, loss and per_decision in bb); "
    "costliest; decisions (hand, step, player, position, street, situation, pot, tendency, cards, board, pot_bb, "
    "to_call_bb, action: -1 fold, 0 check or call, else the chips of the street raised to; name, grade, loss_bb, "
    "difference_bb with its standard error, why, equity against all opponents, pot_odds and the equity needed to call "
    "where there is a bet, opponents with the equity against each, source, note, accuracy: the largest error of the "
    "values in parts of the pot, explanation, best, and choices with chance "
    "and value_bb); not_reviewed and not_read with the reasons."
)


def review(
    file: Annotated[Path, typer.Argument(help="Hands as PHH, a poker site's text, or the log or folder of a match.")],
    player: Annotated[
        str | None, typer.Option(help="Whose decisions.", show_default="all whose cards are known")
    ] = None,
    hands: Annotated[
        str | None,
        typer.Option(help="From one place in the file to another, as in 10-20.", metavar="FROM-TO"),
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Review at most this many hands.", min=1)] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--time", help="Longest thinking about a decision, in seconds.", show_default="10 for a few, 1 for hundreds"
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same review, as long as no time runs out.", min=0)] = 0,
    html: Annotated[Path | None, typer.Option(help="Write a page of its own to this file.", metavar="OUT.html")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Grade every decision of hold'em hands that were played: best, fine, inaccuracy, mistake or blunder.

    What counts is the value of the advised mix less that of the action taken, in big blinds, where the estimates are
    sure of it (two standard errors) and the advice plays the action less than 10 % of the time. A loss is an inaccuracy
    from 0.05 bb and 1 % of the pot on, a mistake from 0.25 bb and 5 %, a blunder from 1 bb and 15 %, whichever is more.
    Each decision says what the advice comes from and how far its values may be off; to think longer about a hand, name
    it with --hands and give it more --time. Then come the sums by player, street, position and kind of situation. Hands
    that cannot be reviewed are counted and named; Ctrl-C shows the review of the hands done so far.
    """
    import json

    from ludus.cli.views.progress import stages
    from ludus.cli.views.review import show
    from ludus.cli.views.review_page import page
    from ludus.files import write_atomically
    from ludus.teach.file_review import as_data, review_file

    if seconds is not None and not 0 < seconds <= 3600:
        raise ValueError(f"--time is more than 0 and at most 3600 seconds, got {seconds:g}")
    if html is not None and html.is_dir():
        raise ValueError(f"--html {html} is a folder: name a file in it")
    places = _span(hands)
    with stages() as progress:
        report = review_file(file, adviser, player, places, limit, seconds, seed, progress)
    if html is not None and report.decisions:
        write_atomically(html, page(report).encode())
    if as_json:
        print(json.dumps(as_data(report), indent=2))
    elif report.hands:
        show(report)
    if not report.complete:
        stop_early(f"{len(report.hands):,} of {report.wanted:,} hands")
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

"""A review as one page of HTML: no scripts, nothing from elsewhere, and every text in it escaped."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.cards.card import CARDS
from ludus.cli.views.review import FEW_DECISIONS, GROUP_TITLES, LEAKY_PLAYERS
from ludus.games.names import place_names, street_name
from ludus.games.record import retrace
from ludus.protocols.histories.text import printable
from ludus.teach.figures import odds_in_words, source_in_words
from ludus.teach.file_review import FileReview, confidence, costliest, missing_lines, why
from ludus.teach.grading import GRADES, GradedDecision, in_blinds
from ludus.teach.review import GROUPS, HandReview, Leak, ReviewSummary, leaks

if TYPE_CHECKING:
    from ludus.games.poker import PokerState

_SUITS = {"c": "&clubs;", "d": "&diams;", "h": "&hearts;", "s": "&spades;"}
_STYLE = """
:root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --ink: #1d2430; --soft: #5c6675; --line: #dfe3e9;
  --c: #177a3d; --d: #1f5fc4; --h: #c42b2b; --s: #1d2430;
  --best: #2c8f53; --fine: #3f8fb5; --inaccuracy: #c79a17; --mistake: #d9731a; --blunder: #c93434; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14181f; --card: #1d232c; --ink: #e4e8ee; --soft: #98a3b3; --line: #323a46;
    --c: #5fc488; --d: #76a8f5; --h: #f07c7c; --s: #e4e8ee;
    --best: #3fae6c; --fine: #4fa5cd; --inaccuracy: #d9b036; --mistake: #e88a3c; --blunder: #e25757; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 66rem; padding: 1.5rem 1rem 4rem; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1, h3 { overflow-wrap: anywhere; margin: 0; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .6rem; } h3 { font-size: 1rem; }
p { margin: .4rem 0; } .soft { color: var(--soft); } a { color: inherit; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .9rem 1.1rem;
  margin: .6rem 0; }
.figures { display: flex; flex-wrap: wrap; gap: .4rem 2.2rem; margin: .5rem 0; }
.figures b { display: block; font-size: 1.45rem; line-height: 1.25; }
.bar { display: flex; height: .8rem; border-radius: 6px; overflow: hidden; background: var(--line); margin: .5rem 0; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; font-size: .9rem; }
.dot { display: inline-block; width: .7rem; height: .7rem; border-radius: 3px; margin-right: .35rem; }
.leaks { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: .2rem 2.5rem;
  align-items: start; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: .5rem 0; }
th { text-align: left; color: var(--soft); font-weight: 500; }
th, td { padding: .2rem .5rem .2rem 0; border-bottom: 1px solid var(--line); vertical-align: baseline; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.few { opacity: .6; } tr.taken td { font-weight: 600; }
.share { display: inline-block; width: 4.5rem; height: .5rem; border-radius: 3px; background: var(--line); }
.share span { display: block; height: 100%; border-radius: 3px; background: var(--mistake); }
details > summary { cursor: pointer; list-style-position: inside; }
.hand > summary { display: flex; flex-wrap: wrap; gap: .2rem .9rem; align-items: baseline; }
.hand > summary::before { content: "\\25b8"; } .hand[open] > summary::before { content: "\\25be"; }
.street { margin: .8rem 0 .2rem; color: var(--soft); }
.move { padding: .1rem 0 .1rem 1.2rem; } details.move { padding-left: 0; margin-left: .2rem; }
.why { margin: .3rem 0 .6rem 1rem; border-left: 3px solid var(--line); padding-left: .9rem; }
.grade { color: #fff; border-radius: 5px; padding: 0 .45rem; font-size: .85rem; white-space: nowrap; }
.loss { font-variant-numeric: tabular-nums; white-space: nowrap; }
.cards { white-space: nowrap; font-weight: 600; letter-spacing: .02em; }
.c { color: var(--c); } .d { color: var(--d); } .h { color: var(--h); } .s { color: var(--s); }
""" + "".join(f".{grade} {{ background: var(--{grade}); }}\n" for grade in GRADES)


def page(report: FileReview) -> str:
    """The whole page."""
    title = f"Review of {_text(Path(report.file).name)}"
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>",
            *_lead(report),
            *(_player(summary, len(report.summaries) <= LEAKY_PLAYERS) for summary in report.summaries),
            *_worst(report),
            *_left_out(report),
            f'<h2>How it is graded</h2>\n<p class="soft">{_text(report.rule.in_words())}</p>',
            "<h2>Hands</h2>",
            *(_hand(place, hand, report) for place, hand in enumerate(report.hands) if hand.decisions),
            "</body>\n</html>\n",
        ]
    )


def _text(text: object) -> str:
    """Text as HTML holds it, without what could steer a browser or turn the direction of writing."""
    return html.escape(printable(f"{text}"))


def _cards(cards: Sequence[int]) -> str:
    shown = (f'<span class="{CARDS[card][1]}">{CARDS[card][0]}{_SUITS[CARDS[card][1]]}</span>' for card in cards)
    return f'<span class="cards">{" ".join(shown)}</span>'


def _badge(grade: str) -> str:
    return f'<span class="grade {grade}">{grade}</span>'


def _row(cells: Sequence[str], numbers_from: int, kind: str = "", tag: str = "td") -> str:
    """A row of a table whose cells are HTML already; from some column on they are numbers."""
    told = (f"<{tag}{' class=number' * (at >= numbers_from)}>{cell}</{tag}>" for at, cell in enumerate(cells))
    return f"<tr{f' class={kind}' if kind else ''}>{''.join(told)}</tr>"


# Sums


def _lead(report: FileReview) -> Iterator[str]:
    hands, decisions = len([hand for hand in report.hands if hand.seats]), len(report.decisions)
    whose = "of every player whose cards are known" if report.player is None else f"of {_text(report.player)}"
    yield (
        f'<p class="soft">{hands:,} hand{"s" * (hands != 1)}, {decisions:,} decision{"s" * (decisions != 1)} {whose}; '
        f"up to {report.seconds:g} s a decision, seed {report.seed}.</p>"
    )
    if not report.complete:
        yield "<p><b>The review was stopped early: later hands are not in it.</b></p>"


def _player(summary: ReviewSummary, opened: bool) -> str:
    """The sums of a player, and their leaks, which may be folded away."""
    counts, total = summary.grades(), max(len(summary.decisions), 1)
    bar = "".join(
        f'<span class="{grade}" style="width:{100 * count / total:.3f}%"></span>' for grade, count in counts.items()
    )
    legend = "".join(
        f'<span><span class="dot {grade}"></span>{grade} {count:,} ({100 * count / total:.0f} %)</span>'
        for grade, count in counts.items()
    )
    error = f' <span class="soft">&plusmn; {1.96 * summary.error:.2f}</span>' if summary.error else ""
    figures = (
        (f"{summary.per_100:.1f}", "bb lost in 100 hands"),
        (f"{summary.loss:.2f}{error}", "bb lost in all"),
        (f"{summary.hands:,}", "hands"),
        (f"{len(summary.decisions):,}", "decisions"),
    )
    told = "".join(f"<span><b>{number}</b>{what}</span>" for number, what in figures)
    tables = "".join(_leaks(leaks(summary.decisions, group), GROUP_TITLES[group], summary.loss) for group in GROUPS)
    where = f"<summary>where it is lost (faint: fewer than {FEW_DECISIONS} decisions)</summary>"
    folded = f'<details{" open" * opened}>{where}\n<div class="leaks">{tables}</div></details>' if tables else ""
    return (
        f'<section class="card">\n<h3>{_text(summary.player)}</h3>\n<div class="figures">{told}</div>\n'
        f'<div class="bar">{bar}</div>\n<div class="legend">{legend}</div>\n'
        f'<p class="soft">{_text(confidence(summary))}</p>\n{folded}\n</section>'
    )


def _leaks(found: Sequence[Leak], title: str, total: float) -> str:
    if not any(leak.loss for leak in found):
        return ""
    rows = [_row((title, "decisions", "errors", "lost, bb", ""), 1, tag="th")]
    for leak in found:
        share = leak.loss / total
        style = f'style="width:{100 * share:.1f}%"'
        bar = f'<span class="share" title="{100 * share:.0f} % of all that was lost"><span {style}></span></span>'
        cells = (_text(leak.kind), f"{leak.decisions:,}", f"{leak.errors:,}", f"{leak.loss:.2f}", bar)
        rows.append(_row(cells, 1, "few" if leak.decisions < FEW_DECISIONS else ""))
    return f"<table>{''.join(rows)}</table>"


def _worst(report: FileReview) -> Iterator[str]:
    worst = costliest(report)
    if not worst:
        return
    places = {id(decision): place for place, hand in enumerate(report.hands) for decision in hand.decisions}
    yield '<h2>The costliest decisions</h2>\n<div class="card scroll"><table>'
    yield _row(("hand", "player", "street", "cards", "board", "action", "better", "", "lost, bb"), 8, tag="th")
    for decision in worst:
        link = f'<a href="#hand{places[id(decision)]}">{_text(decision.hand)}</a>'
        cells = (
            link,
            _text(decision.player),
            decision.street,
            _cards(decision.cards),
            _cards(decision.state.board),
            _text(decision.name()),
            _text(decision.name(decision.best.action)),
            _badge(decision.grade),
            f"{decision.loss:.2f}",
        )
        yield _row(cells, 8)
    yield "</table></div>"


def _left_out(report: FileReview) -> Iterator[str]:
    lines = [_text(line) for line in missing_lines(report)]
    if lines:
        yield f'<h2>Left out</h2>\n<ul class="soft">{"".join(f"<li>{line}</li>" for line in lines)}</ul>'


# Hands


def _hand(place: int, hand: HandReview, report: FileReview) -> str:
    places = place_names(hand.final.game)
    holders = ", ".join(
        f"{_text(hand.names[seat])} {places[seat]} {_cards(hand.final.hole(seat))}"
        for seat in hand.seats
        if any(decision.state.player == seat for decision in hand.decisions)
    )
    loss = sum(decision.loss for decision in hand.decisions)
    worst = max((decision.grade for decision in hand.decisions), key=GRADES.index)
    lost = f'<span class="loss">&minus;{loss:.2f} bb</span>' if loss else ""
    count = len(hand.decisions)
    return (
        f'<details class="hand card" id="hand{place}">\n<summary><b>Hand {_text(hand.number)}</b> '
        f"<span>{holders}</span>"
        f' <span class="soft">{count} decision{"s" * (count != 1)}</span> {_badge(worst)} {lost}</summary>\n'
        f"{''.join(_moves(hand, report))}</details>"
    )


def _moves(hand: HandReview, report: FileReview) -> Iterator[str]:
    """Every action of a hand, street by street; those that were graded can be opened."""
    graded = {decision.step: decision for decision in hand.decisions}
    places, street = place_names(hand.final.game), -1
    for step, (state, action) in enumerate(retrace(hand.final, hand.final.game.deck)):  # no action depends on cards
        if state.street != street:
            street = state.street
            yield _street(hand, state)
        who = f"{places[state.player]} {_text(hand.names[state.player])}"
        if step in graded:
            yield _decision(graded[step], who, report)
        else:
            yield f'<div class="move soft">{who}: {_text(in_blinds(state, action))}</div>\n'


def _street(hand: HandReview, state: PokerState) -> str:
    game = hand.final.game
    board = hand.final.board[: sum(game.board_cards[: state.street + 1])]
    pot = f"pot {state.pot / game.big_blind:.4g} bb"
    return f'<div class="street">{street_name(game, state.street)} {_cards(board)} {pot}</div>\n'


def _decision(decision: GradedDecision, who: str, report: FileReview) -> str:
    lost = f' <span class="loss">&minus;{decision.loss:.2f} bb</span>' if decision.loss else ""
    reason = why(decision, report.rule)
    told = f' <span class="soft">{_text(reason)}</span>' if reason else ""
    unit = decision.state.game.big_blind
    rows = [_row(("action", "advice %", "value, bb", "&plusmn;"), 1, tag="th")]
    for choice in decision.choices:
        error = f"{1.96 * choice.value.error / unit:.2f}" if choice.value.error else "exact"
        values = (f"{100 * choice.chance:.0f}", f"{choice.value.mean / unit:+.2f}", error)
        kind = "taken" if choice.action == decision.action else ""
        rows.append(_row((_text(decision.name(choice.action)), *values), 1, kind))
    figures = decision.figures
    note = f" ({_text(figures.note)})" if figures.note else ""
    return (
        f'<details class="move">\n<summary>{who} {_cards(decision.cards)}: <b>{_text(decision.name())}</b> '
        f"{_badge(decision.grade)}{lost}{told}</summary>\n"
        f'<div class="why"><p>{_text(decision.explanation)}</p><table>{"".join(rows)}</table>'
        f'<p class="soft">{_text(odds_in_words(figures))}; advice: {_text(source_in_words(figures))}{note}; '
        f"&plusmn; is a 95 % interval</p></div>\n</details>\n"
    )

"""The standard plays: decisions about which no strong player disagrees, and whether advice and grades respect them.

They are shipped as ``data/standard-plays.toml``, whose head says how they are written.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as shortened
from typing import Any

from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerState
from ludus.teach.advice import Advice
from ludus.teach.grading import GRADES, STANDARD, GradingRule, graded
from ludus.teach.review import GivesAdvice
from ludus.teach.situation import parse_action, parse_situation
from ludus.teach.situation_facts import chips_of

SHIPPED = Path(__file__).parent / "data" / "standard-plays.toml"
KINDS = ("fold", "check", "call", "raise", "all-in")
MOST_REFUSED = 0.1  # of the mix may be on actions that are not accepted
_NEEDED = {"name": str, "situation": str, "accept": list, "student": list, "why": str}
_OPTIONAL = {"least": str, "most": str}


def kind_of(state: PokerState, action: int) -> str:
    """What kind of action it is for the player to act: a raise of their whole stack is all-in, a call never is.

    >>> state = parse_situation("heads-up, 100bb; hero BTN AhKh")
    >>> [kind_of(state, action) for action in (-1, 0, 250, 10_000)]
    ['fold', 'call', 'raise', 'all-in']
    """
    if action == FOLD:
        return "fold"
    if action == CALL:
        return "call" if state.to_call() else "check"
    return "all-in" if action >= state.bets[state.player] + state.stacks[state.player] else "raise"


@dataclass(frozen=True, eq=False)
class StandardPlay:
    """A decision, the actions that advice may play there, and what a student does who must not be blamed for it."""

    name: str
    situation: str  # as `parse_situation` reads it
    state: PokerState  # as the player to act sees it
    accept: tuple[str, ...]  # of KINDS
    student: tuple[int, ...]
    why: str
    least: int | None = None  # chips that a raise is to
    most: int | None = None

    def __post_init__(self) -> None:
        legal, moves = {kind_of(self.state, CALL)}, self.state.legal_actions()
        if FOLD in moves:
            legal.add("fold")
        if moves[-1] > CALL:
            legal |= {kind_of(self.state, moves[-1]), kind_of(self.state, moves[int(FOLD in moves) + 1])}
        if not self.accept or len(set(self.accept)) < len(self.accept) or not legal >= set(self.accept):
            raise ValueError(f"accept is some of {', '.join(k for k in KINDS if k in legal)}, got {list(self.accept)}")
        if (self.least is not None or self.most is not None) and "raise" not in self.accept:
            raise ValueError("least and most are of a raise, which is not among what is accepted")
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError(f"least is no more than most, got {self.least} and {self.most} chips")
        refused = [self.state.action_name(action) for action in self.student if not self.accepts(action)]
        if refused or not self.student:
            raise ValueError(f"student is one or more of the actions accepted, got {refused}")

    def accepts(self, action: int) -> bool:
        """Whether advice may play this action."""
        kind = kind_of(self.state, action)
        fits = kind != "raise" or (self.least or 0) <= action <= (self.most or action)
        return kind in self.accept and fits


@dataclass(frozen=True, eq=False)
class PlayResult:
    """What an adviser says about a standard play."""

    play: StandardPlay
    advice: Advice
    grades: tuple[str, ...]  # of what the student does

    @property
    def refused(self) -> float:
        """How much of the mix is on actions that are not accepted."""
        return sum(choice.chance for choice in self.advice.choices if not self.play.accepts(choice.action))

    @property
    def advised(self) -> bool:
        """Whether the most played action is accepted, and nearly all of the mix."""
        most = max(self.advice.choices, key=lambda choice: choice.chance)
        return self.play.accepts(most.action) and self.refused <= MOST_REFUSED

    @property
    def graded(self) -> bool:
        """Whether nothing that the student does is graded below fine."""
        return all(GRADES.index(grade) <= GRADES.index("fine") for grade in self.grades)


def judge(play: StandardPlay, adviser: GivesAdvice, rule: GradingRule = STANDARD) -> PlayResult:
    """Ask for advice as a player does, then for what the student's actions are worth, as a review does."""
    advice = adviser.advise(play.state)
    known = {choice.action for choice in advice.choices}
    grades = []
    for action in play.student:
        by = advice if action in known else adviser.advise(play.state, also=(action,))
        grades.append(graded(play.name, 0, "student", play.state, action, by, rule).grade)
    return PlayResult(play, advice, tuple(grades))


def load_standard_plays(path: Path = SHIPPED) -> tuple[StandardPlay, ...]:
    """The plays of a file, by default those shipped; ValueError names the play and says what is wrong with it."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path.name} is no TOML: {error}") from None
    rows = values.get("play")
    if set(values) != {"play"} or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{path.name} has tables [[play]] and nothing else, got {', '.join(values) or 'nothing'}")
    plays = tuple(_play(row, number) for number, row in enumerate(rows, 1))
    names = [play.name for play in plays]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name}: {names.count(name)} plays have this name, choose another for all but one")
    return plays


def _play(row: Mapping[str, Any], number: int) -> StandardPlay:
    """A play of a file; ValueError names it, by its number where it has no name."""
    try:
        for key, kind in _NEEDED.items():
            if not isinstance(row.get(key), kind) or not row[key]:
                raise ValueError(
                    f"{key} is a {'text' if kind is str else 'list of texts'}, got {shortened(row.get(key))}"
                )
        for key, value in row.items():
            if key not in {**_NEEDED, **_OPTIONAL}:
                raise ValueError(f"{key} is no part of a play: there are {', '.join((*_NEEDED, *_OPTIONAL))}")
            if not all(isinstance(each, str) for each in (value if isinstance(value, list) else [value])):
                raise ValueError(f"{key} is written in texts, got {shortened(value)}")
        state = parse_situation(row["situation"])
        least, most = (chips_of(row[key], state.game.big_blind) if key in row else None for key in _OPTIONAL)
        student = tuple(parse_action(text, state) for text in row["student"])
        return StandardPlay(
            row["name"], row["situation"], state, tuple(row["accept"]), student, row["why"], least, most
        )  # fmt: skip
    except ValueError as error:
        raise ValueError(f"{row.get('name') or f'play {number}'}: {error}") from None

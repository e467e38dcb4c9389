"""The API of drills: a question, its answer, and the score over time."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path
from pydantic import BaseModel, Field
from sqlalchemy import ColumnElement, delete, func, select, update

from ludus.server.hands.filters import ERRORS
from ludus.server.hands.histories import is_phh
from ludus.server.learning.drill_questions import MISTAKES, MOST_FILES, OWN, THEMES
from ludus.server.models import KEY, Decision, Drill, Hand, Person, SpotRow, new_key, now
from ludus.server.people.identity import FEW, Me
from ludus.server.routes.bodies import Body
from ludus.server.service import Here, Service
from ludus.server.tables.fair_play import refuse_current_hand

router = APIRouter(prefix="/api", tags=["drills"])
OPEN = 10  # questions without an answer that a person keeps
MOST_POINTS, RECENT = 200, 20
MOST_MISTAKES = 100  # the costliest, of which one is drawn
MOST_ANSWERS = 20_000  # that the score looks back on
Theme = Literal[
    "flop-facing-bet", "flop-bet", "river-facing-bet", "river-bet", "turn-facing-bet", "turn-barrel",
    "preflop-heads-up", "preflop-six", "my-spots", "my-mistakes",
]  # fmt: skip
Key = Annotated[str, Path(min_length=KEY, max_length=KEY, pattern="^[A-Za-z0-9_-]+$")]


class NewDrill(Body):
    """A theme."""

    theme: Theme


class DrillAnswer(Body):
    """The key of one of the question's actions."""

    action: str = Field(min_length=1, max_length=20, examples=["C"])


class Question(BaseModel):
    """A question; its solution comes with the answer."""

    id: str
    theme: str
    created: datetime
    question: dict[str, Any]
    answered: datetime | None = None
    result: dict[str, Any] | None = Field(None, description="What answering gave, once it is answered.")


class Graded(BaseModel):
    """What an answer was worth; losses and EVs in big blinds, the EV of a fold is 0."""

    action: str
    grade: Literal["best", "fine", "inaccuracy", "mistake", "blunder"]
    loss: float
    best: str
    choices: list[dict[str, Any]]
    equity: float | None
    grid: dict[str, Any] | None = Field(description="What the whole range does, by class, in the order of the choices.")
    villain: dict[str, float] | None = Field(description="The opponent's range at this point, by class.")
    hands: dict[str, list[float]] | None = Field(description="The combinations of the class that was asked about.")
    source: str = Field(description="Where the solution comes from, as of advice.")
    percent: float | None = Field(description="How far off its values may be, in per cent of the pot.")
    iterations: int | None


class ThemeScore(BaseModel):
    """Answers of a theme."""

    key: str
    answered: int
    loss_per_answer: float | None
    right: float | None = Field(description="The share of answers that were best or fine.")
    available: bool


class Score(BaseModel):
    """All answers of a person; losses in big blinds."""

    answered: int
    loss_per_answer: float | None
    loss_per_100: float | None
    streak: int = Field(description="Answers since the last error.")
    grades: dict[str, int]
    by_theme: list[dict[str, Any]]
    curve: list[dict[str, float]]


@router.get("/drills/themes", summary="What can be drilled")
def themes(person: Me, here: Here) -> list[ThemeScore]:
    """Every theme with the person's score in it."""
    with here.database.session() as session:
        rows = session.execute(
            select(Drill.theme, Drill.grade, func.count(), func.sum(Drill.loss))
            .where(Drill.person_id == person.id, Drill.answered.is_not(None))
            .group_by(Drill.theme, Drill.grade)
        ).all()
        solved = session.scalar(
            select(func.count()).select_from(SpotRow).where(SpotRow.person_id == person.id, SpotRow.status == "solved")
        )
        erred = session.scalar(select(Decision.hand_id).where(*_errors(person)).limit(1))
    there, found = {OWN: bool(solved), MISTAKES: erred is not None}, []
    for key in (*THEMES, OWN, MISTAKES):
        mine = [row for row in rows if row[0] == key]
        count = sum(row[2] for row in mine)
        right = sum(row[2] for row in mine if row[1] in ("best", "fine"))
        found.append(
            ThemeScore(
                key=key,
                answered=count,
                loss_per_answer=sum(row[3] or 0.0 for row in mine) / count if count else None,
                right=right / count if count else None,
                available=there.get(key, True),
            )
        )
    return found


@router.post("/drills", dependencies=[FEW], status_code=201, summary="Ask for a question")
async def create(asked: NewDrill, person: Me, here: Here) -> Question:
    """A situation and a hand; what is right is told when it is answered."""
    if asked.theme == OWN:
        files = await asyncio.to_thread(_files, here, person)
        if not files:
            raise HTTPException(409, "none of your spots is solved yet: solve one in the study first")
        drawn = await here.drill_questions.own_question(files)
    elif asked.theme == MISTAKES:
        found = await asyncio.to_thread(_mistake, here, person)
        if found is None:
            raise HTTPException(409, "no mistake of yours has been found yet: have some hands reviewed first")
        drawn = await here.drill_questions.mistake(*found)
    else:
        drawn = await here.drill_questions.question(asked.theme)
    asked_about = drawn["question"]["hand"], drawn["question"]["board"]
    await asyncio.to_thread(refuse_current_hand, here, person.id, *asked_about)
    row = await asyncio.to_thread(_keep, here, person, asked.theme, drawn)
    return _shown(row)


def _files(service: Service, person: Person) -> list[str]:
    chosen = (
        select(SpotRow.file)
        .where(SpotRow.person_id == person.id, SpotRow.status == "solved")
        .order_by(SpotRow.created.desc())
        .limit(MOST_FILES)
    )
    with service.database.session() as session:
        return [str(service.spot_solves.folder / name) for name in session.scalars(chosen)]


def _errors(person: Person) -> tuple[ColumnElement[bool], ...]:
    return Decision.person_id == person.id, Decision.grade.in_(ERRORS)


def _mistake(service: Service, person: Person) -> tuple[str, int, dict[str, Any]] | None:
    """One of a person's mistakes with its hand, costly ones more often: any of the costliest hundred."""
    chosen = select(Decision, Hand.phh).join(Hand, Hand.id == Decision.hand_id).where(*_errors(person))
    with service.database.session() as session:
        rows = session.execute(chosen.order_by(Decision.loss.desc()).limit(MOST_MISTAKES)).all()
        known = [(text, row.step, row.advice["advice"]) for row, text in rows if is_phh(text)]
    return secrets.choice(known) if known else None


def _keep(service: Service, person: Person, theme: str, drawn: dict[str, Any]) -> Drill:
    row = Drill(
        id=new_key(), person_id=person.id, theme=theme, question=drawn["question"], solution=drawn["solution"],
        created=now(),
    )  # fmt: skip
    unanswered = Drill.person_id == person.id, Drill.answered.is_(None)
    with service.database.session() as session:
        kept = session.scalars(select(Drill.id).where(*unanswered).order_by(Drill.created.desc()).limit(OPEN - 1))
        session.execute(delete(Drill).where(*unanswered, Drill.id.not_in(kept.all())))
        session.add(row)
    return row


def _shown(row: Drill) -> Question:
    result = _graded(row).model_dump() if row.answer is not None else None
    return Question(
        id=row.id, theme=row.theme, created=row.created, question=row.question, answered=row.answered, result=result
    )


def _graded(row: Drill) -> Graded:
    choices = row.solution["choices"]
    best = max(choices, key=lambda each: each["ev"])["key"]
    told = {**row.solution, "action": row.answer, "grade": row.grade, "loss": row.loss, "best": best}
    return Graded.model_validate(told)


def _own(service: Service, key: str, person: Person) -> Drill:
    with service.database.session() as session:
        row = session.get(Drill, key)
    if row is None or row.person_id != person.id:
        raise HTTPException(404, "there is no such question of yours")
    return row


@router.get("/drills/score", summary="The score over time")
def score(person: Me, here: Here) -> Score:
    """Losses in all, by theme, and as a curve: the mean up to each answer, and over the last 20 of them."""
    chosen = (
        select(Drill.theme, Drill.grade, Drill.loss)
        .where(Drill.person_id == person.id, Drill.answered.is_not(None))
        .order_by(Drill.answered.desc(), Drill.id)
        .limit(MOST_ANSWERS)
    )
    with here.database.session() as session:
        rows = [(str(each[0]), str(each[1]), float(each[2] or 0)) for each in reversed(session.execute(chosen).all())]
    losses, grades = [loss for _, _, loss in rows], [grade for _, grade, _ in rows]
    mean = sum(losses) / len(losses) if losses else None
    streak = next((at for at, grade in enumerate(reversed(grades)) if grade not in ("best", "fine")), len(grades))
    return Score(
        answered=len(rows),
        loss_per_answer=mean,
        loss_per_100=None if mean is None else 100 * mean,
        streak=streak,
        grades=dict(Counter(grades)),
        by_theme=[_theme(theme, rows) for theme in dict.fromkeys(row[0] for row in rows)],
        curve=_curve(losses),
    )


def _theme(theme: str, rows: list[tuple[str, str, float]]) -> dict[str, Any]:
    losses = [loss for name, _, loss in rows if name == theme]
    counts = Counter(grade for name, grade, _ in rows if name == theme)
    return {
        "theme": theme, "answered": len(losses), "loss_per_answer": sum(losses) / len(losses), "grades": dict(counts),
    }  # fmt: skip


def _curve(losses: list[float]) -> list[dict[str, float]]:
    total, points = 0.0, []
    every = max(1, -(-len(losses) // MOST_POINTS))
    for count, loss in enumerate(losses, 1):
        total += loss
        if count % every == 0 or count == len(losses):
            last = losses[max(0, count - RECENT) : count]
            points.append({"answered": count, "loss": total / count, "recent": sum(last) / len(last)})
    return points


@router.get("/drills/{key}", summary="A question")
def one(key: Key, person: Me, here: Here) -> Question:
    """One of your own; with its result once it is answered."""
    return _shown(_own(here, key, person))


@router.post("/drills/{key}/answer", summary="Answer a question")
def answer(key: Key, asked: DrillAnswer, person: Me, here: Here) -> Graded:
    """Once only: a second answer is refused."""
    row = _own(here, key, person)
    found = next((each for each in row.solution["choices"] if each["key"] == asked.action), None)
    if found is None:
        known = ", ".join(each["key"] for each in row.solution["choices"])
        raise HTTPException(422, f"{asked.action!r} is no action here: possible are {known}")
    given = {"answer": asked.action, "grade": found["grade"], "loss": found["loss"], "answered": now()}
    with here.database.session() as session:
        done = session.execute(update(Drill).where(Drill.id == key, Drill.answer.is_(None)).values(**given))
        if not getattr(done, "rowcount", 0):
            raise HTTPException(409, "this question is answered already")
    return _graded(_own(here, key, person))

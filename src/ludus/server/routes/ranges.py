"""The API of ranges, as texts and as weights."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, Field, model_validator

from ludus.cards.ranges import (
    CLASSES,
    class_index,
    class_weights,
    combos_count,
    expand_classes,
    format_range,
    parse_range,
)
from ludus.server.people.identity import FEW
from ludus.server.routes.bodies import Body
from ludus.server.service import Here

router = APIRouter(prefix="/api", tags=["study"])
MOST_TEXT = 30_000  # characters of a range
MOST_ITEMS = 2000  # of a range: there are 1326 hands


class RangeIn(Body):
    """A range as a text, or as the weights of classes."""

    text: str | None = Field(None, max_length=MOST_TEXT, examples=["22+, A2s+, KTo+:50%"])
    weights: dict[str, Annotated[float, Field(ge=0, le=1)]] | None = Field(None, max_length=len(CLASSES))

    @model_validator(mode="after")
    def one_of_them(self) -> RangeIn:
        """A text or weights."""
        if (self.text is None) == (self.weights is None):
            raise ValueError("give a range as text or as weights, one of them")
        if self.text is not None and self.text.count(",") >= MOST_ITEMS:
            raise ValueError(f"a range has at most {MOST_ITEMS} parts")
        return self


class RangeOut(BaseModel):
    """A range in its canonical form."""

    text: str
    weights: dict[str, float]
    combos: float


@router.post("/ranges", dependencies=[FEW], summary="Read or write a range")
async def ranges(asked: RangeIn, here: Here) -> RangeOut:
    """The canonical text, the mean weight of each class that is in it, and the number of combinations."""
    async with here.reading:
        return await asyncio.to_thread(_read_range, asked)


def _read_range(asked: RangeIn) -> RangeOut:
    try:
        if asked.text is not None:
            weights = parse_range(asked.text)
        else:
            rows = [0.0] * len(CLASSES)
            for name, weight in (asked.weights or {}).items():
                rows[class_index(name)] = weight
            weights = expand_classes(rows)
        by_class = class_weights(weights).tolist()
        shown = {name: round(row, 6) for name, row in zip(CLASSES, by_class, strict=True) if row > 0}
        return RangeOut(text=format_range(weights), weights=shown, combos=combos_count(weights))
    except ValueError as error:
        raise HTTPException(422, str(error)) from None

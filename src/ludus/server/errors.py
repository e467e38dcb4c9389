"""Errors as answers: always one sentence, ``{"detail": "..."}``."""

from __future__ import annotations

import errno
import logging
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, HTTPException, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import DataError, IntegrityError

from ludus.server.database import AWAY
from ludus.server.work.workers import Busy, Failed, Refused

log = logging.getLogger(__name__)
BUSY_SECONDS = 5
TRY_AGAIN_LATER = 1013  # closes a WebSocket
LONGEST_VALUE = 60


def refusal(status: int, detail: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """An answer that says why not."""
    clean = detail.encode("utf-8", "replace").decode()  # half a character is valid in JSON but not in UTF-8
    return JSONResponse({"detail": clean}, status, headers)


def too_fast(seconds: float) -> JSONResponse:
    """An answer to a client that asks too often."""
    wait = max(1, round(seconds + 0.5))
    return refusal(429, f"too many requests: try again in {wait} seconds", {"Retry-After": str(wait)})


def sentence(problems: Sequence[Any]) -> str:
    """The first problem of an input in words: where, what, and what was given."""
    problem = problems[0]
    place = ".".join(str(part) for part in problem["loc"][1:] if part != "__root__")
    told = str(problem["msg"]).removeprefix("Value error, ")
    told = told if told[:2].isupper() else told[:1].lower() + told[1:]
    given = problem.get("input")
    if problem["type"] == "value_error" and not place:
        return told
    if problem["type"] in ("missing", "json_invalid") or isinstance(given, dict | list):
        return f"{place}: {told}" if place and problem["type"] != "json_invalid" else f"the request's body: {told}"
    value = repr(given)
    value = value if len(value) <= LONGEST_VALUE else f"{value[:LONGEST_VALUE]}..."
    return f"{place or problem['loc'][0]}: {told}, got {value}"


def add_handlers(app: FastAPI) -> None:
    """Turn every known error of a request into an answer."""

    async def http(_: Request, error: Any) -> JSONResponse:
        return refusal(error.status_code, str(error.detail), error.headers)

    async def invalid(_: Request, error: Any) -> JSONResponse:
        return refusal(422, sentence(error.errors()))

    async def busy(_: Request, error: Exception) -> JSONResponse:
        text = "the server has more to do than it can: try again in a few seconds"
        return refusal(503, text, {"Retry-After": str(BUSY_SECONDS)})

    async def refused(_: Request, error: Exception) -> JSONResponse:
        return refusal(422, str(error))

    async def late(_: Request, error: Exception) -> JSONResponse:
        return refusal(422, "this took too long and was stopped: ask for something smaller, or try again later")

    async def unfit(_: Request, error: Exception) -> JSONResponse:
        log.warning("a value that the database does not take: %s", error)
        return refusal(422, "a text or number in the request is none that can be kept")

    async def overtaken(_: Request, error: Exception) -> JSONResponse:
        log.warning("two requests at once: %s", error)
        return refusal(409, "another request has changed the same thing at the same time: try again")

    async def away(asked: Request | WebSocket, error: Exception) -> JSONResponse | None:
        log.error("the database did not answer, or is full: %s", error)
        if isinstance(asked, WebSocket):
            await asked.close(TRY_AGAIN_LATER)
            return None
        return refusal(503, "the server cannot reach what it keeps: try again soon", {"Retry-After": str(BUSY_SECONDS)})

    async def system(request: Request | WebSocket, error: Any) -> JSONResponse | None:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return await away(request, error)
        log.error("%s failed", request.url.path, exc_info=error)
        return refusal(500, "the server has failed here: it is a defect, and its log says more")

    async def failed(_: Request, error: Exception) -> JSONResponse:
        return refusal(500, "the server could not work this out: it is a defect, and its log says more")

    handlers: dict[Any, Any] = {
        HTTPException: http, 404: http, 405: http, RequestValidationError: invalid, Busy: busy, Refused: refused,
        TimeoutError: late, DataError: unfit, UnicodeEncodeError: unfit, IntegrityError: overtaken,
        Failed: failed, OSError: system, **dict.fromkeys(AWAY, away),
    }  # fmt: skip
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)

"""Who asks: a guest or an account by a signed cookie, a bot by its token."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from contextlib import ExitStack
from datetime import timedelta
from typing import Annotated

from fastapi import Depends, HTTPException, Response
from fastapi.requests import HTTPConnection
from sqlalchemy import select
from starlette.concurrency import run_in_threadpool

from ludus.server.limits import address_name
from ludus.server.models import Person, Token, now
from ludus.server.service import Service, service_of
from ludus.server.work.fair_queue import ASKER, Asker

COOKIE = "ludus"
COOKIE_SECONDS = 180 * 24 * 3600
LONGEST_SHOWN = 200  # characters of a cookie or token; ours are shorter
USED = timedelta(minutes=1)  # how precisely the last use of a token is recorded


def signed(service: Service, person: Person) -> str:
    """The value of a person's cookie: who, of which log-in, since when, and the signature."""
    text = f"{person.id}.{person.version}.{int(time.time())}"
    return f"{text}.{_signature(service.secret, text)}"


def _signature(secret: bytes, text: str) -> str:
    return urlsafe_b64encode(hmac.digest(secret, b"cookie:" + text.encode(), "sha256")).decode().rstrip("=")


def signed_by(secret: bytes, cookie: str) -> tuple[str, str] | None:
    """The person's id and log-in in a cookie that we signed and that is not too old, otherwise nothing."""
    text, _, signature = cookie.rpartition(".")
    if len(cookie) > LONGEST_SHOWN or not cookie.isascii():
        return None
    if not hmac.compare_digest(_signature(secret, text), signature):
        return None
    key, version, since = text.split(".")
    return (key, version) if time.time() - int(since) < COOKIE_SECONDS else None


def set_cookie(service: Service, connection: HTTPConnection, response: Response, person: Person) -> None:
    """Tell the browser who it is from now on."""
    response.set_cookie(
        COOKIE, signed(service, person), max_age=COOKIE_SECONDS, httponly=True, samesite="lax",
        secure=connection.url.scheme == "https",
    )  # fmt: skip


def digest_of(token: str) -> str:
    """The form in which a bot's token is stored."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def new_token(person: Person, label: str) -> tuple[Token, str]:
    """A token as it is stored, and as it is shown once."""
    text = f"ludus_{secrets.token_urlsafe(32)}"
    return Token(person_id=person.id, digest=digest_of(text), label=label), text


def _shown(connection: HTTPConnection) -> str:
    """What somebody shows: 'token ...', 'cookie ...', or nothing. A token takes precedence over a cookie."""
    kind, _, token = connection.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return f"token {token.strip()}"
    cookie = connection.cookies.get(COOKIE, "")
    return f"cookie {cookie}" if cookie else ""


def who(service: Service, connection: HTTPConnection) -> Person | None:
    """The person of a cookie or a token, or nobody. It may read the database: call it in a thread."""
    shown = _shown(connection)
    if not shown or len(shown) > LONGEST_SHOWN:
        return None
    known, changes = service.recognised.get(shown), service.recognised.changes
    if known is not None:
        return known
    kind, _, value = shown.partition(" ")
    person = _of_token(service, value) if kind == "token" else _of_cookie(service, value)
    if person is not None:
        service.recognised.put(shown, person, changes)
    return person


def _of_token(service: Service, token: str) -> Person | None:
    with service.database.session() as session:
        found = session.scalar(select(Token).where(Token.digest == digest_of(token)))
        if found is None:
            return None
        if found.used is None or now() - found.used > USED:
            found.used = now()
        return session.get(Person, found.person_id)


def _of_cookie(service: Service, cookie: str) -> Person | None:
    told = signed_by(service.secret, cookie)
    if told is None:
        return None
    with service.database.session() as session:
        person = session.get(Person, told[0])
        return person if person is not None and str(person.version) == told[1] else None


def address_of(connection: HTTPConnection) -> str:
    """Where somebody asks from, as the limits count it."""
    return address_name(connection.client.host) if connection.client else "unknown"


async def maybe_person(connection: HTTPConnection) -> Person | None:
    """The person who asks, or nobody. A thread looks in the database only for people not seen just now."""
    service = service_of(connection)
    person = service.recognised.get(_shown(connection)) or await run_in_threadpool(who, service, connection)
    ASKER.set(Asker(person.id if person is not None else "", address_of(connection)))
    return person


async def current_person(connection: HTTPConnection) -> Person:
    """The person who asks; 401 for nobody."""
    person = await maybe_person(connection)
    if person is None:
        raise HTTPException(
            401, "say who you are: GET /api/me gives a browser its cookie, POST /api/guests a bot its token"
        )
    return person


Me = Annotated[Person, Depends(current_person)]
MaybeMe = Annotated[Person | None, Depends(maybe_person)]


async def _one_of_few(connection: HTTPConnection, person: MaybeMe) -> AsyncIterator[None]:
    """Let a request begin that takes long, unless too many of the same person or address are under way."""
    limits = service_of(connection).limits
    asked = [(limits.long_of_addresses, address_of(connection))]
    if person is not None:
        asked.append((limits.long_of_people, person.id))
    with ExitStack() as under_way:
        for at_once, name in asked if limits.on else ():
            if not at_once.begin(name):
                raise HTTPException(
                    429, f"{at_once.most} of your requests are being worked on: wait for one of them",
                    {"Retry-After": "1"},
                )  # fmt: skip
            under_way.callback(at_once.end, name)
        yield


FEW = Depends(_one_of_few)
"""For routes that keep a process or a thread busy: one client alone must not use up all of them."""

"""Who asks: a guest or an account by a signed cookie, a bot by its token."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import secrets
import time
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Collection
from contextlib import ExitStack
from datetime import timedelta
from typing import Annotated, NamedTuple

from fastapi import Depends, HTTPException, Response
from fastapi.requests import HTTPConnection
from sqlalchemy import select
from starlette.concurrency import run_in_threadpool

from ludus.server.limits import address_name
from ludus.server.models import EndedSession, Person, Token, new_key, now
from ludus.server.people.open_sockets import OpenSocket
from ludus.server.service import Service, service_of
from ludus.server.work.fair_queue import ASKER, Asker

log = logging.getLogger(__name__)
COOKIE = "ludus"
COOKIE_SECONDS = 180 * 24 * 3600
LONGEST_SHOWN = 200  # characters of a cookie or token; ours are shorter
USED = timedelta(minutes=1)  # how precisely the last use of a token is recorded
SEEN = timedelta(days=1)  # and the last visit of a person
AGAIN = 0.5  # seconds between two looks at whose sockets are open
SOCKET = "ludus.socket"  # where a WebSocket's scope has what `OpenSockets` knows of it


class Cookie(NamedTuple):
    """What a cookie says: whose it is, of which version of their log-in, and which log-in of those it is."""

    person: str
    version: str
    session: str


def signed(service: Service, person: Person, session: str) -> str:
    """The value of a person's cookie: who, of which log-in, since when, and the signature."""
    text = f"{person.id}.{person.version}.{session}.{int(time.time())}"
    return f"{text}.{_signature(service.secret, text)}"


def _signature(secret: bytes, text: str) -> str:
    return urlsafe_b64encode(hmac.digest(secret, b"cookie:" + text.encode(), "sha256")).decode().rstrip("=")


def signed_by(secret: bytes, cookie: str) -> Cookie | None:
    """What a cookie says that we signed and that is not too old, otherwise nothing."""
    text, _, signature = cookie.rpartition(".")
    if len(cookie) > LONGEST_SHOWN or not cookie.isascii():
        return None
    if not hmac.compare_digest(_signature(secret, text), signature):
        return None
    key, version, *session, since = text.split(".")  # a guest's cookie of the first version names no log-in
    return Cookie(key, version, *session or ("",)) if time.time() - int(since) < COOKIE_SECONDS else None


def cookie_of(service: Service, connection: HTTPConnection) -> Cookie | None:
    """What the cookie of a request says."""
    return signed_by(service.secret, connection.cookies.get(COOKIE, ""))


def set_cookie(service: Service, connection: HTTPConnection, response: Response, person: Person) -> None:
    """Tell the browser who it is from now on. A cookie that is still good is renewed, else a log-in begins."""
    had = cookie_of(service, connection)
    same = had is not None and (had.person, had.version) == (person.id, str(person.version)) and had.session
    response.set_cookie(
        COOKIE, signed(service, person, same or new_key()), max_age=COOKIE_SECONDS, httponly=True, samesite="lax",
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
        person = session.get_one(Person, found.person_id)
        _seen(person)
        return person


def _of_cookie(service: Service, cookie: str) -> Person | None:
    told = signed_by(service.secret, cookie)
    if told is None:
        return None
    with service.database.session() as session:
        person = session.get(Person, told.person)
        if person is None or str(person.version) != told.version:
            return None
        if session.get(EndedSession, told.session) is not None:
            return None
        _seen(person)
        return person


def _seen(person: Person) -> None:
    if person.seen is None or now() - person.seen > SEEN:
        person.seen = now()


def _void(service: Service, shown: Collection[str]) -> set[str]:
    """Which cookies and tokens that people showed are void by now. It reads the database: call it in a thread."""
    cookies = {text: signed_by(service.secret, text.removeprefix("cookie ")) for text in shown if text[:1] == "c"}
    tokens = {text: digest_of(text.removeprefix("token ")) for text in shown if text[:1] == "t"}
    told = [cookie for cookie in cookies.values() if cookie is not None]
    with service.database.session() as session:
        people = select(Person.id, Person.version).where(Person.id.in_([cookie.person for cookie in told]))
        versions = {row.id: str(row.version) for row in session.execute(people)}
        sessions = select(EndedSession.id).where(EndedSession.id.in_([cookie.session for cookie in told]))
        ended = set(session.scalars(sessions))
        known = set(session.scalars(select(Token.digest).where(Token.digest.in_(tokens.values()))))
    void = {text for text, digest in tokens.items() if digest not in known}
    for text, cookie in cookies.items():
        if cookie is None or versions.get(cookie.person) != cookie.version or cookie.session in ended:
            void.add(text)
    return void


async def looking_again(service: Service) -> None:
    """Close sockets of whom another server has logged out, until it is cancelled."""
    while True:
        await asyncio.sleep(AGAIN)
        try:
            if shown := service.sockets.shown():
                service.sockets.close_void(await asyncio.to_thread(_void, service, shown))
        except Exception:  # the database may be away for a moment
            log.exception("open sockets could not be looked at again")


def address_of(connection: HTTPConnection) -> str:
    """Where somebody asks from, as the limits count it."""
    return address_name(connection.client.host) if connection.client else "unknown"


async def maybe_person(connection: HTTPConnection) -> Person | None:
    """The person who asks, or nobody. A thread looks in the database only for people not seen just now."""
    service, shown = service_of(connection), _shown(connection)
    socket: OpenSocket | None = connection.scope.get(SOCKET)
    while True:
        changes = service.recognised.changes
        person = service.recognised.get(shown) or await run_in_threadpool(who, service, connection)
        ASKER.set(Asker(person.id if person is not None else "", address_of(connection)))
        if socket is None:
            return person
        socket.person, socket.shown = person.id if person else None, shown
        if changes == service.recognised.changes:  # nobody was logged out while we looked
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

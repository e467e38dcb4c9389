"""Who asks: a guest or an account by a signed cookie, a bot by its token."""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64encode
from typing import Annotated

from fastapi import Depends, HTTPException
from fastapi.requests import HTTPConnection
from sqlalchemy import select

from ludus.server.models import Person, Token
from ludus.server.service import Service, service_of

COOKIE = "ludus"


def signed(service: Service, person: Person) -> str:
    """The value of a person's cookie."""
    text = f"{person.id}.{person.version}"
    return f"{text}.{_signature(service, text)}"


def _signature(service: Service, text: str) -> str:
    return urlsafe_b64encode(hmac.digest(service.secret, text.encode(), "sha256")).decode().rstrip("=")


def digest_of(token: str) -> str:
    """What is kept of a bot's token."""
    return hashlib.sha256(token.encode()).hexdigest()


def who(service: Service, connection: HTTPConnection) -> Person | None:
    """The person of a cookie or a token, or nobody. It reads the database: call it in a thread."""
    kind, _, token = connection.headers.get("authorization", "").partition(" ")
    cookie = connection.cookies.get(COOKIE, "")
    with service.database.session() as session:
        if kind.lower() == "bearer":
            found = session.scalar(select(Token).where(Token.digest == digest_of(token.strip())))
            return session.get(Person, found.person_id) if found else None
        text, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(_signature(service, text).encode(), signature.encode()):
            return None
        key, _, version = text.partition(".")
        person = session.get(Person, key)
        return person if person is not None and str(person.version) == version else None


def current_person(connection: HTTPConnection) -> Person:
    """The person who asks; 401 for nobody."""
    person = who(service_of(connection), connection)
    if person is None:
        raise HTTPException(
            401, "say who you are: GET /api/me gives a browser its cookie, POST /api/guests a bot its token"
        )
    return person


def maybe_person(connection: HTTPConnection) -> Person | None:
    """The person who asks, or nobody."""
    return who(service_of(connection), connection)


Me = Annotated[Person, Depends(current_person)]
MaybeMe = Annotated[Person | None, Depends(maybe_person)]

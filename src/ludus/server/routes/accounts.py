"""The API of people: guests, accounts, log-ins and the tokens of bots."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import unicodedata
from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request, Response
from pydantic import AfterValidator, BaseModel, Field, JsonValue
from sqlalchemy import delete, func, select
from sqlalchemy.exc import IntegrityError

import ludus
from ludus.server.limits import TokenBuckets
from ludus.server.models import KEY, EndedSession, Person, Token, now
from ludus.server.people.guests import bring
from ludus.server.people.identity import (
    COOKIE,
    COOKIE_SECONDS,
    Cookie,
    MaybeMe,
    Me,
    address_of,
    cookie_of,
    digest_of,
    new_token,
    set_cookie,
    signed_by,
)
from ludus.server.routes.bodies import Body
from ludus.server.service import Here, Service

log = logging.getLogger(__name__)
router = APIRouter(prefix="/api", tags=["people"])

LARGEST_PREFERENCES = 8 << 10
MOST_TOKENS = 50
WRONG = "user name or password is wrong"


def _plain(text: str) -> str:
    """A text of one line without invisible characters."""
    text = unicodedata.normalize("NFC", " ".join(text.split()))
    if not text:
        raise ValueError("it must have a letter or digit")
    if not text.isprintable():
        raise ValueError("it must have letters, digits and signs only")
    return text


def _small(preferences: dict[str, Any]) -> dict[str, Any]:
    if len(json.dumps(preferences, ensure_ascii=False).encode()) > LARGEST_PREFERENCES:
        raise ValueError(f"preferences may take {LARGEST_PREFERENCES >> 10} kB together")
    return preferences


Name = Annotated[str, Field(min_length=1, max_length=40), AfterValidator(_plain)]
Username = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{2,39}$", examples=["ada"]), AfterValidator(str.lower)
]
Password = Annotated[str, Field(min_length=8, max_length=200, examples=["correct horse battery"])]
Label = Annotated[str, Field(max_length=80)]
Preferences = Annotated[dict[str, JsonValue], AfterValidator(_small)]
Key = Annotated[str, Field(min_length=1, max_length=KEY)]


class Status(BaseModel):
    """The server's version, and what of it is compiled and starts at once."""

    version: str
    ready: dict[str, bool] = Field(description="'play', 'advice', 'study', and other parts once they are done")


class PersonView(BaseModel):
    """A person as they see themselves."""

    id: str
    name: str
    account: bool = Field(description="false for a guest, who is known by a cookie or token only")
    username: str | None
    preferences: dict[str, Any]


class NewGuest(BaseModel):
    """A guest with the token of their bot."""

    person: PersonView
    token: str = Field(description="for the header 'Authorization: Bearer TOKEN'")


class GuestWish(Body):
    """What a guest wants to be called."""

    name: Name | None = None


class PersonChange(Body):
    """What a person changes about themselves. Preferences are merged: null removes one."""

    name: Name | None = None
    preferences: Preferences | None = None


class Credentials(Body):
    """Who somebody is, and how they prove it."""

    username: Username
    password: Password


class LogIn(Body):
    """The same for a log-in, where nothing is said about what a name or password may be."""

    username: Annotated[str, Field(max_length=200), AfterValidator(str.lower)]
    password: Annotated[str, Field(max_length=200)]
    bring: bool = Field(False, description="whether what you have as a guest goes with you into the account")


class PasswordChange(Body):
    """The old and the new password."""

    old: Annotated[str, Field(max_length=200)]
    new: Password


class TokenWish(Body):
    """What a token is for; with an account, also its password."""

    label: Label = ""
    password: Annotated[str, Field(max_length=200)] | None = None


class TokenView(BaseModel):
    """A token, without the secret."""

    id: str
    label: str
    created: datetime
    used: datetime | None


class NewToken(TokenView):
    """A token with its secret, which is shown once."""

    token: str


def _view(person: Person) -> PersonView:
    return PersonView(
        id=person.id, name=person.name, account=person.username is not None, username=person.username,
        preferences=person.preferences,
    )  # fmt: skip


def _token_view(token: Token) -> TokenView:
    return TokenView(id=token.id, label=token.label, created=token.created, used=token.used)


def _limit(here: Service, *asked: tuple[TokenBuckets, str]) -> None:
    if seconds := here.limits.wait(*asked):
        wait = max(1, round(seconds + 0.5))
        raise HTTPException(429, f"too many attempts: try again in {wait} seconds", {"Retry-After": str(wait)})


def _new_guest(here: Service, name: str | None) -> Person:
    person = Person(name=name or f"Guest {1000 + secrets.randbelow(9000)}", preferences={})
    with here.database.session() as session:
        session.add(person)
    return person


@router.get("/status")
async def status(here: Here) -> Status:
    """What runs here, and what of it is ready."""
    return Status(version=ludus.__version__, ready={"play": False, "advice": False, "study": False} | here.ready)


@router.get("/me")
async def me(here: Here, person: MaybeMe, request: Request, response: Response) -> PersonView:
    """Who you are. Without a cookie or token you become a guest, and get a cookie."""
    if person is None:
        if "authorization" in request.headers:
            raise HTTPException(401, "this token is not known: it may have been withdrawn")
        _limit(here, (here.limits.new_people, address_of(request)))
        person = await asyncio.to_thread(_new_guest, here, None)
    if "authorization" not in request.headers:
        set_cookie(here, request, response, person)
    return _view(person)


@router.post("/guests", status_code=201)
async def new_guest(here: Here, request: Request, wish: GuestWish) -> NewGuest:
    """Make a guest for a bot, with a token instead of a cookie."""
    _limit(here, (here.limits.new_people, address_of(request)))

    def make() -> tuple[Person, str]:
        person = _new_guest(here, wish.name)
        kept, token = new_token(person, "guest")
        with here.database.session() as session:
            session.add(kept)
        return person, token

    person, token = await asyncio.to_thread(make)
    return NewGuest(person=_view(person), token=token)


def _change(here: Service, person: Person, void: bool = False, **values: Any) -> Person:
    """Change a person in the database; the person is no longer recognised from memory.

    ``void`` takes all they could show until now away from them, cookies and tokens.
    """
    with here.database.session() as session:
        kept = session.get_one(Person, person.id)
        for name, value in values.items():
            setattr(kept, name, value)
        if void:
            kept.version += 1
            session.execute(delete(Token).where(Token.person_id == person.id))
    here.recognised.forget(person.id)
    return kept


async def _check_password(here: Service, me: Person, password: str, wrong: str) -> None:
    """403 unless somebody who is logged in knows the password."""
    _limit(here, (here.limits.names_logging_in, me.id))
    if not await here.passwords.fits(me.password, password):
        raise HTTPException(403, wrong)
    here.limits.names_logging_in.of(me.id).give_back()


@router.patch("/me")
def change_me(here: Here, me: Me, change: PersonChange) -> PersonView:
    """Change your name or preferences."""
    values: dict[str, Any] = {} if change.name is None else {"name": change.name}
    if change.preferences is not None:
        merged = me.preferences | change.preferences
        try:
            values["preferences"] = _small({key: value for key, value in merged.items() if value is not None})
        except ValueError as error:
            raise HTTPException(422, str(error)) from None
    return _view(_change(here, me, **values))


@router.post("/accounts", status_code=201)
async def new_account(here: Here, me: Me, wish: Credentials, request: Request, response: Response) -> PersonView:
    """Turn yourself, a guest, into an account that you can log in to from anywhere. What you played stays yours."""
    if me.username is not None:
        raise HTTPException(409, f"you have an account already: {me.username}")
    if wish.password.lower() == wish.username:
        raise HTTPException(422, "the password must not be the user name")
    _limit(here, (here.limits.new_accounts, address_of(request)))
    hashed = await here.passwords.hash(wish.password)
    values: dict[str, Any] = {"username": wish.username, "password": hashed, "version": me.version + 1}
    if me.name.startswith("Guest "):
        values["name"] = wish.username
    try:
        person = await asyncio.to_thread(lambda: _change(here, me, **values))
    except IntegrityError:
        raise HTTPException(409, f"the user name {wish.username} is taken: choose another one") from None
    if "authorization" not in request.headers:
        set_cookie(here, request, response, person)
    return _view(person)


@router.post("/session")
async def log_in(here: Here, me: MaybeMe, given: LogIn, request: Request, response: Response) -> PersonView:
    """Log in. An unknown name and a wrong password get the same answer after the same work.

    Tries are limited by address, and by name and address together: nobody can lock somebody else out.
    """
    address = address_of(request)
    names, addresses = here.limits.names_logging_in, here.limits.addresses_logging_in
    name = f"{given.username} {address}"
    _limit(here, (addresses, address), (names, name))

    def find() -> Person | None:
        with here.database.session() as session:
            return session.scalar(select(Person).where(Person.username == given.username))

    person = await asyncio.to_thread(find)
    fits = await here.passwords.fits(person.password if person else None, given.password)
    if person is None or not fits:
        # not what was typed in for the name of nobody: it may be a password
        log.warning("log-in to %s from %s failed", person.username if person else "an unknown name", address)
        raise HTTPException(401, WRONG)
    names.of(name).give_back()
    addresses.of(address).give_back()
    if given.bring and me is not None and me.username is None:
        await asyncio.to_thread(bring, here.database, me.id, person.id)
    set_cookie(here, request, response, person)
    return _view(person)


@router.delete("/session", status_code=204)
async def log_out(
    here: Here,
    me: MaybeMe,
    request: Request,
    response: Response,
    everywhere: Annotated[bool, Query(description="void the cookies of all browsers and all tokens, too")] = False,
) -> None:
    """Log out of this browser, or everywhere. Sockets close at once, the cookie is void. A guest cannot come back."""
    response.delete_cookie(COOKIE, httponly=True, samesite="lax")
    cookie = cookie_of(here, request)
    if me is None:
        return
    if everywhere:
        await asyncio.to_thread(lambda: _change(here, me, void=True))
        here.sockets.close(me.id)
    elif cookie is not None and cookie.person == me.id:
        await asyncio.to_thread(_end_session, here, me, cookie)
        here.sockets.close(me.id, lambda shown: _session(here, shown) == cookie.session)


def _session(here: Service, shown: str) -> str | None:
    """The log-in of a cookie that was shown; none of a token."""
    kind, _, value = shown.partition(" ")
    told = signed_by(here.secret, value) if kind == "cookie" else None
    return told.session if told is not None else None


def _end_session(here: Service, me: Person, cookie: Cookie) -> None:
    """Void the cookies of one log-in, or all where they do not say which; too old ones need not be remembered."""
    with here.database.session() as session:
        session.execute(delete(EndedSession).where(EndedSession.ended < now() - timedelta(seconds=COOKIE_SECONDS)))
        if cookie.session:
            session.merge(EndedSession(id=cookie.session, ended=now()))
        else:
            session.get_one(Person, me.id).version += 1
    here.recognised.forget(me.id)


@router.put("/me/password")
async def change_password(
    here: Here, me: Me, change: PasswordChange, request: Request, response: Response
) -> PersonView:
    """Change your password. This voids the cookies of other browsers and all tokens, and closes open sockets."""
    if me.username is None:
        raise HTTPException(409, "a guest has no password: make an account first")
    await _check_password(here, me, change.old, "the old password is wrong")
    if change.new.lower() == me.username:
        raise HTTPException(422, "the password must not be the user name")
    hashed = await here.passwords.hash(change.new)
    person = await asyncio.to_thread(lambda: _change(here, me, void=True, password=hashed))
    here.sockets.close(me.id)
    if "authorization" not in request.headers:
        set_cookie(here, request, response, person)
    return _view(person)


@router.get("/tokens")
def tokens(here: Here, me: Me) -> list[TokenView]:
    """Your tokens, without their secrets."""
    with here.database.session() as session:
        found = session.scalars(select(Token).where(Token.person_id == me.id).order_by(Token.created, Token.id))
        return [_token_view(token) for token in found]


@router.post("/tokens", status_code=201)
async def make_token(here: Here, me: Me, wish: TokenWish) -> NewToken:
    """Make a token for a bot that acts as you. It is shown now and never again. An account's password is asked for."""
    if me.username is not None:
        if wish.password is None:
            raise HTTPException(403, "a token acts as you: give your password with it")
        await _check_password(here, me, wish.password, "the password is wrong")
    return await asyncio.to_thread(_make_token, here, me, wish.label)


def _make_token(here: Service, me: Person, label: str) -> NewToken:
    with here.database.session() as session:
        if (session.scalar(select(func.count()).where(Token.person_id == me.id)) or 0) >= MOST_TOKENS:
            raise HTTPException(409, f"you have {MOST_TOKENS} tokens already: withdraw one first")
        kept, text = new_token(me, label)
        session.add(kept)
        session.flush()
        return NewToken(**_token_view(kept).model_dump(), token=text)


@router.delete("/tokens/{token_id}", status_code=204)
async def withdraw_token(here: Here, me: Me, token_id: Key) -> None:
    """Withdraw a token: it is void at once, and sockets that were opened with it close."""
    digest = await asyncio.to_thread(_withdraw_token, here, me, token_id)
    here.sockets.close(me.id, lambda shown: digest_of(shown.removeprefix("token ")) == digest)


def _withdraw_token(here: Service, me: Person, token_id: str) -> str:
    with here.database.session() as session:
        token = session.get(Token, token_id)
        if token is None or token.person_id != me.id:
            raise HTTPException(404, "you have no such token")
        session.delete(token)
    here.recognised.forget(me.id)
    return token.digest

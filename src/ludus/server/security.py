"""What every request passes before anything else sees it: whose host, whose page, how much, how often.

* The Host header must be a name of this server or a plain IP address. A foreign name that was pointed at us
  ("DNS rebinding") would make another site's scripts same-origin with our API.
* A request that changes something (not GET, HEAD or OPTIONS) must come from our own page: Sec-Fetch-Site or Origin says
  so in every browser. One that has neither comes from no current browser; it must then not rely on a cookie.
  A bot's token skips this: no browser adds it by itself.
* A WebSocket's Origin, where there is one, must be ours: browsers let any site open one, cookie and all.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from collections import Counter
from typing import TYPE_CHECKING

from fastapi import HTTPException
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from ludus.server.errors import refusal, too_fast
from ludus.server.people.identity import COOKIE, SOCKET, address_of, signed_by
from ludus.server.people.open_sockets import LOGGED_OUT, OpenSocket, OpenSockets

if TYPE_CHECKING:
    from ludus.server.service import Service

log = logging.getLogger(__name__)
SAFE = ("GET", "HEAD", "OPTIONS")
LARGEST_BODY, LARGEST_UPLOAD = 256 << 10, 2 << 20
SOCKETS_OF_PERSON, SOCKETS_OF_ADDRESS = 60, 1000
LOOPBACK_NAMES = ("localhost", "localhost.localdomain", "ip6-localhost")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """The outermost layer of the application. ``service`` is filled in when the server has started."""

    def __init__(self, app: ASGIApp, names: tuple[str, ...]) -> None:
        self.app = app
        self.names = {name.lower().strip("[]") for name in (*LOOPBACK_NAMES, *names)}
        self.sockets: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] == "http":
            await self._request(scope, receive, _with_headers(scope, send))
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers, started = Headers(scope=scope), False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        largest = LARGEST_UPLOAD if scope["path"].startswith("/api/uploads") else LARGEST_BODY
        problem = (
            self._wrong_host(headers) or _wrong_site(scope, headers) or self._too_fast(scope, headers)
            or _too_large(headers, largest)
        )  # fmt: skip
        if problem is not None:
            await problem(scope, receive, send)
            return
        try:
            await self.app(scope, _limited(receive, largest), watched)
        except Exception:
            log.exception("%s %s failed", scope["method"], scope["path"])
            if started:
                raise
            await refusal(500, "the server has failed here: it is a defect, and its log says more")(
                scope, receive, send
            )

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers, address = Headers(scope=scope), f"address {address_of(HTTPConnection(scope))}"
        person = _person(scope, headers) or "nobody"
        full = self.sockets[address] >= SOCKETS_OF_ADDRESS
        full = full or (person != "nobody" and self.sockets[person] >= SOCKETS_OF_PERSON)
        if self._wrong_host(headers) or _wrong_origin(headers) or full or self._too_fast(scope, headers):
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": ""})  # before it is accepted: 403
            return
        self.sockets.update((address, person))
        service = _service(scope)
        try:
            with (service.sockets if service is not None else OpenSockets()).opened() as socket:
                await self._until_void(socket, {**scope, SOCKET: socket}, receive, send)
        except WebSocketDisconnect:  # the client has left
            pass
        finally:
            self.sockets.subtract((address, person))
            self.sockets = +self.sockets  # without those that have none

    async def _until_void(self, socket: OpenSocket, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a socket until it ends, or until whoever opened it is no longer let in."""
        served, void = asyncio.ensure_future(self.app(scope, receive, send)), asyncio.ensure_future(socket.void.wait())
        try:
            await asyncio.wait((served, void), return_when=asyncio.FIRST_COMPLETED)
            if not served.done():
                served.cancel()
                await asyncio.wait((served,))
                await send({"type": "websocket.close", "code": LOGGED_OUT, "reason": ""})
            elif not served.cancelled():
                served.result()
        finally:
            served.cancel()
            void.cancel()
            await asyncio.wait((served, void))

    def _wrong_host(self, headers: Headers) -> JSONResponse | None:
        host = _host_name(headers.get("host", ""))
        if host in self.names or _is_address(host):
            return None
        return refusal(400, f"this server is not known as {host!r}: start it with --allow-host {host or 'NAME'}")

    def _too_fast(self, scope: Scope, headers: Headers) -> JSONResponse | None:
        service = _service(scope)
        if service is None or not service.limits.on:
            return None
        limits = service.limits
        asked = [(limits.addresses, address_of(HTTPConnection(scope)))]
        if (person := _person(scope, headers)) is not None:
            asked.append((limits.people, person))
        seconds = limits.wait(*asked)
        return too_fast(seconds) if seconds else None


def _service(scope: Scope) -> Service | None:
    return getattr(scope["app"].state, "service", None) if "app" in scope else None


def _person(scope: Scope, headers: Headers) -> str | None:
    """A name for the limits of whoever shows one of our tokens or cookies."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return f"token {token.strip()[:200]}"
    cookie = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
    service = _service(scope)
    told = signed_by(service.secret, cookie) if cookie and service is not None else None
    return told.person if told else None


def _host_name(host: str) -> str:
    """'[::1]:8421' is '::1', 'Localhost:80' is 'localhost'."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _own(headers: Headers, origin: str) -> bool:
    host = headers.get("host", "").lower()
    return origin.lower() in (f"http://{host}", f"https://{host}")


def _wrong_site(scope: Scope, headers: Headers) -> JSONResponse | None:
    if scope["method"] in SAFE or headers.get("authorization", "").lower().startswith("bearer "):
        return None
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        fine = site == "same-origin"
    elif origin is not None:
        fine = _own(headers, origin)
    elif COOKIE in cookie_parser(headers.get("cookie", "")):
        return refusal(403, "a request with a cookie must say by Origin where it comes from; programs use a token")
    else:
        fine = True
    return None if fine else refusal(403, "this request comes from another site's page")


def _wrong_origin(headers: Headers) -> bool:
    origin = headers.get("origin")
    return origin is not None and not _own(headers, origin)


def _too_large(headers: Headers, largest: int) -> JSONResponse | None:
    told = headers.get("content-length", "0")
    if told.isascii() and told.isdigit() and len(told) < 20 and int(told) <= largest:
        return None
    return refusal(413, _TOO_LARGE.format(largest >> 10))


_TOO_LARGE = "the request is too large: at most {} kB"


def _limited(receive: Receive, largest: int) -> Receive:
    """The same body, up to a size: one that comes in chunks does not tell its length beforehand."""
    read = 0

    async def limited() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > largest:
            raise HTTPException(413, _TOO_LARGE.format(largest >> 10))
        return message

    return limited


def _with_headers(scope: Scope, send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            if scope["path"].startswith("/api/"):
                headers.setdefault("Cache-Control", "no-store")
            if scope["scheme"] == "https":
                headers["Strict-Transport-Security"] = "max-age=31536000"
        await send(message)

    return with_headers

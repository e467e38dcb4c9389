"""Requests about a table or a match that another server has: they are passed on to it, sockets too."""

from __future__ import annotations

import asyncio
import hmac
import http.client
import logging
import re
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import websockets
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

from ludus.server.errors import TRY_AGAIN_LATER, refusal
from ludus.server.leases import Elsewhere

if TYPE_CHECKING:
    from ludus.server.service import Service

log = logging.getLogger(__name__)
PATHS = re.compile(r"/api/(tables|rps)/([\w-]{22})(?:/.*)?", re.ASCII)
HEADER = "x-ludus-peer"  # says for which address another of our servers asks
FRESH = 60.0  # seconds for which such a word counts
SECONDS, CONNECTING = 40.0, 5.0  # for an answer, and for a connection
AT_ONCE = 64  # requests that wait for other servers: those beyond are refused
OWN_OF_A_HOP = ("connection", "content-length", "transfer-encoding", "upgrade", "keep-alive", "te", HEADER)


def peer_word(secret: bytes, address: str, path: str) -> str:
    """What a server says to another about whoever asks, signed."""
    told = f"{address} {int(time.time())}"
    return f"{told} {hmac.new(secret, f'peer:{told}:{path}'.encode(), 'sha256').hexdigest()}"


def told_address(secret: bytes, word: str, path: str) -> str | None:
    """The address in such a word, if it is one of ours and fresh."""
    address, _, rest = word.partition(" ")
    moment, _, signature = rest.partition(" ")
    right = hmac.new(secret, f"peer:{address} {moment}:{path}".encode(), "sha256").hexdigest()
    if not hmac.compare_digest(right, signature) or not moment.isdecimal():
        return None
    return address if abs(time.time() - int(moment)) < FRESH else None


class Peers:
    """The outermost layer but one: what another of our servers passes on is asked by whoever asked there."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Put the address in its place, if a peer says so."""
        service = _service(scope)
        if scope["type"] in ("http", "websocket") and service is not None and service.leases.shared:
            word = Headers(scope=scope).get(HEADER)
            address = told_address(service.secret, word, scope["path"]) if word is not None else None
            if address is not None:
                scope = {**scope, "client": (address, 0), "ludus.peer": True}
        await self.app(scope, receive, send)


class Forwarding:
    """The layer before the routes. Its threads are its own: a server that hangs keeps nothing else waiting here."""

    def __init__(self, app: ASGIApp) -> None:
        self.app, self.waiting = app, 0
        self.threads = ThreadPoolExecutor(AT_ONCE, "other servers")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through if it is for this server, or pass it on."""
        url = await self._elsewhere(scope)
        if url is None:
            await self.app(scope, receive, send)
        elif not url or scope.get("ludus.peer"):  # it has just changed hands
            if scope["type"] == "http":
                await refusal(503, "another server is taking this over: try again", {"Retry-After": "1"})(
                    scope, receive, send
                )
            else:
                await receive()
                await send({"type": "websocket.close", "code": TRY_AGAIN_LATER, "reason": ""})
        elif scope["type"] == "http":
            await self._pass_on(scope, receive, send, url)
        else:
            await _pass_on_socket(scope, receive, send, url, _headers(scope))

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send, url: str) -> None:
        if self.waiting >= AT_ONCE:
            await refusal(503, "the server of this table is slow to answer: try again", {"Retry-After": "5"})(
                scope, receive, send
            )
            return
        self.waiting += 1
        try:
            await _pass_on(scope, receive, send, url, _headers(scope), self.threads)
        finally:
            self.waiting -= 1

    async def _elsewhere(self, scope: Scope) -> str | None:
        """Where something is; None for here, or for nowhere."""
        service = _service(scope)
        if service is None or not service.leases.shared or scope["type"] not in ("http", "websocket"):
            return None
        if (found := PATHS.fullmatch(scope["path"])) is None:
            return None
        try:
            if found[1] == "tables":
                await service.tables.find(found[2])
            elif found[2] not in service.rps_matches:
                await asyncio.to_thread(service.leases.look, found[2])
        except Elsewhere as error:
            return error.url
        return None


def _service(scope: Scope) -> Service | None:
    return getattr(scope["app"].state, "service", None) if "app" in scope else None


def _headers(scope: Scope) -> dict[str, str]:
    service, headers = _service(scope), MutableHeaders(scope=scope)
    assert service is not None
    kept = {name: value for name, value in headers.items() if name not in OWN_OF_A_HOP}
    address = scope["client"][0] if scope.get("client") else "unknown"
    return {**kept, HEADER: peer_word(service.secret, address, scope["path"])}


def _target(scope: Scope) -> str:
    query = scope["query_string"].decode("latin-1")
    return quote(scope["path"]) + (f"?{query}" if query else "")


async def _pass_on(
    scope: Scope, receive: Receive, send: Send, url: str, headers: dict[str, str], threads: Executor
) -> None:
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)

    def ask() -> tuple[int, list[tuple[str, str]], bytes]:
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=CONNECTING)
        try:
            connection.connect()
            connection.sock.settimeout(SECONDS)
            connection.request(scope["method"], _target(scope), body or None, headers)
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            connection.close()

    try:
        status, told, data = await asyncio.get_running_loop().run_in_executor(threads, ask)
    except (OSError, http.client.HTTPException) as error:
        log.warning("the server at %s does not answer: %s", url, error)
        await refusal(503, "the server of this table does not answer: try again", {"Retry-After": "1"})(
            scope, receive, send
        )
        return
    kept = [(name, value) for name, value in told if name.lower() not in OWN_OF_A_HOP]
    raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in kept]
    raw.append((b"content-length", str(len(data)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": data})


async def _pass_on_socket(scope: Scope, receive: Receive, send: Send, url: str, headers: dict[str, str]) -> None:
    address = f"ws://{urlsplit(url).netloc}{_target(scope)}"
    own = {name: value for name, value in headers.items() if not name.startswith("sec-websocket")}
    host, origin = own.pop("host", None), own.pop("origin", None)
    await receive()  # the client's wish to connect
    try:
        there = await websockets.connect(
            address, additional_headers={**own, **({"Host": host} if host else {})}, origin=origin,  # type: ignore[arg-type]
            compression=None, open_timeout=SECONDS, max_size=None, user_agent_header=None,
        )  # fmt: skip
    except (OSError, TimeoutError, websockets.WebSocketException) as error:
        log.warning("the server at %s does not take a socket: %s", url, error)
        await send({"type": "websocket.close", "code": TRY_AGAIN_LATER, "reason": ""})
        return
    await send({"type": "websocket.accept"})

    async def to_client() -> tuple[int, str]:
        try:
            async for message in there:
                kind = "text" if isinstance(message, str) else "bytes"
                await send({"type": "websocket.send", kind: message})
        except websockets.ConnectionClosed:
            pass
        return there.close_code or TRY_AGAIN_LATER, there.close_reason or ""

    async def from_client() -> None:
        while (message := await receive())["type"] == "websocket.receive":
            told = message.get("text")
            await there.send(told if told is not None else message.get("bytes") or b"")

    tasks = asyncio.create_task(to_client()), asyncio.create_task(from_client())
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if tasks[0].done() and not tasks[0].cancelled():
            code, reason = tasks[0].result()
            with suppress(RuntimeError, OSError):
                await send({"type": "websocket.close", "code": code if code != 1006 else 1012, "reason": reason})
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await there.close()

"""The outermost layer: it counts requests and sockets, and logs requests where that is wanted."""

from __future__ import annotations

import logging
import time
from collections import Counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ludus.server.logs import REQUESTS

log = logging.getLogger(REQUESTS)
BOUNDS = (0.005, 0.025, 0.1, 0.5, 2.5, 10.0)  # seconds, of the histogram


class Traffic:
    """What has come in: answers by route and status, how long they took, and open sockets."""

    def __init__(self) -> None:
        self.answers: Counter[tuple[str, int]] = Counter()
        self.within: Counter[float] = Counter()  # answers by the bound that they stayed below
        self.seconds = 0.0
        self.sockets = 0

    def note(self, route: str, status: int, seconds: float) -> None:
        """One more answer."""
        self.answers[route, status] += 1
        self.seconds += seconds
        self.within[next((bound for bound in BOUNDS if seconds <= bound), float("inf"))] += 1


class Watch:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, traffic: Traffic) -> None:
        self.app, self.traffic = app, traffic

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let everything through."""
        if scope["type"] == "http":
            await self._request(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun, status = time.perf_counter(), 500

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, watched)
        finally:
            seconds, route = time.perf_counter() - begun, _route(scope)
            self.traffic.note(route, status, seconds)
            if log.isEnabledFor(logging.INFO):
                client = scope["client"][0] if scope.get("client") else ""
                told = {"method": scope["method"], "route": route, "status": status, "client": client}
                log.info("request", extra={"fields": {**told, "ms": round(1000 * seconds, 1)}})

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.traffic.sockets += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self.traffic.sockets -= 1


def _route(scope: Scope) -> str:
    """The route's pattern, so that ids are in no log and in no label; one name for all files of the page."""
    return str(getattr(scope.get("route"), "path", "page"))

"""How many connections one address may hold open, and how long one may stay silent.

A server has a limited number of open files. Without a limit by address, one client that opens connections and says
nothing takes all of them, and nobody else is let in.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from ludus.server.limits import address_name

OF_ADDRESS = 600  # without its WebSockets, which are counted when they are asked for (`security`)
SILENT = 20.0  # seconds until the first request must be there


def bounded(exempt: Sequence[str] = (), most: int = OF_ADDRESS, silent: float = SILENT) -> type[asyncio.Protocol]:
    """uvicorn's protocol for HTTP with these limits. Exempt are proxies, by address or network, and this machine."""
    networks = [ipaddress.ip_network(each, strict=False) for each in exempt]
    open_now = Counter[str]()

    def counts(host: str) -> bool:
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            return False  # a socket of this machine
        return not any(address in network for network in networks)

    class Bounded(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        """A connection that is counted until it ends or becomes a WebSocket."""

        counted: str | None = None
        open_now: Counter[str]

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            host = self.client[0] if self.client else ""
            if not counts(host):
                return
            self.counted = address_name(host)
            open_now[self.counted] += 1
            if open_now[self.counted] > most:
                transport.abort()
            else:
                self.loop.call_later(silent, self._still_silent)

        def _still_silent(self) -> None:
            if self.counted is not None and self.cycle is None and not self.transport.is_closing():
                self.transport.abort()

        def connection_lost(self, exc: Exception | None) -> None:
            self._no_longer()
            super().connection_lost(exc)

        def handle_websocket_upgrade(self, *arguments: Any) -> None:
            self._no_longer()
            super().handle_websocket_upgrade(*arguments)

        def _no_longer(self) -> None:
            if self.counted is not None:
                open_now[self.counted] -= 1
                if not open_now[self.counted]:
                    del open_now[self.counted]
                self.counted = None

    Bounded.open_now = open_now
    return Bounded


def open_many_files() -> None:
    """As many open files as the system lets us have: the usual number is meant for programs with few."""
    with suppress(ImportError, ValueError, OSError):  # where there is no such limit, or none that can be set
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

"""Run a server until it is stopped."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import os
import signal
import socket
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.config import WS_PROTOCOLS

from ludus.server.connections import bounded, open_many_files
from ludus.server.limits import LARGEST_MESSAGE
from ludus.server.logs import configure
from ludus.server.private_files import private_by_default
from ludus.server.processes import serve_together
from ludus.server.settings import LOOPBACK, Settings
from ludus.server.work.loading import loading
from ludus.server.work.pools import Pools
from ludus.server.work.warming import until_ready, working

if TYPE_CHECKING:
    from fastapi import FastAPI

PATIENCE = 1  # seconds for open requests when the server ends
QUIET = 2.0  # seconds before it says that it compiles
BACKLOG = 2048
LEAST_CONNECTIONS = 10  # to the database, of each of several processes
SPREAD = sys.platform == "linux"  # whether the system spreads connections over sockets that listen at one address


def serve(settings: Settings, browser: bool = False) -> None:
    """Listen, say where once the table can be played at, and end cleanly on Ctrl-C or SIGTERM."""
    if settings.processes > 1:
        with _bound(settings) as sock:
            serve_together(partial(_serve_with, settings), sock, settings.processes, browser)
        return
    with _listening(settings) as sock:
        own = page_address(settings.host, sock.getsockname()[1]).rstrip("/")
        _serve(replace(settings, peer=settings.peer or own), [sock], browser)


def _serve_with(settings: Settings, public: socket.socket, first: bool, browser: bool) -> None:
    """One of several processes: it listens with the others, and at an address of its own for what they pass on."""
    spread = _beside(public.family, public.getsockname()) if SPREAD else public
    with spread, socket.create_server((LOOPBACK, 0), backlog=BACKLOG) as own:
        peer = f"http://{LOOPBACK}:{own.getsockname()[1]}"
        connections = max(LEAST_CONNECTIONS, settings.connections // settings.processes)
        alone = replace(settings, peer=peer, processes=1, connections=connections)
        _serve(alone, [spread, own], browser, quiet=not first)


def _serve(settings: Settings, sockets: list[socket.socket], browser: bool, quiet: bool = False) -> None:
    configure(settings.log)
    open_many_files()
    server = _Server(settings, browser, quiet)
    with private_by_default():
        try:
            server.run(sockets=sockets)
        except SystemExit:  # it could not start
            raise server.error or SystemExit(1) from None


class _Server(uvicorn.Server):
    """A server that says when it can be played at.

    Its worker processes are started first: they load and compile their share while the server loads its own.
    """

    app: FastAPI
    pools: Pools

    def __init__(self, settings: Settings, browser: bool, quiet: bool) -> None:
        sansio = "websockets-sansio" if "websockets-sansio" in WS_PROTOCOLS else "websockets"
        exempt = ("127.0.0.0/8", "::1", *settings.proxies)
        super().__init__(uvicorn.Config(
            self.make_app, factory=True, http=bounded(exempt), ws=sansio,
            ws_max_size=LARGEST_MESSAGE, ws_per_message_deflate=False, lifespan="on", log_config=None,
            access_log=False, server_header=False, timeout_graceful_shutdown=PATIENCE,
            proxy_headers=bool(settings.proxies), forwarded_allow_ips=list(settings.proxies),
        ))  # fmt: skip
        self.settings, self.browser, self.quiet = settings, browser, quiet
        self.announcing: asyncio.Task[None] | None = None

    @property
    def error(self) -> Exception | None:
        """Why the application could not start, if that is known."""
        return getattr(self.app.state, "error", None) if hasattr(self, "app") else None

    def make_app(self) -> FastAPI:
        """The application, which takes a while to load."""
        from ludus.server.app import create_app

        self.app = create_app(self.settings, self.pools)
        return self.app

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the processes, load the application, and serve."""
        async with working(self.settings) as self.pools:
            with loading():
                await asyncio.to_thread(self.config.load)
            with _signals_end_it():
                await super().serve(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start; an error is the caller's to tell, not the log's."""
        log = logging.getLogger("uvicorn.error")
        log.setLevel(logging.CRITICAL)
        await super().startup(sockets)
        log.setLevel(logging.WARNING)
        if self.started and sockets and not self.quiet:
            self.announcing = asyncio.create_task(self.announce(sockets[0].getsockname()[1]))

    async def announce(self, port: int) -> None:
        """Say where the table is as soon as it is ready."""
        if self.settings.warm_up:
            ready = asyncio.ensure_future(until_ready(self.pools))
            if not (await asyncio.wait([ready], timeout=QUIET))[0]:
                print("compiling what the table needs, once: about half a minute", file=sys.stderr, flush=True)
            await ready
        if not is_loopback(self.settings.host):
            print(
                f"warning: this listens at {self.settings.host}, where others can reach it: "
                "put a proxy with https in front of it (--trusted-proxy ADDRESS, --allow-host NAME)",
                file=sys.stderr, flush=True,
            )  # fmt: skip
        address = page_address(self.settings.host, port)
        print(f"Ludus is at {address} (Ctrl-C ends it)", flush=True)
        if self.browser:
            await asyncio.to_thread(webbrowser.open, address)


def page_address(host: str, port: int) -> str:
    """Where a browser on this machine finds it."""
    if host in ("", "0.0.0.0", "::"):
        host = "localhost"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _listening(settings: Settings) -> socket.socket:
    """The socket; an error says what to do."""
    host, port = settings.host, settings.port
    try:
        family, _, _, _, address = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise OSError(f"cannot listen at {host}, port {port}: {why}; choose another with --port or --host") from None


def _bound(settings: Settings) -> socket.socket:
    """What the processes of a server share: an address to listen at each for itself, or a socket that listens.

    Sockets of tables stay open for hours. From one socket that all listen at, the first process to wake takes most of
    them; the system spreads them evenly over several.
    """
    sock = _listening(settings)
    if not SPREAD:
        return sock
    family, address = sock.family, sock.getsockname()
    sock.close()  # nobody else listens here
    return _beside(family, address)


def _beside(family: int, address: Any) -> socket.socket:
    """A socket at an address with others; it listens when its server is ready, not to keep anybody waiting."""
    sock = socket.socket(family)
    for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
        sock.setsockopt(socket.SOL_SOCKET, option, 1)
    if family == socket.AF_INET6:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    sock.bind(address)
    return sock


@contextmanager
def _signals_end_it() -> Iterator[None]:
    """Signals are raised again after the server has ended by them: by then they have done their work."""
    kinds = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(kind, lambda *_: None) for kind in kinds]
    try:
        yield
    finally:
        for kind, handler in zip(kinds, before, strict=True):
            signal.signal(kind, handler)

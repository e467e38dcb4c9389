"""Servers for tests: a real one on a port of its own, and one without a network for what is quick."""

from __future__ import annotations

import asyncio
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import uvicorn
from argon2 import PasswordHasher
from fastapi import FastAPI
from starlette.testclient import TestClient

from ludus.server.app import create_app
from ludus.server.people.passwords import Passwords
from ludus.server.service import Service
from ludus.server.settings import Settings

QUICK = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)  # passwords that need not be safe
SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}  # what our own page's requests say


def test_settings(folder: Path, **changes: Any) -> Settings:
    """Settings with a folder of their own, one helper process, quick reviews, no warm-up and no rate limits."""
    values: dict[str, Any] = {
        "folder": folder, "helpers": 1, "warm_up": False, "limits": False, "port": 0, "review": 0.0,
    }  # fmt: skip
    return Settings(**values | changes)


test_settings.__test__ = False  # type: ignore[attr-defined]


@contextmanager
def local_client(folder: Path, **changes: Any) -> Iterator[TestClient]:
    """A client that speaks to an application in this process; the worker processes are real."""
    with Browser(create_app(test_settings(folder, **changes)), SAME_ORIGIN) as client:
        service_of(client).passwords = Passwords(QUICK)
        yield client


class Browser(TestClient):
    """A client at http://localhost that keeps cookies; sockets go there, too."""

    def __init__(self, app: Any, headers: dict[str, str]) -> None:
        super().__init__(app, base_url="http://localhost", headers=headers, raise_server_exceptions=False)

    def websocket_connect(self, url: str, *arguments: Any, **options: Any) -> Any:
        """A socket by its path."""
        return super().websocket_connect(f"ws://localhost{url}", *arguments, **options)


def another(client: TestClient, headers: dict[str, str] = SAME_ORIGIN) -> Browser:
    """Another browser, without cookies yet, at the same application. Use it without ``with``."""
    other = Browser(client.app, headers)
    other.portal = client.portal  # the same event loop
    return other


def person(client: TestClient) -> Browser:
    """A new person at the same application, who knows his own ``key``."""
    other = another(client)
    other.key = other.get("/api/me").json()["id"]  # type: ignore[attr-defined]
    return other


def service_of(client: TestClient) -> Service:
    """The service behind a client."""
    return client.app.state.service  # type: ignore[attr-defined, no-any-return]


class Server:
    """A server that runs in a thread, with a real socket and its own event loop."""

    def __init__(self, app: FastAPI, server: uvicorn.Server, port: int) -> None:
        self.app, self.server, self.port = app, server, port
        self.loop: asyncio.AbstractEventLoop
        self.url, self.socket_url = f"http://127.0.0.1:{port}", f"ws://127.0.0.1:{port}"

    @property
    def service(self) -> Service:
        """Its service."""
        return self.app.state.service  # type: ignore[no-any-return]

    def client(self, **options: Any) -> httpx.Client:
        """A browser's client: it keeps cookies and says that it is our page."""
        return httpx.Client(base_url=self.url, headers=SAME_ORIGIN, timeout=60, **options)

    def cut_sockets(self) -> None:
        """Tear down every WebSocket without a word, as a lost network does."""

        def cut() -> None:
            for connection in list(self.server.server_state.connections):
                if "websocket" in type(connection).__module__:
                    connection.transport.abort()  # type: ignore[union-attr]

        self.loop.call_soon_threadsafe(cut)

    def bot(self, name: str | None = None) -> httpx.Client:
        """A new guest's client with a token."""
        made = httpx.post(f"{self.url}/api/guests", json={"name": name} if name else {}, timeout=60).json()
        return httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {made['token']}"}, timeout=60)


@contextmanager
def serving(folder: Path, **changes: Any) -> Iterator[Server]:
    """A real server on a free port of this machine, until the end of the block."""
    listening = socket.create_server(("127.0.0.1", 0))
    app_settings = test_settings(folder, **{"peer": f"http://127.0.0.1:{listening.getsockname()[1]}"} | changes)
    app = create_app(app_settings)
    config = uvicorn.Config(
        app, log_level="warning", ws="websockets-sansio", ws_max_size=1 << 16, lifespan="on", server_header=False,
        proxy_headers=bool(app_settings.proxies), forwarded_allow_ips=list(app_settings.proxies),
    )  # fmt: skip
    server = uvicorn.Server(config)
    made = Server(app, server, listening.getsockname()[1])

    async def run() -> None:
        made.loop = asyncio.get_running_loop()
        await server.serve(sockets=[listening])

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), f"the server did not start: {getattr(app.state, 'error', None)}"
        thread.join(0.01)
    try:
        yield made
    finally:
        server.should_exit = True
        thread.join(30)
        assert not thread.is_alive(), "the server did not stop"


SERVER = (
    "import sys; from pathlib import Path; from ludus.server.running import serve; from ludus.server.settings import "
    "Settings; serve(Settings(port=0, folder=Path(sys.argv[1]), database=sys.argv[2], limits=False, warm_up=False, "
    "helpers=1))"
)


@contextmanager
def server_process(folder: Path, url: str) -> Iterator[Any]:
    """A server in a process of its own, killed without a warning at the end of the block."""
    running = subprocess.Popen([sys.executable, "-c", SERVER, str(folder), url], stdout=subprocess.PIPE, text=True)
    try:
        assert running.stdout is not None
        found = re.search(r"http://\S+", running.stdout.readline())
        assert found, "the server did not start"
        yield SimpleNamespace(url=found[0].rstrip("/"), kill=lambda: running.send_signal(signal.SIGKILL))
    finally:
        running.kill()
        running.wait(30)
        running.stdout.close()  # type: ignore[union-attr]

"""People at real browsers: a page each, everything that was sent to it, and everything that went wrong in it."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, Response, WebSocket

from paths import REPOSITORY
from server_helpers import SAME_ORIGIN, Server

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
ARTEFACTS = Path(os.environ.get("LUDUS_ARTEFACTS") or REPOSITORY / "build" / "screenshots")
QUICK, PATIENCE = 20_000, 400_000  # milliseconds: for what is only drawn, and what may have to be built first
DESKTOP, PHONE = (1280, 800), (360, 740)
PREFERENCES = "if (!localStorage.preferences) localStorage.preferences = JSON.stringify({speed: '%s'});"
SEEN = "([s, n]) => [...document.querySelectorAll(s)].filter((e) => e.checkVisibility()).length >= n"
YOUR_TURN = ".table-foot[data-state=turn] .act.call:enabled"
OVER = ".table-foot[data-state=over]"


def browser_program() -> str | None:
    """The browser of this machine."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Visitor:
    """A person with a browser of his own."""

    def __init__(self, chromium: Browser, server: Server, size: tuple[int, int], speed: str, **options: Any) -> None:
        self.server, self.problems, self.allowed = server, [], []  # type: tuple[Server, list[str], list[str]]
        self.frames: list[str] = []  # what the server sent over sockets, and answers once they are read
        self.answers: list[Response] = []  # of the API, not read yet
        self.sockets: list[WebSocket] = []
        self.forgotten: list[str] = []
        width, height = size
        options = {"viewport": {"width": width, "height": height}, "reduced_motion": "reduce", "locale": "en"} | options
        self.context = chromium.new_context(base_url=server.url, **options)
        self.context.set_default_timeout(QUICK)
        self._client: httpx.Client | None = None
        self.context.add_init_script(PREFERENCES % speed)
        self.page: Page = self.context.new_page()
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.problems.append(f"error in the page: {error}"))
        self.page.on("requestfailed", self._failed)
        self.page.on("response", self._answered)
        self.page.on("websocket", self._connected)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type == "error" or message.text.startswith("no text"):  # a refusal by the content policy is an error
            self.problems.append(f"{message.type}: {message.text} ({message.location.get('url')})")

    def _failed(self, request: Request) -> None:
        if "ERR_ABORTED" not in (request.failure or ""):  # left behind by going to another page
            self.problems.append(f"{request.failure}: {request.url}")

    def _connected(self, socket: WebSocket) -> None:
        self.sockets.append(socket)
        socket.on("framereceived", lambda data: self.frames.append(data if isinstance(data, str) else data.decode()))

    def _answered(self, response: Response) -> None:
        if "/api/" in response.url and response.status != 204:
            self.answers.append(response)

    def told(self) -> str:
        """All the API has said to this page until now, over sockets and in answers, without keys and hashes."""
        self.frames += [f"{response.url} {response.text()}" for response in self.answers]
        self.answers.clear()
        texts = [text for text in self.frames if not any(key in text for key in self.forgotten)]
        return re.sub(r"[\w-]{20,}", "", "\n".join(texts))

    def forget(self, key: str) -> None:
        """What is said about a hand counts no longer."""
        self.forgotten.append(key)

    def allow(self, pattern: str) -> None:
        """What the browser complains of here is what the test is about."""
        self.allowed.append(pattern)

    def wrong(self) -> list[str]:
        """What went wrong, except for what was expected to."""
        return [each for each in self.problems if not any(re.search(pattern, each) for pattern in self.allowed)]

    @property
    def client(self) -> httpx.Client:
        """The API as this person."""
        if self._client is None:
            cookies = {cookie["name"]: cookie["value"] for cookie in self.context.cookies()}
            self._client = httpx.Client(
                base_url=self.server.url, headers=SAME_ORIGIN, cookies=cookies, timeout=120, verify=False
            )
        return self._client

    def leave(self) -> None:
        """Close the browser."""
        if self._client is not None:
            self._client.close()
        self.context.close()

    def go(self, path: str) -> Page:
        """Open an address and wait until its page is drawn."""
        self.page.goto(path)
        self.drawn()
        return self.page

    def drawn(self) -> None:
        """Wait until the page is there."""
        self.wait("#main:not([aria-busy]) h1")

    def wait(self, selector: str, count: int = 1) -> None:
        """Wait until so many elements are seen; the server may have to compile kernels for them first.

        It looks at every frame: the driver's own waiting looks twice a second.
        """
        self.page.wait_for_function(SEEN, arg=[selector, count], timeout=PATIENCE)

    def gone(self, selector: str) -> None:
        """Wait until no such element is seen."""
        self.page.wait_for_function(f"(wanted) => !({SEEN})(wanted)", arg=[selector, 1])

    def shot(self, name: str) -> None:
        """Keep a picture of what is to be seen."""
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=ARTEFACTS / f"{name}.png")

    def view(self) -> dict[str, Any]:
        """The table of this page as the server tells it to this person."""
        found = re.search(r"/table/([\w-]+)", self.page.url)
        assert found, self.page.url
        return self.client.get(f"/api/tables/{found[1]}").json()  # type: ignore[no-any-return]

    def deal(self) -> None:
        """Ask for the next hand, and wait until one is to act or it is over already."""
        self.page.click(f"{OVER} .button.primary")
        self.gone(f"{OVER} .button.primary")
        self.wait_turn()

    def wait_turn(self) -> bool:
        """Wait for the own turn or the end of the hand; whether it is one's turn."""
        self.wait(f"{YOUR_TURN}, {OVER}")
        return self.page.query_selector(YOUR_TURN) is not None

    def call_down(self) -> None:
        """Check and call by clicks until the hand is over."""
        while self.wait_turn():
            self.page.click(YOUR_TURN)

    def cards(self, where: str) -> list[str]:
        """The open cards in a part of the page."""
        return [each.get_attribute("data-card") or "" for each in self.page.query_selector_all(f"{where} [data-card]")]


TOO_WIDE = """() => {
    if (document.scrollingElement.scrollWidth <= innerWidth) return [];
    const right = (e) => Math.round(e.getBoundingClientRect().right);
    const out = [...document.querySelectorAll("body *")].filter((e) => right(e) > innerWidth);
    return ["the page scrolls sideways", ...out.map((e) => `${e.tagName} ${e.className} to ${right(e)} px`)];
}"""


def too_wide(page: Page) -> list[str]:
    """What reaches over the right edge of the window, if the page can be scrolled sideways."""
    return page.evaluate(TOO_WIDE)  # type: ignore[no-any-return]

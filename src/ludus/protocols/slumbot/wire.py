"""HTTP to Slumbot: JSON out, a JSON object back. Nothing that a server sends can hang us or fill the memory."""

from __future__ import annotations

import io
import json
import socket
import time
from collections.abc import Mapping, Sequence
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, cast
from urllib.parse import urlsplit
from urllib.request import HTTPErrorProcessor, HTTPHandler, HTTPSHandler, Request, build_opener

import ludus

KNOWN_URLS = ("https://slumbot.com/slumbot/api", "https://slumbot.com/api")
MOST_BYTES = 1 << 16  # an answer has less than a thousand
MOST_SHOWN = 300  # characters of an odd answer in an error message
SECRETS = ("password", "username", "token")  # of a request: no error message shows them, whatever the server echoes
Body = Mapping[str, str]


class SlumbotError(ConnectionError):
    """The server fails in some way; the message says how."""


class UnreachableError(SlumbotError):
    """No answer came, or the server is in trouble: asking again later may help."""


class NotTheApiError(SlumbotError):
    """Something other than Slumbot's API answers at this address."""


class RefusedError(SlumbotError):
    """The server understands, and says no."""


class MismatchError(SlumbotError):
    """The server says something that contradicts the rules or what it said before."""


def check_url(url: str) -> str:
    """The base of an API without its last slash; ValueError unless requests can be sent there.

    >>> check_url("http://127.0.0.1:8000/api/")
    'http://127.0.0.1:8000/api'
    """
    try:
        parts = urlsplit(url)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    if not fits or not url.isascii() or not url.isprintable() or set(url) & set(" @?#"):
        raise ValueError(
            f"{shown(url)} is not the address of an API, which is such as {KNOWN_URLS[1]}: no user, query or blanks"
        )
    return url.rstrip("/")


def shown(value: object) -> str:
    """Anything a server or a user sent, made fit for an error message: short, and without control characters."""
    try:
        text = repr(value[:MOST_SHOWN] if isinstance(value, str) else value)
    except RecursionError:
        text = f"a deeply nested {type(value).__name__}"
    return text if len(text) <= 2 * MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


class Wire:
    """Asks the first of some addresses that turns out to be the API, and from then on only that one."""

    def __init__(self, urls: tuple[str, ...], timeout: float) -> None:
        self.urls, self.timeout = urls, timeout
        self.answered = False  # one of the addresses has turned out to be the API

    def ask(self, call: str, body: Body) -> dict[str, Any]:
        """The answer to a call, which is sent once; until an address has answered, once to each address in turn."""
        wrong = []
        for url in self.urls:
            try:
                answer = post(f"{url}/{call}", body, self.timeout)
            except NotTheApiError as error:
                wrong.append(str(error))
            except RefusedError:
                self.urls, self.answered = (url,), True
                raise
            else:
                self.urls, self.answered = (url,), True
                return answer
        raise NotTheApiError("; ".join(wrong))


def post(url: str, body: Body, timeout: float) -> dict[str, Any]:
    """The JSON object that comes back within some seconds; a ``SlumbotError`` says why there is none."""
    headers = {
        "Content-Type": "application/json", "Accept": "application/json", "User-Agent": f"ludus/{ludus.__version__}"
    }  # fmt: skip
    request = Request(url, json.dumps(body).encode(), headers, method="POST")
    deadline = time.monotonic() + timeout
    try:
        opener = build_opener(_AnyStatus(), _Http(deadline), _Https(deadline))
        with opener.open(request, timeout=timeout) as response:
            status, data = response.status, response.read(MOST_BYTES + 1)
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise UnreachableError(f"no answer from {url}: {str(reason)[:MOST_SHOWN] or type(reason).__name__}") from None
    return _answer(url, status, data, [body[name] for name in SECRETS if name in body])


def _answer(url: str, status: int, data: bytes, secrets: Sequence[str]) -> dict[str, Any]:
    text = data[:MOST_BYTES].decode("utf-8", "replace")
    said = f"{url} answered {status}: {shown(_without(secrets, text))}"
    if status >= 500 or status == 429:
        raise UnreachableError(said)
    if 300 <= status < 400 or status in (404, 405) or (status >= 400 and text.lstrip().startswith("<")):
        raise NotTheApiError(said)  # redirections are not followed: they would turn it into a GET
    if status != 200:
        raise RefusedError(said)
    if len(data) > MOST_BYTES:
        raise NotTheApiError(f"{url} answered with more than {MOST_BYTES} bytes")
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise NotTheApiError(f"{said}, which is not a JSON object")
    if answer.get("error_msg") not in (None, ""):
        raise RefusedError(said)
    return answer


def _without(secrets: Sequence[str], text: str) -> str:
    for secret in secrets:
        text = text.replace(secret, "***").replace(json.dumps(secret)[1:-1], "***")
    return text


class _AnyStatus(HTTPErrorProcessor):
    """Leaves every status to the caller: no exceptions, no redirections followed."""

    def http_response(self, request: Request, response: HTTPResponse) -> HTTPResponse:
        return response

    https_response = http_response


class _Http(HTTPHandler):
    def __init__(self, deadline: float) -> None:
        super().__init__()
        self.deadline = deadline

    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(partial(_connection, HTTPConnection, self.deadline), req)


class _Https(HTTPSHandler):
    def __init__(self, deadline: float) -> None:
        super().__init__()
        self.deadline = deadline

    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(partial(_connection, HTTPSConnection, self.deadline), req)


def _connection(kind: type[HTTPConnection], deadline: float, host: str, **options: Any) -> HTTPConnection:
    """A connection whose answer is read up to the deadline."""

    def response(sock: socket.socket, *args: Any, **named: Any) -> HTTPResponse:
        return HTTPResponse(cast(socket.socket, _Hurried(sock, deadline)), *args, **named)

    connection = kind(host, **options)
    connection.response_class = cast(type[HTTPResponse], response)
    return connection


class _Hurried(io.RawIOBase):
    """A socket that is read up to a point in time, however slowly its bytes drip: each may take the time left."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self.sock, self.raw, self.deadline = sock, sock.makefile("rb", buffering=0), deadline

    def makefile(self, *_: object) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self.sock.settimeout(left)
        return self.raw.readinto(buffer)

    def close(self) -> None:
        self.raw.close()
        super().close()

"""One session with Slumbot: the token, the log-in, and what may be asked twice."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from ludus.protocols.slumbot.answers import read_token
from ludus.protocols.slumbot.wire import (
    KNOWN_URLS,
    Body,
    MismatchError,
    NotTheApiError,
    RefusedError,
    SlumbotError,
    UnreachableError,
    Wire,
    check_url,
)

USER, PASSWORD = "LUDUS_SLUMBOT_USER", "LUDUS_SLUMBOT_PASSWORD"
LONGEST_WAIT = 300.0
_OWN_MACHINE = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True)
class Login:
    """An account of slumbot.com. Neither part is ever shown."""

    user: str = field(repr=False)
    password: str = field(repr=False)

    @classmethod
    def from_environment(cls) -> Login | None:
        """The account that the environment names, if any; ValueError when half of it is missing."""
        user, password = os.environ.get(USER), os.environ.get(PASSWORD)
        if not user and not password:
            return None
        if not user or not password:
            raise ValueError(f"to log in to Slumbot set both {USER} and {PASSWORD}, to play without an account neither")
        return cls(user, password)


@dataclass(frozen=True)
class Settings:
    """Where the server is and how patient we are."""

    urls: tuple[str, ...] = KNOWN_URLS  # tried in this order until one of them is the API
    timeout: float = 20.0  # seconds for a request
    pause: float = 0.5  # seconds between hands
    tries: int = 6  # how often a hand or a log-in is asked for
    wait: float = 1.0  # seconds after the first failure, twice as many after each further one
    most_broken: int = 5  # broken hands in a row that end the run

    def __post_init__(self) -> None:
        if not self.urls:
            raise ValueError("there must be an address to play at")
        for url in self.urls:
            check_url(url)
        if not 0 < self.timeout <= LONGEST_WAIT:
            raise ValueError(f"the timeout is above 0 and at most {LONGEST_WAIT:g} seconds, got {self.timeout:g}")
        if not 0 <= self.pause <= 3600 or not 0 <= self.wait <= LONGEST_WAIT:
            raise ValueError(f"a pause is 0 to 3600 seconds, got {self.pause:g} and {self.wait:g}")
        if self.tries < 1 or self.most_broken < 1:
            raise ValueError("at least one try and one broken hand are needed to give up")


class Client:
    """Asks for hands and acts in them. After any error in a hand, ``drop`` the session: its state is not known."""

    def __init__(
        self, settings: Settings, login: Login | None = None, stop: Callable[[], bool] = lambda: False
    ) -> None:
        if login and any(insecure(url) for url in settings.urls):
            raise ValueError("a password is only sent over https: play without an account, or at an https address")
        self.settings = settings
        self.stop: Callable[[], bool] = lambda: False  # whether somebody wants to stop
        self.report: Callable[[str], object] = lambda _: None  # called with what goes wrong and is retried
        self._wire, self._login = Wire(settings.urls, settings.timeout), login
        self._token: str | None = None
        self.retries = 0  # requests that were sent again, in total

    def deal(self) -> Mapping[str, Any]:
        """A new hand. A session that the server no longer knows is replaced by a new one."""
        fresh = self._token is None
        try:
            return self._new_hand()
        except RefusedError:
            if fresh:
                raise
            self.drop()
            return self._new_hand()

    def act(self, incr: str) -> Mapping[str, Any]:
        """The answer to one action. It is sent only once: if the answer is lost, the action may have been played."""
        assert self._token is not None, "no hand is being played"
        return self._kept(self._wire.ask("act", {"token": self._token, "incr": incr}))

    def drop(self) -> None:
        """Forget the session, and with it the hand it may be in."""
        self._token = None

    def nap(self, seconds: float) -> None:
        """Wait, but only until somebody wants to stop."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not self.stop():
            time.sleep(min(left, 0.1))

    def _new_hand(self) -> Mapping[str, Any]:
        if self._token is None and self._login:
            self._log_in(self._login)
        answer = self._kept(self._patiently("new_hand", {"token": self._token} if self._token else {}))
        if self._token is None:
            raise MismatchError("the answer to new_hand has no token")
        return answer

    def _log_in(self, login: Login) -> None:
        try:
            self._kept(self._patiently("login", {"username": login.user, "password": login.password}))
        except RefusedError as error:
            raise SlumbotError(f"the log-in was refused, check {USER} and {PASSWORD}: {error}") from None
        if self._token is None:
            raise MismatchError("the answer to login has no token")

    def _patiently(self, call: str, body: Body) -> dict[str, Any]:
        """Ask again when no answer comes, after ever longer waits."""
        tries = self.settings.tries
        for attempt in range(1, tries + 1):
            try:
                return self._wire.ask(call, body)
            except (UnreachableError, NotTheApiError) as error:
                if isinstance(error, NotTheApiError) and not self._wire.answered:
                    raise
                if attempt == tries:
                    raise UnreachableError(f"gave up after {tries} tries: {error}") from None
                problem = f"{error}"
            self.retries += 1
            wait = min(self.settings.wait * 2 ** (attempt - 1), LONGEST_WAIT)
            self.report(f"{problem}; try {attempt + 1} of {tries} in {wait:g} s")
            self.nap(wait)
            if self.stop():
                raise KeyboardInterrupt
        raise AssertionError("unreachable")

    def _kept(self, answer: dict[str, Any]) -> dict[str, Any]:
        try:
            self._token = read_token(answer) or self._token
        except ValueError as error:
            raise MismatchError(f"Slumbot's answer cannot be right: {error}") from None
        return answer


def insecure(url: str) -> bool:
    """Whether others could read what is sent to an address."""
    parts = urlsplit(url)
    return parts.scheme != "https" and parts.hostname not in _OWN_MACHINE

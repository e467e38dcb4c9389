"""Passwords: Argon2 with the parameters of RFC 9106 for little memory, in threads, a few at a time."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from ludus.server.work.workers import Busy

AT_ONCE = 2  # each takes 64 MB and a core for a moment
WAITING = 50

_Result = TypeVar("_Result")


class Passwords:
    """Hashes passwords and checks them, for one server."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._room = asyncio.Semaphore(AT_ONCE)
        self._asked = 0

    @cached_property
    def _nobodys(self) -> str:
        return self._hasher.hash(secrets.token_urlsafe(16))

    async def hash(self, password: str) -> str:
        """The form in which a password is stored."""
        return await self._in_turn(lambda: self._hasher.hash(password))

    async def fits(self, kept: str | None, password: str) -> bool:
        """Whether a password is the stored one. Without a stored one it takes as long, and is false."""
        return await self._in_turn(lambda: self._fits(kept, password))

    def _fits(self, kept: str | None, password: str) -> bool:
        nobodys = self._nobodys  # made by the first question, whoever it is about
        try:
            return self._hasher.verify(kept or nobodys, password) and kept is not None
        except (Argon2Error, InvalidHashError):
            return False

    async def _in_turn(self, work: Callable[[], _Result]) -> _Result:
        if self._asked >= WAITING:
            raise Busy
        self._asked += 1
        try:
            async with self._room:
                return await asyncio.to_thread(work)
        finally:
            self._asked -= 1

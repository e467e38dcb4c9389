"""The server's secret, which signs cookies: $LUDUS_SECRET, or a file in its folder that nobody else can read."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from ludus.server.private_files import private_file

FILE, BYTES, SHORTEST = "secret", 32, 16


def load_secret(folder: Path) -> bytes:
    """The secret; made when there is none yet. Two servers that start at once get the same."""
    if told := os.environ.get("LUDUS_SECRET"):
        if len(told) < SHORTEST:
            raise ValueError(f"LUDUS_SECRET must have at least {SHORTEST} characters, got {len(told)}")
        return told.encode()
    file = folder / FILE
    if not file.exists():
        _make(file)
    private_file(file)
    secret = file.read_bytes()
    if len(secret) < BYTES:
        raise ValueError(f"{file} is damaged: delete it, and everybody must log in again")
    return secret


def _make(file: Path) -> None:
    """Write it whole under another name, then link it to its own: only the first server makes the link."""
    draft = file.with_name(f"{file.name}.{os.getpid()}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(secrets.token_bytes(BYTES))
            out.flush()
            os.fsync(out.fileno())
        with suppress(FileExistsError):
            os.link(draft, file)
    finally:
        draft.unlink()

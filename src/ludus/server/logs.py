"""What the server logs: lines for people, or one JSON object a line for programs, and no secret in either."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from datetime import UTC, datetime
from typing import Any, Literal

Form = Literal["text", "json"]
VARIABLE = "LUDUS_LOG"  # tells worker processes how to write
REQUESTS = "ludus.server.requests"
_TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_HIDDEN = "***"
_SECRETS = re.compile(
    r"(ludus_)[\w-]{16,}"  # a bot's token
    r"|((?i:bearer|basic)\s+)[\w.~+/=-]{8,}"
    r"|(\bludus=)[\w.~-]{8,}"  # the cookie
    r"|((?i:password|passwd|secret|invite|token)[\"']?\s*[:=]\s*[\"']?)[^\s\"',}&]+"
    r"|(\w+://[^\s:/@]+:)[^\s@]+(?=@)"  # the password of an address
)


def without_secrets(text: str) -> str:
    """A text in which tokens, cookies and passwords are not to be read.

    >>> without_secrets("no postgresql://ada:lovelace@db/ludus with Bearer ludus_0123456789abcdef0123")
    'no postgresql://ada:***@db/ludus with Bearer ***'
    """
    return _SECRETS.sub(lambda found: next(part for part in found.groups() if part is not None) + _HIDDEN, text)


class TextLines(logging.Formatter):
    """Lines for people."""

    def __init__(self) -> None:
        super().__init__(_TEXT)

    def format(self, record: logging.LogRecord) -> str:
        """A line, with the traceback after it."""
        return without_secrets(super().format(record))


class JsonLines(logging.Formatter):
    """One JSON object a line; ``extra={"fields": {...}}`` adds to it."""

    def format(self, record: logging.LogRecord) -> str:
        """Time, level, logger, message, fields, and the traceback where there is one."""
        told: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(), "logger": record.name, "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }  # fmt: skip
        if record.exc_info:
            told["error"] = self.formatException(record.exc_info)
        return json.dumps({name: _plain(value) for name, value in told.items()}, ensure_ascii=False)


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float | None) else without_secrets(str(value))


def configure(form: str) -> None:
    """Log to standard error in a form; processes that are started from here do so, too."""
    os.environ[VARIABLE] = form
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else TextLines())
    logging.basicConfig(handlers=[handler], force=True)
    logging.getLogger(REQUESTS).setLevel(logging.INFO if form == "json" else logging.WARNING)

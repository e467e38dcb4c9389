"""All tables of a server."""

from __future__ import annotations


class Tables:
    """The live tables by their ids."""

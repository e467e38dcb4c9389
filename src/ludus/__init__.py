"""Ludus: an open poker AI that solves, plays, measures and teaches imperfect-information games."""

__version__ = "0.1.0"

"""Agents against each other and against other programs."""

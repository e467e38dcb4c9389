"""Thinking while playing: continual re-solving, with value networks, exact solves or sampling behind its leaves."""

"""Hold'em compiled, for bulk self-play."""

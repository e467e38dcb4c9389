"""Solve games and spots, train blueprints, look at what came of it."""

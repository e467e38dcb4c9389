"""Solve games and spots, train blueprints, look at the results."""

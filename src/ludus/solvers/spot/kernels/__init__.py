"""The compiled passes of the spot solver, and what they work on."""

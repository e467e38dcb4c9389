"""Tables that people play at: a pure state folded from a log, and the live tables around it."""

"""The command line: one thin file per command, and nothing heavy imported before a command runs."""

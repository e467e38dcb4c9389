"""The command line: one file a command, thin, and nothing heavy imported before a command runs."""

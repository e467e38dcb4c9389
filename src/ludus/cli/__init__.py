"""The command line: one thin file per command, and nothing heavy imported before a command runs."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
"""Networks are asked in small products: two threads that wait for each other are far slower next to other work."""

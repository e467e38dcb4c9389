"""One progress bar for every command that takes longer than a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn


@contextmanager
def progress_bar(title: str, unit: str = "", scale: float = 1.0) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error, gone when the work is done; yields ``progress(done, total)`` for the work to call.

    With a ``unit`` it also shows a speed: a block of work is ``scale`` units.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, transient=True, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=None, rate="")
        start = time.perf_counter()

        def progress(done: int, total: int) -> None:
            speed = done * scale / (time.perf_counter() - start)
            bar.update(task, completed=done, total=total, rate=f"{speed:,.0f} {unit}/s" if unit else "")

        yield progress

"""Progress bars for every command that takes longer than a second."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from rich.status import Status

    from ludus.parallel import Engine, Stages
    from ludus.solvers.running import Check


@contextmanager
def progress_bar(
    title: str, unit: str = "", scale: float = 1.0, engine: Engine | None = None
) -> Iterator[Callable[..., None]]:
    """A bar on standard error, gone when the work is done; yields ``progress(done, total)`` for the work to call.

    A third argument is a text that is shown beside it, such as what was measured last.

    With a ``unit`` it also shows a speed: a block of work is ``scale`` units. An engine tells of its nodes.
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

        def progress(done: int, total: int | None, figure: str = "") -> None:
            speed = f"{done * scale / (time.perf_counter() - start):,.0f} {unit}/s" if unit else ""
            told = (figure, speed, engine.told() if engine else "")
            bar.update(task, completed=done, total=total, rate="  ".join(filter(None, told)))

        yield progress


def status(what: str) -> Status:
    """What is being done, with something that turns, on standard error."""
    return Console(stderr=True).status(what)


@contextmanager
def measuring() -> Iterator[Callable[[str], None]]:
    """What is being measured; yields ``tell(what)`` for the work to call."""
    with status("measuring") as shown:
        yield lambda what: shown.update(f"measuring {what}")


@contextmanager
def stages(engine: Engine | None = None) -> Iterator[Stages]:
    """Bars for one stage of work after another; yields what the work calls (`ludus.parallel.Stages`)."""
    bars: dict[str, Callable[..., None]] = {}
    with ExitStack() as shown:

        def progress(stage: str, done: int, total: int | None, unit: str = "", figure: str = "") -> None:
            if stage not in bars:
                shown.close()
                bars.clear()
                bars[stage] = shown.enter_context(progress_bar(stage, unit, engine=engine))
            bars[stage](done, total, figure)

        yield progress


@contextmanager
def solver_bar(
    title: str, iterations: int | None = None, target: float | None = None, seconds: float | None = None,
    measure: str = "exploitability",
) -> Iterator[Callable[[Check[Any]], None]]:  # fmt: skip
    """A bar for a solver that shows how far the nearest of its limits is away, and what was measured last."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=12), TextColumn("{task.fields[text]}"))
    with Progress(*columns, transient=True, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"{title}: preparing", total=None, text="")
        measured: list[float] = []

        def progress(check: Check[Any]) -> None:
            speed = check.iterations_per_second
            if check.measured:
                measured.append(check.measured.exploitability)
            parts = [_short(check.iterations) + (f"/{_short(iterations)}" if iterations else ""), f"{_short(speed)}/s"]
            if measured:
                parts.append(f"{measure} {measured[-1]:.3g}" + (f" (target {target:g})" if target else ""))
            left = [(iterations - check.iterations) / speed] if iterations and speed else []
            left += [seconds - check.seconds] if seconds else []
            if left:
                minutes, rest = divmod(max(0, math.ceil(min(left))), 60)
                parts.append(f"{minutes}:{rest:02} left")
            done = [check.iterations / iterations] if iterations else []
            done += [check.seconds / seconds] if seconds else []
            done += [_descent(measured, target)] if target else []
            bar.update(task, description=title, total=1.0, completed=min(1.0, max(done)), text="  ".join(parts))

        yield progress


def _short(number: float) -> str:
    """A number of at most five characters or so.

    >>> _short(950), _short(43_210), _short(5_000_000)
    ('950', '43.2k', '5M')
    """
    if number < 1e4:
        return f"{number:.0f}"
    return f"{number / 1e3:.3g}k" if number < 1e6 else f"{number / 1e6:,.3g}M" if number < 1e9 else f"{number:.2e}"


def _descent(measured: list[float], target: float) -> float:
    """Which part of the way from the first measured exploitability to the target is done, counted in digits."""
    if not measured or measured[0] <= target:
        return 0.0
    return math.log(measured[0] / max(measured[-1], target)) / math.log(measured[0] / target)

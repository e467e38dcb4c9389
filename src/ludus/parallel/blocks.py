"""Kernels in blocks on several threads of this process, and what the process may use."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Protocol, TypeVar

Progress = Callable[[int, int], object]
"""Called with the blocks of work done and their number."""

_Block = TypeVar("_Block")
_Part = TypeVar("_Part")


class Stages(Protocol):
    """What work calls that goes on in stages, one after the other."""

    def __call__(self, stage: str, done: int, total: int | None, unit: str = "", figure: str = "") -> object:
        """So much of a stage is done; None for a total that nobody knows. ``figure`` says how good it is by now."""


def usable_cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory_limit(own: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")) -> int:
    """Bytes that this process and those beside it may take together: the machine's, or its container's."""
    whole = int(os.sysconf("SC_PAGE_SIZE")) * int(os.sysconf("SC_PHYS_PAGES"))
    try:
        rows = [line.split(":", 2) for line in own.read_text().splitlines()]
    except OSError:
        return whole
    limits = [whole]
    for _, kinds, path in rows:
        if kinds in ("", "memory"):
            folder, name = (root / "memory", "memory.limit_in_bytes") if kinds else (root, "memory.max")
            group = folder / path.strip("/")
            for place in (group, *group.parents):
                if place.is_relative_to(folder) and (text := _text(place / name)).isdigit():
                    limits.append(int(text))
    return min(limits)


def _text(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""


def in_blocks(
    work: Callable[[_Block], _Part], blocks: Iterable[_Block], threads: int, progress: Progress | None
) -> list[_Part]:
    """The parts of a result, in the order of the blocks; an interrupt waits only for the blocks being worked on."""
    queue = list(blocks)
    parts: list[_Part] = []
    pool = ThreadPoolExecutor(threads) if threads > 1 and len(queue) > 1 else None
    try:
        for part in pool.map(work, queue) if pool else map(work, queue):
            parts.append(part)
            if progress is not None:
                progress(len(parts), len(queue))
    finally:
        if pool:
            pool.shutdown(cancel_futures=True)
    return parts


def ahead(
    submit: Callable[[_Block], Future[_Part]], blocks: Iterable[_Block], most: int
) -> Generator[_Part, None, None]:
    """What a pool makes of the blocks, in their order, with so many handed out at a time."""
    waiting: deque[Future[_Part]] = deque()
    for block in blocks:
        waiting.append(submit(block))
        if len(waiting) >= most:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()

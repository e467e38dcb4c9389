"""Solving spots, in this process or on a Ray cluster."""

from __future__ import annotations

import tempfile
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any

from ludus.files import write_atomically
from ludus.parallel import Engine, Work, open_engine
from ludus.server.work.jobs import Report
from ludus.teach.spots import study

Job = dict[str, Any]


def solve(file: str, report: Report, ray: str = "", **job: Any) -> dict[str, Any]:
    """Solve a spot into a file, as `ludus.teach.spots.study.solve` does; on a cluster if there is its address.

    A cluster's machine solves on one core within the memory that it has.
    """
    if not ray:
        return study.solve(file=file, report=report, **job)
    work = Work("ludus.server.work.jobs.solving:solved", (job | {"most": None},), tells=True)
    with closing(_engine(ray).run(work, [()], report)) as results:
        found, data = next(results)
    write_atomically(Path(file), data)
    answer: dict[str, Any] = found
    return answer


def solved(job: Job, tell: Report) -> tuple[dict[str, Any], bytes]:
    """What `study.solve` answers, and the bytes of the file that it writes."""
    with tempfile.TemporaryDirectory(prefix="ludus-") as folder:
        file = Path(folder) / "solution"
        return study.solve(file=str(file), report=tell, workers=1, **job), file.read_bytes()


@lru_cache(maxsize=1)
def _engine(ray: str) -> Engine:
    """The cluster of this process, which stays connected."""
    return open_engine(ray=ray)

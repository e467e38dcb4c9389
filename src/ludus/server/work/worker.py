"""A worker process: ``python -m ludus.server.work.worker [NICE]``. Jobs come in as lines of JSON, results go out.

An answer is a line ``{"kind": ..., "size": n}`` and n bytes of JSON. Whatever libraries print goes to standard error.
The process ends when its parent does: then its input ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

from ludus.server.logs import VARIABLE, configure
from ludus.server.work.jobs import Report, run


def main() -> None:
    """Work until the input ends."""
    if hasattr(os, "nice"):
        os.nice(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    _give_way_first()
    configure(os.environ.get(VARIABLE, "text"))
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    lock = threading.Lock()
    jobs: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()

    def send(kind: str, value: Any) -> None:
        data = json.dumps(value, separators=(",", ":"), allow_nan=False).encode()
        with lock:
            out.write(json.dumps({"kind": kind, "size": len(data)}).encode() + b"\n" + data)
            out.flush()

    def listen() -> None:
        for line in sys.stdin.buffer:
            jobs.put(json.loads(line))
        os._exit(0)  # nobody waits for an answer any more

    threading.Thread(target=listen, daemon=True).start()
    while True:
        job = jobs.get()
        try:
            send(*_done(job, lambda step: send("progress", step)))
        except Exception:  # an answer that is no JSON
            send("failed", traceback.format_exc())


def _give_way_first() -> None:
    """When memory runs out, the system ends this process and not the server, which starts another."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def _done(job: dict[str, Any], report: Report) -> tuple[str, Any]:
    """The answer to a job: its kind and value."""
    try:
        return "done", run(job["job"], job["arguments"], report)
    except ValueError as error:
        return "refused", str(error)
    except Exception:
        return "failed", traceback.format_exc()


if __name__ == "__main__":
    main()

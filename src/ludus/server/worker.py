"""A worker process: ``python -m ludus.server.worker``. Jobs come in as lines of JSON, results go out.

An answer is a line ``{"kind": ..., "size": n}`` and n bytes of JSON. Whatever libraries print goes to standard error.
The process ends when its parent does: then its input ends.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import traceback
from typing import Any

from ludus.server.jobs import find


def main() -> None:
    """Work until the input ends."""
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
            send("done", find(job["job"])(job["arguments"], lambda step: send("progress", step)))
        except ValueError as error:
            send("refused", str(error))
        except Exception:
            traceback.print_exc()
            send("failed", traceback.format_exc(limit=-3))


if __name__ == "__main__":
    main()

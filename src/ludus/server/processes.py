"""Several processes at one address, each of which accepts connections; one that dies is started again."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import wait

log = logging.getLogger(__name__)
LOOK = 0.2  # seconds between two looks at the processes
PATIENCE = 20.0  # seconds for processes to end by themselves
QUICK, MOST = 10.0, 3  # seconds of a life that was too short, and how many of those in a row each may have

Serve = Callable[[socket.socket, bool, bool], None]


def serve_together(serve: Serve, public: socket.socket, processes: int, browser: bool) -> None:
    """Run ``serve(public, first, browser)`` in processes until Ctrl-C or SIGTERM, and start those again that die."""
    ended, failures = threading.Event(), 0
    for kind in (signal.SIGINT, signal.SIGTERM):
        signal.signal(kind, lambda *_: ended.set())
    context = multiprocessing.get_context("spawn")
    running, begun = [], []
    for at in range(processes):
        running.append(context.Process(target=_serve, args=(serve, public, at == 0, browser and at == 0)))
        running[-1].start()
        begun.append(time.monotonic())
    while not ended.wait(LOOK) and failures < MOST * processes:
        for at, process in enumerate(running):
            if process.exitcode is not None:
                failures = failures + 1 if time.monotonic() - begun[at] < QUICK else 0
                log.error("a process of the server has ended (%s): another takes its place", process.exitcode)
                running[at] = context.Process(target=_serve, args=(serve, public, False, False))
                running[at].start()
                begun[at] = time.monotonic()
    for process in running:
        process.terminate()
    for process in running:
        process.join(PATIENCE)
        if process.is_alive():
            process.kill()
            process.join()
    if not ended.is_set():
        raise OSError("the processes of the server end as soon as they are started: its log says why")


def _serve(serve: Serve, public: socket.socket, first: bool, browser: bool) -> None:
    """In a process: serve, until whoever started it is gone."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_with_it() -> None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end_with_it, daemon=True).start()
    serve(public, first, browser)

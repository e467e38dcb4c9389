"""What runs on the machines of a Ray cluster: a task at a time in each worker, and the board for what tasks tell."""

from __future__ import annotations

import atexit
import os
import socket
import traceback
from collections import OrderedDict
from copy import deepcopy
from typing import Any

from ludus.parallel.work import Prepared, Task, Work, difference, versions


class Told:
    """What tasks have told and nobody has taken yet."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def put(self, what: Any) -> None:
        """Tell something."""
        self.told.append(what)

    def take(self) -> list[Any]:
        """All of it, in the order in which it came."""
        told, self.told = self.told, []
        return told


_OWN: OrderedDict[str, Prepared] = OrderedDict()
MOST_OWN = 2  # kinds of work that a worker stays prepared for


def do(
    expected: dict[str, str], where: str, key: str, given: list[Any], board: Any, task: Task
) -> tuple[str, str, Any]:
    """What a task returns; or why it was refused, or how it failed."""
    node = socket.gethostname()
    try:
        node = _node()
        if differs := difference(versions(), expected):
            return "refused", node, f"the node {node} has {differs}: install the same on all machines"
        return "done", node, _prepared(where, key, given, board).call(*task)
    except ValueError as error:
        return "refused", node, str(error)
    except Exception:
        return "failed", node, traceback.format_exc()


def _node() -> str:
    import ray

    context = ray.get_runtime_context()
    return f"{ray.util.get_node_ip_address()}/{context.get_node_id()[:8]}"


def _prepared(where: str, key: str, given: list[Any], board: Any) -> Prepared:
    """What this worker has prepared for some work, made now if it has none."""
    import ray

    if key not in _OWN:
        while len(_OWN) >= MOST_OWN:
            _OWN.popitem(last=False)[1].close()
        if os.path.isdir(where):
            os.chdir(where)  # files are named as in the command, where machines share folders
        work: Work = deepcopy(ray.get(given[0]))
        _OWN[key] = work.prepared(board.put.remote if board else None)
    _OWN.move_to_end(key)
    return _OWN[key]


@atexit.register
def _close() -> None:
    while _OWN:
        _OWN.popitem()[1].close()

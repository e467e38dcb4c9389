"""Tasks on the machines of a Ray cluster, with the results that one machine would give.

The driver (the process that runs a command) hands out tasks, a few for each core, and takes their results in order. It
keeps the books itself instead of leaving them to Ray: a task whose node or worker is lost runs again, one that fails
`TRIES` times ends the run with its error and seed, and one that takes much longer than others runs a second time where
cores are idle, the first result counting. Since tasks are pure functions, none of this changes a result.

Arguments and results travel as Ray sends them between processes that trust each other (by pickle), on private networks
alone; nothing of it is saved. Arrays that come from Ray lie in its memory and cannot be written to, so they are copied.
"""

from __future__ import annotations

import os
import socket
import statistics
import time
from collections import deque
from collections.abc import Generator, Iterable
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from ludus.parallel.blocks import usable_cores
from ludus.parallel.cluster_worker import Told, do
from ludus.parallel.engines import Engine
from ludus.parallel.work import Task, Tell, Work, versions

LOCAL = "local"
TRIES = 3
QUEUED = 2  # tasks handed out for each core: one at work, one that waits for it
AHEAD = 4  # tasks for each core that are handed out, or done before their turn
LOOK = 1.0  # seconds between two looks at the nodes
SLOW, LEAST_SLOW = 3.0, 2.0  # times the median, and seconds, after which a task is a straggler
PATIENCE = 600.0  # seconds without any core: machines that are rented take minutes to start


class TaskFailed(OSError):
    """A task has failed too often; ``details`` has the traceback where it has one."""

    def __init__(self, text: str, details: str) -> None:
        super().__init__(text)
        self.details = details


@dataclass
class _Try:
    """A task that was handed out."""

    number: int
    begun: float


@dataclass
class _Job:
    """A task until its result is there."""

    task: Task
    failures: int = 0
    tries: int = 0  # that are out now
    twice: bool = False


class RayCluster(Engine):
    """A Ray cluster by its address, or (``local``) one for this command alone, of cores of this machine."""

    name = "ray"
    same_machine = False

    def __init__(self, address: str, patience: float = PATIENCE, cores: int | None = None) -> None:
        super().__init__()
        self._ray: Any = _connect(address, cores or usable_cores())
        self.patience = patience
        self.failures = self.lost = self.twice = self.done = self.bytes_moved = 0
        self._nodes: list[dict[str, float]] = []  # what those have that are alive and have cores
        self._looked = -LOOK
        self._remote = self._ray.remote(do)

    @property
    def workers(self) -> int:
        """Cores of all nodes that are alive."""
        return self.room(0.0)

    def room(self, gpus: float) -> int:
        """How many tasks that take a core and so many GPUs run at once."""
        now = time.monotonic()
        if now - self._looked >= LOOK and self._ray.is_initialized():
            self._looked = now
            nodes = [node["Resources"] for node in self._ray.nodes() if node["Alive"]]
            self._nodes = [resources for resources in nodes if resources.get("CPU")]
        return int(sum(_room(resources, gpus) for resources in self._nodes))

    def figures(self) -> dict[str, Any]:
        """Nodes, cores, tasks and what happened to them."""
        return {
            **super().figures(), "nodes": len(self._nodes), "tasks": self.done, "failures": self.failures,
            "lost": self.lost, "run_twice": self.twice, "bytes_moved": self.bytes_moved,
        }  # fmt: skip

    def told(self) -> str:
        """Nodes, cores and failures."""
        text = f"{len(self._nodes)} nodes, {self.workers} cores"
        gpus = sum(resources.get("GPU", 0.0) for resources in self._nodes)
        text += f", {gpus:g} GPUs" if gpus else ""
        return text + (f", {self.failures + self.lost} tasks again" if self.failures + self.lost else "")

    def close(self) -> None:
        """Leave the cluster; one of our own ends."""
        self._ray.shutdown()

    def run(self, work: Work, tasks: Iterable[Task], tell: Tell | None = None) -> Generator[Any, None, None]:
        """As `Engine.run`; `TaskFailed` when a task fails for good, ValueError when it refuses its arguments.

        ValueError also when tasks take GPUs and no node has enough of them.
        """
        run = _Run(self, work, tasks, tell)
        try:
            yield from run.results()
        finally:
            run.cancel()


class _Run:
    """The books of one `RayCluster.run`."""

    def __init__(self, cluster: RayCluster, work: Work, tasks: Iterable[Task], tell: Tell | None) -> None:
        self.cluster, self.work, self.ray = cluster, work, cluster._ray
        if work.gpus and cluster.workers and not cluster.room(work.gpus):
            raise ValueError(
                f"a task takes {work.gpus:g} GPU, and no node of the cluster has that and a core: `ray start` finds "
                "GPUs or is told (--num-gpus); or work without one (--device cpu)"
            )
        ref = self.ray.put(work)
        self.size, self.key = self.bytes_of(ref), ref.hex()
        self.given = [ref]  # in a list, so that only those who lack it fetch it
        self.had: set[str] = set()  # nodes that have it
        self.board = _Board(self.ray, tell) if tell and work.tells else None
        self.remote = cluster._remote.options(
            num_cpus=1, num_gpus=work.gpus, max_retries=0, scheduling_strategy="SPREAD"
        )
        self.where = os.getcwd()
        self.source, self.more = iter(tasks), True
        self.jobs: dict[int, _Job] = {}
        self.again: deque[int] = deque()
        self.out: dict[Any, _Try] = {}
        self.ready: dict[int, Any] = {}
        self.pulled = self.given_back = 0
        self.times: deque[float] = deque(maxlen=200)
        self.idle_since: float | None = None

    def results(self) -> Generator[Any, None, None]:
        """In order."""
        while True:
            self.hand_out()
            if not self.out and not self.ready and not self.again and not self.more:
                return
            self.collect()
            while self.given_back in self.ready:
                result = self.ready.pop(self.given_back)
                del self.jobs[self.given_back]
                self.given_back += 1
                yield result

    def hand_out(self) -> None:
        """Fill the queue of every core, first with what has to run again, then with new tasks, then a second time.

        Without any core one task waits in Ray's own queue, so that a cluster that starts nodes on demand does so.
        """
        room = self.cluster.room(self.work.gpus)
        self.check_patience(room)
        while len(self.out) < max(1, QUEUED * room):
            if self.again:
                self.start(self.again.popleft())
            elif self.more and self.pulled - self.given_back < max(1, AHEAD * room):
                try:
                    task = next(self.source)
                except StopIteration:
                    self.more = False
                    continue
                self.jobs[self.pulled] = _Job(task)
                self.pulled += 1
                self.start(self.pulled - 1)
            else:
                break
        if len(self.out) < room and self.times:
            self.repeat_slow(room)

    def check_patience(self, room: int) -> None:
        """OSError when there has been no core for too long, or no GPU where tasks take one."""
        if room:
            self.idle_since = None
            return
        now = time.monotonic()
        self.idle_since = self.idle_since or now
        if now - self.idle_since > self.cluster.patience:
            lacking = "GPU" if self.work.gpus else "core"
            raise OSError(f"the cluster has had no {lacking} for too long: start nodes again, and this command goes on")
        time.sleep(LOOK / 4)

    def start(self, number: int) -> None:
        """Hand out a task."""
        job = self.jobs[number]
        job.tries += 1
        board = self.board.actor if self.board else None
        ref = self.remote.remote(versions(), self.where, self.key, self.given, board, job.task)
        self.out[ref] = _Try(number, time.monotonic())

    def repeat_slow(self, room: int) -> None:
        """Run the slowest task a second time where cores are idle."""
        slow = max(LEAST_SLOW, SLOW * statistics.median(self.times))
        now = time.monotonic()
        late = [each for each in self.out.values() if now - each.begun > slow and not self.jobs[each.number].twice]
        for each in sorted(late, key=lambda each: each.begun)[: room - len(self.out)]:
            self.jobs[each.number].twice = True
            self.cluster.twice += 1
            self.start(each.number)

    def collect(self) -> None:
        """Take what is done."""
        if not self.out:
            return
        if self.board:
            self.board.look()
        refs = list(self.out)
        first, _ = self.ray.wait(refs, num_returns=1, timeout=LOOK / 4)
        if not first:
            return
        done, _ = self.ray.wait(refs, num_returns=len(refs), timeout=0)
        for ref in done or first:
            if ref in self.out:
                self.take(ref)

    def take(self, ref: Any) -> None:
        """The end of one try."""
        from ray.exceptions import NodeDiedError, RayError

        tried = self.out.pop(ref)
        job = self.jobs.get(tried.number)
        if job is None or tried.number in self.ready:
            return  # somebody else was first
        job.tries -= 1
        try:
            kind, node, answer = self.ray.get(ref)
        except NodeDiedError:
            self.cluster.lost += 1
            self.repeat(tried.number)
            return
        except RayError as error:
            kind, node, answer = "failed", "", f"{type(error).__name__}: {error}"
        if kind == "refused":
            raise ValueError(answer)
        if kind == "failed":
            self.cluster.failures += 1
            job.failures += 1
            if job.failures >= TRIES:
                raise TaskFailed(self.reason(tried.number, job, node, answer), answer)
            self.repeat(tried.number)
            return
        self.times.append(time.monotonic() - tried.begun)
        self.cluster.done += 1
        self.cluster.bytes_moved += self.bytes_of(ref) + (0 if node in self.had else self.size)
        self.had.add(node)
        self.ready[tried.number] = deepcopy(answer)
        for other, each in list(self.out.items()):
            if each.number == tried.number:
                del self.out[other]
                self.ray.cancel(other, force=True)

    def bytes_of(self, ref: Any) -> int:
        """What Ray says that it moves of a value, once the value is there."""
        from ray.experimental import get_local_object_locations

        size: int | None = get_local_object_locations([ref]).get(ref, {}).get("object_size")
        return size or 0

    def repeat(self, number: int) -> None:
        """Run a task again, unless it runs a second time anyway."""
        if not self.jobs[number].tries:
            self.again.append(number)

    def reason(self, number: int, job: _Job, node: str, answer: str) -> str:
        """Why a task is given up, in a sentence."""
        seed = "" if self.work.seed is None else f" with the seed {self.work.seed}"
        last = answer.strip().splitlines()[-1]
        text = ", ".join(map(_short, job.task))
        where = f", last on {node}" if node else ""
        return f"task {number} of {self.work.function} ({text}){seed} has failed {TRIES} times{where}: {last}"

    def cancel(self) -> None:
        """End what is still out."""
        for ref in self.out:
            self.ray.cancel(ref, force=True)
        self.out.clear()
        if self.board:
            self.ray.kill(self.board.actor)


class _Board:
    """Where tasks write what they tell, on some node; if that is lost, so is what stood there."""

    def __init__(self, ray: Any, tell: Tell) -> None:
        self.ray, self.tell = ray, tell
        self.actor = ray.remote(num_cpus=0, max_restarts=-1)(Told).remote()
        self.asked = self.actor.take.remote()

    def look(self) -> None:
        """Pass on what has been told since the last look, unless the answer is still on its way."""
        from ray.exceptions import RayError

        if not self.ray.wait([self.asked], timeout=0)[0]:
            return
        with suppress(RayError):
            for told in self.ray.get(self.asked):
                self.tell(told)
        self.asked = self.actor.take.remote()


def _room(resources: dict[str, float], gpus: float) -> int:
    """How many tasks a node has room for.

    >>> _room({"CPU": 8.0, "GPU": 1.0}, 0.0), _room({"CPU": 8.0, "GPU": 1.0}, 0.5), _room({"CPU": 8.0}, 1.0)
    (8, 2, 0)
    """
    return int(min(resources["CPU"], resources.get("GPU", 0.0) // gpus if gpus else resources["CPU"]))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _connect(address: str, cores: int) -> Any:
    """Ray, connected; ValueError says what is missing."""
    try:
        import ray
    except ImportError:
        raise ValueError("--ray needs Ray: pip install 'ludus[ray]'") from None
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_raylet_start_wait_time_s", "120")  # busy machines take their time
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "CRITICAL"}
    ray._private.worker._worker_logs_enabled = False  # it would print to standard output that a node is lost
    if address == LOCAL:
        ray.init(num_cpus=cores, include_dashboard=False, **quiet)
        return ray
    _check_address(address)
    try:
        ray.init(address=address, **quiet)
    except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        first = " ".join(f"{error}".split())
        token = "a cluster that asks for a token needs RAY_AUTH_MODE=token here too"
        raise ValueError(f"there is no Ray cluster to use at {address}: {first} ({token})") from None
    return ray


def _check_address(address: str) -> None:
    """ValueError unless something listens at an address."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or "/" in address:
        raise ValueError(f"--ray is 'local' or the HOST:PORT that `ray start --head` tells, got {address!r}")
    try:
        socket.create_connection((host, int(port)), timeout=5).close()
    except (OSError, OverflowError) as error:
        raise ValueError(f"there is no Ray cluster at {address} ({error}): `ray start --head` starts one") from None

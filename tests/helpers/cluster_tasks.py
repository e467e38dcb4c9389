"""Tasks for tests of engines, by name in any process, and a cluster of several nodes on this machine."""

import os
import signal
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from paths import TESTS

STORE = 100 * 2**20
HEALTH = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 500, "health_check_failure_threshold": 6}


class Own:
    """What a worker prepares."""

    def __init__(self, folder, base):
        self.folder, self.base = Path(folder), base
        (self.folder / f"prepared-{os.getpid()}-{id(self)}").touch()

    def close(self):
        (self.folder / f"closed-{os.getpid()}-{id(self)}").touch()


def power(own, number):
    return own.base**number


def draws(seed, number, seconds=0.0):
    """Numbers that depend on a seed and the task's number alone."""
    time.sleep(seconds)
    return np.random.default_rng((seed, number)).random(1000)


def fail(folder, times, number):
    """Fail so often before it works."""
    if number == 2 and len(tried(folder)) < times:
        mark(folder)
        raise ZeroDivisionError("this task is broken")
    return number


def refuse(number):
    raise ValueError(f"nobody wants {number}")


def die(folder, number):
    """The first to try the task takes its worker with it."""
    if number == 2 and not tried(folder):
        mark(folder)
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def straggle(folder, number):
    """Whoever tries the last task first hardly ever comes back."""
    if number == 5 and not tried(folder):
        mark(folder)
        time.sleep(600)
    return number


def say(folder, number, tell):
    """Say one's number, and wait until whoever listens has put up a file for it."""
    tell(number)
    until = time.monotonic() + 300
    while not (Path(folder) / f"heard{number}").exists():
        assert time.monotonic() < until, "nobody has heard it"
        time.sleep(0.02)
    return number


def chatter(times, number, tell):
    """Say much, more than a pipe holds."""
    for _ in range(times):
        tell("x" * 10_000)
    return number


def gpus(_):
    """The GPUs that a task was given."""
    import ray

    return [int(number) for number in ray.get_gpu_ids()]


def mark(folder):
    (Path(folder) / f"{time.time_ns()}").touch()


def tried(folder):
    return list(Path(folder).iterdir())


class Nodes:
    """A real Ray cluster on this machine: a head that does no work, and nodes of one core."""

    def __init__(self, count):
        from ray.cluster_utils import Cluster

        self.cluster = Cluster()
        self.cluster.add_node(num_cpus=0, object_store_memory=STORE, include_dashboard=False, _system_config=HEALTH)
        self.address = self.cluster.address
        self.nodes = []
        self.fill(count)

    def fill(self, count, **more):
        """Start nodes until there are so many."""
        while len(self.nodes) < count:
            self.nodes.append(self.cluster.add_node(num_cpus=1, object_store_memory=STORE, **more))

    def kill(self, at=0):
        """Kill a node that works, by default the oldest, with all that runs on it."""
        self.cluster.remove_node(self.nodes.pop(at), allow_graceful=False)

    def close(self):
        self.cluster.shutdown()


@contextmanager
def cluster(count=2):
    """Nodes whose workers find these tasks."""
    before = dict(os.environ)
    paths = [str(TESTS / "helpers"), str(TESTS.parent / "src"), os.environ.get("PYTHONPATH", "")]
    os.environ |= {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "RAY_USAGE_STATS_ENABLED": "0"}
    os.environ.setdefault("RAY_raylet_start_wait_time_s", "120")  # machines may be busy
    nodes = Nodes(count)
    try:
        yield nodes
    finally:
        nodes.close()
        os.environ.clear()
        os.environ.update(before)

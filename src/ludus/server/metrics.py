"""The server's figures in the text format of Prometheus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ludus.server.watch import BOUNDS

if TYPE_CHECKING:
    from ludus.server.service import Service

Sample = tuple[Mapping[str, object], float]


def metrics(service: Service) -> str:
    """All figures, one a line."""
    traffic, tables, solves = service.traffic, service.tables, service.spot_solves
    pools = service.pools.by_name
    lines = [
        *_kind("requests_total", "counter", "answers by route and status", (
            ({"route": route, "status": status}, count) for (route, status), count in traffic.answers.items()
        )),
        *_histogram(service),
        *_kind("sockets", "gauge", "open WebSockets", [({}, traffic.sockets)]),
        *_kind("tables", "gauge", "tables in memory", [({}, len(tables.live))]),
        *_kind("hands_total", "counter", "hands played to their end", [({}, tables.hands)]),
        *_kind("log_waiting", "gauge", "entries that wait to be written", [({}, tables.log.waiting)]),
        *_kind("log_commits_total", "counter", "transactions of the table log", [({}, tables.log.commits)]),
        *_kind("log_seconds_total", "counter", "seconds that they took", [({}, round(tables.log.seconds, 3))]),
        *_kind("log_lost_total", "counter", "entries that the database did not take", [({}, tables.log.lost)]),
        *_kind("jobs_waiting", "gauge", "jobs without a process yet", (
            ({"pool": name}, pool.queued) for name, pool in pools.items()
        )),
        *_kind("jobs_total", "counter", "jobs that are done", (
            ({"pool": name}, pool.finished) for name, pool in pools.items()
        )),
        *_kind("jobs_refused_total", "counter", "jobs for which there was no place or no time", (
            ({"pool": name}, pool.refused) for name, pool in pools.items()
        )),
        *_kind("processes_busy", "gauge", "processes at work", (
            ({"pool": name}, pool.busy) for name, pool in pools.items()
        )),
        *_kind("processes_replaced_total", "counter", "processes that were ended or died", (
            ({"pool": name}, pool.ended) for name, pool in pools.items()
        )),
        *_kind("reviews_waiting", "gauge", "hands to be reviewed", [({}, len(service.follow_up.waiting))]),
        *_kind("solves", "gauge", "spots that are being solved, or wait for it", [({}, len(solves.runs))]),
        *_kind("solve_memory_bytes", "gauge", "memory that solves have reserved", [({}, solves.room.reserved)]),
    ]  # fmt: skip
    return "".join(f"{line}\n" for line in lines)


def _kind(name: str, kind: str, told: str, samples: Iterable[Sample]) -> list[str]:
    return [
        f"# HELP ludus_{name} {told}", f"# TYPE ludus_{name} {kind}",
        *(f"ludus_{name}{_labels(labels)} {value}" for labels, value in samples),
    ]  # fmt: skip


def _labels(labels: Mapping[str, object]) -> str:
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels.items()) + "}" if labels else ""


def _histogram(service: Service) -> list[str]:
    traffic, total, rows = service.traffic, 0, []
    for bound in (*BOUNDS, float("inf")):
        total += traffic.within[bound]
        rows.append(({"le": "+Inf" if bound == float("inf") else bound}, total))
    lines = _kind("request_seconds_bucket", "histogram", "how long answers took", rows)
    lines[:2] = [line.replace("_bucket", "") for line in lines[:2]]
    return [*lines, f"ludus_request_seconds_sum {traffic.seconds:.3f}", f"ludus_request_seconds_count {total}"]

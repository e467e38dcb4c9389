"""The newcomer's first minutes, measured: the milestones, without the minutes."""

import sys

from ludus.agents.blueprint import BlueprintAgent
from ludus.experiments.bench.web import start
from ludus.search.preflop_solution import SolvedOpening
from ludus.teach.situation import parse_situation


def test_milestones_come_in_order_and_the_cache_is_told(tmp_path, monkeypatch):
    """A server that only says where it is, and people who ask nothing."""
    monkeypatch.setattr(start, "_sit_down", lambda address, mark: mark("advice"))
    monkeypatch.setattr(start, "_wait_for_all", lambda address: None)
    fake = tmp_path / "python"
    fake.write_text(
        f"#!{sys.executable}\nimport os, pathlib, time\n"
        "cache = pathlib.Path(os.environ['LUDUS_CACHE'], 'kernels'); cache.mkdir(parents=True, exist_ok=True)\n"
        "(cache / 'x').write_bytes(bytes(2_000_000))\n"
        "print('Ludus is at http://127.0.0.1:1/ (Ctrl-C ends it)', flush=True); time.sleep(60)\n"
    )
    fake.chmod(0o755)
    monkeypatch.setattr(start.sys, "executable", str(fake))
    told = []
    found = start.bench_start(told.append)
    assert found["cache_mb"]["kernels"] == 2.0
    for marks in found["starts"].values():
        assert list(marks) == ["table", "advice", "everything"]
        seconds = [mark["seconds"] for mark in marks.values()]
        assert seconds == sorted(seconds)
    assert len(told) == 8


def test_time_of_processes_and_of_those_they_started():
    import os

    assert start._cpu(os.getpid()) > 0
    assert start._cpu(2**22 + 1) == 0


def test_the_situations_at_six_seats_are_in_a_chart_and_not():
    chart, *searched = map(parse_situation, start.SIX.values())
    opening = SolvedOpening(BlueprintAgent())
    assert opening.solution(chart.seen_by(-1)) is not None
    assert [opening.solution(state.seen_by(-1)) for state in searched] == [None, None]
    assert [state.street for state in searched] == [0, 1]

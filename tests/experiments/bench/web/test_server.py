"""The measurement of a server under load counts what happened."""

import json

from ludus.experiments.bench.web import statistics
from ludus.experiments.bench.web.crowd import Wish
from ludus.experiments.bench.web.server import _kept, _memory
from ludus.server.hands.columns import BLOCK


def test_the_measurement_knows_how_many_hands_are_folded_together():
    assert statistics.BLOCK == BLOCK


def test_a_small_crowd_plays_all_its_hands(ludus):
    code, out, _ = ludus("bench", "server", "--tables", 3, "--hands", 3, "--think", 0, "--json")
    assert code == 0
    found = json.loads(out)
    assert (found["hands"], found["errors"], found["lost_hands"]) == (9, 0, 0)
    assert found["moves"] >= 9
    assert 0 < found["move_ms"]["p50"] <= found["move_ms"]["p95"] <= found["move_ms"]["p99"]
    assert found["memory"]["end"]["server"] > 10


def test_others_raise_or_do_nothing_meanwhile(ludus):
    words = ("--tables", 1, "--hands", 6, "--think", 0, "--raisers", 2, "--idle", 3)
    code, out, _ = ludus("bench", "server", *words, "--json")
    assert code == 0
    found = json.loads(out)
    assert (found["hands"], found["errors"], found["lost_hands"]) == (6, 0, 0)
    assert (found["raisers"], found["idle"]) == (2, 3)
    assert found["min_raises"] > 0


def test_statistics_of_many_hands_are_asked_for(ludus, monkeypatch):
    monkeypatch.setattr(statistics, "PLAYED", Wish(1, 5, 0.0, 3, 1))
    code, out, _ = ludus("bench", "statistics", "--hands", 40, "--reviewed", 10, "--json")
    assert code == 0
    found = json.loads(out)
    assert (found["hands"], found["reviewed"], len(found["later"])) == (40, 10, 4)
    assert all(each["seconds"] > 0 for each in (found["first"], *found["later"]))


def test_hands_that_are_not_in_the_database_are_not_kept(tmp_path):
    from ludus.server.database import Database
    from ludus.server.models import Base

    database = Database(f"sqlite:///{tmp_path / 'ludus.db'}")
    Base.metadata.create_all(database.engine)
    database.close()
    assert _kept(tmp_path) == set()


def test_memory_is_that_of_a_process():
    import os

    assert _memory(os.getpid())["server"] > 1

"""The measurement of a server under load counts what happened."""

import json

from ludus.experiments.bench.web.server import _kept, _memory


def test_a_small_crowd_plays_all_its_hands(ludus):
    code, out, _ = ludus("bench", "server", "--tables", 3, "--hands", 3, "--think", 0, "--json")
    assert code == 0
    found = json.loads(out)
    assert (found["hands"], found["errors"], found["lost_hands"]) == (9, 0, 0)
    assert found["moves"] >= 9
    assert 0 < found["move_ms"]["p50"] <= found["move_ms"]["p95"] <= found["move_ms"]["p99"]
    assert found["memory"]["end"]["server"] > 10


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

"""Solves in line: each is taken once, by whoever is next, and none is lost with the server that had it."""

import asyncio
import time
from datetime import timedelta

import pytest
from sqlalchemy import update

from ludus.server.database import Database
from ludus.server.learning import solve_queue
from ludus.server.learning.solve_queue import BROKE, MOST_TRIES, SolveQueue
from ludus.server.learning.spot_presets import PRESETS
from ludus.server.models import Person, Solution, SpotRow, now
from server_helpers import local_client, person, service_of

POLAR = PRESETS["river-polar"]


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database(request, tmp_path):
    url = f"sqlite:///{tmp_path / 'x.db'}"
    database = Database(request.getfixturevalue("postgres_url") if request.param == "postgresql" else url)
    database.upgrade()
    with database.session() as session:
        session.add_all(Person(id=name, name=name) for name in ("ann", "bob"))
    yield database
    database.close()


def wait_in_line(database, *people, **values):
    with database.session() as session:
        rows = [
            SpotRow(id=f"{who}-{at}", person_id=who, spot={}, status="waiting", created=now() + timedelta(seconds=at))
            for at, who in enumerate(people)
        ]
        session.add_all(rows)
    return [row.id for row in rows]


def status(database, key):
    with database.session() as session:
        row = session.get(SpotRow, key)
        return row.status, row.tries


def test_people_take_turns_and_each_spot_is_taken_once(database):
    wait_in_line(database, "ann", "ann", "ann", "bob")
    one, two = SolveQueue(database), SolveQueue(database)
    assert [queue.take().id for queue in (one, two, one, two)] == ["ann-0", "bob-3", "ann-1", "ann-2"]
    assert one.take() is None


def test_only_the_holder_writes_how_it_ended(database):
    [key] = wait_in_line(database, "ann")
    one, two = SolveQueue(database), SolveQueue(database)
    one.take()
    assert not two.end(key, status="failed", error="not mine")
    assert not two.say(key, [])
    assert one.say(key, [{"iterations": 1, "seconds": 1.0, "percent": 2.0}])
    assert one.end(key, status="solved", file="x", size=1)
    assert not one.say(key, [])
    assert not one.cancel(key)
    assert status(database, key) == ("solved", 1)


def test_what_is_cancelled_is_nobodys(database):
    waiting, solving = wait_in_line(database, "ann", "bob")
    queue, other = SolveQueue(database), SolveQueue(database)
    assert queue.cancel(waiting)
    queue.take()
    assert other.cancel(solving)  # from another server
    assert not queue.say(solving, [])
    assert not queue.end(solving, status="solved")
    assert status(database, solving)[0] == "cancelled"


def test_what_a_dead_server_had_is_taken_up_again(database):
    [key] = wait_in_line(database, "ann")
    dead, alive = SolveQueue(database), SolveQueue(database)
    for number in range(1, MOST_TRIES + 1):
        assert dead.take().id == key
        alive.recover()
        if alive.shared:  # it may only be slow to say something
            assert status(database, key) == ("solving", number)
            with database.session() as session:
                session.execute(update(SpotRow).values(seen=now() - timedelta(hours=1)))
            alive.recover()
    with database.session() as session:
        row = session.get(SpotRow, key)
        assert (row.status, row.error) == ("failed", BROKE)  # not for ever


def test_a_server_that_ends_gives_back_what_it_had(database):
    [key] = wait_in_line(database, "ann")
    queue = SolveQueue(database)
    queue.take()
    queue.give_back()
    assert status(database, key) == ("waiting", 0)


@pytest.mark.postgres
def test_servers_that_take_at_the_same_time_take_different_spots(postgres_url):
    database = Database(postgres_url)
    database.upgrade()
    with database.session() as session:
        session.add_all(Person(id=name, name=name) for name in ("ann", "bob"))
    keys = wait_in_line(database, *["ann", "bob"] * 10)

    async def work():
        queues = [SolveQueue(database) for _ in range(8)]
        taken = []

        async def empty(queue):
            while (row := await asyncio.to_thread(queue.take)) is not None or len(taken) < len(keys):
                if row is not None:
                    taken.append(row.id)

        await asyncio.gather(*map(empty, queues))
        return taken

    assert sorted(asyncio.run(work())) == sorted(keys)
    database.close()


@pytest.mark.postgres
def test_another_machine_solves_what_one_has_left(tmp_path, postgres_url, monkeypatch):
    """The first server dies with a spot; the second, with a folder of its own, solves it, and a third can look."""
    monkeypatch.setattr(solve_queue, "STALE", timedelta(seconds=-1))
    monkeypatch.setenv("LUDUS_SECRET", "the same for all of them")
    with local_client(tmp_path / "a", database=postgres_url) as first:
        guest = person(first)
        service = service_of(first)
        monkeypatch.setattr(service.spot_solves.room, "places", 0)  # it takes nothing itself
        key = guest.post("/api/spots", json={"spot": POLAR}).json()["id"]
        with service.database.session() as session:  # as if a server had died with it
            session.execute(update(SpotRow).values(status="solving", holder="gone", tries=1))
        with local_client(tmp_path / "b", database=postgres_url):
            end = time.monotonic() + 120
            while guest.get(f"/api/spots/{key}").json()["status"] != "solved":
                assert time.monotonic() < end
                time.sleep(0.05)
        with guest.websocket_connect(f"/api/spots/{key}/socket") as socket:
            while (message := socket.receive_json())["type"] != "done":
                pass
        assert message["info"]["status"] == "solved"
        assert not (service.spot_solves.folder / f"{key}.solution").exists()
        assert guest.get(f"/api/spots/{key}/view").json()["kind"] == "decision"
        assert (service.spot_solves.folder / f"{key}.solution").exists()
        assert guest.delete(f"/api/spots/{key}").status_code == 204
        with service.database.session() as session:
            assert session.get(Solution, key) is None

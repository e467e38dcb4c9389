"""Opponents who think at web tables: in a process of their own, within limits, and on after a restart."""

import asyncio

import pytest
from sqlalchemy import select

from ludus.server.models import HandSeat
from server_helpers import serving
from server_tables import act, my_turn, new_table, play_out, ready, wait

THINKER = {"opponents": [{"agent": "resolver"}]}
ENDLESS = {"steps": 10**9, "seconds": 0.01}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("thinking")


def listen(server, asked):
    """Keep what the processes of both kinds of players are asked."""
    for workers in (server.service.players, server.service.thinkers):

        async def run(job, arguments, *rest, workers=workers, **options):
            asked.append((workers, arguments["turns"]))
            return await type(workers).run(workers, job, arguments, *rest, **options)

        workers.run = run


def test_a_hand_is_played_and_goes_on_after_a_restart(folder):
    asked = []
    with serving(folder, thinking=0.02) as server:
        listen(server, asked)
        client = server.bot()
        table = new_table(client, stack=400, **THINKER)["id"]
        while True:  # until it has acted, and it is our turn after the first street
            view = wait(client, ready(client, table)["id"], my_turn)
            while not view["hand"]["over"] and not view["hand"]["street"]:
                act(client, view)
                view = wait(client, table, my_turn)
            if not view["hand"]["over"]:
                break
        assert {workers for workers, _ in asked} == {server.service.thinkers}
        assert all(len(turns) == 1 for _, turns in asked)  # one waits for no other
        assert {turns[0]["agent"] for _, turns in asked} == {"resolver:seconds=0.02,iterations=1000,threads=1"}
    token = client.headers["authorization"]
    with serving(folder, thinking=0.02) as server, server.client() as client:
        client.headers["authorization"] = token
        over = play_out(client, client.get(f"/api/tables/{table}").json())
        assert over["hand"]["id"] == view["hand"]["id"]
        assert sum(chair["net"] for chair in over["chairs"]) == 0
        with server.service.database.session() as session:
            seats = session.scalars(select(HandSeat).where(HandSeat.hand_id == over["hand"]["id"])).all()
        assert sorted(seat.agent for seat in seats) == ["", "resolver"]


def test_nobody_else_waits_for_who_thinks(folder):
    with serving(folder) as server:

        async def busy():
            return asyncio.create_task(server.service.thinkers.run("ping", ENDLESS))

        job = asyncio.run_coroutine_threadsafe(busy(), server.loop).result(60)
        client = server.bot()
        slow = new_table(client, **THINKER)["id"]
        client.post(f"/api/tables/{slow}/ready")
        assert play_out(client, ready(client, new_table(client)["id"]))["hand"]["over"]
        small = new_table(client, game="leduc-nl", opponents=[{"agent": "resolver"}])["id"]
        assert play_out(client, ready(client, small))["hand"]["over"]  # a game that it thinks about at once
        server.loop.call_soon_threadsafe(job.cancel)


def test_worker_processes_multiply_matrices_by_one_thread(folder, monkeypatch):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    with serving(folder) as server:
        process = server.service.players._all[0].process.pid
        with open(f"/proc/{process}/environ", "rb") as file:
            assert b"OPENBLAS_NUM_THREADS=1" in file.read().split(b"\0")

"""Several servers on one PostgreSQL database: a table is at one of them, and everybody reaches it through any."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from types import SimpleNamespace

import httpx
import pytest
from sqlalchemy import func, select, text, update

from ludus.games import holdem
from ludus.server.database import Database
from ludus.server.forwarding import AT_ONCE, HEADER, Forwarding, peer_word, told_address
from ludus.server.hands import columns
from ludus.server.leases import Elsewhere, Leases
from ludus.server.limits import Rate
from ludus.server.models import FoldedHands, Hand, HandSeat, TableEvent
from ludus.server.settings import Settings
from server_hands import at_random, keep
from server_helpers import serving
from server_tables import Socket, act, all_chips, my_turn, new_table, play_out, ready, wait

pytestmark = pytest.mark.postgres


def elsewhere(server, bot):
    """The same bot at another server."""
    headers = {"Authorization": bot.headers["Authorization"]}
    return httpx.Client(base_url=server.url, headers=headers, timeout=60)


@pytest.fixture
def pair(tmp_path, postgres_url):
    with serving(tmp_path, database=postgres_url) as one, serving(tmp_path, database=postgres_url) as two:
        yield one, two


def test_one_holds_and_the_other_is_told_where(postgres_url):
    database = Database(postgres_url)
    database.upgrade()
    one, two = Leases(database, "http://one"), Leases(database, "http://two")
    one.take("table")
    one.take("table")
    with pytest.raises(Elsewhere) as told:
        two.take("table")
    assert told.value.url == "http://one"
    with pytest.raises(Elsewhere):
        two.look("table")
    one.give("table")
    two.look("table")
    two.take("table")
    with pytest.raises(Elsewhere, match="http://two"):
        one.take("table")
    with database.engine.connect() as connection:  # the connection of the second is cut: its locks are gone
        others = "datname = current_database() AND pid <> pg_backend_pid()"
        connection.execute(text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}"))
    assert not two.still_held()
    fresh = Leases(database, "http://three")
    fresh.take("table")
    for leases in (one, two, fresh):
        leases.close()
    database.close()


def test_a_table_is_played_through_any_server(pair):
    one, two = pair
    here = one.bot("Ann")
    there = elsewhere(two, here)
    table = new_table(here, chips="carry")["id"]
    assert here.get(f"/api/tables/{table}").json()["hand"] is None
    view = ready(there, table)
    assert list(one.service.tables.live) == [table]
    assert not two.service.tables.live
    view = play_out(there, view)
    assert all_chips(view) == 400
    assert act(there, view).status_code == 409
    assert there.get(f"/api/tables/{table}?since=0").json()["events"]
    assert there.get(f"/api/tables/{'x' * 22}").status_code == 404
    with Socket(two, table, there) as socket_there, Socket(one, table, here) as socket_here:
        socket_there.send({"type": "ready"})
        seen = [each.until(lambda told: told["hand"] and told["hand"]["number"] == 2) for each in
                (socket_there, socket_here)]  # fmt: skip
        assert seen[0]["hand"]["id"] == seen[1]["hand"]["id"]
        socket_there.send("nonsense")
        assert socket_there.until(lambda told: told["type"] == "error")["detail"] == "a message is one JSON object"


def test_a_new_table_comes_to_the_server_that_its_people_reach(pair):
    one, two = pair
    here = one.bot("Ann")
    there = elsewhere(two, here)
    table = new_table(here)["id"]
    assert not one.service.tables.live
    assert not two.service.tables.live
    assert play_out(there, ready(there, table))["hand"]["over"]
    assert list(two.service.tables.live) == [table]
    assert not one.service.tables.live


def test_a_table_moves_to_another_server_with_its_hand(pair):
    one, two = pair
    here = one.bot("Ann")
    there = elsewhere(two, here)
    view = wait(here, ready(here, new_table(here)["id"])["id"], my_turn)
    table = view["id"]
    one.loop.call_soon_threadsafe(one.service.tables.drop, one.service.tables.live[table])  # nobody has looked for long
    while table in one.service.leases._held:
        time.sleep(0.01)
    again = wait(there, table, my_turn)
    assert list(two.service.tables.live) == [table]
    assert [again["hand"][name] for name in ("id", "turn", "commitment")] == [
        view["hand"][name] for name in ("id", "turn", "commitment")
    ]
    assert play_out(here, again)["hand"]["over"]  # now the first passes it on
    assert list(two.service.tables.live) == [table]


def test_two_who_believe_they_hold_a_table_double_nothing(pair):
    """A server that has lost its lock and does not know it yet: what it says is not kept."""
    one, two = pair
    here = one.bot("Ann")
    there = elsewhere(two, here)
    table = new_table(here)["id"]
    view = wait(here, ready(here, table)["id"], my_turn)
    one.service.leases._drop()  # as when the connection is cut
    again = wait(there, table, my_turn)
    assert table in one.service.tables.live
    assert table in two.service.tables.live
    assert act(there, again).status_code == 200
    stale = act(here, view)
    assert stale.status_code in (409, 503)
    over = play_out(there, wait(there, table, my_turn))
    with two.service.database.session() as session:
        numbers = session.scalars(
            select(TableEvent.number).where(TableEvent.table_id == table).order_by(TableEvent.number)
        ).all()
        assert numbers == list(range(1, len(numbers) + 1))
        assert session.scalar(select(func.count()).select_from(Hand).where(Hand.table_id == table)) == 1
    assert wait(here, table, my_turn)["hand"]["id"] == over["hand"]["id"]


def test_a_hand_among_people_is_known_to_the_other_server(pair):
    """So that nobody is helped with it there, neither who hosts the table nor who has just sat down."""
    one, two = pair
    ann, bob = one.bot("Ann"), one.bot("Bob")
    view = new_table(ann, people=2, seats=2, seconds=300)
    bob.post(f"/api/tables/{view['id']}/seats", json={"invite": view["invite"]})
    ann.post(f"/api/tables/{view['id']}/ready")
    ready(bob, view["id"])
    playing = one.service.tables.live[view["id"]].table.hand
    assert not two.service.tables.live
    for person in playing.people:
        (found,) = two.service.tables.among_people(person)
        assert (found.id, found.state.cards) == (playing.id, playing.state.cards)
    assert not two.service.tables.among_people("x" * 22)


def test_matches_are_found_through_any_server(pair):
    one, two = pair
    here = one.bot()
    match = here.post("/api/rps", json={"opponent": "biased"}).json()
    there = elsewhere(two, here)
    assert there.post(f"/api/rps/{match['id']}", json={"move": "rock"}).json()["round"] == 2
    assert there.get(f"/api/rps/{'x' * 22}").status_code == 404


def test_only_our_servers_are_believed_about_an_address(pair):
    word = peer_word(b"secret", "1.2.3.4", "/api/x")
    assert told_address(b"secret", word, "/api/x") == "1.2.3.4"
    assert told_address(b"secret", word, "/api/y") is None
    assert told_address(b"other", word, "/api/x") is None
    for wrong in ("", "1.2.3.4", "1.2.3.4 5", word.replace("1.2.3.4", "5.6.7.8"), "1.2.3.4 ² x"):
        assert told_address(b"secret", wrong, "/api/x") is None
    one, two = pair
    bot = one.bot()
    table = new_table(bot)["id"]
    forged = {HEADER: f"9.9.9.9 {int(time.time())} {'0' * 64}"}
    assert elsewhere(two, bot).get(f"/api/tables/{table}", headers=forged).status_code == 200


def eventually(happens, seconds=20.0):
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_who_changes_at_one_server_is_known_at_the_other(pair, monkeypatch):
    monkeypatch.setattr("ludus.server.people.recognition.SECONDS", 3600.0)  # nobody is looked up again by himself
    one, two = pair
    here = one.bot("Ann")
    there = elsewhere(two, here)
    assert there.get("/api/me").json()["name"] == "Ann"
    assert here.patch("/api/me", json={"name": "Anna"}).status_code == 200
    eventually(lambda: there.get("/api/me").json()["name"] == "Anna")


def test_limits_count_at_all_servers_together(pair):
    one, two = pair
    for server in pair:
        server.service.limits.on = True
        server.service.limits.people.rate = Rate(20, 0.001)
    here = one.bot()
    there = elsewhere(two, here)
    assert all(here.get("/api/me").status_code == 200 for _ in range(15))
    eventually(lambda: there.get("/api/me").status_code == 429)
    secret = here.headers["Authorization"].split()[1]
    assert secret not in json.dumps(one.service.limits.people._buckets, default=str)


SERVER = (
    "import sys; from pathlib import Path; from ludus.server.running import serve; from ludus.server.settings import "
    "Settings\n"
    "if __name__ == '__main__':\n"
    "    serve(Settings(port=0, folder=Path(sys.argv[1]), database=sys.argv[2], limits=False, warm_up=False, "
    "helpers=1, processes=2))"
)


def children(process):
    with open(f"/proc/{process}/task/{process}/children") as file:
        return [int(one) for one in file.read().split()]


def name_of(process):
    with suppress(OSError), open(f"/proc/{process}/cmdline") as file:
        return file.read()
    return ""


@contextmanager
def processes(folder, url):
    file = folder / "server.py"
    file.write_text(SERVER)
    running = subprocess.Popen([sys.executable, file, str(folder), url], stdout=subprocess.PIPE, text=True)
    try:
        found = re.search(r"http://\S+", running.stdout.readline())
        assert found, "the server did not start"
        yield running, found[0].rstrip("/")
    finally:
        running.terminate()
        running.wait(40)
        running.stdout.close()


def test_any_process_may_be_killed_at_any_moment(tmp_path, postgres_url):
    """Two processes at one address; each is killed in turn while hands are played: none is lost, doubled or stuck."""
    with processes(tmp_path, postgres_url) as (running, url):
        token = httpx.post(f"{url}/api/guests", json={}, timeout=60).json()["token"]
        headers = {"Authorization": f"Bearer {token}"}

        def ask(method, path, **body):
            """A request on a connection of its own, again for as long as the process that was asked is dying."""
            end = time.monotonic() + 60
            while True:
                with suppress(httpx.HTTPError):
                    answer = httpx.request(method, url + path, headers=headers, timeout=60, **body)
                    if answer.status_code != 503:
                        return answer
                assert time.monotonic() < end, "nobody answers"
                time.sleep(0.05)

        tables = [ask("POST", "/api/tables", json={"opponents": [{"agent": "call"}]}).json()["id"] for _ in range(4)]
        played = 0
        for round_ in range(4):
            for table in tables:
                ask("POST", f"/api/tables/{table}/ready")
            if round_ in (1, 2):
                servers = [one for one in children(running.pid) if "spawn_main" in name_of(one)]
                assert len(servers) == 2
                os.kill(servers[round_ - 1], signal.SIGKILL)
            for table in tables:
                end = time.monotonic() + 60
                while True:
                    view = ask("GET", f"/api/tables/{table}").json()
                    hand = view["hand"]
                    if hand is None:
                        ask("POST", f"/api/tables/{table}/ready")
                    elif hand["over"] and hand["number"] > round_:
                        break
                    elif hand["over"]:
                        ask("POST", f"/api/tables/{table}/ready")
                    elif hand["legal"]:
                        told = {"hand": hand["id"], "turn": hand["turn"], "action": "call"}
                        ask("POST", f"/api/tables/{table}/actions", json=told)
                    assert time.monotonic() < end, f"stuck: {json.dumps(view)[:500]}"
                played += 1
    database = Database(postgres_url)
    with database.session() as session:
        for table in tables:
            numbers = list(
                session.scalars(
                    select(TableEvent.number).where(TableEvent.table_id == table).order_by(TableEvent.number)
                )
            )
            assert numbers == list(range(1, len(numbers) + 1))
            hands = session.scalars(select(Hand.number).where(Hand.table_id == table).order_by(Hand.number)).all()
            assert hands == list(range(1, len(hands) + 1))
        assert session.scalar(select(func.count()).select_from(Hand)) >= played
    database.close()
    with socket.socket() as probe, pytest.raises(ConnectionRefusedError):
        probe.connect(("127.0.0.1", int(url.rsplit(":", 1)[1])))


def test_several_processes_need_postgresql():
    with pytest.raises(ValueError, match="need a PostgreSQL database"):
        Settings(processes=2)
    with pytest.raises(ValueError, match="at least one process, got 0"):
        Settings(processes=0)


# A server that hangs


def test_a_server_that_hangs_keeps_nothing_else_waiting():
    """However many requests wait for it, threads are left for everything else, and those beyond are refused."""

    async def ask():
        held, answers = [], []

        async def silent(reader, writer):
            held.append(writer)

        async def receive():
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message):
            if message["type"] == "http.response.start":
                answers.append(message["status"])

        service = SimpleNamespace(secret=b"secret")
        scope = {
            "type": "http", "method": "GET", "path": "/api/tables/x", "query_string": b"", "headers": [],
            "client": ("1.2.3.4", 1), "app": SimpleNamespace(state=SimpleNamespace(service=service)),
        }  # fmt: skip
        forwarding = Forwarding(None)
        async with await asyncio.start_server(silent, "127.0.0.1", 0) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            asked = [asyncio.create_task(forwarding._pass_on(scope, receive, send, url)) for _ in range(AT_ONCE + 6)]
            while len(held) < AT_ONCE:
                await asyncio.sleep(0.01)
            assert answers == [503] * 6
            async with asyncio.timeout(10):
                assert await asyncio.to_thread(lambda: "somebody else's work") == "somebody else's work"
            assert forwarding.waiting == AT_ONCE
            for writer in held:
                writer.close()
            await asyncio.gather(*asked)
        assert answers == [503] * (AT_ONCE + 6)
        assert forwarding.waiting == 0

    asyncio.run(ask())


def test_two_servers_fold_a_hand_once(pair, monkeypatch):
    one, two = pair
    person = one.bot("Ann").get("/api/me").json()["id"]
    for number in range(20):
        keep(one.service, at_random(holdem(stack=100), number), [person, None], number=number)
    with one.service.database.session() as session:
        session.execute(update(HandSeat).values(adjusted=HandSeat.net))
    read = columns._read

    def slowly(*arguments):
        found = read(*arguments)
        time.sleep(0.5)  # the other one is at it, too
        return found

    def fold(service):
        with service.database.session() as session:
            return columns.fold(session, person, 8)

    monkeypatch.setattr(columns, "_read", slowly)
    with ThreadPoolExecutor(2) as threads:
        assert [*threads.map(fold, (one.service, two.service))] == [True, True]
    with one.service.database.session() as session:
        blocks = session.scalars(select(FoldedHands).where(FoldedHands.person_id == person)).all()
        assert sorted(len(block.hands) // columns.HANDS.itemsize for block in blocks) == [8, 8]
        assert session.scalar(select(func.count()).where(HandSeat.person_id == person, HandSeat.block.is_(None))) == 4
        assert len(columns.played_here(session, person).hands) == 20

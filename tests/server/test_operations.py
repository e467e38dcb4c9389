"""Running a server: health, figures, logs, a database that goes and comes back, and what is kept of old tables."""

import asyncio
import json
import logging
import re
import shutil
import sqlite3
from contextlib import closing, contextmanager
from datetime import timedelta
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
from sqlalchemy import event, func, select
from sqlalchemy.exc import OperationalError

from ludus.server.database import Database
from ludus.server.logs import JsonLines, TextLines, without_secrets
from ludus.server.models import Hand, TableEvent, now
from ludus.server.people.vault import Vault
from ludus.server.settings import Settings
from ludus.server.tables.log import Entry, NotKept, TableLog, prune
from ludus.server.watch import Traffic
from server_helpers import local_client, person, service_of, serving
from server_tables import Socket, act, my_turn, new_table, play_out, ready, wait


@contextmanager
def away(database):
    """Nothing gets through to the database."""

    def refuse(*_):
        raise OperationalError("SELECT", {}, Exception("the server closed the connection"))

    event.listen(database.engine, "before_cursor_execute", refuse)
    try:
        yield
    finally:
        event.remove(database.engine, "before_cursor_execute", refuse)


# Health and figures


def test_health_is_of_all_parts(web, monkeypatch):
    assert web.get("/api/health").json() == {"status": "ok", "database": "ok", "workers": "ok", "log": "ok"}
    service = service_of(web)
    with away(service.database):
        answer = web.get("/api/health")
    assert (answer.status_code, answer.json()["database"], answer.json()["workers"]) == (503, "failing", "ok")
    monkeypatch.setattr(service.tables.log, "_since", -1e6)
    assert (web.get("/api/health").status_code, web.get("/api/health").json()["log"]) == (503, "failing")
    monkeypatch.setattr(service.tables.log, "_since", None)

    async def broken(*_):
        raise TimeoutError

    monkeypatch.setattr(service.players, "run", broken)
    assert web.get("/api/health").json()["workers"] == "failing"
    monkeypatch.undo()
    assert web.get("/api/health").status_code == 200


def test_figures_are_for_those_who_were_named(tmp_path):
    with serving(tmp_path / "a") as server, server.client() as client:
        assert client.get("/metrics").status_code == 404
    with serving(tmp_path / "b", metrics=("127.0.0.0/8",)) as server, server.client() as client:
        bot = server.bot()
        view = play_out(bot, ready(bot, new_table(bot)["id"]))
        bot.get(f"/api/tables/{view['id']}")
        text = client.get("/metrics").text
    rows = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert rows["ludus_hands_total"] == "1"
    assert rows["ludus_tables"] == "1"
    assert float(rows['ludus_jobs_total{pool="players"}']) > 0
    assert int(rows['ludus_requests_total{route="/api/tables/{table_id}/actions",status="200"}']) > 1
    assert rows['ludus_request_seconds_bucket{le="+Inf"}'] == rows["ludus_request_seconds_count"]
    assert view["id"] not in text
    for line in text.splitlines():
        assert re.fullmatch(r"# (HELP|TYPE) ludus_\w+ .+|ludus_\w+(\{(\w+=\"[^\"]*\",?)+\})? [0-9.e+-]+", line), line


def test_a_proxy_is_not_asked_for_figures_in_somebody_elses_name(tmp_path):
    told = {"X-Forwarded-For": "127.0.0.1"}
    with serving(tmp_path, metrics=("10.0.0.0/8",)) as server, server.client() as client:
        assert client.get("/metrics", headers={"X-Forwarded-For": "10.0.0.1"}).status_code == 404
    with serving(tmp_path, metrics=("127.0.0.1",), proxies=("127.0.0.1",)) as server, server.client() as client:
        assert client.get("/metrics", headers={"X-Forwarded-For": "10.9.8.7"}).status_code == 404
        assert client.get("/metrics", headers=told).status_code == 200


def test_networks_are_checked():
    with pytest.raises(ValueError, match=r"trusted proxies are addresses or networks such as .*, got 'proxy\.example'"):
        Settings(proxies=("proxy.example",))
    with pytest.raises(ValueError, match="logs are text or json, not 'xml'"):
        Settings(log="xml")


# Logs

SECRETS = {
    "ludus_0123456789abcdef0123456789": "a token ludus_0123456789abcdef0123456789 was used",
    "abcdef0123456789": "Authorization: Bearer abcdef0123456789",
    "who.1.1700000000.c2lnbmF0dXJl": "cookie ludus=who.1.1700000000.c2lnbmF0dXJl; other=1",
    "hunter22": '{"username": "ada", "password": "hunter22"}',
    "lovelace": "cannot reach postgresql://ada:lovelace@db/ludus",
    "letmein": "GET /t/x?invite=letmein&y=1",
}


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("formatter", [TextLines(), JsonLines()])
def test_no_secret_is_logged(secret, formatter):
    def failing():
        raise ValueError(SECRETS[secret])

    try:
        failing()
    except ValueError as error:
        record = logging.LogRecord("x", 40, "x", 1, "%s", (SECRETS[secret],), (ValueError, error, None))
    record.fields = {"also": SECRETS[secret]}
    line = formatter.format(record)
    assert secret not in line
    assert "***" in line


def test_ordinary_words_stay_in_the_log():
    text = "table abc: 3 hands of ludus are kept, the password was wrong, token 7 of 9"
    assert without_secrets(text) == text


def test_requests_are_logged_as_json_without_ids(web, caplog):
    web.get("/api/me")
    table = new_table(web)["id"]
    with caplog.at_level(logging.INFO, "ludus.server.requests"):
        web.get(f"/api/tables/{table}?invite=letmein")
    [told] = [json.loads(JsonLines().format(record)) for record in caplog.records]
    assert told["route"] == "/api/tables/{table_id}"
    assert (told["method"], told["status"], told["level"]) == ("GET", 200, "info")
    assert table not in json.dumps(told)
    assert "letmein" not in json.dumps(told)


# A database that goes, and comes back


def test_a_database_that_is_away_is_no_defect(web):
    guest = person(web)
    view = wait(guest, ready(guest, new_table(guest)["id"])["id"], my_turn)
    database = service_of(web).database
    with away(database):
        for answer in (
            guest.get("/api/hands"), guest.get("/api/statistics"), act(guest, view),
            guest.post("/api/tables", json={}), guest.get("/api/tables"),
        ):  # fmt: skip
            assert answer.status_code == 503, answer.text
            assert "defect" not in answer.json()["detail"]
            assert answer.headers["Retry-After"]
    again = wait(guest, view["id"], my_turn)
    assert again["hand"]["id"] == view["hand"]["id"]
    assert again["hand"]["turn"] == view["hand"]["turn"]  # what was not kept has not happened
    assert play_out(guest, again)["hand"]["over"]
    assert guest.get("/api/hands").json()["hands"]


def test_a_full_disk_is_no_defect(tmp_path):
    with local_client(tmp_path) as web:
        guest, database = person(web), service_of(web).database
        view = wait(guest, ready(guest, new_table(guest)["id"])["id"], my_turn)
        with closing(sqlite3.connect(tmp_path / "ludus.db")) as connection:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
        most = pages

        def limit(connection, *_):
            connection.execute(f"PRAGMA max_page_count={most}").close()

        event.listen(database.engine, "checkout", limit)
        statuses = [guest.post("/api/tables", json={"opponents": [{"agent": "call"}]}).status_code for _ in range(60)]
        assert statuses[-1] == 503
        assert set(statuses) <= {201, 503}
        most = 10**6
        assert play_out(guest, wait(guest, view["id"], my_turn))["hand"]["over"]
        assert new_table(guest)["id"]


@pytest.mark.postgres
def test_connections_that_are_cut_are_made_anew(tmp_path, postgres_url):
    with local_client(tmp_path, database=postgres_url) as web:
        guest = person(web)
        view = wait(guest, ready(guest, new_table(guest)["id"])["id"], my_turn)
        with service_of(web).database.engine.connect() as connection:
            others = "datname = current_database() AND pid <> pg_backend_pid()"
            connection.execute(sa.text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}"))
        assert play_out(guest, wait(guest, view["id"], my_turn))["hand"]["over"]


def test_a_socket_is_told_to_come_again_later(tmp_path):
    with serving(tmp_path) as server:
        client = server.bot()
        table = new_table(client)["id"]
        server.loop.call_soon_threadsafe(server.service.tables.drop, server.service.tables.live[table])
        with (
            away(server.service.database),
            pytest.raises(Exception, match=r"403|1013"),
            Socket(server, table, client) as socket,
        ):
            socket.next()
        with Socket(server, table, client) as socket:
            assert socket.next()["id"] == table


def test_entries_are_given_up_together_while_the_database_is_away(caplog):
    asked = []

    class Engine:
        def begin(self):
            asked.append(1)
            raise OperationalError("INSERT", {}, Exception("away"))

    async def work():
        log = TableLog(SimpleNamespace(engine=Engine()), Vault(b"secret"))
        log.start()
        entries = [Entry(f"table {at}", 1, [("left", {"chair": 0})]) for at in range(50)]
        told = await asyncio.gather(*(log.keep(entry) for entry in entries), return_exceptions=True)
        assert all(isinstance(each, NotKept) for each in told)
        assert log.lost == 50
        await log.close()

    asyncio.run(work())
    assert len(asked) <= 2  # and not once for each: with a time-out for each the tables would stand still for minutes


def test_a_server_waits_for_its_database(tmp_path, monkeypatch):
    database, tries = Database(f"sqlite:///{tmp_path / 'x.db'}"), []

    def late(secret):
        tries.append(1)
        if len(tries) < 3:
            raise OSError("cannot open the database")

    monkeypatch.setattr(database, "_upgrade", late)
    monkeypatch.setattr("ludus.server.database.time.sleep", lambda _: None)
    with pytest.raises(OSError, match="cannot open"):
        database.upgrade()
    database.upgrade(wait=60)
    assert len(tries) == 3


# What is kept


def test_old_events_go_and_the_table_and_its_hands_stay(tmp_path):
    with local_client(tmp_path) as web:
        guest, service = person(web), service_of(web)
        table = new_table(guest)["id"]
        for _ in range(3):
            view = play_out(guest, ready(guest, table))

        def count():
            with service.database.session() as session:
                events = select(func.count()).select_from(TableEvent)
                dealt = events.where(TableEvent.kind == "dealt")
                return session.scalar(events), session.scalar(dealt), session.scalar(select(func.count(Hand.id)))

        before = count()
        assert prune(service.database, now() - timedelta(days=1)) == 0
        gone = prune(service.database, now() + timedelta(days=1))
        assert count() == (before[0] - gone, 1, 3)
        web.portal.call(service.tables.drop, service.tables.live[table])
        again = guest.get(f"/api/tables/{table}").json()
        assert [again["hand"][name] for name in ("id", "board", "reveal", "number")] == [
            view["hand"][name] for name in ("id", "board", "reveal", "number")
        ]
        assert again["history"] == 3
        assert play_out(guest, ready(guest, table))["hand"]["number"] == 4


def test_a_copy_of_a_running_server_is_a_whole_one(tmp_path):
    """The way that docs/web.md describes for SQLite."""
    live, copy = tmp_path / "live", tmp_path / "copy"
    with local_client(live) as web:
        guest = person(web)
        view = play_out(guest, ready(guest, new_table(guest)["id"]))
        midway = wait(guest, ready(guest, view["id"])["id"], my_turn)
        copy.mkdir()
        with closing(sqlite3.connect(live / "ludus.db")) as database:
            database.execute("VACUUM INTO ?", (str(copy / "ludus.db"),))
        shutil.copy(live / "secret", copy / "secret")
        cookies = dict(guest.cookies)
    with local_client(copy) as web:
        web.cookies.update(cookies)
        assert [row["id"] for row in web.get("/api/hands").json()["hands"]] == [view["hand"]["id"]]
        again = wait(web, view["id"], my_turn)
        assert again["hand"]["id"] == midway["hand"]["id"]
        assert play_out(web, again)["hand"]["over"]


def test_traffic_is_counted_by_how_long_it_took():
    traffic = Traffic()
    for seconds in (0.001, 0.02, 0.02, 60.0):
        traffic.note("/x", 200, seconds)
    assert dict(traffic.within) == {0.005: 1, 0.025: 2, float("inf"): 1}
    assert traffic.answers["/x", 200] == 4

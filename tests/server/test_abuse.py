"""What somebody may try who means no good, or who asks twice at once: nobody else is harmed by it."""

import json

import pytest
from sqlalchemy import insert
from sqlalchemy.exc import IntegrityError
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from ludus.server.hands.follow_up import FILES, MOST_WAITING, PATIENT
from ludus.server.learning.spot_presets import PRESETS
from ludus.server.limits import AtOnce, Rate, RateLimits, TokenBuckets
from ludus.server.models import Person
from ludus.server.routes import tables
from ludus.server.tables.sockets import TOO_MANY
from server_helpers import another, service_of


@pytest.fixture
def limited(web, monkeypatch):
    """The server with its limits on."""
    limits = RateLimits(True)
    monkeypatch.setattr(service_of(web), "limits", limits)
    return limits


@pytest.mark.parametrize(("method", "path", "body"), [("DELETE", "", None), ("POST", "/seats", {"invite": "guessed"})])
def test_a_stranger_who_is_refused_leaves_the_table_alone(web, method, path, body):
    web.get("/api/me")
    table = web.post("/api/tables", json={"people": 2, "opponents": [{"agent": "call"}]}).json()["id"]
    live = service_of(web).tables.live[table]
    stranger = another(web)
    stranger.get("/api/me")
    assert stranger.request(method, f"/api/tables/{table}{path}", json=body).status_code == 403
    assert service_of(web).tables.live[table] is live  # those who look on are not sent away, no clock starts anew
    assert not live.gone


def test_made_up_headers_make_nobody_another_person(web, limited):
    limited.people = TokenBuckets(Rate(5, 0.001))
    web.get("/api/me")
    answers = [web.get("/api/tokens", headers={"Authorization": f"Basic {number}"}) for number in range(8)]
    assert [answer.status_code for answer in answers].count(429) >= 3
    assert len(limited.people) == 1


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/api/statistics"), ("GET", "/api/hands.csv"), ("GET", "/api/tables"), ("POST", "/api/learn/kuhn"),
     ("POST", "/api/spots/check"), ("POST", "/api/drills"), ("POST", "/api/ranges"), ("POST", "/api/advice")],
)  # fmt: skip
def test_one_person_keeps_only_a_few_processes_and_threads_busy(web, limited, method, path):
    me = web.get("/api/me").json()["id"]
    limited.long_of_people = AtOnce(1)
    assert limited.long_of_people.begin(me)  # as if one were under way
    answer = web.request(method, path, json={} if method == "POST" else None)
    assert answer.status_code == 429
    assert answer.headers["Retry-After"] == "1"
    limited.long_of_people.end(me)
    assert web.request(method, path, json={} if method == "POST" else None).status_code in (200, 422)
    assert not len(limited.long_of_people)  # nothing is remembered of who has been answered
    assert not len(limited.long_of_addresses)


def test_many_guests_of_one_address_count_together(web, limited):
    limited.long_of_addresses = AtOnce(1)
    assert limited.long_of_addresses.begin("testclient")
    web.get("/api/me")
    assert web.get("/api/statistics").status_code == 429


def test_files_of_one_person_keep_nobody_from_a_review(web):
    afterwards = service_of(web).follow_up

    async def crowded() -> tuple[bool, bool]:
        try:
            afterwards.review([f"file {number}" for number in range(2 * MOST_WAITING)], FILES)
            full = len(afterwards.waiting) == MOST_WAITING
            afterwards.review(["hand"], PATIENT)
            return full, "hand" in afterwards.waiting
        finally:
            afterwards.waiting.clear()

    assert web.portal.call(crowded) == (True, True)


def test_a_table_has_so_many_spectators(server, monkeypatch):
    monkeypatch.setattr(tables, "MOST_VIEWERS", 1)
    host = server.bot()
    table = host.post("/api/tables", json={"opponents": [{"agent": "call"}]}).json()["id"]
    address = f"{server.socket_url}/api/tables/{table}/socket"
    with connect(address) as first:
        first.recv(10)
        with connect(address) as second, pytest.raises(ConnectionClosed) as closed:
            second.recv(10)
        assert closed.value.rcvd.code == TOO_MANY
        with connect(address, additional_headers={"Authorization": host.headers["Authorization"]}) as own:
            assert json.loads(own.recv(10))["you"] == 0


def test_two_who_write_the_same_at_once_are_told_to_try_again(web):
    async def clash() -> None:
        raise IntegrityError("INSERT", {}, Exception("it is there already"))

    web.app.add_api_route("/api/test/clash", clash)
    answer = web.get("/api/test/clash")
    assert answer.status_code == 409
    assert "try again" in answer.json()["detail"]


def test_errors_of_the_database_do_not_tell_what_was_written(web):
    row = {"id": "the-same", "name": "secret name", "preferences": {}}
    with (
        pytest.raises(IntegrityError) as failure,
        service_of(web).database.session() as session,
    ):
        session.execute(insert(Person), [row, row])
    assert "secret name" not in str(failure.value)


def test_a_length_beyond_all_measure_is_too_large(web):
    answer = web.post("/api/guests", content="{}", headers={"Content-Length": "9" * 5000})
    assert answer.status_code == 413


@pytest.mark.parametrize(
    ("limit", "path", "body"),
    [
        ("new_tables", "/api/tables", {"json": {"opponents": [{"agent": "call"}]}}),
        ("new_solves", "/api/spots", {"json": {"spot": PRESETS["river-polar"]}}),
        ("new_files", "/api/uploads", {"content": "variant = 'PO'"}),
    ],
)
def test_what_an_address_makes_is_limited_however_many_guests_it_has(web, limited, limit, path, body):
    setattr(limited, limit, TokenBuckets(Rate(1, 0.001)))
    first, second = another(web), another(web)
    for guest in (first, second):
        guest.get("/api/me")
    assert first.post(path, **body).status_code in (201, 202)
    answer = second.post(path, **body)
    assert (answer.status_code, "from your address" in answer.json()["detail"]) == (429, True)
    assert int(answer.headers["Retry-After"]) > 100


def test_the_solves_of_one_address_are_counted_together(web):
    solves, taken = service_of(web).spot_solves, 0
    while web.portal.call(solves.of_addresses.begin, "testclient"):
        taken += 1
    guest = another(web)
    guest.get("/api/me")
    answer = guest.post("/api/spots", json={"spot": PRESETS["river-polar"]})
    assert (answer.status_code, "from your address" in answer.json()["detail"]) == (429, True)
    for _ in range(taken):
        web.portal.call(solves.of_addresses.end, "testclient")

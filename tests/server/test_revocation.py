"""Who is no longer let in is sent away from open sockets at once; everybody else stays."""

from contextlib import contextmanager

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from ludus.server.models import EndedSession, Person, Token
from ludus.server.people.identity import COOKIE, signed_by
from ludus.server.people.passwords import Passwords
from server_helpers import QUICK, serving
from server_tables import new_table

PASSWORD = "correct horse"
NAMES = iter(range(1000))


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("revoked")) as server:
        server.service.passwords = Passwords(QUICK)
        yield server


@pytest.fixture
def name():
    return f"name{next(NAMES)}"


def account(server, name):
    browser = server.client()
    browser.get("/api/me")
    assert browser.post("/api/accounts", json={"username": name, "password": PASSWORD}).status_code == 201
    return browser


def logged_in(server, name):
    browser = server.client()
    assert browser.post("/api/session", json={"username": name, "password": PASSWORD}).status_code == 200
    return browser


@contextmanager
def socket(server, table, browser=None, token=None):
    shown = {"Authorization": f"Bearer {token}"} if token else {}
    if browser is not None:
        shown = {"Cookie": f"{COOKIE}={browser.cookies[COOKIE]}"}
    with connect(f"{server.socket_url}/api/tables/{table}/socket", additional_headers=shown) as connection:
        connection.recv(10)
        yield connection


def is_closed(connection, seconds=10.0):
    """Whether a socket is closed for good, soon; a slow machine is given time."""
    try:
        while True:
            connection.recv(seconds)
    except TimeoutError:
        return False
    except ConnectionClosed:
        return connection.close_code == 4401


def stays(connection):
    connection.send('{"type": "ping"}')
    while "pong" not in connection.recv(10):
        pass
    return True


def test_a_withdrawn_token_closes_its_sockets_and_no_others(quick, name):
    browser = account(quick, name)
    table = new_table(browser)["id"]
    made = [browser.post("/api/tokens", json={"password": PASSWORD}).json() for _ in range(2)]
    with (
        socket(quick, table, token=made[0]["token"]) as gone,
        socket(quick, table, token=made[1]["token"]) as other,
        socket(quick, table, browser) as own,
    ):
        assert browser.delete(f"/api/tokens/{made[0]['id']}").status_code == 204
        assert is_closed(gone)
        assert stays(other)
        assert stays(own)


def test_a_new_password_closes_all_sockets(quick, name):
    browser, stranger = account(quick, name), quick.bot()
    table = new_table(browser)["id"]
    token = browser.post("/api/tokens", json={"password": PASSWORD}).json()["token"]
    elsewhere = logged_in(quick, name)
    with (
        socket(quick, table, token=token) as bot,
        socket(quick, table, elsewhere) as other,
        socket(quick, table) as watching,
        socket(quick, table, token=stranger.headers["authorization"].split()[1]) as another,
    ):
        assert browser.put("/api/me/password", json={"old": PASSWORD, "new": "another horse"}).status_code == 200
        assert is_closed(bot)
        assert is_closed(other)
        assert stays(watching)
        assert stays(another)
        with socket(quick, table, browser) as again:
            assert stays(again)


def test_logging_out_everywhere_closes_all_sockets(quick, name):
    browser = account(quick, name)
    table = new_table(browser)["id"]
    token = browser.post("/api/tokens", json={"password": PASSWORD}).json()["token"]
    elsewhere = logged_in(quick, name)
    with socket(quick, table, token=token) as bot, socket(quick, table, browser) as own:
        assert elsewhere.delete("/api/session", params={"everywhere": True}).status_code == 204
        assert is_closed(bot)
        assert is_closed(own)


def test_logging_out_closes_the_sockets_of_this_browser(quick, name):
    browser = account(quick, name)
    table = new_table(browser)["id"]
    elsewhere = logged_in(quick, name)
    with socket(quick, table, browser) as own, socket(quick, table, elsewhere) as other:
        assert browser.delete("/api/session").status_code == 204
        assert is_closed(own)
        assert stays(other)


@pytest.mark.parametrize("how", ["token", "version", "session"])
def test_what_another_server_made_void_closes_sockets_too(quick, name, how):
    """Another process on the same database has logged somebody out: here nobody is told."""
    browser, stranger = account(quick, name), quick.client()
    stranger.get("/api/me")
    table = new_table(browser)["id"]
    token = browser.post("/api/tokens", json={"password": PASSWORD}).json()
    shown = {"token": token["token"]} if how == "token" else {"browser": browser}
    with socket(quick, table, **shown) as gone, socket(quick, table, stranger) as other:
        with quick.service.database.session() as session:
            if how == "token":
                session.delete(session.get_one(Token, token["id"]))
            elif how == "version":
                session.get_one(Person, browser.get("/api/me").json()["id"]).version += 1
            else:
                session.add(EndedSession(id=signed_by(quick.service.secret, browser.cookies[COOKIE]).session))
        assert is_closed(gone)
        assert stays(other)


def test_a_socket_that_is_opened_meanwhile_does_not_slip_through(quick, name, monkeypatch):
    """The cookie was looked up just before the log-out, and the socket opened just after it."""
    from ludus.server.people import identity

    browser = account(quick, name)
    table, looked = new_table(browser)["id"], []
    who = identity.who

    def slow(service, connection):
        person = who(service, connection)
        if not looked:
            looked.append(person)
            browser.delete("/api/session")
        return person

    cookie = browser.cookies[COOKIE]
    quick.service.recognised._people.clear()
    monkeypatch.setattr(identity, "who", slow)
    shown = {"Cookie": f"{COOKIE}={cookie}"}
    with connect(f"{quick.socket_url}/api/tables/{table}/socket", additional_headers=shown) as connection:
        assert '"you":null' in connection.recv(10)
    assert looked[0] is not None

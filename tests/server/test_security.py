"""What every request passes: hosts, other sites, sizes, rates, headers; and the server's secret."""

import json
import logging
import os
import socket
import stat
import threading

import pytest
from fastapi import WebSocket
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from ludus.server.app import create_app
from ludus.server.limits import MessageLimit, Rate, RateLimits, TokenBucket, TokenBuckets, address_name
from ludus.server.people.secret import load_secret
from ludus.server.security import HEADERS, LARGEST_BODY, LARGEST_UPLOAD, Guard
from ludus.server.settings import Settings
from server_helpers import SAME_ORIGIN, another, local_client, service_of, serving

# Headers


def app_with_echo(client):
    """A socket that says back what it hears, and a route that breaks, at a running application."""
    app = client.app

    async def echo(websocket: WebSocket) -> None:
        await websocket.accept()
        while True:
            await websocket.send_text(await websocket.receive_text())

    async def broken() -> None:
        raise ZeroDivisionError("secret detail")

    async def size(request_body: dict) -> int:
        return len(request_body)

    app.add_api_websocket_route("/api/test/echo", echo)
    app.add_api_route("/api/test/broken", broken)
    app.add_api_route("/api/test/size", size, methods=["POST"])
    app.add_api_route("/api/uploads/test", size, methods=["POST"])


@pytest.fixture(scope="module")
def echo(tmp_path_factory):
    with local_client(tmp_path_factory.mktemp("echo")) as client:
        app_with_echo(client)
        yield client


@pytest.mark.parametrize(
    ("path", "status"),
    [("/", 200), ("/table/abc", 200), ("/js/app.js", 200), ("/api/me", 200), ("/api/tokens", 401),
     ("/api/nothing", 404), ("/nothing.js", 404), ("/locales/en.json", 200), ("/locales/xx.json", 404),
     ("/openapi.json", 200), ("/api/test/broken", 500), ("/api/test/size", 405), ("/../../pyproject.toml", 404)],
)  # fmt: skip
def test_every_answer_has_the_headers(echo, path, status):
    answer = another(echo).get(path)
    assert answer.status_code == status
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    assert "strict-transport-security" not in answer.headers
    assert "server" not in answer.headers
    if status >= 400:
        assert list(answer.json()) == ["detail"]


def test_refused_requests_have_them_too(echo):
    answers = [
        another(echo).get("/", headers={"Host": "evil.example"}),
        another(echo).post("/api/guests", json={}, headers={"Sec-Fetch-Site": "cross-site"}),
        another(echo).post("/api/guests", content=b"x" * (LARGEST_BODY + 1)),
    ]
    assert [answer.status_code for answer in answers] == [400, 403, 413]
    for answer in answers:
        assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS


def test_https_is_to_stay(echo):
    browser = another(echo)
    browser.base_url = "https://localhost"
    assert browser.get("/").headers["strict-transport-security"] == "max-age=31536000"


def test_a_defect_tells_nothing_of_itself(echo):
    answer = another(echo).get("/api/test/broken")
    assert answer.status_code == 500
    assert "secret detail" not in answer.text
    assert "ZeroDivision" not in answer.text


def test_the_page_has_no_inline_script_or_style(echo):
    page = another(echo).get("/").text
    assert '<script type="module" src=' in page
    assert " style=" not in page
    assert "<style" not in page
    assert " onload=" not in page


def test_files_are_asked_for_again_but_not_sent_again(echo):
    for path in ("/js/app.js", "/", "/locales/en.json"):
        first = another(echo).get(path)
        assert first.headers["cache-control"] == "no-cache"
        again = another(echo).get(path, headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
    assert another(echo).get("/api/status").headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "path", ["/%2e%2e/%2e%2e/app.py", "/..%2fapp.py", "/js/..%2f..%2fapp.py", "//etc/passwd.x", "/%00.js"]
)
def test_no_way_out_of_the_page_s_folder(server, path):
    """By a raw socket: clients tidy such paths up."""
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: raw.recv(65536), b""))
    assert answer.split()[1] == b"404", answer[:200]


# Hosts


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost", 200), ("LOCALHOST:8421", 200), ("127.0.0.1:1", 200), ("[::1]:8421", 200), ("192.168.1.7", 200),
     ("evil.example", 400), ("evil.example:80", 400), ("localhost.evil.example", 400), ("127.0.0.1.evil.example", 400),
     ("", 400), ("table.example", 400), ("[evil]", 400)],
)  # fmt: skip
def test_hosts(echo, host, status):
    assert another(echo).get("/api/status", headers={"Host": host}).status_code == status


def test_more_hosts_can_be_allowed(tmp_path):
    with local_client(tmp_path, hosts=("Table.Example",), host="other.example") as client:
        answers = [client.get("/api/status", headers={"Host": host}).status_code
                   for host in ("table.example:443", "other.example", "third.example")]  # fmt: skip
    assert answers == [200, 200, 400]


# Other sites


@pytest.mark.parametrize(
    ("headers", "cookie", "status"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, True, 201),
        ({"Sec-Fetch-Site": "cross-site"}, True, 403),
        ({"Sec-Fetch-Site": "same-site"}, True, 403),
        ({"Sec-Fetch-Site": "none"}, True, 403),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"}, True, 403),
        ({"Sec-Fetch-Site": "cross-site"}, False, 403),
        ({"Origin": "http://localhost"}, True, 201),
        ({"Origin": "http://localhost:81"}, True, 403),
        ({"Origin": "https://evil.example"}, True, 403),
        ({"Origin": "https://evil.example"}, False, 403),
        ({"Origin": "http://localhost.evil.example"}, True, 403),
        ({"Origin": "http://evil.example/localhost"}, True, 403),
        ({"Origin": "http://localhost@evil.example"}, True, 403),
        ({"Origin": "null"}, True, 403),
        ({"Origin": ""}, True, 403),
        ({"Origin": "http://[bad"}, True, 403),
        ({}, True, 403),
        ({}, False, 201),
    ],
)
def test_requests_from_other_sites(echo, headers, cookie, status):
    browser = another(echo, {})
    if cookie:
        browser.get("/api/me")
    answer = browser.post("/api/guests", json={}, headers=headers)
    assert answer.status_code == status, answer.text


def test_a_token_needs_no_origin_and_a_simple_form_gets_nowhere(echo):
    token = another(echo, {}).post("/api/guests", json={}).json()["token"]
    bot = another(echo, {"Authorization": f"Bearer {token}", "Sec-Fetch-Site": "cross-site"})
    assert bot.patch("/api/me", json={"name": "Bot"}).status_code == 200
    basic = another(echo, {"Authorization": "Basic eDp5", "Sec-Fetch-Site": "cross-site"})
    assert basic.post("/api/guests", json={}).status_code == 403
    browser = another(echo)
    browser.get("/api/me")
    assert browser.delete("/api/session", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert browser.get("/api/tokens").status_code == 200


def test_reading_has_no_answer_for_other_sites(echo):
    answer = another(echo).get("/api/me", headers={"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in answer.headers
    assert another(echo).options("/api/me", headers={"Origin": "https://evil.example"}).status_code == 405


@pytest.mark.parametrize(
    ("headers", "fine"),
    [({}, True), ({"Origin": "http://localhost"}, True), ({"Origin": "https://evil.example"}, False),
     ({"Origin": "null"}, False), ({"Origin": "http://localhost:1"}, False), ({"Host": "evil.example"}, False),
     ({"Host": "evil.example", "Origin": "http://evil.example"}, False)],
)  # fmt: skip
def test_sockets_of_other_sites(echo, headers, fine):
    browser = another(echo, {})
    if not fine:
        with pytest.raises(WebSocketDisconnect), browser.websocket_connect("/api/test/echo", headers=headers):
            pass
        return
    with browser.websocket_connect("/api/test/echo", headers=headers) as connection:
        connection.send_text("hello")
        assert connection.receive_text() == "hello"


def test_an_unknown_socket_is_closed(echo):
    with pytest.raises(WebSocketDisconnect) as closed, another(echo).websocket_connect("/api/nothing"):
        pass
    assert closed.value.code == 4404


def test_a_real_socket_of_another_site(server):
    with pytest.raises(InvalidStatus) as refused:
        connect(f"{server.socket_url}/api/tables/x/socket", origin="https://evil.example")
    assert refused.value.response.status_code == 403


def test_sockets_are_counted(echo, monkeypatch):
    monkeypatch.setattr("ludus.server.security.SOCKETS_OF_ADDRESS", 3)
    from contextlib import ExitStack

    with ExitStack() as open_ones:
        for _ in range(3):
            open_ones.enter_context(another(echo).websocket_connect("/api/test/echo"))
        with pytest.raises(WebSocketDisconnect), another(echo).websocket_connect("/api/test/echo"):
            pass
    with another(echo).websocket_connect("/api/test/echo"):
        pass


# Sizes


def chunks(total):
    sent = 0
    yield b'{"x": "'
    while sent < total:
        yield b"x" * min(65536, total - sent)
        sent += 65536
    yield b'"}'


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize(
    ("path", "size", "status"),
    [("/api/test/size", LARGEST_BODY - 100, 200), ("/api/test/size", LARGEST_BODY + 1, 413),
     ("/api/uploads/test", LARGEST_UPLOAD - 100, 200), ("/api/uploads/test", LARGEST_UPLOAD + 1, 413),
     ("/api/test/size", 50 << 20, 413)],
)  # fmt: skip
def test_large_bodies(echo, path, size, status, told):
    body = b"".join(chunks(size)) if told else chunks(size)
    answer = another(echo).post(path, content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == status
    if status == 413:
        assert answer.json()["detail"].startswith("the request is too large: at most")


def test_a_chunked_body_over_the_network(server):
    with server.client() as client:
        answer = client.post(
            "/api/guests", content=chunks(LARGEST_BODY + 1), headers={"Content-Type": "application/json"}
        )
        assert answer.status_code == 413
        assert client.post("/api/guests", json={}).status_code == 201


@pytest.mark.parametrize("length", ["-1", "x", "1e3", "9" * 30])
def test_a_wrong_length(echo, length):
    assert another(echo).post("/api/guests", headers={"Content-Length": length}).status_code == 413


def test_a_large_message_ends_a_socket(tmp_path):
    with serving(tmp_path) as server:
        app_with_echo(server)
        with connect(f"{server.socket_url}/api/test/echo") as connection:
            connection.send("x" * 60_000)
            assert len(connection.recv()) == 60_000
            connection.send("x" * 70_000)
            with pytest.raises(Exception, match="1009"):
                connection.recv(timeout=10)


# Rates


class Clock:
    now = 1000.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr("ludus.server.limits.time", clock)
    return clock


def test_a_bucket_empties_and_fills(clock):
    bucket = TokenBucket(Rate(burst=3, per_second=0.5))
    assert [bucket.take() for _ in range(4)] == [0, 0, 0, 2.0]
    clock.now += 1.5
    assert bucket.take() == pytest.approx(0.5)
    clock.now += 0.5
    assert bucket.take() == 0
    clock.now += 1e6
    assert [bucket.take() for _ in range(4)] == [0, 0, 0, 2.0]
    bucket.give_back()
    assert bucket.take() == 0


def test_buckets_forget_the_oldest(clock):
    buckets = TokenBuckets(Rate(1, 0.1), remembered=100)
    for number in range(1000):
        buckets.of(f"{number}").take()
        assert len(buckets) <= 100
        assert buckets.of("0").take() > 0 or number == 0


def test_limits_take_of_all_or_of_none(clock):
    limits = RateLimits()
    one, two = TokenBuckets(Rate(5, 1)), TokenBuckets(Rate(1, 0.1))
    assert limits.wait((one, "a"), (two, "a")) == 0
    assert limits.wait((one, "a"), (two, "a")) == pytest.approx(10)
    assert one.of("a").left == 4
    assert RateLimits(on=False).wait((two, "a")) == 0


def test_messages(clock):
    limit = MessageLimit(rate=Rate(3, 1), largest=10)
    assert [limit.allows("x"), limit.allows("x" * 11), limit.allows("y" * 10), limit.allows(b"z")] == [
        True, False, True, True,
    ]  # fmt: skip
    assert not limit.allows("x")
    clock.now += 1
    assert limit.allows("x")
    assert not RateLimits(on=False).messages().allows("x" * 70_000)


def test_addresses_of_a_network_count_as_one():
    assert address_name("2001:db8::1") == address_name("2001:db8::ffff:1") != address_name("2001:db8:0:1::1")
    assert address_name("::ffff:10.0.0.1") == address_name("10.0.0.1") != address_name("10.0.0.2")
    assert address_name("testclient") == "testclient"


@pytest.fixture
def limited(tmp_path):
    with local_client(tmp_path, limits=True) as client:
        yield client


def test_log_ins_are_limited_by_user_name_and_by_address(limited, clock):
    browser = another(limited)
    browser.get("/api/me")
    assert browser.post("/api/accounts", json={"username": "ada", "password": "correct horse"}).status_code == 201

    def log_in(username, password):
        return another(limited).post("/api/session", json={"username": username, "password": password})

    assert [log_in("ada", "wrong horse").status_code for _ in range(10)] == [401] * 10
    refused = log_in("ada", "correct horse")
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "20")
    assert refused.json()["detail"] == "too many attempts: try again in 20 seconds"
    assert [log_in(f"name{at}", "wrong horse").status_code for at in range(11)] == [401] * 10 + [429]
    clock.now += 60
    assert [log_in("ada", "correct horse").status_code for _ in range(30)] == [200] * 30  # only failures count


def test_a_stranger_cannot_lock_a_name(limited, clock, caplog):
    """Wrong passwords from one address close the name to that address, and to no other."""
    browser = another(limited)
    browser.get("/api/me")
    browser.post("/api/accounts", json={"username": "ada", "password": "correct horse"})

    def log_in(host, username, password):
        client = TestClient(limited.app, base_url="http://localhost", client=(host, 1), headers=SAME_ORIGIN)
        client.portal = limited.portal
        return client.post("/api/session", json={"username": username, "password": password}).status_code

    with caplog.at_level(logging.WARNING):
        for host in ("10.0.0.1", "10.0.0.2", "10.0.0.3"):
            assert [log_in(host, "ada", "a guess") for _ in range(11)] == [401] * 10 + [429]
            assert log_in(host, "ada", "correct horse") == 429
        log_in("10.0.0.4", "my secret password", "x")
    assert log_in("10.0.0.9", "ada", "correct horse") == 200
    assert caplog.text.count("log-in to ada from 10.0.0.1 failed") == 10
    assert "log-in to an unknown name from 10.0.0.4 failed" in caplog.text
    assert "my secret password" not in caplog.text, "it may be a password, in the wrong field"
    assert "a guess" not in caplog.text


def test_a_password_cannot_be_tried_out_by_changing_it(limited, clock):
    browser = another(limited)
    browser.get("/api/me")
    browser.post("/api/accounts", json={"username": "ada", "password": "correct horse"})
    tries = [browser.put("/api/me/password", json={"old": "x", "new": "another horse"}).status_code for _ in range(5)]
    tries += [browser.post("/api/tokens", json={"password": "x"}).status_code for _ in range(6)]
    assert tries == [403] * 10 + [429]


def test_requests_of_a_person_are_limited(limited, clock):
    one, two = another(limited), another(limited)
    one.get("/api/me")
    two.get("/api/me")
    codes = [one.get("/api/tokens").status_code for _ in range(210)]
    assert codes == [200] * 200 + [429] * 10
    refused = one.get("/api/tokens")
    assert refused.headers["retry-after"] == "1"
    assert two.get("/api/tokens").status_code == 200
    clock.now += 1
    assert one.get("/api/tokens").status_code == 200


def test_new_guests_are_limited(limited, clock):
    codes = [another(limited, {}).post("/api/guests", json={}).status_code for _ in range(301)]
    assert codes == [201] * 300 + [429]
    assert another(limited).get("/api/me").status_code == 429
    clock.now += 120
    codes = [another(limited, {}).post("/api/guests", json={}).status_code for _ in range(3)]
    assert codes == [201, 201, 429], "an address makes one guest a minute in the long run"


def test_bots_with_made_up_tokens_share_the_address(clock):
    """Whoever changes his token at every request is still one address, and few buckets are kept of him."""
    from types import SimpleNamespace

    limits = RateLimits()
    app = SimpleNamespace(state=SimpleNamespace(service=SimpleNamespace(limits=limits, secret=b"")))
    guard = Guard(app, ())  # type: ignore[arg-type]
    from starlette.datastructures import Headers

    refused = 0
    for number in range(30_000):
        scope = {"type": "http", "app": app, "client": ("10.0.0.1", 1)}
        refused += guard._too_fast(scope, Headers({"authorization": f"Bearer {number}"})) is not None
    assert refused == 28_000
    assert len(limits.people) <= 2001


# The secret


def test_the_secret_is_made_once_for_its_owner_only(tmp_path):
    secret = load_secret(tmp_path)
    assert (len(secret), load_secret(tmp_path)) == (32, secret)
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["secret"]


def test_servers_that_start_at_once_have_one_secret(tmp_path):
    barrier, found = threading.Barrier(8), []

    def load():
        barrier.wait()
        found.append(load_secret(tmp_path))

    threads = [threading.Thread(target=load) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_the_secret_of_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("LUDUS_SECRET", "sixteen characters or more")
    assert load_secret(tmp_path) == b"sixteen characters or more"
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setenv("LUDUS_SECRET", "short")
    with pytest.raises(ValueError, match="at least 16 characters, got 5"):
        load_secret(tmp_path)


def test_a_damaged_secret(tmp_path):
    (tmp_path / "secret").write_bytes(b"x")
    with pytest.raises(ValueError, match="is damaged: delete it"):
        load_secret(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_to(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OSError, match="Permission"):
        load_secret(tmp_path)


def test_no_page_of_documents_with_foreign_scripts():
    app = create_app(Settings())
    assert not {"/docs", "/redoc"} & {getattr(route, "path", "") for route in app.routes}


def test_problems_of_an_input_are_one_sentence(echo):
    answer = another(echo).post(
        "/api/guests", content=json.dumps({"name": 5, "more": 1}), headers={"Content-Type": "application/json"}
    )
    assert (answer.status_code, answer.json()) == (422, {"detail": "name: input should be a valid string, got 5"})
    broken = another(echo).post("/api/guests", content="{", headers={"Content-Type": "application/json"})
    assert broken.status_code == 422
    assert broken.json()["detail"].startswith("the request's body: ")
    assert service_of(echo).limits.on is False

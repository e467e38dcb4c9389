"""The frame of the server: the page, errors as answers, the command that serves, and its clean end."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

import httpx
import pytest

from ludus.server.page_files import PAGE, texts_of
from ludus.server.running import is_loopback, page_address
from ludus.server.settings import Settings, data_folder
from ludus.server.work.workers import Busy, Failed, Refused
from server_helpers import another, local_client, serving

# The page


def test_the_status(web):
    status = web.get("/api/status").json()
    assert status == {"version": status["version"], "ready": {"play": False, "advice": False, "study": False}}
    assert re.fullmatch(r"\d+\.\d+\.\d+", status["version"])


@pytest.mark.parametrize("path", ["/", "/table/abc-_1", "/study", "/hands/x", "/learn/kuhn", "/anything/else"])
def test_addresses_of_the_page_give_its_shell(web, path):
    answer = web.get(path)
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.text == (PAGE / "index.html").read_text()


@pytest.mark.parametrize("path", ["/nothing.js", "/js/nothing.js", "/api/nothing", "/api", "/css/nothing.css"])
def test_what_is_not_there_is_not_the_shell(web, path):
    answer = web.get(path)
    assert answer.status_code == 404
    assert "detail" in answer.json()


def test_only_get_reaches_the_page(web):
    assert web.post("/study", json={}).status_code == 405
    assert web.delete("/api/status").status_code == 405


def test_the_texts_of_a_language_are_one_object(web):
    texts = web.get("/locales/en.json").json()
    assert texts == texts_of("en")
    files = [json.loads(file.read_text()) for file in (PAGE / "locales" / "en").glob("*.json")]
    assert sum(len(file) for file in files) == len(texts) > 0, "a key is in two files"
    assert all(isinstance(text, str) for text in texts.values())


@pytest.mark.parametrize("language", ["xx", "EN", "e", "..", "en.json", "%2e%2e"])
def test_a_language_that_we_do_not_have(web, language):
    assert web.get(f"/locales/{language}.json").status_code == 404


# Errors


@pytest.fixture(scope="module")
def breaking(tmp_path_factory):
    """An application with routes that break in every known way."""
    errors = {
        "busy": Busy(), "refused": Refused("no such card: 1x"), "late": TimeoutError(), "failed": Failed("x y"),
        "surrogate": "\ud800".encode,
    }  # fmt: skip

    def raising(error):
        async def route() -> None:
            if callable(error):
                error()
            raise error

        return route

    with local_client(tmp_path_factory.mktemp("breaking")) as client:
        for name, error in errors.items():
            client.app.add_api_route(f"/api/test/{name}", raising(error))
        yield client


@pytest.mark.parametrize(
    ("name", "status", "part"),
    [("busy", 503, "try again"), ("refused", 422, "no such card: 1x"), ("late", 422, "took too long"),
     ("failed", 500, "defect"), ("surrogate", 422, "none that can be kept")],
)  # fmt: skip
def test_errors_of_workers_are_answers(breaking, name, status, part):
    answer = breaking.get(f"/api/test/{name}")
    assert answer.status_code == status
    assert part in answer.json()["detail"]
    assert ("retry-after" in answer.headers) == (name == "busy")


@pytest.mark.postgres
def test_a_text_that_postgresql_cannot_keep_is_refused(tmp_path, postgres_url):
    with local_client(tmp_path, database=postgres_url) as client:
        browser = another(client)
        assert browser.get("/api/me").status_code == 200
        assert browser.delete("/api/tokens/%00").status_code == 422
        assert browser.post("/api/session", json={"username": "\x00", "password": "x"}).status_code in (401, 422)
        assert browser.post("/api/tokens", json={"label": "a\x00b"}).status_code == 422
        assert browser.post("/api/tokens", json={"label": "fine"}).status_code == 201


# The command


def command(folder, *words, code=None):
    """A server as a process; ``code`` instead of the command for what has no option."""
    program = [sys.executable, "-c", code] if code else [sys.executable, "-m", "ludus", "serve"]
    options = ["--folder", str(folder), *map(str, words)]
    return subprocess.Popen(
        [*program, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


QUICK = """
import sys
from pathlib import Path
from ludus.server.running import serve
from ludus.server.settings import Settings
serve(Settings(host=sys.argv[3], port=0, folder=Path(sys.argv[2]), helpers=2, warm_up=False))
"""


def children(process_id):
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process_id)], capture_output=True, text=True)
    return [int(word) for word in found.stdout.split()]


def running(process_id):
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_serve_says_where_and_ends_cleanly(tmp_path, kind):
    process = command(tmp_path / "new" / "folder", "127.0.0.1", code=QUICK)
    line = process.stdout.readline()
    address = re.fullmatch(r"Ludus is at (http://127\.0\.0\.1:\d+/) \(Ctrl-C ends it\)\n", line)
    assert address, (line, process.stderr.read())
    answer = httpx.get(f"{address[1]}api/status")
    assert (answer.status_code, answer.headers.get("server")) == (200, None)
    workers = children(process.pid)
    assert len(workers) == 3
    with socket.create_connection(("127.0.0.1", int(address[1].split(":")[2].strip("/")))):  # a client that stays
        process.send_signal(kind)
        out, errors = process.communicate(timeout=20)
    assert (process.returncode, out, errors) == (0, "", "")
    for _ in range(50):
        if not any(running(worker) for worker in workers):
            break
        time.sleep(0.1)
    assert not any(running(worker) for worker in workers)
    assert (tmp_path / "new" / "folder" / "ludus.db").is_file()


def test_serve_warns_beyond_this_machine(tmp_path):
    process = command(tmp_path, "0.0.0.0", code=QUICK)
    line = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert re.match(r"Ludus is at http://localhost:\d+/", line)
    assert errors.startswith("warning: this listens at 0.0.0.0, where others can reach it")


def test_serve_says_what_is_wrong(ludus, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, told = ludus("serve", "--port", port, "--folder", tmp_path)
        assert (code, told) == (
            1, f"ludus: cannot listen at 127.0.0.1, port {port}: Address already in use; choose another with --port or "
            "--host\n",
        )  # fmt: skip
    code, _, told = ludus("serve", "--port", 0, "--folder", tmp_path, "--host", "no.such.host.invalid")
    assert (code, "cannot listen at no.such.host.invalid" in told) == (1, True)
    code, _, told = ludus("serve", "--port", 0, "--folder", tmp_path, "--db", "mysql://x/y")
    assert (code, told) == (2, "ludus: the database is SQLite or PostgreSQL, not mysql\n")
    code, _, told = ludus("serve", "--port", 0, "--folder", tmp_path, "--db", "postgresql://x:secret@127.0.0.1:1/y")
    assert (code, "cannot open the database" in told, "secret" in told) == (1, True, False)
    (tmp_path / "file").touch()
    code, _, told = ludus("serve", "--port", 0, "--folder", tmp_path / "file" / "x")
    assert (code, told) == (1, f"ludus: {tmp_path / 'file' / 'x'}: Not a directory\n")
    code, _, told = ludus("serve", "--port", 70000)
    assert (code, "65535" in told) == (2, True)
    code, _, told = ludus("serve", "--helpers", 0)
    assert code == 2


def test_what_a_server_keeps_outlives_it(tmp_path):
    with local_client(tmp_path) as client:
        me = client.get("/api/me").json()
        cookies = dict(client.cookies)
    with local_client(tmp_path) as client:
        client.cookies.update(cookies)
        assert client.get("/api/me").json() == me


@pytest.mark.postgres
def test_two_servers_share_a_database(tmp_path, postgres_url):
    """One secret, one database: a person of one is known to the other."""
    with local_client(tmp_path, database=postgres_url) as one, local_client(tmp_path, database=postgres_url) as two:
        me = one.get("/api/me").json()
        two.cookies.update(dict(one.cookies))
        assert two.get("/api/me").json() == me


def test_a_proxy_is_believed_only_where_it_is_told_of(tmp_path):
    headers = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "10.9.8.7"}
    with serving(tmp_path) as server, server.client() as client:
        plain = client.get("/api/me", headers=headers).headers["set-cookie"]
    with serving(tmp_path, proxies=("127.0.0.1",)) as server, server.client() as client:
        told = client.get("/api/me", headers=headers).headers["set-cookie"]
    assert ("Secure" in plain, "Secure" in told) == (False, True)


# Settings


def test_settings_are_checked():
    with pytest.raises(ValueError, match="0 to 65535, got 65536"):
        Settings(port=65536)
    with pytest.raises(ValueError, match="at least one helper process, got 0"):
        Settings(helpers=0)
    for seconds in (0, 100, float("nan")):
        with pytest.raises(ValueError, match="up to 60 seconds a decision"):
            Settings(thinking=seconds)


def test_where_things_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("LUDUS_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    assert Settings().database_url == f"sqlite:///{tmp_path / 'ludus.db'}"
    monkeypatch.delenv("LUDUS_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", "/x")
    assert str(data_folder()) == "/x/ludus"


@pytest.mark.parametrize(
    ("host", "loopback", "address"),
    [("127.0.0.1", True, "http://127.0.0.1:1/"), ("::1", True, "http://[::1]:1/"), ("localhost", True, "http://localhost:1/"),
     ("0.0.0.0", False, "http://localhost:1/"), ("::", False, "http://localhost:1/"),
     ("table.example", False, "http://table.example:1/")],
)  # fmt: skip
def test_addresses(host, loopback, address):
    assert (is_loopback(host), page_address(host, 1)) == (loopback, address)


@pytest.mark.parametrize("path", ["/js/app.js", "/", "/locales/en.json"])
def test_texts_are_sent_packed_to_those_who_can_unpack(web, path):
    packed, plain = (web.get(path, headers={"Accept-Encoding": kind}) for kind in ("gzip, br", "identity"))
    assert (packed.headers.get("content-encoding"), plain.headers.get("content-encoding")) == ("gzip", None)
    assert packed.text == plain.text
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"])
    for answer in (packed, plain):
        assert answer.headers["vary"] == "Accept-Encoding"
        assert answer.headers["content-type"] == plain.headers["content-type"]
        assert answer.headers["etag"] == plain.headers["etag"]
    assert web.head(path).status_code in (200, 405)

"""One address cannot hold all connections of a server."""

import asyncio
import http.client
import resource
import socket
import threading
import time
from contextlib import contextmanager, suppress

import uvicorn
from websockets.sync.client import connect

from ludus.server.connections import bounded, open_many_files

MOST, SILENT = 5, 1.5


async def app(scope, receive, send):
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await receive()
    elif scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


@contextmanager
def serving(protocol):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(app, http=protocol, lifespan="off", log_level="critical", ws="websockets-sansio")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])))
        thread.start()
        try:
            while not server.started:
                time.sleep(0.01)
            yield listening.getsockname()[1]
        finally:
            server.should_exit = server.force_exit = True
            thread.join()


def status(port, source):
    """What an address is answered, or nothing."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=20, source_address=(source, 0))
    try:
        client.request("GET", "/")
        return client.getresponse().status
    except OSError:
        return None
    finally:
        client.close()


def eventually(happens):
    end = time.monotonic() + 20
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_an_address_has_so_many_connections_and_no_more():
    protocol = bounded(most=MOST, silent=SILENT)
    with serving(protocol) as port:
        held = [socket.create_connection(("127.0.0.1", port)) for _ in range(MOST)]
        eventually(lambda: protocol.open_now["127.0.0.1"] == MOST)
        assert status(port, "127.0.0.1") is None
        assert status(port, "127.0.0.2") == 200  # nobody else pays for it
        for each in held:  # and those who say nothing are not kept
            each.settimeout(20)
            with suppress(ConnectionResetError):
                assert each.recv(1) == b""
        eventually(lambda: not protocol.open_now["127.0.0.1"])
        assert status(port, "127.0.0.1") == 200


def test_a_socket_counts_only_until_it_is_one():
    protocol = bounded(most=1, silent=SILENT)
    with serving(protocol) as port, connect(f"ws://127.0.0.1:{port}/"):
        eventually(lambda: not protocol.open_now["127.0.0.1"])
        time.sleep(SILENT + 0.2)  # nor is it closed for its silence
        with connect(f"ws://127.0.0.1:{port}/") as second:
            second.send("still there")
        assert status(port, "127.0.0.1") == 200


def test_a_proxy_is_not_counted():
    protocol = bounded(["127.0.0.0/8"], most=1, silent=0.1)
    with serving(protocol) as port:
        held = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
        assert status(port, "127.0.0.1") == 200
        time.sleep(0.3)
        held[0].sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        held[0].settimeout(20)
        assert held[0].recv(15) == b"HTTP/1.1 200 OK"


def test_open_files_are_as_many_as_may_be():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 512), hard))
    try:
        open_many_files()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

"""Playing at tables in tests: over HTTP, over a socket, and checking chips."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable
from typing import Any

from websockets.sync.client import ClientConnection, connect

from ludus.server.tables.config import TableConfig
from ludus.server.tables.deck import verify

CALLER = {"opponents": [{"agent": "call"}], "assistant": "off"}
View = dict[str, Any]


def new_table(client: Any, **config: Any) -> View:
    """A table against an opponent who needs no compiled code, unless told otherwise."""
    made = client.post("/api/tables", json=CALLER | config)
    assert made.status_code == 201, made.text
    return made.json()


def ready(client: Any, table: str) -> View:
    """Ask for the next hand, and wait for it."""
    before = client.get(f"/api/tables/{table}").json()["hand"]
    answer = client.post(f"/api/tables/{table}/ready")
    assert answer.status_code == 200, answer.text
    return wait(client, table, lambda view: view["hand"] is not None and view["hand"]["id"] != (before or {}).get("id"))


def give_seed(client: Any, table: str) -> str:
    """Give a seed for the next hand."""
    seed = secrets.token_hex(16)
    hand = client.get(f"/api/tables/{table}").json()["promise"]["id"]
    answer = client.post(f"/api/tables/{table}/seed", json={"hand": hand, "seed": seed})
    assert answer.status_code == 200, answer.text
    return seed


def wait(client: Any, table: str, until: Callable[[View], object], seconds: float = 120.0) -> View:
    """Look at a table until it is as it should be."""
    end = time.monotonic() + seconds
    while not until(view := client.get(f"/api/tables/{table}").json()):
        assert time.monotonic() < end, f"the table did not come to it: {view}"
        time.sleep(0.01)
    return view


def my_turn(view: View) -> bool:
    """Whether one is to act, or the hand is over."""
    return view["hand"] is not None and (view["hand"]["over"] or view["hand"]["legal"] is not None)


def act(client: Any, view: View, action: str = "call", to: int | None = None) -> Any:
    """Act where a view is of."""
    body = {"hand": view["hand"]["id"], "turn": view["hand"]["turn"], "action": action}
    return client.post(f"/api/tables/{view['id']}/actions", json=body | ({} if to is None else {"to": to}))


def play_out(client: Any, view: View, choose: Callable[[View], tuple[Any, ...]] = lambda view: ("call",)) -> View:
    """Play a hand to its end."""
    while not (view := wait(client, view["id"], my_turn))["hand"]["over"]:
        answer = act(client, view, *choose(view))
        assert answer.status_code == 200, answer.text
    return view


def proved(promise: str, hand: View, game: str = "holdem") -> bool:
    """Whether the deck of a finished hand, at a table or in a list, is the promised one."""
    config = TableConfig.model_validate({"game": game})
    deck = config.game_of([config.stack] * 2).deck
    told = {each["chair"]: each["seed"] for each in hand["seeds"]} if "seeds" in hand else None
    people = [seat["chair"] for seat in hand.get("seats", ()) if not seat["agent"]]
    known = people if people and None not in people else None
    return verify(promise, hand["id"], deck, hand["reveal"], seeds=told, people=known)


def all_chips(view: View) -> int:
    """The chips at a table; what has been bet is in the pot already."""
    pot = 0 if view["hand"] is None or view["hand"]["over"] else view["hand"]["pot"]
    return sum(chair["stack"] for chair in view["chairs"]) + pot


class Socket:
    """A socket at a table that remembers all it was sent."""

    def __init__(self, server: Any, table: str, client: Any = None) -> None:
        headers = dict(client.headers) if client is not None and "authorization" in client.headers else {}
        told = {"Authorization": headers["authorization"]} if headers else {}
        self._context = connect(
            f"{server.socket_url}/api/tables/{table}/socket", additional_headers=told, compression=None
        )
        self.connection: ClientConnection
        self.received: list[str] = []

    def send(self, message: Any) -> None:
        """An object, or a text as it is."""
        self.connection.send(message if isinstance(message, str) else json.dumps(message))

    def next(self, seconds: float = 30.0) -> View:
        """The next message."""
        self.received.append(str(self.connection.recv(seconds)))
        return json.loads(self.received[-1])

    def until(self, wanted: Callable[[View], object]) -> View:
        """The first message that is as it should be."""
        while not wanted(message := self.next()):
            pass
        return message

    def __enter__(self) -> Socket:
        self.connection = self._context.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._context.__exit__(*error)

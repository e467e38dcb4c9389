"""What people have of each other's company: words, sitting out, and time beyond the clock."""

import pytest

from ludus.server.tables import time_bank
from ludus.server.tables.chat import BURST, KEPT, LONGEST, Chat
from ludus.server.tables.config import TableConfig
from ludus.server.tables.state import Conflict, apply, new_table
from ludus.server.tables.time_bank import TimeBanks
from server_tables import Socket, wait
from server_tables import new_table as table_of


def pair(server):
    """Two people at a table."""
    ann, bob = server.bot("Ann"), server.bot("Bob")
    view = table_of(ann, people=2, seconds=300)
    bob.post(f"/api/tables/{view['id']}/seats", json={"invite": view["invite"]})
    return ann, bob, view["id"]


def said(message):
    return message["type"] == "said"


def test_words_reach_those_who_sit_there_and_nobody_else(server):
    ann, bob, table = pair(server)
    watcher = server.bot("Watcher")
    with Socket(server, table, ann) as hers, Socket(server, table, bob) as his, Socket(server, table, watcher) as other:
        hers.send({"type": "say", "text": "  well \n played  "})
        assert his.until(said) == {"type": "said", "chair": 0, "name": "Ann", "text": "well played"}
        assert hers.until(said)["text"] == "well played"
        other.send({"type": "say", "text": "hello"})
        assert "sit at" in other.until(lambda message: message["type"] == "error")["detail"]
        other.send({"type": "ping"})
        other.until(lambda message: message["type"] == "pong")
        assert not any("well played" in text for text in other.received)
    with Socket(server, table, bob) as later:
        assert later.until(said)["old"] is True


def test_alone_one_talks_to_nobody(server):
    ann = server.bot("Ann")
    with Socket(server, table_of(ann)["id"], ann) as socket:
        socket.send({"type": "say", "text": "hello"})
        assert "with others" in socket.until(lambda message: message["type"] == "error")["detail"]


@pytest.mark.parametrize("text", ["", "   ", "x" * (LONGEST + 1), 7, None, "bell\a"])
def test_what_cannot_be_said(text):
    with pytest.raises(ValueError, match="say something"):
        Chat().say(two_people(), "ann", text)


def two_people():
    table = new_table(TableConfig(people=2), "ann", "Ann")
    return apply(table, "sat", {"chair": 1, "person": "bob", "name": "Bob"})


def test_nobody_talks_without_end():
    chat, table = Chat(), two_people()
    for number in range(BURST):
        chat.say(table, "ann", f"line {number}")
    with pytest.raises(Conflict, match="wait a moment"):
        chat.say(table, "ann", "one more")
    assert chat.say(table, "bob", "hello")["name"] == "Bob"
    assert chat.lines.maxlen == KEPT


def test_one_sits_out_and_comes_back(server):
    ann, bob, table = pair(server)
    with Socket(server, table, bob) as socket:
        socket.send({"type": "away"})
        socket.until(lambda view: view["type"] == "table" and view["chairs"][1]["away"])
        ann.post(f"/api/tables/{table}/ready")
        view = wait(ann, table, lambda view: view["waiting"] == [] or view["hand"])
        assert view["hand"] is None or not view["chairs"][1]["in_hand"]
        socket.send({"type": "back"})
        socket.until(lambda view: view["type"] == "table" and not view["chairs"][1]["away"])


def test_the_bank_is_used_and_comes_back(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(time_bank.time, "monotonic", lambda: clock[0])
    banks = TimeBanks()
    assert banks.begin("ann", 30) == 30
    clock[0] += 10
    banks.end()
    assert banks.begin("ann", 30) == 30, "within the clock nothing is used"
    clock[0] += 50
    banks.end()
    assert banks.begin("ann", 30) == pytest.approx(10)
    assert banks.begin("bob", 30) == 30
    banks.refill(30)
    assert banks.begin("ann", 30) == pytest.approx(13)
    for _ in range(10):
        banks.refill(30)
    assert banks.begin("ann", 30) == 30


def test_a_view_says_how_much_is_left_beyond_the_clock(server):
    ann, bob, table = pair(server)
    for client in (ann, bob):
        client.post(f"/api/tables/{table}/ready")
    view = wait(ann, table, lambda view: view["hand"] and view["hand"]["to_act"] is not None)
    assert view["hand"]["bank"] == 300
    alone = server.bot()
    view = table_of(alone, seconds=60)
    alone.post(f"/api/tables/{view['id']}/ready")
    view = wait(alone, view["id"], lambda view: view["hand"] and (view["hand"]["legal"] or view["hand"]["over"]))
    assert view["hand"]["bank"] == 0

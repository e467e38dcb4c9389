"""Tables over HTTP and sockets, against the AI and among people."""

import asyncio
import time
from contextlib import suppress
from dataclasses import replace

import pytest
from sqlalchemy import func, select
from websockets.exceptions import ConnectionClosed

from ludus.games import CALL, FOLD, holdem
from ludus.games.record import dealt
from ludus.server.models import Hand, HandSeat, Person, TableEvent, TableRow
from ludus.server.tables.ai_turns import AiTurns
from ludus.server.tables.registry import MOST_OPEN
from server_tables import Socket, act, all_chips, my_turn, new_table, play_out, proved, ready, wait


def hurried(server, table, seconds=0.05):
    """Give the players at a table less time than anybody may ask for."""
    live = server.service.tables.live[table]
    live.table = replace(live.table, config=live.table.config.model_copy(update={"seconds": seconds}))


# Alone against the AI


def test_a_hand_from_the_set_up_to_the_record(server):
    client = server.bot("Ann")
    view = new_table(client)
    table = view["id"]
    assert (view["you"], view["hand"], view["waiting"], view["hosting"]) == (0, None, [0], True)
    early = view["promise"]
    assert [chair["kind"] for chair in view["chairs"]] == ["person", "ai"]
    view = ready(client, table)
    promise = view["hand"]["commitment"]
    assert (view["hand"]["id"], promise) == (early["id"], early["commitment"])
    assert view["hand"]["reveal"] is None
    view = play_out(client, view)
    hand = view["hand"]
    assert len(hand["board"]) == 5
    assert sum(chair["net"] for chair in view["chairs"]) == 0
    assert all("??" not in chair["cards"] and chair["made"] for chair in view["chairs"])
    assert hand["commitment"] == promise
    assert proved(promise, hand)
    opened = [leaf["card"] for leaf in hand["reveal"]["cards"]]
    order = [(hand["button"] + 1 + at) % 2 for at in range(2)]
    assert opened[:4] == [card for chair in order for card in view["chairs"][chair]["cards"]]
    assert opened[4:9] == hand["board"]
    assert [event["kind"] for event in view["events"]][:2] == ["hand", "deal"]
    assert view["events"][-1]["kind"] == "win"
    with server.service.database.session() as session:
        row = session.get(Hand, hand["id"])
        assert (row.table_id, row.number, row.commitment, row.game) == (table, 1, promise, "holdem")
        seats = session.scalars(select(HandSeat).where(HandSeat.hand_id == row.id).order_by(HandSeat.seat)).all()
        assert [seat.net for seat in seats] == [view["chairs"][chair]["net"] for chair in order]
        assert {seat.name for seat in seats} == {"Ann", view["chairs"][1]["name"]}
    assert view["history"] == 1
    assert ready(client, table)["hand"]["button"] != hand["button"]


def test_what_is_not_allowed_is_refused_in_words(server):
    client, stranger = server.bot(), server.bot()
    view = new_table(client)
    table = view["id"]
    assert (
        client.post(f"/api/tables/{table}/actions", json={"hand": "x", "turn": 0, "action": "call"}).status_code == 409
    )
    ready(client, table)
    view = wait(client, table, my_turn)
    assert view["hand"]["legal"]["raise"]["min"] > 2
    for action, to, status, words in (
        ("raise", 1, 422, "a raise here is to between"),
        ("raise", 10**6, 422, "a raise here is to between"),
        ("raise", None, 422, "a raise needs"),
        ("call", 5, 422, "only a raise"),
        ("dance", None, 422, "fold"),
    ):
        answer = act(client, view, action, to)
        assert answer.status_code == status, answer.text
        assert words in answer.text
    if not view["hand"]["legal"]["fold"]:
        assert "check instead" in act(client, view, "fold").json()["detail"]
    assert act(stranger, view).json()["detail"] == "it is not your turn"
    assert client.post(f"/api/tables/{table}/ready").json()["detail"] == "the hand is not over yet"
    assert client.post(f"/api/tables/{table}/rebuy").status_code == 409
    assert stranger.delete(f"/api/tables/{table}").status_code == 403
    assert stranger.post(f"/api/tables/{table}/ready").status_code == 409
    assert stranger.post(f"/api/tables/{table}/seats", json={}).status_code == 403
    for name in ("nothing-like-this", "x" * 22, "%00" * 3, "x" * 500):
        assert client.get(f"/api/tables/{name}").status_code in (404, 422)
    assert server.client().post("/api/tables", json={}).status_code == 401
    assert all_chips(client.get(f"/api/tables/{table}").json()) == 400


def test_the_same_turn_counts_once(server):
    client = server.bot()
    view = wait(client, ready(client, new_table(client)["id"])["id"], my_turn)
    assert act(client, view).status_code == 200
    again = act(client, view)
    assert again.status_code == 409
    assert "turn" in again.json()["detail"] or "over" in again.json()["detail"]


def test_the_host_closes_his_table(server):
    client = server.bot()
    table = new_table(client)["id"]
    assert client.delete(f"/api/tables/{table}").json()["closed"]
    assert client.post(f"/api/tables/{table}/ready").json()["detail"] == "the table is closed"
    assert table not in [row["id"] for row in client.get("/api/tables", params={"mine": True}).json()]


@pytest.mark.parametrize(
    ("game", "agent", "hands"),
    [("kuhn", "equilibrium", 3), ("leduc", "random", 3), ("leduc-nl", "random", 3), ("leduc-nl", "resolver", 3)],
)
def test_small_games(server, game, agent, hands):
    client = server.bot()
    view = new_table(client, game=game, opponents=[{"agent": agent}])
    for number in range(1, hands + 1):
        view = play_out(client, ready(client, view["id"]))
        assert view["history"] == number
        assert sum(chair["net"] for chair in view["chairs"]) == 0
        assert proved(view["hand"]["commitment"], view["hand"], game)
    assert all(len(chair["cards"]) <= 1 for chair in view["chairs"])


def test_many_opponents_of_different_kinds(server):
    client = server.bot()
    opponents = [{"agent": name} for name in ("call", "random", "always-raise", "tight", "loose")]
    view = new_table(client, seats=6, opponents=opponents, stack=100, chips="carry")
    for _ in range(4):
        view = ready(client, view["id"])
        total = all_chips(view)
        view = play_out(client, view, lambda view: ("fold",) if view["hand"]["legal"]["fold"] else ("call",))
        assert all_chips(view) == total
    assert [chair["agent"] for chair in view["chairs"]][1:] == [each["agent"] for each in opponents]


def test_chips_carry_over_until_somebody_is_broke(server):
    """All chips go in with equal stacks, so that one of the two is broke: they buy chips, the AI by itself."""
    client = server.bot()

    def all_in(view):
        bounds = view["hand"]["legal"]["raise"]
        return ("raise", bounds["max"]) if bounds else ("call",)

    broke = rebought = False
    for _ in range(60):
        table = new_table(client, chips="carry", stack=20)["id"]
        view = play_out(client, ready(client, table), all_in)
        assert all_chips(view) == 40
        if view["chairs"][0]["stack"] == 0:
            broke = True
            refused = client.post(f"/api/tables/{table}/ready")
            assert "rebuy first" in refused.json()["detail"]
            assert client.post(f"/api/tables/{table}/rebuy").json()["chairs"][0]["stack"] == 20
            assert client.post(f"/api/tables/{table}/rebuy").status_code == 409
        before = client.get(f"/api/tables/{table}").json()
        total, last = all_chips(before), max(event["n"] for event in before["events"])
        view = ready(client, table)
        events = client.get(f"/api/tables/{table}", params={"since": last}).json()["events"]
        bought = sum(event["amount"] for event in events if event["kind"] == "rebuy")
        rebought |= bool(bought)
        assert all_chips(play_out(client, view, all_in)) == total + bought
        if broke and rebought:
            break
    assert broke
    assert rebought


def test_an_agent_that_fails_checks_or_folds(server):
    game = holdem()
    state = dealt(game.start(), game.deck)

    async def ask(state):
        return await AiTurns(server.service.players).act("nobody", state)

    facing = asyncio.run_coroutine_threadsafe(ask(state), server.loop).result(60)
    assert facing == FOLD
    free = asyncio.run_coroutine_threadsafe(ask(state.apply(CALL)), server.loop).result(60)
    assert free == CALL


def test_a_players_process_that_dies_does_not_stop_the_hand(server):
    client = server.bot()
    view = wait(client, ready(client, new_table(client)["id"])["id"], my_turn)
    for worker in server.service.players._all:
        if worker.process is not None:
            worker.process.kill()
    assert play_out(client, view)["hand"]["over"]


# Sockets


def test_a_socket_shows_the_table_and_plays(server):
    client = server.bot()
    table = new_table(client)["id"]
    with Socket(server, table, client) as socket:
        first = socket.next()
        assert (first["type"], first["hand"], first["events"]) == ("table", None, [])
        assert first["chairs"][0]["connected"]
        socket.send({"type": "ready"})
        numbers, versions = [], [first["version"]]
        while True:
            view = socket.next()
            numbers += [event["n"] for event in view["events"]]
            versions.append(view["version"])
            if view["hand"]["over"]:
                break
            if view["hand"]["legal"]:
                socket.send({"type": "act", "hand": view["hand"]["id"], "turn": view["hand"]["turn"], "action": "call"})
        assert numbers == sorted(set(numbers)), "every event comes once, in order"
        assert versions == sorted(set(versions))
        plain = client.get(f"/api/tables/{table}").json()
        assert plain["hand"] == view["hand"]
        assert plain["chairs"] == view["chairs"]
        assert [event["n"] for event in plain["events"]] == numbers


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("nonsense", "one JSON object"),
        ("[" * 5000, "one JSON object"),
        ("[]", "a message has the type"),
        ('{"type": "dance"}', "a message has the type"),
        ('{"type": ["act"]}', "a message has the type"),
        ('{"type": "act"}', "say in which hand"),
        ('{"type": "act", "hand": "x", "turn": "1"}', "say at which turn"),
        ('{"type": "act", "hand": "x", "turn": true}', "say at which turn"),
        ('{"type": "act", "hand": "x", "turn": 0, "action": []}', "an action is one of"),
        ('{"type": "act", "hand": "x", "turn": 0, "action": "raise", "to": 1e999}', "a raise needs"),
        ('{"type": "act", "hand": "x", "turn": 0, "action": "raise", "to": -5}', "a raise needs"),
        ('{"type": "act", "hand": "x", "turn": 0, "action": "call"}', "that hand is not being played"),
        ('{"type": "rebuy"}', "nothing to buy"),
    ],
)
def test_a_message_that_makes_no_sense_is_answered(server, message, words):
    client = server.bot()
    with Socket(server, new_table(client)["id"], client) as socket:
        socket.next()
        socket.send(message)
        answer = socket.until(lambda view: view["type"] != "table")
        assert answer["type"] == "error"
        assert words in answer["detail"]
        socket.send({"type": "ping"})
        assert socket.until(lambda view: view["type"] != "table") == {"type": "pong"}


def test_bytes_and_floods_are_answered(server, monkeypatch):
    client = server.bot()
    table = new_table(client)["id"]
    with Socket(server, table, client) as socket:
        socket.next()
        socket.connection.send(b"\xff\x00")
        assert "one JSON object" in socket.until(lambda view: view["type"] == "error")["detail"]
        socket.connection.send(b'{"type": "ping"}')
        assert socket.until(lambda view: view["type"] != "table") == {"type": "pong"}
    monkeypatch.setattr(server.service.limits, "on", True)
    with Socket(server, table, client) as socket:
        for _ in range(600):
            with suppress(ConnectionClosed):
                socket.send({"type": "ping"})
        with pytest.raises(ConnectionClosed):
            socket.until(lambda view: False)
        assert socket.connection.close_code == 4429


def test_who_watches_does_not_play(server):
    client = server.bot()
    table = new_table(client)["id"]
    with Socket(server, table) as watcher:
        view = watcher.next()
        assert (view["you"], view["invite"], view["hosting"]) == (None, None, False)
        watcher.send({"type": "ready"})
        assert "only watch" in watcher.until(lambda view: view["type"] == "error")["detail"]
        play_out(client, ready(client, table))
        over = watcher.until(lambda view: view["hand"] and view["hand"]["over"])
        assert over["hand"]["legal"] is None


def test_a_table_that_is_not_there_closes_the_socket(server):
    with Socket(server, "nothing-like-this") as socket:
        with pytest.raises(ConnectionClosed):
            socket.next()
        assert socket.connection.close_code == 4404


def test_a_client_that_does_not_read_misses_nothing_in_the_end(server):
    client = server.bot()
    table = new_table(client)["id"]
    with Socket(server, table, client) as slow:
        for _ in range(8):
            view = play_out(client, ready(client, table))
        last = slow.until(lambda seen: seen["history"] == view["history"] and seen["hand"]["over"])
        assert last["hand"] == view["hand"]


# Among people


def pair(server, **config):
    """A table of two people, both seated."""
    ann, bob = server.bot("Ann"), server.bot("Bob")
    view = new_table(ann, **{"people": 2, **config})
    sat = bob.post(f"/api/tables/{view['id']}/seats", json={"invite": view["invite"]})
    assert sat.status_code == 200, sat.text
    return ann, bob, view["id"]


def both_ready(ann, bob, table):
    ann.post(f"/api/tables/{table}/ready")
    return ready(bob, table)


def test_two_people_play_by_invitation(server):
    ann, bob, table = pair(server)
    third = server.bot()
    assert third.post(f"/api/tables/{table}/seats", json={"invite": "wrong"}).status_code == 403
    invite = ann.get(f"/api/tables/{table}").json()["invite"]
    assert third.post(f"/api/tables/{table}/seats", json={"invite": invite}).json()["detail"] == "no chair is free"
    assert ann.post(f"/api/tables/{table}/ready").json()["waiting"] == [1]
    view = ready(bob, table)
    assert bob.get(f"/api/tables/{table}").json()["you"] == 1
    while not view["hand"]["over"]:
        player = (ann, bob)[view["hand"]["to_act"]]
        mine = player.get(f"/api/tables/{table}").json()
        assert mine["hand"]["legal"]
        assert (ann, bob)[1 - view["hand"]["to_act"]].get(f"/api/tables/{table}").json()["hand"]["legal"] is None
        view = act(player, mine).json()
    assert [row["id"] for row in bob.get("/api/tables", params={"mine": True}).json()] == [table]


def test_cards_that_were_not_shown_stay_closed_among_people(server):
    ann, bob, table = pair(server)
    view = both_ready(ann, bob, table)
    clients = (ann, bob)
    mine = clients[view["hand"]["to_act"]].get(f"/api/tables/{table}").json()
    act(clients[view["hand"]["to_act"]], mine, "fold")
    for at, client in enumerate(clients):
        view = client.get(f"/api/tables/{table}").json()
        reveal = view["hand"]["reveal"]
        assert proved(view["hand"]["commitment"], view["hand"])
        assert [leaf["card"] for leaf in reveal["cards"] if leaf["card"]] == view["chairs"][at]["cards"]
    with Socket(server, table) as watcher:
        assert not any(leaf["card"] for leaf in watcher.next()["hand"]["reveal"]["cards"])


def test_an_open_table_is_listed_and_joined_without_invitation(server):
    ann, bob = server.bot(), server.bot()
    table = new_table(ann, seats=3, people=2, open=True)["id"]
    (row,) = [row for row in bob.get("/api/tables").json() if row["id"] == table]
    assert (row["people"], row["free"]) == (1, 1)
    assert bob.post(f"/api/tables/{table}/seats", json={"chair": 2}).status_code == 409
    assert bob.post(f"/api/tables/{table}/seats", json={"chair": 1}).json()["you"] == 1
    assert new_table(ann)["id"] not in [row["id"] for row in bob.get("/api/tables").json()]


def test_who_leaves_folds_and_the_ai_takes_his_chair(server):
    ann, bob, table = pair(server, chips="carry")
    view = both_ready(ann, bob, table)
    leaver = view["hand"]["to_act"]
    clients = (ann, bob)
    clients[leaver].delete(f"/api/tables/{table}/seats/me")
    view = wait(clients[1 - leaver], table, lambda view: view["hand"]["over"])
    chair = view["chairs"][leaver]
    assert (chair["kind"], chair["free"]) == ("person", True), "the hand stays his until the next one"
    assert view["chairs"][1 - leaver]["net"] > 0
    assert sum(chair["stack"] for chair in view["chairs"]) == 400
    ready(clients[1 - leaver], table)
    view = wait(clients[1 - leaver], table, lambda view: view["hand"]["number"] == 2)
    chair = view["chairs"][leaver]
    assert (chair["kind"], chair["stack"] + chair["bet"]) == ("ai", 200)


def test_who_comes_in_a_hand_plays_from_the_next_on(server):
    ann, bob = server.bot("Ann"), server.bot("Bob")
    view = new_table(ann, people=2, seconds=300)
    table, invite = view["id"], view["invite"]
    view = wait(ann, ready(ann, table)["id"], my_turn)
    view = bob.post(f"/api/tables/{table}/seats", json={"invite": invite}).json()
    assert (view["you"], view["chairs"][1]["kind"], view["chairs"][1]["coming"]) == (1, "ai", "Bob")
    assert view["chairs"][1]["cards"] in ([], ["??", "??"]), "he does not see the AI's cards"
    play_out(ann, view)
    view = bob.get(f"/api/tables/{table}").json()
    assert (view["chairs"][1]["kind"], view["chairs"][1]["coming"]) == ("ai", "Bob"), "the hand stays the AI's"
    assert sum(chair["stack"] for chair in view["chairs"]) == 400
    view = both_ready(ann, bob, table)
    assert (view["chairs"][1]["kind"], view["chairs"][1]["name"]) == ("person", "Bob")


def test_time_runs_out_twice_and_one_is_away(server):
    ann, bob, table = pair(server)
    hurried(server, table)
    for _ in range(4):
        both_ready(ann, bob, table)
        view = wait(ann, table, lambda view: view["hand"]["over"])
        if any(chair["away"] for chair in view["chairs"]):
            break
    assert any(chair["away"] for chair in view["chairs"])
    away = [chair["away"] for chair in view["chairs"]].index(True)
    assert any(event["kind"] == "away" for event in view["events"])
    client = (ann, bob)[away]
    with Socket(server, table, client) as socket:
        socket.send({"type": "back"})
        assert not socket.until(lambda view: not view["chairs"][away]["away"])["chairs"][away]["away"]


def test_the_table_pauses_when_nobody_is_there(server):
    ann, bob, table = pair(server)
    hurried(server, table)
    live = server.service.tables.live[table]
    both_ready(ann, bob, table)
    for client in (ann, bob):
        client.delete(f"/api/tables/{table}/seats/me")
    view = wait(ann, table, lambda view: view["hand"]["over"])
    assert (view["next"], live._timer) == (None, None)
    assert all(chair["free"] for chair in view["chairs"])


# Memory and log


def test_an_idle_table_leaves_the_memory_and_comes_back(server):
    client = server.bot()
    view = wait(client, ready(client, new_table(client, chips="carry")["id"])["id"], my_turn)
    tables = server.service.tables
    assert view["id"] in tables.live
    end = time.monotonic() + 30
    while view["id"] in tables.live:
        assert time.monotonic() < end, "it did not leave"
        server.loop.call_soon_threadsafe(tables.sweep, 0.0)
        time.sleep(0.01)
    again = client.get(f"/api/tables/{view['id']}").json()
    assert again["hand"] == view["hand"]
    assert again["chairs"] == view["chairs"]
    assert again["version"] > view["version"]
    assert play_out(client, again)["hand"]["over"]


def test_an_event_that_is_not_kept_has_not_happened(server):
    client = server.bot()
    view = wait(client, ready(client, new_table(client)["id"])["id"], my_turn)
    table = view["id"]
    number = server.service.tables.live[table].table.number
    with server.service.database.session() as session:  # another server has written to the same log
        session.add(TableEvent(table_id=table, number=number + 1, kind="away", data={"chair": 0}))
    assert act(client, view).status_code == 503
    again = client.get(f"/api/tables/{table}").json()
    assert again["chairs"][0]["away"], "the log is what is true"
    assert wait(client, table, lambda view: view["hand"]["over"])["history"] == 1


def test_a_person_has_so_many_tables_and_the_oldest_go(server):
    client = server.bot()
    made = [new_table(client)["id"] for _ in range(MOST_OPEN + 2)]
    mine = [row["id"] for row in client.get("/api/tables", params={"mine": True}).json()]
    assert mine == made[2:][::-1]
    with server.service.database.session() as session:
        me = session.scalar(select(TableRow.host_id).where(TableRow.id == made[0]))
        assert session.get(Person, me) is not None
        count = select(func.count()).where(TableRow.host_id == me, TableRow.closed.is_(None))
        assert session.scalar(count) == MOST_OPEN


def test_games_are_told(server):
    told = server.client().get("/api/games").json()
    assert [game["game"] for game in told["games"]] == ["holdem", "leduc-nl", "leduc", "kuhn"]
    assert {"agent": "blueprint", "levels": True, "games": ["holdem"]} in told["opponents"]
    assert {"agent": "equilibrium", "levels": False, "games": ["leduc-nl", "leduc", "kuhn"]} in told["opponents"]
    thinker = {"agent": "resolver", "levels": False, "games": ["holdem", "leduc-nl", "leduc", "kuhn"]}
    assert thinker in told["opponents"]
    assert told["heads_up"] == ["resolver"]


# Nobody escapes, and nobody is shown what was folded


def test_a_hand_outlives_the_closing_of_its_table(server):
    """A host who is about to lose closes the table: the hand is folded, and counts."""
    client = server.bot("Ann")
    view = wait(client, ready(client, new_table(client, opponents=[{"agent": "always-raise"}])["id"])["id"], my_turn)
    closed = client.delete(f"/api/tables/{view['id']}").json()
    assert closed["closing"] or closed["closed"]
    over = wait(client, view["id"], lambda view: view["closed"])
    assert over["hand"]["over"]
    (row,) = client.get("/api/hands", params={"table": view["id"]}).json()["hands"]
    assert row["id"] == view["hand"]["id"]
    assert row["net"] < 0
    assert view["id"] not in [row["id"] for row in client.get("/api/tables", params={"mine": True}).json()]


def test_others_play_a_hand_to_its_end_at_a_table_that_closes(server):
    ann, bob, table = pair(server, seats=3)
    view = both_ready(ann, bob, table)
    assert ann.delete(f"/api/tables/{table}").json()["closing"]
    assert ann.delete(f"/api/tables/{table}").status_code == 200, "once is enough"
    third = server.bot()
    invite = bob.get(f"/api/tables/{table}").json()["invite"]
    sitting = third.post(f"/api/tables/{table}/seats", json={"invite": invite})
    assert (sitting.status_code, sitting.json()["detail"]) == (409, "the table is closed")
    view = play_out(bob, view)
    assert view["closed"]
    assert view["history"] == 1
    assert bob.post(f"/api/tables/{table}/ready").json()["detail"] == "the table is closed"
    assert bob.get("/api/hands", params={"table": table}).json()["hands"][0]["id"] == view["hand"]["id"]


def test_a_closing_table_without_a_clock_gets_one(server):
    ann, bob = server.bot("Ann"), server.bot("Bob")
    view = new_table(ann, people=1)
    table = view["id"]
    ann.delete(f"/api/tables/{table}/seats/me")
    assert bob.post(f"/api/tables/{table}/seats", json={"invite": view["invite"]}).json()["you"] == 0
    view = wait(bob, ready(bob, table)["id"], my_turn)
    assert view["hand"]["deadline"] is None
    ann.delete(f"/api/tables/{table}")
    view = bob.get(f"/api/tables/{table}").json()
    assert view["hand"]["deadline"] is not None
    assert play_out(bob, view)["closed"]


def test_a_closing_table_is_still_closing_after_a_restart(server):
    ann, bob, table = pair(server, seats=3)
    both_ready(ann, bob, table)
    ann.delete(f"/api/tables/{table}")
    tables = server.service.tables
    server.loop.call_soon_threadsafe(lambda: tables.drop(tables.live[table]))
    view = wait(bob, table, lambda view: view["closing"])
    assert play_out(bob, view)["closed"]


def test_folded_cards_stay_closed_to_a_second_person_who_was_away(server):
    ann, bob, table = pair(server, seats=3, opponents=[{"agent": "always-raise"}])
    live = server.service.tables.live[table]
    away = live.do(lambda: live._happen(("away", {"chair": 1})))
    asyncio.run_coroutine_threadsafe(away, server.loop).result(30)
    view = wait(ann, ready(ann, table)["id"], my_turn)
    assert not view["chairs"][1]["in_hand"]
    act(ann, view, "fold")
    view = wait(ann, table, lambda view: view["hand"]["over"])
    assert all(leaf["card"] for leaf in view["hand"]["reveal"]["cards"]), "who was in it alone sees it all"
    for looking in (bob, server.bot(), server.client()):
        seen = looking.get(f"/api/tables/{table}").json()
        told = {leaf["card"] for leaf in seen["hand"]["reveal"]["cards"]}
        assert proved(seen["hand"]["commitment"], seen["hand"])
        assert not set(view["chairs"][0]["cards"]) & told

"""Hands that somebody draws out: a line ends, a hand is replayed once, and nobody else waits for it."""

import asyncio
import json
import threading
import time
from contextlib import suppress

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed

from ludus.cards.card import DECK
from ludus.games import CALL
from ludus.games.poker import PokerState
from ludus.server.hands.histories import read_record, write_record
from ludus.server.limits import Rate, RateLimits, TokenBuckets
from ludus.server.tables.ai_turns import AT_ONCE, AiTurns
from ludus.server.tables.config import MOST_CHIPS, TableConfig
from ludus.server.tables.deck import PromisedDeck
from ludus.server.tables.finished import played_hand
from ludus.server.tables.state import MOST_ACTIONS, MOST_RAISES, apply, deal, new_table, raise_bounds
from ludus.server.tables.story import tell
from ludus.server.tables.views import Room, legal, view
from ludus.server.work.fair_queue import ASKER, Asker
from ludus.server.work.wire import from_wire, to_wire
from server_helpers import serving
from server_tables import Socket, act, my_turn, play_out, ready
from server_tables import new_table as set_up

DEEP = {"stack": MOST_CHIPS, "small_blind": 1, "big_blind": 2}


def deep_table(seats):
    table = new_table(TableConfig.model_validate({**DEEP, "seats": seats}), "ann", "Ann")
    table = apply(table, "promised", PromisedDeck("hand", tuple(DECK), "00" * 32).to_dict())
    return apply(table, "dealt", deal(table, 0, {}))


def drawn_out(table, most=10**6, late=False):
    """Everybody raises as little as they may, or only the last to act does, as long as that is not all-in."""
    while table.playing and table.hand.turn < most:
        hand = table.hand
        low, high = raise_bounds(hand.state) or (0, 0)
        raises = low < high and (not late or len(hand.state.queue) == 1)
        data = {"hand": hand.id, "turn": hand.turn, "chair": hand.to_act, "action": low if raises else CALL}
        table = apply(table, "acted", data)
    return table


@pytest.mark.parametrize("seats", [2, 6, 10])
@pytest.mark.parametrize("late", [False, True])
def test_a_line_ends_however_little_is_raised(seats, late):
    hand = drawn_out(deep_table(seats), late=late).hand
    assert hand.over
    assert hand.turn <= MOST_ACTIONS + 4 * seats
    assert all(sum(action > CALL for action in street) <= MOST_RAISES for street in hand.state.line)
    assert read_record(write_record(played_hand(hand))).state.line == hand.state.line


def test_the_only_raise_left_is_all_in():
    table = drawn_out(deep_table(2), MOST_RAISES)
    state = table.hand.state
    low, high = state.raise_bounds()
    assert low < high == MOST_CHIPS
    assert legal(state)["raise"] == {"min": high, "max": high}
    after = state.apply(CALL).deal(DECK)
    assert legal(after)["raise"]["min"] == 2  # on the next street there are as many again


def test_a_hand_is_replayed_once(monkeypatch):
    state, played = drawn_out(deep_table(6), 150, late=True).hand.state, []
    after = PokerState.after

    def counted(self, action):
        played.append(action)
        return after(self, action)

    monkeypatch.setattr(PokerState, "after", counted)
    assert from_wire(to_wire(state.seen_by(state.player))).line == state.line
    assert len(played) == 150


def test_an_action_costs_the_same_however_long_the_hand_is(monkeypatch):
    """What two people who raise each other may ask of the event loop: one step of the rules for each action."""
    after, steps = PokerState.after, []
    monkeypatch.setattr(PokerState, "after", lambda self, action: steps.append(action) or after(self, action))
    found = []
    for turns in (10, 150):
        table = drawn_out(deep_table(6), turns, late=True)
        steps.clear()
        table = drawn_out(table, turns + 1, late=True)
        room = Room("table", "ann", "Ann", "invite", {})
        told = tell(table, "rebought", {"chair": 0, "chips": 1}, table)
        view(table, room, "ann", told)
        found.append(len(steps))
    assert found == [1, 1]


class SlowPlayers:
    """One process of players that is at work until it is told to go on; which turns it was asked, job by job."""

    processes = 1

    def __init__(self):
        self.jobs, self.go_on = [], asyncio.Semaphore(0)

    async def run(self, job, asked, seconds):
        self.jobs.append([turn["agent"] for turn in asked["turns"]])
        await self.go_on.acquire()
        return [CALL for _ in asked["turns"]]


def test_a_third_ones_ai_is_in_the_next_job_whoever_else_waits():
    """Of two people with twenty tables each, hundreds of turns may wait; one of somebody else waits for one job."""

    async def play():
        players = SlowPlayers()
        turns, state = AiTurns(players), deep_table(2).hand.state
        asked = []
        for name, count in (("ann", 200), ("bob", 200), ("cleo", 1)):
            ASKER.set(Asker(name, "one address" if name != "cleo" else "another"))
            asked += [asyncio.create_task(turns.act(name, state)) for _ in range(count)]
            await asyncio.sleep(0)
        players.go_on.release()
        while len(players.jobs) < 2:
            await asyncio.sleep(0)
        for _ in range(1000):
            players.go_on.release()
        await asyncio.gather(*asked)
        return players.jobs

    jobs = asyncio.run(play())
    assert jobs[1].count("cleo") == 1
    assert max(map(len, jobs)) == AT_ONCE
    assert {each: sum(job.count(each) for job in jobs) for each in ("ann", "bob", "cleo")} == {
        "ann": 200, "bob": 200, "cleo": 1,
    }  # fmt: skip
    assert abs(jobs[2].count("ann") - jobs[2].count("bob")) <= 1


def test_a_table_refuses_one_raise_too_many(server):
    host, guest = server.bot("Ann"), server.bot("Bob")
    view = set_up(host, people=2, open=True, **DEEP)
    table = view["id"]
    assert guest.post(f"/api/tables/{table}/seats", json={}).status_code == 200
    guest.post(f"/api/tables/{table}/ready")
    ready(host, table)
    with Socket(server, table, host) as socket:
        for turn in range(MOST_RAISES):
            view = host.get(f"/api/tables/{table}").json()
            mover = host if view["hand"]["to_act"] == view["you"] else guest
            seen = mover.get(f"/api/tables/{table}").json()
            assert seen["hand"]["turn"] == turn
            assert act(mover, seen, "raise", seen["hand"]["legal"]["raise"]["min"]).status_code == 200
        last = socket.until(lambda told: told["hand"] and told["hand"]["turn"] == MOST_RAISES)
        assert len(json.dumps(last)) < 10_000
    mover = host if last["hand"]["to_act"] == last["you"] else guest
    seen = mover.get(f"/api/tables/{table}").json()
    assert seen["hand"]["legal"]["raise"] == {"min": MOST_CHIPS, "max": MOST_CHIPS}
    refused = act(mover, seen, "raise", 1000)
    assert (refused.status_code, "all-in" in refused.json()["detail"]) == (422, True)
    assert act(mover, seen, "raise", MOST_CHIPS).status_code == 200


def test_an_ai_that_raises_for_ever_calls_in_the_end(server):
    client = server.bot()
    view = ready(client, set_up(client, opponents=[{"agent": "always-raise"}], **DEEP)["id"])

    def raises(view):
        bounds = view["hand"]["legal"]["raise"]
        return ("raise", bounds["min"]) if bounds and bounds["min"] < bounds["max"] else ("call",)

    view = play_out(client, view, raises)
    assert view["hand"]["over"]
    assert view["hand"]["turn"] < MOST_ACTIONS


def test_all_sockets_of_a_person_share_their_messages(server, monkeypatch):
    limits = RateLimits(True)
    limits.messages_of_people = TokenBuckets(Rate(5, 1000))  # the sixth waits, for a moment
    waits, wait_for = [], limits.wait

    def noted(*asked):
        seconds = wait_for(*asked)
        if asked[0][0] is limits.messages_of_addresses:
            waits.append(seconds)
        return seconds

    monkeypatch.setattr(limits, "wait", noted)
    monkeypatch.setattr(server.service, "limits", limits)
    client = server.bot()
    tables = [set_up(client)["id"] for _ in range(2)]
    with Socket(server, tables[0], client) as one, Socket(server, tables[1], client) as two:
        for socket in (one, two) * 10:
            socket.send({"type": "ping"})
        for socket in (one, two):
            for _ in range(10):
                socket.until(lambda told: told["type"] == "pong")
    assert any(waits), "nothing is lost, but somebody had to wait"
    assert waits.count(0.0) == 20
    assert len(limits.messages_of_people) == 1


@pytest.mark.slow
def test_two_who_raise_on_twenty_tables_do_not_slow_a_third(tmp_path):
    """Measured: 99 of 100 moves of the AI against somebody else are there within half a second."""
    with serving(tmp_path, limits=True) as server:
        pair, third = (server.bot("Ann"), server.bot("Bob")), server.bot("Cleo")
        over, threads, quarrels = threading.Event(), [], []

        def quarrel(table):
            with Socket(server, table, pair[0]) as one, Socket(server, table, pair[1]) as two:
                one.send({"type": "ready"})
                two.send({"type": "ready"})
                while not over.is_set():
                    for socket in (one, two):
                        with suppress(TimeoutError, ConnectionClosed):
                            told = socket.next(0.05)
                            hand = told.get("hand")
                            if hand is None or hand["over"]:
                                socket.send({"type": "ready"})
                            elif hand["legal"]:
                                bounds = hand["legal"]["raise"]
                                words = {"action": "raise", "to": bounds["min"]} if bounds else {"action": "call"}
                                socket.send({"type": "act", "hand": hand["id"], "turn": hand["turn"], **words})
                                quarrels.append(words["action"])

        for _ in range(20):
            table = set_up(pair[0], people=2, open=True, **DEEP)["id"]
            assert pair[1].post(f"/api/tables/{table}/seats", json={}).status_code == 200
            threads.append(threading.Thread(target=quarrel, args=(table,), daemon=True))
        own = set_up(third, opponents=[{"agent": "blueprint", "level": 3}])["id"]
        play_out(third, ready(third, own))  # everything is loaded
        for thread in threads:
            thread.start()
        seconds, last = [], ""
        with Socket(server, own, third) as socket:
            last = socket.next()["hand"]["id"]
            while len(seconds) < 300:
                socket.send({"type": "ready"})
                view = socket.until(lambda told, last=last: my_turn(told) and told["hand"]["id"] != last)
                while not view["hand"]["over"]:
                    begun, turn = time.perf_counter(), view["hand"]["turn"]
                    socket.send({"type": "act", "hand": view["hand"]["id"], "turn": turn, "action": "call"})
                    view = socket.until(lambda told, turn=turn: my_turn(told) and told["hand"]["turn"] > turn)
                    seconds.append(time.perf_counter() - begun)
                last = view["hand"]["id"]
        over.set()
        for thread in threads:
            thread.join(30)
    print({f"p{share}": round(1000 * float(np.percentile(seconds, share))) for share in (50, 95, 99)}, "ms")
    assert quarrels.count("raise") > 100
    assert np.percentile(seconds, 99) < 0.5

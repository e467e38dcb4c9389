"""Those who remember at web tables: what they are told, what they are never told, and what is shown to the person."""

from __future__ import annotations

import asyncio
import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
from sqlalchemy import delete, select

from ludus.agents.opponents import read_hand
from ludus.games import holdem
from ludus.protocols.histories import PlayedHand
from ludus.server.hands import opponents
from ludus.server.hands.histories import read_record, write_record
from ludus.server.hands.opponents import earlier_hands, met_before, without_cards
from ludus.server.models import Hand, HandSeat, Upload
from ludus.server.tables import memory
from ludus.server.work.workers import Failed
from server_hands import at_random, dealt_out, keep
from server_helpers import person, service_of, serving
from server_tables import new_table, play_out, ready

EXPLOITER = {"opponents": [{"agent": "exploiter"}], "stack": 40}
CALLED = (0, 6, 0, 4, 0, 8, 0, 20, 0)  # to the showdown: seat 0 bets, the button calls
AGGRESSOR, CALLER = range(2)


def station(service, mine, table, hands, agent="exploiter", first=1):
    """Hands that are kept in which somebody calls everything."""
    state = dealt_out(holdem(), "AhAd 7s2d Kc8c3d4h9s", *CALLED)
    for number in range(first, first + hands):
        keep(service, state, [None, mine], number=number, agent=agent, table_id=table)


def spied(service, job, asked, answer=None):
    """Keep what the thinkers' process is asked to do in a job, and answer it otherwise if told to."""
    workers = service.thinkers
    plain = workers.run

    async def run(name, arguments, *rest, **options):
        if name != job:
            return await plain(name, arguments, *rest, **options)
        asked.append(json.loads(json.dumps(arguments)))
        return await plain(name, arguments, *rest, **options) if answer is None else answer()

    workers.run = run


# Records without cards


@pytest.mark.parametrize("seed", range(12))
def test_a_record_without_cards_tells_what_was_done_and_nothing_of_the_hands(seed):
    state = at_random(holdem(2 + seed % 4), seed)
    names = ('p1 sm AhKd"', '"d dh p2 2c2d', "\n]", "x", "y")[: state.game.players]
    record = write_record(PlayedHand(state, names, seed))
    bare = read_record(without_cards(record))
    assert set(bare.state.cards[: 2 * state.game.players]) == {-1}
    assert (bare.state.line, bare.state.board, bare.players) == (state.line, state.board, names)
    for one, other in zip(read_hand(bare.state), read_hand(state), strict=True):
        np.testing.assert_array_equal(one.actions, other.actions)


# Which hands


def test_earlier_hands_are_bounded(me, web, monkeypatch):
    service, key = service_of(web), new_table(me)["id"]
    station(service, me.key, key, 8, "call")
    station(service, me.key, key, 4, "tight", first=9)
    with service.database.session() as session:
        assert len(earlier_hands(session, me.key, {"call"}, 2)) == 8
        assert len(earlier_hands(session, me.key, {"call"}, 2, most=5)) == 5
        monkeypatch.setattr(opponents, "LOOKED_THROUGH", 6)  # the latest six are four with somebody else
        assert len(earlier_hands(session, me.key, {"call"}, 2)) == 2


def test_friends_are_met_at_tables_and_names_in_files(web):
    service, one, two = service_of(web), person(web), person(web)
    key, state = new_table(one)["id"], at_random(holdem(), 1)
    keep(service, state, [one.key, two.key], table_id=key, number=1)
    last = keep(service, state, [two.key, one.key], table_id=key, number=2)
    keep(service, state, [two.key, None], table_id=key, number=3)  # without the first
    with service.database.session() as session:
        seats = session.scalars(select(HandSeat).where(HandSeat.hand_id == last).order_by(HandSeat.seat)).all()
        for own, other, hands in ((1, two.key, 1), (0, one.key, 1)):
            met = met_before(session, seats[own], seats)
            assert met["sitting"][1 - own] == other
            assert met["sitting"][own] == ""
            assert len(met["earlier"]) == hands  # but for the hand itself, and only what one was in oneself


def test_in_a_file_players_are_known_by_their_names(me, web):
    service, state = service_of(web), at_random(holdem(), 1)
    with service.database.session() as session:
        session.add(Upload(id="a file", person_id=me.key, name="hands.txt"))
    columns = {"agent": "", "upload_id": "a file"}
    keep(service, state, [me.key, None], ("me", "Anna"), number=1, **columns)
    keep(service, state, [None, me.key], ("Zoe", "me"), number=2, **columns)
    keep(service, state, [None, me.key], ("Anna", "me"), number=3, table_id=new_table(me)["id"])  # not in a file
    last = keep(service, state, [None, me.key], ("Anna", "me"), number=4, **columns)
    with service.database.session() as session:
        seats = session.scalars(select(HandSeat).where(HandSeat.hand_id == last).order_by(HandSeat.seat)).all()
        met = met_before(session, seats[1], seats)
    assert met["sitting"] == ["Anna", ""]
    assert [hand["agents"] for hand in met["earlier"]] == [["", "Anna"]]


# At the table


def test_it_remembers_across_hands_and_servers_and_is_sent_no_card(tmp_path):
    asked, turns = [], []
    with serving(tmp_path) as server:
        client = server.bot()
        mine, table = client.get("/api/me").json()["id"], new_table(client, **EXPLOITER)["id"]
        spied(server.service, "act", turns)
        over = play_out(client, ready(client, table))
        assert all(turn["known"] == {} for each in turns for turn in each["turns"])  # a stranger
        station(server.service, mine, table, 12)
        turns.clear()
        spied(server.service, "remember", asked)
        while not turns:
            over = play_out(client, ready(client, table))
        [first, *_] = asked
        assert len(asked) <= over["hand"]["number"]  # once a hand
        assert not re.search(r"(dh p\d|sm) [^?\"]", json.dumps(first))
        assert first["wanted"] == sorted([mine, "exploiter"])
        for each in turns:
            [turn] = each["turns"]
            assert sum(card >= 0 for card in turn["state"]["cards"][:4]) == 2  # its own two
            seat = next(seat for seat in (0, 1) if turn["state"]["cards"][2 * seat] < 0)
            known = turn["known"][str(seat)]
            assert known["hands"] >= 13
            assert known["actions"][3][1][1] >= 12  # river, facing a bet: calls
        before = client.get("/api/learnt").json()
    with serving(tmp_path) as server:  # other processes, the same database
        token = client.headers["authorization"]
        client = server.client()
        client.headers["authorization"] = token
        after = client.get("/api/learnt").json()
        assert after == before
        assert after["larger"] == {"hands": 0, "trust": 0, "habits": []}
        assert after["heads_up"]["hands"] >= 13
        assert 0 < after["heads_up"]["trust"] <= 0.8
        river = [habit for habit in after["heads_up"]["habits"] if (habit["street"], habit["bets"]) == (3, 1)]
        assert river[0]["done"][1] > river[0]["balanced"][1]
        assert server.bot().get("/api/learnt").json()["heads_up"]["hands"] == 0  # nobody else's
        with server.service.database.session() as session:
            session.execute(delete(Hand))
        assert client.get("/api/learnt").json()["heads_up"]["hands"] == 0  # what is deleted is forgotten


def test_who_cannot_remember_plays_on(tmp_path):
    def broken():
        raise Failed("no memory")

    with serving(tmp_path) as server:
        client, asked, turns = server.bot(), [], []
        mine, table = client.get("/api/me").json()["id"], new_table(client, **EXPLOITER)["id"]
        station(server.service, mine, table, 3)
        spied(server.service, "remember", asked, broken)
        spied(server.service, "act", turns)
        while not turns:
            assert play_out(client, ready(client, table))["hand"]["over"]
        assert asked
        assert all(turn["known"] == {} for each in turns for turn in each["turns"])


def test_a_memory_holds_so_many_hands_of_each_person(web, monkeypatch):
    service, one, two = service_of(web), person(web), person(web)
    key = new_table(one)["id"]
    station(service, one.key, key, 5)
    station(service, two.key, key, 5, first=6)
    state = at_random(holdem(3), 2)
    keep(service, state, [one.key, two.key, None], agent="exploiter", table_id=key, number=11)
    monkeypatch.setattr(memory, "MOST_HANDS", 3)
    found = service.tables.memories.hands([one.key, two.key], 2)
    assert sorted(hand["agents"] for hand in found) == sorted([["exploiter", one.key], ["exploiter", two.key]] * 3)
    [both] = service.tables.memories.hands([one.key, two.key], 6)  # counted once, with everybody's name
    assert both["agents"] == [one.key, two.key, "exploiter"]


@pytest.mark.parametrize(("players", "needed"), [(2, "agents"), (6, "advice")])
def test_nothing_is_remembered_before_it_is_compiled(players, needed):
    """Play is balanced until then, so that nobody waits."""
    asked = []
    service = SimpleNamespace(settings=SimpleNamespace(warm_up=True), ready={"play": True})
    memories = memory.Memories(service)
    memories.hands = lambda people, count: asked.append(count) or []
    sitting = ["me", *["exploiter"] * (players - 1)]

    async def ask():
        before = await memories.of("a hand", sitting, ["me"])
        service.ready[needed] = True
        again = await memories.of("a hand", sitting, ["me"])
        await memories.of("the next hand", sitting, ["me"])
        return before, again

    assert asyncio.run(ask()) == ({}, {})
    assert asked == [players]

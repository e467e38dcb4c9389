"""Finished hands: lists, films, who may see what, notes and files."""

import csv
import io
import json
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import update

from ludus.cards.card import CARDS
from ludus.games import holdem, kuhn, leduc, leduc_nl
from ludus.games.poker import HIDDEN
from ludus.protocols.histories import PlayedHand, read_phh, read_pokerstars
from ludus.server.hands.columns import fold, people_to_fold
from ludus.server.hands.exports import cell
from ludus.server.hands.histories import read_record, steps, write_record
from ludus.server.models import HandSeat, new_key
from ludus.server.tables.deck import shuffled
from server_hands import HEADS_UP, START, at_random, dealt_out, keep
from server_helpers import another, local_client, person, service_of
from server_tables import proved

GAMES = {"holdem": HEADS_UP, "leduc-nl": leduc_nl("any"), "leduc": leduc(), "kuhn": kuhn()}


# Records and films


@pytest.mark.parametrize("name", GAMES)
def test_records_are_read_back(name):
    for seed in range(30):
        state = at_random(GAMES[name], seed)
        found = read_record(write_record(PlayedHand(state, ("ann", "bob"), seed)))
        assert found.state.line == state.line
        assert found.state.cards == state.cards
        assert found.returns() == state.returns()
        assert found.players == ("ann", "bob")


def test_a_film_worked_out_by_hand():
    film = steps(dealt_out(HEADS_UP, "AhAd KsQd Ac2c3c4d9h", 6, 20, 0, 30, -1))
    told = [(step["seat"], step["kind"], step["amount"], step["pot"], step["bets"], step["board"]) for step in film]
    flop = ["Ac", "2c", "3c"]
    assert told == [
        (None, None, None, 3, [2, 1], []),
        (1, "raise", 6, 8, [2, 6], []),
        (0, "raise", 20, 26, [20, 6], []),
        (1, "call", 14, 40, [20, 20], []),
        (None, None, None, 40, [0, 0], flop),
        (0, "bet", 30, 70, [30, 0], flop),
        (1, "fold", None, 70, [30, 0], flop),
    ]
    assert [step["number"] for step in film] == [None, 0, 1, 2, None, 3, 4]
    assert [step["folded"] for step in film][-2:] == [[], [1]]
    assert film[-1]["stacks"] == [150, 180]


@given(st.sampled_from(sorted(GAMES)), st.integers(2, 6), st.integers(0, 2**32))
def test_films_keep_the_chips(name, players, seed):
    game = holdem(players, [20 + seat * 13 for seat in range(players)]) if name == "holdem" else GAMES[name]
    state = at_random(game, seed)
    film = steps(state)
    for step in film:
        assert sum(step["stacks"]) + step["pot"] == sum(game.stacks)
    assert film[-1]["board"] == [CARDS[card] for card in state.board]
    actions = [step["action"] for step in film if step["number"] is not None]
    assert actions == [action for street in state.line for action in street]
    assert max(step["street"] for step in film) == state.street


def test_blinds_that_put_everybody_all_in_make_a_film_too():
    film = steps(dealt_out(holdem(2, [1, 1]), "AhAd KsQd Ac2c3c4d9h"))
    assert [len(step["board"]) for step in film] == [0, 3, 4, 5]


# Lists


def everything(client, **asked):
    found, pages = [], 0
    while True:
        page = client.get("/api/hands", params=asked).json()
        found += page["hands"]
        pages += 1
        if page["next"] is None:
            return found, pages
        asked["before"] = page["next"]


def test_pages_hold_every_hand_once(me, web):
    service = service_of(web)
    ids = {keep(service, dealt_out(HEADS_UP, "AhAd KsQd", -1), [me.key, None], number=n // 5) for n in range(23)}
    found, pages = everything(me, limit=4)
    assert [row["id"] for row in found] == sorted(ids, key=lambda key: [r["id"] for r in found].index(key))
    assert len(found) == 23
    assert pages == 6
    times = [row["finished"] for row in found]
    assert times == sorted(times, reverse=True)
    assert me.get("/api/hands", params={"before": "yesterday"}).status_code == 422
    assert me.get("/api/hands", params={"before": "9999-12-31T23:59:59-14:00~\0"}).status_code == 200
    assert me.get("/api/hands", params={"since": "0001-01-01T00:00:00+14:00"}).status_code == 200
    assert me.get("/api/hands", params={"limit": 1000}).status_code == 422


def test_filters(me, web):
    service = service_of(web)
    won = keep(service, dealt_out(HEADS_UP, "AhAd KsQd", -1), [me.key, None], ["me", "Ann"], 1)
    lost = keep(service, dealt_out(HEADS_UP, "7h2d KsQd", 6, -1), [me.key, None], ["me", "Bob"], 2)
    tied = keep(service, dealt_out(HEADS_UP, "7h2d 7s2c AcAdAhAs9h", *[0] * 8), [None, me.key], ["Bob", "me"], 3)
    small = keep(service, dealt_out(kuhn(), "Qs Ks", 0, 0), [None, me.key], ["Cy", "me"], 4, game="kuhn")
    me.put(f"/api/hands/{lost}/note", json={"text": "a 100 % fold_"})

    def ids(**asked):
        answer = me.get("/api/hands", params=asked)
        assert answer.status_code == 200, answer.text
        return [row["id"] for row in answer.json()["hands"]]

    assert ids() == [small, tied, lost, won]
    assert ids(result="won") == [small, won]
    assert ids(result="lost") == [lost]
    assert ids(result="split") == [tied]
    assert ids(showdown=True) == [small, tied]
    assert ids(game="kuhn") == [small]
    assert ids(place="BTN/SB") == [tied]
    assert ids(opponent="Bob") == [tied, lost]
    assert ids(opponent="blueprint") == [small, tied, lost, won]
    assert ids(opponent="blue%") == []
    assert ids(noted=True) == [lost]
    assert ids(noted=False) == [small, tied, won]
    assert ids(text="0 % F") == [lost]
    assert ids(text="%") == [lost]
    assert ids(text="AcAd") == [tied]
    assert ids(text="ann") == [won]
    assert ids(since="2026-01-01T00:02:00", until="2026-01-01T00:04:00Z") == [tied, lost]
    assert ids(table="nothing") == []
    for bad in ({"result": "draw"}, {"since": "soon"}, {"graded": "bad"}, {"colour": "red"}, {"text": "x" * 81}):
        assert me.get("/api/hands", params=bad).status_code == 422
    assert ids(text="\0", opponent="Bob") == [tied, lost]


def test_notes(me, web):
    key = keep(service_of(web), dealt_out(HEADS_UP, "AhAd KsQd", -1), [me.key, None])
    assert me.put(f"/api/hands/{key}/note", json={"text": " once "}).json()["text"] == "once"
    assert me.put(f"/api/hands/{key}/note", json={"text": "twice \u0000"}).status_code == 200
    assert me.get(f"/api/hands/{key}").json()["note"] == "twice"
    assert me.put(f"/api/hands/{key}/note", json={"text": "x" * 5001}).status_code == 422
    assert me.put(f"/api/hands/{key}/note", json={"text": ""}).status_code == 200
    assert me.get(f"/api/hands/{key}").json()["note"] is None


# Who sees what


def table_of_three(web, first, second):
    """First folds at once, second folds to a bet, the AI wins; nothing is shown."""
    promise, seeds = shuffled(new_key(), holdem(players=3).deck), {0: "5e" * 16, 1: "ed" * 16}
    deck = promise.dealt(seeds)
    state = dealt_out(holdem(players=3), "".join(CARDS[card] for card in deck), 6, -1, 0, 0, 20, -1)
    deal = {**promise.to_dict(), "seeds": sorted(seeds.items()), "scheme": "ludus-2"}
    people = [first.key, second.key, None]
    names = ["one", "two", "three"]
    key = keep(service_of(web), state, people, names, deal=deal, commitment=promise.commitment, id=promise.hand)
    return key, state


def test_a_hand_stays_closed_when_its_player_is_no_longer_kept(web):
    first, second = person(web), person(web)
    key, state = table_of_three(web, first, second)
    with service_of(web).database.session() as session:
        session.execute(update(HandSeat).where(HandSeat.person_id == second.key).values(person_id=None))
    info = first.get(f"/api/hands/{key}").json()
    assert [bool(seat["cards"]) for seat in info["seats"]] == [True, False, False]
    assert not {CARDS[card] for card in state.hole(1)} & {leaf["card"] for leaf in info["reveal"]["cards"]}


def test_nobody_sees_what_was_not_shown(web):
    first, second, third = person(web), person(web), person(web)
    key, state = table_of_three(web, first, second)
    own = ["".join(CARDS[card] for card in state.hole(seat)) for seat in range(3)]
    board = {CARDS[card] for card in state.board}
    for seat, client in enumerate((first, second)):
        info = client.get(f"/api/hands/{key}").json()
        assert [card for each in info["seats"] for card in each["cards"]] == [own[seat][:2], own[seat][2:]]
        assert [each["you"] for each in info["seats"]] == [at == seat for at in range(3)]
        opened = {leaf["card"] for leaf in info["reveal"]["cards"]} - {None}
        assert opened == {own[seat][:2], own[seat][2:]} | board
        assert proved(info["commitment"], info)
        [read] = read_phh(info["phh"])
        assert read.returns() == state.returns()
        everywhere = json.dumps(info) + client.get("/api/hands.phhs").text + client.get("/api/hands.csv").text
        for other in range(3):
            assert (own[other] in everywhere) == (other == seat), "a hidden hand can be seen"
    for path in ("", "/review", "/note"):
        method = {"": "GET", "/review": "POST", "/note": "PUT"}[path]
        answer = third.request(method, f"/api/hands/{key}{path}", json={"text": "x"} if path == "/note" else None)
        assert answer.status_code == 404
        assert another(web).request(method, f"/api/hands/{key}{path}", json={"text": "x"}).status_code == 401
    assert third.get("/api/hands").json() == {"hands": [], "next": None}


def test_notes_are_ones_own(web):
    first, second = person(web), person(web)
    key, _ = table_of_three(web, first, second)
    first.put(f"/api/hands/{key}/note", json={"text": "he bluffs"})
    assert first.get("/api/hands").json()["hands"][0]["note"] == "he bluffs"
    assert second.get("/api/hands").json()["hands"][0]["note"] is None
    assert second.get(f"/api/hands/{key}").json()["note"] is None
    assert second.get("/api/hands", params={"text": "bluffs"}).json()["hands"] == []
    assert second.get("/api/hands", params={"noted": True}).json()["hands"] == []


def test_shown_cards_are_seen_and_so_is_everything_at_a_table_of_one(web):
    first, second = person(web), person(web)
    cards = "AhAd KsQd 7h2d Ac2c3c4d9h"
    state = dealt_out(holdem(players=3), cards, -1, 0, 0, *[0] * 6)  # the button folds, two go to the showdown
    key = keep(service_of(web), state, [first.key, second.key, None], shown={0, 1})
    seen = [each["cards"] for each in first.get(f"/api/hands/{key}").json()["seats"]]
    assert seen == [["Ah", "Ad"], ["Ks", "Qd"], []]
    key = keep(service_of(web), state, [first.key, None, None], shown={0, 1})
    info = first.get(f"/api/hands/{key}").json()
    assert [each["cards"] for each in info["seats"]] == [["Ah", "Ad"], ["Ks", "Qd"], ["7h", "2d"]]
    assert "7h2d" in info["phh"]


# Files


def test_exports_hold_every_hand(me, web):
    service = service_of(web)
    states = [at_random(HEADS_UP, seed) for seed in range(12)]
    for number, state in enumerate(states):
        keep(service, state, [me.key, None], ["me", "=cmd()"], number)
    keep(service, dealt_out(kuhn(), "Qs Ks", 0, 0), [None, me.key], number=50, game="kuhn")
    hands = read_phh(me.get("/api/hands.phhs").text)
    assert [hand.state.cards for hand in hands] == [state.cards for state in reversed(states)]
    assert [hand.returns() for hand in hands] == [state.returns() for state in reversed(states)]
    answer = me.get("/api/hands.csv", params={"game": "holdem"})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert "attachment" in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [float(row["net"]) for row in rows] == [state.returns()[0] for state in reversed(states)]
    assert {row["opponents"] for row in rows} == {"'=cmd()"}
    assert me.get("/api/hands.csv", params={"limit": 3}).status_code == 422


def test_trackers_get_texts_without_cards_that_were_not_shown(me, web):
    states = [at_random(HEADS_UP, seed) for seed in range(6)]
    for minute, state in enumerate(states):  # the first hands of six tables
        keep(service_of(web), state, [me.key, None], ["me", "AI"], finished=START + timedelta(minutes=minute))
    keep(service_of(web), dealt_out(kuhn(), "Qs Ks", 0, 0), [None, me.key], number=50, game="kuhn")
    hands = read_pokerstars(me.get("/api/hands.txt").text)
    assert [hand.returns() for hand in hands] == [state.returns() for state in reversed(states)]
    assert len({hand.number for hand in hands}) == len(states), "trackers take hands of one number for the same"
    for hand, state in zip(hands, reversed(states), strict=True):
        assert hand.state.hole(0) == state.hole(0)
        assert hand.state.hole(1) == (HIDDEN, HIDDEN), "the page shows them, a tracker would not know whose they are"


@given(st.text())
def test_no_cell_is_a_formula(text):
    assert not str(cell(text)).startswith(("=", "+", "-", "@", "\t", "\r"))


def test_large_exports_come_in_parts(me, web, monkeypatch):
    monkeypatch.setattr("ludus.server.hands.exports.AT_ONCE", 3)
    for number in range(8):
        keep(service_of(web), at_random(HEADS_UP, number), [me.key, None], number=number)
    assert len(me.get("/api/hands.csv").text.splitlines()) == 9
    assert len(read_phh(me.get("/api/hands.phhs").text)) == 8


@pytest.mark.parametrize("key", ["x", "x" * 22, "x" * 23, "%00", "\u202e"])
def test_unknown_hands(me, key):
    assert me.get(f"/api/hands/{key}").status_code in (404, 422)


@pytest.mark.postgres
def test_the_same_on_postgresql(tmp_path, new_postgres):
    with local_client(tmp_path, database=new_postgres()) as web:
        client = person(web)
        test_filters(client, web)
        other = person(web)
        test_pages_hold_every_hand_once(other, web)
        found = client.get("/api/statistics").json()
        assert (found["hands"], found["won"], found["tied"], found["lost"]) == (4, 2, 1, 1)
        assert len(client.get("/api/hands.csv").text.splitlines()) == 5
        with service_of(web).database.session() as session:
            session.execute(update(HandSeat).values(adjusted=HandSeat.net))
        before = client.get("/api/statistics").json()
        with service_of(web).database.session() as session:
            assert client.key in people_to_fold(session, 4)
            assert fold(session, client.key, 3)
            assert not fold(session, client.key, 3)
        assert client.get("/api/statistics").json() == before

"""Hands that are shared by a link: who sees what, and for how long."""

import pytest

from ludus.games import holdem
from server_hands import HEADS_UP, at_random, dealt_out, keep
from server_helpers import another, person, service_of


@pytest.fixture
def shown_hand(web, me):
    """A hand with another person that went to a showdown after an all-in."""
    other = person(web)
    ids = [client.get("/api/me").json()["id"] for client in (me, other)]
    state = dealt_out(HEADS_UP, "AhAd KsQd Ac2c3c4d9h", 200, 0)
    return keep(service_of(web), state, ids, ["Ann", "Bob"], shown=(0, 1)), ids


@pytest.fixture
def folded_hand(web, me):
    """A hand with another person that ended by a fold: nobody showed anything."""
    other = person(web)
    ids = [client.get("/api/me").json()["id"] for client in (me, other)]
    state = dealt_out(HEADS_UP, "AhAd KsQd Ac2c3c4d9h", 6, -1)
    return keep(service_of(web), state, ids, ["Ann", "Bob"]), other


def test_everybody_who_has_the_link_sees_the_replay(web, me, shown_hand):
    key, _ = shown_hand
    link = me.post(f"/api/hands/{key}/shares", json={}).json()
    assert me.post(f"/api/hands/{key}/shares", json={}).json() == link, "the same wish gives the same link"
    seen = another(web).get(f"/api/shared/{link['id']}").json()
    assert [seat["name"] for seat in seen["seats"]] == ["Ann", "Bob"]
    assert [seat["cards"] for seat in seen["seats"]] == [["Ah", "Ad"], ["Ks", "Qd"]]
    assert seen["awards"] == [{"chips": 400, "seats": [0]}]
    assert seen["ran_out"]
    assert seen["steps"][-1]["board"] == ["Ac", "2c", "3c", "4d", "9h"]


def test_names_and_cards_can_be_left_out(web, me, folded_hand):
    key, other = folded_hand
    bare = me.post(f"/api/hands/{key}/shares", json={"names": False, "cards": False}).json()
    answer = another(web).get(f"/api/shared/{bare['id']}")
    assert [seat["name"] for seat in answer.json()["seats"]] == ["BB", "BTN/SB"]
    assert not any(seat["you"] or seat["cards"] for seat in answer.json()["seats"])
    for secret in ("Ann", "Bob", "Ah", "Ad", "Ks", "Qd"):
        assert f'"{secret}"' not in answer.text
    whole = me.post(f"/api/hands/{key}/shares", json={}).json()
    seen = another(web).get(f"/api/shared/{whole['id']}").json()
    assert [seat["cards"] for seat in seen["seats"]] == [["Ah", "Ad"], []], "another's cards are not one's own to share"
    theirs = other.post(f"/api/hands/{key}/shares", json={}).json()
    seen = another(web).get(f"/api/shared/{theirs['id']}").json()
    assert [seat["cards"] for seat in seen["seats"]] == [[], ["Ks", "Qd"]]


def test_a_link_is_taken_back_by_who_made_it(web, me, shown_hand):
    key, _ = shown_hand
    link = me.post(f"/api/hands/{key}/shares", json={}).json()["id"]
    stranger = person(web)
    assert stranger.delete(f"/api/shared/{link}").status_code == 404
    assert stranger.post(f"/api/hands/{key}/shares", json={}).status_code == 404
    assert [each["id"] for each in me.get(f"/api/hands/{key}/shares").json()] == [link]
    assert me.delete(f"/api/shared/{link}").status_code == 204
    assert another(web).get(f"/api/shared/{link}").status_code == 404
    assert me.get(f"/api/hands/{key}/shares").json() == []


def test_equities_of_shared_and_own_hands(web, me, shown_hand):
    key, _ = shown_hand
    link = me.post(f"/api/hands/{key}/shares", json={}).json()["id"]
    own = me.get(f"/api/hands/{key}/equities").json()
    assert [street["cards"] for street in own] == [0, 3, 4, 5]
    assert own[-1]["shares"] == {"0": 1.0, "1": 0.0}
    assert another(web).get(f"/api/shared/{link}/equities").json() == own


def test_hands_without_an_all_in_have_none(web, me):
    mine = me.get("/api/me").json()["id"]
    state = next(found for seed in range(99) if (found := at_random(holdem(), seed)).folded)
    key = keep(service_of(web), state, [mine, None])
    assert me.get(f"/api/hands/{key}/equities").json() == []
    assert me.get("/api/hands/nothing/equities").status_code == 404

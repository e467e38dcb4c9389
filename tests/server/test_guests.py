"""Guests: their hands go with them into an account, and those who never come back are forgotten, nobody else."""

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from ludus.games import holdem
from ludus.server.hands.columns import fold
from ludus.server.models import (
    Decision,
    Drill,
    FoldedHands,
    Hand,
    HandSeat,
    Note,
    Person,
    SpotRow,
    TableRow,
    Token,
    Upload,
    now,
)
from ludus.server.people.guests import forget
from server_hands import at_random, keep
from server_helpers import another, person, service_of
from server_tables import new_table

PASSWORD = "correct horse"


def rows(web, kind, **columns):
    with service_of(web).database.session() as session:
        return session.scalars(select(kind).filter_by(**columns)).all()


def last_seen(web, key, days):
    with service_of(web).database.session() as session:
        session.execute(update(Person).where(Person.id == key).values(seen=now() - timedelta(days=days)))


def sweep(web):
    service = service_of(web)
    return forget(service.database, service.spot_solves.folder, now())


def account(web, name):
    client = person(web)
    assert client.post("/api/accounts", json={"username": name, "password": PASSWORD}).status_code == 201
    return client


def belongings(web, client, *others):
    """A hand, alone or with others, a note and a decision in it, an uploaded file with a hand, a spot and a drill."""
    service = service_of(web)
    people = [client.key, *(other.key for other in others), None][:3]
    hand = keep(service, at_random(holdem(players=len(people)), 1), people)
    with service.database.session() as session:
        upload = Upload(person_id=client.key, name="file")
        spot = SpotRow(person_id=client.key, spot={"board": ""}, status="solved", summary={}, file="x")
        drill = Drill(person_id=client.key, theme="river-bet", question={}, solution={})
        session.add_all([upload, spot, drill])
        session.add(Note(hand_id=hand, person_id=client.key, text="mine"))
        session.add(
            Decision(
                hand_id=hand,
                step=0,
                seat=0,
                person_id=client.key,
                street=0,
                action=0,
                grade="best",
                loss=0.0,
                advice={},
            )
        )
        session.flush()
        keys = upload.id, spot.id
    keep(service, at_random(holdem(), 2), [client.key, None], upload_id=keys[0])
    solution = service.spot_solves.folder / f"{keys[1]}.solution"
    solution.write_bytes(b"solution")
    return hand, solution


OWN = (HandSeat, Decision, Note, Upload, SpotRow, Drill)


def counts(web, key):
    return [len(rows(web, kind, person_id=key)) for kind in OWN]


# Into an account


def test_folded_hands_go_along(web):
    """Hands that are folded for a guest are an account's afterwards, and nobody's are counted twice."""
    service, guest, owner = service_of(web), person(web), account(web, "folding")
    for client, number in ((guest, 5), (owner, 3)):
        for seed in range(number):
            keep(service, at_random(holdem(), seed), [client.key, None], number=seed)
    with service.database.session() as session:
        session.execute(update(HandSeat).values(adjusted=HandSeat.net))
        assert fold(session, guest.key, 4)
        assert fold(session, owner.key, 3)
    assert guest.get("/api/statistics").json()["hands"] == 5
    guest.post("/api/session", json={"username": "folding", "password": PASSWORD, "bring": True})
    assert rows(web, FoldedHands, person_id=guest.key) == []
    assert owner.get("/api/statistics").json()["hands"] == 8


def test_folded_hands_of_a_forgotten_guest_are_gone(web):
    service, guest, friend = service_of(web), person(web), person(web)
    for seed in range(2):
        keep(service, at_random(holdem(), seed), [guest.key, friend.key], number=seed)
    with service.database.session() as session:
        session.execute(update(HandSeat).values(adjusted=HandSeat.net))
        for client in (guest, friend):
            assert fold(session, client.key, 2)
    last_seen(web, guest.key, 400)
    assert sweep(web) >= 1
    assert rows(web, FoldedHands, person_id=guest.key) == []
    assert friend.get("/api/statistics").json()["hands"] == 2


def test_a_guest_who_makes_an_account_keeps_everything(web):
    guest = person(web)
    belongings(web, guest)
    assert guest.post("/api/accounts", json={"username": "keeper", "password": PASSWORD}).status_code == 201
    assert counts(web, guest.key) == [2, 1, 1, 1, 1, 1]
    assert len(guest.get("/api/hands").json()["hands"]) == 2


def test_a_guest_who_logs_in_brings_everything_along(web):
    owner, guest = account(web, "returning"), person(web)
    belongings(web, owner)
    hand, _ = belongings(web, guest)
    answer = guest.post("/api/session", json={"username": "returning", "password": PASSWORD, "bring": True})
    assert answer.json()["id"] == owner.key
    assert counts(web, guest.key) == [0] * 6
    assert counts(web, owner.key) == [4, 2, 2, 2, 2, 2]
    assert guest.get(f"/api/hands/{hand}").json()["note"] == "mine"


def test_nothing_is_brought_without_being_asked_for_or_by_a_wrong_password(web):
    account(web, "careful")
    guest = person(web)
    belongings(web, guest)
    asked = {"username": "careful", "password": "wrong", "bring": True}
    assert guest.post("/api/session", json=asked).status_code == 401
    assert guest.post("/api/session", json=asked | {"password": PASSWORD, "bring": False}).status_code == 200
    assert counts(web, guest.key) == [2, 1, 1, 1, 1, 1]


def test_one_account_is_not_brought_into_another(web):
    first, second = account(web, "first"), account(web, "second")
    belongings(web, first)
    first.post("/api/session", json={"username": "second", "password": PASSWORD, "bring": True})
    assert counts(web, first.key) == [2, 1, 1, 1, 1, 1]
    assert counts(web, second.key) == [0] * 6


def test_a_hand_in_which_guest_and_account_sat_stays_as_it_is(web):
    owner, guest = account(web, "twofold"), person(web)
    hand, _ = belongings(web, guest, owner)
    guest.post("/api/session", json={"username": "twofold", "password": PASSWORD, "bring": True})
    assert sorted(seat.person_id or "" for seat in rows(web, HandSeat, hand_id=hand)) == sorted(
        ["", guest.key, owner.key]
    )
    assert counts(web, guest.key)[:3] == [1, 1, 1]


# Away


@pytest.mark.parametrize(("days", "kept"), [(6, True), (8, False)])
def test_a_guest_who_leaves_nothing_is_kept_for_a_week(web, days, kept):
    guest = person(web)
    token = guest.post("/api/tokens", json={}).json()["id"]
    last_seen(web, guest.key, days)
    sweep(web)
    assert bool(rows(web, Person, id=guest.key)) == kept
    assert bool(rows(web, Token, id=token)) == kept


def test_a_guest_with_hands_is_kept_as_long_as_they_can_come_back(web):
    guest, host = person(web), person(web)
    hand, solution = belongings(web, guest)
    table = new_table(host)["id"]
    for client in (guest, host):
        last_seen(web, client.key, 179)
    sweep(web)
    assert counts(web, guest.key) == [2, 1, 1, 1, 1, 1]
    assert rows(web, TableRow, id=table)
    last_seen(web, guest.key, 181)
    sweep(web)
    assert not rows(web, Person, id=guest.key)
    assert counts(web, guest.key) == [0] * 6
    assert not rows(web, Hand, id=hand)
    assert not solution.exists()
    assert rows(web, Person, id=host.key)


def test_hands_with_other_people_stay_without_who_is_gone(web):
    guest, friend = person(web), person(web)
    hand, _ = belongings(web, guest, friend)
    before = friend.get(f"/api/hands/{hand}").json()
    last_seen(web, guest.key, 200)
    sweep(web)
    after = friend.get(f"/api/hands/{hand}").json()
    assert after["seats"] == before["seats"]
    assert not rows(web, Person, id=guest.key)


def test_accounts_and_those_who_come_back_are_never_forgotten(web):
    owner, guest = account(web, "absent"), person(web)
    last_seen(web, owner.key, 1000)
    last_seen(web, guest.key, 100)
    service_of(web).recognised.forget(guest.key)
    assert guest.get("/api/me").json()["id"] == guest.key
    sweep(web)
    assert rows(web, Person, id=owner.key)
    assert rows(web, Person, id=guest.key)


def test_a_table_that_others_play_at_keeps_its_host(web):
    host = person(web)
    table = new_table(host)["id"]
    last_seen(web, host.key, 200)
    sweep(web)
    assert rows(web, TableRow, id=table)
    assert rows(web, Person, id=host.key)


def test_a_bot_with_a_token_has_been_seen(web):
    made = another(web, {}).post("/api/guests", json={}).json()
    last_seen(web, made["person"]["id"], 300)
    assert another(web, {"Authorization": f"Bearer {made['token']}"}).get("/api/me").status_code == 200
    sweep(web)
    assert rows(web, Person, id=made["person"]["id"])

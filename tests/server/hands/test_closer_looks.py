"""Decisions thought about again: who comes first, what is kept, and what a person may ask for."""

import asyncio
import time
from types import SimpleNamespace

import pytest
from sqlalchemy import select, update

from ludus.games import holdem
from ludus.server.hands import closer_looks
from ludus.server.hands.closer_looks import ASKED, REST, SEEN, CloserLooks, Look
from ludus.server.models import Decision, Hand
from ludus.server.work.fair_queue import Asker, FairQueue
from server_hands import dealt_out, keep
from server_helpers import local_client, person, service_of


def looks(person, *steps):
    return [Look("hand", step, person) for step in steps]


def test_people_take_turns():
    turns = FairQueue(100)
    for look in [*looks("ann", 1, 2, 3), *looks("bob", 4), *looks("cat", 5, 6)]:
        turns.put(look, Asker(look.person))
    assert [turns.take().step for _ in range(len(turns))] == [1, 4, 5, 2, 6, 3]


class Desk(CloserLooks):
    """Closer looks that are only noted down, once they may begin."""

    def __init__(self, review=10.0):
        self.begin, self.done, self.broken = asyncio.Event(), [], set()
        super().__init__(SimpleNamespace(settings=SimpleNamespace(review=review, warm_up=False)))

    async def _look(self, look, seconds):
        await self.begin.wait()
        if look.step in self.broken:
            raise TimeoutError
        self.done.append((look.person, look.step, seconds))


def worked(prepare, **settings):
    async def work():
        desk = Desk(**settings)
        prepare(desk)
        desk.begin.set()
        while desk.waiting:
            await asyncio.sleep(0)
        await desk.close()
        return desk

    return asyncio.run(work())


def test_what_is_asked_for_comes_first_and_takes_longest():
    def prepare(desk):
        desk.take(looks("ann", 1, 2, 3), REST)
        desk.take(looks("bob", 4), REST)
        desk.take(looks("ann", 3), SEEN)
        desk.take(looks("bob", 5), ASKED)
        assert desk.seconds(Look("hand", 5, "bob")) == 30
        assert desk.seconds(Look("hand", 1, "ann")) == 10
        assert desk.seconds(Look("hand", 9, "ann")) is None
        assert (desk.may_ask("ann"), desk.may_ask("bob")) == (True, False)

    desk = worked(prepare)
    assert desk.done == [("bob", 5, 30), ("ann", 3, 10), ("ann", 1, 10), ("bob", 4, 10), ("ann", 2, 10)]


def test_asking_for_a_decision_that_waits_already_makes_it_longer():
    def prepare(desk):
        desk.take(looks("ann", 1), REST)
        desk.take(looks("ann", 1), ASKED)
        desk.take(looks("ann", 1), SEEN)

    assert worked(prepare).done == [("ann", 1, 30)]


def test_one_person_cannot_fill_the_queue_and_servers_may_do_without(monkeypatch):
    monkeypatch.setattr(closer_looks, "MOST_WAITING", 3)
    assert len(worked(lambda desk: desk.take(looks("ann", *range(9)), REST)).done) == 3
    assert worked(lambda desk: desk.take(looks("ann", 1), SEEN), review=0).done == []
    assert worked(lambda desk: desk.take(looks("ann", 1), ASKED), review=0).done == [("ann", 1, 30)]


def test_what_breaks_down_is_tried_again_only_when_asked():
    async def work():
        desk = Desk()
        desk.begin.set()
        desk.broken = {1}
        seen = []
        for priority in (REST, SEEN, ASKED):
            desk.take(looks("ann", 1), priority)
            seen.append(len(desk.waiting))
            while desk.waiting:
                await asyncio.sleep(0)
            desk.broken = set()
        await desk.close()
        return seen, desk.done

    assert asyncio.run(work()) == ([1, 0, 1], [("ann", 1, 30)])


# With a server


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    with local_client(tmp_path_factory.mktemp("web"), review=0.6) as client:
        yield client


def settled(client, key, seconds=240.0):
    """The review of a hand once nothing better is to come."""
    end = time.monotonic() + seconds
    while True:
        found = client.post(f"/api/hands/{key}/review").json()
        if found["status"] == "done" and not any(each["thinking"] for each in found["decisions"]):
            return found["decisions"]
        assert time.monotonic() < end, f"{found!r:.500}"
        time.sleep(0.05)


def test_a_quick_grade_is_followed_by_better_ones(web, monkeypatch):
    monkeypatch.setattr(closer_looks, "LONGEST", 0.7)
    me, other = person(web), person(web)
    state = dealt_out(holdem(stack=40), "AhAd 7s2d Ac2c3c4d9h", 40, -1)  # seven-two goes all-in, aces fold
    key = keep(service_of(web), state, [me.key, None])
    [decision] = settled(me, key)
    assert (decision["thought"], decision["longer"], decision["grade"]) == (0.6, 0.7, "blunder")
    advice = decision["advice"]
    assert advice["reasons"][0]["key"] == "advice.sentence"
    assert (advice["source"], advice["needed"]) == ("solved", pytest.approx(38 / 80))
    assert 0 < advice["accuracy"] < 0.5
    think = f"/api/hands/{key}/decisions/{decision['step']}/think"
    assert other.post(think).status_code == 404
    assert me.post(f"/api/hands/{key}/decisions/7/think").status_code == 404
    asked = me.post(think)
    assert asked.json()["decisions"][0]["thinking"] == 0.7
    [decision] = settled(me, key)
    assert (decision["thought"], decision["longer"]) == (0.7, None)
    assert me.post(think).json()["decisions"][0]["thinking"] is None  # there is no more to be had


def test_what_is_known_worse_replaces_nothing(web):
    me, service = person(web), service_of(web)
    key = keep(service, dealt_out(holdem(stack=40), "AhAd 7s2d Ac2c3c4d9h", 40, -1), [me.key, None])
    [before] = settled(me, key)
    with service.database.session() as session:
        row = session.get(Decision, (key, 1))
        better, worse = ({"grade": name, "advice": {**row.advice, "thought": 9.0}} for name in ("fine", "mistake"))
        worse["advice"]["advice"] = {**row.advice["advice"], "source": "blueprint", "accuracy": 0.0}
    service.closer_looks._keep(Look(key, 1, me.key), [worse])
    [kept] = settled(me, key)
    assert kept == before | {"thought": 9}
    service.closer_looks._keep(Look(key, 1, me.key), [better])
    assert settled(me, key)[0]["grade"] == "fine"
    service.closer_looks._keep(Look(key, 8, me.key), [better])  # such a decision is not there any more


@pytest.mark.parametrize(
    ("new", "old", "better"),
    [
        (("solved", 0.1), ("blueprint", 0.01), True),
        (("blueprint", 0.01), ("solved", 0.1), False),
        (("solved", 0.11), ("solved", 0.1), True),
        (("solved", 0.2), ("solved", 0.1), False),
        (("searched", 0.2), ("told", 0.1), True),
        (("blueprint", 0.2), ("solved", None), True),
    ],
)
def test_better_is_from_a_better_source_or_with_a_smaller_error(new, old, better):
    one, other = ({"source": source, "accuracy": accuracy} for source, accuracy in (new, old))
    assert closer_looks.is_better(one, other) == better


def test_one_long_look_at_a_time(web, monkeypatch):
    me, service = person(web), service_of(web)
    state = dealt_out(holdem(stack=40), "AhAd 7s2d Ac2c3c4d9h", 40, -1)
    keys = [keep(service, state, [me.key, None]) for _ in range(2)]
    for key in keys:
        settled(me, key)

    async def stop(look, seconds):
        await asyncio.sleep(60)

    monkeypatch.setattr(service.closer_looks, "_look", stop)
    answers = [me.post(f"/api/hands/{key}/decisions/1/think") for key in keys]
    assert [answer.status_code for answer in answers] == [200, 429]
    assert "wait for it" in answers[1].json()["detail"]


def test_reviews_of_earlier_versions_are_shown_without_their_sentences(tmp_path):
    with local_client(tmp_path) as web:
        me, service = person(web), service_of(web)
        key = keep(service, dealt_out(holdem(stack=40), "AhAd 7s2d Ac2c3c4d9h", 40, -1), [me.key, None])
        settled(me, key)
        with service.database.session() as session:
            row = session.scalars(select(Decision).where(Decision.hand_id == key)).one()
            old = {name: value for name, value in row.advice.items() if name != "thought"}
            old["advice"] = {name: value for name, value in old["advice"].items() if name not in ("accuracy", "needed")}
            session.execute(update(Decision).where(Decision.hand_id == key).values(advice=old))
            assert session.get(Hand, key).reviewed
        [decision] = me.get(f"/api/hands/{key}").json()["review"]["decisions"]
        assert (decision["thought"], decision["advice"]["reasons"], decision["advice"]["accuracy"]) == (0, [], None)
        assert decision["grade"] == "blunder"

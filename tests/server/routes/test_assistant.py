"""Advice and reviews by real worker processes: who gets them, and that they are what the library says."""

import asyncio
import json
import time
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest
from sqlalchemy import select, update

from ludus.games import holdem, leduc_nl
from ludus.server.database import Database
from ludus.server.hands.follow_up import FILES, PATIENT, URGENT, hand_finished
from ludus.server.hands.opponents import earlier_hands
from ludus.server.learning.advice_desk import AdviceDesk, Replaced
from ludus.server.models import Decision, Hand, HandSeat
from ludus.server.routes import assistant
from ludus.server.work.workers import Busy
from ludus.teach.advisor import AnyTableAdvisor
from ludus.teach.explain import facts
from ludus.teach.review import review_hand
from ludus.teach.situation import parse_situation
from server_hands import at_random, dealt_out, keep
from server_helpers import another, local_client, person, service_of
from server_tables import proved

SITUATION = "heads-up, 20bb; hero BTN AhKh"
SHORT = holdem(stack=40)


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    """A server with two helpers, as background work leaves one of them free."""
    with local_client(tmp_path_factory.mktemp("web"), helpers=2) as client:
        yield client


def eventually(ask, wanted, seconds=240.0):
    """What is answered once it is as wanted: workers may have to compile first."""
    end = time.monotonic() + seconds
    while not wanted(found := ask()):
        assert time.monotonic() < end, f"still {found!r:.500}"
        time.sleep(0.05)
    return found


# Advice


def test_what_is_solved_is_answered_before_searches_are_prepared(web, me, monkeypatch):
    service = service_of(web)
    monkeypatch.setattr(service, "settings", replace(service.settings, warm_up=True))
    monkeypatch.setattr(service.pools, "ready", {"play": True})
    monkeypatch.setattr(assistant, "PATIENCE", 0.1)
    searched = {"text": "3 players, 100bb; hero BTN AhKh; c, c, x; Ks Th 6c; x, x"}
    assert me.post("/api/advice", json={"text": SITUATION}).status_code == 409
    service.ready["spots"] = True
    answer = me.post("/api/advice", json={"text": SITUATION})
    assert answer.status_code == 200, answer.text
    assert answer.json()["source"] == "solved"
    assert me.post("/api/advice", json=searched).status_code == 409
    assert me.post("/api/advice", json={"text": "nonsense"}).status_code == 422
    service.ready["advice"] = True
    assert me.post("/api/advice", json=searched).json()["source"] == "searched"


def test_advice_is_the_advisors(me):
    answer = me.post("/api/advice", json={"text": SITUATION})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    expected = json.loads(json.dumps(facts(AnyTableAdvisor().advise(parse_situation(SITUATION)))))
    timed = ("seconds", "choices", "best", "explanation")  # playing on ends when its time is up
    assert {key: found[key] for key in expected if key not in timed} == {
        key: value for key, value in expected.items() if key not in timed
    }
    chances = [[choice["action"], choice["chance"]] for choice in found["choices"]]
    assert chances == [[choice["action"], choice["chance"]] for choice in expected["choices"]]
    assert set(found["grids"]) == {"own", "0"}
    assert found["grids"]["own"]["AA"] == 1
    assert len(found["grids"]["0"]) == 169
    assert found["reasons"][0]["key"] == "advice.sentence"
    assert (found["street"], found["bets"]) == (0, [100, 50])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nonsense", "not understood"),
        ("hu; hero BTN AhAh", "Ah"),
        ("", "tell the situation"),
        ("hu; hero BTN AhKh; f", "over"),
        ("{" * 9000, "JSON"),
    ],
)
def test_bad_situations_are_explained(me, text, why):
    answer = me.post("/api/advice", json={"text": text})
    assert answer.status_code == 422, answer.text
    assert why in answer.json()["detail"]


def test_bad_requests(me, web):
    assert me.post("/api/advice", json={"text": "x" * 10_001}).status_code == 422
    assert me.post("/api/advice", json={"text": SITUATION, "more": 1}).status_code == 422
    assert another(web).post("/api/advice", json={"text": SITUATION}).status_code == 401


def table(client, **config):
    answer = client.post("/api/tables", json={"opponents": [{"agent": "call"}], **config})
    assert answer.status_code in (200, 201), answer.text
    key = answer.json()["id"]
    client.post(f"/api/tables/{key}/ready")
    return key


def my_turn(client, key):
    """The view of a table once it is one's turn, or a hand is over."""
    return eventually(
        lambda: client.get(f"/api/tables/{key}").json(),
        lambda view: view["hand"] is not None and (view["hand"]["to_act"] == view["you"] or view["hand"]["over"]),
    )


def test_live_advice_at_the_table(me, web):
    key = table(me, assistant="live")
    view = my_turn(me, key)
    answer = me.get(f"/api/tables/{key}/advice")
    assert answer.status_code == 200, answer.text
    found = answer.json()
    chair = view["chairs"][view["you"]]
    assert found["cards"] == "".join(chair["cards"])
    assert found["pot"] == view["hand"]["pot"]
    assert me.get(f"/api/tables/{key}/advice").content == answer.content  # remembered
    other = person(web)
    assert other.get(f"/api/tables/{key}/advice").status_code == 409
    assert other.get("/api/tables/nowhere/advice").status_code == 404
    assert another(web).get(f"/api/tables/{key}/advice").status_code == 401


def test_earlier_hands_with_the_opponents_make_a_second_mix(me, web):
    """A player who always calls is met in a dozen hands: then the advice says how to play against them, too."""
    key = table(me, assistant="live")
    while my_turn(me, key)["hand"]["over"]:
        me.post(f"/api/tables/{key}/ready")
    assert me.get(f"/api/tables/{key}/advice").json()["exploiting"] == []
    mine = me.get("/api/me").json()["id"]
    for number in range(12):
        state = dealt_out(holdem(), "AhAd 7s2d Kc8c3d4h9s", 0, 6, 0, 4, 0, 8, 0, 20, 0)
        keep(service_of(web), state, [mine, None], number=number, agent="call", table_id=key)
    found = me.get(f"/api/tables/{key}/advice").json()
    assert sum(choice["chance"] for choice in found["exploiting"]) == pytest.approx(1)
    assert found["choices"]  # the balanced mix stays beside it


def test_earlier_hands_are_ones_own_with_these_opponents_at_such_a_table(me, web):
    service, mine, other = service_of(web), me.get("/api/me").json()["id"], person(web).get("/api/me").json()["id"]
    key = me.post("/api/tables", json={"opponents": [{"agent": "call"}]}).json()["id"]
    hand = at_random(holdem(), 1)
    keep(service, hand, [mine, None], agent="call", table_id=key, number=1)
    keep(service, hand, [None, mine], agent="call", table_id=key, number=2)
    keep(service, hand, [mine, None], agent="tight", table_id=key)  # somebody else
    keep(service, hand, [other, None], agent="call", table_id=key)  # not one's own
    keep(service, at_random(holdem(3), 1), [mine, None, None], agent="call", table_id=key)  # another kind of table
    keep(service, hand, [mine, None], agent="call")  # from a file
    with service.database.session() as session:
        found = earlier_hands(session, mine, {"call"}, players=2)
        assert [each["agents"] for each in found] == [["call", ""], ["", "call"]]  # the latest first
        assert earlier_hands(session, mine, {"loose"}, players=2) == []
        assert [set(each) for each in found] == [{"record", "agents"}] * 2


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ({"assistant": "after"}, "without live advice"),
        ({"assistant": "off"}, "without live advice"),
        ({"assistant": "live", "people": 2, "seats": 3}, "other people"),
        ({"assistant": "live", "game": "leduc-nl"}, "hold'em only"),
    ],
)
def test_no_advice_where_it_is_not_fair(me, config, why):
    made = me.post("/api/tables", json={"opponents": [{"agent": "call"}], **config})
    if made.status_code == 422:  # such a table cannot even be made
        assert "assistant" in made.json()["detail"]
        return
    key = made.json()["id"]
    assert "your turn" in me.get(f"/api/tables/{key}/advice").json()["detail"]
    me.post(f"/api/tables/{key}/ready")
    view = my_turn(me, key)
    while view["hand"]["over"]:
        me.post(f"/api/tables/{key}/ready")
        view = my_turn(me, key)
    answer = me.get(f"/api/tables/{key}/advice")
    assert answer.status_code == 409
    assert why in answer.json()["detail"]


def test_a_hand_at_the_table_is_reviewed_after_it(me):
    key = table(me, assistant="after", stack=40)
    for _ in range(20):
        view = my_turn(me, key)
        hand = view["hand"]
        if hand["over"]:
            break
        act = {"hand": hand["id"], "turn": hand["turn"], "action": "fold" if hand["legal"]["fold"] else "call"}
        me.post(f"/api/tables/{key}/actions", json=act)
    found = eventually(
        lambda: me.get("/api/hands", params={"table": key}).json()["hands"], lambda rows: rows and rows[0]["grade"]
    )[0]
    assert (found["table"], found["number"], found["adjusted"]) == (key, 1, found["net"])
    info = me.get(f"/api/hands/{found['id']}").json()
    actions = [step for step in info["steps"] if step["number"] is not None]
    own = [step for step in actions if info["seats"][step["seat"]]["you"]]
    assert [decision["step"] for decision in info["review"]["decisions"]] == [step["number"] for step in own]
    assert proved(info["commitment"], info)
    assert all(leaf["card"] for leaf in info["reveal"]["cards"])  # one person: everything is opened


class SlowWorkers:
    """Answers when told to, and counts."""

    def __init__(self):
        self.asked, self.go = [], asyncio.Event()

    async def run_raw(self, job, question, seconds):
        self.asked.append(question["text"])
        await self.go.wait()
        return json.dumps(question).encode()


def test_the_latest_question_counts():
    async def ask():
        desk, workers = AdviceDesk(), SlowWorkers()
        questions = [
            asyncio.create_task(desk.ask("me", {"text": text}, workers, ready=True)) for text in ("a", "b", "c")
        ]
        other = asyncio.create_task(desk.ask("other", {"text": "d"}, workers, ready=True))
        await asyncio.sleep(0)
        workers.go.set()
        found = await asyncio.gather(*questions, other, return_exceptions=True)
        again = await desk.ask("me", {"text": "c"}, workers, ready=True)
        return workers.asked, found, again

    asked, (first, second, third, other), again = asyncio.run(ask())
    assert asked == ["a", "d", "c"]
    assert isinstance(second, Replaced)
    assert [json.loads(found)["text"] for found in (first, third, other, again)] == ["a", "c", "d", "c"]


# Reviews


def test_a_review_is_the_librarys(me, web):
    state = dealt_out(SHORT, "AhAd 7s2d Ac2c3c4d9h", 40, -1)  # seven-two goes all-in, aces fold
    key = keep(service_of(web), state, [me.key, None])
    assert me.get(f"/api/hands/{key}").json()["review"] == {"status": "none", "decisions": []}
    assert me.post(f"/api/hands/{key}/review").json()["status"] == "working"
    found = eventually(lambda: me.get(f"/api/hands/{key}").json(), lambda hand: hand["review"]["status"] == "done")
    [decision] = found["review"]["decisions"]
    [expected] = review_hand(state, ("a", "b"), AnyTableAdvisor(seconds=0.5), [0]).decisions
    assert (decision["step"], decision["action"], decision["name"]) == (1, -1, "fold")
    assert (
        (decision["grade"], decision["tendency"]) == (expected.grade, "folds too much") == ("blunder", "folds too much")
    )
    assert decision["loss"] == pytest.approx(expected.loss, rel=0.2)
    assert decision["situation"] == "pre-flop, facing a raise"
    assert decision["advice"]["cards"] == "AhAd"
    assert found["steps"][1 + decision["step"]]["number"] == decision["step"]
    assert (found["grade"], found["loss"]) == ("blunder", decision["loss"])
    assert me.post(f"/api/hands/{key}/review").json() == found["review"]  # done once


def test_a_review_says_how_to_play_against_those_one_has_met(me, web):
    """A dozen hands with one who calls everything, then a river with top pair, which was checked."""
    service, key = service_of(web), me.post("/api/tables", json={"opponents": [{"agent": "call"}]}).json()["id"]
    for number in range(12):
        state = dealt_out(holdem(), "AhAd 7s2d Kc8c3d4h9s", 0, 6, 0, 4, 0, 8, 0, 20, 0)
        keep(service, state, [me.key, None], number=number, agent="call", table_id=key)
    checked = dealt_out(holdem(), "KhJd 7s2d Ks8c3d4h9s", 0, 0, 0, 0, 0, 0, 0, 0)
    known = keep(service, checked, [me.key, None], number=20, agent="call", table_id=key)
    stranger = keep(service, checked, [me.key, None], number=21, agent="loose", table_id=key)
    last = {}
    for each in (known, stranger):
        me.post(f"/api/hands/{each}/review")
        ask = partial(lambda each: me.get(f"/api/hands/{each}").json()["review"], each)
        last[each] = eventually(ask, lambda review: review["status"] == "done")["decisions"][-1]["advice"]
    assert (last[stranger]["exploiting"], last[stranger]["exploiting_gain"]) == ([], None)
    found = last[known]
    assert sum(choice["chance"] for choice in found["exploiting"]) == pytest.approx(1)
    assert found["exploiting_hands"] == 12  # the hand itself is none of them
    played = {choice["action"] for choice in found["choices"] if choice["chance"]}
    assert played <= {choice["action"] for choice in found["exploiting"]}
    if (gain := found["exploiting_gain"]) is not None:
        assert gain["mean"] > 2 * gain["error"] > 0


def test_a_review_shows_ones_own_decisions_only(web):
    first, second = person(web), person(web)
    key = keep(service_of(web), dealt_out(SHORT, "AhAd 7s2d Ac2c3c4d9h", 40, 0), [first.key, second.key])
    first.post(f"/api/hands/{key}/review")
    found = []
    for client in (first, second):
        ask = partial(lambda client: client.get(f"/api/hands/{key}").json()["review"], client)
        found.append(eventually(ask, lambda review: review["status"] == "done")["decisions"])
    assert [[decision["seat"] for decision in decisions] for decisions in found] == [[0], [1]]
    assert found[0][0]["grade"] == "best"


def test_small_games_have_nothing_to_review(me, web):
    key = keep(service_of(web), at_random(leduc_nl("any"), 1), [me.key, None], game="leduc-nl")
    me.post(f"/api/hands/{key}/review")
    found = eventually(lambda: me.get(f"/api/hands/{key}").json()["review"], lambda review: review["status"] == "done")
    assert found["decisions"] == []


def rows(service, key):
    with service.database.session() as session:
        seats = session.scalars(select(HandSeat).where(HandSeat.hand_id == key).order_by(HandSeat.seat)).all()
        return session.get(Hand, key), seats, session.scalars(select(Decision).where(Decision.hand_id == key)).all()


def test_what_happens_when_a_hand_is_over(me, web):
    service = service_of(web)
    lucky = keep(service, dealt_out(SHORT, "AhKh QsQd 2c3c4d9h5s", 40, 0), [me.key, None])
    plain = keep(service, dealt_out(SHORT, "AhAd KsQd", -1), [None, me.key])
    with service.database.session() as session:  # as if nobody had looked at it yet
        session.execute(update(Hand).where(Hand.id == plain).values(adjusted=False))
        session.execute(update(HandSeat).where(HandSeat.hand_id == plain).values(adjusted=None))
    web.portal.call(hand_finished, service, lucky, False)
    web.portal.call(hand_finished, service, plain, True)
    eventually(lambda: rows(service, lucky)[0].adjusted, bool)
    _, seats, decisions = rows(service, lucky)
    assert [seat.adjusted for seat in seats] == pytest.approx([80 * 0.462145 - 40, 40 - 80 * 0.462145], abs=1e-3)
    assert not decisions
    eventually(lambda: rows(service, plain)[0].reviewed, bool)
    hand, seats, decisions = rows(service, plain)
    assert hand.adjusted
    assert [seat.adjusted for seat in seats] == [1, -1]
    assert [(decision.seat, decision.person_id) for decision in decisions] == [(1, me.key)]


def test_queues_are_bounded_and_urgent_hands_come_first(web, monkeypatch):
    service = service_of(web)
    most = 50
    for turns in service.follow_up._turns:
        monkeypatch.setattr(turns, "most", most)

    async def fill():
        behind = service.follow_up
        await asyncio.sleep(0)
        behind.review([f"file {n}" for n in range(2 * most)], FILES)
        files = len(behind.waiting)
        behind.review([f"hand {n}" for n in range(2 * most)], PATIENT)
        hands = len(behind.waiting) - files
        behind.review(["file 7"], URGENT)
        with pytest.raises(Busy):
            behind.review([f"urgent {n}" for n in range(2 * most)], URGENT)
        return files, hands, len(behind.waiting), behind.waiting["file 7"]

    assert web.portal.call(fill) == (most, most, 3 * most - 1, URGENT)
    eventually(lambda: service.follow_up.waiting, lambda waiting: not waiting)  # hands that are not there cost little


def test_hands_left_over_are_found_at_the_next_start(tmp_path):
    state = dealt_out(SHORT, "AhKh QsQd 2c3c4d9h5s", 40, 0)
    database = Database(f"sqlite:///{tmp_path / 'ludus.db'}")
    database.upgrade()
    key = keep(SimpleNamespace(database=database), state, [None, None])
    database.close()
    with local_client(tmp_path) as web:
        eventually(lambda: rows(service_of(web), key)[0].adjusted, bool)
        assert rows(service_of(web), key)[1][0].adjusted == pytest.approx(80 * 0.462145 - 40, abs=1e-3)

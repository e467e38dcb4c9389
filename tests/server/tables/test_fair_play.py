"""Nobody is helped with a hand that they play with other people, and asking tells nothing about anybody's cards."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.cards.card import CARDS, DECK, parse_cards
from ludus.games import holdem
from ludus.server.models import Drill, SpotRow, Upload, new_key
from ludus.server.tables.fair_play import NOT_NOW, alike
from server_hands import dealt_out, keep
from server_helpers import person, service_of
from server_tables import act, my_turn, new_table, play_out, ready, wait


@pytest.mark.parametrize(
    ("playing", "asked", "same"),
    [
        (("AhKh", ""), ("AhKh", ""), True),
        (("AhKh", ""), ("KsAs", ""), True),
        (("AhKh", ""), ("AhKd", ""), False),
        (("AhKh", ""), ("AcKc", "Qc7d2s"), True),
        (("AhKh", "Qh7d2s"), ("AhKh", "2s7dQh"), True),
        (("AhKh", "Qh7d2s"), ("AsKs", "Qs7h2d"), True),
        (("AhKh", "Qh7d2s"), ("AsKs", "Qh7d2s"), False),
        (("AhKh", "Qh7d2s"), ("AhKh", ""), True),
        (("AhKh", "Qh7d2s"), ("AhKh", "Qh7d2s9c"), True),
        (("AhKh", "Qh7d2s9c"), ("AhKh", "Qh7d2s"), True),
        (("AhKh", "Qh7d2s9c"), ("AhKh", "Qh7d2sTc"), False),
        (("AhKh", "Qh7d2s"), ("", "Qh7d2s"), True),
        (("AhKh", "Qh7d2s"), ("", "Qc7h2d"), True),
        (("AhKh", "Qh7d2s"), ("", "Qc7c2d"), False),
        (("AhKh", "Qh7d2s9c"), ("", "Qh7d2s9c3c"), True),
        (("AhKh", ""), ("", "Qh7d2s"), False),
        (("AhKh", "Qh7d2s"), ("", ""), False),
    ],
)
def test_what_is_alike(playing, asked, same):
    assert alike(*(tuple(map(parse_cards, each)) for each in (playing, asked))) is same


@given(st.permutations(DECK), st.permutations(range(4)), st.sampled_from([0, 3, 4, 5]), st.sampled_from([0, 3, 4, 5]))
def test_suits_that_are_renamed_change_nothing(deck, suits, now, then):
    renamed = [card // 4 * 4 + suits[card % 4] for card in deck]
    playing, asked = (tuple(deck[:2]), tuple(deck[2 : 2 + now])), (tuple(renamed[:2]), tuple(renamed[2 : 2 + then]))
    assert alike(playing, asked)


def renamed(cards):
    """Cards with every suit another one."""
    return [card[0] + "cdhs"["cdhs".index(card[1]) - 1] for card in cards]


@pytest.fixture
def asking(web, monkeypatch):
    """A server whose workers answer at once: advice has the cards that are asked about, spots are as they are told."""
    service = service_of(web)

    async def advise(person_id, question, helpers, ready):
        cards, board = question["text"].split("/")
        return json.dumps({"cards": cards, "board": board}).encode()

    async def run(job, asked, *rest, **options):
        if job == "review":
            return {"decisions": []}
        if job == "flop_row":
            return {"flop": asked["flop"], "hands": 1, "pot": 1, "ev": {}, "equity": {}, "lines": {}, "accuracy": {}}
        assert job == "check_spot"
        return {"spot": asked["spot"], "nodes": 1, "lines": 1, "decisions": 1, "hands": {}, "tables": 1,
                "memory": 1, "packed": False, "available": 1,
                "fits": True, "advice": None, "rivers": True, "fast": False}  # fmt: skip

    async def run_raw(job, asked, *rest, **options):
        return b"{}"

    async def draw(theme):
        return {"question": {"hand": asking.hand, "board": asking.board}, "solution": {"choices": []}}

    monkeypatch.setattr(service.advice_desk, "ask", advise)
    monkeypatch.setattr(service.drill_questions, "question", draw)
    monkeypatch.setattr(service.helpers, "run", run)
    monkeypatch.setattr(service.helpers, "run_raw", run_raw)
    monkeypatch.setattr(service.spot_solves, "begin", lambda row: None)
    return asking


asking.hand = asking.board = ()  # type: ignore[attr-defined]


def among_people(web, seats=3):
    """Two people in a hand, and the one who is to act."""
    ann, bob = person(web), person(web)
    view = new_table(ann, people=2, seats=seats, seconds=300)
    bob.post(f"/api/tables/{view['id']}/seats", json={"invite": view["invite"]})
    ann.post(f"/api/tables/{view['id']}/ready")
    ready(bob, view["id"])
    return ann, bob, view["id"]


def to_the_flop(ann, bob, table):
    while len((view := ann.get(f"/api/tables/{table}").json())["hand"]["board"]) < 3:
        for client in (ann, bob):
            mine = client.get(f"/api/tables/{table}").json()
            if mine["hand"]["legal"]:
                act(client, mine)
    return view


def statuses(web, client, hand, board):
    """What a person is answered who asks for help with some cards, in each way that there is."""
    service = service_of(web)
    asking.hand, asking.board = list(hand), list(board)
    text, spot = "".join(board), new_key()
    with service.database.session() as session:
        session.add(SpotRow(id=spot, person_id=client.key, spot={"board": " ".join(board)}, status="solved", file="x",
                            summary={"target": 1, "seconds": 1, "found": {}}))  # fmt: skip
        upload = Upload(person_id=client.key, name="x")
        session.add(upload)
        session.flush()
        upload_id = upload.id
    rest = "".join(CARDS[card] for card in DECK if CARDS[card] not in (*hand, *board))[:4]
    state = dealt_out(holdem(), f"{''.join(hand)}{rest}{text}", 0, 0, 2, -1) if board else None
    found = {"advice": client.post("/api/advice", json={"text": f"{''.join(hand)}/{text}"}).status_code}
    found["drill"] = client.post("/api/drills", json={"theme": "river-bet"}).status_code
    if state is not None:
        key = keep(service, state, [client.key, None], upload_id=upload_id)
        found["upload"] = client.get(f"/api/hands/{key}").status_code
        found["review"] = client.post(f"/api/hands/{key}/review").status_code
        found["background"] = 409 if service.follow_up._to_review(key) is None else 200
        found["equities"] = client.get(f"/api/hands/{key}/equities").status_code
        found["flops"] = client.post("/api/flops/row", json={"spot": {}, "flop": list(board)[:3]}).status_code
        found["check"] = client.post("/api/spots/check", json={"spot": {"board": text}}).status_code
        found["solve"] = client.post("/api/spots", json={"spot": {"board": text}}).status_code
        found["view"] = client.get(f"/api/spots/{spot}/view").status_code
        found["runouts"] = client.get(f"/api/spots/{spot}/runouts").status_code
        found["compare"] = client.get(f"/api/spots/{spot}/compare", params={"other": spot}).status_code
    return found


def test_no_help_with_the_own_hand_among_people_until_it_is_over(web, asking):
    ann, bob, table = among_people(web)
    view = ann.get(f"/api/tables/{table}").json()
    hole = view["chairs"][0]["cards"]
    assert set(statuses(web, ann, hole, []).values()) == {409}
    assert set(statuses(web, ann, renamed(hole), []).values()) == {409}
    flop = to_the_flop(ann, bob, table)["hand"]["board"]
    found = statuses(web, ann, hole, flop)
    assert len(found) == 12
    assert set(found.values()) == {409}
    assert set(statuses(web, ann, renamed(hole), renamed(flop)).values()) == {409}
    answer = ann.post("/api/advice", json={"text": f"{''.join(hole)}/"})
    assert answer.json()["detail"] == NOT_NOW
    other = [CARDS[card] for card in DECK if CARDS[card][0] not in {each[0] for each in (*hole, *flop)}]
    assert 409 not in statuses(web, ann, other[:2], other[4:7]).values()
    with service_of(web).database.session() as session:
        assert not [row for row in session.query(Drill).filter_by(person_id=ann.key) if row.question["hand"] == hole]
    ann.delete(f"/api/tables/{table}/seats/me")
    play_out(bob, bob.get(f"/api/tables/{table}").json())
    assert 409 not in statuses(web, ann, hole, flop).values()


def test_a_table_that_is_not_in_this_memory_counts(web, asking):
    """As it is after a restart, or when another server has the table: neither who hosts it nor who has only sat down
    there is helped."""
    ann, bob, table = among_people(web)
    tables = service_of(web).tables
    hand = tables.live[table].table.hand
    web.portal.call(tables.drop, tables.live[table])
    for client in (ann, bob):
        hole = [CARDS[card] for card in hand.state.hole(hand.people.index(client.key))]
        assert set(statuses(web, client, hole, []).values()) == {409}
    assert table not in tables.live
    stranger = person(web)
    assert 409 not in statuses(web, stranger, hole, []).values()


def test_a_flop_of_equal_cards_is_refused_in_words(web, asking):
    ann, _, _ = among_people(web)
    answer = ann.post("/api/flops/row", json={"spot": {}, "flop": ["2c", "2c", "2d"]})
    assert (answer.status_code, answer.json()["detail"]) == (422, "a flop is three different cards, got 2c 2c 2d")


def test_asking_tells_nothing_about_others_cards(web, asking):
    ann, bob, table = among_people(web)
    stranger = person(web)
    hand = service_of(web).tables.live[table].table.hand
    own = [CARDS[card] for card in hand.state.hole(hand.people.index(ann.key))]
    his = [CARDS[card] for card in hand.state.hole(hand.people.index(bob.key))]
    assert ann.post("/api/advice", json={"text": f"{''.join(own)}/"}).status_code == 409
    assert stranger.post("/api/advice", json={"text": f"{''.join(own)}/"}).status_code == 200
    if not alike((parse_cards("".join(own)), ()), (parse_cards("".join(his)), ())):
        assert ann.post("/api/advice", json={"text": f"{''.join(his)}/"}).status_code == 200


def test_help_is_there_against_the_ai(web, asking):
    ann = person(web)
    view = wait(ann, ready(ann, new_table(ann)["id"])["id"], my_turn)
    assert 409 not in statuses(web, ann, view["chairs"][0]["cards"], []).values()

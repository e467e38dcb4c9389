"""Drills by the API: real questions of the themes, their grades, the score, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import func, select
from starlette.testclient import TestClient

from ludus.cards.card import parse_card
from ludus.cards.ranges import CLASSES, class_of_combo, combo_index
from ludus.games import holdem
from ludus.server.learning.spot_presets import PRESETS
from ludus.server.models import Decision, Drill, HandSeat, new_key
from ludus.server.routes.drills import OPEN
from ludus.teach.drills.questions import draw
from ludus.teach.grading import GRADES, STANDARD
from server_hands import dealt_out, keep
from server_helpers import another, local_client, person, service_of

SECRET = ("ev", "chance", "grade", "loss", "solution", "strategy", "best")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with local_client(tmp_path_factory.mktemp("drills")) as client:
        client.get("/api/me")
        yield client


def asked(client: TestClient, theme: str) -> dict[str, Any]:
    answer = client.post("/api/drills", json={"theme": theme})
    assert answer.status_code == 201, answer.text
    question: dict[str, Any] = answer.json()
    return question


def keys_of(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for each in value.values() for key in keys_of(each)}
    return {key for each in value for key in keys_of(each)} if isinstance(value, list) else set()


def test_a_question_is_asked_answered_once_and_counted(client: TestClient) -> None:
    made = asked(client, "river-facing-bet")
    question = made["question"]
    assert not keys_of(made) & set(SECRET)  # nothing of what is right before the answer
    assert len(question["board"]) == 5
    assert len({*question["board"], *question["hand"]}) == 7
    assert question["to_call"] > 0
    assert question["needed"] == pytest.approx(question["to_call"] / (question["pot"] + question["to_call"]), rel=1e-3)
    assert [each["key"] for each in question["actions"]][:2] == ["F", "C"]
    assert client.post(f"/api/drills/{made['id']}/answer", json={"action": "B1"}).status_code == 422
    stranger = another(client)
    stranger.get("/api/me")
    assert stranger.get(f"/api/drills/{made['id']}").status_code == 404
    assert stranger.post(f"/api/drills/{made['id']}/answer", json={"action": "F"}).status_code == 404
    result = client.post(f"/api/drills/{made['id']}/answer", json={"action": "F"}).json()
    fold = result["choices"][0]
    assert (fold["key"], fold["ev"]) == ("F", pytest.approx(0, abs=1e-9))
    assert (result["grade"], result["loss"]) == (fold["grade"], fold["loss"])
    best = max(result["choices"], key=lambda each: each["ev"])
    assert result["best"] == best["key"]
    assert client.post(f"/api/drills/{made['id']}/answer", json={"action": "C"}).status_code == 409
    assert client.get(f"/api/drills/{made['id']}").json()["result"] == result
    score = client.get("/api/drills/score").json()
    assert score["answered"] == 1
    assert score["loss_per_answer"] == pytest.approx(result["loss"])
    assert score["curve"] == [
        {"answered": 1, "loss": pytest.approx(result["loss"]), "recent": pytest.approx(result["loss"])}
    ]
    themes = {each["key"]: each for each in client.get("/api/drills/themes").json()}
    assert themes["river-facing-bet"]["answered"] == 1
    assert themes["turn-barrel"]["answered"] == 0
    assert not themes["my-spots"]["available"]


CARDS_SEEN = {"river-bet": 7, "turn-barrel": 6, "flop-bet": 5, "flop-facing-bet": 5, "preflop-heads-up": 2}


@pytest.mark.parametrize("theme", CARDS_SEEN)
def test_questions_of_a_theme_are_sound(theme: str) -> None:
    drawn = draw(theme, seed=11)
    question, solution = drawn["question"], drawn["solution"]
    assert not keys_of(question) & set(SECRET)
    assert len({*question["board"], *question["hand"]}) == CARDS_SEEN[theme]
    assert len(question["against"]) == 1  # whom the equity is against
    assert {question["place"], *question["against"], *(step["place"] for step in question["line"])} <= {
        *question["places"]
    }
    assert len(question["places"]) == len(question["blinds"]) == question["players"]
    assert [each["key"] for each in solution["choices"]] == [each["key"] for each in question["actions"]]
    assert sum(each["chance"] for each in solution["choices"]) == pytest.approx(1, abs=1e-3)
    losses = [each["loss"] for each in solution["choices"]]
    assert min(losses) == 0
    for each in solution["choices"]:
        assert each["grade"] in GRADES
        assert (each["loss"] > 0) <= (each["chance"] < STANDARD.often)  # what the solution plays costs nothing
        pot = question["pot"] / question["big_blind"]
        if each["loss"] > 0:
            assert each["grade"] == STANDARD.grade(each["loss"], pot)
    assert max(row["reach"] for row in solution["grid"].values()) > 0.1
    assert all(len(row["strategy"]) == len(solution["choices"]) for row in solution["grid"].values())
    assert all(sum(row["strategy"]) == pytest.approx(1, abs=0.01) for row in solution["grid"].values())
    if theme == "turn-barrel":
        mine = [step for step in question["line"] if step["street"] == 1 and step["place"] == question["place"]]
        assert mine[-1]["key"] in ("bet", "raise", "all-in")


def test_charts_and_the_range_of_a_drill_before_the_flop_agree() -> None:
    """Charts have no call for who comes in first, which the blueprint has: both are from the charts."""
    drawn = [draw("preflop-six", seed=seed) for seed in (0, 4, 7)]
    for question, solution in ((each["question"], each["solution"]) for each in drawn):
        assert solution["source"] == "chart"
        row = solution["grid"][CLASSES[class_of_combo[combo_index(*map(parse_card, question["hand"]))]]]["strategy"]
        assert row == pytest.approx([each["chance"] for each in solution["choices"]], abs=0.01)


def test_ones_own_mistakes_are_drilled(client: TestClient) -> None:
    """A call that lost 1.5 big blinds, as its review has it: the same decision is asked once more."""
    mine = person(client)
    assert mine.post("/api/drills", json={"theme": "my-mistakes"}).status_code == 409
    state = dealt_out(holdem(), "7h2d KsQd Ac2c3c4d9h", 6, 0, 0, 8, 0, 0, 0, 0, 0)  # seat 0 calls a raise, and a bet
    keep(service_of(client), state, [mine.key, None])
    told = ((-1, "fold", 1.0, 0.0), (0, "call", 0.0, -3.0), (24, "raise to 24", 0.0, -6.0))
    choices = [
        {"action": action, "name": name, "chance": chance, "value": value, "error": 0.1, "best": value == 0}
        for action, name, chance, value in told
    ]
    advice = {
        "choices": choices, "opponents": [{"place": "BTN/SB"}], "needed": 0.25, "cards": "7h2d", "board": "Ac2c3c",
        "place": "BB", "accuracy": 0.02, "equity": 0.1, "source": "searched",
    }  # fmt: skip
    with service_of(client).database.session() as session:
        hand = session.scalar(select(HandSeat.hand_id).where(HandSeat.person_id == mine.key))
        row = Decision(hand_id=hand, step=4, seat=0, person_id=mine.key, street=1, action=0, grade="mistake", loss=1.5)
        row.advice = {"name": "call", "advice": advice, "difference": 1.5, "error": 0.1, "thought": 1.0}
        session.add(row)
    themes = {each["key"]: each for each in mine.get("/api/drills/themes").json()}
    assert themes["my-mistakes"]["available"]
    made = asked(mine, "my-mistakes")
    question = made["question"]
    assert not keys_of(made) & set(SECRET)
    assert (question["hand"], question["place"], question["street"]) == (["7h", "2d"], "BB", 1)
    assert (question["pot"], question["to_call"], question["big_blind"]) == (20, 8, 2)
    assert [each["key"] for each in question["actions"]] == ["F", "C", "B24"]
    result = mine.post(f"/api/drills/{made['id']}/answer", json={"action": "C"}).json()
    assert (result["best"], result["loss"]) == ("F", pytest.approx(1.5, abs=0.2))


def test_ones_own_spots_are_drilled(client: TestClient) -> None:
    person = another(client)
    person.get("/api/me")
    assert person.post("/api/drills", json={"theme": "my-spots"}).status_code == 409
    spot = person.post("/api/spots", json={"spot": PRESETS["river-polar"], "target": 0.1}).json()
    with person.websocket_connect(f"/api/spots/{spot['id']}/socket") as socket:
        while socket.receive_json()["type"] != "done":
            pass
    seen = set()
    for _ in range(8):
        made = asked(person, "my-spots")
        question = made["question"]
        assert question["big_blind"] == 10, "a pot of 100 chips is ten big blinds"
        seen.add(question["place"])
        hand = {card[0] for card in question["hand"]}
        assert hand <= ({"K"} if question["place"] == "OOP" else {"A", "Q"})
        key = question["actions"][-1]["key"]
        result = person.post(f"/api/drills/{made['id']}/answer", json={"action": key}).json()
        if hand == {"A"}:
            assert (key, result["best"], result["grade"]) == ("B100", "B100", "best")
    assert seen <= {"OOP", "IP"}
    assert person.get("/api/drills/score").json()["answered"] == 8


def test_questions_without_an_answer_do_not_pile_up(client: TestClient) -> None:
    service, person = service_of(client), client.get("/api/me").json()["id"]
    with service.database.session() as session:
        rows = [Drill(person_id=person, theme="river-bet", question={}, solution={}) for _ in range(OPEN + 5)]
        session.add_all(rows)
    made = asked(client, "river-facing-bet")
    with service.database.session() as session:
        chosen = select(func.count()).select_from(Drill).where(Drill.person_id == person, Drill.answered.is_(None))
        assert session.scalar(chosen) == OPEN
    assert client.get(f"/api/drills/{made['id']}").status_code == 200


def test_what_is_refused(client: TestClient) -> None:
    assert client.post("/api/drills", json={"theme": "nothing"}).status_code == 422
    assert client.post("/api/drills", json={"theme": "river-bet", "seed": 1}).status_code == 422
    assert client.get(f"/api/drills/{new_key()}").status_code == 404
    assert another(client).post("/api/drills", json={"theme": "river-bet"}).status_code == 401

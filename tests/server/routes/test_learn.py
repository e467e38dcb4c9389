"""Lessons by the API: known values of small games, committed moves, and what is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from ludus import games
from ludus.agents.equilibrium import equilibrium
from ludus.server.learning.rps_matches import MOST_ROUNDS, SHOWN, RpsMatch, RpsMatches
from ludus.server.models import new_key
from ludus.solvers import Evaluator
from ludus.solvers.matching import learnt, matched
from ludus.solvers.measure import action_values
from ludus.teach.lessons import leduc
from ludus.trees import flatten
from server_helpers import another, local_client, service_of

RPS = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
DOUBLED = [[0, -1, 2], [1, 0, -2], [-2, 2, 0]]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with local_client(tmp_path_factory.mktemp("learn")) as client:
        client.get("/api/me")
        yield client


def learn(client: TestClient, **asked: Any) -> list[dict[str, Any]]:
    answer = client.post("/api/learn/regret-matching", json=asked)
    assert answer.status_code == 200, answer.text
    points: list[dict[str, Any]] = answer.json()["points"]
    return points


@pytest.mark.parametrize(("payoffs", "theory"), [(RPS, [1 / 3] * 3), (DOUBLED, [0.4, 0.4, 0.2])])
def test_regret_matching_finds_the_equilibrium(client: TestClient, payoffs: list[Any], theory: list[float]) -> None:
    points = learn(client, payoffs=payoffs, iterations=50_000, seed=3)
    assert points[-1]["average"] == pytest.approx(theory, abs=0.01)
    assert points[-1]["exploitability"] < 0.02 < max(point["exploitability"] for point in points[:20])
    assert [point["iteration"] for point in points[:20]] == list(range(1, 21))
    assert len(points) <= 200
    again = learn(client, payoffs=payoffs, iterations=50_000, seed=3)
    assert again == points
    for before, after in pairwise(points[:20]):
        assert np.add(before["regrets"], after["gained"]) == pytest.approx(after["regrets"])
        assert after["mix"] == pytest.approx(matched(np.array(after["regrets"])).tolist())


def test_regret_matching_exploits_a_fixed_opponent(client: TestClient) -> None:
    for sampled in (True, False):
        points = learn(client, iterations=10_000, opponent=[0.3, 0.3, 0.4], sampled=sampled)
        assert points[-1]["average"][0] > 0.95
        assert points[-1]["value"] == pytest.approx(0.1, abs=0.005)  # rock wins 0.4 - 0.3
        assert points[-1]["opponent"]["average"] == pytest.approx([0.3, 0.3, 0.4])


@pytest.mark.parametrize("algorithm", ["cfr", "cfr+", "mccfr"])
def test_kuhn_comes_to_its_value_and_its_family(client: TestClient, algorithm: str) -> None:
    run = client.post("/api/learn/kuhn", json={"algorithm": algorithm, "iterations": 20_000, "seed": 5}).json()
    last, family = run["points"][-1], run["family"]
    assert run["exact_value"] == pytest.approx(-1 / 18)
    assert last["value"] == pytest.approx(-1 / 18, abs=2e-3)
    assert last["exploitability"] < (0.01 if algorithm == "mccfr" else 1e-3)
    assert 0 <= family["alpha"] <= 1 / 3
    assert family["equilibrium"]["K:cr"] == pytest.approx(family["alpha"] + 1 / 3)
    for name, bet in family["equilibrium"].items():
        assert last["strategy"][name] == pytest.approx(bet, abs=0.06)
    assert {each["name"] for each in run["sets"]} == set(last["strategy"])


def test_action_values_add_up_to_the_value_of_the_game() -> None:
    """At every first decision the mix of the actions' values is what the card is worth; all cards are the game."""
    flat = flatten(games.leduc())
    table = equilibrium("leduc").strategy.table(flat)
    values, value = action_values(flat, table), Evaluator(flat).evaluate(table).value[0]
    sets = flat.sets
    first = [
        at for at, (player, name) in enumerate(zip(sets.players.tolist(), sets.names, strict=True))
        if player == 0 and name in ("J:", "Q:", "K:")
    ]  # fmt: skip
    rows = [sets.by_action[sets.offsets[at] : sets.offsets[at + 1]] for at in first]
    worth = [float(table[row] @ values[row]) for row in rows]
    assert np.mean(worth) == pytest.approx(value, abs=1e-9)
    assert value == pytest.approx(-0.0856064, abs=1e-3)
    folds = [at for at, label in enumerate(sets.labels) if label == "fold"]
    assert (values[sets.by_action[folds]] <= -1).all()  # at least the ante is lost


def test_leduc_says_what_the_equilibrium_does(client: TestClient) -> None:
    first = client.get("/api/learn/leduc", params={"game": "leduc", "card": "K"}).json()
    assert [choice["key"] for choice in first["choices"]] == ["check", "bet"]
    assert sum(choice["chance"] for choice in first["choices"]) == pytest.approx(1, abs=1e-5)
    assert first["value"] == pytest.approx(first["choices"][0]["value"], abs=0.01)  # both are played: worth the same
    assert first["exploitability"] < 1e-3
    facing = client.get(
        "/api/learn/leduc", params={"game": "leduc", "card": "J", "board": "K", "betting": "crc/r"}
    ).json()
    assert facing["player"] == 1
    assert facing["choices"][0] | {"chance": 0} == {
        "key": "fold", "name": "fold", "action": "f", "to": None, "chance": 0, "value": 0,
    }  # fmt: skip
    waits = client.get("/api/learn/leduc", params={"game": "leduc", "card": "J", "betting": "cc"}).json()
    assert (waits["stage"], waits["betting"]) == ("board", "cc/")
    over = client.get("/api/learn/leduc", params={"game": "leduc", "card": "J", "betting": "rf"}).json()
    assert over["stage"] == "over"


@pytest.mark.slow
def test_no_limit_leduc_knows_every_multiple_of_the_ante() -> None:
    found = leduc("leduc-nl", card="A", board="A", betting="r300c/")
    assert [choice["to"] for choice in found["choices"]] == [None, *range(100, 1000, 100)]
    assert found["exploitability"] < 0.1
    assert found["value"] > found["pot"]  # the best hand there is


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("regret-matching", {"iterations": 10**9}),
        ("regret-matching", {"payoffs": [[0, 1], [1, 0]]}),
        ("regret-matching", {"payoffs": [[float("nan")] * 3] * 3}),
        ("regret-matching", {"payoffs": [[1e300] * 3] * 3}),
        ("regret-matching", {"opponent": [0, 0, 0]}),
        ("regret-matching", {"seed": -1}),
        ("kuhn", {"algorithm": "magic"}),
        ("kuhn", {"iterations": 0}),
        ("kuhn", {"more": 1}),
    ],
)
def test_lessons_have_limits(client: TestClient, path: str, body: dict[str, Any]) -> None:
    headers = {"content-type": "application/json"}
    answer = client.post(f"/api/learn/{path}", content=json.dumps(body), headers=headers)
    assert answer.status_code == 422
    assert isinstance(answer.json()["detail"], str)


@pytest.mark.parametrize(
    "asked",
    [{"card": "Z"}, {"card": "K", "betting": "hello"}, {"card": "K", "betting": "ccc/c"}, {"card": "K", "game": "x"}],
)
def test_states_of_leduc_that_are_none(client: TestClient, asked: dict[str, str]) -> None:
    assert client.get("/api/learn/leduc", params={"game": "leduc", **asked}).status_code == 422


def test_a_match_is_committed_before_and_opened_after(client: TestClient) -> None:
    match = client.post("/api/rps", json={"opponent": "biased"}).json()
    for number in range(1, 6):
        bound = match["commitment"]
        assert "theirs" not in match
        match = client.post(f"/api/rps/{match['id']}", json={"move": "paper", "round": number}).json()
        last = match["last"]
        assert last["commitment"] == bound == hashlib.sha256(f"{last['salt']}:{last['theirs']}".encode()).hexdigest()
        assert last["result"] == {"rock": "won", "paper": "tied", "scissors": "lost"}[last["theirs"]]
        assert last["mix"] == [0.5, 0.3, 0.2]
    assert sum(match["score"][name] for name in ("won", "tied", "lost")) == 5
    assert client.get(f"/api/rps/{match['id']}").json() == match
    twice = client.post(f"/api/rps/{match['id']}", json={"move": "paper", "round": 5})
    assert twice.status_code == 409
    stranger = another(client)
    stranger.get("/api/me")
    assert stranger.get(f"/api/rps/{match['id']}").status_code == 404
    assert client.get(f"/api/rps/{new_key()}").status_code == 404
    assert client.post(f"/api/rps/{match['id']}", json={"move": "lizard"}).status_code == 422


def test_the_learner_learns(client: TestClient) -> None:
    match = client.post("/api/rps", json={"opponent": "learner"}).json()
    for _ in range(12):
        match = client.post(f"/api/rps/{match['id']}", json={"move": "rock"}).json()
    mixes = [each["mix"] for each in match["rounds"]]
    assert mixes[0] == pytest.approx([1 / 3] * 3)
    assert mixes[1] == pytest.approx([0, 1, 0])  # only paper would have done better
    assert mixes[-1][1] == pytest.approx(1)
    assert match["score"]["lost"] >= 10
    kept = service_of(client).rps_matches.get(match["id"], client.get("/api/me").json()["id"])
    assert kept is not None
    kept.results *= MOST_ROUNDS
    assert client.post(f"/api/rps/{match['id']}", json={"move": "rock"}).status_code == 409


def test_matches_are_bounded_and_own() -> None:
    matches, kept = RpsMatches(most=2), [RpsMatch("me", "equilibrium") for _ in range(3)]
    for match in kept:
        matches.add(match)
    assert [matches.get(match.id, "me") is None for match in kept] == [True, False, False]
    assert matches.get(kept[2].id, "you") is None


def test_a_long_match_is_scored_whole_and_remembered_in_part() -> None:
    match = RpsMatch("me", "equilibrium")
    match.commit()
    for _ in range(SHOWN + 10):
        match.play("rock")
    shown = match.shown()
    assert sum(shown["score"][result] for result in ("won", "tied", "lost")) == SHOWN + 10
    assert [each["round"] for each in shown["rounds"]] == list(range(11, SHOWN + 11))
    assert shown["round"] == SHOWN + 11


def test_regret_matching_by_hand() -> None:
    """Hart & Mas-Colell: after rock against a uniform mix, paper is regretted by 1 and scissors not at all."""
    payoffs = np.array(RPS, float)[:, 0]
    regrets = learnt(np.zeros(3), payoffs)
    assert regrets.tolist() == [0, 1, -1]
    assert matched(learnt(regrets, payoffs)).tolist() == [0, 1, 0]

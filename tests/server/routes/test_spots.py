"""Study by the API: solving, looking, locks, comparing, who may do what, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ludus.server.learning.spot_presets import PRESETS
from ludus.server.learning.spot_solves import MOST_AT_ONCE
from ludus.server.models import SpotRow, new_key
from ludus.solvers.spot.solve import solve_spot
from ludus.teach.spots import study
from ludus.trees.spot import Spot
from server_helpers import another, local_client, service_of

POLAR = PRESETS["river-polar"]
RIVER = {
    "board": "Ks Th 6h 4c 2s", "pot": 100, "stack": 200, "oop": "22+, ATs+, KTs+, QTs+, J9s+, AJo+, KQo",
    "ip": "22+, A2s+, KTs+, QTs+, JTs, AJo+, KQo", "sizes": {"river": {"bet": "75%", "raise": "a"}},
}  # fmt: skip


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with local_client(tmp_path_factory.mktemp("spots")) as client:
        client.get("/api/me")
        yield client


def solved(client: TestClient, spot: dict[str, Any], **asked: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A spot solved by the API, followed to its end: the spot and all messages."""
    made = client.post("/api/spots", json={"spot": spot, "seconds": 60, **asked})
    assert made.status_code == 201, made.text
    messages = followed(client, made.json()["id"])
    assert messages[-1]["info"]["status"] == "solved", messages[-1]
    return messages[-1]["info"], messages


def followed(client: TestClient, key: str) -> list[dict[str, Any]]:
    messages = []
    with client.websocket_connect(f"/api/spots/{key}/socket") as socket:
        while not messages or messages[-1]["type"] != "done":
            messages.append(socket.receive_json())
    return messages


@pytest.fixture(scope="module")
def river(client: TestClient) -> dict[str, Any]:
    return solved(client, RIVER, name="a river", target=0.3)[0]


def test_a_spot_is_solved_to_its_target_and_worth_what_the_solver_says(client: TestClient) -> None:
    info, messages = solved(client, RIVER, name="  a river ", target=0.3)
    steps = [message for message in messages if message.get("percent") is not None]
    assert info["name"] == "a river"
    assert info["mine"]
    assert steps[-1]["percent"] == info["progress"][-1]["percent"] <= 0.3 < steps[0]["percent"]
    run = solve_spot(Spot.from_dict(RIVER), target=0.3)
    assert info["summary"]["stopped_by"] == "target"
    assert info["summary"]["ev"]["oop"] == pytest.approx(run.measured.ev[0])
    assert info["summary"]["percent"] == pytest.approx(run.measured.percent)
    assert Spot.from_dict(info["spot"]) == Spot.from_dict(RIVER)
    assert followed(client, info["id"])[:-1] == steps  # whoever comes late is told all of it


def test_the_polar_river_is_as_theory_has_it(client: TestClient) -> None:
    """AA or QQ against KK, a pot-sized bet: all of AA and half of QQ bet, KK calls half of the time."""
    info, _ = solved(client, POLAR, target=0.05)
    key = info["id"]
    bet = client.get(f"/api/spots/{key}/view", params={"line": "X"}).json()
    assert bet["player"] == "ip"
    assert [each["word"] for each in bet["next"]] == ["X", "B100"]
    assert bet["classes"]["ip"]["AA"]["strategy"][1] == pytest.approx(1, abs=0.01)
    assert bet["classes"]["ip"]["QQ"]["strategy"][1] == pytest.approx(0.5, abs=0.01)
    call = client.get(f"/api/spots/{key}/view", params={"line": "x-r100"}).json()
    assert call["line"] == "X-B100"
    assert call["classes"]["oop"]["KK"]["strategy"] == pytest.approx([0.5, 0.5], abs=0.01)
    assert call["hands"]["oop"]["KsKh"]["action_ev"] == pytest.approx([0, 0], abs=1)
    assert [step["taken"] for step in call["path"]] == ["X", "B100"]
    assert call["path"][1]["frequencies"][1] == pytest.approx(0.75, abs=0.01)
    assert call["bets"] == {"oop": 0, "ip": 100}
    assert info["summary"]["ev"]["ip"] == pytest.approx(75, abs=0.1)
    end = client.get(f"/api/spots/{key}/view", params={"line": "X-B100-F"}).json()
    assert (end["kind"], end["result"]) == ("end", {"how": "fold", "winner": "ip"})


def test_a_locked_decision_stays_locked_and_the_rest_adapts(client: TestClient, river: dict[str, Any]) -> None:
    lock = {"line": "B75", "play": {"F": 0.9, "C": 0.1, "B200": 0}}
    info, _ = solved(client, {**RIVER, "lock": [lock]}, parent=river["id"], target=0.3)
    assert info["parent"] == river["id"]
    view = client.get(f"/api/spots/{info['id']}/view", params={"line": "B75"}).json()
    assert view["frequencies"] == pytest.approx([0.9, 0.1, 0], abs=1e-3)
    assert all(row["strategy"] == pytest.approx([0.9, 0.1, 0], abs=1e-3) for row in view["hands"]["ip"].values())
    both = client.get(f"/api/spots/{river['id']}/compare", params={"other": info["id"]}).json()
    assert both["ev_difference"]["oop"] > 5  # who knows that the other folds bets
    before, after = (tree["frequencies"][1] for tree in both["trees"])
    assert after > before + 0.3
    other, _ = solved(client, POLAR)
    refused = client.get(f"/api/spots/{river['id']}/compare", params={"other": other["id"]})
    assert refused.status_code == 422
    assert "pot" in refused.json()["detail"] or "board" in refused.json()["detail"]


def test_a_turn_has_cards_and_a_report_of_them(client: TestClient) -> None:
    turn = {
        "board": "Ks Kh 6h 6s", "pot": 100, "stack": 100, "oop": "AA, QQ", "ip": "JJ, 55",
        "sizes": {"turn": {"bet": "a"}, "river": {"bet": "a"}},
    }  # fmt: skip
    info, _ = solved(client, turn, target=1)
    view = client.get(f"/api/spots/{info['id']}/view", params={"line": "X-X"}).json()
    assert view["kind"] == "card"
    assert len(view["cards"]) == 48
    assert view["like"]["2d"] == "2c"  # suits that the board does not tell apart
    report = client.get(f"/api/spots/{info['id']}/runouts", params={"line": "X-X"}).json()
    assert {row["card"] for row in report["cards"]} == set(view["cards"])
    assert sum(row["share"] for row in report["cards"]) == pytest.approx(1, abs=1e-3)
    jack = next(row for row in report["cards"] if row["card"] == "Jc")
    deuce = next(row for row in report["cards"] if row["card"] == "2c")
    assert jack["equity"]["ip"] > deuce["equity"]["ip"] + 0.1
    here = client.get(f"/api/spots/{info['id']}/view", params={"line": "X-X-Jc"}).json()
    assert here["ev"]["ip"] == pytest.approx(jack["ev"]["ip"], rel=1e-4)
    all_in = client.get(f"/api/spots/{info['id']}/view", params={"line": "B100-C"}).json()
    assert (all_in["kind"], all_in["all_in"]) == ("card", True)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Q", "write one of X, B75"),
        ("B75-B200-C-X", "the hand is over"),
        ("B74", "not possible"),
        ("-" * 900 + "F", "F"),
    ],
)
def test_lines_that_are_none_are_refused_in_words(
    client: TestClient, river: dict[str, Any], line: str, told: str
) -> None:
    answer = client.get(f"/api/spots/{river['id']}/view", params={"line": line})
    assert answer.status_code == 422
    assert told in answer.json()["detail"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"board": "Ks Ks 2h"}, "repeats Ks"),
        ({"pot": 0}, "pot"),
        ({"pot": float("nan")}, "pot"),
        ({"stack": 10**400}, "stack"),
        ({"oop": "nonsense"}, "oop"),
        ({"oop": "KsTh"}, "no hand left"),
        ({"ip": [0.5, float("inf")]}, "ip"),
        ({"surprise": 1}, "surprise"),
        ({"sizes": {"river": {"bet": "75%" + ", 1c" * 20_000}}}, "size"),
        ({"lock": [{"line": "B75", "play": {"F": float("nan"), "C": 1}}]}, "lock"),
        ({"lock": [{"line": "B1", "play": {"F": 1}}]}, "B1"),
        ({"board": [[["Ks"]]]}, "board"),
        ({"rake": "90%"}, "rake"),
    ],
)
def test_spots_that_are_none_are_refused_in_words(client: TestClient, change: dict[str, Any], told: str) -> None:
    for path in ("/api/spots", "/api/spots/check"):
        body = json.dumps({"spot": {**RIVER, **change}})
        answer = client.post(path, content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 422, (path, answer.text)
        assert told in answer.json()["detail"]


def test_a_huge_spot_is_refused_with_what_would_make_it_fit(client: TestClient) -> None:
    sizes = {street: {"bet": "33%, 66%, 100%, a", "raise": "60%, a"} for street in ("flop", "turn", "river")}
    huge = {"board": "Qh 7h 2c", "pot": 10, "stack": 1000, "oop": "22+, A2s+", "ip": "22+, A2s+", "sizes": sizes}
    checked = client.post("/api/spots/check", json={"spot": {**huge, "raise_cap": 1}}).json()
    assert not checked["fits"]
    assert checked["memory"] > checked["available"]
    answer = client.post("/api/spots", json={"spot": {**huge, "raise_cap": 1}})
    assert answer.status_code == 422
    assert "it fits with one bet and one raise size each" in answer.json()["detail"]
    endless = client.post("/api/spots/check", json={"spot": huge | {"stack": 10**9, "pot": 1}})
    assert endless.status_code == 422
    assert client.get("/api/status").status_code == 200


def test_rivers_that_are_not_kept_are_solved_where_one_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turn = {
        "board": "Ks Th 6h 4c", "pot": 60, "stack": 270, "oop": "QQ, JJ, 99, AhKh, KQs, QJs, 9h8h",
        "ip": "AA, KK, TT, AKs, A5s, KTs, QJs, 87s",
        "sizes": {"turn": {"bet": "66%"}, "river": {"bet": "75%", "raise": "a", "oop": {"donk": "33%"}}},
        "lock": [{"line": "X-B40-C-2c-X", "play": {"X": 0.5, "B105": 0.5}}],
    }  # fmt: skip
    job = {"spot": turn, "target": 0.1, "seconds": 20, "file": str(tmp_path / "whole")}
    whole = study.solve(**job, report=print)
    monkeypatch.setattr(study, "MOST_FILE", 0)
    small = study.solve(**job | {"file": str(tmp_path / "small")}, report=print)
    assert (whole["summary"]["rivers"], small["summary"]["rivers"]) == (True, False)
    assert small["size"] < whole["size"] / 5
    for line in ("X-B40-C-2c", "X-X-Kh", "X-B40-C-2c-X", "X-X-Kh-B45-B270", "X-B40-C-Ac-B46-B230"):
        views = [study.view(str(tmp_path / name), line) for name in ("whole", "small")]
        for name in ("line", "board", "pot", "stacks", "bets", "player", "actions", "names"):
            assert views[0][name] == views[1][name]
        assert views[1]["ev"]["oop"] + views[1]["ev"]["ip"] == pytest.approx(views[1]["pot"], rel=1e-3)
        if line[-2:] in ("2c", "Kh"):  # what comes later may hardly ever come
            assert views[1]["ev"]["oop"] == pytest.approx(views[0]["ev"]["oop"], abs=0.02 * views[0]["pot"])
            assert views[1]["combos"]["ip"] == pytest.approx(views[0]["combos"]["ip"], rel=1e-3)
        assert [step["taken"] for step in views[1]["path"]] == line.split("-")
    locked = study.view(str(tmp_path / "small"), "X-B40-C-2c-X")
    assert locked["frequencies"] == pytest.approx([0.5, 0.5], abs=1e-3)
    assert "B46" in study.view(str(tmp_path / "small"), "X-B40-C-2d")["actions"]
    reports = [study.runouts(str(tmp_path / name), "X-X") for name in ("whole", "small")]
    for one, two in zip(*(report["cards"] for report in reports), strict=True):
        assert (one["card"], one["equity"]) == (two["card"], two["equity"])
        assert two["ev"] == {"oop": None, "ip": None}


@pytest.mark.parametrize(
    "asked",
    [{"target": 0}, {"target": float("nan")}, {"seconds": 1e9}, {"name": "x" * 121}, {"parent": "x"}, {"more": 1}],
)
def test_limits_of_a_run(client: TestClient, asked: dict[str, Any]) -> None:
    body = json.dumps({"spot": POLAR, **asked})
    answer = client.post("/api/spots", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422


def test_whoever_knows_the_id_may_look_and_only_the_owner_may_change(client: TestClient, river: dict[str, Any]) -> None:
    key, guest = river["id"], another(client)
    assert guest.get(f"/api/spots/{key}").json()["mine"] is False
    assert guest.get(f"/api/spots/{key}/view").status_code == 200
    assert guest.post("/api/spots", json={"spot": POLAR}).status_code == 401
    guest.get("/api/me")
    assert guest.get("/api/spots").json() == []
    assert guest.patch(f"/api/spots/{key}", json={"name": "mine"}).status_code == 403
    assert guest.delete(f"/api/spots/{key}").status_code == 403
    assert guest.post(f"/api/spots/{key}/cancel").status_code == 403
    assert guest.post(f"/api/spots/{key}/solve").status_code == 403
    assert client.patch(f"/api/spots/{key}", json={"name": "ours"}).json()["name"] == "ours"
    assert guest.get(f"/api/spots/{new_key()}").status_code == 404
    assert guest.get("/api/spots/short").status_code == 422


SLOW = {
    **RIVER, "board": "Qh 7h 2c", "oop": "AA, KK", "ip": "QQ, JJ", "raise_cap": 1,
    "sizes": {street: {"bet": "75%", "raise": "60%"} for street in ("flop", "turn", "river")}, "stack": 1000,
    "rake": "1%",  # so that there is no estimate
}  # fmt: skip
FLOP = {
    **RIVER, "board": "Qh 7h 2c", "raise_cap": 1, "sizes": {"flop": {"bet": "50%"}, "turn": {"bet": "75%"}},
}  # fmt: skip


def test_cancelling_keeps_nothing_and_only_so_many_are_solved_at_once(client: TestClient) -> None:
    folder, asked = service_of(client).spot_solves.folder, {"spot": SLOW, "target": 0.05, "seconds": 120}
    first, *others = (client.post("/api/spots", json=asked).json()["id"] for _ in range(MOST_AT_ONCE))
    assert client.post("/api/spots", json={"spot": POLAR}).status_code == 429
    assert client.get(f"/api/spots/{first}/view").status_code == 409
    for key in others:
        assert client.delete(f"/api/spots/{key}").status_code == 204
        assert client.get(f"/api/spots/{key}").status_code == 404
    assert client.post(f"/api/spots/{first}/solve").status_code == 409
    assert client.post(f"/api/spots/{first}/cancel").json()["status"] == "cancelled"
    assert client.post(f"/api/spots/{first}/cancel").status_code == 409
    assert followed(client, first)[-1]["info"]["status"] == "cancelled"
    assert not list(folder.glob(f"{first}*"))
    info, _ = solved(client, POLAR)  # by a new process
    assert (folder / f"{info['id']}.solution").stat().st_size == info["size"]
    client.delete(f"/api/spots/{info['id']}")
    assert not (folder / f"{info['id']}.solution").exists()


def test_a_flop_has_an_estimate_until_it_is_solved(client: TestClient, river: dict[str, Any]) -> None:
    folder = service_of(client).spot_solves.folder
    key = client.post("/api/spots", json={"spot": FLOP, "target": 0.05, "seconds": 120}).json()["id"]
    with client.websocket_connect(f"/api/spots/{key}/socket") as socket:
        while (message := socket.receive_json())["type"] == "progress":
            pass
        assert message["type"] == "estimate"
        look_at_estimate(client, key, message["estimate"])
        for path in ("runouts?line=X-X", f"compare?other={river['id']}"):
            assert client.get(f"/api/spots/{key}/{path}").status_code == 409
        assert client.post(f"/api/spots/{key}/cancel").json()["estimate"] is None
        while socket.receive_json()["type"] != "done":
            pass
    assert client.get(f"/api/spots/{key}/view").status_code == 409
    assert not list(folder.glob(f"{key}*"))


def look_at_estimate(client: TestClient, key: str, figures: dict[str, Any]) -> None:
    assert 0 < figures["loss_mean"] <= figures["loss_p95"] < 10
    assert client.get(f"/api/spots/{key}").json()["estimate"] == figures
    view = client.get(f"/api/spots/{key}/view", params={"line": "X"}).json()
    assert (view["estimate"], view["exploitability_percent"], view["player"]) == (figures, None, "ip")
    assert view["ev"]["oop"] + view["ev"]["ip"] == pytest.approx(FLOP["pot"], abs=0.1)
    end = client.get(f"/api/spots/{key}/view", params={"line": "X-X"}).json()
    assert (end["kind"], end["result"]["how"]) == ("end", "street")


def test_the_solution_takes_the_place_of_the_estimate(client: TestClient) -> None:
    spot = FLOP | {"oop": "AA, KK, 76s", "ip": "QQ, JJ, AKs"}
    info, messages = solved(client, spot, target=1)
    assert {message["type"] for message in messages} <= {"estimate", "progress", "done"}
    view = client.get(f"/api/spots/{info['id']}/view").json()
    assert (info["estimate"], view["estimate"]) == (None, None)
    assert view["exploitability_percent"] <= 1
    checked = [
        client.post("/api/spots/check", json={"spot": each}).json()["fast"]
        for each in (spot, RIVER, spot | {"rake": "5%"})
    ]
    assert checked == [True, False, False]


def test_an_unfinished_solve_of_an_earlier_server_is_taken_up_again(client: TestClient) -> None:
    service, person = service_of(client), client.get("/api/me").json()["id"]
    with service.database.session() as session:
        row = SpotRow(person_id=person, spot=POLAR, status="solving", summary={"target": 0.5, "seconds": 30})
        session.add(row)
    stray = service.spot_solves.folder / ".ludus-1-1.tmp"
    stray.write_bytes(b"half")
    others = service.spot_solves.folder / f"{new_key()}.solution"  # of another database's server
    others.write_bytes(b"whole")
    assert client.portal is not None
    client.portal.call(service.spot_solves.start)  # as when a server starts
    assert not stray.exists()
    assert others.exists()
    assert followed(client, row.id)[-1]["info"]["status"] == "solved"
    assert client.post(f"/api/spots/{row.id}/solve").status_code == 409


def test_ranges_are_read_and_written(client: TestClient) -> None:
    found = client.post("/api/ranges", json={"text": "QQ+, AKs:50%"}).json()
    assert found["text"] == "QQ+, AKs:0.5"
    assert found["weights"] == {"AA": 1, "KK": 1, "QQ": 1, "AKs": 0.5}
    assert found["combos"] == 20
    assert client.post("/api/ranges", json={"weights": found["weights"]}).json() == found
    for bad in ({"text": "XX"}, {"weights": {"ZZ": 1}}, {"weights": {"AA": 2}}, {}, {"text": "2" * 40_000}):
        assert client.post("/api/ranges", json=bad).status_code == 422


def test_the_presets_fit(client: TestClient) -> None:
    for preset in client.get("/api/spots/presets").json():
        found = client.post("/api/spots/check", json={"spot": preset["spot"]}).json()
        assert found["fits"], preset["key"]
        assert Spot.from_dict(found["spot"]) == Spot.from_dict(preset["spot"])

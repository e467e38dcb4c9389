"""Files of hands from elsewhere: read, kept, reviewed, and not trusted."""

import re
import time
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select, update

from ludus.cards.equity import as_range, equity
from ludus.games import holdem
from ludus.protocols.histories import PlayedHand, write_phhs
from ludus.server.hands import uploads as uploading
from ludus.server.models import Decision, Hand, HandSeat, Upload
from ludus.server.work.jobs.hands import read_hands
from paths import TESTS
from server_hands import dealt_out
from server_helpers import another, person, service_of

DATA = TESTS / "data" / "review"
SHORT = holdem(stack=40)


def upload(client, text, **asked):
    data = text if isinstance(text, bytes) else text.encode()
    return client.post("/api/uploads", params=asked, content=data, headers={"Content-Type": "text/plain"})


def report_of(client, key, statuses=("done", "failed"), seconds=240.0):
    """A file once it has been read and reviewed: workers may have to compile first."""
    end = time.monotonic() + seconds
    while (found := client.get(f"/api/uploads/{key}").json())["status"] not in statuses:
        assert time.monotonic() < end, f"still {found!r:.500}"
        time.sleep(0.05)
    return found


def hands_text(*hands):
    return write_phhs(
        PlayedHand(state, names, number, venue="=somewhere") for number, (state, names) in enumerate(hands, 1)
    )


def test_a_file_that_ends_while_it_is_looked_at_keeps_its_reason(me, web, monkeypatch):
    service = service_of(web)
    key = uploading.create(service, me.key, "mine.phhs")

    def ends_now(*_: object) -> bool:
        uploading._fail(service, key, "its own reason")
        return True

    monkeypatch.setattr(uploading, "is_lost", ends_now)
    assert me.get(f"/api/uploads/{key}").json()["error"] == "its own reason"


def test_hands_without_the_player_are_counted_apart(me, web):
    played = dealt_out(SHORT, "AhAd 7s2d", 40, -1)
    text = hands_text((played, ("hero", "villain")), (played, ("hero", "other")), (played, ("villain", "other")))
    found = report_of(me, upload(me, text, hero="hero").json()["id"])
    assert (found["read"], found["mine"], len(found["hands"])) == (3, 2, 2)


def test_a_file_is_read_and_reviewed(me, web):
    names = ("hero", "villain")
    hands = [
        (dealt_out(SHORT, "AhAd 7s2d", 40, -1), names),  # aces fold to an all-in
        (dealt_out(SHORT, "7s2d AhAd Kc8c3d4h9s", 40, 0), names),  # seven-two calls one
        (dealt_out(SHORT, "7s2d AhAd", -1), names[::-1]),  # aces fold on the button
    ]
    started = upload(me, hands_text(*hands), name="mine.phhs", hero="hero")
    assert started.status_code == 202, started.text
    found = report_of(me, started.json()["id"])
    assert (found["status"], found["error"]) == ("done", None)
    assert (found["name"], found["hero"], found["players"]) == ("mine.phhs", "hero", ["hero", "villain"])
    assert (found["read"], found["done"], found["total"], found["problems"]) == (3, 3, 3, [])
    summary = found["report"]["summary"]
    assert summary["grades"] == {"best": 0, "fine": 0, "inaccuracy": 0, "mistake": 0, "blunder": 3}
    assert (summary["hands"], summary["decisions"]) == (3, 3)
    assert summary["loss"] == pytest.approx(sum(row["loss"] for row in found["hands"]))
    assert {
        group: {(row["kind"], row["decisions"], row["errors"]) for row in rows}
        for group, rows in found["report"]["leaks"].items()
    } == {
        "street": {("pre-flop", 3, 3)},
        "position": {("BB", 2, 2), ("BTN/SB", 1, 1)},
        "situation": {("pre-flop, facing a raise", 2, 2), ("pre-flop, first in", 1, 1)},
        "tendency": {("folds too much", 2, 2), ("calls too much", 1, 1)},
    }
    losses = [row["loss"] for row in found["report"]["worst"]]
    assert losses == sorted((row["loss"] for row in found["hands"]), reverse=True)
    assert [row["number"] for row in found["hands"]] == [3, 2, 1]
    _, called, _ = found["hands"]
    assert (called["cards"], called["net"], called["place"]) == (["7s", "2d"], -40, "BB")
    share = equity([as_range("7s2d"), as_range("AhAd")]).equity[0]
    assert called["adjusted"] == pytest.approx(80 * share - 40)
    listed = me.get("/api/hands", params={"upload": found["id"]}).json()["hands"]
    assert listed == found["hands"]
    assert me.get("/api/statistics").json()["hands"] == 0  # played elsewhere
    elsewhere = me.get("/api/statistics", params={"upload": found["id"]}).json()
    assert (elsewhere["hands"], elsewhere["grades"]["decisions"]) == (3, 3)
    assert [row["status"] for row in me.get("/api/uploads").json()] == ["done"]


def test_other_people_have_nothing_to_do_with_it(web):
    owner, other = person(web), person(web)
    key = upload(owner, hands_text((dealt_out(SHORT, "AhAd 7s2d", -1), ("a", "b")))).json()["id"]
    hand = report_of(owner, key)["hands"][0]["id"]
    assert other.get(f"/api/uploads/{key}").status_code == 404
    assert other.delete(f"/api/uploads/{key}").status_code == 404
    assert other.get(f"/api/hands/{hand}").status_code == 404
    assert other.get("/api/uploads").json() == []
    assert another(web).get(f"/api/uploads/{key}").status_code == 401
    seats = owner.get(f"/api/hands/{hand}").json()["seats"]
    assert [seat["cards"] for seat in seats] == [["Ah", "Ad"], ["7s", "2d"]]  # the file told it
    assert owner.delete(f"/api/uploads/{key}").status_code == 204
    assert owner.get(f"/api/hands/{hand}").status_code == 404
    with service_of(web).database.session() as session:
        for table, column in ((HandSeat, HandSeat.hand_id), (Decision, Decision.hand_id)):
            assert session.scalar(select(func.count()).select_from(table).where(column == hand)) == 0


@pytest.mark.parametrize(
    ("text", "asked", "why"),
    [
        ("nothing of poker", {}, "no file of hands"),
        (b"\xff\xfe\x00\x01", {}, "no file of hands"),
        ("variant = 'PO'", {}, ""),
        (hands_text((dealt_out(SHORT, "AhAd 7s2d", -1), ("a", "b"))), {"hero": "nobody"}, "'nobody' does not play"),
    ],
)
def test_files_that_cannot_be_read(me, text, asked, why):
    key = upload(me, text, **asked).json()["id"]
    found = report_of(me, key)
    if why:
        assert found["status"] == "failed"
        assert why in found["error"]
    else:
        assert (found["status"], found["total"]) == ("done", 0)
        assert "hold'em" in found["problems"][0]["why"]


def test_requests_that_are_refused(me, web):
    assert upload(me, "").status_code == 422
    assert upload(me, " \0 ").status_code == 422
    assert upload(me, "x" * 2_000_001).status_code == 413
    assert upload(me, "x", name="n" * 121).status_code == 422
    assert upload(another(web), "x").status_code == 401
    assert me.get("/api/uploads/nothing").status_code == 404


def test_hostile_names_stay_names(me):
    found = report_of(me, upload(me, (DATA / "hostile.phh").read_text(), name="<b>\0\ud7ff").json()["id"])
    assert found["status"] == "done"
    assert found["name"] == "<b>\ud7ff"
    assert "<script>alert(1)</script>" in found["players"]
    csv = me.get("/api/hands.csv", params={"upload": found["id"]})
    assert csv.status_code == 200
    assert me.get(f"/api/hands/{found['hands'][0]['id']}").status_code == 200


def test_names_are_kept_without_signs_that_cannot_be_shown():
    names = 'players = ["a\\u0000x", "b\\ny"]\n'
    text = hands_text((dealt_out(SHORT, "AhAd 7s2d", -1), ("a", "b")))
    found = told(re.sub("players = .*\n", lambda _: names, text))
    assert found["players"] == ["a?x", "b?y"]


def test_a_person_keeps_so_many_files(me, monkeypatch):
    monkeypatch.setattr(uploading, "MOST_FILES", len(me.get("/api/uploads").json()))
    answer = upload(me, "x")
    assert answer.status_code == 409
    assert "delete one first" in answer.json()["detail"]


def told(text, hero=""):
    """What the job makes of a text."""
    parts = []
    found = read_hands(parts.append, text, hero, 100, "person", "upload")
    return found | {"hands": [rows for part in parts for rows in part["hands"]]}


def test_matches_and_pokerstars_are_read_too():
    match = told((DATA / "heads_up.log").read_text())
    assert len(match["hands"]) >= 12
    assert match["hero"] == "tight"
    stars = told((DATA / "pokerstars.txt").read_text())
    assert stars["hands"]
    assert "not leduc" in told((DATA / "leduc.log").read_text())["problems"][0]["why"]


PIECES = (DATA / "hostile.phh").read_text(), (DATA / "pokerstars.txt").read_text()[:3000]


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(PIECES), st.data())
def test_damaged_files_are_explained(text, data):
    """Whatever is cut out, doubled or exchanged: hands or problems, or one sentence, but no crash."""
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 200)))
        piece = data.draw(
            st.sampled_from(["", text[start:end] * 2, "9" * 30, "-1", "[[[", "\u202e", "'", "nan", "1e400"])
        )
        text = text[:start] + piece + text[end:]
    with suppress(ValueError):
        assert all(len(problem["why"]) <= 300 for problem in told(text)["problems"])


def test_only_two_files_at_a_time(me, web):
    behind = service_of(web).follow_up
    assert all(web.portal.call(behind.uploads.begin, me.key) for _ in range(2))
    assert upload(me, "variant = 'PO'").status_code == 429
    for _ in range(2):
        web.portal.call(behind.uploads.end, me.key)
    assert upload(me, "variant = 'PO'").status_code == 202


def test_a_review_that_was_cut_short_goes_on(me, web):
    names = ("hero", "villain")
    text = hands_text((dealt_out(SHORT, "AhAd 7s2d", 40, -1), names), (dealt_out(SHORT, "AhAd 7s2d", -1), names))
    key = upload(me, text).json()["id"]
    report_of(me, key)
    with service_of(web).database.session() as session:  # as after a restart: no queue knows of it
        session.execute(update(Hand).where(Hand.upload_id == key).values(reviewed=False))
        session.execute(update(Upload).where(Upload.id == key).values(status="reviewing"))
        session.add(Upload(id=f"{me.key[:18]}lost", person_id=me.key, name="lost", status="reading"))
    found = report_of(me, key)
    assert (found["done"], found["report"]["summary"]["decisions"]) == (2, 1)
    with service_of(web).database.session() as session:
        session.execute(update(Upload).where(Upload.id == key).values(status="reviewing"))
    assert {row["name"]: row["status"] for row in me.get("/api/uploads").json()} == {"hands": "done", "lost": "reading"}
    lost = me.get(f"/api/uploads/{me.key[:18]}lost").json()
    assert (lost["status"], "stopped" in lost["error"]) == ("failed", True)


def test_a_long_file_is_written_in_short_transactions(me, web, monkeypatch):
    names, written = ("hero", "villain"), []
    keep = uploading._keep_part

    def counted(service, key, rows):
        written.append(len(rows))
        return keep(service, key, rows)

    monkeypatch.setattr(uploading, "_keep_part", counted)
    monkeypatch.setattr(uploading, "MOST_REVIEWED", 0)
    text = hands_text(*[(dealt_out(SHORT, "AhAd 7s2d", -1), names)] * 230)
    found = report_of(me, upload(me, text).json()["id"], ("done", "failed", "reviewing"))
    assert written == [100, 100, 30]
    assert found["read"] == 230
    assert sorted(row["number"] for row in found["hands"])[-3:] == [228, 229, 230]


def test_the_files_of_one_address_are_counted_together(me, web):
    behind = service_of(web).follow_up
    most = behind.uploads_of_addresses.most
    assert all(web.portal.call(behind.uploads_of_addresses.begin, "testclient") for _ in range(most))
    answer = upload(me, "variant = 'PO'")
    assert (answer.status_code, "from your address" in answer.json()["detail"]) == (429, True)
    assert me.key not in behind.uploads  # it counts nowhere
    for _ in range(most):
        web.portal.call(behind.uploads_of_addresses.end, "testclient")
    assert upload(me, "variant = 'PO'").status_code == 202

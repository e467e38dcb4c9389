"""People: guests, accounts, log-ins, tokens, and what makes a cookie void."""

import asyncio
import json
import re
import time
from datetime import timedelta

import pytest

from ludus.server.models import EndedSession, Person, Token, now
from ludus.server.people import identity as people
from ludus.server.people.identity import COOKIE, signed, signed_by
from ludus.server.people.passwords import Passwords
from ludus.server.work.workers import Busy
from server_helpers import QUICK, another, local_client, service_of

PASSWORD = "correct horse"


@pytest.fixture
def fresh(tmp_path):
    with local_client(tmp_path) as client:
        yield client


def account(client, username, password=PASSWORD):
    browser = another(client)
    browser.get("/api/me")
    made = browser.post("/api/accounts", json={"username": username, "password": password})
    assert made.status_code == 201, made.text
    return browser


def test_a_browser_becomes_a_guest_and_stays_one(web):
    browser = another(web)
    first = browser.get("/api/me")
    assert re.fullmatch(r"Guest \d{4}", first.json()["name"])
    assert first.json() | {"id": "", "name": ""} == {
        "id": "", "name": "", "account": False, "username": None, "preferences": {},
    }  # fmt: skip
    assert browser.get("/api/me").json() == first.json()
    assert another(web).get("/api/me").json()["id"] != first.json()["id"]


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(web):
    cookie = another(web).get("/api/me").headers["set-cookie"].lower()
    assert {"httponly", "samesite=lax", "path=/"} <= {part.strip() for part in cookie.split(";")}
    assert "max-age=15552000" in cookie
    assert "secure" not in cookie
    browser = another(web)
    browser.base_url = "https://localhost"
    assert "secure" in browser.get("/api/me").headers["set-cookie"].lower()


def test_names_and_preferences(web):
    browser = another(web)
    browser.get("/api/me")
    changed = browser.patch("/api/me", json={"name": "  Ada   Lovelace ", "preferences": {"theme": "dark", "deck": 4}})
    assert (changed.json()["name"], changed.json()["preferences"]) == ("Ada Lovelace", {"theme": "dark", "deck": 4})
    browser.patch("/api/me", json={"preferences": {"deck": None, "sound": [1, {"a": "b"}]}})
    assert browser.get("/api/me").json()["preferences"] == {"theme": "dark", "sound": [1, {"a": "b"}]}


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""},
        {"name": "   "},
        {"name": "x" * 41},
        {"name": "a\u202eb"},
        {"name": "a\x00b"},
        {"name": 7},
        {"preferences": {"x": "y" * 9000}},
        {"preferences": []},
        {"id": "x"},
        {"name": "\ud800"},
        {"preferences": {"a": "\ud800"}},
    ],
)
def test_what_a_person_cannot_be(web, change):
    browser = another(web)
    before = browser.get("/api/me").json()
    answer = browser.patch("/api/me", content=json.dumps(change), headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert isinstance(answer.json()["detail"], str)
    assert browser.get("/api/me").json() == before


def test_preferences_do_not_grow_without_end(web):
    browser = another(web)
    browser.get("/api/me")
    answers = [browser.patch("/api/me", json={"preferences": {f"k{at}": "x" * 900}}).status_code for at in range(12)]
    assert (answers[0], answers[-1]) == (200, 422)


def test_a_guest_becomes_an_account_and_logs_in_elsewhere(web):
    browser = another(web)
    guest = browser.get("/api/me").json()
    made = browser.post("/api/accounts", json={"username": "Grace.Hopper", "password": PASSWORD}).json()
    assert made | {"id": guest["id"], "username": "grace.hopper", "account": True, "name": "grace.hopper"} == made
    elsewhere = another(web)
    answer = elsewhere.post("/api/session", json={"username": "GRACE.hopper", "password": PASSWORD})
    assert answer.json() == made
    assert elsewhere.get("/api/me").json() == made
    again = browser.post("/api/accounts", json={"username": "other", "password": PASSWORD})
    assert (again.status_code, again.json()["detail"]) == (409, "you have an account already: grace.hopper")


def test_a_user_name_is_given_once(web):
    account(web, "taken")
    browser = another(web)
    browser.get("/api/me")
    answer = browser.post("/api/accounts", json={"username": "TAKEN", "password": PASSWORD})
    assert (answer.status_code, answer.json()["detail"]) == (
        409, "the user name taken is taken: choose another one",
    )  # fmt: skip
    assert not browser.get("/api/me").json()["account"]


@pytest.mark.parametrize(
    ("username", "password"),
    [("ab", PASSWORD), ("a b c", PASSWORD), ("x" * 41, PASSWORD), ("fine", "short"), ("fine", "y" * 201),
     ("longenough", "LongEnough"), ("na\u00efve", PASSWORD), ("fine\n", PASSWORD)],
)  # fmt: skip
def test_names_and_passwords_that_do_not_do(web, username, password):
    browser = another(web)
    browser.get("/api/me")
    answer = browser.post("/api/accounts", json={"username": username, "password": password})
    assert answer.status_code == 422
    assert password not in answer.json()["detail"] or len(password) < 8 or username == "longenough"


def test_an_unknown_name_and_a_wrong_password_look_the_same(web, monkeypatch):
    account(web, "known")
    service, asked = service_of(web), []
    fits = service.passwords.fits

    async def counted(kept, password):
        asked.append(kept)
        return await fits(kept, password)

    monkeypatch.setattr(service.passwords, "fits", counted)
    answers = [
        another(web).post("/api/session", json={"username": name, "password": "wrong password"})
        for name in ("known", "unknown", "no name at all!")
    ]
    assert {(answer.status_code, answer.text) for answer in answers} == {
        (401, '{"detail":"user name or password is wrong"}')
    }
    assert all("set-cookie" not in answer.headers for answer in answers)
    assert [kept is None for kept in asked] == [False, True, True]  # the same work for all
    assert asked[0].startswith("$argon2id$")


def test_a_guest_cannot_be_logged_in_to(web):
    """A person without a password has none that fits."""
    browser = another(web)
    guest = browser.get("/api/me").json()
    for username in (guest["id"], guest["name"], ""):
        assert another(web).post("/api/session", json={"username": username, "password": ""}).status_code == 401


def test_logging_out(web):
    browser = account(web, "leaver")
    token = browser.post("/api/tokens", json={"label": "x", "password": PASSWORD}).json()["token"]
    elsewhere = another(web)
    elsewhere.post("/api/session", json={"username": "leaver", "password": PASSWORD})
    assert browser.delete("/api/session").status_code == 204
    assert not browser.get("/api/me").json()["account"]
    assert elsewhere.get("/api/me").json()["username"] == "leaver"
    kept = dict(elsewhere.cookies)
    assert elsewhere.delete("/api/session", params={"everywhere": True}).status_code == 204
    thief = another(web)
    thief.cookies.update(kept)
    assert thief.get("/api/tokens").status_code == 401
    assert another(web, {"Authorization": f"Bearer {token}"}).get("/api/tokens").status_code == 401


def test_a_log_out_ends_the_cookie_on_the_server(web):
    """Somebody has a copy of the cookie, or of one that was renewed since: neither is worth anything after it."""
    browser = account(web, "copied")
    copies = [browser.cookies[COOKIE]]
    browser.get("/api/me")
    copies.append(browser.cookies[COOKIE])
    other = another(web)
    other.post("/api/session", json={"username": "copied", "password": PASSWORD})

    def status(cookie):
        return another(web).get("/api/tokens", headers={"Cookie": f"{COOKIE}={cookie}"}).status_code

    assert [status(copy) for copy in copies] == [200, 200]
    assert browser.delete("/api/session").status_code == 204
    assert [status(copy) for copy in copies] == [401, 401]
    assert other.get("/api/tokens").status_code == 200


def test_a_cookie_of_the_first_version_is_known_and_can_be_ended(web):
    service, browser = service_of(web), another(web)
    me = browser.get("/api/me").json()["id"]
    text = f"{me}.1.{int(time.time())}"
    old = {"Cookie": f"{COOKIE}={text}.{people._signature(service.secret, text)}"}
    assert another(web).get("/api/me", headers=old).json()["id"] == me
    assert another(web).delete("/api/session", headers=old).status_code == 204
    assert another(web).get("/api/tokens", headers=old).status_code == 401
    assert browser.get("/api/tokens").status_code == 401, "it did not say which log-in it was of: all end"


def test_log_ins_that_ended_long_ago_are_forgotten(web):
    service = service_of(web)
    with service.database.session() as session:
        session.add(EndedSession(id="long ago", ended=now() - timedelta(days=181)))
        session.add(EndedSession(id="lately", ended=now() - timedelta(days=179)))
    account(web, "forgetful").delete("/api/session")
    with service.database.session() as session:
        assert session.get(EndedSession, "long ago") is None
        assert session.get(EndedSession, "lately") is not None


def test_a_token_needs_the_password_and_goes_with_it(web):
    browser = account(web, "owner")
    for given, why in (({}, "give your password"), ({"password": "wrong"}, "the password is wrong")):
        answer = browser.post("/api/tokens", json=given)
        assert (answer.status_code, why in answer.json()["detail"]) == (403, True)
    token = browser.post("/api/tokens", json={"password": PASSWORD}).json()["token"]
    bot = another(web, {"Authorization": f"Bearer {token}"})
    assert bot.get("/api/tokens").status_code == 200
    assert bot.post("/api/tokens", json={}).status_code == 403, "a token makes no tokens"
    assert browser.put("/api/me/password", json={"old": PASSWORD, "new": "another horse"}).status_code == 200
    assert bot.get("/api/tokens").status_code == 401
    assert browser.get("/api/tokens").json() == []


def test_a_new_password_makes_old_cookies_void_at_once(web):
    browser = account(web, "changer")
    other = another(web)
    other.post("/api/session", json={"username": "changer", "password": PASSWORD})
    assert other.get("/api/tokens").status_code == 200
    wrong = browser.put("/api/me/password", json={"old": "not this", "new": "another horse"})
    assert (wrong.status_code, wrong.json()["detail"]) == (403, "the old password is wrong")
    assert browser.put("/api/me/password", json={"old": PASSWORD, "new": "another horse"}).status_code == 200
    assert browser.get("/api/tokens").status_code == 200
    assert other.get("/api/tokens").status_code == 401
    logs_in = {
        password: another(web).post("/api/session", json={"username": "changer", "password": password}).status_code
        for password in (PASSWORD, "another horse")
    }
    assert logs_in == {PASSWORD: 401, "another horse": 200}


def test_a_guest_has_no_password_to_change(web):
    browser = another(web)
    browser.get("/api/me")
    assert browser.put("/api/me/password", json={"old": "", "new": "another horse"}).status_code == 409


def test_passwords_and_tokens_are_kept_as_hashes_only(fresh):
    browser = account(fresh, "ada")
    token = browser.post("/api/tokens", json={"label": "bot", "password": PASSWORD}).json()["token"]
    with service_of(fresh).database.session() as session:
        person, kept = session.query(Person).filter_by(username="ada").one(), session.query(Token).one()
        assert person.password.startswith("$argon2id$")
        assert PASSWORD not in person.password
        assert token not in kept.digest
    everything = b"".join(file.read_bytes() for file in service_of(fresh).settings.folder.glob("*.*"))
    assert PASSWORD.encode() not in everything
    assert token.encode() not in everything


def test_passwords_are_hashed_with_the_parameters_of_rfc_9106():
    hashed = asyncio.run(Passwords().hash(PASSWORD))
    assert hashed.startswith("$argon2id$v=19$m=65536,t=3,p=4$")


def test_only_so_many_passwords_are_worked_on_at_once():
    async def ask():
        passwords = Passwords(QUICK)
        told = await asyncio.gather(*(passwords.fits(None, "x") for _ in range(60)), return_exceptions=True)
        return sum(isinstance(one, Busy) for one in told), sum(one is False for one in told)

    assert asyncio.run(ask()) == (10, 50)


def test_tokens(web):
    browser = another(web)
    me = browser.get("/api/me").json()
    made = browser.post("/api/tokens", json={"label": "my bot"}).json()
    bot = another(web, {"Authorization": f"Bearer {made['token']}"})
    answer = bot.get("/api/me")
    assert answer.json() == me
    assert "set-cookie" not in answer.headers
    (listed,) = browser.get("/api/tokens").json()
    assert listed == {"id": made["id"], "label": "my bot", "created": made["created"], "used": listed["used"]}
    assert listed["used"] is not None
    stranger = another(web)
    stranger.get("/api/me")
    assert stranger.delete(f"/api/tokens/{made['id']}").status_code == 404
    assert bot.get("/api/me").status_code == 200
    assert browser.delete(f"/api/tokens/{made['id']}").status_code == 204
    assert bot.get("/api/me").status_code == 401  # at once
    assert browser.get("/api/tokens").json() == []


def test_tokens_are_limited(web):
    browser = another(web)
    browser.get("/api/me")
    made = [browser.post("/api/tokens", json={}).status_code for _ in range(51)]
    assert made == [201] * 50 + [409]


def test_a_bot_gets_a_guest_and_a_token_without_a_cookie(web):
    answer = another(web, {}).post("/api/guests", json={"name": "Deep"})
    assert answer.status_code == 201
    assert "set-cookie" not in answer.headers
    bot = another(web, {"Authorization": f"bearer {answer.json()['token']}"})
    assert bot.get("/api/me").json() == answer.json()["person"]
    assert bot.patch("/api/me", json={"name": "Deeper"}).json()["name"] == "Deeper"  # no Origin needed


@pytest.mark.parametrize(
    "authorization", ["Bearer nonsense", "Bearer ", "Bearer", "Basic YTpi", "Bearer " + "x" * 5000, "Bearer \xff"]
)
def test_a_wrong_token_is_nobody_even_with_a_cookie(web, authorization):
    browser = another(web)
    browser.get("/api/me")
    header = {"Authorization": authorization.encode("latin-1")}
    expected = 200 if authorization.startswith("Basic") else 401
    assert browser.get("/api/tokens", headers=header).status_code == expected


def tampered(cookie):
    """A cookie changed in every way somebody would try."""
    key, version, log_in, since, signature = cookie.split(".")
    yield f"{key}.{int(version) + 1}.{log_in}.{since}.{signature}"
    yield f"{key[:-1]}{'A' if key[-1] != 'A' else 'B'}.{version}.{log_in}.{since}.{signature}"
    yield f"{key}.{version}.{log_in}.{int(since) + 1}.{signature}"
    yield f"{key}.{version}.{log_in[:-1]}{'A' if log_in[-1] != 'A' else 'B'}.{since}.{signature}"
    yield f"{key}.{version}.{since}.{signature}"
    yield f"{key}.{version}..{since}.{signature}"
    yield f"{key}.{version}.{log_in}.{since}.{signature[:-1]}{'A' if signature[-1] != 'A' else 'E'}"
    yield f"{key}.{version}.{log_in}.{since}."
    yield f"{key}.{version}.{log_in}.{since}"
    yield f"{cookie}x"
    yield f"{cookie}.{cookie}"
    yield signature
    yield "..."
    yield "x" * 10_000


def test_a_cookie_that_we_did_not_sign_is_nobodys(web):
    browser = another(web)
    browser.get("/api/me")
    cookie = browser.cookies[COOKIE]
    assert browser.get("/api/tokens").status_code == 200
    for wrong in tampered(cookie):
        thief = another(web)
        assert thief.get("/api/tokens", headers={"Cookie": f"{COOKIE}={wrong}"}).status_code == 401, wrong
    odd = {"Cookie": f"{COOKIE}=\xff\xfe.1.1.x".encode("latin-1")}
    assert another(web).get("/api/tokens", headers=odd).status_code == 401


def test_another_server_s_cookie_is_nobodys(web, fresh):
    browser = another(fresh)
    browser.get("/api/me")
    assert another(web).get("/api/tokens", headers={"Cookie": f"{COOKIE}={browser.cookies[COOKIE]}"}).status_code == 401


def test_a_cookie_ends_after_half_a_year(web, monkeypatch):
    service, person = service_of(web), Person(id="a", version=3)
    cookie = signed(service, person, "log-in")
    assert signed_by(service.secret, cookie) == ("a", "3", "log-in")
    later = time.time() + people.COOKIE_SECONDS + 1
    monkeypatch.setattr(people.time, "time", lambda: later)
    assert signed_by(service.secret, cookie) is None


def test_nobody_gets_in_without_anything(web):
    answer = another(web).get("/api/tokens")
    assert answer.status_code == 401
    assert "POST /api/guests a bot its token" in answer.json()["detail"]


def test_a_person_is_remembered_for_a_moment_but_never_after_a_change(web):
    browser = another(web)
    me = browser.get("/api/me").json()
    service = service_of(web)
    browser.get("/api/tokens")
    shown = f"cookie {browser.cookies[COOKIE]}"
    known = service.recognised.get(shown)
    assert known is not None
    assert known.id == me["id"]
    before = service.recognised.changes
    service.recognised.forget(me["id"])
    assert service.recognised.get(shown) is None
    service.recognised.put(shown, known, before)  # read before the change: too late
    assert service.recognised.get(shown) is None

"""The lobby, the table and the assistant, clicked and typed through in a real browser."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from typing import Any

import pytest

import ludus.server.page_files
from browser_helpers import ARTEFACTS, OVER, PATIENCE, PHONE, YOUR_TURN, Visitor, too_wide
from ludus.games import CALL
from ludus.server.hands import closer_looks
from server_tables import new_table

pytestmark = pytest.mark.browser
PAGE = ludus.server.page_files.PAGE
FOCUS = "(e => [e.className, getComputedStyle(e).outlineStyle])(document.activeElement)"
CHANGED = "(before) => ![before, undefined].includes(document.querySelector('h1')?.textContent)"
LANGUAGES = [code for code in ("pt", "es", "fr", "uk") if (PAGE / "locales" / code).is_dir()]


def sit_down(visitor: Visitor, **config: Any) -> None:
    """Sit at a table, against one who always calls unless told otherwise."""
    client = visitor.client
    table = new_table(client, **config)
    visitor.go(f"/table/{table['id']}")


def test_one_click_from_the_lobby_to_a_hand(visit):
    visitor = visit()
    page = visitor.page
    visitor.shot("lobby")
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    sizes = page.evaluate("performance.getEntriesByType('resource').map((entry) => entry.transferSize)")
    figures = {"first contentful paint, ms": round(paint), "requests": len(sizes), "bytes": sum(sizes)}
    (ARTEFACTS / "lobby.json").write_text(json.dumps(figures))
    page.click(".button.start")
    page.wait_for_url("**/table/*")
    visitor.deal()
    view = visitor.view()
    assert view["chairs"][1]["agent"] == "blueprint"
    assert visitor.cards(".seat.own") == view["chairs"][0]["cards"]
    page.click(".brand")
    visitor.wait(".mine .list a")  # the table can be gone on with from the lobby
    assert page.get_attribute(".mine .list a", "href") == f"/table/{view['id']}"


def test_a_table_of_ones_own(visit):
    visitor = visit()
    page = visitor.page
    page.click("details.own > summary")
    form = page.locator("form", has=page.locator(".setup"))
    form.locator("input[type=range]").fill("6")
    small, big, ante = form.locator(".three input").all()
    small.fill("9")
    form.locator("[type=submit]").click()
    assert small.get_attribute("aria-invalid") == "true"
    assert page.url.endswith("/")
    for amount, field in (("5", small), ("10", big), ("1", ante)):
        field.fill(amount)
    form.locator(".opponents select").select_option("tight")
    form.locator("[type=submit]").click()
    page.wait_for_url("**/table/*")
    visitor.wait(".seat", count=6)
    assert page.locator(".seat").count() == 6


def test_the_top_level_is_seen_thinking_and_another_agent_at_larger_tables(visit, server, monkeypatch):
    thinks, done = threading.Event(), threading.Event()

    async def think(spec, state, table):
        assert spec == "resolver"
        thinks.set()
        await asyncio.to_thread(done.wait)
        return CALL

    monkeypatch.setattr(server.service.tables, "act", think)
    visitor = visit()
    page = visitor.page
    levels = page.locator(".quick .segmented").first.locator("label")
    levels.nth(5).click()
    assert page.locator(".tile:disabled").count() == 0
    page.click("details.own > summary")
    form = page.locator("form", has=page.locator(".setup"))
    form.locator(".chooser label").nth(5).click()
    assert form.locator(".opponents select").input_value() == "resolver"
    form.locator("input[type=range]").fill("3")
    assert form.locator(".opponents select").input_value() == "multiway"
    assert form.locator(".chooser label").count() == 6
    form.locator("input[type=range]").fill("2")
    page.click(".button.start")
    page.wait_for_url("**/table/*")
    page.click(".table-foot .primary")
    visitor.wait(f"{YOUR_TURN}, .seat-tag.thinking")
    if not thinks.is_set():
        page.click(YOUR_TURN)
    visitor.wait(".seat-tag.thinking")
    assert page.locator(".seat:not(.own)").get_attribute("aria-label").endswith("thinking…")
    done.set()
    visitor.wait(f"{YOUR_TURN}, {OVER}")
    visitor.gone(".seat-tag.thinking")
    assert visitor.view()["chairs"][1]["agent"] == "resolver"


def test_language_and_theme_are_kept(visit):
    visitor = visit()
    page = visitor.page
    heading = page.inner_text("h1")
    for code in LANGUAGES[:1]:
        page.select_option("#top select", code)
        visitor.wait(f"html[lang={code}]")
        page.wait_for_function(CHANGED, arg=heading)
        visitor.go("/")
        assert page.get_attribute("html", "lang") == code
    grounds = []
    for theme in ("light", "dark", None):
        with page.expect_response(lambda response: response.request.method == "PATCH"):
            page.click(".tools > button")
        page.wait_for_timeout(200)  # colours fade
        assert page.get_attribute("html", "data-theme") == theme
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds[0] != grounds[1]
    page.click(".tools > button")
    page.click(".tools > button")
    visitor.go("/")
    assert page.get_attribute("html", "data-theme") == "dark"


def test_a_hand_by_clicks_and_the_proof_of_its_deck(visit):
    visitor = visit(speed="fast", reduced_motion="no-preference")
    page = visitor.page
    sit_down(visitor)
    early = visitor.view()["promise"]
    visitor.wait(".commitment summary code")
    assert page.inner_text(".commitment summary code") == early["commitment"][:8], "it is shown before one is ready"
    visitor.deal()
    promised = visitor.view()["hand"]["commitment"]
    assert (visitor.view()["hand"]["id"], promised) == (early["id"], early["commitment"])
    assert [each["chair"] for each in visitor.view()["hand"]["seeds"]] == [0]
    assert page.inner_text(".commitment summary code") == promised[:8]
    assert page.locator(".seat:not(.own) .card.back").count() == 2
    assert visitor.cards(".seat:not(.own)") == []
    visitor.shot("table")
    visitor.call_down()
    view = visitor.view()
    assert view["hand"]["street"] == 3
    visitor.wait(".seat:not(.own) [data-card]", count=2)
    for chair, seat in enumerate((".seat.own", ".seat:not(.own)")):
        assert visitor.cards(seat) == view["chairs"][chair]["cards"]
    assert visitor.cards(".felt-board") == view["hand"]["board"]
    page.click(f"{OVER} .button.quiet")
    visitor.wait("dialog .verdict.good")
    assert page.inner_text("dialog code.deck-hash") == promised
    assert page.locator("dialog li.wrong").count() == 0
    assert page.locator("dialog li.muted").count() == 0, "the page's own number is in it"
    assert "can see all cards" in page.inner_text("dialog .deck-check")
    visitor.shot("verified")
    page.keyboard.press("Escape")
    visitor.deal()
    assert visitor.view()["hand"]["number"] == 2
    assert visitor.view()["hand"]["commitment"] != promised


def test_only_amounts_that_the_rules_allow(visit):
    visitor = visit()
    page = visitor.page
    sit_down(visitor)
    visitor.deal()
    if visitor.view()["hand"]["street"] == 0 and visitor.view()["hand"]["legal"]["call"]:
        page.click(YOUR_TURN)
        visitor.wait_turn()
    legal, big_blind = visitor.view()["hand"]["legal"], 2
    field, slider = page.locator(".bet-field"), page.locator(".bet-slider")
    before = visitor.view()["chairs"][0]
    least, most = before["bet"] + legal["call"] + big_blind, before["bet"] + before["stack"]
    assert [int(slider.get_attribute(edge)) for edge in ("min", "max")] == [least, most]
    for typed, wanted in (("0.1", least), ("9999", most), ("7", 7 * big_blind)):
        field.fill(typed)
        assert int(slider.input_value()) == wanted
    page.locator(".bet-sizes button", has_text=re.compile("Pot|3×")).last.click()  # 3× is the pot before the flop
    assert int(slider.input_value()) == min(before["bet"] + legal["call"] + legal["pot"], most)
    field.fill("7")
    turn = visitor.view()["hand"]["turn"]
    page.dblclick(".act.raise")  # is sent once
    visitor.wait_turn()
    view = visitor.view()
    assert f"r{7 * big_blind}" in view["hand"]["betting"]
    assert view["hand"]["turn"] in (turn + 2, turn + 3)  # the raise, the call, perhaps a check


def test_a_hand_by_keyboard(visit):
    visitor = visit()
    page = visitor.page
    sit_down(visitor)
    page.keyboard.press("Space")
    visitor.wait(YOUR_TURN)
    reached = []
    for _ in range(40):  # by Tab to every action, each with a focus that one sees
        page.keyboard.press("Tab")
        kind, style = page.evaluate(
            "[document.activeElement.className, getComputedStyle(document.activeElement).outlineStyle]"
        )
        if "act " in kind:
            reached.append(kind.split()[-1])
            assert style != "none", kind
    assert reached[:3] == ["fold", "call", "raise"] or set(reached) >= {"call", "raise"}
    visitor.shot("focus")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("2")
    visitor.wait(".act.raise.armed")
    page.keyboard.press("Enter")
    assert visitor.wait_turn()
    assert "r" in visitor.view()["hand"]["betting"]
    while visitor.wait_turn():
        page.keyboard.press("c")
    page.keyboard.press("Space")
    visitor.wait(YOUR_TURN)
    if not visitor.view()["hand"]["legal"]["fold"]:  # a big blind that nobody raised may only check
        page.keyboard.press("a")
        page.keyboard.press("a")
    else:
        page.keyboard.press("f")
    assert not visitor.wait_turn()
    assert visitor.view()["hand"]["number"] == 2


def test_a_lost_connection_comes_back_with_what_was_missed(visit, server):
    visitor = visit()
    sit_down(visitor)
    visitor.deal()
    visitor.allow("WebSocket")
    visitor.context.set_offline(True)
    server.cut_sockets()
    visitor.wait(".table-name .badge.warn:not([hidden])")
    visitor.shot("lost")
    view = visitor.view()
    client = visitor.client  # meanwhile the game goes on: from another window, say
    act = {"hand": view["hand"]["id"], "turn": view["hand"]["turn"], "action": "call"}
    assert client.post(f"/api/tables/{view['id']}/actions", json=act).status_code == 200
    visitor.context.set_offline(False)
    visitor.gone(".table-name .badge.warn")
    visitor.call_down()
    assert len(visitor.sockets) > 1
    assert visitor.cards(".felt-board") == visitor.view()["hand"]["board"]


def test_live_advice_review_and_replay(visit, monkeypatch):
    monkeypatch.setattr(closer_looks, "LONGEST", 1.0)
    visitor = visit()
    page = visitor.page
    sit_down(visitor, assistant="live", stack=20)
    visitor.deal()
    visitor.wait(".assistant .advice")
    assert page.inner_text(".advice-words").strip()
    rows = page.locator(".advice > .mixrows tbody tr")
    legal = visitor.view()["hand"]["legal"]
    assert rows.count() >= 2 + bool(legal["raise"]) * bool(legal["fold"])
    shares = page.locator(".advice > .mixrows td.num:not(.value)").all_inner_texts()
    assert sum(float(share.strip("%")) for share in shares) == pytest.approx(100, abs=3)
    assert all(text.strip() for text in page.locator(".advice > .mixrows td.value").all_inner_texts())
    assert page.locator(".advice .grid13 [role=gridcell]").count() == 169
    assert page.locator(".advice .grid13 [role=gridcell]:not(.none)").count() > 10
    visitor.shot("advice")
    page.click(".act.allin")
    assert not visitor.wait_turn()
    visitor.wait(".assistant .review .decision")
    decisions = page.locator(".assistant .review .decision")
    assert decisions.count() >= 1
    decisions.first.locator("summary").first.click()
    visitor.wait(".decision[open] .mixrows .chosen")
    assert re.search(r"From: .+ · values to [0-9.]+% of the pot", page.inner_text(".decision[open] .advice-source"))
    visitor.shot("review")
    page.click(".decision[open] .advice > .button")  # think longer
    page.locator(".decision[open] .advice > .button").wait_for(state="detached", timeout=PATIENCE)
    visitor.gone(".review > p[role=status]")
    assert page.inner_text(".decision[open] .advice-words").strip()
    page.click(".assistant a[href^='/hands/']")
    visitor.wait(".hand-review .decision")
    where, last = page.locator(".scrubber"), int(page.get_attribute(".scrubber", "max"))
    forward, back = page.locator(".replay-controls .icon").nth(2), page.locator(".replay-controls .icon").nth(1)
    assert where.input_value() == "0"
    assert visitor.cards(".felt-board") == []
    for _ in range(last):
        forward.click()
    assert where.input_value() == str(last)
    assert len(visitor.cards(".felt-board")) == 5
    back.click()
    page.keyboard.press("ArrowLeft")
    assert where.input_value() == str(last - 2)
    visitor.shot("replay")
    page.fill("textarea", "limped too wide")
    page.click(".hand-note .button")
    visitor.wait(".toast.good")
    page.reload()
    visitor.drawn()
    assert page.input_value("textarea") == "limped too wide"


def test_two_people_at_one_table_see_only_their_own_cards(visit):
    host, guest = visit(), visit(path=None)
    host.page.click("details.own > summary")
    host.page.select_option(".people select >> nth=0", "2")
    host.page.click("details.own .segmented.fill >> nth=-1 >> label >> nth=0")  # no reviews
    host.page.click("details.own [type=submit]")
    host.page.wait_for_url("**/table/*")
    host.page.click(".table-tools > .button.small:not(.quiet)")
    link = host.page.input_value("dialog input")
    host.shot("invite")
    host.page.keyboard.press("Escape")
    guest.go(link)
    guest.page.click("[data-state=watching] .primary")
    guest.wait(OVER)
    both = (host, guest)

    def start() -> list[set[str]]:
        for each in both:
            each.page.click(f"{OVER} .button.primary")
        for each in both:
            each.gone(OVER)  # the cards of the hand before are gone with it
            each.wait(".seat.own [data-card]", count=2)
        return [set(each.cards(".seat.own")) for each in both]

    def play(key: str) -> None:
        """Act with whoever is to act; before that nobody may know a card of the other's."""
        acting = next(each for each in both if each.page.query_selector(YOUR_TURN))
        for each, own, secrets in zip(both, hands, reversed(hands), strict=True):
            for _ in range(200):  # what came over the wire is heard of a little after it is shown
                told = each.told()
                if all(card in told for card in own):
                    break
                each.page.wait_for_timeout(20)
            assert all(card in told for card in own)
            assert not [card for card in secrets if card in told]
            assert not secrets & set(each.cards("body"))
        acting.page.click(YOUR_TURN.replace(".call", f".{key}"))

    def settle() -> bool:
        """Wait until somebody is to act, or the hand is over for both."""
        while True:
            if any(each.page.query_selector(YOUR_TURN) for each in both):
                return True
            if all(each.page.query_selector(OVER) for each in both):
                return False
            host.page.wait_for_timeout(20)

    hands = start()
    first = host.view()["hand"]["id"]
    assert not hands[0] & hands[1]
    while settle():
        play("call")
    for each, other in zip(both, reversed(hands), strict=True):
        each.wait(".seat:not(.own) [data-card]", count=2)
        assert set(each.cards(".seat:not(.own)")) == other  # the showdown
        each.forget(first)
    hands = start()
    settle()
    play("fold")
    assert not settle()
    for each in both:
        each.page.click(f"{OVER} .button.quiet:has-text('Verify')")
        each.wait("dialog .verdict.good")
    for each, secrets in zip(both, reversed(hands), strict=True):
        assert not [card for card in secrets if card in each.told()]


def test_the_table_on_a_phone(visit):
    visitor = visit(size=PHONE, has_touch=True, is_mobile=True, device_scale_factor=2)
    page = visitor.page
    assert too_wide(page) == []
    sit_down(visitor, seats=6)
    visitor.deal()
    while not visitor.view()["hand"]["legal"]:
        page.wait_for_timeout(50)
    assert too_wide(page) == []
    buttons = page.locator(".act").all()
    assert len(buttons) >= 3
    for button in [*buttons, *page.locator(".bet-sizes button").all()]:
        box = button.bounding_box()
        least = 40 if "act " in button.get_attribute("class") else 32
        assert box["height"] >= least, box
        assert box["width"] >= least
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE[0]
        assert box["y"] + box["height"] <= PHONE[1]
    for seat in page.locator(".seat-body").all():
        box = seat.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE[0]
    visitor.shot("phone-table")
    page.tap(YOUR_TURN)
    visitor.wait_turn()


def test_an_account_its_token_and_the_end_of_its_log_in(visit, server):
    """A guest makes an account by the form, a token with the password, and is sent away when logged out elsewhere."""
    visitor = visit("/account")
    page, password = visitor.page, "correct horse"
    page.fill("input[autocomplete=username]", "browser.person")
    page.fill("input[autocomplete=new-password]", password)
    page.click("form:has([autocomplete=new-password]) [type=submit]")
    visitor.wait("form:has([autocomplete=nickname])")
    form = page.locator("form", has=page.locator("input[maxlength='80']"))
    form.locator("input[autocomplete=current-password]").fill("wrong horse")
    form.locator("[type=submit]").click()
    visitor.wait("form [role=alert]:not(:empty)")
    visitor.allow("403")
    form.locator("input[autocomplete=current-password]").fill(password)
    form.locator("[type=submit]").click()
    visitor.wait("dialog .token code")
    assert page.inner_text("dialog .token code").startswith("ludus_")
    page.keyboard.press("Escape")
    sit_down(visitor)
    visitor.wait(f"{OVER} .button.primary")
    with server.client() as elsewhere:
        logged_in = elsewhere.post("/api/session", json={"username": "browser.person", "password": password})
        assert logged_in.status_code == 200, logged_in.text
        elsewhere.delete("/api/session", params={"everywhere": True})
    visitor.wait("dialog")
    assert "logged out" in page.inner_text("dialog")


def test_a_guest_logs_in_and_takes_hands_along(visit, server):
    owner, password = server.client(), "correct horse"
    owner.get("/api/me")
    assert owner.post("/api/accounts", json={"username": "earlier.person", "password": password}).status_code == 201
    visitor = visit(speed="off")
    page = visitor.page
    sit_down(visitor)
    visitor.deal()
    visitor.call_down()
    visitor.go("/account")
    page.click(".segmented label:nth-of-type(2), .segmented button:nth-of-type(2)")
    page.fill("input[autocomplete=username]", "earlier.person")
    page.fill("input[autocomplete=current-password]", password)
    assert page.is_checked("form:has([autocomplete=current-password]) [role=switch]")
    page.click("form:has([autocomplete=current-password]) [type=submit]")
    visitor.wait("form:has([autocomplete=nickname])")
    page.wait_for_function("() => document.querySelector('.panel h2')?.textContent.includes('earlier.person')")
    assert len(owner.get("/api/hands").json()["hands"]) == 1
    owner.close()

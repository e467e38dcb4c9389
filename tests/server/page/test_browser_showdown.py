"""How hands end in a real browser: the all-in street by street, the winning five, and hands shared by a link."""

from __future__ import annotations

import pytest

from browser_helpers import OVER, PHONE, YOUR_TURN
from server_tables import new_table, play_out, ready

pytestmark = pytest.mark.browser


def all_in(view):
    """Raise as much as one may."""
    most = view["hand"]["legal"]["raise"]
    return ("raise", most["max"]) if most else ("call",)


def test_an_all_in_is_shown_street_by_street(visit):
    visitor = visit(speed="slow", reduced_motion="no-preference")
    page, client = visitor.page, visitor.client
    table = new_table(client, seats=3)
    warm = play_out(client, ready(client, table["id"]), all_in)["hand"]["id"]
    assert client.get(f"/api/hands/{warm}/equities").status_code == 200  # what works them out is compiled by now
    visitor.go(f"/table/{table['id']}")
    page.click(f"{OVER} .button.primary")
    visitor.wait(YOUR_TURN)
    page.keyboard.press("a")
    page.keyboard.press("a")
    visitor.wait(".seat:not(.own) [data-card]", count=2)
    assert visitor.cards(".felt-board") == [], "hands are open before the flop comes"
    assert page.inner_text(".table-foot").startswith("Skip")
    visitor.wait(".seat-equity:not([hidden])", count=3)
    for cards in (3, 4):
        visitor.wait(".felt-board [data-card]", count=cards)
        assert page.locator(".card.lifted").count() == 0
        shares = [int(text.rstrip("%")) for text in page.locator(".seat-equity:visible").all_inner_texts()]
        if len(visitor.cards(".felt-board")) == cards:
            assert sum(shares) in range(98, 103), shares
            visitor.shot(f"all-in-{cards}")
    page.keyboard.press("Space")  # skips the rest
    visitor.wait(OVER)
    view = visitor.view()
    winners = {chair for award in view["hand"]["awards"] for chair in award["chairs"]}
    assert page.locator(".seat.won").count() == len(winners)
    assert page.locator(".card.lifted").count() >= 5
    assert page.locator(".card.lifted").count() + page.locator(".card.lowered").count() == 11
    assert page.locator(".seat-equity:visible").count() == 0
    assert page.inner_text(".felt-caption")
    visitor.shot("all-in-won")


def test_a_click_skips_and_no_speed_shows_the_end_at_once(visit):
    visitor = visit(speed="off")
    page = visitor.page
    table = new_table(visitor.client)
    visitor.go(f"/table/{table['id']}")
    visitor.deal()
    page.keyboard.press("a")
    page.keyboard.press("a")
    visitor.wait(OVER)
    assert len(visitor.cards(".felt-board")) == 5


@pytest.mark.parametrize("options", [{}, {"names": False, "cards": False}], ids=["all", "without names and cards"])
def test_a_hand_is_shared_by_a_link(visit, options):
    visitor = visit()
    page = visitor.page
    table = new_table(visitor.client, seats=3)
    view = play_out(visitor.client, ready(visitor.client, table["id"]), all_in)
    hand, name = view["hand"]["id"], view["chairs"][0]["name"]
    visitor.go(f"/hands/{hand}")
    page.click(".hand-neighbours button")
    link = page.locator("dialog input[readonly]")
    page.wait_for_function("() => document.querySelector('dialog input[readonly]').value.includes('/shared/')")
    for choice, _ in enumerate(options):
        before = link.input_value()
        page.locator("dialog .toggle").nth(choice).click()
        page.wait_for_function("(was) => document.querySelector('dialog input[readonly]').value !== was", arg=before)
    visitor.shot("share")
    address = link.input_value()
    friend = visit()
    friend.go(address.partition(friend.server.url)[2])
    friend.wait(".seat", count=3)
    assert (name in friend.page.inner_text("main")) is not bool(options)
    assert len(friend.cards(".seat.own")) == (0 if options else 2)
    friend.page.keyboard.press("End")
    friend.wait(".card.lifted", count=5)
    assert friend.cards(".felt-board") == view["hand"]["board"]
    friend.page.keyboard.press("ArrowLeft")
    friend.wait(".seat-equity:not([hidden])", count=2)
    friend.shot(f"shared{'-bare' if options else ''}")
    page.locator("dialog .button.quiet").click()
    visitor.wait(".toast.good")
    friend.allow("404")
    friend.go(address.partition(friend.server.url)[2])
    assert friend.page.locator(".felt").count() == 0


def test_a_shared_hand_on_a_phone(visit):
    visitor = visit(size=PHONE)
    table = new_table(visitor.client)
    view = play_out(visitor.client, ready(visitor.client, table["id"]), all_in)
    share = visitor.client.post(f"/api/hands/{view['hand']['id']}/shares", json={}).json()
    visitor.go(f"/shared/{share['id']}")
    visitor.wait(".seat", count=2)
    visitor.page.locator(".scrubber").press("End")
    visitor.shot("shared-phone")

"""Friends, sessions and tournaments in a real browser."""

from __future__ import annotations

import time

import pytest

from browser_helpers import OVER, PHONE, YOUR_TURN, too_wide
from server_tables import new_table, play_out, ready, wait

pytestmark = pytest.mark.browser
CLOSED = ".table-foot[data-state=closed]"


def all_in(view):
    """Raise as much as one may."""
    most = view["hand"]["legal"]["raise"]
    return ("raise", most["max"]) if most else ("call",)


def own_tables(visitor):
    """The tables that somebody has in the lobby."""
    return visitor.client.get("/api/tables", params={"mine": True}).json()


def until(true, seconds=20.0):
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_friend_comes_by_the_link_and_leaves_again(visit):
    host = visit()
    host.page.click(".button.friend")
    host.page.wait_for_url("**/table/*")
    host.wait(".invitation input")
    link = host.page.input_value(".invitation input")
    assert host.page.url == link, "the address in the bar is as good as the link"
    host.shot("play-a-friend")
    stranger = visit(link.partition("?")[0].partition(host.server.url)[2])
    assert stranger.page.locator(".table-foot .primary").count() == 0, "without the link there is nothing to click"
    assert "link" in stranger.page.inner_text(".table-foot")
    friend = visit(link.partition(host.server.url)[2])
    friend.page.click(".table-foot .primary")
    friend.wait(OVER)
    host.wait(".toast")
    assert "sits down" in host.page.inner_text("#toasts")
    host.gone(".invitation")
    for visitor in (host, friend):
        visitor.page.click(f"{OVER} .primary")
    for _ in range(20):
        host.wait(f"{YOUR_TURN}, {OVER}, .table-foot[data-state=waiting]")
        for visitor in (host, friend):
            if visitor.page.query_selector(YOUR_TURN):
                visitor.page.click(YOUR_TURN)
        if host.view()["hand"]["over"]:
            break
        host.page.wait_for_timeout(50)
    host.wait(OVER)
    host.page.click(".score")
    host.wait("dialog .ledger tbody tr", count=2)
    rows = host.page.locator("dialog .ledger tbody tr").all_inner_texts()
    assert all("100 bb" in row for row in rows), "what both have bought"
    host.shot("ledger")
    host.page.keyboard.press("Escape")
    friend.page.click(".table-tools summary[aria-label=Menu]")
    friend.page.get_by_role("button", name="Leave the table").click()
    host.wait(".toast")
    host.page.wait_for_function("() => document.querySelector('#toasts').textContent.includes('plays instead')")
    host.shot("left")


def test_space_deals_after_switching_to_automatic_dealing(visit):
    visitor = visit()
    page = visitor.page
    table = new_table(visitor.client)
    visitor.go(f"/table/{table['id']}")
    page.click(f"{OVER} .toggle")
    page.keyboard.press("Space")
    until(lambda: visitor.view()["hand"] is not None)
    assert visitor.view()["hand"]["number"] == 1
    assert page.evaluate("JSON.parse(localStorage.habits).auto") is True


def test_another_click_on_play_goes_on_at_the_same_table(visit):
    visitor = visit()
    page = visitor.page
    page.click(".button.start")
    page.wait_for_url("**/table/*")
    first = page.url
    page.click(".brand")
    page.wait_for_url("**/")
    page.click(".button.start")
    page.wait_for_url("**/table/*")
    assert page.url == first
    page.click(".brand")
    until(lambda: all(table["idle"] for table in own_tables(visitor)))  # its socket is closed
    page.click(".tile >> nth=0")
    page.wait_for_url("**/table/*")
    assert page.url != first
    until(lambda: [table["config"]["seats"] for table in own_tables(visitor)] == [6])  # the other one is closed


def test_radio_buttons_are_named(visit):
    visitor = visit()
    assert visitor.page.get_by_role("radio", name="Level 3", exact=True).count() >= 1


@pytest.mark.parametrize("size", [None, PHONE], ids=["desktop", "phone"])
def test_a_sit_and_go_to_its_end_and_again(visit, size):
    visitor = visit(**({"size": size} if size else {}))
    page, client = visitor.page, visitor.client
    table = new_table(client, seats=3, stack=40, sit_and_go={"hands": 2, "prizes": [70, 30]})
    visitor.go(f"/table/{table['id']}")
    assert "3 of 3 left" in page.inner_text(".table-title") or size
    for _ in range(40):
        view = play_out(client, ready(client, table["id"]), all_in)
        if view["closed"] or view["sit_and_go"]["places"]:
            break
    view = wait(client, table["id"], lambda view: view["sit_and_go"]["places"])
    if not view["closed"]:
        visitor.wait(f"{OVER}, .table-foot[data-state=out]")
        page.click(".score")
        visitor.wait("dialog .standings tbody tr", count=3)
        visitor.shot(f"standings{'-phone' if size else ''}")
        page.keyboard.press("Escape")
    while not (view := client.get(f"/api/tables/{table['id']}").json())["closed"]:
        play_out(client, ready(client, table["id"]), all_in)
    visitor.wait(CLOSED)
    visitor.wait(f"{CLOSED} .places li", count=3)
    assert "NaN" not in page.inner_text(".table-foot")
    left = sum(chair["stack"] > 0 for chair in view["chairs"])
    assert (left > 1) == ("by their chips" in page.inner_text(".table-foot"))  # AIs that are among themselves
    assert [row["place"] for row in view["sit_and_go"]["places"]] == [1, 2, 3]
    assert sum(row["prize"] for row in view["sit_and_go"]["places"]) == 100
    own = next(row for row in view["sit_and_go"]["places"] if row["chair"] == 0)
    assert f"lace {own['place']} of 3" in page.inner_text(".table-foot")
    assert not too_wide(page)
    visitor.shot(f"sit-and-go{'-phone' if size else ''}")
    page.click(f"{CLOSED} .primary")
    page.wait_for_function("(was) => !location.pathname.includes(was)", arg=table["id"])
    visitor.wait(OVER)
    assert visitor.view()["config"]["sit_and_go"]["prizes"] == [70, 30]


def test_refusals_speak_the_readers_language(visit):
    visitor = visit(locale="es")
    page = visitor.page
    other = visit()
    table = new_table(other.client, people=2)
    visitor.allow("403")
    visitor.go(f"/table/{table['id']}?invite=wrong")
    page.click(".table-foot .primary")
    visitor.wait(".toast.bad")
    assert "Esta mesa no es abierta" in page.inner_text("#toasts")


def test_a_review_stays_while_the_next_hand_is_played(visit):
    visitor = visit()
    page = visitor.page
    page.route("**/api/hands/*/review", lambda route: route.fulfill(json={"status": "done", "decisions": []}))
    table = new_table(visitor.client, assistant="after")
    visitor.go(f"/table/{table['id']}")
    visitor.deal()
    visitor.call_down()
    visitor.wait(".assistant-body a[href^='/hands/']")
    link = page.get_attribute(".assistant-body a[href^='/hands/']", "href")
    visitor.deal()
    assert visitor.view()["hand"]["number"] == 2
    if not visitor.view()["hand"]["over"]:
        assert page.inner_text(".assistant h2") == "Hand 1"
        assert page.get_attribute(".assistant-body a[href^='/hands/']", "href") == link

"""Nothing is cut, covered or out of reach: tables, chats, drills and lessons at the widths that people have."""

from __future__ import annotations

from typing import Any

import pytest

from browser_helpers import DESKTOP, OVER, PHONE, YOUR_TURN, Visitor, too_wide
from server_tables import new_table, play_out, ready

pytestmark = pytest.mark.browser
TABLET = (768, 1024)
WIDTHS = {"phone": PHONE, "tablet": TABLET, "desktop": DESKTOP}
COVERED = """() => {
    const seen = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility());
    const meet = (one, other) => {
        const a = one.getBoundingClientRect(), b = other.getBoundingClientRect(), edge = 0.04 * b.height;
        return a.left < b.right && b.left < a.right && a.top < b.bottom - edge && b.top < a.bottom;
    };
    const over = (tags, things) => seen(tags).flatMap((tag) => seen(things).filter((thing) => meet(tag, thing))
        .map((thing) => `${tag.textContent} over ${thing.dataset.card ?? thing.textContent}`));
    return [...over(".seat-tag, .seat-equity", "[data-card]"), ...over(".seat-equity", ".seat-stack")];
}"""
SPILLED = """() => [...document.querySelectorAll(".seat")].filter((seat) => {
    const [line, pod] = [".seat-line", ".seat-body"].map((part) => seat.querySelector(part).getBoundingClientRect());
    return line.left < pod.left || line.right > pod.right;
}).map((seat) => seat.innerText)"""
OUTSIDE = """(selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility()).filter((e) => {
    const { left, right } = e.getBoundingClientRect();
    return left < 0 || right > innerWidth;
}).map((e) => e.outerHTML.slice(0, 80))"""


def all_in(view: dict[str, Any]) -> tuple[Any, ...]:
    """Raise as much as one may."""
    most = view["hand"]["legal"]["raise"]
    return ("raise", most["max"]) if most else ("call",)


def outside(visitor: Visitor, selector: str) -> list[str]:
    """What of a kind is seen beyond an edge of the window."""
    visitor.wait(selector)
    return visitor.page.evaluate(OUTSIDE, selector)  # type: ignore[no-any-return]


@pytest.mark.parametrize("size", WIDTHS.values(), ids=WIDTHS)
def test_nine_seats_hold_their_stacks_and_show_their_cards(visit, size):
    visitor = visit(size=size)
    table = new_table(visitor.client, seats=9, stack=269, chips="carry")
    visitor.go(f"/table/{table['id']}")
    visitor.deal()
    assert visitor.page.locator(".seat").count() == 9
    assert visitor.page.evaluate(SPILLED) == []
    play_out(visitor.client, visitor.view(), all_in)
    visitor.wait(".felt.over .seat-cards.shown [data-card]", count=2)
    assert visitor.page.evaluate(COVERED) == []
    assert too_wide(visitor.page) == []


@pytest.mark.parametrize(("size", "seats"), [(PHONE, 6), (TABLET, 9), (DESKTOP, 9)], ids=WIDTHS)
def test_equities_of_an_all_in_cover_neither_cards_nor_stacks(visit, size, seats):
    visitor = visit(size=size, speed="slow")
    client = visitor.client
    table = new_table(client, seats=seats, stack=40)
    warm = play_out(client, ready(client, table["id"]), all_in)["hand"]["id"]
    assert client.get(f"/api/hands/{warm}/equities").status_code == 200  # what works them out is compiled by now
    visitor.go(f"/table/{table['id']}")
    visitor.page.click(f"{OVER} .button.primary")
    visitor.wait(YOUR_TURN)
    visitor.page.keyboard.press("a")
    visitor.page.keyboard.press("a")
    visitor.wait(".seat-equity:not([hidden])", count=seats)
    assert visitor.page.evaluate(COVERED) == []
    visitor.shot(f"equities-{size[0]}")


def test_at_a_friends_sit_and_go_on_a_phone_everything_is_in_reach(visit):
    visitor = visit(size=PHONE)
    page = visitor.page
    table = new_table(
        visitor.client, seats=6, people=2, stack=1500, small_blind=10, big_blind=20, sit_and_go={"hands": 3}
    )
    visitor.go(f"/table/{table['id']}")
    assert outside(visitor, ".table-tools *") == []
    page.click(".chat > summary")
    assert outside(visitor, ".chat .pop-body, .chat .pop-body *") == []
    visitor.shot("chat-phone")
    page.click(".score")
    assert page.inner_text("dialog h2") == "Standings"
    assert "15/30 in 3 hands" in page.inner_text("dialog"), "the line above the felt has no room for it"
    assert page.locator("dialog table").count() == 1, "chips of a sit-and-go are no result"
    assert outside(visitor, "dialog td") == []


def test_who_sits_out_is_waited_for(visit):
    host = visit()
    table = new_table(host.client, people=2, chips="carry")
    host.go(f"/table/{table['id']}")
    link = host.page.input_value(".invitation input")
    friend = visit(link.partition(host.server.url)[2])
    friend.page.click(".table-foot .primary")
    friend.wait(OVER)
    friend.page.click(".table-tools .pop:last-child summary")
    friend.page.get_by_role("button", name="Sit out").click()
    friend.wait(".table-foot[data-state=away]")
    host.wait(".seat.away")
    host.page.click(f"{OVER} .primary")
    host.gone(f"{OVER} .primary")
    assert f"Waiting for {friend.client.get('/api/me').json()['name']}" in host.page.inner_text(".table-foot")
    assert host.page.locator(".table-tools .invite").count() == 0, "no chair is free"


def test_open_advice_on_a_phone_names_the_cards_it_covers(visit):
    visitor = visit(size=PHONE)
    table = new_table(visitor.client, assistant="off")
    visitor.go(f"/table/{table['id']}")
    visitor.deal()
    assert not visitor.page.locator(".assistant-cards").is_visible()
    visitor.page.click(".assistant-head button")
    own = visitor.view()["chairs"][visitor.view()["you"]]["cards"]
    told = visitor.page.locator(".assistant-cards .cardtext").first
    assert told.is_visible()
    assert told.locator("> span").count() == len(own)


def test_a_drill_shows_the_whole_table(visit):
    visitor = visit("/drill?theme=preflop-six", size=PHONE)
    with visitor.page.expect_response("**/api/drills") as answer:
        visitor.page.reload()
    question = answer.value.json()["question"]
    visitor.wait(".drill-question .seat", count=6)
    folded = {step["place"] for step in question["line"] if step["key"] == "fold"}
    assert visitor.page.locator(".drill-question .seat.folded").count() == len(folded)
    assert visitor.page.locator(".drill-question .seat.own .seat-name").inner_text() == f"You ({question['place']})"
    assert visitor.page.evaluate(SPILLED) == []
    assert too_wide(visitor.page) == []


def test_charts_of_who_comes_in_first_are_one_click_away(visit):
    visitor = visit("/study/charts")
    visitor.wait(".grid13")
    visitor.page.get_by_role("button", name="BTN", exact=True).click()
    visitor.wait(".path .step", count=4)  # three have folded
    assert "BTN to act" in visitor.page.inner_text(".result-side")
    assert visitor.page.locator("button[aria-pressed=true]", has_text="BTN").count() == 1


def test_the_ranks_of_hands_stand_in_rows_on_a_phone(visit):
    visitor = visit("/learn/ranks", size=PHONE)
    tops = "(row) => new Set([...row.querySelectorAll('.card')].map((e) => e.getBoundingClientRect().top)).size"
    rows = visitor.page.locator(".rank-table tbody tr").all()
    assert [row.evaluate(tops) for row in rows] == [1] * 10


def test_many_tables_do_not_push_the_lobby_down(visit):
    visitor = visit()
    for _ in range(5):
        new_table(visitor.client, people=2)
    visitor.go("/")
    assert visitor.page.locator(".mine > ul > li").count() == 3
    visitor.page.click(".mine summary")
    assert visitor.page.locator(".mine li:visible").count() == 5


def test_a_page_that_cannot_be_fetched_says_so(visit):
    visitor = visit()
    visitor.allow("ERR_INTERNET_DISCONNECTED|cannot be reached")
    visitor.context.set_offline(True)
    visitor.page.click("#places a[href='/learn']")
    visitor.wait("#main .panel .button.primary")
    assert visitor.page.inner_text("h1") == "The server cannot be reached"
    assert "check the connection" in visitor.page.inner_text("#main")
    visitor.context.set_offline(False)
    visitor.page.click("#main .button.primary")
    visitor.wait(".lesson-card")

"""Study, drills, lessons, hands and statistics in a real browser, and every page on a phone."""

from __future__ import annotations

from typing import Any

import pytest

from browser_helpers import PHONE, Visitor, too_wide
from ludus.games import holdem
from paths import TESTS
from server_hands import dealt_out, keep
from server_tables import new_table, play_out, ready

pytestmark = pytest.mark.browser
POKERSTARS = TESTS / "data" / "review" / "pokerstars.txt"
RIVER = {
    "board": "2s 2h 2d 3c 4c", "pot": 100, "stack": 100, "oop": "KK", "ip": "AA, QQ",
    "sizes": {"river": {"ip": {"bet": "a"}}},
}  # fmt: skip
BASICS, LESSONS = ("ranks", "odds", "position"), ("rps", "kuhn", "leduc")


def play_hands(visitor: Visitor, count: int) -> None:
    """Hands of this person against one who always calls, played by a program."""
    client = visitor.client
    table = new_table(client)
    for number in range(count):
        first = "call" if number % 3 else "fold"
        play_out(client, ready(client, table["id"]), lambda view, wish=first: (possible(view, wish),))


def possible(view: dict[str, Any], wish: str) -> str:
    """What one wishes to do; to fold one needs a bet."""
    return wish if view["hand"]["legal"]["fold"] else "call"


def test_a_river_is_built_solved_walked_and_locked(visit):
    visitor = visit("/study")
    page = visitor.page
    page.locator(".starts .button").nth(6).click()  # aces and queens against kings
    visitor.wait("[type=submit]:enabled")
    visitor.wait(".check-fits")
    visitor.shot("study-build")
    page.click("[type=submit]")
    page.wait_for_url("**/study/*")
    visitor.wait(".path-action")
    first = page.url
    assert page.locator(".step.current.oop").count() == 1
    page.locator(".step.current .path-action").nth(0).click()  # check
    visitor.wait(".step.current.ip")
    page.locator(".grid13 [data-hand=AA]").click()
    assert page.locator(".combos tbody tr").count() == 6
    bets = page.locator(".combos tbody tr .action-cell:nth-of-type(3) span").all_inner_texts()
    assert {int(text.strip("%")) for text in bets} <= {99, 100}  # aces always bet
    page.locator(".step.current .path-action").nth(1).click()  # all-in
    visitor.wait(".step.current.oop")
    assert page.locator(".step").count() == 4  # the start, and three decisions
    calls = page.locator(".step.current .path-action .num").all_inner_texts()
    assert sum(int(text.strip("%")) for text in calls) == pytest.approx(100, abs=1)
    assert int(calls[1].strip("%")) == pytest.approx(50, abs=4)  # a bet of the pot is called half the time
    page.locator(".grid13 [data-hand=KK]").click()
    visitor.shot("study-result")
    page.reload()
    visitor.wait(".step.current.oop")  # the address holds the way
    page.click("[data-tab=lock]")
    boxes = page.locator(".lock-row input[type=number]")
    boxes.nth(0).fill("100")
    boxes.nth(0).press("Tab")
    page.click(".lock-panel .row .button")
    page.click(".lock-panel .button.primary")
    page.wait_for_url(lambda url: url.partition("?")[0] != first.partition("?")[0])
    visitor.wait(".step.current")
    visitor.wait("[data-tab=compare][aria-selected=true]")
    assert page.locator(".step.current .path-action .num").all_inner_texts()[0] == "100%"


def test_a_solve_is_watched_and_ended(visit):
    visitor = visit("/study")
    page = visitor.page
    page.locator(".starts .button").nth(4).click()  # a turn
    page.locator(".solve-settings .segmented label").last.click()  # as exact as can be asked for
    visitor.wait(".check-fits")
    page.click("[type=submit]:enabled")
    page.wait_for_url("**/study/*")
    visitor.wait(".solving-chart figure.chart")
    visitor.shot("study-solving")
    page.click(".solving .danger")
    visitor.wait(".panel .button.primary")  # to solve it after all
    assert visitor.client.get(f"/api/spots/{page.url.rpartition('/')[2]}").json()["status"] == "cancelled"


def test_a_flop_shows_an_estimate_until_it_is_solved(visit):
    visitor = visit("/study")
    page, spot = visitor.page, visitor.client.get("/api/spots/presets").json()[3]["spot"]
    key = visitor.client.post("/api/spots", json={"spot": spot, "target": 0.05, "seconds": 8}).json()["id"]
    visitor.go(f"/study/{key}")
    visitor.wait(".estimate")
    page.locator(".step.current .path-action").nth(0).click()  # check
    visitor.wait(".step.current.ip")
    assert page.locator(".side-panel [role=tab]").count() == 2
    assert page.locator(".solving").count() == 1
    visitor.shot("study-estimate")
    visitor.wait("[data-tab=compare]")
    visitor.wait(".step.current.ip")  # the same place in the exact solution
    assert page.locator(".estimate, .solving").count() == 0
    visitor.shot("study-exact")


def test_a_drill_is_answered(visit):
    visitor = visit("/drill")
    page = visitor.page
    visitor.wait(".drill-action")
    visitor.shot("drill-question")
    page.keyboard.press("1")
    visitor.wait(".drill-answer .grade")
    assert page.locator(".drill-answer .mixrows tr.chosen").count() == 1
    assert page.locator(".drill-answer .mixrows tr.best").count() == 1
    assert page.locator(".drill-action:disabled").count() == page.locator(".drill-action").count()
    visitor.shot("drill-answer")
    page.keyboard.press("Enter")
    visitor.wait(".drill-action:enabled")
    page.locator(".drill-action").last.click()
    visitor.wait(".drill-answer .grade")
    assert visitor.client.get("/api/drills/score").json()["answered"] == 2


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_runs(visit, lesson):
    visitor = visit("/learn")
    page = visitor.page
    assert page.locator(".lesson-card").count() == len(BASICS + LESSONS)
    page.click(f"a[href='/learn/{lesson}']")
    if lesson == "leduc":
        visitor.wait(".leduc-table tbody tr", count=3)
        page.locator(".figure .row [type=button], figure .row .button").last.click()  # somebody bets
        visitor.wait(".crumbs li", count=2)
        visitor.wait(".leduc-table tbody tr", count=3)
    else:
        visitor.wait("figure.chart svg")
        place = page.locator(".player output")
        before = place.inner_text()
        page.locator(".player .button").nth(0 if lesson == "kuhn" else 2).click()  # a step back from the end, or on
        assert place.inner_text() != before
        with page.expect_response("**/api/learn/**") as answer:
            page.locator(".controls select").last.select_option(index=0)
        assert answer.value.status == 200
    page.wait_for_timeout(50)
    visitor.shot(f"learn-{lesson}")


def test_lessons_for_beginners(visit):
    visitor = visit("/learn/ranks")
    page = visitor.page
    assert page.locator(".rank-table tbody tr").count() == 10
    page.locator(".quiz .row .button").nth(3).click()
    visitor.wait(".quiz :is(.right, .wrong)")
    assert "of 1." in page.inner_text(".quiz [role=status]")
    visitor.shot("learn-ranks")
    visitor.go("/learn/odds")
    assert "25%" in page.inner_text(".big-line")
    page.locator("input[type=range]").nth(1).fill("10")
    assert "33.3%" in page.inner_text(".big-line")
    flush = page.locator("tbody tr", has_text="Flush").first.inner_text()
    assert "19.1%" in flush
    assert "35.0%" in flush or "35%" in flush
    visitor.shot("learn-odds")
    visitor.go("/learn/position")
    visitor.wait(".position-row", count=5)
    opens = [float(text.strip("%")) for text in page.locator(".position-row .num").all_inner_texts()]
    assert opens[:4] == sorted(opens[:4]), "the later the seat, the more it plays"
    visitor.shot("learn-position")


def test_charts_are_clicked_through(visit):
    visitor = visit("/study/charts")
    page = visitor.page
    for _ in range(3):
        visitor.wait(".step.current .path-action")
        before = page.locator(".step").count()
        page.click(".step.current .path-action[data-key=F]")
        visitor.wait(".step", count=before + 1)
    assert page.locator(".step.current .step-head").inner_text().startswith("BTN")
    page.locator(".step.current .path-action").last.click()
    visitor.wait(".step", count=5)
    page.click(".grid13 [data-hand=AKs]")
    visitor.wait(".chart-hand .mixrows")
    shares = [float(text.strip("%")) for text in page.locator(".chart-hand td.num:not(.value)").all_inner_texts()]
    assert sum(shares) == pytest.approx(100, abs=1.5)
    visitor.shot("charts")
    page.reload()
    visitor.wait(".step", count=5)  # the address holds the way
    page.fill(".chart-table input[type=number]", "300")
    page.locator(".chart-body", has_text="blueprint").wait_for()
    assert page.locator(".step").count() == 1


def test_a_report_of_many_flops(visit):
    visitor = visit("/study/flops")
    page = visitor.page
    page.click(".chart-table .primary")
    visitor.wait(".flop-table tbody tr", count=3)
    assert page.locator(".flop-table .mean").count() == 1
    page.click(".flop-table thead .sorter >> nth=1")
    visitor.shot("flop-report")
    cells = page.locator("tbody tr:not(.mean) td:nth-of-type(1)").all_inner_texts()
    equities = [float(text.strip("%")) for text in cells]
    assert equities == sorted(equities, reverse=True)


def test_programs_find_the_api(visit):
    visitor = visit("/learn")
    page = visitor.page
    page.click("a[href='/programs']")
    visitor.wait(".operations")
    page.click(".operations summary >> nth=0")
    assert "/api/" in page.inner_text(".operations[open]")


def test_rock_paper_scissors_keeps_its_promise(visit):
    visitor = visit("/rps")
    page = visitor.page
    promised = page.inner_text(".promise .hash")
    page.click(".throw")
    visitor.wait(".verify.good")
    page.click(".verify summary")
    assert page.locator(".verify .hash").nth(1).inner_text() == f"= {promised}"
    page.keyboard.press("p")
    visitor.wait(".strip li", count=2)
    assert sum(int(text) for text in page.locator(".tally strong").all_inner_texts()) == 2


def test_hands_and_statistics_show_what_was_played(visit):
    visitor = visit("/hands")
    page = visitor.page
    assert page.locator(".hand-row").count() == 0
    visitor.shot("hands-empty")
    play_hands(visitor, 6)
    visitor.go("/hands")
    visitor.wait(".hand-row", count=6)
    visitor.shot("hands")
    page.locator(".filters select, .filter select").first.wait_for()
    visitor.go("/hands?result=won")
    hands = visitor.client.get("/api/hands", params={"limit": 50}).json()["hands"]
    won = [hand for hand in hands if hand["net"] > 0]
    assert len(hands) == 6
    assert page.locator(".hand-row").count() == len(won)
    visitor.go("/statistics")
    visitor.wait(".tiles .tile")
    assert page.locator(".tile .big").first.inner_text() == "6"
    assert "too few" in page.locator(".tile").nth(1).inner_text()
    visitor.wait("figure.chart svg")


def test_statistics_show_what_the_exploiter_has_learnt(visit, server):
    """Twelve hands in which one has called everything to the river."""
    visitor = visit("/", size=PHONE)
    mine = visitor.client.get("/api/me").json()["id"]
    table = new_table(visitor.client, opponents=[{"agent": "exploiter"}])["id"]
    state = dealt_out(holdem(), "AhAd 7s2d Kc8c3d4h9s", 0, 6, 0, 4, 0, 8, 0, 20, 0)
    for number in range(12):
        keep(server.service, state, [None, mine], number=number, agent="exploiter", table_id=table)
    visitor.go("/statistics")
    visitor.wait("#learnt tbody tr")
    told = visitor.page.locator("#learnt p").nth(1).inner_text()
    assert told.startswith("Hands: 12.")
    assert "100% (" in visitor.page.locator("#learnt tbody").inner_text()
    assert too_wide(visitor.page) == []


@pytest.mark.slow
def test_a_file_of_hands_is_reported_on(visit):
    visitor = visit("/hands")
    page = visitor.page
    page.click(".upload-panel > summary")
    page.set_input_files(".upload-panel input[type=file]", POKERSTARS)
    page.wait_for_url("**/uploads/*")
    visitor.wait(".manner .big")
    assert page.locator(".hand-row").count() == 1
    visitor.wait(".button.danger")  # all is done
    assert page.locator(".manner .big").first.inner_text() == "1"


def test_no_page_scrolls_sideways_on_a_phone(visit):
    visitor = visit("/", size=PHONE, has_touch=True, is_mobile=True, device_scale_factor=2)
    page = visitor.page
    play_hands(visitor, 1)
    client = visitor.client
    hand = client.get("/api/hands").json()["hands"][0]["id"]
    solved = client.post("/api/spots", json={"spot": RIVER}).json()["id"]
    lessons = [f"/learn/{lesson}" for lesson in BASICS + LESSONS]
    played = ["/hands", f"/hands/{hand}", "/statistics", "/study", f"/study/{solved}", "/drill"]
    played += ["/study/charts", "/study/flops", "/programs"]
    paths = [*played, "/learn", *lessons, "/rps", "/account", "/nowhere"]
    for path in paths:
        visitor.go(path)
        if path.endswith(solved):
            visitor.wait(".solution .grid13")
        if path == "/drill":
            visitor.wait(".drill-action")
        if path == "/study":
            visitor.wait(".check-fits")
        visitor.shot(f"phone{path.replace('/' + hand, '-one').replace('/' + solved, '-result').replace('/', '-')}")
        assert too_wide(page) == [], path
    page.click(".opener")
    assert page.locator("#places a").first.is_visible()
    visitor.shot("phone-menu")
    assert too_wide(page) == []

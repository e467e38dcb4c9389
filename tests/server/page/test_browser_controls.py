"""What makes playing comfortable, in a real browser: sizes, advice that sets them, sounds, chat, acting in advance."""

from __future__ import annotations

import pytest

from browser_helpers import OVER, PHONE, YOUR_TURN, Visitor, too_wide
from server_tables import new_table

pytestmark = pytest.mark.browser
SIZES = ".bet-sizes .button"


def labels(visitor: Visitor) -> list[str]:
    """What the buttons of the sizes say, without the keys on them."""
    texts = [button.evaluate("(e) => e.firstChild.textContent") for button in visitor.page.locator(SIZES).all()]
    return [str(text) for text in texts]


def sit_down(visitor: Visitor, **config: object) -> None:
    """Sit at a table and play until it is one's turn."""
    table = new_table(visitor.client, **config)
    visitor.go(f"/table/{table['id']}")
    visitor.wait(OVER)
    while not visitor.page.query_selector(YOUR_TURN):
        visitor.deal()


def test_sizes_before_and_after_the_flop_and_ones_own(visit):
    visitor = visit()
    page = visitor.page
    sit_down(visitor)
    assert labels(visitor) in (["2×", "2.5×", "3×", "Pot"], ["2×", "2.5×", "3×"])  # heads-up the pot is three times
    page.click(f"{SIZES} >> nth=2")
    assert page.input_value(".bet-field") == "3"
    visitor.shot("sizes-before")
    page.keyboard.press("2")
    assert page.input_value(".bet-field") == "2.5"
    page.click(YOUR_TURN)
    visitor.wait_turn()
    assert visitor.view()["hand"]["street"] == 1
    assert labels(visitor) == ["½", "¾", "Pot", "150%"]  # a third of two big blinds is less than a bet may be
    pot = visitor.view()["hand"]["legal"]["pot"]
    page.keyboard.press("4")
    assert float(page.input_value(".bet-field")) == pytest.approx(1.5 * pot / 2, abs=0.26)
    page.click(".table-tools .pop:last-child summary")
    page.click(".table-tools .pop:last-child .pop-body .button >> nth=0")
    after = page.locator("dialog input[type=text]").nth(1)
    after.fill("25 lots")
    after.press("Tab")
    assert "numbers" in page.inner_text("dialog .problem >> nth=1")
    after.fill("100% 250%")
    after.press("Tab")
    visitor.shot("table-settings")
    page.click("dialog .button.primary")
    assert labels(visitor) == ["Pot", "250%"]
    page.reload()
    visitor.wait(YOUR_TURN)
    assert labels(visitor) == ["Pot", "250%"], "the server remembers them"


def test_a_line_of_the_advice_sets_the_size(visit):
    visitor = visit()
    page = visitor.page
    visitor.allow("409 .*/advice")
    sit_down(visitor, assistant="live", opponents=[{"agent": "call"}])
    visitor.wait(".assistant .advice .pick")
    lines = page.locator(".assistant .mixrows .pick")
    texts = lines.all_inner_texts()
    raises = [at for at, text in enumerate(texts) if text.startswith(("Raise", "Bet"))]
    lines.nth(raises[-1]).click()
    assert page.input_value(".bet-field") in texts[raises[-1]]
    assert page.locator(".act.raise.armed").count() == 1
    visitor.shot("advice-sets-the-size")


def test_sounds_are_off_until_one_wants_them(visit):
    visitor = visit()
    page = visitor.page
    sit_down(visitor)
    speaker = page.locator(".table-tools button[aria-pressed]")
    assert speaker.get_attribute("aria-pressed") == "false"
    speaker.click()
    visitor.wait(".table-tools button[aria-pressed=true]")
    page.click(YOUR_TURN)  # with sounds
    visitor.wait_turn()
    assert visitor.client.get("/api/me").json()["preferences"]["sounds"] == "on"


def two_people(visit, **config: object) -> tuple[Visitor, Visitor]:
    """Two people who have a hand."""
    host, guest = visit(), visit()
    table = new_table(host.client, people=2, seconds=300, **config)
    guest.client.post(f"/api/tables/{table['id']}/seats", json={"invite": table["invite"]})
    for each in (host, guest):
        each.go(f"/table/{table['id']}")
        each.wait(f"{OVER} .button.primary")
    for each in (host, guest):
        each.page.click(f"{OVER} .button.primary")
    for each in (host, guest):
        each.gone(OVER)
    return host, guest


def test_people_talk_and_who_does_not_want_to_hears_nothing(visit):
    host, guest = two_people(visit)
    guest.page.click(".chat > summary")
    guest.page.fill(".chat input", "good luck")
    guest.page.keyboard.press("Enter")
    host.wait(".chat-unread")
    assert host.page.inner_text(".chat-unread") == "1"
    host.page.click(".chat > summary")
    host.wait(".chat-lines li")
    assert host.page.inner_text(".chat-lines li").endswith("good luck")
    host.shot("chat")
    assert host.page.query_selector(".chat-unread:not([hidden])") is None
    host.page.evaluate("import('/js/preferences.js').then((module) => module.prefer({ chat: 'off' }))")
    host.gone(".chat > summary")


def test_checking_or_folding_is_decided_in_advance(visit):
    host, guest = two_people(visit)
    acting, waiting = (host, guest) if host.page.query_selector(YOUR_TURN) else (guest, host)
    waiting.wait(".ahead")
    waiting.page.keyboard.press("f")
    assert waiting.page.is_checked(".ahead input")
    waiting.shot("in-advance")
    acting.page.keyboard.press("3")
    acting.page.keyboard.press("Enter")  # raises, and the other folds at once
    for each in (acting, waiting):
        each.wait(OVER)
    hand = waiting.view()["hand"]
    assert waiting.view()["chairs"][waiting.view()["you"]]["folded"]
    assert hand["over"]


def test_one_sits_out(visit):
    host, guest = two_people(visit)
    guest.page.click(".table-tools .pop:last-child summary")
    guest.page.get_by_text("Sit out").click()
    guest.wait(".table-foot[data-state=away]")
    host.call_down()
    guest.page.click(".table-foot .primary")
    guest.wait(f"{OVER}, .table-foot[data-state=waiting]")


def test_the_foot_of_the_table_fits_a_phone(visit):
    visitor = visit(size=PHONE, has_touch=True, is_mobile=True)
    sit_down(visitor)
    assert too_wide(visitor.page) == []
    boxes = [button.bounding_box() for button in visitor.page.locator(SIZES).all()]
    assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= PHONE[0] for box in boxes)

"""The figures of one's play in a real browser: as trackers count them, and on the scale of the levels."""

from __future__ import annotations

import pytest

from browser_helpers import PHONE, too_wide
from server_hands import HEADS_UP, dealt_out, keep

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("size", [(1280, 800), PHONE], ids=["desktop", "phone"])
def test_style_by_position_and_the_rating(visit, server, size):
    visitor = visit("/", size=size)
    page, mine = visitor.page, visitor.client.get("/api/me").json()["id"]
    raised = dealt_out(HEADS_UP, "AhAd KsQd Ac2c3c4d9h", 6, 20, 0, 30, -1)  # a 3-bet and a bet on the flop
    folded = dealt_out(HEADS_UP, "7h2d KsQd", -1)
    for number in range(120):
        state, people = (raised, [mine, None]) if number % 2 else (folded, [None, mine])
        keep(server.service, state, people, number=number)
    visitor.go("/statistics")
    visitor.wait(".level-scale")
    tiles = dict(
        zip(page.locator(".manner dt").all_inner_texts(), page.locator(".manner dd.big").all_inner_texts(), strict=True)
    )
    assert (tiles["3-bet"], tiles["C-bet"], tiles["Steal"], tiles["Fold to 3-bet"]) == ("100%", "100%", "0%", "–")
    rows = page.locator(".manner ~ .scroll tbody tr").all_inner_texts()
    assert sorted(row.split()[0] for row in rows) == ["BB", "BTN/SB"]
    assert page.locator(".rating tbody th").all_inner_texts() == ["Level 3"]
    assert "above 5" in page.locator(".rating .big").inner_text()
    assert "from 120 hands" in page.locator(".rating").inner_text()
    assert too_wide(page) == []
    visitor.shot(f"statistics-{size[0]}")

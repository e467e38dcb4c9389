"""Make the pictures of the web page again: ``python docs/screenshots.py``, or some of them by name.

A server with an empty folder is started, a program plays a few hundred hands for a guest, and a browser is led through
the product; what it shows goes to docs/images/web-*.png. Cards are dealt anew, so no two runs give the same pictures.
It needs Chromium and takes some minutes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "helpers"))

from PIL import Image  # noqa: E402
from playwright.sync_api import Browser, sync_playwright  # noqa: E402

from browser_helpers import ARGUMENTS, OVER, PHONE, YOUR_TURN, Visitor, browser_program  # noqa: E402
from server_helpers import Server, serving  # noqa: E402
from server_tables import new_table, play_out, ready  # noqa: E402

COLOURS = 256
HANDS = 400  # that the statistics are about
SIZE = (1280, 800)
STRONG = set("AKQJT")


class Pictures:
    """A guest with a name, and what he takes pictures of."""

    def __init__(self, server: Server, chromium: Browser) -> None:
        self.server, self.chromium = server, chromium
        self.visitor = self.guest("Alex")
        self.page = self.visitor.page

    def guest(self, name: str, size: tuple[int, int] = SIZE, **options: Any) -> Visitor:
        """Somebody with a browser."""
        visitor = Visitor(self.chromium, self.server, size, "off", color_scheme="light", **options)
        visitor.go("/")
        visitor.client.patch("/api/me", json={"name": name})
        return visitor

    def take(self, name: str, visitor: Visitor | None = None) -> None:
        """Keep what is seen, with few enough colours for a small file."""
        visitor = visitor or self.visitor
        visitor.page.mouse.move(1, 1)
        visitor.page.wait_for_timeout(300)
        file = HERE / "images" / f"web-{name}.png"
        visitor.page.screenshot()  # draws what has just come into view
        visitor.page.screenshot(path=file)
        picture = Image.open(file).convert("RGB")
        picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(file, optimize=True)
        print(f"{file.name}: {file.stat().st_size // 1000} kB")
        assert not visitor.wrong(), visitor.wrong()

    def lobby(self) -> None:
        """The lobby, with a table to go on with and one of somebody else."""
        client = self.visitor.client
        with self.server.bot("Grace") as other:
            new_table(client, seats=6, opponents=[{"agent": "blueprint", "level": 3}])
            new_table(other, seats=6, people=3, open=True, opponents=[{"agent": "blueprint", "level": 2}])
        self.visitor.go("/")
        self.take("lobby")

    def facing_a_bet(self, visitor: Visitor, **config: Any) -> None:
        """Sit down and play on until a bet is to be answered after the flop."""
        client = visitor.client
        table = new_table(client, **config)
        visitor.go(f"/table/{table['id']}")
        while True:
            if visitor.page.query_selector(OVER):
                visitor.deal()
            elif (hand := visitor.view()["hand"])["street"] > 0 and hand["legal"] and hand["legal"]["call"]:
                return
            else:
                visitor.page.click(YOUR_TURN)
                visitor.wait_turn()

    def table(self) -> None:
        """Live advice at the table; then, hand over, its review, and the hand step by step."""
        visitor, page = self.visitor, self.page
        visitor.allow("409 .*/advice")  # advice for a turn that has passed
        self.facing_a_bet(visitor, opponents=[{"agent": "blueprint", "level": 4}], assistant="live")
        visitor.wait(".assistant .advice .grid13")
        self.take("table")
        page.click(".tools > button")
        page.click(".tools > button")
        visitor.wait("html[data-theme=dark]")
        self.take("table-dark")
        page.click(".tools > button")
        visitor.call_down()
        visitor.wait(".assistant .decision")
        page.locator(".assistant .decision summary").last.click()
        self.take("review")
        page.click(".assistant a[href^='/hands/']")
        visitor.wait(".hand-review .decision")
        for _ in range(int(page.get_attribute(".scrubber", "max") or 0) * 2 // 3):
            page.keyboard.press("ArrowRight")
        self.take("hand")

    def statistics(self) -> None:
        """Some hundred hands, played by a simple rule."""
        agents = ({"agent": "call"}, {"agent": "loose"}, {"agent": "tight"}, {"agent": "blueprint", "level": 1})
        client = self.visitor.client
        for agent in agents:
            table = new_table(client, opponents=[agent])
            for _ in range(HANDS // len(agents)):
                play_out(client, ready(client, table["id"]), simple_rule)
        end = time.monotonic() + 60  # luck is taken out of the results behind the table
        while client.get("/api/statistics").json()["pending"] and time.monotonic() < end:
            time.sleep(1)
        self.visitor.go("/statistics")
        self.visitor.wait("figure.chart svg")
        self.take("statistics")

    def study(self) -> None:
        """A turn, solved, with a hand chosen."""
        visitor, page = self.visitor, self.page
        page.set_viewport_size({"width": SIZE[0], "height": 980})
        visitor.go("/study")
        page.locator(".starts .button").nth(4).click()
        visitor.wait(".check-fits")
        page.click("[type=submit]:enabled")
        visitor.wait(".path-action")
        page.locator(".step.current .path-action").nth(1).click()
        visitor.wait(".step.current.ip")
        page.locator(".grid13 [data-hand=KQs]").click()
        self.take("study")
        page.set_viewport_size({"width": SIZE[0], "height": SIZE[1]})

    def drill(self) -> None:
        """An answered question, one in which the solution mixes."""
        self.page.set_viewport_size({"width": SIZE[0], "height": 1270})
        self.visitor.go("/drill")
        for _ in range(12):
            self.visitor.wait(".drill-action:enabled")
            self.page.keyboard.press("2")
            self.visitor.wait(".drill-answer .grade")
            if self.mixed():
                break
            self.page.keyboard.press("Enter")
            self.visitor.gone(".drill-answer")
        self.page.wait_for_timeout(1000)  # it scrolls to the answer by itself
        self.page.evaluate("scrollTo(0, 0)")
        self.take("drill")
        self.page.set_viewport_size({"width": SIZE[0], "height": SIZE[1]})

    def mixed(self) -> bool:
        """Whether at least two actions of the answer are taken now and then."""
        shares = self.page.locator(".drill-answer .mixrows td.num:not(.value)").all_inner_texts()
        return sum(float(share.strip("%")) > 10 for share in shares) > 1

    def learn(self) -> None:
        """How regret matching finds its way."""
        self.visitor.go("/learn/rps")
        self.visitor.wait("figure.chart svg")
        self.page.locator(".player input[type=range]").fill("40")
        self.page.evaluate(
            "document.activeElement.blur(); document.querySelector('.watch').scrollIntoView(); scrollBy(0, -250)"
        )
        self.take("learn")

    def phone(self) -> None:
        """Six players on a phone."""
        visitor = self.guest("Alex", PHONE, has_touch=True, is_mobile=True, device_scale_factor=2)
        self.facing_a_bet(visitor, seats=6, opponents=[{"agent": "blueprint", "level": 3}])
        self.take("phone", visitor)


def simple_rule(view: dict[str, Any]) -> tuple[Any, ...]:
    """Bets half the pot with a pair or better, calls small bets with two high cards, folds the rest."""
    hand, own = view["hand"], view["chairs"][view["you"]]["cards"]
    legal, ranks = hand["legal"], [card[0] for card in own]
    paired = ranks[0] == ranks[1] or any(card[0] in ranks for card in hand["board"])
    high = set(ranks) & STRONG
    if paired and legal["raise"] and legal["call"] <= 2 and hand["pot"] < 60:
        wanted = view["chairs"][view["you"]]["bet"] + legal["call"] + legal["pot"] // 2
        return "raise", min(legal["raise"]["max"], max(legal["raise"]["min"], wanted))
    worth = legal["call"] <= (20 if paired else 3 if high else 1)
    return ("call",) if not legal["fold"] or worth else ("fold",)


def main() -> None:
    """Make all pictures, or those that are named."""
    names = ("lobby", "table", "study", "drill", "learn", "phone", "statistics")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(names)}")
    wanted = parser.parse_args().names or names
    if unknown := set(wanted) - set(names):
        parser.error(f"there is no picture {', '.join(sorted(unknown))}: choose of {', '.join(names)}")
    program = browser_program()
    if program is None:
        sys.exit("these are pictures of Chromium: install it first")
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), helpers=2) as server,
        sync_playwright() as running,
    ):
        server.service.ready["play"] = True  # whatever is not compiled yet is, when it is first needed
        chromium = running.chromium.launch(executable_path=program, args=ARGUMENTS)
        pictures = Pictures(server, chromium)
        for picture in wanted:
            take: Callable[[], None] = getattr(pictures, picture)
            take()
        chromium.close()


if __name__ == "__main__":
    main()

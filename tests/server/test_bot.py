"""The bot of the documentation plays at a real server."""

import re
import subprocess
import sys

from sqlalchemy import select

from ludus.server.models import Hand, HandSeat
from paths import REPOSITORY

BOT = REPOSITORY / "examples" / "bot.py"


def test_the_example_plays_hands_that_are_kept(server, monkeypatch):
    monkeypatch.setattr(server.service.limits, "on", True)
    run = subprocess.run(
        [sys.executable, BOT, server.url, "5"], capture_output=True, text=True, timeout=300, check=True
    )
    hands, won = map(int, re.fullmatch(r"(\d+) hands, ([+-]\d+) chips\n", run.stdout).groups())
    assert hands == 5
    with server.service.database.session() as session:
        kept = session.scalars(select(HandSeat).join(Hand).where(HandSeat.name == "Odds bot")).all()
        assert len(kept) == hands
        assert sum(seat.net for seat in kept) == won


def test_the_example_is_short_and_needs_little():
    text = BOT.read_text()
    assert len(text.splitlines()) < 40
    assert set(re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)) <= {"json", "sys", "urllib", "websockets"}

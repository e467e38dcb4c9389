"""What the page of a table works out itself: hashes, the proof of a deck, names of hands, where seats and bets lie."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import ludus.server
from ludus.cards.card import CARDS, DECK
from ludus.games.names import hand_name
from ludus.server.tables.deck import commitment, opened, shuffled

JS = Path(ludus.server.__file__).parent / "page" / "js"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node runs the page's modules here")


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page's modules where node takes them for modules."""
    folder = tmp_path_factory.mktemp("page")
    shutil.copytree(JS, folder / "js")
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


def run(folder: Path, code: str, given: Any) -> Any:
    """What the code prints for a value that it finds in ``given``."""
    script = f"const given = JSON.parse(require('fs').readFileSync(0, 'utf8')); (async () => {{ {code} }})();"
    assert NODE is not None
    done = subprocess.run(
        [NODE, "-e", script], cwd=folder, input=json.dumps(given), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_sha256_is_the_standard_one(modules: Path) -> None:
    texts = ["", "abc", "é♠ 牌" * 40, *("x" * length for length in range(50, 140)), "a" * 100_000]
    code = (
        "const { sha256 } = await import('./js/components/sha256.js'); console.log(JSON.stringify(given.map(sha256)));"
    )
    assert run(modules, code, texts) == [hashlib.sha256(text.encode()).hexdigest() for text in texts]


CHECK = """
const { check } = await import('./js/table/fairness.js');
console.log(JSON.stringify(given.map(([promised, reveal]) => check(promised, reveal))));
"""


def test_a_deck_is_proved_and_a_changed_one_is_not(modules: Path) -> None:
    deck, salts = shuffled(DECK)
    promised = commitment(deck, salts)
    changed = opened(deck, salts)
    changed["cards"][7]["card"], changed["cards"][8]["card"] = changed["cards"][8]["card"], changed["cards"][7]["card"]
    other = opened(*shuffled(DECK))
    twice = opened((deck[1], *deck[1:]), salts)
    twice_promised = commitment((deck[1], *deck[1:]), salts)
    cases = [(promised, opened(deck, salts)), (promised, opened(deck, salts, {0, 1})), (promised, changed),
             (promised, other), (twice_promised, twice)]  # fmt: skip
    fair, partly, swapped, replaced, doubled = run(modules, CHECK, cases)
    assert fair["good"]
    assert fair["opened"] == 52
    assert partly["good"]
    assert partly["closed"] == 2
    assert not swapped["good"]
    assert swapped["wrong"] == [7, 8]
    assert not replaced["good"]
    assert not replaced["fits"]
    assert not doubled["good"]
    assert doubled["twice"]


KINDS = {
    "royal": "royal flush", "straight-flush": "straight flush", "four": "four ", "full": "full house", "flush": "flush",
    "straight": "straight", "three": "three ", "two-pair": "two pair", "pair": "pair of", "high": "high card",
}  # fmt: skip


def test_hands_are_named_as_the_library_names_them(modules: Path) -> None:
    rng = random.Random(4)
    hands = [rng.sample(DECK, 7) for _ in range(1500)]
    hands += [rng.sample([card for card in DECK if card % 4 == 1 or card < 8], 7) for _ in range(300)]  # more flushes
    hands += [[34, 38, 42, 46, 50, 0, 1], [48, 0, 5, 9, 14, 30, 31]]  # royal; A to 5
    code = (
        "const { handOf } = await import('./js/table/made.js'); "
        "console.log(JSON.stringify(given.map((cards) => handOf(cards).kind)));"
    )
    kinds = run(modules, code, [[CARDS[card] for card in hand] for hand in hands])
    assert set(kinds) == set(KINDS)
    for hand, kind in zip(hands, kinds, strict=True):
        name = hand_name(hand)
        assert name.startswith(KINDS[kind]), (name, kind, [CARDS[card] for card in hand])
        assert kind != "straight" or "flush" not in name


LAYOUT = """
const { arrange } = await import('./js/table/layout.js');
const hits = (a, b) => Math.abs(a.x - b.x) * 2 < a.w + b.w && Math.abs(a.y - b.y) * 2 < a.h + b.h;
console.log(JSON.stringify(given.flatMap(([count, width, height]) => {
  const plan = arrange(count, width, height), { pod, small, own } = plan, bad = [];
  const boxes = plan.seats.map(({ x, y }, i) => {
    const rise = 1.22 * (i ? small : own * 1.3 / 1.22);
    return { x, y: y - rise / 2, w: i ? pod.w : Math.max(pod.w, 2 * own), h: pod.h + rise };
  });
  boxes.forEach((box, i) => {
    const [right, bottom] = [box.x + box.w / 2, box.y + box.h / 2];
    if (right - box.w < 0 || right > width || bottom - box.h < -1 || bottom > height) bad.push(['out', i]);
    boxes.forEach((other, j) => { if (j < i && hits(box, other)) bad.push(['seats', i, j]); });
    plan.bets.forEach((bet, j) => { if (hits(bet, box)) bad.push(['bet on seat', j, i]); });
    plan.bets.forEach((bet, j) => { if (j < i && hits(bet, plan.bets[i])) bad.push(['bets', i, j]); });
  });
  if (Math.abs(plan.seats[0].x - width / 2) > 1) bad.push('own seat');
  return bad.map((each) => [count, width, height, ...each]);
})));
"""


def test_seats_and_bets_lie_apart_on_every_screen(modules: Path) -> None:
    screens = [(470, 272), (360, 450), (390, 560), (412, 620), (740, 640), (768, 760), (900, 560), (1120, 700)]
    cases = [(count, *size) for count in range(2, 11) for size in screens if count < 9 or size[1] > 300]
    assert run(modules, LAYOUT, cases) == []

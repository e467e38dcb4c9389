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
from ludus.games.showdown import strength
from ludus.server.page_files import texts_of
from ludus.server.tables.config import SMALL, TableConfig
from ludus.server.tables.deck import PromisedDeck, first_button, seed_list, shuffled
from reveals import mutations

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
SEEDS = {0: "00" * 16, 3: "f1" * 16}
HAND = "Hand-id_of-22-letters"


def told(promise: PromisedDeck, **more: Any) -> dict[str, Any]:
    """What a page knows before the end of a hand."""
    names = [CARDS[card] for card in sorted(promise.cards)]
    known = {"hand": promise.hand, "commitment": promise.commitment, "deck": names, "seeds": seed_list(SEEDS)}
    return {**known, "people": len(SEEDS), **more}


@pytest.mark.parametrize(
    ("size", "closed", "every"), [(52, (), 50), (52, (0, 1, 51), 50), (6, (1,), 1), (3, (), 1), (3, (0, 2), 1)]
)
def test_no_single_field_of_a_proof_can_be_changed(
    modules: Path, size: int, closed: tuple[int, ...], every: int
) -> None:
    promise = shuffled(HAND, DECK[:size])
    reveal = promise.opened(SEEDS, closed)
    wrong = [
        (what, each) for what, each in mutations(reveal) if json.dumps(each).replace(".0", "") != json.dumps(reveal)
    ]
    chosen = wrong[::every]
    assert len(chosen) > 60
    right, *found = run(modules, CHECK, [(told(promise), each) for each in (reveal, *(each for _, each in chosen))])
    assert right["good"]
    assert [what for (what, _), each in zip(chosen, found, strict=True) if each["good"]] == []


def test_forgeries_that_were_once_believed(modules: Path) -> None:
    """A card without a salt; leaves that are merged or cut elsewhere, so that one promise has two boards."""
    promise = shuffled(HAND, DECK)
    bare, salted, merged, cut = (promise.opened(SEEDS, {20, 21}) for _ in range(4))
    bare["cards"][20]["card"] = "Ah"
    salted["cards"][20]["salt"] = promise.salts[0]
    merged["cards"][20]["hash"] += merged["cards"].pop(21)["hash"]
    cut["cards"][20]["hash"], cut["cards"][21]["hash"] = "", cut["cards"][20]["hash"] + cut["cards"][21]["hash"]
    found = run(modules, CHECK, [(told(promise), each) for each in (bare, salted, merged, cut)])
    assert [(each["good"], each["whole"]) for each in found] == [(False, False)] * 4


def test_the_own_seed_must_be_in_the_order(modules: Path) -> None:
    promise = shuffled(HAND, DECK)
    reveal, without = promise.opened(SEEDS), promise.opened({3: SEEDS[3]})
    known = told(promise, seeds=None, own=SEEDS[0])
    with_it, dropped, nothing = run(
        modules, CHECK, [(known, reveal), (known, without), ({**known, "own": None}, without)]
    )
    assert (with_it["good"], with_it["seeded"]) == (True, True)
    assert (dropped["good"], dropped["seeded"], dropped["fits"]) == (False, False, True)
    assert (nothing["good"], nothing["seeded"]) == (True, None)


def test_a_seed_of_nobody_is_not_believed(modules: Path) -> None:
    """A server that adds a seed for a chair of the AI could try out many, once it knows the cards and the player's."""
    promise = shuffled(HAND, DECK)
    known = told(promise, seeds=None, own=SEEDS[0], people=1)
    added, alone = run(modules, CHECK, [(known, promise.opened(SEEDS)), (known, promise.opened({0: SEEDS[0]}))])
    assert (added["good"], added["extra"], added["seeded"]) == (False, True, True)
    assert (alone["good"], alone["extra"]) == (True, False)


def test_the_first_button_is_where_the_seeds_put_it(modules: Path) -> None:
    promise, chairs = shuffled(HAND, DECK), [0, 3, 4, 7, 9]
    button = first_button(HAND, SEEDS, chairs)
    cases = [(told(promise, first={"chairs": chairs, "button": chair}), promise.opened(SEEDS)) for chair in chairs]
    found = run(modules, CHECK, cases)
    assert [(each["good"], each["placed"]) for each in found] == [(chair == button,) * 2 for chair in chairs]


def test_the_page_knows_the_deck_of_every_game(modules: Path) -> None:
    code = "const { deckOf } = await import('./js/table/fairness.js'); console.log(JSON.stringify(given.map(deckOf)));"
    games = ["holdem", *SMALL]
    for game, deck in zip(games, run(modules, code, games), strict=True):
        config = TableConfig.model_validate({"game": game})
        assert sorted(deck) == sorted(CARDS[card] for card in config.game_of([config.stack] * 2).deck)


NOTES = """
const kept = {};
globalThis.localStorage = { getItem: (key) => kept[key] ?? null, setItem: (key, value) => { kept[key] = value; } };
const { heed, noted } = await import('./js/table/notes.js');
const said = given.map((view) => heed(view));
const first = said[0].seed, taken = { ...given[1], promise: { ...given[1].promise, seed: first } };
console.log(JSON.stringify([said, heed(taken), noted('a'), noted('b'), noted('c')]));
"""


def test_the_page_gives_a_seed_once_and_notes_what_it_saw_first(modules: Path) -> None:
    def view(promise: Any, hand: Any = None, you: int | None = 0) -> dict[str, Any]:
        return {"you": you, "closed": False, "hand": hand, "promise": promise}

    def promise(key: str, commitment: str, seed: str | None = None) -> dict[str, Any]:
        return {"id": key, "commitment": commitment, "seed": seed, "chairs": []}

    playing = {"id": "a", "commitment": "other", "over": False, "seeds": []}
    views = [view(promise("a", "one")), view(promise("a", "two")), view(promise("b", "x", "another device's"), playing),
             view(promise("c", "y"), None, None)]  # fmt: skip
    said, again, first, second, third = run(modules, NOTES, views)
    assert said[0] == {"type": "seed", "hand": "a", "seed": said[0]["seed"]}
    assert len(said[0]["seed"]) == 32
    assert said[1] == said[0], "the same until the server has it"
    assert said[2:] == [None, None]
    assert again is None
    assert (first["commitment"], first["early"], first["given"], first["seeds"]) == ("one", True, True, [])
    assert "given" not in second
    assert third == {"commitment": "y", "early": True}


def test_a_deck_is_proved_and_a_changed_one_is_not(modules: Path) -> None:
    promise = shuffled(HAND, DECK)
    changed = promise.opened(SEEDS)
    changed["cards"][7]["card"], changed["cards"][8]["card"] = changed["cards"][8]["card"], changed["cards"][7]["card"]
    other = shuffled(HAND, DECK).opened(SEEDS)
    doubling = PromisedDeck(HAND, (DECK[1], *DECK[1:]), promise.key)
    cases = [(told(promise), promise.opened(SEEDS)), (told(promise), promise.opened(SEEDS, {0, 1})),
             (told(promise), changed), (told(promise), other),
             (told(promise, commitment=doubling.commitment), doubling.opened(SEEDS))]  # fmt: skip
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
        "console.log(JSON.stringify(given.map(handOf).map(({ kind, five }) => [kind, five])));"
    )
    found = run(modules, code, [[CARDS[card] for card in hand] for hand in hands])
    kinds = [kind for kind, _ in found]
    assert set(kinds) == set(KINDS)
    for hand, (_, five) in zip(hands, found, strict=True):
        best = [CARDS.index(card) for card in five]
        assert len(set(best)) == 5
        assert set(best) <= set(hand)
        assert strength(best) == strength(hand), "the five that are lifted are the best five"
    for hand, kind in zip(hands, kinds, strict=True):
        name = hand_name(hand)
        assert name.startswith(KINDS[kind]), (name, kind, [CARDS[card] for card in hand])
        assert kind != "straight" or "flush" not in name


WORDS = """
global.navigator = { languages: ["en"] };
global.localStorage = { getItem: () => null, setItem() {} };
global.document = { documentElement: { lang: "" } };
const texts = JSON.parse(require('fs').readFileSync(given.texts, 'utf8'));
global.fetch = async () => ({ ok: true, json: async () => texts });
const { choose } = await import('./js/i18n.js');
await choose("en");
const { resultSentence, winningCards } = await import('./js/table/showdown.js');
console.log(JSON.stringify(given.ends.map((end) => [resultSentence(end, String), winningCards(end)])));
"""


def test_results_are_told_with_kickers_pots_and_splits(modules: Path, tmp_path: Path) -> None:
    def end(board: str, hands: dict[int, str], *awards: tuple[int, list[int]]) -> dict[str, Any]:
        cards = [board[at : at + 2] for at in range(0, len(board), 2)]
        names = ("You", "Ada", "Carl")
        players = {
            str(chair): {
                "name": name,
                "you": chair == 0,
                "cards": [hands[chair][:2], hands[chair][2:]] if chair in hands else [],
            }
            for chair, name in enumerate(names)
        }
        return {"awards": [{"chips": chips, "chairs": at} for chips, at in awards], "board": cards, "players": players}

    texts = tmp_path / "en.json"
    texts.write_text(json.dumps(texts_of("en")))
    ends = [
        end("KcKd4s4hAs", {0: "QhJd", 1: "2c3d"}, (82, [0, 1])),
        end("Kc8d4s2h9s", {0: "KhAd", 1: "KsQd"}, (40, [0])),
        end("Kc8d4s2hTs", {0: "AhKd", 1: "AsKs"}, (40, [0, 1])),
        end("AcKd4s2h9s", {0: "AhTd", 1: "AsJs"}, (40, [1])),
        end("Kc8d4s2h9s", {}, (6, [1])),
        end("Kc8d4s2h9s", {0: "KhAd", 1: "QsQd", 2: "JsJd"}, (60, [0]), (80, [1])),
    ]
    told = run(modules, WORDS, {"texts": str(texts), "ends": ends})
    assert [sentence for sentence, _ in told] == [
        "You and Ada split 82, each with two pair, kings and fours, ace kicker.",
        "You win 40 with a pair of kings, ace kicker.",
        "You and Ada split 40, each with a pair of kings, ace kicker.",
        "Ada wins 40 with a pair of aces, king + jack kicker.",
        "Ada wins 6.",
        "Main pot: You win 60 with a pair of kings, ace kicker. "
        "Side pot: Ada wins 80 with a pair of queens, king kicker.",
    ]
    assert told[4][1] is None
    assert sorted(told[1][1]) == sorted(["Kc", "Kh", "Ad", "9s", "8d"])


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
    screens = [
        (470, 272),
        (360, 450),
        (390, 560),
        (412, 620),
        (740, 640),
        (768, 760),
        (900, 560),
        (1120, 700),
        (1500, 860),
    ]
    cases = [(count, *size) for count in range(2, 11) for size in screens if count < 9 or size[1] > 300]
    assert run(modules, LAYOUT, cases) == []

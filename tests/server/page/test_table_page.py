"""What the page of a table works out itself: hashes, the proof of a deck, names of hands, where seats and bets lie."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import Any

from ludus.cards.card import CARDS, DECK
from ludus.games.names import hand_name
from ludus.games.showdown import strength
from ludus.server.page_files import texts_of
from ludus.server.tables.config import SMALL, TableConfig
from ludus.server.tables.deck import PromisedDeck, seed_list, shuffled


def test_sha256_is_the_standard_one(javascript: Any) -> None:
    texts = ["", "abc", "é♠ 牌" * 40, *("x" * length for length in range(50, 140)), "a" * 100_000]
    code = (
        "const { sha256 } = await import('./js/components/sha256.js'); console.log(JSON.stringify(given.map(sha256)));"
    )
    assert javascript(code, texts) == [hashlib.sha256(text.encode()).hexdigest() for text in texts]


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
    return {**known, "people": list(SEEDS), **more}


def test_the_page_knows_the_deck_of_every_game(javascript: Any) -> None:
    code = "const { deckOf } = await import('./js/table/fairness.js'); console.log(JSON.stringify(given.map(deckOf)));"
    games = ["holdem", *SMALL]
    for game, deck in zip(games, javascript(code, games), strict=True):
        config = TableConfig.model_validate({"game": game})
        assert sorted(deck) == sorted(CARDS[card] for card in config.game_of([config.stack] * 2).deck)


NOTES = """
const kept = {};
globalThis.localStorage = { getItem: (key) => kept[key] ?? null, setItem: (key, value) => { kept[key] = value; } };
const { heed, noted, ownSeed } = await import('./js/table/notes.js');
const said = given.map((view) => heed(view));
const first = said[0].seed, taken = { ...given[1], promise: { ...given[1].promise, seed: first } };
const own = ['a', 'b'].map(noted).map(ownSeed);
console.log(JSON.stringify([said, heed(taken), noted('a'), noted('b'), noted('c'), own]));
"""


def test_the_page_gives_a_seed_once_and_notes_what_it_saw_first(javascript: Any) -> None:
    def view(promise: Any, hand: Any = None, you: int | None = 0) -> dict[str, Any]:
        return {"you": you, "closed": False, "hand": hand, "promise": promise}

    def promise(key: str, commitment: str, seed: str | None = None) -> dict[str, Any]:
        return {"id": key, "commitment": commitment, "seed": seed, "chairs": []}

    playing = {"id": "a", "commitment": "other", "over": False, "seeds": []}
    views = [view(promise("a", "one")), view(promise("a", "two")), view(promise("b", "x", "another device's"), playing),
             view(promise("c", "y"), None, None)]  # fmt: skip
    said, again, first, second, third, own = javascript(NOTES, views)
    assert said[0] == {"type": "seed", "hand": "a", "seed": said[0]["seed"]}
    assert len(said[0]["seed"]) == 32
    assert said[1] == said[0], "the same until the server has it"
    assert said[2:] == [None, None]
    assert again is None
    assert (first["commitment"], first["early"], first["given"], first["seeds"]) == ("one", True, True, [])
    assert own == [None, None], "it is taken only after that"
    assert "given" not in second
    assert third == {"commitment": "y", "early": True}


OWN_SEED = """
const { ownSeed } = await import('./js/table/notes.js');
console.log(JSON.stringify(given.map(ownSeed)));
"""


def test_the_own_seed_counts_for_the_chair_that_it_was_given_for(javascript: Any) -> None:
    """A server must not say afterwards whose it was: each chair gives another order of the deck."""
    seed = {"given": True, "seed": SEEDS[0], "chair": 0}
    own = {"chair": 0, "seed": SEEDS[0]}
    notes = [seed, {**seed, "at": 0}, {**seed, "at": 3}, {**seed, "at": None}, {**seed, "given": False}, {}]
    assert javascript(OWN_SEED, notes) == [own, own, None, None, None, None]


def test_the_page_says_what_is_wrong_with_seeds(javascript: Any) -> None:
    promise, own = shuffled(HAND, DECK), {"chair": 0, "seed": SEEDS[0]}
    known = told(promise, seeds=None, own=own)
    dealt = [SEEDS, {3: SEEDS[3]}, {1: SEEDS[0], 3: SEEDS[3]}, {**SEEDS, 1: "ab" * 16}]
    found = javascript(CHECK, [(known, promise.opened(seeds)) for seeds in dealt])
    assert [(each["good"], each["seeded"], each["extra"]) for each in found] == [
        (True, True, False), (False, False, False), (False, False, True), (False, True, True),
    ]  # fmt: skip


def test_a_deck_is_proved_and_a_changed_one_is_not(javascript: Any) -> None:
    promise = shuffled(HAND, DECK)
    changed = promise.opened(SEEDS)
    changed["cards"][7]["card"], changed["cards"][8]["card"] = changed["cards"][8]["card"], changed["cards"][7]["card"]
    other = shuffled(HAND, DECK).opened(SEEDS)
    doubling = PromisedDeck(HAND, (DECK[1], *DECK[1:]), promise.key)
    cases = [(told(promise), promise.opened(SEEDS)), (told(promise), promise.opened(SEEDS, {0, 1})),
             (told(promise), changed), (told(promise), other),
             (told(promise, commitment=doubling.commitment), doubling.opened(SEEDS))]  # fmt: skip
    fair, partly, swapped, replaced, doubled = javascript(CHECK, cases)
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


def test_hands_are_named_as_the_library_names_them(javascript: Any) -> None:
    rng = random.Random(4)
    hands = [rng.sample(DECK, 7) for _ in range(1500)]
    hands += [rng.sample([card for card in DECK if card % 4 == 1 or card < 8], 7) for _ in range(300)]  # more flushes
    hands += [[34, 38, 42, 46, 50, 0, 1], [48, 0, 5, 9, 14, 30, 31]]  # royal; A to 5
    code = (
        "const { handOf } = await import('./js/table/made.js'); "
        "console.log(JSON.stringify(given.map(handOf).map(({ kind, five }) => [kind, five])));"
    )
    found = javascript(code, [[CARDS[card] for card in hand] for hand in hands])
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


def test_results_are_told_with_kickers_pots_and_splits(javascript: Any, tmp_path: Path) -> None:
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
        end("Kc8d4s2hTs", {0: "AhKd", 1: "AsKs"}, (40, [1, 0])),
        end("AcKd4s2h9s", {0: "AhTd", 1: "AsJs"}, (40, [1])),
        end("Kc8d4s2h9s", {}, (6, [1])),
        end("Kc8d4s2h9s", {0: "KhAd", 1: "QsQd", 2: "JsJd"}, (60, [0]), (80, [1])),
    ]
    told = javascript(WORDS, {"texts": str(texts), "ends": ends})
    assert [sentence for sentence, _ in told] == [
        "You and Ada split 82, each with two pair, kings and fours, ace kicker.",
        "You win 40 with a pair of kings, ace kicker.",
        "You and Ada split 40, each with a pair of kings, ace kicker.",
        "Ada wins 40 with a pair of aces, king-jack kicker.",
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


def test_seats_and_bets_lie_apart_on_every_screen(javascript: Any) -> None:
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
    assert javascript(LAYOUT, cases) == []


POTS = """
globalThis.localStorage = { getItem: () => null };
const { after, sceneOf } = await import('./js/table/scene.js');
const chair = (at, bet, all_in) => ({ chair: at, bet, all_in, stack: 0, cards: [], in_hand: true, kind: 'ai' });
const pots = [{ chips: 60, chairs: [0, 1, 2] }, { chips: 80, chairs: [1, 2] }, { chips: 15, chairs: [2] }];
const view = (bets) => ({ you: 0, config: { game: 'holdem' }, chairs: bets.map((bet, at) => chair(at, bet, at === 0)),
  hand: { pots, pot: 155, blinds: [1, 2], board: [], button: 0, over: false, to_act: 1, number: 1 } });
const quiet = view([0, 0, 0]), shown = (scene) => scene.pots.map(({ chips }) => chips);
const events = given.map((event) => shown(after(sceneOf(quiet), event, quiet)));
console.log(JSON.stringify([shown(sceneOf(quiet)), shown(sceneOf(view([0, 40, 55]))), ...events]));
"""


def test_side_pots_are_shown_once_their_bets_are_in(javascript: Any) -> None:
    """Bets of a street that is not over are no pots, nor are chips that nobody has called."""
    bet = {"kind": "act", "chair": 1, "action": "raise", "stacks": [0, 10, 20], "bets": [0, 10, 0], "pot": 165}
    street = {"kind": "street", "cards": ["As"]}
    found = javascript(POTS, [bet, street, {**street, "all_in": True}])
    assert found == [[60, 80], [], [], [], [60, 80]]

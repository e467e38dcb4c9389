"""Nobody is told a card that he may not know. Every byte that every client gets is looked at."""

import json
import random
import re
import time
from contextlib import ExitStack
from copy import deepcopy

import pytest
from sqlalchemy import select

from ludus.cards.card import CARDS
from ludus.server.models import Hand, HandSeat, TableEvent
from ludus.server.people.vault import Vault
from ludus.server.tables.deck import PromisedDeck
from ludus.server.tables.log import unsealed
from server_tables import Socket, act, give_seed, new_table, proved, wait

CARD = re.compile(r"(?<![A-Za-z0-9])[2-9TJQKA][cdhs](?![A-Za-z0-9])")
TIGHT = re.compile(r"[2-9TJQKA][cdhs]")  # a card in any text: where no random letters can be
RANDOM = {
    "id": r"[\w-]{22}", "invite": r"[\w-]{22}", "commitment": "[0-9a-f]{64}", "betting": r"(f|c|r\d+|/)*",
    "seed": "[0-9a-f]{32}", "salt": "[0-9a-f]{32}", "hash": "[0-9a-f]{64}", "name": ".*", "host": ".*", "coming": ".*",
}  # fmt: skip
WORDS = {"kind", "type", "action", "agent", "place", "game", "chips", "assistant", "scheme", "made", "detail"}
HOLE = 2


class Leak(AssertionError):
    """Somebody was told what he may not know."""


class Truth:
    """What the cards of a table's hands really were, from its log."""

    def __init__(self, service, table):
        with service.database.session() as session:
            rows = session.scalars(select(TableEvent).where(TableEvent.table_id == table)).all()
            self.hands = {row.data["hand"]: row.data for row in rows if row.kind == "dealt"}
            vault = Vault(service.secret)
            promises = [unsealed(vault, table, row.data) for row in rows if row.kind == "promised"]
            self.promised = {each["hand"]: PromisedDeck.from_dict(each) for each in promises}
            ended = session.scalars(select(Hand).where(Hand.table_id == table)).all()
            self.over = {hand.id: hand for hand in ended}
            seats = session.scalars(select(HandSeat).where(HandSeat.hand_id.in_(self.over))).all()
            self.shown = {(seat.hand_id, seat.seat) for seat in seats if seat.shown}
        self.by_number = {data["number"]: key for key, data in self.hands.items()}

    def deck(self, hand):
        return [CARDS[card] for card in self.promised[hand].dealt(dict(self.hands[hand]["seeds"]))]

    def hole(self, hand, seat):
        return set(self.deck(hand)[HOLE * seat : HOLE * (seat + 1)])

    def board(self, hand, street):
        first = HOLE * len(self.hands[hand]["seats"])
        return self.deck(hand)[first : first + (0, 3, 4, 5)[street]]

    def seat_of(self, hand, person):
        chairs = self.hands[hand]["chairs"]
        return next(
            (seat for seat, chair in enumerate(self.hands[hand]["seats"]) if person and chairs[chair][0] == person),
            None,
        )

    def may_know(self, hand, person, street, over):
        """The cards that a person may have been told when a hand has come to a street."""
        known = set(self.board(hand, street))
        if (own := self.seat_of(hand, person)) is not None:
            known |= self.hole(hand, own)
        if over:
            for seat in range(len(self.hands[hand]["seats"])):
                known |= self.hole(hand, seat) if (hand, seat) in self.shown else set()
        return known


def cards_in(value, key=""):
    """All cards in any text of a message; texts that are random must look as they should."""
    if isinstance(value, dict):
        return {card for name, part in value.items() for card in cards_in(name, "field") | cards_in(part, name)}
    if isinstance(value, list):
        return {card for part in value for card in cards_in(part, key)}
    if not isinstance(value, str):
        return set()
    if key in RANDOM:
        if not re.fullmatch(RANDOM[key], value):
            raise Leak(f"{key} is {value!r}")
        return set(CARD.findall(value)) if key in ("name", "host", "coming") else set()
    if key in WORDS or key == "field":
        return set(CARD.findall(value))
    return set(TIGHT.findall(value))


def check(message, person, truth):
    """Raise a Leak if a message tells a person what he may not know."""
    view = json.loads(message)
    if view.get("type") != "table" or view["hand"] is None:
        if found := cards_in(view):
            raise Leak(f"cards without a hand: {found}")
        return
    hand = view["hand"]
    now, number, street = hand["id"], hand["number"], hand["street"]
    if hand["over"] and now not in truth.over:
        raise Leak("told to be over before it was kept")
    at = number - sum(event["kind"] == "hand" for event in view["events"])
    for event in view["events"]:
        at += event["kind"] == "hand"
        key = truth.by_number[at]
        past = at < number or hand["over"]
        far = event["street"] if event["kind"] == "street" else 3 if past else street
        if extra := cards_in(event) - truth.may_know(key, person, far, past):
            raise Leak(f"{event['kind']} of hand {at} tells {extra}")
    reveal = hand.pop("reveal")
    view["events"] = []
    if extra := cards_in(view) - truth.may_know(now, person, street, hand["over"]):
        raise Leak(f"the view tells {extra}")
    if reveal is not None:
        check_reveal(reveal, now, person, truth, hand)


def check_reveal(reveal, now, person, truth, hand):
    if not hand["over"]:
        raise Leak("the deck is told before the hand is over")
    assert proved(hand["commitment"], {**hand, "reveal": reveal})
    data = truth.hands[now]
    people = sum(data["chairs"][chair][0] is not None for chair in data["seats"])
    told = {leaf["card"] for leaf in reveal["cards"]} - {None}
    hidden = [seat for seat in range(len(data["seats"]))
              if (now, seat) not in truth.shown and seat != truth.seat_of(now, person)]  # fmt: skip
    if people > 1 and hidden and (extra := told - truth.may_know(now, person, hand["street"], True)):
        raise Leak(f"the opened deck tells {extra}")
    for leaf, card in zip(reveal["cards"], truth.deck(now), strict=True):
        assert leaf["card"] in (None, card)
        assert (leaf["salt"] is None) == (leaf["card"] is None)


def choose(view, rng):
    legal = view["hand"]["legal"]
    draw = rng.random()
    if legal["fold"] and draw < 0.2:
        return ("fold",)
    if legal["raise"] and draw > 0.7:
        return ("raise", rng.choice([legal["raise"]["min"], min(legal["raise"]["max"], 3 * legal["raise"]["min"])]))
    return ("call",)


@pytest.fixture(scope="module")
def played(server):
    """Two tables at which hands were played, with all that everybody was sent: [(message, person, truth)]."""
    sent = []
    for people, seats, hands in ((1, 3, 8), (3, 4, 10)):
        clients = [server.bot() for _ in range(people)]
        view = new_table(clients[0], people=people, seats=seats, opponents=[{"agent": "random"}], seconds=300)
        for client in clients[1:]:
            client.post(f"/api/tables/{view['id']}/seats", json={"invite": view["invite"]})
        messages = play(server, view["id"], clients, hands)
        truth = Truth(server.service, view["id"])
        sent += [(message, person, truth) for message, person in messages]
    return sent


def play(server, table, clients, hands):
    """Play hands, and keep what is sent to the players, to somebody who is known and to somebody who is not."""
    rng, bodies = random.Random(hands), []
    lookers = [(client, client.get("/api/me").json()["id"]) for client in (*clients, server.bot())]
    with ExitStack() as stack:
        sockets = [(stack.enter_context(Socket(server, table, client)), person) for client, person in lookers]
        sockets.append((stack.enter_context(Socket(server, table)), None))
        for number in range(1, hands + 1):
            for client in clients:
                give_seed(client, table)
                client.post(f"/api/tables/{table}/ready")
            turn = -1
            while True:
                view = sockets[0][0].until(lambda view, turn=turn, number=number: decided(view, number, turn))
                client, person = rng.choice(lookers)
                bodies.append((client.get(f"/api/tables/{table}").text, person))
                if view["hand"]["over"]:
                    break
                turn, (player, person) = view["hand"]["turn"], lookers[view["hand"]["to_act"]]
                mine = player.get(f"/api/tables/{table}").json()
                answer = act(player, mine, *choose(mine, rng))
                assert answer.status_code == 200, answer.text
                bodies.append((answer.text, person))
        for socket, _ in sockets[1:]:
            socket.until(lambda seen: seen["history"] == hands)
    return bodies + [(message, person) for socket, person in sockets for message in socket.received]


def decided(view, number, turn):
    """Whether a hand is over, or a person is to act again."""
    hand = view["hand"]
    if hand is None or hand["number"] != number or hand["turn"] == turn:
        return False
    return hand["over"] or view["chairs"][hand["to_act"]]["kind"] == "person"


def test_nobody_is_told_a_hidden_card(played):
    assert len(played) > 200
    for message, person, truth in played:
        check(message, person, truth)


def test_the_seeds_of_all_people_were_in_the_order(played):
    for message, _, _ in played:
        view = json.loads(message)
        if view["type"] == "table" and view["hand"]:
            people = [chair["chair"] for chair in view["chairs"] if chair["kind"] == "person" and chair["in_hand"]]
            assert [each["chair"] for each in view["hand"]["seeds"]] == people


def test_hands_with_and_without_showdown_and_closed_decks_were_among_them(played):
    views = [json.loads(message) for message, _, _ in played]
    over = [view for view in views if view["type"] == "table" and view["hand"] and view["hand"]["over"]]
    leaves = [[leaf["card"] for leaf in view["hand"]["reveal"]["cards"]] for view in over]
    assert any(None in cards for cards in leaves)
    assert any(None not in cards for cards in leaves)
    assert {any(chair["made"] for chair in view["chairs"]) for view in over} == {True, False}
    assert any(len(view["hand"]["board"]) < 5 for view in over)


def leaks():
    """Ways to give a card away."""

    def in_chair(view, card):
        view["chairs"][-1]["cards"] = [card, "??"]

    def in_event(view, card):
        view["events"].append({"n": 1, "kind": "act", "chair": 0, "cards": [card]})

    def in_name(view, card):
        view["chairs"][0]["name"] = f"holds {card}"

    def in_text(view, card):
        view["hand"]["betting"] = f"cc/{card}"

    def in_salt(view, card):
        view["hand"]["commitment"] = card

    def in_field(view, card):
        view["hand"][f"next {card}"] = 1

    def in_deck(view, card):
        view["hand"]["reveal"] = {"scheme": "ludus-2", "cards": [{"card": card, "salt": None, "hash": ""}]}

    def early_board(view, card):
        view["hand"]["board"].append(card)

    return [in_chair, in_event, in_name, in_text, in_salt, in_field, in_deck, early_board]


@pytest.mark.parametrize("leak", leaks(), ids=lambda leak: leak.__name__)
def test_a_leak_would_be_found(played, leak):
    rng, found = random.Random(1), 0
    for message, person, truth in rng.sample(played, 100):
        view = json.loads(message)
        if view["type"] != "table" or view["hand"] is None or view["hand"]["over"]:
            continue
        key = view["hand"]["id"]
        hidden = set(truth.deck(key)) - truth.may_know(key, person, view["hand"]["street"], False)
        wrong = deepcopy(view)
        leak(wrong, rng.choice(sorted(hidden)))
        with pytest.raises(Leak):
            check(json.dumps(wrong), person, truth)
        found += 1
    assert found > 15


def test_the_ai_is_asked_with_its_own_cards_alone(server):
    asked = []
    workers, run = server.service.players, server.service.players.run

    async def listen(job, arguments, *rest, **options):
        asked.extend(arguments["turns"])
        return await run(job, arguments, *rest, **options)

    workers.run = listen
    try:
        client = server.bot()
        table = new_table(client, seats=4, opponents=[{"agent": "call"}])["id"]
        client.post(f"/api/tables/{table}/ready")
        view = wait(client, table, lambda view: view["hand"] and (view["hand"]["legal"] or view["hand"]["over"]))
        end = time.monotonic() + 30
        while not view["hand"]["over"] and time.monotonic() < end:
            act(client, view)
            view = wait(client, table, lambda view: view["hand"]["legal"] or view["hand"]["over"])
    finally:
        del workers.run
    assert len(asked) > 8
    truth = Truth(server.service, table)
    assert len(truth.hands) == 1
    for turn in asked:
        hole = turn["state"]["cards"][:8]
        assert sum(card >= 0 for card in hole) == HOLE
        assert len(turn["state"]["cards"]) - 8 in (0, 3, 4, 5)

"""A bot that plays hold'em by the odds against level 3 of a Ludus server: `python bot.py http://127.0.0.1:8421 100`."""

import json
import sys
from urllib.request import Request, urlopen

from websockets.sync.client import connect  # comes with Ludus


def _post(path, body, headers):
    request = Request(URL + path, json.dumps(body).encode(), headers | {"Content-Type": "application/json"})
    return json.load(urlopen(request))


def decide(legal, hole, board):
    """Guess the chance to win: high cards count a little, pairs much; call at that price, raise when far ahead."""
    ranks = ["23456789TJQKA".index(card[0]) for card in hole]
    pairs = sum(card[0] == other[0] for card in hole for other in board) + 1.5 * (hole[0][0] == hole[1][0])
    chance = min(0.95, 0.25 + 0.02 * sum(ranks) * (0.6 if board else 1) + 0.25 * pairs)
    if legal["raise"] and chance > 0.65:
        return {"action": "raise", "to": min(legal["raise"]["min"] + legal["pot"] // 2, legal["raise"]["max"])}
    return {"action": "fold" if legal["fold"] and chance < legal["call"] / legal["pot"] else "call"}


URL, hands, won, seen = sys.argv[1], 0, 0, None
key = {"Authorization": "Bearer " + _post("/api/guests", {"name": "Odds bot"}, {})["token"]}
table = _post("/api/tables", {"opponents": [{"agent": "blueprint", "level": 3}], "assistant": "off"}, key)["id"]
with connect(f"ws{URL[4:]}/api/tables/{table}/socket", additional_headers=key) as socket:
    socket.send('{"type": "ready"}')
    while hands < int(sys.argv[2]):
        hand, me = (view := json.loads(socket.recv()))["hand"] or {"legal": None, "over": False}, view["chairs"][0]
        if hand["legal"] and seen != (seen := (hand["id"], hand["turn"])):  # a turn may be shown twice
            turn = {"type": "act", "hand": hand["id"], "turn": hand["turn"]}
            socket.send(json.dumps(turn | decide(hand["legal"], me["cards"], hand["board"])))
        elif hand["over"] and hand["number"] > hands:
            hands, won = hands + 1, won + me["net"]
            if hands < int(sys.argv[2]):
                socket.send('{"type": "ready"}')
print(f"{hands} hands, {won:+} chips")

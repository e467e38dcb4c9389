"""A bot that plays hold'em by the odds against level 3; needs httpx: `python bot.py http://127.0.0.1:8421 100`."""

import sys
import time

import httpx

api = httpx.Client(base_url=sys.argv[1], timeout=60)


def ask(method, path, body=None):
    """What the server answers; where we are too fast for it, after the wait that it asks for."""
    while (answer := api.request(method, path, json=body)).status_code == 429:
        time.sleep(int(answer.headers["Retry-After"]))
    return answer.raise_for_status().json()


def decide(legal, hole, board):
    """Guess the chance to win by high cards and pairs; call what is worth its price, raise when far ahead."""
    pairs = sum(card[0] == other[0] for card in hole for other in board) + 1.5 * (hole[0][0] == hole[1][0])
    chance = 0.25 + 0.25 * pairs + sum(0.02 * "23456789TJQKA".index(card[0]) for card in hole) * (0.6 if board else 1)
    if legal["raise"] and chance > 0.65:
        return {"action": "raise", "to": min(legal["raise"]["min"] + legal["pot"] // 2, legal["raise"]["max"])}
    return {"action": "fold" if legal["fold"] and chance < legal["call"] / legal["pot"] else "call"}


api.headers["Authorization"] = f"Bearer {ask('POST', '/api/guests', {'name': 'Odds bot'})['token']}"
table, won = "/api/tables/" + ask("POST", "/api/tables", {"opponents": [{"agent": "blueprint", "level": 3}]})["id"], 0
for number in range(1, int(sys.argv[2]) + 1):
    view = ask("POST", f"{table}/ready")
    while not ((hand := view["hand"]) and hand["number"] == number and hand["over"]):
        if hand and hand["legal"]:
            choice = decide(hand["legal"], view["chairs"][view["you"]]["cards"], hand["board"])
            ask("POST", f"{table}/actions", {"hand": hand["id"], "turn": hand["turn"], **choice})
        time.sleep(0.03)
        view = ask("GET", table)
    won += view["chairs"][view["you"]]["net"]
print(f"{number} hands, {won:+} chips")

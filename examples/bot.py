"""A bot for a Ludus server that plays hold'em by the odds against level 3: `python bot.py http://127.0.0.1:8421 100`.

It guesses its chance to win, calls when that is worth the price, and raises when far ahead. Needs `pip install httpx`.
"""

import sys
import time

import httpx


def chance(hole, board):
    """High cards count a little, pairs much."""
    ranks = ["23456789TJQKA".index(card[0]) for card in hole]
    pairs = sum(card[0] == other[0] for card in hole for other in board) + 1.5 * (hole[0][0] == hole[1][0])
    return min(0.95, 0.25 + 0.02 * sum(ranks) * (0.6 if board else 1) + 0.25 * pairs)


def decide(legal, mine):
    """The action with some chance to win."""
    if legal["raise"] and mine > 0.65:
        return {"action": "raise", "to": min(legal["raise"]["min"] + legal["pot"] // 2, legal["raise"]["max"])}
    return {"action": "fold" if legal["fold"] and mine < legal["call"] / legal["pot"] else "call"}


with httpx.Client(base_url=sys.argv[1], timeout=60) as api:
    api.headers["Authorization"] = f"Bearer {api.post('/api/guests', json={'name': 'Odds bot'}).json()['token']}"
    view = api.post("/api/tables", json={"opponents": [{"agent": "blueprint", "level": 3}]}).raise_for_status().json()
    table, won = f"/api/tables/{view['id']}", 0
    for number in range(1, int(sys.argv[2]) + 1):
        view = api.post(f"{table}/ready").raise_for_status().json()
        while not ((hand := view["hand"]) and hand["number"] == number and hand["over"]):
            if hand and hand["legal"]:
                mine = chance(view["chairs"][view["you"]]["cards"], hand["board"])
                action = {"hand": hand["id"], "turn": hand["turn"], **decide(hand["legal"], mine)}
                api.post(f"{table}/actions", json=action).raise_for_status()
            time.sleep(0.01)
            view = api.get(table).json()
        won += view["chairs"][view["you"]]["net"]
    print(f"{number} hands, {won:+} chips")

"""A bot that plays heads-up hold'em at a Ludus server against level 3: `python bot.py http://127.0.0.1:8421 100`.

It asks for a guest's token, sets up a table and plays by the odds: it guesses its chance to win from its high cards
and pairs, calls when that is worth the price, and raises half the pot when it is far ahead. Needs `pip install httpx`.
"""

import sys
import time

import httpx


def chance(hole, board):
    """A rough chance to win: high cards count little, pairs with the board and in the hand much."""
    ranks = ["23456789TJQKA".index(card[0]) for card in hole]
    pairs = sum(card[0] == other[0] for card in hole for other in board) + 1.5 * (hole[0][0] == hole[1][0])
    return min(0.95, 0.25 + 0.02 * sum(ranks) * (1 if not board else 0.6) + 0.25 * pairs)


def decide(view):
    """The action for a view of the table in which we are to act."""
    hand, legal = view["hand"], view["hand"]["legal"]
    mine, price = chance(view["chairs"][view["you"]]["cards"], hand["board"]), legal["call"] / legal["pot"]
    if legal["raise"] and mine > 0.65:
        to = max(legal["raise"]["min"], legal["pot"] // 2 + view["chairs"][view["you"]]["bet"] + legal["call"])
        return {"action": "raise", "to": min(to, legal["raise"]["max"])}
    return {"action": "fold" if legal["fold"] and mine < price else "call"}


with httpx.Client(base_url=sys.argv[1], timeout=30) as api:
    api.headers["Authorization"] = f"Bearer {api.post('/api/guests', json={'name': 'Odds bot'}).json()['token']}"
    view = api.post("/api/tables", json={"opponents": [{"agent": "blueprint", "level": 3}]}).raise_for_status().json()
    table, won = f"/api/tables/{view['id']}", 0
    for number in range(1, int(sys.argv[2]) + 1):
        view = api.post(f"{table}/ready").raise_for_status().json()
        while not (view["hand"] and view["hand"]["number"] == number and view["hand"]["over"]):
            if view["hand"] and view["hand"]["legal"]:
                turn = {"hand": view["hand"]["id"], "turn": view["hand"]["turn"]}
                api.post(f"{table}/actions", json=turn | decide(view)).raise_for_status()
            time.sleep(0.01)
            view = api.get(table).json()
        won += view["chairs"][view["you"]]["net"]
    print(f"{number} hands, {won:+} chips")

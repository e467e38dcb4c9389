"""A server that speaks Slumbot's API, written from its description and not from the client: own betting, own texts.

It deals real hands, plays a simple bot, and can be told to fail in every way that servers do.
"""

from __future__ import annotations

import json
import random
import re
import threading
import time
import uuid
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from phevaluator import evaluate_cards

STACK = 20_000
DECK = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
HTML = b"<!DOCTYPE html><html><body><h1>Not here</h1></body></html>"


class IllegalError(Exception):
    """What the server says of an action that is not legal."""


class Betting:
    """The betting of a hand; [0] is the big blind, [1] the small blind."""

    def __init__(self):
        self.text, self.street, self.actor, self.bets, self.carried = "", 0, 1, [100, 50], 0
        self.last_size, self.raised, self.checked = 50, False, False
        self.folder, self.over = None, False

    def to_call(self):
        return max(self.bets) - self.bets[self.actor]

    def bounds(self):
        """Smallest and largest bet as totals of this street, or None."""
        remaining = STACK - self.carried - max(self.bets)
        if self.over or remaining <= 0:
            return None
        return max(self.bets) + min(remaining, max(self.last_size, 100)), max(self.bets) + remaining

    def act(self, move):
        """Play one action, or say what is wrong with it."""
        if self.over:
            raise IllegalError("Hand is over")
        if move == "k":
            self._check()
        elif move == "c":
            self._call()
        elif move == "f":
            if not self.to_call():
                raise IllegalError("Illegal fold")
            self.text, self.folder, self.over = self.text + "f", self.actor, True
        elif re.fullmatch(r"b[0-9]{1,9}", move):
            self._bet(int(move[1:]))
        else:
            raise IllegalError("Missing bet size" if move == "b" else "Unexpected character")

    def _check(self):
        if self.to_call():
            raise IllegalError("Illegal check")
        self.text += "k"
        if self.checked or self.street == 0:
            self._close()
        else:
            self.checked, self.actor = True, 1 - self.actor

    def _call(self):
        if not self.to_call():
            raise IllegalError("Illegal call")
        self.text += "c"
        limp = self.street == 0 and not self.raised
        self.bets[self.actor] = max(self.bets)
        if limp:
            self.actor = 0
        else:
            self._close()

    def _bet(self, to):
        by, remaining = to - max(self.bets), STACK - self.carried - max(self.bets)
        if by > remaining:
            raise IllegalError("Bet too big")
        if by <= 0 or (by < max(self.last_size, 100) and by != remaining):
            raise IllegalError("Bet too small")
        self.text, self.bets[self.actor], self.last_size, self.raised = f"{self.text}b{to}", to, by, True
        self.actor = 1 - self.actor

    def _close(self):
        self.carried += self.bets[0]
        if self.street == 3 or self.carried == STACK:
            self.text += "/" * (3 - self.street)
            self.street, self.over = 3, True
        else:
            self.text += "/"
            self.street, self.actor, self.last_size, self.checked, self.raised = self.street + 1, 0, 0, False, False
        self.bets = [0, 0]

    def board_cards(self):
        return (0, 3, 4, 5)[self.street]

    def spent(self):
        return [self.carried + bet for bet in self.bets]

    def payoff(self, seat, holes, board):
        """Net chips of a seat when the hand is over."""
        if self.folder is not None:
            spent = self.spent()
            return -spent[seat] if self.folder == seat else spent[1 - seat]
        ranks = [evaluate_cards(*hole, *board) for hole in holes]  # lower is better
        return 0 if ranks[0] == ranks[1] else self.carried * (1 if ranks[seat] < ranks[1 - seat] else -1)


def simple_bot(betting, rng):
    """Mixes all it may do: folds, calls, least and other raises, all-ins (also short ones)."""
    bounds, dice = betting.bounds(), rng.random()
    if betting.to_call() and dice < 0.12:
        return "f"
    if bounds and dice > 0.6:
        low, high = bounds
        pot = min(max(2 * betting.carried + 2 * max(betting.bets), low), high)
        return f"b{rng.choice([low, pot, pot, pot, rng.randint(low, high), high])}"
    return "c" if betting.to_call() else "k"


class Session:
    """What belongs to a token."""

    def __init__(self, user=None):
        self.user, self.hands, self.total, self.baseline_total, self.hand = user, 0, 0, 0, None


class Hand:
    """A deal, and how far it has gone."""

    def __init__(self, number, position, deck):
        self.number, self.position = number, position
        self.holes, self.board = (deck[:2], deck[2:4]), deck[4:9]
        self.betting = Betting()


class SlumbotServer:
    """`with SlumbotServer() as server:` serves at ``server.url`` until the end.

    ``faults`` has what goes wrong: {("act", 3): "drop"} loses the answer to the third request to act, after it was
    played. A function in its place is given the answer and returns what is sent instead, an object or bytes.
    """

    def __init__(self, seed=1, bot=simple_bot, faults=None, script=None, rotate=False, users=None, prefix="/api"):
        self.rng, self.bot, self.faults, self.script = random.Random(seed), bot, faults or {}, list(script or [])
        self.rotate, self.users, self.prefix = rotate, users or {}, prefix
        self.sessions, self.requests, self.finished, self.calls = {}, [], [], Counter()
        self.dealt, self.unscripted, self.lock = 0, [], threading.Lock()
        self.decks = []  # to be dealt first: (position, nine cards)

    def __enter__(self):
        owner = self

        class Handler(_Handler):
            server_owner = owner

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.root = f"http://127.0.0.1:{self.http.server_address[1]}"
        self.url = self.root + self.prefix
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()
        self.thread.join(10)

    # The three calls

    def answer(self, call, body):
        if self.script:
            wanted_call, wanted_body, answer = self.script.pop(0)
            if (call, body) != (wanted_call, wanted_body):
                self.unscripted.append((call, body))
            return answer
        if call == "login":
            if self.users.get(body.get("username")) != body.get("password") or not body.get("username"):
                return {"error_msg": f"Bad password {body.get('password')} of {body.get('username')}"}
            return {"token": self.new_session(body["username"])}
        if call == "new_hand":
            return self.new_hand(body)
        return self.act(body)

    def new_session(self, user=None):
        token = str(uuid.UUID(int=self.rng.getrandbits(128)))
        self.sessions[token] = Session(user)
        return token

    def new_hand(self, body):
        token, extra = body.get("token"), {}
        if token is None:
            token = self.new_session()
            extra["token"] = token
        if token not in self.sessions:
            return {"error_msg": "Unknown token"}
        session = self.sessions[token]
        self.dealt += 1
        if self.decks:
            position, deck = self.decks.pop(0)
        else:
            position, deck = self.dealt % 2, self.rng.sample(DECK, 9)
        session.hand = Hand(self.dealt, position, deck)
        return extra | self.state(token, session, "")

    def act(self, body):
        session = self.sessions.get(body.get("token"))
        if session is None or session.hand is None:
            return {"error_msg": "No hand with this token"}
        before = session.hand.betting.text
        if session.hand.betting.actor != session.hand.position:
            return {"error_msg": "Not your turn"}
        try:
            session.hand.betting.act(body.get("incr", ""))
        except IllegalError as error:
            return {"error_msg": str(error)}
        return self.state(body["token"], session, before)

    def state(self, token, session, before):
        """Let the bot act as long as it is its turn, and describe the hand."""
        hand, betting = session.hand, session.hand.betting
        while not betting.over and betting.actor != hand.position:
            betting.act(self.bot(betting, self.rng))
        answer = {
            "old_action": before, "action": betting.text, "client_pos": hand.position,
            "hole_cards": hand.holes[hand.position], "board": hand.board[: betting.board_cards()],
        }  # fmt: skip
        if betting.over:
            answer |= self.settle(token, session)
        if self.rotate:
            fresh = self.new_session()
            self.sessions[fresh] = self.sessions.pop(token)
            answer["token"] = fresh
        return answer

    def settle(self, token, session):
        hand, betting = session.hand, session.hand.betting
        won = betting.payoff(hand.position, hand.holes, hand.board)
        baseline = won - self.own_result(hand)
        session.hands, session.total = session.hands + 1, session.total + won
        session.baseline_total, session.hand = session.baseline_total + baseline, None
        self.finished.append({"number": hand.number, "winnings": won, "baseline": baseline, "action": betting.text})
        pot = sum(betting.spent())
        return {
            "bot_hole_cards": hand.holes[1 - hand.position], "winnings": won,
            "won_pot": pot if won > 0 else -pot if won < 0 else 0,
            "session_num_hands": session.hands, "baseline_winnings": baseline, "session_total": session.total,
            "session_baseline_total": session.baseline_total,
        }  # fmt: skip

    def own_result(self, hand):
        """What the bot itself wins in the client's seat with the same cards."""
        rng, betting = random.Random(hand.number), Betting()
        while not betting.over:
            betting.act(simple_bot(betting, rng))
        return betting.payoff(hand.position, hand.holes, hand.board)


class _Handler(BaseHTTPRequestHandler):
    server_owner: SlumbotServer

    def log_message(self, *_):
        pass

    def send(self, status, data, kind="application/json", **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_OPTIONS(self):
        self.send(401, b"{}")

    def do_GET(self):
        self.server_owner.requests.append(("GET", self.path))
        self.send(404, HTML, "text/html")

    def do_POST(self):
        owner = self.server_owner
        length = int(self.headers.get("Content-Length", 0))
        data = self.rfile.read(length)
        call = self.path.removeprefix(owner.prefix + "/")
        if self.path != f"{owner.prefix}/{call}" or call not in ("login", "new_hand", "act"):
            owner.requests.append((self.path, None))
            self.send(404, HTML, "text/html")
            return
        if self.headers.get("Content-Type") != "application/json":
            self.send(400, b'{"error_msg": "JSON is wanted"}')
            return
        body = json.loads(data)
        with owner.lock:
            owner.calls[call] += 1
            owner.requests.append((call, body))
            fault = owner.faults.get((call, owner.calls[call])) or owner.faults.get((call, "always"))
            early = fault in ("500", "503", "401", "html", "error_msg", "refuse")
            answer = None if early else owner.answer(call, body)
        self.reply(fault, answer, body)

    def reply(self, fault, answer, body):
        if callable(fault):
            changed = fault(answer)
            self.send(200, changed if isinstance(changed, bytes) else json.dumps(changed).encode())
        elif fault is None:
            self.send(200, json.dumps(answer).encode())
        elif fault in ("500", "503"):
            self.send(int(fault), b"out of order " + json.dumps(body).encode())
        elif fault == "401":
            self.send(401, b'{"reason": "who are you?"}')
        elif fault == "html":
            self.send(200, HTML, "text/html")
        elif fault == "error_msg":
            self.send(200, b'{"error_msg": "Something is wrong"}')
        elif fault == "huge":
            self.send(200, b'{"action": "' + b"k" * (1 << 22) + b'"}')
        elif fault == "redirect":
            self.send(302, b"", Location=self.server_owner.root + "/elsewhere")
        elif fault == "slow":
            time.sleep(1.5)
            self.send(200, json.dumps(answer).encode())
        elif fault == "short":
            self.send(200, json.dumps(answer).encode()[:-9])
        elif fault == "drip":
            self.drip()
        else:
            assert fault == "drop"
        self.close_connection = True

    def drip(self):
        """Headers that never end, a byte at a time."""
        try:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
            for _ in range(200):
                self.wfile.write(b"y")
                self.wfile.flush()
                time.sleep(0.05)
        except OSError:
            pass

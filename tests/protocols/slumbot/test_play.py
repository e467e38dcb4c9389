"""Slumbot's client against a server that was written from the same description, but not from the client."""

import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.agents import CallAgent, RandomAgent
from ludus.arena.slumbot_summary import summary
from ludus.cards.card import parse_cards
from ludus.games import CALL, CHANCE, FOLD, TERMINAL
from ludus.protocols.slumbot.actions import replay, slumbot_game
from ludus.protocols.slumbot.client import PASSWORD, USER, Client, Login, Settings
from ludus.protocols.slumbot.log import Hand, Log, read_hands
from ludus.protocols.slumbot.play import events, play_hands
from ludus.protocols.slumbot.wire import (
    KNOWN_URLS,
    MismatchError,
    NotTheApiError,
    RefusedError,
    SlumbotError,
    UnreachableError,
    Wire,
    check_url,
    post,
)
from slumbot_samples import EXCHANGE, FIELDS, JSON, same
from slumbot_server import DECK, SlumbotServer

HEADER = {"agent": "test", "url": "http://test", "seed": 1}


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch):
    for name in (USER, PASSWORD, "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


class Scripted:
    """Plays a list of actions, and keeps what it was shown."""

    def __init__(self, *actions):
        self.actions, self.shown = list(actions), []

    def act(self, observation, rng):
        self.shown.append(observation)
        action = self.actions.pop(0)
        if isinstance(action, Exception):
            raise action
        return action


def settings_for(server, **changes):
    return Settings(**{"urls": (server.url,), "timeout": 5.0, "pause": 0.0, "wait": 0.01} | changes)


def run(server, agent, hands, path, login=None, seed=1, **changes):
    """Play, and return the hands of the log; an error that ended the run comes with it."""
    client = Client(settings_for(server, **changes), login)
    failure = None
    with Log(path, HEADER) as log:
        try:
            for _ in play_hands(agent, client, log, hands, seed):
                pass
        except (SlumbotError, KeyboardInterrupt) as error:
            failure = error
    return log.hands, failure


@pytest.fixture
def path(tmp_path):
    return tmp_path / "slumbot.jsonl"


def passive(betting, rng):
    """A bot that checks and calls."""
    return "c" if betting.to_call() else "k"


# HTTP


def test_addresses():
    assert check_url("https://slumbot.com/api/") == "https://slumbot.com/api"
    for bad in ("slumbot.com", "ftp://a/b", "http://", "http://u:p@host/api", "http://a b/", "http://a/?q", "http://a:x/",
                "http://a:99999/", "file:///etc/passwd", "http://ä.de/", "http://a/\n", ""):  # fmt: skip
        with pytest.raises(ValueError, match="is not the address of an API"):
            check_url(bad)


@pytest.mark.parametrize(
    ("fault", "error", "why"),
    [
        ("500", UnreachableError, "answered 500"),
        ("drop", UnreachableError, "no answer"),
        ("drip", UnreachableError, "timed out"),
        ("slow", UnreachableError, "timed out"),
        ("401", RefusedError, "answered 401: .*who are you"),
        ("error_msg", RefusedError, "Something is wrong"),
        ("html", NotTheApiError, "Not here"),
        ("huge", NotTheApiError, "more than 65536 bytes"),
        ("redirect", NotTheApiError, "answered 302"),
        ("short", NotTheApiError, "not a JSON object"),
        (lambda answer: b"[]", NotTheApiError, "not a JSON object"),
        (lambda answer: b"", NotTheApiError, "not a JSON object"),
        (lambda answer: b"\xff\xfe\x00", NotTheApiError, "not a JSON object"),
        (lambda answer: b"[" * 60_000, NotTheApiError, "not a JSON object"),
        (lambda answer: b'{"action": ' + b"9" * 50_000 + b"}", NotTheApiError, "not a JSON object"),
        (lambda answer: {"error_msg": {"odd": []}}, RefusedError, "odd"),
        (lambda answer: {"error_msg": "\x1b[2J" + "x" * 9999}, RefusedError, "u001b"),
    ],
)
def test_bad_answers_are_errors_of_their_kind(fault, error, why):
    with SlumbotServer(faults={("new_hand", 1): fault}) as server:
        with pytest.raises(error, match=why) as found:
            post(f"{server.url}/new_hand", {}, 0.7)
        assert str(found.value).isprintable()
        assert len(str(found.value)) < 1000
        assert [request for request in server.requests if request[0] == "GET"] == []


@given(st.binary(max_size=200))
@settings(max_examples=30)
def test_any_bytes_in_place_of_an_answer(data):
    with SlumbotServer(faults={("new_hand", 1): lambda answer: data}) as server:
        try:
            answer = post(f"{server.url}/new_hand", {}, 5)
        except SlumbotError:
            return
        assert isinstance(answer, dict)


def test_nobody_listens():
    with SlumbotServer() as server:
        url = server.url
    with pytest.raises(UnreachableError, match="no answer from"):
        post(f"{url}/new_hand", {}, 2)


def test_the_second_address_is_tried_when_the_first_is_not_the_api():
    with SlumbotServer() as server:
        wire = Wire((server.root + "/slumbot/api", server.url), 5)
        token = wire.ask("new_hand", {})["token"]
        wire.ask("new_hand", {"token": token})
        assert [request[0] for request in server.requests] == ["/slumbot/api/new_hand", "new_hand", "new_hand"]
        with pytest.raises(NotTheApiError, match=r"answered 404.*answered 404"):
            Wire((server.root, server.root + "/x"), 5).ask("new_hand", {})
    assert KNOWN_URLS == ("https://slumbot.com/slumbot/api", "https://slumbot.com/api")
    assert Settings().urls == KNOWN_URLS


def test_an_error_never_moves_on_to_another_address():
    with SlumbotServer(faults={("new_hand", 1): "error_msg"}) as server, SlumbotServer() as other:
        with pytest.raises(RefusedError):
            Wire((server.url, other.url), 5).ask("new_hand", {})
        assert other.requests == []


def test_the_servers_preflight_and_content_type():
    from http.client import HTTPConnection

    with SlumbotServer() as server:
        connection = HTTPConnection(*server.http.server_address, timeout=5)
        connection.request("OPTIONS", "/api/new_hand")
        assert connection.getresponse().status == 401
        connection = HTTPConnection(*server.http.server_address, timeout=5)
        connection.request("POST", "/api/new_hand", b"{}", {"Content-Type": "text/plain"})
        assert connection.getresponse().status == 400


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make a certificate")
def test_https_is_spoken_and_certificates_are_checked(tmp_path, monkeypatch):
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    make = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
    subprocess.run([*make.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True, timeout=60)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with SlumbotServer(faults={("new_hand", 2): "drip"}) as server:
        server.http.socket = context.wrap_socket(server.http.socket, server_side=True)
        url = server.url.replace("http:", "https:") + "/new_hand"
        with pytest.raises(UnreachableError, match="certificate verify failed"):
            post(url, {}, 5)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert len(post(url, {}, 5)["hole_cards"]) == 2
        with pytest.raises(UnreachableError, match="timed out"):
            post(url, {}, 0.5)


# Whole hands


def test_the_documented_exchange(path):
    agent = Scripted(600, 800, CALL, 2000, FOLD)
    with SlumbotServer(script=EXCHANGE) as server:
        hands, failure = run(server, agent, 2, path)
        assert failure is None
        assert server.unscripted == []
        assert len(server.requests) == len(EXCHANGE)
    assert [hand.winnings for hand in hands] == [3400, -50]
    assert hands[0].action == "b200b600c/b800c/kk/b2000c"
    assert (hands[0].hole, hands[0].board, hands[0].bot) == ("AhKd", "Kc7d2s9h3c", "KsQs")
    assert hands[0].decisions == (1, 1, 1, 1)
    assert hands[1].decisions == (1, 0, 0, 0)
    assert agent.shown[1].cards == (*parse_cards("AhKd"), -1, -1, *parse_cards("Kc7d2s"))
    assert agent.shown[4].cards == (-1, -1, *parse_cards("7h2d"))
    assert agent.shown[1].line == ((200, 600, 0), ())


def test_many_hands_are_what_the_server_says(path):
    with SlumbotServer(seed=5) as server:
        hands, failure = run(server, RandomAgent(), 250, path)
        assert failure is None
        assert server.calls["new_hand"] == len(hands) == 250
        assert [(hand.winnings, hand.baseline) for hand in hands] == [
            (hand["winnings"], hand["baseline"]) for hand in server.finished
        ]
        assert sum(sum(hand.decisions) for hand in hands) == server.calls["act"]
    actions = [hand.action for hand in hands]
    assert any(action.endswith("c///") for action in actions)
    assert any(action.endswith(("c//", "c/")) for action in actions)
    assert "f" in actions  # the bot gave up its small blind: the answer to new_hand was the end of the hand
    assert any(hand.winnings == 0 for hand in hands)
    assert {hand.position for hand in hands} == {0, 1}
    assert {hand.broken for hand in hands} == {None}
    assert all(hand.seconds[0] >= 0 for hand in hands)


def test_tokens_may_change_in_every_answer(path):
    with SlumbotServer(seed=2, rotate=True) as server:
        hands, failure = run(server, CallAgent(), 20, path)
        assert failure is None
        assert {hand.broken for hand in hands} == {None}
        assert len({body.get("token") for _, body in server.requests}) == len(server.requests)
        (session,) = server.sessions.values()
        assert session.hands == 20
        assert session.total == sum(hand.winnings for hand in hands)
        assert session.baseline_total == sum(hand.baseline for hand in hands)


def test_a_bot_that_goes_all_in_short_of_a_full_raise(path):
    moves = iter(["b1250", "b18750"])
    deck = ["2c", "7d", "Ah", "Ad", "As", "Kd", "9h", "4c", "3s"]
    with SlumbotServer(bot=lambda betting, rng: next(moves)) as server:
        server.decks = [(0, deck)]
        hands, failure = run(server, Scripted(CALL, 18650, CALL), 1, path)
    assert failure is None
    assert (hands[0].action, hands[0].winnings) == ("b1250c/b18650b18750c//", -20000)


def test_all_in_before_the_flop_is_run_out(path):
    deck = ["2c", "7d", "Ah", "Ad", "As", "Kd", "9h", "4c", "3s"]
    with SlumbotServer(bot=lambda betting, rng: "c") as server:
        server.decks = [(1, deck)]
        hands, failure = run(server, Scripted(20000), 1, path)
    assert failure is None
    assert (hands[0].action, hands[0].winnings, hands[0].board) == ("b20000c///", 20000, "AsKd9h4c3s")


def test_each_hand_has_random_numbers_of_its_own(path, tmp_path):
    class Noted:
        def __init__(self):
            self.drawn = []

        def act(self, observation, rng):
            self.drawn.append(int(rng.integers(1 << 40)))
            return FOLD if observation.to_call() else CALL

    whole, first, second, other = Noted(), Noted(), Noted(), Noted()
    runs = ((whole, 10, "a", 1), (first, 4, "b", 1), (second, 10, "b", 1), (other, 10, "c", 2))
    for agent, hands, name, seed in runs:
        with SlumbotServer(bot=passive) as server:
            server.decks = [(1, DECK[:9])] * 10
            run(server, agent, hands, tmp_path / name, seed=seed)
    assert first.drawn + second.drawn == whole.drawn
    assert len(set(whole.drawn) | set(other.drawn)) == 20
    expected = np.random.default_rng(np.random.SeedSequence(1, spawn_key=(1,))).integers(1 << 40)
    assert whole.drawn[0] == expected


# What an agent does


def test_a_failing_agent_checks_or_folds_and_is_reported(path):
    deck = ["2c", "7d", "Ah", "Ad", "As", "Kd", "9h", "4c", "3s"]
    agent = Scripted(RuntimeError("oh [b]no[/b]"), 7, "call", 1.5, ValueError("lost"))
    with SlumbotServer(bot=passive) as server:
        server.decks = [(0, deck), (1, deck)]
        hands, failure = run(server, agent, 2, path)
        assert failure is None
        assert [body["incr"] for call, body in server.requests if call == "act"] == ["k", "k", "k", "k", "f"]
    assert [len(hand.faults) for hand in hands] == [4, 1]
    assert hands[0].faults[0] == "RuntimeError: oh [b]no[/b]"
    assert "between 100 and" in hands[0].faults[1]
    assert hands[1].faults == ("lost",)
    assert hands[1].winnings == -50
    result = summary(hands, "test", "u", 1)
    assert (result["faults"], result["last_fault"]) == (5, "lost")


class Listener(CallAgent):
    def __init__(self):
        self.events = []

    def observe(self, event):
        self.events.append(event)


def signature(event):
    return event.seat, event.player, event.action, event.state.cards, event.state.line, event.state.player


def test_an_observer_hears_everything_and_no_hidden_card(path):
    agent = Listener()
    with SlumbotServer(seed=9) as server:
        hands, failure = run(server, agent, 30, path)
    assert failure is None
    assert sum(event.action is None for event in agent.events) == 30
    at = iter(agent.events)
    for hand in hands:
        state = slumbot_game().start()
        holes = (hand.hole, hand.bot) if hand.position == 0 else (hand.bot, hand.hole)
        deck = parse_cards("".join(holes) + hand.board)
        state = state.deal(deck)
        event = next(at)
        assert event.state.cards == state.seen_by(hand.position).cards
        while state.player != TERMINAL:
            event = next(at)
            assert (event.seat, event.player) == (hand.position, state.player)
            state = state.apply(event.action)
            while state.player == CHANCE:
                state = state.deal(deck)
            shown = state.player == TERMINAL and "f" not in hand.action
            assert same(event.state, state if shown else state.seen_by(hand.position))
    again = Listener()
    with SlumbotServer() as server:
        run(server, again, 30, path)  # nothing is left to play: it is only reminded
        assert server.requests == []
    assert list(map(signature, again.events)) == list(map(signature, agent.events))


def test_an_observer_that_fails_is_reported(path):
    class Deaf(CallAgent):
        def observe(self, event):
            raise KeyError("what?")

    with SlumbotServer() as server:
        hands, failure = run(server, Deaf(), 2, path)
    assert failure is None
    assert all(fault == "KeyError: 'what?'" for hand in hands for fault in hand.faults)
    assert all(hand.faults for hand in hands)


def test_events_of_a_hand_in_progress_do_not_end():
    state = replay("b200c/k", range(7))
    told = events(state, 0)
    assert [event.action for event in told] == [None, 200, 0, 0]
    assert all(event.state.cards[2:4] == (-1, -1) for event in told)


# Errors of the server


@pytest.mark.parametrize("fault", ["drop", "slow", "short", "500", "401", "error_msg", "html", "huge", "redirect"])
def test_an_act_is_never_sent_again(fault, path):
    with SlumbotServer(seed=3, faults={("act", 3): fault}) as server:
        hands, failure = run(server, CallAgent(), 6, path, timeout=0.7)
        assert failure is None
        broken = [hand for hand in hands if hand.broken]
        assert len(broken) == 1
        assert len(hands) == 7
        assert broken[0].winnings is None
        assert broken[0].position in (0, 1)
        calls = [call for call, _ in server.requests]
        third = [at for at, call in enumerate(calls) if call == "act"][2]
        assert server.requests[third + 1] == ("new_hand", {})  # a fresh session
        assert sum(sum(hand.decisions) for hand in hands) == server.calls["act"]
    result = summary(hands, "test", "u", 1)
    assert (result["hands"], result["broken"]) == (6, 1)
    assert result["last_break"] == broken[0].broken


def test_a_new_hand_is_asked_for_again(path):
    faults = {("new_hand", 1): "500", ("new_hand", 2): "drop", ("new_hand", 4): "503"}
    with SlumbotServer(faults=faults) as server:
        hands, failure = run(server, CallAgent(), 3, path)
        assert server.calls["new_hand"] == 6
    assert failure is None
    assert [hand.retries for hand in hands] == [2, 1, 0]


def test_the_waits_grow(path, monkeypatch):
    naps = []
    monkeypatch.setattr(Client, "nap", lambda self, seconds: naps.append(seconds))
    with SlumbotServer(faults={("new_hand", "always"): "503"}) as server:
        hands, failure = run(server, CallAgent(), 3, path, wait=1.0, tries=5)
        assert server.calls["new_hand"] == 5
    assert hands == []
    assert isinstance(failure, UnreachableError)
    assert "gave up after 5 tries" in str(failure)
    assert naps == [1, 2, 4, 8]


def test_a_forgotten_token_starts_a_fresh_session(path):
    with SlumbotServer() as server:
        server.faults = {("new_hand", 3): lambda answer: server.sessions.clear() or {"error_msg": "Unknown token"}}
        hands, failure = run(server, CallAgent(), 5, path)
        assert failure is None
        assert {hand.broken for hand in hands} == {None}
        bodies = [body for call, body in server.requests if call == "new_hand"]
        assert [bool(body) for body in bodies] == [False, True, True, False, True, True]


def test_it_gives_up_after_some_broken_hands_in_a_row_and_keeps_the_log(path):
    with SlumbotServer(faults={("act", "always"): "401"}) as server:
        server.decks = [(1, DECK[:9])] * 9
        hands, failure = run(server, CallAgent(), 9, path, most_broken=3)
        assert server.calls == {"new_hand": 3, "act": 3}
    assert [bool(hand.broken) for hand in hands] == [True] * 3
    assert "gave up after 3 broken hands in a row" in str(failure)
    assert "who are you" in str(failure)
    with SlumbotServer() as server:
        hands, failure = run(server, CallAgent(), 2, path)
    assert failure is None
    assert [bool(hand.broken) for hand in hands] == [True] * 3 + [False] * 2


def test_refused_hands_count_as_broken(path):
    with SlumbotServer(faults={("new_hand", "always"): "error_msg"}) as server:
        hands, failure = run(server, CallAgent(), 9, path, most_broken=2)
        assert server.calls == {"new_hand": 2}
    assert [hand.position for hand in hands] == [None, None]
    assert "Something is wrong" in str(failure)


@pytest.mark.parametrize(
    ("call", "change", "why"),
    [
        ("act", lambda answer: answer | {"client_pos": 1 - answer["client_pos"]}, "within one hand"),
        ("act", lambda answer: answer | {"action": "x"}, "is not an action string"),
        ("act", lambda answer: answer | {"token": 7}, "token is 7"),
        ("act", lambda answer: {}, "action is missing"),
        ("new_hand", lambda answer: answer | {"action": "b200b600b2000"}, "which has an action of ours"),
        ("new_hand", lambda answer: answer | {"hole_cards": None}, "hole_cards is None"),
        ("new_hand", lambda answer: answer | {"winnings": 50}, "not over"),
        ("new_hand", lambda answer: answer | {"token": None}, "no token"),
    ],
)
def test_an_answer_that_cannot_be_right_ends_the_run(call, change, why, path):
    with SlumbotServer(bot=passive, faults={(call, 1): change}) as server:
        server.decks = [(1 - (call == "new_hand"), DECK[:9])] * 3
        if "action of ours" in why:
            server.bot = lambda betting, rng: "b200"
        hands, failure = run(server, CallAgent(), 3, path)
    assert isinstance(failure, MismatchError)
    assert why in str(failure)
    assert [hand.broken for hand in hands] == [str(failure)]


def test_winnings_that_are_not_ours_end_the_run(path):
    def more(answer):
        return answer | {"winnings": answer["winnings"] + 100} if "winnings" in answer else answer

    with SlumbotServer(faults={("act", "always"): more, ("new_hand", "always"): more}) as server:
        hands, failure = run(server, CallAgent(), 3, path)
    assert len(hands) == 1
    assert "where the rules give" in str(failure)


@given(st.lists(st.tuples(FIELDS, JSON), min_size=1, max_size=3), st.integers(1, 6))
@settings(max_examples=25)
def test_no_answer_crashes_a_run(tmp_path_factory, changes, at):
    faults = {(call, at): lambda answer: answer | dict(changes) for call in ("act", "new_hand")}
    with SlumbotServer(faults=faults) as server:
        hands, failure = run(server, CallAgent(), 4, tmp_path_factory.mktemp("fuzz") / "log")
        assert failure is not None or len(hands) >= 4
        assert server.calls["act"] == sum(sum(hand.decisions) for hand in hands)


# Accounts

LOGIN = Login("someone", "geheim-\"ä'\\9")


def test_an_account_is_logged_in_once_a_session(path):
    with SlumbotServer(users={LOGIN.user: LOGIN.password}, faults={("login", 1): "503", ("act", 2): "drop"}) as server:
        assert run(server, CallAgent(), 4, path, LOGIN)[1] is None
        assert server.calls["login"] == 3  # once again after 503, once more after the broken hand
        assert {session.user for session in server.sessions.values()} == {LOGIN.user}
        assert all(body.get("token") for call, body in server.requests if call != "login")
    assert LOGIN.password not in path.read_text()
    assert LOGIN.user not in path.read_text()


def test_a_refused_log_in_ends_the_run_and_shows_no_secret(path):
    for users, faults in (({}, {}), ({}, {("login", "always"): "500"})):
        with SlumbotServer(users=users, faults=faults) as server:
            hands, failure = run(server, CallAgent(), 4, path, LOGIN, tries=2)
            assert server.calls["new_hand"] == 0
        assert hands == []
        assert "***" in str(failure)
        assert "geheim" not in str(failure)
        assert "someone" not in str(failure)
    assert "geheim" not in repr(LOGIN)


def test_the_account_comes_from_the_environment(monkeypatch):
    assert Login.from_environment() is None
    monkeypatch.setenv(USER, "me")
    with pytest.raises(ValueError, match="set both"):
        Login.from_environment()
    monkeypatch.setenv(PASSWORD, "pw")
    assert Login.from_environment() == Login("me", "pw")


def test_no_password_is_sent_unencrypted():
    with pytest.raises(ValueError, match="only sent over https"):
        Client(Settings(("http://slumbot.com/api",)), LOGIN)
    Client(Settings(("http://slumbot.com/api",)))
    Client(Settings(), LOGIN)


@pytest.mark.parametrize(
    "wrong",
    [{"timeout": 0}, {"timeout": float("nan")}, {"pause": -1}, {"pause": float("inf")}, {"tries": 0}, {"urls": ()},
     {"urls": ("x",)}, {"most_broken": 0}, {"wait": -1}],
)  # fmt: skip
def test_settings_are_checked(wrong):
    with pytest.raises(ValueError, match=r"."):
        Settings(**wrong)


# The log


def hand(number, **changes):
    return replace(
        Hand(number, None, 0, "f", "AhKd", "", "", 50, 0, (0.1, 0.0, 0.0, 0.0), (1, 0, 0, 0)), **changes
    )  # fmt: skip


def test_a_torn_line_is_dropped_wherever_it_was_torn(path):
    with Log(path, HEADER) as log:
        log.append(hand(1))
        log.append(hand(2, broken="lost\n", winnings=None))
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    ends = [len(b"".join(lines[:at])) + near for at in (1, 2) for near in (-1, 0, 1)]
    for length in sorted({*range(0, len(whole), 11), *ends, len(whole) - 1}):
        path.write_bytes(whole[:length])
        if length >= len(lines[0]):
            header, read = read_hands(path)
            assert {name: header[name] for name in HEADER} == HEADER
            assert path.read_bytes() == whole[:length]
        with Log(path, HEADER) as log:
            assert length < len(lines[0]) or log.hands == read
            complete = sum(length >= len(b"".join(lines[: at + 2])) for at in range(2))
            assert len(log.hands) == complete
            assert log.finished == min(complete, 1)
            log.append(hand(complete + 1))
        with Log(path, HEADER) as log:
            assert len(log.hands) == complete + 1
    path.write_bytes(whole + b"\0" * 50 + b"\n")
    with Log(path, HEADER) as log:
        assert len(log.hands) == 2


def test_other_logs_are_not_touched(path):
    with Log(path, HEADER) as log:
        log.append(hand(1))
        with pytest.raises(ValueError, match="another run is writing"):
            Log(path, HEADER)
    kept = path.read_bytes()
    for change, why in (
        ({"agent": "other"}, "has hands with agent 'test', not 'other'"),
        ({"url": "http://other"}, "has hands with url"),
        ({"seed": 2}, "has hands with seed 1, not 2"),
    ):
        with pytest.raises(ValueError, match=why):
            Log(path, HEADER | change)
        assert path.read_bytes() == kept
    for foreign in (b"hello", b"hello\n", b"{}\n", b'{"kind": "x"}\n', b"[" * 100_000 + b"\n", b"\0"):
        path.write_bytes(foreign)
        for reader in (partial(Log, header=HEADER), read_hands):
            with pytest.raises(ValueError, match="is not a log of Slumbot hands"):
                reader(path)
        assert path.read_bytes() == foreign


@pytest.mark.parametrize(
    "change",
    [{"winnings": 10**9}, {"winnings": None}, {"position": 2}, {"position": 1.0}, {"decisions": [1]}, {"decisions": 4},
     {"seconds": [-1, 0, 0, 0]}, {"seconds": ["a", 0, 0, 0]}, {"number": 3}, {"action": 5}, {"odd": 1},
     {"faults": [1]}, {"baseline": 0.5}, {"broken": 3}],
)  # fmt: skip
def test_a_wrong_line_in_the_middle_is_an_error(path, change):
    with Log(path, HEADER) as log:
        for number in (1, 2, 3):
            log.append(hand(number))
    lines = path.read_text().splitlines()
    lines[2] = json.dumps(json.loads(lines[2]) | change)
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ValueError, match=r"line 3 of .* cannot be read"):
        Log(path, HEADER)


@given(st.text(max_size=20), st.integers(-20000, 20000), st.lists(st.floats(0, 1e6), min_size=4, max_size=4))
def test_a_hand_is_the_same_after_writing_and_reading(text, chips, seconds):
    one = hand(1, winnings=chips, baseline=None, seconds=tuple(seconds), faults=(text, text))
    assert "\n" not in one.to_json()
    assert Hand.from_json(one.to_json().encode()) == one


# Figures


def test_the_figures_of_known_hands():
    rows = [
        hand(1, winnings=100, baseline=300), hand(2, winnings=-300, baseline=None, position=1),
        hand(3, winnings=0, baseline=-100), hand(4, broken="gone", winnings=None, faults=("a",), retries=2),
        hand(5, winnings=600, baseline=100, position=1, seconds=(0.5, 2.0, 0.0, 0.0), decisions=(1, 2, 0, 0)),
    ]  # fmt: skip
    result = summary(rows, "a", "u", 3)
    assert (result["hands"], result["broken"], result["faults"], result["retries"]) == (4, 1, 1, 2)
    assert result["raw"]["chips"] == 400
    assert result["raw"]["bb_per_100"] == pytest.approx(100)  # 1 big blind a hand
    assert result["raw"]["mbb_per_hand"] == pytest.approx(1000)
    assert result["raw"]["ci95"] == pytest.approx(3.182446 * np.std([100, -300, 0, 600], ddof=1) / 2, rel=2e-3)
    assert result["raw"]["too_few"]
    assert not summary([hand(at, winnings=at) for at in range(1, 101)], "a", "u", 3)["raw"]["too_few"]
    assert result["raw"]["ci95_mbb"] == pytest.approx(10 * result["raw"]["ci95"])
    assert (result["baseline"]["hands"], result["baseline"]["bb_per_100"]) == (3, 100)
    assert result["positions"]["big blind"]["bb_per_100"] == 50
    assert result["positions"]["small blind"]["chips"] == 300
    assert result["rates"] == {"win": 0.5, "tie": 0.25, "loss": 0.25}
    assert result["thinking"]["pre-flop"] == {"decisions": 5, "seconds": pytest.approx(0.9 / 5)}
    assert result["thinking"]["flop"] == {"decisions": 2, "seconds": 1.0}
    assert result["thinking"]["river"] == {"decisions": 0, "seconds": None}
    assert result["reference"]["raw"]["bb_per_100"] == -0.79
    empty = summary([], "a", "u", 3)
    assert empty["raw"]["bb_per_100"] is None
    assert json.dumps(empty, allow_nan=False)


# The command


def test_the_command_plays_and_goes_on(ludus, tmp_path):
    out = tmp_path / "out"
    with SlumbotServer(seed=4) as server:
        words = ("slumbot", "--agent", "random", "--url", server.url + "/", "--out", out, "--pause", 0, "--seed", 7)
        code, text, err = ludus(*words, "--hands", 5)
        assert (code, err) == (0, "")
        for word in ("random against Slumbot, 5 hands", "raw", "baseline", "big blind", "20,804", "-0.79", "28.37",
                     "pre-flop", "11.260", "0 broken hands", "raw (too few)", "only 5 hands: too few"):  # fmt: skip
            assert word in text
        assert (out / "slumbot.png").read_bytes().startswith(b"\x89PNG")
        code, text, err = ludus(*words, "--hands", 12, "--json", "--plot", tmp_path / "gain.svg")
        assert (code, err) == (0, "")
        result = json.loads(text)
        assert result["hands"] == 12
        assert result["raw"]["chips"] == sum(hand["winnings"] for hand in server.finished)
        assert "<svg" in (tmp_path / "gain.svg").read_text()
        saved = json.loads((out / "slumbot.json").read_text())
        assert saved == {name: value for name, value in result.items() if name != "files"}
        rows = (out / "slumbot.csv").read_text().splitlines()
        assert rows[0] == "figure,hands,bb_per_100,ci95,mbb_per_hand,ci95_mbb"
        assert float(rows[1].split(",")[2]) == result["raw"]["bb_per_100"]
        assert len((out / "slumbot_seconds.csv").read_text().splitlines()) == 5
        asked = server.calls["new_hand"]
        assert ludus(*words, "--hands", 3)[0] == 0
        assert server.calls["new_hand"] == asked == 12
        code, _, err = ludus(*words[:-1], 8, "--hands", 5)
        assert code == 2
        assert "has hands with seed 7, not 8" in err


def test_the_resolver_plays(ludus, tmp_path):
    agent = "resolver:equity,turn=network"
    with SlumbotServer(seed=4) as server:
        words = ("slumbot", "--agent", agent, "--url", server.url, "--out", tmp_path, "--pause", 0, "--time", "0.01")
        code, text, err = ludus(*words, "--hands", 4, "--json")
        assert (code, err) == (0, "")
        result = json.loads(text)
        assert (result["agent"], result["hands"], result["broken"]) == (f"{agent},seconds=0.01", 4, 0)
        assert result["raw"]["chips"] == sum(hand["winnings"] for hand in server.finished)


def test_the_command_explains_what_is_wrong(ludus, tmp_path, monkeypatch):
    words = ("slumbot", "--out", tmp_path / "out", "--hands", 2, "--pause", 0)
    url = ("--url", "http://127.0.0.1:1/api")
    for more, why in (
        (("--agent", "nobody"), "nobody"),
        (("--agent", "call", "--url", "nowhere"), "is not the address of an API"),
        (("--agent", "call", "--timeout", 0), "the timeout is above 0"),
        (("--agent", "call", "--pause", "nan"), "a pause is 0 to 3600"),
        (("--agent", "call", "--plot", "x.txt"), "a plot is a file ending in"),
    ):
        code, _, err = ludus(*words, *url, *more)
        assert code == 2
        assert why in err
        assert not (tmp_path / "out").exists()
    monkeypatch.setenv(USER, "me")
    assert "set both" in ludus(*words, *url, "--agent", "call")[2]
    monkeypatch.delenv(USER)
    with SlumbotServer(faults={("act", 1): lambda answer: answer | {"action": "zz"}}) as server:
        code, text, err = ludus(*words, "--url", server.url, "--agent", "call")
        assert code == 1
        assert "Slumbot's answer cannot be right" in err
        assert "1 broken hands" in text
        code, text, _ = ludus(*words, "--url", server.url, "--agent", "call", "--json")
        assert code == 0
        assert (json.loads(text)["hands"], json.loads(text)["broken"]) == (2, 1)


def test_the_help_asks_for_manners(ludus):
    text = " ".join(ludus("slumbot", "--help")[1].split())
    for words in ("one person's free server", "ask the owner before a large one", "Slumbot's own site"):
        assert words in text


def start(server, out, hands=5000):
    command = [sys.executable, "-m", "ludus", "slumbot", "--agent", "call", "--hands", str(hands), "--url", server.url]
    return subprocess.Popen(
        [*command, "--out", str(out), "--pause", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for_hands(process, out, count):
    """Until the log has so many hands."""
    log, until = out / "slumbot.jsonl", time.monotonic() + 120
    while not log.exists() or log.read_bytes().count(b"\n") <= count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.slow
def test_after_kill_9_the_run_goes_on(ludus, tmp_path):
    with SlumbotServer(seed=6) as server:
        process = start(server, tmp_path)
        try:
            wait_for_hands(process, tmp_path, 5)
        finally:
            process.kill()
            process.communicate(timeout=60)
        lines = (tmp_path / "slumbot.jsonl").read_bytes().split(b"\n")
        kept, finished = len(lines) - 2, len(server.finished)
        assert 5 <= kept <= finished <= kept + 1  # at most the one being written is lost
        with (tmp_path / "slumbot.jsonl").open("ab") as file:
            file.write(b'{"number": 99, "bro')  # torn, as if the machine had stopped
        words = ("slumbot", "--agent", "call", "--url", server.url, "--out", tmp_path, "--pause", 0, "--json")
        code, text, _ = ludus(*words, "--hands", kept + 10)
        assert code == 0
        assert json.loads(text)["hands"] == kept + 10
        winnings = [hand["winnings"] for hand in server.finished]
    hands = [json.loads(line) for line in (tmp_path / "slumbot.jsonl").read_text().splitlines()[1:]]
    assert [hand["number"] for hand in hands] == list(range(1, kept + 11))
    assert [hand["winnings"] for hand in hands] == winnings[:kept] + winnings[-10:]


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.slow
def test_ctrl_c_finishes_the_hand(tmp_path):
    with SlumbotServer(seed=8) as server:
        process = start(server, tmp_path)
        try:
            wait_for_hands(process, tmp_path, 3)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
        assert process.returncode == 130
        assert "stopped early" in err
        assert "call against Slumbot" in out
        hands = [json.loads(line) for line in (tmp_path / "slumbot.jsonl").read_text().splitlines()[1:]]
        assert [hand["winnings"] for hand in hands] == [hand["winnings"] for hand in server.finished]
        assert server.dealt == len(hands)
        assert not any(hand["broken"] for hand in hands)


def test_leaving_at_once_breaks_the_hand(path):
    class Impatient(CallAgent):
        def act(self, observation, rng):
            raise KeyboardInterrupt

    with SlumbotServer() as server:
        server.decks = [(1, DECK[:9])]
        hands, failure = run(server, Impatient(), 3, path)
    assert isinstance(failure, KeyboardInterrupt)
    assert [hand.broken for hand in hands] == ["interrupted"]


def test_leaving_after_the_last_action_keeps_the_hand(path):
    class Done(CallAgent):
        def observe(self, event):
            if event.state.player == TERMINAL:
                raise KeyboardInterrupt

    with SlumbotServer() as server:
        hands, failure = run(server, Done(), 3, path)
        assert isinstance(failure, KeyboardInterrupt)
        assert [hand.winnings for hand in hands] == [hand["winnings"] for hand in server.finished]
    assert [hand.broken for hand in hands] == [None]


def test_a_wish_to_stop_is_heard_between_tries(path):
    with SlumbotServer(faults={("new_hand", "always"): "503"}) as server, Log(path, HEADER) as log:
        client = Client(settings_for(server, wait=60.0))
        client.stop = lambda: server.calls["new_hand"] > 0
        with pytest.raises(KeyboardInterrupt):
            list(play_hands(CallAgent(), client, log, 3, 1))
        assert server.calls["new_hand"] == 1
    assert log.hands == []

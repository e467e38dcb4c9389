"""Our agents, and people, as players of the ACPC protocol."""

import json
import re
import socket
import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest

from acpc_peers import NO_LIMIT, SECONDS, Steady, agent, match_of, play_match
from ludus.agents import make
from ludus.games.acpc import format_game, read_game
from ludus.games.base import TERMINAL
from ludus.games.moves import CALL, FOLD
from ludus.games.record import retrace
from ludus.protocols.acpc.caller import to_act
from ludus.protocols.acpc.client import Leave, Player, careful, play
from ludus.protocols.acpc.dealer import Dealer, MatchFailed
from ludus.protocols.acpc.verify import verify

SHIPPED = [
    "holdem.limit.2p.reverse_blinds.game", "holdem.limit.3p.game", NO_LIMIT, "holdem.nolimit.3p.game",
    "kuhn.limit.2p.game", "kuhn.limit.3p.game", "leduc.limit.2p.game", "leduc.nolimit.2p.game",
]  # fmt: skip


class Watcher(Steady):
    """Remembers what it was told."""

    def __init__(self) -> None:
        super().__init__()
        self.events, self.seen = [], []

    def act(self, observation, rng):
        self.seen.append(observation)
        return super().act(observation, rng)

    def observe(self, event) -> None:
        self.events.append(event)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_game_is_played_alike_by_both_sides(name, tmp_path):
    game, log, results = read_game(name), tmp_path / "m.log", {}
    watchers = [Watcher() for _ in range(game.players)]
    seats = [agent(watcher, game, lambda result, seat=seat: results.update({seat: result}))
             for seat, watcher in enumerate(watchers)]  # fmt: skip
    played = play_match(match_of(name, hands=12, seed=4), seats, log=log)
    assert not played.troubles
    assert verify(game, log.open(), seed=4).sound
    for seat, total in enumerate(played.totals):
        assert sum(results[seat].hands) == pytest.approx(total)
        assert results[seat].complete
    for watcher in watchers:
        check_events(game, watcher)


def check_events(game, watcher: Watcher) -> None:
    """A deal, then every action of everybody; only own cards until a showdown."""
    assert [event.action is None for event in watcher.events].count(True) == 12
    before = None
    for event in watcher.events:
        state = event.state
        hidden = [seat for seat in range(game.players) if -1 in state.hole(seat)]
        assert event.seat not in hidden
        if state.player != TERMINAL or len(state.live_seats()) == 1:
            assert len(hidden) == game.players - 1
        else:
            assert set(hidden).isdisjoint(state.live_seats())
        if event.action is None:
            assert before is None or before.player == TERMINAL
            assert state.line == ((),)
        else:
            assert event.player == before.player
            after = before.apply(event.action)
            assert (after.spent(), after.folded) == (state.spent(), state.folded)
        before = state
    for observation in watcher.seen:
        assert sum(-1 in observation.hole(seat) for seat in range(game.players)) == game.players - 1


class Broken:
    """Every kind of failure, one after the other."""

    def __init__(self) -> None:
        self.turn = 0

    def act(self, observation, rng):
        self.turn += 1
        kind = self.turn % 5
        if kind == 0:
            raise RuntimeError("I do not know")
        return [None, FOLD - 1, 10**9, "call"][kind - 1]

    def observe(self, event) -> None:
        raise KeyError("what?")


def test_an_agent_that_fails_checks_or_folds():
    game, troubles = read_game(NO_LIMIT), []
    client = Player(Broken(), game, np.random.default_rng(0), troubles.append)
    for betting, answer in (("", b"f"), ("c", None), ("r300", None)):
        assert client.hear(f"MATCHSTATE:1:0:{betting}:|9hQd".encode()) == (
            None if answer is None else f"MATCHSTATE:1:0:{betting}:|9hQd:".encode() + answer + b"\r\n"
        )
    for turn in range(5):
        line = f"MATCHSTATE:0:{turn + 1}:c:9hQd|".encode()
        assert client.hear(line) == line + b":c\r\n"
    assert any("RuntimeError: I do not know" in text and "check instead" in text for text in troubles)
    assert any("fold instead" in text for text in troubles)
    assert any("failed to observe" in text for text in troubles)
    state = client._follower.now.state
    assert careful(state) == CALL
    assert careful(state.apply(300)) == FOLD


def test_a_client_that_fails_still_plays_the_match(tmp_path):
    game, troubles = read_game(NO_LIMIT), []

    def broken(peer: socket.socket) -> bytes:
        client = Player(Broken(), game, np.random.default_rng(0), troubles.append)
        peer.sendall(b"VERSION:2.0.0\r\n")
        with peer.makefile("rb") as lines:
            for line in lines:
                if answer := client.hear(line.rstrip()):
                    peer.sendall(answer)
        return b""

    played = play_match(match_of(hands=4), [broken, agent(Steady(), game)])
    assert played.totals is not None
    assert not played.troubles
    assert troubles


def deal_in_a_thread(match) -> tuple[Dealer, threading.Thread, list]:
    dealer, outcome = Dealer(match), []

    def deal() -> None:
        try:
            outcome.append(dealer.play())
        except MatchFailed as failure:
            outcome.append(failure)

    thread = threading.Thread(target=deal, daemon=True)
    thread.start()
    return dealer, thread, outcome


def test_an_agent_may_leave():
    class Bored:
        def act(self, observation, rng):
            raise Leave

    game = read_game(NO_LIMIT)
    dealer, thread, outcome = deal_in_a_thread(match_of(hands=3))
    other = threading.Thread(
        target=play, args=(make("call"), game, "127.0.0.1", dealer.ports[0], np.random.default_rng(0)), daemon=True
    )
    other.start()
    result = play(Bored(), game, "127.0.0.1", dealer.ports[1], np.random.default_rng(0))
    assert result.hands == ()
    assert not result.complete
    thread.join(SECONDS)
    other.join(SECONDS)
    assert "could not get action from seat 2" in str(outcome[0])


def test_comments_and_old_ends_are_ignored_and_a_repeated_end_counts_once():
    client = Player(make("call"), read_game(NO_LIMIT), np.random.default_rng(0), pytest.fail)
    assert client.hear(b"MATCHSTATE:0:0::5d5c|") is None
    for line in (b"", b"#GAMEOVER", b"; gui", b"ENDGAME"):
        assert client.hear(line) is None
    for _ in range(2):
        assert client.hear(b"MATCHSTATE:0:0:f:5d5c|") is None
    assert client.hear_the_end().hands == (50.0,)


def test_the_command_plays_a_match(ludus):
    game = read_game(NO_LIMIT)
    dealer, thread, outcome = deal_in_a_thread(match_of(hands=20, seed=3))
    other = threading.Thread(
        target=play, args=(make("random"), game, "127.0.0.1", dealer.ports[1], np.random.default_rng(5)), daemon=True
    )
    other.start()
    words = ("acpc", "play", "--agent", "random", "127.0.0.1", dealer.ports[0], "--seed", 8, "--json")
    code, out, err = ludus(*words)
    thread.join(SECONDS)
    other.join(SECONDS)
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["hands"] == 20
    assert found["chips"] == outcome[0][0]
    assert found["mbb_per_game"] == pytest.approx(found["chips"] / 20 * 10)
    assert found["ci95"] > 0
    assert found["too_few"]
    assert found["complete"]


@pytest.mark.parametrize("stack", [10_000, 20_000])
def test_the_resolver_plays_a_match(ludus, tmp_path, stack):
    file = tmp_path / "heads-up.game"
    file.write_text(format_game(replace(read_game(NO_LIMIT), stacks=(stack, stack))))
    game = read_game(str(file))
    dealer, thread, outcome = deal_in_a_thread(match_of(game, hands=4, seed=3))
    other = threading.Thread(
        target=play, args=(make("loose"), game, "127.0.0.1", dealer.ports[1], np.random.default_rng(5)), daemon=True
    )
    other.start()
    words = ("acpc", "play", "--agent", "resolver:equity,turn=network", "--time", "0.01", "--game", file, "--seed", 8)
    code, out, err = ludus(*words, "--json", "127.0.0.1", dealer.ports[0])
    thread.join(SECONDS)
    other.join(SECONDS)
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert (found["hands"], found["troubles"], found["chips"]) == (4, 0, outcome[0][0])
    assert found["agent"].endswith("seconds=0.01")


def test_the_command_says_what_is_wrong(ludus):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    code, _, err = ludus("acpc", "play", "127.0.0.1", port)
    assert (code, "refused" in err) == (1, True)
    assert ludus("acpc", "play", "--agent", "shark", "127.0.0.1", port)[0] == 2
    assert ludus("acpc", "play", "--game", "absent.game", "127.0.0.1", port)[0] == 2
    assert ludus("acpc", "play", "127.0.0.1", 70000)[0] == 2


def test_a_person_plays_through_a_pipe(ludus):
    game = read_game("holdem.nolimit.3p.game")
    dealer, thread, outcome = deal_in_a_thread(match_of(game, hands=4, seed=3))
    others = [
        threading.Thread(
            target=play, args=(make("call"), game, "127.0.0.1", port, np.random.default_rng(5)), daemon=True
        )
        for port in dealer.ports[1:]
    ]
    for other in others:
        other.start()
    words = ("acpc", "play", "--agent", "human", "127.0.0.1", dealer.ports[0], "--game", "holdem.nolimit.3p.game")
    code, out, _ = ludus(*words, stdin="what\n" + "c\n" * 4 + "f\nr 300\n" + "c\n" * 20)
    thread.join(SECONDS)
    for other in others:
        other.join(SECONDS)
    assert code == 0
    assert "'what' is not an action" in out
    assert "Hand 4: you are SB" in out
    assert out.count("showdown on") >= 3
    assert "4 hands" in out
    total = float(re.search(r"4 hands, ([+-][0-9.]+) chips", out)[1])
    assert total == outcome[0][0]


@pytest.mark.parametrize("ending", ["q\n", ""])
def test_a_person_may_quit(ludus, ending):
    game = read_game(NO_LIMIT)
    dealer, thread, _ = deal_in_a_thread(match_of(hands=4, seed=3))
    other = threading.Thread(
        target=play, args=(make("call"), game, "127.0.0.1", dealer.ports[1], np.random.default_rng(5)), daemon=True
    )
    other.start()
    code, out, _ = ludus("acpc", "play", "--agent", "human", "127.0.0.1", dealer.ports[0], stdin="c\n" * 6 + ending)
    thread.join(SECONDS)
    other.join(SECONDS)
    assert code == 0
    assert "1 hand," in out


def test_a_table_in_one_command(tmp_path):
    """Dealer, program and person: three processes that talk through the protocol."""
    words = ["acpc", "table", "--agent", "call", "--hands", "2", "--seed", "3", "--log", str(tmp_path / "m"),
             "--game", "leduc.limit.2p.game"]  # fmt: skip
    run = subprocess.run(
        [sys.executable, "-m", "ludus", *words], input="c\n" * 20, capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stderr
    assert "Hand 2: you are P2" in run.stdout
    assert "2 hands" in run.stdout
    found = verify(read_game("leduc.limit.2p.game"), (tmp_path / "m.log").open(), seed=3)
    assert found.sound
    assert found.hands == 2


def test_a_table_that_cannot_be(ludus):
    for words in (("--agent", "shark"), ("--hands", "0"), ("--seed", "-1"), ("--game", "absent.game")):
        assert ludus("acpc", "table", *words)[0] == 2


def test_the_bare_caller_knows_its_turn():
    game = read_game(NO_LIMIT)
    state = game.start().deal(game.deck)
    while state.player != TERMINAL:
        if state.player < 0:
            state = state.deal(game.deck)
            continue
        assert to_act(state.betting().encode()) == b"%d" % state.player
        state = state.apply(CALL)
    assert to_act(state.betting().encode()) == b""
    assert len(list(retrace(state))) == 8

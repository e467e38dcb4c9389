"""Whatever a peer, a file or a user sends: an answer or a ValueError, in bounded time and memory, and nothing else."""

import contextlib
import io
import random
import socket
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acpc_peers import HELLO, NO_LIMIT, Steady, agent, every_line, lines_of, match_of, play_match
from ludus.games.acpc import read_game
from ludus.protocols.acpc.dealer import printable
from ludus.protocols.acpc.follow import Follower
from ludus.protocols.acpc.log import Records, Transaction
from ludus.protocols.acpc.messages import match_state, read_match_state, read_reply
from ludus.protocols.acpc.verify import verify

GAMES = [read_game(name) for name in (NO_LIMIT, "holdem.limit.3p.game", "leduc.nolimit.2p.game", "kuhn.limit.3p.game")]
FRAGMENTS = [
    "MATCHSTATE:", "STATE:", "0:", "1:", "7:", "::", ":", "c", "cc/", "r300", "r", "f", "/", "|", "5d5c", "9hQd", "Ah",
    "8dAs8s", "-", "+", " ", "\t", "\0", "\r", "99999999999999999999", "x", "é", "\n", "r-5", "SCORE:", "50|-50",
    ":a|b",
]  # fmt: skip
texts = st.one_of(st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join), st.text(max_size=80))
near_states = st.builds(
    lambda parts: "MATCHSTATE:" + ":".join(parts),
    st.tuples(
        st.sampled_from(["0", "1", "2", "-1", "256", ""]),
        st.sampled_from(["0", "7", "", "x"]),
        st.lists(st.sampled_from(["c", "f", "r", "r200", "r300", "r20000", "/", "k", "b900"]), max_size=8).map("".join),
        st.sampled_from(["5d5c|", "|9hQd", "5d5c|9hQd", "Ah|", "|", "", "Ah||", "5d5c||"]).flatmap(
            lambda hole: st.sampled_from(["", "/8dAs8s", "/8dAs8s/4h", "/8dAs8s/4h/6d", "/Kh"]).map(hole.__add__)
        ),
    ),
)


@given(st.sampled_from(GAMES), st.one_of(texts, near_states))
@settings(max_examples=400)
def test_a_line_is_a_state_or_a_value_error(game, text):
    follower = Follower(game)
    for read in (
        lambda: read_match_state(game, text),
        lambda: follower.hear(text).now,
        lambda: follower.hear(text).now,
    ):
        with contextlib.suppress(ValueError):
            told = read()
            written = match_state(told.state, told.position, told.hand)
            again = read_match_state(game, written)
            assert (again.state.line, again.state.cards) == (told.state.line, told.state.cards)


@given(st.sampled_from(GAMES), st.one_of(texts.map(str.encode), st.binary(max_size=60)), st.booleans())
@settings(max_examples=400)
def test_a_reply_is_legal_or_none(game, data, echoed):
    state = game.start().deal(game.deck)
    asked = match_state(state, state.player, 7).encode()
    reply = read_reply(state, 7, (asked + b":" if echoed else b"") + data)
    if reply.action is None:
        assert reply.warnings
    else:
        state.apply(reply.action)
    assert all(warning.startswith("WARNING: ") for warning in reply.warnings)


@given(near_states, st.sampled_from(["", ":c", ":r500"]))
def test_an_answer_is_taken_only_for_the_state_that_was_asked(text, action):
    game = GAMES[0]
    state = game.start().deal(game.deck)
    hole = match_state(state, 1, 0).rpartition("|")[2]
    reply = read_reply(state, 0, (text + action).encode())
    if reply.action is not None:
        told = read_match_state(game, text)
        assert (told.position, told.hand, told.state.line) == (1, 0, ((),))
        assert hole in text


@given(st.lists(texts, max_size=8))
def test_any_log_is_judged(lines):
    found = verify(GAMES[0], lines)
    assert found.agree <= found.hands
    assert found.hands or not found.sound


@given(texts)
def test_any_transaction_is_read_or_refused(text):
    with contextlib.suppress(ValueError):
        past = Transaction.parse(text)
        assert Transaction.parse(str(past)).move == past.move


@given(st.binary(max_size=200))
def test_any_file_can_be_continued(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("files")
    for name in ("m.log", "m.tlog"):
        (folder / name).write_bytes(data)
    records = Records(folder / "m.log", folder / "m.tlog", append=True)
    lines = list(records.earlier())
    assert len(lines) == data.count(b"\n")
    records.close()


@given(st.binary(max_size=100))
def test_what_is_shown_cannot_harm_a_terminal(data):
    text = printable(data).rstrip("\r\n")
    assert text.isprintable()
    assert text.isascii()


# Live


def noise(seed: int, share: float, pause: float = 0.0):
    """Sends random bytes and lines, some of them nearly right, and between them sometimes the right answer."""

    def play(peer: socket.socket) -> bytes:
        rng = random.Random(seed)
        peer.sendall(HELLO)
        seen = b""
        for line in lines_of(peer):
            seen += line
            line = line.rstrip()
            for _ in range(rng.randrange(4)):
                kind = rng.randrange(6)
                junk = [
                    rng.randbytes(rng.randrange(1, 6000)),
                    rng.randbytes(20) + b"\n",
                    line[: rng.randrange(len(line))] + b":c\n",
                    line + b":" + rng.randbytes(3) + b"\r\n",
                    b"#" + rng.randbytes(9) + b"\n",
                    b"\n" * rng.randrange(50),
                ][kind]
                peer.sendall(junk)
                time.sleep(pause * rng.random())
            if rng.random() < share:
                peer.sendall(b"\n" + line + b":" + rng.choice([b"c", b"f", b"r", b"r500", b"r99999", b"x"]) + b"\r\n")
        return seen

    return play


KNOWN = ("WARNING: ", "ERROR: ", "SCORE:", "#", "Seconds", "STARTED", "FINISHED", "TO ", "FROM ")


@pytest.mark.parametrize("seed", range(6))
def test_noisy_players_cannot_break_the_dealer(seed):
    game = read_game(NO_LIMIT)
    patient = agent(Steady(), game) if seed % 3 else noise(seed + 100, share=1.0, pause=0.002)
    silent = seed % 3 == 2  # at times, so that it runs out of time
    noisy = noise(seed, share=0.7 if silent else 1.0)
    seats = [patient, noisy] if seed % 2 else [noisy, patient]
    played = play_match(match_of(hands=5, seed=seed, response=500 if silent else 10_000), seats, quiet=seed < 3)
    assert all(line.startswith(KNOWN) or "seconds spent waiting" in line for line in played.report if line)
    assert (played.totals is None) == any(line.startswith("ERROR") for line in played.report)
    if played.totals is not None:
        assert sum(played.totals) == 0
    assert (played.totals is None) == silent


@pytest.mark.parametrize("seed", range(3))
def test_players_that_hang_up_at_any_moment(seed):
    rng = random.Random(seed)
    left = rng.randrange(1, 30)

    def leave(peer: socket.socket) -> bytes:
        peer.sendall(HELLO)
        seen = b""
        for count, line in enumerate(lines_of(peer)):
            seen += line
            if count == left:
                break
            peer.sendall(line.rstrip() + b":c\r\n")
        return seen

    played = play_match(match_of(hands=50, response=3000), [every_line(lambda line: line + b":c\r\n"), leave])
    assert played.totals is None
    assert [line for line in played.troubles if line.startswith("ERROR")] in (
        ["ERROR: could not get action from seat 2"],
        ["ERROR: could not send state to seat 2"],
    )


def test_random_lines_do_not_confuse_a_client(ludus):
    """A dealer that talks nonsense is reported, and the client waits for the next line."""
    from ludus.protocols.acpc.client import Player

    rng, told = random.Random(1), io.StringIO()
    client = Player(Steady(), GAMES[0], None, told.write)
    for _ in range(300):
        line = "".join(rng.choice(FRAGMENTS) for _ in range(rng.randrange(10))).encode()
        with contextlib.suppress(ValueError):
            answer = client.hear(line.replace(b"\n", b""))
            assert answer is None or answer.startswith(b"MATCHSTATE")
    assert client.troubles > 20
    assert "not reported" in told.getvalue()
    assert client.hear(b"MATCHSTATE:1:0::|9hQd").startswith(b"MATCHSTATE:1:0::|9hQd:")

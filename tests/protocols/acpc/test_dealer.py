"""The dealer against what the competition's own dealer was recorded to do, and against players that misbehave."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from acpc_peers import (
    DATA,
    HELLO,
    NO_LIMIT,
    SECONDS,
    Played,
    Steady,
    agent,
    every_line,
    game_for,
    lines_of,
    match_of,
    play_match,
    recordings,
    scripted,
    told_in,
)
from ludus.experiments.bench.dealer import loopback
from ludus.games.acpc import read_game
from ludus.protocols.acpc.client import play
from ludus.protocols.acpc.dealer import Dealer, MatchFailed
from ludus.protocols.acpc.verify import verify
from ludus.protocols.acpc.wire import Connection, Gone, Late, Stuck, Wire

MATCHES, PROBES = recordings("matches.jsonl"), recordings("probes.jsonl")
DELAYS = {"timeout_response": 0.8, "timeout_hand": 0.4, "timeout_match": 0.4}  # of the second seat
LIMITS = {"--t_response": "response", "--t_hand": "hand", "--t_per_hand": "per_hand"}
CALLS = [every_line(lambda line: line + b":c\r\n")] * 2


def replay(recording: dict, log) -> Played:
    options = recording["options"]
    limits = {LIMITS[key]: int(value) for key, value in zip(options[::2], options[1::2], strict=True)}
    match = match_of(recording["game"], recording["hands"], recording["seed"], names=recording["names"], **limits)
    delays = [0.0, DELAYS.get(recording["name"], 0.0), 0.0]
    players = [scripted(steps, delay) for steps, delay in zip(recording["seats"], delays, strict=False)]
    return play_match(match, players, log=log)


@pytest.mark.parametrize("recording", [*MATCHES, *PROBES], ids=lambda recording: recording["name"])
def test_every_byte_is_as_recorded(recording, tmp_path):
    log = tmp_path / "m.log"
    played = replay(recording, log)
    assert played.seen == [told_in(steps) for steps in recording["seats"]]
    lines = log.read_text().splitlines()[4:]
    if "log" in recording:
        assert lines == recording["log"]
        assert played.report[4:] == recording["stderr"]
    score = recording["stdout"].strip()
    assert (played.totals is not None) == (recording["exit"] == 0)
    assert lines[-1:] == ([score] if score else [])
    if score:
        assert verify(read_game(recording["game"]), log.open(), recording["seed"]).sound


def test_the_log_is_as_recorded(tmp_path):
    log = tmp_path / "m.log"
    replay(MATCHES[0], log)
    recorded = (DATA / "nolimit2p_seed0.dealer.log").read_text().splitlines()
    assert log.read_text().splitlines()[1:] == recorded[1:]


@pytest.mark.parametrize("players", range(2, 11))
def test_tables_of_every_size(players, tmp_path):
    game, log = game_for(players, limit=players % 2 == 0), tmp_path / "m.log"
    results = {}
    seats = [agent(Steady(), game, lambda result, seat=seat: results.update({seat: result})) for seat in range(players)]
    played = play_match(match_of(game, hands=players + 1, seed=players), seats, log=log, quiet=False)
    assert played.totals is not None
    assert not played.troubles
    for seat, total in enumerate(played.totals):  # what clients make of the states is what the dealer pays
        assert sum(results[seat].hands) == pytest.approx(total)
        assert len(results[seat].hands) == players + 1
    assert sum(played.totals) == pytest.approx(0)
    found = verify(game, log.open(), seed=players)
    assert found.sound
    assert found.agree == players + 1


def test_fixed_seats(tmp_path):
    game, log = game_for(3), tmp_path / "m.log"
    played = play_match(match_of(game, hands=4, fixed=True), [agent(Steady(), game) for _ in range(3)], log=log)
    assert all(re.match(b"MATCHSTATE:1:", line) for line in played.seen[1].splitlines())
    states = [line for line in log.read_text().splitlines() if line.startswith("STATE")]
    assert all(line.endswith(":a|b|c") for line in states)
    assert verify(game, log.open(), seed=0).sound


def test_what_is_reported(tmp_path):
    played = play_match(match_of(hands=101, name="m"), CALLS, quiet=False)
    report = played.report
    assert report[:4] == [f"# name/game/hands/seed m {NO_LIMIT.removesuffix('.game')} 101 0", "#--t_response 600000",
                          "#--t_hand 600000", "#--t_per_hand 7000"]  # fmt: skip
    stamp = r"[0-9]+\.[0-9]{6}"
    assert re.fullmatch(f"STARTED at {stamp}", report[4])
    assert re.fullmatch(rf"TO 1 at {stamp} MATCHSTATE:0:0::5d5c\|", report[5])
    assert re.fullmatch(rf"TO 2 at {stamp} MATCHSTATE:1:0::\|9hQd", report[6])
    assert re.fullmatch(rf"FROM 2 at {stamp} MATCHSTATE:1:0::\|9hQd:c", report[7])
    assert sum(line == "Seconds cumulatively spent in match for seat 0: 0" for line in report) == 2
    assert re.fullmatch(f"FINISHED at {stamp}", report[-2])
    assert report[-1].startswith("SCORE:")
    quiet = play_match(match_of(hands=2, name="m"), CALLS).report
    assert [line.split(":")[0] for line in quiet[4:] if "WARNING" not in line] == ["SCORE"]


def test_a_strict_dealer_ends_the_match():
    steps = next(probe for probe in PROBES if probe["name"] == "below_min")["seats"]
    played = play_match(match_of(strict=True), [scripted(steps[0][:2]), scripted(steps[1][:3])])
    assert played.totals is None
    assert played.troubles == [
        "WARNING: raise of 150 increased to 200",
        "ERROR: seat 2 must keep to the protocol in a strict match",
    ]


# Players that misbehave


def shout(*chunks: bytes, pause: float = 0.0, hello: bytes = HELLO):
    """Says hello and then this, whatever it is told, and listens to the end."""

    def play_seat(peer: socket.socket) -> bytes:
        peer.sendall(hello)
        for chunk in chunks:
            time.sleep(pause)
            peer.sendall(chunk)
        return b"".join(lines_of(peer))

    return play_seat


def listen_only(peer: socket.socket) -> bytes:
    peer.sendall(HELLO)
    return b"".join(lines_of(peer))


def test_a_silent_player_runs_out_of_time():
    played = play_match(match_of(response=300), [listen_only, listen_only])
    assert played.troubles == ["ERROR: could not get action from seat 2", "0.3 seconds spent waiting; timeout 0.3"]
    assert all(seen.startswith(b"MATCHSTATE") for seen in played.seen)
    played = play_match(match_of(hands=2, per_hand=50), [listen_only, listen_only])
    assert played.troubles == ["ERROR: seat 2 ran out of time"]


@pytest.mark.parametrize("chunk", [b"#", b"MATCHSTATE:1:0::|9h", b"# a comment\n", b"; gui\r\n"])
def test_neither_parts_of_lines_nor_comments_stop_the_clock(chunk):
    """The competition's own dealer would wait for ever."""
    drip = shout(*[chunk] * 1000, pause=0.02)
    played = play_match(match_of(response=400), [listen_only, drip])
    assert played.totals is None
    assert played.troubles[0] == "ERROR: could not get action from seat 2"
    assert played.seconds < 10  # the drip takes twice that


def test_bad_lines_do_not_stop_the_clock_either():
    played = play_match(match_of(response=300), [listen_only, shout(*[b"what?\n"] * 100, pause=0.02)])
    assert played.troubles[-1] in ("ERROR: seat 2 ran out of time", "0.3 seconds spent waiting; timeout 0.3")
    assert "WARNING: bad state format in response" in played.troubles


def test_a_line_may_come_in_pieces():
    def slowly(peer: socket.socket) -> bytes:
        peer.sendall(HELLO)
        seen = b""
        for line in lines_of(peer):
            seen += line
            for at in range(0, len(line), 7):
                peer.sendall(line.rstrip()[at : at + 7])
                time.sleep(0.001)
            peer.sendall(b":c\r\n")
        return seen

    played = play_match(match_of(), [slowly, slowly])
    assert played.totals == (100, -100)


def test_a_reply_without_its_hole_cards_is_always_ignored(tmp_path):
    """The competition's dealer compares such a reply with what its memory holds, now so, now otherwise."""

    def forgetful(line: bytes) -> bytes:
        bare = re.sub(rb"(?<=[:|/])(?:[2-9TJQKA][cdhs]){2}(?=[|/]|$)", b"", line, count=1)
        assert bare != line
        return bare + b":f\r\n" + line + b":c\r\n"

    logs = tmp_path / "forgetful.log", tmp_path / "calls.log"
    played = play_match(match_of(hands=6, seed=2), [every_line(forgetful), CALLS[1]], log=logs[0])
    plain = play_match(match_of(hands=6, seed=2), CALLS, log=logs[1])
    assert played.totals == plain.totals is not None
    assert logs[0].read_text() == logs[1].read_text()
    assert played.troubles.count("WARNING: ignoring un-requested response") >= 6 * 4  # on every street


def test_a_flood_is_not_reported_line_by_line():
    played = play_match(match_of(response=300), [listen_only, shout(*[b"x\n" * 5000] * 200)], quiet=False)
    assert played.totals is None
    assert played.troubles.count("WARNING: bad state format in response") <= 100
    assert sum(line.startswith("FROM") for line in played.report) <= 100
    assert any(line.startswith("ERROR") for line in played.troubles)


def test_lines_that_are_too_long_fall_into_pieces():
    long = shout(b"x" * 10_000 + b"\n", b"MATCHSTATE:1:0::|9hQd:f\r\n")
    played = play_match(match_of(), [listen_only, long])
    assert played.totals == (50, -50)
    assert played.troubles == ["WARNING: bad state format in response"] * 3


def test_odd_bytes_are_shown_as_question_marks():
    odd = shout(b"\x1b[2J\xff\x07\r\n", b"\0hidden\n", b"MATCHSTATE:1:0::|9hQd:f\r\n")
    played = play_match(match_of(), [listen_only, odd], quiet=False)
    assert played.totals == (50, -50)
    text = "\n".join(played.report)
    assert "?[2J??" in text
    assert "hidden" not in text
    assert "\x1b" not in text


def test_the_last_line_needs_no_end():
    def hang_up(peer: socket.socket) -> bytes:
        peer.sendall(HELLO + b"MATCHSTATE:1:0::|9hQd:f")
        peer.shutdown(socket.SHUT_WR)
        return b"".join(lines_of(peer))

    played = play_match(match_of(), [listen_only, hang_up])
    assert played.totals == (50, -50)
    assert played.seen[1].splitlines()[-1] == b"MATCHSTATE:1:0:f:|9hQd"


@pytest.mark.parametrize(
    ("hello", "trouble"),
    [
        (b"", "ERROR: could not read version string from seat 2"),
        (b"VERSION:2:0:0\n", "ERROR: invalid version string VERSION:2:0:0"),
        (b"\xff\xfe\n", "ERROR: invalid version string ??"),
    ],
)
def test_a_player_who_does_not_say_hello(hello, trouble):
    def odd(peer: socket.socket) -> bytes:
        peer.sendall(hello)
        return b"" if not hello else b"".join(lines_of(peer))

    assert play_match(match_of(), [listen_only, odd]).troubles == [trouble]


def test_waiting_for_players_and_for_their_hello_ends():
    dealer = Dealer(match_of(start=200, response=200))
    with pytest.raises(MatchFailed, match="timed out waiting for seat 1"):
        dealer.play()
    dealer = Dealer(match_of(start=200, response=200))
    peers = [socket.create_connection(("127.0.0.1", port)) for port in dealer.ports]
    with pytest.raises(MatchFailed, match="could not read version string from seat 1"):
        dealer.play()
    for peer in peers:
        peer.close()


def test_a_seat_has_one_chair():
    dealer = Dealer(match_of(start=5000))
    peers = [socket.create_connection(("127.0.0.1", port), timeout=SECONDS) for port in dealer.ports]

    def deal() -> None:
        with pytest.raises(MatchFailed):
            dealer.play()

    thread = threading.Thread(target=deal, daemon=True)
    thread.start()
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        try:
            late = socket.create_connection(("127.0.0.1", dealer.ports[0]), timeout=SECONDS)
        except (ConnectionRefusedError, ConnectionResetError):
            break
        late.close()
        time.sleep(0.01)
    else:
        pytest.fail("a second player could connect")
    for peer in peers:
        peer.close()
    thread.join(SECONDS)
    assert not thread.is_alive()


def pair(buffer: int = 4096) -> tuple[Connection, socket.socket]:
    """A connection and its other end, with small buffers in between."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        far = socket.socket()
        far.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        far.connect(server.getsockname())
        near, _ = server.accept()
    near.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, buffer)
    far.settimeout(SECONDS)
    return Connection(near), far


def test_a_player_who_never_reads_blocks_nobody():
    (deaf, deaf_peer), (fine, fine_peer) = pair(), pair()
    wire = Wire([deaf, fine], patience=0.5)
    fine_peer.sendall(b"one\ntwo\nthree\n")
    while len(deaf.unsent) < 30_000:
        wire.tell(0, b"x" * 999 + b"\n")
        wire.push_held()
    assert wire.read_line(1, time.monotonic() + SECONDS) == b"one\n"
    start = time.monotonic()
    assert wire.read_line(1, start + SECONDS) + wire.read_line(1, start + SECONDS) == b"two\nthree\n"
    with pytest.raises(Stuck):
        wire.read_line(1, start + SECONDS)
    with pytest.raises(Stuck):  # nor does he fill the memory
        wire.tell(0, b"x" * 50_000)
    wire.close()
    deaf_peer.close()
    fine_peer.close()


def test_a_slow_reader_gets_everything():
    connection, peer = pair()
    wire = Wire([connection], patience=SECONDS)
    got = bytearray()

    def read_slowly() -> None:
        while data := peer.recv(1000):
            got.extend(data)
            time.sleep(0.001)

    thread = threading.Thread(target=read_slowly, daemon=True)
    thread.start()
    sent = b""
    for at in range(60):
        message = b"%d" % at * 500 + b"\n"
        wire.ask(0, message)
        sent += message
    wire.flush()
    wire.close()
    thread.join(SECONDS)
    assert bytes(got) == sent


def test_lines_of_a_connection():
    connection, peer = pair()
    wire = Wire([connection], patience=1)
    peer.sendall(b"one\r\n\ntwo\nthr")
    lines = [wire.read_line(0, time.monotonic() + SECONDS) for _ in range(3)]
    assert lines == [b"one\r\n", b"\n", b"two\n"]
    with pytest.raises(Late):
        wire.read_line(0, time.monotonic() + 0.05)
    peer.close()
    assert wire.read_line(0, time.monotonic() + SECONDS) == b"thr"
    with pytest.raises(Gone):
        wire.read_line(0, time.monotonic() + SECONDS)
    wire.close()


# Taking a match up again


def run_with_agents(match, folder, append=False, transactions=True) -> Played:
    files = {"log": folder / "m.log", "transactions": folder / "m.tlog" if transactions else None}
    return play_match(match, [agent(Steady(), match.game) for _ in match.names], **files, append=append)


def hands_of(log) -> list[str]:
    return [line for line in log.read_text().splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("players", [2, 3])
def test_a_match_can_be_taken_up_after_any_action(players, tmp_path):
    match = match_of(game_for(players), hands=6, seed=9)
    whole = run_with_agents(match, tmp_path)
    log, transactions = tmp_path / "m.log", tmp_path / "m.tlog"
    wanted, actions = hands_of(log), transactions.read_text().splitlines(keepends=True)
    lines = log.read_text().splitlines(keepends=True)
    for done in range(0, len(actions) + 1, 5):
        transactions.write_text("".join(actions[:done]) + "r1"[: done % 3])  # and the line that was being written
        finished = int(actions[done].split()[1]) if done < len(actions) else match.hands
        log.write_text("".join(lines[: 4 + max(finished - done % 2, 0)]))  # perhaps without the last finished hand
        again = run_with_agents(match, tmp_path, append=True)
        assert again.totals == whole.totals
        assert hands_of(log) == wanted
        assert len(transactions.read_text().splitlines()) == len(actions)
        assert verify(match.game, log.open(), seed=9).sound


@pytest.mark.parametrize(
    ("line", "trouble"),
    [
        ("x 0 1.000000 1.000000\n", "could not parse transaction action x 0 1.000000 1.000000"),
        ("c 0 1.000000\n", "could not parse transaction stamp c 0 1.000000"),
        ("c 1 1.000000 1.000000\n", "handId mismatch in transaction log: c 1 1.000000 1.000000"),
        ("r1 0 1.000000 1.000000\n", "invalid action in transaction log: r1 0 1.000000 1.000000"),
        ("c 0 1.000000 1000.000000\n", "seat 2 ran out of time in transaction file"),
    ],
)
def test_transactions_that_cannot_be(line, trouble, tmp_path):
    (tmp_path / "m.tlog").write_text(line)
    played = run_with_agents(match_of(), tmp_path, append=True)
    assert played.troubles == [f"ERROR: {trouble}"]


def test_files_are_overwritten_unless_appended(tmp_path):
    match = match_of(hands=2)
    run_with_agents(match, tmp_path)
    first = (tmp_path / "m.log").read_text()
    run_with_agents(match, tmp_path)
    assert (tmp_path / "m.log").read_text() == first
    run_with_agents(match, tmp_path, append=True, transactions=False)
    assert (tmp_path / "m.log").read_text() == first + first


# The program


def start_dealer(folder, *words: object) -> tuple[subprocess.Popen, list[int]]:
    command = [sys.executable, "-m", "ludus", "acpc", "dealer", *map(str, words)]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    return process, [int(port) for port in process.stdout.readline().split()]


def sit_down(ports: list[int], agents: list[Steady], game) -> list[threading.Thread]:
    def sit(player: Steady, port: int) -> None:
        play(player, game, "127.0.0.1", port, np.random.default_rng(0))

    threads = [
        threading.Thread(target=sit, args=(player, port), daemon=True)
        for player, port in zip(agents, ports, strict=True)
    ]
    for thread in threads:
        thread.start()
    return threads


def test_a_dealer_that_is_killed_goes_on_in_the_middle_of_the_hand(tmp_path):
    game, words = read_game(NO_LIMIT), ("m", NO_LIMIT, 8, 5, "Alice", "Bob", "-T", "-q")
    whole = run_with_agents(match_of(hands=8, seed=5, names=["Alice", "Bob"]), tmp_path)
    wanted = hands_of(tmp_path / "m.log")
    process, ports = start_dealer(tmp_path, *words)
    try:
        sleepy = [Steady(), Steady(most=7)]
        sit_down(ports, sleepy, game)
        assert sleepy[1].asleep.wait(SECONDS)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=SECONDS)
    finally:
        process.kill()
    so_far = (tmp_path / "m.tlog").read_text().splitlines()
    assert len(so_far) > 7
    assert len(hands_of(tmp_path / "m.log")) == int(so_far[-1].split()[1])  # the last hand is not over
    process, ports = start_dealer(tmp_path, *words, "-a")
    try:
        for thread in sit_down(ports, [Steady(), Steady()], game):
            thread.join(SECONDS)
        out, err = process.communicate(timeout=SECONDS)
    finally:
        process.kill()
    assert process.returncode == 0
    assert hands_of(tmp_path / "m.log") == wanted
    assert out == f"{wanted[-1]}\n"
    assert wanted[-1] in err
    assert whole.totals is not None


def test_the_program_takes_options_after_the_names(tmp_path):
    with socket.socket() as free, socket.socket() as other:
        for probe in (free, other):
            probe.bind(("127.0.0.1", 0))
        wanted = [probe.getsockname()[1] for probe in (free, other)]
    words = (tmp_path / "deep", NO_LIMIT, 1, 0, "Alice", "Bob", "-p", f"{wanted[0]},{wanted[1]}", "--t_response", 400,
             "--start_timeout", -1, "-f", "-L", "-t", "--t_hand", 2000, "--t_per_hand", 3000)  # fmt: skip
    process, ports = start_dealer(tmp_path, *words)
    try:
        assert ports == wanted
        peers = [socket.create_connection(("127.0.0.1", port), timeout=SECONDS) for port in ports]
        for peer in peers:
            peer.sendall(HELLO)
        out, err = process.communicate(timeout=SECONDS)
        for peer in peers:
            peer.close()
    finally:
        process.kill()
    assert process.returncode == 1
    assert out == ""
    assert err.splitlines()[0] == f"# name/game/hands/seed {tmp_path / 'deep'} {NO_LIMIT} 1 0"
    assert err.splitlines()[-2:] == [
        "ERROR: could not get action from seat 2", "0.4 seconds spent waiting; timeout 0.4",
    ]  # fmt: skip
    assert (tmp_path / "deep.log").read_text().splitlines()[1:] == [
        "#--t_response 400", "#--t_hand 2000", "#--t_per_hand 3000",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((NO_LIMIT, 0, 0, "a", "b"), "number of hands"),
        ((NO_LIMIT, 1, 2**32, "a", "b"), "a seed is"),
        ((NO_LIMIT, 1, 0, "a"), "2 players, got 1 names"),
        ((NO_LIMIT, 1, 0, "a", "b", "c"), "2 players, got 3 names"),
        (("absent.game", 1, 0, "a", "b"), "cannot read"),
        ((NO_LIMIT, 1, 0, "a", "b", "-p", "1,x"), "list of ports"),
        ((NO_LIMIT, 1, 0, "a", "b", "-p", "70000"), "0..65535"),
        ((NO_LIMIT, 1, 0, "a", "b", "-p", "1,2,3"), "2 seats"),
        ((NO_LIMIT, 1, 0, "a", "b", "--t_response", "-1"), "time limit"),
    ],
)
def test_arguments_that_make_no_match(words, message, ludus, tmp_path):
    code, out, err = ludus("acpc", "dealer", tmp_path / "m", *words)
    assert (code, out) == (2, "")
    assert message in err


def test_a_port_that_is_taken_is_an_error(ludus, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        words = (tmp_path / "m", NO_LIMIT, 1, 0, "a", "b", "-l", "-p", taken.getsockname()[1])
        code, out, err = ludus("acpc", "dealer", *words)
    assert (code, out) == (1, "")
    assert "in use" in err


def test_the_benchmark_plays():
    assert loopback(20, seed=1) > 0

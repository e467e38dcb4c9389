"""Messages, cards and logs of the ACPC protocol against recordings of the competition's own dealer."""

import csv
import json
from dataclasses import asdict
from pathlib import Path

import pytest

from acpc_peers import DATA, NO_LIMIT, Steady, game_for, recordings, told_in
from ludus.cards.card import format_cards
from ludus.games.acpc import parse_game, read_game
from ludus.games.base import TERMINAL
from ludus.games.moves import CALL, FOLD
from ludus.games.record import dealt_text
from ludus.protocols.acpc.clock import Clock, Limits
from ludus.protocols.acpc.deal import decks, mersenne_twister
from ludus.protocols.acpc.explain import explain
from ludus.protocols.acpc.follow import Follower, outcome
from ludus.protocols.acpc.hand import Hand
from ludus.protocols.acpc.log import Records, Transaction, score_line, state_line
from ludus.protocols.acpc.match import Match
from ludus.protocols.acpc.messages import Reply, match_state, number_text, read_match_state, read_reply
from ludus.protocols.acpc.verify import verify

VECTORS = list(csv.DictReader((DATA.parent / "acpc_states.csv").open()))
MATCHES = recordings("matches.jsonl")
GAMES = sorted({row["game"] for row in VECTORS})


def game_of(name: str):
    return read_game(DATA.parent / name if (DATA.parent / name).exists() else name)


def number(text: str) -> int | None:
    return None if text == "-" else int(text)


@pytest.mark.parametrize("name", GAMES)
def test_states_are_as_the_competitions_library_has_them(name, ludus):
    rows = [row for row in VECTORS if row["game"] == name]
    game = game_of(name)
    for row in rows:
        told = read_match_state(game, row["matchstate"])
        fold = number(row["fold_legal"])
        assert asdict(explain(told.state)) == {
            "round": int(row["round"]),
            "finished": row["finished"] == "1",
            "actor_position": number(row["actor"]),
            "fold_legal": None if fold is None else bool(fold),
            "min_raise_to": number(row["min_raise_to"]),
            "max_raise_to": number(row["max_raise_to"]),
            "spent": [int(chips) for chips in row["spent"].split("|")],
        }, row["matchstate"]
        assert match_state(told.state, told.position, told.hand) == row["matchstate"]


def test_the_command_explains_states(ludus):
    code, out, _ = ludus("acpc", "state", NO_LIMIT, "MATCHSTATE:0:0:cr1734:5d5c|", "--json")
    assert code == 0
    assert json.loads(out) == {
        "round": 0, "finished": False, "actor_position": 1, "fold_legal": True, "min_raise_to": 3368,
        "max_raise_to": 20000, "spent": [1734, 100],
    }  # fmt: skip
    code, out, _ = ludus("acpc", "state", NO_LIMIT, "MATCHSTATE:1:3:cr12366r20000f:|6hJd", "--json")
    assert json.loads(out)["actor_position"] is None
    code, out, _ = ludus("acpc", "state", "holdem.limit.2p.reverse_blinds.game", "MATCHSTATE:0:0:c:5d5c|")
    assert code == 0
    assert "raise by the limit" in out
    assert "the hand is over" in ludus("acpc", "state", NO_LIMIT, "MATCHSTATE:1:3:f:|6hJd")[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "starts with MATCHSTATE"),
        ("STATE:0:c:5d5c|", "starts with MATCHSTATE"),
        ("MATCHSTATE:2:0::5d5c|", "positions are 0..1"),
        ("MATCHSTATE:0:0:x:5d5c|", "not an action"),
        ("MATCHSTATE:0:0:r:5d5c|", "needs a number"),
        ("MATCHSTATE:0:0:r150:5d5c|", "between 200 and 20000"),
        ("MATCHSTATE:0:0:cf:5d5c|", "nothing to call"),
        ("MATCHSTATE:0:0:fc:5d5c|", "over before"),
        ("MATCHSTATE:0:0::5d|", "a hand has 2 cards"),
        ("MATCHSTATE:0:0::|5d5c", "are missing"),
        ("MATCHSTATE:0:0::5d5c|:c", "follows the state"),
        ("MATCHSTATE:0:0:cc/:5d5c|/8dAs", "3 board cards"),
        ("MATCHSTATE:0:0:cc/:5d5c|/8dAs5c", "dealt already"),
        ("MATCHSTATE:0:0::5d5d|", "dealt already"),
    ],
)
def test_lines_that_are_no_states(text, message, ludus):
    with pytest.raises(ValueError, match=message):
        read_match_state(read_game(NO_LIMIT), text)
    assert ludus("acpc", "state", NO_LIMIT, text)[0] == 2


def asked(line: str, name: str = NO_LIMIT) -> tuple:
    told = read_match_state(read_game(name), line)
    return told.state, told.hand


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        (":c", Reply(CALL)),
        (":k", Reply(CALL)),
        (":f", Reply(FOLD)),
        (":F\n", Reply(FOLD)),
        (":r300", Reply(300)),
        (":b 300 and more", Reply(300)),
        (":r+0300", Reply(300)),
        (":r20000", Reply(20000)),
        (":r199", Reply(200, ("WARNING: raise of 199 increased to 200",))),
        (":r20001", Reply(20000, ("WARNING: raise of 20001 decreased to 20000",))),
        (":r99999999999", Reply(20000, ("WARNING: raise of 1215752191 decreased to 20000",))),
        (":r99999999999999999999", Reply(200, ("WARNING: raise of -1 increased to 200",))),
        (":r", Reply(CALL, ("WARNING: bad action format in response, changed to call",))),
        (":rx", Reply(CALL, ("WARNING: bad action format in response, changed to call",))),
        ("", Reply(CALL, ("WARNING: bad action format in response, changed to call",))),
        (";c", Reply(CALL, ("WARNING: bad action format in response, changed to call",))),
        (":", Reply(CALL, ("WARNING: invalid action, changed to call",))),
        (":\r\n", Reply(CALL, ("WARNING: invalid action, changed to call",))),
        (":\0c", Reply(CALL, ("WARNING: invalid action, changed to call",))),
        (":xc", Reply(CALL, ("WARNING: invalid action, changed to call",))),
    ],
)
def test_replies_are_read_and_repaired(line, reply):
    text = "MATCHSTATE:1:7::|9hQd"
    state, hand = asked(text)
    assert read_reply(state, hand, (text + line).encode()) == reply


@pytest.mark.parametrize(
    "echo",
    [
        "MATCHSTATE:1:7:cr1734r12996c/c:|9hQd/8dAs8s",
        "MATCHSTATE:1:7:c/r1734/r12996c//c/:|9hQd/8dAs8s",
        "MATCHSTATE:+1:0007:cr1734r12996cc:|9hQd8dAs8s",
        "MATCHSTATE:1:7:kb01734B12996K/k:|9HqD/8DaS8s",
        "MATCHSTATE: 1: 7:cr 1734r\t12996c/c:|9hQd/8dAs8s",
        "MATCHSTATE:1:7:cr1734r12996c/c:2c3c|9hQd/8dAs8s",  # others' cards are not compared
        "MATCHSTATE:257:4294967303:cr1734r12996c/c:|9hQd/8dAs8s",  # numbers wrap around
    ],
)
def test_an_echo_may_look_different(echo):
    state, hand = asked("MATCHSTATE:1:7:cr1734r12996c/c:|9hQd/8dAs8s")
    assert read_reply(state, hand, f"{echo}:r20000".encode()) == Reply(20000 - 12996)


@pytest.mark.parametrize(
    ("echo", "warning"),
    [
        ("MATCHSTATE:0:7::|9hQd", "ignoring un-requested response"),
        ("MATCHSTATE:1:8::|9hQd", "ignoring un-requested response"),
        ("MATCHSTATE:1:7:c:|9hQd", "ignoring un-requested response"),
        ("MATCHSTATE:1:7::|Qd9h", "ignoring un-requested response"),
        ("MATCHSTATE:1:7::|", "ignoring un-requested response"),
        ("MATCHSTATE:1:7::|9h", "bad state format in response"),
        ("MATCHSTATE:2:7::|9hQd", "bad state format in response"),
        ("MATCHSTATE:1:7:r150:|9hQd", "bad state format in response"),
        ("MATCHSTATE:1:7:cc/:|9hQd", "bad state format in response"),
        ("MATCHSTATE:x:7::|9hQd", "bad state format in response"),
        ("matchstate:1:7::|9hQd", "bad state format in response"),
        ("", "bad state format in response"),
        ("MATCHSTATE\0:1:7::|9hQd", "bad state format in response"),
    ],
)
def test_a_line_that_is_no_answer_is_ignored(echo, warning):
    state, hand = asked("MATCHSTATE:1:7::|9hQd")
    assert read_reply(state, hand, f"{echo}:c".encode()) == Reply(None, (f"WARNING: {warning}",))


def test_raises_that_the_rules_bar():
    limit = "holdem.limit.2p.reverse_blinds.game"
    state, hand = asked("MATCHSTATE:0:0:rrr:5d5c|", limit)
    invalid = "WARNING: invalid action, changed to call"
    assert read_reply(state, hand, b"MATCHSTATE:0:0:rrr:5d5c|:r") == Reply(CALL, (invalid,))
    state, hand = asked("MATCHSTATE:1:0:rr:|5d5c", limit)
    assert read_reply(state, hand, b"MATCHSTATE:1:0:rr:|5d5c:r99").action == state.raise_bounds()[0]
    state, hand = asked("MATCHSTATE:0:0:r20000:5d5c|")
    assert read_reply(state, hand, b"MATCHSTATE:0:0:r20000:5d5c|:r20000") == Reply(CALL, (invalid,))
    chain = "".join(f"r{200 + 100 * n}" for n in range(63))
    state, hand = asked(f"MATCHSTATE:0:0:{chain}:5d5c|")
    crowded = "WARNING: #actions in round is too close to MAX_NUM_ACTIONS, forcing call/fold"
    assert read_reply(state, hand, f"MATCHSTATE:0:0:{chain}:5d5c|:r9000".encode()) == Reply(CALL, (crowded, invalid))


def test_the_generator_is_the_published_one():
    generator = mersenne_twister(5489)
    assert [generator.getrandbits(32) for _ in range(10_000)][-1] == 4123659995  # as C++ std::mt19937 must give
    for seed in (-1, 2**32):
        with pytest.raises(ValueError, match="a seed is"):
            mersenne_twister(seed)


@pytest.mark.parametrize(
    ("name", "seed", "cards"),
    [
        (NO_LIMIT, 0, ["5d5c|9hQd/8dAs8s/4h/6d", "6sKs|5dJd/2sTh2h/Qh/8h"]),
        (NO_LIMIT, 42, ["7d3d|2hAc/5sKs7s/9s/6h", "9h6s|3d3h/5s3s8h/9d/5c"]),
        ("leduc.limit.2p.game", 0, ["Ah|Ks/Kh"]),
        ("kuhn.limit.3p.game", 0, []),
    ],
)
def test_cards_of_a_seed(name, seed, cards):
    game = read_game(name)
    found = decks(game, seed)
    for wanted in cards:
        deck = next(found)
        assert dealt_text(game, deck, len(game.board_cards) - 1) == wanted
    assert sorted(next(found)) == sorted(game.deck)


def test_small_decks_are_the_top_of_the_last_suits():
    assert format_cards(sorted(next(decks(read_game("leduc.limit.2p.game"), 1))), " ") == "Qh Qs Kh Ks Ah As"
    assert format_cards(sorted(next(decks(read_game("kuhn.limit.3p.game"), 1))), " ") == "Js Qs Ks As"


@pytest.mark.parametrize("match", MATCHES, ids=lambda match: match["name"])
def test_following_a_dealer_is_reading_every_line(match):
    game = read_game(match["game"])
    for steps in match["seats"]:
        follower, heard_hands = Follower(game), []
        for line in told_in(steps).decode().splitlines():
            heard, told = follower.hear(line), read_match_state(game, line)
            assert (heard.now.position, heard.now.hand) == (told.position, told.hand)
            assert match_state(heard.now.state, told.position, told.hand) == line
            assert heard.now.state.cards == told.state.cards
            assert heard.now.state.line == told.state.line
            assert len(heard.steps) == 1
            heard_hands.append((told.hand, heard.steps[0].action is None))
        assert [hand for hand, first in heard_hands if first] == list(range(match["hands"]))


def test_a_follower_can_join_in_the_middle():
    follower = Follower(read_game(NO_LIMIT))
    heard = follower.hear("MATCHSTATE:0:3:cr1734r12996c/c:5d5c|/8dAs8s")
    assert [step.action for step in heard.steps] == [None, 0, 1734, 12996, 0, 0]
    assert [step.player for step in heard.steps] == [-1, 1, 0, 1, 0, 0]
    assert heard.steps[0].state.line == ((),)
    heard = follower.hear("MATCHSTATE:0:3:cr1734r12996c/cr14512c/:5d5c|/8dAs8s/4h\r\n")
    assert [step.action for step in heard.steps] == [1516, 0]
    with pytest.raises(ValueError, match="repeats 4h"):
        follower.hear("MATCHSTATE:0:3:cr1734r12996c/cr14512c/cc/:5d5c|/8dAs8s/4h/4h")


def test_a_showdown_of_some():
    game = read_game("holdem.nolimit.3p.game")
    told = read_match_state(game, "MATCHSTATE:1:0:r300fc/cc/cc/cc:|AsKs|2c7d/Ac3c4c/9h/9s")
    assert outcome(told.state) == (-50, 350, -300)
    assert told.state.hole(0) == (-1, -1)
    hidden = read_match_state(game, "MATCHSTATE:1:0:r300fc/cc/cc/cc:|AsKs|/Ac3c4c/9h/9s")
    with pytest.raises(ValueError, match="not all hands are shown"):
        outcome(hidden.state)


@pytest.mark.parametrize("players", [2, 3, 6, 10])
@pytest.mark.parametrize("limit", [False, True])
def test_texts_that_grow_are_the_texts_of_the_state(players, limit):
    game, player = game_for(players, limit), Steady()
    deals = decks(game, 3)
    for number_of_hand in range(30 // players):
        hand = Hand(game, number_of_hand, next(deals))
        while True:
            for position in {0, players - 1, max(hand.state.player, 0)}:
                line = match_state(hand.state, position, number_of_hand)
                assert hand.message(position).decode() == line
            told = read_match_state(game, line)
            assert match_state(told.state, told.position, number_of_hand) == line
            if hand.over:
                break
            hand.act(player.act(hand.state.seen_by(hand.state.player), None))
        assert hand.state.player == TERMINAL


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (-0.0, "0"), (1000.0, "1000"), (100.5, "100.5"), (-1 / 3, "-0.333333")]
)
def test_numbers_are_printed_as_in_logs(value, text):
    assert number_text(value) == text


# Logs


@pytest.mark.parametrize("name", ["dup_A.log", "dup_B.log", "nolimit2p_seed0.dealer.log"])
def test_recorded_logs_are_sound(name, ludus):
    code, out, _ = ludus("acpc", "verify", NO_LIMIT, DATA / name, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["sound"]
    assert found["hands"] == found["agree"] > 5
    assert ludus("acpc", "verify", NO_LIMIT, DATA / name, "--seed", "7")[0] == 1


def test_a_duplicate_pair_has_the_same_cards_at_the_same_positions():
    games = [
        [line.split(":") for line in (DATA / name).read_text().splitlines() if line.startswith("STATE")]
        for name in ("dup_A.log", "dup_B.log")
    ]
    for one, other in zip(*games, strict=True):
        shorter = min(len(one[3]), len(other[3]))
        assert one[3][:shorter] == other[3][:shorter]
        assert one[5] == "|".join(reversed(other[5].split("|")))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("18361|-18361", "18360|-18360", "the values are"),
        ("7d3d|2hAc", "7d3c|2hAc", "the seed gives"),
        ("7d3d|2hAc", "7d7d|2hAc", "repeats"),
        ("STATE:1:", "STATE:2:", "hand 1 should be"),
        ("STATE:2:cc/cr18395r20000c//:", "STATE:2:cc/cr18395r20000:", "not over"),
        ("cr12366r20000f", "cr120r20000f", "not to 120"),
        ("cr12366r20000f", "cr12366r20000ff", "over before"),
        ("cr3493c/r10177c/cr19211r20000c/:", "cr3493c/r10177c/cr19211r20000c:", "streets"),
        ("-12366|12366:Bob|Alice", "-12366|12366:Alice|Bob", "sit in hand 3"),
        ("SCORE:50627|-50627", "SCORE:50626|-50626", "the hands add up to"),
        ("SCORE:50627|-50627:Alice|Bob", "SCORE:50627|-50627:Bob|Alice", "the hands are of"),
        ("SCORE:50627", "SCORE:nan", "the score is"),
        ("SCORE:50627|-50627", "SCORE:some|none", "not numbers"),
        (" 6 42", " 7 42", "the header says 7"),
        ("3h3d|7s8d/5h9h7h", "3h3d|7s8d", "the cards are"),
        ("STATE:5:", "LOST:5:", "not a line of a log"),
        ("STATE:5:", "STATE:x:", "a hand is STATE"),
    ],
)
def test_a_log_that_was_tampered_with(old, new, message, ludus, tmp_path):
    text = (DATA / "dup_A.log").read_text()
    assert old in text
    path = tmp_path / "bad.log"
    path.write_text(text.replace(old, new, 1))
    found = verify(read_game(NO_LIMIT), path.open())
    assert any(message in problem.what for problem in found.problems), found.problems
    code, out, _ = ludus("acpc", "verify", NO_LIMIT, path)
    assert code == 1
    assert message in out


def test_logs_of_several_runs_and_of_fixed_seats(tmp_path):
    text = (DATA / "dup_A.log").read_text()
    game = read_game(NO_LIMIT)
    assert verify(game, (text + text).splitlines()).sound
    half = text.splitlines()[:7]
    assert verify(game, [*half, *text.splitlines()[:4], *text.splitlines()[7:]]).sound  # a header in the middle
    assert verify(game, half).scores == 0
    fixed = ["STATE:0:f:AsAd|KsKd:50|-50:a|b", "STATE:1:f:AsAd|KsKd:50|-50:a|b", "SCORE:100|-100:a|b"]
    assert verify(game, fixed).sound
    assert not verify(game, [*fixed[:2], "STATE:2:f:AsAd|KsKd:50|-50:b|a"]).sound
    assert not verify(game, []).sound


def test_transactions_are_what_they_were(tmp_path):
    past = Transaction("r1734", 3, 1794703583.438740, 1794703583.438959)
    assert str(past) == "r1734 3 1794703583.438740 1794703583.438959"
    assert Transaction.parse(str(past)) == past
    assert Transaction.parse("K 3 5.7 6.000001") == Transaction("c", 3, 5.000007, 6.000001)
    for line, message in (("x 1 1.1 1.1", "transaction action"), ("c one", "transaction stamp"), ("", "action")):
        with pytest.raises(ValueError, match=message):
            Transaction.parse(line)


def test_a_torn_line_is_cut_off(tmp_path):
    log, transactions = tmp_path / "m.log", tmp_path / "m.tlog"
    log.write_bytes(b"# a header\nSTATE:0:f:\nSTATE:1:f")
    transactions.write_bytes(b"c 0 1.1 1.2\nr1")
    records = Records(log, transactions, append=True)
    assert records.last_logged == 0
    assert list(records.earlier()) == ["c 0 1.1 1.2"]
    records.note("STATE:1:c")
    records.transact(Transaction("f", 0, 2.0, 3.0))
    records.close()
    assert log.read_bytes() == b"# a header\nSTATE:0:f:\nSTATE:1:c\n"
    assert transactions.read_bytes() == b"c 0 1.1 1.2\nf 0 2.000000 3.000000\n"


def test_lines_of_a_log():
    assert state_line("STATE:0:f:x", (50.0, -50.0), ("a", "b")) == "STATE:0:f:x:50|-50:a|b"
    assert score_line((0.5, -0.5), ("a", "b")) == "SCORE:0.5|-0.5:a|b"


# What is fixed before a match


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hands": 0}, "number of hands"),
        ({"seed": -1}, "a seed is"),
        ({"seed": 2**32}, "a seed is"),
        ({"names": ("a",)}, "2 players"),
        ({"names": ("a", "b:c")}, "no colon"),
        ({"names": ("a", "")}, "not empty"),
    ],
)
def test_a_match_that_cannot_be(change, message):
    with pytest.raises(ValueError, match=message):
        Match(**{"game": read_game(NO_LIMIT), "hands": 1, "seed": 0, "names": ("a", "b")} | change)


def test_clocks():
    clock = Clock(Limits(response=1000, hand=1500, per_hand=1000), seats=2, hands=2)
    assert not clock.out_of_time(0, 1.0)
    assert clock.out_of_time(0, 1.001)
    clock.charge(0, 0.75)
    assert clock.longest_wait(0) == 1.0
    clock.charge(0, 0.75)
    assert clock.out_of_time(0, 0.01)
    assert not clock.out_of_time(1, 1.0)
    clock.new_hand()
    assert clock.out_of_time(0, 0.6)
    assert not clock.out_of_time(0, 0.5)
    with pytest.raises(ValueError, match="time limit"):
        Limits(response=-1)


# Rules of game files


def test_game_files_may_say_more_and_less_than_needed():
    text = (Path(read_game.__code__.co_filename).parent / "definitions" / NO_LIMIT).read_text()
    game = read_game(NO_LIMIT)
    loose = (
        text.replace("= 20000 20000", "20000 20000 7 7 # chips").replace("2 1 1 1", "2").replace("nolimit", "NoLimit!")
    )
    assert loose != text
    assert parse_game(loose, game.name) == game
    assert parse_game(text.replace("END", "limit of patience\nnolimit\nEND", 1), game.name) == game
    capped = parse_game(text.replace("END GAMEDEF", "maxRaises = 3\nEND GAMEDEF"))
    assert capped.max_raises == (3, 255, 255, 255)
    with pytest.raises(ValueError, match="blind needs 2 numbers"):
        parse_game(text.replace("100 50", "100"))

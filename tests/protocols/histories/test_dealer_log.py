"""Logs of ACPC dealers: those of the competition's own dealer, logs without a first line, damaged ones."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.games import holdem
from ludus.games.acpc import read_game, shipped_games
from ludus.games.record import betting_text, cards_text
from ludus.protocols.acpc.log import joined, state_line
from ludus.protocols.histories import read_all, read_phh, write_phh
from paths import TESTS
from played_hands import random_hand, record

DATA = TESTS / "data" / "acpc"
LOG = (DATA / "nolimit2p_seed0.dealer.log").read_text()
FIRST = "STATE:0:cr1734r12996c/cr14512c/r16120r18361c/cc:5d5c|9hQd/8dAs8s/4h/6d:18361|-18361:Alice|Bob\n"


@pytest.mark.parametrize("name", ["dup_A.log", "dup_B.log", "nolimit2p_seed0.dealer.log"])
def test_logs_of_the_competitions_dealer_are_read(name):
    text = (DATA / name).read_text()
    lines = [line.split(":") for line in text.splitlines() if line.startswith("STATE:")]
    for log in (text, "".join(line for line in text.splitlines(True) if not line.startswith("#"))):
        hands, problems = read_all(log)
        assert not problems
        assert [hand.number for hand in hands] == [int(line[1]) for line in lines]
        assert [betting_text(hand.state) for hand in hands] == [line[2] for line in lines]
        assert [joined(hand.returns()) for hand in hands] == [line[4] for line in lines]
        assert ["|".join(hand.players) for hand in hands] == [line[5] for line in lines]
    assert record(read_phh(write_phh(hands[0]))[0].state) == record(hands[0].state)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(shipped_games())), st.booleans())
def test_random_hands_of_every_game_come_back(seed, name, headed):
    state = random_hand(random.Random(seed), read_game(name))
    line = state_line(
        f"STATE:7:{betting_text(state)}:{cards_text(state)}", state.returns(), "abc"[: state.game.players]
    )
    hands, problems = read_all(f"# name/game/hands/seed m some/where/{name} 1 0\n{line}\n" if headed else f"{line}\n")
    assert not problems
    assert hands[0].returns() == pytest.approx(state.returns())
    if headed:
        assert record(hands[0].state) == record(state)


def test_six_seats_without_a_first_line():
    state = random_hand(random.Random(4), holdem(6, 10_000, (50, 100), dialect="acpc"))
    line = state_line(f"STATE:7:{betting_text(state)}:{cards_text(state)}", state.returns(), "abcdef")
    hands, problems = read_all(line + "\n")
    assert not problems
    assert record(hands[0].state) == record(state)


BAD = {
    "another winner": (":18361|-18361:", ":-18361|18361:", "the seats win 18361|-18361"),
    "a card twice": ("5d5c|", "5d5d|", "repeats 5d"),
    "no card": ("5d5c|", "5d5x|", "not a card"),
    "cut off": ("18361c/cc", "18361c/c", "stops before it is over"),
    "no betting": (":cr1734", ":xr1734", "not the betting"),
    "no results": (":18361|-18361:", ":1e9|nan:", "not what the seats won"),
    "a result too many": (":18361|-18361:", ":18361|-18361|0:", "2 players are named, and 3 results"),
    "a seat too many": (":18361|-18361:Alice|Bob", ":18361|-18361|0:Alice|Bob|Eve", "has 2 players, here are 3"),
    "no line": (":Alice|Bob", "", "not a line of a dealer"),
    "long": ("Alice", "A" * 5000, "at most 4096 characters"),
    "long name": ("Alice", "A" * 500, "at most 200 characters"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_hands_are_told_and_the_others_read(case):
    old, new, why = BAD[case]
    assert FIRST in LOG
    assert old in FIRST
    hands, problems = read_all(LOG.replace(FIRST, FIRST.replace(old, new, 1)))
    assert [hand.number for hand in hands] == list(range(1, 10))
    assert [problem.where for problem in problems] == ["hand 0"]
    assert why in problems[0].why


def test_only_games_that_come_with_the_package_are_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.game").write_text("GAMEDEF\nEND GAMEDEF\n")
    hands, problems = read_all(LOG.replace("holdem.nolimit.2p.reverse_blinds.game", "own.game"))
    assert not hands
    assert "the game own.game is not known" in problems[0].why
    hands, problems = read_all(FIRST.replace("18361", "1"))
    assert "no known game of 2 players has this hand" in problems[0].why


@settings(max_examples=100)
@given(st.data())
def test_damaged_logs_end_in_hands_or_problems(data):
    text = LOG
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        gone = data.draw(st.sampled_from([0, 0, 1, 2, 10, 100]))
        put = data.draw(
            st.one_of(st.text(max_size=3), st.sampled_from(["-", "r99999999999", ":", "|", "/", "²", "\n"]))
        )
        text = text[:at] + put + text[at + gone :]
    for hand in read_all(text)[0]:
        assert hand.returns() is not None

"""Programs from outside as players of a match: good ones, and all the ways to fail."""

import sys
from pathlib import Path

import pytest

import ludus.games
from ludus.arena.match import play_match
from ludus.arena.plan import MatchPlan
from ludus.games import holdem
from ludus.games.acpc import format_game, parse_game, read_game
from ludus.protocols.programs import MOST_FAILURES, Program
from paths import TESTS

BOT = TESTS / "helpers" / "acpc_bot.py"
LEDUC = read_game("leduc.nolimit.2p.game")
DEFINITIONS = sorted(path.name for path in (Path(ludus.games.__file__).parent / "definitions").iterdir())


def bot(mode: str) -> str:
    return f"exec:{sys.executable} {BOT} {mode}"


def match(first: str, second: str, hands: int, **settings):
    return play_match(MatchPlan(LEDUC, (first, second), hands, seed=1, **settings)).log


def test_a_program_plays_as_an_agent_would():
    told = match(bot("call"), "call", 20, duplicate=True)
    own = match("call", "call", 20, duplicate=True)
    assert [(hand.betting, hand.cards, hand.values) for hand in told.hands] == [
        (hand.betting, hand.cards, hand.values) for hand in own.hands
    ]
    assert not any(hand.forfeits for hand in told.hands)


def test_comments_and_lines_that_answer_nothing_are_passed_over():
    assert not any(hand.forfeits for hand in match(bot("chatty"), "call", 6).hands)


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("crash", "has ended: RuntimeError: the bot has had enough"),
        ("illegal", "answered ':r1', which is not legal"),
        ("garbage", "answered ':%%%', which is not legal"),
        ("nonsense", "answered 'hello?', which is not of the protocol"),
    ],
)
def test_a_failure_costs_the_hand_and_the_match_goes_on(mode, reason):
    hands = match(bot(mode), "call", 12).hands
    assert len(hands) == 12
    failed = [hand for hand in hands if hand.forfeits]
    assert 0 < len(failed) < 12  # every third answer fails, and a crashed program is started again
    for hand in failed:
        ((name, why),) = hand.forfeits
        assert name == hand.names[hand.values.index(-100)]
        assert reason in why
        assert ("ludus acpc dealer" in why) == (mode != "crash")  # which plays on with such a bot


def test_who_thinks_too_long_loses_the_hand_and_is_started_again():
    hands = match(bot("hang"), "call", 9, move_seconds=0.5).hands
    failed = [hand.number for hand in hands if hand.forfeits]
    assert len(hands) == 9
    assert failed[0] == 1
    assert len(failed) <= 5  # the third answer of a program that has just been started is late


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (f"exec:{sys.executable} -c 1", "has not connected"),
        (bot("rude"), "does not speak the protocol"),
    ],
)
def test_a_program_that_never_plays_loses_every_hand(command, reason):
    hands = match(command, "call", MOST_FAILURES + 3).hands
    assert all(reason in hand.forfeits[0][1] for hand in hands)


def test_programs_play_the_games_of_the_acpc():
    with pytest.raises(ValueError, match="programs play the games of the ACPC"):
        Program("true", holdem())
    with pytest.raises(ValueError, match="there is no program '/no/such/bot'"):
        Program("/no/such/bot", LEDUC)
    with pytest.raises(ValueError, match="needs a command"):
        Program(" ", LEDUC)
    with pytest.raises(ValueError, match="is not a command"):
        Program("'", LEDUC)


def test_a_program_is_ended_with_its_match():
    program = Program(f"{sys.executable} {BOT} call", LEDUC)
    play_match(MatchPlan(LEDUC, ("bot", "call"), 2), agents=[program, *make_call()])
    process = program._process
    assert process is not None
    assert process.poll() is None
    program.close()
    assert process.poll() is not None


def make_call():
    from ludus.agents import make

    return [make("call")]


@pytest.mark.slow
def test_our_agents_over_the_protocol_play_the_same_game():
    spoken = match("call", "always-raise", 6, acpc=True)
    assert [hand.betting for hand in spoken.hands] == [hand.betting for hand in match("call", "always-raise", 6).hands]


@pytest.mark.parametrize("name", DEFINITIONS)
def test_a_game_can_be_written_as_a_file(name):
    game = read_game(name)
    assert parse_game(format_game(game), game.name) == game


def test_other_games_have_no_file():
    with pytest.raises(ValueError, match="is not a game of the ACPC"):
        format_game(holdem())

"""Slumbot's action strings and answers: read, written, and found out when they cannot be right."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.cards.card import parse_cards
from ludus.games import CALL, CHANCE, FOLD, TERMINAL
from ludus.protocols.slumbot.actions import action_text, move_text, replay, slumbot_game
from ludus.protocols.slumbot.answers import follow, read_answer, read_token, state_of
from slumbot_samples import FIELDS, JSON, PUBLISHED, same
from slumbot_server import Betting, IllegalError

# Action strings


def played(choices, deck=range(52)):
    """The state after some choices: each is a share of what is legal."""
    state = slumbot_game().start().deal(deck)
    for kind, share in choices:
        while state.player == CHANCE:
            state = state.deal(deck)
        if state.player == TERMINAL:
            break
        moves = state.legal_actions()
        if kind == "raise" and moves.raises:
            state = state.apply(moves.raises[int(share * (len(moves.raises) - 1))])
        elif kind == "fold" and moves.fold:
            state = state.apply(FOLD)
        else:
            state = state.apply(CALL)
    while state.player == CHANCE:
        state = state.deal(deck)
    return state


KINDS = st.sampled_from(["raise", "raise", "call", "call", "call", "fold"])
SHARES = st.one_of(st.sampled_from([0.0, 0.0, 0.001, 0.01, 1.0]), st.floats(0, 1))
CHOICES = st.lists(st.tuples(KINDS, SHARES), max_size=40)


@given(CHOICES, st.permutations(range(52)))
def test_a_state_is_the_same_after_writing_and_reading(choices, deck):
    state = played(choices, deck)
    text = action_text(state)
    assert same(replay(text, state.cards), state)
    assert same(replay(text.rstrip("/"), state.cards), state)
    assert action_text(state.seen_by(1)) == text


@given(CHOICES)
def test_the_strings_are_those_of_the_other_implementation(choices):
    state, betting = played(choices), Betting()
    at = slumbot_game().start().deal(range(52))
    for street in state.line:
        for action in street:
            while at.player == CHANCE:
                at = at.deal(range(52))
            assert at.player == betting.actor
            betting.act(move_text(at, action))
            at = at.apply(action)
    assert action_text(state) == betting.text
    assert (state.player == TERMINAL) == betting.over
    assert list(state.spent()) == betting.spent()
    assert betting.over or state.player == betting.actor
    assert betting.over or state.raise_bounds() == betting.bounds()


@given(CHOICES, st.one_of(st.sampled_from(["k", "c", "f"]), st.integers(1, 99999).map("b{}".format)))
def test_an_action_is_legal_for_both_or_for_neither(choices, move):
    state = played(choices)
    betting = Betting()
    for street in state.line:
        for action in street:
            call = "c" if betting.to_call() else "k"
            betting.act({CALL: call, FOLD: "f"}.get(action, f"b{action}"))
    try:
        betting.act(move)
        legal = True
    except IllegalError:
        legal = False
    try:
        after = replay(action_text(state) + move, range(9))
    except ValueError:
        assert not legal
    else:
        assert legal
        assert action_text(after) == betting.text


@pytest.mark.parametrize(
    ("text", "board", "player", "spent"),
    [
        ("", 0, 1, (100, 50)),
        ("b200", 0, 0, (100, 200)),
        ("ck/", 3, 0, (100, 100)),
        ("ck", 3, 0, (100, 100)),
        ("b200c/kb400", 3, 0, (200, 600)),
        ("b200b1250c/kb750", 3, 0, (1250, 2000)),
        ("b20000c///", 5, TERMINAL, (20000, 20000)),
        ("b20000c", 5, TERMINAL, (20000, 20000)),
        ("b200c/b19800c//", 5, TERMINAL, (20000, 20000)),
        ("b200c/b19800", 3, 1, (20000, 200)),
        ("b1250c/b18650b18750c//", 5, TERMINAL, (20000, 20000)),  # all-in with less than a full raise
        ("cb300c/kb600f", 3, TERMINAL, (300, 900)),
        ("f", 0, TERMINAL, (100, 50)),
    ],
)
def test_known_strings(text, board, player, spent):
    state = replay(text, range(4 + board))
    assert state.player == player
    assert state.spent() == spent


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("k", "50 are to call"),
        ("cc", "nothing to call"),
        ("cf", "nothing to fold to"),
        ("b150", "between 200 and 20000"),
        ("b200b250", "between 300"),
        ("b20001", "between 200 and 20000"),
        ("b200c/b19900", "between 100 and 19800"),
        ("b20000b20000", "not legal"),
        ("b200ck", "do not end where its / are"),
        ("b200/c", "do not end where its / are"),
        ("/b200", "do not end where its / are"),
        ("b200c//", "do not end where its / are"),
        ("ck/kk/kk/kk/", "do not end where its / are"),
        ("b200fk", "over already"),
        ("b", "not an action string"),
        ("b0200", "not an action string"),
        ("b200 ", "not an action string"),
        ("b٣00", "not an action string"),
        ("x\x1b[2J", "not an action string"),
        ("k" * 100_000, "not an action string"),
        ("b" + "9" * 10_000, "not an action string"),
    ],
)
def test_illegal_strings_are_explained(text, why):
    with pytest.raises(ValueError, match=why) as error:
        replay(text, range(9))
    assert "\x1b" not in str(error.value)
    assert len(str(error.value)) < 1500


@given(st.text("kcfb0123456789/", max_size=30))
def test_any_text_is_read_or_refused(text):
    try:
        state = replay(text, range(9))
    except ValueError:
        return
    assert action_text(state).rstrip("/") == text.rstrip("/")


# Answers: the published samples, and what is wrong with others


@pytest.mark.parametrize("sample", PUBLISHED, ids=lambda sample: sample["action"])
def test_published_answers_are_right(sample):
    state = state_of(read_answer(sample))
    assert (state.player == TERMINAL) == ("winnings" in sample)
    assert state.hole(0) == parse_cards("".join(sample["hole_cards"]))
    assert read_token(sample) == sample.get("token")


FOLDED, SHOWN = PUBLISHED[2], {
    "action": "ck/kk/kk/kk", "client_pos": 1, "hole_cards": ["Ah", "5h"], "board": ["Kc", "7d", "2s", "9h", "3c"],
    "bot_hole_cards": ["6c", "6d"], "winnings": -100,
}  # fmt: skip


@pytest.mark.parametrize(
    ("sample", "changes", "why"),
    [
        (FOLDED, {"winnings": -400}, "winnings are -400 where the rules give -200"),
        (FOLDED, {"winnings": None}, "the hand is over after 'b200c/kb200f', but the answer has no winnings"),
        (FOLDED, {"winnings": -200.0}, "winnings is -200.0, not a whole number"),
        (FOLDED, {"winnings": float("nan")}, "winnings is nan, not a whole number"),
        (FOLDED, {"winnings": 10**400}, "winnings is 1000"),
        (FOLDED, {"winnings": True}, "winnings is True"),
        (FOLDED, {"baseline_winnings": 50_000}, "baseline_winnings is 50000"),
        (FOLDED, {"client_pos": 2}, "client_pos is 2"),
        (FOLDED, {"client_pos": None}, "client_pos is missing"),
        (FOLDED, {"client_pos": "0"}, "client_pos is '0'"),
        (FOLDED, {"action": None}, "action is None"),
        (FOLDED, {"action": "b200c/kb200"}, "winnings are -200, but the hand is not over"),
        (FOLDED, {"action": ["b200"]}, "action is"),
        (FOLDED, {"hole_cards": ["Kd"]}, "hole_cards is"),
        (FOLDED, {"hole_cards": ["Kd", "1h"]}, "hole_cards is"),
        (FOLDED, {"hole_cards": ["Kd", {}]}, "hole_cards is"),
        (FOLDED, {"hole_cards": "Kd2h"}, "hole_cards is 'Kd2h', not a list of 2 cards"),
        (FOLDED, {"hole_cards": ["Kd", "Kd"]}, "Kd has been dealt already"),
        (FOLDED, {"hole_cards": ["Kd", "Th"]}, "Th has been dealt already"),
        (FOLDED, {"bot_hole_cards": ["Kd", "7h"]}, "Kd has been dealt already"),
        (FOLDED, {"board": []}, "the board has 0 cards where 3 are due"),
        (FOLDED, {"board": ["Th", "9s", "4s", "4c"]}, "3 cards are due"),
        (FOLDED, {"board": ["Th", "9s"]}, "board is"),
        (SHOWN, {"winnings": 100}, "winnings are 100 where the rules give -100"),
        (SHOWN, {"bot_hole_cards": None}, "showdown without bot_hole_cards"),
        (SHOWN, {"action": "ck/kk/kk/k"}, "not over"),
        (PUBLISHED[0], {"action": ""}, "it is the bot's turn after ''"),
    ],
)
def test_wrong_answers_are_explained(sample, changes, why):
    state_of(read_answer(sample))
    with pytest.raises(ValueError, match=why):
        state_of(read_answer(sample | changes))
    for field in changes:
        if field not in ("winnings", "baseline_winnings", "bot_hole_cards"):
            with pytest.raises(ValueError, match=r"missing|not an action|not a list"):
                read_answer({name: value for name, value in sample.items() if name != field})


def test_bot_cards_may_be_missing_after_a_fold():
    answer = read_answer(FOLDED | {"bot_hole_cards": None, "baseline_winnings": None})
    assert state_of(answer).returns() == (-200, 200)
    assert answer.baseline is None


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"client_pos": 1, "action": "b200b600b1200"}, "within one hand"),
        ({"hole_cards": ["Kd", "Ah"]}, "within one hand"),
        ({"action": "b200b6000c/", "board": ["Kc", "7d", "2s"]}, "does not begin with what was played"),
        ({"action": "b200"}, "does not begin with what was played"),
        ({"action": "b200b500c/", "board": ["Kc", "7d", "2s"]}, "does not begin with what was played"),
    ],
)
def test_an_answer_must_follow_from_the_one_before(changes, why):
    first = PUBLISHED[0] | {"hole_cards": ["Ah", "Kd"]}
    before = read_answer(first)
    expected = state_of(before).apply(600)
    assert follow(read_answer(first | {"action": "b200b600b2000"}), before, expected).player == 0
    with pytest.raises(ValueError, match=why):
        follow(read_answer(first | changes), before, expected)


def test_the_board_only_grows():
    first = PUBLISHED[1]
    before = read_answer(first)
    after = first | {"action": "b200b1250c/kb750c/", "board": ["8h", "4c", "2s", "3d"]}
    with pytest.raises(ValueError, match="the board was 8h4d2s and is 8h4c2s3d"):
        follow(read_answer(after), before, state_of(before).apply(CALL))


@given(st.sampled_from([*PUBLISHED, SHOWN, {}]), st.dictionaries(FIELDS, JSON, max_size=4))
@settings(max_examples=400)
def test_fuzzed_answers_are_read_or_refused(sample, changes):
    data = json.loads(json.dumps(sample | changes))
    message = ""
    try:
        read_token(data)
        state_of(read_answer(data))
    except ValueError as error:
        message = str(error)
    assert message.isprintable()

"""Situations told as text and JSON: what they mean, what is wrong with bad ones, and that nothing else comes of it."""

import json

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ludus.cards.card import format_cards
from ludus.games import CALL, CHANCE, FOLD, TERMINAL, holdem
from ludus.games.names import place_names
from ludus.games.poker import HIDDEN
from ludus.games.record import retrace
from ludus.teach.situation import KEYS, parse_situation, situation_from_dict
from ludus.teach.situation_facts import dealing_order, seat_of
from ludus.trees.translation import poker_moves

LONG = "6 players, 100bb; hero CO AhKh; folds to CO, r2.5bb, BTN c, SB f, BB c; flop Td9d6h: x, b4bb, BTN r12bb, BB f"


def test_a_hand_is_told_up_to_a_decision():
    state = parse_situation(LONG)
    assert state.game == holdem(6, 10_000, (50, 100))
    assert (state.player, state.pot, state.to_call()) == (4, 800 + 400 + 1200, 800)
    assert format_cards(state.board) == "Td9d6h"
    assert format_cards(state.hole(4)) == "AhKh"
    assert state.line == ((FOLD, FOLD, 250, CALL, FOLD, CALL), (CALL, 400, 1200, FOLD))
    assert all(set(state.hole(seat)) == {HIDDEN} for seat in (0, 1, 2, 3, 5))


@pytest.mark.parametrize(
    "other",
    [
        "6-max; hero AhKh; UTG folds, HJ folds, CO raises to 250, BTN calls 250, SB fold, BB call 150; "
        "Td 9d 6h; BB checks, CO bets 400, BTN raises to 12bb, BB folds",
        "folds to CO | CO r250 BTN c f c | flop Td9d6h | x b4bb r1200 f | hero CO AhKh",
        "6 players. CO AhKh. f f r2.5bb c f c / board 10d9d6h / BB x CO r400 BTN r1200 BB f, CO?",
        "AhKh; f f r250 c f c; Td9d6h x b4bb r12bb f",
        json.dumps({"cards": "AhKh", "board": "Td9d6h", "actions": "f f r250 c f c x b4bb r12bb f"}),
        json.dumps({"players": 6, "stack": "100bb", "blinds": [50, 100], "hero": "co", "cards": "Ah Kh", "ante": None,
                    "board": "Td9d6h", "actions": ["folds to CO", "CO r250", *"cfcx", "b400", "r1200", "f"]}),
    ],
)  # fmt: skip
def test_the_same_hand_can_be_told_in_other_ways(other):
    one, two = parse_situation(LONG), parse_situation(other)
    assert (one.game, one.line, one.cards) == (two.game, two.line, two.cards)


def test_stacks_blinds_antes_and_positions():
    state = parse_situation(
        "4 players, 40bb, BTN 250, sb 12.5bb; blinds 5/10; bb ante 1bb; straddle 2bb; hero BTN 2c2d"
    )
    assert state.game == holdem(4, (125, 400, 400, 250), (5, 10), (0, 10, 0, 0), straddle=20)
    assert parse_situation("hu; ante 10; hero BTN 2c2d").game.antes == (10, 10)
    listed = situation_from_dict({"stacks": [1000, "30bb", 2000], "cards": "2c2d"})
    assert listed.game.stacks == (1000, 3000, 2000)
    named = situation_from_dict({"players": 3, "stacks": {"BB": "30bb"}, "cards": "2c2d"})
    assert named.game.stacks == (10_000, 3000, 10_000)


def test_bets_by_the_pot_and_all_in():
    line = parse_situation("heads-up, 40bb; hero 2c2d; r pot, c; Td9d6h b75% a").line
    assert line == ((300, CALL), (450, 3700))
    assert parse_situation("3 players, SB 3bb; hero BB 2c2d; BTN r4bb, SB all-in").line == ((400, CALL),)


@pytest.mark.parametrize("players", range(2, 11))
def test_every_seat_has_its_names(players):
    game = holdem(players)
    assert [seat_of(place, game) for place in ("BTN", "button", "bu")] == [players - 1] * 3
    if players > 5:
        assert [seat_of(place, game) for place in ("SB", "BB", "UTG", "HJ", "CO")] == [
            0,
            1,
            2,
            players - 3,
            players - 2,
        ]
    with pytest.raises(ValueError, match="no position at a table"):
        seat_of("UTG+9", game)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "tell the situation"),
        ("6 players; hero CO AhAh; folds to CO", "repeats Ah"),
        ("6 players; hero CO AhKx; folds to CO", "is not understood"),
        ("6 players; folds to CO", "say which two cards you hold"),
        ("6 players; hero CO AhKh; CO f", "it is the turn of UTG, not of CO"),
        ("6 players; hero CO AhKh; UTG f", "it is the turn of HJ, not of CO: tell the actions up to"),
        ("6 players; hero CO AhKh; UTG r200bb", "UTG: a raise to 20000 chips is more than the 10000"),
        ("6 players; hero CO AhKh; UTG r1.5bb", "UTG: a raise here is to between 200 and 10000 chips, not to 150"),
        ("6 players; hero CO AhKh; UTG r0", "UTG: .* is not an action"),
        ("6 players; hero CO AhKh; UTG x", "UTG: 100 chips are to call, so checking is not possible"),
        ("6 players; hero CO AhKh; UTG c3bb", "UTG: a call here costs 100 chips, not 3bb"),
        ("6 players; hero CO AhKh; UTG r2.55", "write 2.55bb for big blinds"),
        ("blinds 1/2; hero CO AhKh; UTG r2.25bb", "choose larger blinds"),
        ("6 players; hero CO AhKh; UTG raise", "needs an amount"),
        ("6 players; hero CO AhKh; UTG 250", "it is the turn of UTG, not of CO"),
        ("6 players; hero CO AhKh; UTG f, HJ 250", "comes after the first action"),
        ("6 players; hero CO AhKh; UTG BB f", "say what UTG does"),
        ("6 players; hero MP AhKh", "is not understood"),
        ("3 players; hero CO AhKh", "no position at a table of 3: there are SB, BB, BTN"),
        ("12 players; hero CO AhKh", "2 to 10 players, got 12"),
        ("blinds 0/0; hero CO AhKh", "big blind is 1 to"),
        ("blinds 2/1; hero UTG AhKh", "blinds are a small one and a big one"),
        ("blinds 1bb/2bb; hero UTG AhKh", "blinds are in chips"),
        ("ante 10, bb ante 100; hero UTG AhKh", "not both"),
        ("0bb; hero UTG AhKh", "stacks must be"),
        ("6-max; hero CO AhKh; folds to CO; board Td9d6h", "board has 3 cards, but CO is still to act on the pre-flop"),
        ("6-max; hero SB AhKh; folds to SB, c, x; Td9d", "0, 3, 4 or 5 cards, got 2"),
        ("6-max; hero SB AhKh; folds to SB, c, x", "the pre-flop betting is over: tell the cards of the flop"),
        ("6-max; hero SB AhKh; folds to SB, c, x, SB x", "the pre-flop betting is over: tell the cards of the flop"),
        ("6-max; hero SB AhKh; folds to SB, c, x; TdAh6h", "Ah is both in the hand and in the board"),
        ("6-max; hero SB AhKh; folds to SB, c, x; TdTd6h", "repeats Td"),
        ("6-max; hero SB AhKh; folds to SB, c, x; Td9d6h 2c", "before the flop betting is over: SB is still to act"),
        ("6-max; hero SB AhKh; folds to SB, c; flop Td9d6h", "before the pre-flop betting is over: BB is still to act"),
        ("6-max; hero SB AhKh; folds to SB, c, x; turn Td9d6h", "turn makes a board of 4 cards, but 3"),
        ("6-max; hero SB AhKh; board 2c3c4c; folds to SB, c, x; flop Td9d6h", "tell the board once"),
        ("6-max; hero SB AhKh; folds to SB, f", "nothing left to decide"),
        ("6-max; hero SB AhKh; folds to SB, f, x", "the hand is over before the last"),
        ("6-max; hero SB AhKh; folds to SB, a, c", "everybody is all-in"),
        ("6-max; hero BB AhKh; UTG f; folds to UTG", "does not come to UTG"),
        ("x" * 10_001, "at most 10000 characters"),
        ("{", "no JSON"),
        ('{"cards": "AhKh", "pot": 3}', "'pot' is no part of a situation"),
        ('{"cards": ["Ah", "Kh"]}', "cards is a text"),
        ('{"cards": "AhKh", "players": 2.5}', "players is a text or a whole number"),
        ('{"cards": "AhKh", "players": "six"}', "players are a number"),
        ('{"cards": "AhKh", "blinds": 100}', "blinds are a small and a big one"),
        ('{"cards": "AhKh", "stacks": [100, 200], "players": 3}', "expected 3 stacks"),
        ('{"cards": "AhKh", "stacks": 5}', "stacks are a list by seat"),
        ('{"cards": "AhKh", "actions": "3 players"}', "actions are what was done"),
        ('{"cards": "AhKh", "actions": [["UTG", "f"]]}', "an action is a text"),
        ('{"cards": "AhKh", "stack": "much"}', "is no amount"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_sentence(text, says):
    with pytest.raises(ValueError, match=says) as caught:
        parse_situation(text)
    assert "\n" not in f"{caught.value}"


@st.composite
def decisions(draw):
    """Any decision of any table that the form can tell, as its player sees it."""
    players = draw(st.integers(2, 10))
    stacks = draw(st.lists(st.integers(1, 3000), min_size=players, max_size=players))
    small, big = sorted(draw(st.tuples(st.integers(0, 60), st.integers(1, 60))))
    ante = draw(st.sampled_from([0, 0, 3]))
    antes = draw(st.sampled_from([ante, [0, 7, *[0] * (players - 2)] if players > 2 else [7, 0]]))
    straddle = draw(st.sampled_from([0, 2 * big])) if players > 2 else 0
    game = holdem(players, stacks, (small, big), antes, straddle)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    deck, state, found = rng.permutation(52).tolist(), game.start(), []
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.deal(deck)
            continue
        found.append(state.seen_by(state.player))
        moves = poker_moves(state)
        raises = [moves.raises[rng.integers(len(moves.raises))]] if moves.raises and rng.random() < 0.4 else []
        state = state.apply(rng.choice([CALL, CALL, *([FOLD] if moves.fold and rng.random() < 0.5 else []), *raises]))
    return found[draw(st.integers(0, len(found) - 1))] if found else None


def situation_to_dict(state):
    """A decision as `situation_from_dict` reads it, amounts in chips."""
    game, places = state.game, place_names(state.game)
    blinds = game.blinds[::-1] if game.players == 2 else game.blinds[:2]
    straddle = game.blinds[2] if game.players > 2 else 0
    antes = game.antes or (0,)
    ante, bb_ante = (0, max(antes)) if len(set(antes)) > 1 else (antes[0], 0)
    actions = []
    for at, action in retrace(state, dealing_order(game, state.board)):
        checked = "c" if at.to_call() else "x"
        actions.append(f"{places[at.player]} {'f' if action == FOLD else checked if action == CALL else f'r{action}'}")
    return {
        "players": game.players, "stacks": list(game.stacks), "blinds": list(blinds), "ante": ante, "bb_ante": bb_ante,
        "straddle": straddle, "hero": places[state.player], "cards": format_cards(state.hole(state.player)),
        "board": format_cards(state.board), "actions": actions,
    }  # fmt: skip


def situation_text(state):
    """A decision as `parse_situation` reads it, amounts in chips."""
    told, places = situation_to_dict(state), place_names(state.game)
    posts = [f"{key.replace('_', ' ')} {told[key]}" for key in ("ante", "bb_ante", "straddle") if told[key]]
    stacks = [f"{place} {stack}" for place, stack in zip(places, told["stacks"], strict=True)]
    small, big = told["blinds"]
    parts = [
        ", ".join([f"{told['players']} players", f"blinds {small}/{big}", *posts, *stacks]),
        f"hero {told['hero']} {told['cards']}",
        f"board {told['board']}" if told["board"] else "",
        ", ".join(told["actions"]),
    ]
    return "; ".join(part for part in parts if part)


@given(decisions())
def test_what_is_written_is_read_again(state):
    assume(state is not None)
    texts = situation_text(state), json.dumps(situation_to_dict(state))
    for again in map(parse_situation, texts):
        assert (again.game, again.line, again.cards) == (state.game, state.line, state.cards)
        assert (again.stacks, again.bets, again.pot) == (state.stacks, state.bets, state.pot)


SETTING = (
    "6 players,heads-up,100bb,CO 3bb,blinds 1/2,ante 1,bb ante 2bb,hero,hero CO AhKh,hero 2c2d,UTG,BTN,SB,BB,utg+3"
)
DOING = (
    "f,x,c,c3,a,r3bb,r,b75%,b pot,folds to BB,folds to,flop,turn,river,board,Td9d6h,2c,/,;,.,-,all in,0,99999999999,é,{"
)
WORDS = st.sampled_from([*SETTING.split(","), *DOING.split(","), ","])


@given(st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=25).map(" ".join), st.lists(WORDS).map("".join)))
def test_a_text_is_read_or_refused(text):
    try:
        state = parse_situation(text)
    except ValueError:
        return
    assert state.player >= 0
    assert HIDDEN not in state.hole(state.player)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3) | WORDS, inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from([*KEYS, "other"])


@given(st.dictionaries(NAMES, VALUES, max_size=6), st.booleans())
def test_an_object_is_read_or_refused(values, whole):
    if whole:
        values = {"players": 3, "cards": "AhKh", **values}
    try:
        state = situation_from_dict(values)
    except ValueError:
        return
    assert state.player >= 0

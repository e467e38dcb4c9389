"""The acpc dialect against states recorded from the competition's own dealer library."""

import contextlib
import csv
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.cards.card import parse_cards
from ludus.games.acpc import parse_game, read_game
from ludus.games.base import CHANCE, TERMINAL
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerGame, PokerState
from paths import TESTS

DATA = TESTS / "data"
ROWS = list(csv.DictReader((DATA / "acpc_states.csv").open()))


def game_of(name: str) -> PokerGame:
    return read_game(DATA / name if (DATA / name).exists() else name)


def base(state: PokerState) -> int:
    """What everybody who is still in had put in before this street."""
    return max(state.spent()) - max(state.bets)


def replay(game: PokerGame, betting: str, holes: str, boards: str) -> PokerState:
    """Play a match state's betting with its cards, and any others where they are hidden."""
    shown = [parse_cards(text) for text in holes.split("|")]
    board = list(parse_cards(boards.replace("/", "")))
    spare = [card for card in game.deck if card not in board and not any(card in hand for hand in shown)]
    deck = [card for hand in shown for card in (hand or [spare.pop() for _ in range(game.hole_cards)])] + board
    state = game.start()
    for action in re.findall(r"f|c|r\d*", betting):
        while state.player == CHANCE:
            state = state.apply(deck[len(state.cards)])
        if action == "f":
            state = state.apply(FOLD)
        elif action == "c":
            state = state.apply(CALL)
        else:
            bounds = state.raise_bounds()
            assert bounds is not None
            state = state.apply(int(action[1:]) - base(state) if action[1:] else bounds[0])
    while state.player == CHANCE and len(state.cards) < len(deck):
        state = state.apply(deck[len(state.cards)])
    return state


def test_there_are_as_many_states_as_recorded():
    assert len(ROWS) == 444
    assert len({row["game"] for row in ROWS}) == 9


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['game']}-{row['matchstate'][11:]}")
def test_state_is_as_the_dealer_library_has_it(row):
    game = game_of(row["game"])
    _, _, _, betting, cards = row["matchstate"].split(":")
    holes, _, boards = cards.partition("/")
    state = replay(game, betting, holes, boards)
    assert state.street == int(row["round"])
    assert (state.player == TERMINAL) == (row["finished"] == "1")
    assert "|".join(map(str, state.spent())) == row["spent"]
    if row["finished"] == "1":
        assert sum(state.returns()) == pytest.approx(0)
        return
    assert state.player == int(row["actor"])
    assert (FOLD in state.legal_actions()) == (row["fold_legal"] == "1")
    bounds = state.raise_bounds()
    if row["min_raise_to"] == "-":
        assert bounds is None
    elif game.betting == "limit":
        assert bounds is not None
        assert bounds[0] == bounds[1]
    else:
        assert bounds is not None
        assert (bounds[0] + base(state), bounds[1] + base(state)) == (
            int(row["min_raise_to"]),
            int(row["max_raise_to"]),
        )


def test_exact_split_of_a_three_way_pot():
    game = game_of("holdem.nolimit.3p.game")
    state = replay(game, "r200ff", "AsKs|2c7d|AhKh", "")
    assert state.returns() == (-50, -100, 150)
    state = replay(game, "ccc/ccc/ccc/ccc", "AsKs|AdKd|AhKh", "/2c3c4c/9h/9s")
    assert state.returns() == (0, 0, 0)
    state = replay(game, "r201cc/ccc/ccc/ccc", "AsKs|2d7d|AhKh", "/Ac3c4c/9h/9s")
    assert state.returns() == (100.5, -201, 100.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "starts with GAMEDEF"),
        ("GAMEDEF\nlimit", "END GAMEDEF"),
        ("GAMEDEF\nEND GAMEDEF", "no blind"),
        ("GAMEDEF\nblind = 1 x\nEND GAMEDEF", "whole numbers"),
    ],
)
def test_bad_definitions_say_what_is_wrong(text, message):
    with pytest.raises(ValueError, match=message):
        parse_game(text)


def test_a_missing_file_is_a_value_error(tmp_path):
    with pytest.raises(ValueError, match="cannot read"):
        read_game(tmp_path / "absent.game")


@given(st.text(alphabet="GAMEDEFND limtnoPayersRoudbackSfHC=0123456789\n#", max_size=300))
def test_any_text_is_a_game_or_a_value_error(text):
    for candidate in (text, f"GAMEDEF\n{text}\nEND GAMEDEF"):
        with contextlib.suppress(ValueError):
            assert isinstance(parse_game(candidate), PokerGame)

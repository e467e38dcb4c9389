"""The rules situation by situation, as a player would check them."""

from dataclasses import replace

import numpy as np
import pytest

from ludus.cards.card import parse_cards
from ludus.games import CALL, CHANCE, FOLD, TERMINAL, PokerGame, PokerState, holdem, kuhn, leduc_nl, make
from ludus.games.menu import Menu
from ludus.games.record import replay


def play(game: PokerGame, cards: str, actions: str) -> PokerState:
    """Deal the given cards and take actions such as 'c r6 f'; further cards come from the rest of the deck."""
    first = parse_cards(cards)
    deck = [*first, *(card for card in game.deck if card not in first)]
    state = game.start()
    for word in [*actions.split(), None]:
        while state.player == CHANCE:
            state = state.deal(deck)
        if word is not None:
            state = state.apply({"f": FOLD, "c": CALL}.get(word) if word in "fc" else int(word[1:]))
    return state


ANY = "2c7d" + "3h8s" + "4c9d" + "5h9s"  # holdings nobody cares about


# Order of acting


def test_heads_up_the_button_is_small_blind_and_first_before_the_flop_last_after():
    game = holdem()
    assert play(game, ANY, "").player == 1
    assert play(game, ANY, "").bets == (2, 1)
    assert play(game, ANY, "c").player == 0  # the big blind's option
    assert play(game, ANY, "c c").player == 0
    assert play(game, ANY, "c c c").player == 1


def test_the_seat_after_the_big_blind_opens_and_the_small_blind_opens_the_flop():
    game = holdem(players=4)
    order = []
    state = play(game, ANY, "")
    for _ in range(8):
        order.append(state.player)
        state = state.apply(CALL)
        while state.player == CHANCE:
            state = state.apply(state.legal_actions()[0])
    assert order == [2, 3, 0, 1, 0, 1, 2, 3]


def test_a_straddle_acts_last_and_has_an_option():
    game = holdem(players=4, straddle=4)
    state = play(game, ANY, "")
    assert (state.player, state.bets) == (3, (1, 2, 4, 0))
    state = play(game, ANY, "c c c")
    assert state.player == 2
    assert state.raise_bounds() == (6, 200)  # by the big blind, as a card room counts it


def test_folded_and_all_in_players_are_passed_over():
    game = holdem(players=3, stack=(200, 10, 200))
    state = play(game, ANY, "r20 c c")  # the big blind is all-in with 10
    assert state.stacks[1] == 0
    assert state.player == 0
    assert state.apply(CALL).player == 2


# Sizes


@pytest.mark.parametrize(
    ("actions", "bounds"),
    [
        ("", (4, 200)),
        ("r6", (10, 200)),
        ("r6 r20", (34, 200)),
        ("c", (4, 200)),
        ("c c", (2, 198)),
        ("c c r10", (20, 198)),
        ("c c r10 r25", (40, 198)),
        ("r150", (200, 200)),
        ("r200", None),
    ],
)
def test_no_limit_bounds(actions, bounds):
    assert play(holdem(), ANY, actions).raise_bounds() == bounds


def test_pot_limit_bounds():
    game = holdem(betting="pot-limit")
    assert play(game, ANY, "").raise_bounds() == (4, 6)
    assert play(game, ANY, "r6").raise_bounds() == (10, 18)
    assert play(game, ANY, "c c").raise_bounds() == (2, 4)


def test_limit_sizes_and_cap():
    game = holdem(betting="limit", blinds=(5, 10), stack=1000)
    state = play(game, ANY, "")
    sizes = []
    while (bounds := state.raise_bounds()) is not None:
        assert bounds[0] == bounds[1]
        sizes.append(bounds[0])
        state = state.apply(bounds[0])
    assert sizes == [20, 30, 40]  # the big blind is the first of four bets
    state = play(game, ANY, "c c c c")
    assert state.raise_bounds() == (20, 20)  # the turn


def test_a_short_all_in_does_not_reopen_the_betting_in_a_card_room():
    stacks = (1000, 1000, 150, 1000)
    casino = holdem(players=4, stack=stacks, blinds=(5, 10))
    state = play(casino, ANY, "c c r100 c r150")  # the limper is all-in, 50 over the 100
    assert state.player == 3
    assert state.raise_bounds() == (240, 1000)  # has not acted since the raise to 100
    state = state.apply(CALL)
    assert state.player == 0
    assert state.raise_bounds() is None  # raised to 100 himself and faces only 50 more
    assert FOLD in state.legal_actions()
    state = state.apply(CALL)
    assert state.raise_bounds() is None

    acpc = holdem(players=4, stack=stacks, blinds=(5, 10), dialect="acpc")
    assert play(acpc, ANY, "c c r100 c r150 c").raise_bounds() == (200, 1000)


def test_a_tiny_all_in_does_not_lower_the_smallest_raise_of_the_acpc():
    game = holdem(players=3, stack=(20000, 1100, 20000), blinds=(50, 100), dialect="acpc")
    assert play(game, ANY, "r1000 c r1100").raise_bounds() == (1900, 20000)


def test_sixty_four_actions_a_street_are_the_most_in_the_acpc():
    game = holdem(stack=20000, blinds=(1, 2), dialect="acpc")
    state = play(game, ANY, "")
    while (bounds := state.raise_bounds()) is not None:
        state = state.apply(bounds[0])
    assert len(state.line[0]) == 63


def test_several_short_all_ins_reopen_it_together():
    game = holdem(players=5, stack=(1000, 1000, 1000, 160, 230), blinds=(5, 10))
    state = play(game, ANY + "6c6d", "r100 r160 r230 c c")
    assert state.player == 2
    assert state.raise_bounds() == (320, 1000)  # 60 + 70 make more than the 90 of the last full raise


def test_nobody_raises_when_nobody_could_call():
    game = holdem(players=3, stack=(50, 50, 500))
    state = play(game, ANY, "c r50 c")
    assert state.player == 2
    assert state.raise_bounds() is None


# Pots


def test_side_pots_and_the_uncalled_bet():
    game = holdem(players=3, stack=(20, 60, 200))
    cards = "AsAh" + "KsKh" + "QsQh" + "2c3d7h8s9d"
    state = play(game, cards, "r200 c c")
    assert state.player == TERMINAL
    assert [(pot.amount, pot.seats) for pot in state.pots()] == [(60, (0, 1, 2)), (80, (1, 2))]
    assert state.stacks == (0, 0, 140)  # 140 came back
    assert state.returns() == (40, 20, -60)


def test_folded_chips_stay_in_the_pots():
    game = holdem(players=3, stack=100)
    state = play(game, "AsAh" + "KsKh" + "QsQh" + "2c3d7h8s9d", "r20 c c r50 c f c c c c")
    assert state.returns() == (90, -70, -20)


def test_odd_chips_go_to_the_first_seat_or_are_split_exactly():
    cards = "AsKs" + "AdKd" + "2c2d" + "QhJhTh3c4d"  # two straights share, the pair of twos folds the flop
    game = holdem(players=3, stack=7, blinds=(1, 3))
    state = play(game, cards, "c c c r4 c f")
    assert state.pot == 17
    assert state.returns() == (2, 1, -3)
    exact = play(replace(game, dialect="acpc", first_seats=(2, 0, 0, 0)), cards, "c c c r4 c f")
    assert exact.returns() == (1.5, 1.5, -3)


def test_a_big_blind_ante_is_dead_money():
    game = holdem(players=3, ante=(0, 2, 0))
    state = play(game, ANY, "r6 f")
    assert state.pot == 6 + 1 + 4
    assert state.to_call() == 4
    assert state.apply(FOLD).returns() == (-1, -4, 5)


def test_blinds_larger_than_a_stack_are_paid_as_far_as_it_goes():
    game = holdem(players=3, stack=(1, 1, 100), blinds=(5, 10))
    state = play(game, "AsAh" + "KsKh" + "QsQh" + "2c3d7h8s9d", "c")
    assert state.player == TERMINAL
    assert state.returns() == (2, -1, -1)


def test_a_straddle_does_not_change_the_unit():
    assert holdem(players=4, straddle=4).big_blind == 2
    acpc = holdem(players=4, straddle=4, dialect="acpc")
    assert play(acpc, ANY, "").raise_bounds() == (8, 200)  # the competition counts from the largest blind


def test_showdown_order_starts_with_the_last_raise_and_else_with_the_first_to_act():
    game = holdem(players=3)
    assert play(game, ANY, "c c c " + "c c c " * 3).showdown_order() == [0, 1, 2]
    assert play(game, ANY, "c c c " + "c c c " * 2 + "c r4 c c").showdown_order() == [1, 2, 0]
    assert play(holdem(players=3, stack=10), ANY, "r10 c c").showdown_order() == [2, 0, 1]


# What is known, and what is refused


def test_a_state_holds_no_future_cards_and_hides_the_others():
    state = play(holdem(), "AsAhKsKh2c3d7h8s9d", "c")
    assert state.cards == parse_cards("AsAhKsKh")
    seen = state.seen_by(1)
    assert seen.hole(1) == parse_cards("KsKh")
    assert seen.hole(0) == (-1, -1)
    assert seen.information_state(1) == state.information_state(1)
    assert "A" not in seen.information_state(1)
    assert seen.legal_actions() == state.legal_actions()


def test_information_states_read_well():
    state = play(holdem(), "KsAh2c2dTd9d6h", "r6 c")
    assert state.information_state(0) == "AhKs/Td9d6h:r6c/"
    assert state.public_state() == "/Td9d6h:r6c/"
    assert play(leduc_nl(), "KsAhQs", "r300 c").information_state(1) == "A/Q:r300c/"
    assert play(kuhn(), "KsAs", "c").information_state(0) == "K:c"


@pytest.mark.parametrize(
    ("actions", "action", "message"),
    [
        ("", 3, "between 4 and 200 chips, not to 3"),
        ("", 201, "between 4 and 200 chips, not to 201"),
        ("c", FOLD, "check instead"),
        ("r200", 200, "no raise is possible"),
        ("f", CALL, "the hand is over"),
        ("", -7, "-7 is not an action"),
    ],
)
def test_illegal_actions_are_explained(actions, action, message):
    with pytest.raises(ValueError, match=message):
        play(holdem(), ANY, actions).apply(action)


def test_bad_cards_are_explained():
    state = holdem().start().apply(3)
    with pytest.raises(ValueError, match="4c has been dealt already"):
        state.deal([3, 8, 8, 9])
    with pytest.raises(ValueError, match="2s has been dealt already"):
        state.apply(3)
    with pytest.raises(ValueError, match="Ks is not in the deck"):
        kuhn(deck="23A").start().apply(47)
    with pytest.raises(ValueError, match="99 is not in the deck"):
        state.apply(99)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stacks": (200,)}, "2 to 10 players"),
        ({"stacks": (0, 200)}, "stacks must be"),
        ({"blinds": (2, 1, 1)}, "expected 2 blinds"),
        ({"blinds": (-2, 1)}, "must not be negative"),
        ({"betting": "limit"}, "needs a raise size"),
        ({"betting": "pot_limit"}, "no-limit, pot-limit, limit, got 'pot_limit'"),
        ({"dialect": "ACPC"}, "casino, acpc, got 'ACPC'"),
        ({"blinds": (1.5, 3)}, "whole numbers"),
        ({"stacks": (200, 200.5)}, "whole numbers"),
        ({"deck": (1, 1, 2, 3)}, "different cards"),
        ({"deck": (1, 2, 3)}, "need 9 cards"),
        ({"first_seats": (5, 0, 0, 0)}, "first seats"),
        ({"betting": "pot-limit", "bets": Menu.pots(1.0)}, "only a no-limit game"),
        ({"hole_cards": 0}, "at least one card"),
        ({"hole_cards": 3}, "at most 7 cards"),
        ({"board_cards": ()}, "1 to 4 streets"),
    ],
)
def test_bad_definitions_are_explained(change, message):
    with pytest.raises(ValueError, match=message):
        replace(holdem(), **change)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"players": 11}, "2 to 10 players"),
        ({"blinds": (2, 1)}, "big one that is not smaller"),
        ({"straddle": 4}, "third player"),
        ({"players": 3, "straddle": 2}, "more than the big blind"),
        ({"stack": (1, 2, 3)}, "expected 2 stacks"),
        ({"stack": 200.5}, "whole numbers"),
        ({"colour": "red"}, "no parameter 'colour'"),
    ],
)
def test_bad_tables_are_explained(parameters, message):
    with pytest.raises(ValueError, match=message):
        make("holdem", **parameters)


def test_bet_sets():
    assert tuple(play(leduc_nl(), "KsAs", "").legal_actions()) == (CALL, 300, 1200)
    assert tuple(play(leduc_nl(), "KsAs", "r300").legal_actions()) == (FOLD, CALL, 900, 1200)
    assert tuple(play(leduc_nl(), "KsAs", "r300 r900").legal_actions()) == (FOLD, CALL, 1200)
    assert tuple(play(leduc_nl("all"), "KsAs", "").legal_actions()) == (CALL, *range(200, 1300, 100))
    assert tuple(play(leduc_nl("0.5,pot,allin"), "KsAs", "").legal_actions()) == (CALL, 200, 300, 1200)
    assert len(play(leduc_nl("any"), "KsAs", "").legal_actions()) == 1002
    with pytest.raises(ValueError, match="to 300 or 1200 chips, not to 500"):
        play(leduc_nl(), "KsAs", "r500")
    with pytest.raises(ValueError, match="unit of at least 1 chip"):
        leduc_nl("all", ante=0)
    for bad in ("", "huge", "-1", "0", "nan", "inf"):
        with pytest.raises(ValueError, match=r"bet|fraction"):
            leduc_nl(bad)


def test_all_in_before_the_public_card_runs_out_the_board():
    state = play(leduc_nl(), "KsAsAh", "r1200 c")
    assert state.player == TERMINAL
    assert state.board == parse_cards("Ah")
    assert state.returns() == (-1200, 1200)


def test_actions_have_the_names_players_use():
    assert play(holdem(), ANY, "").action_name(6) == "raise to 6"
    assert play(holdem(), ANY, "c c").action_name(6) == "bet 6"
    assert play(holdem(), ANY, "c c r6").action_name(20) == "raise to 20"
    assert play(holdem(), ANY, "").action_name(200) == "all-in 200"
    assert play(holdem(), ANY, "").action_name(CALL) == "call 1"
    assert play(holdem(), ANY, "c").action_name(CALL) == "check"
    assert play(kuhn(), "KsAs", "").action_name(2) == "bet 1"


def test_whole_numbers_of_any_kind_are_actions_and_nothing_else():
    state = play(holdem(), ANY, "")
    assert state.apply(np.int64(6)).bets == (2, 6)
    for bad in (6.0, "6", None):
        with pytest.raises(ValueError, match="whole numbers"):
            state.apply(bad)
    with pytest.raises(ValueError, match=r"players are 0\.\.1, got 7"):
        state.information_state(7)


def test_a_line_without_end_is_not_replayed():
    game = holdem(stack=1_000_000)
    raises = "".join(f"r{chips}" for chips in range(4, 20_000, 2))
    with pytest.raises(ValueError, match="at most 4000 actions, this one 9998"):
        replay(game, raises, game.deck)

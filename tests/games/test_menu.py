"""Bet menus: their text and tables, what they offer by street and raise, files of before, and the compiled twin."""

from __future__ import annotations

import hashlib
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.agents.blueprint import load_blueprint
from ludus.games import holdem, leduc_nl
from ludus.games.compiled.engine import act, betting_rules, empty_hand, new_hand, raise_bounds
from ludus.games.compiled.offers import menu_record, raises, share
from ludus.games.definition import define, first_difference, rebuild
from ludus.games.menu import BetPoint, BetRules, Menu, PlayerSizes, amounts
from ludus.games.sizes import Size, Sizes, percent_of

MENU = Menu.parse("0.75,pot; pot,allin; - / 0.5; allin / -")


def test_raises_follow_the_street_and_the_number_of_raises():
    game = holdem(stack=200, bets=MENU)
    state = game.start().deal(range(52))
    assert state.legal_actions().raises == (5, 6)
    state = state.apply(6)
    assert state.legal_actions().raises == (18, 200)  # the pot after calling is 12
    state = state.apply(18)
    assert state.legal_actions().raises == ()
    state = state.apply(0).deal(range(52))
    assert state.legal_actions().raises == (18,)
    state = state.apply(18)
    assert state.legal_actions().raises == (182,)
    state = state.apply(0).deal(range(52))
    assert state.legal_actions().raises == ()


def test_a_game_with_a_menu_is_saved_as_data():
    game = holdem(players=3, bets=MENU)
    assert rebuild(define(game)) == game
    assert rebuild(define(replace(game, bets=None))) != game
    for text in ("all", "2.5x, 40c, a; 3e200%", "33.3%, 0.333, a", "- / 0.1234567"):
        game = leduc_nl(bets=text)
        assert rebuild(define(game)) == game


def test_what_is_no_menu_is_said():
    with pytest.raises(ValueError, match="all"):
        Menu.parse("all")
    with pytest.raises(ValueError, match="'x' is not a bet"):
        Menu.parse("x / pot")
    with pytest.raises(ValueError, match="'' is not a bet"):
        Menu.parse("pot / ")
    with pytest.raises(ValueError, match="needs a street"):
        Menu(())
    with pytest.raises(ValueError, match="at least one list"):
        PlayerSizes(())
    with pytest.raises(ValueError, match="lift, drop"):
        Menu(((PlayerSizes(),),), "round")
    with pytest.raises(ValueError, match="true or false"):
        rebuild(define(leduc_nl()) | {"bets": {"fractions": [1.0], "unit": 0, "all_in": None}})
    with pytest.raises(ValueError, match="above 0"):
        rebuild(define(leduc_nl()) | {"bets": {"fractions": [-1.0], "unit": 0, "all_in": True}})
    with pytest.raises(ValueError, match="whole number"):
        rebuild(define(leduc_nl()) | {"bets": {"fractions": [1.0], "unit": 0.5, "all_in": True}})


def test_the_text_is_read_back():
    assert Menu.parse(str(MENU)) == MENU
    assert str(Menu.parse("75%,ALLIN;-/all-in,POT,0.5")) == "75%, a; - / 50%, 100%, a"
    assert Menu.parse("any") is None
    assert str(Menu.parse("all", unit=100)) == "a, 100u"
    assert Menu.parse("a, 100u") == Menu.parse("all", unit=100)


def test_one_language_for_games_and_spots():
    """What a text means is the same; what does not fit, and a bare number, are the menu's own."""
    point = BetPoint(pot=100, stack=1000, streets=2)
    for text in ("33%, 75%, a", "40c", "e", "2e60%", "pot, allin", "100u, a"):
        as_spot, as_game = Sizes.parse(text), Sizes.parse(text, fractions=True)
        assert amounts(as_spot, point) == amounts(as_game, point, "drop")
    assert amounts(Sizes.parse("0.5", fractions=True), point, "drop") == amounts(Sizes.parse("50%"), point)
    small, large = Sizes.parse("1%"), Sizes.parse("2000%")
    assert (amounts(small, BetPoint(100, 1000, least=20)), amounts(large, point)) == ((20,), (1000,))
    assert (amounts(small, BetPoint(100, 1000, least=20), "drop"), amounts(large, point, "drop")) == ((), ())
    half = Sizes.parse("50%")
    assert (amounts(half, BetPoint(5, 100)), amounts(half, BetPoint(5, 100), "drop")) == ((3,), (2,))  # of 2.5


def test_raises_of_a_spot_may_have_lists_of_their_own():
    menu = Menu.of_tables({"river": {"bet": "50%", "raise": "100%; a; -", "ip": {"raise": "a"}}})
    oop, ip = menu.of(3, 0), menu.of(3, 1)
    assert [str(oop.at(bets)) for bets in range(5)] == ["50%", "100%", "a", "", ""]
    assert [str(ip.at(bets)) for bets in range(3)] == ["50%", "a", "a"]
    assert Menu.of_tables(menu.to_tables()) == menu


# Files of the versions before


def old_sizes(fractions, unit, all_in, low, high, top, pot_after_call, stack):
    """What games offered when a bet set was fractions of the pot, a unit and all-in."""
    wanted = {top + round(fraction * pot_after_call) for fraction in fractions}
    if unit:
        wanted.update(range(low + -low % unit, high + 1, unit))
    if all_in:
        wanted.add(stack)
    return tuple(sorted(size for size in wanted if low <= size <= high and (size < stack or all_in)))


FRACTION = st.integers(1, 3000).map(lambda number: number / 1000) | st.floats(0.01, 30)


@given(st.data(), st.lists(FRACTION, max_size=4), st.sampled_from([0, 0, 7, 100]), st.booleans())
def test_menus_of_games_offer_what_bet_sets_did(data, fractions, unit, all_in):
    saved = {"fractions": fractions, "unit": unit, "all_in": all_in}
    (sizes,) = rebuild(define(leduc_nl()) | {"bets": saved}).bets.lists if fractions or unit or all_in else [Sizes()]
    top = data.draw(st.integers(0, 500))
    stack = top + data.draw(st.integers(1, 3000))
    low = min(top + data.draw(st.integers(1, 400)), stack)
    pot = data.draw(st.integers(1, 5000))
    found = amounts(sizes, BetPoint(pot, stack - top, low - top, top), "drop")
    assert found == old_sizes(fractions, unit, all_in, low, stack, top, pot, stack)


@pytest.mark.parametrize("text", ["33.3%", "0.333", "66.7%", "0.667,1.1", "12.5%,allin", "0.35"])
def test_texts_come_to_the_same_floating_point_numbers(text):
    fractions = [
        float(word[:-1]) / 100 if word[-1] == "%" else float(word) for word in text.split(",") if word != "allin"
    ]
    (sizes,) = Menu.parse(text).lists
    assert [size.fraction for size in sizes.of_kind("%")] == fractions


def test_definitions_of_games_are_read_as_they_were_written():
    old = define(leduc_nl()) | {"bets": {"fractions": [2.0, 0.5], "unit": 0, "all_in": True}}
    assert rebuild(old) == leduc_nl("0.5, 2, a")
    assert first_difference(old, define(leduc_nl("0.5, 2, a"))) is None
    listed = define(leduc_nl()) | {"bets": {"streets": [[old["bets"], None], [{"fractions": [], "all_in": True}]]}}
    assert rebuild(listed) == leduc_nl("2, 0.5, allin; - / allin")
    one = define(leduc_nl()) | {"bets": {"streets": [[old["bets"]]]}}
    assert first_difference(one, define(leduc_nl("0.5, 2, a"))) is None
    assert "bets is" in first_difference(one, define(leduc_nl("0.5, 2")))


def test_the_shipped_blueprints_have_the_menus_and_trees_that_they_were_trained_with():
    heads_up, six = (load_blueprint("heads-up").abstraction, load_blueprint("six-player").abstraction)
    assert heads_up.game.bets == Menu.parse(
        "75%,150%; 100%; 100%,allin; allin; - / 33%,75%; 75%,allin; allin; - / 33%,75%,150%; 75%,allin; allin; - / "
        "33%,75%,150%,allin; 100%,allin; allin; -"
    )
    assert six.game.bets == Menu.parse("75%; 75%; 75%,allin; allin; - / 33%,75%,allin; 100%,allin; allin; -")
    digest = hashlib.sha256(b"".join(array.tobytes() for array in heads_up.layout.tree)).hexdigest()
    assert digest.startswith("8abb523a8e399d15")
    assert (heads_up.layout.slots, six.layout.slots) == (14_712_647, 11_798_100)


# The compiled twin


@given(st.integers(0, 10**12), st.integers(0, 2**33))
def test_the_compiled_share_is_exact(millionths, chips):
    assert share(millionths, chips) == percent_of(Fraction(millionths, 10**6), chips)


SIZE = st.sampled_from(
    [
        "1%",
        "33%",
        "33.333333%",
        "50%",
        "75%",
        "150%",
        "1000000%",
        "2.5x",
        "1.000001x",
        "40c",
        "1000c",
        "e",
        "2e",
        "e80%",
    ]
) | st.sampled_from(["a", "7u"])


@st.composite
def menus(draw):
    def sizes():
        return Sizes(tuple(map(Size.parse, draw(st.lists(SIZE, max_size=5)))))

    def player():
        rows = tuple(sizes() for _ in range(draw(st.integers(1, 3))))
        plain = Sizes(tuple(size for size in rows[0].items if size.kind != "x"))
        return PlayerSizes(rows, plain if draw(st.booleans()) else None)

    streets = [tuple(player() for _ in range(draw(st.integers(1, 2)))) for _ in range(draw(st.integers(1, 4)))]
    return Menu(tuple(streets), draw(st.sampled_from(["lift", "drop"])))


PERCENT = st.sampled_from([0, 0, 10, 33.333333, 150, 10**6])
RULES = st.builds(BetRules, add_all_in=PERCENT, force_all_in=PERCENT, merge=PERCENT)


@settings(max_examples=150)
@given(menus(), RULES, st.integers(0, 2**32), st.integers(2, 3), st.booleans())
def test_the_compiled_menu_offers_the_same(menu, more, seed, players, donk):
    rng = random.Random(seed)
    game = holdem(players=players, stack=rng.choice([30, 200, 10_000]), blinds=(1, 2))
    rules, hand, record = betting_rules(game), empty_hand(), menu_record(menu, more)
    out, which = np.zeros(20_000, np.int64), np.zeros(20_000, np.int64)
    new_hand(rules, hand)
    while hand["player"] >= 0:
        low, high = map(int, raise_bounds(rules, hand))
        seat, top = int(hand["player"]), int(hand["top"])
        pot, bets = int(hand["pot"]) + top - int(hand["bet"][seat]), int(hand["raises"])
        sizes = menu.of(int(hand["street"]), seat if players == 2 else 0).at(bets, donk)
        wanted = ()
        if high:
            point = BetPoint(pot, high - top, low - top, top, 4 - int(hand["street"]), bets)
            wanted = amounts(sizes, point, menu.fit, more)
        count = raises(record, rules, hand, donk, 2, out, which)
        assert tuple(out[2 : 2 + count].tolist()) == wanted
        assert all(0 <= place <= len(sizes.items) for place in which[2 : 2 + count])
        actions = [0, 0, *wanted[:2], *([rng.randint(low, high)] if high else [])]
        act(rules, hand, rng.choice(actions))

"""Bet sizes, spots and their betting trees: the peer's trees line by line, each rule by hand, and what always holds."""

import json
from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from ludus.cards.card import parse_cards
from ludus.cards.ranges import COMBOS, combo_index, parse_range
from ludus.games.menu import BetPoint, BetRules, PlayerSizes, amounts
from ludus.games.sizes import Size, Sizes, geometric_fraction
from ludus.trees.betting import CHANCE, FOLD, IP, OOP, SHOWDOWN, build_betting_tree, leaf_payoffs
from ludus.trees.spot import Spot
from ludus.trees.subgame import Rake, Subgame
from paths import TESTS

GOLDEN = json.loads((TESTS / "data" / "spot_lines.json").read_text())
BOARD = "Ks Th 6h 4c 2s"


def spot(bet="", raises="", *, street=5, pot=100, stack=1000, sizes=None, **options):
    """A spot with the same sizes on every street."""
    common = {name: {"bet": bet, "raise": raises} for name in ("flop", "turn", "river")}
    board = " ".join(BOARD.split()[:street])
    return Spot.of(board, pot, stack, "QQ+, AK", "22+, AQ", common if sizes is None else sizes, **options)


def actions(tree, line=""):
    return " ".join(tree.words(tree.find(line)))


# --- Trees of the peer ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["river", "turn"])
def test_every_line_is_that_of_the_peer(name):
    tree = build_betting_tree(Spot.from_dict(GOLDEN[name]["spot"]))
    decisions = np.flatnonzero(tree.kind <= IP)
    assert {tree.line(node): " ".join(tree.words(node)) for node in decisions} == GOLDEN[name]["lines"]
    assert [tree.line(node) for node in decisions] == list(GOLDEN[name]["lines"])  # depth first, as there
    assert tree.decisions == len(decisions) == {"river": 48, "turn": 128}[name]


@pytest.mark.parametrize("name", ["river", "turn"])
def test_the_ranges_are_those_of_the_peer(name):
    golden = GOLDEN[name]
    known = Spot.from_dict(golden["spot"])
    weights = known.weights[0], known.weights[1]
    assert [int((w > 0).sum()) for w in weights] == golden["hands"]
    assert [float(w.sum()) for w in weights] == golden["weight"]


def test_raises_on_the_flop_alone():
    # Pot 55: 33% is 18.15; the raise to 18 + 60% of 91 = 54.6, to 73; the next one 73 + 60% of 201 = 120.6, to 194;
    # then 194 + 266 is over the stack of 225. After a bet of 18 and a call the turn's 66% of 91 is 60.06.
    sizes = {"flop": {"bet": "33%", "raise": "60%"}, "turn": {"bet": "66%"}, "river": {"bet": "75%"}}
    tree = build_betting_tree(Spot.of("Ah7c2d", 55, 225, "22+", "22+", sizes))
    assert actions(tree) == "X B18"
    assert actions(tree, "B18") == "F C B73"
    assert actions(tree, "B18-B73") == "F C B194"
    assert actions(tree, "B18-B73-B194") == "F C B225"
    assert actions(tree, "B18-C-D") == "X B60"
    assert actions(tree, "B18-C-D-B60") == "F C"


# --- Sizes: the language -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("", ""),
        ("  ", ""),
        ("33%, 75%, 150%, a", "33%, 75%, 150%, a"),
        ("A,150.0% ,.5%,75%,75.00%", "0.5%, 75%, 150%, a"),
        ("3E200%, e, 2e, e50%, 40C, 2.50X", "2.5x, 40c, e, e50%, 2e, 3e200%"),
        ("100% 50%\t20%", "20%, 50%, 100%"),
        ("0.000001%, 1000000%", "0.000001%, 1000000%"),
    ],
)
def test_sizes_read_and_write(text, canonical):
    assert str(Sizes.parse(text)) == canonical
    assert Sizes.parse(canonical) == Sizes.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "0.5", "50", "%", "x", "c", "0%", "0c", "0x", "0e", "1x", "-5%", "+5%", "nan%", "inf%", "1e5", "1e5%e", "a1",
        "2a", "2.5c", "1.5e", "101e", "e0%", "e2000000%", "33%33%", "1001x", "1000001%", "9999999999999%",
        "1000000001c", "0.0000001%", "33%,,75%", "33%,", ",", "bet", "3e200", "٣%", "5%" + " " * 2000,
        ",".join(["1%"] * 500), None, 33, ["33%"], 0.5, " ".join(f"{n}%" for n in range(1, 40)),
    ],
)  # fmt: skip
def test_what_is_no_size_is_an_error(text):
    with pytest.raises(ValueError, match=r"size|bounds|maximum|whole") as caught:
        Sizes.parse(text)
    assert len(str(caught.value)) < 250


@given(st.text(alphabet="0123456789.%xceaXE, -+", max_size=30) | st.text(max_size=30))
def test_any_text_is_sizes_or_a_value_error(text):
    try:
        sizes = Sizes.parse(text)
    except ValueError:
        return
    assert Sizes.parse(str(sizes)) == sizes


def test_a_size_made_by_hand_is_checked():
    with pytest.raises(ValueError, match="decimal"):
        Size("%", Fraction(1, 3))
    with pytest.raises(ValueError, match="without a number"):
        Size("a", Fraction(5))
    with pytest.raises(ValueError, match="one of %, x, c, e, a"):
        Size("q", Fraction(5))


def test_a_multiple_is_for_raises_only():
    with pytest.raises(ValueError, match=r"sizes\.flop\.bet: '2.5x' is a multiple .*: only a raise can be one, no bet"):
        spot("2.5x")
    with pytest.raises(ValueError, match="no donk"):
        PlayerSizes(donk=Sizes.parse("3x"))
    spot("50%", "2.5x")


# --- Sizes: the amounts --------------------------------------------------------------------------------------------


def bets(text, rules=None, pot=100, stack=1000, streets=1, facing=0, step=0, bets=0):
    rules = rules or BetRules()
    point = BetPoint(pot, stack, step if bets else rules.min_bet, facing, streets, bets)
    return amounts(Sizes.parse(text), point, rules=rules)


@pytest.mark.parametrize(
    ("text", "situation", "expected"),
    [
        ("33%, 75%", {"pot": 50}, (17, 38)),  # 16.5 and 37.5: halves up
        ("33%", {"pot": 49}, (16,)),  # 16.17
        ("0.7%", {"pot": 500}, (4,)),  # 3.5, where 0.007 * 500 in floats is below
        ("1.15%", {"pot": 10_000}, (115,)),
        ("40c, 50%", {}, (40, 50)),
        ("50c, 50%", {}, (50,)),  # equal amounts are one
        ("150%, a", {"stack": 120}, (120,)),  # both reach the stack
        ("50%", {"stack": 50}, (50,)),
        ("50%", {"stack": 51}, (50,)),
        ("0.1%", {}, (1,)),  # 0.1 chips, lifted to the minimum of 1
        ("", {}, ()),
        ("a", {"stack": 0}, ()),
        # Facing 50 into 100: the pot after calling is 200.
        ("50%, 100%", {"pot": 200, "stack": 950, "facing": 50, "step": 50, "bets": 1}, (150, 250)),
        ("2.5x, 40c", {"pot": 200, "stack": 950, "facing": 50, "step": 50, "bets": 1}, (100, 125)),  # 40c is too little
        ("2.5x", {"pot": 110, "stack": 950, "facing": 5, "step": 5, "bets": 1}, (13,)),  # 12.5
        ("60c", {"pot": 200, "stack": 950, "facing": 50, "step": 50, "bets": 1}, (110,)),
        ("1.5x", {"pot": 600, "stack": 750, "facing": 250, "step": 200, "bets": 2}, (450,)),  # 375: below 250 + 200
        ("1.5x, a", {"pot": 600, "stack": 30, "facing": 250, "step": 200, "bets": 2}, (280,)),  # all-in for less
    ],
)
def test_amounts(text, situation, expected):
    assert bets(text, **situation) == expected


@pytest.mark.parametrize(
    ("text", "situation", "expected"),
    [
        # Stack 400 in a pot of 100: (1 + 8)^(1/2) = 3, so f = 1: bet 100 into 100, then 300 into 300.
        ("e", {"stack": 400, "streets": 2}, (100,)),
        ("e", {"pot": 300, "stack": 300, "streets": 1}, (300,)),
        ("2e", {"stack": 400, "streets": 1}, (100,)),
        ("e", {"stack": 1300, "streets": 3}, (100,)),  # 27^(1/3) = 3
        ("3e", {"stack": 1300, "streets": 1}, (100,)),
        ("e", {"stack": 1000, "streets": 3}, (88,)),  # 21^(1/3) = 2.7589, f = 0.87946
        ("e60%, 2e90%", {"stack": 400, "streets": 2}, (60, 90)),
        ("e200%", {"stack": 400, "streets": 2}, (100,)),
        # Facing a bet of 100 into 100 with 400 - 100 behind: pot 300, 1 + 600 / 300 = 3; in two bets f = 0.36603.
        ("2e", {"pot": 300, "stack": 300, "streets": 2, "facing": 100, "step": 100, "bets": 1}, (210,)),
        # Two bets were made (one raise), so one is left of the two: all-in.
        ("2e", {"pot": 300, "stack": 300, "streets": 2, "facing": 100, "step": 50, "bets": 2}, (400,)),
        ("e", {"pot": 300, "stack": 300, "streets": 2, "facing": 100, "step": 50, "bets": 9}, (400,)),
    ],
)
def test_geometric_amounts(text, situation, expected):
    assert bets(text, **situation) == expected


def test_geometric_bets_count_the_streets():
    # As above: 100 into 100 on the turn, then 300 into 300, and a third such bet is 900.
    tree = build_betting_tree(spot("e", street=4, stack=400))
    assert actions(tree) == "X B100"
    assert actions(tree, "B100-C-D") == "X B300"
    assert actions(build_betting_tree(spot("e", street=3, stack=1300))) == "X B100"
    assert actions(build_betting_tree(spot("e", stack=400))) == "X B400"


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(1, 6))
def test_geometric_bets_end_all_in(pot, stack, count):
    fraction = geometric_fraction(pot, stack, count)
    assert pot * (1 + 2 * fraction) ** count == pytest.approx(pot + 2 * stack)


def reference_amounts(sizes, pot, stack, facing, step, raises, streets, thresholds):
    """The peer's rules in its own order and in floats, one option after another."""
    add, force, merge = (threshold / 100 for threshold in thresholds)
    least, most = facing + step, facing + stack
    amounts = []
    for kind, number in sizes:
        if kind == "%":
            amounts.append(facing + floor(pot * number / 100 + 0.5))
        elif kind == "x":
            amounts.append(floor(facing * number + 0.5))
        elif kind == "c":
            amounts.append(facing + number)
        elif kind == "e":
            fraction = ((2 * stack / pot + 1) ** (1 / max(streets - raises, 1)) - 1) / 2
            amounts.append(facing + floor(pot * fraction + 0.5))
        else:
            amounts.append(most)
    if stack <= floor(pot * add + 0.5):
        amounts.append(most)
    amounts = [min(max(amount, least), most) for amount in amounts]
    left = [(amount, floor((pot + 2 * (amount - facing)) * force + 0.5)) for amount in amounts]
    amounts = sorted({most if most - amount <= threshold else amount for amount, threshold in left}, reverse=True)
    kept = []
    for amount in amounts:
        if not kept or (amount - facing) / pot < ((kept[-1] - facing) / pot - merge) / (1 + merge) * (1 - 1e-12):
            kept.append(amount)
    return tuple(kept[::-1])


NUMBERS = {"%": st.integers(1, 300), "x": st.integers(2, 5), "c": st.integers(1, 300), "e": st.none(), "a": st.none()}
ANY_SIZE = st.sampled_from("%xcea").flatmap(lambda kind: st.tuples(st.just(kind), NUMBERS[kind]))


@given(st.data(), st.lists(ANY_SIZE, max_size=5), st.integers(1, 500), st.integers(1, 2000), st.integers(1, 3))
def test_amounts_match_the_reference(data, sizes, pot, stack, streets):
    thresholds = data.draw(st.tuples(*[st.sampled_from([0, 10, 25, 150])] * 3))
    raising = data.draw(st.booleans())
    facing = data.draw(st.integers(1, 200)) if raising else 0
    step = data.draw(st.integers(1, facing)) if raising else 1
    made = data.draw(st.integers(1, 4)) if raising else 0
    text = ", ".join(f"{'' if number is None else number}{kind}" for kind, number in sizes)
    rules = BetRules(add_all_in=thresholds[0], force_all_in=thresholds[1], merge=thresholds[2])
    found = bets(text, rules, pot=pot, stack=stack, streets=streets, facing=facing, step=step, bets=made)
    assert found == reference_amounts(
        sizes, pot, stack, facing, step, max(made - 1, 0), streets, thresholds
    )  # fmt: skip


# --- Options -------------------------------------------------------------------------------------------------------


def test_the_minimum_bet():
    assert bets("1%, 50%", BetRules(min_bet=20)) == (20, 50)
    assert bets("1%", BetRules(min_bet=20), stack=7) == (7,)


def test_the_minimum_raise_is_the_raise_before():
    # Bet 10, raise to 30 (a difference of 20), so at least to 50; then a difference of 20 again, to 70.
    tree = build_betting_tree(spot("10c", "20c, 1c"))
    assert actions(tree, "B10") == "F C B20 B30"
    assert actions(tree, "B10-B30") == "F C B50"
    assert actions(tree, "B10-B30-B50") == "F C B70"


@pytest.mark.parametrize(("cap", "line"), [(0, "B50"), (1, "B50-B250"), (2, "B50-B250-B850")])
def test_the_raise_cap(cap, line):
    tree = build_betting_tree(spot("50%", "100%", stack=9999, raise_cap=cap, add_all_in=10_000))
    assert actions(tree, line) == "F C"
    assert actions(tree, "X").startswith("X B50")  # a bet is no raise
    if cap:
        assert actions(tree, line.rpartition("-")[0]) != "F C"


def test_all_in_is_added_when_the_stack_is_small():
    rules = BetRules(add_all_in=Fraction(150))
    assert bets("50%", rules, stack=150) == (50, 150)
    assert bets("50%", rules, stack=151) == (50,)
    assert bets("", rules, stack=150) == (150,)  # even where no size is listed, as with the peer
    # Facing 50 into 100: 300 is 150% of the pot of 200 after calling.
    facing = {"pot": 200, "facing": 50, "step": 50, "bets": 1}
    assert bets("", rules, stack=300, **facing) == (350,)
    assert bets("", rules, stack=301, **facing) == ()


def test_all_in_is_forced_when_little_would_be_left():
    # A bet of 50 makes a pot of 200: 10% are 20 chips.
    rules = BetRules(force_all_in=Fraction(10))
    assert bets("50%", rules, stack=70) == (70,)
    assert bets("50%", rules, stack=71) == (50,)
    # A raise of 200 on top of 50 makes a pot of 600: 60 chips.
    facing = {"pot": 200, "facing": 50, "step": 50, "bets": 1}
    assert bets("100%", rules, stack=260, **facing) == (310,)
    assert bets("100%", rules, stack=261, **facing) == (250,)


def test_close_sizes_are_merged_into_the_larger():
    # From 100% down with 10%: 200 / (100 + y) <= 1.1 for y >= 81.8, so 82 goes and 81 stays;
    # from 81: 181 / 1.1 = 164.5, so 65 goes and 64 stays.
    rules = BetRules(merge=Fraction(10))
    assert bets("82%, 100%", rules) == (100,)
    assert bets("64%, 65%, 81%, 100%", rules) == (64, 81, 100)
    assert bets("65%, 81%, 82%, 100%", rules) == (81, 100)
    assert bets("110%, 120%") == (110, 120)
    # Exactly at the threshold, 220 / 200 = 1.1, is close enough; the amounts that count are those in chips.
    assert bets("100%, 120%", rules) == (120,)
    assert bets("99%, 120%", rules) == (99, 120)
    # A raise counts from the opponent's bet: 100% and 120% of the pot after calling.
    assert bets("100%, 120%", rules, facing=50, step=50, bets=1) == (170,)
    assert bets("100%, 120%, a", rules, stack=130) == (100, 130)  # 230 / 220 is close, 230 / 200 = 1.15 is not


def test_donk_bets_have_their_own_sizes():
    # OOP calls the bet in position on the turn: he leads for 20% of 200 on the river; after checks, for 50% of 100.
    river = {"bet": "50%", "donk": "20%", "raise": "100%"}
    tree = build_betting_tree(spot(street=4, sizes={"turn": {"bet": "50%", "raise": "100%"}, "river": river}))
    assert actions(tree, "X-B50-C-D") == "X B40"
    assert actions(tree, "X-B50-C-D-X") == "X B100"  # the player in position bets as ever
    assert actions(tree, "X-X-D") == "X B50"
    assert actions(tree, "B50-C-D") == "X B100"  # OOP was the last to bet
    assert actions(tree, "B50-B250-C-D") == "X B120"  # IP was, with the raise: 20% of 600
    assert actions(tree, "X-B50-B250-C-D") == "X B300"


def test_no_donk_bets_and_the_default():
    sizes = {"turn": {"bet": "50%"}, "river": {"bet": "50%", "donk": ""}}
    assert actions(build_betting_tree(spot(street=4, sizes=sizes)), "X-B50-C-D") == "X"
    del sizes["river"]["donk"]
    assert actions(build_betting_tree(spot(street=4, sizes=sizes)), "X-B50-C-D") == "X B100"
    # On the first street of a spot nobody has bet before.
    assert actions(build_betting_tree(spot(sizes={"river": {"bet": "50%", "donk": "20%"}}))) == "X B50"


def test_a_player_has_sizes_of_his_own():
    sizes = {"river": {"bet": "50%", "raise": "100%", "ip": {"bet": "75%"}, "oop": {"raise": ""}}}
    tree = build_betting_tree(spot(sizes=sizes))
    assert actions(tree) == "X B50"
    assert actions(tree, "X") == "X B75"
    assert actions(tree, "B50") == "F C B250"
    assert actions(tree, "X-B75") == "F C"


# --- The shape of a tree -------------------------------------------------------------------------------------------


def test_all_in_runs_out_the_board():
    tree = build_betting_tree(spot("a", street=3))
    called = tree.find("B1000-C")
    kinds = []
    while tree.children(called):
        kinds.append((int(tree.kind[called]), int(tree.street[called])))
        (called,) = tree.children(called)
    assert kinds == [(CHANCE, 3), (CHANCE, 4)]
    assert (tree.kind[called], tree.street[called]) == (SHOWDOWN, 5)
    assert tree.line(called) == "B1000-C-D-D"
    assert tree.paid[called].tolist() == [1000, 1000]


@pytest.mark.parametrize(
    ("street", "kinds"), [(5, [SHOWDOWN]), (4, [CHANCE, SHOWDOWN]), (3, [CHANCE, CHANCE, SHOWDOWN])]
)
def test_without_a_stack_nobody_decides(street, kinds):
    tree = build_betting_tree(spot("50%, a", stack=0, street=street))
    assert tree.kind.tolist() == kinds
    assert tree.decisions == 0
    assert not tree.paid.any()


def test_without_sizes_everybody_checks():
    tree = build_betting_tree(spot(street=4))
    assert tuple(map(tree.word, range(6))) == ("", "X", "X", "D", "X", "X")
    assert tree.kind.tolist() == [OOP, IP, CHANCE, OOP, IP, SHOWDOWN]
    assert tree.street.tolist() == [4, 4, 4, 5, 5, 5]


def test_a_small_tree_in_full():
    tree = build_betting_tree(spot("50%", "a", stack=80))
    expected = [  # line, kind, paid, amount
        ("", OOP, [0, 0], 0),
        ("X", IP, [0, 0], 0),
        ("X-X", SHOWDOWN, [0, 0], 0),
        ("X-B50", OOP, [0, 50], 50),
        ("X-B50-F", FOLD, [0, 50], 0),
        ("X-B50-C", SHOWDOWN, [50, 50], 0),
        ("X-B50-B80", IP, [80, 50], 80),
        ("X-B50-B80-F", FOLD, [80, 50], 0),
        ("X-B50-B80-C", SHOWDOWN, [80, 80], 0),
        ("B50", IP, [50, 0], 50),
        ("B50-F", FOLD, [50, 0], 0),
        ("B50-C", SHOWDOWN, [50, 50], 0),
        ("B50-B80", OOP, [50, 80], 80),
        ("B50-B80-F", FOLD, [50, 80], 0),
        ("B50-B80-C", SHOWDOWN, [80, 80], 0),
    ]
    found = [(tree.line(n), tree.kind[n], tree.paid[n].tolist(), tree.amount[n]) for n in range(len(tree))]
    assert found == expected
    assert tree.children(0) == (1, 9)
    assert tree.children(2) == ()
    assert [array.dtype.name for array in (tree.kind, tree.street, tree.parent, tree.child_start, tree.child)] == [
        "uint8", "uint8", "int32", "int32", "int32"
    ]  # fmt: skip


def test_too_large_a_tree_is_refused():
    wide = spot("33%, 75%, 150%, a", "50%, 100%, a", street=3, stack=100_000)
    with pytest.raises(ValueError, match=r"more than 5000 nodes: list fewer sizes.*raise_cap"):
        build_betting_tree(wide, most=5000)
    deep = spot("1c", "1c", pot=1, stack=10**9)  # a billion raises of one chip, no recursion
    with pytest.raises(ValueError, match="more than 50000 nodes"):
        build_betting_tree(deep, most=50_000)
    exact = build_betting_tree(spot("50%", "a", stack=80), most=15)
    assert len(exact) == 15


def test_lines_are_found_as_people_write_them():
    tree = build_betting_tree(spot("50%", "100%", street=4))
    node = tree.find("X-B50-C-D-B100")
    assert tree.line(node) == "X-B50-C-D-B100"
    for line in ("x-b50-c-d-b100", "X-B50-C-2c-R100", " x - b50 - c - 10d - b100 ", "/X/B50/C/D/B100"):
        assert tree.find(line) == node
    assert tree.find("B50-R250") == tree.find("B50-B250")
    assert tree.find("") == tree.find(" ") == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("B51", "'B51' is not possible at the start: write one of X, B50"),
        ("X-C", "'C' is not possible after X: write one of X, B50"),
        ("X--X", "'' is not possible after X: write one of X, B50"),
        ("B50-X", "'X' is not possible after B50: write one of F, C, B250"),
        ("X-X-B50", "'B50' is not possible after X-X: a card comes next, write D or its name, as in 2c"),
        ("X-X-2c3c", "'2c3c' is not possible after X-X: a card comes next"),
        ("2c", "'2c' is not possible at the start"),
        ("B50-F-X", "'X' is not possible after B50-F: the hand is over there"),
        ("X-" * 100_000, "at most 100000 characters"),
        ("Q" * 90_000, "is not possible at the start: write one of X, B50"),
    ],
)
def test_a_line_that_is_not_there(line, message):
    tree = build_betting_tree(spot("50%", "100%", street=4))
    with pytest.raises(ValueError, match=r"possible|characters") as caught:
        tree.find(line)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 200


def test_a_node_that_is_not_there():
    tree = build_betting_tree(spot())
    with pytest.raises(ValueError, match=r"0\.\.2, got 3"):
        tree.line(3)
    with pytest.raises(ValueError, match="got -1"):
        tree.line(-1)


# --- What always holds ---------------------------------------------------------------------------------------------

PERCENT = st.sampled_from(["25%", "33%", "50%", "75%", "100%", "200%"])
BETS = st.lists(PERCENT | st.sampled_from(["a", "e", "2e", "15c", "e80%"]), max_size=3).map(", ".join)
RAISES = st.lists(PERCENT | st.sampled_from(["a", "e", "2.5x", "3x", "10c"]), max_size=2).map(", ".join)
TABLE = st.fixed_dictionaries({"bet": BETS, "raise": RAISES}, optional={"donk": BETS})
RULES = st.fixed_dictionaries(
    {},
    optional={
        "raise_cap": st.integers(0, 3),
        "min_bet": st.sampled_from([1, 2, 10]),
        "add_all_in": st.sampled_from([0, 50, "150%"]),
        "force_all_in": st.sampled_from([0, 10, 30.5]),
        "merge": st.sampled_from([0, 10, "50%"]),
        "rake": st.sampled_from(["5%", "5% cap 3", 2.5]),
    },
)


@st.composite
def spots(draw):
    street = draw(st.integers(3, 5))
    names = ("flop", "turn", "river")[street - 3 :]
    return spot(
        street=street,
        pot=draw(st.integers(1, 60)),
        stack=draw(st.integers(0, [60, 120, 400][street - 3])),
        sizes={name: draw(TABLE | st.fixed_dictionaries({"oop": TABLE, "ip": TABLE})) for name in names},
        **draw(RULES),
    )


def built(drawn):
    try:
        return build_betting_tree(drawn, most=20_000)
    except ValueError:
        reject()


@given(spots())
def test_every_tree_is_sound(drawn):
    tree = built(drawn)
    count = len(tree)
    assert tree.parent[0] == -1
    assert tree.word(0) == ""
    assert tree.street[0] == len(drawn.board)
    assert sorted(tree.child) == list(range(1, count))  # everything is reached, and once
    assert tree.child_start[0] == 0
    assert tree.child_start[-1] == count - 1
    leaves = np.diff(tree.child_start) == 0
    assert ((tree.kind >= FOLD) == leaves).all()
    assert (tree.paid <= drawn.stack).all()
    assert (tree.paid >= 0).all()
    assert (tree.street[tree.kind == SHOWDOWN] == 5).all()
    settled = (tree.kind == SHOWDOWN) | (tree.kind == CHANCE)
    assert (tree.paid[settled, 0] == tree.paid[settled, 1]).all()
    for node in range(count):
        children = tree.children(node)
        assert list(children) == sorted(children)
        assert all(tree.parent[child] == node for child in children)
        assert not children or children[0] == node + 1  # depth first
        labels = tree.words(node)
        if tree.kind[node] == CHANCE:
            assert labels == ("D",)
            assert tree.street[children[0]] == tree.street[node] + 1
            assert (tree.paid[children[0]] == tree.paid[node]).all()
        elif tree.kind[node] <= IP:
            check_decision(drawn, tree, node, children, labels)


def check_decision(drawn, tree, node, children, labels):
    player = int(tree.kind[node])
    own, other = int(tree.paid[node, player]), int(tree.paid[node, 1 - player])
    passive = ("F", "C") if other > own else ("X",)
    assert labels[: len(passive)] == passive
    raises = children[len(passive) :]
    amounts = [int(tree.amount[child]) for child in raises]
    assert amounts == sorted(set(amounts))
    assert labels[len(passive) :] == tuple(f"B{amount}" for amount in amounts)
    least = other - own if other > own else drawn.rules.min_bet
    for child in raises:
        after = int(tree.paid[child, player])
        assert other < after <= drawn.stack
        assert tree.paid[child, 1 - player] == other
        assert after - other >= least or after == drawn.stack
        assert tree.kind[child] == 1 - player
    for child in children[: len(passive)]:
        assert tree.amount[child] == 0
        assert tree.paid[child].tolist() == ([other, other] if tree.word(child) == "C" else tree.paid[node].tolist())
    assert other < drawn.stack or not raises


@given(spots(), st.randoms(use_true_random=False))
def test_lines_and_nodes_match(drawn, random):
    tree = built(drawn)
    for node in random.sample(range(len(tree)), min(30, len(tree))):
        assert tree.find(tree.line(node)) == node


@given(spots())
def test_leaves_pay_out_the_pot_and_no_more(drawn):
    tree = built(drawn)
    alpha, beta = leaf_payoffs(drawn, tree)
    inner = tree.kind < FOLD
    assert not alpha[inner].any()
    assert not beta[inner].any()
    assert not alpha[tree.kind == FOLD].any()
    final = drawn.pot + 2 * tree.paid.min(axis=1)
    rake = np.minimum(final * float(drawn.rake.percent) / 100, np.inf if drawn.rake.cap is None else drawn.rake.cap)
    ends = ~inner
    np.testing.assert_allclose(beta.sum(axis=1)[ends], -rake[ends].astype(float))  # win against lose, and a tie
    shown = tree.kind == SHOWDOWN
    np.testing.assert_allclose((beta[:, 0] - alpha)[shown], -final[shown] / 2)  # the loser loses his half


# --- Payoffs -------------------------------------------------------------------------------------------------------


def test_payoffs_by_hand():
    # Pot 100, OOP bets 50. Fold: OOP wins the 50 that IP had in the pot. Call: 100 each.
    plain = spot("50%")
    tree = build_betting_tree(plain)
    alpha, beta = leaf_payoffs(plain, tree)
    fold, call, checks = tree.find("B50-F"), tree.find("B50-C"), tree.find("X-X")
    assert beta[fold].tolist() == [50, -50]
    assert alpha[call] == 100
    assert alpha[checks] == 50
    # OOP folds to a raise after a bet of 50: he loses that and his half of the pot.
    plain = spot("50%", "100%")
    tree = build_betting_tree(plain)
    alpha, beta = leaf_payoffs(plain, tree)
    assert beta[tree.find("B50-B250-F")].tolist() == [-100, 100]
    # 5% of the final pot of 200 are 10: the winner has 90, the loser -100, and in a tie both -5. Without the 50 that
    # were not called, the pot after the fold is 100: 5 of rake.
    raked = spot("50%", rake="5%")
    alpha, beta = leaf_payoffs(raked, tree := build_betting_tree(raked))
    fold, call = tree.find("B50-F"), tree.find("B50-C")
    assert beta[fold].tolist() == [45, -50]
    assert (alpha + beta[:, 0])[call] == 90
    assert (-alpha + beta[:, 0])[call] == -100
    assert beta[call].tolist() == [-5, -5]
    # The cap of 3 holds for both.
    raked = spot("50%", rake="5% cap 3")
    alpha, beta = leaf_payoffs(raked, tree)
    assert beta[fold].tolist() == [47, -50]
    assert (alpha + beta[:, 1])[call] == 97


# --- Spots ---------------------------------------------------------------------------------------------------------

TOML = """
board = "Ks Th 6h"
pot = 200
stack = 900
oop = "QQ+, AKs"
ip = "random"
rake = "5% cap 3"
raise_cap = 3
min_bet = 2
add_all_in = "150%"
force_all_in = 12.5
merge = 10

[sizes.flop]
bet = "33%, 75%"
raise = "2.5x"

[sizes.flop.ip]
bet = "50%"

[sizes.turn]
bet = "e"
donk = ""
"""


def test_a_spot_from_a_file(tmp_path):
    path = tmp_path / "spot.toml"
    path.write_text(TOML)
    loaded = Spot.load(path)
    assert loaded.board == parse_cards("KsTh6h")
    assert (loaded.pot, loaded.stack) == (200, 900)
    assert (loaded.oop, loaded.ip) == ("QQ+, AKs", "random")
    oop, ip = loaded.menu.streets[1]
    assert (str(oop.bet), str(ip.bet), str(oop.raises), str(ip.raises)) == ("33%, 75%", "50%", "2.5x", "2.5x")
    assert loaded.menu.of(2, 0) == PlayerSizes((Sizes.parse("e"), Sizes()), Sizes())
    assert loaded.menu.streets[3] == (PlayerSizes(), PlayerSizes())
    assert loaded.rake == Rake(Fraction(5), Fraction(3))
    assert loaded.rules == BetRules(2, 3, Fraction(150), Fraction(25, 2), Fraction(10))
    assert Spot.load(str(path)) == loaded
    assert Spot.from_dict(json.loads(json.dumps(loaded.to_dict()))) == loaded
    assert hash(Spot.from_dict(loaded.to_dict())) == hash(loaded)


@given(spots())
def test_a_spot_survives_json(drawn):
    assert Spot.from_dict(json.loads(json.dumps(drawn.to_dict(), allow_nan=False))) == drawn


def test_a_spot_from_other_forms():
    weights = parse_range("QQ+, AKs:0.5")
    cards = parse_cards("KsTh6h")
    by_text = Spot.of("KsTh6h", 10, 20, "AKs:50%, KK+, QQ", "AA")
    for board in (cards, list(cards), np.array(cards), ["Ks", "Th", "6h"], "Ks, Th, 6h"):
        assert Spot.of(board, np.int64(10), 20.0, weights, weights * 0 + parse_range("AA")) == by_text
    assert by_text.oop == "QQ+, AKs:0.5"
    assert by_text == Spot(Subgame(cards, 10, (20, 20)), np.stack([weights, parse_range("AA")]))


def test_weights_leave_out_the_cards_of_the_board():
    known = Spot.of("KsTh6h", 10, 20, "KK, AhKh:0.25", "random")
    assert known.weights[0].sum() == 3.25
    assert known.weights[0][combo_index(*parse_cards("AhKh"))] == 0.25
    assert known.weights[1].sum() == 49 * 48 / 2
    blocked = np.isin(COMBOS, known.board).any(axis=1)
    assert not known.weights[1][blocked].any()
    with pytest.raises(ValueError, match="read-only"):
        known.weights[0][:] = 0


HANDS = st.sets(st.sampled_from([(a, b) for b in range(6) for a in range(b)]), min_size=1, max_size=5)


@given(HANDS, HANDS)
def test_ranges_that_cannot_meet_are_refused(oop, ip):
    weights = [np.isin(np.arange(1326), [combo_index(*hand) for hand in hands]).astype(float) for hands in (oop, ip)]
    if any(set(one).isdisjoint(two) for one in oop for two in ip):
        Spot.of("KsTh6h", 10, 20, *weights)
    else:
        with pytest.raises(ValueError, match="shares a card with every hand"):
            Spot.of("KsTh6h", 10, 20, *weights)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("5%", "5%"),
        ("5", "5%"),
        (5, "5%"),
        (2.5, "2.5%"),
        (50, "50%"),
        (0, "0%"),
        (None, "0%"),
        ("5% cap 3", "5% cap 3"),
        ("5%cap3", "5% cap 3"),
        (" 5 %  CAP  3.50 ", "5% cap 3.5"),
        ({"percent": 5, "cap": 3}, "5% cap 3"),
        ({"percent": 5, "cap": None}, "5%"),
        ({"percent": "5%"}, "5%"),
        (Rake(Fraction(1)), "1%"),
    ],
)
def test_rakes(value, text):
    assert str(Rake.of(value)) == text
    assert Rake.of(text) == Rake.of(value)


GOOD = {"board": "KsTh6h", "pot": 10, "stack": 20, "oop": "AA", "ip": "QQ"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"potty": 3}, "'potty' is no key of spot: the known ones are board, pot, stack, oop, ip, sizes"),
        ({"sizes": {"dinner": {}}}, "'dinner' is no key of sizes: the known ones are preflop, flop, turn, river"),
        ({"sizes": {"flop": {"call": ""}}}, "'call' is no key of sizes.flop"),
        ({"sizes": {"flop": {"ip": {"oop": ""}}}}, "'oop' is no key of sizes.flop.ip"),
        ({"sizes": {"flop": "33%"}}, "sizes.flop is a table of bet, raise, donk, oop, ip, got '33%'"),
        ({"sizes": {"flop": {"ip": 3}}}, "sizes.flop.ip is a table"),
        ({"sizes": {"flop": {"bet": 33}}}, "sizes.flop.bet: bet sizes are a text"),
        ({"sizes": {"flop": {"bet": "33"}}}, "sizes.flop.bet: '33' is not a bet size"),
        ({"sizes": {"flop": {"ip": {"raise": "-3x"}}}}, "sizes.flop.ip.raise: '-3x' is not a bet size"),
        ({"sizes": []}, "sizes is a table of preflop, flop, turn, river, got []"),
        ({"pot": None}, "spot needs pot"),
        ({"pot": 0}, "pot is a whole number from 1 to 1000000000, got 0"),
        ({"pot": -5}, "got -5"),
        ({"pot": 5.5}, "got 5.5; give all amounts in a smaller unit"),
        ({"pot": "5"}, "got '5'"),
        ({"pot": True}, "got True"),
        ({"pot": float("nan")}, "got nan"),
        ({"pot": float("inf")}, "got inf"),
        ({"pot": 10**400}, "pot is a whole number"),
        ({"stack": -1}, "stack is a whole number from 0"),
        ({"stack": 10**9 + 1}, "stack is a whole number from 0"),
        ({"board": "KsTh"}, "board is 3, 4 or 5 different cards"),
        ({"board": ""}, "board is 3, 4 or 5 different cards"),
        ({"board": "KsThKs"}, "'KsThKs' repeats Ks"),
        ({"board": "KsThXx"}, "'Xx' is not a card"),
        ({"board": "KsTh6h" + " " * 500}, "board is 3, 4 or 5"),
        ({"board": [1, 2, 2]}, "board is 3, 4 or 5"),
        ({"board": [1, 2, 99]}, "board is 3, 4 or 5"),
        ({"board": [1, "2c", 3]}, "board is 3, 4 or 5"),
        ({"board": [None] * 3}, "board is 3, 4 or 5"),
        ({"board": {}}, "board is 3, 4 or 5"),
        ({"oop": ""}, "the oop range is not valid: a range needs at least one hand"),
        ({"oop": "AA:0"}, "the oop range has no hands"),
        ({"ip": "XX"}, "the ip range is not valid: 'XX' is not a hand"),
        ({"ip": 3}, "the ip range is a text"),
        ({"ip": [0.5, 0.5]}, "the ip range is not valid: expected weights of shape (1326,)"),
        ({"ip": [10**400]}, "the ip range is not valid"),
        ({"ip": ["AA"]}, "the ip range is not valid"),
        ({"ip": np.full(1326, np.nan)}, "weights are numbers from 0 to 1"),
        ({"ip": np.zeros(1326)}, "the ip range has no hands"),
        ({"oop": "KsKh, KsQs"}, "the oop range has no hand left on KsTh6h"),
        ({"oop": "AsAh", "ip": "AsAd, AhKd"}, "every hand of the oop range shares a card with every hand"),
        ({"rake": "x"}, "the percentage of the rake is a number from 0 to 50"),
        ({"rake": "5% cap"}, "the percentage of the rake"),
        ({"rake": "cap 3"}, "the percentage of the rake"),
        ({"rake": "5% cap 3 cap 4"}, "the cap of the rake is a number"),
        ({"rake": "5% cap 3%"}, "the cap of the rake is in chips"),
        ({"rake": 101}, "the percentage of the rake is a number from 0 to 50"),
        ({"rake": -1}, "the percentage of the rake"),
        ({"rake": "5%" + " " * 500 + "cap 3"}, "the percentage of the rake"),
        ({"rake": {"cap": 3}}, "rake needs percent"),
        ({"rake": {"percent": 5, "cup": 3}}, "'cup' is no key of rake: the known ones are percent, cap"),
        ({"rake": {"percent": 5, "cap": -3}}, "the cap of the rake"),
        ({"rake": [5]}, "the percentage of the rake"),
        ({"raise_cap": -1}, "raise_cap is a whole number"),
        ({"raise_cap": 1.5}, "raise_cap is a whole number"),
        ({"raise_cap": "3"}, "raise_cap is a whole number"),
        ({"min_bet": 0}, "min_bet is a whole number of chips from 1"),
        ({"merge": "ten"}, "merge is a number from 0 to 1000000, as in 10 or '12.5%', got 'ten'"),
        ({"merge": -1}, "merge is a number from 0"),
        ({"merge": True}, "merge is a number from 0"),
        ({"add_all_in": float("nan")}, "add_all_in is a number from 0"),
        ({"force_all_in": 10**400}, "force_all_in is a number from 0"),
        ({"force_all_in": []}, "force_all_in is a number from 0"),
    ],
)
def test_a_wrong_spot_is_one_clear_sentence(change, message):
    with pytest.raises(ValueError, match=r".") as caught:
        Spot.from_dict({**GOOD, **change})
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


def test_what_is_no_table_is_no_spot():
    for wrong in (None, 3, [], "spot", {3: 4}):
        with pytest.raises(ValueError, match="spot"):
            Spot.from_dict(wrong)
    with pytest.raises(ValueError, match=r"use Spot\.of"):
        Spot({"flop": {"bet": "50%"}}, np.ones((2, 1326)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"pot = ", "is not a TOML file"),
        (b"\xff\xfe", "is not a TOML file"),
        (b"x = " + b"[" * 100_000, "is not a TOML file"),
        (b"pot = " + b"9" * 100_000, "is not a TOML file"),
        (b"a." * 100_000 + b"a = 1", "keys have at most three parts"),
        (b'":.1".' * 40_000 + b"a = 1", "keys have at most three parts"),
        (b"1.1." * 70_000 + b"a = 1", "keys have at most three parts"),
        (b" " * 400_000, "at most 300000 bytes"),
        (b"", "spot needs board, which is missing"),
        (b"board = 2026-01-01", "spot needs pot"),
    ],
    ids=range(10),
)
def test_a_wrong_file_is_one_clear_sentence(tmp_path, text, message):
    path = tmp_path / "spot.toml"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=r"spot\.toml") as caught:
        Spot.load(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_many_decimals_are_no_long_key(tmp_path):
    path = tmp_path / "spot.toml"
    text = TOML.replace('"random"', '"' + ",".join(f"{hand}:.5" for hand in ["AA", "A5s"] * 500) + '"')
    path.write_text(text.replace('"QQ+, AKs"', str([0.5] * 1326)))
    assert Spot.load(path).oop == "random:0.5"


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        Spot.load(tmp_path / "none.toml")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        Spot.load(tmp_path)
